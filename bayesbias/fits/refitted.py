"""Contrasts of many fits of one model to frames that differ by little.

Placebo lists, lists with a word left out, and resampled or simulated lists all need hundreds of
fits. Each starts where those before it ended (`inference.refits`), and a frame that lacks what a
term needs is fitted without the term.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pandas as pd

from bayesbias.constants import CONTRASTS, GROUP
from bayesbias.errors import ModelError
from bayesbias.fits.check_sentences import tell
from bayesbias.fits.contrasts import EXACT_ERROR, compared_pairs, contrast_name, near_edge
from bayesbias.fits.quantities import chance_of, contrast_weights, crossed_labels
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.design import Design
from bayesbias.inference.diagnostics import PARETO_K_LIMIT
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.questions import LinearCombinations, stacked
from bayesbias.inference.refits import Refit, Refits
from bayesbias.inference.specification import ModelSpec
from bayesbias.support.text_tables import counted

Pairs = Sequence[tuple[str, str]]

ALL_GROUPS: Final = "all"
"""What stands in the column of groups for the contrast over all of them."""

_MOST_NAMED: Final = 8


@dataclass
class RefittedContrasts:
    """Fits one frame after another, each with what those before have found.

    Terms that a frame cannot tell are left out for it. `asked` has, by level, the connections to
    be compared where they are there; `more` returns other questions of a design. With `chance` a
    table says how often groups that are unrelated to the lists differ as much.
    """

    spec: ModelSpec
    rule: DecisionRule
    asked: Mapping[str, Pairs] = field(default_factory=lambda: {"connection": CONTRASTS})
    more: Callable[[Design], tuple[pd.DataFrame, LinearCombinations]] | None = None
    chance: bool = False

    def __post_init__(self) -> None:
        self._refits = Refits(self.spec)

    def of_frame(
        self, frame: pd.DataFrame, spec: ModelSpec | None = None
    ) -> tuple[pd.DataFrame, Refit]:
        """Fit a frame, with the usual model or another; return its contrasts and the fit.

        The table has ``group`` where groups are asked for, columns of `Fit.contrasts`, and
        ``pareto_k``, the largest of the fit.
        """
        spec = self.spec if spec is None else spec
        try:
            design = Design.from_frame(frame, spec)
        except ModelError:
            spec, _ = drop_unidentified_terms(spec, frame)
            design = Design.from_frame(frame, spec)
        return self.of_design(design, spec)

    def of_design(
        self, design: Design, spec: ModelSpec | None = None
    ) -> tuple[pd.DataFrame, Refit]:
        """Fit a design; return its contrasts and the fit."""
        labels, weights = self._questions(design)
        found = self._refits.answers(design, weights, spec, unrelated=self.chance)
        return self._table(labels, found), found

    def _questions(self, design: Design) -> tuple[pd.DataFrame, LinearCombinations]:
        """Return what is asked, one row of labels for each."""
        labels, weights = [], []
        for by, wanted in self.asked.items():
            pairs = [pair for pair in compared_pairs(design) if pair in wanted]
            if not pairs:
                continue
            rows = crossed_labels(design, by, "contrast", [contrast_name(*pair) for pair in pairs])
            if GROUP in self.asked and GROUP not in rows:
                rows.insert(0, GROUP, ALL_GROUPS)
            labels.append(rows)
            weights.append(contrast_weights(design, by, pairs))
        if self.more is not None:
            rows, of_rows = self.more(design)
            labels, weights = [*labels, rows], [*weights, of_rows]
        return pd.concat(labels, ignore_index=True), stacked(weights)

    def _table(self, labels: pd.DataFrame, found: Refit) -> pd.DataFrame:
        rule = self.rule
        ends = np.array([one.interval(rule.prob, rule.interval) for one in found.answers])
        mean, sd = (np.array([getattr(m, of) for m in found.answers]) for of in ("mean", "sd"))
        if found.unrelated is not None:
            labels = labels.assign(chance=chance_of(mean, found.unrelated))
        return labels.assign(
            mean=mean,
            sd=sd,
            low=ends[:, 0],
            high=ends[:, 1],
            interval=rule.interval,
            prob=rule.prob,
            verdict=rule.verdicts(ends[:, 0], ends[:, 1]).astype(object),
            on_edge=near_edge(ends, EXACT_ERROR * sd[:, None], rule),
            pareto_k=found.pareto_k,
        )


def failed(rows: pd.DataFrame) -> "pd.Series[bool]":
    """Tell which rows rest on a fit whose Pareto k is above 0.7."""
    return rows["pareto_k"] > PARETO_K_LIMIT


def said_of_failed(rows: pd.DataFrame, keys: Sequence[str], noun: str, where: str) -> list[str]:
    """Say which refits of a noun failed, one sentence or none; `where`: the table with each k."""
    fits = rows.drop_duplicates(list(keys))
    bad = fits[failed(fits)]
    if bad.empty:
        return []
    names = [" ".join(map(str, key)) for key in bad[list(keys)].itertuples(index=False)]
    few = ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")
    counts = counted(len(fits), noun), f"{len(bad):,}"
    return [tell("failed", *counts, f"{PARETO_K_LIMIT}", few, where)]
