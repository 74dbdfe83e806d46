"""Reads and writes frames of distances: the published files, and this package's own.

The published files (Dobrzeniecka and Urbaniak 2023) name their columns ``protected_word``,
``word_to_compare``, ``word_class``, ``cosine_distance``, ``cosine_similarity``, ``connection``;
they write ``none`` for neutral and −100 for a distance that could not be computed.
"""

import io
import json
import re
import warnings
from pathlib import Path
from typing import Any, Final

import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    CONNECTIONS,
    DISTANCE,
    DISTANCE_TOLERANCE,
    EMBEDDING,
    GROUP,
    MISSING_COLUMNS,
    PAIR_COLUMNS,
    PROTECTED_WORD,
)
from bayesbias.errors import (
    ArgumentError,
    DataWarning,
    DistancesError,
    MissingWordsWarning,
    OutputError,
    suggest,
)
from bayesbias.pairs.distance_frame import TEXT_COLUMNS, refuse_no_text, validate_distances
from bayesbias.support.bounded_files import MOST_EXPANSION, ByteStream, file_checksum
from bayesbias.support.csv_files import without_apostrophes, write_csv
from bayesbias.support.whole_files import new_file

_PUBLISHED: Final = {"word_to_compare": ATTRIBUTE, "word_class": ATTRIBUTE_SET}
_MISSING_MARK: Final = -100.0
_SAME_DISTANCE: Final = 1e-6
_SNIFFED: Final = 1 << 16

_MOST_COLUMNS: Final = 1000
"""Columns of a table: it needs six, and pandas takes a millisecond for twenty."""

_FREE_ROWS: Final = 100_000
"""Rows that a Parquet file of any size may have."""

_LONGEST_TEXT: Final = 4096
"""Bytes of a text in a Parquet file, on average."""


def read_distances(path: str | Path, *, duplicates: str = "drop") -> pd.DataFrame:
    """Read a frame of distances from CSV or Parquet.

    Parameters
    ----------
    path : str or Path
        A file published with the Bayesian paper, or one written by `write_distances`.
    duplicates : {"drop", "keep"}
        What to do with rows that repeat a pair, as the published race files do once per triple
        in which a word stands. A repeated row is one observation counted again, so the default
        drops it; ``"keep"`` does as the paper did.

    Returns
    -------
    DataFrame
        One row per pair, as from `distances`. In a published file a protected word's ``group``
        is the attribute set associated with it.

    Raises
    ------
    DistancesError
        If the file cannot be read or a row is wrong; the message names the line.

    Warns
    -----
    DataWarning
        With the number of rows dropped as duplicates or marked as missing.

    Examples
    --------
    >>> frame = read_distances("religion_group_google_dataset.csv")  # doctest: +SKIP
    """
    if duplicates not in ("drop", "keep"):
        raise ArgumentError(f"duplicates={duplicates!r}{suggest(duplicates, ('drop', 'keep'))}")
    path = Path(path)
    raw = _read_table(path)
    published = "word_to_compare" in raw.columns
    frame = _published(raw, path) if published else raw
    for column in PAIR_COLUMNS:
        if column not in frame.columns and column != GROUP:
            raise DistancesError(
                f"{path}: line 1: lacks the column {column!r}; needed: {', '.join(PAIR_COLUMNS)}, "
                f"or the columns of the published files"
            )
    refuse_no_text(frame, (c for c in TEXT_COLUMNS if c in frame.columns), str(path))
    frame[DISTANCE] = _numbers(frame[DISTANCE], path)
    _refuse_outside(frame[DISTANCE], path, published)
    frame, missing = _without_missing(frame) if published else (frame, raw.attrs.get("missing"))
    if GROUP not in frame.columns:
        frame[GROUP] = _associated_sets(frame)
    columns = [*PAIR_COLUMNS, *([EMBEDDING] if EMBEDDING in frame.columns else [])]
    frame = frame[columns]
    validate_distances(frame, where=str(path))
    frame, n_repeated = _without_duplicates(frame, path, duplicates)
    frame = frame.reset_index(drop=True)
    frame.attrs = {
        **({} if missing is None else {"missing": missing}),
        "source": {
            "file": path.name,
            "file_sha256": file_checksum(path),
            "duplicates": duplicates,
            "n_duplicates": n_repeated,
        },
    }
    _say_what_was_left_out(
        path, missing if published else [], n_repeated if duplicates == "drop" else 0
    )
    return frame


