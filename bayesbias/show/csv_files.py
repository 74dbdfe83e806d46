"""Writes and reads tables as CSV; texts stay as they are, unless a spreadsheet would run them.

A spreadsheet takes a cell that begins with ``=``, ``+``, ``-`` or ``@`` for a formula. To do harm a
formula must call something, by a function's parenthesis or by the bar of a link to a program, and
words come from strangers' files. So a *text* that begins so and has a parenthesis or a bar in it
gets an apostrophe in front, which spreadsheets read as "this is text"; ``@user``, ``-ism`` and
``=`` stay as they are. A text that has apostrophes before such a formula gets one more, so that
`without_apostrophes` restores every text. Numbers are never changed.
"""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.errors import BayesBiasError, short
from bayesbias.support.bounded_files import read_text

MOST_COLUMNS: Final = 1000  # columns of a table: pandas takes a millisecond for twenty

# Spreadsheets skip space before a sign, and some read the full-width forms like the plain ones.
_FORMULA: Final = re.compile(
    "'*[ \t\r\n]*[-=+@\uff1d\uff0b\uff0d\uff20].*[(|\uff08\uff5c]", re.DOTALL
)
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_JSON: Final = re.compile(r"\s*(?:\{\s*\"|\[\s*[\[{])")


def escape_formula(value: Any) -> Any:
    """Return a text that no spreadsheet runs; everything else stays as it is."""
    return "'" + value if isinstance(value, str) and _FORMULA.match(value) else value


def without_apostrophes(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """Undo `escape_formula` in a column of texts."""
    return column.map(lambda text: text[1:] if text[:1] == "'" and _FORMULA.match(text) else text)


def write_csv(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a frame as CSV, to all digits, its formulas escaped."""
    safe, broken = frame.rename(columns=escape_formula), False
    for place, (_, column) in enumerate(frame.items()):
        if not pd.api.types.is_numeric_dtype(column.dtype):
            texts = column.unique()  # long tables repeat their words
            escaped = {text: new for text in texts if (new := escape_formula(text)) is not text}
            if escaped:
                safe.isetitem(place, column.astype(object).map(lambda x, to=escaped: to.get(x, x)))
            # Python before 3.13 leaves a carriage return unquoted, and readers end the row there.
            broken |= any(isinstance(text, str) and "\r" in text for text in texts)
    safe.to_csv(
        path,
        index=False,
        encoding="utf-8",
        errors="replace",  # of lone surrogates; what is to be read again is checked before
        lineterminator="\n",
        quoting=csv.QUOTE_NONNUMERIC if broken else csv.QUOTE_MINIMAL,
    )


def read_csv_texts(path: str | Path, error: type[BayesBiasError]) -> pd.DataFrame:
    """Read a table separated by commas, semicolons or tabs, every cell as the text that it is.

    The index, ``line``, says where in the file a row begins; blank lines are left out. A table in
    JSON is read too: a list of rows, a row a line, or columns by their names.
    """
    text = read_text(path, error)
    start = text.lstrip("\r\n")
    if _JSON.match(start):
        return _of_json(path, start, error)
    skipped = len(_LINE_END.findall(text[: len(text) - len(start)]))
    first = _LINE_END.split(start[: 1 << 16], maxsplit=2)[:2]
    delimiter = max(",;\t", key=first[0].count)
    # pandas makes as many columns as the wider of the first two lines has.
    if any(line.count(delimiter) >= MOST_COLUMNS for line in first):
        raise error(f"{path}: has more than {MOST_COLUMNS:,} columns")
    try:
        names = next(csv.reader(io.StringIO(start, newline=""), delimiter=delimiter), [])
        table = pd.read_csv(
            io.StringIO(start, newline=""),
            sep=delimiter,
            dtype=str,
            keep_default_na=False,
            skip_blank_lines=False,
        ).fillna("")
    except (ValueError, csv.Error) as problem:  # pandas' parser errors are ValueErrors
        cells = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(problem))
        where = "; line {1} has {2} cells, not {0}".format(*cells.groups()) if cells else ""
        raise error(f"{path}: is not a table of separated values{where}") from problem
    for name in names:  # pandas would rename the second
        if name and names.count(name) > 1:
            raise error(
                f"{path}: line {skipped + 1}: column {short(name)} occurs twice; rename one"
            )
    if not isinstance(table.index, pd.RangeIndex):
        raise error(f"{path}: rows have more cells than line {skipped + 1} names columns")
    breaks = sum(table[name].str.count(_LINE_END.pattern) for name in table)  # inside of cells
    before = np.cumsum(breaks) - breaks
    table.index = pd.Index(skipped + 2 + np.arange(len(table)) + before, name="line")
    return table[(table != "").any(axis=1)]


def json_or_lines(text: str, **how: Any) -> Any:
    """Read JSON, or a list of it from a value a line."""
    try:
        return json.loads(text, **how)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            raise
        return [json.loads(line, **how) for line in text.splitlines() if line.strip()]


def _of_json(path: str | Path, text: str, error: type[BayesBiasError]) -> pd.DataFrame:
    """Return a table of texts, as `read_csv_texts` does, from JSON."""
    try:
        table = pd.DataFrame(json_or_lines(text), dtype=object)
        if len(table.columns) > MOST_COLUMNS or not all(isinstance(c, str) for c in table.columns):
            raise ValueError
    except (ValueError, TypeError, AttributeError, RecursionError) as problem:
        raise error(
            f'{path}: is JSON, but no table; a table in JSON is [{{"column": "text", ...}}, ...], '
            f"or such a row a line, of at most {MOST_COLUMNS:,} columns"
        ) from problem
    # As CSV would have them.
    table = table.map(lambda value: "" if value is None or value != value else str(value))
    return table.set_axis(pd.RangeIndex(1, len(table) + 1, name="row"))
