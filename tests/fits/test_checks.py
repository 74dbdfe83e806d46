"""What checks found, against fits that were made for it; single words that carry an answer."""

import dataclasses
import re

import numpy as np
import pandas as pd
import pytest
from alike import list_frame

import bayesbias as bb
from bayesbias.engine.collapsed import integrate_blocks
from bayesbias.fits.checks import changed_answers, plain_t_interval, under_priors, without_words
from bayesbias.models.design import Design
from bayesbias.show.narrator import leading_row
from bayesbias.words.provenance import with_provenance


@pytest.fixture(scope="module")
def fit():
    """Seven words of two groups, six of them matched."""
    return bb.fit(list_frame(n_words=(4, 3), matched=True), seed=1)


def integrated(fit, *, frame=None, spec=None):
    """The leading contrast of all blocks of a changed model, integrated anew."""
    frame, spec = fit.frame if frame is None else frame, spec or fit.spec
    design = Design(frame, spec)
    draws, stats, record = integrate_blocks(design, spec, draws=1000, chains=4)
    other = dataclasses.replace(fit, frame=frame, spec=spec, design=design)
    return leading_row(
        dataclasses.replace(other, draws=draws, sample_stats=stats, settings=record).contrasts()
    )


def assert_close(answer, row, within):
    """Mean and ends agree, in standard deviations of the answer."""
    of_answer, of_row = (answer.mean, answer.low, answer.high), row[["mean", "low", "high"]]
    np.testing.assert_allclose(of_answer, of_row.astype(float), atol=within * row["sd"])


def answered(fit, changes):
    return changed_answers(fit, leading_row(fit.contrasts()), fit.rule(), changes)


def test_answers_without_a_word_are_those_of_fits_without_it(fit):
    """Whether the draws that there are were reweighted, or new ones made."""
    answers = answered(fit, without_words(fit))
    assert list(answers) == list(fit.frame["protected_word"].unique())
    for word, answer in answers.items():
        frame = fit.frame[fit.frame["protected_word"] != word].reset_index(drop=True)
        assert_close(answer, integrated(fit, frame=frame), 0.1)
    assert 0 < sum(answer.fitted for answer in answers.values()) < len(answers)


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_answers_under_other_priors_are_those_of_fits_with_them(fit, factor):
    terms = tuple(term.scaled(factor) for term in fit.spec.terms)
    noise = dataclasses.replace(fit.spec.noise, prior=fit.spec.noise.prior.scaled(factor))
    row = integrated(fit, spec=dataclasses.replace(fit.spec, terms=terms, noise=noise))
    assert_close(answered(fit, under_priors(fit, {"": factor}))[""], row, 0.1)


def numbers(text):
    return [float(n.replace("−", "-")) for n in re.findall(r"[+−]\d\.\d+", text)]


def test_rows_have_the_numbers_of_what_they_ask(fit):
    table, row = fit.check().table.set_index("check"), leading_row(fit.contrasts())
    assert table.index.tolist() == [
        *("computation", "leave-one-out", "predictive check", "similar attributes"),
        *("missing words", "priors × ½", "priors × 2"),
        *("leave one word out", "plain t-interval"),
    ]
    plain = plain_t_interval(fit).iloc[0][["observed", "low", "high"]].tolist()
    half = answered(fit, under_priors(fit, {"½": 0.5}))["½"]
    without = answered(fit, without_words(fit)).values()
    most = max(without, key=lambda answer: abs(answer.mean - row["mean"]))
    expected = {
        "priors × ½": [half.mean, half.low, half.high],
        "leave one word out": [most.mean, row["mean"]],
        "plain t-interval": plain,
    }
    for name, values in expected.items():
        assert numbers(table.loc[name, "found"]) == pytest.approx(values, abs=6e-4), name
    assert (table["verdict"] == np.where(table["advice"] == "", "pass", "warn")).all()


def test_a_word_that_hides_the_answer_and_words_that_are_missing_are_warned_of():
    """All words but one are closer to their own list."""
    frame = list_frame(n_words=(5, 4), n_human=8, n_neutral=7)
    own, stereotype = (
        frame["connection"].isin(names) for names in (["associated"], ["associated", "different"])
    )
    noise = np.random.default_rng(0).normal(0, 0.01, len(frame))
    frame.loc[stereotype, "cosine_distance"] = (0.8 + noise - 0.05 * own)[stereotype]
    frame.loc[own & (frame["protected_word"] == "word00"), "cosine_distance"] += 0.4
    lost = {"role": "protected", "list": "group1", "reason": "missing"}
    missing = [{"word": f"w{i}", **lost} for i in range(5)]
    frame = with_provenance(frame, source={"made": "by a test"}, missing=missing)
    table = bb.fit(frame, "paper", seed=1).check().table.set_index("check")
    assert table.loc["leave one word out", "found"].startswith("most without word00")
    assert "without word00: add words" in table.loc["leave one word out", "advice"]
    assert "only 4 of group1 remain" in table.loc["missing words", "advice"]
    assert table.loc["similar attributes", "verdict"] == "warn"


def test_checks_depend_on_no_order_of_rows():
    vectors = bb.example_embedding()
    frame = bb.analyze(vectors, "gender", "paper", seed=1).frame
    mixed = frame.sample(frac=1, random_state=3)
    mixed.attrs = frame.attrs
    tables = [bb.fit(of, vectors=vectors, seed=1).check().table for of in (frame, mixed)]
    pd.testing.assert_frame_equal(*tables)


def test_checks_are_of_the_rule_of_the_answer(fit):
    """And a word without which nothing is answered is named."""
    rule = bb.DecisionRule(ci_prob=0.99)
    table = fit.check(rule=rule).table.set_index("check")
    changed = changed_answers(fit, leading_row(fit.contrasts()), rule, under_priors(fit, {"": 0.5}))
    ends = [changed[""].mean, changed[""].low, changed[""].high]
    assert numbers(table.loc["priors × ½", "found"]) == pytest.approx(ends, abs=6e-4)


def test_a_word_without_which_nothing_is_answered_is_named():
    small = bb.fit(list_frame(n_words=(4, 2)), seed=1)
    row = small.check().table.set_index("check").loc["leave one word out"]
    lost = small.frame.loc[small.frame["group"] == small.frame["group"].unique()[1]]
    words = " or ".join(lost["protected_word"].unique())
    assert row["advice"] == f"the answer becomes withheld without {words}: add words"


def test_a_plain_interval_is_no_check_of_an_answer_with_covariates():
    frame = list_frame(n_words=(4, 3))
    frame["rank"] = frame["attribute"].map(len) + np.arange(len(frame)) % 3
    adjusted = bb.fit(frame, covariates=["rank"], seed=1)
    assert "plain t-interval" not in set(adjusted.check().table["check"])
