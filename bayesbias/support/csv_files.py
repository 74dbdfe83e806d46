"""Writes tables as CSV that a spreadsheet shows and does not run.

A spreadsheet takes a cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line end for a
formula, and a formula can run programs. Words come from strangers' files, so a *text* that begins
so gets an apostrophe in front, which spreadsheets read as "this is text". A text that has
apostrophes before such a sign gets one more, so that `without_apostrophes` gives every text back as
it was. Numbers are never touched.
"""

import csv
import re
from pathlib import Path
from typing import Any, Final

import pandas as pd

# The last four are the full-width forms of the first four, which some spreadsheets read alike.
_FORMULA: Final = re.compile("'*[-=+@\t\r\n\uff1d\uff0b\uff0d\uff20]")


def harmless(value: Any) -> Any:
    """Return a text that no spreadsheet runs; what is no text stays as it is.

    Examples
    --------
    >>> harmless("=cmd"), harmless("'=cmd"), harmless("'tis"), harmless(-1.5)
    ("'=cmd", "''=cmd", "'tis", -1.5)
    """
    return "'" + value if isinstance(value, str) and _FORMULA.match(value) else value


def without_apostrophes(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """Undo `harmless` in a column of texts.

    Examples
    --------
    >>> without_apostrophes(pd.Series(["'=cmd", "''=cmd", "'tis"])).tolist()
    ['=cmd', "'=cmd", "'tis"]
    """
    return column.map(lambda text: text[1:] if text[:1] == "'" and _FORMULA.match(text) else text)


def write_csv(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a frame as CSV in UTF-8, without its index, its texts made safe for spreadsheets.

    Examples
    --------
    >>> write_csv(pd.DataFrame({"word": ["=cmd"]}), "table.csv")  # doctest: +SKIP
    """
    texts = [not pd.api.types.is_numeric_dtype(dtype) for dtype in frame.dtypes]
    columns = [
        column.astype(object).map(harmless) if text else column
        for text, (_, column) in zip(texts, frame.items(), strict=True)
    ]
    safe = pd.concat(columns, axis=1) if columns else frame
    # Python before 3.13 leaves a carriage return unquoted, and readers end the row there.
    broken = any(
        isinstance(cell, str) and "\r" in cell
        for text, column in zip(texts, columns, strict=True)
        for cell in (column if text else ())
    )
    safe.rename(columns=harmless).to_csv(
        path,
        index=False,
        encoding="utf-8",
        errors="replace",  # of lone surrogates; what is to be read again is checked before
        lineterminator="\n",
        quoting=csv.QUOTE_NONNUMERIC if broken else csv.QUOTE_MINIMAL,
    )
