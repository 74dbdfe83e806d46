"""Answers that must not change with what they are not about; `benchmarks/relations.py`, small."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from alike import list_frame
from samples import FEW, in_copies, load_benchmark, make_frame

import bayesbias as bb
from bayesbias.constants import AFTER, BEFORE, CHANGE
from bayesbias.errors import ModelError
from bayesbias.inference.adapting import adapt_model_to_data, unit_of
from bayesbias.inference.design import Design
from bayesbias.inference.predictive import draw_prior

EXACT = 1e-6  # in posterior standard deviations
LEVELS = {
    "connection": ["contrast"],
    "group": ["group", "contrast"],
    "word": ["protected_word", "contrast"],
}
OTHERS = (
    "rotated",
    "scaled",
    "every word scaled",
    "empty dimensions",
    "vocabulary in another order",
    "further words",
    "single precision",
    "other names",
    "list in another order",
    "nearer",
)


@pytest.mark.parametrize("case", range(1000, 1020))
def test_twenty_lists_have_the_answers_that_they_have_in_another_shape(case):
    """Rows in another order and one other relation each, all of them twice."""
    only = "rows in another order", OTHERS[case % len(OTHERS)]
    found = load_benchmark("relations").of_case(case, "maximal", only=only).set_index("relation")
    assert set(found.index) == {"itself", *only}
    assert not found["refused"].any()
    assert found["difference"].max() < EXACT
    assert found["verdicts"].sum() == 0


def linear_distances(seed):
    """Words and attributes of 25 dimensions: distances that attributes alike nearly explain."""
    relations = load_benchmark("relations")
    rng = np.random.default_rng(seed)
    words = dataclasses.replace(relations.some_list(rng), reference=())
    vocabulary, vectors = relations.some_vectors(words.words, 25, rng)
    return bb.distances(relations.keyed(vocabulary, vectors), words), rng


@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
@pytest.mark.parametrize("seed", [3, 7])
def test_the_noise_is_never_dropped_because_a_search_failed(seed):
    """With rounding to decide, a fit dropped what similar attributes share of the noise."""
    frame, rng = linear_distances(seed)
    shuffled = load_benchmark("relations").in_row_order(frame, rng)
    fits = [bb.fit(rows, seed=1) for rows in (frame, shuffled)]
    assert [fit.spec.noise for fit in fits] == [fits[0].spec.noise] * 2
    assert all("explain every distance" not in said for fit in fits for said in fit.left_out)
    first, second = (fit.log_marginal_likelihood for fit in fits)
    assert first == pytest.approx(second, abs=1e-6)


def affine(frame, factor, shift):
    """Distances in another unit and from another origin; of changes both sides'."""
    changed = frame.copy()
    for column in ("cosine_distance", BEFORE, AFTER):
        if column in frame:
            changed[column] = shift + factor * frame[column]
    if CHANGE in frame:
        changed[CHANGE] = factor * frame[CHANGE]
    changed.attrs = dict(frame.attrs)
    return changed


def changes(frame, seed=1):
    """A change of every pair, and the distances that it is between."""
    rng = np.random.default_rng(seed)
    before = frame["cosine_distance"].to_numpy()
    after = before + 0.03 * rng.standard_normal(len(frame))
    sides = {BEFORE: before, AFTER: after, CHANGE: after - before}
    return frame.drop(columns="cosine_distance").assign(**sides)


def frames():
    """A frame for every model whose priors are in units of the data, but for the sampled one."""
    plain = list_frame(n_words=(3, 3), n_reference=3)
    copies = {name: in_copies(make_frame(n_attributes=FEW), [name]) for name in ("run", "context")}
    stacked = in_copies(make_frame(n_attributes=FEW), ["embedding"])
    return {
        "maximal": plain,
        "change-maximal": changes(plain),
        "runs": copies["run"],
        "change-runs": changes(copies["run"]),
        "contextual": copies["context"],
        "embeddings": stacked,
    }


@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
@pytest.mark.parametrize("model", list(frames()))
@pytest.mark.parametrize(("factor", "shift"), [(0.05, 0.9), (1.5, -0.7)])
def test_answers_in_sds_do_not_depend_on_unit_and_origin(model, factor, shift):
    """As of vectors in a cone: intervals of groups were up to 1.8 times as wide there."""
    frame = frames()[model]
    fits = [bb.fit(rows, model, seed=1) for rows in (frame, affine(frame, factor, shift))]
    assert fits[1].spec.scale == pytest.approx(factor * fits[0].spec.scale)
    for by, keys in LEVELS.items():
        one, two = (fit.contrasts(by).table.set_index(keys) for fit in fits)
        for end in ("mean", "low", "high"):
            off = (two[end] / factor - one[end]) / one["sd"]
            assert off.abs().max() < EXACT, (by, end)
        np.testing.assert_allclose(one["standardised"], two["standardised"], atol=EXACT)
        assert one["verdict"].tolist() == two["verdict"].tolist()


