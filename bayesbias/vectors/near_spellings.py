"""In which other spelling a word that is missing is in the vocabulary.

Such as in another case, with an underscore, or with a mark that all words of a file bear. What is
found is told to the user; it is not used.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations, islice
from typing import Final
from weakref import WeakKeyDictionary

from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.lookup import FALLBACKS, MEAN, spellings
from bayesbias.vectors.samples import ROWS
from bayesbias.vectors.spelling import without_mark

_JOINTS: Final = str.maketrans("", "", " _-'’·")
_LETTERS: Final = re.compile(r"[^\W_]+")
_SHOWN: Final = 3


def simplified(text: str) -> str:
    """Return a text in lower case, without accents and what joins the parts of a phrase."""
    if not text.isascii():
        apart = unicodedata.normalize("NFKD", text)
        text = "".join(c for c in apart if not unicodedata.combining(c)) or text
    return text.casefold().translate(_JOINTS)


class NearSpellings:
    """Looks for spellings of words while a vocabulary passes."""

    def __init__(self, words: Iterable[str]) -> None:
        self._wanted = {simplified(word) for word in words} - {""}
        self._exact = frozenset(words)
        self._left = ROWS
        self.found: dict[str, str] = {}
        """From a word, simplified, to the first spelling of it."""

    def add(self, text: str) -> None:
        """Pass a word of the vocabulary."""
        self._left -= 1
        if self._left < 0 or text in self._exact:
            return
        form = simplified(text)
        if form not in self._wanted and not text.isalpha():
            form = simplified(_marked_word(text))
        if form in self._wanted:
            self.found.setdefault(form, text)


def _marked_word(text: str) -> str:
    """Return the word in a text with a mark: a language, a part of speech, a piece's place."""
    parts = _LETTERS.findall(text)
    others = [part for part in parts if not (len(part) > 1 and part.isupper())]
    if len(parts) == 2 and len(others) == 1:  # he_PRON
        return others[0]
    is_phrase = text.translate(_JOINTS).isalnum()
    return "" if is_phrase or not parts else max(reversed(parts), key=len)


_FOUND: Final["WeakKeyDictionary[KeyedVectors, Mapping[str, str]]"] = WeakKeyDictionary()


def remember_near(vectors: KeyedVectors, found: Mapping[str, str]) -> None:
    """Note which spellings the source has of the words that vectors were asked for."""
    _FOUND[vectors] = found


def near_spellings(vectors: KeyedVectors, missing: Iterable[str]) -> dict[str, str]:
    """Return another spelling of those missing words of which the vocabulary has one."""
    words = list(missing)
    if not words:
        return {}
    found = _FOUND.get(vectors)
    if found is None:
        search = NearSpellings(words)
        for text in islice(vectors.index_to_key, ROWS):
            search.add(text)
        found = search.found
    near = {word: found.get(simplified(word), word) for word in words}
    return {word: text for word, text in near.items() if text != word}


def advice_on(near: Mapping[str, str]) -> str:
    """Say which other spellings are there, and which argument takes them; "" if there are none."""
    if not near:
        return ""
    shown = ", ".join(f"{word!r} as {text!r}" for word, text in islice(near.items(), _SHOWN))
    more = f" and {len(near) - _SHOWN:,} more" if len(near) > _SHOWN else ""
    taken = _what_takes(near)
    return f"the vectors have {shown}{more}{f'; {taken} takes them' if taken else ''}"


def _what_takes(near: Mapping[str, str]) -> str:
    """Return the argument that finds most of the words in the spellings that are there."""
    votes: Counter[str] = Counter()
    for word, text in near.items():
        if mark := _mark_of(word, text):
            votes[f"strip={mark!r}"] += 1
        elif names := _fallbacks_of(word, text):
            votes[f"fallbacks={names}"] += 1
    return votes.most_common(1)[0][0] if votes else ""


def _fallbacks_of(word: str, text: str) -> list[str]:
    for size in (1, 2):
        for names in combinations((name for name in FALLBACKS if name not in (MEAN, "none")), size):
            if text in spellings([word], names):
                return list(names)
    return [MEAN] if text in spellings([word], [MEAN]) else []


def _mark_of(word: str, text: str) -> str:
    """Return what `load_embedding` strips off a text that has a word and a mark, or ""."""
    if text.endswith(word):
        return text.removesuffix(word)
    if not text.startswith(word):
        return ""
    behind = text.removeprefix(word)
    # Parts of speech differ from word to word: what begins them is cut off with all behind it.
    mark = f"{behind[0]}*" if len(behind) > 1 and behind[1:].isalnum() else behind
    return mark if without_mark(text, mark) == word else ""
