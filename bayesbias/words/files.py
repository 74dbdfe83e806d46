"""Reads and writes frames of distances: this package's own, and those published with the paper.

The published files (Dobrzeniecka and Urbaniak 2023) name their columns ``protected_word``,
``word_to_compare``, ``word_class``, ``cosine_distance``, ``cosine_similarity``, ``connection``;
they write ``none`` for neutral and −100 for a distance that could not be computed. There are 18,
of five word lists in up to three embeddings, under the MIT licence. They are not part of this
package: `published_distances` downloads one once into the user's cache folder (with `pooch`, the
extra ``data``) and checks its SHA-256, or reads it from the folder that ``BAYESBIAS_DATA`` names.
"""

import json
import os
import unicodedata
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    DISTANCE,
    GROUP,
    OPTIONAL_COLUMNS,
    PAIR_COLUMNS,
    PROTECTED_WORD,
    TEXT_COLUMNS,
    TOPIC,
)
from bayesbias.errors import (
    ArgumentError,
    DataWarning,
    DistancesError,
    OutputError,
    counted,
    one_of,
    short,
    suggest,
)
from bayesbias.show.csv_files import read_csv_texts, without_apostrophes, write_csv
from bayesbias.support.arguments import as_path, refuse_no_frame
from bayesbias.support.bounded_files import file_checksum, open_regular, read_text
from bayesbias.support.whole_files import new_file
from bayesbias.vectors.tables import read_parquet
from bayesbias.words.coverage import VocabularyCoverage, warn_of_missing, words_of
from bayesbias.words.keys import (
    HALF,
    place_of,
    refuse_lacking,
    refuse_no_text,
    repeated_columns,
    repeated_pairs,
    validate_distances,
)
from bayesbias.words.list_files import INVISIBLE
from bayesbias.words.provenance import KEY, is_sound, provenance_of, with_provenance

DATA_VARIABLE: Final = "BAYESBIAS_DATA"
"""Environment variable: a folder whose subfolder ``distances`` holds the published files."""

_PUBLISHED: Final = {"word_to_compare": ATTRIBUTE, "word_class": ATTRIBUTE_SET}
_SIMILARITY: Final = "cosine_similarity"
_MISSING_MARK: Final = -100.0
_NUMBERS_OR_TEXTS: Final = ("floating", "integer", "mixed-integer-float", "string")
_DUPLICATES: Final = ("drop", "keep")
_EMPTY: Final = ("", "nan", "na", "none", "null")
_LONGEST_TEXT: Final = 4096  # bytes of a text in a Parquet file, on average


def read_distances(path: str | Path, *, duplicates: str = "drop") -> pd.DataFrame:
    """Read a frame of distances from CSV or Parquet.

    Parameters
    ----------
    path : str or Path
        A file published with the Bayesian paper, or one written by `write_distances`.
    duplicates : {"drop", "keep"}
        What to do with rows that repeat a pair, one observation counted again, as the published
        race files do once per triple in which a word occurs; ``"keep"`` does as the paper did.

    Returns
    -------
    DataFrame
        As from `distances` or `contextual_distances`. In a published file a
        protected word's ``group`` is the attribute set associated with it.

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
    >>> import tempfile
    >>> import bayesbias as bb
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     frame = bb.distances(bb.example_embedding(), "gender")
    ...     bb.write_distances(frame, f"{folder}/pairs.csv")
    ...     len(bb.read_distances(f"{folder}/pairs.csv")) == len(frame)
    True
    """
    one_of(duplicates, "duplicates", _DUPLICATES)
    path = as_path(path)
    raw = _read_table(path)
    frame, published = _with_our_names(raw, path)
    refuse_no_text(frame, (c for c in TEXT_COLUMNS if c in frame.columns), str(path))
    _compose(frame, path)
    frame[DISTANCE] = _numbers(frame[DISTANCE], path)
    record: Mapping[str, Any] = provenance_of(raw)
    frame, missing = _without_missing(frame) if published else (frame, record.get("missing"))
    if GROUP not in frame.columns:
        frame[GROUP] = _associated_sets(frame)
    others = [c for c in (*OPTIONAL_COLUMNS, TOPIC) if c in frame.columns]
    frame = frame[[*PAIR_COLUMNS, *others]]
    validate_distances(frame, where=str(path))
    repeated = repeated_pairs(frame, where=str(path), within=repeated_columns(frame))
    pairs = (frame[~repeated] if duplicates == "drop" else frame).reset_index(drop=True)
    pairs.attrs = {}
    source = {
        **record.get("source", {}),
        "file": path.name,
        "file_sha256": file_checksum(path, DistancesError),
        "duplicates": duplicates,
        "n_duplicates": int(repeated.sum()),
    }
    with_provenance(pairs, source=source, missing=missing)
    marked = (missing or ()) if published else ()
    _warn_of_what_was_left_out(path, pairs, marked, len(frame) - len(pairs))
    return pairs


