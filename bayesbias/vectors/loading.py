"""Any source of word vectors becomes gensim ``KeyedVectors``, and these become files."""

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pandas as pd

from bayesbias.errors import BayesBiasError, EmbeddingError, OutputError, UntrustedFileError, short
from bayesbias.support.arguments import KeyedVectors, as_path
from bayesbias.support.bounded_files import require_regular_file
from bayesbias.vectors import models, tables
from bayesbias.vectors.formats import VectorFormat, detect_format, read_vectors
from bayesbias.vectors.lookup import keyed_vectors, remember, remember_file
from bayesbias.vectors.records import Block, Reading, select

_IN_FOLDERS: Final = ("vectors.npy", "model.safetensors", "0_StaticEmbedding/model.safetensors")
"""Files whose folder may be named in their place."""

_READERS: Final = {
    **{"fasttext": models.read_fasttext, "safetensors": models.read_safetensors},
    **{"npz": tables.read_npz, "npy": tables.read_npy},
}
_DAMAGED: Final = {  # what is said of a file that cannot be read, by its kind
    "npz": "cannot be read as an array of words and a matrix ({}); save np.savez(file, "
    "words=np.array(words, dtype=str), vectors=matrix)",
    "npy": "is no sound array of numbers ({}); save it again",
    "safetensors": "is damaged or cut short, or its tokenizer.json is ({}); fetch both again",
    "gensim": "is a pickle that gensim cannot open as word vectors ({}). Files that gensim wrote "
    "beside it must be there too. Or pass bb.load_embedding a mapping from word to vector",
    "": "is damaged or cut short ({}); fetch it again",
}


def load_embedding(
    source: Any,
    *,
    words: Iterable[str] | None = None,
    limit: int | None = None,
    trusted: bool = False,
    encoding: str | None = None,
    strip_accents: bool = False,
    word_column: str | None = None,
    vector_column: str | Sequence[str] | None = None,
) -> KeyedVectors:
    """Load word vectors.

    Parameters
    ----------
    source : path, mapping, (words, matrix), frame, records, KeyedVectors or model
        A file, known by its content: word2vec (text or binary), GloVe, fastText (``.vec``,
        ``.bin``), plain or compressed; a table (CSV, TSV, Parquet, Feather, Arrow, JSON, JSON
        lines); ``.npz`` with words; ``model.safetensors`` of Model2Vec beside its
        ``tokenizer.json``, or ``vectors.npy`` beside ``words.txt``, or their folder; gensim's own
        format. Or an object: a mapping from word to vector; words and a matrix (n_words, dim); a
        frame of pandas, polars or pyarrow, a dict of columns, a list of records; KeyedVectors or a
        model of gensim, returned as they are; a spaCy pipeline; a model with a method ``encode``,
        as model2vec's StaticModel or a SentenceTransformer (`vectors.encode`).
    words : iterable of str, optional
        Load only these, with memory for these words and for the first 10,000 of the source, from
        which `distances` tells how alike words are. Encoders need them. Of a word with capitals the
        one in lower case is loaded too, of a phrase that with underscores.
    limit : int, optional
        Look only at the first so many vectors (the most frequent words, usually).
    trusted : bool
        Allow gensim's own format. It is a pickle, and opening a pickle runs code.
    encoding : {"utf-8", "latin-1"}, optional
        How the words of a file are written; by default UTF-8.
    strip_accents : bool
        Look words up without accents too, as *medico* for *médico*, here and with these vectors.
    word_column, vector_column : str, optional
        Which columns are meant where a table has several of texts or of vectors. The vectors may be
        one column of lists, the common start of many names, or a list of names.

    Returns
    -------
    gensim.models.KeyedVectors
        Distinct words in the order of the source, and their vectors in float32. A `DataWarning`
        names what is left out: repeated words, columns that are neither words nor vectors.

    Raises
    ------
    EmbeddingError
        If the source cannot be read, with the line, row or word; `UntrustedFileError` if it is a
        pickle and `trusted` is false.

    Examples
    --------
    >>> load_embedding({"he": [1.0, 0.0], "she": [0.0, 1.0]})["she"].tolist()
    [0.0, 1.0]
    >>> rows = [{"text": "he", "vector": [1.0, 0.0]}, {"text": "she", "vector": [0.0, 1.0]}]
    >>> load_embedding(rows, words=["she"]).index_to_key
    ['she']
    """
    how = Reading(words, limit, encoding, strip_accents, word_column, vector_column)
    if hasattr(getattr(source, "wv", None), "key_to_index"):  # gensim's Word2Vec; no column "wv"
        source = source.wv
    if hasattr(source, "key_to_index"):
        vectors = source
    elif isinstance(source, str | Path):
        with _file_and_format(source) as (path, form):
            if form.kind == "gensim":
                vectors = _from_gensim(path, trusted, limit)
            else:
                vectors = select(_blocks(path, form, how), how, f"{path}: ")
            remember_file(vectors, path, embedding=path.name, limit=limit, encoding=encoding)
    elif hasattr(getattr(source, "vocab", source), "vectors_length"):  # spaCy's
        vectors = select([models.of_spacy(source)], how)
    elif hasattr(source, "encode"):
        vectors = models.encode(how.words or (), source)
    else:
        vectors = select([tables.block_of_object(source, how)], how)
    if strip_accents:
        remember(vectors, strip_accents=True)
    return vectors


