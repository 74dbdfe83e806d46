"""Any source of word vectors becomes gensim ``KeyedVectors``; some come with the package."""

import difflib
import glob
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import as_file, files
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bayesbias.errors import (
    ArgumentError,
    DataWarning,
    EmbeddingError,
    UntrustedFileError,
    short,
    suggest,
)
from bayesbias.support.bounded_files import ByteStream, refuse_address, require_regular_file
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.encoders import encoded, kind_of, refuse_options
from bayesbias.vectors.formats import (
    OPEN_IT,
    SAVE_IT,
    SNIFFED,
    VectorFormat,
    detect_format,
)
from bayesbias.vectors.lookup import Wanted, WordVectors, keyed_vectors, wanted
from bayesbias.vectors.near_spellings import spellings_among
from bayesbias.vectors.records import Read, Reading, read_vectors
from bayesbias.vectors.samples import sample_from, sample_of
from bayesbias.vectors.sources import Capitals, capital_counts, ranks_in, remember, remember_origin
from bayesbias.vectors.spelling import Spelling, said_of_repeats
from bayesbias.vectors.store import is_store, made_from, open_store
from bayesbias.vectors.tables import of_frame, read_table

_DOWNLOADER = "gensim:"


def load_embedding(
    source: Any,
    *,
    words: Iterable[str] | None = None,
    fallbacks: Sequence[str] | None = None,
    limit: int | None = None,
    trusted: bool = False,
    encoding: str | None = None,
    errors: Literal["strict", "ignore", "replace"] | None = None,
    strip: str | None = None,
    subwords: bool = False,
    progress: bool | None = None,
    templates: Sequence[str] | None = None,
    layer: int | Literal["static"] | None = None,
    pooling: Literal["mean", "first", "last"] | None = None,
    tokenizer: Any = None,
) -> KeyedVectors:
    """Load word vectors, or have a language model make them.

    Parameters
    ----------
    source : path, mapping, (words, matrix), DataFrame, KeyedVectors or model
        A file (word2vec text or binary, GloVe, fastText ``.vec``, each plain, ``.gz``, ``.xz`` or
        ``.bz2``; CSV, TSV, JSON or ``.npz`` with words; fastText ``.bin``; or gensim's own format),
        recognised by its content; the folder of a store that
        `convert_embedding` made;
        ``"gensim:NAME"`` for a model of ``gensim.downloader`` (uses the network); a mapping from
        word to vector; a pair of words and a matrix of shape (n_words, dim); a frame with the words
        in its index or first column and numbers beside them; a KeyedVectors, returned as it is, or
        a trained model of gensim, whose ``wv`` is returned; a
        spaCy pipeline or vocabulary with vectors; a SentenceTransformer, or a model of transformers
        (of an encoder with a decoder the encoder). ``"transformers:NAME"`` and
        ``"sentence-transformers:NAME"`` name such a model, or its folder; a name that is not in the
        cache is fetched over the network.
    words : iterable of str, optional
        Load only these words, in one pass over the file, with memory for these words and for its
        first 10,000, of which `distances` takes a sample. spaCy and models need them; repeats count
        once.
    fallbacks : sequence of {"lower", "title", "upper", "underscore", "none"}, optional
        With `words`: also load these spellings of them, besides those in lower case if the source
        has no capital letters; ``"none"``, or an empty list, loads words as they are.
    limit : int, optional
        Look only at the first so many vectors of a file (the most frequent words, usually).
    encoding : str, optional
        How the words of a file are written, such as ``"latin-1"``; by default UTF-8.
    errors : {"strict", "ignore", "replace"}, optional
        What becomes of bytes that are no text, as in ``bytes.decode``. By default such words are
        left out with a warning.
    strip : str, optional
        What stands before or after every word of the source, such as ``"/c/en/"`` or ``"▁"``;
        ``"_*"`` is an underscore and all behind it, ``"*/"`` a slash and all before it, ``"<{}>"``
        marks on both sides. Words that bear it are read without it, the first of equal ones.
        Others are left out, except where the mark has a ``*``: they are read as they are.
    subwords : bool
        Of fastText and floret: also make vectors of parts for `words` that the vocabulary lacks.
    trusted : bool
        Allow gensim's own format. It is a pickle, and opening a pickle runs code: allow it only
        for files that you made or whose maker you trust.
    progress : bool, optional
        Show a bar while a large file is read; by default in a terminal or a notebook.
    templates : sequence of str, optional
        Of models: such as ``["This is a {}."]``, each with exactly one ``{}``; the results are
        averaged. By default the word alone, with the special tokens that the tokenizer adds.
        GPT-2's kind of tokenizer spells a word without a space before it, as when alone, in other
        tokens than within a sentence.
    layer : int or "static", optional
        Of transformers: which of the hidden states; 0 after the input embeddings, 1 after the first
        layer, by default -1, after the last. ``"static"`` is the row of the input embedding itself,
        without position or context.
    pooling : {"mean", "first", "last"}, optional
        Of transformers: over the tokens of the word itself, by default the mean.
    tokenizer : str, Path or fast tokenizer, optional
        Of transformers: needed where `source` is a loaded model.

    Raises
    ------
    EmbeddingError
        If the source cannot be read; the message names the line or the word. Of transformers also
        if a word becomes no token, the unknown one, or shares a token with its template, or a text
        is longer than the model takes; with sentence-transformers only a fast tokenizer can tell.
    UntrustedFileError
        If the file is a pickle and `trusted` is false.
    ArgumentError
        If an argument goes with another kind of source, or the library of the model is not there.

    Notes
    -----
    With `words`, damaged lines that hold other words are passed over with a warning.

    A model of transformers gives the vector of the word's own tokens; other tokens are context.
    sentence-transformers gives that of the whole text, the template's own words in it. A model
    costs one pass per word and template; dropout is off, so that the result is always the same.

    Examples
    --------
    >>> kv = load_embedding({"he": [1.0, 0.0], "she": [0.0, 1.0]})
    >>> kv["she"].tolist()
    [0.0, 1.0]
    >>> load_embedding("transformers:bert-base-uncased", words=["nurse", "doctor"],
    ...                templates=["This is a {}."], layer=8)  # doctest: +SKIP
    """
    reading = Reading(limit, Spelling(encoding, errors, strip), trusted, subwords, progress)
    of_models = {"templates": templates, "layer": layer, "pooling": pooling, "tokenizer": tokenizer}
    of_files = {"fallbacks": fallbacks or None, "limit": limit, "trusted": trusted or None}
    of_files |= {"encoding": encoding, "errors": errors, "strip": strip}
    of_files |= {"subwords": subwords or None}
    kind, model = kind_of(source)
    refuse_options(kind, of_models | of_files)
    if kind:
        given = {name: value for name, value in of_models.items() if value is not None}
        return encoded(kind, model, words, given, fallbacks, subwords=subwords)
    asked = None if words is None else wanted(_as_words(words), fallbacks)
    if not hasattr(source, "key_to_index") and hasattr(source, "wv"):  # gensim's Word2Vec
        source = source.wv
    if hasattr(source, "key_to_index"):
        if subwords:
            return _with_parts(source, asked, reading)
        return source if strip is None else _without_marks(source, asked, reading)
    if isinstance(source, str) and source.startswith(_DOWNLOADER):
        found = _downloaded(source.removeprefix(_DOWNLOADER))
        found = found if strip is None else _without_marks(found, asked, reading)
        return remember_origin(found, {"embedding": source, "strip": strip})
    if isinstance(source, str | Path):
        return _from_path(Path(source), asked, reading)
    if isinstance(source, pd.DataFrame):
        return _from_arrays(*of_frame(source), asked, reading)
    if isinstance(source, pd.Series) and len(source):
        source = source.to_dict()
    if isinstance(source, Mapping):
        return _from_arrays(list(source), list(source.values()), asked, reading)
    if isinstance(source, tuple) and len(source) == 2:
        return _from_arrays(list(source[0]), source[1], asked, reading)
    raise EmbeddingError(
        f"cannot read vectors from {type(source).__name__!r}; give a path, a mapping from word to "
        f"vector, a pair (words, matrix), a frame, gensim KeyedVectors, a spaCy pipeline, or a "
        f"model of transformers or sentence-transformers"
    )


