"""Copies of the same pairs (training runs), rotated: the same numbers as without."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from alike import dense_conditional, dense_covariance, list_frame, named_sds, with_profiles
from scipy import stats

import bayesbias as bb
from bayesbias.inference import block as block_module
from bayesbias.inference.block import Block, blocks_of
from bayesbias.inference.crossing import Crossed
from bayesbias.inference.design import Design
from bayesbias.inference.effects import draw_effects, moments
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.simulate.assumptions import world_frame

RUNS = bb.load_model("runs").without_similarity()


def frame_of_runs(n_runs=3, *, n_words=4, n_attributes=6, n_neutral=3, seed=1):
    one = world_frame(n_words, n_attributes, n_groups=2, n_human=0, n_neutral=n_neutral)
    frame = pd.concat([one.assign(run=f"run {r}") for r in range(n_runs)], ignore_index=True)
    rng = np.random.default_rng(seed)
    frame["cosine_distance"] += 0.1 * rng.standard_normal(len(frame))
    return frame.sample(frac=1.0, random_state=seed).reset_index(drop=True)


def both_ways(frame, model, monkeypatch):
    """Blocks as they are, and with the copies treated as any other pairs."""
    spec, _ = drop_unidentified_terms(model, frame)
    design = Design.from_frame(frame, spec)
    rotated = [Block(design, spec, connections) for connections in blocks_of(design)]
    with monkeypatch.context() as patch:
        patch.setattr(block_module, "find_replicates", lambda *_: None)
        plain = [Block(design, spec, connections) for connections in blocks_of(design)]
    return list(zip(rotated, plain, strict=True))


def standard_deviations(block, size=1):
    rng = np.random.default_rng(2)
    effects = rng.uniform(0.02, 0.2, (len(block.sds), size))
    effects[~block.is_free] = block.fixed_sds[~block.is_free, None]
    return effects, rng.uniform(0.05, 0.2, (len(block.noise), size))


def no_pair(spec):
    return spec.without(["pair"])


def one_noise_for_all(spec):
    return spec.replace(noise=bb.models.NoiseSpec(spec.noise.prior))


def fixed_mean(spec):
    return spec.replace(connection_mean=1.0)


@pytest.mark.parametrize("change", [lambda spec: spec, no_pair, one_noise_for_all, fixed_mean])
def test_density_and_moments_are_those_of_the_plain_block(change, monkeypatch):
    spec = change(RUNS)
    for rotated, plain in both_ways(frame_of_runs(), spec, monkeypatch):
        assert rotated.replicates is not None
        assert plain.replicates is None
        effects, noise = standard_deviations(rotated, 3)
        x = rotated.coordinates(effects, noise)
        np.testing.assert_allclose(rotated.log_density(x), plain.log_density(x), rtol=1e-9)
        rng = np.random.default_rng(3)
        weights = rng.standard_normal((4, rotated.n_effects))
        without_single = weights.copy()
        if (single := rotated.replicates.single) is not None:
            without_single[:, rotated.offset[single] : rotated.offset[single + 1]] = 0.0
        for wanted in (weights, without_single):
            for found, expected in zip(
                moments(rotated, effects, noise, wanted),
                moments(plain, effects, noise, wanted),
                strict=True,
            ):
                np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-10)


def test_draws_have_the_moments_of_the_plain_block(monkeypatch):
    n = 4_000
    for rotated, plain in both_ways(frame_of_runs(n_neutral=0), RUNS, monkeypatch):
        effects, noise = standard_deviations(rotated)
        functions = np.random.default_rng(4).standard_normal((3, rotated.n_effects))
        functions = np.vstack([np.eye(rotated.n_effects), functions])
        mean, variance = moments(plain, effects, noise, functions)
        rng = np.random.default_rng(5)
        draws = functions @ draw_effects(rotated, np.tile(effects, n), np.tile(noise, n), rng)
        sd = np.sqrt(variance[:, 0])
        assert (np.abs(draws.mean(axis=1) - mean[:, 0]) < 5 * sd / np.sqrt(n)).all()
        np.testing.assert_allclose(draws.std(axis=1), sd, rtol=5 / np.sqrt(2 * n))


def drop_a_pair(frame):
    return frame.drop(index=5).reset_index(drop=True)


@pytest.mark.parametrize("change", [drop_a_pair])
def test_incomplete_copies_are_fitted_as_any_other_pairs(change):
    frame = change(frame_of_runs())
    spec, _ = drop_unidentified_terms(RUNS, frame)
    design = Design.from_frame(frame, spec)
    blocks = [Block(design, spec, connections) for connections in blocks_of(design)]
    assert any(block.replicates is None for block in blocks)


def test_size_does_not_follow_the_runs():
    spec = RUNS
    sizes = []
    for n_runs, n_words in ((3, 20), (9, 24)):
        frame = frame_of_runs(n_runs, n_words=n_words, n_attributes=n_words, n_neutral=n_words)
        simpler, _ = drop_unidentified_terms(spec, frame)
        design = Design.from_frame(frame, simpler)
        sizes.append([Block(design, simpler, c).n_kept for c in blocks_of(design)])
    assert sizes[0] == sizes[1]
    assert max(sizes[0]) < 24


def alike(term):
    return dataclasses.replace(term, similar=("attribute",))


def similar_blocks(seed):
    """Blocks of runs whose attributes are alike, with the rows that they are about."""
    one = list_frame(n_reference=2 * (seed % 2), seed=seed)
    frame = pd.concat([one.assign(run=f"run {r}") for r in range(3)], ignore_index=True)
    frame["cosine_distance"] += 0.05 * np.random.default_rng(seed).standard_normal(len(frame))
    frame = with_profiles(frame.sample(frac=1.0, random_state=seed).reset_index(drop=True))
    spec = bb.load_model("runs")
    if seed == 1:  # what single runs have with similar attributes is alike too
        own = {"run", "attribute"}
        spec = spec.replace(terms=tuple(alike(t) if own <= {*t.by} else t for t in spec.terms))
    spec, _ = drop_unidentified_terms(spec, frame)
    if seed > 1:
        spec = spec.without(["pair" if seed == 2 else "pair_similar"])
    design = Design.from_frame(frame, spec)
    for connections in blocks_of(design):
        block = Block(design, spec, connections)
        assert block.replicates is not None
        assert isinstance(block.parts[0], Crossed)
        own = frame["connection"].isin([design.connections[c] for c in connections])
        yield frame[own], spec, design, block


@pytest.mark.parametrize("seed", range(4))
def test_similar_attributes_have_the_dense_density_and_moments(seed):
    for frame, spec, design, block in similar_blocks(seed):
        effects, noise = standard_deviations(block, 2)
        found = sum(part.log_likelihood(block.mean_sd, effects, noise) for part in block.parts)
        weights = np.random.default_rng(seed).standard_normal((4, block.n_effects))
        for single in (block.replicates.single, block.replicates.alike):
            if single is not None:
                weights[:, block.offset[single] : block.offset[single + 1]] = 0.0
        means, variances = moments(block, effects, noise, weights)
        for at in range(2):
            sds = named_sds(design, block, effects[:, at], noise[:, at])
            covariance = dense_covariance(frame, spec, sds, block.mean_sd)
            law = stats.multivariate_normal(np.full(len(frame), block.mean), covariance)
            assert found[at] == pytest.approx(law.logpdf(frame["cosine_distance"]), rel=1e-8)
            mean, covariance = dense_conditional(
                frame, spec, design, block, effects[:, at], noise[:, at]
            )
            np.testing.assert_allclose(means[:, at], weights @ mean, atol=1e-8)
            exact = np.einsum("fi,ij,fj->f", weights, covariance, weights)
            np.testing.assert_allclose(variances[:, at], exact, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_draws_with_similar_attributes_have_the_dense_moments(seed):
    n = 3_000
    for frame, spec, design, block in similar_blocks(seed):
        effects, noise = standard_deviations(block)
        mean, covariance = dense_conditional(frame, spec, design, block, effects[:, 0], noise[:, 0])
        rng = np.random.default_rng(seed)
        draws = draw_effects(block, np.tile(effects, n), np.tile(noise, n), rng)
        sd = np.sqrt(np.diag(covariance))
        assert (np.abs(draws.mean(axis=1) - mean) < 5 * sd / np.sqrt(n)).all()
        error = np.abs(np.cov(draws) - covariance) / np.outer(sd, sd)
        assert error.max() < 6 * np.sqrt(2 / n)


def test_effects_of_similar_pairs_are_not_solved_for():
    _, _, _, block = next(similar_blocks(0))
    effects, noise = standard_deviations(block)
    weights = np.zeros((1, block.n_effects))
    for term in (block.replicates.alike, block.replicates.single):
        asked = weights.copy()
        asked[:, block.offset[term]] = 1.0
        with pytest.raises(ValueError, match="of single pairs"):
            moments(block, effects, noise, asked)
