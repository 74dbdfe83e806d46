"""Which records of a source stay: those of the words that are asked for, or all, and a sample.

Every source becomes blocks of records. Of wanted words only the vectors are parsed, with those of
the source's first words for its sample; others are passed by. gensim reads files of word2vec too,
but keeps every word, and its errors name no place.
"""

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, DataWarning, EmbeddingError, one_of, short
from bayesbias.support.arguments import KeyedVectors, whole_number
from bayesbias.vectors.lookup import keyed_vectors, remember, spellings
from bayesbias.vectors.samples import Sampler

Vectors = NDArray[np.float32]

NOT_FINITE: Final = "has a component that is no finite number; repair or drop it"
_REPEATED: Final = "an earlier vector has the same word"
_NO_TEXT: Final = "the word is empty or not UTF-8 (if not, say encoding='latin-1')"


@dataclass
class Reading:
    """How a source is read; see `load_embedding`."""

    words: Iterable[str] | None = None
    limit: int | None = None
    encoding: str | None = None
    strip_accents: bool = False
    word_column: str | None = None
    vector_column: str | Sequence[str] | None = None
    context_column: str | None = None
    # The spellings that are looked for, and whether only in lower case; None if all are.
    spellings: dict[str, bool] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.limit is not None:
            whole_number(self.limit, "limit", "vectors", least=1)
        if self.encoding is not None:
            one_of(self.encoding, "encoding", ("utf-8", "latin-1"))
        if self.words is None:
            return
        is_list = isinstance(self.words, Iterable) and not isinstance(self.words, str)
        words: tuple[Any, ...] = tuple(dict.fromkeys(self.words)) if is_list else (None,)
        if not all(isinstance(word, str) and word.strip() for word in words):
            raise ArgumentError(
                f"words={short(self.words)}: give a list of words, such as ['he'], or those of a "
                f"word list: bb.load_wordlist(…).words"
            )
        self.words, self.spellings = words, {}
        for forms in (spellings(word, self.strip_accents) for word in words):
            for form, is_lower in forms.items():
                self.spellings[form] = is_lower and self.spellings.get(form, True)


class Block(NamedTuple):
    """Records that follow each other, or the rows of a table.

    Their words, "" where bytes are no text; what makes the vectors of some, NaN where they are not
    sound; what says why one is not, and where it stands; of a table the contexts that words stand
    in, and what was passed over.
    """

    words: Sequence[str]
    vectors_of: Callable[[Sequence[int]], Vectors]
    explain: Callable[[int], str] = lambda k: NOT_FINITE
    place: Callable[[int], str] = lambda k: f"row {k + 1:,}"
    contexts: Sequence[str] | None = None
    note: str = ""


def select(blocks: Iterable[Block], how: Reading, where: str = "") -> KeyedVectors:
    """Return the vectors of the words that are asked for, or of all, and note what is odd.

    Reading stops when all words and the source's sample are there; spellings in lower case are kept
    if they were passed till then. A limit is one of words, not of the sample.
    """
    forms, index, matrix = how.spellings, dict[str, None](), np.empty((0, 0), np.float32)
    missing = {form for form, is_lower in (forms or {}).items() if not is_lower}
    # Where words of the source are left out, a sample stands for them.
    sampler = None if how.words is None and how.limit is None else Sampler()
    notes, left_out = list[str](), defaultdict[str, list[str]](list)
    n_passed = n_capitalised = 0
    for block in blocks:
        words = block.words if how.limit is None else block.words[: how.limit - n_passed]
        wanted = [k for k, word in enumerate(words) if forms is None or word in forms or not word]
        sampled: list[int] = []
        if sampler is not None:
            sampled = sampler.choose(block.words)
            n_capitalised += sum(word != word.lower() for word in words)
        n_passed += len(words)
        notes += filter(None, [block.note])
        if rows := sorted({*sampled, *wanted}) if sampled else wanted:
            vectors = block.vectors_of(rows)
            if sampler is not None:
                sampler.vectors.append(vectors[np.searchsorted(rows, sampled)])
            vectors = vectors[np.searchsorted(rows, wanted)] if sampled else vectors
            is_sound = np.asarray(np.isfinite(vectors).all(axis=1)).tolist()
            stay = []
            for row, k in enumerate(wanted):
                word = words[k]
                if word and not is_sound[row]:
                    raise EmbeddingError(f"{block.place(k)} ({short(word)}) {block.explain(k)}")
                if word and word not in index:
                    index[word] = None
                    missing.discard(word)
                    stay.append(row)
                else:
                    left_out[_REPEATED if word else _NO_TEXT].append(word[:40] or block.place(k))
            if len(index) > len(matrix):  # it grows where it is, so that it is never there twice
                matrix.resize((len(index) * 5 // 4, vectors.shape[1]), refcheck=False)
            if stay:
                matrix[len(index) - len(stay) : len(index)] = vectors[stay]
        is_enough = n_passed == how.limit or not (forms is None or missing)
        if is_enough and sampler is not None and sampler.done:
            break
    if how.words is None and not index:
        raise EmbeddingError("holds no vectors")
    for why, odd in left_out.items():
        shown = ", ".join([*dict.fromkeys(odd[:5]), *["…"] * (len(odd) > 5)])
        notes.append(f"{len(odd):,} left out, since {why}: {shown}")
    for note in notes:
        warnings.warn(f"{where}{note}", DataWarning, stacklevel=3)
    matrix.resize((len(index), matrix.shape[1]), refcheck=False)
    vectors = keyed_vectors(list(index), matrix)
    remember(vectors, limit=how.limit)
    if sampler is not None:
        remember(vectors, sample=sampler.sample, capitals=(n_capitalised, n_passed))
    return vectors


def is_number(field: Any) -> bool:
    """Tell whether bytes or a text are a number."""
    try:
        float(field)
    except (TypeError, ValueError):
        return False
    return True


def as_floats(column: pa.Array) -> Vectors:
    """Return numbers (n,), or texts of them; NaN where a cell is none."""
    try:  # Arrow parses decimals exactly as Python does, in a quarter of the time
        numbers = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    except pa.ArrowException:
        cells = column.to_pylist()
        numbers = np.array([float(cell) if is_number(cell) else np.nan for cell in cells])
    with np.errstate(over="ignore"):  # a number too large becomes infinite, and is refused
        return np.asarray(numbers, dtype=np.float32)


def matrix_of(column: pa.Array, dim: int = 0) -> Vectors:
    """Return the matrix (n, dim) of lists or texts of numbers; NaN where one has another length."""
    if pa.types.is_string(column.type):
        fields = pc.ascii_split_whitespace(pc.ascii_trim_whitespace(column))
        column = pa.ListArray.from_arrays(fields.offsets, pa.array(as_floats(fields.values)))
    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
    dim = dim or max(int(np.bincount(lengths).argmax()), 1)  # that most of them have
    matrix = np.full((len(column), dim), np.nan, dtype=np.float32)
    fits = lengths == dim
    matrix[fits] = as_floats(column.filter(pa.array(fits)).flatten()).reshape(-1, dim)
    return matrix
