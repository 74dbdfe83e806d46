"""Parses files of word vectors, whose format is detected from the content.

Text (word2vec with header, GloVe without, fastText ``.vec``) and word2vec binary, each plain,
``.gz`` or ``.bz2``. Of wanted words only the vectors are parsed and kept, and reading stops as soon
as all are found. gensim reads the same files, but its errors name no file, line or word.
"""

import warnings
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, DataWarning, EmbeddingError
from bayesbias.support.bounded_files import CHUNK, ByteStream
from bayesbias.vectors.capitals import Capitals, Tally
from bayesbias.vectors.near_spellings import NearSpellings
from bayesbias.vectors.ranks import FREQUENT, Ranks
from bayesbias.vectors.samples import Sample, Sampler
from bayesbias.vectors.spelling import Spelling

_ZIP = b"PK\x03\x04"
_NUMPY = b"\x93NUMPY"
_BOM = b"\xef\xbb\xbf"
_FASTTEXT = (793712314).to_bytes(4, "little")
_SNIFFED = 1 << 16
_CHECKED = 2048  # rows at a time

_LONGEST_WORD: Final = 4096
"""Bytes of a word: phrases of word2vec have up to some hundred."""

_LONGEST_NUMBER: Final = 64
"""Bytes of a number as text, with the space before it: float64 in full takes 25."""

_LONGEST_VECTOR: Final = 1_000_000
"""Numbers of a vector: the largest models of language have some ten thousand."""


AS_IT_IS: Final = Spelling()
"""UTF-8, and no marks around words."""


@dataclass(frozen=True)
class VectorFormat:
    """What a file of vectors looks like from its first bytes."""

    kind: str
    """``text`` or ``binary``, which are read record by record; or, with a `dim` of 0, ``gensim``,
    a pickle, ``fasttext``, or a table that is read whole: ``csv``, ``tsv``, ``json``, ``npz``."""

    dim: int = 0
    count: int | None = None
    """What the header promises."""


def check_limit(limit: int | None) -> None:
    """Refuse a limit that is neither None nor a whole number of vectors."""
    if limit is None:
        return
    if isinstance(limit, bool) or not isinstance(limit, int | np.integer) or limit < 1:
        raise ArgumentError(f"limit must be at least 1 and a whole number, not {limit!r}")


