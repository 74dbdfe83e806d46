"""What measures take and refuse, and what they say of it."""

import copy
import json
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayesbias as bb
from bayesbias.errors import ArgumentError, DistancesError, MissingWordsWarning, WordListError
from bayesbias.measures import (
    MEASURES,
    all_measures,
    direct_bias,
    ect,
    mac,
    mac_change,
    mean_average_distance,
    paired_test,
    results_frame,
    ripa,
    rnd,
    shares_within,
    weat,
    wefat,
    welch_test,
)
from bayesbias.simulate import planted_embedding

X, Y, A, B = ["he", "man", "boy"], ["she", "woman"], ["work", "pay"], ["home", "kin", "wed"]
PAIRS = [bb.pairs.WordPair("she", "he"), bb.pairs.WordPair("woman", "man")]


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
    assert result.statistic == pytest.approx(sum(x) - sum(y), abs=1e-6)
    assert result.mean_difference == pytest.approx(np.mean(x) - np.mean(y), abs=1e-6)
    assert result.effect_size == result.value
    expected = (np.mean(x) - np.mean(y)) / np.std(x + y, ddof=1)
    assert result.effect_size == pytest.approx(expected, abs=1e-5)
    assert result.details["permutation"].n_possible == 10


@pytest.mark.parametrize("prob", [0.95, 0.5])
def test_the_raw_tests_stand_beside_the_permutation_test(kv, prob):
    tests = weat(kv, X, Y, A, B, prob=prob).raw_tests
    raw = [[kv.similarity(w, b) for w in words for b in B] for words in (X, Y)]
    known = stats.ttest_ind(*raw, equal_var=False)
    assert tests["B"].p_value == pytest.approx(known.pvalue, abs=1e-5)
    interval = known.confidence_interval(prob)
    assert (tests["B"].low, tests["B"].high) == pytest.approx(tuple(interval), abs=1e-6)
    assert tests["B"].prob == prob
    assert weat(kv, ["he"], ["she"], ["work"], B).raw_tests["A"] is None


def test_t_tests_are_those_of_scipy():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=9), rng.normal(size=9) * 3
    for ours, theirs in (
        (welch_test(x, y, prob=0.9), stats.ttest_ind(x, y, equal_var=False)),
        (paired_test(x, y, prob=0.9), stats.ttest_rel(x, y)),
    ):
        assert (ours.t, ours.p_value, ours.df) == pytest.approx(
            (theirs.statistic, theirs.pvalue, theirs.df)
        )
        assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval(0.9)))
    assert "90% confidence interval" in repr(ours)
    assert "97.5% confidence interval" in repr(welch_test(x, y, prob=0.975))


def test_distances_are_enough_for_some_measures(kv, table):
    assert weat(table, X, Y, A, B).value == pytest.approx(weat(kv, X, Y, A, B).value, abs=1e-6)
    one, two = wefat(table, X, A, B), wefat(kv, X, A, B)
    assert dict(one.by_word) == pytest.approx(dict(two.by_word), abs=1e-5)
    sets = {"a": A, "b": B}
    whole, chosen, of_vectors = mac(table), mac(table, [*X, *Y], sets), mac(kv, [*X, *Y], sets)
    assert whole.value == pytest.approx(chosen.value)
    assert whole.details["s"].keys() == chosen.details["s"].keys()
    assert whole.value == pytest.approx(of_vectors.value, abs=1e-6)
    assert whole.by_word["he"] == pytest.approx(of_vectors.by_word["he"], abs=1e-6)
    for measure, sets in ((rnd, (X, Y, A)), (ect, (X, Y, B)), (ripa, (A, PAIRS))):
        with pytest.raises(ArgumentError, match="needs the vectors themselves"):
            measure(table, *sets)


