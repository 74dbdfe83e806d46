"""Slopes: numbers that distances may follow, against dense normal algebra and by hand."""

import numpy as np
import pandas as pd
import pytest
from alike import (
    dense_covariance,
    list_frame,
    named_sds,
    with_profiles,
)
from samples import irregular_frame, make_frame
from scipy import stats

import bayesbias as bb
from bayesbias.errors import FitError, ModelError
from bayesbias.inference.block import Block, blocks_of
from bayesbias.inference.design import Design
from bayesbias.inference.effects import draw_effects, moments
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.predictive import log_likelihood
from bayesbias.inference.priors import Prior
from bayesbias.inference.suited import suited
from bayesbias.inference.terms import TermSpec
from bayesbias.support.shipped_data import data_folder

ONE = TermSpec("rarity", ["attribute_kind"], sd=0.1, of=["rare"])
BOTH = TermSpec(
    "both",
    ["group", "attribute_kind"],
    Prior("exponential", rate=10.0),
    sd_by="attribute_kind",
    of=["rare", "long"],
)


def with_numbers(frame, seed=0):
    """A number of every attribute, and one of every protected word."""
    rng = np.random.default_rng(seed)
    found = frame.copy()
    for column, of in (("rare", "attribute"), ("long", "protected_word")):
        code, words = pd.factorize(frame[of])
        found[column] = (5.0 + 3.0 * rng.standard_normal(len(words)))[code]
    return found


def in_runs(frame, n=3):
    runs = pd.concat([frame.assign(run=f"run {r}") for r in range(n)], ignore_index=True)
    runs["cosine_distance"] += 0.05 * np.random.default_rng(n).standard_normal(len(runs))
    return runs


FRAMES = {
    "plain": (lambda: list_frame(n_reference=2), "maximal"),
    "alike": (lambda: with_profiles(list_frame(n_reference=2)), "maximal"),
    "irregular": (lambda: irregular_frame(3), "maximal"),
    "runs": (lambda: in_runs(list_frame()), "runs"),
    "alike runs": (lambda: with_profiles(in_runs(list_frame(sizes=(3, 2), n_human=2), 2)), "runs"),
}


def made(name):
    """Every block of a frame with two kinds of slopes, with the rows that it is about."""
    make, model = FRAMES[name]
    frame = with_numbers(make())
    spec, _ = suited(drop_unidentified_terms(bb.load_model(model), frame)[0], frame)
    spec = spec.replace(terms=(*spec.terms, ONE, BOTH))
    design = Design.from_frame(frame, spec)
    for connections in blocks_of(design):
        block = Block(design, spec, connections)
        assert len(block.slopes)
        own = frame["connection"].isin([design.connections[c] for c in connections])
        yield frame[own], own.to_numpy(), spec, design, block


def standard_deviations(block, size=1):
    rng = np.random.default_rng(2)
    effects = rng.uniform(0.02, 0.2, (len(block.sds), size))
    effects[~block.is_free] = block.fixed_sds[~block.is_free, None]
    return effects, rng.uniform(0.05, 0.2, (len(block.noise), size))


def dense(frame, rows, spec, design, block, effects, noise):
    """Mean and covariance of all effects given the distances, and the density of these."""
    base = spec.without([slope.name for slope in spec.slopes])
    sds = named_sds(design, block, effects, noise)
    covariance = dense_covariance(frame, base, sds, block.mean_sd)
    x = block.slopes
    prior = np.diag(effects[block.sd_of_slopes] ** 2)
    total = covariance + x.T @ prior @ x
    y = frame["cosine_distance"].to_numpy() - block.mean
    density = stats.multivariate_normal(np.zeros(len(y)), total).logpdf(y)
    gain = np.linalg.solve(total, x.T @ prior).T
    slopes = gain @ y, prior - gain @ x.T @ prior
    return density, slopes


@pytest.mark.parametrize("name", FRAMES)
def test_density_and_slopes_are_the_dense_ones(name):
    for frame, rows, spec, design, block in made(name):
        effects, noise = standard_deviations(block, 2)
        x = block.coordinates(effects, noise)
        found = block.log_density(x) - block._log_prior(x, effects, noise)
        of_slopes = np.eye(block.n_effects)[block.offset[-1] :]
        mean, variance = moments(block, effects, noise, of_slopes)
        for at in range(2):
            density, (expected, covariance) = dense(
                frame, rows, spec, design, block, effects[:, at], noise[:, at]
            )
            assert found[at] == pytest.approx(density, rel=1e-8)
            np.testing.assert_allclose(mean[:, at], expected, atol=1e-8)
            np.testing.assert_allclose(variance[:, at], np.diag(covariance), rtol=1e-7)


