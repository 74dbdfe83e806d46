"""Words that a method of debiasing used are no evidence that it worked.

Hard debiasing makes every neutral word equally far from both members of a defining pair, whatever
the vectors know of their bias: such distances are set, not found. Bias is still in words that no
list names (Gonen and Goldberg 2019, "Lipstick on a Pig"). So the answer is that of other words: of
the asked list, of a list that the user names, or of a shipped one.
"""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bayesbias.comparison.changes import KEYS, design_of, named
from bayesbias.comparison.conditions import Vectors
from bayesbias.constants import ATTRIBUTE, PROTECTED_WORD
from bayesbias.debias.record import words_used
from bayesbias.errors import ArgumentError, BayesBiasError, BayesBiasWarning, OutputError
from bayesbias.fits.contrasts import contrasts_asked
from bayesbias.support.arguments import KeyedVectors
from bayesbias.support.bounded_files import read_json
from bayesbias.words.distance_frame import distances
from bayesbias.words.list_files import list_wordlists, load_wordlist
from bayesbias.words.provenance import source_of
from bayesbias.words.word_lists import WordList


def used_words(used: Any) -> frozenset[str]:
    """Return words that were used, in lower case: other capitals are no other evidence.

    `used`: words; a word list, or its shipped name or file, of which protected words and
    stereotypes count; a record of `bayesbias.debias`, in memory or its JSON file.
    """
    source = getattr(used, "record", used)  # of what a debiasing step returned
    if isinstance(source, str | Path) and str(source).endswith(".json"):
        content = read_json(Path(source), OutputError)
        source = content if "neutralised" in content else source
    with suppress(LookupError, TypeError):
        return words_used(source)
    if isinstance(source, str | Path | WordList):
        return frozenset[str]().union(*_parts(load_wordlist(source)))
    is_words = isinstance(source, Iterable) and not isinstance(source, Mapping)
    if not is_words or not all(isinstance(word, str) for word in source):
        raise ArgumentError(
            f"used={used!r}: give words, a word list, or the record of a debiasing method"
        )
    return frozenset(word.lower() for word in source)


def unused_pairs(frame: pd.DataFrame, used: frozenset[str]) -> pd.DataFrame:
    """Return the pairs of a frame neither of whose words was used."""
    rests = [frame[column].str.lower().isin(used) for column in (PROTECTED_WORD, ATTRIBUTE)]
    return frame[~np.any(rests, axis=0)]


def rests_on_used(frame: pd.DataFrame, used: frozenset[str]) -> set[Any]:
    """Return what names the contrasts that no pair without a used word is left for."""
    if not used:
        return set()
    return {*named(_labels(frame))} - {*named(_labels(unused_pairs(frame, used)))}


def held_out_pairs(
    frames: list[pd.DataFrame],
    vectors: Vectors,
    wordlist: Any,
    test: WordList | None,
    used: frozenset[str],
) -> tuple[str, list[pd.DataFrame]]:
    """Return a list of words that were not used, and its pairs of every condition; [] without any.

    The list is `test`; else the asked one, called "", if it has used words and others; else the
    shipped one about the same groups with most unused words in all vectors.
    """
    if not used:
        return "", []
    own, columns = [unused_pairs(of, used) for of in frames], [PROTECTED_WORD, ATTRIBUTE]
    if test is None and all(map(_can_answer, own)):
        return "", [] if [*map(len, own)] == [*map(len, frames)] else own
    kvs = [kv for kv in vectors if kv is not None]
    if test is not None and len(kvs) < len(frames):
        raise ArgumentError("test: needs the vectors of every condition: (frame, vectors)")
    own_list = wordlist or source_of(frames[0]).get("wordlist", "")
    lists: Iterable[WordList] = [] if test is None else [test]
    if test is None and len(kvs) == len(frames) and (wordlist or own_list in list_wordlists()):
        lists = _lists_on_the_same_groups(load_wordlist(own_list))
    answering = [(of.name, pairs) for of in lists if (pairs := _unused_pairs_of(of, kvs, used))]
    if test is not None and not answering:
        raise ArgumentError(
            f"test: word list {test.name!r} has too few words that the method did not use; give "
            f"another"
        )
    sizes = [min(of[columns].nunique().sum() for of in pairs) for _, pairs in answering]
    return answering[int(np.argmax(sizes))] if answering else ("", [])


def _unused_pairs_of(
    wordlist: WordList, vectors: Sequence[KeyedVectors], used: frozenset[str]
) -> list[pd.DataFrame]:
    """Return the pairs of a list's unused words in all vectors; [] where they are too few."""
    quiet = warnings.catch_warnings(action="ignore", category=BayesBiasWarning)
    with quiet, suppress(BayesBiasError):  # where vectors lack a whole group or list
        frames = [unused_pairs(distances(kv, wordlist), used) for kv in vectors]
        return frames if all(map(_can_answer, frames)) else []
    return []


def _labels(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the labels of the contrasts of some pairs."""
    if frame.empty:
        return pd.DataFrame(columns=[*KEYS, "withheld"])
    return contrasts_asked(design_of(frame))[0]


def _can_answer(frame: pd.DataFrame) -> bool:
    """Tell whether pairs are enough for a contrast over all, or by list."""
    labels = _labels(frame)
    return bool((labels["withheld"].eq("") & labels["level"].isin(("over all", "list"))).any())


def _parts(wordlist: WordList) -> list[frozenset[str]]:
    """Return the words of every group and every stereotype, in lower case."""
    stereotypes = [s.words for s in wordlist.attribute_sets if s.kind == "stereotype"]
    parts = [*(group.words for group in wordlist.groups), *stereotypes]
    return [frozenset(map(str.lower, words)) for words in parts]


def _lists_on_the_same_groups(wordlist: WordList) -> Iterator[WordList]:
    """Yield shipped lists that ask about the same groups.

    Their groups have the same names, or they have, for two of the groups at least, a part that has
    words of this group and of no other.
    """
    names = [group.name for group in wordlist.groups]
    words = dict(zip(names, _parts(wordlist), strict=False))
    for other in map(load_wordlist, list_wordlists()):
        if other.language != wordlist.language or other.checksum() == wordlist.checksum():
            continue
        met = {tuple(n for n in names if words[n] & part) for part in _parts(other)}
        has_same_names = {group.name for group in other.groups} == set(names)
        if has_same_names or sum(len(owners) == 1 for owners in met) > 1:
            yield other
