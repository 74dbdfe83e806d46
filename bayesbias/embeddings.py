"""Turns any source of word vectors into gensim ``KeyedVectors`` and looks words up in them."""

import difflib
import os
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bayesbias.errors import (
    ArgumentError,
    DataWarning,
    EmbeddingError,
    UntrustedFileError,
    suggest,
)
from bayesbias.store import is_store, open_store
from bayesbias.vectorfiles import detect_format, read_vectors
from bayesbias.vectorframes import words_and_matrix

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

FALLBACKS: Final[Mapping[str, Callable[[str], str]]] = MappingProxyType(
    {
        "lower": str.lower,
        "title": str.title,
        "upper": str.upper,
        "underscore": lambda word: word.replace(" ", "_"),
    }
)
"""Other spellings that a lookup may try when the exact word is absent."""

_DOWNLOADER = "gensim:"


def load_embedding(
    source: "str | Path | Mapping[str, ArrayLike] | tuple[Sequence[str], ArrayLike] | pd.DataFrame"
    " | KeyedVectors",
    *,
    words: Iterable[str] | None = None,
    fallbacks: Sequence[str] = (),
    limit: int | None = None,
    trusted: bool = False,
    progress: bool | None = None,
) -> "KeyedVectors":
    """Load word vectors.

    Parameters
    ----------
    source : path, mapping, (words, matrix), DataFrame or KeyedVectors
        A file (word2vec text or binary, GloVe, fastText ``.vec``, each plain, ``.gz`` or
        ``.bz2``; or gensim's own format), told apart by content; the folder of a store that
        `convert_embedding` made; ``"gensim:NAME"`` for a
        model of ``gensim.downloader`` (uses the network); a mapping from word to vector; a pair
        of words and a matrix of shape (n_words, dim); a frame with the words in its index or
        first column and numbers beside them; or a KeyedVectors, returned as it is.
    words : iterable of str, optional
        Load only these words, in one pass over the file and with memory for these alone.
    fallbacks : sequence of {"lower", "title", "upper", "underscore"}
        With `words`: also load these spellings of them.
    limit : int, optional
        Look only at the first so many vectors of a file (the most frequent words, usually).
    trusted : bool
        Allow gensim's own format. It is a pickle, and opening a pickle runs code: say yes only
        to files that you made or whose maker you trust.
    progress : bool, optional
        Show a bar while a large file is read; by default in a terminal or a notebook.

    Returns
    -------
    gensim.models.KeyedVectors

    Raises
    ------
    EmbeddingError
        If the source cannot be read; the message names the line or the word.
    UntrustedFileError
        If the file is a pickle and `trusted` is false.
    ArgumentError
        If an argument is outside its range.

    Notes
    -----
    With `words`, lines that hold other words are passed over, not checked.

    Examples
    --------
    >>> kv = load_embedding({"he": [1.0, 0.0], "she": [0.0, 1.0]})
    >>> kv["she"].tolist()
    [0.0, 1.0]
    """
    if limit is not None and limit < 1:
        raise ArgumentError(f"limit must be at least 1, not {limit}")
    if isinstance(words, str):
        raise ArgumentError(f"words={words!r}: give a list of words, such as [{words!r}]")
    wanted = None if words is None else set(spellings(words, fallbacks))
    if hasattr(source, "key_to_index"):
        return source
    if isinstance(source, str) and source.startswith(_DOWNLOADER):
        return _downloaded(source.removeprefix(_DOWNLOADER))
    if isinstance(source, str | Path):
        return _from_file(Path(source), wanted, limit, trusted, progress)
    if isinstance(source, pd.DataFrame):
        return _from_arrays(*words_and_matrix(source), wanted)
    if isinstance(source, Mapping):
        return _from_arrays(list(source), list(source.values()), wanted)
    if isinstance(source, tuple) and len(source) == 2:
        return _from_arrays(list(source[0]), source[1], wanted)
    raise EmbeddingError(
        f"cannot read vectors from {type(source).__name__!r}; give a path, a mapping from word to "
        f"vector, a pair (words, matrix), a frame or gensim KeyedVectors"
    )


