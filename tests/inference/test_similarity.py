"""How alike attributes are: from profiles in a frame's record to what a model may use of them."""

import gc
import json
import pickle
import weakref
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from alike import absolute, alike_by_hand, list_frame, unrelated_by_hand, with_profiles
from gensim.models import KeyedVectors
from samples import common_words
from scipy import stats

import bayesbias as bb
from bayesbias.fits.quantities import FitContext, contrast_weights, quantities
from bayesbias.inference import similarity
from bayesbias.inference.adapting import without_unknown_similarity
from bayesbias.inference.block import Block, blocks_of, every_block
from bayesbias.inference.collapsed import log_marginal_likelihood
from bayesbias.inference.complete_block import CompleteBlock
from bayesbias.inference.conditional import conditional_moments
from bayesbias.inference.design import Design
from bayesbias.inference.effects import moments
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.predictive import thinned
from bayesbias.inference.priors import Prior
from bayesbias.inference.similarity import directions, rank_of, root_of
from bayesbias.inference.terms import TermSpec
from bayesbias.pairs.profile_records import are_profiles, as_dataset, of_dataset, packed, unpacked
from bayesbias.pairs.profiles import averaged, of_sum, profiles_of, profiles_record
from bayesbias.pairs.provenance import provenance_of, with_provenance
from bayesbias.pairs.word_lists import AttributeSet, ProtectedGroup, WordList
from bayesbias.vectors.samples import FEWEST, sample_of

MAXIMAL = absolute("maximal")
UNRELATED = (
    "Attributes count as unrelated: the pairs come without vectors, which would tell how alike "
    "attributes are. Where attributes are of one topic, intervals are too narrow."
)


def suited_to(frame, spec=MAXIMAL):
    return without_unknown_similarity(drop_unidentified_terms(spec, frame)[0], frame)


def similarity_of(frame):
    design = Design.from_frame(frame, MAXIMAL)
    return pd.DataFrame(design.similarity, index=design.attributes, columns=design.attributes)


def test_profiles_come_back():
    """Half a precision is kept: three digits."""
    profiles = np.random.default_rng(0).normal(0, 0.1, (30, 4))
    record = packed(list("abcd"), ["one", "two"], profiles)
    words, found, _ = unpacked(json.loads(json.dumps(record)))
    assert words == tuple("abcd")
    np.testing.assert_allclose(found, profiles, rtol=1e-3, atol=1e-6)
    assert are_profiles(record)
    assert of_dataset(as_dataset(record)) == record
    again = packed(words, ["one", "two"], found)
    assert again == record
    assert packed(words, ["one", "2"], found)["sample_sha256"] != record["sample_sha256"]
    known = packed(list("abcd"), ["one", "two"], profiles, random_sd=0.25)
    assert are_profiles(known)
    assert of_dataset(as_dataset(known)) == known == {**record, "random_sd": 0.25}


@pytest.mark.parametrize(
    "damage",
    [
        {"float16": "AA"},
        {"float16": 3},
        {"rows": 31},
        {"rows": "x"},
        {"attributes": [1, 2, 3, 4]},
        {"attributes": None},
        {"attributes": "abcd"},
        {"attributes": ["a", "b", "c", "\ud800"]},
        {"attributes": ["a", "b", "a", "c"]},
        {"rows": 0, "float16": ""},
        {"rows": -1},
        {"sample_sha256": None},
        {"mean": "AA"},
        {"mean": None},
        {"random_sd": None},
        {"random_sd": "x"},
        {"random_sd": 0.0},
        {"random_sd": np.nan},
        {"random_sd": 1.5},
    ],
)
def test_damaged_profiles_are_none(damage):
    record = packed(list("abcd"), [], np.zeros((30, 4)))
    assert not are_profiles(record | damage)
    lacking = {key: record[key] for key in record if key not in damage}
    assert are_profiles(lacking) == (lacking == record)  # records of old lack the sd alone


def test_what_is_not_finite_is_no_profile():
    assert not are_profiles(packed(["a"], [], np.array([[0.1], [np.inf]])))
    assert not are_profiles(packed(["a"], [], np.array([[0.1]]), mean=np.array([np.nan])))
    assert not are_profiles([])
    assert are_profiles(None)


