"""Where predictions of single pairs go wrong, and whose."""

import numpy as np
import pytest
from samples import make_frame

import bayesbias as bb


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
