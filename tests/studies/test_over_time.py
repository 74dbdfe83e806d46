"""The same word list at several times."""

import json

import numpy as np
import pandas as pd
import pytest
from alike import list_frame
from samples import in_copies, make_frame

import bayesbias as bb
from bayesbias.errors import ArgumentError, DistancesError, ModelError
from bayesbias.report.several import report_of_comparison
from bayesbias.studies.over_time import line_weights, step_weights

SIZES = {"associated": 6, "different": 6, "human": 5, "neutral": 8}
YEARS = (1900, 1910, 1930, 1940)
FIRST = "associated − different"
FAST = {"model": "change", "level_model": "paper", "seed": 1}
"""Options for what does not hang on the models."""


def at_times(per_year=-0.005, drift=0.0, shift=0.0, seed=1, n_words=6):
    """Distances at four times: associated pairs move, words drift, and times are off the line."""
    rng = np.random.default_rng(seed)
    base = make_frame(n_words=n_words, n_attributes=SIZES, noise_sd=0.05, seed=seed)
    keys = base["protected_word"] + base["connection"]
    of_word = {key: drift * rng.standard_normal() for key in keys.unique()}
    found = {}
    for year in YEARS:
        frame, since = base.copy(), year - 1900
        off = {c: shift * rng.standard_normal() for c in SIZES}
        frame["cosine_distance"] += (
            since * (per_year * (frame["connection"] == "associated") + keys.map(of_word))
            + frame["connection"].map(off)
            + rng.normal(0, 0.005, len(frame))
        )
        found[year] = frame
    return found


def of_all(table, contrast, *index):
    """The rows of a contrast over all groups; of one time or step, the row."""
    rows = table[(table["contrast"] == contrast) & (table["group"] == "all groups")]
    return rows.set_index(list(index)) if index else rows


@pytest.fixture(scope="module")
def found():
    return bb.over_time(at_times(), rope=0.01, **FAST)


def test_weights_of_a_line_and_of_steps():
    weights = line_weights(YEARS)
    assert weights.sum() == pytest.approx(0.0)
    assert weights @ np.array([3.0, 3.5, 4.5, 5.0]) == pytest.approx(2.0)  # a line of .05 a year
    curve = np.array([1.0, 4.0, 2.0, 2.0])
    assert weights @ curve == pytest.approx(40 * np.polyfit(YEARS, curve, 1)[0])
    assert step_weights(4, 1).tolist() == [0.0, -1.0, 1.0, 0.0]


def test_a_planted_trend_is_found(found):
    row, rest = (of_all(found.trend, name).iloc[0] for name in (FIRST, "human − neutral"))
    assert row["low"] < -0.2 < row["high"]
    assert row["verdict"] == "closer"
    assert row["listed"] == pytest.approx(-0.2, abs=0.01)
    assert row["mean"] == pytest.approx(row["listed"], abs=0.01)
    assert rest["low"] < 0 < rest["high"]
    assert found.to_frame().equals(found.trend)


def test_steps_and_levels(found):
    steps, years = of_all(found.steps, FIRST), list(map(str, YEARS))
    assert steps["from"].tolist() == years[:-1]
    assert steps["to"].tolist() == years[1:]
    assert np.allclose(steps["mean"], [-0.05, -0.1, -0.05], atol=0.015)
    levels = found.levels.set_index(["time", "group", "contrast"])
    alone = bb.fit(at_times()[1910], model="paper", seed=2).contrasts("group", rope=0.01).table
    alone = alone.set_index(["group", "contrast"])
    for group in ("group0", "group1"):
        one, other = levels.loc[("1910", group, FIRST)], alone.loc[(group, FIRST)]
        assert one["mean"] == pytest.approx(other["mean"], abs=0.003)
    assert len(found.levels) == 4 * 3 * 4
    printed = repr(found)
    assert "4 times, 1900 to 1940, on the 150 pairs that all have" in printed
    assert "a step cannot be distinguished from retraining" in printed
    json.dumps(found.to_dict(), allow_nan=False)


def test_groups_on_each_list_at_each_time_are_those_of_its_own_fit():
    """By list, between groups; the first and the last time have a sentence."""
    frames = {year: list_frame(n_words=(3, 3), seed=year) for year in YEARS}
    found = bb.over_time(frames, rope=0.01, model="change", seed=1)
    lists = found.lists.set_index(["time", "attribute_set"])
    assert len(lists) == 4 * 2
    alone = bb.fit(frames[1910], seed=2).contrasts("list", rope=0.01).table
    alone = alone[alone["contrast"] == "between groups"].set_index("attribute_set")
    for name, row in alone.iterrows():
        assert lists.loc[("1910", name), "listed"] == pytest.approx(row["listed"], abs=1e-9)
        off = lists.loc[("1910", name), "mean"] - row["mean"]
        assert abs(off) < 0.06 * row["sd"]
    said = [one for one in found.answers if one.startswith("Time ")]
    assert [one.split(":")[0] for one in said] == ['Time "1900"', 'Time "1940"']
    assert "between groups, at each time:" in repr(found)
    json.dumps(found.to_dict(), allow_nan=False)


