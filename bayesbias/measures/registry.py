"""All measures, each declared in a line, and all that a word list or a frame allows in one table.

A measure is defined on two groups, two attribute lists, or pairs of words. A word list has any
number of groups and lists: a measure of two groups is computed for every pair of groups, a measure
of one list for every list. Each arrangement of words is a function here, which a measure names in
its declaration, so that this is the one place that decides what X, Y, A and B of a list are.
"""

import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, combinations, product
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    GROUP,
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.errors import ArgumentError, BayesBiasError, MissingWordsWarning, suggest
from bayesbias.measures.association import mac, weat, wefat
from bayesbias.measures.directions import direct_bias, neighbour_bias, ripa
from bayesbias.measures.groups import ect, rnd, rnsb
from bayesbias.measures.measure_result import NO_METHOD, MeasureResult
from bayesbias.measures.words import DroppedWord, WordSource, warn_dropped
from bayesbias.support.arguments import KeyedVectors, seed_as_integer
from bayesbias.vectors.lookup import find_words, refuse_no_vectors
from bayesbias.words.coverage import case_sentence, lower_case_record
from bayesbias.words.keys import validate_distances
from bayesbias.words.list_files import load_wordlist
from bayesbias.words.provenance import source_of
from bayesbias.words.word_lists import WordList

WordTuple = tuple[str, ...]


class Call(NamedTuple):
    """One computation of a measure: what follows the vectors, and how the list names the sets."""

    arguments: tuple[Any, ...]
    names: WordTuple = ()  # empty where there is one computation only
    options: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Inputs:
    """The words that a list or a frame has for measures; control lists have no place in one."""

    where: str  # what to call it in messages
    groups: Mapping[str, WordTuple]  # protected words
    sets: Mapping[str, WordTuple]  # stereotype attributes, those of the first group first
    associated: Mapping[str, WordTuple]  # from group to names of sets
    matched: tuple[WordTuple, ...] = ()
    of_frame: bool = False