def load_words(path: str, **options: Any) -> KeyedVectors:
    """Load word vectors as `load_embedding` does, without gensim where the file can do without."""
    # For commands that only look words up: importing gensim takes most of a second.
    form = detect_format(Path(path)) if os.path.isfile(path) else None
    if form is None or not form.dim or options.get("subwords"):
        return load_embedding(path, **options)
    words = options.get("words")
    asked = None if words is None else wanted(_as_words(words), options.get("fallbacks"))
    spelling = Spelling(*map(options.get, ("encoding", "errors", "strip")))
    reading = Reading(options.get("limit"), spelling, progress=options.get("progress"))
    read = _read(Path(path), form, asked, reading)
    found = cast("KeyedVectors", WordVectors(read.words, read.vectors))
    remember(found, **read.known)
    return remember_origin(found, reading.facts(path), Path(path))


def _as_words(words: object) -> list[str]:
    if isinstance(words, Iterable) and not isinstance(words, str):
        found = list(words)
        if all(isinstance(word, str) for word in found):
            return found
    if isinstance(words, str):
        raise ArgumentError(
            f"words={words!r}: give a list of words, such as [{words!r}], or those of a word list: "
            f"bb.load_wordlist({words!r}).words"
        )
    if hasattr(words, "words"):
        raise ArgumentError(f"words=: is a {type(words).__name__}; give its words, wordlist.words")
    raise ArgumentError(f"words={words!r}: give a list of words, such as ['he']")


