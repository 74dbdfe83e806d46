"""Vectors in a folder that opens at once, however large it is: a ``.bbv`` store.

``vectors.npy`` (float32, one row a word) and the vocabulary are mapped into memory, not read; only
the pages that a lookup touches come from the disk. ``words.txt`` has one word a line in the order
of the rows, ``offsets.npy`` where each begins, ``hashes.npy`` the words' 64-bit BLAKE2b hashes in
ascending order and ``rows.npy`` the row that each belongs to, so that a word is found by bisection.
(Of 3 million words, 400 are found so in .03 s; a dict of them takes 8 s and 500 MB to build.)
``meta.json`` says what the store was made of. There is no pickle in it.
"""

import hashlib
import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import DataWarning, EmbeddingError
from bayesbias.support.bounded_files import mapped_array, opened, read_json
from bayesbias.support.types import KeyedVectors
from bayesbias.support.whole_files import new_folder
from bayesbias.vectors.lookup import keyed_vectors

FORMAT: Final = 1
"""Version of the layout of stores."""

META: Final = "meta.json"
_WORDS: Final = "words.txt"
_ARRAYS: Final = ("vectors", "offsets", "hashes", "rows")

FILES: Final = frozenset({META, _WORDS, *(f"{name}.npy" for name in _ARRAYS)})
"""What a store consists of."""

_HEADER: Final = 128  # bytes; fixed, so that the number of rows can be filled in at the end
_BLOCK: Final = 1 << 16
_MANY: Final = 10_000
Block = tuple[list[str], NDArray[np.float32]]
"""Words and their vectors, shape (n_words, dim)."""


def is_store(path: Path) -> bool:
    """Return whether a path is a store's folder."""
    return os.path.isfile(path / META)


def made_from(path: Path) -> dict[str, str]:
    """Return the name and SHA-256 of the file that a store was converted from, if it says so."""
    try:
        source = read_json(path / META, EmbeddingError)["source"]
        named = {"made_from": source["file"], "made_from_sha256": source["sha256"]}
    except (EmbeddingError, KeyError, TypeError):
        return {}
    return {key: value for key, value in named.items() if isinstance(value, str)}


def write_store(
    blocks: Iterable[Block], path: str | Path, *, source: Mapping[str, Any], overwrite: bool = False
) -> int:
    """Write blocks to a store, whole or not at all, in one pass; return the number of words."""
    with new_folder(path, overwrite=overwrite, files=FILES) as place:
        seen: set[str] = set()
        hashes: list[NDArray[np.uint64]] = []
        lengths: list[NDArray[np.uint64]] = []
        dim, n_repeated = 0, 0
        with (place / "vectors.npy").open("wb") as vectors, (place / _WORDS).open("wb") as out:
            vectors.write(b" " * _HEADER)
            for words, matrix in blocks:
                dim = matrix.shape[1]
                before = len(seen)
                fresh = [i for i, w in enumerate(words) if not (w in seen or seen.add(w))]  # type: ignore[func-returns-value]
                n_repeated += len(words) - (len(seen) - before)
                encoded = [_encoded(words[i]) for i in fresh]
                if encoded:
                    out.write(b"\n".join(encoded) + b"\n")
                    vectors.write(np.ascontiguousarray(matrix[fresh], dtype="<f4").tobytes())
                    hashes.append(np.array([_hash(word) for word in encoded], dtype="<u8"))
                    lengths.append(np.array([len(word) + 1 for word in encoded], dtype="<u8"))
            if not seen:
                raise EmbeddingError("there are no vectors to store")
            _write_header(vectors, len(seen), dim)
        every = np.concatenate(hashes)
        order = np.argsort(every, kind="stable").astype("<u8")
        np.save(place / "hashes.npy", every[order])
        np.save(place / "rows.npy", order)
        np.save(place / "offsets.npy", np.concatenate([[0], *lengths]).cumsum().astype("<u8"))
        content: dict[str, Any] = {"format": FORMAT, "words": len(seen), "dimension": dim}
        content |= {"repeated_words_left_out": n_repeated, "source": dict(source)}
        (place / META).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    if n_repeated:
        warnings.warn(
            f"{path}: {n_repeated:,} words came more than once; the first vector of each is stored",
            DataWarning,
            stacklevel=3,
        )
    return len(seen)


def _encoded(word: str) -> bytes:
    if not word or "\n" in word:
        raise EmbeddingError(f"a store cannot hold the word {word!r}; leave it out")
    return word.encode("utf-8")


def _hash(word: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(word, digest_size=8).digest(), "little")


def _write_header(stream: IO[bytes], n: int, dim: int) -> None:
    """Write the header of an ``.npy`` file of version 1.0 into the room left for it."""
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({n}, {dim}), }}"
    size = _HEADER - 10
    stream.seek(0)
    stream.write(b"\x93NUMPY\x01\x00" + size.to_bytes(2, "little"))
    stream.write(text.ljust(size - 1).encode("ascii") + b"\n")