def _from_file(
    path: Path,
    wanted: set[str] | None,
    limit: int | None,
    trusted: bool,
    progress: bool | None,
) -> "KeyedVectors":
    if not os.path.exists(path):  # Path.exists raises where a name is too long
        raise EmbeddingError(f"{path}: no such file{_downloader_hint(str(path))}")
    if is_store(path):
        return open_store(path, words=wanted, limit=limit)
    form = detect_format(path)
    if form.kind == "gensim":
        return _from_gensim(path, trusted)
    words, vectors, n_repeated = read_vectors(
        path, form, words=wanted, limit=limit, progress=progress
    )
    if n_repeated:
        warnings.warn(
            f"{path}: {n_repeated:,} words stand there more than once; the first vector of each "
            f"is used",
            DataWarning,
            stacklevel=3,
        )
    if not words and wanted is None:
        raise EmbeddingError(f"{path}: holds no vectors")
    return keyed_vectors(words, vectors)


def _downloader_hint(name: str) -> str:
    known = (
        "conceptnet-numberbatch-17-06-300", "fasttext-wiki-news-subwords-300",
        "glove-twitter-25", "glove-twitter-50", "glove-twitter-100", "glove-twitter-200",
        "glove-wiki-gigaword-50", "glove-wiki-gigaword-100", "glove-wiki-gigaword-200",
        "glove-wiki-gigaword-300", "word2vec-google-news-300", "word2vec-ruscorpora-300",
    )  # fmt: skip
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.8)
    return f"; to download it with gensim, write 'gensim:{close[0]}'" if close else ""


def _downloaded(name: str) -> "KeyedVectors":
    import gensim.downloader

    try:
        return gensim.downloader.load(name)
    except ValueError as error:
        raise EmbeddingError(f"gensim.downloader does not offer {name!r}: {error}") from error
    except OSError as error:
        raise EmbeddingError(
            f"gensim.downloader could not fetch {name!r} ({error}); check the network, or download "
            f"the file yourself and give its path"
        ) from error


def _from_gensim(path: Path, trusted: bool) -> "KeyedVectors":
    if not trusted:
        raise UntrustedFileError(
            f"{path}: is in gensim's own format, a pickle, and opening a pickle runs code; if you "
            f"trust its maker say trusted=True (--trusted), else ask for word2vec format"
        )
    from gensim.utils import SaveLoad

    try:
        loaded = SaveLoad.load(str(path))
    except Exception as error:  # unpickling may raise anything at all
        raise EmbeddingError(f"{path}: gensim cannot open it ({error!r})") from error
    vectors = getattr(loaded, "wv", loaded)
    if not hasattr(vectors, "key_to_index"):
        raise EmbeddingError(f"{path}: holds a {type(loaded).__name__}, not word vectors")
    return vectors


def _from_arrays(
    words: list[str], vectors: ArrayLike | list[ArrayLike], wanted: set[str] | None
) -> "KeyedVectors":
    for word in words:
        if not isinstance(word, str):
            raise EmbeddingError(f"{word!r} is not a text; words must be texts")
    if isinstance(vectors, list):
        _refuse_ragged(words, vectors)
    try:
        matrix = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise EmbeddingError(f"the vectors are not numbers ({error})") from error
    if matrix.ndim != 2 or len(matrix) != len(words) or matrix.size == 0:
        raise EmbeddingError(
            f"{len(words)} words need a matrix of shape ({len(words)}, dimension), "
            f"not {matrix.shape}"
        )
    if len(set(words)) < len(words):
        last = {word: index for index, word in enumerate(words)}
        repeated = next(word for index, word in enumerate(words) if last[word] != index)
        raise EmbeddingError(f"{repeated!r} stands among the words more than once")
    kept = [i for i, word in enumerate(words) if wanted is None or word in wanted]
    return keyed_vectors([words[i] for i in kept], matrix[kept])


def _refuse_ragged(words: list[str], vectors: list[ArrayLike]) -> None:
    lengths = [np.size(vector) for vector in vectors]
    for word, length in zip(words, lengths, strict=False):
        if length != lengths[0]:
            raise EmbeddingError(
                f"{word!r} has {length} numbers where {words[0]!r} has {lengths[0]}"
            )


