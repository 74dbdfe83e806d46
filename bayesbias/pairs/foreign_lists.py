"""Word lists as people have them: four sets of words, X, Y, A and B, in several forms.

X is associated with A and Y with B, as in a WEAT. What is made of them has the keys of
``wordlists/SCHEMA.md``, and is checked as a file is.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bayesbias.constants import CONTROL_CONNECTIONS
from bayesbias.errors import WordListError
from bayesbias.support.arguments import as_path
from bayesbias.support.bounded_files import read_text
from bayesbias.support.result import plain

_PLACES: Final = ("X", "Y", "A", "B")
_ROLES: Final = {"targ": "XY", "target": "XY", "attr": "AB", "attribute": "AB"}

FORMS: Final = (
    "a word list has the keys of wordlists/SCHEMA.md, or four sets: targ1, targ2, attr1 and attr2 "
    "(sent-bias), target_sets and attribute_sets (WEFE), or X, Y, A and B"
)


def list_data(
    content: Mapping[str, Any], name: str, shipped: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """Return what a file of a word list would hold, from a mapping of any of the forms.

    `shipped`: the control lists, from which words that the list itself has are taken off.
    """
    about = {"title": str(content.get("title", name)), "source": "given without a source"}
    if {"protected", "attributes", "associated"} & set(content):
        return about | plain(dict(content))
    sets = _sent_bias(content) or _wefe(content) or _by_letters(content)
    if sets is None:
        raise WordListError(f"{name}: {FORMS}")
    named = _distinct_names(sets)
    for place, (_, words) in zip(_PLACES, sets, strict=True):
        if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
            raise WordListError(f"{name}: set {place} must be a list of words")
    x, y, a, b = (list(dict.fromkeys(word.strip() for word in words)) for _, words in sets)
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


def four_sets(sets: Sequence[Any]) -> dict[str, Any]:
    """Return four lists of words, or text files of them, as X, Y, A and B."""
    if len(sets) != 4:
        raise WordListError(
            f"{len(sets)} sets of words are no word list: give four, X, Y, A and B, of which X is "
            f"associated with A and Y with B"
        )
    return {
        place: {"category": _name(one, place), "examples": _words(one)}
        for place, one in zip(_PLACES, sets, strict=True)
    }


def _name(one: Any, place: str) -> str:
    return as_path(one).stem if isinstance(one, str | Path) else place


def _words(one: Any) -> list[Any]:
    """Return the words of a list, or of a text file: one a line, or between commas."""
    if not isinstance(one, str | Path):
        return list(one)
    parts = re.split(r"[\n,;]+", read_text(as_path(one), WordListError).removeprefix("\ufeff"))
    return [word for part in parts if (word := part.strip()) and not word.startswith("#")]


def _sent_bias(content: Mapping[str, Any]) -> list[tuple[str, Any]] | None:
    """Read ``targ1`` or ``target_1``, and so on: a list, or ``category`` and ``examples``."""
    found = {}
    for key, value in content.items():
        parts = re.fullmatch(r"([a-z]+?)s?_?(?:set)?_?([12])", key.lower())
        if parts and (places := _ROLES.get(parts[1])):
            place = places[int(parts[2]) - 1]
            found[place] = _named_set(value, place)
    return [found[place] for place in _PLACES] if len(found) == len(_PLACES) else None


def _by_letters(content: Mapping[str, Any]) -> list[tuple[str, Any]] | None:
    """Read X, Y, A and B; or four sets in this order under names of their own."""
    letters = {key.upper(): value for key, value in content.items()}
    if set(_PLACES) <= set(letters):
        return [_named_set(letters[place], place) for place in _PLACES]
    if len(content) == 4 and all(isinstance(value, list | tuple) for value in content.values()):
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
            found += content[key].items()
        else:
            names = content.get(f"{role}_sets_names", content.get(f"{role}_names", list(places)))
            found += zip(names, content[key], strict=True)
    return found


def _named_set(value: Any, place: str) -> tuple[str, Any]:
    if not isinstance(value, Mapping):
        return place, value
    name = next((value[key] for key in ("category", "name", "label") if key in value), place)
    words = next((value[key] for key in ("examples", "words", "items") if key in value), None)
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


TEMPLATE: Final = """\
# A word list. Lines that begin with # are comments. "bayesbias wordlists check FILE" checks it.
title = "{title}"
source = "Where the words come from"
# url = "https://doi.org/..."
# language = "en"
# notes = "Why these words."

# Pairs of protected words that differ only in what is protected; for debiasing.
# defining_sets = [["he", "she"]]

# Words of the same kind that belong to no group: six to ten frequent ones. This line stands above
# the first [table].
reference = ["person", "people", "someone", "citizen", "human", "individual"]

[protected]
# The groups, with their words.
men = ["he", "him", "his", "man", "father", "son"]
women = ["she", "her", "hers", "woman", "mother", "daughter"]

[associated]
# For every group the attribute sets that a stereotype links to it.
men = ["tools"]
women = ["household"]

[attributes]
# A set that no group is associated with is nobody's.
tools = ["hammer", "saw", "drill", "wrench"]
household = ["kitchen", "oven", "laundry", "broom"]

[controls]
# The shipped English lists, or words of your own; delete the lines for a list without controls.
human = "human"
neutral = "neutral"

[titles]
# What sentences call groups and sets.
men = "words for men"
women = "words for women"
tools = "tools"
household = "household words"

# [topics]
# Attributes of one topic; they count where distances come without vectors.
# cooking = ["kitchen", "oven"]
"""
