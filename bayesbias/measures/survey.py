"""Every measure that a word list allows, at once."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bayesbias.errors import BayesBiasError, MissingWordsWarning
from bayesbias.measures.centroids import ect, rnd
from bayesbias.measures.differential import weat, wefat
from bayesbias.measures.distance import mac
from bayesbias.measures.projection import direct_bias, ripa
from bayesbias.measures.results import MeasureResult, skipped_measure
from bayesbias.measures.wordsets import need_vectors, warn_dropped
from bayesbias.pairs.word_lists import (
    AttributeSet,
    ProtectedGroup,
    WordList,
    WordPair,
    load_wordlist,
)

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

_Measure = Callable[[], MeasureResult]


def all_measures(
    vectors: "KeyedVectors",
    wordlist: WordList | str | Path,
    *,
    seed: int | np.random.Generator | None = None,
) -> list[MeasureResult]:
    """Compute every one-number measure that a word list has the words for.

    Parameters
    ----------
    vectors : KeyedVectors
    wordlist : WordList, str or Path
        Control lists are not used: none of these measures has a place for them.
    seed : int or Generator, optional
        For the partitions of WEAT, where there are too many to count.

    Returns
    -------
    list of MeasureResult
        WEAT and WEFAT for a list of two groups and two attribute sets, one per group; MAC; direct
        bias and RIPA of the stereotype attributes where the list has defining sets of two words;
        RND and ECT, for two groups, per attribute set. A measure that the list or the vectors do
        not allow is there with no value and the reason in ``skipped``. ``details["names"]`` says
        what the list calls X, Y, A and B; `results_frame` makes a table.

    Raises
    ------
    WordListError
        If there is no such list.

    Warns
    -----
    MissingWordsWarning
        Once, if words are missing.

    Examples
    --------
    >>> from bayesbias.simulate import planted_embedding
    >>> wl = load_wordlist("weat7")
    >>> kv = planted_embedding(wl, similarity=0.2, seed=1).vectors
    >>> [r.measure for r in all_measures(kv, wl, seed=1) if not r.skipped]
    ['WEAT', 'WEFAT', 'MAC', 'RND', 'RND', 'ECT', 'ECT']
    """
    need_vectors(vectors, "all_measures")
    word_list = load_wordlist(wordlist)
    stereotypes = [s for s in word_list.attribute_sets if s.kind == "stereotype"]
    results = [
        *_two_by_two(vectors, word_list, stereotypes, seed),
        _try("MAC", lambda: _mac(vectors, word_list, stereotypes)),
        *_projections(vectors, word_list, stereotypes),
        *_two_groups(vectors, word_list, stereotypes),
    ]
    dropped = {(d.word, d.reason): d for result in results for d in result.dropped}
    warn_dropped(list(dropped.values()))
    return results


def _try(measure: str, compute: _Measure, **names: str) -> MeasureResult:
    """Return the result with the sets' names, or the reason why there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MissingWordsWarning)
            result = compute()
    except BayesBiasError as error:
        result = skipped_measure(measure, str(error))
    return replace(result, details={**result.details, "names": names}) if names else result


def _two_by_two(
    vectors: "KeyedVectors",
    word_list: WordList,
    stereotypes: list[AttributeSet],
    seed: int | np.random.Generator | None,
) -> list[MeasureResult]:
    """Return WEAT and WEFAT."""
    sets = {s.name: s for s in stereotypes}
    own = [group.associated[0] for group in word_list.groups if len(group.associated) == 1]
    if not len(word_list.groups) == len(stereotypes) == len(set(own)) == 2:
        reason = (
            f"needs two groups, each associated with one of two attribute sets; list "
            f"{word_list.name!r} has {len(word_list.groups)} groups and {len(stereotypes)} sets"
        )
        return [skipped_measure(name, reason) for name in ("WEAT", "WEFAT")]
    (x, y), (a, b) = word_list.groups, (sets[name] for name in own)
    words = word_list.protected_words
    return [
        _try(
            "WEAT",
            lambda: weat(vectors, x.words, y.words, a.words, b.words, seed=seed),
            X=x.name, Y=y.name, A=a.name, B=b.name,
        ),
        _try("WEFAT", lambda: wefat(vectors, words, a.words, b.words), A=a.name, B=b.name),
    ]  # fmt: skip


def _mac(
    vectors: "KeyedVectors", word_list: WordList, stereotypes: list[AttributeSet]
) -> MeasureResult:
    return mac(vectors, word_list.protected_words, {s.name: s.words for s in stereotypes})


def _projections(
    vectors: "KeyedVectors", word_list: WordList, stereotypes: list[AttributeSet]
) -> list[MeasureResult]:
    """Return direct bias and RIPA."""
    names = ("direct bias", "RIPA")
    if not word_list.defining_sets:
        reason = f"list {word_list.name!r} has no defining sets"
        return [skipped_measure(name, reason) for name in names]
    longer = [row for row in word_list.defining_sets if len(row) != 2]
    if longer:
        reason = f"needs defining sets of two words; one is {', '.join(longer[0])}"
        return [skipped_measure(name, reason) for name in names]
    pairs = [WordPair(first, second) for first, second in word_list.defining_sets]
    words = [word for s in stereotypes for word in s.words]
    return [
        _try("direct bias", lambda: direct_bias(vectors, words, pairs)),
        _try("RIPA", lambda: ripa(vectors, words, pairs)),
    ]


def _two_groups(
    vectors: "KeyedVectors", word_list: WordList, stereotypes: list[AttributeSet]
) -> list[MeasureResult]:
    """Return RND and ECT per attribute set."""
    if len(word_list.groups) != 2:
        reason = f"needs two groups; list {word_list.name!r} has {len(word_list.groups)}"
        return [skipped_measure(name, reason) for name in ("RND", "ECT")]
    x, y = word_list.groups
    return [
        _of_set(name, measure, vectors, x, y, s)
        for name, measure in (("RND", rnd), ("ECT", ect))
        for s in stereotypes
    ]


def _of_set(
    name: str,
    measure: Callable[..., MeasureResult],
    vectors: "KeyedVectors",
    x: ProtectedGroup,
    y: ProtectedGroup,
    s: AttributeSet,
) -> MeasureResult:
    return _try(
        name,
        lambda: measure(vectors, x.words, y.words, s.words),
        X=x.name, Y=y.name, attributes=s.name,
    )  # fmt: skip
