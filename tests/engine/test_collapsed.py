"""The collapsed engine against quadrature, the exact posterior, and NUTS."""

import numpy as np
import pytest
from alike import designed, list_frame, profiles_for
from exact import exact_moments
from samples import FEW, SEED, irregular_frame, make_frame, posterior_of
from scipy import stats
from scipy.sparse import csr_array

import bayesbias as bb
from bayesbias.engine.block import Block, blocks_of, every_block
from bayesbias.engine.collapsed import (
    conditional_moments,
    integrate,
    integrate_blocks,
    with_effects,
)
from bayesbias.engine.diagnostics import smoothed_weights
from bayesbias.engine.intervals import NormalMixture
from bayesbias.errors import ArgumentError, ConvergenceWarning, DistancesError
from bayesbias.fits.contrasts import contrasts_asked
from bayesbias.models.parameters import samples, sds_of, word_weights

CONNECTIONS = ("associated", "different", "human", "neutral")


def drawn_from(design, spec, *, draws, chains, seed):
    """Draws of all parameters."""
    sds, _, _ = integrate_blocks(design, spec, draws=draws, chains=chains)
    return with_effects(sds, design, spec, seed=seed)


def integral_over(block, n_cells):
    """Log of the integral of the density over a grid, with mean and sd of every coordinate."""
    low, high = block.bounds
    low = np.maximum(low, np.log(1e-3))  # less noise than that has no mass
    low[: block.n_free] = 0
    high = np.minimum(high, np.r_[np.arcsinh(1.5 / block.error), np.log(np.ones(len(block.noise)))])
    axes = [
        a + (b - a) * (np.arange(n_cells) + 0.5) / n_cells for a, b in zip(low, high, strict=True)
    ]
    points = np.stack([g.ravel() for g in np.meshgrid(*axes, indexing="ij")], axis=1)
    value = block.log_density(points)
    weights = np.exp(value - value.max())
    total = np.log(weights.sum()) + value.max() + np.log((high - low) / n_cells).sum()
    mean = weights @ points / weights.sum()
    return total, mean, np.sqrt(weights @ (points - mean) ** 2 / weights.sum())


@pytest.mark.parametrize("regular", [True, False])
def test_importance_sampling_is_the_integral(regular):
    """Two words, one list: three standard deviations, integrated on a grid."""
    frame = make_frame(n_words=3, n_attributes={"human": 6})
    design, spec = designed(frame if regular else frame.drop(index=[2, 9]), "crossed")
    block = Block(design, spec, [0])
    total, mean, sd = integral_over(block, 100)
    x, found = integrate(block, 8000)
    # Relative error of an average of weights: 1 / sqrt(ESS) at most.
    assert found.log_marginal_likelihood == pytest.approx(total, abs=3 / np.sqrt(found.ess))
    assert found.pareto_k < 0.7
    assert (np.abs(x.mean(axis=0) - mean) < 3 * sd / np.sqrt(found.ess)).all()
    np.testing.assert_allclose(x.std(axis=0), sd, rtol=0.03)


def test_blocks_apart_and_together_agree():
    """Connections of `paper` are independent, so that they may be one block too."""
    frame = make_frame(n_words=8, n_attributes={"associated": 6, "human": 12})
    design, spec = designed(frame, "paper")
    assert blocks_of(design) == [[0], [1]]
    blocks = [Block(design, spec, connections) for connections in ([0, 1], [0], [1])]
    drawn, points = zip(*(integrate(block, 8000) for block in blocks), strict=True)
    together, *apart = (p.log_marginal_likelihood for p in points)
    assert together == pytest.approx(sum(apart), abs=0.02)
    both, *alone = (b.standard_deviations(x) for b, x in zip(blocks, drawn, strict=True))
    for c, parts in enumerate(alone):
        pairs = (parts[0][-1], both[0][1 + c]), (parts[1][0], both[1][c])  # the means' sd is first
        for one, other in pairs:
            assert abs(one.mean() - other.mean()) < 0.05 * one.std()
            assert one.std() == pytest.approx(other.std(), rel=0.05)


