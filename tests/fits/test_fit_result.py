"""Real sampling on small data, checked against the exact posterior."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from exact import exact_moments
from samples import SEED, make_frame

import bayesbias as bb
from bayesbias.constants import CONNECTIONS
from bayesbias.errors import ArgumentError, DistancesError, FitError, ModelError
from bayesbias.fits.storage import packing, plain_groups, rounded, tree_of
from bayesbias.inference.diagnostics import diagnose
from bayesbias.pairs.provenance import with_provenance

pytestmark = pytest.mark.sampling

SAMPLED = 3000  # draws of a chain


@pytest.fixture(scope="module")
def frame():
    """Words of which every connection knows the mean well and which differ, so that chains mix."""
    sizes = {"associated": 5, "different": 6, "human": 8, "neutral": 8}
    return make_frame(n_words=10, n_attributes=sizes, word_sd=0.1, noise_sd=0.05)


@pytest.fixture(scope="module")
def compiled_once():
    """Let nutpie compile the model of one frame once: ten seconds each time, whatever is drawn."""
    nutpie = pytest.importorskip("nutpie")
    compile_model, known = nutpie.compile_pymc_model, {}

    def compiled(model, **options):
        data = [model.rvs_to_values[v].data.tobytes() for v in model.observed_RVs]
        key = (*model.named_vars, *data, *options)
        if key not in known:
            known[key] = compile_model(model, **options)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nutpie, "compile_pymc_model", compiled)
        yield known


@pytest.fixture(scope="module")
def sampled_fit(frame, compiled_once):
    """A fit by the default sampler, which all tests of this file share.

    No seed is lucky: the worst of 130 parameters has some 7,000 effective draws and an R-hat of
    1.002 with any. With 500, as they were of six words, it passes 1.01 in one run of four.
    """
    options = {"engine": "nuts", "target_accept": 0.95, "progress": False}
    options |= {"draws": SAMPLED, "tune": 500}
    return bb.fit(frame, model="paper", seed=11 + SEED, **options)


def assert_close(mean, sd, ess, truth, true_sd, what):
    """Mean within 5 Monte Carlo standard errors, of 52; sd within what its own error allows."""
    assert abs(mean - truth) < 5 * true_sd / np.sqrt(ess), what
    # The sd of an sd is about sd / sqrt(2 ESS) for a normal; skewed posteriors have more.
    assert abs(sd / true_sd - 1) < 8 / np.sqrt(2 * ess), what


def test_the_posterior_is_the_exact_one(sampled_fit):
    frame = sampled_fit.frame
    groups = sampled_fit.summary().table.set_index("connection")
    words = sampled_fit.summary("word").table.set_index(["protected_word", "connection"])
    spreads = sampled_fit.summary("term").table.set_index(["parameter", "applies_to"])
    for c in CONNECTIONS:
        exact = exact_moments(frame, c)
        known = {c: (groups.loc[c], exact["connection_mean"])}
        known |= {name: (spreads.loc[name, c], exact[name]) for name in ("word_sd", "noise_sd")}
        known |= {w: (words.loc[w, c], truth) for w, truth in exact["word_mean"].items()}
        for what, (row, truth) in known.items():
            ess = min(row["ess_bulk"], row["ess_tail"])  # squares mix slower than means
            assert_close(row["mean"], row["sd"], ess, *truth, (what, c))


def test_the_draws_are_sound_and_their_record_and_text_say_so(sampled_fit):
    assert sampled_fit.diagnostics.divergences == 0
    assert sampled_fit.diagnostics.problems == ()
    assert sampled_fit.diagnostics.sentence.startswith("Sampling went well")
    text, record = repr(sampled_fit), sampled_fit.record
    assert "Data: 270 pairs." in text
    assert "10 words (" in text
    assert "89% HPDI" in text
    assert "Sampling went well" in text
    assert record["seed"] == 11 + SEED
    assert record["source"] == {"made": "by a test"}
    assert {"pymc", "numpy", "bayesbias"} <= set(record["versions"])
    assert bb.missing_words(sampled_fit.frame).empty
    with pytest.raises(FitError, match="chains give no marginal likelihood"):
        _ = sampled_fit.log_marginal_likelihood


def test_tables_are_labelled_and_ordered(sampled_fit):
    groups = sampled_fit.summary().table
    assert groups["connection"].tolist() == list(CONNECTIONS)
    assert groups["n_pairs"].tolist() == [50, 60, 80, 80]
    assert set(groups["interval"]) == {"hpdi"}
    assert set(groups["prob"]) == {0.89}
    words = sampled_fit.summary("word").table
    assert len(words) == 40
    assert words["n_pairs"].sum() == len(sampled_fit.frame)


@pytest.mark.parametrize("by", ["connection", "group", "word", "term"])
def test_probability_and_kind_reach_every_interval(sampled_fit, by):
    wide = sampled_fit.summary(by, prob=0.95).table
    usual = sampled_fit.summary(by).table
    tails = sampled_fit.summary(by, interval="eti").table
    assert set(wide["prob"]) == {0.95}
    assert (wide["high"] - wide["low"] > usual["high"] - usual["low"]).all()
    assert set(tails["interval"]) == {"eti"}
    # The narrowest interval is never wider than another with the same probability.
    assert (usual["high"] - usual["low"] <= tails["high"] - tails["low"] + 1e-3).all()


def test_probability_reaches_the_predictive_check(sampled_fit):
    table = sampled_fit.coverage(probs=(0.8, 0.3), interval="eti").table
    overall = table[table["connection"] == "all"]
    assert overall["prob"].tolist() == [0.8, 0.3]
    assert set(table["interval"]) == {"eti"}
    for row in overall.itertuples():
        # The model is true here, so shares are binomial around their probability.
        error = np.sqrt(row.prob * (1 - row.prob) / row.n_pairs)
        assert abs(row.inside - row.prob) < 4 * error


def test_a_saved_fit_comes_back_whole(sampled_fit, tmp_path):
    sampled_fit.save(tmp_path / "fit.nc")
    back = bb.load_fit(tmp_path / "fit.nc")
    assert back.id == sampled_fit.id
    assert back.spec == sampled_fit.spec
    pd.testing.assert_frame_equal(back.summary().table, sampled_fit.summary().table)
    pd.testing.assert_frame_equal(back.frame, sampled_fit.frame)
    assert [p.name for p in tmp_path.iterdir()] == ["fit.nc"]


def with_record(tree, **record):
    tree.attrs["record"] = json.dumps(json.loads(tree.attrs["record"]) | record)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda tree: tree["observed_data"]["cosine_distance"].values.__setitem__(0, 0.5), "pairs"),
        (lambda tree: tree["posterior"]["connection_mean"].values.__isub__(0.2), "posterior"),
        (lambda tree: tree.attrs.update(bayesbias_format=99), "format 99"),
        (lambda tree: tree.attrs.pop("bayesbias_format"), "not a fit"),
        (lambda tree: with_record(tree, spec_id="0"), "model"),
    ],
)
def test_a_changed_file_is_refused(sampled_fit, tmp_path, change, complaint):
    tree = tree_of(sampled_fit, plain_groups(sampled_fit)).copy(deep=True)
    change(tree)
    tree.to_netcdf(tmp_path / "fit.nc", engine="h5netcdf")
    with pytest.raises(FitError, match=complaint):
        bb.load_fit(tmp_path / "fit.nc")


@pytest.mark.parametrize("forged", ["posterior", "sample_stats"])
def test_a_draw_that_is_no_number_fails_the_diagnostics(forged):
    fit = bb.fit(make_frame(), "paper", draws=500, seed=1)
    assert not fit.diagnostics.problems
    changed = getattr(fit, forged).copy(deep=True)
    values = changed["connection_mean" if forged == "posterior" else "importance_ess"].values
    values.flat[-1] = np.nan
    problems = replace(fit, **{forged: changed}).diagnostics.problems
    expected = "1 of 2,000 draws hold" if forged == "posterior" else "as little information as nan"
    assert len(problems) == 1
    assert expected in problems[0]


def test_other_files_are_refused(tmp_path):
    (tmp_path / "a.nc").write_text("not netCDF")
    with pytest.raises(FitError, match="is no netCDF file"):
        bb.load_fit(tmp_path / "a.nc")
    with pytest.raises(FitError, match="no such file"):
        bb.load_fit(tmp_path / "b.nc")


@pytest.mark.parametrize("sampler", [pytest.param("pymc", marks=pytest.mark.slow), "nutpie"])
def test_few_draws_are_reported_and_seeds_repeat(sampler, frame, compiled_once):
    """The same seed gives the same draws; 20 draws are too few and the fit says so."""
    options = {"seed": 5, "draws": 20, "tune": 30, "chains": 2, "progress": False}
    options |= {"engine": "nuts", "model": "paper"}
    with pytest.warns(bb.BayesBiasWarning, match="Do not rely on this fit yet"):
        first = bb.fit(frame, sampler=sampler, **options)
    with pytest.warns(bb.BayesBiasWarning):
        again = bb.fit(frame, sampler=sampler, **options)
    assert len(compiled_once) <= 1
    xr.testing.assert_equal(first.posterior, again.posterior)
    assert first.record["sampler"] == sampler
    assert first.summary().table["connection"].tolist() == list(CONNECTIONS)


def test_a_generator_is_a_seed_too():
    from bayesbias.support.seeds import seed_as_integer

    assert seed_as_integer(np.random.default_rng(3)) == seed_as_integer(np.random.default_rng(3))
    assert seed_as_integer(None) != seed_as_integer(None)
    assert seed_as_integer(np.int64(4)) == 4


@pytest.mark.parametrize(
    ("options", "error", "complaint"),
    [
        ({"model": "papr"}, ModelError, "did you mean 'paper'"),
        ({"draws": 0}, ArgumentError, "draws=0"),
        ({"draws": 10.5}, ArgumentError, "draws=10.5: must be a whole number"),
        ({"cores": 0}, ArgumentError, "cores=0"),
        ({"seed": -1}, ArgumentError, "seed=-1"),
        ({"seed": 1.5}, ArgumentError, "seed=1.5"),
        ({"target_accept": 1.0}, ArgumentError, "target_accept"),
        ({"sampler": "stan"}, ArgumentError, "Valid: auto, pymc, nutpie"),
        ({"parametrisation": "centered"}, ArgumentError, "did you mean 'centred'"),
    ],
)
def test_mistakes_are_found_before_sampling(frame, options, error, complaint):
    with pytest.raises(error, match=complaint):
        bb.fit(frame, **{"seed": 1} | options)


def test_an_interrupted_sampler_is_not_taken_for_a_finished_one(frame, sampled_fit, monkeypatch):
    """Both samplers swallow Ctrl-C and hand over the draws made so far; here, those of a fit.

    `tests/project/test_faults.py` stops both of them in earnest.
    """
    import pymc

    import bayesbias.inference.nuts as nuts

    made = sampled_fit.posterior, sampled_fit.sample_stats
    options = {"model": "paper", "engine": "nuts", "seed": 1, "progress": False}
    monkeypatch.setattr(pymc, "sample", lambda **_: None)
    monkeypatch.setattr(nuts, "sampled_groups", lambda _: made)
    whole = bb.fit(frame, draws=SAMPLED, **options)
    xr.testing.assert_equal(whole.posterior["word_sd"], made[0]["word_sd"])
    with pytest.raises(KeyboardInterrupt) as stop:
        bb.fit(frame, draws=SAMPLED + 1, **options)
    assert stop.value.partial.posterior.sizes["draw"] == SAMPLED


def test_repeated_pairs(frame):
    twice = pd.concat([frame, frame])
    with pytest.warns(bb.BayesBiasWarning, match="270 rows repeat a pair"):
        bb.fit(twice, "paper", seed=1)
    with_provenance(twice, source={"duplicates": "keep"})
    assert bb.fit(twice, "paper", seed=1).summary().table["n_pairs"].sum() == 2 * len(frame)


def test_what_a_file_leaves_out_is_made_again_the_same(frame, tmp_path):
    fit = bb.fit(frame.assign(embedding="google"), model="crossed", seed=3)
    fit.save(tmp_path / "fit.nc")
    back = bb.load_fit(tmp_path / "fit.nc")
    assert set(back.frame["embedding"]) == {"google"}
    for group in ("prior", "posterior_predictive", "log_likelihood"):
        one, other = (dict(which.idata[group].data_vars) for which in (back, fit))
        assert list(one) == list(other)
        for name, draws in one.items():
            xr.testing.assert_equal(draws, other[name])


def test_a_saved_fit_is_small_and_the_same(frame, tmp_path):
    """Draws of effects are rounded to 16 bits, far below their sd, before anything is computed."""
    fit = bb.fit(frame, seed=3)
    fit.save(tmp_path / "fit.nc")
    back = bb.load_fit(tmp_path / "fit.nc")
    xr.testing.assert_identical(back.posterior, fit.posterior)
    fine = fit.posterior["connection_mean"].to_numpy()
    assert (np.rint(fine * 2**20) != fine * 2**20).any()  # what answers follow from is not rounded
    names = [n for n in fit.posterior if n.endswith("_effect")]
    drawn = sum(fit.posterior[name].size for name in [*names, "word_mean"])
    assert (tmp_path / "fit.nc").stat().st_size < 2 * drawn + 1_200_000
    rng = np.random.default_rng(0)
    for name in names:
        exact = fit.posterior[name] + rng.uniform(-1e-9, 1e-9, fit.posterior[name].shape)
        again = rounded(fit.posterior.assign({name: exact}))
        xr.testing.assert_identical(again[name], fit.posterior[name])
        step = packing(fit.posterior)[name]["scale_factor"]
        assert step < 0.005 * fit.posterior[name].std(("chain", "draw")).min()


def diagnosed(draws, **coords):
    """The diagnostics of a parameter whose draws are these, none of them divergent."""
    dims = ("chain", "draw", *coords)
    posterior = xr.Dataset({"connection_mean": (dims, draws)}, coords=coords)
    return diagnose(
        posterior, xr.Dataset({"diverging": (dims[:2], np.zeros(draws.shape[:2], bool))})
    )


def test_chains_that_say_nothing_are_a_problem():
    assert diagnosed(np.random.default_rng(0).random((1, 900))).problems == (
        "one chain cannot be checked against others; use at least 2",
    )
    assert diagnosed(np.ones((2, 100))).problems  # they never moved


def test_diagnostics_name_the_parameter_that_fails():
    draws = np.random.default_rng(0).standard_normal((2, 500, 2))
    draws[1, :, 1] += 3  # the second chain of the second connection is elsewhere
    found = diagnosed(draws, connection=["human", "neutral"])
    assert found.worst == "connection_mean[neutral]"
    assert any("the chains disagree about connection_mean[neutral]" in p for p in found.problems)


def test_a_posterior_beyond_the_memory_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setattr("bayesbias.support.memory.PHYSICAL_MEMORY", 1e6)
    said = r"4,000 draws take .* GB, and this machine has 0\.0 GB; take fewer draws"
    with pytest.raises(DistancesError, match=said):
        bb.fit(make_frame(), "crossed", seed=1)
    assert bb.fit(make_frame(), "crossed", seed=1, draws=10).posterior.sizes["draw"] == 10
