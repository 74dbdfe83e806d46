import numpy as np
import pandas as pd
import pytest
import tiny_list
from samples import changed, in_copies
from scipy.spatial.distance import cdist
from tiny_list import MAN, SETS, WOMAN

import bayesbias as bb
from bayesbias.errors import (
    DataWarning,
    DistancesError,
    MissingWordsWarning,
    WordListError,
)
from bayesbias.pairs.checks import refuse_repeated_pairs, repeated_pairs, validate_distances
from bayesbias.pairs.coverage import coverage_of_lists, coverage_warnings, words_per_list
from bayesbias.pairs.distance_frame import cosine_distances, pairs_checksum, vocabulary_coverage
from bayesbias.pairs.provenance import missing_words, source_of
from bayesbias.pairs.reference import without_reference
from bayesbias.pairs.word_lists import AttributeSet, ProtectedGroup, WordList
from bayesbias.simulate import planted_embedding

WL = WordList("tiny", "", "", (MAN, WOMAN), SETS)
VECTORS = tiny_list.VECTORS | {"she": [0.0, 2.0]}


def test_by_hand():
    frame = bb.distances(bb.load_embedding(VECTORS), WL)
    root = 1 / np.sqrt(2)
    expected = pd.DataFrame(
        [
            ("he", "man", "saw", "tools", "associated", 0.0),
            ("he", "man", "oven", "home", "different", 1.0),
            ("he", "man", "walk", "human", "human", 2.0),
            ("his", "man", "saw", "tools", "associated", 1 - root),
            ("his", "man", "oven", "home", "different", 1 - root),
            ("his", "man", "walk", "human", "human", 1 + root),
            ("she", "woman", "saw", "tools", "different", 1.0),
            ("she", "woman", "oven", "home", "associated", 0.0),
            ("she", "woman", "walk", "human", "human", 1.0),
        ],
        columns=[
            *("protected_word", "group", "attribute", "attribute_set", "connection"),
            "cosine_distance",
        ],
    )
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
    assert np.diag(distances).max() < 1e-15 * 10


def test_missing_words_are_reported_not_dropped():
    vectors = {k: v for k, v in VECTORS.items() if k not in ("his", "walk")}
    with (
        pytest.warns(DataWarning, match="of the attribute words 'human' none of 1 is in"),
        pytest.warns(MissingWordsWarning, match="2 of 6 .*1 protected words, 1 attributes"),
    ):
        frame = bb.distances(bb.load_embedding(vectors), WL)
    assert missing_words(frame).to_dict("records") == [
        {"word": "his", "role": "protected", "list": "man", "reason": "not in the vectors"},
        {"word": "walk", "role": "attribute", "list": "human", "reason": "not in the vectors"},
    ]
    assert len(frame) == 4


def test_fallback_spellings_are_recorded():
    vectors = {("Oven" if k == "oven" else k): v for k, v in VECTORS.items()}
    frame = bb.distances(bb.load_embedding(vectors), WL, fallbacks=["upper", "title"])
    assert source_of(frame)["found_as"] == {"oven": "Oven"}
    assert "oven" in set(frame["attribute"])


@pytest.mark.parametrize(
    ("words", "without", "reason"),
    [
        # A word as it stands has the first claim.
        (("HE", "he"), "HE", "'he' is already used for 'he'"),
        (("he", "HIS", "His"), "His", "'his' is already used for 'HIS'"),
    ],
)
def test_a_vector_is_of_one_word(words, without, reason):
    twin = WordList("twin", "", "", (ProtectedGroup("man", words, ("tools",)),), SETS)
    found = vocabulary_coverage(bb.load_embedding(VECTORS), twin, fallbacks=["lower"])
    table = found.table.set_index("word")
    assert table.loc[without, "reason"] == reason
    assert table.loc["he", "found_as"] == "he"


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


def test_only_keyed_vectors_have_distances():
    with pytest.raises(DistancesError, match="needs gensim KeyedVectors, not dict"):
        bb.distances(VECTORS, WL)


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
            lambda f: f.rename(columns={"group": "Group", "attribute": "word"}),
            "lacks the columns 'group', 'attribute'; needed: .*; it has .*'Group', 'word'",
        ),
        (
            lambda f: f.rename(columns=SWAPPED),
            "is in the groups .* are protected_word and attribute swapped",
        ),
        (lambda f: f.iloc[:0], "has no rows"),
        (lambda f: f.to_dict(), "is a dict, not a pandas DataFrame"),
        (lambda f: pd.concat([f, f["group"]], axis=1), "has the column 'group' twice"),
        (
            lambda f: changed(f.astype({"cosine_distance": "Float64"}), 3, cosine_distance=pd.NA),
            "row 4 .*cosine_distance is missing; drop such rows",
        ),
        (lambda f: changed(f, 3, attribute=""), "row 4 .*'attribute' is empty or not a text"),
        (lambda f: changed(f.astype(object), 3, group="\ud800"), "row 4 .*'group' is empty or not"),
        (
            lambda f: f.assign(connection="none"),
            r"row 1 .*cosine_distance [0-9.]+\): unknown connection; valid",
        ),
        (lambda f: f.assign(cosine_distance="0.3"), "must hold floating-point numbers"),
        (lambda f: f.assign(cosine_distance=2.1), "row 1 .*2.1.*from 0 to 2"),
        (lambda f: f.assign(cosine_distance=-0.1), "from 0 to 2"),
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


