"""Changes against dense algebra and by hand; what is known without a model; shares of them."""

import numpy as np
import pandas as pd
import pytest
from samples import FEW, make_frame
from scipy import stats

import bayesbias as bb
from bayesbias.comparison.changes import fieller, off_the_line, ranks_of
from bayesbias.comparison.conditions import SharedPairs, line_weights, weights_of
from bayesbias.engine.predictive import thinned
from bayesbias.errors import DistancesError
from bayesbias.fits.contrasts import contrasts_asked
from bayesbias.fits.decision import POINTS
from bayesbias.words.provenance import with_provenance


def two_groups(seed=0, controls=True):
    """Two groups that own a list each, in a frame without vectors."""
    frame = make_frame(n_attributes=FEW, seed=seed)
    own = frame["group"].str[-1].astype(int)
    side = own.where(frame["connection"] == "associated", 1 - own).astype(str)
    is_control = frame["connection"].isin(["human", "neutral"])
    number = frame["attribute"].str[-1]
    frame["attribute"] = frame["attribute"].where(is_control, "s" + side + number)
    frame["attribute_set"] = frame["attribute_set"].where(is_control, "list" + side)
    frame = frame if controls else frame[~is_control].reset_index(drop=True)
    return with_provenance(frame, missing=[], source={})


def moved(frame, connections, seed=9, sd=0.05, shift=0.03):
    """The frame with the distances of some connections moved."""
    frame, rng = frame.copy(), np.random.default_rng(seed)
    at = frame["connection"].isin(connections).to_numpy()
    frame.loc[at, "cosine_distance"] += rng.normal(shift, sd, at.sum())
    return frame


STEREOTYPES = ("associated", "different")


@pytest.fixture(scope="module")
def of_frames():
    before = two_groups()
    return bb.compare({"before": before, "after": moved(before, STEREOTYPES)}, seed=1)


def test_a_change_is_that_of_dense_algebra(of_frames):
    fitted = of_frames.differences["before → after"]
    frame, unit = fitted.frame, fitted.spec.scale
    draws = thinned(fitted.draws, POINTS).stack(sample=("chain", "draw"))
    own = (frame["connection"] == "associated").to_numpy()
    same = {c: np.equal.outer(frame[c].to_numpy(), frame[c].to_numpy()) for c in frame}
    group_list = same["group"] & same["attribute_set"]
    y = frame["change"].to_numpy()
    row = of_frames.contrasts.query("is_difference and level == 'over all'").iloc[0]
    # Of a contrast own − other, averaged over two lists, every cell has the weight ± 1/2.
    sign = np.where(own, 1.0, -1.0)
    centres, spreads = [], []
    for i in range(0, draws.sizes["sample"], 50):
        sd = {name: float(np.ravel(draws[name].isel(sample=i))[0]) for name in draws.data_vars}
        cov = (3.0 * unit) ** 2 * same["connection"] + (0.5 * unit) ** 2 * group_list
        cov = cov + sd["word_sd"] ** 2 * same["protected_word"]
        cov += sd["word_list_sd"] ** 2 * (same["protected_word"] & same["attribute_set"])
        cov += sd["attribute_sd"] ** 2 * same["attribute"]
        # Two effects that sum to 0 are x and −x, whose variance is twice that of a half.
        opposite = np.where(same["group"], 1.0, -1.0)
        cov += sd["group_attribute_sd"] ** 2 * same["attribute"] * opposite
        cov += sd["noise_sd"] ** 2 * np.eye(len(y))
        with_y = sign * ((3.0 * unit) ** 2 + (0.5 * unit) ** 2 / 2)
        prior = 2 * (3.0 * unit) ** 2 + 4 * (0.5 * unit) ** 2 / 4
        gain = np.linalg.solve(cov, with_y)
        centres.append(gain @ y)
        spreads.append(np.sqrt(prior - gain @ with_y))
    labels = fitted.contrasts()
    assert labels.loc[0, "level"] == "over all"
    mixture = fitted.posteriors(contrasts_asked(fitted.design)[1][:1])[0]
    np.testing.assert_allclose(mixture.centre[::50], centres, atol=1e-9)
    np.testing.assert_allclose(mixture.spread[::50], spreads, rtol=1e-6)
    np.testing.assert_allclose(row["mean"], mixture.centre.mean(), atol=1e-12)


def test_the_prior_unit_is_that_of_the_levels_where_no_neutral_pair_moved(of_frames):
    neutral = two_groups().query("connection == 'neutral'")["cosine_distance"]
    assert of_frames.differences["before → after"].spec.scale == pytest.approx(neutral.std())


def test_a_word_changed_where_only_its_own_list_moved():
    before = two_groups()
    found = bb.compare({"before": before, "after": moved(before, ["associated"])}, seed=1)
    table = found.contrasts.query("is_difference and level == 'word'")
    assert (table["mark"] == "").all()
    fitted = found.differences["before → after"]
    assert set(fitted.frame["connection"]) == {"associated"}
    means = fitted.summary("word").set_index("protected_word")["mean"]
    np.testing.assert_allclose(table["mean"], means[table["word"]], atol=1e-9)


