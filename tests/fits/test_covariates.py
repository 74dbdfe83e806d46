"""Covariates: slopes recovered, centred within groups, and refused where they say nothing."""

import numpy as np
import pandas as pd
import pytest
from samples import make_frame

import bayesbias as bb
from bayesbias.errors import ArgumentError, FitError, ModelError
from bayesbias.fits.fitting import with_covariates
from bayesbias.models.specification import load_model


def with_numbers(frame, seed=0):
    """A number of every attribute, and one of every protected word."""
    rng, frame = np.random.default_rng(seed), frame.copy()
    for column, of in (("rare", "attribute"), ("long", "protected_word")):
        code, words = pd.factorize(frame[of])
        frame[column] = (5.0 + 3.0 * rng.standard_normal(len(words)))[code]
    return frame


@pytest.mark.parametrize("model", ["maximal", "crossed"])
def test_a_slope_is_that_of_least_squares(model):
    """.02 a unit, of attributes that differ in nothing else: between words and lists."""
    frame = with_numbers(make_frame(noise_sd=0.02))
    frame["cosine_distance"] += 0.02 * (frame["rare"] - 5.0)
    fit = bb.fit(frame, model, covariates=["rare"], seed=1)
    table = fit.summary("covariate").set_index("applies_to")
    assert table.index.tolist() == ["stereotype", "human", "neutral"]
    assert set(table["covariate"]) == {"rare"}
    assert table["unit"].to_numpy() == pytest.approx(frame["rare"].std(ddof=0))
    assert (table["per_unit"] * table["unit"]).tolist() == pytest.approx(table["mean"].tolist())
    for kind, connections in (("human", ["human"]), ("neutral", ["neutral"])):
        part = frame[frame["connection"].isin(connections)]
        by_word = part.groupby("protected_word")
        x, y = (part[c] - by_word[c].transform("mean") for c in ("rare", "cosine_distance"))
        row = table.loc[kind]
        assert row["per_unit"] == pytest.approx((x @ y) / (x @ x), abs=row["sd"] / row["unit"])
        assert abs(row["per_unit"] - 0.02) < 3 * row["sd"] / row["unit"]


def test_a_contrast_is_at_equal_values():
    """What the numbers of the neutral list explain goes from the contrast with it."""
    frame = with_numbers(make_frame(noise_sd=0.02))
    frame.loc[frame["connection"] == "neutral", "rare"] += 10.0
    frame["cosine_distance"] += 0.02 * (frame["rare"] - 5.0)
    plain, equal = (
        bb.fit(frame, "crossed", covariates=c, seed=1).contrasts().set_index("contrast")["mean"]
        for c in ((), ["rare"])
    )
    assert plain["associated − neutral"] - equal["associated − neutral"] < -0.1


def test_numbers_of_words_are_centred_within_groups():
    frame = with_numbers(make_frame())
    frame.loc[frame["group"] == "group1", "long"] += 100.0
    changed, spec = with_covariates(frame, load_model("maximal"), ["long", "rare"])
    means = changed.groupby("group")["long"].mean()
    np.testing.assert_allclose(means, 0.0, atol=1e-12)
    first = frame.groupby("group")["long"].transform("mean")
    np.testing.assert_allclose(changed["long"], frame["long"] - first)
    pd.testing.assert_series_equal(changed["rare"], frame["rare"])
    assert [term.name for term in spec.terms if term.of] == ["slope_long", "slope_rare"]
    assert frame["long"].max() > 90  # the caller's frame stays


def test_a_frame_of_numbers_by_word_is_joined():
    frame = with_numbers(make_frame())
    numbers = frame.drop_duplicates("attribute").set_index("attribute")[["rare"]]
    bare = frame.drop(columns=["rare", "long"])
    joined, of_column = (
        bb.fit(f, "crossed", covariates=c, seed=1).summary("covariate")
        for f, c in ((bare, numbers), (frame, ["rare"]))
    )
    pd.testing.assert_frame_equal(joined, of_column)
    words = frame.drop_duplicates("protected_word").set_index("protected_word")[["long"]]
    of_words = bb.fit(bare, "crossed", covariates=words, seed=1).summary("covariate")
    assert set(of_words["covariate"]) == {"long"}
    with pytest.raises(ArgumentError, match=r"no numbers for 1 of the attributes \(neutral0"):
        bb.fit(bare, covariates=numbers.drop(index="neutral0"), seed=1)
    with pytest.raises(ArgumentError, match="names no word of the pairs"):
        bb.fit(bare, covariates=numbers.rename(index=lambda word: f"{word}?"), seed=1)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        (lambda f: f["attribute"], "holds no numbers"),
        (lambda f: f["long"].where(f.index != 3), "no finite number in row 4 .*'word0' and"),
        (lambda f: f["long"] * 1e200, r"as large as \d.*e\+20\d; give it in another unit"),
        (lambda f: 1.0, "do not vary within groups and lists"),
        (lambda f: f["group"].map({"group0": 0.0, "group1": 1.0}), "do not vary within groups"),
        (lambda f: f["connection"].map(len).astype(float), "only repeat group or list"),
    ],
)
def test_numbers_that_are_none_or_only_repeat_group_or_list_are_refused(values, complaint):
    frame = with_numbers(make_frame())
    frame["rare"] = values(frame)
    with pytest.raises((ArgumentError, ModelError), match=complaint):
        bb.fit(frame, covariates=["rare"], seed=1)


def test_a_column_that_is_missing_is_named():
    frame = with_numbers(make_frame()).rename(columns={"rare": "rares"})
    with pytest.raises(ArgumentError, match=r"no column 'rare'.*did you mean 'rares'"):
        bb.fit(frame, covariates="rare", seed=1)
    with pytest.raises(FitError, match="no covariates; give covariates= to fit"):
        bb.fit(make_frame(), "paper", seed=1).summary("covariate")


def test_numbers_are_part_of_what_is_predicted_and_of_the_id():
    frame = with_numbers(make_frame(noise_sd=0.02))
    frame["cosine_distance"] += 0.05 * (frame["rare"] - 5.0)
    fit = bb.fit(frame, "crossed", covariates=["rare"], seed=1)
    predictions = fit.predictions()
    assert np.corrcoef(predictions["mean"], predictions["observed"])[0, 1] > 0.95
    assert predictions["inside"].mean() > 0.8
    other = bb.fit(frame.assign(rare=frame["rare"] ** 2), "crossed", covariates=["rare"], seed=1)
    assert not np.allclose(other.summary()["mean"], fit.summary()["mean"], rtol=1e-6)