def test_a_frame_with_a_hole_or_a_contradiction_is_refused(table):
    """MAC of a whole frame, which averages, does without single pairs."""
    less = table.iloc[1:]
    with pytest.raises(DistancesError, match="no distance for 'he' and 'work'"):
        weat(less, X, Y, A, B)
    found, skipped = all_measures(less, names=["MAC", "WEAT"])
    assert found.value == mac(less).value != mac(table).value
    assert skipped.skipped
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
    more = [*PAIRS, bb.pairs.WordPair("queen", "boy")]
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
        (lambda kv: weat(kv, X, Y, A, [*B, "pay"]), "'pay' is in A and in B"),
        (lambda kv: weat(kv, X, Y, [*A, "she"], B), "'she' is in Y and in A"),
        (lambda kv: weat(kv, X, Y, A, B, ddof=3), "ddof=3"),
        (lambda kv: weat(kv, X, Y, A, B, prob=2), "prob=2"),
        (lambda kv: weat(kv, X, Y, A, B, seed=-1), "seed=-1"),
        (lambda kv: weat({}, X, Y, A, B), "not dict"),
        (lambda kv: mac(kv), "needs targets and attribute_sets"),
        (lambda kv: mac(kv, X), "both"),
        (lambda kv: mac(kv, X, {"targets": A}), "choose another"),
        (lambda kv: mac(kv, X, {"a": [*A, "he"]}), "'he' is in targets and in a"),
        (lambda kv: mac_change(mac(kv, X, {"a": A}), weat(kv, X, Y, A, B)), "after: is not"),
        (lambda kv: mac_change(*[mac(kv, ["he"], {"a": A})] * 2), "share 1 pairs"),
        (lambda kv: ripa(kv, A, [("she", "he")]), r"not a pair; write bb.pairs.WordPair"),
        (lambda kv: ripa(kv, A, []), "none given"),
        (lambda kv: ripa(kv, A, [*PAIRS, bb.pairs.WordPair("he", "she")]), "he–she is named twice"),
        (lambda kv: direct_bias(kv, A, PAIRS, strictness=-1), "strictness=-1"),
        (lambda kv: rnd(kv, X, Y, A, kind="cosine"), "did you mean 'cos'"),
        (lambda kv: ect(kv, X, Y, ["pay"]), "at least two"),
        (lambda kv: welch_test([1.0], [1.0, 2.0]), "at least two"),
        (lambda kv: welch_test([1.0, 1.0], [2.0, 2.0]), "do not vary"),
        (lambda kv: welch_test([1.0, 2.0], [2.0, 3.0], prob=1.0), "prob=1.0"),
        (lambda kv: paired_test([1.0, 2.0], [1.0, 2.0, 3.0]), "one length"),
    ],
)
def test_what_cannot_be_measured_is_refused(kv, call, match):
    with pytest.raises(ArgumentError, match=match):
        call(kv)


def test_attribute_sets_of_mac_may_share_words(kv):
    s = mac(kv, X, {"a": A, "all": [*A, *B]}).details["s"]["he"]
    for name, words in (("a", A), ("all", [*A, *B])):
        mean = np.mean([1 - kv.similarity("he", a) for a in words])
        assert s[name] == pytest.approx(mean, abs=1e-6)


def test_mac_of_a_frame_lists_the_missing_words_that_it_would_have_used():
    wl = bb.load_wordlist("gender")
    kv = planted_embedding(wl, similarity=0.3, seed=3).vectors
    without = {"uncle", "nurse", next(s for s in wl.attribute_sets if s.kind == "neutral").words[0]}
    words = [w for w in kv.index_to_key if w not in without]
    with pytest.warns(MissingWordsWarning, match="3 of"):
        frame = bb.distances(bb.load_embedding((words, kv[words])), wl)
    dropped = {(d.word, d.role) for d in mac(frame).dropped}
    assert dropped == {("uncle", "man"), ("nurse", "woman_stereotype")}


def test_mac_of_a_frame_counts_every_run_and_context(table):
    """The first run's distances were taken for all of them."""
    second = table.assign(cosine_distance=table["cosine_distance"] + 0.2)
    for column in ("run", "context"):
        both = pd.concat([table.assign(**{column: 1}), second.assign(**{column: 2})])
        found = mac(both)
        assert found.value == pytest.approx(mac(table).value + 0.1)
        assert found.by_word["he"] == pytest.approx(mac(table).by_word["he"] + 0.1)


