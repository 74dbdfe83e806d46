"""Word lists: which protected words meet which attribute words, and how they are connected.

A word list is a TOML file (``wordlists/SCHEMA.md``). Protected words are in groups; each
group names the attribute sets that stereotype associates with it. Every other stereotype
set is ``different`` for that group, and the control lists are ``human`` and ``neutral``.
"""

import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Final

import pandas as pd

from bayesbias.constants import (
    CONTROL_CONNECTIONS,
    OPTIONAL_COLUMNS,
    PAIR_COLUMNS,
    REFERENCE,
    TOPIC,
)
from bayesbias.errors import WordListError, suggest
from bayesbias.pairs.foreign_lists import FOREIGN, file_data, four_sets, list_data
from bayesbias.support.arguments import as_path
from bayesbias.support.result import Result
from bayesbias.support.shipped_data import data_folder, shipped_or_own
from bayesbias.support.text_tables import Blocks, Table
from bayesbias.support.toml_files import TomlFile, flaw_of_word

_REQUIRED = ("title", "source")
_TEXTS = (*_REQUIRED, "url", "language", "notes")
_OPTIONAL = ("topics", "titles", "factors", "aliases")
_TABLES = ("protected", "associated", "attributes", "controls", *_OPTIONAL)
_LIST_KEYS = (*_TEXTS, *_TABLES, "defining_sets", "reference", "specific")
_WORDS_KEYS = (*_TEXTS, "connection", "words")
_SHOWN: Final = 6
_FACTOR: Final = re.compile(r"[a-z][a-z0-9_]*")
_TAKEN: Final = (*PAIR_COLUMNS, *OPTIONAL_COLUMNS, TOPIC, "attribute_kind", "pair_kind")


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


