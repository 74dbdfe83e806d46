"""The long frame of cosine distances: vectors × word list, or a published file.

One row per (protected word, attribute), with the columns of `constants.PAIR_COLUMNS`. The
frame's ``attrs`` keep the report of missing words and where the distances came from; both go
with the frame into a fit. Cosine distance is 1 − cosine similarity, computed in float64, from
0 (same direction) to 2 (opposite).

Cost: one product of (protected words × dimension) with (dimension × attributes).
"""

import hashlib
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CHANGE,
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
from bayesbias.errors import DistancesError, MissingWordsWarning, WordListError
from bayesbias.pairs.word_lists import WordList, connection_of, load_wordlist
from bayesbias.vectors.lookup import find_words, vectors_of

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

TEXT_COLUMNS: Final = (PROTECTED_WORD, GROUP, ATTRIBUTE, ATTRIBUTE_SET, CONNECTION)
"""Columns of a frame of distances that hold texts."""

_NOT_IN_VECTORS: Final = "not in the vectors"


def cosine_distances(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the cosine distance of every row of `left` to every row of `right`.

    Parameters
    ----------
    left : ndarray, shape (n, dim)
    right : ndarray, shape (m, dim)

    Returns
    -------
    ndarray, shape (n, m)
        1 − cos, clipped to [0, 2] against rounding.

    Examples
    --------
    >>> cosine_distances(np.array([[1.0, 0.0]]), np.array([[0.0, 2.0], [3.0, 0.0]])).tolist()
    [[1.0, 0.0]]
    """
    unit_left = left / np.linalg.norm(left, axis=1, keepdims=True)
    unit_right = right / np.linalg.norm(right, axis=1, keepdims=True)
    return np.clip(1.0 - unit_left @ unit_right.T, 0.0, 2.0)


def coverage(
    vectors: "KeyedVectors", wordlist: WordList | str | Path, *, fallbacks: Sequence[str] = ()
) -> pd.DataFrame:
    """Look up every word of a list in the vectors.

    Parameters
    ----------
    vectors : gensim.models.KeyedVectors
    wordlist : WordList, str or Path
    fallbacks : sequence of {"lower", "title", "upper", "underscore"}
        Spellings to try, in this order, where the exact word is absent. Its composed and
        decomposed forms (Unicode's NFC, NFD) are always tried.

    Returns
    -------
    DataFrame
        Columns ``word``, ``role``, ``list``, ``found_as`` (empty where missing) and ``reason``
        (empty where found).

    Examples
    --------
    >>> from bayesbias import load_embedding, load_wordlist
    >>> kv = load_embedding({"math": [1.0, 0.0], "he": [0.5, 1.0]})
    >>> table = coverage(kv, load_wordlist("weat7"))
    >>> table.loc[table.found_as != "", "word"].tolist()
    ['math', 'he']
    """
    roles = list(load_wordlist(wordlist).roles())
    found = find_words(vectors, [word for word, _, _ in roles], fallbacks=fallbacks)
    # A word that is there as it stands has the first claim to its vector.
    taken = {word: word for word, key in found.items() if word == key}
    rows = []
    for word, role, name in roles:
        key = found[word]
        if key is None:
            rows.append((word, role, name, "", _NOT_IN_VECTORS))
        elif taken.get(key, word) != word:
            rows.append((word, role, name, "", f"{key!r} already stands for {taken[key]!r}"))
        else:
            taken[key] = word
            rows.append((word, role, name, key, ""))
    return pd.DataFrame(rows, columns=["word", "role", "list", "found_as", "reason"])


def distances(
    vectors: "KeyedVectors",
    wordlist: WordList | str | Path,
    *,
    fallbacks: Sequence[str] = (),
) -> pd.DataFrame:
    """Compute the cosine distance of every protected word to every attribute.

    Parameters
    ----------
    vectors : gensim.models.KeyedVectors
        From `load_embedding`.
    wordlist : WordList, str or Path
        A word list, or what `load_wordlist` takes.
    fallbacks : sequence of {"lower", "title", "upper", "underscore"}
        Spellings to try, in this order, where the exact word is absent.

    Returns
    -------
    DataFrame
        One row per pair: ``protected_word``, ``group``, ``attribute``, ``attribute_set``,
        ``connection`` and ``cosine_distance`` (0 to 2). `missing_words` lists what was left out.

    Raises
    ------
    EmbeddingError
        If a word's vector is zero or not finite.
    WordListError
        If no protected word of a group, or none of its associated attributes, is in the vectors.

    Examples
    --------
    >>> from bayesbias.simulate import planted_embedding
    >>> wl = load_wordlist("religion")
    >>> frame = distances(planted_embedding(wl, similarity=0.2, seed=1).vectors, wl)
    >>> len(frame) == len(wl.protected_words) * len(wl.attributes)
    True
    """
    wordlist = load_wordlist(wordlist)
    if not hasattr(vectors, "key_to_index"):
        raise DistancesError(
            f"distances needs gensim KeyedVectors, not {type(vectors).__name__}; make them with "
            f"load_embedding(...)"
        )
    table = coverage(vectors, wordlist, fallbacks=fallbacks)
    found = {row.word: row.found_as for row in table.itertuples() if row.found_as}
    missing = table.loc[table["found_as"] == "", list(MISSING_COLUMNS)]
    _refuse_unusable(wordlist, found)
    frame = _pair_frame(vectors, wordlist, found)
    frame.attrs = {
        "missing": missing.to_dict("records"),
        "source": {
            "wordlist": wordlist.name,
            "wordlist_sha256": wordlist.checksum(),
            "vectors_sha256": _vectors_checksum(vectors, list(found.values())),
            "found_as": {word: key for word, key in found.items() if word != key},
        },
    }
    if len(missing):
        n_protected = int((missing["role"] == "protected").sum())
        warnings.warn(
            f"{len(missing)} of {len(table)} words of list {wordlist.name!r} are missing from the "
            f"vectors ({n_protected} protected words, {len(missing) - n_protected} attributes); "
            f"missing_words(frame) lists them",
            MissingWordsWarning,
            stacklevel=2,
        )
    return frame


def _refuse_unusable(wordlist: WordList, found: dict[str, str]) -> None:
    hint = "choose other vectors, or try fallback spellings (lower, title, upper, underscore)"
    if not found:
        raise WordListError(
            f"word list {wordlist.name!r}: none of its words is in the vectors; {hint}"
        )
    attributes = {s.name: s.words for s in wordlist.attribute_sets}
    for group in wordlist.groups:
        associated = [word for name in group.associated for word in attributes[name]]
        needs = ((group.words, "protected words"), (associated, "associated attributes"))
        for words, what in needs:
            if not any(word in found for word in words):
                raise WordListError(
                    f"word list {wordlist.name!r}: group {group.name!r} has none of its {what} in "
                    f"the vectors ({', '.join(words)}); {hint}, or delete the group"
                )


def _pair_frame(vectors: "KeyedVectors", wordlist: WordList, found: dict[str, str]) -> pd.DataFrame:
    protected = [(w, group) for group in wordlist.groups for w in group.words if w in found]
    attributes = [(w, s) for s in wordlist.attribute_sets for w in s.words if w in found]
    matrix = cosine_distances(
        vectors_of(vectors, [found[word] for word, _ in protected]),
        vectors_of(vectors, [found[word] for word, _ in attributes]),
    )
    n_protected, n_attributes = matrix.shape
    connections = {
        (group.name, s.name): connection_of(group, s)
        for group in wordlist.groups
        for s in wordlist.attribute_sets
    }
    return pd.DataFrame(
        {
            PROTECTED_WORD: np.repeat([word for word, _ in protected], n_attributes),
            GROUP: np.repeat([group.name for _, group in protected], n_attributes),
            ATTRIBUTE: np.tile([word for word, _ in attributes], n_protected),
            ATTRIBUTE_SET: np.tile([s.name for _, s in attributes], n_protected),
            CONNECTION: [connections[g.name, s.name] for _, g in protected for _, s in attributes],
            DISTANCE: matrix.ravel(),
        }
    )


def _vectors_checksum(vectors: "KeyedVectors", keys: list[str]) -> str:
    """Return the SHA-256 of the vectors used, with their words, in a stable order."""
    digest = hashlib.sha256()
    for key in sorted(keys):
        digest.update(key.encode())
        digest.update(np.ascontiguousarray(vectors[key], dtype="<f4").tobytes())
    return digest.hexdigest()


def missing_words(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the words of the list that the frame could not use, with the reason.

    Parameters
    ----------
    frame : DataFrame
        From `distances` or `read_distances`.

    Returns
    -------
    DataFrame
        Columns ``word``, ``role`` (protected, attribute or pair), ``list`` and ``reason``.

    Raises
    ------
    DistancesError
        If the frame has lost its record, as some pandas operations make it do.

    Examples
    --------
    >>> from bayesbias.simulate import planted_embedding
    >>> wl = load_wordlist("weat7")
    >>> missing_words(distances(planted_embedding(wl, similarity=0.2, seed=1).vectors, wl)).empty
    True
    """
    if "missing" not in frame.attrs:
        raise DistancesError(
            "this frame carries no record of missing words; take the frame that distances() or "
            "read_distances() returned, before it was merged or rebuilt"
        )
    return pd.DataFrame(frame.attrs["missing"], columns=list(MISSING_COLUMNS))


def validate_distances(
    frame: pd.DataFrame, *, where: str = "the frame", response: str = DISTANCE
) -> None:
    """Check that a frame of distances can be analysed.

    Parameters
    ----------
    frame : DataFrame
    where : str
        What to call the frame in messages.
    response : {"cosine_distance", "change"}
        The column to analyse; a change of a distance is from −2 to 2.

    Raises
    ------
    DistancesError
        If a column is absent or empty, a connection unknown, a distance not a number from 0 to 2,
        or there are fewer than two protected words or two attributes.

    Examples
    --------
    >>> validate_distances(pd.DataFrame({"protected_word": ["he"]}))
    Traceback (most recent call last):
        ...
    bayesbias.errors.DistancesError: the frame: lacks the column 'group'; needed: ...
    """
    if not isinstance(frame, pd.DataFrame):
        raise DistancesError(f"{where}: is a {type(frame).__name__}, not a pandas DataFrame")
    if frame.columns.has_duplicates:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise DistancesError(f"{where}: has the column {twice!r} twice")
    needed = (*TEXT_COLUMNS, response)
    for column in needed:
        if column not in frame.columns:
            raise DistancesError(
                f"{where}: lacks the column {column!r}; needed: {', '.join(needed)}"
            )
    if frame.empty:
        raise DistancesError(f"{where}: has no rows")
    refuse_no_text(frame, TEXT_COLUMNS, where)
    unknown = ~frame[CONNECTION].isin(CONNECTIONS)
    _refuse_rows(frame, unknown, where, f"unknown connection; valid: {', '.join(CONNECTIONS)}")
    if not pd.api.types.is_float_dtype(frame[response]):
        raise DistancesError(f"{where}: column {response!r} must hold floating-point numbers")
    lowest, what = (0, "a cosine distance") if response == DISTANCE else (-2, "a change")
    values = frame[response].to_numpy(dtype=float, na_value=np.nan)
    outside = ~((values >= lowest - DISTANCE_TOLERANCE) & (values <= 2 + DISTANCE_TOLERANCE))
    _refuse_rows(frame, outside, where, f"{what} must be a number from {lowest} to 2")
    if EMBEDDING in frame.columns and frame[EMBEDDING].duplicated().sum() < len(frame) - 1:
        raise DistancesError(
            f"{where}: holds several embeddings; analyse one at a time: "
            f"frame[frame.{EMBEDDING} == {frame[EMBEDDING].iloc[0]!r}]"
        )
    for column, what in ((PROTECTED_WORD, "protected words"), (ATTRIBUTE, "attributes")):
        if frame[column].nunique() < 2:
            raise DistancesError(
                f"{where}: has only one of the {what} ({frame[column].iloc[0]!r}); the spread "
                f"between words needs at least two"
            )


def refuse_no_text(frame: pd.DataFrame, columns: Iterable[str], where: str) -> None:
    """Refuse a row that has no text where one must be."""
    for column in columns:
        bad = ~_is_text(frame[column])
        _refuse_rows(frame, bad, where, f"column {column!r} is empty or not a text")


def _is_text(column: "pd.Series[Any]") -> "pd.Series[bool]":
    """Tell which values are texts that are not empty."""
    if isinstance(column.dtype, pd.StringDtype):
        return ~(column.isna() | (column == "").fillna(True))
    return column.map(lambda value: isinstance(value, str) and bool(value)).astype(bool)


def _refuse_rows(frame: pd.DataFrame, bad: Any, where: str, message: str) -> None:
    if bad.any():
        row = int(np.flatnonzero(np.asarray(bad))[0])
        shown_columns = [c for c in (*PAIR_COLUMNS, CHANGE) if c in frame.columns]
        values = frame[shown_columns].iloc[[row]].to_dict("records")[0]
        shown = ", ".join(f"{key}={value!r}" for key, value in values.items())
        raise DistancesError(f"{where}: row {row + 1:,} ({shown}): {message}")


def pairs_checksum(frame: pd.DataFrame, response: str = DISTANCE) -> str:
    """Return the SHA-256 of a frame's pairs: words, connections and distances, in order.

    Examples
    --------
    >>> wl = load_wordlist("weat7")
    >>> from bayesbias.simulate import planted_embedding
    >>> frame = distances(planted_embedding(wl, similarity=0.2, seed=1).vectors, wl)
    >>> pairs_checksum(frame) == pairs_checksum(frame.copy())
    True
    """
    digest = hashlib.sha256()
    for column in TEXT_COLUMNS:
        digest.update("\0".join(frame[column]).encode())
    digest.update(np.ascontiguousarray(frame[response], dtype="<f8").tobytes())
    return digest.hexdigest()


def refuse_repeated_pairs(frame, column, also=()):
    """Stub until the real one is merged."""
