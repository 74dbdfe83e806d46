"""The arithmetic of the benchmarks on real lists, on cases that can be worked by hand."""

import numpy as np
import pandas as pd
import pytest
from samples import load_benchmark

import bayesbias as bb
from bayesbias.fits.contrasts import contrast_name
from bayesbias.inference.design import Design
from bayesbias.inference.identifiability import drop_unidentified_terms

STEREOTYPES = contrast_name("associated", "different")

LISTS = {"care": ["nurse"], "work": ["smith", "guard"], "neutral": ["chair", "lamp"]}
WORDS = {"woman": ["she", "her"], "man": ["he", "him"], "reference": ["person"]}
OWN = {"woman": "care", "man": "work"}


def connection(group, name, own=OWN):
    if name == "neutral":
        return "neutral"
    if group == "reference":
        return "reference"
    return "associated" if name in own[group] else "different"


def frame_of(distance, words=WORDS, lists=LISTS, own=OWN):
    """Return the pairs of every group with every list; reference words meet no neutral ones."""
    rows = [
        (word, group, attribute, name, connection(group, name, own), distance(word, attribute))
        for group, members in words.items()
        for word in members
        for name, attributes in lists.items()
        for attribute in attributes
        if (group, name) != ("reference", "neutral")
    ]
    columns = ["protected_word", "group", "attribute", "attribute_set", "connection"]
    return pd.DataFrame(rows, columns=[*columns, "cosine_distance"])


TABLE = pd.DataFrame(
    {
        "nurse": [0.5, 0.7, 0.8, 1.0, 0.7],
        "smith": [0.9, 0.9, 0.6, 0.6, 0.8],
        "guard": [0.7, 1.1, 0.7, 0.9, 0.9],
        "chair": [1.0, 1.0, 1.0, 0.8, np.nan],
        "lamp": [1.0, 1.0, 1.0, 1.0, np.nan],
    },
    index=["she", "her", "he", "him", "person"],
)


def by_hand():
    return frame_of(lambda word, attribute: TABLE.loc[word, attribute])


def asked(table, level, of="", contrast=STEREOTYPES):
    rows = table[(table["level"] == level) & (table["of"] == of) & (table["contrast"] == contrast)]
    return rows["mean"].item()


def test_the_truth_of_a_population_is_its_plain_means():
    """Women are at .6 from care and .9 from work, men at .9 and .7, persons at .7 and .85."""
    lists = load_benchmark("real_lists")
    truth = lists.plain_answers(lists.Pairs.of_frame(by_hand()))
    assert asked(truth, "all") == pytest.approx(((0.6 - 0.9) + (0.7 - 0.9)) / 2)
    neutral = contrast_name("associated", "neutral")
    assert asked(truth, "all", contrast=neutral) == pytest.approx(((0.6 - 1) + (0.7 - 0.95)) / 2)
    assert asked(truth, "list", "care", lists.OWN_OTHERS) == pytest.approx(0.6 - 0.9)
    assert asked(truth, "list", "work", lists.OWN_OTHERS) == pytest.approx(0.7 - 0.9)
    assert asked(truth, "group", "woman") == pytest.approx((0.6 - 0.9) - (0.7 - 0.85))
    assert asked(truth, "group", "man") == pytest.approx((0.7 - 0.9) - (0.85 - 0.7))
    plain = lists.plain_answers(lists.Pairs.of_frame(by_hand()), reference=False)
    assert asked(plain, "group", "man") == pytest.approx(0.7 - 0.9)
    assert "neutral" not in set(truth["of"])


def test_lists_of_one_connection_count_by_their_attributes():
    """Women are at .5 from care, .9 and .7 from work, .2 from tools: .6 from all of men's."""
    lists = load_benchmark("real_lists")
    value = {"nurse": 0.5, "smith": 0.9, "guard": 0.7, "saw": 0.2}
    attributes = {"care": ["nurse"], "work": ["smith", "guard"], "tools": ["saw"]}
    own = {"woman": ["care"], "man": ["work", "tools"]}
    words = {"woman": ["she"], "man": ["he"]}
    frame = frame_of(lambda word, attribute: value[attribute], words, attributes, own)
    truth = lists.plain_answers(lists.Pairs.of_frame(frame))
    assert asked(truth, "group", "woman") == pytest.approx(0.5 - 0.6)
    assert asked(truth, "group", "man") == pytest.approx(0.6 - 0.5)
    assert asked(truth, "list", "tools", lists.OWN_OTHERS) == 0