@dataclass(frozen=True)
class WordPair:
    """Two words that differ only in what is protected, in a fixed order.

    Parameters
    ----------
    first, second : str
        Different words, such as ``"she"`` and ``"he"``. A direction made of pairs points toward
        the first ones.

    Raises
    ------
    WordListError
        If a word is empty or no text, or both are the same.

    Examples
    --------
    >>> WordPair("she", "he").first
    'she'
    """

    first: str
    second: str

    def __post_init__(self) -> None:
        for word in self:
            if not isinstance(word, str) or not word:
                raise WordListError(f"{word!r} in a WordPair: must be a text that is not empty")
        if self.first == self.second:
            raise WordListError(f"WordPair({self.first!r}, {self.second!r}): both are the same")

    def __iter__(self) -> Iterator[str]:
        return iter((self.first, self.second))

    def __str__(self) -> str:
        return f"{self.first}–{self.second}"


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
    defining_sets : tuple of tuple of str
        Sets of protected words that differ only in what is protected, one per row, such as
        (he, she); empty where the source gives none.
    reference : tuple of str
        Words of the same kind that are of no protected group, such as *person*; empty where the
        list names none.
    topics : mapping of str to tuple of str
        Attributes of one topic, by its name; an attribute that is in none is its own. They count
        where the distances come without vectors.
    titles : mapping of str to str
        What sentences call a group or a set, such as ``"words for women"``.
    factors : mapping of str to mapping of str to tuple of str
        Where groups are crossed: of every factor, such as race, its levels, and the groups of each.
    aliases : mapping of str to tuple of str
        Other words that stand for a word of the list where vectors lack it; the first found does.
    specific : tuple of str
        Words that mean a group by definition, such as *actress*, which debiasing leaves alone;
        empty where the list names none.

    Examples
    --------
    >>> load_wordlist("weat7").to_frame().query("role == 'protected'").word.tolist()[:2]
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
    defining_sets: tuple[tuple[str, ...], ...] = field(default=())
    reference: tuple[str, ...] = field(default=())
    topics: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    factors: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    specific: tuple[str, ...] = field(default=())

    @property
    def blocks(self) -> Blocks:
        """The lists with their sizes and first words, not hundreds of words."""
        rows = [
            ("protected", g.name, f"with {', '.join(g.associated)}", g.words) for g in self.groups
        ]
        rows += [("attribute", s.name, s.kind, s.words) for s in self.attribute_sets]
        rows += [(REFERENCE, "", "no group", self.reference)] if self.reference else []
        rows += [("specific", "", "left by debiasing", self.specific)] if self.specific else []
        rows += [("topic", name, "", words) for name, words in self.topics.items()]
        rows += [
            ("factor", name, level, groups)
            for name, levels in self.factors.items()
            for level, groups in levels.items()
        ]
        table = pd.DataFrame(rows, columns=["role", "list", "connection", "words"])
        table["words"] = [
            f"{len(words)}: {', '.join(words[:_SHOWN])}{', …' * (len(words) > _SHOWN)}"
            for words in table["words"]
        ]
        return [f"Word list {self.name!r}: {self.title}", Table(table)]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per word: ``word``, ``role`` and ``list``."""
        return pd.DataFrame(self.roles(), columns=["word", "role", "list"])

    def with_reference(self, words: Sequence[str]) -> "WordList":
        """Return the list with other reference words; refuse those in another part of the list.

        Examples
        --------
        >>> load_wordlist("gender").with_reference(["citizen"]).reference
        ('citizen',)
        """
        composed = self._new_words("reference", words, {*self.protected_words, *self.attributes})
        return replace(self, reference=composed)

    def with_attributes(self, words: Sequence[str], name: str = "attributes") -> "WordList":
        """Return the list with other attributes: one set, associated with every group.

        For words of which one wants to know how near each is to the groups, such as occupations
        (`bayesbias.facts`), and not how near a stereotype is; there are no controls. A word may be
        in no other part of the list.

        Examples
        --------
        >>> load_wordlist("gender").with_attributes(["nurse", "doctor"], "jobs").attributes
        ('nurse', 'doctor')
        """
        composed = self._new_words("attributes", words, {*self.protected_words, *self.reference})
        groups = tuple(replace(group, associated=(name,)) for group in self.groups)
        titles = {g.name: self.titles[g.name] for g in groups if g.name in self.titles}
        sets = (AttributeSet(name, "stereotype", composed),)
        return replace(self, groups=groups, attribute_sets=sets, topics={}, titles=titles)

    def _new_words(self, what: str, words: Sequence[str], taken: set[str]) -> tuple[str, ...]:
        """Return words composed; refuse those that are none, repeated or taken."""
        if not isinstance(words, list | tuple) or not all(isinstance(w, str) for w in words):
            raise WordListError(f"{what}: give a list of words, such as ['person', 'people']")
        for word in words:
            if flaw := flaw_of_word(word):
                raise WordListError(f"{what}: {word!r} {flaw}")
        composed = tuple(unicodedata.normalize("NFC", word) for word in words)
        seen = set(taken)
        for word in composed:
            if word in seen:
                raise WordListError(
                    f"{what}: {word!r} is already in the list {self.name!r}; choose another word"
                )
            seen.add(word)
        return composed

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
        """All words: protected words, then attributes, reference words and aliases."""
        others = tuple(word for words in self.aliases.values() for word in words)
        return self.protected_words + self.attributes + self.reference + others

    def roles(self) -> Iterator[tuple[str, str, str]]:
        """Yield (word, role, list) of every word, by role: protected, attribute, reference."""
        for group in self.groups:
            yield from ((word, "protected", group.name) for word in group.words)
        for attribute_set in self.attribute_sets:
            yield from ((word, "attribute", attribute_set.name) for word in attribute_set.words)
        yield from ((word, REFERENCE, REFERENCE) for word in self.reference)

    def checksum(self) -> str:
        """Return the SHA-256 of the list's words and connections (not of its prose)."""
        parts = ["groups", "attribute_sets"]
        parts += [
            name for name in ("reference", "topics", "factors", "aliases") if getattr(self, name)
        ]
        content = {key: value for key, value in asdict(self).items() if key in parts}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def levels_of(factors: Mapping[str, Mapping[str, Sequence[str]]], group: str) -> tuple[str, ...]:
    """Return the level that a group has in every factor."""
    return tuple(
        next(level for level, members in levels.items() if group in members)
        for levels in factors.values()
    )


