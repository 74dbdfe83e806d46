"""Measures against published values and against what other packages computed."""

import json
import re
from collections import Counter

import numpy as np
import pytest
from scipy import stats

import bayesbias as bb
from bayesbias.measures import direct_bias, ect, mac, neighbour_bias, ripa, rnd, rnsb, weat, wefat

WEATS = [f"WEAT{i}" for i in range(1, 11)]


@pytest.fixture(scope="module")
def glove(data):
    return bb.load_embedding(data / "oracles" / "cbn" / "cbn_glove840B_items.txt")


@pytest.fixture(scope="module")
def caliskan(data):
    return loaded(data, "cbn/expected")


@pytest.fixture(scope="module")
def google(data):
    return bb.load_embedding(data / "embeddings" / "googlenews-16k-300d.bin", limit=13_013)


def loaded(data, name):
    return json.loads((data / "oracles" / f"{name}.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def wefe(data):
    return loaded(data, "wefe_expected")


@pytest.fixture(scope="module")
def lists(data):
    """The words of debiaswe, and its defining pairs."""
    content = loaded(data, "debiaswe_wordlists")
    return content, [tuple(pair) for pair in content["definitional_pairs"]]


@pytest.mark.parametrize("name", WEATS)
def test_the_ten_weats(glove, caliskan, name):
    expected = caliskan[name]
    sets = [expected["sets"][role] for role in "XYAB"]
    result = weat(glove, *sets, seed=1)
    assert result.value == pytest.approx(expected["d_ddof1"], abs=1e-6)
    assert result.value == pytest.approx(expected["cbn_published"]["d"], abs=2e-6)
    assert result.details["statistic"] == pytest.approx(expected["S"], abs=1e-6)
    assert result.details["mean_difference"] == pytest.approx(expected["mean_diff"], abs=1e-6)
    assert weat(glove, *sets, ddof=0, seed=1).value == pytest.approx(expected["d_ddof0"], abs=1e-6)
    test = result.details["permutation"]
    assert test.exact == ("exact" in expected)
    if test.exact:
        exact = expected["exact"]
        assert (test.n_extreme, test.n_partitions) == (exact["count_ge"], exact["n_partitions"])
        assert result.p_value == pytest.approx(exact["p_ge"])
        both = weat(glove, *sets, alternative="two-sided")
        assert both.p_value == pytest.approx(exact["p_two_sided_ge"])
    else:
        assert result.p_value == 1 / 10_001  # no draw was as extreme


def test_wefat_of_androgynous_names(glove, caliskan):
    expected = caliskan["WEFAT2"]
    result = wefat(glove, *(expected["sets"][role] for role in "TAB"))
    assert dict(result.by_word) == pytest.approx(expected["wefat"], abs=1e-6)
    assert result.by_word["Jamie"] == pytest.approx(0.07528516, abs=1e-6)


def results_of(wefe, measure):
    """Yield (query, options, expected result) of one measure."""
    for key, expected in wefe["results"].items():
        name, query, *options = key.split("|")
        if name == measure:
            yield wefe["queries"][query], dict(o.split("=") for o in options), expected


def test_every_result_of_wefe_is_accounted_for(wefe):
    counts = Counter(key.partition("|")[0] for key in wefe["results"])
    assert counts == {"WEAT": 4, "MAC": 5, "RND": 8, "ECT": 4, "RIPA": 4, "RNSB": 4}


@pytest.mark.filterwarnings("ignore::bayesbias.errors.MissingWordsWarning")
def test_rnsb_is_that_of_wefe(google, wefe):
    """wefe stops its solver at a tolerance of 1e-4, and by default learns from 80% of the words."""
    from sklearn.model_selection import train_test_split

    ours = {"True": [], "False": []}
    for query, options, expected in results_of(wefe, "RNSB"):
        held_out = options["holdout"] == "True"
        sets = [[w for w in words if w in google.key_to_index] for words in query["attribute_sets"]]
        if held_out:
            words, labels = [*sets[0], *sets[1]], [1] * len(sets[0]) + [-1] * len(sets[1])
            learned, _, label, _ = train_test_split(
                words, labels, random_state=42, test_size=0.2, stratify=labels
            )
            sets = [[w for w, y in zip(learned, label, strict=True) if y == s] for s in (1, -1)]
        groups = dict(zip(query["target_sets_names"], query["target_sets"], strict=True))
        result = rnsb(google, groups, *sets, draws=100, seed=1)
        assert result.value == pytest.approx(expected["rnsb"], abs=2e-5 if held_out else 3e-7)
        probabilities = expected["negative_sentiment_probabilities"]
        assert dict(result.by_word) == pytest.approx(probabilities, abs=5e-5)
        ours[options["holdout"]].append(result.value)
    assert sorted(ours["False"]) == pytest.approx([0.129308, 0.163153], abs=1e-6)
    assert sorted(ours["True"]) == pytest.approx([0.127625, 0.148940], abs=1e-6)


def test_weat_is_that_of_wefe_at_ddof_0(google, wefe):
    """wefe's result is the statistic, and its effect size divides by the ddof=0 deviation."""
    for query, _, expected in results_of(wefe, "WEAT"):
        result = weat(google, *query["target_sets"], *query["attribute_sets"], ddof=0, seed=1)
        assert result.details["statistic"] == pytest.approx(expected["weat"], abs=1e-6)
        assert result.value == pytest.approx(expected["effect_size"], abs=1e-6)


def test_mac_is_that_of_wefe(google, wefe):
    for query, _, expected in results_of(wefe, "MAC"):
        targets = [word for words in query["target_sets"] for word in words]
        sets = dict(zip(query["attribute_sets_names"], query["attribute_sets"], strict=True))
        result = mac(google, targets, sets)
        assert result.value == pytest.approx(expected["mac"], abs=1e-6)
        rows = {t: row for part in expected["targets_eval"].values() for t, row in part.items()}
        assert set(rows) == set(result.details["s"])
        for target, row in rows.items():
            assert result.details["s"][target] == pytest.approx(row, abs=1e-6)


@pytest.mark.parametrize("measure", [rnd, ect])
def test_rnd_and_ect_are_those_of_wefe(google, wefe, measure):
    name = measure.__name__
    for query, options, expected in results_of(wefe, name.upper()):
        settings = {"normalise": options["normalize"] == "True", "draws": 100}
        if measure is rnd:
            settings["kind"] = options["distance"]
        result = measure(google, *query["target_sets"], *query["attribute_sets"], **settings)
        assert result.value == pytest.approx(expected[name], abs=1e-6)
        if measure is rnd:
            assert dict(result.by_word) == pytest.approx(expected["distance_by_word"], abs=2e-6)
            assert result.details["sum"] == pytest.approx(sum(result.by_word.values()))


def test_ripa_of_each_pair_is_that_of_wefe(google, wefe):
    """wefe averages over directions, one per pair; here all pairs make one direction."""
    unit = google.vectors / np.linalg.norm(google.vectors, axis=1, keepdims=True)
    scaled = bb.load_embedding((google.index_to_key, unit))
    for query, options, expected in results_of(wefe, "RIPA"):
        kv = scaled if options["normalize"] == "True" else google
        (attributes,) = query["attribute_sets"]
        pairs = [(x, y) for x, y in zip(*query["target_sets"], strict=True)]
        each = [ripa(kv, attributes, [pair]).by_word for pair in pairs]
        for word, row in expected["word_values"].items():
            values = [of_pair[word] for of_pair in each]
            assert (np.mean(values), np.std(values)) == pytest.approx(
                (row["mean"], row["std"]), abs=2e-6
            )
        mean = np.mean([value for of_pair in each for value in of_pair.values()])
        assert mean == pytest.approx(expected["ripa"], abs=2e-6)
        assert abs(ripa(kv, attributes, pairs).value - mean) > 1e-3


def test_direct_bias_before_debiasing_is_that_of_debiaswe(google, data, lists):
    expected = loaded(data, "debiaswe_expected")
    words, pairs = lists[0]["professions"], lists[1]
    result = direct_bias(google, words, pairs)
    assert len(result.words["words"]) == 320
    assert not result.dropped
    assert result.value == pytest.approx(expected["direct_bias_c1_before"], abs=1e-7)
    shares = result.details["explained_variance"][:10]
    assert shares == pytest.approx(expected["pca_explained_variance_ratio"], abs=1e-6)
    assert result.details["toward"][:2] == ("woman", "girl")
    assert result.by_word["nurse"] > 0.2 > -0.05 > result.by_word["captain"]
    turned = direct_bias(google, words, [pair[::-1] for pair in pairs])
    assert turned.value == pytest.approx(result.value)
    assert turned.by_word["nurse"] == pytest.approx(-result.by_word["nurse"])


def test_mac_of_published_distances(data):
    before = mac(bb.read_distances(data / "distances" / "religion_group_reddit_dataset.csv"))
    after = mac(bb.read_distances(data / "distances" / "debiased_religion_reddit.csv"))
    assert before.value == pytest.approx(0.8614, abs=5e-5)
    # Manzini et al. print 3.006e-07 for their own run of hard debiasing, .859 to .934.
    s = [[v for row in r.details["s"].values() for v in row.values()] for r in (before, after)]
    assert stats.ttest_rel(*s).pvalue == pytest.approx(2.26e-06, rel=0.01)
    gender = bb.read_distances(data / "distances" / "gender_group_google_dataset.csv")
    assert mac(gender).value == pytest.approx(0.81279056, abs=1e-7)


def test_hard_debiasing_leaves_neighbours(google, lists):
    """Gonen and Goldberg (2019): direct bias goes, the neighbourhoods stay."""
    content, pairs = lists
    specific = set(content["gender_specific"])
    present = [word for word in specific if word in google]
    after = bb.debias.hard(google, matched=pairs, neutralise="all", keep=present).vectors
    frequent = (w for w in google.index_to_key if re.fullmatch("[a-z_]{1,19}", w))
    names = [w for w in frequent if w not in specific]
    words = [w for w in content["professions"] if w in google and w not in specific]
    options = {"before": google, "vocabulary": names, "seed": 1}
    near = [neighbour_bias(kv, words, pairs, **options) for kv in (google, after)]
    assert [result.details["n_vocabulary"] for result in near] == [10_340, 10_340]
    assert [result.value for result in near] == pytest.approx([0.762, 0.511], abs=1e-3)
    assert near[0].interval == pytest.approx((0.713, 0.804), abs=2e-3)
    assert near[1].interval == pytest.approx((0.428, 0.589), abs=2e-3)
