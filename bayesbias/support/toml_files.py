"""Reads the package's TOML files; every error names the file, the key and what to do."""

import codecs
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from bayesbias.errors import BayesBiasError, short, suggest
from bayesbias.support.bounded_files import COMPRESSED, open_regular, refuse_archive, unpacking

T = TypeVar("T")

LARGEST_TOML: Final = 1 << 18
"""Bytes of a file: some 20,000 words, a hundred times the longest list that is shipped."""

MOST_FAULTS: Final = 20
"""Faults that are looked for: a file of another kind has as many as it has words."""

# tomllib takes time and memory with the square of a dotted key's length; ours have two parts.
_PART = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')"""
_DEEP_KEY: Final = re.compile(
    rf"(?:^|[{{,\[])[ \t]*+(?:{_PART}[ \t]*+\.[ \t]*+){{8}}", re.MULTILINE
)
_CURLY: Final = re.compile(r"[=\[,] *[“”„«]")
_WHERE: Final = re.compile(r" \(at line (\d+), column \d+\)")
_LINE: Final = re.compile(r"[ \t]*[^#=\[\s][^=]*=[ \t]*+(?!\"\"\"|'''|[\[{][^\]}]*$).*")
"""A key and its whole value, unless this goes on in the next line."""

_OPEN: Final = re.compile(r"[ \t]*[^#=\[\s][^=]*=[ \t]*+[\[{][^\]}]*")
_BEGINS: Final = re.compile(r"\[[\w.-]+\]$|[\w-]+[ \t]*=")
"""A list that goes on in the next line, and a line in which none goes on."""

_SYNTAX: Final = {
    "Illegal character": "close the text with the quotes that it begins with",
    "Unterminated string": "close the text with the quotes that it begins with",
    "Expected": "write one key = value a line, and texts in quotes",
    "Unclosed array": "put commas between the words, and ] behind the last",
    "Unclosed inline": "put commas between the parts, and } behind the last",
    "Cannot overwrite": "the key is there twice: delete one",
    "Cannot declare": "the table is there twice: put what is in both into one",
    "Duplicate": "the key is there twice: delete one",
    "Unescaped": "write two backslashes for one",
    "Invalid value": "put texts in quotes",
    "Invalid statement": "begin a comment with #",
}
"""What to do, by how a complaint of tomllib begins."""

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
INVISIBLE: Final = re.compile("[\u00ad\u200b\u200e\u200f\u2060\ufeff]")
"""Soft hyphen, zero-width space, direction marks, word joiner, byte-order mark: two words that
differ in them look alike. The joiners U+200C and U+200D are part of some languages' spelling."""


def flaw_of_word(word: str) -> str:
    """Say what is wrong with a text as a word of a list; nothing if it is one."""
    if not word or word != word.strip() or "\n" in word:
        return "is empty, spans lines or has space around it"
    if _CONTROL.search(word):
        return "has a control character; delete it"
    if found := INVISIBLE.search(word):
        return f"has the invisible character U+{ord(found[0]):04X}; delete it"
    if any(0xD800 <= ord(character) < 0xE000 for character in word):
        return "has half of a character (a lone surrogate); delete it"
    return ""


def _faults_of_syntax(text: str, first: Exception) -> list[str]:
    """Say what is wrong with a text that is no TOML, and with lines that are none by themselves."""
    lines = text.split("\n")
    found = dict([_fault(lines, first)])
    for number, line in enumerate(lines, start=1):
        following = next(filter(None, map(str.strip, lines[number:])), "")
        if _LINE.fullmatch(line) or (_OPEN.fullmatch(line) and _BEGINS.match(following)):
            try:
                tomllib.loads(line)
            except (ValueError, RecursionError) as error:
                found.setdefault(*_fault(lines, error, number))
    return [f"line {at:,} {said}" for at, said in sorted(found.items())]


def _fault(lines: list[str], error: Exception, at: int = 0) -> tuple[int, str]:
    """Return the line of a complaint of tomllib (`at`, if it is of that alone), and what to do."""
    where = _WHERE.search(str(error))
    at = at or (int(where[1]) if where else len(lines))
    while at > 1 and not lines[at - 1].strip():  # a text that is not closed ends with the file
        at -= 1
    line = lines[at - 1].strip()
    advice = next((do for what, do in _SYNTAX.items() if str(error).startswith(what)), "")
    if _CURLY.search(line):
        advice = "write straight quotes, not curly ones"
    return at, f"({short(line)}) is not valid TOML; {advice or 'correct it'}"