def connection_of(group: ProtectedGroup, attribute_set: AttributeSet) -> str:
    """Return how the words of an attribute set relate to the words of a group."""
    if attribute_set.kind != "stereotype":
        return attribute_set.kind
    return "associated" if attribute_set.name in group.associated else "different"


def list_wordlists() -> tuple[str, ...]:
    """Return the names of the shipped word lists.

    Examples
    --------
    >>> "religion" in list_wordlists()
    True
    """
    return tuple(sorted((f.stem for f in data_folder("wordlists").glob("*.toml")), key=_natural))


def _natural(name: str) -> list[str | int]:
    """Sort weat7, weat7-de, weat10 in this order."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def load_wordlist(
    name: str | Path | WordList | Mapping[str, Any] | Sequence[str | Path | Sequence[str]],
) -> WordList:
    """Load a word list.

    Parameters
    ----------
    name : str, Path, mapping, sequence or WordList
        A name from `list_wordlists`, the path of a TOML file, or a mapping with the same keys,
        where title and source may be absent. Or four sets, X, Y, A and B, of which X is associated
        with A and Y with B: a sequence of four lists of words, or of text files with a word a line;
        a mapping; a frame or a CSV file with a column for each; or a JSON file of sent-bias, WEFE
        or IAT style. A list is returned as it is.

    Raises
    ------
    WordListError
        If there is no such list, or the file breaks a rule of ``wordlists/SCHEMA.md``; the
        message names the file, the key and what to do.

    Examples
    --------
    >>> load_wordlist("religion").groups[0].words[:2]
    ('judaism', 'jew')
    >>> load_wordlist([["rose"], ["wasp"], ["peace"], ["pain"]]).groups[0].associated
    ('A',)
    """
    if isinstance(name, WordList):
        return name
    if isinstance(name, pd.DataFrame):
        name = {str(column): name[column].dropna().tolist() for column in name.columns}
    if not isinstance(name, str | Path) and isinstance(name, Mapping | Sequence):
        sets = name if isinstance(name, Mapping) else four_sets(name)
        data = list_data(sets, "own", shipped_controls())
        return _WordListFile(Path("the word list"), data).word_list("own")
    if str(name).endswith(FOREIGN):
        path = as_path(name)
        return checked_list(path, list_data(file_data(path), path.stem, shipped_controls()))
    path = shipped_or_own(
        name, data_folder("wordlists"), list_wordlists(), "word list", WordListError
    )
    return _WordListFile(path).word_list()


def checked_list(path: Path, data: Mapping[str, Any]) -> WordList:
    """Return the word list of a file's data; errors name the file."""
    return _WordListFile(path, data).word_list()


def _texts(value: object) -> tuple[str, ...]:
    """Return the words among what stands in place of a list of words."""
    items = value if isinstance(value, list) else []
    return tuple(dict.fromkeys(item for item in items if isinstance(item, str)))


