"""The collapsed engine against dense algebra, quadrature and the exact posterior."""

import numpy as np
import pandas as pd
import pytest
from bayesbias.inference.crossed import Block
from exact import exact_moments
from samples import make_frame
from scipy import stats

import bayesbias as bb
from bayesbias.errors import ArgumentError, DistancesError, FitError, ModelError
from bayesbias.inference.collapsed import blocks_of
from bayesbias.inference.design import Design
from bayesbias.inference.grid import Connection, sample_separately, sample_with_shared_noise
from bayesbias.inference.importance import _mode, sample_block
from bayesbias.inference.pareto import smoothed_weights
from bayesbias.pairs.provenance import with_provenance

CONNECTIONS = ("associated", "different", "human", "neutral")


def irregular_frame(seed=0, n_words=4, scale=1):
    """Pairs missing here and there, one repeated, groups with attributes of their own."""
    sizes = {"associated": 3, "different": 3, "human": 7, "neutral": 5}
    frame = make_frame(
        n_words=n_words, n_attributes={c: scale * n for c, n in sizes.items()}, seed=seed
    )
    stereotype = frame.connection.isin(CONNECTIONS[:2])
    # What is associated with one group is different for the other.
    own = frame.group.str[-1].where(frame.connection == "associated",
                                    1 - frame.group.str[-1].astype(int)).astype(str)  # fmt: skip
    frame["attribute"] = frame["attribute"].where(~stereotype, "s" + own + frame.attribute.str[-1])
    rng = np.random.default_rng(seed)
    effects = {word: rng.normal(0, 0.07) for word in frame["attribute"].unique()}
    frame["cosine_distance"] += frame["attribute"].map(effects)
    keep = rng.random(len(frame)) > 0.2
    kept = frame[keep | (frame.index < 4)]
    repeated = pd.concat([kept, kept.iloc[[5]]], ignore_index=True)
    with_provenance(repeated, source={"duplicates": "keep"}, missing=[])
    return repeated


def dense(design, spec, connections, word_sd, noise_sd, attribute_sd):
    """Mean and covariance of the responses of a block, by adding up what pairs share."""
    rows = np.isin(design.connection, connections)
    w, c, j = design.word[rows], design.connection[rows], design.attribute[rows]
    prior = spec.priors["group_mean"].parameters
    same_c = c[:, None] == c
    covariance = prior["sd"] ** 2 * same_c
    covariance = covariance + np.array(word_sd)[c] ** 2 * (same_c & (w[:, None] == w))
    covariance = covariance + np.array(attribute_sd)[design.kind[j]] ** 2 * (j[:, None] == j)
    covariance = covariance + np.diag(np.array(noise_sd)[c] ** 2)
    return np.full(rows.sum(), prior["mean"]), covariance, design.response[rows]


SDS = {
    "word_sd": np.array([0.05, 0.11, 0.03, 0.2]),
    "noise_sd": np.array([0.08, 0.06, 0.1, 0.15]),
    "attribute_sd": np.array([0.07, 0.02, 0.12]),
}


def coordinates(block, sds):
    """The block's coordinates of given standard deviations."""
    n_noise = block.sizes[1]
    x = np.empty(len(block.is_noise))
    x[block.is_noise] = np.log(sds["noise_sd"][block.connections][:n_noise])
    effects = np.concatenate([sds["word_sd"][block.connections], sds["attribute_sd"][block.kinds]])
    x[~block.is_noise] = np.arcsinh(effects / block.error)
    return x


