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
from bayesbias.support.arguments import KeyedVectors
from bayesbias.support.bounded_files import CHUNK, ByteStream
from bayesbias.vectors.formats import BOM, LONGEST_WORD, SNIFFED, VectorFormat, is_number
from bayesbias.vectors.lookup import Wanted, keyed_vectors, wanted
from bayesbias.vectors.samples import Sampler
from bayesbias.vectors.sources import Capitals, capital_counts, remember

Vectors = NDArray[np.float32]

_LONGEST_NUMBER: Final = 64  # bytes of a number as text: float64 in full takes 25
_ROWS: Final = 10_000  # of a table that are looked at together
_PIECES: Final = 256  # matrices of a block each that become one
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
        n = self.limit
        if n is not None and (isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1):
            raise ArgumentError(f"limit must be at least 1 and a whole number, not {n!r}")
        try:
            "a".encode(self.encoding or "utf-8")
        except (LookupError, TypeError, ValueError):
            what = f"encoding={self.encoding!r}: is not known; give one such as 'latin-1'"
            raise ArgumentError(what) from None

    @cached_property
    def wanted(self) -> Wanted | None:
        """The spellings that are looked for."""
        return None if self.words is None else wanted(self.words, self.strip_accents)

    @property
    def is_partial(self) -> bool:
        """Whether words of the source are left out, so that a sample stands for them."""
        return self.words is not None or self.limit is not None


class Block(NamedTuple):
    """Records that follow each other.

    Their words, "" where bytes are no text, or the first parts of these; what parses the vectors of
    some; the name and numbers of their places; and, of a vector that is not finite, what is wrong
    with it, or what finds its word, its vector, and what is wrong.
    """

    words: Sequence[str]
    parse: Callable[[Sequence[int]], Vectors]
    unit: str
    numbers: Sequence[int]
    problem: str = _NOT_FINITE
    mend: Callable[[int], tuple[str, Vectors | None, str]] | None = None


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


def select_rows(
    words: Sequence[str], vectors_of: Callable[[Sequence[int]], Vectors], how: Reading, where: str
) -> KeyedVectors:
    """Return, as `select` does, the vectors of the rows of a table."""
    step = _ROWS if how.is_partial else max(len(words), 1)

    def parse(at: int, rows: Sequence[int]) -> Vectors:
        return vectors_of([at + k for k in rows])

    parts = ((at, words[at : at + step]) for at in range(0, len(words), step))
    blocks = (Block(w, partial(parse, at), "row", range(at + 1, at + step + 1)) for at, w in parts)
    return select(blocks, how, where)


class _Selection:
    """The records of a source as they pass: those that stay, the sample, and what is odd."""

    def __init__(self, how: Reading, where: str) -> None:
        self.how, self.where, self.wanted = how, where, how.wanted
        self.sampler = Sampler() if how.is_partial else None
        spellings = self.wanted.all if self.wanted else frozenset()
        # GloVe has words with spaces, such as ". . .": a wanted one is known by its first part.
        self.starts = spellings | {word.partition(" ")[0] for word in spellings}
        self.missing = set(self.wanted.named if self.wanted else ())
        self.number = 0
        self.capitals = Capitals()
        self.words: dict[str, None] = {}
        self.pieces: list[Vectors] = []
        self.small_pieces: list[Vectors] = []
        self.without_text: list[str] = []
        self.damaged: list[str] = []
        self.repeated: list[str] = []

    @property
    def is_complete(self) -> bool:
        """Whether nothing of what follows is needed."""
        is_enough = self.wanted is not None and not self.missing
        is_enough |= self.how.limit is not None and self.number >= self.how.limit
        return is_enough and self.sampler is not None and self.sampler.done

    def take(self, block: Block) -> None:
        """Pass records; parse and keep those of wanted words and of the sample."""
        n, limit = len(block.words), self.how.limit
        within = n if limit is None else max(0, min(n, limit - self.number))
        some: Sequence[int] = range(within)
        if self.sampler is not None:
            self.capitals = capital_counts(block.words[:within], self.capitals)
            if not self.sampler.done:
                some = range(n)
            elif self.wanted is not None:
                some = [k for k in some if block.words[k] in self.starts]
        self.number += n
        if not some:
            return
        matrix = block.parse(some)
        is_sound: list[bool] = np.asarray(np.isfinite(matrix).all(axis=1)).tolist()
        stay = []
        for row, k in enumerate(some):
            word, problem = block.words[k], "" if is_sound[row] else block.problem
            if problem and block.mend is not None:
                word, vector, problem = block.mend(k)
                matrix[row] = np.nan if vector is None else vector
            if self.sampler is not None and self.sampler.wants(word) and not problem:
                self.sampler.add(word, matrix[row])
            if k < within and self._keeps(word, problem, f"{block.unit} {block.numbers[k]:,}"):
                stay.append(row)
        if stay:
            self.small_pieces.append(matrix if len(stay) == len(matrix) else matrix[stay])
        if len(self.small_pieces) == _PIECES:  # large ones are given back when they are copied
            self.pieces.append(np.concatenate(self.small_pieces))
            self.small_pieces.clear()

    def _keeps(self, word: str, problem: str, place: str) -> bool:
        """Tell whether a vector stays; note why not."""
        is_wanted = self.wanted is None or word in self.wanted.all
        if not word:
            self.without_text.append(place)
        elif problem and is_wanted:
            raise EmbeddingError(f"{self.where}{place} ({short(word)}) {problem}")
        elif problem:
            self.damaged.append(f"{place} ({short(word)}) {problem}")
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
        if self.wanted is None and len(self.without_text) > len(self.words):
            raise EmbeddingError(
                f"{self.where}{self.without_text[0]}: the word is empty or not {coding}, as many "
                f"others; say how the file is written, such as encoding='latin-1'"
            )
        if not self.words and self.wanted is None:
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
        vectors = keyed_vectors(list(self.words), self._matrix())
        if self.sampler is not None:
            remember(vectors, sample=self.sampler.sample, capitals=self.capitals)
        return vectors

    def _matrix(self) -> Vectors:
        """Put the pieces together, and give up each when it is copied."""
        self.pieces += self.small_pieces
        if len(self.pieces) == 1:
            return self.pieces[0]
        self.small_pieces.clear()
        end = len(self.words)
        matrix = np.empty((end, self.pieces[0].shape[1] if self.pieces else 0), np.float32)
        while self.pieces:
            piece = self.pieces.pop()
            matrix[end - len(piece) : end] = piece
            end -= len(piece)
        return matrix


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
        parts = [line.split(None, 1) for line in lines]
        places = [k for k, part in enumerate(parts) if part]
        if places and has_header:
            places, has_header = places[1:], False
        words = [_text(parts[k][0], how) for k in places]
        parse = partial(_parsed_lines, [parts[k][-1] for k in places], dim)
        mend = partial(_parsed_line, [lines[k] for k in places], is_whole, dim, how)
        yield Block(words, parse, "line", [at + k for k in places], _NOT_FINITE, mend)
        n, at = n + len(places), at + len(lines)
    _check_count(stream.path, form, n, how)


