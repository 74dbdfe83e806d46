"""Reads the package's TOML files; every error names the file, the key and what to do."""

import codecs
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from bayesbias.errors import BayesBiasError, short, suggest
from bayesbias.support.bounded_files import COMPRESSED, open_regular

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
        if len(content) > LARGEST_TOML or content.startswith(COMPRESSED):
            raise self._error(
                f"{self.path}: is compressed or larger than {LARGEST_TOML:,} bytes; give a "
                f"plain TOML file, split if need be"
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
            curly = "; write straight quotes, not curly ones" if _CURLY.search(text) else ""
            raise self._error(f"{self.path}: not valid TOML: {error}{curly}") from error

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
