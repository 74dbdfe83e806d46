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
from bayesbias.support.bounded_files import (
    MOST_FAULTS,
    TomlFile,
    data_folder,
    read_json,
    read_text,
    shipped_or_own,
)
from bayesbias.words.word_lists import AttributeSet, ProtectedGroup, WordList

_TEXTS = ("title", "source", "url", "language", "notes")
_OPTIONAL = ("topics", "titles")
_TABLES = ("groups", "associated", "attributes", "controls", *_OPTIONAL)
_LIST_KEYS = (*_TEXTS, *_TABLES, "matched", "specific")
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
        return _WordListFile(path, _list_data(content, title)).word_list(title)
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
        value = value.tolist() if hasattr(value, "tolist") else value  # of numpy and pandas
        words = [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
        if not isinstance(value, list) or len(words) < len(value):
            self.note(key, 'must be a list of words, such as ["nurse", "doctor"]')
        elif not words:
            self.note(key, f"is empty; {what_to_do}")
        else:
            flaws = [f"{short(word)} {flaw}" for word in words if (flaw := _flaw_of_word(word))]
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
        texts = {key: self.attempt(self.text, key, otherwise="") for key in _TEXTS}
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
            specific=self.attempt(self.specific, otherwise=()),
        )
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
        table = self.attempt(self.table, key, otherwise={}) if required else self.optional(key)
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
                none = AttributeSet(kind, kind, ())
                sets.append(self.attempt(load_control, value, kind, self.path, otherwise=none))
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


def load_control(name: str, kind: str, asked_by: Path | None = None) -> AttributeSet:
    """Load a shipped control list, which must be of the connection `kind`."""
    where = f"{asked_by}: controls.{kind}: " if asked_by else ""
    reader = _shipped_words("controls", name, where)
    if (own := reader.text("connection")) != kind:
        raise WordListError(f"{asked_by or name}: control list {name!r} is {own!r}, not {kind!r}")
    return AttributeSet(name, kind, reader.words("words", reader.data.get("words")))


def _shipped_words(folder: str, name: str, where: str) -> _WordListFile:
    """Open a shipped list of words of a folder, controls or specific."""
    place = data_folder("wordlists") / folder
    names = sorted(f.stem for f in place.glob("*.toml"))
    if name not in names:
        what = "control list" if folder == "controls" else "list of specific words"
        raise WordListError(f"{where}no {what} {name!r}{suggest(name, names)}")
    return _WordListFile(place / f"{name}.toml")


def _flaw_of_word(word: str) -> str:
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


def _list_data(content: Any, name: str) -> dict[str, Any]:
    """Return what a file of a word list would hold, from content of any of the forms.

    From the shipped control lists words that the list itself has are taken off.
    """
    about = {"title": name, "source": "given without a source"}
    if isinstance(content, Mapping):
        about["title"] = str(content.get("title", name))
        if {"groups", "attributes"} & set(content):
            return about | plain(content)
        sets = _sets_by_name(content)
    else:
        sets = _sets_in_order(content)
    if len(sets) != len(_PLACES):
        raise WordListError(
            f"{name}: a word list has the keys of wordlists/SCHEMA.md, or four sets: X, Y, A and "
            f"B, or those of a query of wefe (target_sets and attribute_sets)"
        )
    lists, names = [], list[str]()
    for place, (key, words) in zip(_PLACES, sets, strict=True):
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise WordListError(f"{name}: set {short(key)} must be a list of words")
        lists.append(_once([word.strip() for word in words], key, name))
        taken = key in names or key in CONTROL_CONNECTIONS or not key
        names.append(f"{key}_{place}" if taken else key)
    own = {word for words in lists for word in words}
    controls: dict[str, Any] = {}
    for kind in CONTROL_CONNECTIONS:
        shipped = load_control(kind, kind).words
        others = [word for word in shipped if word not in own]
        controls[kind] = kind if len(others) == len(shipped) else others
    return {
        **about,
        "groups": dict(zip(names[:2], lists[:2], strict=True)),
        "associated": {names[0]: [names[2]], names[1]: [names[3]]},
        "attributes": dict(zip(names[2:], lists[2:], strict=True)),
        "controls": controls,
    }


def _sets_in_order(content: Sequence[Any]) -> list[tuple[str, list[Any]]]:
    """Return four lists of words, or text files of them, with the names X, Y, A, B or the files'.

    In a file a word is on a line, or between commas.
    """
    if len(content) != len(_PLACES):
        raise WordListError(
            f"{len(content)} sets of words are no word list: give four, X, Y, A and B, of which X "
            f"is associated with A and Y with B"
        )
    sets = []
    for name, words in zip(_PLACES, content, strict=True):
        if isinstance(words, str | Path):
            parts = re.split(r"[\n,]", read_text(words, WordListError))
            name, words = as_path(words).stem, filter(None, map(str.strip, parts))
        sets.append((name, list(words)))
    return sets


def _sets_by_name(content: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the sets of a query of wefe, of X, Y, A and B, or under names of their own."""
    query: list[Any] = [content.get(f"{role}_sets") for role in ("target", "attribute")]
    if all(isinstance(sets, list) and len(sets) == 2 for sets in query):
        own = [content.get(f"{role}_sets_names") for role in ("target", "attribute")]
        names = [*(own[0] or _PLACES[:2]), *(own[1] or _PLACES[2:])]
        return list(zip(map(str, names), [*query[0], *query[1]], strict=True))
    keys = _PLACES if set(content) == set(_PLACES) else content
    return [(key, content[key]) for key in keys]


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