def detect_format(path: Path) -> VectorFormat:
    """Detect a file's format from its first bytes."""
    with ByteStream(path, EmbeddingError) as stream:
        start = stream.read(_SNIFFED)
    if not start:
        raise EmbeddingError(f"{path}: is empty")
    if start.startswith(_ZIP):
        if not start[30:].split(b".npy")[0].isascii() or b".npy" not in start[:_LONGEST_WORD]:
            raise EmbeddingError(f"{path}: is a zip archive; unpack it and name the file inside")
        return VectorFormat("npz")
    if start.startswith(_NUMPY):
        raise EmbeddingError(
            f"{path}: is an array of numpy's, without words; put the words into words.txt beside "
            f"it, one a line, call it vectors.npy, and name the folder"
        )
    if start.startswith(_FASTTEXT):
        return VectorFormat("fasttext")
    if start[0] == 0x80 and start[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return VectorFormat("gensim")
    first, _, rest = start.removeprefix(_BOM).lstrip().partition(b"\n")
    if not first:
        raise EmbeddingError(
            f"{path}: its first {len(start):,} bytes are blank; delete blank lines, or fetch it "
            f"again"
        )
    header = first.split()
    if len(header) == 2 and all(t.isdigit() and len(t) <= 18 for t in header):
        count, dim = int(header[0]), int(header[1])
        if not 0 < dim <= _LONGEST_VECTOR:
            raise EmbeddingError(f"{path}: line 1: the header promises vectors of {dim:,} numbers")
        return VectorFormat("text" if _is_text(rest, dim) else "binary", dim, count)
    _refuse_hashed(path, header)
    if _is_of_doubles(start):
        raise EmbeddingError(
            f"{path}: is in GloVe's own binary format, which has numbers without words; save the "
            f"vectors as text (glove -binary 0)"
        )
    if first[:1] in b"{[":
        return VectorFormat("json")
    for kind, between in TABLES.items():
        if first.count(between) > 1 and (kind == "csv" or not _is_number(first.split(between)[1])):
            return VectorFormat(kind)
    _refuse_without_words(path, [first, *rest.split(b"\n")[:_ROWS_WITHOUT_WORDS]])
    return VectorFormat("text", _dim_without_header(path, first, rest))


TABLES: Final = {"csv": b",", "tsv": b"\t"}
"""What stands between the columns of a table; one of tabs without a header is read as text."""

_ROWS_WITHOUT_WORDS: Final = 5


def _refuse_hashed(path: Path, header: list[bytes]) -> None:
    """Refuse floret's table: buckets of hashed parts of words, under eight facts."""
    if len(header) == 8 and all(part.isdigit() for part in header[:6]):
        raise EmbeddingError(
            f"{path}: is a floret table, whose rows are hashed parts of words and not words; make "
            f"a spaCy pipeline of it (spacy init vectors --mode floret) and pass that in Python"
        )


def _is_of_doubles(start: bytes) -> bool:
    """Tell whether a file is of float64 alone, of the size that trained vectors have."""
    if start[:_LONGEST_WORD].isascii():
        return False
    numbers = np.frombuffer(start[: len(start) // 8 * 8], dtype="<f8")
    size = np.abs(numbers)
    return len(numbers) > 0 and bool((np.isfinite(numbers) & (size < 1e3) & (size > 1e-9)).all())


def _refuse_without_words(path: Path, lines: list[bytes]) -> None:
    """Refuse rows of numbers whose first is a number with a fraction: words may be numbers."""
    firsts = [line.split()[0] for line in lines[:_ROWS_WITHOUT_WORDS] if line.strip()]
    if all(_is_number(first) and not first.lstrip(b"+-").isdigit() for first in firsts):
        raise EmbeddingError(
            f"{path}: line 1: begins with a number ({firsts[0].decode()}): the rows have no words, "
            f"which may stand in a file of their own, such as metadata.tsv. Put each word before "
            f"its numbers"
        )


def _is_text(rest: bytes, dim: int) -> bool:
    """Return whether the first vector after a header is written in characters."""
    line = rest.lstrip().partition(b"\n")[0].rstrip()
    fields = line.rsplit(None, dim)
    if len(fields) == dim + 1 and all(_is_number(f) for f in fields[1:]):
        return True
    # A damaged text line still reads as text; floats as bytes hold control characters, though
    # not always before the first byte that would end a line.
    start = rest[:_LONGEST_WORD]
    try:
        decoded = start.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return False
        decoded = start[: error.start].decode("utf-8")
    return len(line) > 2 and all(ch.isprintable() or ch.isspace() for ch in decoded)


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _dim_without_header(path: Path, first: bytes, rest: bytes) -> int:
    for line in (first, rest.partition(b"\n")[0]):
        fields = line.split()[1:]
        if fields and all(map(_is_number, fields)):
            return len(fields)
    shown = first[:40].decode("utf-8", "replace")
    raise EmbeddingError(
        f"{path}: line 1: neither 'count dimension' nor a word and its numbers ({shown!r}); "
        f"expected word2vec, GloVe or fastText vectors, text or binary"
    )


class Read(NamedTuple):
    """What was read of a file."""

    words: list[str]
    vectors: NDArray[np.float32]
    n_repeated: int
    capitals: Capitals | None
    """Of the words that were passed, wanted or not; None where all words were kept."""

    sample: Sample | None = None
    """Of the file's words; None where all words were kept."""

    near: Mapping[str, str] | None = None
    """Other spellings of the words asked for (`near_spellings`)."""

    ranks: Ranks | None = None
    """Of the words that were asked for."""


def read_vectors(
    path: Path,
    form: VectorFormat,
    *,
    words: Collection[str] | None = None,
    spare: Collection[str] = (),
    limit: int | None = None,
    spelling: Spelling = AS_IT_IS,
    progress: bool | None = False,
) -> Read:
    """Read distinct words and their vectors (n_words, dim).

    Reading stops when all `words` and the file's sample are found; `spare` words are kept if they
    were passed till then. A `limit` is one of words, not of the sample.
    """
    left = None if words is None else set(words)
    wanted = left and left | set(spare)
    tally = None if words is None else Tally()
    sampler = None if words is None and limit is None else Sampler()
    near = None if words is None else NearSpellings(words)
    sieve = _Sieve(path, wanted, limit, spelling, tally, sampler, near)
    # A number too large for float32 becomes infinite, which is refused with the word's name.
    opened = ByteStream(path, EmbeddingError, progress=progress)
    with opened as stream, np.errstate(over="ignore"):
        _refuse_impossible_count(stream, form)
        rows = _Rows(path, form.dim, _expected_rows(stream, form, wanted, limit))
        for number, raw, word, vector in _records(stream, form, sieve):
            rows.add(number, raw, word, vector)
            if left is not None and word is not None:
                left.discard(word)
                sieve.all_found = not left
    rows.say_undecoded()
    sieve.say_latin()
    return Read(
        rows.words,
        rows.vectors(),
        rows.n_repeated,
        None if tally is None else tally.capitals,
        None if sampler is None else sampler.sample,
        None if near is None else near.found,
        None if words is None else Ranks(rows.places, sieve.n_words(form), sieve.frequent),
    )


def read_blocks(
    path: Path,
    form: VectorFormat,
    *,
    limit: int | None = None,
    spelling: Spelling = AS_IT_IS,
    memory_mb: float = 64,
    progress: bool | None = False,
) -> Iterator[tuple[list[str], NDArray[np.float32]]]:
    """Yield words, repeated ones too, and vectors (n, dim), of at most `memory_mb` or one."""
    opened = ByteStream(path, EmbeddingError, progress=progress)
    with opened as stream, np.errstate(over="ignore"):
        _refuse_impossible_count(stream, form)
        room = max(1, int(memory_mb * 1e6) // (4 * form.dim))
        room = min(room, _expected_rows(stream, form, None, limit))
        rows = _Rows(path, form.dim, room, unique=False)
        for number, raw, word, vector in _records(
            stream, form, _Sieve(path, None, limit, spelling)
        ):
            rows.add(number, raw, word, vector)
            if len(rows.words) == room:
                yield rows.words, rows.vectors()
                done, rows = rows, _Rows(path, form.dim, room, unique=False)
                rows.undecoded, rows.earlier = done.undecoded, done.earlier + room
    rows.say_undecoded()
    if rows.words:
        yield rows.words, rows.vectors()


def _smallest_record(form: VectorFormat) -> int:
    """Return the fewest bytes that a word and its numbers can take."""
    return 4 * form.dim + 2 if form.kind == "binary" else 2 * form.dim + 1


def _refuse_impossible_count(stream: ByteStream, form: VectorFormat) -> None:
    """Refuse a header that the size of an uncompressed file already contradicts."""
    if form.count is None or stream.is_compressed:
        return
    if form.count * _smallest_record(form) > stream.size:
        raise EmbeddingError(
            f"{stream.path}: line 1: the header promises {form.count:,} vectors of {form.dim} "
            f"numbers, more than {stream.size:,} bytes can hold; the file is cut short or its "
            f"header is wrong"
        )


def _expected_rows(
    stream: ByteStream, form: VectorFormat, wanted: set[str] | None, limit: int | None
) -> int:
    """Return how many rows to make room for: never more than the file's size allows."""
    record = _smallest_record(form) if form.count is not None else 6 * form.dim + 2
    bounds = (form.count, None if wanted is None else len(wanted), limit)
    return max(min([stream.most_bytes // record, *(n for n in bounds if n is not None)]), 1)


class _Rows:
    """Grows a matrix of vectors and remembers the words; the first of a repeated word stays."""

    def __init__(self, path: Path, dim: int, room: int, *, unique: bool = True) -> None:
        self.path = path
        self.unique = unique
        self.words: list[str] = []
        self.n_repeated = 0
        self.undecoded: list[tuple[int, bytes]] = []
        self.earlier = 0
        self._numbers: list[int] = []
        self._seen: set[str] = set()
        self._matrix = np.empty((room, dim), dtype=np.float32)

    def add(self, number: int, raw: bytes, word: str | None, vector: NDArray[np.float32]) -> None:
        if self.unique and word in self._seen:
            self.n_repeated += 1
            return
        if word is None:  # no list can name it
            self.undecoded.append((number, raw))
            return
        if len(self.words) == len(self._matrix):
            grown = np.empty((2 * len(self._matrix), self._matrix.shape[1]), dtype=np.float32)
            grown[: len(self._matrix)] = self._matrix
            self._matrix = grown
        self._matrix[len(self.words)] = vector
        if self.unique:
            self._seen.add(word)
        self._numbers.append(number)
        self.words.append(word)

    @property
    def places(self) -> dict[str, int]:
        """At which row of the file each word stands, from 0."""
        return {word: n - 1 for word, n in zip(self.words, self._numbers, strict=True)}

    def say_undecoded(self) -> None:
        """Warn of words that are no text in UTF-8, and were left out."""
        if self.undecoded:
            number, raw = self.undecoded[0]
            n = len(self.undecoded)
            if n > self.earlier + len(self.words):
                raise EmbeddingError(
                    f"{self.path}: vector {number:,}: the word {raw[:40]!r} is not UTF-8, and "
                    f"most others are not; say how it is written, such as encoding='latin-1'"
                )
            warnings.warn(
                f"{self.path}: {n:,} {'word is' if n == 1 else 'words are'} not UTF-8 and left out "
                f"(the first is vector {number:,}, {raw[:40]!r}); if you need "
                f"{'it' if n == 1 else 'them'}, say how the file is written, such as "
                f"encoding='latin-1'",
                DataWarning,
                stacklevel=2,
            )

    def vectors(self) -> NDArray[np.float32]:
        filled = self._matrix[: len(self.words)]
        for start in range(0, len(filled), _CHECKED):
            good = np.isfinite(filled[start : start + _CHECKED]).all(axis=1)
            if not good.all():
                bad = start + int(np.flatnonzero(~good)[0])
                raise EmbeddingError(
                    f"{self.path}: vector {self._numbers[bad]:,} ({self.words[bad]!r}) has NaN or "
                    f"infinite components; remove or repair it"
                )
        return filled if len(self.words) == len(self._matrix) else filled.copy()


_Record = tuple[int, bytes, str | None, NDArray[np.float32]]
"""Number, word as it stands in the file and as a text, vector."""


class _Sieve:
    """Which records of a file are parsed: those of wanted words, and those of its sample."""

    def __init__(
        self,
        path: Path,
        wanted: set[str] | None,
        limit: int | None,
        spelling: Spelling,
        tally: Tally | None = None,
        sampler: Sampler | None = None,
        near: NearSpellings | None = None,
    ) -> None:
        self.wanted, self.limit, self.tally, self.sampler = wanted, limit, tally, sampler
        self.path, self._near = path, near
        self._spelling = spelling
        # GloVe has words with spaces, such as ". . .": a wanted one is known by its first part.
        self._heads = {word.partition(" ")[0] for word in wanted or ()}
        self._latin: dict[str, None] = {}
        self.frequent: dict[str, int] = {}
        self.all_found = False
        self.number = 0

    @property
    def done(self) -> bool:
        """Whether nothing of what follows is needed."""
        return (self.all_found or self.beyond_limit) and (self.sampler is None or self.sampler.done)

    @property
    def beyond_limit(self) -> bool:
        """Whether what follows is for the sample alone."""
        return self.limit is not None and self.number >= self.limit

    def passes(self, head: bytes, *, whole: bool) -> tuple[bool, bool]:
        """Pass a record; tell whether it may be wanted, and whether it is of the sample.

        `head`: its word, or where that is not `whole` the first part of it.
        """
        may_be_wanted = not self.beyond_limit and not self.all_found
        word = self.word(head)
        if may_be_wanted and self.tally is not None and word:
            self.tally.add(word.encode("utf-8", "surrogatepass"))
        if may_be_wanted and self._near is not None and word:
            self._near.add(word)
            if word in FREQUENT:
                self.frequent.setdefault(word, self.number)
        self.number += 1
        if self.wanted is not None:
            first = head.decode("utf-8", "replace")
            may_be_wanted &= word in self.wanted if whole else first in self._heads
        of_sample = self.sampler is not None and self.sampler.wants(word or "" if whole else "")
        return may_be_wanted and not (whole and word == ""), of_sample

    def n_words(self, form: VectorFormat) -> int:
        """Return how many words the file has, within the limit."""
        n = self.number if form.count is None else form.count
        return n if self.limit is None else min(n, self.limit)

    def word(self, raw: bytes) -> str | None:
        """Return a word as a text, "" where it lacks the mark that all should bear."""
        try:
            text = self._spelling.decoded(raw)
        except UnicodeDecodeError as error:  # errors="strict"
            raise EmbeddingError(
                f"{self.path}: vector {self.number + 1:,}: the word {raw[:40]!r} is not "
                f"{error.encoding.upper()}; say how the file is written, such as encoding='latin-1'"
            ) from None
        if text is None and self.wanted is not None and self._spelling.encoding is None:
            latin = self._spelling.of(raw.decode("latin-1"))
            if latin in self.wanted:
                self._latin[latin] = None
                return latin
        return text and self._spelling.of(text)

    def say_latin(self) -> None:
        """Warn of words that were found in another encoding than UTF-8."""
        if self._latin:
            shown = ", ".join(list(self._latin)[:5])
            warnings.warn(
                f"{self.path}: is not UTF-8 throughout; words asked for were found as Latin-1 "
                f"({shown}). If the file is written so, say encoding='latin-1'",
                DataWarning,
                stacklevel=4,
            )


def _records(stream: ByteStream, form: VectorFormat, sieve: _Sieve) -> Iterator[_Record]:
    """Yield (number, word, vector) of the wanted records, and sample others on the way."""
    return (_text_records if form.kind == "text" else _binary_records)(stream, form, sieve)


def _text_records(stream: ByteStream, form: VectorFormat, sieve: _Sieve) -> Iterator[_Record]:
    lines = stream.lines(_LONGEST_WORD + _LONGEST_NUMBER * form.dim)
    line_number = 0
    has_header = form.count is not None
    for line in lines:
        line_number += 1
        if line_number == 1:
            line = line.removeprefix(_BOM)
        if not line or line.isspace():
            continue
        if has_header:
            has_header = False
            continue
        if sieve.done:
            return
        head, *after = line.split(None, 2)[:2]
        whole = bool(after) and _is_number(after[0])
        wanted, of_sample = sieve.passes(head, whole=whole)
        if not (wanted or of_sample):
            continue
        try:
            raw, vector = _parse_line(stream.path, line_number, line, form.dim)
        except EmbeddingError:
            if wanted:
                raise
            continue  # nobody asked for the word
        word = sieve.word(raw)
        if of_sample:
            cast(Sampler, sieve.sampler).add(cast(str, word), vector)
        if wanted and word != "" and (sieve.wanted is None or word in sieve.wanted):
            yield sieve.number, raw, word, vector
    if form.count is not None and form.count != sieve.number and not sieve.beyond_limit:
        _say_of_count(stream.path, form.count, sieve.number)


def _say_of_count(path: Path, promised: int, found: int) -> None:
    """Warn of a header that is a little off the whole rows, as in published files, or refuse it."""
    if abs(promised - found) > max(1, found // 100):
        raise EmbeddingError(
            f"{path}: line 1: the header promises {promised:,} vectors but the file has {found:,}; "
            f"correct the header or fetch the file again"
        )
    warnings.warn(
        f"{path}: the header promises {promised:,} vectors and the file has {found:,}, all whole; "
        f"these are read",
        DataWarning,
        stacklevel=2,
    )


def _parse_line(
    path: Path, line_number: int, line: bytes, dim: int
) -> tuple[bytes, NDArray[np.float32]]:
    fields = line.rsplit(None, dim)
    try:
        parts = fields[0].split()
        if len(fields) != dim + 1 or (len(parts) > 1 and all(map(_is_number, parts[1:]))):
            raise ValueError  # a word may hold spaces, but "b 3" is a word and a number too many
        return fields[0], np.array(list(map(float, fields[1:])), dtype=np.float32)
    except ValueError:
        raise EmbeddingError(_line_complaint(path, line_number, line, dim)) from None


def _line_complaint(path: Path, line_number: int, line: bytes, dim: int) -> str:
    where = f"{path}: line {line_number:,}"
    fields = line.split()
    word = fields[0].decode("utf-8", "replace")
    numbers = 0
    while numbers < len(fields) - 1 and _is_number(fields[-1 - numbers]):
        numbers += 1
    bad = fields[-1 - numbers].decode("utf-8", "replace")
    if numbers == len(fields) - 1:
        return f"{where} ({word!r}) has {numbers} numbers where the file's first has {dim}"
    return (
        f"{where} ({word!r}): {bad[:40]!r} is not a number; every line needs a word and {dim} "
        f"numbers"
    )


def _binary_records(stream: ByteStream, form: VectorFormat, sieve: _Sieve) -> Iterator[_Record]:
    # A record is word, space, little-endian floats; those that are not wanted are stepped over.
    size = 4 * form.dim
    buffer = stream.read(_SNIFFED)
    start = buffer.find(b"\n") + 1 or len(buffer)
    count = cast(int, form.count)
    for number in range(1, count + 1):
        if sieve.done:
            return
        space = buffer.find(b" ", start)
        while space < 0 or space + 1 + size > len(buffer):
            more = stream.read(max(CHUNK, size))
            if not more and sieve.beyond_limit:
                return
            if not more and number > 1 and not buffer[start:].strip():
                return _say_of_count(stream.path, count, number - 1)
            if not more or (space < 0 and len(buffer) - start > _LONGEST_WORD):
                raise EmbeddingError(
                    f"{stream.path}: the header promises {count:,} vectors but the file is cut "
                    f"short or damaged in number {number:,}; fetch it again"
                )
            buffer, start = buffer[start:] + more, 0
            space = buffer.find(b" ", start)
        word = buffer[start:space].lstrip(b"\n")
        start = space + 1 + size
        if not 0 < len(word) <= _LONGEST_WORD:
            if sieve.beyond_limit:
                return
            raise EmbeddingError(
                f"{stream.path}: vector {number:,}: its word has {len(word):,} bytes; the file is "
                f"damaged, or its header promises vectors of a wrong length"
            )
        wanted, of_sample = sieve.passes(word, whole=b" " not in word)
        if not (wanted or of_sample):
            continue
        vector = np.frombuffer(buffer, "<f4", form.dim, space + 1)
        if of_sample:
            cast(Sampler, sieve.sampler).add(cast(str, sieve.word(word)), vector)
        if wanted:
            yield number, word, sieve.word(word), vector
    if sieve.beyond_limit and cast(int, sieve.limit) < count:
        return
    if (buffer[start:] + stream.read(CHUNK)).strip():
        raise EmbeddingError(
            f"{stream.path}: the header promises {count:,} vectors of {form.dim} numbers but more "
            f"data follow; the header is wrong"
        )