def test_of_a_list_that_did_not_move_the_change_is_0():
    before = two_groups()
    after, at = before.copy(), before["attribute_set"] == "list1"
    after.loc[at, "cosine_distance"] += np.random.default_rng(1).normal(0.03, 0.05, at.sum())
    found = bb.compare({"before": before, "after": after}, seed=1)
    table = found.contrasts.query("is_difference and level == 'list'").set_index("list")
    assert table.loc["list0", "mark"] == "unchanged"
    assert table.loc["list0", ["mean", "low", "high"]].tolist() == [0.0, 0.0, 0.0]
    assert table.loc["list1", "mark"] == ""
    left = found.left.query("level == 'list'").set_index("list")
    assert left.loc["list0", ["left", "left_low", "left_high"]].tolist() == [1.0, 1.0, 1.0]
    ranks = found.ranks.query("list == 'list0'")["rank_1"]
    np.testing.assert_allclose(ranks, 0.5, atol=4.5 * 0.5 / 4000**0.5)


def test_of_connections_that_did_not_move_the_change_is_0(of_frames):
    table = of_frames.contrasts.query("is_difference").set_index("contrast")
    assert table.loc["human − neutral", "mark"] == "unchanged"
    assert table.loc["human − neutral", ["mean", "low", "high"]].tolist() == [0.0, 0.0, 0.0]
    row, fitted = table.loc["associated − neutral"], of_frames.differences["before → after"]
    # The change of the associated cells alone, averaged over the groups' own lists.
    cells = fitted.summary("list")
    own = cells[cells["connection"] == "associated"]
    assert row["mean"] == pytest.approx(own["mean"].mean(), abs=1e-9)
    shift = fitted.frame.query("connection == 'associated'").groupby("group")["change"].mean()
    assert row["observed"] == pytest.approx(shift.mean())


def test_the_same_distances_have_no_change():
    frame = two_groups(controls=False)
    found = bb.compare({"a": frame, "b": frame.copy()}, model="paper", seed=1)
    assert not found.differences
    assert (found.contrasts.query("is_difference")["mark"] == "unchanged").all()


def test_a_trend_has_the_scatter_of_single_times():
    base = two_groups(controls=False)
    # Off the line by ±.2 in turn, far more than pairs scatter.
    shifts = dict(zip((1900, 1910, 1920, 1930, 1940), (0.2, -0.2, 0.2, -0.2, 0.2), strict=True))
    frames = {}
    for time, shift in shifts.items():
        sign = np.where(base["connection"] == "associated", 0.5, -0.5)
        frames[time] = base.assign(cosine_distance=base["cosine_distance"] + shift * sign)
        frames[time]["cosine_distance"] += np.random.default_rng(time).normal(0, 0.002, len(base))
    found = bb.compare(frames, model="paper", rule=bb.DecisionRule(rope=0.01), seed=1)
    row = found.contrasts.query("condition == 'trend' and level == 'over all'").iloc[0]
    values = found.contrasts.query("not is_difference and level == 'over all'")["observed"]
    times = np.array(list(shifts), dtype=float)
    line = stats.linregress(times, values)
    # The t-interval of least squares for the slope, times the forty years.
    half = stats.t.ppf(0.945, 3) * line.stderr * 40
    assert row["observed"] == pytest.approx(40 * line.slope, abs=1e-9)
    assert (row["high"] - row["low"]) / 2 == pytest.approx(half, rel=0.06)


def test_off_the_line_is_the_residual_sd():
    values, times = np.array([[1.0, 3.0, 2.0, 5.0]]), np.array([0.0, 1.0, 2.0, 4.0])
    slope, intercept, *_ = stats.linregress(times, values[0])
    rest = values[0] - intercept - slope * times
    assert off_the_line(values, times)[0] == pytest.approx(np.sqrt((rest**2).sum() / 2))
    assert line_weights(times) @ values[0] == pytest.approx(4 * slope)


@pytest.mark.parametrize(
    ("differences", "names", "baseline", "expected"),
    [
        (None, "abc", None, {"a → b": [-1, 1, 0], "a → c": [-1, 0, 1], "b → c": [0, -1, 1]}),
        (None, "abc", "b", {"b → a": [1, -1, 0], "b → c": [0, -1, 1]}),
        ("steps", "abc", None, {"a → b": [-1, 1, 0], "b → c": [0, -1, 1]}),
        (
            *(None, "124", None),
            {"trend": [-12 / 14, -3 / 14, 15 / 14], "1 → 2": [-1, 1, 0], "2 → 4": [0, -1, 1]},
        ),
        ({"own": [-0.5, 0.5]}, "ab", None, {"own": [-0.5, 0.5]}),
    ],
)
def test_weights(differences, names, baseline, expected):
    weights = weights_of(differences, list(names), baseline)
    assert list(weights) == list(expected)
    for name, row in expected.items():
        np.testing.assert_allclose(weights[name], row, atol=1e-12)


