"""The contract of results: one declaration, five ways to show it."""

import dataclasses
import json
import shutil
import subprocess
from dataclasses import dataclass
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from samples import BREAKING, EVIL

from bayesbias.errors import ArgumentError
from bayesbias.show.result import Blocks, Column, Result, Table, as_latex, plain


@dataclass(frozen=True, repr=False)
class Answer(Result):
    table: pd.DataFrame
    ends: np.ndarray
    inner: "Answer | None" = None

    @property
    def blocks(self) -> Blocks:
        return [
            "One sentence, 89% & more.",
            "",
            Table(self.table, ["word", Column("mean", form="distance")]),
        ]


@pytest.fixture
def answer():
    table = pd.DataFrame({"word": [EVIL, BREAKING, "a|b_c$"], "mean": [0.5, np.nan, -np.inf]})
    return Answer(table, np.array([0.25, np.nan]))


def test_plain_data_have_no_nan(answer):
    found = dataclasses.replace(answer, inner=answer).to_dict()
    assert [row["mean"] for row in found["table"]] == [0.5, None, None]
    assert found["ends"] == found["inner"]["ends"] == [0.25, None]
    json.dumps(found, allow_nan=False)


def test_data_become_what_json_has():
    unknown = [pd.NA, pd.NaT, np.nan, np.float32("nan"), np.inf]
    assert plain({"x": unknown}) == {"x": [None] * 5}
    assert plain({("a", "b"): np.int64(1), 2: np.bool_(True)}) == {"a − b": 1, "2": True}


def test_the_frame_is_a_copy(answer):
    copy = answer.to_frame()
    copy.loc[0, "word"] = "changed"
    assert answer.table.loc[0, "word"] == EVIL


def test_html_escapes_every_text(answer):
    text = answer._repr_html_()
    assert "<script" not in text
    assert "<img" not in text
    tags = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: tags.append(tag)
    parser.feed(text)
    assert set(tags) == {"div", "p", "table", "thead", "tbody", "tr", "th", "td"}
    assert tags.count("td") == 6


def test_markdown_keeps_cells_apart(answer):
    lines = [line for line in answer.to_markdown().splitlines() if line.startswith("|")]
    assert len(lines) == 5
    assert {line.replace(r"\|", "").count("|") for line in lines} == {3}
    assert lines[1].split("|")[1].strip().startswith(":")
    assert lines[1].split("|")[2].strip().endswith("-:")


def test_latex_escapes_what_it_would_run(answer):
    text = answer.to_latex()
    assert r"89\% \& more" in text
    assert r"a\textbar{}b\_c\$" in text
    assert r"\begin{tabular}{lr}" in text
    assert text.count(r"\\") == 4
    assert r"& $-$inf \\" in text


HOSTILE = (
    *("a\\b", "100%", "#tag", "[start", "*star", "$x$&{}", "~^_<>|", "e\u0301te\u0301"),
    *("\\input{x}", "--dash``''\"!?", "«é»ßøœŁ", "naïve\u200bx", "−±×", "αρσ", "]end"),
    *("\u202eleft", ""),
)


def table_of(words):
    rows = pd.DataFrame({"word": words, "other": words[::-1], "mean": 0.5})
    return Table(rows, [Column("word"), Column("other"), Column("mean")])


def test_latex_compiles_whatever_the_words(tmp_path):
    if not shutil.which("pdflatex"):
        pytest.skip("LaTeX is not installed")
    body = as_latex([table_of(HOSTILE)], caption=" ".join(HOSTILE), label="tab:a")
    (tmp_path / "a.tex").write_text(
        r"\documentclass{article}\usepackage{booktabs}\usepackage[T1]{fontenc}\begin{document}"
        f"\n{body}\n\\end{{document}}\n",
        encoding="utf-8",
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-600:]


def test_latex_reads_no_option_and_composes_letters():
    """A row after a row's end that begins with a bracket was taken for a length."""
    text = as_latex([table_of(("[start", "*star", "e\u0301"))])
    assert "\n{[}start & é & " in text
    assert "\n{*}star & " in text
    assert "pdfLaTeX" not in text
    for word in ("שלום", "q\u0323\u0307", "日本"):
        assert as_latex([table_of((word, "a"))]).startswith("% holds letters that pdfLaTeX lacks")
    assert as_latex(["שלום"]) == "שלום"  # a field of BibTeX takes no comment