def load_contexts(
    source: Any,
    *,
    words: Iterable[str] | None = None,
    context_column: str | None = None,
    word_column: str | None = None,
    vector_column: str | None = None,
) -> dict[str, KeyedVectors]:
    """Load a table in which words have several vectors: one in each of the contexts they stand in.

    Parameters
    ----------
    source, words, word_column, vector_column
        As in `load_embedding`: a file or an object that is a table.
    context_column : str, optional
        The column that names the context. Without it a word's k-th row is its "sample k".

    Returns
    -------
    dict of str to gensim.models.KeyedVectors
        By context, in the order of the table, the vectors of its words.

    Examples
    --------
    >>> rows = [{"word": word, "from": place, "vector": [1.0, float(k)]} for k, (word, place) in
    ...         enumerate([("he", "news"), ("she", "news"), ("he", "law")])]
    >>> contexts = load_contexts(rows, context_column="from")
    >>> {name: vectors.index_to_key for name, vectors in contexts.items()}
    {'news': ['he', 'she'], 'law': ['he']}
    """
    how = Reading(
        words, word_column=word_column, vector_column=vector_column, context_column=context_column
    )
    if isinstance(source, str | Path):
        with _file_and_format(source) as (path, form):
            if form.dim:
                raise EmbeddingError("is no table, as words with several vectors need")
            (rows,) = _blocks(path, form, how)
    else:
        rows = tables.block_of_object(source, how)
    counted = pd.Series(rows.words).groupby(rows.words).cumcount() + 1
    names = pd.Series(rows.contexts or [f"sample {k}" for k in counted])
    contexts: dict[str, KeyedVectors] = {}
    for name, at in names.groupby(names, sort=False).groups.items():
        if name:
            note = "" if contexts else rows.note  # it is said once
            part = Block([rows.words[k] for k in at], rows.vectors_of(at).__getitem__, note=note)
            contexts[name] = select([part], how, f"context {short(name)}: ")
    return contexts


def _blocks(path: Path, form: VectorFormat, how: Reading) -> Iterable[Block]:
    """Read a file as blocks of records, or as one block."""
    if (how.word_column or how.vector_column) and (form.dim or form.kind in _READERS):
        raise EmbeddingError(
            f"is no table but {form.kind}, without columns to choose; leave word_column= and "
            f"vector_column= (--word-column, --vector-column) out"
        )
    if form.dim:
        return read_vectors(path, form, how)
    read = _READERS.get(form.kind)
    return [read(path) if read else tables.block_of_table(path, form.kind, how)]