@pytest.mark.parametrize("model", ["paper", "no-pooling", "complete-pooling"])
def test_joint_density_is_the_dense_one(model):
    design, spec = designed(irregular_frame(1), model)
    t, s = 0.07, 0.09
    for c in range(4):
        block = Block(design, spec, [c])
        effects = np.where(block.is_free, t, block.fixed_sds)[:, None]
        found = block.log_joint(effects, np.array([[s]]))
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
        expected += block.noise_prior.log_density(np.array([s]))
        if model == "paper":
            expected += stats.expon(scale=0.5).logpdf(t)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_draws_have_the_exact_moments():
    """Draws by weight: standard errors are at most those of independent draws."""
    frame, n = make_frame(), 40_000
    design, spec = designed(frame, "paper")
    posterior = drawn_from(design, spec, draws=10_000, chains=4, seed=0)
    draws = {str(name): samples(posterior, str(name)) for name in posterior}
    for c, name in enumerate(CONNECTIONS):
        exact = exact_moments(frame, name)
        rows = [
            (draws["connection_mean"][:, c], exact["connection_mean"]),
            (draws["word_sd"][:, c], exact["word_sd"]),
            (draws["noise_sd"][:, c], exact["noise_sd"]),
        ]
        for w, word in enumerate(design.protected_words):
            rows.append((draws["word_mean"][:, w, c], exact["word_mean"][word]))
        for found, (mean, sd) in rows:
            assert abs(found.mean() - mean) < 4.5 * sd / np.sqrt(n)
            assert found.std() == pytest.approx(sd, rel=0.04)


def test_blocks_are_what_shares_something():
    frame = make_frame()
    expected = {
        "paper": [[0], [1], [2], [3]],
        "crossed": [[0, 1], [2], [3]],
        "maximal": [[0, 1], [2], [3]],
        "shared-noise": [[0, 1, 2, 3]],
    }
    for model, blocks in expected.items():
        assert blocks_of(designed(frame, model)[0]) == blocks
    frame = list_frame(matched=True)
    assert blocks_of(designed(frame, "maximal", profiles_for(frame))[0]) == [[0, 1], [2], [3]]


def test_the_standard_deviations_do_not_depend_on_the_seed():
    frame = make_frame(n_attributes=FEW)
    for model in ("paper", "crossed"):
        design, spec = designed(frame, model)
        first, again, other = (
            drawn_from(design, spec, draws=200, chains=2, seed=seed) for seed in (4, 4, 5)
        )
        assert first.equals(again)
        assert first["noise_sd"].equals(other["noise_sd"])
        assert not first["connection_mean"].equals(other["connection_mean"])


@pytest.mark.parametrize("model", ["paper", "maximal", "no-pooling", "alike"])
def test_conditional_moments_are_those_of_the_draws(model):
    """Of a mean, of words, and of all with random weights, over words of a group among them.

    A word without pairs of a connection is among them, whose weights are 0.
    """
    n = 4_000
    if model == "alike":
        frame = list_frame(matched=True)
        design, spec = designed(frame, "maximal", profiles_for(frame))
        assert spec.is_similar
    else:
        frame = irregular_frame(4, n_words=6)
        lacks = (frame.protected_word == "word0") & (frame.connection == "human")
        design, spec = designed(frame[~lacks].reset_index(drop=True), model)
    posterior = drawn_from(design, spec, draws=n, chains=1, seed=1)
    rng = np.random.default_rng(0)
    on_mean = rng.standard_normal((4, len(design.connections)))
    if design.fixed_mean is not None:
        on_mean[:] = 0.0  # a mean of the words'
    words = word_weights(design)
    on_word = np.zeros((4, words.shape[0]))
    on_word[1:3] = rng.standard_normal((2, words.shape[0]))
    on_word[3, : len(design.connections)] = 1.0
    weights = (csr_array(on_word) @ words).toarray()
    weights[:, : len(on_mean[0])] += on_mean
    weights = csr_array(weights)
    centre, spread = conditional_moments(
        every_block(design, spec), sds_of(posterior, design), weights
    )
    drawn = np.nan_to_num(samples(posterior, "word_mean")).reshape(n, -1) @ on_word.T
    drawn += samples(posterior, "connection_mean") @ on_mean.T
    for f in range(4):
        mixture = NormalMixture(centre[f], spread[f])
        if not mixture.sd:
            assert design.fixed_mean is not None
            continue
        assert abs(drawn[:, f].mean() - mixture.mean) < 4.5 * mixture.sd / np.sqrt(n)
        assert drawn[:, f].std() == pytest.approx(mixture.sd, rel=5 / np.sqrt(2 * n))
        low, high = mixture.interval(0.89, "eti")
        inside = ((drawn[:, f] > low) & (drawn[:, f] < high)).mean()
        assert inside == pytest.approx(0.89, abs=4.5 * np.sqrt(0.89 * 0.11 / n))


