"""Result folders: what is written, what is read back, and what is refused in one line."""

import dataclasses
import json
import re
import shutil
import time

import numpy as np
import pandas as pd
import pytest
from samples import FEW, make_frame, read_table, undrawn_figures

import bayesbias as bb
from bayesbias.pairs.provenance import source_of, title_of, with_provenance
from bayesbias.report import folder_writing, load_results, write_report
from bayesbias.report.data import data_section
from bayesbias.report.folder_writing import write_change, write_figures, write_results
from bayesbias.report.shown_levels import (
    MOST_WORDS,
    extremes,
    few_attributes,
    summaries_of,
    words_of_change,
    words_of_fit,
)
from bayesbias.support.figure_style import new_figure
from bayesbias.support.text_tables import Table

CONTENT = {
    *("fit.nc", "pairs.csv", "missing_words.csv", "coverage.csv", "manifest.json"),
    *(f"summary_by_{by}.csv" for by in ("connection", "group", "word", "attribute", "term")),
    *(f"contrasts_by_{by}.csv" for by in ("connection", "group", "word")),
}


@pytest.fixture(scope="module")
def fit() -> bb.results.Fit:
    return bb.fit(make_frame(n_attributes=FEW), "crossed", seed=1, draws=300)


@pytest.fixture(scope="module")
def change() -> bb.results.Change:
    before = make_frame(n_attributes=FEW)
    before["protected_word"] = before["protected_word"].replace(
        {"word0": "=f(1)", "word1": "@user", "word2": "\t=g()", "word3": "nan"}
    )
    after = before.assign(cosine_distance=before["cosine_distance"] * 1.05)
    missing = {"role": "protected", "list": "group0", "reason": "not in the vectors"}
    for frame, words in ((before, ("a", "b")), (after, ("a",))):
        with_provenance(frame, missing=[{"word": word, **missing} for word in words])
    return bb.compare_change(before, after, model="change", seed=1, draws=300)


@pytest.fixture(scope="module")
def folder(change, tmp_path_factory):
    place = tmp_path_factory.mktemp("change") / "out"
    with undrawn_figures():
        write_change(change, place)
    return place


def names_in(place) -> set[str]:
    return {path.name for path in place.iterdir() if path.is_file()}


@pytest.mark.usefixtures("undrawn")
def test_a_folder_has_a_table_per_level(fit, tmp_path):
    write_results(fit, tmp_path / "out", rope=0.03, figures="svg")
    figures = list((tmp_path / "out/figures").iterdir())
    assert len(figures) == 6
    assert all(path.suffix == ".svg" for path in figures)
    assert names_in(tmp_path / "out") == CONTENT
    table = read_table(tmp_path / "out/contrasts_by_word.csv")
    expected = fit.contrasts("word", rope=0.03).table
    assert table.columns.tolist() == expected.columns.tolist()
    assert table["low"].tolist() == [float(f"{low:.6g}") for low in expected["low"]]
    pairs = read_table(tmp_path / "out/pairs.csv")
    assert pairs["cosine_distance"].tolist() == fit.input_frame["cosine_distance"].tolist()
    paper = bb.fit(make_frame(n_attributes=FEW), "paper", seed=1, draws=300)
    assert list(summaries_of(paper, paper.rule())) == ["connection", "group", "word", "term"]