def keyed_vectors(words: list[str], vectors: NDArray[np.floating]) -> "KeyedVectors":
    """Make KeyedVectors around a list of distinct words and their matrix, without a copy."""
    from gensim.models import KeyedVectors

    kv = KeyedVectors(vectors.shape[1])
    # What add_vectors does, without its second copy of the matrix.
    kv.index_to_key = words
    kv.key_to_index = {word: index for index, word in enumerate(words)}
    kv.vectors = vectors
    kv.next_index = len(words)
    return kv


def spellings(words: Iterable[str], fallbacks: Sequence[str] = ()) -> list[str]:
    """Return the words and the other spellings that the fallbacks would try.

    Each fallback alone, in order, then two of them one after the other, and so on: "New York"
    with underscore and lower is also tried as "new_york". Every spelling is tried as it is, then
    composed (Unicode's NFC), then decomposed (NFD): the two write the same text, "ä" being one
    character or "a" with a combining diaeresis.

    Raises
    ------
    ArgumentError
        If a fallback is unknown.

    Examples
    --------
    >>> spellings(["Ann"], ["lower"])
    ['Ann', 'ann']
    >>> [len(form) for form in spellings(["Mädchen"])]
    [7, 8]
    """
    for name in fallbacks:
        if name not in FALLBACKS:
            raise ArgumentError(f"unknown fallback {name!r}{suggest(name, FALLBACKS)}")
    found = []
    for word in words:
        found.append(word)
        for size in range(1, len(fallbacks) + 1):
            for chosen in combinations(fallbacks, size):
                found.append(reduce(lambda text, name: FALLBACKS[name](text), chosen, word))
    return list(dict.fromkeys(form for text in found for form in _canonical_forms(text)))


def _canonical_forms(text: str) -> tuple[str, ...]:
    """Return the ways to write a text that Unicode calls canonically equivalent."""
    if text.isascii():
        return (text,)
    return text, unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)


def find_words(
    vectors: "KeyedVectors", words: Iterable[str], *, fallbacks: Sequence[str] = ()
) -> dict[str, str | None]:
    """Find each word in the vectors: as it is, then in its other spellings, in order.

    The order is that of `spellings`: composed and decomposed before the fallbacks.

    Returns
    -------
    dict
        From word to the spelling found, or None.

    Raises
    ------
    ArgumentError
        If a fallback is unknown.

    Examples
    --------
    >>> kv = load_embedding({"ann": [1.0, 0.0]})
    >>> find_words(kv, ["Ann", "Bob"], fallbacks=["lower"])
    {'Ann': 'ann', 'Bob': None}
    """
    index: Mapping[str, Any] = vectors.key_to_index
    return {
        word: next((s for s in spellings([word], fallbacks) if s in index), None) for word in words
    }


def spelt_as_in(vectors: "KeyedVectors", words: Iterable[str]) -> tuple[str, ...]:
    """Return the words in the canonical form that the vectors have; absent ones as they are.

    Examples
    --------
    >>> kv = load_embedding({"nin\u0303a": [1.0, 0.0]})  # n with a combining tilde
    >>> spelt_as_in(kv, ["niña", "niño"]) == ("nin\u0303a", "niño")
    True
    """
    words = tuple(words)
    found = find_words(vectors, words)
    return tuple(found[word] or word for word in words)


def vectors_of(vectors: "KeyedVectors", keys: Sequence[str]) -> NDArray[np.float64]:
    """Return the vectors of keys as a float64 matrix, every one usable for cosines.

    Returns
    -------
    ndarray, shape (n_keys, dim)

    Raises
    ------
    EmbeddingError
        If a vector is zero, NaN or infinite: its cosine does not exist.

    Examples
    --------
    >>> vectors_of(load_embedding({"he": [3.0, 4.0]}), ["he"]).tolist()
    [[3.0, 4.0]]
    """
    index = [vectors.key_to_index[key] for key in keys]
    matrix = np.asarray(vectors.vectors[index], dtype=np.float64).reshape(len(index), -1)
    for bad, what in (
        (~np.isfinite(matrix).all(axis=1), "has NaN or infinite components"),
        (~matrix.any(axis=1), "is the zero vector, which has no direction"),
    ):
        if bad.any():
            word = keys[int(np.flatnonzero(bad)[0])]
            raise EmbeddingError(
                f"the vector of {word!r} {what}; leave the word out of the list or repair the "
                f"embedding"
            )
    return matrix
