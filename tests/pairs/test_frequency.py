"""How rare words are: from counts, from the order of a file, or not known."""

import numpy as np
import pytest
from tiny_list import TINY, VECTORS

import bayesbias as bb
from bayesbias.errors import DistancesError
from bayesbias.pairs.frequency import read_counts, with_rarity
from bayesbias.pairs.provenance import source_of

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
    with pytest.raises(DistancesError, match="the distances do not say"):
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


def test_the_order_is_that_of_the_source_whichever_words_were_loaded(tmp_path):
    words = [*FREQUENT, *(f"z{i}" for i in range(8))]
    vectors = vectors_with(words)
    path = tmp_path / "v.txt"
    vectors.save_word2vec_format(str(path))
    expected = source_of(bb.distances(vectors, TINY))["frequency"]
    assert "values" in expected
    mapping = {word: vectors[word] for word in vectors.index_to_key}
    for source in (path, mapping):
        asked = bb.load_embedding(source, words=TINY.words)
        assert source_of(bb.distances(asked, TINY))["frequency"] == expected
    bb.vectors.convert_embedding(path, tmp_path / "store")
    stored = bb.load_embedding(tmp_path / "store", words=TINY.words)
    assert source_of(bb.distances(stored, TINY))["frequency"] == expected


def test_vectors_of_any_language_are_sorted_if_the_user_says_so():
    frame = with_rarity(bb.distances(vectors_with([]), TINY, counts="sorted"))
    assert rarity(frame, "saw") == pytest.approx(np.log(1 + 2), abs=1e-6)


COUNTS = {
    "semicolons": "word;count\nhe;1200\nNew York;30\n1984;7\n",
    "ranks": "rank\tword\tcount\n1\the\t1200\n2\tNew York\t30\n3\t1984\t7\n",
    "ranks last": "count,word,rank\n1200,he,1\n30,New York,2\n7,1984,3\n",
    "counts first": "1200 he\n30 New York\n7 1984\n",
    "counts first, commas": "n,word\n1200,he\n30,New York\n7,1984\n",
    "thousands": "he 1,200\nNew York 30\n1984 7\n",
    "JSON": '{"he": 1200, "New York": 30, "1984": 7}',
}


@pytest.mark.parametrize("form", list(COUNTS))
def test_counts_as_people_have_them(tmp_path, form):
    path = tmp_path / "counts"
    for encoding in ("utf-8-sig", "utf-16"):
        path.write_bytes(COUNTS[form].encode(encoding))
        assert read_counts(path) == {"he": 1200, "New York": 30, "1984": 7}


@pytest.mark.parametrize("between", [" ", "\t", ","])
def test_counts_of_a_file_tell(tmp_path, between):
    counts = {word: 10 + place for place, word in enumerate(TINY.words)}
    path = tmp_path / "counts"
    lines = [f"word{between}count", *(f"{word}{between}{n}" for word, n in counts.items())]
    path.write_text("\n".join(lines))
    for given in (path, str(path), counts):
        frame = with_rarity(bb.distances(vectors_with([]), TINY, counts=given))
        assert rarity(frame, "saw") == pytest.approx(-np.log(counts["saw"]), abs=1e-6)
    del counts["saw"]
    with pytest.raises(DistancesError, match=r"1 words? ha(s|ve) no count \(saw\)"):
        with_rarity(bb.distances(vectors_with([]), TINY, counts=counts))
    path.write_text("he 3\nshe many words\n")
    with pytest.raises(DistancesError, match="line 2: 'she many words' is not a word and its"):
        bb.distances(vectors_with([]), TINY, counts=path)
