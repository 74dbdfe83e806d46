"""Word lists as people have them: four sets of words, X, Y, A and B, in several forms.

X is associated with A and Y with B, as in a WEAT. What is made of them has the keys of
``wordlists/SCHEMA.md``, and is checked as a file is.
"""

import csv
import json
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bayesbias.constants import CONTROL_CONNECTIONS
from bayesbias.errors import DataWarning, WordListError, short
from bayesbias.support.arguments import as_path
from bayesbias.support.bounded_files import read_json, read_text
from bayesbias.support.result import plain
from bayesbias.support.toml_files import TomlFile

_PLACES: Final = ("X", "Y", "A", "B")
_ROLES: Final = {
    **dict.fromkeys(("targ", "target", "category", "categorie", "cat", "concept"), "XY"),
    **dict.fromkeys(("attr", "attribute"), "AB"),
}
_OF_IAT: Final = {"awords": "X", "bwords": "Y", "poswords": "A", "negwords": "B"}
_FIRST_OR_SECOND: Final = {"1": 0, "a": 0, "2": 1, "b": 1}
_BETWEEN: Final = ("\t", ";", ",", "|")

FORMS: Final = (
    "a word list has the keys of wordlists/SCHEMA.md, or four sets: targ1, targ2, attr1 and attr2 "
    "(sent-bias), target_sets and attribute_sets (WEFE), or X, Y, A and B"
)
_FORMS_OF_TEXT: Final = (
    "is no word list; give four columns under their names, a column of words beside one of four "
    "names, four lines such as 'flowers: rose, tulip', or four files of words"
)


FOREIGN: Final = (".json", ".csv", ".tsv", ".txt")  # ends of the names of files of other forms


def list_data(
    content: Mapping[str, Any], name: str, shipped: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """Return what a file of a word list would hold, from a mapping of any of the forms.

    `shipped`: the control lists, from which words that the list itself has are taken off.
    """
    about = {"title": str(content.get("title", name)), "source": "given without a source"}
    has_targets = any(str(key).startswith("target") for key in content)
    if {"protected", "associated"} & set(content) or ("attributes" in content and not has_targets):
        return about | plain(dict(content))
    sets = _four_of(content) or _inner(content, name)
    named = _distinct_names(sets)
    for place, (_, words) in zip(_PLACES, sets, strict=True):
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise WordListError(f"{name}: set {place} must be a list of words")
    x, y, a, b = (_once([str(word).strip() for word in words], key, name) for key, words in sets)
    kept = {key: content[key] for key in ("source", "url", "language", "notes") if key in content}
    controls: dict[str, Any] = {}
    if kept.get("language", "en") == "en":
        for kind, words in shipped.items():
            left = [word for word in words if word not in {*x, *y, *a, *b}]
            controls[kind] = kind if len(left) == len(words) else left
    return {
        **about,
        **kept,
        "protected": {named[0]: x, named[1]: y},
        "associated": {named[0]: [named[2]], named[1]: [named[3]]},
        "attributes": {named[2]: a, named[3]: b},
        "controls": controls,
    }


def _once(words: list[str], key: str, name: str) -> list[str]:
    """Return the words of a set without repeats, of which a note tells."""
    found = list(dict.fromkeys(words))
    if again := [word for word in found if words.count(word) > 1]:
        said = ", ".join(map(short, again[:3])) + (" and more" if len(again) > 3 else "")
        warnings.warn(
            f"{name}: set {short(key)} lists {said} more than once; each counts once",
            DataWarning,
            stacklevel=2,
        )
    return found


def _four_of(content: Mapping[str, Any]) -> list[tuple[str, Any]] | None:
    """Return four sets with their names of any form; None of another."""
    content = {str(key): _listed(value) for key, value in content.items()}
    return _sent_bias(content) or _wefe(content) or _by_letters(content)


def _inner(content: Mapping[str, Any], name: str) -> list[tuple[str, Any]]:
    """Return the four sets that stand one mapping deeper, under a test's name."""
    inner = {
        key: found
        for key, value in content.items()
        if isinstance(value, Mapping) and (found := _four_of(value)) is not None
    }
    if len(inner) > 1:
        raise WordListError(
            f"{name}: has several word lists ({', '.join(map(str, inner))}); give one of them"
        )
    if not inner:
        raise WordListError(f"{name}: {FORMS}")
    return next(iter(inner.values()))


def _listed(value: Any) -> Any:
    """Return words as a list, whatever they stand in; a set, which has no order, sorted."""
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        return value
    return list(value)


def file_data(path: Path) -> dict[str, Any]:
    """Return the sets of a file of another form: JSON, TOML, a table, or lines of text."""
    if path.suffix == ".json":
        content = read_json(path, WordListError)
        if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
            content = content[0]
        if not isinstance(content, dict | list):
            raise WordListError(f"{path}: is JSON, but no word list; {FORMS}")
        return content if isinstance(content, dict) else four_sets(content)
    if path.suffix == ".toml":
        return TomlFile(path, WordListError).data
    text = read_text(path, WordListError)
    sets = _of_lines(text) or _of_table(text)
    if sets is None:
        raise WordListError(f"{path}: {_FORMS_OF_TEXT}")
    return sets


_AFTER_NAME: Final = re.compile(r"\s*[:=]\s*|\s+[–—-]\s+")


def _of_lines(text: str) -> dict[str, Any] | None:
    """Read four lines of a name, a colon or dash, and words, besides comments."""
    bare = (_COMMENT.sub("", line) for line in text.splitlines())
    lines = [_AFTER_NAME.split(line, maxsplit=1) for line in bare if line.strip()]
    if len(lines) != len(_PLACES) or not all(len(line) == 2 for line in lines):
        return None
    sets = {name.strip(" \"'"): _separated(words) for name, words in lines}
    return sets if len(sets) == len(_PLACES) else None


def _of_table(text: str) -> dict[str, Any] | None:
    """Read four columns under their names, or a column of words and one of their sets."""
    lines = [line for line in text.splitlines() if line.strip()]
    for between in _BETWEEN:
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=between)]
        width = max(map(len, rows), default=0)
        rows = [row + [""] * (width - len(row)) for row in rows]
        if width > 1 and all(row[0].isdigit() for row in rows[1:]):  # numbers of rows
            rows = [row[1:] for row in rows]
        columns = [list(column) for column in zip(*rows, strict=True) if any(column)]
        if any(map(_is_of_numbers, columns)):
            continue
        if len(columns) == len(_PLACES) and len(rows) > 1:
            sets = {column[0]: [word for word in column[1:] if word] for column in columns}
            return sets if len(sets) == len(_PLACES) else None
        if len(columns) == 2 and (found := _of_pairs(columns)):
            return found
    return None