class TomlFile:
    """A parsed TOML file that reports what is wrong with its keys, as errors of one kind."""

    def __init__(
        self, path: Path, error: type[BayesBiasError], data: Mapping[str, Any] | None = None
    ) -> None:
        self.path = path
        self._error = error
        self.faults: list[str] = []
        if data is not None:
            self.data = dict(data)
            return
        with open_regular(self.path, self._error) as stream:
            content = stream.read(LARGEST_TOML + 1) or b""  # None where a file of /proc would block
        if content.startswith(COMPRESSED):
            refuse_archive(self.path, content, self._error)
            raise self._error(
                f"{self.path}: is packed; unpack it ({unpacking(self.path, content)}) and name the "
                f"file inside"
            )
        if len(content) > LARGEST_TOML:
            raise self._error(
                f"{self.path}: is larger than {LARGEST_TOML:,} bytes; split it, or take fewer words"
            )
        try:
            is_wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
            text = content.decode("utf-16" if is_wide else "utf-8-sig").replace("\r\n", "\n")
            if found := _DEEP_KEY.search(text):
                line = text.count("\n", 0, found.start() + 1) + 1
                raise self._error(f"{self.path}: line {line:,}: a key has too many parts")
            self.data = tomllib.loads(text)
        except UnicodeDecodeError as error:
            raise self._error(
                f"{self.path}: byte {error.start} is not UTF-8; save the file as UTF-8"
            ) from error
        # A number of thousands of digits is a plain ValueError.
        except (ValueError, RecursionError) as error:
            for fault in _faults_of_syntax(text, error):
                self.note_fault(fault)
            self.refuse_faults()

    def fail(self, key: str, message: str) -> BayesBiasError:
        """Return the error for a key, to be raised by the caller."""
        return self._error(f"{self.path}: {key}: {message}")

    def attempt(self, read: Callable[..., T], *args: Any, otherwise: Any) -> T:
        """Return what `read` returns; where it raises, note the fault, and return `otherwise`."""
        try:
            return read(*args)
        except self._error as fault:
            if len(self.faults) >= MOST_FAULTS:  # it is all of them
                raise
            self.note_fault(str(fault).removeprefix(f"{self.path}: "))
            return cast("T", otherwise)

    def note_fault(self, fault: str) -> None:
        """Note a fault, but raise once there are many."""
        self.faults.append(fault)
        if len(self.faults) >= MOST_FAULTS:
            self.refuse_faults()

    def refuse_faults(self) -> None:
        """Raise if faults were noted: one as it is, several numbered, with a line each."""
        faults = list(dict.fromkeys(self.faults))
        if len(faults) > 1:
            numbered = [f"({number}) {fault}" for number, fault in enumerate(faults, start=1)]
            first = "the first " if len(self.faults) >= MOST_FAULTS else ""
            faults = ["\n  ".join([f"{first}{len(faults)} faults:", *numbered])]
        if faults:
            raise self._error(f"{self.path}: {faults[0]}")

    def refuse_unknown(
        self, valid: tuple[str, ...], *, table: str = "", of: Mapping[str, Any] | None = None
    ) -> None:
        """Raise if the file, one of its tables, or the table `of`, has a key not in `valid`."""
        prefix = f"{table}." if table else ""
        if of is None:
            of = self.table(table) if table else self.data
        for key in of:
            if key not in valid:
                raise self.fail(f"{prefix}{key}", f"unknown key{suggest(key, valid)}")

    def text(self, key: str, *, required: bool = False) -> str:
        """Return a text, stripped, or ``""`` where it may be absent."""
        value = self.data.get(key, "")
        if not isinstance(value, str):
            raise self.fail(key, "must be a text in quotes")
        if required and not value.strip():
            raise self.fail(key, "is required and must be a text")
        return value.strip()

    def table(self, key: str, *, required: bool = True) -> Mapping[str, Any]:
        """Return a table, empty where it may be absent."""
        value = self.data.get(key, {})
        if not isinstance(value, dict):
            raise self.fail(key, f"must be a table, written [{key}]")
        if required and not value:
            raise self.fail(key, f"is missing or empty; the file needs a table [{key}]")
        return value

    def words(
        self, key: str, value: object, *, what_to_do: str = "give it words or delete it"
    ) -> tuple[str, ...]:
        """Return a list of distinct words, checked; `what_to_do` is for an empty one."""
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise self.fail(key, 'must be a list of words, such as ["nurse", "doctor"]')
        if not value:
            raise self.fail(key, f"is empty; {what_to_do}")
        flaws = [f"{short(word)} {flaw}" for word in value if (flaw := flaw_of_word(word))]
        repeated = [word for word, times in Counter(value).items() if times > 1]
        flaws += [f"lists {short(word)} more than once; once is enough" for word in repeated]
        if flaws:
            raise self.fail(key, "; ".join(flaws[:MOST_FAULTS]))
        return tuple(value)
