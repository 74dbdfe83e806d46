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
    standard_deviations,
    with_profiles,
    with_similar_noise,
)
from samples import irregular_frame
from scipy import stats

from bayesbias.inference import design as design_module
from bayesbias.inference.block import Block, blocks_of, every_block
from bayesbias.inference.complete_block import CompleteBlock
from bayesbias.inference.complete_layout import complete_layout
from bayesbias.inference.design import Design
from bayesbias.inference.effects import draw_effects, moments
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.model_files import load_model
from bayesbias.inference.specification import with_term
from bayesbias.inference.terms import NoiseSpec, TermSpec
from bayesbias.simulate.assumptions import world_frame

MAXIMAL = absolute("maximal")
RUNS = absolute("runs").without_similarity()
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
    connections = np.array(["associated", "different", "reference"])[: rng.integers(1, 4)]
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
    spec = load_model("paper").replace(terms=terms, noise=noise, reference_words=True)
    return frame, spec.replace(connection_mean=1.0) if rng.random() < 0.3 else spec


def similar_attributes(seed):
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
    frame = with_profiles(frame, n_sample=4 if seed // 6 % 2 else 40, seed=seed)
    spec = MAXIMAL.replace(noise=MAXIMAL.noise.alone())
    if seed // 12 % 2:
        spec = with_similar_noise(spec)
    if seed % 5 == 4:
        spec = spec.replace(connection_mean=1.0)
    return frame, drop_unidentified_terms(spec, frame)[0]


def in_runs(frame, n=3):
    runs = pd.concat([frame.assign(run=f"run {r}") for r in range(n)], ignore_index=True)
    runs["cosine_distance"] += 0.05 * np.random.default_rng(n).standard_normal(len(runs))
    return runs.sample(frac=1.0, random_state=1).reset_index(drop=True)


def frame_of_runs(n_runs=3, *, n_words=4, n_attributes=6, n_neutral=3):
    one = world_frame(n_words, n_attributes, n_groups=2, n_human=0, n_neutral=n_neutral)
    return in_runs(one, n_runs)


def runs(change):
    """Copies of the same pairs, which are rotated."""
    frame = frame_of_runs()
    spec = {
        "whole": RUNS,
        "without pairs": RUNS.without(["pair"]),
        "one noise": RUNS.replace(noise=NoiseSpec(RUNS.noise.prior)),
        "fixed mean": RUNS.replace(connection_mean=1.0),
    }[change]
    return frame, drop_unidentified_terms(spec, frame)[0]


def similar_runs(seed):
    """Copies whose attributes are alike, with and without effects of single pairs."""
    frame = with_profiles(in_runs(list_frame(n_reference=2 * (seed % 2), seed=seed)))
    spec = absolute("runs")
    if seed == 1:  # what single runs have with similar attributes is alike too
        for term in spec.terms:
            if {"run", "attribute"} <= {*term.by}:
                spec = with_term(spec, term.name, similar=("attribute",))
    spec, _ = drop_unidentified_terms(spec, frame)
    return frame, spec.without(["pair" if seed == 2 else "pair_similar"]) if seed > 1 else spec


def slopes(name):
    """Numbers of attributes and of words that distances follow."""
    make, model = {
        "plain": (lambda: list_frame(n_reference=2), "maximal"),
        "alike": (lambda: with_profiles(list_frame(n_reference=2)), "maximal"),
        "irregular": (lambda: irregular_frame(3), "maximal"),
        "runs": (lambda: in_runs(list_frame()), "runs"),
        "alike runs": (
            lambda: with_profiles(in_runs(list_frame(sizes=(3, 2), n_human=2), 2)),
            "runs",
        ),
    }[name]
    frame, rng = make(), np.random.default_rng(0)
    for column, of in (("rare", "attribute"), ("long", "protected_word")):
        code, words = pd.factorize(frame[of])
        values = (5.0 + 3.0 * rng.standard_normal(len(words)))[code]
        frame[column] = values
        frame[f"standard {column}"] = (values - values.mean()) / values.std()
    kind = ["attribute_kind"]
    more = (
        TermSpec("rarity", kind, sd=0.1, of=["rare"]),
        TermSpec("both", ["group", *kind], RATE, sd_by=kind[0], of=["rare", "long"]),
    )
    _, spec = designed(frame, model)
    return frame, spec.replace(terms=(*spec.terms, *more))


def summing(name):
    """Groups, also three, whose effects on every attribute sum to 0; pairs that lack some."""
    make, model = {
        "plain": (lambda: list_frame(n_words=(3, 2, 2), n_reference=2), "maximal"),
        "alike": (
            lambda: with_profiles(list_frame(n_words=(3, 2, 2), sizes=(3, 3, 2), n_reference=2)),
            "maximal",
        ),
        "irregular": (lambda: irregular_frame(3), "maximal"),
        "runs": (lambda: in_runs(list_frame()), "runs"),
        "alike runs": (
            lambda: with_profiles(in_runs(list_frame(sizes=(3, 2), n_human=2), 2)),
            "runs",
        ),
    }[name]
    frame = make()
    _, spec = designed(frame, model)
    for term in spec.terms:
        if {"group", "attribute"} <= {*term.by}:
            spec = with_term(spec, term.name, sum_to_zero=("group",))
    return frame, spec


def missing(name):
    """Complete designs that lack some pairs: a cell of weight zero each."""
    frame = list_frame(n_words=(4, 3, 3), sizes=(4, 3, 3), n_reference=3)
    frame = frame.drop(index=[0, 5, 31, 60, len(frame) - 1]).reset_index(drop=True)
    frame = in_runs(frame) if name == "runs" else frame
    _, spec = designed(frame, "runs" if name == "runs" else "maximal")
    if name == "summing":
        spec = with_term(spec, "group_attribute", sum_to_zero=("group",))
    if name == "noise":  # of attributes
        spec = spec.replace(noise=NoiseSpec(RATE, "attribute_set"))
    if name == "sds":
        spec = with_term(spec, "attribute", sd_by="attribute_set")
    if name == "slopes":
        frame["rare"] = np.random.default_rng(0).standard_normal(len(frame))
        frame["standard rare"] = (frame.rare - frame.rare.mean()) / frame.rare.std(ddof=0)
        spec = spec.replace(terms=(*spec.terms, TermSpec("rarity", [], sd=0.1, of=["rare"])))
    return frame, spec


def cases(seeds=25, similar=range(24), slow=()):
    """Every kind of block, of random ones as many as `seeds`."""
    found = {
        f"{'complete' if complete else 'irregular'}-{seed}": partial(
            any_terms, seed, complete=complete
        )
        for seed in range(seeds)
        for complete in (True, False)
    }
    found |= {f"similar-{seed}": partial(similar_attributes, seed) for seed in similar}
    changes = "whole", "without pairs", "one noise", "fixed mean"
    found |= {f"runs-{change}": partial(runs, change) for change in changes}
    found |= {f"similar runs-{seed}": partial(similar_runs, seed) for seed in range(4)}
    sloped = "plain", "alike", "irregular", "runs", "alike runs"
    found |= {f"slopes-{name}": partial(slopes, name) for name in sloped}
    summed = "plain", "alike", "irregular", "runs", "alike runs"
    found |= {f"summing-{name}": partial(summing, name) for name in summed}
    lacking = "plain", "summing", "noise", "sds", "slopes", "runs"
    found |= {f"missing-{name}": partial(missing, name) for name in lacking}
    return [
        pytest.param(make, id=name, marks=[pytest.mark.slow] if name in slow else [])
        for name, make in found.items()
    ]


def made(make, monkeypatch):
    """Every block of a case, with the rows that it is about."""
    # Also terms that these pairs cannot tell.
    monkeypatch.setattr(design_module, "refuse_unfit", lambda *_: None)
    frame, spec = make()
    design = Design.from_frame(frame, spec)
    everything = [list(range(len(design.connections)))]
    for connections in everything if make.func is any_terms else blocks_of(design):
        block = Block(design, spec, connections)
        if design.similarity is not None:
            assert all(isinstance(part, CompleteBlock) for part in block.parts)
        if make.func is missing:
            assert isinstance(block.parts[0], CompleteBlock)
        assert (block.replicates is not None) is (
            "run" in frame and any("run" in design.terms[n].columns for n in block.terms)
        )
        rows = frame["connection"].isin([design.connections[c] for c in connections])
        yield frame[rows], spec, design, block


def solved_for(block, functions):
    """Functions whose moments are exact: not those of pairs that are drawn."""
    kept = functions.copy()
    if block.replicates is not None:
        for term in (block.replicates.pair_effect, block.replicates.pair_effect_K):
            if term is not None:
                kept[:, block.offset[term] : block.offset[term + 1]] = 0.0
    return kept


@pytest.mark.parametrize("make", cases())
def test_density_is_the_dense_one(make, monkeypatch):
    for frame, spec, design, block in made(make, monkeypatch):
        effects, noise = standard_deviations(block, 1, 2)
        x = block.coordinates(effects, noise)
        np.testing.assert_allclose(block.standard_deviations(x)[0], effects, rtol=1e-9)
        np.testing.assert_allclose(block.standard_deviations(x)[1], noise, rtol=1e-9)
        found = block.log_density(x)
        for at in range(2):
            sds = named_sds(design, block, effects[:, at], noise[:, at])
            covariance = dense_covariance(frame, spec, sds, block.mean_sd)
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
            # Jacobians of log, of sinh, and of log ρ / (1 − ρ).
            expected += np.log(total).sum() + np.log(np.hypot(free, block.error)).sum()
            expected += np.log(share * (1 - share)).sum()
            assert found[at] == pytest.approx(expected, rel=1e-9, abs=1e-8)


@pytest.mark.parametrize("make", cases(12))
def test_moments_are_the_dense_ones(make, monkeypatch):
    for frame, spec, design, block in made(make, monkeypatch):
        effects, noise = standard_deviations(block, 2, 2)
        more = np.random.default_rng(2).standard_normal((3, block.n_effects))
        functions = solved_for(block, np.vstack([np.eye(block.n_effects), more]))
        wanted = [functions]
        if block.replicates is not None and design.similarity is None:
            wanted.append(more)  # asked for by name, effects of single pairs are solved for
        sds = effects[:, 1], noise[:, 1]
        expected, covariance = dense_conditional(frame, spec, design, block, *sds)
        for asked in wanted:
            mean, variance = moments(block, effects, noise, asked)
            np.testing.assert_allclose(mean[:, 1], asked @ expected, atol=1e-8)
            exact = np.einsum("fi,ij,fj->f", asked, covariance, asked)
            np.testing.assert_allclose(variance[:, 1], exact, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("make", cases(6, [0, 1, 4, 5, 8, 13, 16, 23], slow=["slopes-runs"]))
def test_draws_have_the_dense_moments(make, monkeypatch):
    n = 3_000
    for frame, spec, design, block in made(make, monkeypatch):
        effects, noise = standard_deviations(block, 3)
        mean, covariance = dense_conditional(frame, spec, design, block, effects[:, 0], noise[:, 0])
        rng = np.random.default_rng(3)
        draws = draw_effects(block, np.tile(effects, n), np.tile(noise, n), rng)
        sd = np.sqrt(np.diag(covariance))
        assert (np.abs(draws.mean(axis=1) - mean) < 5 * sd / np.sqrt(n)).all()
        error = np.abs(np.cov(draws) - covariance) / np.outer(sd, sd)
        assert error.max(initial=0.0) < 6 * np.sqrt(2 / n)


@pytest.mark.parametrize("make", cases(6, [16])[:13])
def test_large_systems_go_another_way_to_the_same_numbers(make, monkeypatch):
    """From some size on LAPACK factorises, counts are sparse, and values come one at a time."""
    found = []
    for small, dense_to, chunk in ((10, 1 << 18, 1 << 20), (-1, 0, 1)):
        monkeypatch.setattr("bayesbias.inference.complete_block._TINY", small)
        monkeypatch.setattr("bayesbias.inference.mixed_model_equations._DENSE", dense_to)
        monkeypatch.setattr("bayesbias.inference.complete_block._CHUNK", chunk)
        *_, block = next(made(make, monkeypatch))
        effects, noise = standard_deviations(block, 4, 5)
        density = block.log_density(block.coordinates(effects, noise))
        functions = np.random.default_rng(2).standard_normal((9, block.n_effects))
        draws = draw_effects(block, effects, noise, np.random.default_rng(1))
        found.append([density, *moments(block, effects, noise, functions), draws])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-10)


def similar_words(n):
    return with_profiles(list_frame(n_words=(n, n), n_reference=n))


def runs_of_words(n_runs, n):
    return frame_of_runs(n_runs, n_words=n, n_attributes=n, n_neutral=n)


@pytest.mark.parametrize(
    ("model", "frames"),
    [
        ("maximal", (frame_of_runs(1, n_words=n, n_attributes=n, n_neutral=0) for n in (20, 50))),
        ("maximal", (similar_words(n) for n in (3, 30))),
        ("runs", (runs_of_words(*numbers) for numbers in ((3, 20), (9, 24)))),
    ],
    ids=["words", "similar words", "runs"],
)
def test_size_follows_neither_words_nor_runs(model, frames):
    """However many, the systems that are factorised have a few rows."""
    few, many = ([b.n_kept for b in every_block(*designed(f, model))] for f in frames)
    assert few == many
    assert max(few) < 24


def test_a_complete_layout_is_of_every_word_with_every_attribute():
    order = np.random.default_rng(0).permutation(12)
    word, attribute = (g.ravel()[order] for g in np.indices((3, 4)))
    rows = complete_layout(word, attribute)
    np.testing.assert_array_equal(word[rows], np.indices((3, 4))[0])
    np.testing.assert_array_equal(attribute[rows], np.indices((3, 4))[1])
    rows = complete_layout(word[1:], attribute[1:])
    assert (rows < 0).sum() == 1
    assert rows[word[0], attribute[0]] == -1
    twice = np.r_[0, 0, 2:12]
    assert complete_layout(word[twice], attribute[twice]) is None


ALIKE = {"prior": RATE, "similar": ["attribute"]}


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
            {"noise": NoiseSpec(RATE, "attribute_set", ["attribute"], SHARE)},
            "the noise differs between a word's attributes",
        ),
        ({"terms": MAXIMAL.terms}, "not every word meets every attribute once"),
    ],
)
def test_what_is_not_independent_after_rotation_is_refused(changes, complaint):
    frame = with_profiles(list_frame())
    spec = load_model("crossed").replace(**changes)
    if "every word" in complaint:
        spec, _ = drop_unidentified_terms(spec, frame)
        frame = frame.drop(index=4).reset_index(drop=True)
    with pytest.raises(ValueError, match=complaint):
        [block.parts for block in every_block(Design.from_frame(frame, spec), spec)]


def test_incomplete_copies_are_fitted_as_any_other_pairs():
    frame = frame_of_runs().drop(index=5).reset_index(drop=True)
    spec, _ = drop_unidentified_terms(RUNS, frame)
    blocks = every_block(Design.from_frame(frame, spec), spec)
    assert any(block.replicates is None for block in blocks)


def test_effects_of_similar_pairs_are_not_solved_for(monkeypatch):
    *_, block = next(made(partial(similar_runs, 0), monkeypatch))
    effects, noise = standard_deviations(block, 1)
    for term in (block.replicates.pair_effect_K, block.replicates.pair_effect):
        asked = np.zeros((1, block.n_effects))
        asked[:, block.offset[term]] = 1.0
        with pytest.raises(ValueError, match="of single pairs"):
            moments(block, effects, noise, asked)
