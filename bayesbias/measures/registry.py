"""All measures, each declared in a line, and all that a word list allows in one table."""

import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.errors import ArgumentError, BayesBiasError, MissingWordsWarning, suggest
from bayesbias.measures.arrangements import (
    Call,
    Inputs,
    attributes_and_pairs,
    groups_two_sets,
    two_groups_each_set,
    two_groups_two_sets,
    words_and_sets,
    words_two_sets,
)
from bayesbias.measures.association import weat, wefat
from bayesbias.measures.centroids import ect, rnd
from bayesbias.measures.distance import mac
from bayesbias.measures.measure_result import NO_METHOD, MeasureResult
from bayesbias.measures.neighbourhoods import neighbour_bias
from bayesbias.measures.projection import direct_bias, ripa
from bayesbias.measures.relative_sentiment import rnsb
from bayesbias.measures.words import DroppedWord, WordSource, need_vectors, warn_dropped
from bayesbias.support.arguments import KeyedVectors, seed_as_integer
from bayesbias.vectors.lookup import find_words
from bayesbias.words.coverage import case_sentence, lower_case_record
from bayesbias.words.list_files import load_wordlist
from bayesbias.words.provenance import source_of
from bayesbias.words.word_lists import WordList

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


MEASURES: Final[Mapping[str, Measure]] = MappingProxyType(
    {
        measure.name: measure
        for measure in (
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
    }
)
"""The measures by name."""

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
    if wordlist is not None:
        inputs = Inputs.from_wordlist(load_wordlist(wordlist))
    elif isinstance(source, pd.DataFrame):
        inputs = Inputs.from_frame(source)
    else:
        need_vectors(source, "all_measures")
        raise ArgumentError("measures of vectors need a word list: a name, or a .toml file")
    shared = {"seed": seed_as_integer(seed), "before": before}
    rows: list[dict[str, Any]] = []
    dropped: dict[tuple[str, str], DroppedWord] = {}
    for name in chosen:
        for call, result in _computed(MEASURES[name], source, inputs, shared):
            row = {"measure": name, "applies_to": ", ".join(call.names.values())}
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
) -> list[tuple[Call, MeasureResult | str]]:
    """Return each computation of a measure with its result, or why there is none."""
    taken = inspect.signature(measure.function).parameters
    options = {name: value for name, value in shared.items() if name in taken}
    try:
        calls = measure.calls(inputs)
    except ArgumentError as error:
        return [(Call((), {}), str(error))]
    results: list[tuple[Call, MeasureResult | str]] = []
    for call in calls:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MissingWordsWarning)
                result = measure.function(source, *call.arguments, **options, **call.options)
            results.append((call, result))
        except BayesBiasError as error:
            results.append((call, str(error)))
    return results
