"""Contrasts of many fits of one model to frames that differ by little."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from bayesbias.errors import ModelError
from bayesbias.fits.contrasts import EXACT_ERROR, compared_pairs, contrast_name, near_edge
from bayesbias.fits.quantities import contrast_weights
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.design import Design
from bayesbias.inference.identifiability import simplify
from bayesbias.inference.refits import Refit, Refits
from bayesbias.inference.specification import ModelSpec


@dataclass
class RefittedContrasts:
    """Fits one frame after another, each with what those before have found.

    Parameters
    ----------
    spec : ModelSpec
        With a normal likelihood. Terms that a frame cannot tell are left out for that frame.
    rule : DecisionRule
    """

    spec: ModelSpec
    rule: DecisionRule
    _refits: dict[str, Refits] = field(default_factory=dict, repr=False)

    def of_frame(self, frame: pd.DataFrame) -> tuple[pd.DataFrame, Refit]:
        """Fit a frame; return its contrasts and the fit.

        Returns
        -------
        table : DataFrame
            Columns ``contrast``, ``mean``, ``sd``, ``low``, ``high``, ``interval``, ``prob``,
            ``verdict`` and ``on_edge``, as of `Fit.contrasts`.
        fit : Refit
        """
        spec = self.spec
        try:
            design = Design.from_frame(frame, spec)
        except ModelError:
            spec, _ = simplify(spec, frame)
            design = Design.from_frame(frame, spec)
        refits = self._refits.setdefault(spec.id, Refits(spec))
        return self.of_design(design, refits)

    def of_design(self, design: Design, refits: Refits) -> tuple[pd.DataFrame, Refit]:
        """Fit a design; return its contrasts and the fit."""
        pairs = compared_pairs(design)
        found = refits.answers(design, contrast_weights(design, "connection", pairs))
        return self._table([contrast_name(a, b) for a, b in pairs], found), found

    def _table(self, names: list[str], found: Refit) -> pd.DataFrame:
        rule = self.rule
        ends = np.array([one.interval(rule.prob, rule.interval) for one in found.answers])
        sd = np.array([mixture.sd for mixture in found.answers])
        return pd.DataFrame(
            {
                "contrast": names,
                "mean": [mixture.mean for mixture in found.answers],
                "sd": sd,
                "low": ends[:, 0],
                "high": ends[:, 1],
                "interval": rule.interval,
                "prob": rule.prob,
                "verdict": rule.verdicts(ends[:, 0], ends[:, 1]).astype(object),
                "on_edge": near_edge(ends, EXACT_ERROR * sd[:, None], rule),
                "pareto_k": found.pareto_k,
            }
        )
