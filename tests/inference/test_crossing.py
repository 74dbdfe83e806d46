"""Blocks of similar attributes against dense normal algebra: density, draws and moments."""

import dataclasses

import numpy as np
import pytest
from alike import (
    dense_conditional,
    dense_covariance,
    list_frame,
    named_sds,
    with_profiles,
    with_similar_noise,
)
from scipy import stats

from bayesbias.inference.block import Block, blocks_of
from bayesbias.inference.crossing import Crossed, crossing
from bayesbias.inference.design import Design
from bayesbias.inference.effects import draw_effects, moments
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.model_files import load_model
from bayesbias.inference.priors import Prior
from bayesbias.inference.terms import NoiseSpec, TermSpec

MAXIMAL = load_model("maximal")


def random_frame(seed):
    """Groups of one to four words, lists of any size, pairs in any order, profiles of any rank."""
    rng = np.random.default_rng(seed)
    n_groups = 1 + seed % 3
    frame = list_frame(
        n_words=rng.integers(1, 5, n_groups) + (n_groups == 1),
        sizes=rng.integers(2, 6, max(2, n_groups)),
        n_human=int(rng.integers(2, 6)),
        n_neutral=int(rng.integers(2, 6)),
        n_reference=int(rng.integers(2, 5)) * (seed // 3 % 2),
        seed=seed,
    )
    if seed % 4 == 3:
        frame = frame.sample(frac=1.0, random_state=seed).reset_index(drop=True)
    return with_profiles(frame, n_sample=4 if seed // 6 % 2 else 40, seed=seed)


def model_of(seed, frame):
    """The terms that the frame can tell, with and without a similar part of the noise."""
    spec = MAXIMAL.replace(noise=MAXIMAL.noise.alone())
    if seed // 12 % 2:
        spec = with_similar_noise(spec)
    if seed % 5 == 4:
        spec = spec.replace(connection_mean=1.0)
    return drop_unidentified_terms(spec, frame)[0]


def standard_deviations(block, rng, size=1):
    effects = rng.exponential(0.1, (len(block.sds), size))
    effects[~block.is_free] = block.fixed_sds[~block.is_free, None]
    return effects, rng.uniform(0.03, 0.3, (len(block.noise), size))


def made(seed):
    """Every block of a random frame, with the rows that it is about."""
    frame = random_frame(seed)
    spec = model_of(seed, frame)
    design = Design.from_frame(frame, spec)
    for connections in blocks_of(design):
        block = Block(design, spec, connections)
        assert isinstance(block.parts[0], Crossed)
        rows = frame["connection"].isin([design.connections[c] for c in connections])
        yield frame[rows], spec, design, block


@pytest.mark.parametrize("seed", range(24))
def test_density_is_the_dense_one(seed):
    for frame, spec, design, block in made(seed):
        rng = np.random.default_rng(seed)
        effects, noise = standard_deviations(block, rng, 3)
        found = block.parts[0].log_likelihood(block.mean_sd, effects, noise)
        for at in range(3):
            sds = named_sds(design, block, effects[:, at], noise[:, at])
            covariance = dense_covariance(frame, spec, sds, block.mean_sd)
            law = stats.multivariate_normal(np.full(len(frame), block.mean), covariance)
            expected = law.logpdf(frame["cosine_distance"])
            assert found[at] == pytest.approx(expected, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("seed", range(24))
def test_moments_are_the_dense_ones(seed):
    for frame, spec, design, block in made(seed):
        rng = np.random.default_rng(seed)
        effects, noise = standard_deviations(block, rng, 2)
        functions = np.vstack([np.eye(block.n_effects), rng.standard_normal((3, block.n_effects))])
        mean, variance = moments(block, effects, noise, functions)
        for at in range(2):
            expected, covariance = dense_conditional(
                frame, spec, design, block, effects[:, at], noise[:, at]
            )
            np.testing.assert_allclose(mean[:, at], functions @ expected, atol=1e-8)
            exact = np.einsum("fi,ij,fj->f", functions, covariance, functions)
            np.testing.assert_allclose(variance[:, at], exact, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("seed", [0, 1, 4, 5, 8, 13, 16, 23])
def test_draws_have_the_dense_moments(seed):
    n = 4_000
    for frame, spec, design, block in made(seed):
        rng = np.random.default_rng(seed)
        effects, noise = standard_deviations(block, rng)
        mean, covariance = dense_conditional(frame, spec, design, block, effects[:, 0], noise[:, 0])
        draws = draw_effects(block, np.tile(effects, n), np.tile(noise, n), rng)
        sd = np.sqrt(np.diag(covariance))
        assert (np.abs(draws.mean(axis=1) - mean) < 5 * sd / np.sqrt(n)).all()
        error = np.abs(np.cov(draws) - covariance) / np.outer(sd, sd)
        assert error.max() < 6 * np.sqrt(2 / n)


def without_similarity(design):
    none = np.zeros(len(design.noise_labels), dtype=bool)
    return dataclasses.replace(design, similarity=None, nearness=None, noise_similar=none)


@pytest.mark.parametrize("seed", [0, 4, 5])
def test_attributes_that_are_not_alike_are_any_other_attributes(seed):
    """The same numbers from code that shares nothing with it but the levels."""
    frame = random_frame(seed)
    spec = model_of(seed, frame)
    plain = without_similarity(Design.from_frame(frame, spec))
    design = dataclasses.replace(plain, similarity=np.eye(len(plain.attributes)))
    for connections in blocks_of(design):
        one, other = (Block(d, spec, connections) for d in (design, plain))
        assert isinstance(one.parts[0], Crossed)
        assert not isinstance(other.parts[0], Crossed)
        rng = np.random.default_rng(seed)
        effects, noise = standard_deviations(one, rng, 3)
        x = one.coordinates(effects, noise)
        np.testing.assert_allclose(one.log_density(x), other.log_density(x), rtol=1e-9)
        functions = rng.standard_normal((4, one.n_effects))
        for found, expected in zip(
            moments(one, effects, noise, functions),
            moments(other, effects, noise, functions),
            strict=True,
        ):
            np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-10)


def test_many_values_at_a_time_are_the_same_as_few(monkeypatch):
    frame = random_frame(16)
    spec = model_of(16, frame)
    design = Design.from_frame(frame, spec)
    found = []
    for numbers in (1 << 20, 1):
        monkeypatch.setattr("bayesbias.inference.crossing._CHUNK", numbers)
        block = Block(design, spec, blocks_of(design)[0])
        assert (block.parts[0].step == 1) is (numbers == 1)
        effects, noise = standard_deviations(block, np.random.default_rng(1), 5)
        functions = np.random.default_rng(2).standard_normal((9, block.n_effects))
        density = block.log_density(block.coordinates(effects, noise))
        found.append([density, *moments(block, effects, noise, functions)])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10)


def test_words_of_a_class_cost_nothing():
    """However many words, the system that is factorised has the same rows."""
    sizes = []
    for n in (3, 30):
        frame = with_profiles(list_frame(n_words=(n, n), n_reference=n))
        spec = model_of(12, frame)
        design = Design.from_frame(frame, spec)
        crossed = Block(design, spec, blocks_of(design)[0]).parts[0]
        sizes.append((crossed.n_kept, crossed.n_classes))
    assert sizes[0] == sizes[1]
    assert sizes[0][1] == 3  # two groups, and the reference words


def test_a_crossing_is_of_every_word_with_every_attribute():
    word, attribute = (g.ravel() for g in np.indices((3, 4)))
    order = np.random.default_rng(0).permutation(12)
    word, attribute = word[order], attribute[order]
    rows = crossing(word, attribute)
    np.testing.assert_array_equal(word[rows], np.indices((3, 4))[0])
    np.testing.assert_array_equal(attribute[rows], np.indices((3, 4))[1])
    assert crossing(word[1:], attribute[1:]) is None
    twice = np.r_[0, 0, 2:12]
    assert crossing(word[twice], attribute[twice]) is None


SD = Prior("exponential", rate=10.0)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        (
            {
                "terms": [
                    TermSpec("x", ["attribute"], SD, sd_by="attribute_set", similar=["attribute"])
                ]
            },
            "attributes differ in the standard deviation of their effects",
        ),
        (
            {
                "terms": [
                    TermSpec("word", ["protected_word"], SD),
                    TermSpec("x", ["attribute"], SD, connections=["human"], similar=["attribute"]),
                ]
            },
            "similar, but not an effect of attributes",
        ),
        (
            {"noise": NoiseSpec(SD, "attribute_set", ["attribute"], SD)},
            "the noise differs between a word's attributes",
        ),
    ],
)
def test_what_is_not_independent_after_rotation_is_refused(changes, complaint):
    frame = with_profiles(list_frame())
    spec = load_model("crossed").replace(**changes)
    design = Design.from_frame(frame, spec)
    with pytest.raises(ValueError, match=complaint):
        [Block(design, spec, connections) for connections in blocks_of(design)]


def test_a_missing_pair_is_refused():
    frame = with_profiles(list_frame())
    spec = model_of(12, frame)
    design = Design.from_frame(frame.drop(index=4).reset_index(drop=True), spec)
    with pytest.raises(ValueError, match="not every word meets every attribute once"):
        Block(design, spec, blocks_of(design)[0])