@pytest.mark.parametrize("noise", ["connection", "shared"])
@pytest.mark.parametrize("regular", [True, False])
def test_crossed_density_is_the_dense_one(noise, regular):
    """Density of data and coordinates, for complete and incomplete data, in every block."""
    frame = make_frame(n_words=3) if regular else irregular_frame()
    spec = bb.load_model("crossed").replace(noise=noise)
    design = Design.from_frame(frame)
    sds = dict(SDS) if noise == "connection" else SDS | {"noise_sd": np.full(4, 0.08)}
    sides = set()
    for connections in blocks_of(design, spec):
        block = Block(design, spec, connections)
        sides.add(block.keep_u)
        x = coordinates(block, sds)
        mean, covariance, y = dense(design, spec, connections, **sds)
        n_noise = block.sizes[1]
        effects = np.concatenate([sds["word_sd"][connections], sds["attribute_sd"][block.kinds]])
        noise_sd = sds["noise_sd"][connections][:n_noise]
        expected = (
            stats.multivariate_normal(mean, covariance).logpdf(y)
            + stats.expon(scale=0.5).logpdf(np.concatenate([effects, noise_sd])).sum()
            + np.log(noise_sd).sum()  # Jacobians of log and of sinh
            + np.log(np.hypot(effects, block.error)).sum()
        )
        assert block.log_density(x[None])[0] == pytest.approx(expected, rel=1e-9)
    if not regular and noise == "connection":
        assert sides == {True, False}  # both orders of elimination were tried


@pytest.mark.parametrize("regular", [True, False])
def test_crossed_effects_have_their_exact_conditional(regular):
    """Given the standard deviations: moments of all draws against dense normal algebra."""
    frame = make_frame(n_words=3) if regular else irregular_frame(3)
    spec, design = bb.load_model("crossed"), Design.from_frame(frame)
    n = 40_000
    for connections in blocks_of(design, spec):
        block = Block(design, spec, connections)
        x = np.tile(coordinates(block, SDS), (n, 1))
        m, kept, gone = block.draw_effects(x, np.random.default_rng(1))
        u, b = (kept, gone) if block.keep_u else (gone, kept)
        draws = np.hstack([m, u, b])
        # Prior of the effects and their design matrix, from the definition.
        rows = np.isin(design.connection, connections)
        c = np.searchsorted(connections, design.connection[rows])
        z = np.zeros((rows.sum(), draws.shape[1]))
        z[np.arange(len(z)), c] = 1
        cell = [
            np.flatnonzero((block.cell_word == w) & (block.cell_connection == k))[0]
            for w, k in zip(design.word[rows], c, strict=True)
        ]
        z[np.arange(len(z)), len(connections) + np.array(cell)] = 1
        attribute = np.searchsorted(block.attributes, design.attribute[rows])
        z[np.arange(len(z)), len(connections) + u.shape[1] + attribute] = 1
        prior = np.concatenate([
            np.full(len(connections), 0.3),
            SDS["word_sd"][np.array(connections)[block.cell_connection]],
            SDS["attribute_sd"][design.kind[block.attributes]],
        ])  # fmt: skip
        weight = SDS["noise_sd"][design.connection[rows]] ** -2
        precision = np.diag(prior**-2) + (z.T * weight) @ z
        covariance = np.linalg.inv(precision)
        mean = covariance @ (z.T @ (weight * (design.response[rows] - 1.0)))
        error = np.sqrt(np.diag(covariance) / n)
        assert (np.abs(draws.mean(0) - mean) < 5 * error).all()
        sampled = np.cov(draws.T)
        scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
        assert (np.abs(sampled - covariance) / scale).max() < 5 * np.sqrt(2 / n)


def test_evidence_of_a_crossed_block_is_the_integral():
    """Two words, one list: three standard deviations, integrated on a grid."""
    frame = make_frame(n_words=2, n_attributes={"human": 6})
    spec, design = bb.load_model("crossed"), Design.from_frame(frame)
    block = Block(design, spec, [0])
    found = sample_block(block, 100, 20_000, np.random.default_rng(0))
    low, high = np.array(block.bounds).T
    low[1] = np.log(1e-3)  # less noise than that has no mass
    axes = [np.linspace(a, b, 121)[:-1] + (b - a) / 240 for a, b in zip(low, high, strict=True)]
    points = np.stack([g.ravel() for g in np.meshgrid(*axes, indexing="ij")], axis=1)
    cell = np.prod((high - low) / 120)
    integral = np.logaddexp.reduce(block.log_density(points)) + np.log(cell)
    # Relative error of an average of weights: 1 / sqrt(ESS) at most.
    assert found.log_marginal_likelihood == pytest.approx(integral, abs=4 / np.sqrt(found.ess))
    assert found.pareto_k < 0.7