def test_trends_of_single_words_and_times_off_the_line_widen_the_interval(found):
    """What weights on answers at single times would miss: words drift for decades."""
    tables = [found.trend] + [
        bb.over_time(at_times(**moved), rope=0.01, **FAST).trend
        for moved in ({"drift": 0.001}, {"shift": 0.03})
    ]
    still, drifting, shifted = (of_all(table, FIRST).iloc[0] for table in tables)
    width = still["high"] - still["low"]
    # Each word .001 a year for 40 years, on each of two lists: of six words, .04 √(2/6).
    assert drifting["high"] - drifting["low"] > max(2 * width, 2 * 0.04 * np.sqrt(2 / 6))
    assert shifted["off_the_line"] > 4 * still["off_the_line"]
    assert shifted["high"] - shifted["low"] > 2 * width
    assert np.isinf(still["sd"])  # a Student-t of two degrees of freedom


def test_times_are_in_standard_deviations_of_their_own():
    """Distances of one time halved around 1 make no step."""
    frames = at_times(per_year=0.0)
    for year in (1930, 1940):
        frames[year]["cosine_distance"] = 1 + 0.5 * (frames[year]["cosine_distance"] - 1)
    in_sds, raw = (
        of_all(bb.over_time(frames, rope=rope, **FAST).steps, "associated − neutral", "to")
        for rope in (None, 0.01)
    )
    assert abs(in_sds.loc["1930", "standardised"]) < 0.1
    row = raw.loc["1930"]
    assert in_sds.loc["1930", "listed"] == row["listed"] > 0.05
    assert row["mean"] == pytest.approx(row["listed"], abs=0.01)


def test_a_frame_with_a_column_of_times_is_as_several_frames():
    """And words that a time lacks are left out."""
    frames = at_times()
    frames[1910] = frames[1910][frames[1910]["attribute"] != "neutral3"]
    parts = [frame.assign(decade=year) for year, frame in frames.items()]
    one = bb.over_time(pd.concat(parts, ignore_index=True), by="decade", **FAST)
    several = bb.over_time(frames, **FAST)
    assert np.allclose(one.trend["mean"], several.trend["mean"])
    assert one.times == several.times
    assert several.unshared["word"].tolist() == ["neutral3"]
    assert len(several.line.frame) == 150 - 6


@pytest.mark.slow
def test_runs_at_every_time_tell_retraining():
    """Three runs a time, which shift connections: steps are as wide as that says."""
    rng = np.random.default_rng(2)
    frames = at_times(per_year=0.0)
    for year, frame in frames.items():
        runs = in_copies(frame, ["run"])
        cells = runs["run"] + runs["connection"]
        shift = {cell: 0.03 * rng.standard_normal() for cell in cells.unique()}
        frames[year] = runs.assign(cosine_distance=runs["cosine_distance"] + cells.map(shift))
    found = bb.over_time(frames, rope=0.01, model="change", seed=1)
    assert "Steps have the error of retraining" in repr(found)
    alone = [one.contrasts(rope=0.01).table["sd"].iloc[0] for one in found.steps_of.values()]
    assert (of_all(found.steps, FIRST)["sd"].to_numpy() > np.hypot(alone, 0.01)).all()


def test_the_figure_has_a_panel_for_all_groups_and_for_each(found):
    axes = found.plot().axes
    assert [axis.get_title() for axis in axes] == ["all groups", "group0", "group1"]
    rows = found.levels[(found.levels["contrast"] == FIRST) & (found.levels["group"] == "group1")]
    drawn = axes[2].lines[1].get_xydata()
    assert drawn[:, 0].tolist() == list(YEARS)
    assert np.allclose(drawn[:, 1], rows["standardised"])


def test_what_cannot_be_asked_over_time():
    frames = at_times()
    two = {year: frames[year] for year in YEARS[:2]}
    layers = {year: in_copies(frame, ["layer"], 2) for year, frame in frames.items()}
    other = frames[1910].assign(attribute="x" + frames[1910]["attribute"])
    for error, complaint, asked, options in (
        (ArgumentError, "at least 3 times, not 2; for two take compare_change", two, {}),
        (ArgumentError, "are the same", {**two, "1900.0": frames[1930]}, {}),
        (ArgumentError, "name the column of times", frames[1900], {"by": "decade"}),
        (ArgumentError, "goes with one frame", frames, {"by": "decade"}),
        (DistancesError, "every pair several times, by its column 'layer'", layers, {}),
        (ModelError, "explains a distance, not its change", frames, {"model": "maximal"}),
        (DistancesError, "no pair in common", {**frames, 1910: other}, {}),
    ):
        with pytest.raises(error, match=complaint):
            bb.over_time(asked, **options)


@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
def test_a_chance_may_be_known_at_each_time_and_not_of_changes():
    """As where each time has a vocabulary of its own, or the model of changes no similarity."""
    frame, rng = bb.distances(bb.example_embedding(), "weat7"), np.random.default_rng(1)
    times = {}
    for year in YEARS[:3]:
        times[year] = frame.copy()
        times[year]["cosine_distance"] += rng.normal(0, 0.01, len(frame))
    found = bb.over_time(times, model="change", seed=1)
    assert "chance" in found.levels
    assert "chance" not in found.trend
    heads = [line for line in repr(found).splitlines() if "P(< 0)" in line]
    assert ["chance" in head for head in heads] == [True, False, False]
    differ = "Chance: how often groups that are unrelated to these lists differ at least as much"
    for shown in (found, bb.over_time(times, model="change-maximal", seed=1)):
        (tables,) = [one for one in report_of_comparison(shown).sections if one.name == "contrasts"]
        said = "\n".join(part for part in tables.parts if isinstance(part, str))
        for text in (repr(shown), said):
            assert differ in text
            assert ("change at least as much" in text) is ("chance" in shown.trend)
    assert "chance" in shown.trend