def _from_path(path: Path, asked: Wanted | None, reading: Reading) -> KeyedVectors:
    if not os.path.exists(path):  # Path.exists raises where a name is too long
        refuse_address(path, EmbeddingError)
        raise EmbeddingError(f"{path}: no such file{_downloader_hint(str(path))}")
    facts = reading.facts(path)
    if is_store(path):
        vectors = _from_store(path, asked, reading.limit)
        if reading.spelling.strip is not None:
            vectors = _without_marks(open_store(path), asked, reading)
        return remember_origin(vectors, {**facts, **made_from(path)})
    form = detect_format(path)
    if reading.subwords and form.kind not in ("fasttext", "gensim"):
        raise ArgumentError(_NO_PARTS)
    if form.kind == "gensim":
        found = _from_gensim(path, reading.trusted)
        if reading.subwords:
            return remember_origin(_with_parts(found, asked, reading), facts, path)
        found = found if reading.spelling.strip is None else _without_marks(found, asked, reading)
    elif form.kind == "fasttext":
        found = _from_fasttext(path, asked, reading)
    elif not form.dim:
        words = None if asked is None else asked.all
        table = read_table(path, form.kind, reading.spelling, words)
        found = _from_arrays(*table, asked, reading, f"{path}: ")
    else:
        read = _read(path, form, asked, reading)
        found = keyed_vectors(read.words, read.vectors)
        remember(found, **read.known)
    return remember_origin(found, facts, path)


_NO_PARTS: Final = "subwords=True: goes with a fastText model; leave it out"


def _without_marks(vectors: KeyedVectors, asked: Wanted | None, reading: Reading) -> KeyedVectors:
    return _from_arrays(list(vectors.index_to_key), np.asarray(vectors.vectors), asked, reading)


def _from_fasttext(path: Path, asked: Wanted | None, reading: Reading) -> KeyedVectors:
    """Read a fastText model: the vectors of its vocabulary, with those of parts if asked for."""
    from gensim.models.fasttext import load_facebook_vectors

    try:
        model = load_facebook_vectors(str(require_regular_file(path, EmbeddingError)))
    except EmbeddingError:
        raise
    except Exception as error:  # a damaged file may raise anything at all
        raise EmbeddingError(
            f"{path}: is a fastText model, but damaged, cut short or of a version that gensim "
            f"cannot read; use its .vec file, or fetch it again"
        ) from error
    return _with_parts(model, asked, reading)


def _with_parts(model: KeyedVectors, asked: Wanted | None, reading: Reading) -> KeyedVectors:
    """Return the vectors of a fastText model's vocabulary, with those of parts if asked for."""
    if not hasattr(model, "vectors_ngrams"):
        raise ArgumentError(_NO_PARTS)
    words, matrix = list(model.index_to_key), np.asarray(model.vectors)
    if asked is None or not reading.subwords:
        return _from_arrays(words, matrix, asked, reading)
    known = set(words)
    made = [word for word in sorted(asked.named) if word not in known]
    extra = np.array([model.get_vector(word) for word in made]).reshape(len(made), matrix.shape[1])
    return _from_arrays([*words, *made], np.concatenate([matrix, extra]), asked, reading)


