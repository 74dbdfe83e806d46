"""A paragraph for a paper: it says what answers say, once, in three forms."""

import numpy as np
import pytest
from samples import make_frame

import bayesbias as bb
from bayesbias.errors import ArgumentError, FitError
from bayesbias.pairs.provenance import with_provenance


@pytest.fixture(scope="module")
def fit():
    source = {
        "wordlist": "weat7",
        "wordlist_title": "Mathematics & arts",
        "embedding": "a_b",
        "wordlist_source": "A paper & its list",
    }
    missing = [
        {"word": word, "role": role, "list": where, "reason": "not there"}
        for word, role, where in (
            ("sum", "attribute", "associated"),
            ("person", "reference", "reference"),
        )
    ]
    return bb.fit(with_provenance(make_frame(), source=source, missing=missing), "paper", seed=11)


def test_it_says_everything_that_a_paper_needs(fit):
    said = fit.report(rope=0.02, prob=0.5, interval="eti")
    found = fit.contrasts(rope=0.02, prob=0.5, interval="eti")
    row = found.table.iloc[0]
    parts = [
        "Mathematics & arts in a_b: model 'paper'",
        "6 protected words and 46 attribute words (276 pairs)",
        "Missing words: 1 of the lists' 53 (0 protected words, 1 attribute), and 1 reference word "
        "besides.",
        fit.finding(rope=0.02, prob=0.5, interval="eti"),
        f"On associated − different the verdict is: {row['verdict']}.",
        found.caption,
        "The draws passed their checks. Left-out coverage: ",
        *fit.notes,
        *(f"seed 11, fit {fit.id}.", f"bayesbias {bb.__version__}", f"numpy {np.__version__}"),
        *("The method: Dobrzeniecka and Urbaniak (2023)", "The word list: A paper & its list."),
    ]
    places = [said.find(part) for part in parts]
    assert min(places) >= 0, parts[places.index(-1)]
    assert "The model:" not in said  # it is that of the method
    assert "\n" not in said
    assert "placebo" not in said


def test_markdown_and_latex_are_escaped_and_say_the_same(fit):
    assert r"a\_b" in fit.report("markdown")
    latex = fit.report("latex")
    assert r"Mathematics \& arts in a\_b" in latex
    assert r"associated $-$ different" in latex
    assert r"89\% HPDI 0." in latex
    assert "−" not in latex


def test_the_place_among_placebo_lists_is_said(fit):
    placebo = fit.placebo(2, progress=False)
    row = placebo.table.iloc[0]
    said = fit.report(placebo=placebo)
    assert "Among 2 placebo lists (neutral words drawn at random" in said
    assert f"the place of associated − different is p = {row['p']:.2g}," in said
    assert placebo.sentence in said


def test_means_are_told_where_nothing_is_compared():
    frame = make_frame()
    fit = bb.fit(frame[frame["connection"] == "neutral"].reset_index(drop=True), "paper", seed=1)
    assert "no two of the connections that are compared" in fit.report()


def test_what_it_does_not_take(fit):
    for options, complaint in (
        ({"form": "html"}, "form='html'; Valid: text, markdown, latex"),
        ({"form": ["text"]}, r"form=\['text'\]"),
        ({"placebo": 200}, "placebo=200: give what"),
    ):
        with pytest.raises(ArgumentError, match=complaint):
            fit.report(**options)
    change = bb.compare_change(make_frame(), make_frame(seed=3), model="change", seed=1)
    with pytest.raises(FitError, match="of changes of distances"):
        change.fit.report()
