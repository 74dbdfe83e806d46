"""Fixtures shared by all tests."""

import gc
import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import matplotlib as mpl
import pandas as pd
import pytest
from samples import ROOT, make_frame

import bayesbias as bb
from bayesbias.support.compatibility import quiet_imports, use_writable_caches

mpl.use("agg")
gc.set_threshold(50_000)  # what is imported is no garbage: some percent of the time


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of reference data, which is not part of the project."""
    folder = Path(os.environ.get("BAYESBIAS_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no reference data: set BAYESBIAS_DATA to their folder")
    return folder


@pytest.fixture(scope="session")
def google(data):
    """16,000 words of GoogleNews."""
    return bb.load_embedding(data / "embeddings" / "googlenews-16k-300d.bin")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of reference data, before any are chosen by their marks."""
    for item in items:
        if "data" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.data)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory, monkeypatch) -> None:
    """Keep the user's cache folder out of the tests."""
    cache = tmp_path_factory.getbasetemp() / "cache"
    cache.mkdir(exist_ok=True)  # old releases of ArviZ make their folder in it, not it
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    with warnings.catch_warnings():  # said once a process, of a home folder that cannot be written
        warnings.simplefilter("ignore", bb.BayesBiasWarning)
        use_writable_caches()


@pytest.fixture
def frame() -> pd.DataFrame:
    """A small frame of distances with all four connections."""
    return make_frame()


@pytest.fixture
def uncompiled() -> Iterator[None]:
    """PyTensor computes in Python: to compile its graphs takes longer than a few values do."""
    with quiet_imports():
        import pytensor
    with pytensor.config.change_flags(mode="FAST_COMPILE"):
        yield


@pytest.fixture
def write(tmp_path) -> Callable[..., Path]:
    """Write a text to a file and return its path."""

    def to_file(text, name="mine.toml"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return to_file
