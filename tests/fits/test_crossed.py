"""Crossed groups: by factor, and what a group has beyond its levels."""

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import bayesbias as bb
from bayesbias.errors import FitError, WordListError
from bayesbias.pairs.provenance import with_provenance
from bayesbias.pairs.word_lists import levels_of

FACTORS = {
    "race": {"black": ["bw", "bm"], "white": ["ww", "wm"]},
    "gender": {"women": ["bw", "ww"], "men": ["bm", "wm"]},
}
LEAN = {"bw": -0.10, "bm": -0.04, "ww": -0.02, "wm": 0.03}


def crossed_frame(factors=FACTORS, lean=LEAN, *, lists=("first", "second"), n=4, noise=0.01):
    """Groups that lean to the last list of attributes, by so much."""
    rng = np.random.default_rng(1)
    rows = [
        (f"{g}{w}", g, f"{s}{a}", s, "associated" if s == lists[-1] else "different", noise)
        for g in lean
        for w in range(n)
        for s in lists
        for a in range(5)
    ]
    columns = ["protected_word", "group", "attribute", "attribute_set", "connection"]
    frame = pd.DataFrame(rows, columns=[*columns, "cosine_distance"])
    frame["cosine_distance"] *= rng.standard_normal(len(frame))
    own = frame["attribute_set"] == lists[-1]
    frame["cosine_distance"] += 0.9 + frame["group"].map(lean) * own
    for place, factor in enumerate(factors):
        frame[factor] = [levels_of(factors, g)[place] for g in frame["group"]]
    return with_provenance(frame, source={"factors": factors}, missing=[])


def table_of(fit, **options):
    return fit.contrasts("factor", **options).table.set_index(["factor", "comparison"])


def test_the_pymc_model_has_what_crossed_groups_share():
    frame = crossed_frame()
    made, fitted = bb.models.build_model(frame), bb.fit(frame, seed=1).pymc_model()
    names = {variable.name for variable in made.free_RVs}
    assert names == {variable.name for variable in fitted.free_RVs} >= {"race_attribute_effect"}


@pytest.mark.parametrize("model", ["maximal", "crossed", "paper"])
def test_main_effects_and_the_interaction_are_found(model):
    fit = bb.fit(crossed_frame(), model, seed=1)
    found = table_of(fit, prob=0.99)  # of 21 intervals at 89% two miss
    expected = {
        **{("group", name): value for name, value in LEAN.items()},
        ("race", "black − white"): -0.07 - 0.005,
        ("gender", "women − men"): -0.06 + 0.005,
        ("race × gender", "black women beyond both"): -0.10 + 0.04 + 0.02 + 0.03,
    }
    assert found.index.tolist() == list(expected)
    assert set(found["contrast"]) == {"second − first"}
    for key, value in expected.items():
        row = found.loc[key]
        assert row["listed"] == pytest.approx(value, abs=0.01)
        assert row["mean"] == pytest.approx(row["listed"], abs=0.01)
        assert row["low"] < value < row["high"]
    assert found.loc[("race", "black − white"), "verdict"].startswith("closer")


@pytest.fixture(scope="module")
def fit():
    return bb.fit(crossed_frame(), seed=1)


def test_a_group_is_its_contrast_of_connections(fit):
    """Where a group is associated with the second list, the two questions are one."""
    by_group = fit.contrasts("group").table.set_index("group")
    for name in LEAN:
        row = table_of(fit).loc[("group", name)]
        for column in ("mean", "low", "high", "n_pairs", "listed"):
            assert row[column] == pytest.approx(by_group.loc[name, column], abs=1e-9)


def test_levels_share_what_they_have_with_single_attributes(fit):
    """Two groups of a race are not independent in that: the model says so by factor."""
    names = [term.name for term in fit.spec.terms]
    assert {"race_attribute", "gender_attribute"} <= set(names)
    assert {"race_attribute_sd", "gender_attribute_sd"} <= set(fit.posterior)
    own = bb.load_model("crossed")
    assert bb.fit(crossed_frame(), own, seed=1).spec.terms == own.terms