def test_units_put_neutral_pairs_on_one_scale():
    one, two = two_groups(0), two_groups(1)
    two["cosine_distance"] = 1 + 3 * (two["cosine_distance"] - 1)
    pairs = SharedPairs.of({"one": one, "two": two}, in_sds=True)
    sds = [f.query("connection == 'neutral'").cosine_distance.std() for f in (one, two)]
    np.testing.assert_allclose(pairs.units * sds, np.sqrt(np.prod(sds)))
    assert pairs.scale == pytest.approx(np.sqrt(np.prod(sds)))


def test_pairs_are_found_by_their_words_in_any_order():
    one = two_groups()
    two = one.sample(frac=1.0, random_state=3).iloc[5:]
    pairs = SharedPairs.of({"one": one, "two": two}, in_sds=False)
    assert len(pairs.frame) == len(one) - 5
    assert np.ptp(pairs.distances, axis=1).max() == 0.0


def test_a_pair_with_two_connections_is_refused():
    one = two_groups()
    two = one.copy()
    two.loc[0, "connection"] = "different" if two.loc[0, "connection"] != "different" else "human"
    with pytest.raises(DistancesError, match="not the same connection"):
        SharedPairs.of({"one": one, "two": two}, in_sds=False)


def test_frames_with_copies_of_pairs_need_them_everywhere():
    one = two_groups()
    two = pd.concat([one.assign(layer="1"), one.assign(layer="2")], ignore_index=True)
    with pytest.raises(DistancesError, match="has one layer"):
        SharedPairs.of({"one": one, "two": two}, in_sds=False)


def test_the_ends_are_where_after_less_a_share_of_before_may_just_be_0():
    a, s_a, b, s_b, c = 0.3, 0.1, 1.0, 0.2, 0.012
    z = stats.norm.ppf(0.945)
    for r in fieller((a, s_a), (b, s_b), c, 0.89):
        variance = s_a**2 - 2 * r * c + r**2 * s_b**2
        assert (a - r * b) ** 2 == pytest.approx(z**2 * variance)


@pytest.mark.parametrize("after", [0.05, 0.15, 0.3, -0.4])
def test_a_share_of_0_is_in_it_if_after_may_be_0_and_of_1_if_the_change_may(after):
    a, b, c, z = (after, 0.1), (1.0, 0.2), 0.01, stats.norm.ppf(0.945)
    low, high = fieller(a, b, c, 0.89)
    assert (low <= 0 <= high) == (abs(after) <= z * 0.1)
    sd = np.sqrt(0.1**2 + 0.2**2 - 2 * c)
    assert (low <= 1 <= high) == (abs(after - 1.0) <= z * sd)


def test_where_before_may_be_0_nobody_can_tell():
    assert fieller((0.3, 0.1), (0.3, 0.2), 0.0, 0.89) is None
    # As near to it as that it is surely not 0, the set is wide and still an interval.
    low, high = fieller((0.3, 0.1), (0.33, 0.2), 0.0, 0.89)
    assert low < 0.3 / 0.33 < high


def test_of_a_ratio_without_error_before_it_is_the_interval_of_after():
    low, high = fieller((0.5, 0.1), (2.0, 0.0), 0.0, 0.95)
    np.testing.assert_allclose([low, high], (0.5 + stats.norm.ppf([0.025, 0.975]) * 0.1) / 2)


def differences(rows):
    labels = {"level": "over all", "list": "", "contrast": "associated − different"}
    table = pd.DataFrame(rows, columns=["condition", "mean", "sd"])
    return table.assign(**labels, withheld="", is_difference=True)


def test_of_two_the_rank_is_the_probability_of_the_difference():
    found = ranks_of(["a", "b"], differences([("a → b", 0.1, 0.08)]))
    expected = stats.norm.cdf(0.1 / 0.08)
    assert found.loc[0, "rank_1"] == pytest.approx(expected, abs=0.02)
    np.testing.assert_allclose(found[["rank_1", "rank_2"]].sum(axis=1), 1.0)
    np.testing.assert_allclose(found[["rank_1", "rank_2"]].sum(axis=0), 1.0)


def test_ranks_of_three_by_simulation():
    # Three independent numbers with means 0, .1, .3 and sds .1, .2, .1.
    mean, sd = np.array([0.0, 0.1, 0.3]), np.array([0.1, 0.2, 0.1])
    rows = [
        (f"{'abc'[i]} → {'abc'[j]}", mean[j] - mean[i], np.hypot(sd[i], sd[j]))
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    found = ranks_of(["a", "b", "c"], differences(rows))[["rank_1", "rank_2", "rank_3"]].to_numpy()
    draws = np.random.default_rng(1).normal(mean, sd, (200_000, 3))
    places = draws.argsort(axis=1).argsort(axis=1)
    expected = np.stack([(places == k).mean(axis=0) for k in range(3)], axis=1)
    np.testing.assert_allclose(found, expected, atol=0.025)
