"""Reads text files and tables of texts within bounds: no pipes, devices, bombs or addresses."""

import csv
import io
import re
from pathlib import Path
from typing import Final

import pandas as pd

from bayesbias.errors import BayesBiasError
from bayesbias.support.bounded_files import ByteStream

MOST_COLUMNS: Final = 1000
"""Columns of a table: pandas takes a millisecond for twenty."""

_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_DELIMITERS: Final = ",;\t"


def read_text(path: str | Path, error: type[BayesBiasError]) -> str:
    """Return the text of a file in UTF-8, plain or compressed by gzip or bzip2.

    Parameters
    ----------
    path : str or Path
        An ordinary file. Addresses are not fetched.
    error : type of BayesBiasError
        The kind of error to raise.

    Raises
    ------
    BayesBiasError
        If the file cannot be read, is no ordinary file, unpacks to more than `MOST_EXPANSION` times
        its size, or is not UTF-8.

    Examples
    --------
    >>> read_text(__file__, BayesBiasError)[3:21]
    'Reads text files a'
    """
    if _ADDRESS.match(str(path)):
        raise error(f"{path}: addresses are not opened; download the file and give its path")
    with ByteStream(Path(path), error) as stream:
        content = stream.read_all()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise error(
            f"{path}: byte {problem.start} is not UTF-8; save the file as text in UTF-8, unpacked "
            f"if it is an archive"
        ) from problem


def read_text_table(path: str | Path, error: type[BayesBiasError]) -> pd.DataFrame:
    """Read a file of comma-, semicolon- or tab-separated values, every cell as text.

    Parameters
    ----------
    path, error
        As in `read_text`.

    Returns
    -------
    DataFrame
        Texts as they are written, so that ``NA`` and ``null`` stay texts; an empty cell is missing.

    Raises
    ------
    BayesBiasError
        As in `read_text`, or if the file is empty, has more than `MOST_COLUMNS` columns, names a
        column twice, or has a row with more cells than names.

    Examples
    --------
    >>> read_text_table("predictions.csv", BayesBiasError)  # doctest: +SKIP
    """
    text = read_text(path, error)
    first = text[: 1 << 16].splitlines()[:2]
    delimiter = max(_DELIMITERS, key=first[0].count) if first else ","
    if any(line.count(delimiter) >= MOST_COLUMNS for line in first):
        raise error(f"{path}: has more than {MOST_COLUMNS:,} columns; this is no table")
    try:
        names = next(csv.reader(io.StringIO(text), delimiter=delimiter), [])
        table = pd.read_csv(
            io.StringIO(text), sep=delimiter, dtype=str, keep_default_na=False, na_values=[""]
        )
    except (ValueError, csv.Error) as problem:  # pandas' parser errors are ValueErrors
        raise error(f"{path}: is no table of separated values ({problem})") from problem
    for name in names:
        if names.count(name) > 1:
            raise error(f"{path}: line 1: column {name!r} occurs twice; rename one")
    if not isinstance(table.index, pd.RangeIndex):
        raise error(f"{path}: rows have more cells than line 1 names columns; name them all")
    return table