def test_words_and_attributes_that_count_twice_are_there_twice():
    lists = load_benchmark("real_lists")
    pairs = lists.Pairs.of_frame(by_hand())
    words, attributes = np.array([[2, 0, 1, 1, 1]]), np.array([[1, 0, 2, 1, 1]])
    (cells,) = pairs.cells(words, attributes)
    at = pairs.group_names.index, pairs.list_names.index
    assert cells[at[0]("woman"), at[1]("work")] == pytest.approx(0.7)  # she with guard alone
    assert cells[at[0]("man"), at[1]("care")] == pytest.approx(0.9)
    assert cells[at[0]("reference"), at[1]("neutral")] == 0


def test_what_is_drawn_anew_keeps_the_size_of_every_group():
    lists = load_benchmark("real_lists")
    counts = lists.resampled(np.array([0, 0, 0, 1, 1]), np.random.default_rng(1), 50)
    assert (counts[:, :3].sum(axis=1) == 3).all()
    assert (counts[:, 3:].sum(axis=1) == 2).all()
    assert counts.std() > 0


def test_the_spread_over_words_is_that_of_their_own_contrasts():
    """She has .5 − .8, her .7 − 1; he .65 − .8, him .75 − 1. Each mean has half their variance."""
    lists = load_benchmark("real_lists")
    pairs = lists.Pairs.of_frame(by_hand())
    labels, weights = lists.questions(pairs)
    over_all = (labels["level"] == "all") & (labels["contrast"] == STEREOTYPES)
    spread = pairs.spread_over_words(weights)
    (sd,) = spread[over_all]
    women, men = [-0.3, -0.3], [-0.15, -0.25]
    variance = np.var(women, ddof=1) / 2 + np.var(men, ddof=1) / 2
    assert sd == pytest.approx(np.sqrt(variance) / 2)
    by_group = (labels["level"] == "group") & (labels["of"] == "man")
    assert np.isnan(spread[by_group]).any()  # there is one reference word


@pytest.mark.parametrize("model", ["maximal", "paper"])
def test_weights_by_list_are_own_groups_less_the_others(model):
    """Three groups, two of which a list is a stereotype of; means m and effects δ by hand."""
    lists = load_benchmark("real_lists")
    own = {"woman": ["care"], "nurse": ["care"], "man": ["work"]}
    words = {"woman": ["she", "her"], "nurse": ["nan", "sister"], "man": ["he", "him"]}
    rng = np.random.default_rng(2)
    attributes = {"care": ["a", "b"], "work": ["c", "d"], "neutral": ["e", "f"]}
    frame = frame_of(lambda *_: rng.normal(0.9, 0.05), words, attributes, own)
    spec, _ = drop_unidentified_terms(bb.load_model(model), frame)
    design = Design.from_frame(frame, spec)
    labels, weights = lists.by_list(design)
    assert dict(zip(labels["list"], range(2), strict=True)).keys() == {"care", "work"}
    mean = rng.normal(size=len(design.connections))
    effect = {term.name: rng.normal(size=len(term.labels)) for term in design.terms}
    found = weights.mean @ mean
    found += sum(of @ effect[name][: of.shape[1]] for name, of in weights.effects.items())

    def cell(group, name):
        """Return what the model says of the words of a group with a list, plainly."""
        value = mean[design.connections.index(connection(group, name, own))]
        rows = ((frame["group"] == group) & (frame["attribute_set"] == name)).to_numpy()
        for term in design.terms:
            if {"protected_word", "attribute"} & set(term.columns) and model == "maximal":
                continue  # means of groups are over words and attributes like these
            if "attribute" not in term.columns:
                value += effect[term.name][term.level[rows]].mean()
        return value

    truth = {
        "care": (cell("woman", "care") + cell("nurse", "care")) / 2 - cell("man", "care"),
        "work": cell("man", "work") - (cell("woman", "work") + cell("nurse", "work")) / 2,
    }
    assert found == pytest.approx([truth[name] for name in labels["list"]])
    assert model == "paper" or "group_list" in weights.effects


def test_z_of_a_split_is_the_difference_over_both_errors():
    split = load_benchmark("split_half")
    first = pd.DataFrame(
        {"level": ["all"], "of": "", "contrast": "x", "model": "m", "mean": 0.1, "sd": 0.03}
    )
    second = first.assign(mean=0.2, sd=0.04)
    both = split.predicted(first, second)
    assert both["z"].item() == pytest.approx(2)
    rows = pd.concat([both] * 3).assign(z=[0.5, -1.0, 2.0])
    found = split.summary(rows)
    assert found["rms z"] == pytest.approx(np.sqrt((0.25 + 1 + 4) / 3))
    assert found["89%"] == pytest.approx(200 / 3)  # |z| below 1.598
    assert found["50%"] == pytest.approx(100 / 3)  # below .674
    assert found["mean sd"] == pytest.approx(0.035)


