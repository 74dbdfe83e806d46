"""Reads word lists: TOML files (``wordlists/SCHEMA.md``), and lists as other tools have them.

The others are four sets of words, X, Y, A and B. X is associated with A and Y with B, as in a WEAT.
They are given as four lists or text files, four lists under names of their own, or a query of wefe.
What is made of them has the keys of a file, and is checked as a file is.
"""

import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from bayesbias.constants import CONTROL_CONNECTIONS
from bayesbias.errors import DataWarning, WordListError, short, suggest
from bayesbias.show.result import plain
from bayesbias.support.arguments import as_path
from bayesbias.support.bounded_files import read_json, read_text
from bayesbias.support.toml_files import MOST_FAULTS, TomlFile, data_folder, shipped_or_own
from bayesbias.words.word_lists import AttributeSet, ProtectedGroup, WordList

_TEXTS = ("title", "source", "url", "language", "notes")
_OPTIONAL = ("topics", "titles", "aliases")
_TABLES = ("groups", "associated", "attributes", "controls", *_OPTIONAL)
_LIST_KEYS = (*_TEXTS, *_TABLES, "matched", "specific")
_WORDS_KEYS = (*_TEXTS, "connection", "words")
_PLACES: Final = ("X", "Y", "A", "B")

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
INVISIBLE: Final = re.compile("[\u00ad\u200b\u200e\u200f\u2060\ufeff]")
"""Soft hyphen, zero-width space, direction marks, word joiner, byte-order mark: two words that
differ in them look alike. The joiners U+200C and U+200D are part of some languages' spelling."""


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
        a mapping of four; or a JSON file of one of these, or of wefe's ``target_sets`` and
        ``attribute_sets``. A list is returned as it is.

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
    content: Any = name
    path, title = Path("the word list"), "own"
    if str(name).endswith(".json"):
        path = as_path(name)
        title, content = path.stem, read_json(path, WordListError)
    if isinstance(content, Mapping | Sequence) and not isinstance(content, str):
        sets = content if isinstance(content, Mapping) else four_sets(content)
        return _WordListFile(path, list_data(sets, title)).word_list(title)
    path = shipped_or_own(
        content, data_folder("wordlists"), list_wordlists(), "word list", WordListError
    )
    return _WordListFile(path).word_list()


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

    def note(self, key: str, message: str) -> None:
        """Note a fault."""
        self.note_fault(f"{key}: {message}")

    def words(
        self, key: str, value: object, *, what_to_do: str = "give it words or delete it"
    ) -> tuple[str, ...]:
        """Return a list of distinct words; of a faulty one its texts, so that its name is known.

        `what_to_do` is for an empty one.
        """
        words = [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
        if not isinstance(value, list) or len(words) < len(value):
            self.note(key, 'must be a list of words, such as ["nurse", "doctor"]')
        elif not words:
            self.note(key, f"is empty; {what_to_do}")
        else:
            flaws = [f"{short(word)} {flaw}" for word in words if (flaw := flaw_of_word(word))]
            repeated = [word for word, times in Counter(words).items() if times > 1]
            flaws += [f"lists {short(word)} more than once; once is enough" for word in repeated]
            if flaws:
                self.note(key, "; ".join(flaws[:MOST_FAULTS]))
        return tuple(dict.fromkeys(words))

    def word_list(self, name: str = "") -> WordList:
        """Read the list; what is wrong with it is said at once. Its name is the file's."""
        for key in self.data:
            if key not in _LIST_KEYS:
                self.note(key, f"unknown key{suggest(key, _LIST_KEYS)}")
        self.lift_keys_below_tables()
        stereotypes = self.word_sets("attributes")
        protected = self.word_sets("groups")
        texts = {key: self.attempt(partial(self.text, key), otherwise="") for key in _TEXTS}
        controls = self.controls()
        attributes = [word for words in stereotypes.values() for word in words]
        attributes += [word for control in controls for word in control.words]
        word_list = WordList(
            **{**texts, "language": texts["language"] or "en"},
            name=name or self.path.stem,
            groups=self.groups(protected, stereotypes),
            attribute_sets=(
                *(AttributeSet(name, "stereotype", words) for name, words in stereotypes.items()),
                *controls,
            ),
            matched=self.matched(protected),
            topics=self.topics(attributes),
            titles=self.titles([*protected, *stereotypes]),
            aliases=self.word_sets("aliases", required=False),
            specific=self.attempt(self.specific, otherwise=()),
        )
        self.note_aliases(word_list)
        self.note_overlap(word_list)
        self.refuse_faults()
        return word_list

    def lift_keys_below_tables(self) -> None:
        """Note keys of the list that stand below a table, and so in it, and read them as meant."""
        for table in _TABLES:
            within = self.data.get(table)
            for key, value in list(within.items()) if isinstance(within, dict) else ():
                # A group or a set may be called notes, but its words are no text.
                is_text = key in _TEXTS and isinstance(value, str) and table != "titles"
                if is_text or key == "matched":
                    self.note(
                        f"{table}.{key}",
                        f"stands below [{table}], and so belongs to that table; move the line up, "
                        f"above the first line in square brackets",
                    )
                    self.data.setdefault(key, self.data[table].pop(key))

    def optional(self, key: str) -> Mapping[str, Any]:
        """Return a table that may be absent, empty where it is none."""
        return self.attempt(partial(self.table, key, required=False), otherwise={})

    def word_sets(self, key: str, *, required: bool = True) -> dict[str, tuple[str, ...]]:
        """Read a table of words."""
        table = self.attempt(partial(self.table, key, required=required), otherwise={})
        return {name: self.words(f"{key}.{name}", value) for name, value in table.items()}

    def titles(self, names: Sequence[str]) -> dict[str, str]:
        """Read ``[titles]``: what sentences call groups and attribute sets."""
        titles = self.optional("titles")
        for name, title in titles.items():
            if name not in names:
                self.note(f"titles.{name}", f"no such group or attribute set{suggest(name, names)}")
            if not isinstance(title, str) or not title.strip():
                self.note(f"titles.{name}", "must be words, such as 'words for women'")
        return dict(titles)

    def topics(self, attributes: list[str]) -> dict[str, tuple[str, ...]]:
        """Read ``[topics]``: by name, attributes of the list, each in one topic at most."""
        topics = self.word_sets("topics", required=False)
        valid, topic_of = frozenset(attributes), dict[str, str]()
        for name, words in topics.items():
            for word in words:
                if word not in valid:
                    near = suggest(word, attributes)
                    self.note(f"topics.{name}", f"{word!r} is no attribute{near}")
                elif word in topic_of:
                    other = topic_of[word]
                    self.note(f"topics.{name}", f"{word!r} is in topic {other!r} too; leave one")
                topic_of[word] = name
        return topics

    def groups(
        self, protected: dict[str, tuple[str, ...]], stereotypes: dict[str, tuple[str, ...]]
    ) -> tuple[ProtectedGroup, ...]:
        """Read ``[associated]``: the attribute sets that go with a group, if any do."""
        sets: dict[str, tuple[str, ...]] = {}
        for name, value in self.optional("associated").items():
            key = f"associated.{name}"
            if name not in protected:
                self.note(key, f"no such group{suggest(name, protected)}")
                continue
            sets[name] = self.words(
                key, value, what_to_do="name the attribute sets that go with it"
            )
            for wanted in sets[name]:
                if wanted not in stereotypes:
                    self.note(key, f"no attribute set {wanted!r}{suggest(wanted, stereotypes)}")
        return tuple(
            ProtectedGroup(name, words, sets.get(name, ())) for name, words in protected.items()
        )

    def controls(self) -> tuple[AttributeSet, ...]:
        """Read ``[controls]``: per connection the name of a shipped list or the words."""
        if "controls" not in self.data:
            return tuple(load_control(kind, kind) for kind in CONTROL_CONNECTIONS)
        sets = []
        for kind, value in self.optional("controls").items():
            if kind not in CONTROL_CONNECTIONS:
                self.note(f"controls.{kind}", f"unknown key{suggest(kind, CONTROL_CONNECTIONS)}")
            elif isinstance(value, str):
                read = partial(load_control, value, kind, asked_by=self.path)
                sets.append(self.attempt(read, otherwise=AttributeSet(kind, kind, ())))
            else:
                sets.append(AttributeSet(kind, kind, self.words(f"controls.{kind}", value)))
        return tuple(sets)

    def specific(self) -> tuple[str, ...]:
        """Read the specific words, or those of a shipped list of them."""
        value = self.data.get("specific")
        if isinstance(value, str):
            reader = _shipped_words("specific", value, f"{self.path}: specific: ")
            return reader.words("words", reader.data.get("words"))
        return () if value is None else self.words("specific", value)

    def matched(self, protected: dict[str, tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
        """Read the matched sets: rows of protected words, no two of one group."""
        rows = self.data.get("matched", [])
        if not isinstance(rows, list):
            self.note("matched", 'must be a list of lists, such as [["he", "she"]]')
            return ()
        group_of = {word: name for name, words in protected.items() for word in words}
        sets = []
        for number, row in enumerate(rows, start=1):
            key = f"matched, row {number}"
            words = self.words(key, row)
            if len(words) < 2:
                self.note(key, "needs at least two words")
            for word in words:
                if word not in group_of:
                    self.note(key, f"{word!r} is not a protected word of this list")
            groups = Counter(group_of[word] for word in words if word in group_of)
            for name, times in groups.items():
                if times > 1:
                    self.note(key, f"has two words of group {name!r}; leave one")
            sets.append(words)
        return tuple(sets)

    def note_aliases(self, word_list: WordList) -> None:
        """Note aliases of words that the list lacks, or that are words of the list themselves."""
        own = list(dict.fromkeys(word for word, _, _ in word_list.roles()))
        of_list = frozenset(own)
        for word, others in word_list.aliases.items():
            if word not in of_list:
                self.note(f"aliases.{word}", f"is no word of the list{suggest(word, own)}")
            for other in of_list & set(others):
                self.note(f"aliases.{word}", f"{other!r} is a word of the list itself; delete it")

    def note_overlap(self, word_list: WordList) -> None:
        """Note words in two places: one would meet itself, or have two connections."""
        names = Counter(attribute_set.name for attribute_set in word_list.attribute_sets)
        for name in (name for name, times in names.items() if times > 1):
            self.note(f"attributes.{name}", "is the name of a control list too; choose another")
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


def flaw_of_word(word: str) -> str:
    """Say what is wrong with a text as a word of a list; nothing if it is one."""
    if not word or word != word.strip() or "\n" in word:
        return "is empty, spans lines or has space around it"
    if _CONTROL.search(word):
        return "has a control character; delete it"
    if hidden := INVISIBLE.search(word):
        return f"has the invisible character U+{ord(hidden[0]):04X}; delete it"
    if any(0xD800 <= ord(character) < 0xE000 for character in word):
        return "has half of a character (a lone surrogate); delete it"
    return ""


def list_data(content: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return what a file of a word list would hold, from a mapping of any of the forms.

    From the shipped control lists words that the list itself has are taken off.
    """
    about = {"title": str(content.get("title", name)), "source": "given without a source"}
    if {"groups", "attributes"} & set(content):
        return about | plain(content)
    sets = _of_wefe(content)
    if not sets and set(content) == set(_PLACES):
        sets = [(place, content[place]) for place in _PLACES]
    sets = sets or list(content.items())
    if len(sets) != len(_PLACES):
        raise WordListError(
            f"{name}: a word list has the keys of wordlists/SCHEMA.md, or four sets: X, Y, A and "
            f"B, or those of a query of wefe (target_sets and attribute_sets)"
        )
    for key, words in sets:
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise WordListError(f"{name}: set {short(key)} must be a list of words")
    x, y, a, b = (_once([word.strip() for word in words], key, name) for key, words in sets)
    controls: dict[str, Any] = {}
    for kind in CONTROL_CONNECTIONS:
        shipped = load_control(kind, kind).words
        others = [word for word in shipped if word not in {*x, *y, *a, *b}]
        controls[kind] = kind if len(others) == len(shipped) else others
    named = _distinct_names([key for key, _ in sets])
    return {
        **about,
        "groups": {named[0]: x, named[1]: y},
        "associated": {named[0]: [named[2]], named[1]: [named[3]]},
        "attributes": {named[2]: a, named[3]: b},
        "controls": controls,
    }


def four_sets(sets: Sequence[Any]) -> dict[str, Any]:
    """Return four lists of words, or text files of them, under the names X, Y, A, B or files'.

    In a file a word is on a line, or between commas.
    """
    if len(sets) != len(_PLACES):
        raise WordListError(
            f"{len(sets)} sets of words are no word list: give four, X, Y, A and B, of which X is "
            f"associated with A and Y with B"
        )
    names, lists = list(_PLACES), []
    for number, words in enumerate(sets):
        if isinstance(words, str | Path):
            names[number] = as_path(words).stem
            parts = re.split(r"[\n,]", read_text(words, WordListError))
            words = [word for part in parts if (word := part.strip())]
        lists.append(list(words))
    return dict(zip(_distinct_names(names), lists, strict=True))


def _of_wefe(content: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Read ``target_sets`` and ``attribute_sets``, of two each, with their names if they have."""
    named: list[tuple[str, Any]] = []
    for role, places in (("target", "XY"), ("attribute", "AB")):
        sets = content.get(f"{role}_sets")
        if not isinstance(sets, list) or len(sets) != len(places):
            return []
        names = content.get(f"{role}_sets_names") or list(places)
        named += zip(map(str, names), sets, strict=True)
    return named


def _once(words: list[str], key: str, name: str) -> list[str]:
    """Return the words of a set without repeats, of which a note tells."""
    if again := [word for word, times in Counter(words).items() if times > 1]:
        shown = ", ".join(map(short, again[:3])) + (" and more" if len(again) > 3 else "")
        warnings.warn(
            f"{name}: set {short(key)} lists {shown} more than once; each counts once",
            DataWarning,
            stacklevel=2,
        )
    return list(dict.fromkeys(words))


def _distinct_names(names: Sequence[str]) -> list[str]:
    """Return names of the four sets that differ from each other and from those of controls."""
    distinct: list[str] = []
    for place, name in zip(_PLACES, names, strict=True):
        taken = name in distinct or name in CONTROL_CONNECTIONS or not name
        distinct.append(f"{name}_{place}" if taken else name)
    return distinct
