"""Programs that are killed or interrupted: what stood there stays, and the next run finishes."""

import os
import signal
import subprocess
import sys
import time

import pytest
from samples import ROOT, hear_signals, write_inputs

from bayesbias.cli import main
from bayesbias.support import whole_files
from bayesbias.support.whole_files import new_file, new_folder

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="signals and forks are POSIX's"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


def written(place, what):
    """Write a file or a folder of two."""
    if what == "file":
        with new_file(place / "out") as temporary:
            temporary.write_text("new")
        return
    with new_folder(place / "out", overwrite=what == "full") as temporary:
        (temporary / "a").write_text("new")
        (temporary / "manifest.json").write_text('{"files": {"a": ""}}')


def shown(place):
    """Return what is under names that are not hidden."""
    found = {p.relative_to(place).as_posix(): p for p in place.rglob("[!.]*") if p.is_file()}
    return {name: path.read_text() for name, path in found.items() if "/." not in f"/{name}"}


@pytest.mark.parametrize("what", ["file", "absent", "empty", "full"])
def test_a_killed_writer_leaves_what_was_there(what, tmp_path, monkeypatch):
    if what == "file":
        (tmp_path / "out").write_text("old")
    elif what != "absent":
        (tmp_path / "out").mkdir()
    if what == "full":
        (tmp_path / "out" / "a").write_text("old")
        (tmp_path / "out" / "manifest.json").write_text('{"files": {"a": ""}}')
    before = shown(tmp_path)
    child = os.fork()
    if child == 0:
        whole_files._flush = lambda path: os.kill(os.getpid(), signal.SIGKILL)
        written(tmp_path, what)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    assert shown(tmp_path) == before
    assert any(path.name.startswith(".bayesbias-") for path in tmp_path.rglob("*"))
    written(tmp_path, what)
    assert set(shown(tmp_path).values()) >= {"new"}
    assert "old" not in shown(tmp_path).values()


def test_ctrl_c_while_commands_are_loaded(monkeypatch, capsys):
    from bayesbias.cli import running

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "build_parser", interrupted)
    assert main(["models", "list"]) == 130
    assert capsys.readouterr().err == "bayesbias: interrupted; nothing was written\n"


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_sweep_that_is_stopped_finishes_with_the_same_bytes(jobs, number, tmp_path):
    write_inputs(tmp_path)
    names = "".join(f'd{i} = "d{i % 2}.csv"\n' for i in range(12))
    (tmp_path / "s.toml").write_text(f'models = ["paper", "crossed"]\n[distances]\n{names}')

    def command(out):
        given = [sys.executable, "-m", "bayesbias", "sweep", "s.toml", "--jobs", str(jobs)]
        return subprocess.Popen(
            [*given, "--quiet", "--out", out],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            preexec_fn=hear_signals,
            start_new_session=True,
            stderr=subprocess.PIPE,
            text=True,
        )

    process = command("stopped")
    while not list((tmp_path / "stopped" / "results").glob("[!.]*")) and process.poll() is None:
        time.sleep(0.01)
    os.killpg(process.pid, number)  # Ctrl-C reaches all processes of a terminal
    _, said = process.communicate(timeout=60)
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert said.count("\n") == 1
        assert "finished tasks are kept in stopped" in said
    n_kept = len(list((tmp_path / "stopped" / "results").glob("[!.]*")))
    assert 0 < n_kept < 24
    for out in ("stopped", "whole"):
        process = command(out)
        assert process.communicate(timeout=120)[1] == ""
        assert process.returncode == 0
    stopped, whole = (
        {p.name: p.read_bytes() for p in (tmp_path / out).rglob("[!.]*") if p.is_file()}
        for out in ("stopped", "whole")
    )
    assert stopped == whole