@contextmanager
def _file_and_format(source: str | Path) -> Iterator[tuple[Path, VectorFormat]]:
    """Give a file and its format; name it in what its reader raises, which may be anything."""
    inside = (Path(source, name) for name in _IN_FOLDERS)
    path, form = next(filter(os.path.isfile, inside), Path(source)), VectorFormat("")
    try:
        form = detect_format(path)
        yield path, form
    except EmbeddingError as error:
        error.args = (f"{path}: {str(error).removeprefix(f'{path}: ')}",)
        raise
    except (BayesBiasError, Warning):
        raise
    except Exception as error:
        name = "" if isinstance(error, ValueError | OSError) else f"{type(error).__name__}: "
        what = f"{name}{error}".partition("\n")[0][:200]
        message = _DAMAGED.get(form.kind, _DAMAGED[""]).format(what)
        raise EmbeddingError(f"{path}: {message}") from error


def _from_gensim(path: Path, trusted: bool, limit: int | None) -> KeyedVectors:
    """Open gensim's own format, which is a pickle."""
    if trusted is not True:  # a text such as "no" would open a pickle
        raise UntrustedFileError(
            "is a pickle, as gensim's own format is, and opening a pickle runs code; if "
            "you trust its maker say trusted=True (--trusted), else ask for word2vec format"
        )
    if limit is not None:
        raise EmbeddingError("is gensim's own, which is opened whole; leave limit= (--limit) out")
    from gensim.utils import SaveLoad

    # gensim itself opens the file by its name, and the arrays that it wrote beside it.
    for beside in (path, *path.parent.glob(f"{glob.escape(path.name)}.*.np[yz]")):
        require_regular_file(beside, EmbeddingError)
    loaded = SaveLoad.load(str(path))
    vectors = getattr(loaded, "wv", loaded)
    if not hasattr(vectors, "key_to_index"):
        raise TypeError(f"it holds a {type(loaded).__name__}")
    return vectors


_IS_BINARY: Final = {".txt": False, ".vec": False, ".bin": True, ".kv": None}  # or gensim's own


def check_ending(path: str | Path) -> None:
    """Refuse, before any long work, a file whose ending says no format."""
    if as_path(path).suffix not in _IS_BINARY:
        raise OutputError(
            f"{path}: the ending says how vectors are written: .txt, .vec, .bin (word2vec) or .kv"
        )


def write_vectors(vectors: KeyedVectors, path: Path) -> None:
    """Write vectors in the format of the file's ending; all of them read the same numbers again."""
    words, binary = list(vectors.index_to_key), _IS_BINARY[path.suffix]
    plain = keyed_vectors(words, vectors.vectors[: len(words)])  # nothing of ours in the file
    plain.expandos = dict(vectors.expandos)  # counts, by which gensim sorts
    if binary is None:
        plain.save(str(path), separately=[], sep_limit=1 << 62)
        return
    if odd := [word for word in words if not word or any(blank in word for blank in " \n\t\r\0")]:
        what = f"cannot hold the word {odd[0]!r}; leave it out, or name the file .kv"
        raise OutputError(f"{path.suffix}: word2vec's formats {what}")
    plain.save_word2vec_format(str(path), binary=binary)


def example_embedding() -> KeyedVectors:
    """Return real word vectors: the part of GloVe 840B that belongs to the shipped word lists.

    Returns
    -------
    gensim.models.KeyedVectors
        1,311 words in 300 dimensions, rounded to 8 bits a number. Of the gender list all 14
        protected words, 18 of 25 stereotypes, 59 of 85 human and 76 of 226 neutral words are in it.

    Notes
    -----
    From GloVe (Pennington, Socher and Manning 2014), trained on 840 billion tokens of Common Crawl.
    For examples, not for results: see ``shipped_vectors/README.md``.

    Examples
    --------
    >>> len(example_embedding())
    1311
    """
    folder = Path(__file__).with_name("shipped_vectors")
    return load_embedding(folder / "glove-840b-list-words.bin.gz")
