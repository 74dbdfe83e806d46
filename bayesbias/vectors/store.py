"""Vectors in a folder that numpy opens at once, however large it is: a store.

``vectors.npy`` (float32, one row per word) is mapped into memory, not read: only the rows that a
lookup touches come from the disk. ``words.txt`` has one word per line, in the order of the rows,
and ``manifest.json`` what the store was made of. Others read it with ``numpy.load``.
"""

import json
import os
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from bayesbias.errors import DataWarning, EmbeddingError, short
from bayesbias.support.bounded_files import open_regular, read_json, require_regular_file
from bayesbias.support.types import KeyedVectors
from bayesbias.support.whole_files import MANIFEST, new_folder
from bayesbias.vectors.formats import BOM
from bayesbias.vectors.lookup import keyed_vectors
from bayesbias.vectors.spelling import said_of_repeats

_VECTORS: Final = "vectors.npy"
_WORDS: Final = "words.txt"
FILES: Final = frozenset({_VECTORS, _WORDS, MANIFEST})  # what a store consists of
_LARGEST_VOCABULARY: Final = 1 << 30  # bytes of words that are read: forty million words
WordBlock = tuple[list[str], NDArray[np.float32]]  # words and their vectors, shape (n_words, dim)


def is_store(path: Path) -> bool:
    """Return whether a path is a store's folder."""
    return os.path.isfile(path / _VECTORS) and os.path.exists(path / _WORDS)


def made_from(path: Path) -> dict[str, str]:
    """Return the name and SHA-256 of the file that a store was converted from, if it says so."""
    try:
        source = read_json(path / MANIFEST, EmbeddingError)["source"]
        named = {"made_from": source["file"], "made_from_sha256": source["sha256"]}
    except (EmbeddingError, KeyError, TypeError):
        return {}
    return {key: value for key, value in named.items() if isinstance(value, str)}


def write_store(
    blocks: Iterable[WordBlock],
    path: str | Path,
    *,
    source: Mapping[str, Any],
    overwrite: bool = False,
) -> int:
    """Write blocks to a store, whole or not at all, in one pass; return the number of words."""
    with new_folder(path, overwrite=overwrite) as place:
        seen: set[str] = set()
        dim, again = 0, list[str]()
        with (place / _VECTORS).open("wb") as vectors, (place / _WORDS).open("wb") as out:
            _write_header(vectors, 0, 0)
            for words, matrix in blocks:
                dim = matrix.shape[1]
                fresh = [i for i, w in enumerate(words) if not (w in seen or seen.add(w))]  # type: ignore[func-returns-value]
                again += [words[i] for i in sorted({*range(len(words))} - {*fresh})]
                out.write(b"".join(_line(words[i]) for i in fresh))
                vectors.write(np.ascontiguousarray(matrix[fresh], dtype="<f4").tobytes())
            if not seen:
                raise EmbeddingError("there are no vectors to store")
            _write_header(vectors, len(seen), dim)
        files = {file.name: {"bytes": file.stat().st_size} for file in sorted(place.iterdir())}
        content: dict[str, Any] = {"files": files, "words": len(seen), "dimension": dim}
        content |= {"repeated_words_left_out": len(again), "source": dict(source)}
        (place / MANIFEST).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    if again:
        warnings.warn(f"{path}: {said_of_repeats(again)}", DataWarning, stacklevel=3)
    return len(seen)


def _line(word: str) -> bytes:
    if not word or "\n" in word:
        raise EmbeddingError(f"a store cannot hold the word {short(word)}; leave it out")
    return word.encode("utf-8") + b"\n"


def _write_header(stream: IO[bytes], n: int, dim: int) -> None:
    """Write the header of an ``.npy`` file; numpy leaves room in it for more rows."""
    stream.seek(0)
    header = {"descr": "<f4", "fortran_order": False, "shape": (n, dim)}
    npy.write_array_header_1_0(stream, header)


def open_store(
    path: Path, *, words: Iterable[str] | None = None, limit: int | None = None
) -> KeyedVectors:
    """Open a store: mapped from the disk and read-only, or some `words` of it in memory."""
    vectors = _mapped(path / _VECTORS)
    with open_regular(path / _WORDS, EmbeddingError, most=_LARGEST_VOCABULARY) as stream:
        content = stream.read().removeprefix(BOM)
    if content.count(b"\r\n") == content.count(b"\n"):  # made by hand, in Windows
        content = content.replace(b"\r\n", b"\n")
    lines = content.rstrip(b"\n").split(b"\n")
    if len(vectors) != len(lines):
        raise EmbeddingError(
            f"{path}: has {len(vectors):,} vectors and {len(lines):,} words; convert the vectors "
            f"again"
        )
    try:
        if words is not None:  # only the wanted words are decoded, of perhaps millions
            wanted = {word.encode("utf-8", "surrogatepass") for word in words}
            rows = [row for row, line in enumerate(lines[:limit]) if line in wanted]
            found = keyed_vectors([lines[r].decode("utf-8") for r in rows], np.array(vectors[rows]))
        else:
            found = keyed_vectors(
                b"\n".join(lines[:limit]).decode("utf-8").split("\n"), vectors[:limit]
            )
    except UnicodeDecodeError as error:
        raise EmbeddingError(f"{path}: {_WORDS} is not UTF-8; convert the vectors again") from error
    if len(found.key_to_index) < len(found.index_to_key):
        raise EmbeddingError(f"{path}: {_WORDS} has a word twice; convert the vectors again")
    return found


def _mapped(path: Path) -> NDArray[np.float32]:
    """Map a matrix of float32 into memory."""
    try:
        with warnings.catch_warnings():
            # numpy takes some damaged headers for those of Python 2, and says so.
            warnings.simplefilter("error", UserWarning)
            found = np.load(
                require_regular_file(path, EmbeddingError), mmap_mode="r", allow_pickle=False
            )
        sound = found.dtype == np.dtype("<f4") and found.ndim == 2 and found.flags.c_contiguous
    except EmbeddingError:
        raise
    except Exception as error:  # a damaged header may raise anything at all
        raise EmbeddingError(
            f"{path}: is no sound array of numpy's; convert the vectors again"
        ) from error
    if not (sound and found.size):
        raise EmbeddingError(f"{path}: is no matrix of float32; convert the vectors again")
    matrix: NDArray[np.float32] = found
    return matrix