def test_profiles_go_with_a_frame():
    frame = with_profiles(list_frame())
    words, profiles, *_ = profiles_of(frame)
    for copy in (frame.copy(), frame[frame.connection != "human"], frame.assign(run=1)):
        again, same, *_ = profiles_of(copy)
        assert again == words
        np.testing.assert_array_equal(same, profiles)
    assert profiles_of(list_frame()) is None
    damaged = frame.copy()
    damaged.attrs["bayesbias"] = {**provenance_of(frame), "profiles": {"rows": 3}}
    assert profiles_of(damaged) is None


def vectors(words, seed=0):
    found = KeyedVectors(5)
    found.add_vectors(list(words), np.random.default_rng(seed).normal(size=(len(words), 5)))
    return found


def unit(matrix):
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def test_profiles_are_distances_of_groups_of_sampled_words_less_their_mean():
    sample = list(common_words()[: FEWEST + 5])
    kv = vectors([*sample, "a1", "b2"])
    words, profiles, _ = unpacked(profiles_record(kv, {"a1": "a1", "b": "b2"}, 2))
    assert words == ("a1", "b")
    common = unit(kv[sample].astype(float))
    of_groups = common[sample_of(kv).groups].mean(axis=1)  # all words are drawn
    distances = 1 - of_groups @ unit(kv[["a1", "b2"]].astype(float)).T
    # Attributes too are taken less the mean of the sampled words.
    expected = distances - distances.mean(axis=0)
    found = profiles - profiles.mean(axis=0)
    centre = common.mean(axis=0)
    off = (of_groups - centre) @ centre
    np.testing.assert_allclose(found - (off - off.mean())[:, None], expected, atol=2e-3)


@pytest.mark.parametrize("dim", [5, 10])
def test_random_words_correlate_as_their_dimensions_tell(dim):
    """Vectors without a preferred direction have correlations with the sd 1 / √dim.

    500 words have 124,750 correlations, so their sd is known to 1%. The covariance of the sampled
    groups differs from a multiple of I, by more in more dimensions: another 1% here.
    """
    rng = np.random.default_rng(dim)
    kv = KeyedVectors(dim)
    names = [a + b + c for a, b, c in product("bcdfghklmnprst", repeat=3)]
    kv.add_vectors(names, rng.standard_normal((len(names), dim)))
    words = {word: word for word in names[:2]}
    assert profiles_record(kv, words, 2)["random_sd"] == pytest.approx(dim**-0.5, rel=0.03)


def test_records_of_several_keep_what_random_words_have():
    frames = []
    for sd in (0.25, 0.35):
        record = packed(list("ab"), ["w"], np.eye(30, 2), random_sd=sd)
        frames.append(with_provenance(list_frame(), profiles=record))
    assert averaged(frames)["random_sd"] == pytest.approx(0.3)
    assert of_sum(frames, [1.0, -1.0])["random_sd"] == pytest.approx(0.3)
    old = with_provenance(list_frame(), profiles=packed(list("ab"), ["w"], np.eye(30, 2)))
    assert "random_sd" not in averaged([*frames, old])


def test_nearness_is_the_distance_of_the_mean_sampled_word():
    """Less that to all attributes; of runs the mean, of a change the difference, after − before."""
    sample = list(common_words()[: FEWEST + 5])
    frames, expected = [], []
    for seed in (1, 2):
        kv = vectors([*sample, "a1", "a2", "r3"], seed)
        names = {word: word for word in ("a1", "a2", "r3")}
        frame = with_provenance(list_frame(), profiles=profiles_record(kv, names, 2))
        distances = 1 - unit(kv[list(names)].astype(float)) @ unit(kv[sample].astype(float)).mean(0)
        expected.append(distances - distances[:2].mean())
        np.testing.assert_allclose(profiles_of(frame).nearness, expected[-1], atol=1e-3)
        frames.append(frame)
    mean, change = list_frame(), list_frame()
    with_provenance(mean, profiles=averaged(frames))
    np.testing.assert_allclose(profiles_of(mean).nearness, np.mean(expected, axis=0), atol=1e-3)
    with_provenance(change, profiles=averaged(frames, signs=(-1, 1)))
    np.testing.assert_allclose(profiles_of(change).nearness, expected[1] - expected[0], atol=1e-3)
    trend = with_provenance(list_frame(), profiles=of_sum(frames, [-2.0, 0.5]))
    found = expected[1] / 2 - 2 * expected[0]
    np.testing.assert_allclose(profiles_of(trend).nearness, found, atol=4e-3)