def test_halves_have_no_word_or_attribute_in_common():
    split = load_benchmark("split_half")
    attributes = {"care": [*"abcd"], "work": [*"efghi"], "neutral": [*"jklm"]}
    words = {"woman": ["she", "her", "hers"], "man": ["he", "him"], "reference": ["person", "they"]}
    frame = frame_of(lambda *_: 0.9, words, attributes)
    for seed in range(5):
        first, second = split.halves_of(frame, None, np.random.default_rng(seed))
        for column, least in (("protected_word", 3), ("attribute", 6)):
            one, other = set(first[column]), set(second[column])
            assert not one & other
            assert one | other == set(frame[column])
            assert min(len(one), len(other)) >= least
    clusters = {name: np.arange(len(own)) // 2 for name, own in attributes.items()}
    first, second = split.halves_of(frame, clusters, np.random.default_rng(0))
    assert set(first["protected_word"]) == set(second["protected_word"])
    for pair in ("ab", "cd", "ef", "gh", "jk", "lm"):
        assert len(set(pair) & set(first["attribute"])) in (0, 2)


def test_clusters_are_cut_until_they_can_be_dealt():
    split = load_benchmark("split_half")
    assert split.can_be_dealt(np.array([3, 3, 2]))
    assert not split.can_be_dealt(np.array([9, 1]))
    angles = np.r_[np.linspace(0, 0.07, 8), 1.5, 3.0]  # one heap of eight, and two that are apart
    vectors = np.c_[np.cos(angles), np.sin(angles)]
    found = split.clusters_of(vectors)
    assert split.can_be_dealt(np.bincount(found))
    assert len(np.unique(found)) > split.n_clusters(len(vectors))
    assert not split.are_whole({"one": found})
    assert split.are_whole({"other": np.array([1, 1, 1, 1, 2, 2, 2, 2])})
    share = split.dealt(found, np.random.default_rng(3)).mean()
    assert 0.3 <= share <= 0.7


def test_decisions_count_as_right_by_the_sign_of_the_truth():
    populations = load_benchmark("populations")
    rows = pd.DataFrame(
        {
            "truth": [-0.2, 0.1, -0.1, 0.0],
            "mean": [-0.1, -0.2, -0.1, 0.1],
            "sd": 0.1,
            "low": [-0.15, -0.3, -0.3, -0.1],
            "high": [-0.05, -0.1, 0.1, 0.3],
            "low50": [-0.12, -0.25, -0.15, 0.05],
            "high50": [-0.08, -0.15, 0.0, 0.2],
            "chance": [0.05, 0.5, np.nan, 0.2],
        }
    )
    found = populations.summary(rows)
    assert found["89%"] == 50
    assert found["50%"] == 25
    assert found["right"] == 25
    assert found["wrong"] == 25
    assert found["rms z"] == pytest.approx(np.sqrt((1 + 9 + 0 + 1) / 4))
    assert found["chance < .11"] == pytest.approx(100 / 3)
    assert "chance < .11" not in populations.summary(rows.drop(columns="chance"))


def test_words_of_both_lists_are_in_neither():
    populations = load_benchmark("populations")
    assert populations.apart({"x": ["a", "b", "a"], "y": ["b", "c"]}) == {"x": ("a",), "y": ("c",)}
    vectors = {"Amy": 0, "bob": 0}
    assert populations.spelled(("Amy", "Bob", "bob", "Cem"), vectors) == ("Amy", "bob")
    assert populations.spelled(("Amy",), vectors, frozenset({"Amy"})) == ()


def test_area_and_power_by_hand():
    power = load_benchmark("power")
    random, found = np.array([0.0, 1.0, 2.0, 3.0]), np.array([2.0, 5.0])
    assert power.area(random, found) == pytest.approx((2.5 + 4) / 8)
    assert power.power(random, found, 0.25) == 0.5  # above 2.25
    words = np.array([[1.0, 0.0], [0.0, 1.0]])
    attributes = np.array([[0.0, 1.0], [1.0, 0.0]])
    one, two = power.planted(words, attributes, 1.0, away=False)
    assert one == pytest.approx([0.5**0.5] * 2)
    assert two == pytest.approx([0.5**0.5] * 2)
    one, two = power.planted(words, attributes, 1.0, away=True)  # (1, 0) and (0, 1)
    assert one == pytest.approx([1, 0])
    assert two == pytest.approx([0, 1])