LIST = """
title = "Crossed"
source = "test"
protected = { bw = ["a"], bm = ["b"], ww = ["c"], wm = ["d"] }
associated = { bw = ["one"], bm = ["one"], ww = ["two"], wm = ["two"] }
attributes = { one = ["x"], two = ["y"] }
[factors]
race = { black = ["bw", "bm"], white = ["ww", "wm"] }
gender = { women = ["bw", "ww"], men = ["bm", "wm"] }
"""


def test_what_is_kept_in_a_file(fit, tmp_path):
    fit.save(tmp_path / "fit.nc")
    again = bb.load_fit(tmp_path / "fit.nc")
    assert again.factors == fit.factors
    pd.testing.assert_frame_equal(again.contrasts("factor").table, fit.contrasts("factor").table)
    content = fit.to_dict()
    json.dumps(content, allow_nan=False)
    assert set(content["contrasts"]) == {"connection", "group", "word", "factor"}


def test_of_three_lists_each_is_compared_with_the_others():
    frame = crossed_frame(lists=("one", "two", "three"))
    found = bb.fit(frame, "crossed", seed=1).contrasts("factor").table
    names = ["one − other lists", "two − other lists", "three − other lists"]
    assert list(dict.fromkeys(found["contrast"])) == names
    race = found[found["factor"] == "race"].set_index("contrast")["listed"]
    assert race["three − other lists"] == pytest.approx(-0.075, abs=0.01)
    assert race["one − other lists"] == pytest.approx(0.075 / 2, abs=0.01)
    assert race.sum() == pytest.approx(0.0, abs=1e-9)


def test_three_factors_and_three_levels():
    """Interactions are of two factors, averaged over the third, and of two levels with two."""
    factors, lean = {"a": {}, "b": {}, "c": {}}, {}
    for a, b, c in product("123", "xy", "pq"):
        for factor, level in zip("abc", (a, b, c), strict=True):
            factors[factor].setdefault(level, []).append(f"{a}{b}{c}")
        lean[f"{a}{b}{c}"] = -0.05 * (a == "1") - 0.08 * (a == "1" and b == "x")
    found = table_of(bb.fit(crossed_frame(factors, lean, n=3), "crossed", seed=1))["listed"]
    assert [c for f, c in found.index if f == "a"] == ["1 − 2", "1 − 3", "2 − 3"]
    assert found[("a", "1 − 2")] == pytest.approx(-0.09, abs=0.01)
    assert found.index.is_unique
    for other in "23":
        beyond = found["a × b", f"1 x beyond both, against {other} y"]
        assert beyond == pytest.approx(-0.08, abs=0.015)
    assert found["a × b", "2 x beyond both, against 3 y"] == pytest.approx(0.0, abs=0.015)
    assert {"a × c", "b × c"} <= set(found.index.get_level_values(0))


def test_the_figure_has_groups_and_factors():
    found = bb.fit(crossed_frame(), "crossed", seed=1).contrasts("factor")
    left, right = found.plot().axes
    assert [t.get_text() for t in left.get_xticklabels()] == ["black", "white"]
    assert len(left.containers) == 2
    labels = [t.get_text() for t in right.get_yticklabels()]
    assert labels[-1].replace("\n", " ") == "race × gender: black women beyond both"
    axis = Figure().subplots()
    assert len(found.plot(ax=axis).axes) == 2


def test_a_caution_names_what_crossed_groups_share():
    said = bb.fit(crossed_frame(), "paper", seed=1).caution
    for factor in FACTORS:
        share = f"groups of one {factor} are close to the same single attributes"
        assert f"{factor}_attribute ({share})" in said


