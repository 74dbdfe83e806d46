"""Any list of Gaussian terms against dense normal algebra, on irregular and complete data."""

import numpy as np
import pytest
from scipy import stats

from bayesbias.inference.block import Block
from bayesbias.inference.design import Design
from bayesbias.inference.effects import draw_effects, moments
from bayesbias.inference.levels import Term
from bayesbias.inference.model_files import load_model
from bayesbias.inference.priors import Prior
from bayesbias.inference.terms import NoiseSpec

EXPONENTIAL = Prior("exponential", rate=10.0)


def numbered(*codes):
    """Give every combination of codes that occurs a number."""
    _, level = np.unique(np.stack(codes), axis=1, return_inverse=True)
    return level.ravel().astype(np.int64)


def term(name, level, sd_of_pair, fixed_sd=None):
    n = int(level.max()) + 1
    sd = np.zeros(n, np.int64)
    sd[level[level >= 0]] = sd_of_pair[level >= 0]
    which, sd = np.unique(sd, return_inverse=True)
    labels = tuple(str(i) for i in range(n))
    prior = None if fixed_sd else EXPONENTIAL
    return Term(name, level, labels, {}, sd.ravel(), tuple(map(str, which)), "", prior, fixed_sd)


def random_design(seed, *, complete):
    """Pairs, groups, lists and terms at random, of every kind that a user can write."""
    rng = np.random.default_rng(seed)
    n_words, n_attributes, n_groups = rng.integers(2, 6), rng.integers(2, 7), rng.integers(1, 4)
    n_connections = int(rng.integers(1, 4))
    if complete:
        word, attribute = (g.ravel() for g in np.indices((n_words, n_attributes)))
        lists = rng.integers(0, n_connections, (n_groups, n_attributes))
        connection = lists[word % n_groups, attribute]
    else:
        n = int(rng.integers(10, 60))
        word, attribute = rng.integers(0, n_words, n), rng.integers(0, n_attributes, n)
        connection = rng.integers(0, n_connections, n)
    connection = numbered(connection)
    n_connections = int(connection.max()) + 1
    context = attribute % 3 if complete else rng.integers(0, 3, len(word))
    group, zero = word % n_groups, np.zeros_like(word)
    factors = [
        (word,),
        (word, connection),
        (attribute,),
        (group, attribute),
        (context,),
        (word, attribute),
        (context, word),
        (group, connection),
    ]
    terms = []
    for i in rng.choice(len(factors), rng.integers(0, 6), replace=False):
        level = numbered(*factors[i])
        if rng.random() < 0.4 and n_connections > 1:
            acts = connection != 0
            level[acts] = numbered(level[acts])
            level[~acts] = -1
        by_connection = rng.random() < 0.4 and len(factors[i]) > 1
        fixed = 0.07 if rng.random() < 0.2 else None
        terms.append(
            term(f"t{i}", level, connection if by_connection and not fixed else zero, fixed)
        )
    by_noise = rng.random() < 0.6
    names = tuple("abcd"[:n_connections])
    return Design(
        protected_words=tuple(map(str, range(n_words))),
        groups=tuple(map(str, range(n_groups))),
        connections=names,
        attributes=tuple(map(str, range(n_attributes))),
        kinds=("stereotype",),
        attribute_sets=("stereotypes",),
        word=word,
        group=np.arange(n_words) % n_groups,
        connection=connection,
        attribute=attribute,
        attribute_set=zero,
        kind=np.zeros(n_attributes, np.int64),
        response=1 + 0.3 * rng.standard_normal(len(word)),
        terms=tuple(terms),
        noise=connection if by_noise else zero,
        noise_labels=names if by_noise else ("",),
        noise_dim="connection" if by_noise else "",
        fixed_mean=1.0 if rng.random() < 0.3 else None,
        noise_similar=np.zeros(n_connections if by_noise else 1, dtype=bool),
    )


def block_of(design):
    """All connections as one block: joining independent ones changes nothing."""
    spec = load_model("paper").replace(noise=NoiseSpec(EXPONENTIAL))
    if design.fixed_mean is not None:
        spec = spec.replace(connection_mean=design.fixed_mean)
    return Block(design, spec, list(range(len(design.connections))))


def standard_deviations(block, rng, size=1):
    effects = rng.exponential(0.1, (len(block.sds), size))
    effects[~block.is_free] = block.fixed_sds[~block.is_free, None]
    return effects, rng.uniform(0.03, 0.3, (len(block.noise), size))


def dense(design, block, effects, noise):
    """Covariance of the responses, by adding up what pairs share."""
    covariance = np.diag(noise[design.noise] ** 2)
    if design.fixed_mean is None:
        covariance += 0.3**2 * (design.connection[:, None] == design.connection)
    number = {sd: i for i, sd in enumerate(block.sds)}
    for t, one in enumerate(design.terms):
        same = (one.level[:, None] == one.level) & (one.level >= 0)
        sd = np.array([effects[number[t, one.sd[level]]] for level in one.level])
        covariance += same * sd**2
    return covariance


CASES = [(seed, complete) for seed in range(25) for complete in (True, False)]


