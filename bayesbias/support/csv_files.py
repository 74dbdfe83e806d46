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
_DELIMITERS: Final = ",;\t"


def escape_formula(value: Any) -> Any:
    """Return a text that no spreadsheet runs; everything else stays as it is."""
    return "'" + value if isinstance(value, str) and _FORMULA.match(value) else value


def without_apostrophes(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """Undo `escape_formula` in a column of texts."""
    return column.map(lambda text: text[1:] if text[:1] == "'" and _FORMULA.match(text) else text)


def write_csv(frame: pd.DataFrame, path: str | Path, *, digits: int | None = None) -> None:
    """Write a frame as CSV, to all digits or `digits` significant ones, its formulas escaped."""
    columns, broken = [], False
    for _, column in frame.items():
        if not pd.api.types.is_numeric_dtype(column.dtype):
            distinct = column.drop_duplicates()  # long tables repeat their words
            escaped = {
                text: safe for text in distinct if (safe := escape_formula(text)) is not text
            }
            if escaped:
                column = column.astype(object).map(lambda text, to=escaped: to.get(text, text))
            # Python before 3.13 leaves a carriage return unquoted, and readers end the row there.
            broken |= any(isinstance(text, str) and "\r" in text for text in distinct)
        columns.append(column)
    safe = pd.concat(columns, axis=1) if columns else frame
    safe.rename(columns=escape_formula).to_csv(
        path,
        index=False,
        encoding="utf-8",
        errors="replace",  # of lone surrogates; what is to be read again is checked before
        lineterminator="\n",
        float_format=f"%.{digits}g" if digits else None,
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
    delimiter = max(_DELIMITERS, key=first[0].count)
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
        found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(problem))
        where = "; line {1} has {2} cells, not {0}".format(*found.groups()) if found else ""
        raise error(f"{path}: is not a table of separated values{where}") from problem
    for name in names:  # pandas would rename the second
        if name and names.count(name) > 1:
            raise error(
                f"{path}: line {skipped + 1}: column {short(name)} occurs twice; rename one"
            )
    if not isinstance(table.index, pd.RangeIndex):
        raise error(f"{path}: rows have more cells than line {skipped + 1} names columns")
    table.index = pd.Index(skipped + 2 + np.arange(len(table)) + _breaks(table), name="line")
    return table[(table != "").any(axis=1).to_numpy(dtype=bool)]


_JSON_FORMS: Final = 'a table in JSON is [{"column": "text", ...}, ...], or such a row a line'


def json_or_lines(text: str, **how: Any) -> Any:
    """Read JSON, or a list of it from a value a line."""
    try:
        return json.loads(text, **how)
    except (ValueError, RecursionError):
        return [json.loads(line, **how) for line in text.splitlines() if line.strip()]


def _of_json(path: str | Path, text: str, error: type[BayesBiasError]) -> pd.DataFrame:
    """Return a table of texts, as `read_csv_texts` does, from JSON."""
    try:
        content = json_or_lines(text)
    except (ValueError, RecursionError) as problem:
        raise error(f"{path}: is damaged JSON; {_JSON_FORMS}") from problem
    if isinstance(content, dict) and all(isinstance(v, dict | list) for v in content.values()):
        columns = {k: v.values() if isinstance(v, dict) else v for k, v in content.items()}
        if len({len(column) for column in columns.values()}) == 1:
            content = [
                dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
            ]
    if not isinstance(content, list) or not all(isinstance(row, dict) for row in content):
        raise error(f"{path}: is JSON, but not a table; {_JSON_FORMS}")
    names = list(dict.fromkeys(name for row in content for name in row))
    if len(names) > MOST_COLUMNS:
        raise error(f"{path}: has more than {MOST_COLUMNS:,} columns")
    # As CSV would have them.
    given = [[row.get(name) for name in names] for row in content]
    cells = [["" if value is None else str(value) for value in row] for row in given]
    index = pd.RangeIndex(1, len(cells) + 1, name="row")
    return pd.DataFrame(cells, columns=names, index=index, dtype=str)


def _breaks(table: pd.DataFrame) -> Any:
    """Return how many line ends are inside the cells of the rows before each row."""
    inside = np.zeros(len(table), dtype=np.int64)
    for name in table:
        counts = table[name].str.count("\r\n|\r|\n").fillna(0)
        inside += counts.to_numpy(dtype=np.int64)
    return np.concatenate([[0], np.cumsum(inside)[:-1]])[: len(table)]