def test_nearness_of_lists_is_kept_apart_from_deviations():
    """By hand: half the variance, of effects of everybody alone; vectors around 0 have none."""
    frame = with_profiles(list_frame(n_reference=2))
    design = Design.from_frame(frame, MAXIMAL)
    by_hand = alike_by_hand(frame)[1].loc[list(design.attributes), list(design.attributes)]
    np.testing.assert_allclose(
        design.common_loadings @ design.common_loadings.T, by_hand, atol=1e-10
    )
    assert [term.name for term in design.terms if term.has_common_factor] == ["attribute"]
    record = provenance_of(frame)["profiles"]
    words, profiles, _ = unpacked(record)
    around_0 = {**record, "mean": packed(words, [], profiles)["mean"]}
    level = with_provenance(frame.copy(), profiles=around_0)
    assert Design.from_frame(level, MAXIMAL).common_loadings.size == 0
    assert bb.fit(level, seed=1).id != bb.fit(frame, seed=1).id


def test_where_all_words_lie_to_one_side_controls_are_not_wide():
    """As in vectors of few dimensions: most of what attributes share is nearness to the mean."""
    rng = np.random.default_rng(8)
    names = [*common_words()[:400], *(f"x{i}" for i in range(48))]
    matrix = rng.standard_normal((len(names), 20))
    matrix[400:408] = np.repeat(matrix[400:402], 4, axis=0) + 0.3 * matrix[400:408]  # alike
    matrix[:, 0] += 4.0
    kv = KeyedVectors(20)
    kv.add_vectors(names, matrix)
    x = [f"x{i}" for i in range(48)]
    groups = (ProtectedGroup("g", x[:4], ("a",)), ProtectedGroup("h", x[4:8], ("d",)))
    sets = (
        AttributeSet("a", "stereotype", x[8:16]),
        AttributeSet("d", "stereotype", x[16:24]),
        AttributeSet("n", "neutral", x[24:48]),
    )
    frame = bb.distances(kv, WordList("sides", "Sides", "made up", groups, sets))
    record = provenance_of(frame)["profiles"]
    words, profiles, _ = unpacked(record)
    around_0 = {**record, "mean": packed(words, [], profiles)["mean"]}
    level = with_provenance(frame.copy(), profiles=around_0)
    fits = bb.fit(frame, seed=1), bb.fit(level, seed=1)
    assert fits[0].log_marginal_likelihood > fits[1].log_marginal_likelihood + 20
    new, old = (f.contrasts().to_frame().set_index("contrast")["sd"] for f in fits)
    controls = "associated − neutral"
    assert new[controls] < 0.8 * old[controls]


@pytest.mark.parametrize("n_sample", [3, 40])
def test_similarity_is_the_covariance_of_profiles_kind_by_kind(n_sample):
    frame = with_profiles(list_frame(n_reference=2), n_sample=n_sample)
    for rows in (frame, frame.sample(frac=1.0, random_state=1).reset_index(drop=True)):
        found = similarity_of(rows)
        pd.testing.assert_frame_equal(found, alike_by_hand(rows)[0], check_names=False)
        np.testing.assert_array_equal(found.loc["s00", ["h0", "a"]], 0.0)
        kinds = Design.from_frame(rows, MAXIMAL).kind
        diagonal = pd.Series(np.diag(found))
        np.testing.assert_allclose(diagonal.groupby(kinds).mean(), 1.0)


