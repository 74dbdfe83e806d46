"""What a change of vectors cost in usefulness: similarities that people judge, and analogies.

The same items are asked before and after, so that the change is one of pairs. Items share words and
do not tell independently of it: the variance of the change sums products of jackknife influences
over all two items with a word in common (Aronow, Samii and Assenova 2015).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.analogies import accuracy, read_questions
from bayesbias.analogies.positions import ROLES
from bayesbias.debias.judgements import holds_questions, read_judgements
from bayesbias.errors import ArgumentError, QuestionsError
from bayesbias.inference.intervals import check_prob
from bayesbias.support.arrays import Array, Index
from bayesbias.support.result import Result
from bayesbias.support.text_tables import (
    Blocks,
    Column,
    Table,
    counted,
    format_value,
    interval_column,
    percent,
)
from bayesbias.support.types import KeyedVectors
from bayesbias.support.wording import Wording
from bayesbias.vectors.lookup import find_words, vectors_of

tell: Final = Wording("bayesbias.debias", "cost.jinja")

_FEWEST: Final = 3  # items of which a rank correlation says something
_ABSENT: Final = "is not in the vectors"
_QUESTION: Final = [*ROLES, "expected"]


@dataclass(frozen=True, repr=False)
class Utility(Result):
    """How useful vectors are before and after a change, by files of questions; made by `utility`.

    Parameters
    ----------
    table : DataFrame
        One row per file: ``file``; ``task``, similarity or analogies; ``measure``, Spearman or
        accuracy; ``n_items`` asked of both, and ``n_skipped``; ``before``, ``after`` and
        ``change``; ``low`` and ``high``, the ends of the change's interval, and its ``prob``;
        ``verdict``: worse, better, unchanged (no item moved) or undecided.
    skipped : DataFrame
        The items not asked: ``file``, ``item`` and ``reason``.
    """

    table: pd.DataFrame
    skipped: pd.DataFrame

    @property
    def answers(self) -> list[str]:
        """A sentence for each file."""
        return [_sentence(row) for row in self.table.itertuples()]

    @property
    def blocks(self) -> Blocks:
        """A sentence for each file, the table, and what the intervals are."""
        prob = percent(self.table["prob"].iloc[0])
        return [*self.answers, "", Table(self.table, [*_COLUMNS, interval_column(prob)]), _CAPTION]


_COLUMNS: Final = [
    Column("file"),
    Column("measure", drop_priority=1),
    Column("n_items", "asked", "count", drop_priority=2),
    Column("n_skipped", "skipped", "count", drop_priority=3),
    Column("before", form="distance"),
    Column("after", form="distance"),
    Column("change", form="signed"),
]
_CAPTION: Final = (
    "Spearman: rank correlation of cosines with what people judged. Accuracy: share of questions "
    "answered correctly by 3CosAdd, the question's own words barred. Intervals are of the change, "
    "over words (of questions: over their word pairs) like those of the file."
)


def utility(
    before: KeyedVectors,
    after: KeyedVectors,
    *files: str | Path,
    prob: float = 0.95,
    fallbacks: Sequence[str] = (),
    restrict_vocab: int | None = None,
    progress: bool | None = None,
) -> Utility:
    """Say what a change of vectors cost: word similarity and analogies, before and after.

    Only items of which both vectors have all words are asked.

    Parameters
    ----------
    *files : str or Path
        Files of questions, each known by its form. Pairs with a similarity that people judged, as
        in WordSim-353, SimLex-999 and MEN: two words and a number a line, apart by tabs, commas or
        white space; one heading may stand above. Analogies as in Google's ``questions-words.txt``:
        lines ``: category``, and a b c d.
    prob : float
        Probability of the intervals.
    fallbacks : sequence of {"lower", "title", "upper", "underscore"}
        Spellings to try where the exact word is absent.
    restrict_vocab : int, optional
        Only the first words can be answers of analogies, as in `analogies.accuracy`; of millions of
        words, all take minutes to hours.

    Raises
    ------
    ArgumentError
        If no file is given, `prob` is not between 0 and 1, or a spelling is unknown.
    QuestionsError
        If a file is malformed, or both vectors have fewer than three of its items.

    Notes
    -----
    Items that share a word (of questions: a pair such as Athens : Greece) do not tell independently
    of the change. The interval is the change ± t · se, where se² sums the products of the
    influences (by the jackknife) of all two items that share a word, at least those of each with
    itself (Aronow, Samii and Assenova 2015, Political Analysis 23), with as many degrees of freedom
    as there are words, less one.

    Examples
    --------
    >>> import bayesbias as bb
    >>> kv = bb.example_embedding()
    >>> after = bb.debias.hard(kv, "gender").vectors
    >>> bb.debias.utility(kv, after, "MEN.tsv", "questions-words.txt")  # doctest: +SKIP
    """
    check_prob(prob)
    if not files:
        raise ArgumentError("files: name at least one file of questions")
    sides = (before, after)
    options: dict[str, Any] = {"restrict_vocab": restrict_vocab, "progress": progress}
    asking = [
        partial(_analogies, sides, read_questions(file), fallbacks, options)
        if holds_questions(file)
        else partial(_similarity, sides, read_judgements(file), fallbacks)
        for file in files
    ]  # all files are read before the first is asked
    rows, skipped = [], []
    for file, ask in zip(files, asking, strict=True):
        found = ask()
        n_items = len(found.units)
        if n_items < _FEWEST:
            reason = f", the first since {found.skipped[0][1]}" if found.skipped else ""
            raise QuestionsError(
                f"{file}: {counted(n_items, 'item')} of {n_items + len(found.skipped):,} can be "
                f"asked of both vectors, and {_FEWEST} are needed{reason}"
            )
        rows.append({"file": Path(file).name, **_compared(found, prob)})
        skipped += [(Path(file).name, *one) for one in found.skipped]
    return Utility(pd.DataFrame(rows), pd.DataFrame(skipped, columns=["file", "item", "reason"]))


@dataclass(frozen=True)
class _Asked:
    """A file's answer of both sides; `units` are items' words, or pairs, (n_items, 2)."""

    task: str
    measure: str
    units: Index
    before: float = np.nan
    after: float = np.nan
    influence: Array = field(default_factory=lambda: np.zeros(0))
    skipped: Sequence[tuple[str, str]] = ()


def _similarity(
    sides: Sequence["KeyedVectors"],
    pairs: Sequence[tuple[str, str, float]],
    fallbacks: Sequence[str],
) -> _Asked:
    """Ask pairs of words; the statistic is Spearman's correlation with the judgements."""
    lacking = _lacking(sides, [word for one in pairs for word in one[:2]], fallbacks)
    reasons = [lacking[a] or lacking[b] for a, b, _ in pairs]
    kept = [one for one, reason in zip(pairs, reasons, strict=True) if not reason]
    skipped = [(f"{a}, {b}", why) for (a, b, _), why in zip(pairs, reasons, strict=True) if why]
    words = pd.factorize(np.array([one[:2] for one in kept], dtype=object).ravel())[0]
    units = words.reshape(-1, 2).astype(np.intp)
    if len(kept) < _FEWEST:
        return _Asked("similarity", "Spearman", units, skipped=skipped)
    numbers = np.array([[one[2] for one in kept], *(_cosines(kv, kept, fallbacks) for kv in sides)])
    n = len(kept)
    left_out = np.array([np.diff(_spearman(np.delete(numbers, i, axis=1)))[0] for i in range(n)])
    # So that n / (n − 1) Σ influence² is the jackknife's variance.
    influence = (n - 1) / n * (left_out.mean() - left_out)
    before, after = _spearman(numbers)
    return _Asked("similarity", "Spearman", units, before, after, influence, skipped)


