"""Reads files of word vectors record by record, of text or word2vec's binary.

Of wanted words only the vectors are parsed and kept, and reading stops as soon as all are found.
What is odd about the records that were passed is said, wanted or not. gensim reads the same files,
but its errors name no file, line or word.
"""

import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, DataWarning, EmbeddingError, short
from bayesbias.support.bounded_files import CHUNK, ByteStream
from bayesbias.support.text_tables import counted
from bayesbias.vectors.formats import BOM, CUT, LONGEST_WORD, SNIFFED, VectorFormat, is_number
from bayesbias.vectors.near_spellings import NearSpellings
from bayesbias.vectors.samples import Sampler
from bayesbias.vectors.sources import FREQUENT, Capitals, Ranks
from bayesbias.vectors.spelling import Spelling, said_of_damage

BLOCK: Final = 64_000_000  # bytes of vectors that are held where a file is read in pieces
_CHECKED: Final = 2048  # rows at a time

_LONGEST_NUMBER: Final = 64
"""Bytes of a number as text, with the space before it: float64 in full takes 25."""


@dataclass(frozen=True)
class Reading:
    """How a file is read; see `load_embedding`."""

    limit: int | None
    spelling: Spelling
    trusted: bool = False
    subwords: bool = False
    progress: bool | None = None

    def __post_init__(self) -> None:
        n = self.limit
        if n is not None and (isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1):
            raise ArgumentError(f"limit must be at least 1 and a whole number, not {n!r}")
        if not isinstance(self.trusted, bool):  # a text such as "no" would open a pickle
            raise ArgumentError(f"trusted={self.trusted!r}: must be True or False")

    def facts(self, path: str | Path) -> dict[str, Any]:
        """Return what is recorded of vectors that were read so."""
        how = {"encoding": self.spelling.encoding, "strip": self.spelling.strip}
        subwords = {"subwords": True} if self.subwords else {}
        return {"embedding": Path(path).name, "limit": self.limit, **how, **subwords}


class Read(NamedTuple):
    """What was read of a file."""

    words: list[str]
    vectors: NDArray[np.float32]
    repeated: list[str]
    """The words of the vectors that were left out, since an earlier one has the word."""

    known: dict[str, Any]  # of the source, for `remember`; nothing where all words were kept


def read_vectors(
    path: Path,
    form: VectorFormat,
    how: Reading,
    *,
    words: Collection[str] | None,
    spare: Collection[str],
) -> Read:
    """Read distinct words and their vectors (n_words, dim).

    Reading stops when all `words` and the file's sample are found; `spare` words are kept if they
    were passed till then. A `limit` is one of words, not of the sample.
    """
    left = None if words is None else set(words)
    wanted = left and left | set(spare)
    sampler = None if words is None and how.limit is None else Sampler()
    near = None if words is None else NearSpellings(words)
    sieve = _Sieve(path, wanted, how, sampler, near)
    # A number too large for float32 becomes infinite, which is refused with the word's name.
    opened = ByteStream(path, EmbeddingError, progress=how.progress)
    with opened as stream, np.errstate(over="ignore"):
        rows = _Rows(path, form.dim, _expected_rows(stream, form, wanted, how.limit))
        for number, word, vector in _records(stream, form, sieve):
            rows.add(number, word, vector)
            if left is not None:
                left.discard(word)
                sieve.all_found = not left
    sieve.say(form)
    known: dict[str, Any] = {} if sampler is None else {"sample": sampler.sample}
    if near is not None:
        ranks = Ranks(rows.places, sieve.n_words(form), sieve.frequent)
        known |= {"capitals": sieve.capitals, "near": near, "ranks": ranks}
    return Read(rows.words, rows.vectors(), rows.repeated, known)