def write_distances(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a frame of distances to ``.csv`` or ``.parquet``, whole or not at all.

    Parameters
    ----------
    frame : DataFrame
        From `distances` or `read_distances`.
    path : str or Path
        Where to; the suffix decides the format. Parquet keeps the record of missing words, CSV
        has no place for it. In CSV, texts that a spreadsheet would run as a formula get an
        apostrophe in front (`csvfiles`), which `read_distances` takes off again.

    Raises
    ------
    OutputError
        If the file cannot be written.
    ArgumentError
        If the suffix is neither.

    Examples
    --------
    >>> write_distances(frame, "pairs.csv")  # doctest: +SKIP
    """
    suffix = Path(path).suffix
    if suffix not in (".csv", ".parquet"):
        raise ArgumentError(f"{path}: write to a name that ends in .csv or .parquet")
    _refuse_lost_words(frame, path, suffix)
    with new_file(path) as temporary:
        if suffix == ".csv":
            write_csv(frame, temporary)
        else:
            _write_parquet(frame, temporary)


def _write_parquet(frame: pd.DataFrame, path: Path) -> None:
    try:
        frame.to_parquet(path, index=False)
    except ImportError as error:
        raise OutputError(
            "writing Parquet needs pyarrow: pip install 'bayesbias[parquet]'"
        ) from error


def _refuse_lost_words(frame: pd.DataFrame, path: str | Path, suffix: str) -> None:
    """Refuse words that would not come back: no valid Unicode or, in CSV, with a NUL in them."""
    for column in (name for name in TEXT_COLUMNS if name in frame.columns):
        text = "".join(map(str, frame[column].unique()))
        if suffix == ".csv" and "\0" in text:
            raise OutputError(
                f"{path}: column {column!r}: a word holds a NUL, where readers of CSV stop; write "
                f"to a name that ends in .parquet"
            )
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise OutputError(
                f"{path}: column {column!r}: a word is no valid Unicode (it has "
                f"{error.object[error.start]!r}); repair it"
            ) from error


def _read_table(path: Path) -> pd.DataFrame:
    """Read everything as text, so that the words nan, null and NA stay words."""
    with ByteStream(path, DistancesError) as stream:
        start = stream.read(_SNIFFED)
        if start.startswith(b"PAR1"):
            return _read_parquet(path, stream.size)
        # Two lines: pandas makes as many columns as the wider one has.
        for number, line in enumerate(re.split(rb"\r\n|\r|\n", start, maxsplit=2)[:2], start=1):
            if line.count(b",") > _MOST_COLUMNS:
                raise DistancesError(
                    f"{path}: line {number}: has more than {_MOST_COLUMNS:,} columns; this is no "
                    f"table of distances"
                )
        whole = io.BytesIO(start + stream.read_all()) if stream.compression else path
    try:
        raw = pd.read_csv(
            whole, dtype=str, keep_default_na=False, encoding="utf-8", compression=None
        )
    except OSError as error:
        raise DistancesError(f"{path}: cannot be read ({error.strerror or error})") from error
    except UnicodeDecodeError as error:
        raise DistancesError(
            f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8"
        ) from error
    except ValueError as error:  # pandas' parser errors are ValueErrors
        raise DistancesError(f"{path}: is not a table of distances ({error})") from error
    if "word_to_compare" in raw.columns:
        return raw
    return raw.apply(without_apostrophes)


def _read_parquet(path: Path, size: int) -> pd.DataFrame:
    """Read the columns that are needed, if the file can hold as many rows as it says."""
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise DistancesError(
            f"{path}: reading Parquet needs pyarrow: pip install 'bayesbias[parquet]'"
        ) from error
    known = {*PAIR_COLUMNS, *_PUBLISHED, EMBEDDING}
    try:
        with parquet.ParquetFile(path) as file:
            names = [name for name in file.schema_arrow.names if name in known]
            texts = [name for name in names if name != DISTANCE]
            rows = file.metadata.num_rows
        if rows > max(size, _FREE_ROWS):  # distances differ, so that each takes a byte or more
            raise DistancesError(
                f"{path}: claims {rows:,} rows in {size:,} bytes, as no table of distances does"
            )
        # Repeated texts stay one text each until their length is known.
        with parquet.ParquetFile(path, read_dictionary=texts) as file:
            table = file.read(columns=names)
        if table.nbytes > MOST_EXPANSION * max(size, 1 << 16):
            raise DistancesError(
                f"{path}: unpacks to more than {MOST_EXPANSION} times its size; if you trust it, "
                f"save it as CSV"
            )
        _refuse_long_texts(table, path)
        frame = table.to_pandas()
        for name in names:
            if isinstance(frame[name].dtype, pd.CategoricalDtype):
                frame[name] = frame[name].astype(frame[name].cat.categories.dtype)
        kept = (table.schema.metadata or {}).get(b"PANDAS_ATTRS", b"{}")
        frame.attrs = {"missing": _checked_missing(json.loads(kept), path)}
    except DistancesError:
        raise
    except Exception as error:  # pyarrow raises many kinds on a damaged file
        raise DistancesError(f"{path}: is not a table of distances ({error})") from error
    return frame


def _refuse_long_texts(table: Any, path: Path) -> None:
    """Refuse a text that stands once in the file and would stand in every row of the frame."""
    for name in table.column_names:
        for chunk in table.column(name).chunks:
            texts = getattr(chunk, "dictionary", None)
            if texts is not None and len(texts) and texts.nbytes > _LONGEST_TEXT * len(texts):
                raise DistancesError(
                    f"{path}: column {name!r} holds texts of more than {_LONGEST_TEXT:,} bytes"
                )


def _checked_missing(attrs: Any, path: Path) -> list[dict[str, str]] | None:
    """Return the record of missing words that a file carries; None where it has none."""
    missing = attrs.get("missing") if isinstance(attrs, dict) else None
    rows = missing if isinstance(missing, list) else [missing]
    sound = all(
        isinstance(row, dict)
        and set(row) == set(MISSING_COLUMNS)
        and all(isinstance(value, str) for value in row.values())
        for row in rows
    )
    if missing is not None and not (sound and isinstance(missing, list)):
        raise DistancesError(f"{path}: its record of missing words is damaged; write it again")
    return missing


def _published(raw: pd.DataFrame, path: Path) -> pd.DataFrame:
    frame = raw.rename(columns=_PUBLISHED)
    if CONNECTION not in frame.columns:
        raise DistancesError(f"{path}: line 1: lacks the column {CONNECTION!r}")
    frame[CONNECTION] = frame[CONNECTION].replace("none", "neutral")
    unknown = ~frame[CONNECTION].isin(CONNECTIONS)
    if unknown.any():
        line = int(unknown.to_numpy().argmax())
        raise DistancesError(
            f"{path}: line {line + 2:,}: unknown connection {frame[CONNECTION].iloc[line]!r}; "
            f"valid: {', '.join(CONNECTIONS)} (or none, which is neutral)"
        )
    return frame


def _numbers(column: "pd.Series[Any]", path: Path) -> "pd.Series[float]":
    try:  # Python's own parser, which is exact to the last bit in every version of pandas
        numbers = pd.Series(column.to_numpy(dtype=object).astype(float), index=column.index)
    except ValueError:
        numbers = pd.to_numeric(column, errors="coerce").astype(float)
    bad = numbers.isna()
    if bad.any():
        line = int(bad.to_numpy().argmax())
        raise DistancesError(
            f"{path}: line {line + 2:,}: {DISTANCE} {column.iloc[line]!r} is not a number"
        )
    return numbers


def _refuse_outside(distance: "pd.Series[float]", path: Path, published: bool) -> None:
    """Refuse a distance that is none, by its line."""
    good = distance.between(-DISTANCE_TOLERANCE, 2 + DISTANCE_TOLERANCE)
    if published:
        good |= distance == _MISSING_MARK
    if not good.all():
        line = int((~good).to_numpy().argmax())
        raise DistancesError(
            f"{path}: line {line + 2:,}: a cosine distance must be a number from 0 to 2, not "
            f"{distance.iloc[line]}"
        )


def _without_missing(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[dict[str, str]]]:
    """Take out the rows marked −100 and say which words they come from.

    A word all of whose rows are marked is missing; a marked row of two words that are both
    present elsewhere is reported as a pair.
    """
    marked = frame[DISTANCE] == _MISSING_MARK
    if not marked.any():
        return frame, []
    reason = "marked −100 in the file"
    missing = []
    explained = ~marked
    for column, role in ((PROTECTED_WORD, "protected"), (ATTRIBUTE, "attribute")):
        gone = marked.groupby(frame[column], sort=False).all()
        for word in gone.index[gone]:
            rows = frame[column] == word
            explained |= rows
            name = frame.loc[rows, ATTRIBUTE_SET].iloc[0] if role == "attribute" else ""
            missing.append({"word": word, "role": role, "list": name, "reason": reason})
    for row in frame[~explained].itertuples():
        word = f"{row.protected_word} – {row.attribute}"
        missing.append({"word": word, "role": "pair", "list": row.attribute_set, "reason": reason})
    return frame[~marked].copy(), missing


def _associated_sets(frame: pd.DataFrame) -> "pd.Series[str]":
    """Return, per row, the attribute sets associated with the row's protected word."""
    associated = frame[frame[CONNECTION] == "associated"]
    names = associated.groupby(PROTECTED_WORD)[ATTRIBUTE_SET].agg(
        lambda sets: "+".join(sorted(set(sets)))
    )
    known = names.to_dict()
    return frame[PROTECTED_WORD].map(lambda word: known.get(word, "none"))


def _without_duplicates(
    frame: pd.DataFrame, path: Path, duplicates: str
) -> tuple[pd.DataFrame, int]:
    key = [column for column in frame.columns if column != DISTANCE]
    repeated = frame.duplicated(key, keep="first")
    if not repeated.any():
        return frame, 0
    spread = frame.groupby(key)[DISTANCE].agg(lambda values: values.max() - values.min())
    if spread.max() > _SAME_DISTANCE:
        word, _, attribute = spread.idxmax()[:3]
        raise DistancesError(
            f"{path}: the pair {word!r} – {attribute!r} stands there with different distances; "
            f"keep one row of it"
        )
    return (frame[~repeated] if duplicates == "drop" else frame), int(repeated.sum())


def _say_what_was_left_out(path: Path, missing: list[dict[str, str]], n_dropped: int) -> None:
    if n_dropped:
        warnings.warn(
            f"{path.name}: {n_dropped:,} rows repeat a pair and were dropped; "
            f"duplicates='keep' counts them again, as the paper did",
            DataWarning,
            stacklevel=3,
        )
    if missing:
        counts = pd.Series([row["role"] for row in missing]).value_counts()
        names = {"protected": "protected words", "attribute": "attributes", "pair": "pairs"}
        what = ", ".join(f"{n} {names[str(role)]}" for role, n in counts.items())
        warnings.warn(
            f"{path.name}: {what} marked as missing; missing_words(frame) lists them",
            MissingWordsWarning,
            stacklevel=3,
        )