def _from_store(path: Path, asked: Wanted | None, limit: int | None) -> KeyedVectors:
    found = open_store(path, words=None if asked is None else asked.all, limit=limit)
    if asked is None:
        if limit is not None:
            remember(found, sample=lambda: sample_of(open_store(path)))
        return found

    def count() -> Capitals:
        return capital_counts(islice(open_store(path).index_to_key, limit))

    chosen = keyed_vectors(*asked.settled(found.index_to_key, found.vectors, count))
    remember(
        chosen,
        capitals=count,
        sample=lambda: sample_of(open_store(path)),
        ranks=lambda: ranks_in(open_store(path, limit=limit).key_to_index),
    )
    return chosen


def _read(path: Path, form: VectorFormat, asked: Wanted | None, reading: Reading) -> Read:
    words, spare = (None, ()) if asked is None else (asked.named, asked.lower)
    read = read_vectors(path, form, reading, words=words, spare=spare)
    if read.repeated:
        warnings.warn(f"{path}: {said_of_repeats(read.repeated)}", DataWarning, stacklevel=4)
    if not read.words and asked is None:
        raise EmbeddingError(f"{path}: holds no vectors")
    if asked is None:
        return read
    settled = asked.settled(read.words, read.vectors, lambda: read.known["capitals"])
    return read._replace(words=settled[0], vectors=settled[1])


def _downloader_hint(name: str) -> str:
    sizes = {"twitter": (25, 50, 100, 200), "wiki-gigaword": (50, 100, 200, 300)}
    known = [f"glove-{text}-{dim}" for text, dims in sizes.items() for dim in dims]
    known += ["conceptnet-numberbatch-17-06-300", "fasttext-wiki-news-subwords-300"]
    known += ["word2vec-google-news-300", "word2vec-ruscorpora-300"]
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.8)
    return f"; to download it with gensim, write 'gensim:{close[0]}'" if close else ""


def _downloaded(name: str) -> KeyedVectors:
    import gensim.downloader

    # Without a network gensim says that it does not know the name: ask for the catalogue itself.
    try:
        catalogue = gensim.downloader.info()
        offered = {**catalogue["corpora"], **catalogue["models"]}
    except (OSError, ValueError, KeyError) as error:
        raise EmbeddingError(
            f"cannot reach the catalogue of gensim.downloader; check the network, or "
            f"download the file of {name!r} yourself and give its path"
        ) from error
    if name not in catalogue["models"]:
        what = "is a corpus, not vectors" if name in offered else "is not offered"
        raise EmbeddingError(
            f"gensim.downloader: {name!r} {what}{suggest(name, catalogue['models'])}"
        )
    try:
        return gensim.downloader.load(name)
    except (OSError, ValueError) as error:
        raise EmbeddingError(
            f"gensim.downloader could not fetch {name!r}; check the network, or download "
            f"the file yourself and give its path"
        ) from error


def _from_gensim(path: Path, trusted: bool) -> KeyedVectors:
    if not trusted:
        with ByteStream(path, EmbeddingError) as stream:
            is_of_gensim = b"gensim" in stream.read(SNIFFED)
        if not is_of_gensim:
            raise UntrustedFileError(
                f"{path}: is a pickle that gensim did not write, and opening a pickle runs code",
                advice=f"if you trust its maker, {OPEN_IT}",
                typed=SAVE_IT,
            )
        raise UntrustedFileError(
            f"{path}: is a pickle, as gensim's own format is, and opening a pickle runs code; if "
            f"you trust its maker say trusted=True (--trusted), else ask for word2vec format"
        )
    from gensim.utils import SaveLoad

    try:
        # gensim itself opens the file by its name, and the arrays that it wrote beside it.
        for beside in path.parent.glob(f"{glob.escape(path.name)}.*.np[yz]"):
            require_regular_file(beside, EmbeddingError)
        loaded = SaveLoad.load(str(require_regular_file(path, EmbeddingError)))
    except EmbeddingError:
        raise
    except FileNotFoundError as error:
        lacking = Path(error.filename or "").name
        raise EmbeddingError(
            f"{path}: lacks {lacking}, which gensim wrote beside it; copy both into one folder"
        ) from error
    except Exception as error:  # unpickling may raise anything at all
        raise EmbeddingError(
            f"{path}: is a pickle, but gensim cannot open it: another package wrote it, or a "
            f"version of gensim that is too old",
            advice=OPEN_IT,
            typed=SAVE_IT,
        ) from error
    vectors = getattr(loaded, "wv", loaded)
    if not hasattr(vectors, "key_to_index"):
        raise EmbeddingError(
            f"{path}: holds a {type(loaded).__name__}, not word vectors",
            advice=OPEN_IT,
            typed=SAVE_IT,
        )
    return vectors


