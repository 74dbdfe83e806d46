"""How the bytes of a file become words: which encoding, and which marks stand around the words."""

import codecs
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bayesbias.errors import ArgumentError, one_of
from bayesbias.support.text_tables import counted

_WORD: Final = "{}"  # where the word stands in a mark on both sides
_FEW: Final = 5
_LONGEST: Final = 40  # letters of a word that a note names


@dataclass(frozen=True)
class Spelling:
    """How words are written in a source; see `load_embedding`."""

    encoding: str | None = None
    errors: str | None = None
    strip: str | None = None

    def __post_init__(self) -> None:
        if self.encoding is not None:
            try:
                codecs.lookup(self.encoding)
            except (LookupError, TypeError, ValueError):
                raise ArgumentError(
                    f"encoding={self.encoding!r}: is not known; give one such as 'utf-8' or "
                    f"'latin-1'"
                ) from None
        if self.errors is not None:
            one_of(self.errors, "errors", ("strict", "ignore", "replace"))
        if self.strip is not None and not (
            isinstance(self.strip, str) and self.strip.replace(_WORD, "").strip("* ")
        ):
            raise ArgumentError(
                f"strip={self.strip!r}: give what stands before or after every word, such as "
                f"'/c/en/', '▁', or '_*' for an underscore and all that follows it; '<{{}}>' for "
                f"both sides"
            )

    def decoded(self, raw: bytes) -> str | None:
        """Return a word as text; None where its bytes are none."""
        try:
            return raw.decode(self.encoding or "utf-8", self.errors or "strict")
        except UnicodeDecodeError:
            if self.errors == "strict":
                raise
            return None

    def of(self, text: str) -> str:
        """Return a word without the mark; where it does not bear it, "" or the word.

        A mark with ``*``, such as a part of speech, may be lacking. Without another, ``▁`` say, a
        text is the piece of a word, or of another language.
        """
        if self.strip is None:
            return text
        return without_mark(text, self.strip) or (text if "*" in self.strip else "")

    def bears(self, text: str) -> bool:
        """Tell whether a word bears the mark."""
        return self.strip is not None and bool(without_mark(text, self.strip))

    def no_mark(self) -> str:
        """Say that no word of a source bears the mark."""
        return f"no word bears the mark strip={self.strip!r}; leave it out, or correct it"

    def bare(self, words: Sequence[str]) -> str:
        """Say which words were read though they lack the mark."""
        one = len(words) == 1
        return (
            f"{counted(len(words), 'word lacks', 'words lack')} the mark strip={self.strip!r} and "
            f"{'was' if one else 'were'} read as {'it is' if one else 'they are'} "
            f"({first_few(words)})"
        )


def said_of_repeats(words: Sequence[str]) -> str:
    """Say whose second and later vectors were left out; a word stands there once for each."""
    named = first_few(list(dict.fromkeys(words)))
    return (
        f"{counted(len(words), 'vector repeats', 'vectors repeat')} an earlier word and "
        f"{'was' if len(words) == 1 else 'were'} left out ({named}); the first vector of a word is "
        f"used"
    )


def said_of_damage(lines: Sequence[str]) -> str:
    """Say that damaged lines were passed over, and what is wrong with the first."""
    n = len(lines)
    return (
        f"{counted(n, 'damaged line was', 'damaged lines were')} passed over, since nobody asked "
        f"for {'its word' if n == 1 else 'their words'}: {lines[0]}"
    )


def first_few(words: Sequence[str]) -> str:
    """Return the first words of many, each cut where it is very long."""
    return ", ".join([word[:_LONGEST] for word in words[:_FEW]] + ["..."] * (len(words) > _FEW))


def without_mark(text: str, mark: str) -> str:
    """Return a text without a mark before or behind it; "" where it bears none, or nothing else.

    ``_*``: the last underscore and all behind it. ``_*_*``: the last two. ``*/``: the last slash
    and all before it. ``<{}>``: marks on both sides.
    """
    if _WORD in mark:
        before, _, behind = mark.partition(_WORD)
        rest = text.removeprefix(before) if text.startswith(before) else ""
        return without_mark(rest, behind) if rest and behind else rest
    if mark.endswith("*"):
        for part in reversed(mark[:-1].split("*")):
            text = text.rpartition(part)[0] if part else ""
        return text
    if mark.startswith("*"):
        _, found, rest = text.rpartition(mark[1:])
        return rest if found else ""
    if text.startswith(mark):
        return text.removeprefix(mark)
    return text.removesuffix(mark) if text.endswith(mark) else ""