def read_blocks(
    path: Path, form: VectorFormat, how: Reading
) -> Iterator[tuple[list[str], NDArray[np.float32]]]:
    """Yield words, repeated ones too, and vectors (n, dim), of at most `BLOCK` bytes or one."""
    opened = ByteStream(path, EmbeddingError, progress=how.progress)
    with opened as stream, np.errstate(over="ignore"):
        room = max(1, BLOCK // (4 * form.dim))
        room = min(room, _expected_rows(stream, form, None, how.limit))
        rows = _Rows(path, form.dim, room, unique=False)
        sieve = _Sieve(path, None, how)
        for number, word, vector in _records(stream, form, sieve):
            rows.add(number, word, vector)
            if len(rows.words) == room:
                yield rows.words, rows.vectors()
                rows = _Rows(path, form.dim, room, unique=False)
    sieve.say(form)
    if rows.words:
        yield rows.words, rows.vectors()


def _expected_rows(
    stream: ByteStream, form: VectorFormat, wanted: set[str] | None, limit: int | None
) -> int:
    """Return how many rows to make room for: never more than the file's size allows."""
    # The fewest bytes that a word and its numbers take; without a header numbers are longer.
    record = 4 * form.dim + 2 if form.kind == "binary" else 2 * form.dim + 1
    record = record if form.count is not None else 6 * form.dim + 2
    bounds = (form.count, None if wanted is None else len(wanted), limit)
    unpacked = 10 * stream.size if stream.is_compressed else stream.size  # of vectors, at most
    return max(min([unpacked // record, *(n for n in bounds if n is not None)]), 1)


class _Rows:
    """Grows a matrix of vectors and remembers the words; the first of a repeated word stays."""

    def __init__(self, path: Path, dim: int, room: int, *, unique: bool = True) -> None:
        self.path = path
        self.unique = unique
        self.words: list[str] = []
        self.repeated: list[str] = []
        self._numbers: list[int] = []
        self._seen: set[str] = set()
        self._matrix = np.empty((room, dim), dtype=np.float32)

    def add(self, number: int, word: str, vector: NDArray[np.float32]) -> None:
        if self.unique and word in self._seen:
            self.repeated.append(word)
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

    def vectors(self) -> NDArray[np.float32]:
        filled = self._matrix[: len(self.words)]
        for start in range(0, len(filled), _CHECKED):
            good = np.isfinite(filled[start : start + _CHECKED]).all(axis=1)
            if not good.all():
                bad = start + int(np.flatnonzero(~good)[0])
                raise EmbeddingError(
                    f"{self.path}: vector {self._numbers[bad]:,} ({short(self.words[bad])}) has "
                    f"NaN or infinite components; remove or repair it"
                )
        return filled if len(self.words) == len(self._matrix) else filled.copy()


_Record = tuple[int, str, NDArray[np.float32]]  # number, word and vector

_OF_NUMBERS: Final = b"0123456789+-.eE\r\n"
"""Bytes of which a line of a vector consists, behind its word and without blanks."""

_TABS: Final = bytes.maketrans(b"\t", b" ")


class _Sieve:
    """Which records of a file are parsed: those of wanted words, and those of its sample.

    What is odd about the records that pass is noted, and said at the end.
    """

    def __init__(
        self,
        path: Path,
        wanted: set[str] | None,
        how: Reading,
        sampler: Sampler | None = None,
        near: NearSpellings | None = None,
    ) -> None:
        self.wanted, self.limit, self.sampler = wanted, how.limit, sampler
        self.path, self._near, self._spelling = path, near, how.spelling
        # GloVe has words with spaces, such as ". . .": a wanted one is known by its first part.
        self._heads = {word.partition(" ")[0] for word in wanted or ()}
        self._latin: dict[str, None] = {}
        self._undecoded: list[str] = []
        self._blank: list[str] = []
        self._damaged: list[str] = []
        self._bare: list[str] = []
        self._marked = False
        self._within, self._is_text = True, True
        self.capitals, self.frequent = Capitals(), dict[str, int]()
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
        self._within = not self.beyond_limit
        self.number += 1
        word = self._word(head)
        self._is_text = word is not None
        if word is None:
            self._note(self._undecoded, f"vector {self.number:,}, {head[:40]!r}")
        may_be_wanted = self._within and not self.all_found
        if may_be_wanted and self._near is not None and word:
            self.capitals.add(word)
            self._near.add(word)
            if word in FREQUENT:
                self.frequent.setdefault(word, self.number - 1)
        if self.wanted is not None:
            first = head.decode("utf-8", "replace")
            may_be_wanted &= word in self.wanted if whole else first in self._heads
        of_sample = self.sampler is not None and self.sampler.wants(word or "" if whole else "")
        return may_be_wanted and not (whole and not word), of_sample

    def take(
        self, raw: bytes, vector: NDArray[np.float32], *, wanted: bool, of_sample: bool
    ) -> str | None:
        """Add a record to the sample; return its word if it is to be kept."""
        word = self._word(raw)
        if word is None and self._is_text:  # a phrase, whose first part is a text
            self._note(self._undecoded, f"vector {self.number:,}, {raw[:40]!r}")
        if of_sample:
            cast(Sampler, self.sampler).add(cast(str, word), vector)
        keep = wanted and word and (self.wanted is None or word in self.wanted)
        if keep and self._spelling.strip is not None and word == self._spelling.decoded(raw):
            self._bare.append(cast(str, word))
        return word if keep else None

    def pass_blank(self, line_number: int) -> None:
        """Pass numbers without a word, or under one of blanks: no list can name it."""
        self._within = not self.beyond_limit
        self.number += 1
        self._note(self._blank, f"line {line_number:,}")

    def pass_damaged(self, error: EmbeddingError) -> None:
        """Pass a line that nobody asked for, though a reader of all words would stop at it."""
        self._note(self._damaged, str(error).removeprefix(f"{self.path}: "))

    def check(self, line_number: int, line: bytes, head: bytes, form: VectorFormat) -> None:
        """Note a line that nobody asked for if it is no vector."""
        if not self._within:
            return
        # Without its digits a vector is a word and so many blanks: no number need be read.
        left = line.translate(_TABS, _OF_NUMBERS)
        letters = head.translate(None, _OF_NUMBERS)
        blank_behind = line.endswith((b" \n", b" ", b" \r\n"))
        if left == letters + b" " * (form.dim + blank_behind):
            return
        try:
            _parse_sound_line(self.path, line_number, line, form)
        except EmbeddingError as error:
            self.pass_damaged(error)

    def _note(self, where: list[str], what: str) -> None:
        if self._within:  # beyond the limit nothing is the user's concern
            where.append(what if not where else "")

    def n_words(self, form: VectorFormat) -> int:
        """Return how many words the file has, within the limit."""
        n = self.number if form.count is None else form.count
        return n if self.limit is None else min(n, self.limit)

    def _word(self, raw: bytes) -> str | None:
        """Return a word as a text, "" where it lacks the mark that all should bear."""
        try:
            text = self._spelling.decoded(raw)
        except UnicodeDecodeError as error:  # errors="strict"
            raise EmbeddingError(
                f"{self.path}: vector {self.number:,}: the word {raw[:40]!r} is not "
                f"{error.encoding.upper()}; say how the file is written, such as encoding='latin-1'"
            ) from None
        if text is None and self.wanted is not None and self._spelling.encoding is None:
            latin = self._spelling.of(raw.decode("latin-1"))
            if latin in self.wanted:
                self._latin[latin] = None
                return latin
        self._marked = self._marked or self._spelling.bears(text or "")
        return text and self._spelling.of(text)

    def say(self, form: VectorFormat) -> None:
        """Warn of what is odd about the file; refuse one of which most words are no text."""
        n = len(self._undecoded)
        encoding = (self._spelling.encoding or "utf-8").upper()
        if self.wanted is None and n > min(self.number, self.limit or self.number) / 2:
            raise EmbeddingError(
                f"{self.path}: {self._undecoded[0]}: the word is not {encoding}, and most others "
                f"are not; say how it is written, such as encoding='latin-1'"
            )
        if self.wanted is None and self._spelling.strip is not None and not self._marked:
            raise EmbeddingError(f"{self.path}: {self._spelling.no_mark()}")
        it = "it" if n == 1 else "them"
        notes = [form.note]
        if self._bare:
            notes.append(self._spelling.bare(self._bare))
        if form.heading:
            notes.append(
                f"line 1 ({form.heading!r}) is neither 'count dimension' nor a vector of "
                f"{form.dim} numbers, and was passed over"
            )
        if self._latin:
            shown = ", ".join(list(self._latin)[:5])
            notes.append(
                f"is not UTF-8 throughout; words asked for were found as Latin-1 ({shown}). If the "
                f"file is written so, say encoding='latin-1', else the encoding that it has"
            )
        elif n:
            notes.append(
                f"{counted(n, 'word is', 'words are')} not {encoding} and left out (the first is "
                f"{self._undecoded[0]}); if you need {it}, say how the file is written, such as "
                f"encoding='latin-1'"
            )
        if self._blank:
            first = "it is" if len(self._blank) == 1 else "the first is"
            notes.append(
                f"{counted(len(self._blank), 'line has', 'lines have')} no word before its "
                f"numbers; left out ({first} {self._blank[0]})"
            )
        if self._damaged:
            notes.append(said_of_damage(self._damaged))
        for note in filter(None, notes):
            warnings.warn(f"{self.path}: {note}", DataWarning, stacklevel=4)


def _records(stream: ByteStream, form: VectorFormat, sieve: _Sieve) -> Iterator[_Record]:
    """Yield (number, word, vector) of the wanted records, and sample others on the way."""
    return (_text_records if form.kind == "text" else _binary_records)(stream, form, sieve)


def _text_records(stream: ByteStream, form: VectorFormat, sieve: _Sieve) -> Iterator[_Record]:
    lines = stream.lines(LONGEST_WORD + _LONGEST_NUMBER * form.dim)
    line_number = 0
    has_header = form.count is not None or form.heading != ""
    for line in lines:
        line_number += 1
        if line_number == 1:
            line = line.removeprefix(BOM)
        if not line or line.isspace():
            continue
        if has_header:
            has_header = False
            continue
        if sieve.done:
            if form.count is not None and sieve.number > form.count:
                _say_of_count(stream.path, form, sieve, "at least ")
            return
        fields = line.split() if line[:1].isspace() else []
        if len(fields) == form.dim and all(map(is_number, fields)):
            sieve.pass_blank(line_number)
            continue
        head, *after = line.split(None, 2)[:2]
        whole = bool(after) and is_number(after[0])
        wanted, of_sample = sieve.passes(head, whole=whole)
        if not (wanted or of_sample):
            sieve.check(line_number, line, head, form)
            continue
        try:
            parse = _parse_line if wanted else _parse_sound_line
            raw, vector = parse(stream.path, line_number, line, form)
        except EmbeddingError as error:
            if wanted:
                raise
            sieve.pass_damaged(error)  # nobody asked for the word
            continue
        word = sieve.take(raw, vector, wanted=wanted, of_sample=of_sample)
        if word is not None:
            yield sieve.number, word, vector
    _say_of_count(stream.path, form, sieve)


def _say_of_count(path: Path, form: VectorFormat, sieve: _Sieve, at_least: str = "") -> None:
    """Warn of a header that is a little off the whole rows, as in published files, or refuse it.

    Who asked for a part by a limit has it, whatever the header says of the rest.
    """
    promised, found = form.count, sieve.number
    if promised is None or promised == found:
        return
    if abs(promised - found) > max(1, found // 100) and not sieve.beyond_limit:
        raise EmbeddingError(
            f"{path}: line 1: the header promises {promised:,} vectors but the file has "
            f"{at_least}{found:,}; correct or delete line 1, or fetch the file again"
        )
    warnings.warn(
        f"{path}: the header promises {promised:,} vectors and the file has {at_least}{found:,}, "
        f"all whole; these are read",
        DataWarning,
        stacklevel=2,
    )


def _parse_line(
    path: Path, line_number: int, line: bytes, form: VectorFormat
) -> tuple[bytes, NDArray[np.float32]]:
    fields = line.rsplit(None, form.dim)
    try:
        parts = fields[0].split()
        if len(fields) != form.dim + 1 or (len(parts) > 1 and all(map(is_number, parts[1:]))):
            raise ValueError  # a word may hold spaces, but "b 3" is a word and a number too many
        return fields[0].lstrip(), np.array(list(map(float, fields[1:])), dtype=np.float32)
    except ValueError:
        raise EmbeddingError(_line_complaint(path, line_number, line, form)) from None


def _parse_sound_line(
    path: Path, line_number: int, line: bytes, form: VectorFormat
) -> tuple[bytes, NDArray[np.float32]]:
    """Parse a line that nobody asked for: the others are checked all together."""
    raw, vector = _parse_line(path, line_number, line, form)
    if not np.isfinite(vector).all():
        word = raw.decode("utf-8", "replace")
        raise EmbeddingError(
            f"{path}: line {line_number:,} ({short(word)}) has NaN or infinite components"
        )
    return raw, vector


def _line_complaint(path: Path, line_number: int, line: bytes, form: VectorFormat) -> str:
    where = f"{path}: line {line_number:,}"
    fields = line.split()
    word = fields[0].decode("utf-8", "replace")
    numbers = 0
    while numbers < len(fields) - 1 and is_number(fields[-1 - numbers]):
        numbers += 1
    bad = fields[-1 - numbers].decode("utf-8", "replace")
    if numbers == len(fields) - 1:
        first = "the file's first has" if form.count is None else "the header promises"
        if numbers < form.dim:
            advice = "" if line.endswith(b"\n") else CUT
        else:
            spaced = [part.decode("utf-8", "replace") for part in fields[: -form.dim]]
            advice = (
                f"; if {short(' '.join(spaced))} is one word, write it without blanks, as "
                f"{short('_'.join(spaced))}, else correct the line"
            )
        has = counted(numbers, "number")
        return f"{where} ({short(word)}) has {has} where {first} {form.dim}{advice}"
    return (
        f"{where} ({short(word)}): {bad[:40]!r} is not a number; every line needs a word and "
        f"{form.dim} numbers"
    )


def _binary_records(stream: ByteStream, form: VectorFormat, sieve: _Sieve) -> Iterator[_Record]:
    # A record is word, space, little-endian floats; those that are not wanted are stepped over.
    size = 4 * form.dim
    buffer = stream.read(SNIFFED)
    start = buffer.find(b"\n") + 1 or len(buffer)
    count = cast(int, form.count)
    while not sieve.done:
        space = buffer.find(b" ", start)
        while space < 0 or space + 1 + size > len(buffer):
            more = stream.read(max(CHUNK, size))
            if not more and not buffer[start:].strip():
                return _say_of_count(stream.path, form, sieve)
            if not more or (space < 0 and len(buffer) - start > LONGEST_WORD):
                return _refuse_rest(stream.path, form, sieve)
            buffer, start = buffer[start:] + more, 0
            space = buffer.find(b" ", start)
        word = buffer[start:space].lstrip(b"\n")
        start = space + 1 + size
        if not 0 < len(word) <= LONGEST_WORD:
            if sieve.beyond_limit:
                return
            raise EmbeddingError(
                f"{stream.path}: vector {sieve.number + 1:,}: its word has {len(word):,} bytes; "
                f"the file is damaged, or its header promises vectors of a wrong length"
            )
        if sieve.number >= count and (sieve.number > count or not _is_text(word)):
            return _refuse_rest(stream.path, form, sieve)
        wanted, of_sample = sieve.passes(word, whole=b" " not in word)
        if not (wanted or of_sample):
            continue
        vector = np.frombuffer(buffer, "<f4", form.dim, space + 1)
        text = sieve.take(word, vector, wanted=wanted, of_sample=of_sample)
        if text is not None:
            yield sieve.number, text, vector


def _is_text(word: bytes) -> bool:
    """Tell whether what follows the last vector promised may be a word of one more."""
    try:
        return word.decode("utf-8").isprintable()
    except UnicodeDecodeError:
        return False


def _refuse_rest(path: Path, form: VectorFormat, sieve: _Sieve) -> None:
    """Refuse what follows the last whole record, unless nobody asked for it."""
    if sieve.beyond_limit:
        return
    if sieve.number >= cast(int, form.count):
        raise EmbeddingError(
            f"{path}: the header promises {form.count:,} vectors of {form.dim} numbers but more "
            f"data follow; the header is wrong"
        )
    raise EmbeddingError(
        f"{path}: the header promises {form.count:,} vectors but the file is cut short or damaged "
        f"in number {sieve.number + 1:,}; fetch it again"
    )
