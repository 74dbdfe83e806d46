"""Reads vectors block by block: those of a source's words, or of the words that are asked for.

Every source becomes blocks of records. Of wanted words only the vectors are parsed, with those of
the source's first words for its sample; others are passed by their first bytes. gensim reads text
and word2vec's binary too, but keeps every word, and its errors name no place.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, DataWarning, EmbeddingError, short
from bayesbias.support.arguments import KeyedVectors, whole_number
from bayesbias.support.bounded_files import CHUNK, ByteStream
from bayesbias.vectors.formats import BOM, LONGEST_WORD, SNIFFED, VectorFormat, is_number
from bayesbias.vectors.lookup import all_spellings, keyed_vectors
from bayesbias.vectors.samples import Sampler
from bayesbias.vectors.sources import count_capitalised, remember

Vectors = NDArray[np.float32]

_LONGEST_NUMBER: Final = 64  # bytes of a number as text: float64 in full takes 25
_FEWEST_LENGTHS: Final = 10  # of which a median is taken
_EXPLODED: Final = 1e4
"""Times the median length beyond which a vector is bytes that were read as the wrong numbers."""

_NOT_FINITE: Final = "has a component that is no finite number; repair or drop it"
_SHIFTED: Final = (
    "has NaN, infinity, or a length that no training gives: the file is damaged there or before; "
    "fetch it again, or drop the vector"
)


@dataclass(frozen=True)
class Reading:
    """How a source is read; see `load_embedding`."""

    words: tuple[str, ...] | None = None
    limit: int | None = None
    encoding: str | None = None
    trusted: bool = False
    strip_accents: bool = False
    word_column: str | None = None
    vector_column: str | Sequence[str] | None = None
    context_column: str | None = None
    progress: bool | None = None

    def __post_init__(self) -> None:
        if self.limit is not None:
            whole_number(self.limit, "limit", "vectors", least=1)
        try:
            "a".encode(self.encoding or "utf-8")
        except (LookupError, TypeError, ValueError):
            what = f"encoding={self.encoding!r}: is not known; give one such as 'latin-1'"
            raise ArgumentError(what) from None

    @cached_property
    def spellings(self) -> dict[str, bool] | None:
        """The spellings that are looked for, and whether only in lower case; None if all are."""
        return None if self.words is None else all_spellings(self.words, self.strip_accents)

    @property
    def is_partial(self) -> bool:
        """Whether words of the source are left out, so that a sample stands for them."""
        return self.words is not None or self.limit is not None


class Block(NamedTuple):
    """Records that follow each other, or the rows of a table.

    Their words, "" where bytes are no text; what makes the vectors of some, NaN where they are not
    sound; what says why one is not sound; the name and numbers of their places; and of a table the
    contexts that words stand in.
    """

    words: Sequence[str]
    vectors_of: Callable[[Sequence[int]], Vectors]
    explain: Callable[[int], str] = lambda k: _NOT_FINITE
    unit: str = "row"
    numbers: Sequence[int] = ()
    contexts: Sequence[str] | None = None

    def place(self, k: int) -> str:
        """Return where a record stands."""
        return f"{self.unit} {self.numbers[k] if self.numbers else k + 1:,}"


def note(where: str, text: str) -> None:
    """Warn of something that was passed over."""
    warnings.warn(f"{where}{text}", DataWarning, stacklevel=6)


def select(blocks: Iterable[Block], how: Reading, where: str) -> KeyedVectors:
    """Return the vectors of the words that are asked for, or of all.

    Reading stops when all words and the source's sample are there; spellings in lower case are kept
    if they were passed till then. A limit is one of words, not of the sample.
    """
    selection = _Selection(how, where)
    for block in blocks:
        selection.take(block)
        if selection.is_complete:
            break
    return selection.vectors()


class _Selection:
    """The records of a source as they pass: those that stay, the sample, and what is odd."""

    def __init__(self, how: Reading, where: str) -> None:
        self.how, self.where, self.spellings = how, where, how.spellings
        self.missing = {form for form, is_lower in (how.spellings or {}).items() if not is_lower}
        self.sampler = Sampler()
        self.n_passed = self.n_capitalised = 0
        self.words: dict[str, None] = {}
        self.matrix: Vectors = np.empty((0, 0), np.float32)
        self.without_text: list[str] = []
        self.damaged: list[str] = []
        self.repeated: list[str] = []

    @property
    def is_complete(self) -> bool:
        """Whether nothing of what follows is needed."""
        is_enough = self.spellings is not None and not self.missing
        is_enough |= self.how.limit is not None and self.n_passed == self.how.limit
        return is_enough and self.sampler.done

    def take(self, block: Block) -> None:
        """Pass records; parse and keep those of wanted words and of the sample."""
        words, forms, limit = block.words, self.spellings, self.how.limit
        n = len(words) if limit is None else min(len(words), limit - self.n_passed)
        self.n_passed += n
        rows: Sequence[int] = range(n)
        if forms is not None:
            rows = [k for k in rows if words[k] in forms or not words[k]]
        sampled: set[int] = set()
        if self.how.is_partial:
            self.n_capitalised += count_capitalised(words[:n])
            sampled.update(self.sampler.choose(words))
            rows = sorted(sampled.union(rows))
        if not rows:
            return
        matrix = block.vectors_of(rows)
        is_sound: list[bool] = np.asarray(np.isfinite(matrix).all(axis=1)).tolist()
        stay = []
        for row, k in enumerate(rows):
            if k in sampled and is_sound[row]:
                self.sampler.add(words[k], matrix[row])
            if k < n and self._keeps(block, k, is_sound[row]):
                stay.append(row)
        end = len(self.words)
        if end > len(self.matrix):  # it grows where it is, so that at no time it is there twice
            self.matrix.resize((end + end // 4, matrix.shape[1]), refcheck=False)
        if stay:
            self.matrix[end - len(stay) : end] = matrix[stay]

    def _keeps(self, block: Block, k: int, is_sound: bool) -> bool:
        """Tell whether a vector stays; note why not."""
        word = block.words[k]
        is_wanted = self.spellings is None or word in self.spellings
        if not word:
            self.without_text.append(block.place(k))
        elif not is_sound:
            what = f"{block.place(k)} ({short(word)}) {block.explain(k)}"
            if is_wanted:
                raise EmbeddingError(f"{self.where}{what}")
            self.damaged.append(what)
        elif word in self.words:
            self.repeated.append(word[:40])
        elif is_wanted:
            self.words[word] = None
            self.missing.discard(word)
            return True
        return False

    def vectors(self) -> KeyedVectors:
        """Say what is odd, and return what stays."""
        coding = (self.how.encoding or "utf-8").upper()
        if self.spellings is None and len(self.without_text) > len(self.words):
            raise EmbeddingError(
                f"{self.where}{self.without_text[0]}: the word is empty or not {coding}, as many "
                f"others; say how the file is written, such as encoding='latin-1'"
            )
        if self.spellings is None and not self.words:
            raise EmbeddingError(f"{self.where}holds no vectors")
        reasons = {
            f"the word is empty or not {coding} (if not, say encoding=)": self.without_text,
            "damaged, and nobody asked for the word": self.damaged,
            "an earlier vector has the same word": self.repeated,
        }
        for what, odd in reasons.items():
            if odd:
                shown = ", ".join([*dict.fromkeys(odd[:5]), *["…"] * (len(odd) > 5)])
                note(self.where, f"{len(odd):,} left out, since {what}: {shown}")
        if len(self.matrix) > len(self.words):
            self.matrix.resize((len(self.words), self.matrix.shape[1]), refcheck=False)
        vectors = keyed_vectors(list(self.words), self.matrix)
        if self.how.is_partial:
            capitals = (self.n_capitalised, self.n_passed)
            remember(vectors, sample=self.sampler.sample, capitals=capitals)
        return vectors


def read_vectors(path: Path, form: VectorFormat, how: Reading) -> KeyedVectors:
    """Read a file of text, or of word2vec's binary."""
    blocks = _lines if form.kind == "text" else _records
    with ByteStream(path, EmbeddingError, progress=how.progress) as stream:
        return select(blocks(stream, form, how), how, f"{path}: ")