def test_planted_vectors_have_the_planted_distances():
    wl = bb.load_wordlist("religion")
    planted = planted_embedding(wl, similarity=0.3, dim=400, seed=2)
    frame = bb.distances(planted.vectors, wl)
    groups = without_reference(frame).groupby("connection")["cosine_distance"]
    for connection, mean in groups.mean().items():
        error = groups.std()[connection] / np.sqrt(groups.size()[connection])
        # Words recur in many pairs, so the error of a mean is a few times that of free pairs.
        assert abs(mean - planted.expected_distance[connection]) < 6 * error
    again = planted_embedding(wl, similarity=0.3, dim=400, seed=2)
    np.testing.assert_array_equal(again.vectors.vectors, planted.vectors.vectors)


def test_planting_for_a_group_with_two_sets():
    stereotypes = tuple(
        AttributeSet(name, "stereotype", tuple(f"{name}{i}" for i in range(40))) for name in "ab"
    )
    group = ProtectedGroup("g", tuple(f"w{i}" for i in range(20)), ("a", "b"))
    wl = WordList("two", "", "", (group,), stereotypes)
    frame = bb.distances(planted_embedding(wl, similarity=0.4, dim=300, seed=1).vectors, wl)
    assert frame["cosine_distance"].mean() == pytest.approx(0.6, abs=0.01)
    for similarity, dim, complaint in (
        (0.6, 300, "no vector is so similar"),
        (1.5, 300, r"similarity=1\.5"),
        (0.5, 2, "dim=2: must be more than 4"),
    ):
        with pytest.raises(bb.BayesBiasError, match=complaint):
            planted_embedding(wl, similarity=similarity, dim=dim, seed=1)


def test_scaling_by_powers_of_two_changes_no_bit():
    rng = np.random.default_rng(4)
    left, right = rng.standard_normal((4, 20)), rng.standard_normal((5, 20))
    unit = [m / np.linalg.norm(m, axis=1, keepdims=True) for m in (left, right)]
    np.testing.assert_array_equal(cosine_distances(left, right), 1 - unit[0] @ unit[1].T)


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
    counts = pd.DataFrame(
        {
            "role": "attribute",
            "list": ["few", "half", "many", "none"],
            "found": [3, 4, 10, 0],
            "missing": [5, 4, 90, 8],
        }
    )
    assert coverage_warnings(counts) == [
        "of the attribute words 'few' only 3 of 8 are in the vectors",
        "of the attribute words 'none' none of 8 is in the vectors",
    ]


def test_coverage_by_list_is_that_of_the_frame():
    vectors = {k: v for k, v in VECTORS.items() if k != "his"}
    with pytest.warns(MissingWordsWarning):
        frame = bb.distances(bb.load_embedding(vectors), WL)
    table = coverage_of_lists(frame).set_index("list")
    assert table.loc["man", ["found", "missing"]].tolist() == [1, 1]
    assert table.loc["human", ["found", "missing"]].tolist() == [1, 0]
    counts = words_per_list(vocabulary_coverage(bb.load_embedding(vectors), WL).table)
    assert counts.set_index("list").loc[table.index].equals(table)


def test_a_frame_too_large_for_the_machine_is_refused_before_it_is_made(monkeypatch):
    from bayesbias.pairs import distance_frame

    def too_late(*arguments):
        raise AssertionError("distances were computed")

    kv = planted_embedding(bb.load_wordlist("weat7"), similarity=0.2, seed=1).vectors
    monkeypatch.setattr("bayesbias.support.memory.PHYSICAL_MEMORY", 1e6)
    monkeypatch.setattr(distance_frame, "cosine_distances", too_late)
    with pytest.raises(DistancesError, match=r"have 5,\d\d\d pairs, which take .* GB, and this"):
        bb.distances(kv, "weat7")


def test_coverage_shows_counts_and_missing_words():
    found = vocabulary_coverage(bb.example_embedding(), "weat7")
    assert repr(found).splitlines()[0].split() == ["role", "list", "found", "words"]
    assert "missing of math: algebra, calculus, equations, computation, numbers" in repr(found)
    assert found.to_dict()["table"][0]["word"] == "math"
    assert "<table" in found._repr_html_()
    assert len(found.to_frame()) == found.lists["words"].sum()
