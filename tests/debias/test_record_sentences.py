"""Every template of what a debiasing did, for its cases; and how much each method leaves."""

import numpy as np
import pytest

import bayesbias as bb
from bayesbias import debias
from bayesbias.debias import METHODS, record_sentences
from bayesbias.debias.record_sentences import share_shown

pytestmark = pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")

SETS = [["he", "she"], ["man", "woman"]]


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.0, "nothing"),
        (1e-15, "nothing"),
        (0.0003, "less than 1%"),
        (0.2, "20%"),
        (0.9966, "more than 99%"),
        (1.0, "100%"),
        (1.4, "140%"),
    ],
)
def test_a_share_is_not_rounded_to_nothing_or_all(share, said):
    assert share_shown(share) == said


def test_only_some_sets_and_words_are_named():
    said = record_sentences.rest("left", 9, list("abcdefghi"), "all")
    assert said.endswith("9 words, such as a, b, c, d, e (of the defining sets, or kept as asked).")
    said = record_sentences.of_subspace("hard", SETS * 4, 1, 0.55)
    assert said.endswith("(he and she; man and woman; he and she; man and woman; he and she; …).")


NOTHING = {"hard", "multiclass", "subspace", "two_means", "inlp", "double_hard"}


@pytest.fixture(scope="module")
def vectors():
    return bb.example_embedding()


@pytest.mark.parametrize("method", METHODS)
def test_every_method_says_at_once_what_it_leaves(vectors, method):
    """`soft` at the published weight left 97% here, 99.7% in GoogleNews, and did not say so."""
    record = METHODS[method].function(vectors, "gender").record
    first = record.reached[0]
    assert str(record).splitlines()[0] == first
    assert len(first.split()) <= 30
    if method == "leace":
        assert record.left is None
        return
    assert first.endswith(f"; …) {share_shown(record.left)} remains.")
    assert ("nothing remains" in first) == (method in NOTHING)
    if method == "soft":
        assert 0 < record.left < 0.01


@pytest.mark.parametrize(
    ("left", "exact"), [(None, True), (0.0, True), (0.004, False), (0.42, False)]
)
def test_only_what_leaves_nothing_is_so_by_construction(left, exact):
    said = record_sentences.no_test(left)
    assert ("by construction" in said) == exact
    assert said.endswith("test other words.")


def test_the_share_that_is_left_by_hand():
    """Of squared cosines with x: nurse has .5 before, clerk 1/2; after, what soft leaves."""
    kv = bb.load_embedding({"he": [1.0, 0, 0], "she": [-1.0, 0, 0], "nurse": [3.0, 3.0, 0]})
    record = debias.half_sibling(kv, alpha=1.0, defining_sets=[["he", "she"]], neutralise=["nurse"])
    # D has he and she: its one direction has size 2, the penalty is 1, so that 2/3 is subtracted.
    np.testing.assert_allclose(record.vectors["nurse"], [1.0, 3.0, 0.0], atol=1e-6)
    assert record.record.left == pytest.approx((1 / 10) / (1 / 2), rel=1e-5)


def test_the_weight_by_default_is_free_of_the_number_of_words(vectors):
    """0.2 with either term as a share: so much of the association goes in few and many words."""
    record = debias.soft(vectors, "gender").record
    published = debias.soft(vectors, "gender", lam=0.2).record
    assert published.parameters["lam"] == 0.2
    assert published.left > 0.9
    assert "This removes little: give a larger weight than lam=0.2." in published.reached
    whole = published.diagnostics["association_at_identity"]
    size = record.parameters["lam"] * whole / 0.2
    matrix = vectors.get_normed_vectors().astype(float)
    assert size == pytest.approx(np.sum((matrix.T @ matrix) ** 2), rel=1e-4)
    twice = bb.load_embedding(
        (
            [*vectors.index_to_key, *(f"{w}_" for w in vectors.index_to_key)],
            np.concatenate([vectors.vectors, vectors.vectors]),
        )
    )
    again = debias.soft(twice, "gender").record
    assert again.left == pytest.approx(record.left, rel=0.2)
