"""Every result of the room shows itself in each format and gives its numbers as plain data."""

import json

import numpy as np
import pandas as pd
import pytest

from bayesbias import classifiers
from bayesbias.support.result import Result

COSTS, GROUPS = [1, 1, 0, 0, 1, 0, 0, 0] * 6, ["a"] * 24 + ["b"] * 24


def _people():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"y": rng.integers(6, size=300), "g": rng.choice(["f", "m"], 300)})
    return frame.assign(p=np.where(rng.random(300) < 0.7, frame["y"], rng.integers(6, size=300)))


def _gaps(**options):
    return classifiers.gaps(_people(), true="y", predicted="p", group="g", seed=1, **options)


def _protocol():
    people = classifiers.example_biographies(200, seed=1)
    guess = lambda X, y, T: ["nurse"] * len(T)  # noqa: E731
    columns = people.text, people.occupation, people.gender
    return classifiers.resampling_protocol(*columns, guess, sizes=[100], n_samples=2, seed=1)


def _outcome():
    table = pd.DataFrame({"class": range(6), "mean": np.arange(6.0), "sd": 0.1})
    return classifiers.outcome(_gaps(), table, seed=1)


RESULTS = {
    "gaps": _gaps,
    "point gaps": lambda: _gaps(method="point"),
    "bootstrap gaps": lambda: _gaps(method="bootstrap", draws=200),
    "protocol": _protocol,
    "outcome": _outcome,
    "disparity": lambda: classifiers.bernstein_interval(COSTS, GROUPS),
    "comparison": lambda: classifiers.compare_intervals(COSTS, GROUPS, seed=1),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_shows_itself(name):
    found = RESULTS[name]()
    assert isinstance(found, Result)
    shown = repr(found), found._repr_html_(), found.to_markdown(), found.to_latex()
    assert all(text.strip() for text in shown)
    assert "<div" in shown[1]
    assert (r"\begin{tabular}" in shown[3]) == ("| " in shown[2])
    assert len(found.to_frame())
    json.dumps(found.to_dict(), allow_nan=False)