@pytest.mark.parametrize(
    "name", [n if n != "runs" else pytest.param(n, marks=pytest.mark.slow) for n in FRAMES]
)
def test_draws_have_the_moments(name):
    """Of all effects, and of sums over slopes and others, which depend on each other."""
    n = 3_000
    for *_, block in made(name):
        effects, noise = standard_deviations(block)
        single = (
            [] if block.replicates is None else [block.replicates.single, block.replicates.alike]
        )
        functions = np.eye(block.n_effects)
        functions[: block.n_means, block.offset[-1] :] = 1.5
        kept = np.ones(block.n_effects, dtype=bool)
        for term in single:
            if term is not None:
                kept[block.offset[term] : block.offset[term + 1]] = False
        functions = functions[kept]
        mean, variance = moments(block, effects, noise, functions)
        rng = np.random.default_rng(1)
        draws = functions @ draw_effects(block, np.tile(effects, n), np.tile(noise, n), rng)
        sd = np.sqrt(variance[:, 0])
        assert (np.abs(draws.mean(axis=1) - mean[:, 0]) < 5 * sd / np.sqrt(n)).all()
        np.testing.assert_allclose(draws.std(axis=1), sd, rtol=6 / np.sqrt(2 * n))


SLOPES = """
[[slopes]]
name = "rarity"
of = ["rare"]
by = ["attribute_kind"]
sd = 0.1

[[slopes]]
name = "length"
of = ["long", "rare"]
prior = { distribution = "exponential", rate = 10.0 }
connections = ["associated"]
"""


@pytest.fixture
def with_slopes(tmp_path):
    path = tmp_path / "mine.toml"
    shipped = (data_folder("models") / "crossed.toml").read_text(encoding="utf-8")
    path.write_text(shipped + SLOPES, encoding="utf-8")
    return path


def test_a_file_may_have_slopes(with_slopes):
    spec = bb.load_model(with_slopes)
    rarity, length = spec.slopes
    assert (rarity.of, rarity.by, rarity.sd) == (("rare",), ("attribute_kind",), 0.1)
    assert (length.of, length.by, length.connections) == (("long", "rare"), (), ("associated",))
    assert spec.numbers == ("rare", "long")
    assert spec.repeating == ()
    again = bb.models.ModelSpec.from_json(spec.to_json())
    assert (again, again.id) == (spec, spec.id)
    assert spec.id != spec.without(["length"]).id
    text = str(spec)
    assert "rarity_effect[k] × rare[i]" in text
    assert "length_effect × long[i] × rare[i]  (associated)" in text


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ('of = ["rare"]', "slope 'rarity'.*lacks 'of'"),
        ('of = "rare"', "slope 'rarity': of.*must be a list"),
        ('of = ["rare"]\nsimilar = ["attribute"]', "slope 'rarity': similar.*unknown key"),
    ],
)
def test_a_slope_that_is_none(with_slopes, change, complaint):
    text = with_slopes.read_text(encoding="utf-8")
    new = "" if "lacks" in complaint else change
    with_slopes.write_text(text.replace('of = ["rare"]', new, 1), encoding="utf-8")
    with pytest.raises(ModelError, match=complaint):
        bb.load_model(with_slopes)


def mine(*slopes):
    spec = bb.load_model("crossed")
    return spec.replace(name="mine", terms=(*spec.terms, *slopes))


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        (lambda f: f.attribute, "holds no numbers"),
        (lambda f: f.long.where(f.index != 3), "no finite number in row 4 .*'word0' and"),
        (lambda f: f.cosine_distance > 0, "holds no numbers"),
        (lambda f: f.long * 1e200, r"as large as \d.*e\+20\d; give it in another unit"),
        (lambda f: 1.0, "do not vary within connections"),
        (lambda f: f.connection.map(len), "cannot be told from their means"),
    ],
)
def test_numbers_that_are_none_are_refused(values, complaint):
    frame = with_numbers(make_frame())
    frame["rare"] = values(frame)
    with pytest.raises(ModelError, match=complaint):
        bb.fit(frame, mine(ONE), seed=1)