def test_heavy_tails_have_the_unit_too():
    """The chains' draws are not the same to rounding; the priors are."""
    frame = list_frame(n_words=(3, 3), n_reference=3)
    both, heavy = (frame, affine(frame, 0.2, 0.5)), bb.load_model("maximal-student-t")
    spec, other = (adapt_model_to_data(heavy, rows)[0] for rows in both)
    assert other.priors["degrees_of_freedom"] == spec.priors["degrees_of_freedom"]
    for name in set(spec.priors) - {"degrees_of_freedom", "connection_mean"}:
        assert other.priors[name].rate == pytest.approx(spec.priors[name].rate / 0.2)
    mean, moved = (s.priors["connection_mean"] for s in (spec, other))
    assert (moved.mean, moved.sd) == pytest.approx((0.5 + 0.2 * mean.mean, 0.2 * mean.sd))


@pytest.mark.parametrize("model", ["paper", "crossed", "shared-noise", "no-pooling", "change"])
def test_published_priors_stay_what_they_are(model):
    spec = bb.load_model(model)
    frame = changes(make_frame(n_attributes=FEW)) if model == "change" else make_frame()
    assert spec.prior_unit == ""
    assert adapt_model_to_data(spec, frame)[0].priors == spec.priors


def test_the_unit_is_the_sd_of_a_neutral_pair():
    """Of 24 pairs their plain sd; with reference words, whose rows do not count, the same."""
    frame = list_frame(n_words=(4, 4), n_human=2, n_neutral=3, n_reference=3)
    neutral = frame.loc[frame["connection"] == "neutral", "cosine_distance"]
    protected = frame[frame["connection"] != "reference"]
    expected = np.std(neutral, ddof=1), protected["cosine_distance"].mean()
    assert unit_of(frame, "cosine_distance") == pytest.approx(expected)
    assert unit_of(protected, "cosine_distance") == pytest.approx(expected)
    fit = bb.fit(frame, seed=1)
    assert (fit.spec.scale, fit.spec.centre) == pytest.approx(expected)
    assert fit.spec.priors["word_sd"].rate == pytest.approx(1.5 / expected[0])
    assert fit.spec.term("group_list").sd == pytest.approx(0.5 * expected[0])
    text = fit.spec.equations()
    assert "~ Exponential(rate=1.5) × unit" in text
    assert f"= {expected[0]:.3g}, the sd of a neutral pair's distance" in text


def test_of_few_neutral_pairs_all_pairs_are_the_unit():
    """Around the means of their connections; of two that differ by 1e-9 no scale comes."""
    frame = list_frame(n_words=(3, 3), n_human=2, n_neutral=1)
    by = frame.groupby("connection")["cosine_distance"]
    expected = np.sqrt((by.var() * (by.size() - 1)).sum() / (by.size() - 1).sum())
    assert unit_of(frame, "cosine_distance")[0] == pytest.approx(expected)


def test_embeddings_count_from_their_own_means():
    one = make_frame(n_attributes=FEW | {"neutral": 6})
    parts = [one.assign(embedding=name) for name in ("a", "b")]
    parts[1]["cosine_distance"] += 0.4
    assert unit_of(pd.concat(parts, ignore_index=True), "cosine_distance")[0] == pytest.approx(
        unit_of(one, "cosine_distance")[0], rel=0.05
    )


def test_a_change_has_the_unit_of_the_distances_before():
    frame = make_frame()
    moved = changes(frame)
    scale, centre = unit_of(moved, CHANGE)
    assert (scale, centre) == (unit_of(frame, "cosine_distance")[0], 0.0)
    alone = moved.drop(columns=[BEFORE, AFTER])
    assert unit_of(alone, CHANGE)[0] == pytest.approx(
        moved.loc[moved["connection"] == "neutral", CHANGE].std()
    )


def test_a_model_whose_unit_is_not_known_has_no_density():
    design = Design.from_frame(list_frame(n_reference=2), bb.load_model("maximal"))
    with pytest.raises(ModelError, match="priors are in units of the frame"):
        draw_prior(bb.load_model("maximal"), design, draws=1, rng=np.random.default_rng(0))


def test_a_refit_keeps_the_priors_of_the_fit():
    """Of placebo lists, say: the fit's unit, not that of the other frame."""
    frame = list_frame(n_words=(3, 3), n_reference=3)
    fit = bb.fit(frame, seed=1)
    again, _ = adapt_model_to_data(fit.spec, affine(frame, 0.1, 0.8))
    assert again == fit.spec
