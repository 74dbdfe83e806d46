"""What comparisons of the same pairs under several conditions have in common.

Conditions are embeddings or times. Words that a condition lacks are left out of all, so that the
same pairs are compared (`unshared` names them), and sizes are in standard deviations of a neutral
pair's distance in each condition, since distances spread differently.

Of training runs, a run shifts all distances of a connection alike, by u ~ N(0, τ²), which leaves
N(0, τ² / R) in the mean over R runs. Shifts of single words or attributes are in the scatter of
these, which a model of the averages finds by itself.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
import pandas as pd
from scipy.special import chdtri

from bayesbias.constants import CHANGE, CONNECTION, CONTRASTS, DISTANCE, MISSING_COLUMNS, RUN
from bayesbias.errors import DistancesError, ModelError
from bayesbias.fits.contrasts import STANDARDISED
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.next_step import next_step
from bayesbias.fits.quantities import Quantities, repeat_terms
from bayesbias.fits.sentences import Names, own_lists
from bayesbias.inference.conditional import NormalMixture
from bayesbias.inference.decision import DecisionRule, distance_scale
from bayesbias.inference.model_files import load_model
from bayesbias.inference.parameters import samples, sds_of
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.conditions import Conditions
from bayesbias.pairs.keys import pair_key
from bayesbias.pairs.provenance import missing_of
from bayesbias.pairs.reference import without_reference
from bayesbias.studies.several_narrator import what_sds_are
from bayesbias.support.arrays import Array
from bayesbias.support.forests import Forest
from bayesbias.support.result import Result, plain
from bayesbias.support.text_tables import Blocks, Column, Columns, bullets

BELOW: Final = Column("p_below_zero", "P(< 0)", "probability", drop_priority=1)
VERDICT: Final = Column("verdict_label", "verdict", "verdict")


class Comparison(Result):
    """Base of what is said of the same pairs under several conditions."""

    tables: ClassVar[tuple[str, ...]]  # names of all tables, in the order of writing
    noun: ClassVar[str]  # what a condition is called: embedding, time
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

    @cached_property
    def names(self) -> Names:
        """What sentences and tables call groups and attribute lists."""
        return Names.of_frame(self.main_fit.frame)

    @property
    def subject(self) -> str:
        """Which attribute lists are whose own, which the first answer speaks of; or ""."""
        return own_lists(self.names)

    @property
    @abstractmethod
    def of_each(self) -> pd.DataFrame:
        """The contrasts under each condition, which the column ``under`` names."""

    @property
    def forests(self) -> list[Forest]:
        """What is said of each condition, in sds; none of a change, which has its own page."""
        return []

    @property
    def has_few_times(self) -> bool:
        """Whether there are too few points in time to tell a trend."""
        return False

    @property
    @abstractmethod
    def details(self) -> Blocks:
        """The tables behind the answers."""

    @property
    @abstractmethod
    def about_chance(self) -> list[str]:
        """What the tables' columns of chance are; [] where none is known."""

    @property
    def blocks(self) -> Blocks:
        """The answers, the tables behind them, and what their numbers are."""
        return self.screen(next_step("several", "", False, False, self.has_few_times))

    def screen(self, then: str) -> Blocks:
        """Return all of it; `then`: what to do next."""
        head, *others = self.answers
        sds = what_sds_are(self.scales.values(), f"{self.noun}s")
        said = [one for one in (head, self.subject, sds, then) if one]
        lines = ["", *bullets(others)] if others else []
        return [*said, *lines, "", *self.details, "", *self.captions, *self.main_fit.notes]

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


def retraining_error(fit: Fit, signs: Sequence[Mapping[str, float]]) -> Array:
    """Return what retraining leaves open in sums of connection means, (n_draws, n_sums).

    `signs` has per sum the weight of each connection.
    """
    frame = fit.frame
    # One pair for each connection, of one run: which level of a run's effects it has.
    one = np.flatnonzero((frame[RUN] == frame[RUN].iloc[0]) & ~frame.duplicated([RUN, CONNECTION]))
    connections = frame[CONNECTION].iloc[one].tolist()
    weights = np.array([[given.get(c, 0.0) for c in connections] for given in signs])
    variance = np.zeros((1, len(signs)))
    for term in repeat_terms(fit.design, RUN):
        name, level = f"{term.name}_sd", term.level[one]
        drawn = {} if term.fixed_sd is not None else {name: samples(fit.posterior, name)}
        sds = sds_of(term, drawn)
        for each in np.unique(level[level >= 0]):
            # Connections of one level shift together: their weights add up before they are squared.
            total = weights[:, level == each].sum(axis=1)
            variance = variance + sds[:, [term.sd[each]]] ** 2 * total**2
    return np.asarray(np.sqrt(variance / frame[RUN].nunique()))


def with_error(found: Quantities, error: Array) -> Quantities:
    """Add normal errors of these sds, (n_draws, n_quantities) or (n_quantities,), to quantities."""
    error = np.atleast_2d(error)
    noise = np.random.default_rng(0).standard_normal(found.draws.shape)  # one answer for all
    exact = tuple(
        NormalMixture(one.centre, np.hypot(one.spread, _of_size(own, len(one.spread))))
        for one, own in zip(found.exact, error.T, strict=bool(found.exact))
    )
    draws = found.draws + _of_size(error, len(noise)) * noise
    unrelated = found.unrelated
    if unrelated is not None:  # what retraining shifts, it shifts for unrelated groups too
        unrelated = np.hypot(unrelated, _of_size(error, unrelated.shape[1]).T)
    return replace(found, draws=draws, exact=exact, unrelated=unrelated)


def _of_size(draws: Array, n: int) -> Array:
    """Take `n` rows, evenly."""
    return draws[np.arange(n) * len(draws) // n]


def with_scatter(found: Quantities, error: Array, df: int) -> Quantities:
    """Add to quantities Student-t errors of so many degrees of freedom, (n_quantities,)."""
    rng = np.random.default_rng(0)  # one answer for all
    n = len(found.exact[0].centre) if found.exact else len(found.draws)
    # Evenly spread over the distribution of the variance, so that it is not left to chance.
    # A Student-t is a normal whose variance is df / χ² of df degrees of freedom.
    even = df / chdtri(df, (np.arange(n) + 0.5) / n)
    scale = np.sqrt(rng.permutation(even))
    return with_error(found, scale[:, None] * error)
