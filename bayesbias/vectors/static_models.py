"""Static models: tables of vectors with a vocabulary beside, of which only what is asked is made.

fastText's ``.bin`` has a vector for every word and for parts of words: a word's vector is the mean
of its own and its parts' (Bojanowski et al. 2017, section 3.2). Model2Vec has one for every token
of a tokenizer. numpy's arrays stand with their words.
"""

import io
import json
import mmap
import struct
import zipfile
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import EmbeddingError
from bayesbias.support.bounded_files import (
    MOST_EXPANSION,
    open_regular,
    read_json,
    read_text,
    require_regular_file,
)
from bayesbias.vectors.formats import LONGEST_WORD
from bayesbias.vectors.lookup import spellings
from bayesbias.vectors.records import Block, Reading, note
from bayesbias.vectors.tables import block_of

IN_FOLDERS: Final = ("vectors.npy", "model.safetensors", "0_StaticEmbedding/model.safetensors")
"""Files whose folder may be named in their place."""

_DTYPES: Final = {
    **{"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"},
    **{"I8": "i1", "U8": "u1", "I32": "<i4", "I64": "<i8"},
}


def _damaged(path: Path, what: str) -> EmbeddingError:
    return EmbeddingError(f"{path}: is damaged or cut short ({what[:150]}); fetch it again")


def read_fasttext(path: Path, how: Reading) -> Block:
    """Return the vectors of a fastText model's words; only their rows are taken from the disk."""
    from gensim.models.fasttext_inner import compute_ngrams_bytes, ft_hash_bytes

    with (
        open_regular(path, EmbeddingError) as stream,
        mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content,
    ):
        words, shape, lengths, at = _fasttext_head(path, content)
    matrix = np.memmap(require_regular_file(path, EmbeddingError), "<f4", "r", at, shape)
    bucket = shape[0] - len(words)

    def vector(k: int) -> NDArray[np.float32]:
        parts = compute_ngrams_bytes(words[k], *lengths) if words[k] != "</s>" and bucket else []
        rows = [k, *(len(words) + ft_hash_bytes(part) % bucket for part in parts)]
        return np.asarray(matrix[rows].mean(axis=0))

    return Block(words, lambda some: np.array([vector(k) for k in some]).reshape(-1, shape[1]))


def _fasttext_head(
    path: Path, content: mmap.mmap
) -> tuple[list[str], tuple[int, int], tuple[int, int], int]:
    """Return the words, the matrix's shape, shortest and longest part, and the matrix's place."""
    words: list[str] = []
    try:
        _, version, dim, *_, bucket, shortest, longest, _ = struct.unpack_from("<14i", content)
        size, n_words, _, _, n_pruned = struct.unpack_from("<3i2q", content, 64)
        at = 92
        for _ in range(size):
            end = content.find(b"\0", at, at + LONGEST_WORD)
            count, kind = struct.unpack_from("<qb", content, end + 1)
            if end <= at or count < 0 or kind not in (0, 1):
                raise _damaged(path, f"in word {len(words) + 1:,} of its vocabulary")
            words += [content[at:end].decode("utf-8", "replace")] if kind == 0 else []
            at = end + 10
        is_quantised, rows, columns = struct.unpack_from("<?2q", content, at)
        if is_quantised or n_pruned > 0 or version != 12:
            raise EmbeddingError(f"{path}: is a quantised or old fastText model; use its .vec file")
        sound = columns == dim > 0 <= bucket and 0 <= shortest <= longest <= LONGEST_WORD
        if not (sound and rows == n_words + bucket and n_words == len(words)):
            raise _damaged(path, "its sizes contradict each other")
        end = at + 17 + 4 * rows * dim
        _, n_out, dim_out = struct.unpack_from("<?2q", content, end)  # of the output layer
    except (struct.error, OverflowError) as error:
        raise _damaged(path, f"in or after word {len(words):,} of its vocabulary") from error
    if end + 17 + 4 * n_out * dim_out > len(content):
        raise _damaged(path, f"it has fewer than the {rows + n_out:,} vectors that it promises")
    return words, (rows, dim), (shortest, longest), at + 17


def read_safetensors(path: Path, how: Reading) -> Block:
    """Return the vectors of a static model's tokens that are whole words."""
    beside = path.parent / "tokenizer.json"
    if not beside.is_file():
        raise EmbeddingError(f"{path}: has no words; put its tokenizer.json beside it")
    try:
        vocabulary = read_json(beside, EmbeddingError)["model"]["vocab"]
        if isinstance(vocabulary, list):  # Unigram: tokens with their scores
            vocabulary = {token: k for k, (token, _) in enumerate(vocabulary)}
        tokens = {str(token): int(k) for token, k in vocabulary.items() if token}
        tensors = _tensors(path)
        (matrix,) = (tensor for tensor in tensors.values() if tensor.ndim == 2)
        rows = tensors.get("mapping", np.arange(len(matrix))).astype(np.intp)
        matrix = matrix[rows] * tensors.get("weights", np.ones(len(rows)))[: len(rows), None]
        whole = whole_words(tokens)
        vectors = matrix[list(whole.values())].astype(np.float32)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, OverflowError) as error:
        what = f"it or {beside.name} is no table of tokens: {type(error).__name__}: {error}"
        raise _damaged(path, what) from error
    if absent := [w for w in how.words or () if whole.keys().isdisjoint(spellings(w))]:
        what = f"{len(absent):,} words such as {absent[0]!r} are no single token and count as "
        note("", f"{what}missing; to have the mean of their tokens, give model2vec's StaticModel")
    return Block(list(whole), vectors.__getitem__)


