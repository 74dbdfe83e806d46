"""Contrasts of many fits of one model to frames that differ by little."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from bayesbias.errors import ModelError
from bayesbias.fits.contrasts import EXACT_ERROR, compared_pairs, contrast_name, near_edge
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
        pairs, at = compared_pairs(design), design.connections.index
        weights = np.zeros((len(pairs), len(design.connections)))
        for row, (first, second) in zip(weights, pairs, strict=True):
            row[at(first)], row[at(second)] = 1.0, -1.0
        found = refits.contrasts(design, weights)
        return self._table([contrast_name(a, b) for a, b in pairs], found), found

    def _table(self, names: list[str], found: Refit) -> pd.DataFrame:
        rule = self.rule
        kind = "hpdi" if rule.interval == "hpdi" else "equal_tailed"
        ends = np.array([getattr(mixture, kind)(rule.prob) for mixture in found.contrasts])
        sd = np.array([mixture.sd for mixture in found.contrasts])
        return pd.DataFrame(
            {
                "contrast": names,
                "mean": [mixture.mean for mixture in found.contrasts],
                "sd": sd,
                "low": ends[:, 0],
                "high": ends[:, 1],
                "interval": rule.interval,
                "prob": rule.prob,
                "verdict": rule.verdicts(ends[:, 0], ends[:, 1]).astype(object),
                "on_edge": near_edge(ends, EXACT_ERROR * sd[:, None], rule),
            }
        )
