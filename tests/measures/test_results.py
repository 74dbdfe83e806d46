"""What measures take and refuse, and what they say of it."""

import numpy as np
import pandas as pd
import pytest
from planted import planted_embedding

import bayesbias as bb
from bayesbias.errors import ArgumentError, DistancesError, MissingWordsWarning, WordListError
from bayesbias.measures import (
    MEASURES,
    all_measures,
    direct_bias,
    ect,
    mac,
    ripa,
    rnd,
    rnsb,
    weat,
    wefat,
)

COLUMNS = ["protected_word", "attribute", "attribute_set", "connection", "cosine_distance"]
X, Y, A, B = ["he", "man", "boy"], ["she", "woman"], ["work", "pay"], ["home", "kin", "wed"]
PAIRS = [("she", "he"), ("woman", "man")]


@pytest.fixture(scope="module")
def kv():
    rng = np.random.default_rng(5)
    words = [*X, *Y, *A, *B]
    return bb.load_embedding((words, rng.normal(size=(len(words), 12))))


@pytest.fixture(scope="module")
def table(kv):
    """The distances of the words above, pair by pair."""
    rows = [
        (w, group, a, name, "associated", float(1 - kv.similarity(w, a)))
        for group, words in (("x", X), ("y", Y))
        for w in words
        for name, attributes in (("a", A), ("b", B))
        for a in attributes
    ]
    columns = ["protected_word", "group", *COLUMNS[1:]]
    return pd.DataFrame(rows, columns=columns)


def test_weat_by_the_definition(kv):
    result = weat(kv, X, Y, A, B)
    to = lambda w, words: np.mean([kv.similarity(w, a) for a in words])  # noqa: E731
    s = {w: to(w, A) - to(w, B) for w in [*X, *Y]}
    assert dict(result.by_word) == pytest.approx(s, abs=1e-6)
    x, y = [s[w] for w in X], [s[w] for w in Y]
    difference = np.mean(x) - np.mean(y)
    assert result.details["statistic"] == pytest.approx(sum(x) - sum(y), abs=1e-6)
    assert result.details["mean_difference"] == pytest.approx(difference, abs=1e-6)
    assert result.value == pytest.approx(difference / np.std(x + y, ddof=1), abs=1e-5)
    assert result.details["permutation"].n_possible == 10


def test_distances_are_enough_for_some_measures(kv, table):
    assert weat(table, X, Y, A, B).value == pytest.approx(weat(kv, X, Y, A, B).value, abs=1e-6)
    expected = pytest.approx(dict(wefat(kv, X, A, B).by_word), abs=1e-5)
    assert dict(wefat(table, X, A, B).by_word) == expected
    sets = {"a": A, "b": B}
    whole, chosen, of_vectors = mac(table), mac(table, [*X, *Y], sets), mac(kv, [*X, *Y], sets)
    assert whole.value == pytest.approx(chosen.value)
    assert whole.details["s"].keys() == chosen.details["s"].keys()
    assert whole.value == pytest.approx(of_vectors.value, abs=1e-6)
    assert whole.by_word["he"] == pytest.approx(of_vectors.by_word["he"], abs=1e-6)
    with pytest.raises(ArgumentError, match="give gensim KeyedVectors"):
        rnd(table, X, Y, A)


def test_a_frame_with_a_hole_or_a_contradiction_is_refused(table):
    """MAC of a whole frame, which averages, does without single pairs."""
    less = table.iloc[1:]
    with pytest.raises(DistancesError, match="no distance for 'he' and 'work'"):
        weat(less, X, Y, A, B)
    rows = all_measures(less, names=["MAC", "WEAT"]).set_index("measure")
    assert rows.loc["MAC", "value"] == mac(less).value != mac(table).value
    assert "no distance for 'he' and 'work'" in rows.loc["WEAT", "skipped"]
    again = pd.concat([table, table.iloc[:1]], ignore_index=True)
    assert weat(again, X, Y, A, B).value == weat(table, X, Y, A, B).value
    again.loc[len(again) - 1, "cosine_distance"] += 0.1
    with pytest.raises(DistancesError, match="pair 'he' – 'work' has different distances"):
        weat(again, X, Y, A, B)


