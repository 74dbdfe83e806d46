"""What `repr`, terminal, page and ``--json`` say of a fit is the same."""

import html
import json
import re

import numpy as np
import pytest
from samples import FEW, make_frame

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.fits.sentences import chance_clause, interval
from bayesbias.simulate.assumptions import world_frame
from bayesbias.support.result import plain

CHOSEN = {"prob": 0.5, "interval": "eti"}
ASKED = ["--model", "paper", "--seed", "1", "--prob", "0.5", "--interval", "eti"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("narrator")
    bb.write_distances(make_frame(n_attributes=FEW), place / "d.csv")
    return place


@pytest.fixture(scope="module")
def fit(place):
    return bb.fit(bb.read_distances(place / "d.csv"), "paper", seed=1)


def test_the_finding_says_what_how_much_and_how_sure(fit):
    row = fit.contrasts().table.iloc[0]
    mean, low, high = (f"{-row[name]:.2f}" for name in ("mean", "high", "low"))
    said = "Associated words are closer to the protected words than different words, by "
    assert fit.finding() == f"{said}{mean}."
    (whole,) = fit.answers(fit.rule()).findings
    assert whole.startswith(fit.finding())
    sds = f"{-row['standardised']:.2f} sd of a neutral pair's distance"
    assert f"The mean is {mean} closer ({sds}), the 89% HPDI {low} to {high} closer" in whole
    assert "They are closer with probability 0.98." in whole
    assert whole.endswith(f"The listed pairs by themselves are {-row['listed']:.2f} closer.")


@pytest.mark.filterwarnings("ignore:183 of 350 words")
def test_who_is_nearer_to_what_comes_first_in_the_words_of_the_list():
    """The example's: a list's own titles, and by list a line with size, interval and verdict."""
    fit = bb.fit(bb.distances(bb.example_embedding(), "gender"), seed=1)
    head, *lines, over_all = fit.answers(fit.rule()).findings
    male, female = sorted(lines, key=lambda line: "stereotyped as female" in line)
    assert head == fit.finding()
    assert len(head.split()) <= 25
    said = re.findall("words for (?:wo)?men", head.lower())
    assert {"words for women", "words for men"} == set(said)
    rows = fit.contrasts("list").table.set_index("attribute_set")
    woman = rows[rows["contrast"] == "between groups"].loc["woman_stereotype"]
    ends = interval(woman["low"], woman["high"])
    edge = f"{-woman['high']:.4f}, so near 0 that numerical error could change the verdict"
    assert female == (
        f"Occupations stereotyped as female: words for women {-woman['mean']:.2f} closer than "
        f"words for men (89% HPDI {ends}; {woman['verdict']}{chance_clause(woman)}"
        f"{f'; the interval ends at {edge}' if woman['on_edge'] else ''})."
    )
    assert male.startswith("Occupations stereotyped as male: words for men ")
    assert over_all.startswith("Over all groups, associated words are closer")


def test_words_that_have_the_name_of_their_set_are_told_from_it():
    """A published file has no groups: its words have the name of the set associated with them."""
    frame = world_frame(6, 8, n_groups=2, n_human=4, n_neutral=4)
    noise = np.random.default_rng(1).normal(0, 0.05, len(frame))
    frame["cosine_distance"] += noise - 0.3 * (frame["connection"] == "associated")
    frame["group"] = frame["group"].str.replace("group", "set")
    said = bb.fit(frame, seed=1).finding()
    assert said == (
        'Protected words of "set 1" are closer than protected words of "set 2" to the attribute '
        'list "set 1"; protected words of "set 2" are closer to the attribute list "set 2".'
    )


def test_repr_terminal_and_page_quote_one_sentence(fit, place, capsys):
    assert repr(fit).splitlines()[0] == fit.finding()
    assert main(["analyze", "--distances", str(place / "d.csv"), *ASKED]) == 0
    assert fit.finding(**CHOSEN) in capsys.readouterr().out.splitlines()
    bb.write_report(fit, place / "r.html", **CHOSEN)
    page = html.unescape((place / "r.html").read_text(encoding="utf-8"))
    assert f"<h1>{fit.finding(**CHOSEN).rstrip('.')}</h1>" in page
    bb.write_report(fit, place / "t.html", title="Mine", **CHOSEN)
    page = html.unescape((place / "t.html").read_text(encoding="utf-8"))
    assert "<h1>Mine</h1>" in page
    assert f'<p class="answer">{fit.finding(**CHOSEN)}</p>' in page


def test_a_change_is_told_in_one_way(place, capsys):
    before = bb.read_distances(place / "d.csv")
    moved = before.assign(cosine_distance=make_frame(n_attributes=FEW, seed=5)["cosine_distance"])
    bb.write_distances(moved, place / "after.csv")
    change = bb.compare_change(
        before, bb.read_distances(place / "after.csv"), model="change", seed=1
    )
    command = ["compare", str(place / "d.csv"), str(place / "after.csv"), "--model", "change"]
    assert main([*command, "--seed", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert change.answers[0] == change.headline == lines[0]
    for sentence in (*change.lines, *change.meanings):
        assert sentence in change.answers
        assert sentence in " ".join(line.removeprefix("  - ").strip() for line in lines)
    bb.write_report(change, place / "c.html")
    page = html.unescape((place / "c.html").read_text(encoding="utf-8"))
    assert f'<p class="answer">{change.headline}</p>' in page
    for sentence in change.answers:
        assert sentence in page
    assert change.to_dict()["answers"] == change.answers


def test_a_fit_has_one_json(fit, place, capsys):
    """And its coverage is that of the interval asked for."""
    assert main(["analyze", "--distances", str(place / "d.csv"), *ASKED, "--json"]) == 0
    printed, ours = json.loads(capsys.readouterr().out), plain(fit.to_dict(**CHOSEN))
    assert printed.keys() == ours.keys()
    for name in set(ours) - {"record"}:  # which has the time
        assert printed[name] == json.loads(json.dumps(ours[name]))
    assert {row["prob"] for row in ours["coverage"]} == {0.5}
    assert {row["prob"] for row in fit.to_dict()["coverage"]} == {0.89, 0.5}
    json.dumps(fit.to_dict(), allow_nan=False)