def test_chance_is_the_tail_beyond_the_difference_where_groups_are_unrelated():
    """Deviations as in K, the lists' means as they are apart; then 2 Φ(−|d| / sd), averaged."""
    frame = with_profiles(list_frame(n_reference=3))
    design = Design.from_frame(frame, MAXIMAL)
    found, by_hand = design.alike.unrelated.covariance, unrelated_by_hand(frame)
    by_hand = by_hand.loc[list(design.attributes), list(design.attributes)].to_numpy()
    for kind in range(len(design.kinds)):
        at = np.ix_(*[np.flatnonzero(design.kind == kind)] * 2)
        np.testing.assert_allclose(found[at] * by_hand[at].max() / found[at].max(), by_hand[at])
    fit = bb.fit(frame, seed=1)
    design, table = fit.design, fit.contrasts().table.set_index("contrast")
    points = thinned(fit.posterior, 200)
    weights = contrast_weights(design, "connection", [("associated", "different")])
    found = design.alike.unrelated
    apart = replace(design, similarity=found.covariance, common_loadings=found.common_loadings)
    _, sd = conditional_moments(apart, every_block(apart, fit.spec), points, weights)
    row = table.loc["associated − different"]
    assert row["chance"] == pytest.approx(2 * stats.norm.sf(abs(row["mean"]) / sd).mean())
    assert "chance" not in bb.fit(list_frame(), seed=1).contrasts().table


@pytest.mark.parametrize(
    ("left_out", "complaint"), [([], "classes, which a K would split"), ([4], "are unrelated")]
)
def test_only_blocks_of_similar_attributes_take_another_similarity(left_out, complaint):
    frame = with_profiles(list_frame(n_reference=2))
    unrelated = Design.from_frame(frame, MAXIMAL).alike.unrelated
    plain = MAXIMAL.without_similarity()
    design = Design.from_frame(frame.drop(index=left_out).reset_index(drop=True), plain)
    with pytest.raises(ValueError, match=complaint):
        [block.with_similarity(unrelated) for block in every_block(design, plain)]


def test_another_similarity_leaves_nothing_of_the_first():
    """What a block keeps of its parts is made anew, slopes among it."""
    frame = with_profiles(list_frame(n_reference=3)).assign(rare=lambda f: np.arange(len(f)) % 7.0)
    slope = TermSpec("rarity", ["connection"], sd=0.5, of=["rare"])
    fit = bb.fit(frame, MAXIMAL.replace(terms=(*MAXIMAL.terms, slope)), seed=1)
    design, spec = fit.design, fit.spec
    found = design.alike.unrelated
    apart = replace(design, similarity=found.covariance, common_loadings=found.common_loadings)
    for block, other in zip(every_block(design, spec), every_block(apart, spec), strict=True):
        x = block.starts[:1]
        sds = block.standard_deviations(x)
        assert block.log_density(x) != pytest.approx(other.log_density(x))  # keeps what it made
        weights = np.eye(block.n_effects)
        view = block.with_similarity(found)
        for one, two in zip(
            moments(view, *sds, weights), moments(other, *sds, weights), strict=True
        ):
            np.testing.assert_allclose(one, two, rtol=1e-8, atol=1e-12)


def test_blocks_are_kept_as_long_as_their_design_and_not_saved_with_it():
    spec, frame = MAXIMAL.without_similarity(), list_frame(n_reference=2)
    design = Design.from_frame(frame, spec)
    before = len(pickle.dumps(design))
    kept = every_block(design, spec)
    assert every_block(design, spec) is kept
    assert len(pickle.dumps(design)) == before
    gone = weakref.ref(kept[0])
    del design, kept
    gc.collect()
    assert gone() is None


def test_a_word_in_lists_of_two_kinds_has_the_same_profile_in_both():
    frame = list_frame()
    frame["attribute"] = frame["attribute"].replace({"h0": "a"})
    found = similarity_of(with_profiles(frame))
    assert {"a (human)", "a (neutral)"} < set(found.index)
    assert found.loc["a (human)", "a (neutral)"] == 0.0
    assert found.loc["a (human)", "h1"] != 0.0
    assert found.loc["a (neutral)", "b"] != 0.0


@pytest.mark.parametrize("bad", [0.0, np.nan])
def test_a_sampled_word_without_direction_is_left_out(bad):
    """It is on no list of the user's, who was told to take it off."""
    wordlist = bb.load_wordlist("weat7")
    sample = [word for word in common_words() if word not in wordlist.words]
    kv = vectors([*wordlist.words, *sample])
    kv.vectors[kv.key_to_index[sample[3]]] = bad
    _, profiles, *_ = profiles_of(bb.distances(kv, wordlist))
    assert sample[3] not in sample_of(kv).words
    assert np.isfinite(profiles).all()


