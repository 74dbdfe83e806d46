import numpy as np
import pandas as pd
import pytest
import tiny_list
from planted import planted_embedding
from samples import FEW, changed, in_copies, make_frame
from scipy.spatial.distance import cdist
from tiny_list import MAN, SETS, WOMAN

import bayesbias as bb
from bayesbias.errors import DataWarning, DistancesError, MissingWordsWarning, WordListError
from bayesbias.measures import mac
from bayesbias.words.coverage import (
    VocabularyCoverage,
    coverage_warnings,
    vocabulary_coverage,
    words_of,
)
from bayesbias.words.distance_frame import cosine_distances, pairs_checksum
from bayesbias.words.keys import (
    drop_repeats,
    refuse_repeated_pairs,
    repeated_columns,
    repeated_pairs,
    validate_distances,
)
from bayesbias.words.provenance import missing_words
from bayesbias.words.word_lists import ProtectedGroup, WordList

WL = WordList("tiny", "", "", (MAN, WOMAN), SETS)
VECTORS = tiny_list.VECTORS | {"she": [0.0, 2.0]}


def test_by_hand():
    frame = bb.distances(bb.load_embedding(VECTORS), WL)
    root = 1 / np.sqrt(2)
    rows = [
        ("he", "man", "saw", "tools", "associated", 0.0),
        ("he", "man", "oven", "home", "different", 1.0),
        ("he", "man", "walk", "human", "human", 2.0),
        ("his", "man", "saw", "tools", "associated", 1 - root),
        ("his", "man", "oven", "home", "different", 1 - root),
        ("his", "man", "walk", "human", "human", 1 + root),
        ("she", "woman", "saw", "tools", "different", 1.0),
        ("she", "woman", "oven", "home", "associated", 0.0),
        ("she", "woman", "walk", "human", "human", 1.0),
    ]
    columns = ["protected_word", "group", "attribute", "attribute_set", "connection"]
    expected = pd.DataFrame(rows, columns=[*columns, "cosine_distance"])
    pd.testing.assert_frame_equal(frame, expected, check_dtype=False, atol=1e-15)
    assert missing_words(frame).empty


@pytest.mark.parametrize("scale", [1e155, 1e-163, 1.0])
def test_distances_are_scipys_whatever_the_size_of_vectors(scale):
    """Squares of 1e155 overflow float64, and those of 1e-163 are 0."""
    rng = np.random.default_rng(0)
    left, right = rng.standard_normal((5, 300)), rng.standard_normal((7, 300))
    found = cosine_distances(scale * left, scale * right)
    np.testing.assert_allclose(found, cdist(left, right, "cosine"), rtol=1e-12)


def test_a_vector_is_never_nearer_than_zero_to_itself():
    vectors = np.random.default_rng(1).standard_normal((200, 50))
    distances = cosine_distances(vectors, vectors)
    assert distances.min() >= 0.0
    assert np.diag(distances).max() < 1e-14


def test_missing_words_are_reported_not_dropped():
    vectors = {k: v for k, v in VECTORS.items() if k not in ("his", "walk")}
    with (
        pytest.warns(DataWarning, match="of the attribute words 'human' none of 1 is in"),
        pytest.warns(
            MissingWordsWarning, match="2 of 6 .*1 protected words, 0 attributes, 1 controls"
        ),
    ):
        frame = bb.distances(bb.load_embedding(vectors), WL)
    assert missing_words(frame).to_dict("records") == [
        {"word": "his", "role": "protected", "list": "man", "reason": "not in the vectors"},
        {"word": "walk", "role": "attribute", "list": "human", "reason": "not in the vectors"},
    ]
    assert len(frame) == 4


def test_a_vector_is_of_one_word():
    """A word as it stands has the first claim."""
    man = ProtectedGroup("man", ("HE", "he", "HIS", "His"), ("tools",))
    twin = WordList("twin", "", "", (man,), SETS)
    table = vocabulary_coverage(bb.load_embedding(VECTORS), twin).table.set_index("word")
    assert table.loc["he", "found_as"] == "he"
    assert table.loc["HE", "reason"] == "'he' is already used for 'he'"
    assert table.loc["His", "reason"] == "'his' is already used for 'HIS'"


@pytest.mark.parametrize(
    ("gone", "complaint"),
    [
        (list(VECTORS), "none of its words is in the vectors"),
        (["she"], "group 'woman' has none of its protected words"),
        (["saw"], "group 'man' has none of its associated attributes in the vectors .saw"),
    ],
)
def test_unusable_lists(gone, complaint):
    kept = {k: v for k, v in VECTORS.items() if k not in gone} or {"x": [1.0, 2.0]}
    with pytest.raises(WordListError, match=complaint):
        bb.distances(bb.load_embedding(kept), WL)


def test_the_record_of_missing_words_can_be_lost(frame):
    frame.attrs = {}
    with pytest.raises(DistancesError, match="carries no record"):
        missing_words(frame)


