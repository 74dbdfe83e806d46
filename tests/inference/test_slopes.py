"""Slopes: numbers that distances may follow, by hand; `test_block` has their dense algebra."""

import numpy as np
import pandas as pd
import pytest
from samples import make_frame

import bayesbias as bb
from bayesbias.errors import FitError, ModelError
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.terms import TermSpec
from bayesbias.support.shipped_data import data_folder

ONE = TermSpec("rarity", ["attribute_kind"], sd=0.1, of=["rare"])


def with_numbers(frame, seed=0):
    """A number of every attribute, and one of every protected word."""
    rng = np.random.default_rng(seed)
    found = frame.copy()
    for column, of in (("rare", "attribute"), ("long", "protected_word")):
        code, words = pd.factorize(frame[of])
        found[column] = (5.0 + 3.0 * rng.standard_normal(len(words)))[code]
    return found


SLOPES = """
[[slopes]]
name = "rarity"
of = ["rare"]
by = ["attribute_kind"]
sd = 0.1

[[slopes]]
name = "length"
of = ["long", "rare"]
prior = { distribution = "exponential", rate = 10.0 }
connections = ["associated"]
"""


@pytest.fixture
def with_slopes(tmp_path):
    path = tmp_path / "mine.toml"
    shipped = (data_folder("models") / "crossed.toml").read_text(encoding="utf-8")
    path.write_text(shipped + SLOPES, encoding="utf-8")
    return path


def test_a_file_may_have_slopes(with_slopes):
    spec = bb.load_model(with_slopes)
    rarity, length = spec.slopes
    assert (rarity.of, rarity.by, rarity.sd) == (("rare",), ("attribute_kind",), 0.1)
    assert (length.of, length.by, length.connections) == (("long", "rare"), (), ("associated",))
    assert spec.numbers == ("rare", "long")
    assert spec.repeating == ()
    again = bb.models.ModelSpec.from_json(spec.to_json())
    assert (again, again.id) == (spec, spec.id)
    assert spec.id != spec.without(["length"]).id
    text = str(spec)
    assert "rarity_effect[k] × rare[i]" in text
    assert "length_effect × long[i] × rare[i]  (associated)" in text


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ('of = ["rare"]', "slope 'rarity'.*lacks 'of'"),
        ('of = "rare"', "term 'rarity': of: must be a list"),
        ('of = ["rare"]\nsimilar = ["attribute"]', "slope 'rarity': similar.*unknown key"),
    ],
)
def test_a_slope_that_is_none(with_slopes, change, complaint):
    text = with_slopes.read_text(encoding="utf-8")
    new = "" if "lacks" in complaint else change
    with_slopes.write_text(text.replace('of = ["rare"]', new, 1), encoding="utf-8")
    with pytest.raises(ModelError, match=complaint):
        bb.load_model(with_slopes)


def mine(*slopes):
    spec = bb.load_model("crossed")
    return spec.replace(name="mine", adapts=False, terms=(*spec.terms, *slopes))


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        (lambda f: f.attribute, "holds no numbers"),
        (lambda f: f.long.where(f.index != 3), "no finite number in row 4 .*'word0' and"),
        (lambda f: f.cosine_distance > 0, "holds no numbers"),
        (lambda f: f.long * 1e200, r"as large as \d.*e\+20\d; give it in another unit"),
        (lambda f: 1.0, "do not vary within connections"),
        (lambda f: f.connection.map(len), "cannot be told from their means"),
    ],
)
def test_numbers_that_are_none_are_refused(values, complaint):
    frame = with_numbers(make_frame())
    frame["rare"] = values(frame)
    with pytest.raises(ModelError, match=complaint):
        bb.fit(frame, mine(ONE), seed=1)


def test_a_column_that_is_missing_is_named():
    frame = with_numbers(make_frame()).rename(columns={"rare": "rares"})
    with pytest.raises(ModelError, match=r"no column 'rare'.*did you mean 'rares'"):
        bb.fit(frame, mine(ONE), seed=1)


def test_a_slope_that_was_planted_is_found_and_kept_in_a_file(tmp_path):
    """Per unit .02; the control contrast that it caused goes."""
    frame = with_numbers(make_frame(noise_sd=0.02))
    frame.loc[frame.connection == "neutral", "rare"] += 10.0
    frame["cosine_distance"] += 0.02 * (frame["rare"] - 5.0)
    one = TermSpec("rarity", (), sd=0.5, of=("rare",))
    fit = bb.fit(frame, mine(one), seed=1)
    row = fit.summary("slope").table.iloc[0]
    assert row["unit"] == pytest.approx(frame["rare"].std(ddof=0))
    assert row["per_unit"] * row["unit"] == pytest.approx(row["mean"], rel=1e-12)
    assert abs(row["mean"] - 0.02 * row["unit"]) < 3 * row["sd"]
    assert "Contrasts are at equal rare" in str(fit)
    plain = bb.fit(frame, "crossed", seed=1).contrasts().table.set_index("contrast")["mean"]
    equal = fit.contrasts().table.set_index("contrast")["mean"]
    assert plain["associated − neutral"] - equal["associated − neutral"] < -0.1
    effect = fit.slope_effect()
    shown = effect.table.set_index(["compared", "contrast"])["mean"]
    assert shown["plain"].to_numpy() == pytest.approx(plain[shown["plain"].index], abs=1e-4)
    assert (shown["at equal rare"] == equal).all()
    assert effect.sentence == "At equal rare human − neutral is undecided and plainly closer."
    with pytest.raises(FitError, match="has no slopes"):
        bb.fit(frame, "crossed", seed=1).slope_effect()
    fit.save(tmp_path / "fit.nc")
    again = bb.load_fit(tmp_path / "fit.nc")
    assert again.id == fit.id
    pd.testing.assert_frame_equal(again.summary("slope").table, fit.summary("slope").table)
    other = frame.assign(rare=frame["rare"] ** 2)
    assert bb.fit(other, fit.spec, seed=1).id != fit.id


def test_numbers_are_part_of_what_is_predicted():
    frame = with_numbers(make_frame(noise_sd=0.02))
    frame["cosine_distance"] += 0.05 * (frame["rare"] - 5.0)
    fit = bb.fit(frame, mine(TermSpec("rarity", (), sd=0.5, of=("rare",))), seed=1)
    expected = fit.predictions()
    assert np.corrcoef(expected["mean"], frame["cosine_distance"])[0, 1] > 0.95
    assert expected["inside"].mean() > 0.8


def test_simplify_leaves_out_what_the_data_cannot_tell():
    frame = with_numbers(make_frame()).assign(rare=2.0)
    spec, reasons = drop_unidentified_terms(mine(ONE), frame)
    assert spec.slopes == ()
    assert "The term rarity is left out: its numbers do not vary" in reasons[0]


def test_without_a_slope_there_is_no_summary_of_them():
    with pytest.raises(FitError, match="has no slopes"):
        bb.fit(make_frame(), "crossed", seed=1).summary("slope")
