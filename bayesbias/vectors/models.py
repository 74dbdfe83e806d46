"""Models that make vectors of words, of which only what is asked is made.

fastText's ``.bin`` has a vector for every word and for parts of words: a word's vector is the mean
of its own and its parts' (Bojanowski et al. 2017, section 3.2). Model2Vec has one for every token
of a tokenizer. A model of sentences makes one of the word alone, or the mean over templates.
"""

import json
import mmap
import re
import struct
import warnings
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, DataWarning, EmbeddingError
from bayesbias.support.arguments import KeyedVectors
from bayesbias.support.bounded_files import open_regular, read_json
from bayesbias.support.machine import tracked
from bayesbias.vectors.formats import LONGEST_WORD
from bayesbias.vectors.lookup import keyed_vectors, remember
from bayesbias.vectors.records import Block, Reading
from bayesbias.vectors.samples import FEWEST, POOL, Sample, is_word, sample_of

_SLOT: Final = "{}"  # where the word goes in a template
_BATCH: Final = 64  # how many texts go through a model together
_ENCODED: Final = 2000  # words of a model's sample: many more take longer than the list itself

SEAT_TEMPLATES: Final = (
    *("This is {}.", "That is {}.", "There is {}.", "Here is {}."),
    *("{} is here.", "{} is there."),
)
"""Sentences that say next to nothing of the word ("semantically bleached"), of the kind that SEAT
puts words in: May, Wang, Bordia, Bowman and Rudinger (2019), On Measuring Social Biases in Sentence
Encoders. Their files write them out word by word, with articles where nouns need one."""

_ENTRY: Final = re.compile(rb"([^\0]{1,%d})\0.{7}[\0-\x7f]([\0\1])" % LONGEST_WORD, re.DOTALL)
"""A word of fastText's vocabulary, its count, and whether it is a label."""


def read_fasttext(path: Path) -> Block:
    """Return the vectors of a fastText model's words; only their rows are taken from the disk."""
    from gensim.models.fasttext_inner import compute_ngrams_bytes, ft_hash_bytes

    with open_regular(path, EmbeddingError) as stream:
        content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    _, version, dim, *_, bucket, shortest, longest, _ = struct.unpack_from("<14i", content)
    size, n_words, _, _, n_pruned = struct.unpack_from("<3i2q", content, 64)
    words, at = list[str](), 92
    for _ in range(size):
        if (entry := _ENTRY.match(content, at)) is None:
            raise ValueError(f"in word {len(words) + 1:,} of its vocabulary")
        words += [entry[1].decode("utf-8", "replace")] if entry[2] == b"\0" else []
        at = entry.end()
    is_quantised, rows, columns = struct.unpack_from("<?2q", content, at)
    if is_quantised or n_pruned > 0 or version != 12:
        raise EmbeddingError("is a quantised or old fastText model; use its .vec file")
    sound = columns == dim > 0 <= bucket and 0 <= shortest <= longest <= LONGEST_WORD
    if not (sound and rows == n_words + bucket and n_words == len(words)):
        raise ValueError("its sizes contradict each other")
    end = at + 17 + 4 * rows * dim
    _, n_out, dim_out = struct.unpack_from("<?2q", content, end)  # of the output layer
    if end + 17 + 4 * n_out * dim_out > len(content):
        raise ValueError(f"it has fewer than the {rows + n_out:,} vectors that it promises")
    matrix = np.frombuffer(content, "<f4", rows * dim, at + 17).reshape(rows, dim)

    def vector(k: int) -> NDArray[np.float32]:
        has_parts = bucket and words[k] != "</s>"
        parts = compute_ngrams_bytes(words[k], shortest, longest) if has_parts else []
        used = [k, *(n_words + ft_hash_bytes(part) % bucket for part in parts)]
        return np.asarray(matrix[used].mean(axis=0))

    return Block(words, lambda some: np.array([vector(k) for k in some]).reshape(-1, dim))


def read_safetensors(path: Path) -> Block:
    """Return the vectors of a static model's tokens that are whole words."""
    beside = path.parent / "tokenizer.json"
    if not beside.is_file():
        raise EmbeddingError("has no words; put its tokenizer.json beside it")
    vocabulary = read_json(beside, EmbeddingError)["model"]["vocab"]
    if isinstance(vocabulary, list):  # Unigram: tokens with their scores
        vocabulary = {token: k for k, (token, _) in enumerate(vocabulary)}
    whole = whole_words({str(token): int(k) for token, k in vocabulary.items() if token})
    with open_regular(path, EmbeddingError) as stream:
        content = stream.read()
    # The length of a JSON record, the record, and the bytes of the tensors that it describes.
    start, tensors = 8 + int.from_bytes(content[:8], "little"), {}
    record = json.loads(content[8:start])
    record.pop("__metadata__", None)
    for name, about in record.items():
        letter, bits = about["dtype"][0].lower(), int(about["dtype"][1:])  # as in "F32" or "I8"
        begin, end = about["data_offsets"]
        n = 8 * (end - begin) // bits
        array = np.frombuffer(content, f"<{letter}{bits // 8}", n, start + begin)
        tensors[name.rpartition(".")[2]] = array.reshape(about["shape"])
    (matrix,) = (tensor for tensor in tensors.values() if tensor.ndim == 2)
    rows = tensors.get("mapping", np.arange(len(matrix))).astype(np.intp)
    matrix = matrix[rows] * tensors.get("weights", np.ones(len(rows)))[: len(rows), None]
    return Block(list(whole), matrix[list(whole.values())].astype(np.float32).__getitem__)