@pytest.mark.parametrize(("seed", "complete"), CASES)
def test_density_is_the_dense_one(seed, complete):
    design = random_design(seed, complete=complete)
    block, rng = block_of(design), np.random.default_rng(seed)
    for _ in range(3):
        effects, noise = standard_deviations(block, rng)
        x = block.coordinates(effects, noise)
        np.testing.assert_allclose(block.standard_deviations(x)[0], effects, rtol=1e-9)
        mean = np.full(len(design.response), block.mean)
        expected = stats.multivariate_normal(
            mean, dense(design, block, effects[:, 0], noise[:, 0])
        ).logpdf(design.response)
        free = effects[block.is_free, 0]
        expected += stats.expon(scale=0.1).logpdf(np.concatenate([free, noise[:, 0]])).sum()
        # Jacobians of log and of sinh.
        expected += np.log(noise).sum() + np.log(np.hypot(free, block.error)).sum()
        assert block.log_density(x)[0] == pytest.approx(expected, rel=1e-8, abs=1e-7)


@pytest.mark.parametrize(("seed", "complete"), CASES[:24])
def test_effects_and_moments_are_the_dense_ones(seed, complete):
    design = random_design(seed, complete=complete)
    block, rng = block_of(design), np.random.default_rng(seed)
    n_effects, n = block.parts[0].structure.n_effects, 20_000
    if not n_effects:
        pytest.skip("nothing to draw")
    effects, noise = standard_deviations(block, rng)
    z = np.zeros((len(design.response), n_effects))
    for column in block.parts[0].structure.columns:
        z[np.flatnonzero(column >= 0), column[column >= 0]] = 1
    prior = np.concatenate([[block.mean_sd], effects[:, 0]])[block.parts[0].structure.prior]
    weight = noise[design.noise, 0] ** -2
    covariance = np.linalg.inv(np.diag(prior**-2) + (z.T * weight) @ z)
    mean = covariance @ (z.T @ (weight * (design.response - block.mean)))

    functions = np.vstack([np.eye(n_effects), rng.standard_normal((3, n_effects))])
    found_mean, found_variance = moments(block, effects, noise, functions)
    scale = np.sqrt(np.einsum("fi,ij,fj->f", functions, covariance, functions))
    np.testing.assert_allclose(found_mean[:, 0], functions @ mean, atol=1e-8)
    np.testing.assert_allclose(found_variance[:, 0], scale**2, rtol=1e-7)

    draws = draw_effects(block, np.tile(effects, n), np.tile(noise, n), rng)
    sd = np.sqrt(np.diag(covariance))
    assert (np.abs(draws.mean(1) - mean) < 5 * sd / np.sqrt(n)).all()
    error = np.abs(np.cov(draws) - covariance) / np.outer(sd, sd)
    assert error.max() < 6 * np.sqrt(2 / n)


@pytest.mark.parametrize(("seed", "complete"), CASES[:12])
def test_large_systems_go_the_other_way_to_the_same_numbers(seed, complete, monkeypatch):
    """From some size on LAPACK factorises, and counts are sparse."""
    design = random_design(seed, complete=complete)
    effects, noise = standard_deviations(block_of(design), np.random.default_rng(seed), 3)
    found = []
    for size, dense_to in ((24, 1 << 18), (-1, 0)):
        monkeypatch.setattr("bayesbias.inference.elimination._SMALL", size)
        monkeypatch.setattr("bayesbias.inference.elimination._DENSE", dense_to)
        block = block_of(design)
        if not block.parts[0].structure.n_effects:
            pytest.skip("nothing to factorise")
        density = block.log_density(block.coordinates(effects, noise))
        functions = np.eye(block.parts[0].structure.n_effects)
        draws = draw_effects(block, effects, noise, np.random.default_rng(1))
        found.append([density, *moments(block, effects, noise, functions), draws])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-10)


def test_size_follows_the_groups_in_complete_data():
    """However many words, the system that is factorised has a few rows."""
    sizes = []
    for n in (6, 60):
        word, attribute = (g.ravel() for g in np.indices((n, n)))
        connection = (word + attribute) % 2
        zero = np.zeros_like(word)
        terms = (
            term("word", numbered(word), zero),
            term("word_connection", numbered(word, connection), connection),
            term("attribute", numbered(attribute), zero),
            term("group_attribute", numbered(word % 2, attribute), zero),
        )
        rng = np.random.default_rng(0)
        design = Design(
            protected_words=tuple(map(str, range(n))),
            groups=("0", "1"),
            connections=("a", "b"),
            attributes=tuple(map(str, range(n))),
            kinds=("stereotype",),
            attribute_sets=("stereotypes",),
            word=word,
            group=np.arange(n) % 2,
            connection=connection,
            attribute=attribute,
            attribute_set=zero,
            kind=np.zeros(n, np.int64),
            response=rng.standard_normal(n * n),
            terms=terms,
            noise=connection,
            noise_labels=("a", "b"),
            noise_dim="connection",
            fixed_mean=None,
            noise_similar=np.zeros(2, dtype=bool),
        )
        structure = block_of(design).parts[0].structure
        sizes.append((structure.n_kept, structure.gone.n_classes, structure.gone.width))
    assert sizes[0] == sizes[1] == (8, 2, 3)
