"""Word lists in the place of vectors, and the reverse: which call is meant."""

import argparse
import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from bayesbias.errors import WordListError

_LIST: Final = "--wordlist"
_VECTORS: Final = "--embedding"
_LARGEST_LIST: Final = 1 << 20


def is_list(name: str) -> bool:
    """Tell whether a name is one of a word list: a shipped one, or a file of one."""
    if name.endswith(".toml"):
        return True
    import bayesbias as bb
    from bayesbias.pairs.foreign_lists import FOREIGN

    if not name.endswith(FOREIGN):
        return name in bb.list_wordlists() and not os.path.exists(name)
    if not os.path.isfile(name) or os.path.getsize(name) > _LARGEST_LIST:
        return False
    try:  # vectors may be JSON or CSV too
        bb.load_wordlist(name)
    except WordListError:
        return False
    return True


def names_list(name: str) -> bool:
    """Tell whether a name may stand where a word list belongs."""
    return name.endswith(".json") or is_list(name)


def call_meant(
    parser: argparse.ArgumentParser, positions: Sequence[str], options: Mapping[str, str]
) -> str:
    """Return what is wrong with a command's order and which call is meant; "" where all is right.

    `positions` and `options` are what was typed, options with their values.
    """
    places = [action for action in parser._actions if not action.option_strings]
    taken = {name for action in parser._actions for name in action.option_strings}
    most = 99 if any(action.nargs in ("*", "+") for action in places) else len(places)
    positions = [name for name in positions if not name.startswith("-")]
    if _LIST in taken and (_LIST not in options or len(positions) > most):
        lists = [name for name in positions if is_list(name)]
        others = [name for name in positions if name not in lists]
        if lists and "--distances" not in options:
            given = [options[_LIST]] if _LIST in options else []
            call = [*(others or ["FILE"]), _LIST, ",".join([*given, *lists])]
            return _said(parser, f"{lists[0]} is a word list, and belongs to {_LIST}", call)
    if _VECTORS in taken and any(place.dest == "wordlist" for place in places) and positions:
        vectors = [name for name in positions if os.path.exists(name) and not names_list(name)]
        others = [name for name in positions if name not in vectors]
        asked = options.get(_VECTORS, "")
        others = others or ([asked] if asked and names_list(asked) else [])
        if vectors and others and (len(positions) > most or len(vectors) == len(positions)):
            call = [others[0], _VECTORS, vectors[0]]
            return _said(parser, f"{vectors[0]} is no word list, and belongs to {_VECTORS}", call)
    return ""


def _said(parser: argparse.ArgumentParser, what: str, call: Sequence[str]) -> str:
    return f"{what}: {parser.prog} {shlex.join(map(str, call))}"


def misplaced(vectors: str, wordlist: str) -> str:
    """Say that a word list stands where vectors belong, or vectors where the list belongs."""
    if is_list(vectors):
        swapped = "" if names_list(wordlist) else f", and {wordlist} is not; swap them"
        return f"{vectors}: is a word list{swapped}; word vectors are needed here"
    if not names_list(wordlist) and Path(wordlist).exists():
        return (
            f"--wordlist {wordlist}: is not a word list; give the name of a shipped list or a "
            f".toml file ('bayesbias wordlists import' makes one of text files, CSV or JSON)"
        )
    return ""