def open_store(
    path: Path, *, words: Iterable[str] | None = None, limit: int | None = None
) -> KeyedVectors:
    """Open a store: mapped from the disk and read-only, or some `words` or rows in memory."""
    vectors, vocabulary = _opened(path)
    if words is None and limit is None:
        return keyed_vectors(vocabulary, vectors, StoredIndex(vocabulary))
    most = len(vocabulary) if limit is None else min(limit, len(vocabulary))
    if words is None:
        return keyed_vectors(vocabulary[:most], np.array(vectors[:most]))
    found = {row: word for word in set(words) if (row := vocabulary.find(word)) is not None}
    rows = sorted(row for row in found if row < most)
    matrix = np.array(vectors[rows]).reshape(len(rows), vectors.shape[1])
    return keyed_vectors([found[row] for row in rows], matrix)


def _opened(path: Path) -> "tuple[NDArray[np.float32], StoredWords]":
    """Map a store's files and check that they fit together."""
    try:
        meta = read_json(path / META, EmbeddingError)
        version = meta["format"]
        vectors, *index = (mapped_array(path / f"{name}.npy", EmbeddingError) for name in _ARRAYS)
        with opened(path / _WORDS, EmbeddingError) as stream:
            text = np.memmap(stream, dtype=np.uint8, mode="r")
    # What a record lacks or has of another kind; an empty file cannot be mapped, nor one of more
    # bytes than a process may address.
    except (EmbeddingError, OSError, ValueError, KeyError, TypeError) as error:
        raise EmbeddingError(
            f"{path}: is not a sound store of vectors ({error}); convert the vectors again"
        ) from error
    if version != FORMAT:
        raise EmbeddingError(
            f"{path}: has format {version}, this version reads {FORMAT}; convert the vectors again"
        )
    offsets, hashes, rows = (np.asarray(array) for array in index)
    shapes = [a.ndim == 1 and a.dtype == np.dtype("<u8") for a in (offsets, hashes, rows)]
    sound = vectors.ndim == 2 and vectors.dtype == np.dtype("<f4") and all(shapes)
    sound = sound and vectors.flags.c_contiguous
    if not (
        sound
        and vectors.size
        and len(vectors) == len(hashes) == len(rows) == len(offsets) - 1
        and offsets[0] == 0
        and offsets[-1] == len(text)
    ):
        raise EmbeddingError(f"{path}: its files do not fit together; convert the vectors again")
    return vectors, StoredWords(path, np.asarray(text), offsets, hashes, rows)


class StoredWords(Sequence[str]):
    """The words of a store in the order of their rows, decoded as they are asked for."""

    def __init__(
        self,
        path: Path,
        text: NDArray[np.uint8],
        offsets: NDArray[np.uint64],
        hashes: NDArray[np.uint64],
        rows: NDArray[np.uint64],
    ) -> None:
        self.path, self._text, self._offsets = path, text, offsets
        self._hashes, self._rows = hashes, rows

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step == 1:
                return self._between(start, max(start, stop))
            return [self[i] for i in range(start, stop, step)]
        row = range(len(self))[index]
        return self._between(row, row + 1)[0]

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), _BLOCK):
            yield from self._between(start, min(start + _BLOCK, len(self)))

    def _between(self, start: int, stop: int) -> list[str]:
        """Decode the words of a run of rows."""
        raw = self._text[int(self._offsets[start]) : int(self._offsets[stop])].tobytes()
        try:
            words = raw.decode("utf-8").split("\n")[:-1]
        except UnicodeDecodeError as error:
            raise self._damaged() from error
        if len(words) != stop - start:
            raise self._damaged()
        return words

    def find(self, word: str) -> int | None:
        """Return a word's row, or None."""
        encoded = word.encode("utf-8", "surrogatepass")
        wanted = np.uint64(_hash(encoded))
        at = int(np.searchsorted(self._hashes, wanted))
        while at < len(self._hashes) and self._hashes[at] == wanted:
            row = int(self._rows[at])
            if row >= len(self):
                raise self._damaged()
            start, stop = int(self._offsets[row]), int(self._offsets[row + 1])
            if self._text[start : stop - 1].tobytes() == encoded:
                return row
            at += 1
        return None

    def _damaged(self) -> EmbeddingError:
        return EmbeddingError(f"{self.path}: its vocabulary is damaged; convert the vectors again")


class StoredIndex(Mapping[str, int]):
    """From word to row, found on the disk; in memory once very many words were asked for."""

    def __init__(self, words: StoredWords) -> None:
        self._words = words
        self._asked = 0
        self._all: dict[str, int] | None = None

    def __len__(self) -> int:
        return len(self._words)

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __setitem__(self, word: str, row: int) -> None:
        """Refuse a new word with an explanation, for gensim's ``add_vectors``."""
        raise EmbeddingError(
            f"{self._words.path}: a store is read-only, so that {word!r} cannot be added; load the "
            f"vectors from their own file"
        )

    def __getitem__(self, word: str) -> int:
        if self._all is not None:
            return self._all[word]
        # Who asks for a share of all words will ask for all: a dict is then ten times as fast.
        self._asked += 1
        if self._asked > _MANY + len(self._words) // 20:
            self._all = {word: row for row, word in enumerate(self._words)}
            return self._all[word]
        row = self._words.find(word) if isinstance(word, str) else None
        if row is None:
            raise KeyError(word)
        return row
