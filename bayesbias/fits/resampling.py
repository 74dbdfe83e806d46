"""How the answer changes with the words that happened to be listed: the list resampled."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from bayesbias.constants import ATTRIBUTE, ATTRIBUTE_SET, GROUP, PROTECTED_WORD
from bayesbias.errors import ArgumentError, DistancesError
from bayesbias.fits.refitted import RefittedContrasts
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.reference import without_reference
from bayesbias.support.progress import tracked
from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks, Column, Columns, Table, interval_column


@dataclass(frozen=True, repr=False)
class ResampledWords(Result):
    """What a fit would say with other draws of its words. Made by `Fit.resampled_words`.

    Parameters
    ----------
    table : DataFrame
        One row per contrast: ``contrast``, ``mean`` with all words; ``low``, ``high``, the
        interval of the means over resampled lists; ``sd`` of these means beside ``posterior_sd``,
        that of the fit; ``verdict`` with all words, and ``same_verdict``, the share of lists with
        it.
    lists : DataFrame
        One row per resampled list and contrast: ``list``, and columns of `Fit.contrasts`.
    rule : DecisionRule
    seed : int
    """

    table: pd.DataFrame
    lists: pd.DataFrame
    rule: DecisionRule
    seed: int
    _main: ClassVar[str] = "table"

    def to_dict(self) -> dict[str, Any]:
        """Return the tables and the rule as plain data."""
        return {**super().to_dict(), "caption": self.rule.caption}

    @property
    def blocks(self) -> Blocks:
        """The table, and how it was made."""
        columns: Columns = [
            "contrast",
            Column("mean", form="signed"),
            interval_column(self.rule.label),
            Column("sd", form="distance", yields=1),
            Column("posterior_sd", form="distance", yields=1),
            Column("same_verdict", form="percent"),
        ]
        n = self.lists["list"].nunique()
        return [
            f"{n} lists of words drawn with replacement from the list's own: protected words "
            f"within their group, attributes within their set; {self.rule.label} of the mean.",
            "",
            Table(self.table, columns),
            self.rule.caption,
        ]


def resampled_words(
    frame: pd.DataFrame,
    spec: ModelSpec,
    rule: DecisionRule,
    *,
    n: int,
    seed: int,
    progress: bool | None,
) -> ResampledWords:
    """Refit resampled lists; see `Fit.resampled_words`."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer):
        raise ArgumentError(f"n={n!r}: give a whole number of lists, such as 200")
    # A word drawn twice has all distances twice, which no noise of similar attributes explains.
    frame, spec = without_reference(frame), spec.without_similarity()
    refitted, rng = RefittedContrasts(spec, rule), np.random.default_rng(seed)
    whole, _ = refitted.of_frame(frame)
    parts = []
    for number in tracked(range(n), "Resampling the words", progress):
        try:
            found, _ = refitted.of_frame(_resampled(frame, rng))
        except DistancesError:  # a list of one word many times, whose distances do not vary
            continue
        parts.append(found.assign(list=number))
    if not parts:
        raise DistancesError("no resampled list could be fitted: there are too few words")
    lists = pd.concat(parts, ignore_index=True)
    rows = []
    for row in whole.itertuples():
        part = lists[lists["contrast"] == row.contrast]
        low, high = rule.bounds(part["mean"].to_numpy())
        same = float((part["verdict"] == row.verdict).mean())
        sd = float(part["mean"].std(ddof=1))
        rows.append((row.contrast, row.mean, low, high, sd, row.sd, row.verdict, same))
    columns: Columns = [
        *("contrast", "mean", "low", "high", "sd", "posterior_sd", "verdict", "same_verdict"),
    ]
    return ResampledWords(pd.DataFrame(rows, columns=columns), lists, rule, seed)


def _resampled(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Draw words within their lists, with replacement; a word drawn again is another word."""
    for column, within in ((PROTECTED_WORD, GROUP), (ATTRIBUTE, ATTRIBUTE_SET)):
        words = frame[[column, within]].drop_duplicates()
        drawn = pd.concat(
            part.iloc[rng.integers(len(part), size=len(part))]
            for _, part in words.groupby(within, sort=False)
        )
        copy = drawn.groupby([column, within]).cumcount()
        again = drawn[column] + " " + (copy + 1).astype(str)
        drawn = drawn.assign(_name=drawn[column].where(copy == 0, again))
        merged = drawn.merge(frame, on=[column, within], how="left")
        frame = merged.drop(columns=column).rename(columns={"_name": column})
    return frame
