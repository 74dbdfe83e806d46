"""How commands read vectors, word lists and distances, and report what is missing.

Where word lists stand in the place of vectors, or the reverse, it is said which call is meant.
"""

import argparse
import os
import shlex
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import bayesbias as bb
from bayesbias.cli.output import in_option_terms, is_silent, options_for
from bayesbias.errors import ArgumentError, DataWarning, WordListError
from bayesbias.support.text_tables import printable

if TYPE_CHECKING:
    import pandas as pd

_WIDTH: Final = 160  # letters of a line of words, at most
_LIST: Final = "--wordlist"
_VECTORS: Final = "--embedding"
_LARGEST_LIST: Final = 1 << 20


def is_list(name: str) -> bool:
    """Tell whether a name is one of a word list: a shipped one, or a file of one."""
    if name.endswith(".toml"):
        return True
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


def frame_of(
    arguments: argparse.Namespace, change: "Callable[[bb.WordList], bb.WordList] | None" = None
) -> "pd.DataFrame":
    """Return the distances of a file, or of vectors and a word list, changed if need be.

    A table of distances, such as pairs.csv of a folder of results, is known where vectors belong.
    """
    from bayesbias.pairs.files import holds_distances

    if arguments.distances is None and arguments.embedding and holds_distances(arguments.embedding):
        arguments.embedding, arguments.distances = None, arguments.embedding
    if (arguments.embedding is None) == (arguments.distances is None):
        raise ArgumentError("give either a file of word vectors or --distances FILE")
    if arguments.distances is not None:
        if arguments.wordlist is not None:
            raise ArgumentError("--wordlist goes with word vectors; --distances has its own words")
        return distances_frame(arguments.distances, arguments)
    if arguments.wordlist is None:
        raise ArgumentError(
            "word vectors need --wordlist; 'bayesbias wordlists list' shows some. A file of "
            "distances is given as --distances FILE"
        )
    if arguments.duplicates != "drop":
        raise ArgumentError("--duplicates goes with --distances; word vectors have no pairs")
    wordlist = None if change is None else change(named_wordlist(arguments))
    return embedding_frame(arguments.embedding, arguments, wordlist)


def embedding_frame(
    path: str, arguments: argparse.Namespace, wordlist: "bb.WordList | None" = None
) -> "pd.DataFrame":
    """Return the distances of vectors, or of a folder of runs, and of the list asked for."""
    from bayesbias.vectors.loading import load_words
    from bayesbias.vectors.seeded_runs import runs_in

    check_places(path, arguments.wordlist)
    wordlist = named_wordlist(arguments) if wordlist is None else wordlist
    if runs := runs_in(path):
        if arguments.limit is not None:
            raise ArgumentError(f"--limit goes with one file of vectors; {path} has training runs")
        return bb.pairs.distances_of_runs(runs, wordlist, fallbacks=arguments.fallbacks)
    reading = options_for(bb.load_embedding, arguments, words=wordlist.words)
    vectors = load_words(path, **reading)
    asked = {name: getattr(arguments, name, None) for name in ("counts", "controls")}
    return bb.distances(vectors, wordlist, fallbacks=arguments.fallbacks, **asked)


def named_wordlist(arguments: argparse.Namespace) -> "bb.WordList":
    """Return the word list of the arguments, with the reference words that they name."""
    wordlist = bb.load_wordlist(arguments.wordlist)
    if str(arguments.wordlist).endswith((".csv", ".tsv", ".txt")):
        warnings.warn(f"{arguments.wordlist}: {pairing(wordlist)}", DataWarning, stacklevel=2)
    if arguments.reference is None:
        return wordlist
    return wordlist.with_reference(arguments.reference)


def pairing(wordlist: "bb.WordList") -> str:
    """Say which group goes with which sets, how many words each has, and the first, to check."""
    sets = {one.name: one.words for one in wordlist.attribute_sets}
    return "; ".join(
        f"{_counted(group.name, group.words)} with "
        f"{', '.join(_counted(name, sets[name]) for name in group.associated)}"
        for group in wordlist.groups
    )


def _counted(name: str, words: Sequence[str]) -> str:
    return f"{name} ({len(words)} from {words[0]!r} on)"


def check_places(vectors: str, wordlist: str) -> None:
    """Refuse a word list where vectors belong, and vectors where the list belongs."""
    if is_list(vectors):
        swapped = "" if names_list(wordlist) else f", and {wordlist} is not; swap them"
        raise ArgumentError(f"{vectors}: is a word list{swapped}; word vectors are needed here")
    if not names_list(wordlist) and Path(wordlist).exists():
        raise ArgumentError(
            f"--wordlist {wordlist}: is not a word list; give the name of a shipped list or a "
            f".toml file ('bayesbias wordlists import' makes one of text files, CSV or JSON)"
        )


def distances_frame(path: str, arguments: argparse.Namespace) -> "pd.DataFrame":
    """Return the distances of a file, and refuse options that only vectors have."""
    for name in ("fallbacks", "reference", "limit", "trusted"):
        value = getattr(arguments, name)
        if not (value is None or value is False or value == []):
            raise ArgumentError(f"{name}= goes with word vectors; {path} is read as distances")
    return bb.read_distances(path, duplicates=arguments.duplicates)


def print_missing(arguments: argparse.Namespace, frame: "pd.DataFrame", *, title: str = "") -> None:
    """Print the words that a frame could not use, and those that were found in lower case."""
    from bayesbias.pairs.case import NEAR, in_lower_case
    from bayesbias.pairs.provenance import missing_of, source_of
    from bayesbias.vectors.near_spellings import advice_on

    lower = in_lower_case(frame)
    if is_silent(arguments) or not (missing_of(frame) or lower):
        return
    if title:
        print(f"{printable(title)}:")
    missing = bb.missing_words(frame)
    for (role, name), part in missing.groupby(["role", "list"], sort=False):
        where = f" of {name}" if name else ""
        _print_words(f"missing {role} words{where}", part["word"])
    if lower:
        _print_words("looked up in lower case", lower)
    if near := source_of(frame).get(NEAR):
        print(printable(in_option_terms(advice_on(near), arguments.parser), lines=False))
    print()


def _print_words(what: str, words: "Sequence[str] | pd.Series") -> None:
    named = ", ".join(words)
    if len(named) > _WIDTH:
        named = named[:_WIDTH].rsplit(",", 1)[0] + ", ..."
    print(printable(f"{what} ({len(words)}): {named}", lines=False))
