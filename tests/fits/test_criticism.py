"""Where predictions of single pairs go wrong, whose, and groups that differ unexpectedly."""

import numpy as np
import pytest
from samples import make_frame

import bayesbias as bb
from bayesbias.simulate.assumptions import world_frame


@pytest.fixture(scope="module")
def frame():
    return make_frame(n_words=8, seed=2)


def with_noise(frame, word, factor):
    """Scale the deviations of a word's distances from their means."""
    own = frame["protected_word"] == word
    mean = frame.groupby(["protected_word", "connection"])["cosine_distance"].transform("mean")
    changed = mean + factor * (frame["cosine_distance"] - mean)
    return frame.assign(cosine_distance=frame["cosine_distance"].where(~own, changed))


@pytest.mark.parametrize("model", ["paper", "maximal"])
def test_words_whose_noise_is_out_of_line_are_named(frame, model):
    loud = with_noise(with_noise(frame, "word3", 2.5), "word5", 0.2)
    found = bb.fit(loud, model, seed=1).criticism()
    named = found.words[found.words["out_of_line"]]
    assert named["protected_word"].tolist() == ["word3", "word5"]
    noise = named["noise"].to_numpy()
    assert noise[0] > 1.5 > 0.5 > noise[1]
    assert f"word3 {noise[0]:.1f}, word5 {noise[1]:.1f}" in repr(found)


def test_words_with_the_same_noise_are_not_named(frame):
    found = bb.fit(frame, "paper", seed=1).criticism()
    assert not found.words["out_of_line"].any()
    assert "Words whose noise" not in repr(found)
    np.testing.assert_allclose(found.words["noise"], 1.0, atol=0.35)
    assert found.words["n_pairs"].sum() == len(frame)


def world(association, seed=0):
    """Two groups, eight words and attributes each; the first has the association."""
    rng = np.random.default_rng(seed)
    frame = world_frame(16, 16, n_groups=2, n_human=4, n_neutral=4)
    first = frame["group"] == frame["group"].iloc[0]
    asked = first & (frame["connection"] == "associated")
    attribute = frame["attribute"].astype("category").cat.codes
    noise = 0.05 * rng.standard_normal(len(frame)) + 0.01 * rng.standard_normal(99)[attribute]
    return frame.assign(cosine_distance=0.8 + association * asked + noise)


@pytest.mark.parametrize(
    ("model", "association", "rare"),
    [("crossed", -0.3, True), ("crossed", 0.0, False), ("maximal", -0.3, False)],
)
def test_only_the_model_without_groups_is_surprised(model, association, rare):
    frame = world(association)
    found = bb.fit(frame, model, seed=1).criticism()
    groups = found.groups
    assert (groups.share < 0.05) == rare
    assert ("does not expect" in str(found)) == rare
    plain = frame.groupby(["group", "connection"])["cosine_distance"].mean().unstack()
    contrasts = plain["associated"] - plain["different"]
    assert groups.largest == pytest.approx((contrasts - contrasts.mean()).abs().max(), abs=1e-6)


def test_one_group_has_nothing_to_differ_from():
    frame = world(-0.1)
    one = frame[frame["group"] == frame["group"].iloc[0]]
    assert bb.fit(one, "crossed", seed=1).criticism().groups is None
