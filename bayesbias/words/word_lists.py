"""Word lists: which protected words meet which attribute words, and how they are connected.

Protected words are in groups; each group names the attribute sets that stereotype associates with
it. Every other stereotype set is ``different`` for that group, and the control lists are ``human``
and ``neutral``. `list_files` reads them.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final

import pandas as pd

from bayesbias.constants import UNASSIGNED
from bayesbias.show.result import Blocks, Result, Table

_SHOWN: Final = 6


@dataclass(frozen=True)
class ProtectedGroup:
    """Protected words that share the same stereotypes: the names of associated attribute sets."""

    name: str
    words: tuple[str, ...]
    associated: tuple[str, ...]


@dataclass(frozen=True)
class AttributeSet:
    """Attribute words of a stereotype, or of one of the two kinds of control list."""

    name: str
    kind: str
    words: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class WordList(Result):
    """Protected words, attribute words, and how they are connected.

    Made by `load_wordlist`. A WEAT list has two groups, X and Y, associated with the
    attribute sets A and B.

    Parameters
    ----------
    name, title, source, url, language, notes : str
        What the list is and where it comes from.
    groups : tuple of ProtectedGroup
        The protected words.
    attribute_sets : tuple of AttributeSet
        The stereotype sets, then the control lists.
    matched : tuple of tuple of str
        Sets of protected words that differ only in the group, one per row, such as (he, she); empty
        where the source gives none.
    topics : mapping of str to tuple of str
        Attributes of one topic, by its name; an attribute that is in none is its own. They count
        where the distances come without vectors.
    titles : mapping of str to str
        What sentences call a group or a set, such as ``"words for women"``.
    specific : tuple of str
        Words that mean a group by definition, such as *actress*, which debiasing leaves alone;
        empty where the list names none.

    Examples
    --------
    >>> import bayesbias as bb
    >>> bb.load_wordlist("weat7").to_frame().query("role == 'protected'").word.tolist()[:2]
    ['math', 'algebra']
    """

    name: str
    title: str
    source: str
    groups: tuple[ProtectedGroup, ...]
    attribute_sets: tuple[AttributeSet, ...]
    url: str = ""
    language: str = "en"
    notes: str = ""
    matched: tuple[tuple[str, ...], ...] = field(default=())
    topics: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    specific: tuple[str, ...] = field(default=())

    @property
    def blocks(self) -> Blocks:
        """The lists with their sizes and first words, not hundreds of words."""
        rows = [
            ("protected", g.name, f"with {', '.join(g.associated)}", g.words) for g in self.groups
        ]
        rows += [("attribute", s.name, s.kind, s.words) for s in self.attribute_sets]
        rows += [("specific", "", "left by debiasing", self.specific)] if self.specific else []
        rows += [("topic", name, "", words) for name, words in self.topics.items()]
        table = pd.DataFrame(rows, columns=["role", "list", "connection", "words"])
        table["words"] = [
            f"{len(words)}: {', '.join(words[:_SHOWN])}{', …' * (len(words) > _SHOWN)}"
            for words in table["words"]
        ]
        return [f"Word list {self.name!r}: {self.title}", Table(table)]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per word: ``word``, ``role`` and ``list``."""
        return pd.DataFrame(self.roles(), columns=["word", "role", "list"])

    @property
    def protected_words(self) -> tuple[str, ...]:
        """All protected words, group by group."""
        return tuple(word for group in self.groups for word in group.words)

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attribute words, set by set."""
        return tuple(word for s in self.attribute_sets for word in s.words)

    @property
    def words(self) -> tuple[str, ...]:
        """All words: protected words, then attributes."""
        return self.protected_words + self.attributes

    def roles(self) -> Iterator[tuple[str, str, str]]:
        """Yield (word, role, list) of every word, by role: protected, attribute."""
        for group in self.groups:
            yield from ((word, "protected", group.name) for word in group.words)
        for attribute_set in self.attribute_sets:
            yield from ((word, "attribute", attribute_set.name) for word in attribute_set.words)

    def checksum(self) -> str:
        """Return the SHA-256 of the list's words and connections (not of its prose)."""
        parts = ["groups", "attribute_sets"]
        parts += [name for name in ("matched", "topics") if getattr(self, name)]
        content = {key: value for key, value in asdict(self).items() if key in parts}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def connection(self, group: ProtectedGroup, attribute_set: AttributeSet) -> str:
        """Return how the words of an attribute set relate to the words of a group."""
        if attribute_set.kind != "stereotype":
            return attribute_set.kind
        if attribute_set.name in group.associated:
            return "associated"
        is_owned = any(attribute_set.name in other.associated for other in self.groups)
        return "different" if is_owned or group.associated else UNASSIGNED

    def matches(self, words: Sequence[str]) -> dict[str, str]:
        """Return the matched set of every word; a word without others of its set has its own.

        Sets that share a word are one: *black* is in two sets of race, so that both are.
        """
        present = set(words)
        label: dict[str, str] = {word: word for word in words}
        for row in self.matched:
            joined = {label[word] for word in row if word in present}
            for word, own in label.items():
                if own in joined:
                    label[word] = min(joined)
        return label