def _text(raw: bytes, how: Reading) -> str:
    """Return a word's bytes as a text; "" where they are none."""
    try:
        return raw.decode(how.encoding or "utf-8")
    except UnicodeDecodeError:
        return ""


def _lines(stream: ByteStream, form: VectorFormat, how: Reading) -> Iterator[Block]:
    """Yield lines of a word and its numbers."""
    dim, n, at, has_header = form.dim, 0, 1, form.n_vectors is not None
    for lines, is_whole in stream.lines(LONGEST_WORD + _LONGEST_NUMBER * dim):
        if at == 1:
            lines[0] = lines[0].removeprefix(BOM)
        places = [k for k, line in enumerate(lines) if line and not line.isspace()]
        if places and has_header:
            places, has_header = places[1:], False
        parts = [_word_and_numbers(lines[k], dim) for k in places]
        words, rests = [_text(word, how) for word, _ in parts], [rest for _, rest in parts]
        explain = partial(_problem_of_line, words, rests, dim, is_whole)
        numbers = [at + k for k in places]
        yield Block(words, partial(_parsed_lines, rests, dim), explain, "line", numbers)
        n, at = n + len(places), at + len(lines)
    _check_count(stream.path, form, n, how)


def _word_and_numbers(line: bytes, dim: int) -> tuple[bytes, bytes]:
    """Divide a line behind its word. GloVe has words with blanks, such as ". . ."."""
    word, rest = (*line.split(None, 1), b"")[:2]
    if not is_number(rest[:_LONGEST_NUMBER].partition(b" ")[0]):
        fields = line.rsplit(None, dim)
        if len(fields[0].split()) > 1:
            return fields[0].strip(), b" ".join(fields[1:])
    return word, rest


