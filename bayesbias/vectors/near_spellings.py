"""In which other spelling a word that is missing is in the vocabulary.

Such as in another case, with an underscore, or with a mark that all words of a file bear: a
language before them, a part of speech or a suffix behind. What is found is told to the user; it is
not used.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, islice
from typing import Final

from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.lookup import FALLBACKS, MEAN, spellings
from bayesbias.vectors.samples import ROWS
from bayesbias.vectors.sources import known_of
from bayesbias.vectors.spelling import without_mark

_JOINTS: Final = str.maketrans("", "", " _-'’·")
_LETTERS: Final = re.compile(r"[^\W_]+")
_SHOWN: Final = 3
_LONGEST_MARK: Final = 12
_MARKED_ROWS: Final = 50_000
_CLOSING: Final = "]>)}\"'»”"  # ends of a mark that is the same for all words


def simplified(text: str) -> str:
    """Return a text in lower case, without accents and what joins the parts of a phrase."""
    if not text.isascii():
        apart = unicodedata.normalize("NFKD", text)
        text = "".join(c for c in apart if not unicodedata.combining(c)) or text
    return text.casefold().translate(_JOINTS).replace("\u0131", "i")  # of Turkish


class NearSpellings:
    """Looks for spellings of words while a vocabulary passes."""

    def __init__(self, words: Iterable[str]) -> None:
        self._wanted = {simplified(word) for word in words} - {""}
        self._exact = frozenset(words)
        self._left = ROWS
        self._lengths = sorted({len(word) for word in self._exact})
        self._marked: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
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
        if self._left > ROWS - _MARKED_ROWS:
            self._add_marked(text)

    def _add_marked(self, text: str) -> None:
        """Note what stands before or behind a word that a text begins or ends with."""
        for n in self._lengths:
            if not 0 < len(text) - n <= _LONGEST_MARK:
                continue
            if (head := text[:n]) in self._exact:
                self._marked["", text[n:]].setdefault(head, text)
            if (tail := text[-n:]) in self._exact:
                self._marked[text[:-n], ""].setdefault(tail, text)

    def marked(self, words: Iterable[str]) -> dict[str, str]:
        """Return the words with the mark that most of them bear, whichever letters it is of."""
        missing = set(words)
        found = [
            {word: text for word, text in of_mark.items() if word in missing}
            for of_mark in self._marked.values()
        ]
        return max(found, key=len, default={})

    def inflected(self, words: Iterable[str]) -> dict[str, str]:
        """Return the shortest text that begins with each of the words that are not very short."""
        there: dict[str, str] = {}
        for (before, _), of_mark in self._marked.items():
            for word, text in of_mark.items():
                if not before and len(word) > _SHOWN:
                    there[word] = min(there.get(word, text), text, key=len)
        return {word: there[word] for word in words if word in there}


def _marked_word(text: str) -> str:
    """Return the word in a text with a mark: a language, a part of speech, a piece's place."""
    parts = _LETTERS.findall(text)
    others = [part for part in parts if not (len(part) > 1 and part.isupper())]
    if len(parts) == 2 and len(others) == 1:  # he_PRON
        return others[0]
    is_phrase = text.translate(_JOINTS).isalnum()
    return "" if is_phrase or not parts else max(reversed(parts), key=len)


def spellings_among(vocabulary: Sequence[str], words: Iterable[str]) -> NearSpellings:
    """Look for the spellings of words that a vocabulary has."""
    search = NearSpellings(words)
    for text in islice(vocabulary, ROWS):
        search.add(text)
    return search


def near_spellings(
    vectors: KeyedVectors, missing: Iterable[str], *, n_found: int = 0
) -> dict[str, str]:
    """Return another spelling of those missing words of which the vocabulary has one.

    Words with a mark of letters, such as a suffix, are told of where they are more than the words
    that were found: most vocabularies have plurals.
    """
    words = list(missing)
    if not words:
        return {}
    search = known_of(vectors, "near") or spellings_among(vectors.index_to_key, words)
    near = {word: search.found.get(simplified(word), word) for word in words}
    near = {word: text for word, text in near.items() if text != word}
    marked = search.marked(words)
    if len(marked) > max(len(near), n_found, _SHOWN - 1):
        return marked
    return near or (search.inflected(words) if not n_found else {})


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
    best, n = votes.most_common(1)[0] if votes else ("", 0)
    # Who strips a mark has the words that bear it alone.
    return "" if best.startswith("strip") and 2 * n <= len(near) and n < len(near) else best


def _fallbacks_of(word: str, text: str) -> list[str]:
    for size in (1, 2):
        for names in combinations((name for name in FALLBACKS if name not in (MEAN, "none")), size):
            if text in spellings([word], names):
                return list(names)
    return [MEAN] if text in spellings([word], [MEAN]) else []


def _mark_of(word: str, text: str) -> str:
    """Return what `load_embedding` strips off a text that has a word and a mark, or ""."""
    before, found, behind = text.rpartition(word)
    if not found:
        return ""
    # What differs from word to word, a part of speech or a sense, is cut off with its sign.
    is_same = len(behind) < 2 or behind[0].isalnum() or behind[-1] in _CLOSING
    marks = [behind if is_same else f"{behind[0]}*" * behind.count(behind[0]), behind]
    if before and behind:
        marks = [f"{before}{{}}{mark}" for mark in marks]
    elif before:
        marks = [before]
    shown = (mark for mark in marks if mark and mark.isprintable())
    return next((mark for mark in shown if without_mark(text, mark) == word), "")
