"""Fixtures shared by all tests."""

import os
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import bayesbias as bb

mpl.use("agg")

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of reference data, which is not part of the project."""
    folder = Path(os.environ.get("BAYESBIAS_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no reference data: set BAYESBIAS_DATA to their folder")
    return folder


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory, monkeypatch) -> None:
    """Keep the user's cache folder out of the tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


def make_frame(
    *,
    n_words: int = 6,
    n_attributes: dict[str, int] | None = None,
    group_mean: dict[str, float] | None = None,
    word_sd: float = 0.05,
    noise_sd: float = 0.08,
    seed: int = 0,
) -> pd.DataFrame:
    """Draw a frame of distances from the paper's model."""
    rng = np.random.default_rng(seed)
    n_attributes = n_attributes or {"associated": 5, "different": 6, "human": 15, "neutral": 20}
    group_mean = group_mean or {"associated": 0.8, "different": 0.9, "human": 0.95, "neutral": 1.0}
    rows = []
    for w in range(n_words):
        for connection, n in n_attributes.items():
            mean = rng.normal(group_mean[connection], word_sd)
            rows += [
                (f"word{w}", f"group{w % 2}", f"{connection}{a}", connection, connection, distance)
                for a, distance in enumerate(rng.normal(mean, noise_sd, n))
            ]
    columns = ["protected_word", "group", "attribute", "attribute_set", "connection"]
    frame = pd.DataFrame(rows, columns=[*columns, "cosine_distance"])
    frame.attrs = {"missing": [], "source": {"made": "by a test"}}
    return frame


@pytest.fixture
def frame() -> pd.DataFrame:
    """A small frame of distances with all four connections."""
    return make_frame()


@pytest.fixture(scope="session")
def small_fit() -> "bb.Fit":
    """A real fit of the paper's model to a small frame."""
    return bb.fit(
        make_frame(), model="paper", seed=11, engine="nuts", target_accept=0.99, progress=False
    )