def below(mixture, x):
    """The probability of less than x."""
    return stats.norm(mixture.centre, mixture.spread).cdf(x).mean()


def test_intervals_of_a_mixture_are_exact():
    """Of two normals apart: ends by root finding on the distribution function and density."""
    mixture = NormalMixture(np.array([0.0, 1.0]), np.array([1.0, 0.5]))
    low, high = mixture.interval(0.8, "eti")
    assert below(mixture, low) == pytest.approx(0.1, abs=2e-5)
    assert below(mixture, high) == pytest.approx(0.9, abs=2e-5)
    low, high = mixture.interval(0.8)
    density = [np.mean(stats.norm(mixture.centre, mixture.spread).pdf(end)) for end in (low, high)]
    assert below(mixture, high) - below(mixture, low) == pytest.approx(0.8, abs=2e-5)
    assert density[0] == pytest.approx(density[1], rel=0.002)


def test_a_part_of_a_mixture_that_is_a_number_is_below_or_is_not():
    """What a model fixes at 0 had no probability: 0/0."""
    mixture = NormalMixture(np.array([0.0, 0.0]), np.array([0.0, 1.0]))
    end = stats.norm.ppf(0.9)  # a tenth of the other half lies beyond
    assert mixture.interval(0.9, "eti") == pytest.approx((-end, end), abs=0.02)


@pytest.mark.slow
def test_the_rule_is_exact_enough_for_verdicts():
    """Another rule moves the mean and the ends of a contrast by three hundredths of its sd."""
    design, spec = designed(irregular_frame(2, n_words=6, scale=3), "maximal")
    _, weights, *_ = contrasts_asked(design)
    ends, sds = [], []
    for n in (4000, 5000, 6000, 7000):
        values, _, _ = integrate_blocks(design, spec, draws=4000, chains=1, proposals=n)
        blocks = every_block(design, spec)
        sds_drawn = sds_of(values, design)
        (mean, *_), (sd, *_) = conditional_moments(blocks, sds_drawn, weights[:1])
        mixture = NormalMixture(mean, sd)
        ends.append([*mixture.interval(0.89), mixture.mean])
        sds.append(mixture.sd)
    # In units of one sd for all: this contrast is five sds from 0, and in units of its own sd each
    # rule's would seem to move by five times the error of the sd.
    assert np.ptp(ends, axis=0).max() < 0.03 * np.mean(sds)


@pytest.mark.sampling
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayesbias.errors.ConvergenceWarning")  # its error is counted
def test_agrees_with_nuts():
    """The same posterior from two engines that share nothing but the specification."""
    quiet = {"target_accept": 0.99, "progress": False}
    frame = irregular_frame(5, n_words=8, scale=2)
    ours = bb.fit(frame, "maximal", seed=1 + SEED, draws=10_000)
    nuts = bb.fit(frame, "maximal", seed=2 + SEED, engine="nuts", draws=4000, **quiet)
    import arviz as az

    sampled = ours.sample_stats
    independent = float((sampled["importance_ess"] / sampled["proposals"]).min()) * 40_000
    bulk, tail = (az.ess(nuts.draws, method=method) for method in ("bulk", "tail"))
    drawn = posterior_of(ours)
    for name in nuts.draws:
        one, other = drawn[name], nuts.draws[name]
        sd = other.std(("chain", "draw"))
        error = sd * np.sqrt(1 / bulk[name] + 1 / independent)
        distance = np.abs(one.mean(("chain", "draw")) - other.mean(("chain", "draw")))
        assert bool((distance < 4.5 * error).all()), name
        least = np.minimum(bulk[name], tail[name])
        off = np.abs(one.std(("chain", "draw")) / sd - 1)
        assert bool((off < 0.05 + 6 / np.sqrt(2 * least)).all()), name


@pytest.mark.parametrize("model", ["paper", "crossed", "shared-noise"])
def test_degenerate_data_fit(model):
    for n_words, attributes in (
        (2, {"associated": 3, "neutral": 4}),
        (6, {"associated": 1, "human": 1, "neutral": 3}),
        (2, {"human": 2}),
    ):
        fit = bb.fit(make_frame(n_words=n_words, n_attributes=attributes), model=model, seed=1)
        assert all(np.isfinite(of).all() for of in posterior_of(fit).values())
        assert np.isfinite(fit.log_marginal_likelihood)


def constant_frame(*connections):
    """A frame in which all distances of some connections are the same."""
    frame = make_frame(n_attributes={"human": 3, "neutral": 4})
    frame.loc[frame.connection.isin(connections), "cosine_distance"] = 0.9
    return frame