@pytest.mark.parametrize("model", ["paper", "no-pooling", "complete-pooling"])
def test_grid_density_is_the_dense_one(model):
    frame = irregular_frame(1)
    spec, design = bb.load_model(model), Design.from_frame(frame)
    t, s = 0.07, 0.09
    for c in range(4):
        connection = Connection(design, c, spec)
        x = np.log1p(t / connection.scale) if model == "paper" else 0.0
        found = connection.log_density(np.array([x]), np.log([s]))[0, 0]
        rows = design.connection == c
        same_word = design.word[rows][:, None] == design.word[rows]
        covariance = s**2 * np.eye(rows.sum())
        if model == "paper":
            covariance += 0.3**2 + t**2 * same_word
        else:
            covariance += 0.3**2 * (same_word if model == "no-pooling" else 1.0)
        expected = stats.multivariate_normal(np.ones(rows.sum()), covariance).logpdf(
            design.response[rows]
        )
        if model == "paper":
            expected += stats.expon(scale=0.5).logpdf(t) + np.log(t + connection.scale)
        assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("seed", [0, 1])
def test_grid_draws_have_the_exact_moments(seed):
    """Independent draws: standard errors are those of independent draws."""
    frame = make_frame(seed=seed)
    fit = bb.fit(frame, seed=seed, draws=10_000)
    n = 40_000
    groups = fit.group_summary().set_index("connection")
    spreads = fit.spread_summary().set_index(["parameter", "of"])
    words = fit.word_summary().set_index(["protected_word", "connection"])
    for c in CONNECTIONS:
        exact = exact_moments(frame, c)
        rows = [
            (groups.loc[c], exact["group_mean"]),
            (spreads.loc["word_sd", c], exact["word_sd"]),
            (spreads.loc["noise_sd", c], exact["noise_sd"]),
            *((words.loc[w, c], m) for w, m in exact["word_mean"].items()),
        ]
        for row, (mean, sd) in rows:
            assert abs(row["mean"] - mean) < 4.5 * sd / np.sqrt(n)
            assert row["sd"] == pytest.approx(sd, rel=0.04)


def test_shared_noise_of_one_connection_is_its_own():
    frame = make_frame(n_attributes={"human": 10})
    design = Design.from_frame(frame)
    own, evidence = sample_separately(
        Connection(design, 0, bb.load_model("paper")), 20_000, np.random.default_rng(0)
    )
    (shared,), same = sample_with_shared_noise(
        [Connection(design, 0, bb.load_model("shared-noise"))], 20_000, np.random.default_rng(1)
    )
    assert same == pytest.approx(evidence, abs=1e-3)
    for name in ("group_mean", "word_sd", "noise_sd"):
        a, b = getattr(own, name), getattr(shared, name)
        assert abs(a.mean() - b.mean()) < 5 * a.std() * np.sqrt(2 / len(a))
        assert a.std() == pytest.approx(b.std(), rel=0.05)


def test_no_pooling_by_hand():
    """One word mean, known noise apart: a normal prior and a normal mean of pairs."""
    frame = make_frame(n_words=3, n_attributes={"human": 200}, noise_sd=0.1)
    fit = bb.fit(frame, model="no-pooling", seed=1, draws=10_000)
    noise = float(fit.posterior["noise_sd"].mean())
    for word, part in frame.groupby("protected_word"):
        precision = 1 / 0.3**2 + 200 / noise**2
        mean = (1 / 0.3**2 + part.cosine_distance.sum() / noise**2) / precision
        draws = fit.posterior["word_mean"].sel(protected_word=word)
        assert float(draws.mean()) == pytest.approx(mean, abs=5 * precision**-0.5 / 200)
        assert float(draws.std()) == pytest.approx(precision**-0.5, rel=0.03)