def test_missing_words_are_dropped_and_listed(kv):
    with pytest.warns(MissingWordsWarning, match=r"'Ann' \(Y\), 'zeal' \(B\)"):
        result = weat(kv, X, [*Y, "Ann"], A, [*B, "zeal"])
    assert result.words["Y"] == tuple(Y)
    assert [(d.word, d.role) for d in result.dropped] == [("Ann", "Y"), ("zeal", "B")]
    assert result.value == weat(kv, X, Y, A, B).value
    assert "2 dropped: Ann (Y), zeal (B)" in repr(result)


def test_a_pair_with_a_missing_word_is_dropped_as_a_pair(kv):
    more = [*PAIRS, ("queen", "boy")]
    for measure in (ripa, direct_bias):
        with pytest.warns(MissingWordsWarning, match="queen–boy"):
            result = measure(kv, A, more)
        assert result.words["pairs"] == ("she–he", "woman–man")
        assert result.dropped[0].reason == "'queen' not in the vectors"
        assert result.value == measure(kv, A, PAIRS).value


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda kv: weat(kv, "he", Y, A, B), "X: give a list of words"),
        (lambda kv: weat(kv, [], Y, A, B), "X: is empty"),
        (lambda kv: weat(kv, ["Ann"], Y, A, B), "X: none of its words is in the vectors"),
        (lambda kv: weat(kv, [*X, "he"], Y, A, B), "X: 'he' is named twice"),
        (lambda kv: weat(kv, X, [*Y, "he"], A, B), "'he' is in X and in Y"),
        (lambda kv: weat(kv, X, Y, [*A, "she"], B), "'she' is in Y and in A"),
        (lambda kv: weat({}, X, Y, A, B), "not dict"),
        (lambda kv: mac(kv), "needs targets and attribute_sets"),
        (lambda kv: mac(kv, X), "both"),
        (lambda kv: mac(kv, X, {"targets": A}), "choose another"),
        (lambda kv: ripa(kv, A, [("she", "he", "it")]), r"is not a pair; write \('she', 'he'\)"),
        (lambda kv: ripa(kv, A, []), "none given"),
        (lambda kv: ripa(kv, A, [("he", "he")]), "the same"),
        (lambda kv: ripa(kv, A, [("", "he")]), "is not a pair"),
        (lambda kv: ripa(kv, A, [*PAIRS, ("he", "she")]), "he–she is named twice"),
        (lambda kv: direct_bias(kv, A, PAIRS, strictness=-1), "strictness=-1"),
        (lambda kv: rnd(kv, X, Y, A, kind="cosine"), "did you mean 'cos'"),
        (lambda kv: ect(kv, X, Y, ["pay"]), "at least two"),
        (lambda kv: all_measures(kv, "gender", names=["WEET"]), "'WEET'; did you mean 'WEAT'"),
        (lambda kv: all_measures(kv), "measures of vectors need a word list"),
    ],
)
def test_what_cannot_be_measured_is_refused(kv, call, match):
    with pytest.raises((ArgumentError, WordListError), match=match):
        call(kv)


def test_attribute_sets_of_mac_may_share_words(kv):
    s = mac(kv, X, {"a": A, "all": [*A, *B]}).details["s"]["he"]
    for name, words in (("a", A), ("all", [*A, *B])):
        mean = np.mean([1 - kv.similarity("he", a) for a in words])
        assert s[name] == pytest.approx(mean, abs=1e-6)


def test_mac_of_a_frame_counts_every_copy(table):
    """The first copy's distances were taken for all of them."""
    second = table.assign(cosine_distance=table["cosine_distance"] + 0.2)
    for column in ("layer", "context"):
        both = pd.concat([table.assign(**{column: 1}), second.assign(**{column: 2})])
        assert mac(both).value == pytest.approx(mac(table).value + 0.1)
        assert mac(both).by_word["he"] == pytest.approx(mac(table).by_word["he"] + 0.1)