def frame_of_words():
    """A frame whose words explain all distances to human attributes: no noise is left."""
    frame = make_frame(n_words=2, n_attributes={"human": 6, "neutral": 6})
    number = frame.protected_word.str[-1].astype(int)
    by_word = frame.connection == "human"
    frame.loc[by_word, "cosine_distance"] = 0.8 + 0.05 * number[by_word]
    return frame


def nearly_exact_frame(noise):
    """A frame whose words and attributes explain all distances but for a little noise."""
    frame, rng = make_frame(), np.random.default_rng(1)
    effects = [
        frame[column].map({word: rng.normal(0, 0.05) for word in frame[column].unique()})
        for column in ("protected_word", "attribute")
    ]
    frame["cosine_distance"] = 1 + sum(effects) + rng.normal(0, noise, len(frame))
    return frame


def nearly_equal_frame():
    exact = 0.5 + np.random.default_rng(1).normal(0, 1e-8, len(make_frame()))
    return make_frame().assign(cosine_distance=exact)


@pytest.mark.parametrize(
    ("frame", "models", "complaint"),
    [
        (constant_frame("human"), ["paper", "crossed", "complete-pooling"], "'human' do not vary"),
        (constant_frame("human", "neutral"), ["shared-noise"], "'human.* do not vary"),
        (frame_of_words(), ["paper", "crossed"], "'human' do not vary beyond"),
        (nearly_equal_frame(), ["paper"], "do not vary beyond rounding"),
    ],
)
def test_distances_that_leave_nothing_for_the_noise_are_refused(frame, models, complaint):
    for model in models:
        with pytest.raises(DistancesError, match=complaint):
            bb.fit(frame, model=model, seed=1)


def test_little_noise_is_found():
    fit = bb.fit(nearly_exact_frame(1e-4), "maximal", engine="collapsed", seed=1 + SEED)
    assert not fit.diagnostics.problems
    np.testing.assert_allclose(fit.draws["noise_sd"].mean(("chain", "draw")), 1e-4, rtol=0.2)


@pytest.mark.parametrize("noise", [1e-6, 0.0])
def test_less_noise_than_a_density_can_tell_is_a_little(noise):
    """The density was rounding: one effective draw, flagged, and then NUTS for minutes."""
    frame = nearly_exact_frame(noise)
    fit = bb.fit(frame, "maximal", engine="collapsed", seed=1 + SEED)
    assert not fit.diagnostics.problems
    assert (fit.draws["noise_sd"].mean(("chain", "draw")) < 1e-4).all()
    means = frame.groupby(["protected_word", "connection"])["cosine_distance"].mean()
    table = fit.summary("word").set_index(["protected_word", "connection"])
    assert abs(table["mean"] - means).max() < 0.02


def test_words_that_debiasing_made_equally_far_are_answered():
    """In 50 dimensions attributes are too many for the noise to have a similar part."""
    vectors = bb.example_embedding()
    few = bb.load_embedding((vectors.index_to_key, vectors.vectors[:, :50]))
    fit = bb.analyze(bb.debias.hard(few, "gender").vectors, "gender", seed=1 + SEED)
    assert any("more than the directions" in note for note in fit.notes)
    assert not fit.diagnostics.problems
    assert abs(fit.contrasts().loc[0, "mean"]) < 1e-3


def test_few_draws_are_few_whatever_the_engine():
    """Asked for fewer than 400, a fit that lacked nothing else fell back to NUTS."""
    with pytest.warns(ConvergenceWarning, match="as little information as 100 independent"):
        fit = bb.fit(make_frame(), "paper", draws=50, chains=2, seed=1)
    assert fit.settings["engine"] == "collapsed"


def test_engines_say_what_they_cannot_do(frame):
    with pytest.raises(ArgumentError, match="Valid: collapsed, nuts"):
        bb.fit(frame, engine="stan")


def test_a_bad_tail_is_told(frame, monkeypatch):
    """Nothing real has tails so bad, so the sampler is told to report one."""
    import bayesbias.fits.fitting as fitting

    real = fitting.integrate_blocks

    def with_bad_tail(*args, **kwargs):
        posterior, stats_, record = real(*args, **kwargs)
        stats_["pareto_k"][0] = 0.9
        return posterior, stats_, record

    monkeypatch.setattr(fitting, "integrate_blocks", with_bad_tail)
    with pytest.warns(bb.BayesBiasWarning, match="Pareto k 0.90"):
        bb.fit(frame, "paper", seed=1)


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