def test_a_column_that_is_missing_is_named():
    frame = with_numbers(make_frame()).rename(columns={"rare": "rares"})
    with pytest.raises(ModelError, match=r"no column 'rare'.*did you mean 'rares'"):
        bb.fit(frame, mine(ONE), seed=1)


def test_a_slope_that_was_planted_is_found_and_kept_in_a_file(tmp_path):
    """Per unit .02; the control contrast that it caused goes."""
    frame = with_numbers(make_frame(noise_sd=0.02))
    frame.loc[frame.connection == "neutral", "rare"] += 10.0
    frame["cosine_distance"] += 0.02 * (frame["rare"] - 5.0)
    one = TermSpec("rarity", (), sd=0.5, of=("rare",))
    fit = bb.fit(frame, mine(one), seed=1)
    row = fit.summary("slope").table.iloc[0]
    assert row["unit"] == pytest.approx(frame["rare"].std(ddof=0))
    assert row["per_unit"] * row["unit"] == pytest.approx(row["mean"], rel=1e-12)
    assert abs(row["mean"] - 0.02 * row["unit"]) < 3 * row["sd"]
    assert "Contrasts are at equal rare" in str(fit)
    plain = bb.fit(frame, "crossed", seed=1).contrasts().table.set_index("contrast")["mean"]
    equal = fit.contrasts().table.set_index("contrast")["mean"]
    assert plain["associated − neutral"] - equal["associated − neutral"] < -0.1
    effect = fit.slope_effect()
    shown = effect.table.set_index(["compared", "contrast"])["mean"]
    assert shown["plain"].to_numpy() == pytest.approx(plain[shown["plain"].index], abs=1e-4)
    assert (shown["at equal rare"] == equal).all()
    assert effect.sentence == "At equal rare human − neutral is undecided and plainly closer."
    with pytest.raises(FitError, match="has no slopes"):
        bb.fit(frame, "crossed", seed=1).slope_effect()
    fit.save(tmp_path / "fit.nc")
    again = bb.load_fit(tmp_path / "fit.nc")
    assert again.id == fit.id
    pd.testing.assert_frame_equal(again.summary("slope").table, fit.summary("slope").table)
    other = frame.assign(rare=frame["rare"] ** 2)
    assert bb.fit(other, fit.spec, seed=1).id != fit.id


def test_numbers_are_part_of_what_is_predicted():
    frame = with_numbers(make_frame(noise_sd=0.02))
    frame["cosine_distance"] += 0.05 * (frame["rare"] - 5.0)
    fit = bb.fit(frame, mine(TermSpec("rarity", (), sd=0.5, of=("rare",))), seed=1)
    expected = fit.predictions()
    assert np.corrcoef(expected["mean"], frame["cosine_distance"])[0, 1] > 0.95
    assert expected["inside"].mean() > 0.8


def test_simplify_leaves_out_what_the_data_cannot_tell():
    frame = with_numbers(make_frame()).assign(rare=2.0)
    spec, reasons = drop_unidentified_terms(mine(ONE), frame)
    assert spec.slopes == ()
    assert "The term rarity is left out: its numbers do not vary" in reasons[0]


def test_without_a_slope_there_is_no_summary_of_them():
    with pytest.raises(FitError, match="has no slopes"):
        bb.fit(make_frame(), "crossed", seed=1).summary("slope")


def test_the_gibbs_sampler_cannot_draw_slopes():
    spec = bb.load_model("crossed-student-t")
    spec = spec.replace(name="mine", terms=(*spec.terms, ONE))
    with pytest.raises(ModelError, match="use engine='nuts'"):
        bb.fit(with_numbers(make_frame()), spec, engine="gibbs")


def test_the_pymc_model_has_the_slope():
    """The log density of the responses is that of the draws' means, slope included."""
    frame = with_numbers(make_frame())
    fit = bb.fit(frame, mine(ONE), seed=1, draws=20, chains=1)
    model = fit.pymc_model()
    draw = fit.posterior.isel(chain=0, draw=0)
    logp = model.compile_logp(
        vars=model.observed_RVs, jacobian=False, sum=True, mode="FAST_COMPILE"
    )
    values = {}
    for variable in model.free_RVs:
        value, drawn = model.rvs_to_values[variable].name, draw[variable.name].to_numpy()
        values[value] = np.log(drawn) if value.endswith("_log__") else drawn
    expected = log_likelihood(fit.posterior, fit.design).isel(chain=0, draw=0).sum()
    assert float(logp(values)) == pytest.approx(float(expected), rel=1e-4)
