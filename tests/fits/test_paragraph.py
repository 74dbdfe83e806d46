"""A paragraph for a paper: it says what answers say, once, in three forms."""

import dataclasses
import re

import pytest
from samples import ROOT, make_frame

import bayesbias as bb
from bayesbias.errors import ArgumentError, FitError
from bayesbias.pairs.provenance import with_provenance
from bayesbias.simulate import planted_embedding


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
    answers = fit.answers(fit.rule(rope=0.02, prob=0.5, interval="eti"))
    parts = [
        "Mathematics & arts in a_b: model 'paper' (Dobrzeniecka and Urbaniak, 2023) of the cosine",
        "6 protected words and 46 attributes (276 pairs), word list weat7 (weat7).",
        "Missing words: 1 of the lists' 53 (0 protected words, 1 attribute), and 1 reference word "
        "besides.",
        *answers.findings,
        "Intervals are 50% equal-tailed intervals; differences below 0.02",
        "count as practically none (Kruschke, 2018).",
        "The draws passed their checks; ",
        "of pairs lie in left-out 50% predictive intervals.",
        *fit.notes,
        f"bayesbias {bb.__version__} (The bayesbias developers, 2026; Dobrzeniecka and Urb",
        f"seed 11, fit {fit.id}.",
    ]
    places = [said.find(part) for part in parts]
    assert min(places) >= 0, parts[places.index(-1)]
    assert "\n" not in said
    assert "placebo" not in said


@pytest.fixture(scope="module")
def shipped():
    with pytest.warns(bb.BayesBiasWarning):
        return bb.fit(bb.distances(bb.example_embedding(), "gender"), seed=1)


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_it_is_half_as_long_as_it_was(shipped, form):
    """It had 415 words: findings twice, titles of works; no borderline case, and no topics."""
    borderline = (
        r"; the interval ends at \S+, so near 0 that numerical error could change the verdict"
    )
    said, n_borderline = re.subn(borderline, "", shipped.report(form))
    edges = shipped.contrasts("list").table.query("contrast == 'between groups'")["on_edge"]
    assert n_borderline == edges.sum()
    said, n_topics = re.subn(r"Attributes count as a sample of topics \(18 in 12\)\. ", "", said)
    assert n_topics == 1
    assert len(said.split()) <= 415 / 2 + 6
    assert shipped.report(form).count(shipped.finding()) == 1


def test_every_key_is_defined_by_cite(shipped):
    latex = shipped.report("latex")
    keys = [key for part in re.findall(r"\\cite\{(.*?)\}", latex) for key in part.split(",")]
    assert {"bayesbias", "dobrzeniecka2023", "barr2013", "kruschke2018", "manzini2019"} <= {*keys}
    bibtex = bb.cite("gender")
    for key in keys:
        assert f"{{{key},\n" in bibtex
    assert f"[@{keys[0]}; @{keys[1]}; " in shipped.report("markdown")
    assert "⟦" not in latex


def test_a_list_and_a_model_of_ones_own_are_cited(tmp_path):
    text = (ROOT / "wordlists" / "weat7.toml").read_text(encoding="utf-8")
    own = tmp_path / "my_list.toml"
    own.write_text(re.sub(r"^source = .*$", 'source = "Mine"', text, flags=re.MULTILINE))
    vectors = planted_embedding(bb.load_wordlist(own), similarity=0.3, dim=30, seed=1).vectors
    spec = dataclasses.replace(bb.load_model("paper"), name="mine", source="An unknown work")
    latex = bb.fit(bb.distances(vectors, own), spec, seed=1).report("latex")
    assert "model 'mine' (An unknown work) of the cosine distances" in latex
    assert r", word list my\_list \cite{my-list}." in latex
    assert "@misc{my-list,\n" in bb.cite(own)


def test_markdown_and_latex_are_escaped_and_say_the_same(fit):
    assert r"a\_b" in fit.report("markdown")
    latex = fit.report("latex")
    assert r"Mathematics \& arts in a\_b" in latex
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
