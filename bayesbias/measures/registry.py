"""All measures, and all that a word list or a frame allows, at once."""

import inspect
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.errors import ArgumentError, BayesBiasError, MissingWordsWarning, suggest
from bayesbias.measures.arrangements import Inputs
from bayesbias.measures.declaration import Measure
from bayesbias.measures.measure_result import MeasureResult, results_frame, skipped_measure
from bayesbias.measures.wordsets import WordSource, need_vectors, warn_dropped
from bayesbias.pairs.case import case_of_all, case_sentence, lower_case_record
from bayesbias.pairs.word_lists import WordList, load_wordlist
from bayesbias.support.result import Result
from bayesbias.support.seeds import seed_as_integer
from bayesbias.support.text_tables import Blocks, Column, Table, interval_column
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.lookup import find_words

_FILES: Final = (
    "differential",
    "distance",
    "projection",
    "centroids",
    "relative_sentiment",
    "same_score",
    "neighbourhoods",
    "sembias_choices",
    "combination",
)

MEASURES: Final[Mapping[str, Measure]] = MappingProxyType(
    {
        measure.name: measure
        for name in _FILES
        for measure in import_module(f"bayesbias.measures.{name}").MEASURES
    }
)
"""The measures by name."""


@dataclass(frozen=True, repr=False)
class Measures(Result, Sequence[MeasureResult]):
    """Several measures of the same words, as a sequence; made by `all_measures`.

    Parameters
    ----------
    results : tuple of MeasureResult
        Those that could not be computed too, with the reason in ``skipped``.
    notes : tuple of str
        What a reader must know beside the numbers: words that were looked up in lower case.
    """

    results: tuple[MeasureResult, ...]
    notes: tuple[str, ...] = ()

    @property
    def table(self) -> pd.DataFrame:
        """One row per result, as from `results_frame`."""
        return results_frame(self.results)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.results)

    def __getitem__(self, index: Any) -> Any:
        """Return one of them, or a tuple of some."""
        return self.results[index]

    @property
    def blocks(self) -> Blocks:
        """Values as a table, then what each measure can say, then what was skipped."""
        found = [r for r in self.results if r.value is not None]
        frame = results_frame(found).assign(applies_to=[_sets(result) for result in found])
        # Their levels are other ones than the posterior's, which may stand beside them.
        levels = {one.interval_method.split()[0] for one in found if one.interval is not None}
        label = f"{levels.pop()} interval" if len(levels) == 1 else "interval"
        numbers = Column("value", form="+z.4f"), interval_column(label, "+z.4f")
        chance = Column("p_value", "p", "p", drop_priority=1)
        table = Table(frame, ["measure", "applies_to", *numbers, chance])
        lines = [""]
        for result in found:
            if result.p_value is not None:
                lines.append(f"p of {result.measure}: {result.p_method}.")
            if result.interval is not None:
                lines.append(f"interval of {result.measure}: {result.interval_method}.")
        for name in dict.fromkeys(r.measure for r in found):
            lines.append(f"{name} {MEASURES[name].reading}.")
        lines += [repr(result) for result in self.results if result.skipped]
        return [table, *dict.fromkeys(lines), *self.notes]


def _sets(result: MeasureResult) -> str:
    """Say what a measure compares: the names of its sets, or the numbers of its words."""
    names = result.details.get("names", {})
    if names:
        return ", ".join(f"{role}={name}" for role, name in names.items())
    return ", ".join(f"{len(words)} {role}" for role, words in result.words.items())


def all_measures(
    source: WordSource,
    wordlist: WordList | str | Path | None = None,
    *,
    names: Iterable[str] | None = None,
    before: "KeyedVectors | None" = None,
    seed: int | np.random.Generator | None = None,
) -> Measures:
    """Compute every one-number measure that a word list has the words for.

    A measure that the list or the source does not allow is there with no value and the reason in
    ``skipped``. A MissingWordsWarning tells once of missing words.

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
        Vectors before a debiasing, whose bias `neighbour_bias` and `cluster_bias` look for.
    seed : int or Generator, optional
        For what is drawn; one is chosen and recorded if None.

    Returns
    -------
    Measures
        In the order of `MEASURES`; RND and ECT once per attribute set. ``details["names"]`` of a
        result says what the list calls X, Y, A and B.

    Raises
    ------
    ArgumentError, WordListError, DistancesError
        If a measure or the list is unknown, vectors come without a list, or a frame is malformed.

    Examples
    --------
    >>> from bayesbias.simulate import planted_embedding
    >>> wl = load_wordlist("weat7")
    >>> kv = planted_embedding(wl, similarity=0.2, seed=1).vectors
    >>> [r.measure for r in all_measures(kv, wl, seed=1) if not r.skipped]
    ['WEAT', 'WEFAT', 'MAC', 'RND', 'RND', 'ECT', 'ECT', 'RNSB', 'SAME']
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
    seed = seed_as_integer(seed)
    given = {"seed": seed, "before": before}
    results = tuple(
        result for name in chosen for result in _computed(MEASURES[name], source, inputs, given)
    )
    dropped = {(d.word, d.reason): d for result in results for d in result.dropped}
    warn_dropped(list(dropped.values()))
    case = _case_sentence(source, inputs)
    return Measures(results, (case,) if case else ())


def _case_sentence(source: WordSource, inputs: Inputs) -> str:
    """Say which words of the inputs were looked up in lower case, and why; nothing if none was."""
    if isinstance(source, pd.DataFrame):
        return case_sentence(source)
    words = chain(*inputs.groups.values(), *inputs.sets.values())
    found = {word: key for word, key in find_words(source, words).items() if key}
    return case_of_all({"": lower_case_record(source, found, None)})


def _computed(
    measure: Measure, source: WordSource, inputs: Inputs, given: Mapping[str, Any]
) -> list[MeasureResult]:
    """Return the results of one measure, by what it takes of `given`, or why there is none."""
    taken = inspect.signature(measure.function).parameters
    options = {name: value for name, value in given.items() if name in taken}
    try:
        calls = measure.calls(inputs)
    except ArgumentError as error:
        return [skipped_measure(measure.name, str(error))]
    results = []
    for arguments, names in calls:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MissingWordsWarning)
                result = measure.function(source, *arguments, **options)
        except BayesBiasError as error:
            # Who asks for all measures sets none of their options, as who types a command.
            result = skipped_measure(measure.name, error.typed)
        if names:
            result = replace(result, details={**result.details, "names": names})
        results.append(result)
    return results