@pytest.mark.parametrize("suffix", ["png", "pdf", "svg"])
def test_figures_have_the_format_asked_for_and_no_date(fit, tmp_path, suffix):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_figures(tmp_path / name, {"connections": fit.summary().plot}, suffix)
    first, second = (tmp_path / name / f"figures/connections.{suffix}" for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()


def test_an_unknown_format_is_refused_before_any_work(fit, tmp_path):
    with pytest.raises(bb.BayesBiasError, match="figures='gif'"):
        write_results(fit, tmp_path / "out", figures="gif")
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("undrawn")
def test_the_fit_is_written_before_anything_else(fit, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(bb.results.Fit, "coverage", lambda *_, **__: seen.append(found()) or 1 / 0)

    def found():
        return [path.name for path in tmp_path.rglob("fit.nc")]

    with pytest.raises(ZeroDivisionError):
        write_results(fit, tmp_path / "out")
    assert seen == [["fit.nc"]]


@pytest.mark.usefixtures("undrawn")
def test_a_page_without_placebo_lists_says_how_to_get_some(fit, tmp_path):
    write_report(fit, tmp_path / "r.html")
    section = (tmp_path / "r.html").read_text(encoding="utf-8").split('<section id="placebo"')[1]
    assert "None were fitted" in section.split("</section>")[0]
    frame = make_frame()
    frame = frame[frame["connection"] != "neutral"].reset_index(drop=True)
    write_report(bb.fit(frame, "paper", seed=1), tmp_path / "s.html")
    assert 'id="placebo"' not in (tmp_path / "s.html").read_text(encoding="utf-8")


def test_a_placebo_is_reported(tmp_path):
    frame = make_frame(n_attributes={"associated": 4, "different": 4, "human": 5, "neutral": 30})
    fit = bb.fit(frame, "paper", seed=1, draws=300)
    placebo = fit.placebo(5, progress=False)
    assert " 11% " in repr(placebo)
    sure = dataclasses.replace(placebo, table=placebo.table.assign(nominal=1 - 0.999))
    assert " 0.1% " in repr(sure)
    assert "(nominal 0.1%)" in sure.plot().axes[0].get_title()
    write_report(fit, tmp_path / "r.html", placebo=placebo)
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert '<section id="placebo"' in text
    assert all(block in text for block in placebo.blocks if isinstance(block, str))


def test_a_change_comes_back_as_it_was(change, folder):
    found, manifest = load_results(folder)
    assert manifest["intervals"] == {"prob": 0.89, "interval": "hpdi", "rope": None}
    assert found.rule == change.rule
    assert found.pairs["protected_word"].tolist() == change.pairs["protected_word"].tolist()
    pd.testing.assert_frame_equal(found.contrasts, change.contrasts)
    (folder / "manifest.json").rename(folder / "kept.json")
    try:
        assert load_results(folder)[0].rule == change.rule
    finally:
        (folder / "kept.json").rename(folder / "manifest.json")


def edited(change):
    """Return a function that edits a manifest."""

    def edit(text):
        content = json.loads(text)
        change(content)
        return json.dumps(content)

    return edit


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("manifest.json", lambda text: text[:50]),
        ("manifest.json", lambda text: "[" * 100_000),
        ("manifest.json", lambda text: "[]"),
        ("manifest.json", lambda text: "\udcff"),
        ("manifest.json", edited(lambda c: c.pop("intervals"))),
        ("manifest.json", edited(lambda c: c.update(intervals=3))),
        ("manifest.json", edited(lambda c: c["intervals"].update(prob="0.89"))),
        ("manifest.json", edited(lambda c: c["intervals"].update(rope=[1]))),
        ("manifest.json", edited(lambda c: c["intervals"].update(interval=None))),
        ("manifest.json", edited(lambda c: c.update(scale="wide"))),
        ("manifest.json", edited(lambda c: c.update(command=7))),
        ("manifest.json", edited(lambda c: c.update(fit="another"))),
        ("pairs.csv", lambda text: ""),
        ("pairs.csv", lambda text: text.replace("connection", "link", 1)),
        ("pairs.csv", lambda text: text.replace("0.", "zero.", 1)),
        ("pairs.csv", lambda text: text.replace("0.", "0,1.", 1)),
        ("pairs.csv", lambda text: text[: len(text) // 2]),
        ("unpaired.csv", lambda text: "protected_word\n"),
        ("unmoved.csv", lambda text: "connection,n_pairs,largest_change\nhuman,some,0.1\n"),
        ("unmoved.csv", lambda text: "connection,n_pairs,largest_change\nhuman,90,0.1\n"),
        ("fit.nc", lambda text: "CDF"),
    ],
)
def test_a_damaged_file_is_named_in_one_line(folder, tmp_path, name, edit):
    place = tmp_path / "out"
    shutil.copytree(folder, place)
    file = place / name
    text = "" if name == "fit.nc" else file.read_text(encoding="utf-8")
    file.write_text(edit(text), encoding="utf-8", errors="surrogateescape")
    with pytest.raises(bb.BayesBiasError) as caught:
        load_results(place)
    message = str(caught.value)
    assert name in message
    assert "\n" not in message


def test_missing_words_of_both_sides_are_not_added(change):
    table = next(p for p in data_section(change.pairs).parts if isinstance(p, Table))
    row = next(row for row in table.rows if row["list"] == "group0")
    assert (row["used"], row["missingbefore"], row["missingafter"]) == (3, 2, 1)
    assert (row["sharebefore"], row["shareafter"]) == (3 / 5, 3 / 4)


def test_missing_words_whose_side_no_record_says_are_not_shown(change):
    pairs = change.pairs.copy()
    rows = [{"word": "a", "role": "protected", "list": "group0", "reason": "not in the vectors"}]
    with_provenance(pairs, source=source_of(change.pairs), missing=rows)
    table = next(p for p in data_section(pairs).parts if isinstance(p, Table))
    assert not [name for name in table.rows[0] if "missing" in name]


def test_the_predictive_figure_names_changes(change):
    axes = change.fit.plot_predictive().axes
    assert axes[0].get_ylabel() == "observed change of cosine distance"
    assert axes[1].get_xlabel() == "change of cosine distance"


@pytest.mark.filterwarnings("ignore::bayesbias.errors.MissingWordsWarning")
def test_the_heading_is_the_title_of_the_list():
    frame = bb.distances(bb.example_embedding(), bb.load_wordlist("gender"))
    source = frame.attrs["bayesbias"]["source"]
    assert title_of(source).startswith(bb.load_wordlist("gender").title)


def many_words(seed: int = 0) -> pd.DataFrame:
    counts = {"associated": 3, "different": 3, "neutral": 3}
    return make_frame(n_words=MOST_WORDS + 20, n_attributes=counts, seed=seed)


def tables_drawn(monkeypatch, *names: str) -> dict[str, set[str]]:
    """Keep the words of every figure of a folder in place of drawing it."""
    drawn = {}
    for name in names:

        def draw(*tables, name=name, **_):
            words = next(t for t in tables if isinstance(t, pd.DataFrame) and "protected_word" in t)
            drawn[name] = set(words["protected_word"])
            return new_figure(1, 1, size=(1.0, 1.0))[0]

        monkeypatch.setattr(folder_writing, name, draw)
    return drawn


def farthest(table):
    """Return the words farthest out by associated − different, and what says so."""
    table = table[table["contrast"] == "associated − different"].sort_values("mean")
    half = MOST_WORDS // 2
    note = (
        f"Of {MOST_WORDS + 20} words the {MOST_WORDS} with the lowest and the highest "
        f"{{}}associated − different are shown; {{}} has all."
    )
    return {*table["protected_word"][:half], *table["protected_word"][-half:]}, note


@pytest.mark.usefixtures("undrawn")
def test_page_and_figures_show_the_words_that_the_note_says(tmp_path, monkeypatch):
    """Tables have all words."""
    fit = bb.fit(many_words(), "paper", seed=1, draws=100)
    drawn = tables_drawn(monkeypatch, "plot_words", "plot_contrasts")
    write_results(fit, tmp_path / "out", figures="png")
    expected, note = farthest(pd.read_csv(tmp_path / "out/contrasts_by_word.csv"))
    assert drawn == {"plot_words": expected, "plot_contrasts": expected}
    note = note.format("", "summary_by_word.csv")
    assert (
        json.loads((tmp_path / "out/manifest.json").read_text(encoding="utf-8"))["figures"] == note
    )
    words = pd.read_csv(tmp_path / "out/summary_by_word.csv")["protected_word"]
    assert words.nunique() == MOST_WORDS + 20
    write_report(fit, tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert note in text
    assert set(re.findall(r'class="word"[^>]*value="([^"]*)"', text)) == expected
    assert text.count('class="word"') == MOST_WORDS
    alone = fit.frame[fit.frame["connection"] == "neutral"]
    chosen = words_of_fit(bb.fit(alone, "paper", seed=1, draws=100).summary("word"), {})
    assert "lowest and the highest mean distance to neutral words are" in chosen.note


@pytest.mark.usefixtures("undrawn")
def test_page_and_figures_of_a_change_show_the_same_words(tmp_path, monkeypatch):
    before = many_words()
    after = before.assign(cosine_distance=many_words(seed=1)["cosine_distance"])
    change = bb.compare_change(before, after, model="change", seed=1, draws=100)
    drawn = tables_drawn(monkeypatch, "plot_changes", "plot_contrasts")
    write_change(change, tmp_path / "out", figures="png")
    expected, note = farthest(change.word_contrasts)
    assert set(words_of_change(change).words) == expected
    assert drawn == {"plot_changes": expected, "plot_contrasts": expected}
    note = note.format("change of ", "changes_by_word.csv")
    assert (
        json.loads((tmp_path / "out/manifest.json").read_text(encoding="utf-8"))["figures"] == note
    )
    write_report(change, tmp_path / "r.html")
    assert note in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert (tmp_path / "out/changes_by_word.csv").exists()


def test_extremes_are_the_ends():
    table = pd.DataFrame({"word": [f"w{i}" for i in range(9)], "mean": np.arange(9) % 5 / 10})
    assert extremes(table, "word", 4) == ["w0", "w4", "w5", "w8"]
    assert extremes(table, "word", 9) == table["word"].tolist()


@pytest.mark.slow
def test_results_of_very_many_attributes_are_written_in_linear_time(tmp_path):
    """At 20,000 attributes it did not end in 250 s: a line of a figure for each."""
    sizes = {"associated": 2500, "different": 2500, "human": 5, "neutral": 5}
    fit = bb.fit(make_frame(n_words=3, n_attributes=sizes), "paper", seed=1, draws=200)
    start = time.process_time()
    write_results(fit, tmp_path / "out")
    assert time.process_time() - start < 30
    words = ["word0", "word1"]
    few = few_attributes(fit.frame, words)
    assert set(few["protected_word"]) == set(words)
    counts = few[few["connection"] == "associated"].groupby("protected_word").size()
    assert counts.sum() <= 120