def test_rank_counts_directions():
    root = np.random.default_rng(0).normal(size=(6, 4))
    assert rank_of(root @ root.T) == 4
    assert rank_of(root.T @ root) == 4
    assert rank_of(np.eye(3) + 1e-9) == 3


@pytest.mark.parametrize("n_directions", [5, 20, 30])
def test_directions_of_many_attributes_are_those_of_few(monkeypatch, n_directions):
    """The pivoted factor where directions are few, the general decomposition where they are not."""
    profiles = np.random.default_rng(0).normal(size=(n_directions, 30))
    matrix = profiles.T @ profiles
    eigenvalues = np.linalg.eigvalsh(matrix)
    few = directions(matrix)
    monkeypatch.setattr(similarity, "_MANY", 10)
    for values, vectors in (few, directions(matrix)):
        np.testing.assert_allclose(np.sort(values), eigenvalues, atol=1e-12 * eigenvalues[-1])
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(30), atol=1e-13)
        np.testing.assert_allclose(vectors * values @ vectors.T, matrix, atol=1e-12)
    if n_directions == 5:
        assert (directions(matrix)[0] == 0.0).sum() == 25
    root = root_of(matrix)
    np.testing.assert_allclose(root @ root.T, matrix, atol=1e-12)


def crossed(spec, frame):
    design = Design.from_frame(frame, spec)
    parts = [Block(design, spec, c).parts[0] for c in blocks_of(design)]
    return all(isinstance(part, CompleteBlock) for part in parts)


def test_a_frame_with_profiles_keeps_all():
    frame = with_profiles(list_frame(n_reference=2))
    spec, said = suited_to(frame)
    assert (spec, said) == (MAXIMAL, ())
    assert spec is MAXIMAL
    assert crossed(spec, frame)


def test_whether_attributes_can_be_similar_is_told_before_a_part_is_made(monkeypatch):
    """It was told by making all of them, and catching their errors."""
    monkeypatch.setattr(CompleteBlock, "__init__", None)
    frame = with_profiles(list_frame(n_reference=2))
    assert suited_to(frame) == (MAXIMAL, ())
    spec, (why,) = suited_to(frame.drop(index=4).reset_index(drop=True))
    assert why == "Attributes count as unrelated: not every word meets every attribute once."
    assert spec == MAXIMAL.without_similarity()


def test_without_vectors_attributes_are_unrelated():
    frame = list_frame(n_reference=2)
    plain = bb.load_model("crossed")
    assert without_unknown_similarity(plain, frame) == (plain, ())
    assert suited_to(frame) == (MAXIMAL.without_similarity(), (UNRELATED,))


@pytest.mark.parametrize(
    ("n_sample", "gone", "kept"),
    [
        (5, "associated, different, reference", ("human", "neutral")),
        (2, "associated, different, human, neutral, reference", ()),
    ],
)
def test_with_more_attributes_than_directions_the_noise_has_no_similar_part(n_sample, gone, kept):
    """Seven stereotype attributes, four human and three neutral ones, in four directions or one."""
    frame = with_profiles(list_frame(n_reference=2), n_sample=n_sample)
    spec, said = suited_to(frame)
    assert said == (
        f"The part of the noise that similar attributes share is left out for {gone}: the "
        f"attributes are more than the directions of the vectors.",
    )
    assert spec.noise.similar_connections == kept
    assert bool(spec.noise.similar) is bool(kept)
    assert spec.terms == MAXIMAL.terms
    assert Design.from_frame(frame, spec).noise_similar_labels == kept
    assert crossed(spec, frame)


def with_term(by, **changes):
    prior = Prior("exponential", rate=10.0)
    term = TermSpec("own", by, prior=prior, **changes)
    return MAXIMAL.replace(name="mine", terms=(*MAXIMAL.terms, term))


