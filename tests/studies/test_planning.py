"""Planning: widths against what theory says, and worlds that are what they should be."""

import dataclasses
import json

import numpy as np
import pytest
from samples import make_frame
from scipy import stats

import bayesbias as bb
from bayesbias.constants import ATTRIBUTE_KINDS, CONNECTIONS
from bayesbias.errors import ArgumentError, ModelError
from bayesbias.simulate.assumptions import Assumptions, draw_world, world_design

FLAT = Assumptions(
    connection_mean=dict.fromkeys(CONNECTIONS, 1.0),
    word_sd=dict.fromkeys(CONNECTIONS, 0.1),
    noise_sd=dict.fromkeys(CONNECTIONS, 0.05),
    attribute_sd=dict.fromkeys(ATTRIBUTE_KINDS, 0.0),
    word_correlation=0.0,
    n_human=10,
    n_neutral=10,
)


def test_a_world_has_the_sds_it_was_given():
    assumed = FLAT.replace(attribute_sd={"neutral": 0.2}, n_neutral=300, word_correlation=0.8)
    design = world_design(assumed, 400, 40)
    y = draw_world(design, assumed, np.random.default_rng(0)).reshape(400, -1)
    neutral = y[:, design.kind == design.kinds.index("neutral")]
    # Expected spread of column means: attribute sd, plus noise and words averaged over 400.
    assert neutral.mean(axis=0).std() == pytest.approx(0.2, rel=0.15)
    assert neutral.mean(axis=1).std() == pytest.approx(0.1, rel=0.15)
    residual = neutral - neutral.mean(axis=0) - neutral.mean(axis=1)[:, None]
    assert residual.std() == pytest.approx(0.05, rel=0.03)
    means = dataclasses.replace(design, response=y.ravel()).cell_means
    assert np.corrcoef(means[:, 0], means[:, 1])[0, 1] == pytest.approx(0.78, abs=0.1)


def test_a_world_is_laid_out_by_hand():
    design = world_design(FLAT.replace(n_human=1, n_neutral=0), 2, 4)
    assert design.connections == ("associated", "different", "human")
    names = np.array(design.connections)[design.connection].reshape(2, 5).tolist()
    own, other = "associated", "different"
    assert names == [[own, other, own, other, "human"], [other, own, other, own, "human"]]


def test_widths_are_those_of_theory():
    """With hardly any noise, a group mean is a mean of n words: its sd is about sd / sqrt(n)."""
    n = 200
    plan = bb.plan(FLAT.replace(noise_sd=dict.fromkeys(CONNECTIONS, 0.01)), n_words=[n],
                   n_attributes=[20], simulations=10, seed=1)  # fmt: skip
    row = plan.table[plan.table.contrast == "associated − different"].iloc[0]
    expected = 2 * stats.norm.ppf(0.945) * 0.1 * np.sqrt(2 / n)
    assert row["width"] == pytest.approx(expected, rel=0.06)
    assert row["width_low"] < row["width"] < row["width_high"]


def test_more_words_narrow_and_more_attributes_help_against_controls():
    assumed = FLAT.replace(attribute_sd={"stereotype": 0.1})
    plan = bb.plan(assumed, n_words=[8, 40], n_attributes=[4, 40], simulations=8, seed=1)
    widths = plan.table.set_index(["contrast", "n_attributes", "n_words"])["width"]
    assert widths["associated − different", 40, 40] < 0.6 * widths["associated − different", 40, 8]
    # Attribute effects cancel between associated and different, and not against the controls.
    assert widths["associated − neutral", 40, 40] < 0.7 * widths["associated − neutral", 4, 40]


def test_the_share_decided_follows_the_difference():
    apart = FLAT.replace(connection_mean={"associated": 0.5})
    options = {"n_words": [20], "n_attributes": [10], "simulations": 10, "seed": 1}
    found = bb.plan(apart, **options).table.set_index("contrast")
    assert found.loc["associated − neutral", "decided"] == 1.0
    assert found.loc["associated − neutral", "decided_high"] == 1.0
    edge = FLAT.replace(
        connection_mean={"associated": 0.95}
    )  # the ROPE's edge: never decided for long
    found = bb.plan(edge, **options).table.set_index("contrast")
    assert found.loc["associated − neutral", "decided"] < 0.5