def _is_of_numbers(column: list[str]) -> bool:
    numbers = [cell for cell in column if re.fullmatch(r"[+-]?[\d.,]+(e[+-]?\d+)?", cell)]
    return len(numbers) > len(column) / 2


def _of_pairs(columns: Sequence[list[str]]) -> dict[str, Any] | None:
    """Read words and the names of their sets, in either order, with or without a line of names."""
    for skipped in (0, 1):
        for names, words in (columns, columns[::-1]):
            named = list(dict.fromkeys(names[skipped:]))
            if len(named) == len(_PLACES) < len(set(words)):
                pairs = list(zip(names[skipped:], words[skipped:], strict=True))
                return {name: [word for of, word in pairs if of == name] for name in named}
    return None


def four_sets(sets: Sequence[Any]) -> dict[str, Any]:
    """Return four lists of words, or text files of them, as X, Y, A and B."""
    if len(sets) != 4:
        raise WordListError(
            f"{len(sets)} sets of words are no word list: give four, X, Y, A and B, of which X is "
            f"associated with A and Y with B"
        )
    names = [
        as_path(one).stem if isinstance(one, str | Path) else place
        for place, one in zip(_PLACES, sets, strict=True)
    ]
    return {
        place: {"category": name, "examples": _words(one)}
        for place, name, one in zip(_PLACES, names, sets, strict=True)
    }


def _words(one: Any) -> list[Any]:
    """Return the words of a list, or of a text file: one a line, or between commas."""
    if not isinstance(one, str | Path):
        return list(_listed(one))
    return _separated(read_text(as_path(one), WordListError))


_COMMENT: Final = re.compile(r"(?:^|\s)#.*")
_BULLET: Final = re.compile(r"(?:\d+[.)]|[-*•])\s+")
_QUOTED: Final = re.compile(r"([\"'“«])(.*)[\"'”»]")
_COUNTED: Final = re.compile(r"([^\t,;]+)[\t,;]\s*\d+(?:\.\d+)?")