def test_a_term_that_joins_lists_of_several_kinds_is_named():
    """It was blamed on the words, of which every one meets every attribute."""
    frame = with_profiles(list_frame(n_reference=2))
    _, (said,) = suited_to(frame, with_term(["group"]))
    assert "the term 'own' joins pairs that are otherwise fitted by themselves" in said
    assert "add 'attribute_kind' to its by and as its sd_by" in said
    apart = with_term(["group", "attribute_kind"], sd_by="attribute_kind")
    assert without_unknown_similarity(apart, frame) == (apart, ())
    # Where something else is to blame too, no term is.
    _, (said,) = suited_to(frame.drop(index=3).reset_index(drop=True), with_term(["group"]))
    assert said == "Attributes count as unrelated: not every word meets every attribute once."


def test_more_attributes_than_the_memory_holds_are_unrelated(monkeypatch):
    """A hundred thousand of them would be 80 GB, asked for before anything was said."""
    monkeypatch.setattr("bayesbias.support.memory.PHYSICAL_MEMORY", 1e3)
    frame = with_profiles(list_frame(n_reference=2))
    spec, (said,) = suited_to(frame)
    assert "how alike 14 of them are takes 0.0 GB, and this machine has" in said
    assert spec == MAXIMAL.without_similarity()


def test_where_profiles_lack_an_attribute_attributes_are_unrelated():
    """As after a user's renaming: it is said, and the model is fitted without."""
    frame = with_profiles(list_frame(n_reference=2))
    frame["attribute"] = frame["attribute"].replace({"h0": "renamed"})
    spec, (said,) = suited_to(frame)
    assert said.startswith("Attributes count as unrelated: ")
    assert spec == MAXIMAL.without_similarity()


def test_a_list_with_nothing_but_alike_noise_is_fitted():
    """Of one word a group there are no other effects; it was an IndexError."""
    frame = with_profiles(list_frame(n_words=(1, 1), n_human=2, n_neutral=1))
    fit = bb.fit(frame, seed=1)
    assert fit.spec.noise.similar
    only = fit.summary(by="attribute").table.set_index("attribute").loc["a"]
    assert (only["low"], only["mean"], only["high"]) == (0.0, 0.0, 0.0)


def test_intervals_of_tiny_distances_are_those_of_the_draws():
    """The exact variances were rounding, some of them 0, and the intervals with them."""
    frame = with_profiles(list_frame(n_reference=3))
    frame["cosine_distance"] = 0.5 + 1e-3 * frame["cosine_distance"]
    fit = bb.fit(frame, seed=1)
    found = fit.summary(interval="eti").table
    draws = quantities(FitContext(fit.posterior, fit.design, fit.spec), "connection").draws
    ends = np.quantile(draws, [0.055, 0.945], axis=0)
    width = ends[1] - ends[0]
    np.testing.assert_allclose((found["low"] - ends[0]) / width, 0.0, atol=0.1)
    np.testing.assert_allclose((found["high"] - ends[1]) / width, 0.0, atol=0.1)


def test_one_set_of_alike_effects_is_integrated_as_such():
    """The grid, which knows of no similarity, took them for independent."""
    terms = [t for t in MAXIMAL.terms if t.name == "attribute"]
    spec = MAXIMAL.replace(name="one", terms=tuple(terms), noise=MAXIMAL.noise.alone())
    frame = with_profiles(list_frame()).query("connection == 'human'").reset_index(drop=True)
    design = Design.from_frame(frame, spec)
    (block,) = (Block(design, spec, c) for c in blocks_of(design))
    axes = [np.linspace(*ends, 300) for ends in zip(*block.bounds, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    values = np.exp(block.log_density(points)).sum() * np.prod([a[1] - a[0] for a in axes])
    assert log_marginal_likelihood(design, spec) == pytest.approx(np.log(values), abs=0.02)


def test_a_list_of_a_single_attribute_keeps_the_others_alike():
    """Nothing is to be alike in it, which is no reason to give up the rest."""
    frame = with_profiles(list_frame(n_reference=2, n_human=1))
    spec, said = suited_to(frame)
    assert said == ()
    assert spec.is_similar


def test_a_shipped_model_without_similarity_is_still_fitted_to_the_data():
    """It was refused as a model of one's own, for terms that the shipped one leaves out."""
    frame = list_frame()
    frame = frame[frame.connection.isin(["associated", "different"])]
    fit = bb.fit(frame, bb.load_model("maximal").without_similarity(), seed=1)
    assert fit.spec == bb.fit(frame, seed=1).spec