@pytest.mark.sampling
def test_crossed_agrees_with_nuts():
    """The same posterior from two engines that share nothing but the specification."""
    frame = irregular_frame(5, n_words=12, scale=3)
    ours = bb.fit(frame, model="crossed", seed=1, draws=10_000)
    nuts = bb.fit(frame, model="crossed", seed=2, engine="nuts", target_accept=0.99, progress=False)
    stats_ = ours.sample_stats
    independent = float((stats_["importance_ess"] / stats_["proposals"]).min()) * 20_000
    for table in ("group_summary", "word_summary", "spread_summary", "attribute_summary"):
        keys = {"attribute_summary": ["attribute"], "spread_summary": ["parameter", "of"]}
        on = keys.get(table, ["protected_word", "connection"][table == "group_summary" :])
        both = getattr(ours, table)().merge(getattr(nuts, table)(), on=on, suffixes=("", "_nuts"))
        error = both["sd_nuts"] * np.sqrt(1 / both["ess_bulk_nuts"] + 1 / independent)
        assert ((both["mean"] - both["mean_nuts"]).abs() < 4.5 * error).all(), table
        tail = np.minimum(both["ess_bulk_nuts"], both["ess_tail_nuts"])
        assert ((both["sd"] / both["sd_nuts"] - 1).abs() < 0.05 + 6 / np.sqrt(2 * tail)).all(), (
            table
        )


@pytest.mark.parametrize("model", ["paper", "crossed", "shared-noise"])
def test_degenerate_data_fit(model):
    for n_words, attributes in (
        (2, {"associated": 3, "neutral": 4}),
        (6, {"associated": 1, "human": 1, "neutral": 3}),
        (2, {"human": 2}),
    ):
        fit = bb.fit(make_frame(n_words=n_words, n_attributes=attributes), model=model, seed=1)
        assert np.isfinite(fit.word_summary()[["mean", "sd", "low", "high"]].to_numpy()).all()
        assert np.isfinite(fit.log_marginal_likelihood)


@pytest.mark.parametrize("model", ["paper", "crossed", "shared-noise", "complete-pooling"])
def test_constant_distances_are_refused(model):
    frame = make_frame(n_attributes={"human": 3, "neutral": 4})
    frame.loc[frame.connection == "human", "cosine_distance"] = 0.9
    with pytest.raises(DistancesError, match="'human' do not vary"):
        bb.fit(frame, model=model, seed=1)


def test_a_cell_without_pairs_follows_the_group():
    frame = make_frame(n_words=12)
    frame = frame[~((frame.protected_word == "word0") & (frame.connection == "human"))]
    for model in ("paper", "crossed"):
        fit = bb.fit(frame, model=model, seed=1)
        words = fit.word_summary().set_index(["protected_word", "connection"])
        group = fit.group_summary().set_index("connection")
        row = words.loc["word0", "human"]
        assert row["n_pairs"] == 0
        assert row["mean"] == pytest.approx(group.loc["human", "mean"], abs=0.01)
        assert row["sd"] > words.loc["word1", "human"]["sd"]


def test_change_is_centred_at_no_change(frame):
    frame = frame.rename(columns={"cosine_distance": "change"})
    frame["change"] -= 1.0
    fit = bb.fit(frame, model="change", seed=1)
    assert fit.group_summary()["mean"].between(-0.3, 0.1).all()
    assert "change of distance" in repr(fit)
    assert "change" in fit.idata["observed_data"]
    with pytest.raises(DistancesError, match="lacks the column 'change'"):
        bb.fit(make_frame(), model="change")