def _from_arrays(
    words: list[str],
    vectors: ArrayLike | list[ArrayLike],
    asked: Wanted | None,
    reading: Reading,
    where: str = "",
) -> KeyedVectors:
    for word in words:
        if not isinstance(word, str):
            raise EmbeddingError(f"{short(word)} is not a text; words must be texts")
    words = list(map(str, words))  # numpy has texts of its own
    if isinstance(vectors, list):
        _refuse_ragged(words, vectors)
    if hasattr(vectors, "toarray"):
        raise EmbeddingError("the matrix is sparse; give its dense form, matrix.toarray()")
    try:
        matrix = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise EmbeddingError("the vectors are not numbers") from error
    if matrix.ndim != 2 or len(matrix) != len(words) or matrix.size == 0:
        raise EmbeddingError(
            f"{len(words)} words need a matrix of shape ({len(words)}, dimension), "
            f"not {matrix.shape}"
        )
    words, matrix = _first_of_each(words, matrix, reading.spelling, where)
    whole, limit = (words, matrix), reading.limit
    words, matrix = words[:limit], matrix[:limit]
    if asked is None:
        return keyed_vectors(words, matrix)
    capitals = capital_counts(words)
    kept = [i for i, word in enumerate(words) if word in asked.all]
    chosen = asked.settled([words[i] for i in kept], matrix[kept], lambda: capitals)
    found = keyed_vectors(*chosen)
    remember(
        found,
        capitals=capitals,
        sample=sample_from(whole[0], lambda place, _: whole[1][place]),
        near=spellings_among(words, asked.named),
        ranks=ranks_in({word: place for place, word in enumerate(words)}),
    )
    return found


def _first_of_each(
    words: list[str], matrix: NDArray[np.float32], spelling: Spelling, where: str
) -> tuple[list[str], NDArray[np.float32]]:
    """Return distinct words, without the mark, and their first vectors; say which came again."""
    if spelling.strip is not None and not any(map(spelling.bears, words)):
        raise EmbeddingError(f"{where}{spelling.no_mark()}")
    first: dict[str, int] = {}
    repeated = []
    for place, word in enumerate(words):
        bare = spelling.of(word)
        if (bare or spelling.strip is None) and first.setdefault(bare, place) != place:
            repeated.append(bare)
    if repeated:
        warnings.warn(f"{where}{said_of_repeats(repeated)}", DataWarning, stacklevel=5)
    lacking = [word for word, place in first.items() if word == words[place]]
    if lacking and spelling.strip is not None:
        warnings.warn(f"{where}{spelling.bare(lacking)}", DataWarning, stacklevel=5)
    if list(first) == words:
        return words, matrix
    return list(first), matrix[list(first.values())]


def _refuse_ragged(words: list[str], vectors: list[ArrayLike]) -> None:
    lengths = [np.size(vector) for vector in vectors]
    for word, length in zip(words, lengths, strict=False):
        if length != lengths[0]:
            raise EmbeddingError(
                f"{short(word)} has {length} numbers where {short(words[0])} has {lengths[0]}"
            )


def example_embedding() -> KeyedVectors:
    """Return real word vectors: the part of GloVe 840B that belongs to the shipped word lists.

    Returns
    -------
    gensim.models.KeyedVectors
        1,311 words in 300 dimensions, rounded to 8 bits a number. Of the gender list all 14
        protected words, 18 of 25 stereotypes, 59 of 85 human and 76 of 226 neutral words are in it.

    Notes
    -----
    From GloVe (Pennington, Socher and Manning 2014), trained on 840 billion tokens of Common Crawl;
    Public Domain Dedication and License. For examples, not for results:
    ``shipped_vectors/README.md`` says how the file was made and what it lacks.

    Examples
    --------
    >>> len(example_embedding())
    1311
    """
    return load_shipped(load_embedding)


def load_shipped(load: "Callable[[str], KeyedVectors]") -> KeyedVectors:
    """Load the file of these vectors with `load_embedding` or `load_words`."""
    place = files("bayesbias.vectors") / "shipped_vectors" / "glove-840b-list-words.bin.gz"
    with as_file(place) as path:
        return load(str(path))