def _parsed_lines(rests: list[bytes], dim: int, some: Sequence[int]) -> Vectors:
    """Return the vectors (n_lines, dim) of lines without words; NaN of those that may be none.

    Arrow parses decimals exactly as Python does, in a quarter of the time.
    """
    matrix = np.full((len(some), dim), np.nan, dtype=np.float32)
    try:
        texts = pa.array([rests[k].strip() for k in some], pa.binary()).cast(pa.string())
        fields = pc.ascii_split_whitespace(texts)
        fits = fields.value_lengths().to_numpy(zero_copy_only=False) == dim
        numbers = pc.cast(fields.filter(pa.array(fits)).flatten(), pa.float64())
    except pa.ArrowInvalid:
        return matrix
    with np.errstate(over="ignore"):  # a number too large becomes infinite, and is refused
        matrix[fits] = numbers.to_numpy().reshape(-1, dim)
    return matrix


def _parsed_line(
    lines: list[bytes], is_whole: bool, dim: int, how: Reading, k: int
) -> tuple[str, Vectors | None, str]:
    """Return the word of a line, which may have blanks, its vector, and what is wrong with it."""
    fields = lines[k].rsplit(None, dim)
    parts = fields[0].split()
    # A word may hold spaces, but "b 3" is a word and a number too many.
    several = len(parts) > 1 and all(map(is_number, parts[1:]))
    if len(fields) == dim + 1 and not several and all(map(is_number, fields[1:])):
        with np.errstate(over="ignore"):
            vector = np.array(list(map(float, fields[1:]))).astype(np.float32)
        problem = "" if np.isfinite(vector).all() else _NOT_FINITE
        return _text(fields[0].strip(), how), vector, problem
    word, *numbers = (field.decode("utf-8", "replace") for field in lines[k].split())
    what = f"has {len(numbers)} numbers where others have {dim}"
    if bad := [field for field in numbers if not is_number(field)]:
        what = f"has {short(bad[-1])}, which is not a number: a line is a word and {dim} numbers"
    elif len(numbers) > dim:
        blanks = " ".join([word, *numbers[:-dim]])
        joined = short(blanks.replace(" ", "_"))
        what += f"; if {short(blanks)} is one word, write it as {joined}, else correct the line"
    elif k == len(lines) - 1 and not is_whole:
        what += "; the last line is cut, so that the file may be cut short: fetch it again"
    return _text(lines[k].split()[0], how), None, what


def _records(stream: ByteStream, form: VectorFormat, how: Reading) -> Iterator[Block]:
    """Yield word2vec's records of a word, a space and little-endian floats."""
    size, n, usual = 4 * form.dim, 0, list[float]()
    buffer = stream.read(SNIFFED)
    start, problem = buffer.find(b"\n") + 1 or len(buffer), ""
    while True:
        words: list[str] = []
        records: list[bytes] = []
        space = buffer.find(b" ", start)
        while 0 <= space < len(buffer) - size:
            word = buffer[start:space].lstrip(b"\n")
            if not 0 < len(word) <= LONGEST_WORD or b"\n" in word or b"\0" in word:
                problem = f"a word has {'a line break or NUL in it' if word else 'no letters'}"
                break
            start = space + 1 + size
            words.append(_text(word, how))
            records.append(buffer[space + 1 : start])
            space = buffer.find(b" ", start)
        parse = partial(_parsed_records, records, form.dim, usual)
        yield Block(words, parse, "vector", range(n + 1, n + len(words) + 1), _SHIFTED)
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
