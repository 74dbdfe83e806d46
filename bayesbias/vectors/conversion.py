"""Turns vectors of any kind into a store, which opens at once."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bayesbias.errors import EmbeddingError
from bayesbias.support.bounded_files import file_checksum
from bayesbias.support.types import KeyedVectors
from bayesbias.support.whole_files import check_folder, refuse_input_as_output
from bayesbias.vectors import records
from bayesbias.vectors.formats import detect_format
from bayesbias.vectors.loading import load_embedding
from bayesbias.vectors.spelling import Spelling
from bayesbias.vectors.store import WordBlock, is_store, write_store


def convert_embedding(
    source: "str | Path | KeyedVectors",
    path: str | Path,
    *,
    limit: int | None = None,
    trusted: bool = False,
    encoding: str | None = None,
    errors: Literal["strict", "ignore", "replace"] | None = None,
    strip: str | None = None,
    overwrite: bool = False,
    progress: bool | None = None,
) -> int:
    """Convert word vectors to a store, a folder that `load_embedding` opens at once.

    It has ``vectors.npy``, which everybody maps with ``numpy.load(..., mmap_mode="r")``, and
    ``words.txt``, with the word of each row.

    Parameters
    ----------
    source : str, Path or KeyedVectors
        What `load_embedding` takes. A file of vectors is read in pieces and never held whole.
    path : str or Path
        The folder to make, such as ``googlenews-store``.
    limit, trusted, encoding, errors, strip, progress
        As in `load_embedding`.
    overwrite : bool
        Replace what is there.

    Returns
    -------
    int
        The number of words.

    Raises
    ------
    EmbeddingError
        If the source cannot be read or holds a word that a store cannot hold.
    OutputError
        If the folder is taken, is the source or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import bayesbias as bb
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bb.vectors.convert_embedding(bb.example_embedding(), f"{folder}/glove")
    1311
    """
    how = records.Reading(limit, Spelling(encoding, errors, strip), trusted, False, progress)
    refuse_input_as_output(source, path)
    check_folder(path, overwrite=overwrite)
    described: dict[str, Any] = {"kind": type(source).__name__}
    if isinstance(source, str | Path) and os.path.isfile(source):
        file = Path(source)
        form = detect_format(file)
        checksum = file_checksum(file, EmbeddingError)
        described = {"kind": form.kind, "file": file.name, "sha256": checksum}
        if form.dim:
            blocks = records.read_blocks(file, form, how)
            return write_store(blocks, path, source=described, overwrite=overwrite)
    elif isinstance(source, str | Path) and is_store(Path(source)):
        described = {"kind": "store", "file": Path(source).name}
    given: dict[str, Any] = {"limit": limit, "trusted": trusted, "progress": progress}
    vectors = load_embedding(source, encoding=encoding, errors=errors, strip=strip, **given)
    blocks = _blocks(vectors, limit)
    return write_store(blocks, path, source=described, overwrite=overwrite)


def _blocks(vectors: KeyedVectors, limit: int | None) -> Iterator[WordBlock]:
    n = len(vectors.index_to_key) if limit is None else min(limit, len(vectors.index_to_key))
    size = max(1, records.BLOCK // (4 * vectors.vector_size))
    for start in range(0, n, size):
        stop = min(start + size, n)
        yield vectors.index_to_key[start:stop], np.asarray(vectors.vectors[start:stop])
