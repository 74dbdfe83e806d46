"""The contract of results: one declaration, three ways to show it."""

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


def test_minus_signs_are_true_ones_but_in_plain_text(answer):
    """A hyphen is what a terminal's user copies into a program."""
    assert repr(answer).startswith("One sentence, 89% & more.\n\nword")
    assert "-inf" in repr(answer)
    text = answer._repr_html_()
    assert "−inf" in text
    assert "-inf" not in text


def test_a_table_for_a_paper_has_rules_caption_label_and_true_minus_signs():
    numbers = pd.DataFrame([{"word": "she_", "low": -0.3, "high": -0.04, "verdict": "closer"}])
    columns = ["word", Column(("low", "high"), "89% HPDI", "signed"), "verdict"]
    text = as_latex([Table(numbers, columns), "She."], caption="Of 100% she_", label="tab:she")
    lines = [line.strip() for line in text.splitlines()]
    assert lines[:3] == [r"\begin{table}", r"\caption{Of 100\% she\_}", r"\label{tab:she}"]
    assert lines[3:] == [
        *(r"\begin{tabular}{lrl}", r"\toprule", r"word & 89\% HPDI & verdict \\", r"\midrule"),
        *(r"she\_ & $-$0.300 to $-$0.040 & closer \\", r"\bottomrule", r"\end{tabular}"),
        *(r"\par\footnotesize She.", r"\end{table}"),
    ]


def test_latex_has_typographic_quotes():
    assert as_latex(["He said \"no\" ('so')."]) == "He said ``no'' (`so')."