def inputs_of(source: WordSource, wordlist: WordList | str | Path | None) -> Inputs:
    """Return what a word list offers or, without one, a frame of distances."""
    if wordlist is not None:
        listed = load_wordlist(wordlist)
        where, matched = f"list {listed.name!r}", listed.matched
        groups = {g.name: g.words for g in listed.groups}
        associated = {g.name: g.associated for g in listed.groups}
        sets = {s.name: s.words for s in listed.attribute_sets if s.kind == "stereotype"}
    elif isinstance(source, pd.DataFrame):
        validate_distances(source)
        where, matched = "the frame", ()
        rows = source[source[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
        keys = {GROUP: PROTECTED_WORD, ATTRIBUTE_SET: ATTRIBUTE}
        parts = (rows.groupby(key, sort=False)[column] for key, column in keys.items())
        groups, sets = (
            {str(name): tuple(map(str, own.unique())) for name, own in part} for part in parts
        )
        own = rows[rows[CONNECTION] == "associated"].groupby(GROUP)[ATTRIBUTE_SET].unique()
        associated = {group: tuple(own.get(group, ())) for group in groups}
    else:
        raise ArgumentError("measures of vectors need a word list: a name, or a .toml file")
    in_order = dict.fromkeys([*chain(*associated.values()), *sets])
    sets = {name: sets[name] for name in in_order}
    return Inputs(where, groups, sets, associated, matched, of_frame=wordlist is None)


def two_groups_two_sets(inputs: Inputs) -> list[Call]:
    """Return X, Y, A and B: every two groups, with A a list that X owns and Y does not.

    B is a list that Y owns and X does not. Where one of them owns none, every other list takes its
    place; where neither does, every two lists are A and B, and no direction is expected.
    """
    calls = []
    groups, lists = _two(inputs, "groups"), _two(inputs, "sets")
    for x, y in groups:
        of_x, of_y = inputs.associated[x], inputs.associated[y]
        own_x = [name for name in of_x if name not in of_y]
        own_y = [name for name in of_y if name not in of_x]
        a = own_x or [name for name in inputs.sets if name not in own_y]
        b = own_y or [name for name in inputs.sets if name not in own_x]
        is_directed = (own_x or own_y) and a and b
        options = {} if is_directed else {"alternative": "two-sided"}
        for pair in product(a, b) if is_directed else lists:
            sets = (inputs.groups[x], inputs.groups[y], *(inputs.sets[name] for name in pair))
            calls.append(Call(sets, (x, y, *pair), options))
    return calls


def words_two_sets(inputs: Inputs) -> list[Call]:
    """Return all protected words, A and B, for every two lists."""
    words = _joined(inputs.groups)
    pairs = _two(inputs, "sets")
    return [Call((words, inputs.sets[a], inputs.sets[b]), (a, b)) for a, b in pairs]


def groups_two_sets(inputs: Inputs) -> list[Call]:
    """Return all groups by name, and every two lists as positive and negative."""
    pairs = _two(inputs, "sets")
    return [Call((inputs.groups, inputs.sets[a], inputs.sets[b]), (a, b)) for a, b in pairs]


def words_and_sets(inputs: Inputs) -> list[Call]:
    """Return all protected words, and the lists; nothing of a frame, which may lack pairs."""
    return [Call(() if inputs.of_frame else (_joined(inputs.groups), inputs.sets))]


def two_groups_each_set(inputs: Inputs) -> list[Call]:
    """Return X, Y and one list, for every two groups and every list."""
    return [
        Call((inputs.groups[x], inputs.groups[y], words), (x, y, name))
        for x, y in _two(inputs, "groups")
        for name, words in inputs.sets.items()
    ]


def attributes_and_pairs(inputs: Inputs) -> list[Call]:
    """Return all attributes, and the first words of two groups in every matched set as pairs."""
    if not inputs.matched:
        raise ArgumentError(f"{inputs.where} has no matched sets")
    attributes, calls = _joined(inputs.sets), []
    for x, y in _two(inputs, "groups"):
        ends = (inputs.groups[x], inputs.groups[y])
        firsts = ([[w for w in of if w in end][:1] for end in ends] for of in inputs.matched)
        if pairs := dict.fromkeys(pair for both in firsts for pair in product(*both)):
            calls.append(Call((attributes, list(pairs)), (x, y)))
    if not calls:
        raise ArgumentError(f"needs matched sets with words of two groups of {inputs.where}")
    return calls if len(calls) > 1 else [calls[0]._replace(names=())]


def _two(inputs: Inputs, what: str) -> list[tuple[str, str]]:
    """Return every two of the groups or of the sets."""
    names = list(getattr(inputs, what))
    if len(names) < 2:
        noun = "groups" if what == "groups" else "attribute sets"
        raise ArgumentError(f"needs two {noun} or more; {inputs.where} has {len(names)}")
    return list(combinations(names, 2))


def _joined(sets: Mapping[str, WordTuple]) -> WordTuple:
    return tuple(dict.fromkeys(chain(*sets.values())))


_GONEN: Final = "Gonen and Goldberg (2019)"


@dataclass(frozen=True)
class Measure:
    """A measure: `name` is what results call it, `source` its authors and year.

    `function` takes vectors, then what `calls`, an arrangement of `Inputs`, makes of a word list,
    then options by keyword; a random one takes `seed`. `whole_vocabulary` says whether it looks at
    words that the list does not name.
    """

    name: str
    function: Callable[..., MeasureResult]
    source: str
    calls: Callable[[Inputs], list[Call]]
    whole_vocabulary: bool = False


_MEASURES: Final = (
    Measure("WEAT", weat, "Caliskan et al. (2017)", two_groups_two_sets),
    Measure("WEFAT", wefat, "Caliskan et al. (2017)", words_two_sets),
    Measure("MAC", mac, "Manzini et al. (2019)", words_and_sets),
    Measure("direct bias", direct_bias, "Bolukbasi et al. (2016)", attributes_and_pairs),
    Measure("RIPA", ripa, "Ethayarajh et al. (2019)", attributes_and_pairs),
    Measure("RND", rnd, "Garg et al. (2018)", two_groups_each_set),
    Measure("ECT", ect, "Dev and Phillips (2019)", two_groups_each_set),
    Measure("RNSB", rnsb, "Sweeney and Najafian (2019)", groups_two_sets),
    Measure("neighbour bias", neighbour_bias, _GONEN, attributes_and_pairs, True),
)
MEASURES: Final[Mapping[str, Measure]] = MappingProxyType({m.name: m for m in _MEASURES})
"""The measures by name."""

READS: Final[Mapping[str, str]] = {
    "WEAT": "in sd; above 0 the first group goes with the first list; p: other splits of words",
    "WEFAT": "in sd, mean over words; above 0 they are nearer to the first list",
    "MAC": "mean cosine distance of all groups to all lists, whichever goes with which",
    "direct bias": "mean absolute cosine to the direction between groups; 0 is none",
    "RIPA": "mean inner product with that direction; above 0 toward the first group",
    "RND": "distance to the first group − to the second; below 0 nearer to the first",
    "ECT": "rank correlation; 1 where both groups rank the words of the list alike",
    "RNSB": "how unequally a classifier takes words for the second list; 0 is equally",
    "neighbour bias": "correlation of words' bias with that of their neighbours; 0 is none",
}
"""How to read each of them."""

_SKIPPED: Final = {  # a row without a value
    **{"value": np.nan, "low": np.nan, "high": np.nan, "interval_method": NO_METHOD},
    **{"p_value": np.nan, "p_method": NO_METHOD, "n_words": 0, "dropped": "", "formula": ""},
}


def all_measures(
    source: WordSource,
    wordlist: WordList | str | Path | None = None,
    *,
    names: Iterable[str] | None = None,
    before: "KeyedVectors | None" = None,
    seed: int | np.random.Generator | None = None,
) -> pd.DataFrame:
    """Compute every one-number measure that a word list has the words for.

    Measures of two groups are there for every two groups of the list, those of one attribute list
    or of two for every one or two. WEAT compares two groups on a list that the first owns and one
    that the second owns; its p is two-sided where neither owns one that the other does not.

    Parameters
    ----------
    source : KeyedVectors or DataFrame
        Vectors, or a frame of distances, which is enough for WEAT, WEFAT and MAC.
    wordlist : WordList, str or Path, optional
        May be left out for a frame, which has groups and attribute sets of its own. Control lists
        are not used: none of these measures has a place for them.
    names : iterable of str, optional
        The measures to compute, names of `MEASURES`; all if None.
    before : KeyedVectors, optional
    seed : int or Generator, optional
        For what is drawn; one is chosen and recorded if None.

    Returns
    -------
    DataFrame
        A row per computation, in the order of `MEASURES`:

        ==================  =======================================================================
        ``applies_to``      X, Y, A and B (or the sets that the ``measure`` takes); "" for all
        ``value``           NaN where it was skipped, with the reason in ``skipped``
        ``low``, ``high``   the interval, and ``interval_method`` how it was computed
        ``p_value``         and ``p_method`` how it was computed
        ``n_words``         how many words were used, ``dropped`` those that could not be
        ``formula``         the variant of the definition
        ``note``            which words were looked up in lower case; "" if none was
        ==================  =======================================================================

    Raises
    ------
    ArgumentError, WordListError, DistancesError
        If a measure or the list is unknown, vectors come without a list, or a frame is malformed.

    Examples
    --------
    >>> from bayesbias import example_embedding
    >>> table = all_measures(example_embedding(), "weat7", seed=1)
    >>> table.query("skipped == ''").measure.tolist()
    ['WEAT', 'WEFAT', 'MAC', 'RND', 'RND', 'ECT', 'ECT', 'RNSB']
    """
    chosen = list(MEASURES) if names is None else list(names)
    for name in chosen:
        if name not in MEASURES:
            raise ArgumentError(f"no measure {name!r}{suggest(name, MEASURES)}")
    if not isinstance(source, pd.DataFrame):
        refuse_no_vectors(source, "all_measures")
    inputs = inputs_of(source, wordlist)
    shared = {"seed": seed_as_integer(seed), "before": before}
    rows: list[dict[str, Any]] = []
    dropped: dict[tuple[str, str], DroppedWord] = {}
    for name in chosen:
        for sets, result in _computed(MEASURES[name], source, inputs, shared):
            row = {"measure": name, "applies_to": ", ".join(sets)}
            if isinstance(result, MeasureResult):
                dropped |= {(d.word, d.reason): d for d in result.dropped}
                rows.append({**row, **result.table.iloc[0], "skipped": ""})
            else:
                rows.append({**row, **_SKIPPED, "skipped": result})
    warn_dropped(list(dropped.values()))
    if isinstance(source, pd.DataFrame):
        record = source_of(source)
    else:
        words = chain(*inputs.groups.values(), *inputs.sets.values())
        spelt = {word: key for word, key in find_words(source, words).items() if key}
        record = lower_case_record(source, spelt)
    columns = ["measure", "applies_to", *_SKIPPED, "skipped"]
    return pd.DataFrame(rows, columns=columns).assign(note=case_sentence(record))


def _computed(
    measure: Measure, source: WordSource, inputs: Inputs, shared: Mapping[str, Any]
) -> Iterator[tuple[WordTuple, MeasureResult | str]]:
    """Yield the names of each computation of a measure, and its result or why there is none."""
    taken = inspect.signature(measure.function).parameters
    options = {name: value for name, value in shared.items() if name in taken}
    try:
        calls = measure.calls(inputs)
    except ArgumentError as error:
        yield (), str(error)
        return
    for call in calls:
        result: MeasureResult | str
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MissingWordsWarning)
                result = measure.function(source, *call.arguments, **options, **call.options)
        except BayesBiasError as error:
            result = str(error)
        yield call.names, result