def test_mac_change_is_the_paired_test_and_drops_what_is_not_in_both(kv):
    rng = np.random.default_rng(6)
    other = bb.load_embedding((kv.index_to_key, kv.vectors + rng.normal(size=kv.vectors.shape)))
    before, after = (mac(v, X, {"a": A, "b": B}) for v in (kv, other))
    change = mac_change(before, after, prob=0.8)
    old, new = (
        [v for row in r.details["s"].values() for v in row.values()] for r in (before, after)
    )
    known = stats.ttest_rel(new, old)
    assert change.value == pytest.approx(after.value - before.value)
    assert change.p_value == pytest.approx(known.pvalue)
    assert change.details["test"].prob == 0.8
    with pytest.warns(MissingWordsWarning, match="boy, a"):
        fewer = mac_change(before, mac(other, X[:2], {"a": A, "b": B}))
    assert [d.word for d in fewer.dropped] == ["boy, a", "boy, b"]


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


def test_results_are_plain_data_and_can_be_copied():
    wl = bb.load_wordlist("weat1")
    kv = planted_embedding(wl, similarity=0.05, seed=2).vectors
    one = weat(kv, *sets_of(wl), draws=200, seed=7)
    plain = json.loads(json.dumps(one.to_dict()))
    assert plain["details"]["permutation"]["n_partitions"] == 200
    assert plain["details"]["raw_tests"]["A"]["kind"] == "Welch"
    assert copy.deepcopy(one) == pickle.loads(pickle.dumps(one)) == one


def sets_of(wordlist):
    """X, Y, A and B of a list of two groups."""
    sets = (s.words for s in wordlist.attribute_sets[:2])
    return [*(g.words for g in wordlist.groups), *sets]


def test_all_measures_of_a_list_and_why_others_are_skipped():
    gender = bb.load_wordlist("gender")
    kv = planted_embedding(gender, similarity=0.3, seed=3).vectors
    results = all_measures(kv, gender, seed=1)
    once = [name for name in MEASURES if name not in ("RND", "ECT")]
    assert [r.measure for r in results] == [*once[:5], *["RND"] * 2, *["ECT"] * 2, *once[5:]]
    skipped = {r.measure: r.skipped for r in results if r.skipped}
    assert set(skipped) == {"neighbour bias", "cluster bias", "SemBias", "CEAT"}
    assert "needs a vocabulary of at least 500 words" in skipped["neighbour bias"]
    assert skipped["neighbour bias"].endswith("; take vectors of more words")  # k= is not given
    assert "load more" not in skipped["neighbour bias"]  # nothing here could be loaded
    assert "takes effect sizes and their variances" in skipped["CEAT"]
    weats = results[0]
    assert weats.value == weat(kv, *sets_of(gender)).value
    names = ("man", "woman", "man_stereotype", "woman_stereotype")
    assert weats.details["names"] == dict(zip("XYAB", names, strict=True))
    assert weats.p_value < 0.01  # the association was planted
    assert results[2].value == pytest.approx(mac(bb.distances(kv, gender)).value)


def test_a_list_of_three_groups_allows_two_measures():
    religion = bb.load_wordlist("religion")
    results = all_measures(planted_embedding(religion, similarity=0.3, seed=3).vectors, religion)
    table = results_frame(results).set_index("measure")
    assert table.index[table["skipped"] == ""].tolist() == ["MAC", "SAME"]
    assert table["value"].notna().sum() == 2
    assert "3 groups and 3 sets" in table.loc["WEAT", "skipped"]
    assert "two words" in table.loc["RIPA", "skipped"]
    assert "needs two groups" in table.loc["ECT", "skipped"]


def test_a_frame_has_groups_and_sets_of_its_own(kv, table):
    """Vectors with a list and a frame find the same X, Y, A and B."""
    own = {"x": "a", "y": "b"}
    associated = table["group"].map(own) == table["attribute_set"]
    table = table.assign(connection=np.where(associated, "associated", "different"))
    results = {r.measure: r for r in all_measures(table, seed=1)}
    assert results["WEAT"].value == pytest.approx(weat(kv, X, Y, A, B).value, abs=1e-5)
    assert results["WEAT"].details["names"] == {"X": "x", "Y": "y", "A": "a", "B": "b"}
    assert results["MAC"].value == pytest.approx(mac(table).value)
    assert "needs the vectors themselves" in results["SAME"].skipped
    assert "the frame has no defining sets" in results["RIPA"].skipped
    third = all_measures(table.assign(group=table["protected_word"]), names=["WEAT"])
    assert [r.measure for r in third] == ["WEAT"]
    assert "the frame has 5 groups and 2 sets" in third[0].skipped