def _tensors(path: Path) -> dict[str, NDArray[Any]]:
    """Read tensors: the length of a JSON record, the record, and the bytes that it describes."""
    with open_regular(path, EmbeddingError) as stream:
        content = stream.read()
    start = 8 + int.from_bytes(content[:8], "little")
    tensors = {}
    for name, about in json.loads(content[8:start]).items():
        if name != "__metadata__":
            begin, end = about["data_offsets"]
            kind = np.dtype(_DTYPES[about["dtype"]])
            array = np.frombuffer(content, kind, (end - begin) // kind.itemsize, start + begin)
            if about["dtype"] == "BF16":  # the upper half of a float32
                array = (array.astype("<u4") << 16).view("<f4")
            tensors[name.rpartition(".")[2]] = array.reshape(about["shape"])
    return tensors


def whole_words(tokens: dict[str, int]) -> dict[str, int]:
    """Return the tokens that are whole words, without the mark of a word's beginning."""
    ordered = sorted(tokens, key=tokens.__getitem__)
    for mark in ("Ġ", "▁"):  # byte-level BPE, and SentencePiece
        marked = [token for token in ordered if token.startswith(mark)]
        if len(marked) > len(ordered) / 10:
            return {token[1:]: tokens[token] for token in marked if token != mark}
    return {token: tokens[token] for token in ordered if not token.startswith("##")}


def read_npz(path: Path, how: Reading) -> Block:
    """Read the one array of words and the one matrix of an archive."""
    advice = "save np.savez(file, words=np.array(words, dtype=str), vectors=matrix)"
    try:
        with open_regular(path, EmbeddingError) as stream, zipfile.ZipFile(stream) as members:
            unpacked = sum(member.file_size for member in members.infolist())
            if unpacked > MOST_EXPANSION * stream.seek(0, io.SEEK_END):
                raise ValueError(f"it unpacks to more than {MOST_EXPANSION} times its size")
            stream.seek(0)
            arrays = list(np.load(stream, allow_pickle=False).values())
    except Exception as error:  # a damaged archive may raise anything at all
        why = "its words are Python objects, a pickle" if "pickle" in str(error) else error
        raise EmbeddingError(f"{path}: cannot be read as arrays ({why}); {advice}") from error
    texts = [array for array in arrays if array.dtype.kind in "US" and array.ndim == 1]
    matrices = [array for array in arrays if array.dtype.kind in "fiu" and array.ndim == 2]
    if len(texts) == len(matrices) == 1:
        is_bytes = texts[0].dtype.kind == "S"
        words = np.char.decode(texts[0], "utf-8", "replace") if is_bytes else texts[0]
        return block_of(words.tolist(), matrices[0], f"{path}: ")
    shapes = ", ".join(str(array.shape) for array in arrays[:5])
    what = f"one array of words and one matrix with a row for each, not {shapes}"
    raise EmbeddingError(f"{path}: needs {what}; {advice}")


def read_npy(path: Path, how: Reading) -> Block:
    """Map a matrix into memory, whose words stand in ``words.txt`` beside it, one a line."""
    beside = path.parent / "words.txt"
    if not beside.is_file():
        raise EmbeddingError(
            f"{path}: is an array of numpy's, without words; put them into words.txt beside it, "
            f"one a line, or call bb.load_embedding((words, matrix))"
        )
    words = read_text(beside, EmbeddingError).replace("\r\n", "\n").rstrip("\n").split("\n")
    try:  # only the rows that are looked up come from the disk
        matrix = np.load(require_regular_file(path, EmbeddingError), "r", allow_pickle=False)
    except Exception as error:  # a damaged header may raise anything at all
        raise EmbeddingError(f"{path}: is no sound array of numbers; save it again") from error
    return block_of(words, matrix, f"{path}, words in {beside.name}: ")


READERS: Final = {
    "fasttext": read_fasttext,
    "safetensors": read_safetensors,
    "npz": read_npz,
    "npy": read_npy,
}


def of_spacy(nlp: Any) -> Block:
    """Return the vectors that a spaCy pipeline or vocabulary has of its words.

    Of floret those of its strings: made of parts of words, it has one of whatever is asked for.
    """
    vocab = getattr(nlp, "vocab", nlp)
    table, strings = vocab.vectors, vocab.strings
    keys = [] if getattr(table, "mode", "") == "floret" else table.keys()
    listed = [strings[key] for key in keys if key in strings] or list(strings)
    words = [w for w in dict.fromkeys(listed) if vocab.vectors_length and vocab.has_vector(w)]
    if not words:
        raise EmbeddingError(
            "this spaCy vocabulary has no vectors; use a pipeline with, as md or lg"
        )
    return Block(words, lambda some: np.array([vocab.get_vector(words[k]) for k in some], "f4"))