def _separated(text: str) -> list[str]:
    """Return the words of a text, without numbering, bullets, quotes, counts and comments.

    A single line without a comma has words between its blanks.
    """
    lines = [_COMMENT.sub("", line).strip() for line in text.strip().splitlines()]
    lines = [line.strip("[](){}").strip() for line in lines if line.strip("[](){} ")]
    counts = [_COUNTED.fullmatch(line) for line in lines]
    if len(lines) > 1 and all(counts):
        lines = [found[1] for found in counts if found]
    parts = [part for line in lines for part in re.split(r"[,;\t]+", line)]
    if len(parts) == 1:
        parts = parts[0].split()
    found = [_BULLET.sub("", part.strip(), count=1) for part in parts]
    words = [quoted[2] if (quoted := _QUOTED.fullmatch(word)) else word for word in found]
    return [word.strip() for word in words if word.strip()]


def _sent_bias(content: Mapping[str, Any]) -> list[tuple[str, Any]] | None:
    """Read ``targ1`` or ``target_1``, and so on: a list, or ``category`` and ``examples``."""
    found = {}
    for key, value in content.items():
        parts = re.fullmatch(r"([a-z]+?)s?_?(?:set)?_?([12ab])", key.lower())
        if parts and (places := _ROLES.get(parts[1])):
            place = places[_FIRST_OR_SECOND[parts[2]]]
            found[place] = _named_set(value, place)
        elif place := _OF_IAT.get(key.lower(), ""):
            found[place] = _named_set(value, place)
    return [found[place] for place in _PLACES] if len(found) == len(_PLACES) else None


def _by_letters(content: Mapping[str, Any]) -> list[tuple[str, Any]] | None:
    """Read X, Y, A and B; or four sets in this order under names of their own."""
    letters = {key.upper(): value for key, value in content.items()}
    if set(_PLACES) <= set(letters):
        return [_named_set(letters[place], place) for place in _PLACES]
    if len(content) == 4 and all(isinstance(value, list) for value in content.values()):
        return list(content.items())
    return None


def _wefe(content: Mapping[str, Any]) -> list[tuple[str, Any]] | None:
    """Read ``target_sets`` and ``attribute_sets``: two lists with names, or a mapping of two."""
    found: list[tuple[str, Any]] = []
    for role, places in (("target", "XY"), ("attribute", "AB")):
        key = next((k for k in (f"{role}_sets", f"{role}s", role) if k in content), None)
        if key is None or len(content[key]) != 2:
            return None
        if isinstance(content[key], Mapping):
            found += [(str(name), _listed(words)) for name, words in content[key].items()]
        else:
            names = content.get(f"{role}_sets_names", content.get(f"{role}_names", list(places)))
            found += zip(map(str, names), map(_listed, content[key]), strict=True)
    return found


def _named_set(value: Any, place: str) -> tuple[str, Any]:
    if not isinstance(value, Mapping):
        return place, _listed(value)
    if len(value) == 1:
        name, words = next(iter(value.items()))
        return str(name), _listed(words)
    name = next((value[key] for key in ("category", "name", "label") if key in value), place)
    keys = ("examples", "words", "items", "media", "stimuli")
    words = _listed(next((value[key] for key in keys if key in value), None))
    if isinstance(words, list) and all(isinstance(one, Mapping) for one in words):
        words = [one.get("word", one.get("text")) for one in words]
    return str(name), words


def _distinct_names(sets: Sequence[tuple[str, Any]]) -> list[str]:
    """Return names of the four sets that differ from each other and from those of controls."""
    names: list[str] = []
    for place, (name, _) in zip(_PLACES, sets, strict=True):
        taken = name in names or name in (*CONTROL_CONNECTIONS, "reference") or not name
        names.append(f"{name}_{place}" if taken else name)
    return names


def as_toml(data: Mapping[str, Any]) -> str:
    """Return a word list as the text of its TOML file."""
    tables = {key: value for key, value in data.items() if isinstance(value, Mapping)}
    lines = [f"{key} = {_toml(value)}" for key, value in data.items() if key not in tables]
    for key, table in tables.items():
        lines += ["", f"[{key}]", *(f"{_key(name)} = {_toml(one)}" for name, one in table.items())]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml(name)


def _toml(value: Any) -> str:
    """Return texts, lists and mappings of them; JSON writes the first two as TOML does."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_toml(v)}" for k, v in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