def test_projections_by_hand():
    vectors = {"she": [3.0, 1.0], "he": [-1.0, 1.0], "nurse": [6.0, 8.0], "smith": [-4.0, 3.0]}
    kv, pair, words = bb.load_embedding(vectors), [PAIRS[0]], ["nurse", "smith"]
    # b = (1, 0); RIPA keeps lengths, direct bias takes cosines.
    assert ripa(kv, words, pair).by_word == pytest.approx({"nurse": 6, "smith": -4})
    assert ripa(kv, words, pair).value == pytest.approx(1.0)
    plain = direct_bias(kv, words, pair, normalise=False)
    assert plain.by_word == pytest.approx({"nurse": 0.6, "smith": -0.8})
    assert plain.value == pytest.approx(0.7)
    squared = direct_bias(kv, words, pair, normalise=False, strictness=2)
    assert squared.value == pytest.approx(0.5)
    assert plain.details["explained_variance"] == pytest.approx((1.0, 0.0))
    # At unit length: (3, 1)/√10 and (−1, 1)/√2.
    scaled = direct_bias(kv, ["nurse"], pair)
    g = np.array([3.0, 1.0]) / np.sqrt(10) - np.array([-1.0, 1.0]) / np.sqrt(2)
    assert scaled.details["direction"] == pytest.approx(g / np.linalg.norm(g))
    assert direct_bias(kv, words, pair, strictness=0).value == 1.0


def test_rnd_and_ect_by_hand():
    attributes = {"a": [1.0, 0.0], "b": [0.0, 1.0], "c": [1.0, 1.1]}
    kv = bb.load_embedding({"he": [2.0, 0.0], "man": [0.0, 0.001], "she": [0.0, 2.0], **attributes})
    result = rnd(kv, ["he"], ["she"], ["a", "b"])
    assert result.by_word == pytest.approx({"a": 1 - np.sqrt(5), "b": np.sqrt(5) - 1})
    assert result.value == pytest.approx(0.0)
    total = rnd(kv, ["he"], ["she"], ["a", "c"]).details["sum"]
    assert total == pytest.approx(1 - np.sqrt(5) + np.sqrt(2.21) - np.sqrt(1.81))
    assert rnd(kv, ["he"], ["she"], ["a"], kind="cos").value == pytest.approx(1.0)
    # At unit length `man` counts as much as `he`, so the mean is (.5, .5).
    scaled = rnd(kv, ["he", "man"], ["she"], ["a"], kind="cos", normalise=True)
    assert scaled.value == pytest.approx(np.sqrt(0.5))
    # he ranks a, c, b; she ranks b, c, a.
    assert ect(kv, ["he"], ["she"], list(attributes)).value == pytest.approx(-1.0)


def test_all_measures_of_a_list_and_why_others_are_skipped():
    gender = bb.load_wordlist("gender")
    kv = planted_embedding(gender, similarity=0.3, seed=3)
    rows = all_measures(kv, gender, seed=1)
    names = [*MEASURES][:5] + ["RND"] * 2 + ["ECT"] * 2 + ["RNSB", "neighbour bias"]
    assert rows["measure"].tolist() == names
    assert rows["skipped"].tolist()[:-1] == [""] * 10
    assert "needs a vocabulary of at least 500 words" in rows["skipped"].iloc[-1]
    assert rows.loc[0, "applies_to"] == "man, woman, man_stereotype, woman_stereotype"
    assert rows.loc[0, "p_value"] < 0.01  # the association was planted
    assert rows["value"][2] == pytest.approx(mac(bb.distances(kv, gender)).value)


THREE = {
    "groups": {"p": ["p1", "p2"], "q": ["q1", "q2"], "r": ["r1", "r2"]},
    "associated": {"p": ["m"], "q": ["n"], "r": ["n"]},
    "attributes": {"m": ["m1", "m2", "m3"], "n": ["n1", "n2", "n3"]},
    "matched": [["p1", "q1", "r1"], ["p2", "q2", "r2"]],
}


