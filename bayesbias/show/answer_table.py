"""The table of answers: its rows, what they are called, and its cells, as text and for a page."""

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.show.narrator import signed
from bayesbias.show.result import aligned

WIDTH: Final = 80
"""Letters of a line of a screen."""

GLYPHS: Final = {"closer": "◀", "farther": "▶", "equal": "■", "undecided": "○"}
"""Marks of verdicts, by `verdict_class`."""

_FIRST_LISTS: Final = 3
"""Rows by list that are seen first, the largest in sd."""


def first_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Return over all, two controls and three rows by list, the largest in sd first.

    Of lists that belong to no group those rows stand before the controls.
    """
    over_all, controls, lists, groups = (
        table[table["level"] == level] for level in ("over all", "controls", "list", "group")
    )
    largest = lists["standardised"].abs().sort_values(ascending=False, kind="stable").index
    # What leads is shown, also where all before it is withheld.
    has_answer = (pd.concat([over_all, lists])["withheld"] == "").any()
    parts = [over_all, groups[: 0 if has_answer else None], controls[:2]]
    parts.insert(3 if len(over_all) else 2, lists.loc[largest[:_FIRST_LISTS]])
    return pd.concat(parts)


def row_label(row: Any) -> str:
    """Name a row of a frame of contrasts in full."""
    if row.level == "list":
        return f"{row.list}: {row.contrast}".replace("_", " ")
    if row.level == "group":
        return f"{row.group}: {row.contrast}"
    return str(row.word or row.contrast)


def short_label(row: Any) -> str:
    """Name a row in at most 30 letters."""
    text = f"{row.word or row.group}: {row.contrast}"
    if row.level in ("over all", "controls"):
        text = row.contrast
    elif row.level == "list":
        sides = (row.group, "owners"), (row.other, "others")
        first, second = (many if ", " in side else side for side, many in sides)
        text = f"{row.list}: {first} − {second}".replace("_", " ")
    return text if len(text) <= 30 else f"{text[:29]}…"


def verdict_class(verdict: str) -> str:
    """Return the part of a verdict that names its colour: closer, farther, equal, undecided."""
    direction, _, size = verdict.partition(", ")
    return "equal" if "equal" in (direction + size) else direction or "undecided"


def numbers_of(row: Any) -> list[str]:
    """Write an answer: its observed difference, mean, interval, and mean in sd."""
    if row.withheld:
        return [signed(row.observed), "", "", ""]
    ends = f"{signed(row.low)} to {signed(row.high)}"
    return [signed(row.observed), signed(row.mean), ends, signed(row.standardised, 2)]


def in_sds(rows: pd.DataFrame) -> pd.DataFrame:
    """Return answers in sd of a neutral pair, in which those of several embeddings compare."""
    unit = rows["mean"] / rows["standardised"]
    unit = unit.where(np.isfinite(unit), 1.0)
    names = [n for n in ("observed", "mean", "low", "high", "sd") if n in rows]
    return rows.assign(**{name: rows[name] / unit for name in names})


def answer_table(
    rows: pd.DataFrame, labels: Iterable[str], label: str, *, compares_sds: bool = False
) -> dict[str, Any]:
    """Return answers as a page shows them; `label`: of the intervals.

    Where sds are compared, of several embeddings, all numbers are in sd.
    """
    content, n = [], 3 if compares_sds else 4
    rows = in_sds(rows) if compares_sds else rows
    for name, row in zip(labels, rows.itertuples(), strict=True):
        look = "" if row.withheld else verdict_class(row.verdict)
        cells = {"cells": numbers_of(row)[:n], "verdict": row.withheld or row.verdict}
        content.append({"name": name, "look": look, "glyph": GLYPHS.get(look, ""), **cells})
    heads = ["observed", "mean", label, "in sd"][:n]
    return {"heads": heads, "rows": content, "note": "Numbers are in sd." * compares_sds}


def answer_lines(
    rows: pd.DataFrame,
    labels: Iterable[str],
    label: str,
    region: str,
    title: str = "",
    *,
    compares_sds: bool = False,
) -> list[str]:
    """Return answers as lines of text, as `answer_table` has them.

    `region`: what an interval of undecided size meets.
    """
    table = answer_table(rows, labels, label, compares_sds=compares_sds)
    content = [(title, *table["heads"], "verdict")]
    for row, withheld in zip(table["rows"], rows["withheld"], strict=True):
        observed, mean, ends, *sds = row["cells"]
        verdict = "" if withheld else row["verdict"].replace(", size undecided", "*")
        content.append((row["name"], observed, mean, ends or "withheld", *sds, verdict))
    is_open = any(cells[-1].endswith("*") for cells in content)
    note = f"* size undecided: the interval meets ±{region}, where differences do not matter"
    return screen_table(content) + [note] * is_open


def screen_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of texts as lines: first and last column to the left, numbers to the right."""
    last = len(rows[0]) - 1
    return aligned(rows, [i in (0, last) for i in range(last + 1)], WIDTH)


def folded(line: str) -> list[str]:
    """Return a line of prose in lines that fit; tables are left as they are."""
    if len(line) <= WIDTH or "  " in line.strip():
        return [line]
    return textwrap.wrap(line, WIDTH)