SWAPPED = {"protected_word": "attribute", "attribute": "protected_word"}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda f: f.drop(columns="group"), "lacks the column 'group'; needed: protected_word"),
        (
            lambda f: f.rename(columns=SWAPPED),
            "is in the groups .* are protected_word and attribute swapped",
        ),
        (lambda f: f.iloc[:0], "has no rows"),
        (lambda f: pd.concat([f, f["group"]], axis=1), "has the column 'group' twice"),
        (lambda f: changed(f, 3, attribute=""), "row 4 .*'attribute' is empty or not a text"),
        (lambda f: changed(f.astype(object), 3, group="\ud800"), "row 4 .*'group' is empty or not"),
        (lambda f: f.assign(cosine_distance="0.3"), "must hold floating-point numbers"),
        (lambda f: f.assign(cosine_distance=2.1), "row 1 .*2.1.*from 0 to 2"),
        (lambda f: f.assign(cosine_distance=np.nan), "row 1 .*nan.*is missing; drop such rows"),
        (lambda f: f.assign(embedding=["a", "b"] * (len(f) // 2)), "several embeddings"),
        (lambda f: f[f.protected_word == "word1"], "only one of the protected words .'word1'"),
        (lambda f: f[f.attribute == "human1"], "only one of the attributes"),
    ],
)
def test_frames_that_cannot_be_analysed(frame, change, complaint):
    with pytest.raises(DistancesError, match=complaint):
        validate_distances(change(frame))


def test_the_checksum_changes_with_any_pair(frame):
    first = pairs_checksum(frame)
    frame.loc[0, "cosine_distance"] += 1e-12
    assert pairs_checksum(frame) != first


@pytest.mark.parametrize("extra", [{}, {"connection": "different"}])
def test_a_pair_has_one_distance(frame, extra):
    row = frame.iloc[[0]].assign(cosine_distance=frame["cosine_distance"] + 0.1, **extra)
    with pytest.raises(DistancesError, match="'word0' – 'associated0' has different distances"):
        repeated_pairs(pd.concat([frame, row], ignore_index=True))


def test_a_repeated_pair_is_found_in_each_run_of_its_own(frame):
    again = pd.concat([frame, frame.iloc[[3]]], ignore_index=True)
    assert np.flatnonzero(repeated_pairs(again)).tolist() == [len(frame)]
    with pytest.warns(DataWarning, match="1 rows repeat a pair"):
        refuse_repeated_pairs(again)
    runs = in_copies(frame, ["run"], 2)
    assert not repeated_pairs(runs, within=["run"]).any()


def test_collapsed_lists_are_named():
    rows = [("few", 3, 8), ("half", 4, 8), ("many", 10, 100), ("none", 0, 8)]
    counts = pd.DataFrame(rows, columns=["list", "found", "words"]).assign(role="attribute")
    assert coverage_warnings(counts) == [
        "of the attribute words 'few' only 3 of 8 are in the vectors",
        "of the attribute words 'none' none of 8 is in the vectors",
    ]


def test_coverage_by_list_is_that_of_the_frame():
    vectors = {k: v for k, v in VECTORS.items() if k != "his"}
    with pytest.warns(MissingWordsWarning):
        frame = bb.distances(bb.load_embedding(vectors), WL)
    table = VocabularyCoverage(words_of(frame)).lists.set_index("list")
    assert table.loc["man", ["found", "words"]].tolist() == [1, 2]
    assert table.loc["human", ["found", "words"]].tolist() == [1, 1]
    lists = vocabulary_coverage(bb.load_embedding(vectors), WL).lists.set_index("list")
    assert lists.loc[table.index, table.columns].equals(table)


def test_a_frame_too_large_for_the_machine_is_refused_before_it_is_made(monkeypatch):
    kv = planted_embedding(bb.load_wordlist("weat7"), similarity=0.2, seed=1)
    monkeypatch.setattr("bayesbias.support.machine.PHYSICAL_MEMORY", 1e6)
    monkeypatch.setattr("bayesbias.words.distance_frame.cosine_distances", pytest.fail)
    with pytest.raises(DistancesError, match=r"have 5,\d\d\d pairs, which take .* GB, and this"):
        bb.distances(kv, "weat7")


def test_a_limit_that_left_the_words_out_is_named():
    rows = {"the": [1.0, 2.0], "of": [2.0, 1.0], "he": [3.0, 1.0]}
    frame = pd.DataFrame({"word": list(rows), "vector": list(rows.values())})
    with pytest.raises(WordListError, match=r"only the first 2 vectors were read: raise limit "):
        bb.distances(bb.load_embedding(frame, limit=2), "gender")
    with pytest.raises(WordListError, match=r"none of its \w+ is in the vectors \((?!.*limit)"):
        bb.distances(bb.load_embedding(frame), "religion")


# Pair keys: with contexts, layers, embeddings every copy of a pair counts, and once


@pytest.mark.parametrize("column", ["context", "layer", "embedding"])
def test_every_copy_counts_and_once(column):
    """The same pairs in three values of a column, all of them twice."""
    frame = in_copies(make_frame(n_words=4), [column])
    copies = pd.concat([frame, frame], ignore_index=True)
    assert repeated_columns(copies) == [column]
    pd.testing.assert_frame_equal(drop_repeats(copies), frame)
    first = copies[copies[column] == copies[column].iloc[0]]
    assert len(drop_repeats(first)) == len(frame) // 3
    parts = [mac(part).value for _, part in copies.groupby(column)]
    assert np.ptp(parts) > 1e-4
    assert mac(copies).value == pytest.approx(np.mean(parts), rel=1e-12)


def test_mac_refuses_copies_that_no_known_column_tells_apart():
    """It took the first of them without a word."""
    copies = in_copies(make_frame(n_words=4, n_attributes=FEW), ["voice"])
    with pytest.raises(DistancesError, match="has different distances in different rows"):
        mac(copies)
