"""Every kind of block against dense normal algebra: density, moments and draws of its effects."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from alike import (
    RATE,
    SHARE,
    absolute,
    dense_conditional,
    dense_covariance,
    designed,
    list_frame,
    named_sds,
    profiles_for,
    standard_deviations,
    with_similar_noise,
)
from samples import irregular_frame
from scipy import stats

from bayesbias.engine.adapting import without_absent_terms
from bayesbias.engine.block import Block, blocks_of, complete_table, every_block
from bayesbias.engine.effects import draw_effects, given_others, moments
from bayesbias.engine.rotation import RotatedBlock
from bayesbias.models import design as design_module
from bayesbias.models.design import Design
from bayesbias.models.specification import load_model, with_term
from bayesbias.models.terms import NoiseSpec, TermSpec

MAXIMAL = absolute("maximal")
FACTORS = [
    ["protected_word"],
    ["protected_word", "connection"],
    ["attribute"],
    ["group", "attribute"],
    ["context"],
    ["protected_word", "attribute"],
    ["context", "protected_word"],
    ["group", "connection"],
]


def any_terms(seed, *, complete):
    """Pairs, groups, lists and terms at random, of every kind that a user can write."""
    rng = np.random.default_rng(seed)
    n_words, n_attributes, n_groups = rng.integers(2, 6), rng.integers(2, 7), rng.integers(1, 4)
    connections = np.array(["associated", "different", "unassigned"])[: rng.integers(1, 4)]
    if complete:
        word, attribute = (g.ravel() for g in np.indices((n_words, n_attributes)))
        lists = rng.integers(0, len(connections), (n_groups, n_attributes))
        connection = lists[word % n_groups, attribute]
    else:
        n = int(rng.integers(10, 60))
        word, attribute = rng.integers(0, n_words, n), rng.integers(0, n_attributes, n)
        connection = rng.integers(0, len(connections), n)
    columns = {
        "protected_word": word,
        "group": word % n_groups,
        "attribute": attribute,
        "context": attribute % 3 if complete else rng.integers(0, 3, len(word)),
        "attribute_set": 0,
        "connection": connections[connection],
    }
    frame = pd.DataFrame(columns).astype(str)
    frame["cosine_distance"] = 1 + 0.3 * rng.standard_normal(len(word))
    terms = []
    for i in rng.choice(len(FACTORS), rng.integers(0, 6), replace=False):
        by = FACTORS[i]
        where = connections[1:].tolist() if rng.random() < 0.4 else []
        sd_by = str(rng.choice(by)) if rng.random() < 0.4 and len(by) > 1 else None
        scatter = {"sd": 0.07} if rng.random() < 0.2 else {"prior": RATE, "sd_by": sd_by}
        terms.append(TermSpec(f"t{i}", by, connections=where, **scatter))
    noise = NoiseSpec(RATE, "connection" if rng.random() < 0.6 else None)
    spec = load_model("paper").replace(terms=terms, noise=noise)
    return frame, spec.replace(connection_mean=1.0) if rng.random() < 0.3 else spec, None


def similar_attributes(seed):
    """Groups of one to four words, lists of any size, pairs in any order, profiles of any rank."""
    rng = np.random.default_rng(seed)
    n_groups = 1 + seed % 3
    frame = list_frame(
        n_words=rng.integers(1, 5, n_groups) + (n_groups == 1),
        sizes=rng.integers(2, 6, max(2, n_groups)),
        n_human=int(rng.integers(2, 6)),
        n_neutral=int(rng.integers(2, 6)),
        matched=seed // 3 % 2 > 0,
        seed=seed,
    )
    if seed % 4 == 3:
        frame = frame.sample(frac=1.0, random_state=seed).reset_index(drop=True)
    profiles = profiles_for(frame, n_sample=4 if seed // 6 % 2 else 40, seed=seed)
    spec = MAXIMAL.replace(noise=MAXIMAL.noise.alone())
    if seed // 12 % 2:
        spec = with_similar_noise(spec)
    if seed % 5 == 4:
        spec = spec.replace(connection_mean=load_model("crossed").connection_mean)
    return frame, without_absent_terms(spec, frame), profiles


def profiled(name, **sizes):
    """Lists with profiles or without, or pairs that are no table."""
    frame = irregular_frame(3) if name == "irregular" else list_frame(**sizes)
    profiles = profiles_for(frame) if name == "alike" else None
    return frame, designed(frame, "maximal", profiles)[1], profiles


def slopes(name):
    """Numbers of attributes and of words that distances follow."""
    frame, spec, profiles = profiled(name, matched=True)
    rng = np.random.default_rng(0)
    for column, of in (("rare", "attribute"), ("long", "protected_word")):
        code, words = pd.factorize(frame[of])
        values = (5.0 + 3.0 * rng.standard_normal(len(words)))[code]
        frame[column] = values
        frame[f"standard {column}"] = (values - values.mean()) / values.std()
    kind = ["attribute_kind"]
    more = (
        TermSpec("rarity", kind, sd=0.1, of="rare"),
        TermSpec("both", ["group", *kind], RATE, sd_by=kind[0], of="long"),
    )
    return frame, spec.replace(terms=(*spec.terms, *more)), profiles


def summing(name):
    """Groups, also three, whose effects on every attribute sum to 0; pairs that lack some.

    Or attributes, whose effects on every group do.
    """
    controls = {"n_human": 0, "n_neutral": 0} if name == "attributes" else {}
    frame, spec, profiles = profiled(name, n_words=(3, 2, 2), sizes=(3, 3, 2), **controls)
    for term in spec.terms:
        if {"group", "attribute"} <= {*term.by}:
            changes = {"sum_to_zero": ("group",)}
            if name == "attributes":
                changes = {"sum_to_zero": ("attribute",), "sd_by": None}
            spec = with_term(spec, term.name, **changes)
    return frame, spec, profiles


def missing(name):
    """Complete designs that lack some pairs."""
    frame = list_frame(n_words=(4, 3, 3), sizes=(4, 3, 3), matched=True)
    frame = frame.drop(index=[0, 5, 31, 60, len(frame) - 1]).reset_index(drop=True)
    _, spec = designed(frame, "maximal")
    if name == "summing":
        spec = with_term(spec, "group_attribute", sum_to_zero=("group",))
    if name == "noise":  # of attributes
        spec = spec.replace(noise=NoiseSpec(RATE, "attribute_set"))
    if name == "sds":
        spec = with_term(spec, "attribute", sd_by="attribute_set")
    if name == "slopes":
        frame["rare"] = np.random.default_rng(0).standard_normal(len(frame))
        frame["standard rare"] = (frame.rare - frame.rare.mean()) / frame.rare.std(ddof=0)
        spec = spec.replace(terms=(*spec.terms, TermSpec("rarity", [], sd=0.1, of="rare")))
    return frame, spec, None


def cases(seeds=25, similar=range(24)):
    """Every kind of block, of random ones as many as `seeds`."""
    found = {
        f"{'complete' if complete else 'irregular'}-{seed}": partial(
            any_terms, seed, complete=complete
        )
        for seed in range(seeds)
        for complete in (True, False)
    }
    found |= {f"similar-{seed}": partial(similar_attributes, seed) for seed in similar}
    sloped = "plain", "alike", "irregular"
    found |= {f"slopes-{name}": partial(slopes, name) for name in sloped}
    summed = "plain", "alike", "irregular", "attributes"
    found |= {f"summing-{name}": partial(summing, name) for name in summed}
    lacking = "plain", "summing", "noise", "sds", "slopes"
    found |= {f"missing-{name}": partial(missing, name) for name in lacking}
    return [pytest.param(make, id=name) for name, make in found.items()]


def made(make, monkeypatch):
    """Every block of a case, with the rows that it is about."""
    # Also terms that these pairs cannot tell.
    monkeypatch.setattr(design_module, "refuse_unfit", lambda *_: None)
    frame, spec, profiles = make()
    design = Design(frame, spec, profiles)
    everything = [list(range(len(design.connections)))]
    for connections in everything if make.func is any_terms else blocks_of(design):
        block = Block(design, spec, connections)
        if design.similarity is not None:
            assert isinstance(block.part, RotatedBlock)
        rows = frame["connection"].isin([design.connections[c] for c in connections])
        yield frame[rows], spec, design, block, profiles


def coordinates(block, seed, size):
    """Coordinates of standard deviations between .3 and 3 times their error, and of shares."""
    rng = np.random.default_rng(seed)
    effects = np.arcsinh(rng.uniform(0.3, 3.0, (size, block.n_free)))
    noise = np.log(rng.uniform(0.03, 0.3, (size, len(block.noise))))
    return np.hstack([effects, noise, 2.0 * rng.standard_normal((size, block.n_shares))])


@pytest.mark.parametrize("make", cases())
def test_density_is_the_dense_one(make, monkeypatch):
    for frame, spec, design, block, profiles in made(make, monkeypatch):
        x = coordinates(block, 1, 2)
        effects, noise = block.standard_deviations(x)
        found = block.log_density(x)
        for at in range(2):
            sds = named_sds(design, block, effects[:, at], noise[:, at])
            covariance = dense_covariance(frame, spec, sds, profiles)
            law = stats.multivariate_normal(np.full(len(frame), block.mean), covariance)
            expected = law.logpdf(frame["cosine_distance"])
            free, total = effects[block.is_free, at], noise[:, at].copy()
            levels, parts = block.shared
            total[levels] = np.sqrt(noise[levels, at] ** 2 + effects[parts, at] ** 2)
            share = effects[parts, at] ** 2 / total[levels] ** 2
            priors = [*block.effect_priors, *[block.noise_prior] * len(noise)]
            both = zip(priors, [*free, *total], strict=True)
            expected += sum(prior.log_density(sd) for prior, sd in both)
            if len(share):
                expected += stats.beta(0.5, 0.5).logpdf(share).sum()
            joint = block.log_joint(effects[:, [at]], noise[:, [at]])
            assert joint[0] - expected == pytest.approx(np.log(share * (1 - share)).sum(), abs=1e-6)
            # Jacobians of log, of sinh, and of log ρ / (1 − ρ).
            expected += np.log(total).sum() + np.log(np.hypot(free, block.error)).sum()
            expected += np.log(share * (1 - share)).sum()
            assert found[at] == pytest.approx(expected, rel=1e-9, abs=1e-8)


@pytest.mark.parametrize("make", cases(12))
def test_moments_are_the_dense_ones(make, monkeypatch):
    for frame, spec, design, block, profiles in made(make, monkeypatch):
        effects, noise = standard_deviations(block, 2, 2)
        n = len(block.parameters)
        functions = np.vstack([np.eye(n), np.random.default_rng(2).standard_normal((3, n))])
        sds = effects[:, 1], noise[:, 1]
        expected, covariance = dense_conditional(frame, spec, design, block, *sds, profiles)
        mean, variance = moments(block, effects, noise, functions @ block.mixing)
        np.testing.assert_allclose(mean[:, 1], functions @ expected, atol=1e-8)
        exact = np.einsum("fi,ij,fj->f", functions, covariance, functions)
        np.testing.assert_allclose(variance[:, 1], exact, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("make", cases(12))
def test_every_pair_given_all_others_is_dense(make, monkeypatch):
    """By the inverse of the covariance, and of some pairs by leaving them out."""
    for frame, spec, design, block, profiles in made(make, monkeypatch):
        effects, noise = standard_deviations(block, 5, 3)
        mean, sd = given_others(block, effects, noise)
        y, at = frame["cosine_distance"].to_numpy(), 2
        sds = named_sds(design, block, effects[:, at], noise[:, at])
        covariance = dense_covariance(frame, spec, sds, profiles)
        precision = np.linalg.inv(covariance)
        diagonal = np.diag(precision)
        np.testing.assert_allclose(sd[at], diagonal**-0.5, rtol=1e-10)
        expected = y - precision @ (y - block.mean) / diagonal
        np.testing.assert_allclose(mean[at], expected, rtol=1e-10, atol=1e-10)
        for i in range(0, len(y), 17):
            rest = np.arange(len(y)) != i
            gain = np.linalg.solve(covariance[rest][:, rest], covariance[rest, i])
            assert mean[at, i] == pytest.approx(block.mean + gain @ (y[rest] - block.mean))
            variance = covariance[i, i] - gain @ covariance[rest, i]
            assert sd[at, i] == pytest.approx(variance**0.5)


@pytest.mark.parametrize("make", cases(6, [0, 1, 4, 5, 8, 13, 16, 23]))
def test_draws_have_the_dense_moments(make, monkeypatch):
    n = 3_000
    for frame, spec, design, block, profiles in made(make, monkeypatch):
        effects, noise = standard_deviations(block, 3)
        sds = effects[:, 0], noise[:, 0]
        mean, covariance = dense_conditional(frame, spec, design, block, *sds, profiles)
        rng = np.random.default_rng(3)
        draws = block.mixing @ draw_effects(block, np.tile(effects, n), np.tile(noise, n), rng)
        sd = np.sqrt(np.diag(covariance))
        assert (np.abs(draws.mean(axis=1) - mean) < 5 * sd / np.sqrt(n)).all()
        error = np.abs(np.cov(draws) - covariance) / np.outer(sd, sd)
        assert error.max(initial=0.0) < 6 * np.sqrt(2 / n)


@pytest.mark.parametrize("make", cases(6, [16])[:13])
def test_values_that_come_one_at_a_time_give_the_same_numbers(make, monkeypatch):
    found = []
    for dense_to, chunk in ((1 << 18, 1 << 20), (0, 1)):
        monkeypatch.setattr("bayesbias.engine.henderson._DENSE", dense_to)
        monkeypatch.setattr("bayesbias.engine.rotation._CHUNK", chunk)
        *_, block, _ = next(made(make, monkeypatch))
        effects, noise = standard_deviations(block, 4, 5)
        density = block.log_density(coordinates(block, 4, 5))
        functions = np.random.default_rng(2).standard_normal((9, block.n_effects))
        found.append([density, *moments(block, effects, noise, functions)])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-10)


def test_effects_that_sum_to_zero_are_of_one_block():
    """Groups that differ in connection, with nothing else in common: their effects correlate."""
    frame = list_frame(n_words=(3, 2), sizes=(3, 2), n_human=0, n_neutral=0)
    terms = [TermSpec("x", ["group", "attribute"], sd=0.1, sum_to_zero=["group"])]
    noise = NoiseSpec(RATE, "connection")
    spec = load_model("paper").replace(connection_mean=1.0, noise=noise, terms=terms)
    assert blocks_of(Design(frame, spec)) == [[0, 1]]
    spec = with_term(spec, "x", sum_to_zero=())
    assert blocks_of(Design(frame, spec)) == [[0], [1]]


def test_size_does_not_follow_words():
    """However many, they fall into blocks of as many rows as there are groups."""
    few, many = (
        [
            sorted(c.basis.shape[1] for c in block.part.components)
            for frame in [list_frame(n_words=(n, n))]
            for block in every_block(*designed(frame, "maximal", profiles_for(frame)))
        ]
        for n in (3, 30)
    )
    assert few == many
    assert max(map(max, few)) <= 2


def test_a_complete_table_is_of_every_word_with_every_attribute():
    order = np.random.default_rng(0).permutation(12)
    word, attribute = (g.ravel()[order] for g in np.indices((3, 4)))
    rows = complete_table(word, attribute)
    np.testing.assert_array_equal(word[rows], np.indices((3, 4))[0])
    np.testing.assert_array_equal(attribute[rows], np.indices((3, 4))[1])
    assert complete_table(word[1:], attribute[1:]) is None
    for twice in (np.r_[0, 0:12], np.r_[0, 0, 2:12]):
        assert complete_table(word[twice], attribute[twice]) is None


ALIKE = {"prior": RATE, "similar": True}


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        (
            {"terms": [TermSpec("x", ["attribute"], sd_by="attribute_set", **ALIKE)]},
            "attributes differ in the standard deviation of their effects",
        ),
        (
            {
                "terms": [
                    TermSpec("word", ["protected_word"], RATE),
                    TermSpec("x", ["attribute"], connections=["human"], **ALIKE),
                ]
            },
            "similar, but not an effect of attributes",
        ),
        (
            {"noise": NoiseSpec(RATE, "attribute_set", SHARE)},
            "the noise differs between a word's attributes",
        ),
        ({"terms": MAXIMAL.terms}, "not every word meets every attribute once"),
    ],
)
def test_what_is_not_independent_after_rotation_is_refused(changes, complaint):
    frame = list_frame()
    profiles = profiles_for(frame)
    spec = without_absent_terms(load_model("crossed").replace(**changes), frame)
    if "every word" in complaint:
        frame = frame.drop(index=4).reset_index(drop=True)
    with pytest.raises(ValueError, match=complaint):
        [block.part for block in every_block(Design(frame, spec, profiles), spec)]