def test_engines_say_what_they_cannot_do(frame):
    with pytest.raises(ModelError, match="needs a normal one; use engine='nuts'"):
        bb.fit(frame, model="student-t", engine="collapsed")
    with pytest.raises(ArgumentError, match="Valid: auto, collapsed, nuts"):
        bb.fit(frame, engine="stan")


def test_only_collapsed_fits_have_evidence(small_fit):
    with pytest.raises(FitError, match="NUTS gives no marginal likelihood"):
        _ = small_fit.log_marginal_likelihood
    with pytest.raises(FitError, match="has no attribute effects"):
        small_fit.attribute_summary()


def test_attributes_are_summarised_nearest_first(frame):
    fit = bb.fit(frame, model="crossed", seed=1)
    table = fit.attribute_summary()
    assert table["mean"].is_monotonic_increasing
    assert set(table["kind"]) == {"stereotype", "human", "neutral"}
    assert len(table) == frame["attribute"].nunique()


def test_a_bad_tail_is_told_and_auto_goes_on_with_nuts(frame, monkeypatch):
    """Nothing real has tails so bad, so the sampler is told to report one."""
    import bayesbias.fits.fitting as fitting

    real = fitting.sample_collapsed

    def with_bad_tail(*args, **kwargs):
        posterior, stats_, record = real(*args, **kwargs)
        stats_["pareto_k"][0] = 0.9
        return posterior, stats_, record

    monkeypatch.setattr(fitting, "sample_collapsed", with_bad_tail)
    with pytest.warns(bb.BayesBiasWarning, match="Pareto k 0.90"):
        kept = bb.fit(frame, engine="collapsed", seed=1)
    assert kept.settings["engine"] == "collapsed"
    called = []

    def stop(*args, **kwargs):
        called.append(True)
        raise KeyboardInterrupt

    monkeypatch.setattr(fitting, "sample_nuts", stop)
    with (
        pytest.warns(bb.BayesBiasWarning, match="Falling back to NUTS"),
        pytest.raises(KeyboardInterrupt),
    ):
        bb.fit(frame, seed=1)
    assert called


def test_smoothed_weights_are_arvizs():
    import arviz as az

    log_weights = stats.t(4).rvs(2000, random_state=1)
    weights, k_hat = smoothed_weights(log_weights.copy())
    if hasattr(az, "psislw"):
        theirs, k = az.psislw(log_weights.copy())
    else:
        from arviz_stats.base import array_stats

        theirs, k = array_stats.psislw(-log_weights)  # takes log-likelihoods
    assert k_hat == pytest.approx(float(k), abs=0.02)
    np.testing.assert_allclose(np.sort(weights)[-20:], np.sort(np.exp(theirs))[-20:], rtol=0.05)


def test_the_same_seed_gives_the_same_draws(frame):
    for model in ("paper", "crossed"):
        first, again = (bb.fit(frame, model=model, seed=4) for _ in range(2))
        assert first.posterior.equals(again.posterior)
        assert first.id == again.id
        assert not first.posterior.equals(bb.fit(frame, model=model, seed=5).posterior)


class Steep:
    """A density as a block has it: steep at the start, and none at all far from its mode."""

    is_noise = np.array([True, True])
    bounds = ((-30.0, 3.0), (-30.0, 3.0))

    def start(self):
        return np.zeros(2)

    def log_density(self, x):
        value = -20.0 * ((x - [1.5, -4.0]) ** 2).sum(axis=1)
        return np.where(np.abs(x).max(axis=1) < 6, value, -np.inf)


def test_the_mode_is_found_where_far_points_have_no_density():
    mode, axes = _mode(Steep())
    np.testing.assert_allclose(mode, [1.5, -4.0], atol=1e-5)
    np.testing.assert_allclose(axes @ axes.T, np.eye(2) / 40, rtol=1e-4, atol=1e-9)