class _WordListFile(TomlFile):
    """A TOML file that holds a word list or a control list."""

    def __init__(self, path: Path, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(path, WordListError, data)
        self.data = {key: self.composed(key, value) for key, value in self.data.items()}

    def composed(self, key: str, value: Any) -> Any:
        """Return a value with all its texts in Unicode's NFC, in which words are compared."""
        if isinstance(value, str):
            return unicodedata.normalize("NFC", value)
        if isinstance(value, list):
            return [self.composed(key, item) for item in value]
        if isinstance(value, dict):
            named = {unicodedata.normalize("NFC", k): self.composed(k, v) for k, v in value.items()}
            if len(named) < len(value):
                raise self.fail(key, "two of its keys are the same in Unicode's NFC; rename one")
            return named
        return value

    def word_list(self, name: str = "") -> WordList:
        """Read the list; what is wrong with it is said at once. Its name is the file's."""
        for key in self.data:
            if key not in _LIST_KEYS:
                self.note(key, f"unknown key{suggest(key, _LIST_KEYS)}")
        self.lift_keys_below_tables()
        stereotypes = self.word_sets("attributes")
        protected = self.word_sets("protected")
        texts = {
            key: self.attempt(partial(self.text, key, required=key in _REQUIRED), otherwise="")
            for key in _TEXTS
        }
        controls = self.attempt(self.controls, otherwise=())
        reference = self.data.get("reference")
        known = [word for words in stereotypes.values() for word in words]
        known += [word for one in controls for word in one.words]
        word_list = WordList(
            **{**texts, "language": texts["language"] or "en"},
            name=name or self.path.stem,
            groups=self.attempt(self.groups, protected, stereotypes, otherwise=()),
            attribute_sets=(
                *(AttributeSet(name, "stereotype", words) for name, words in stereotypes.items()),
                *controls,
            ),
            defining_sets=self.attempt(self.defining_sets, protected, otherwise=()),
            reference=()
            if reference is None
            else self.attempt(self.words, "reference", reference, otherwise=_texts(reference)),
            topics=self.topics(known),
            titles=self.attempt(self.titles, [*protected, *stereotypes], otherwise={}),
            aliases=self.word_sets("aliases") if self.table("aliases", required=False) else {},
            factors=self.attempt(self.factors, list(protected), otherwise={}),
            specific=self.attempt(self.specific, otherwise=()),
        )
        self.note_aliases(word_list)
        self.note_overlap(word_list)
        self.refuse_faults()
        return word_list

    def lift_keys_below_tables(self) -> None:
        """Note keys of the list that stand below a table, and so in it, and read them as meant."""
        tables = {name: self.data.get(name) for name in _TABLES}
        both = (self.data.get(name) for name in ("protected", "attributes"))
        named = {name for table in both if isinstance(table, dict) for name in table}
        for table, within in tables.items():
            for key, value in list(within.items()) if isinstance(within, dict) else ():
                # A group or a set may have such a name, but none of them is of words in sets.
                of_words = isinstance(value, list | dict) and table != "controls"
                is_name = key in named if table in ("associated", "titles") else of_words
                taken = key in (*_TEXTS, "reference", "specific") and not is_name
                if taken or key == "defining_sets":
                    self.note(
                        f"{table}.{key}",
                        f"stands below [{table}], and so belongs to that table; move the line up, "
                        f"above the first line in square brackets",
                    )
                    self.data.setdefault(key, self.data[table].pop(key))

    def note(self, key: str, message: str) -> None:
        """Note a fault."""
        self.note_fault(f"{key}: {message}")

    def word_sets(self, key: str) -> dict[str, tuple[str, ...]]:
        """Read a table of words; of a faulty list the texts count, so that its name is known."""
        table = self.attempt(self.table, key, otherwise={})
        return {
            name: self.attempt(self.words, f"{key}.{name}", value, otherwise=_texts(value))
            for name, value in table.items()
        }

    def titles(self, names: Sequence[str]) -> dict[str, str]:
        """Read ``[titles]``: what sentences call groups and attribute sets."""
        titles = self.table("titles", required=False)
        for name, title in titles.items():
            if name not in names:
                self.note(f"titles.{name}", f"no such group or attribute set{suggest(name, names)}")
            if not isinstance(title, str) or not title.strip():
                self.note(f"titles.{name}", "must be words, such as 'words for women'")
        return dict(titles)

    def factors(self, groups: Sequence[str]) -> dict[str, dict[str, tuple[str, ...]]]:
        """Read ``[factors]``: every group in one level of each, and one in every combination."""
        n_faults = len(self.faults)
        factors = {
            name: self.attempt(self.levels, name, table, groups, otherwise={})
            for name, table in self.table("factors", required=False).items()
        }
        if len(factors) == 1:
            self.note("factors", "needs at least two; one factor is the groups themselves")
        if len(self.faults) > n_faults:
            return {}
        groups_in = Counter(levels_of(factors, group) for group in groups if factors)
        for cell in product(*factors.values()) if factors else ():
            if groups_in[cell] != 1:
                self.note(
                    "factors",
                    f"{' and '.join(cell)}: {groups_in[cell]} groups; every combination "
                    f"of levels needs exactly one",
                )
        return factors

    def levels(self, name: str, table: Any, groups: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Read the levels of a factor: every group in one."""
        key = f"factors.{name}"
        if not isinstance(table, dict):
            raise self.fail(key, 'must be a table of levels, such as { black = ["a", "b"] }')
        if not _FACTOR.fullmatch(name) or name in _TAKEN:
            self.note(
                key,
                f"becomes a column of the frame: name it in lower-case letters, digits and _, "
                f"and not {', '.join(_TAKEN)}",
            )
        read = partial(self.words, what_to_do="name its groups")
        levels = {
            level: self.attempt(read, f"{key}.{level}", value, otherwise=_texts(value))
            for level, value in table.items()
        }
        if len(levels) < 2:
            self.note(key, "needs at least two levels")
        placed = [group for members in levels.values() for group in members]
        times, valid = Counter(placed), frozenset(groups)
        for group in placed:
            if group not in valid:
                self.note(key, f"no group {group!r}{suggest(group, groups)}")
        for group in groups:
            if times[group] != 1:
                where = "two levels" if times[group] else "no level"
                self.note(key, f"group {group!r} is in {where}; put it in one")
        return levels

    def topics(self, known: list[str]) -> dict[str, tuple[str, ...]]:
        """Read ``[topics]``: by name, attributes of the list, each in one topic at most."""
        topics = self.word_sets("topics") if self.table("topics", required=False) else {}
        valid, seen = frozenset(known), dict[str, str]()
        for name, words in topics.items():
            for word in words:
                if word not in valid:
                    self.note(f"topics.{name}", f"{word!r} is no attribute{suggest(word, known)}")
                elif word in seen:
                    self.note(
                        f"topics.{name}", f"{word!r} is in topic {seen[word]!r} too; leave one"
                    )
                seen[word] = name
        return topics

    def groups(
        self, protected: dict[str, tuple[str, ...]], stereotypes: dict[str, tuple[str, ...]]
    ) -> tuple[ProtectedGroup, ...]:
        associated = self.table("associated")
        for name in associated:
            if name not in protected:
                self.note(f"associated.{name}", f"no such group{suggest(name, protected)}")
        return tuple(
            ProtectedGroup(
                name, words, self.attempt(self.sets_of, name, associated, stereotypes, otherwise=())
            )
            for name, words in protected.items()
        )

    def sets_of(
        self, name: str, associated: Mapping[str, Any], stereotypes: dict[str, tuple[str, ...]]
    ) -> tuple[str, ...]:
        """Return the attribute sets that go with a group."""
        if name == REFERENCE:
            raise self.fail(
                f"protected.{name}",
                "is what the rows of reference words are called; choose another name, or put "
                "words of no group under reference, above the first line in square brackets",
            )
        if name not in associated:
            example = next(iter(stereotypes), "tools")
            raise self.fail(
                "associated",
                f"group {name!r} is missing; add the attribute sets that go with it: "
                f'{name} = ["{example}"]; or delete the group, or put its words under reference if '
                f"no stereotype is about it",
            )
        key = f"associated.{name}"
        sets = self.words(
            key, associated[name], what_to_do="name the attribute sets that go with it"
        )
        for wanted in sets:
            if wanted not in stereotypes:
                self.note(key, f"no attribute set {wanted!r}{suggest(wanted, stereotypes)}")
        return sets

    def controls(self) -> tuple[AttributeSet, ...]:
        """Read ``[controls]``: per connection the name of a shipped list or the words."""
        controls = self.data.get("controls", {c: c for c in CONTROL_CONNECTIONS})
        if not isinstance(controls, dict):
            raise self.fail("controls", "must be a table, written [controls]")
        sets = []
        for kind, value in controls.items():
            if kind not in CONTROL_CONNECTIONS:
                self.note(f"controls.{kind}", f"unknown key{suggest(kind, CONTROL_CONNECTIONS)}")
            elif isinstance(value, str):
                read = partial(load_control, value, kind, asked_by=self.path)
                sets.append(self.attempt(read, otherwise=AttributeSet(kind, kind, ())))
            else:
                words = self.attempt(self.words, f"controls.{kind}", value, otherwise=_texts(value))
                sets.append(AttributeSet(kind, kind, words))
        return tuple(sets)

    def specific(self) -> tuple[str, ...]:
        """Read the specific words, or those of a shipped list of them."""
        value = self.data.get("specific")
        if isinstance(value, str):
            reader = _shipped_words("specific", value, f"{self.path}: specific: ")
            return reader.words("words", reader.data.get("words"))
        return () if value is None else self.words("specific", value)

    def defining_sets(self, protected: dict[str, tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
        value = self.data.get("defining_sets", [])
        if not isinstance(value, list):
            raise self.fail("defining_sets", 'must be a list of lists, such as [["he", "she"]]')
        known = {word for words in protected.values() for word in words}
        sets = []
        for number, row in enumerate(value, start=1):
            key = f"defining_sets, row {number}"
            words = self.attempt(self.words, key, row, otherwise=_texts(row))
            if len(words) < 2:
                self.note(key, "needs at least two words")
            for word in words:
                if word not in known:
                    self.note(key, f"{word!r} is not a protected word of this list")
            sets.append(words)
        return tuple(sets)

    def note_aliases(self, word_list: WordList) -> None:
        """Note aliases of words that the list lacks, or that are words of the list themselves."""
        own = list(dict.fromkeys(word for word, _, _ in word_list.roles()))
        known = frozenset(own)
        for word, others in word_list.aliases.items():
            if word not in known:
                self.note(f"aliases.{word}", f"is no word of the list{suggest(word, own)}")
            for other in known & set(others):
                self.note(f"aliases.{word}", f"{other!r} is a word of the list itself; delete it")

    def note_overlap(self, word_list: WordList) -> None:
        """Note words in two places: one would meet itself, or have two connections."""
        names: set[str] = set()
        for one in word_list.attribute_sets:
            if one.name in names:
                self.note(
                    f"attributes.{one.name}", "is the name of a control list too; choose another"
                )
            names.add(one.name)
        seen: dict[str, str] = {}
        for word, role, place in word_list.roles():
            here = f"{role} words {place!r}"
            if seen.get(word, here) != here:
                self.note(
                    place,
                    f"{word!r} is in {seen[word]} and in {here}; keep it in one of them (to "
                    f"change a shipped control list, write your own words under [controls])",
                )
            seen[word] = here


def shipped_controls() -> dict[str, tuple[str, ...]]:
    """Return the words of the shipped control lists, by connection."""
    return {kind: load_control(kind, kind).words for kind in CONTROL_CONNECTIONS}


def load_control(name: str, kind: str, *, asked_by: Path | None = None) -> AttributeSet:
    """Load a shipped control list, which must be of the connection `kind`."""
    where = f"{asked_by}: controls.{kind}: " if asked_by else ""
    reader = _shipped_words("controls", name, where)
    if reader.text("connection", required=True) != kind:
        raise WordListError(
            f"{asked_by or name}: control list {name!r} is {reader.text('connection')!r}, "
            f"not {kind!r}"
        )
    return AttributeSet(name, kind, reader.words("words", reader.data.get("words")))


def _shipped_words(folder: str, name: str, where: str) -> _WordListFile:
    """Open a shipped list of words of a folder, controls or specific."""
    place = data_folder("wordlists") / folder
    names = sorted(f.stem for f in place.glob("*.toml"))
    if name not in names:
        what = "control list" if folder == "controls" else "list of specific words"
        raise WordListError(f"{where}no {what} {name!r}{suggest(name, names)}")
    reader = _WordListFile(place / f"{name}.toml")
    reader.refuse_unknown(_WORDS_KEYS)
    return reader
