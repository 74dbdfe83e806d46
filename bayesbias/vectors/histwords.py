"""Vectors in the layout of HistWords: ``1900-w.npy`` beside ``1900-vocab.pkl``, a file a decade.

The vocabulary is a pickle, and opening a pickle runs code. So it is not opened: its operations are
walked through, and any but those that make a list of texts are refused. A text file
``1900-vocab.txt`` with a word a line goes before it.

Hamilton, Leskovec and Jurafsky (2016), Diachronic word embeddings reveal statistical laws of
semantic change.
"""

import pickletools
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from bayesbias.errors import EmbeddingError, UntrustedFileError
from bayesbias.support.bounded_files import mapped_array, opened
from bayesbias.support.text_files import read_text
from bayesbias.vectors.capitals import counted
from bayesbias.vectors.formats import Read

_VECTORS: Final = "-w.npy"
_MOST: Final = 1 << 30
"""Bytes of a vocabulary: forty million words."""

_TEXTS: Final = frozenset({"BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "UNICODE"})
_BYTES: Final = frozenset({"SHORT_BINSTRING", "BINSTRING", "STRING"})
"""Strings of Python 2, whose bytes are UTF-8."""

_PUTS: Final = frozenset({"PUT", "BINPUT", "LONG_BINPUT"})
_GETS: Final = frozenset({"GET", "BINGET", "LONG_BINGET"})
_IDLE: Final = frozenset({"PROTO", "FRAME"})
_MARK: Final = object()


def is_histwords(path: Path) -> bool:
    """Tell whether a path is called as the vectors of HistWords are."""
    return path.name.endswith(_VECTORS)


def read_histwords(
    path: Path, *, words: Collection[str] | None = None, limit: int | None = None
) -> Read:
    """Return words and vectors (n_words, dim), of the wanted words among the first `limit`."""
    vocabulary = _vocabulary(path)
    matrix = mapped_array(path, EmbeddingError)
    if matrix.ndim != 2 or matrix.dtype.kind != "f" or len(matrix) != len(vocabulary):
        raise EmbeddingError(
            f"{path}: is an array of {matrix.dtype} of shape {matrix.shape}, and the vocabulary "
            f"beside it has {len(vocabulary):,} words; a vector of decimal numbers for each is "
            f"needed"
        )
    if len(set(vocabulary)) < len(vocabulary):
        raise EmbeddingError(f"{path}: the vocabulary beside it has a word more than once")
    first = vocabulary[:limit]
    at = [i for i, word in enumerate(first) if words is None or word in words]
    with np.errstate(over="ignore"):  # a number beyond float32 becomes infinite, and is refused
        found = np.asarray(matrix[at], dtype=np.float32)
    if not np.isfinite(found).all():
        row = int(np.flatnonzero(~np.isfinite(found).all(axis=1))[0])
        raise EmbeddingError(f"{path}: the vector of {first[at[row]]!r} has no finite numbers")
    here = np.flatnonzero(found.any(axis=1))  # a word that a decade lacks has zeros there
    return Read([first[at[i]] for i in here], found[here], 0, counted(first))


def _vocabulary(path: Path) -> list[str]:
    """Return the words of the file beside the vectors."""
    start = path.name.removesuffix(_VECTORS)
    as_text, as_pickle = (path.with_name(f"{start}-vocab.{end}") for end in ("txt", "pkl"))
    if as_text.exists():
        return read_text(str(as_text), EmbeddingError).splitlines()
    if not as_pickle.exists():
        raise EmbeddingError(
            f"{path}: its words are missing; put {as_pickle.name} of HistWords beside it, or "
            f"{as_text.name} with a word a line"
        )
    with opened(as_pickle, EmbeddingError, most=_MOST) as stream:
        content = stream.read()
    try:
        return listed_texts(content)
    except UntrustedFileError as error:
        raise UntrustedFileError(
            f"{as_pickle}: {error}; give {as_text.name} with a word a line instead"
        ) from None


def listed_texts(content: bytes) -> list[str]:
    """Return the list of texts that a pickle holds; refuse one that holds anything else."""
    stack: list[Any] = []
    memory: dict[int, Any] = {}
    for name, argument in _operations(content):
        try:
            if name == "STOP":
                break
            _carry_out(name, argument, stack, memory)
        except (IndexError, KeyError, AttributeError, ValueError):
            raise UntrustedFileError("is damaged: no pickle of a list") from None
    if len(stack) != 1 or not isinstance(stack[0], list):
        raise UntrustedFileError("is a pickle of something else than a list of words")
    if not all(isinstance(word, str) for word in stack[0]):
        raise UntrustedFileError("is a pickle of a list of something else than words")
    return list(stack[0])


def _operations(content: bytes) -> Iterator[tuple[str, Any]]:
    """Yield the operations of a pickle as `pickletools` reads them."""
    try:
        for operation, argument, _ in pickletools.genops(content):
            yield operation.name, argument
    except (ValueError, UnicodeError, OverflowError) as error:
        raise UntrustedFileError(f"is damaged: no pickle of a list ({error})") from None


def _carry_out(name: str, argument: Any, stack: list[Any], memory: dict[int, Any]) -> None:
    """Carry out an operation that makes lists and texts; refuse all others."""
    if name in _TEXTS:
        stack.append(argument)
    elif name in _BYTES:
        stack.append(argument.encode("latin-1").decode("utf-8"))
    elif name == "EMPTY_LIST":
        stack.append([])
    elif name == "MARK":
        stack.append(_MARK)
    elif name == "LIST":
        stack.append(_since_mark(stack))
    elif name == "APPENDS":
        items = _since_mark(stack)
        stack[-1].extend(items)
    elif name == "APPEND":
        item = stack.pop()
        stack[-1].append(item)
    elif name in _PUTS:
        memory[int(argument)] = stack[-1]
    elif name == "MEMOIZE":
        memory[len(memory)] = stack[-1]
    elif name in _GETS:
        stack.append(memory[int(argument)])
    elif name not in _IDLE:
        raise UntrustedFileError(
            f"is a pickle of more than a list of words (it asks for {name}), and opening it could "
            f"run code"
        )


def _since_mark(stack: list[Any]) -> list[Any]:
    """Take what is above the last mark off the stack, and the mark."""
    at = len(stack) - 1
    while stack[at] is not _MARK:  # what is passed is taken off, so that marks cost nothing more
        at -= 1
    items = stack[at + 1 :]
    del stack[at:]
    return items
