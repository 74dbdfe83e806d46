"""Libraries can be imported wherever the package runs."""

import datetime
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from samples import ROOT

from bayesbias.errors import BayesBiasWarning
from bayesbias.support import compatibility
from bayesbias.support.compatibility import use_writable_caches


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """Caches that were not looked for yet, and a temporary folder of the test's own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("MPLCONFIGDIR", "NUMBA_CACHE_DIR", "PYTENSOR_FLAGS"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    use_writable_caches.cache_clear()
    yield tmp_path
    use_writable_caches.cache_clear()


def without_home(tmp_path):
    """An environment whose home is no folder, so that root cannot write there either."""
    (tmp_path / "home").write_text("")
    kept = {k: v for k, v in os.environ.items() if k not in ("XDG_CACHE_HOME", "PYTENSOR_FLAGS")}
    return kept | {"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path)}


@pytest.mark.slow
@pytest.mark.parametrize("module", ["arviz", pytest.param("pymc", marks=pytest.mark.sampling)])
def test_imports_need_no_writable_home(tmp_path, module):
    code = (
        "from bayesbias.support.compatibility import quiet_imports\n"
        f"with quiet_imports():\n    import {module}\n"
        "import os\nprint(os.environ['PYTENSOR_FLAGS'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=without_home(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    folder = done.stdout.strip().removeprefix("base_compiledir=")
    assert Path(folder).parent == tmp_path
    assert f"cannot be written: caches and compiled models are in {folder}" in done.stderr
    assert not Path(folder).exists()


def test_the_fallback_is_said_once_and_obeys_the_user(fresh, monkeypatch):
    for name, value in without_home(fresh).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("PYTENSOR_FLAGS", f"base_compiledir={fresh}/mine")
    with pytest.warns(BayesBiasWarning, match="home folder cannot be written: caches"):
        use_writable_caches()
    use_writable_caches()  # a second warning would be an error
    assert os.environ["PYTENSOR_FLAGS"] == f"base_compiledir={fresh}/mine"
    assert Path(os.environ["XDG_CACHE_HOME"]).parent == fresh


def test_a_writable_home_is_used(fresh, monkeypatch):
    monkeypatch.setenv("HOME", str(fresh))
    monkeypatch.setenv("XDG_CACHE_HOME", str(fresh / "cache"))
    use_writable_caches()
    assert os.environ["XDG_CACHE_HOME"] == str(fresh / "cache")
    assert "PYTENSOR_FLAGS" not in os.environ


def test_arviz_has_no_stamp_to_write(tmp_path, monkeypatch):
    """Two first imports at once took its temporary file from each other."""
    with compatibility.quiet_imports():
        import arviz as az
    if not hasattr(az, "_warn_once_per_day"):
        pytest.skip("this generation of ArviZ has no stamp")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    compatibility._stamp_arviz()
    (stamp,) = (tmp_path / "arviz").iterdir()
    assert stamp.read_text() == datetime.date.today().isoformat()
    monkeypatch.setattr(Path, "write_text", lambda *_: pytest.fail("a stamp is written"))
    monkeypatch.setattr(az, "re", re, raising=False)  # it deletes its own name for it
    az._warn_once_per_day()
