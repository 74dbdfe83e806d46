"""Words are looked up in vectors, which carry with them what is known of their source.

A word is looked up as it is; in lower case if the vocabulary has next to no capitals; then,
likewise, with underscores for its blanks; and in vectors that were loaded with `strip_accents` all
this once more without accents. Unicode's composed and decomposed forms count as one spelling.

Vectors are often a few words of a large file. Of the whole file they keep, into copies too, where
it is, how many of its words have capitals, and its first words, which tell how alike words are
(`samples`).
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final
from unicodedata import category, normalize

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, EmbeddingError, short
from bayesbias.support.arguments import Array, KeyedVectors
from bayesbias.support.bounded_files import file_checksum

_FEW: Final = 1e-3  # share of words with capitals below which they are marks as <UNK>, and slips
_TURKISH: Final = str.maketrans("I\u0130", "\u0131i")  # I is the capital of an i without a dot
ZERO_VECTOR: Final = "its vector is zero, as those of absent words are in some files"


def keyed_vectors(words: Sequence[str], vectors: NDArray[np.floating]) -> KeyedVectors:
    """Make KeyedVectors around distinct words and their matrix, without a copy."""
    from gensim.models import KeyedVectors

    kv = KeyedVectors(vectors.shape[1])
    # What add_vectors does, without its second copy of the matrix.
    kv.index_to_key, kv.vectors, kv.next_index = words, vectors, len(words)
    kv.key_to_index = {word: i for i, word in enumerate(words)}
    return kv


def refuse_no_vectors(source: Any, what: str = "vectors") -> None:
    """Refuse what is no gensim vectors; `what` they are, or what asks for them."""
    if hasattr(source, "key_to_index"):
        return
    holders = ("wv", "vectors")  # of a gensim model, of what a debiasing step returns
    own = [name for name in holders if hasattr(getattr(source, name, None), "key_to_index")]
    hint = f"pass its .{own[0]}" if own else "make them with load_embedding(...)"
    raise ArgumentError(f"{what}: give gensim KeyedVectors, not {type(source).__name__}; {hint}")


class Facts(dict[str, Any]):
    """Facts of the source of vectors, or functions that find them out; pickled they are all out."""

    def __reduce__(self) -> tuple[type["Facts"], tuple[dict[str, Any]]]:
        facts = {name: of() if callable(of) else of for name, of in self.items()}
        return Facts, (facts,)


def remember(vectors: KeyedVectors, **facts: Any) -> None:
    """Note facts of the source of vectors, or functions that find them out when asked."""
    vectors.source_facts = Facts({**getattr(vectors, "source_facts", {}), **facts})


def known_of(vectors: KeyedVectors, name: str) -> Any:
    """Return a fact of the source of vectors; None where it is not known."""
    facts = getattr(vectors, "source_facts", {})
    if callable(facts.get(name)):
        facts[name] = facts[name]()
    return facts.get(name)


def within_limit(vectors: KeyedVectors) -> str:
    """Say that only the first vectors of a source were read, and how more are; "" of all."""
    limit = known_of(vectors, "limit")
    return f"; only the first {limit:,} vectors were read: raise limit (--limit)" if limit else ""


def same_source(vectors: KeyedVectors, as_of: KeyedVectors) -> None:
    """Note that vectors were made of others: what is known of these but where they were read."""
    remember(vectors, **{**getattr(as_of, "source_facts", {}), "origin": None})


def remember_file(vectors: KeyedVectors, file: Path, **how: Any) -> None:
    """Note from which file vectors were read, and how."""
    facts = {name: value for name, value in how.items() if value is not None}
    remember(vectors, origin=(facts, file.resolve(), _version(file)))


def origin_of(vectors: KeyedVectors) -> dict[str, Any]:
    """Return where vectors were read from, if from a file; its checksum unless it has changed."""
    facts, file, version = known_of(vectors, "origin") or ({}, Path(), None)
    with suppress(OSError):  # it may be gone
        if _version(file) == version:
            return {**facts, "embedding_sha256": _checksum(file, version)}
    return dict(facts)


@lru_cache(maxsize=64)  # it takes about a second per GB
def _checksum(file: Path, version: tuple[int, ...]) -> str:
    return file_checksum(file, EmbeddingError)


def _version(file: Path) -> tuple[int, ...]:
    status = file.stat()
    return status.st_size, status.st_mtime_ns, status.st_ino


def capitals_of(vectors: KeyedVectors) -> tuple[int, int]:
    """Return how many words have capitals, and of how many: of the vectors' source or their own."""
    words = vectors.index_to_key
    counts = known_of(vectors, "capitals")
    return counts or (sum(word != word.lower() for word in words), len(words))


def spellings(word: str, strip_accents: bool = False) -> dict[str, bool]:
    """Return the spellings of a word, best first, and whether each is in lower case."""
    forms: dict[str, bool] = {}
    letters = (x for x in normalize("NFD", word) if category(x) != "Mn")
    for text in (word, normalize("NFC", "".join(letters))) if strip_accents else (word,):
        for spaced in (text, text.replace(" ", "_")):
            lowered = (spaced.lower(), spaced.translate(_TURKISH).lower())
            for variant in (spaced, *lowered):
                # Composed and decomposed letters are canonically equivalent in Unicode.
                for form in (variant, normalize("NFC", variant), normalize("NFD", variant)):
                    forms.setdefault(form, variant != spaced)
    return forms


def find_words(vectors: KeyedVectors, words: Iterable[str]) -> dict[str, str | None]:
    """Return the spelling in which each word is in the vectors, or None."""
    index: Mapping[str, Any] = vectors.key_to_index
    strip_accents = bool(known_of(vectors, "strip_accents"))

    @cache
    def are_few() -> bool:  # the vocabulary is gone through only where its capitals matter
        n_capitalised, n_words = capitals_of(vectors)
        return n_capitalised < _FEW * n_words

    keys: dict[str, str | None] = {}
    for word in words:
        forms = spellings(word, strip_accents).items()
        there = (form for form, is_lower in forms if form in index and (not is_lower or are_few()))
        keys[word] = next(there, None)
    return keys


def spelt_as_in(vectors: KeyedVectors, words: Iterable[str]) -> tuple[str, ...]:
    """Return the words in the spelling that `find_words` finds; absent ones as they are."""
    words = tuple(words)
    keys = find_words(vectors, words)
    return tuple(keys[word] or word for word in words)


def vectors_of(vectors: KeyedVectors, keys: Sequence[str]) -> Array:
    """Return the vectors of keys (n_keys, dim) in float64; refuse those that have no cosine."""
    index = [vectors.key_to_index[key] for key in keys]
    matrix = np.asarray(vectors.vectors[index], dtype=np.float64).reshape(len(index), -1)
    for bad, what in (
        (~np.isfinite(matrix).all(axis=1), "has NaN or infinite components"),
        (~matrix.any(axis=1), "is the zero vector, which has no direction"),
    ):
        if bad.any():
            word = keys[int(np.flatnonzero(bad)[0])]
            what = f"{what}; leave the word out of the list or repair the embedding"
            raise EmbeddingError(f"the vector of {short(word)} {what}")
    return matrix
