"""The numbers of `tests/pins.csv.gz` still hold (`benchmarks/pins.py`)."""

import warnings

import pytest
from samples import load_benchmark


@pytest.fixture(scope="module")
def pins():
    return load_benchmark("pins")


KEYS = {
    "fits": ("fit/", "distance/"),
    "measures": ("measure/", "drawn/measure/"),
    "debiasing": ("debias/",),
    "analogies": ("analogy/",),
    "classifiers": ("bernstein/", "gap/", "drawn/gap/", "protocol/"),
}


def check(pins, part, file):
    """Compare what a part computes of a file with its pins."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        today = pins.computed(part, files=[file])
    saved = pins.read()
    saved = saved[saved.index.str.startswith(KEYS[part])]
    if part != "classifiers":
        saved = saved[saved.index.str.contains(f"/{file}/")]
    table = pins.differences(today, saved)
    assert table[table["off"] > 1].empty, table[table["off"] > 1]
    assert len(table) > 20


@pytest.mark.parametrize("part", ["measures", "analogies", "classifiers"])
def test_numbers_that_are_computed_hold(pins, data, monkeypatch, part):
    monkeypatch.setattr(pins, "DATA", data)
    check(pins, part, "google")


@pytest.mark.slow
@pytest.mark.parametrize("part", ["fits", "debiasing", "analogies", "measures"])
@pytest.mark.parametrize("file", ["google", "glove6b", "glove840b", "twitter"])
def test_every_pin_holds(pins, data, monkeypatch, part, file):
    if part == "analogies" and file not in ("google", "glove6b"):
        pytest.skip("questions are asked of two files")
    monkeypatch.setattr(pins, "DATA", data)
    check(pins, part, file)
