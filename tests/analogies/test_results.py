"""Every result of the room shows itself in each format and gives its numbers as plain data."""

import json

import numpy as np
import pytest

import bayesbias as bb
from bayesbias import analogies
from bayesbias.support.result import Result

WORDS = ["man", "woman", "king", "queen", "boy", "girl", "a<b", "x_y"]


@pytest.fixture(scope="module")
def vectors():
    rng = np.random.default_rng(1)
    return bb.load_embedding({word: rng.normal(size=8) for word in WORDS})


RESULTS = {
    "analogy": lambda kv: analogies.analogy(kv, "man", "king", "woman", reported="queen"),
    "without an answer": lambda kv: analogies.analogy(
        kv, "man", "king", "woman", delta=1e-6, method="bolukbasi", reported="queen"
    ),
    "pairs": lambda kv: analogies.rank_pairs(kv, "man", "woman", delta=2.0, progress=False),
    "mean ranks": lambda kv: analogies.mean_rank({"one": kv}, [("man", "king", "woman", "queen")]),
    "grid": lambda kv: analogies.vocabulary_grid(
        kv, "man", "king", "woman", deltas=[1e-6, 1.5], vocabularies=[2, None]
    ),
    "accuracy": lambda kv: analogies.accuracy(
        kv,
        {"one": [("man", "king", "woman", "queen")], "none": [("man", "x", "woman", "y")]},
        progress=False,
    ),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_shows_itself(name, vectors):
    found = RESULTS[name](vectors)
    assert isinstance(found, Result)
    shown = repr(found), found._repr_html_(), found.to_markdown(), found.to_latex()
    assert all(text.strip() for text in shown)
    assert "<div" in shown[1]
    assert "a<b" not in shown[1]
    assert r"\begin{tabular}" in shown[3]
    assert len(found.to_frame())
    json.dumps(found.to_dict(), allow_nan=False)


def test_the_size_of_the_figure(vectors):
    found = RESULTS["accuracy"](vectors)
    assert found.plot(figsize=(7, 2)).get_size_inches().tolist() == [7, 2]
