"""How the answer changes with the words that happened to be listed: the list resampled.

A bootstrap of words, not of pairs: pairs that share a word are not independent. Words are drawn
with replacement within their lists, a word drawn twice counts as two, and the model is fitted
anew. With both sides drawn again the intervals are conservative (Owen 2007).
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from bayesbias.constants import ATTRIBUTE, ATTRIBUTE_SET, GROUP, PROTECTED_WORD
from bayesbias.errors import DistancesError
from bayesbias.fits import captions
from bayesbias.fits.check_sentences import tell
from bayesbias.fits.refitted import RefittedContrasts, failed, said_of_failed
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.specification import ModelSpec
from bayesbias.support.arguments import whole_number
from bayesbias.support.progress import tracked
from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks, Column, Columns, Table, counted, interval_column
from bayesbias.support.types import Generator


@dataclass(frozen=True, repr=False)
class ResampledWords(Result):
    """What a fit would say with other draws of its words. Made by `Fit.resampled_words`.

    Parameters
    ----------
    table : DataFrame
        One row per contrast: ``contrast``, ``mean`` with all words; ``low``, ``high``, the
        interval of the means over resampled lists; ``sd`` of these means beside ``posterior_sd``,
        that of the fit; ``verdict`` with all words; ``same_verdict``, the share of lists with it;
        and ``n_bad_k``, lists whose fit has a Pareto k above 0.7.
    lists : DataFrame
        One row per resampled list and contrast: ``list``, columns of `Fit.contrasts`, and
        ``pareto_k``.
    notes : tuple of str
        In what the fits differ from the one that was asked, and what could not be fitted.
    rule : DecisionRule
    seed : int
    """

    table: pd.DataFrame
    lists: pd.DataFrame
    notes: tuple[str, ...]
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
            Column("sd", form="distance", drop_priority=1),
            Column("posterior_sd", form="distance", drop_priority=1),
            Column("same_verdict", form="percent"),
        ]
        n = self.lists["list"].nunique()
        return [
            tell("resampled", n, self.rule.label),
            "",
            Table(self.table, columns),
            captions.tell("conservative"),
            *self.notes,
            *said_of_failed(self.lists, ["list"], "resampled list", "lists"),
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
    n, notes = whole_number(n, "n", "lists", least=2), []
    if spec.is_similar:
        spec, notes = spec.without_similarity(), [captions.tell("drawn_twice")]
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
    if len(parts) < n:
        notes.append(tell("lost", counted(n - len(parts), "list")))
    lists = pd.concat(parts, ignore_index=True)
    rows = []
    for row in whole.itertuples():
        part = lists[lists["contrast"] == row.contrast]
        low, high = rule.bounds(part["mean"].to_numpy())
        rows.append(
            {
                "contrast": row.contrast,
                "mean": row.mean,
                "low": low,
                "high": high,
                "sd": float(part["mean"].std(ddof=1)),
                "posterior_sd": row.sd,
                "verdict": row.verdict,
                "same_verdict": float((part["verdict"] == row.verdict).mean()),
                "n_bad_k": int(failed(part).sum()),
            }
        )
    return ResampledWords(pd.DataFrame(rows), lists, tuple(notes), rule, seed)


def _resampled(frame: pd.DataFrame, rng: Generator) -> pd.DataFrame:
    """Draw words within their lists, with replacement; a word drawn again is another word."""
    for column, within in ((PROTECTED_WORD, GROUP), (ATTRIBUTE, ATTRIBUTE_SET)):
        words = frame[[column, within]].drop_duplicates()
        drawn = pd.concat(
            part.iloc[rng.integers(len(part), size=len(part))]
            for _, part in words.groupby(within, sort=False)
        )
        # The model has to see two words: under one name both would share the word's effects.
        copy = drawn.groupby([column, within]).cumcount()
        again = drawn[column] + " " + (copy + 1).astype(str)
        drawn = drawn.assign(_name=drawn[column].where(copy == 0, again))
        merged = drawn.merge(frame, on=[column, within], how="left")
        frame = merged.drop(columns=column).rename(columns={"_name": column})
    return frame