def test_three_groups_and_two_lists_have_every_measure():
    """As wefe's subqueries: two groups of three, one list of two or both."""
    rng = np.random.default_rng(8)
    groups, (m, n) = THREE["groups"], THREE["attributes"].values()
    words = [*(w for members in groups.values() for w in members), *m, *n]
    kv = bb.load_embedding((words, rng.normal(size=(len(words), 8))))
    table = all_measures(kv, bb.load_wordlist(THREE), names=[*MEASURES][:-1], seed=1)
    assert (table["skipped"] == "").all()
    counts = {"WEAT": 3, "WEFAT": 1, "MAC": 1, "direct bias": 3, "RIPA": 3, "RND": 6, "ECT": 6}
    assert table["measure"].value_counts().to_dict() == {**counts, "RNSB": 1}
    value = table.set_index(["measure", "applies_to"])["value"]
    p, q, r = groups.values()
    assert value["WEAT", "p, r, m, n"] == weat(kv, p, r, m, n).value
    assert value["RND", "q, r, n"] == rnd(kv, q, r, n, draws=100).value
    assert value["ECT", "p, q, m"] == ect(kv, p, q, m, draws=100).value
    assert value["RIPA", "q, r"] == ripa(kv, [*m, *n], [*zip(q, r, strict=True)]).value
    assert value["direct bias", "p, q"] == direct_bias(kv, m + n, [*zip(p, q, strict=True)]).value
    assert value["RNSB", "m, n"] == rnsb(kv, groups, m, n, draws=100).value
    assert value["MAC", ""] == mac(kv, p + q + r, {"m": m, "n": n}).value
    # q and r own the same list, so that no direction is expected.
    methods = table[:3].set_index("applies_to")["p_method"]
    assert methods["q, r, m, n"].endswith("two-sided")
    assert methods[["p, q, m, n", "p, r, m, n"]].str.endswith("one-sided: greater").all()


def test_a_frame_has_groups_and_sets_of_its_own(kv, table):
    """Vectors with a list and a frame find the same X, Y, A and B."""
    own = {"x": "a", "y": "b"}
    associated = table["group"].map(own) == table["attribute_set"]
    table = table.assign(connection=np.where(associated, "associated", "different"))
    rows = all_measures(table, seed=1).set_index("measure")
    assert rows.loc["WEAT", "value"] == pytest.approx(weat(kv, X, Y, A, B).value, abs=1e-5)
    assert rows.loc["WEAT", "applies_to"] == "x, y, a, b"
    assert rows.loc["MAC", "value"] == pytest.approx(mac(table).value)
    assert "give gensim KeyedVectors" in rows.loc["RNSB", "skipped"]
    assert "the frame has no matched sets" in rows.loc["RIPA", "skipped"]
    only = all_measures(table.assign(group="x"), names=["WEAT", "RND"])
    assert only["skipped"].tolist() == ["needs two groups or more; the frame has 1"] * 2


def test_all_measures_warn_once_and_keep_going():
    wl = bb.load_wordlist("weat7")
    kv = planted_embedding(wl, similarity=0.3, seed=3)
    absent = [*wl.groups[0].words, "poetry"]
    words = [w for w in kv.index_to_key if w not in absent]
    with pytest.warns(MissingWordsWarning) as caught:
        results = all_measures(bb.load_embedding((words, kv[words])), wl)
    assert len(caught) == 1
    rows = results.set_index("measure")
    assert "X: none of its words" in rows.loc["WEAT", "skipped"]
    assert rows.loc["MAC", "dropped"] == ", ".join(f"{w} (targets)" for w in absent)


def test_mac_by_hand():
    rows = [
        *[("he", "saw", "tools", "associated", 0.2), ("he", "axe", "tools", "associated", 0.4)],
        *[("he", "oven", "home", "different", 1.2), ("she", "saw", "tools", "different", 0.8)],
        *[("she", "axe", "tools", "different", 1.0), ("she", "oven", "home", "associated", 0.1)],
        ("she", "walk", "human", "human", 2.0),
    ]
    frame = pd.DataFrame(rows, columns=COLUMNS)
    # Means per word and set: .3, 1.2, .9, .1; sets count alike whatever their size.
    assert mac(frame).value == pytest.approx(2.5 / 4)
    assert mac(pd.concat([frame, frame])).value == pytest.approx(2.5 / 4)
    with pytest.raises(DistancesError, match="only control words"):
        mac(frame.tail(1))