@pytest.mark.parametrize(
    ("factors", "lists", "why"),
    [
        ({}, ["first", "second"], r"not crossed; give the word list \[factors\]"),
        (FACTORS, ["only"], "need two lists"),
        (FACTORS | {"gender": FACTORS["race"]}, ["first", "second"], "none is black and white"),
        (FACTORS | {"gender": {"women": ["bw", "ww"]}}, ["first", "second"], r"\[factors\]"),
    ],
)
def test_groups_that_are_not_crossed_are_refused(factors, lists, why):
    frame = with_provenance(crossed_frame(lists=lists), source={"factors": factors}, missing=[])
    fit = bb.fit(frame, "paper", seed=1)
    with pytest.raises(FitError, match=why):
        fit.contrasts("factor")
    assert "factor" not in fit.contrast_levels


RACE = 'race = { black = ["bw", "bm"], white = ["ww", "wm"] }'
GENDER = '{ women = ["bw", "ww"], men = ["bm", "wm"] }'


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('black = ["bw", "bm"]', 'black = ["bw", "bn"]', "no group 'bn'; Valid: bw, bm"),
        ('["bw", "bm"], white', '["bw"], white', "factors.race: group 'bm' is in no level"),
        ('["ww", "wm"] }\ng', '["ww", "wm", "bm"] }\ng', "group 'bm' is in two levels"),
        (GENDER, "{ women = 3 }", "factors.gender.women"),
        (f"gender = {GENDER}", "", "needs at least two;"),
        ("gender =", "group =", "becomes a column of the frame.* not protected_word, group"),
        ("gender =", "Gender =", "in lower-case letters"),
        ('"ww"], men = ["bm"', '"bm"], men = ["ww"', "black and women: 2 groups; every combin"),
        (RACE, "race = 1", "must be a table of"),
    ],
)
def test_factors_that_are_none(tmp_path, old, new, complaint):
    path = tmp_path / "list.toml"
    assert old in LIST
    path.write_text(LIST.replace(old, new))
    with pytest.raises(WordListError, match=complaint):
        bb.load_wordlist(path)


def test_a_list_with_factors(tmp_path):
    path, loaded = tmp_path / "list.toml", []
    for text in (LIST, LIST[: LIST.index("[factors]")]):
        path.write_text(text)
        loaded.append(bb.load_wordlist(path))
    assert loaded[0].factors["race"]["black"] == ("bw", "bm")
    assert levels_of(loaded[0].factors, "wm") == ("white", "men")
    assert loaded[0].checksum() != loaded[1].checksum()


def test_names_by_race_and_gender(data):
    """Bertrand and Mullainathan (2004): GoogleNews has all 36 names."""
    vectors = bb.load_embedding(data / "embeddings/googlenews-16k-300d.bin", progress=False)
    wordlist = bb.load_wordlist("names")
    table = bb.vocabulary_coverage(vectors, wordlist).table
    assert (table.loc[table["role"] == "protected", "found_as"] != "").sum() == 36
    weat = set(bb.load_wordlist("weat4").protected_words)
    assert set(wordlist.protected_words) - weat == {"Jay", "Kristen", "Tremayne", "Latonya"}
    with pytest.warns(bb.BayesBiasWarning):
        frame = bb.distances(vectors, wordlist)
    assert frame.groupby("group", sort=False)["race"].first()["black_women"] == "black"
    assert (frame.loc[frame["group"] == "reference", "gender"] == "reference").all()
    row = table_of(bb.fit(frame, "paper", seed=1)).loc[("race × gender", "black women beyond both")]
    listed = frame[frame["connection"].isin(["associated", "different"])]
    means = listed.pivot_table("cosine_distance", ["race", "gender"], "attribute_set")
    leans = means["unpleasant"] - means["pleasant"]
    black, white = (leans[race, "women"] - leans[race, "men"] for race in ("black", "white"))
    assert row["listed"] == pytest.approx(black - white)
