"""How rare words are: from counts, from the order of a file, or not known."""

import numpy as np
import pytest
from tiny_list import TINY, VECTORS

import bayesbias as bb
from bayesbias.errors import DistancesError
from bayesbias.pairs.frequency import with_rarity

FREQUENT = "the of and to in for that is on with".split()  # noqa: SIM905


def vectors_with(words, n=400):
    """The given words first, then the tiny list's, then others."""
    rng = np.random.default_rng(0)
    order = [*words, *VECTORS, *(f"x{i}" for i in range(n))]
    found = {word: VECTORS.get(word, rng.standard_normal(2).tolist()) for word in order}
    return bb.load_embedding(found)


def rarity(frame, word, column="attribute"):
    prefix = "word" if column == "protected_word" else column
    return frame.loc[frame[column] == word, f"{prefix}_rarity"].iloc[0]


def test_the_order_of_a_sorted_file_tells():
    frame = with_rarity(bb.distances(vectors_with(FREQUENT), TINY))
    assert rarity(frame, "saw") == pytest.approx(np.log(len(FREQUENT) + 3), abs=1e-6)
    assert rarity(frame, "he", "protected_word") == pytest.approx(
        np.log(len(FREQUENT) + 1), abs=1e-6
    )
    assert with_rarity(frame) is frame


def test_counts_tell_more_than_the_order():
    vectors = vectors_with([])
    for number, word in enumerate(vectors.index_to_key):
        vectors.set_vecattr(word, "count", 5 + number)
    frame = with_rarity(bb.distances(vectors, TINY))
    assert rarity(frame, "saw") == pytest.approx(-np.log(5 + 2), abs=1e-6)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "the vectors have 2 of the"),
        ([f"y{i}" for i in range(200)] + FREQUENT, "not sorted by frequency: 0% of the"),
    ],
)
def test_what_no_order_tells_is_refused_with_the_reason(words, complaint):
    frame = bb.distances(vectors_with(words), TINY)
    with pytest.raises(DistancesError, match=complaint):
        bb.fit(frame, "crossed", frequency=True)


@pytest.mark.filterwarnings("ignore::bayesbias.errors.MissingWordsWarning")
def test_without_a_record_columns_of_ones_own_do():
    frame = bb.distances(bb.example_embedding(), "gender")
    known = with_rarity(frame)
    frame.attrs = {}
    with pytest.raises(DistancesError, match="the frame does not say"):
        with_rarity(frame)
    assert bb.fit(known, "crossed", seed=1, frequency=True).spec.numbers == (
        "word_rarity",
        "attribute_rarity",
    )


@pytest.mark.filterwarnings("ignore::bayesbias.errors.MissingWordsWarning")
def test_at_equal_frequency_the_stereotypes_answer_stays_and_the_slopes_are_positive():
    """Rarer words are farther from others: in the shipped slice of GloVe, in all kinds of list."""
    frame = bb.distances(bb.example_embedding(), "gender")
    plain, equal = (bb.fit(frame, seed=1, frequency=at) for at in (False, True))
    one, other = (fit.contrasts().table.iloc[0] for fit in (plain, equal))
    assert abs(one["mean"] - other["mean"]) < 0.1 * one["sd"]
    slopes = equal.summary("slope").table.set_index(["slope", "applies_to"])
    assert (slopes.loc["word_rarity", "mean"] > 0).all()
    assert slopes.loc[("word_rarity", "neutral"), "low"] > 0


def test_the_order_of_the_words_that_were_loaded_tells_too():
    """Of a large file the command line loads a list's words and some common ones."""
    words = [*FREQUENT, *(f"z{i}" for i in range(8))]
    vectors = vectors_with(words, n=0)
    assert rarity(with_rarity(bb.distances(vectors, TINY)), "he", "protected_word") > 2