def whole_words(tokens: dict[str, int]) -> dict[str, int]:
    """Return the tokens that are whole words, without the mark of a word's beginning."""
    ordered = sorted(tokens, key=tokens.__getitem__)
    for mark in ("Ġ", "▁"):  # byte-level BPE, and SentencePiece
        marked = [token for token in ordered if token.startswith(mark)]
        if len(marked) > len(ordered) / 10:
            return {token[1:]: tokens[token] for token in marked if token != mark}
    return {token: tokens[token] for token in ordered if not token.startswith("##")}


def of_spacy(nlp: Any) -> Block:
    """Return the vectors that a spaCy pipeline or vocabulary has of its words."""
    vocab = getattr(nlp, "vocab", nlp)
    # floret makes a vector of whatever is asked for, of its parts: its words are the strings.
    table, strings = vocab.vectors, vocab.strings
    keys = [] if getattr(table, "mode", "") == "floret" else table.keys()
    listed = [strings[key] for key in keys if key in strings] or list(strings)
    words = [w for w in dict.fromkeys(listed) if vocab.vectors_length and vocab.has_vector(w)]
    if not words:
        raise EmbeddingError("this spaCy vocabulary has no vectors; use a pipeline as md or lg")
    return Block(words, lambda some: np.array([vocab.get_vector(words[k]) for k in some], "f4"))


def encode(
    words: Iterable[str], model: Any, *, templates: Sequence[str] = (_SLOT,)
) -> KeyedVectors:
    """Have a model of sentences make the vectors of words.

    Parameters
    ----------
    words : iterable of str
        Words and phrases; repeats count once.
    model : str, Path, SentenceTransformer or callable
        A model of sentence-transformers, its name or folder (needs the extra of that name; what is
        not in the cache is fetched over the network), or a function from a list of texts to an
        array with a row for each.
    templates : sequence of str
        Such as ``["This is {}."]``, each with exactly one ``{}``: a word's vector is the mean over
        them. By default the word alone.

    Returns
    -------
    gensim.models.KeyedVectors
        A vector in float32 for each word; zero where the model made zeros or, with a warning, NaN,
        so that `distances` counts the word as missing.

    Raises
    ------
    ArgumentError, EmbeddingError
        If a template has no ``{}``, or the model is none, is not there, or makes no row for a text.

    Examples
    --------
    >>> def letters(texts):  # stands for a model: the numbers of a few letters
    ...     return [[text.count(letter) for letter in "aehnost"] for text in texts]
    >>> encode(["he", "she"], letters)["she"].tolist()
    [0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0]
    """
    if not (listed := list(Reading(words).words or ())):
        raise ArgumentError("words=: say for which words to make vectors, such as wl.words")
    refuse_unusable_templates(templates)
    model = _loaded(model)
    function = getattr(model, "encode", model)
    if not callable(function):
        raise ArgumentError(
            f"model is a {type(model).__name__}; give a SentenceTransformer, its name or a function"
        )

    def vectors_of(some: Sequence[str]) -> NDArray[np.float32]:
        texts = [template.replace(_SLOT, word) for word in some for template in templates]
        batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
        arrays = []
        for batch in tracked(batches, "encoding", None):
            arrays.append(np.asarray(function(batch), dtype=np.float32))
            if arrays[-1].ndim != 2 or len(arrays[-1]) != len(batch):
                what = f"an array of shape {arrays[-1].shape} of {len(batch)} texts"
                raise EmbeddingError(f"the model made {what}; it must make one row for each")
        rows = np.concatenate(arrays).astype(np.float64).reshape(len(some), len(templates), -1)
        return np.asarray(rows.mean(axis=1), dtype=np.float32)

    def sample() -> Sample:  # which only distances ask for: the words among a model's tokens
        tokens = getattr(getattr(model, "tokenizer", None), "get_vocab", dict[str, int])()
        # A table of tokens is read as fast as its file is, and has to have the same sample.
        most = POOL if hasattr(model, "embedding") else _ENCODED
        common = [word for word in whole_words(tokens) if is_word(word)][:most]
        enough = len(common) >= FEWEST
        return sample_of(keyed_vectors(common, vectors_of(common))) if enough else Sample()

    matrix = vectors_of(listed)
    bad = np.flatnonzero(~np.isfinite(matrix).all(axis=1))
    if bad.size:
        named = ", ".join(repr(listed[k]) for k in bad[:5])
        what = f"NaN or infinite components of {bad.size:,} words ({named}), which count as missing"
        warnings.warn(f"the model made {what}", DataWarning, stacklevel=2)
        matrix[bad] = 0.0
    vectors = keyed_vectors(listed, matrix)
    remember(vectors, sample=sample)
    return vectors


def refuse_unusable_templates(templates: Sequence[str]) -> None:
    """Refuse what is no list of texts with one place for the word."""
    if isinstance(templates, str) or not len(templates):
        raise ArgumentError(f'templates={templates!r}: give a list, such as ["This is a {{}}."]')
    for template in templates:
        if not isinstance(template, str) or template.count(_SLOT) != 1:
            raise ArgumentError(f"templates: {template!r} must have exactly one {{}}, for the word")


def _loaded(model: Any) -> Any:
    """Return a model of sentences, which may be named."""
    if not isinstance(model, str | Path):
        return model
    try:
        return import_module("sentence_transformers").SentenceTransformer(str(model))
    except ImportError as error:
        needed = "sentence_transformers: pip install 'bayesbias[sentence-transformers]'"
        raise ArgumentError(f"{model}: this needs {needed}") from error
    except (OSError, ValueError) as error:
        what = "cannot be loaded; check the name or folder, and the network"
        raise EmbeddingError(f"{model}: {what}") from error
