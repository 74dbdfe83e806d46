"""The contract of results: one declaration, five ways to show it."""

import dataclasses
import json
from dataclasses import dataclass
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from samples import BREAKING, EVIL

from bayesbias.support.result import Result, plain
from bayesbias.support.text_tables import Blocks, Column, Table


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


@pytest.mark.parametrize(
    "value",
    [pd.NA, pd.NaT, np.nan, np.float32("nan"), np.inf],
    ids=["NA", "NaT", "nan", "f4", "inf"],
)
def test_what_is_not_known_is_none(value):
    assert plain({"x": [value]}) == {"x": [None]}


def test_keys_and_numbers_become_json_types():
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


def test_minus_signs_are_true_ones_but_in_plain_text(answer):
    """A hyphen is what a terminal's user copies into a program."""
    assert "-inf" in repr(answer)
    for text in (answer._repr_html_(), answer.to_markdown()):
        assert "−inf" in text
        assert "-inf" not in text


def test_text_is_the_representation(answer):
    assert repr(answer).startswith("One sentence, 89% & more.\n\nword")
