"""The list resampled."""

import numpy as np
import pytest
from samples import make_frame

import bayesbias as bb
from bayesbias.errors import ArgumentError, FitError
from bayesbias.fits.resampling import _resampled


def test_a_word_drawn_twice_is_two_words():
    frame = make_frame(seed=1)
    again = _resampled(frame, np.random.default_rng(1))
    assert len(again) == len(frame)
    assert again["protected_word"].nunique() == frame["protected_word"].nunique()
    assert not again.duplicated(["protected_word", "attribute", "connection"]).any()
    counts = [f.groupby(["group", "attribute_set"]).size().to_dict() for f in (frame, again)]
    assert counts[0] == counts[1]
    assert again["protected_word"].str.endswith(" 2").any()


def test_means_scatter_and_the_seed_repeats_them():
    fit = bb.fit(make_frame(seed=1), "crossed", seed=1, draws=100)
    found = [fit.resampled_words(2, seed=2, progress=False) for _ in range(2)]
    assert found[0].lists.equals(found[1].lists)
    table = found[0].table
    assert (table["sd"] > 0).all()
    assert (table["low"] <= table["high"]).all()
    whole = fit.contrasts().table.set_index("contrast")["mean"]
    np.testing.assert_allclose(table.set_index("contrast")["mean"], whole, atol=0.003)
    assert "2 lists of words" in repr(found[0])


def test_what_cannot_be_resampled_is_refused():
    fit = bb.fit(make_frame(seed=1), "paper", seed=1, draws=100)
    with pytest.raises(ArgumentError, match="at least two lists"):
        fit.resampled_words(1)
    heavy = bb.load_model("student-t")
    with pytest.raises(FitError, match="normal likelihood"):
        type(fit).resampled_words(_with(fit, heavy), 5)


def _with(fit, spec):
    import dataclasses

    return dataclasses.replace(fit, spec=spec)


def test_half_a_list_is_refused(small_fit):
    with pytest.raises(ArgumentError, match=r"n=2\.5: give a whole number of lists"):
        small_fit.resampled_words(n=2.5)