def _spearman(numbers: Array) -> tuple[float, float]:
    """Return the rank correlations of the first row, (3, n), with the second and the third."""
    from scipy.stats import rankdata

    ranks = rankdata(numbers, axis=1)
    ranks -= ranks.mean(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        ranks /= np.sqrt((ranks**2).sum(axis=1, keepdims=True))
    before, after = ranks[1:] @ ranks[0]
    return float(before), float(after)


def _analogies(
    sides: Sequence["KeyedVectors"],
    questions: dict[str, list[tuple[str, str, str, str]]],
    fallbacks: Sequence[str],
    options: dict[str, Any],
) -> _Asked:
    """Ask questions; the statistic is the share of correct answers, inputs barred."""
    distinct = [word for items in questions.values() for item in items for word in item]
    lacking = _lacking(sides, distinct, fallbacks)
    asked: dict[str, list[tuple[str, str, str, str]]] = {}
    skipped = []
    for category, items in questions.items():
        for item in items:
            reason = next((lacking[word] for word in item if lacking[word]), "")
            if not reason and item[0] == item[2]:
                reason = "a and c are the same word"
            if reason:
                skipped.append((" ".join(item), reason))
            else:
                asked.setdefault(category, []).append(item)
    frames = []
    for vectors in sides if asked else ():
        found = accuracy(vectors, asked, fallbacks=fallbacks, **options)
        one = found.answers[found.answers["setting"] == "constrained"]
        if vectors is sides[0]:
            rows = found.skipped.to_dict("records")
            skipped += [(" ".join(row[name] for name in _QUESTION), row["reason"]) for row in rows]
        keys = ["category", *_QUESTION]
        frames.append(one.assign(time=one.groupby(keys).cumcount())[[*keys, "time", "correct"]])
    if not frames:
        return _Asked("analogies", "accuracy", np.empty((0, 2), np.intp), skipped=skipped)
    both = frames[0].merge(frames[1], on=[*frames[0].columns.drop("correct")])
    correct = both[["correct_x", "correct_y"]].to_numpy(dtype=np.float64)
    ends = [both[a] + " " + both[b] for a, b in (("a", "b"), ("c", "expected"))]
    units = pd.factorize(pd.concat(ends))[0].reshape(2, -1).T.astype(np.intp)
    change = np.diff(correct, axis=1)[:, 0]
    influence = (change - change.mean()) / len(change)
    before, after = correct.mean(axis=0)
    return _Asked("analogies", "accuracy", units, before, after, influence, skipped)


def _lacking(
    sides: Sequence["KeyedVectors"], words: Sequence[str], fallbacks: Sequence[str]
) -> dict[str, str]:
    """Return for each word why it cannot be asked of both sides; nothing if it can."""
    found = dict.fromkeys(words, "")
    for vectors in sides:
        for word, key in find_words(vectors, found, fallbacks=fallbacks).items():
            if key is None:
                found[word] = f"{word!r} {_ABSENT}"
            elif not 0 < np.linalg.norm(vectors[key].astype(np.float64)) < np.inf:
                found[word] = f"the vector of {word!r} is zero or not finite"
    return found


def _cosines(
    vectors: KeyedVectors, pairs: Sequence[tuple[str, str, float]], fallbacks: Sequence[str]
) -> Array:
    """Return the cosines of pairs of words."""
    ends = []
    for words in ([one[0] for one in pairs], [one[1] for one in pairs]):
        keys = find_words(vectors, words, fallbacks=fallbacks)
        rows = vectors_of(vectors, [str(keys[word]) for word in words])
        ends.append(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    cosines: Array = np.einsum("ij,ij->i", *ends)
    return cosines


def _compared(asked: _Asked, prob: float) -> dict[str, Any]:
    """Return a file's row: both values, their difference, its interval and what it says."""
    from scipy.stats import t

    freedom, error = max(int(asked.units.max()), 1), error_of(asked.influence, asked.units)
    half = float(t.ppf((1 + prob) / 2, freedom)) * error
    change = asked.after - asked.before
    low, high = change - half, change + half
    verdict = "worse" if high < 0 else "better" if low > 0 else "undecided"
    return {
        "task": asked.task,
        "measure": asked.measure,
        "n_items": len(asked.units),
        "n_skipped": len(asked.skipped),
        "before": asked.before,
        "after": asked.after,
        "change": change,
        "low": low,
        "high": high,
        "prob": prob,
        "verdict": verdict if asked.influence.any() or change else "unchanged",
    }


def error_of(influence: Array, units: Index) -> float:
    """Return the standard error of a sum of influences, (n_items,), of items with common units.

    The products of all two that share one of their `units`, (n_items, 2), no less than if items
    were independent (Aronow, Samii and Assenova 2015, eq. 3).
    """
    n, n_units = len(units), int(units.max()) + 1
    first, second = units.T
    weights = np.where(first == second, 0.0, influence)  # an item of one unit counts there once
    sums = np.bincount(first, influence, n_units) + np.bincount(second, weights, n_units)
    own = float((influence**2).sum())
    # Products of two items that share both units, as an item with itself, stand in both sums.
    both = np.minimum(first, second) * n_units + np.maximum(first, second)
    twice = np.bincount(np.unique(both, return_inverse=True)[1], weights)
    shared = float((sums**2).sum() - (twice**2).sum())
    return float(np.sqrt(max(own, shared) * n / (n - 1)))


def _sentence(row: Any) -> str:
    """Say what a file says, in a sentence."""
    by = format_value(abs(row.change), "distance")
    if row.verdict == "undecided":
        by = format_value(row.change, "signed")
    ends = (format_value(end, "signed") for end in (row.low, row.high))
    sides = f"{row.before:.3f}", f"{row.after:.3f}"
    return tell("cost", row.file, row.measure, *sides, row.verdict, by, *ends)