def _parsed_lines(rests: list[bytes], dim: int, some: Sequence[int]) -> Vectors:
    """Return the vectors (n_lines, dim) of lines without words; NaN of those that are none."""
    texts = b"\n".join([rests[k] for k in some]).decode("latin-1").split("\n")
    return matrix_of_lists(pa.array(texts), dim)


def _problem_of_line(words: list[str], rests: list[bytes], dim: int, is_whole: bool, k: int) -> str:
    """Say what is wrong with a line."""
    numbers = rests[k].decode("utf-8", "replace").split()
    what = f"has {len(numbers)} numbers where others have {dim}"
    if bad := [field for field in numbers if not is_number(field)]:
        return f"has {short(bad[-1])}, which is not a number: a line is a word and {dim} numbers"
    if len(numbers) > dim:
        blanks = " ".join([words[k], *numbers[:-dim]])
        joined = short(blanks.replace(" ", "_"))
        what += f"; if {short(blanks)} is one word, write it as {joined}, else correct the line"
    elif len(numbers) < dim and k == len(words) - 1 and not is_whole:
        what += "; the last line is cut, so that the file may be cut short: fetch it again"
    return what if len(numbers) != dim else _NOT_FINITE


def as_floats(column: pa.Array) -> NDArray[np.float64]:
    """Return numbers, or texts of them; NaN where a cell is none.

    Arrow parses decimals exactly as Python does, in a quarter of the time.
    """
    try:
        numbers = column.cast(pa.float64(), safe=False)
    except pa.ArrowException:
        cells = column.to_pylist()
        return np.array([float(cell) if is_number(cell) else np.nan for cell in cells])
    return np.asarray(numbers.to_numpy(zero_copy_only=False))


