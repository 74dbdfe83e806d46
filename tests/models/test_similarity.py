"""How alike attributes are: from the vectors' own words to what a model may use of them."""

import pickle
from itertools import compress, product

import numpy as np
import pandas as pd
import pytest
from alike import absolute, alike_by_hand, designed, list_frame, profiles_for
from gensim.models import KeyedVectors
from samples import common_words

import bayesbias as bb
from bayesbias.engine.adapting import adapt_model_to_data, without_absent_terms
from bayesbias.engine.block import Block, blocks_of, every_block
from bayesbias.engine.collapsed import integrate_blocks
from bayesbias.engine.rotation import RotatedBlock
from bayesbias.models.design import Design
from bayesbias.models.similarity import rank_of, root_of
from bayesbias.vectors.samples import FEWEST, sample_of
from bayesbias.words.profiles import Profiles, combined, profiles_of

MAXIMAL = absolute("maximal")


def suited_to(frame, alike, spec=MAXIMAL):
    spec, _, notes = adapt_model_to_data(spec, frame, alike)
    return spec, notes


def similarity_by_name(frame, alike):
    design, _ = designed(frame, "maximal", alike)
    return pd.DataFrame(design.similarity, index=design.attributes, columns=design.attributes)


def vectors(words, seed=0, dim=5):
    made = KeyedVectors(dim)
    made.add_vectors(list(words), np.random.default_rng(seed).normal(size=(len(words), dim)))
    return made


def profiles_in(kv, *words):
    return profiles_of(kv, {word: word for word in words}, sample_of(kv))


def unit(matrix):
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def test_profiles_are_distances_of_groups_of_sampled_words_less_their_means():
    """And nearness those of the mean word; both less their mean over the attributes."""
    sample = list(common_words()[: FEWEST + 5])
    kv = vectors([*sample, "a1", "b2"])
    profiles = profiles_of(kv, {"a1": "a1", "b": "b2"}, sample_of(kv))
    assert profiles.words == ("a1", "b")
    common = unit(kv[sample].astype(float))
    of_groups = common[sample_of(kv).groups].mean(axis=1)  # all words are drawn
    attributes = unit(kv[["a1", "b2"]].astype(float))
    distances = 1 - of_groups @ attributes.T
    distances -= 1 - common.mean(axis=0) @ attributes.T
    expected = distances - distances.mean(axis=0)
    expected -= expected.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(profiles.matrix, expected, atol=1e-12)
    near = 1 - attributes @ common.mean(axis=0)
    np.testing.assert_allclose(profiles.nearness, near - near.mean(), atol=1e-12)


def test_few_other_words_have_no_profiles():
    sample = list(common_words()[:FEWEST])
    assert profiles_in(vectors([*sample, "a1"]), "a1") is not None
    assert profiles_in(vectors(sample), *sample[:3]) is None  # 197 others


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
    assert profiles_in(kv, *names[:2]).random_sd == pytest.approx(dim**-0.5, rel=0.03)


def test_profiles_of_a_sum_stand_below_each_other():
    """Of after − before: nearness is the difference, and covariances of conditions add up."""
    rng = np.random.default_rng(0)
    one, two = (
        Profiles(tuple("abc"), rng.standard_normal((n, 3)), rng.standard_normal(3), sd)
        for n, sd in ((30, 0.25), (40, 0.35))
    )
    both = combined([one, two], [-1.0, 1.0])
    assert both.words == tuple("abc")
    assert both.random_sd == pytest.approx(0.3)
    near = two.nearness - one.nearness
    np.testing.assert_allclose(both.nearness, near - near.mean())
    centred = [p.matrix - p.matrix.mean(axis=1, keepdims=True) for p in (one, two)]
    covariance = sum(m.T @ m / len(m) for m in centred)
    np.testing.assert_allclose(both.matrix.T @ both.matrix / 30, covariance)
    other = Profiles(("b", "c", "x"), one.matrix, one.nearness, None)
    assert combined([one, other], [-1.0, 1.0]).words == ("b", "c")
    assert combined([one, other], [-1.0, 1.0]).random_sd is None
    assert combined([one, None], [1.0, 1.0]) is None