def test_all_measures_of_what_is_not_there(kv):
    with pytest.raises(ArgumentError, match="no measure 'WEET'; did you mean 'WEAT'"):
        all_measures(kv, "gender", names=["WEET"])
    with pytest.raises(ArgumentError, match="measures of vectors need a word list"):
        all_measures(kv)


def test_all_measures_warn_once_and_keep_going():
    wl = bb.load_wordlist("weat7")
    kv = planted_embedding(wl, similarity=0.3, seed=3).vectors
    lacking = [w for w in kv.index_to_key if w not in wl.groups[0].words and w != "poetry"]
    with pytest.warns(MissingWordsWarning) as caught:
        results = all_measures(bb.load_embedding((lacking, kv[lacking])), wl)
    assert len(caught) == 1
    by_name = {r.measure: r for r in results}
    assert "X: none of its words" in by_name["WEAT"].skipped
    assert by_name["MAC"].words["targets"] == wl.groups[1].words[1:]


def test_word_pairs():
    pair = bb.pairs.WordPair("she", "he")
    assert (str(pair), [*pair]) == ("she–he", ["she", "he"])
    assert pair == bb.pairs.WordPair("she", "he") != bb.pairs.WordPair("he", "she")
    for first, second, match in (("he", "he", "the same"), ("", "he", "not empty"), ("he", 3, "3")):
        with pytest.raises(WordListError, match=match):
            bb.pairs.WordPair(first, second)


COLUMNS = ["protected_word", "attribute", "attribute_set", "connection", "cosine_distance"]
ROWS = [
    ("he", "saw", "tools", "associated", 0.2),
    ("he", "axe", "tools", "associated", 0.4),
    ("he", "oven", "home", "different", 1.2),
    ("she", "saw", "tools", "different", 0.8),
    ("she", "axe", "tools", "different", 1.0),
    ("she", "oven", "home", "associated", 0.1),
    ("she", "walk", "human", "human", 2.0),
]


def test_mac_and_shares_by_hand():
    frame = pd.DataFrame(ROWS, columns=COLUMNS)
    # Means per word and set: .3, 1.2, .9, .1; sets count alike whatever their size.
    assert mean_average_distance(frame) == pytest.approx(2.5 / 4)
    assert mean_average_distance(pd.concat([frame, frame])) == pytest.approx(2.5 / 4)
    with pytest.raises(DistancesError, match="only control words"):
        mean_average_distance(frame.tail(1))
    table = shares_within(frame, mac=0.75)
    assert table["connection"].tolist() == ["associated", "different", "human"]
    assert table["n_pairs"].tolist() == [3, 3, 1]
    # |similarity| at most .25: associated .8 .6 .9; different −.2 .2 0; human −1.
    assert table["inside"].tolist() == [0.0, 1.0, 0.0]
    assert table["bound"].iloc[0] == pytest.approx(0.25)


def test_all_measures_show_themselves_and_are_a_sequence(table):
    found = all_measures(table, seed=1)
    assert [r.measure for r in found] == found.table["measure"].tolist()
    assert len(found) == len(found.table) >= len(MEASURES)
    assert found[-1] is [*found][-1]
    assert f"MAC {MEASURES['MAC'].reading}." in repr(found).splitlines()
    assert f"{found.table.set_index('measure').loc['MAC', 'value']:+.4f}" in repr(found)
    assert all(repr(r) in repr(found) for r in found if r.skipped)
    assert "<table" in found._repr_html_()
    chosen = found.to_latex(columns=["value", "measure"]).splitlines()  # as in `to_frame`
    assert chosen[2].startswith("value & measure")
    pd.testing.assert_frame_equal(found.to_frame(), results_frame(found))
    json.dumps(found.to_dict(), allow_nan=False)