def matrix_of_lists(column: pa.Array, dim: int = 0) -> Vectors:
    """Return the matrix (n, dim) of lists of numbers, or of texts of numbers with blanks between.

    A row is NaN where one has another length than `dim`, or without it than most of them.
    """
    if pa.types.is_string(column.type):
        fields = pc.ascii_split_whitespace(pc.ascii_trim_whitespace(column))
        column = pa.ListArray.from_arrays(fields.offsets, pa.array(as_floats(fields.values)))
    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
    dim = dim or max(int(np.bincount(lengths).argmax()), 1)
    matrix = np.full((len(column), dim), np.nan, dtype=np.float32)
    fits = lengths == dim
    with np.errstate(over="ignore"):  # a number too large becomes infinite, and is refused
        matrix[fits] = as_floats(column.filter(pa.array(fits)).flatten()).reshape(-1, dim)
    return matrix


def _records(stream: ByteStream, form: VectorFormat, how: Reading) -> Iterator[Block]:
    """Yield word2vec's records of a word, a space and little-endian floats."""
    size, n, usual = 4 * form.dim, 0, list[float]()
    buffer = stream.read(SNIFFED)
    start = buffer.find(b"\n") + 1
    while True:
        words: list[str] = []
        records: list[bytes] = []
        problem = ""
        while 0 <= (space := buffer.find(b" ", start)) < len(buffer) - size:
            word = buffer[start:space].lstrip(b"\n")
            if not 0 < len(word) <= LONGEST_WORD or b"\n" in word or b"\0" in word:
                problem = f"a word has {'a line break or NUL in it' if word else 'no letters'}"
                break
            start = space + 1 + size
            words.append(_text(word, how))
            records.append(buffer[space + 1 : start])
        parse = partial(_parsed_records, records, form.dim, usual)
        numbers = range(n + 1, n + len(words) + 1)
        yield Block(words, parse, lambda k: _SHIFTED, "vector", numbers)
        n += len(words)
        more = b"" if problem else stream.read(max(CHUNK, size))
        if not more and not problem and not buffer[start:].strip():
            return _check_count(stream.path, form, n, how)
        if not more or (space < 0 and len(buffer) - start > LONGEST_WORD):
            raise EmbeddingError(
                f"{stream.path}: {problem or 'the file is cut short or damaged'} in number "
                f"{n + 1:,} of the {form.n_vectors:,} vectors of {form.dim} numbers that the "
                f"header promises; fetch it again, or correct the header"
            )
        buffer, start = buffer[start:] + more, 0


def _parsed_records(
    records: list[bytes], dim: int, usual: list[float], some: Sequence[int]
) -> Vectors:
    """Return the vectors (n_records, dim) of records; NaN of a length that no training gives.

    The usual length is the median of the first ones.
    """
    matrix = np.frombuffer(bytearray().join([records[k] for k in some]), "<f4").reshape(-1, dim)
    with np.errstate(over="ignore"):
        lengths = np.sqrt(np.einsum("nd,nd->n", matrix, matrix))
    if not usual and (lengths > 0).sum() >= _FEWEST_LENGTHS:
        usual.append(float(np.median(lengths[lengths > 0])))
    if usual:
        matrix[~(lengths <= _EXPLODED * usual[0])] = np.nan
    return matrix


def _check_count(path: Path, form: VectorFormat, n: int, how: Reading) -> None:
    """Warn of a header that is a little off the records, as in published files, or refuse it."""
    promised = form.n_vectors
    if promised is None or promised == n or (how.limit is not None and n >= how.limit):
        return
    what = f"the header promises {promised:,} vectors and the file has {n:,}"
    if abs(promised - n) > max(1, n // 100):
        raise EmbeddingError(f"{path}: line 1: {what}; correct the line, or fetch it again")
    note(f"{path}: ", f"{what}, all whole; these are read")