def test_what_is_needed_is_read_off_the_table():
    plan = bb.plan(FLAT, width=0.09, n_words=[6, 30, 60], n_attributes=[10], simulations=6, seed=1)
    needed = plan.needed.set_index("contrast").loc["associated − different"]
    table = plan.table[plan.table.contrast == "associated − different"]
    enough = table[table.width <= 0.09]
    assert needed["reached"]
    assert needed["n_words"] == enough["n_words"].min()
    nothing = dataclasses.replace(plan, width=1e-4)
    assert not nothing.needed["reached"].any()
    assert (nothing.needed["n_words"] == 60).all()
    assert "out of reach" in repr(nothing)
    assert "is reached by" in repr(plan)


def test_a_fit_plans_for_itself():
    fit = bb.fit(make_frame(n_words=8), model="crossed", seed=1)
    plan = bb.plan(fit, n_words=[8], n_attributes=[11], simulations=10, seed=1)
    assert plan.basis == f"fit {fit.id}"
    # Lists of the present lengths give about the present widths.
    now = fit.contrasts().table.set_index("contrast")
    then = plan.table.set_index("contrast")
    ratio = then["width"] / (now["high"] - now["low"])
    assert ratio.between(0.5, 2.0).all()
    assert bb.plan(fit, n_words=[8], n_attributes=[11], simulations=10, seed=1).table.equals(
        plan.table
    )
    json.dumps(plan.to_dict())
    assert len(plan.plot().axes) == 8


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"width": 0}, "width=0"),
        ({"simulations": 1}, "simulations=1"),
        ({"n_words": []}, "at least one number"),
        ({"n_words": [1]}, "too few for 2 groups"),
        ({"rope": -1}, "rope=-1"),
        ({"prob": 1}, "prob=1"),
    ],
)
def test_plans_refuse_what_makes_no_sense(options, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        bb.plan(FLAT, **{"n_words": [6], "n_attributes": [4], "simulations": 2, **options})


def test_plans_refuse_fits_they_cannot_repeat(small_fit):
    heavy = dataclasses.replace(small_fit, spec=bb.load_model("student-t"))
    with pytest.raises(ModelError, match="normal likelihood"):
        bb.plan(heavy)
    loose = bb.fit(make_frame(), model="no-pooling", seed=1)
    with pytest.raises(ModelError, match="partial pooling"):
        bb.plan(loose)
    controls = make_frame()
    controls = controls[controls.connection.isin(["human", "neutral"])]
    with pytest.raises(ModelError, match="associated and different"):
        bb.plan(bb.fit(controls, seed=1))


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"connection_mean": {"asociated": 1.0}}, "did you mean 'associated'"),
        ({"word_sd": {"human": -0.1}}, "word_sd: human = -0.1"),
        ({"noise_sd": {"human": 0.0}}, "noise_sd: must be above 0"),
        ({"word_correlation": 1.5}, "word_correlation=1.5"),
        ({"n_groups": 1}, "two groups"),
    ],
)
def test_assumptions_are_checked(changes, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        FLAT.replace(**changes)


def test_assumptions_name_everything():
    with pytest.raises(ArgumentError, match="connection_mean: lacks 'different'"):
        Assumptions(connection_mean={"associated": 1.0})


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::bayesbias.errors.DataWarning")
def test_the_defaults_are_the_published_medians(data):
    files = [f for f in (data / "distances").glob("*.csv") if "debiased" not in f.name]
    assert len(files) == 15
    fits = [bb.fit(bb.read_distances(f), model="crossed", seed=1) for f in files]
    defaults = Assumptions()
    for name in ("connection_mean", "word_sd", "noise_sd", "attribute_sd"):
        means = np.array([fit.posterior[name].mean(("chain", "draw")).to_numpy() for fit in fits])
        np.testing.assert_allclose(
            np.median(means, axis=0), list(getattr(defaults, name).values()), atol=0.0015
        )
    correlations = []
    for fit in fits:
        words = fit.posterior["word_mean"].sel(connection=["associated", "different"])
        values = words.transpose("connection", "chain", "draw", ...).to_numpy()
        a, b = values.reshape(2, -1, values.shape[-1])
        a, b = (v - v.mean(axis=1, keepdims=True) for v in (a, b))
        r = (a * b).sum(axis=1) / np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
        correlations.append(r.mean())
    assert np.median(correlations) == pytest.approx(defaults.word_correlation, abs=0.01)