def write_distances(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a frame of distances to ``.csv`` or ``.parquet``, whole or not at all.

    Parameters
    ----------
    frame : DataFrame
        From `distances` or `read_distances`.
    path : str or Path
        Where to; the suffix decides the format. Parquet keeps the record of missing words and of
        where the pairs came from, CSV does not. In CSV, texts that a spreadsheet would run as a
        formula get an apostrophe in front (`show.csv_files`), which `read_distances` removes.

    Examples
    --------
    >>> import tempfile
    >>> import bayesbias as bb
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     frame = bb.distances(bb.example_embedding(), "gender")
    ...     bb.write_distances(frame, f"{folder}/pairs.parquet")
    ...     len(bb.missing_words(bb.read_distances(f"{folder}/pairs.parquet")))
    183
    """
    refuse_no_frame(frame)
    suffix = as_path(path).suffix
    if suffix not in (".csv", ".parquet"):
        raise ArgumentError(f"{path}: write to a name that ends in .csv or .parquet")
    _refuse_lost_words(frame, path, suffix)
    with new_file(path) as temporary:
        if suffix == ".csv":
            write_csv(frame, temporary)
        else:
            bare = frame.copy(deep=False)
            # pandas writes attrs as JSON, which a user's own may not be.
            bare.attrs = {KEY: dict(record)} if (record := provenance_of(frame)) else {}
            bare.to_parquet(temporary, index=False, write_page_checksum=True)


def _refuse_lost_words(frame: pd.DataFrame, path: str | Path, suffix: str) -> None:
    """Refuse words that would not come back: no valid Unicode or, in CSV, with a NUL in them."""
    for column in (name for name in TEXT_COLUMNS if name in frame.columns):
        text, why = "".join(map(str, frame[column].unique())), ""
        if suffix == ".csv" and "\0" in text:
            why = "holds a NUL, where readers of CSV stop; write to a name that ends in .parquet"
        elif half := HALF.search(text):
            why = f"is not valid Unicode (it has {half[0]!r}); repair it"
        if why:
            raise OutputError(f"{path}: column {column!r}: a word {why}")


def _read_table(path: Path) -> pd.DataFrame:
    """Read a file as it is; the index says in which line or row of the file each row is."""
    with open_regular(path, DistancesError) as stream:
        if stream.read(4) == b"PAR1":
            return _read_parquet(path)
    raw = read_csv_texts(path, DistancesError)
    return raw if "word_to_compare" in raw.columns else raw.apply(without_apostrophes)


def _with_our_names(raw: pd.DataFrame, path: Path) -> tuple[pd.DataFrame, bool]:
    """Return the table with this package's names and words, and whether it had the paper's."""
    published = "word_to_compare" in raw.columns
    for theirs, ours in _PUBLISHED.items():
        if theirs in raw.columns and ours in raw.columns:
            raise DistancesError(
                f"{path}: has both a column {theirs!r} and a column {ours!r}; delete one"
            )
    frame = raw.rename(columns=_PUBLISHED) if published else raw.copy()
    needed = [column for column in PAIR_COLUMNS if column != GROUP]
    more = ", or the columns of the published files"
    if _SIMILARITY in frame.columns:
        more += f"; {DISTANCE} is 1 − similarity, so make it of {_SIMILARITY}"
    refuse_lacking(frame, needed, f"{path}: line 1", more)
    if published:
        frame[CONNECTION] = frame[CONNECTION].replace("none", "neutral")
    return frame, published


def _compose(frame: pd.DataFrame, path: Path) -> None:
    """Compose the texts (Unicode's NFC), as in word lists, and refuse invisible characters."""
    for column in (name for name in TEXT_COLUMNS if name in frame.columns):
        composed = {text: unicodedata.normalize("NFC", text) for text in frame[column].unique()}
        for text in composed:
            if hidden := INVISIBLE.search(text):
                row = int((frame[column] == text).to_numpy().argmax())
                raise DistancesError(
                    f"{path}: {place_of(frame, row)}: column {column!r}: {short(text)} has the "
                    f"invisible character U+{ord(hidden[0]):04X}; delete it"
                )
        if any(text != new for text, new in composed.items()):
            frame[column] = frame[column].map(composed)


def _read_parquet(path: Path) -> pd.DataFrame:
    """Read the columns that are needed."""
    needed = {*PAIR_COLUMNS, *_PUBLISHED, *OPTIONAL_COLUMNS, TOPIC}
    try:
        table = read_parquet(path, DistancesError, needed)
        frame = table.to_pandas()
        for name, column in frame.items():
            if isinstance(column.dtype, pd.CategoricalDtype):
                distinct = column.cat.categories
                if sum(len(str(text)) for text in distinct) > _LONGEST_TEXT * len(distinct):
                    raise DistancesError(
                        f"{path}: column {name!r} holds texts of more than {_LONGEST_TEXT:,} bytes"
                    )
                frame[name] = column.astype(distinct.dtype)
        frame.index = pd.RangeIndex(1, len(frame) + 1, name="row")
        attrs = json.loads((table.schema.metadata or {}).get(b"PANDAS_ATTRS", b"{}"))
        frame.attrs = {KEY: attrs[KEY]} if isinstance(attrs, dict) and KEY in attrs else {}
        if not is_sound(frame.attrs.get(KEY, {})):
            raise DistancesError(f"{path}: its record of missing words is damaged; write it again")
    except DistancesError:
        raise
    except Exception as error:  # pyarrow raises many kinds on a damaged file
        raise DistancesError(f"{path}: is damaged, or not a table of distances") from error
    return frame


def _numbers(column: "pd.Series[Any]", path: Path) -> "pd.Series[float]":
    """Return the distances of a column as numbers; a decimal comma is read as well."""
    if pd.api.types.infer_dtype(column, skipna=True) not in _NUMBERS_OR_TEXTS:
        raise DistancesError(
            f"{path}: column {column.name!r} holds {column.dtype} values, not numbers"
        )
    try:  # Python's own parser, which is exact to the last bit in every version of pandas
        numbers = column.to_numpy(dtype=object, na_value=np.nan).astype(float)
    except ValueError:
        texts = column.astype(str).str.replace(",", ".", regex=False)
        numbers = pd.to_numeric(texts, errors="coerce").to_numpy(dtype=float)
    bad = np.isnan(numbers)
    if bad.any():
        row = int(bad.argmax())
        cell = column.iloc[row]
        what = f"{short(cell)} is not a number"
        if pd.isna(cell) or str(cell).strip().lower() in _EMPTY:
            what = f"is missing ({counted(int(bad.sum()), 'row')} in all); delete such rows"
        raise DistancesError(f"{path}: {place_of(column, row)}: {DISTANCE} {what}")
    return pd.Series(numbers, index=column.index)


def _without_missing(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[dict[str, str]]]:
    """Take out the rows marked −100; say which words, or pairs of other words, are missing."""
    marked = frame[DISTANCE] == _MISSING_MARK
    if not marked.any():
        return frame, []
    reason = "marked −100 in the file"
    missing = []
    explained = ~marked
    for column, role in ((PROTECTED_WORD, "protected"), (ATTRIBUTE, "attribute")):
        absent = marked.groupby(frame[column], sort=False).transform("all")
        explained |= absent
        for row in frame[absent].drop_duplicates(column).itertuples():
            name = row.attribute_set if role == "attribute" else ""
            missing.append(
                {"word": getattr(row, column), "role": role, "list": name, "reason": reason}
            )
    for row in frame[~explained].itertuples():
        word = f"{row.protected_word} – {row.attribute}"
        missing.append({"word": word, "role": "pair", "list": row.attribute_set, "reason": reason})
    return frame[~marked].copy(), missing


def _associated_sets(frame: pd.DataFrame) -> "pd.Series[str]":
    """Return, per row, the attribute sets associated with the row's protected word."""
    associated = frame[frame[CONNECTION] == "associated"].groupby(PROTECTED_WORD)[ATTRIBUTE_SET]
    names = associated.agg(lambda sets: "+".join(sorted(set(sets))))
    return frame[PROTECTED_WORD].map(names).fillna("none")


def _warn_of_what_was_left_out(
    path: Path, frame: pd.DataFrame, missing: Sequence[Mapping[str, str]], n_dropped: int
) -> None:
    if n_dropped:
        what = "repeat a pair and were dropped; duplicates='keep' counts them again, as the paper"
        warnings.warn(f"{path.name}: {n_dropped:,} rows {what} did", DataWarning, stacklevel=3)
    if missing:
        counts = Counter(row["role"].replace("protected", "protected word") for row in missing)
        what = ", ".join(counted(n, role) for role, n in counts.most_common())
        text = f"{path.name}: {what} marked as missing"
        lists = VocabularyCoverage(words_of(frame)).lists
        warn_of_missing(text, path.name, lists[lists["found"] > 0], stacklevel=4)


def list_published() -> pd.DataFrame:
    """List the published files of distances, a row each, with ``url`` and ``sha256``.

    Examples
    --------
    >>> len(list_published())
    18
    """
    text = read_text(str(files("bayesbias.words") / "published.csv"), DistancesError)
    return pd.read_csv(StringIO(text))


def published_distances(
    wordlist: str, embedding: str, *, debiased: bool = False, duplicates: str = "drop"
) -> pd.DataFrame:
    """Return distances published with the Bayesian paper, as `read_distances` does.

    Parameters
    ----------
    wordlist : {"gender", "race", "religion", "weat1", "weat7"}
    embedding : {"google", "glove", "reddit"}
    debiased : bool
        Whether after the hard debiasing of Manzini et al. (2019); there for gender, race and
        religion in Reddit.
    duplicates : {"drop", "keep"}
        As in `read_distances`.

    Raises
    ------
    DistancesError
        If the file can be neither found nor downloaded, or is not the published one.

    Notes
    -----
    Downloaded once. Where ``BAYESBIAS_DATA`` names a folder, its subfolder ``distances`` is read.
    """
    return read_distances(
        published_path(wordlist, embedding, debiased=debiased), duplicates=duplicates
    )


def published_path(wordlist: str, embedding: str, *, debiased: bool = False) -> Path:
    """Return the path of a published file, downloaded if necessary; see `published_distances`."""
    name, url, checksum = _find(wordlist, embedding, debiased)
    local = os.environ.get(DATA_VARIABLE)
    if local is None:
        return _download(url, name, checksum)
    path = Path(local) / "distances" / name
    if not path.is_file():
        raise DistancesError(
            f"{path}: does not exist, although {DATA_VARIABLE} names the folder {local!r}; put the "
            f"file into its subfolder distances, or unset {DATA_VARIABLE} to download it"
        )
    if (own := file_checksum(path)) != checksum:
        raise DistancesError(
            f"{path}: is not the published file (SHA-256 {own}, published {checksum}); replace "
            f"it, or read it as your own with read_distances"
        )
    return path


def _find(wordlist: str, embedding: str, debiased: bool) -> tuple[str, str, str]:
    """Return the name, the address and the SHA-256 of a published file."""
    table = list_published()
    table = table[table["debiased"] == bool(debiased)]
    names = (table["wordlist"] + " " + table["embedding"]).tolist()
    wanted = f"{wordlist} {embedding}"
    if wanted not in names:
        what = "debiased distances" if debiased else "distances"
        raise ArgumentError(f"no {what} of {wanted!r} were published{suggest(wanted, names)}")
    name, url, checksum = table[["file", "url", "sha256"]].iloc[names.index(wanted)]
    return name, url, checksum


def _download(url: str, name: str, checksum: str) -> Path:
    """Return the cached file, downloaded and checked the first time."""
    try:
        import pooch
    except ImportError as error:
        raise DistancesError(
            f"{name}: downloading needs pooch: pip install 'bayesbias[data]', or set "
            f"{DATA_VARIABLE} to a folder with distances/{name}"
        ) from error
    from platformdirs import user_cache_path

    try:
        path = pooch.retrieve(
            url,
            known_hash=f"sha256:{checksum}",
            fname=name,
            path=user_cache_path("bayesbias") / "published",
        )
    except (OSError, ValueError) as error:  # no network or refused; another checksum
        raise DistancesError(
            f"{name}: cannot be downloaded from {url}; try again with a network, or "
            f"download it and set {DATA_VARIABLE} to a folder with distances/{name}"
        ) from error
    return Path(path)