def test_nearness_of_lists_is_kept_apart_from_deviations():
    """By hand: half the variance, of effects of everybody alone; vectors around 0 have none."""
    frame = list_frame()
    profiles = profiles_for(frame)
    design, _ = designed(frame, "maximal", profiles)
    by_hand = alike_by_hand(frame, profiles)[1].loc[
        list(design.attributes), list(design.attributes)
    ]
    near = design.alike.common_loadings
    np.testing.assert_allclose(near @ near.T, by_hand, atol=1e-10)
    assert [term.name for term in design.terms if term.has_common_factor] == ["attribute"]
    around_0 = Profiles(profiles.words, profiles.matrix, 0 * profiles.nearness, None)
    assert designed(frame, "maximal", around_0)[0].alike.common_loadings.size == 0


@pytest.mark.parametrize("n_sample", [3, 40])
def test_similarity_is_the_covariance_of_profiles_kind_by_kind(n_sample):
    frame = list_frame()
    profiles = profiles_for(frame, n_sample=n_sample)
    for rows in (frame, frame.sample(frac=1.0, random_state=1).reset_index(drop=True)):
        by_name = similarity_by_name(rows, profiles)
        expected = alike_by_hand(rows, profiles)[0]
        pd.testing.assert_frame_equal(by_name, expected, check_names=False)
        np.testing.assert_array_equal(by_name.loc["s00", ["h0", "a"]], 0.0)
        kinds = designed(rows, "maximal", profiles)[0].kind
        np.testing.assert_allclose(pd.Series(np.diag(by_name)).groupby(kinds).mean(), 1.0)


def test_a_word_in_lists_of_two_kinds_has_the_same_profile_in_both():
    frame = list_frame()
    frame["attribute"] = frame["attribute"].replace({"h0": "a"})
    by_name = similarity_by_name(frame, profiles_for(frame))
    assert {"a (human)", "a (neutral)"} < set(by_name.index)
    assert by_name.loc["a (human)", "a (neutral)"] == 0.0
    assert by_name.loc["a (human)", "h1"] != 0.0
    assert by_name.loc["a (neutral)", "b"] != 0.0


def test_in_changes_these_lists_are_all_that_is_known():
    """In levels topics are sampled; a column of changes alone makes no difference."""
    frame = list_frame().assign(change=0.0)
    profiles = profiles_for(frame)
    levels, changes = MAXIMAL, absolute("change-maximal")
    alone, with_column, of_changes = (
        Design(f, without_absent_terms(spec, f), profiles).similarity
        for f, spec in ((list_frame(), levels), (frame, levels), (frame, changes))
    )
    np.testing.assert_array_equal(alone, with_column)
    assert not np.allclose(of_changes, alone, rtol=0.01)


@pytest.mark.parametrize("bad", [0.0, np.nan])
def test_a_sampled_word_without_direction_is_left_out(bad):
    """It is on no list of the user's, who was told to take it off."""
    sample = list(common_words()[: FEWEST + 10])
    kv = vectors([*sample, "a1", "b2"])
    kv.vectors[3] = bad
    profiles = profiles_in(kv, "a1", "b2")
    assert sample[3] not in sample_of(kv).words
    assert np.isfinite(profiles.matrix).all()


def test_blocks_are_kept_and_not_saved_with_their_design():
    design, spec = designed(list_frame(), "maximal")
    blocks = every_block(design, spec)
    assert every_block(design, spec) is blocks
    assert b"Block" not in pickle.dumps(design)


