"""The list resampled."""

import dataclasses
from itertools import repeat

import numpy as np
import pytest
from alike import list_frame, with_profiles
from samples import make_frame, with_pareto_k

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


@pytest.mark.parametrize("n", [1, 2.5, "3", None, True, np.nan])
def test_what_is_no_number_of_lists_is_refused(small_fit, n):
    with pytest.raises(ArgumentError, match=f"n={n!r}: give a whole number of lists, at least 2"):
        small_fit.resampled_words(n=n)


def test_what_cannot_be_fitted_again_is_refused(small_fit):
    heavy = dataclasses.replace(small_fit, spec=bb.load_model("student-t"))
    with pytest.raises(FitError, match="normal likelihood"):
        heavy.resampled_words(5)


def test_it_is_conservative_and_says_so():
    """Of noise alone, means over lists scatter by √3 as much as the mean does over other pairs."""
    sizes = {"associated": 12, "different": 12}
    frame = make_frame(n_words=12, n_attributes=sizes, word_sd=0.0, noise_sd=0.08, seed=3)
    found = bb.fit(frame, "paper", seed=1, draws=100).resampled_words(60, progress=False)
    error = 0.08 * np.sqrt(2 / (12 * 12))
    assert 1.3 * error < found.table["sd"].item() < 2.2 * error
    assert "These intervals are conservative" in repr(found)


def test_the_model_is_that_of_the_fit_but_for_the_similarity():
    frame = with_profiles(list_frame(n_words=(4, 4), n_reference=3, n_human=0, n_neutral=0))
    fit = bb.fit(frame, seed=1, draws=100)
    assert fit.design.similarity is not None
    found = fit.resampled_words(2, progress=False)
    assert "Attributes count as unrelated in all these fits" in repr(found)
    expected = bb.fit(frame, fit.spec.without_similarity(), seed=1).contrasts().table
    row = found.table.set_index("contrast").loc["associated − different"]
    whole = expected.set_index("contrast").loc["associated − different"]
    assert abs(row["mean"] - whole["mean"]) < 0.05 * whole["sd"]
    assert abs(row["posterior_sd"] / whole["sd"] - 1) < 0.05


def test_lists_whose_fit_failed_are_named(small_fit, monkeypatch):
    with_pareto_k(monkeypatch, repeat(0.9))
    found = small_fit.resampled_words(2, progress=False)
    assert (found.lists["pareto_k"] == 0.9).all()
    assert (found.table["n_bad_k"] == 2).all()
    said = "Of 2 resampled lists, 2 could not be fitted well (Pareto k above 0.7): 0, 1"
    assert said in repr(found)
