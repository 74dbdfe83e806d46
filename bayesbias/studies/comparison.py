"""What comparisons of the same pairs under several conditions have in common.

Conditions are embeddings or times. Words that a condition lacks are left out of all, so that the
same pairs are compared (`unshared` names them), and sizes are in standard deviations of a neutral
pair's distance in each condition, since distances spread differently.
"""

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

import pandas as pd

from bayesbias.constants import CHANGE, CONNECTION, CONTRASTS, DISTANCE, MISSING_COLUMNS
from bayesbias.errors import DistancesError, ModelError
from bayesbias.fits.contrasts import STANDARDISED
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.next_step import next_step
from bayesbias.inference.decision import DecisionRule, distance_scale
from bayesbias.inference.model_files import load_model
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.conditions import Conditions
from bayesbias.pairs.keys import pair_key
from bayesbias.pairs.provenance import missing_of
from bayesbias.pairs.reference import without_reference
from bayesbias.studies.several_narrator import what_sds_are
from bayesbias.support.forests import Forest
from bayesbias.support.result import Result, plain
from bayesbias.support.text_tables import Blocks, Column, Columns, bullets

BELOW: Final = Column("p_below_zero", "P(< 0)", "probability", drop_priority=1)
VERDICT: Final = Column("verdict_label", "verdict", "verdict")


class Comparison(Result):
    """Base of what is said of the same pairs under several conditions."""

    tables: ClassVar[tuple[str, ...]]
    """The names of all tables, in the order in which they are written."""

    noun: ClassVar[str]
    """What a condition is called: embedding, time."""

    rule: DecisionRule
    scales: Mapping[str, float]
    unshared: pd.DataFrame

    @property
    @abstractmethod
    def main_fit(self) -> Fit:
        """The fit whose model, notes and seed are recorded."""

    @property
    def main_rule(self) -> DecisionRule:
        """The rule on the scale of the first condition, or of all where they have one."""
        return self.rule.on_scale(next(iter(self.scales.values())))

    @property
    def missing_words(self) -> pd.DataFrame:
        """The missing words of all conditions, each with its name; empty without a record."""
        rows = missing_of(self.main_fit.frame) or ()
        return pd.DataFrame(rows, columns=list(MISSING_COLUMNS))

    @property
    def shared_pairs(self) -> pd.DataFrame:
        """The pairs of protected words that all conditions have, once each."""
        pairs = without_reference(self.main_fit.frame)
        return pairs[~pairs.duplicated(pair_key())]

    @property
    @abstractmethod
    def of_each(self) -> pd.DataFrame:
        """The contrasts under each condition, which the column ``under`` names."""

    @property
    def forests(self) -> list[Forest]:
        """What is said of each condition, in sds; none of a change, which has its own page."""
        return []

    @property
    @abstractmethod
    def details(self) -> Blocks:
        """The tables behind the answers."""

    @property
    def blocks(self) -> Blocks:
        """The answers, the tables behind them, and what their numbers are."""
        return self.screen(next_step("several", "", report=False, typed=False))

    def screen(self, then: str) -> Blocks:
        """Return all of it; `then`: what to do next."""
        head, *others = self.answers
        others = [what_sds_are(self.scales.values(), f"{self.noun}s"), *others]
        lines = ["", *bullets(others)]
        return [head, then, *lines, "", *self.details, "", *self.captions]

    @property
    @abstractmethod
    def answers(self) -> list[str]:
        """What was found, in sentences."""

    @property
    @abstractmethod
    def captions(self) -> list[str]:
        """What the numbers are, and the rule of the verdicts."""

    def to_dict(self) -> dict[str, Any]:
        """Return all tables, the rule and the sentences as plain data."""
        content: dict[str, Any] = plain({name: getattr(self, name) for name in self.tables})
        return {
            **content,
            "rule": plain(self.rule),
            "caption": " ".join(self.captions),
            "answers": self.answers,
            "notes": self.main_fit.notes,
            "missing_words": plain(self.missing_words),
        }


def model_of_changes(model: str | Path | ModelSpec) -> ModelSpec:
    """Load a model, and refuse one of anything but changes."""
    spec = load_model(model)
    if spec.response != CHANGE:
        raise ModelError(
            f"model {spec.name!r} explains a distance, not its change; take 'change-maximal', "
            f"'change' or one of your own with response = \"change\""
        )
    return spec


def on_scales(frames: Mapping[str, pd.DataFrame]) -> tuple[Conditions, dict[str, float]]:
    """Return the pairs that all frames have, over training runs, and each condition's scale.

    Refuses pairs of which no contrast is asked, and distances that do not vary.
    """
    conditions = Conditions.of(frames, over_runs=True)
    present = set(conditions.pairs[CONNECTION])
    if not any(set(pair) <= present for pair in CONTRASTS):
        raise DistancesError(
            f"the frames share the connections {', '.join(sorted(present))}; a contrast needs two, "
            f"such as associated and different"
        )
    scales: dict[str, float] = {}
    for name, values in zip(frames, conditions.distances.T, strict=True):
        scales[name] = distance_scale(conditions.pairs.assign(**{DISTANCE: values}), DISTANCE)
        if not scales[name] > 0:
            raise DistancesError(
                f"the distances of {name!r} do not vary on the pairs that all share, so that they "
                f"cannot be compared; check whether they were computed"
            )
    return conditions, scales


def columns_in_sds(label: str) -> Columns:
    """Return the columns of differences in standard deviations, with their interval's name."""
    return [Column(STANDARDISED[0], "in sd", "sds"), Column(STANDARDISED[1:], label, "sds")]


def under_each(parts: Mapping[str, pd.DataFrame], column: str) -> pd.DataFrame:
    """Return the tables of all conditions below each other; a first column names the condition."""
    return pd.concat(parts, names=[column]).reset_index(column).reset_index(drop=True)
