"""Several plausible word lists for one question: the range of the answer over them.

The interval of one fit says how far other words of the same kind may be; it does not say what
another author would have listed. So the same model is fitted to each list, and the range of the
answers is shown. Lists share words and are no sample of lists: no interval of their mean is given.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
import pandas as pd

from bayesbias.constants import HDPI_PROB
from bayesbias.errors import ArgumentError
from bayesbias.fits.contrasts import about_chance, chance_columns
from bayesbias.fits.fitting import fit
from bayesbias.fits.narrator import sides
from bayesbias.fits.next_step import next_step
from bayesbias.fits.sentences import Names, own_lists, sentence, towards, who
from bayesbias.fits.sentences import interval as interval_in_words
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.specification import ModelSpec
from bayesbias.studies.comparison import under_each
from bayesbias.studies.several_narrator import no_more, tell
from bayesbias.support.result import Result
from bayesbias.support.text_tables import (
    Blocks,
    Column,
    Columns,
    Table,
    interval_column,
    label_of,
    percent,
    quoted,
    with_blank_lines,
)

_MOST_NAMED: Final = 3


@dataclass(frozen=True, repr=False)
class WordlistComparison(Result):
    """What several word lists say. Made by `compare_wordlists`.

    Parameters
    ----------
    table : DataFrame
        One row per contrast: ``contrast``; ``n_lists`` that have it; ``smallest`` and ``largest``
        mean of them; ``low`` and ``high``, the ends of all their intervals together;
        ``verdicts``, each with the number of lists that have it.
    lists : DataFrame
        One row per list and contrast: ``wordlist``, and the columns of `Fit.contrasts`.
    whose : str
        Whose words all lists have, such as "words for men and words for women".
    subject : str
        Which attribute lists are whose own, in a sentence; "" where the lists differ in it.
    """

    table: pd.DataFrame
    lists: pd.DataFrame
    whose: str = "protected words"
    subject: str = ""
    _main: ClassVar[str] = "table"

    @property
    def blocks(self) -> Blocks:
        """What the lists say together, the ranges, then the answer of every list."""
        label = label_of(self.lists)
        ranges: Columns = [
            "contrast",
            "verdicts",
            Column("n_lists", "word lists", "count", drop_priority=2),
            Column(("smallest", "largest"), "means", "signed", drop_priority=1),
            interval_column("all intervals"),
        ]
        each: Columns = [
            Column("wordlist", "word list"),
            "contrast",
            Column("mean", form="signed"),
            interval_column(label),
            *chance_columns(self.lists),
            Column("verdict", form="verdict"),
        ]
        tables = with_blank_lines(
            "Range over the word lists:", Table(self.table, ranges), Table(self.lists, each)
        )
        about = tell("what_intervals_are", label, percent(self.lists["prob"].iloc[0]))
        head = [one for one in (self.headline, self.subject, next_step("lists")) if one]
        return [*head, "", *tables, "", about, *about_chance(self.lists)]

    @property
    def headline(self) -> str:
        """What is known of the first contrast, in which lists, and how far these are apart."""
        contrast, first = self.table["contrast"].iloc[0], next(self.table.itertuples())
        rows = self.lists[self.lists["contrast"] == contrast]
        of_each = rows.assign(state=rows["verdict"].str.partition(", ")[0])
        states = [
            (state, tell("where", [*map(quoted, part["wordlist"])], len(rows), _MOST_NAMED))
            for state, part in of_each.groupby("state", sort=False)
        ]
        sizes, one = interval_in_words(first.smallest, first.largest), towards(first.largest)
        sizes = one if one == towards(first.smallest) else sizes
        ends = interval_in_words(first.low, first.high)
        apart_by = tell("range_of_lists", sizes, ends, label_of(self.lists))
        said = sentence(tell("lists", self.whose, *sides(contrast), states))
        common = no_more(rows, [*map(quoted, rows["wordlist"])])
        return " ".join(filter(None, (said, common, apart_by)))


def compare_wordlists(
    frames: Mapping[str, pd.DataFrame],
    *,
    model: str | Path | ModelSpec = "maximal",
    rope: float | None = None,
    prob: float = HDPI_PROB,
    interval: str = "hpdi",
    rule: DecisionRule | None = None,
    seed: int | np.random.Generator | None = None,
    **options: Any,
) -> WordlistComparison:
    """Ask the same question with several plausible word lists.

    Parameters
    ----------
    frames : mapping of str to DataFrame
        From a list's name to its distances in the same vectors; at least two.
    model : str, Path or ModelSpec
    rope, prob, interval, rule
        As for `Fit.contrasts`.
    seed : int or Generator, optional
    **options
        Passed on to `fit`.

    Raises
    ------
    ArgumentError
        If there are fewer than two lists.

    Notes
    -----
    The lists share words, so that their answers are not independent, and no interval of a mean
    over lists is given: the range says how much the answer hangs on the choice.

    Examples
    --------
    >>> import bayesbias as bb
    >>> frame = bb.distances(bb.example_embedding(), "gender")
    >>> short = frame[frame.protected_word.isin(["he", "she", "man", "woman"])]
    >>> found = bb.compare_wordlists({"all": frame, "four words": short}, model="paper", seed=1)
    >>> found.table.loc[0, "n_lists"].item()
    2
    """
    if not isinstance(frames, Mapping) or len(frames) < 2:
        raise ArgumentError("compare at least two word lists: {'long': long, 'short': short}")
    rule, rng = DecisionRule.of(rule, rope, prob, interval), np.random.default_rng(seed)
    fits = {name: fit(frame, model, seed=rng, **options) for name, frame in frames.items()}
    tables = {name: one.contrasts(rule=rule).table for name, one in fits.items()}
    lists, rows = under_each(tables, "wordlist"), []
    for contrast, part in lists.groupby("contrast", sort=False):
        counts = part["verdict"].value_counts()
        verdicts = ", ".join(f"{verdict} ({count})" for verdict, count in counts.items())
        means = part["mean"].min(), part["mean"].max()
        rows.append((contrast, len(part), *means, part["low"].min(), part["high"].max(), verdicts))
    columns = ["contrast", "n_lists", "smallest", "largest", "low", "high", "verdicts"]
    names = [*map(Names.of_frame, frames.values())]
    same = {(who(one), own_lists(one)) for one in names}
    told = same.pop() if len(same) == 1 else ("protected words", "")
    return WordlistComparison(pd.DataFrame(rows, columns=columns), lists, *told)