def test_rank_counts_directions():
    root = np.random.default_rng(0).normal(size=(6, 4))
    assert rank_of(root @ root.T) == 4
    assert rank_of(root.T @ root) == 4
    assert rank_of(np.eye(3) + 1e-9) == 3
    of_lower_rank = root_of(root @ root.T)
    np.testing.assert_allclose(of_lower_rank @ of_lower_rank.T, root @ root.T, atol=1e-8)


def is_rotated(spec, frame, alike):
    design = Design(frame, spec, alike)
    return all(isinstance(block.part, RotatedBlock) for block in every_block(design, spec))


def test_what_of_a_model_is_similar_is_said_before_a_part_is_made(monkeypatch):
    """It was told by making all of them, and catching their errors."""
    frame, plain = list_frame(matched=True), bb.load_model("crossed")
    profiles = profiles_for(frame)
    assert is_rotated(MAXIMAL, frame, profiles)
    monkeypatch.setattr(RotatedBlock, "__init__", None)
    assert suited_to(frame, profiles) == (MAXIMAL, ())
    # In a list of a single attribute nothing is alike, which is no reason to give up the rest.
    single = list_frame(n_human=1, matched=True)
    assert suited_to(single, profiles_for(single))[1] == ()
    assert suited_to(frame, None, plain) == (plain, ())
    renamed = frame.assign(attribute=frame["attribute"].replace({"h0": "renamed"}))
    for reason, rows, alike, memory in (
        ("not every word meets every attribute once", frame.drop(index=4), profiles, 1e9),
        ("the vectors lack some of them", renamed, profiles, 1e9),
        ("the pairs come without vectors (give vectors=)", frame, None, 1e9),
        ("the similarity of 14 takes 0.0 GB, and this machine has", frame, profiles, 1e3),
    ):
        monkeypatch.setattr("bayesbias.support.machine.PHYSICAL_MEMORY", memory)
        spec, (note,) = suited_to(rows.reset_index(drop=True), alike)
        assert note.startswith(f"Attributes are taken as independent: {reason}")
        assert spec == MAXIMAL.without_similarity()


@pytest.mark.parametrize(
    ("n_sample", "without", "where"),
    [
        (5, "associated, different", ("human", "neutral")),
        (2, "associated, different, human, neutral", ()),
    ],
)
def test_with_more_attributes_than_directions_the_noise_has_no_similar_part(
    n_sample, without, where
):
    """Seven stereotype attributes, four human and three neutral ones, in four directions or one."""
    frame = list_frame(matched=True)
    profiles = profiles_for(frame, n_sample=n_sample)
    spec, notes = suited_to(frame, profiles)
    assert notes == (
        f"The part of the noise that similar attributes share is left out for {without}: the "
        f"attributes are more than the directions of the vectors.",
    )
    assert spec.noise.similar_connections == where
    assert (spec.noise.similar_share is not None) is bool(where)
    assert spec.terms == MAXIMAL.terms
    design = Design(frame, spec, profiles)
    assert tuple(compress(design.noise_labels, design.noise_similar)) == where
    assert is_rotated(spec, frame, profiles)


def test_one_set_of_alike_effects_is_integrated_as_such():
    """The evidence is the density's sum over a grid of its two coordinates."""
    terms = [t for t in MAXIMAL.terms if t.name == "attribute"]
    spec = MAXIMAL.replace(name="one", terms=tuple(terms), noise=MAXIMAL.noise.alone())
    frame = list_frame().query("connection == 'human'").reset_index(drop=True)
    design = Design(frame, spec, profiles_for(list_frame()))
    (block,) = (Block(design, spec, c) for c in blocks_of(design))
    axes = [np.linspace(*ends, 300) for ends in zip(*block.bounds, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    values = np.exp(block.log_density(points)).sum() * np.prod([a[1] - a[0] for a in axes])
    _, _, record = integrate_blocks(design, spec, draws=1, chains=1)
    assert record["log_marginal_likelihood"] == pytest.approx(np.log(values), abs=0.02)