def test_minus_signs_are_true_ones_but_in_plain_text(answer):
    """A hyphen is what a terminal's user copies into a program."""
    assert repr(answer).startswith("One sentence, 89% & more.\n\nword")
    assert "-inf" in repr(answer)
    for text in (answer._repr_html_(), answer.to_markdown()):
        assert "−inf" in text
        assert "-inf" not in text


@dataclass(frozen=True, repr=False)
class Wide(Result):
    table: pd.DataFrame

    @property
    def blocks(self) -> Blocks:
        columns = [
            "word",
            Column("listed", form="signed", drop_priority=3),
            Column("mean", form="signed"),
            Column(("low", "high"), "89% HPDI", "signed"),
            Column("p", "P(< 0)", "distance", drop_priority=1),
            Column("in_rope", "in ROPE", "share", drop_priority=2),
            Column("sd", form="distance", drop_priority=4),
            Column("verdict", form="verdict"),
        ]
        return ["women:", Table(self.table, columns), "", "A sentence."]


@pytest.fixture
def wide():
    numbers = {"listed": -0.1, "mean": -0.2, "low": -0.3, "high": -0.04, "p": 0.98, "rope": 0.01}
    row = {"word": "she_", **numbers, "in_rope": 0.03, "sd": 0.05, "verdict": "closer"}
    return Wide(pd.DataFrame([row]))


def test_a_table_for_a_paper_has_five_columns_and_true_minus_signs(wide):
    lines = wide.to_latex().splitlines()
    table = lines[lines.index(r"\begin{tabular}{lrrrl}") :]
    assert table[2] == r"word & mean & 89\% HPDI & P(\textless{} 0) & verdict \\"
    assert table[4] == r"she\_ & $-$0.200 & $-$0.300 to $-$0.040 & 0.980 & closer \\"
    assert [table[1], table[3], table[5]] == [r"\toprule", r"\midrule", r"\bottomrule"]
    assert "% left out; columns= shows: listed, in ROPE, sd" in lines


def test_columns_are_chosen_by_their_heads_or_by_their_names_in_the_frame(wide):
    text = wide.to_latex(columns=["verdict", "low", "in ROPE", "sd", "rope"])
    assert r"\begin{tabular}{lrrrr}" in text
    assert r"closer & $-$0.300 & 3.0\% & 0.050 & 0.0100 \\" in text
    assert "left out" not in text


def test_a_float_has_caption_label_and_notes_in_small_letters(wide):
    text = wide.to_latex(caption="Of 100% she_", label="tab:she", columns=["word"])
    assert r"\caption{Of 100\% she\_}" "\n" r"\label{tab:she}" in text
    notes = [r"\par\footnotesize women:", r"\par\footnotesize A sentence.", r"\end{table}"]
    assert text.splitlines()[-4:] == [r"\end{tabular}", *notes]


def test_latex_has_typographic_quotes_and_keeps_the_columns_that_tell_rows_apart():
    assert as_latex(["He said \"no\" ('so')."]) == "He said ``no'' (`so')."
    names = ["metric", "class", "contrast", "group"]
    frame = pd.DataFrame([{**dict.fromkeys(names, "x"), "a": 1.0, "b": 2.0, "verdict": "closer"}])
    columns = [*names, Column("a", drop_priority=1, form="distance"), Column("b", form="distance")]
    text = as_latex([Table(frame, [*columns, Column("verdict", drop_priority=2)])])
    assert r"metric & class & contrast & group & b & verdict \\" in text


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"columns": ["word", "maen"]}, "no column 'maen'; did you mean 'mean'"),
        ({"columns": "mean"}, "columns='mean': give a list"),
        ({"columns": []}, "give a list"),
        ({"label": "a}b"}, "label='a}b'"),
    ],
)
def test_what_latex_cannot_take(wide, options, match):
    with pytest.raises(ArgumentError, match=match):
        wide.to_latex(**options)
    with pytest.raises(ArgumentError, match="only text"):
        as_latex(["A sentence."], caption="The model")
