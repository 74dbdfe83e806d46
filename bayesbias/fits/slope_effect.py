"""What slopes do to the contrasts: plain answers beside those at equal numbers.

If rare words are farther from everything, a group of rare names is too. A slope on the numbers
(such as ranks) compares words at equal ones, as a covariate does in a regression: the answers are
then adjusted for it, under a linear relation. The same pairs are fitted without it, so that both
answers stand beside each other.
"""

from dataclasses import dataclass
from typing import Any, Final, Unpack

import pandas as pd

from bayesbias.errors import FitError
from bayesbias.fits.check_sentences import tell
from bayesbias.fits.contrasts import decisions_table
from bayesbias.fits.interval_figures import decision_mark, region_of
from bayesbias.fits.narrator import at_equal
from bayesbias.fits.refitted import RefittedContrasts
from bayesbias.inference.decision import DecisionRule
from bayesbias.support.figure_style import Place
from bayesbias.support.forests import Forest, Row, plot_forests, span_of
from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks, label_of
from bayesbias.support.types import Figure

PLAIN: Final = "plain"


@dataclass(frozen=True, repr=False, eq=False)
class SlopeEffect(Result):
    """Contrasts without slopes and with them; made by `Fit.slope_effect`.

    Parameters
    ----------
    table : DataFrame
        Two rows per contrast: ``contrast``, ``mean``, ``sd``, ``low``, ``high``, ``verdict`` and
        others as in `Fit.contrasts`, and ``compared``: ``plain`` for the fit without slopes, or at
        equal what, such as ``at equal frequency``.
    slopes : DataFrame
        ``Fit.summary("slope").table``.
    rule : DecisionRule
    """

    table: pd.DataFrame
    slopes: pd.DataFrame
    rule: DecisionRule

    @property
    def sentence(self) -> str:
        """Which verdicts are others, in words."""
        (_, plain), (at, equal) = self._halves
        changed = [
            (name, now, verdict)
            for name, verdict, now in zip(
                plain["contrast"], plain["verdict"], equal["verdict"], strict=True
            )
            if now != verdict
        ]
        return tell("at_equal", at, changed)

    @property
    def blocks(self) -> Blocks:
        """The sentence and the table."""
        keys = ["contrast", "compared"]
        return [self.sentence, "", decisions_table(self.table, keys)]

    @property
    def forests(self) -> tuple[Forest, ...]:
        """A forest per contrast, plain and at equal numbers."""
        reach = 1.2 * self.rule.width
        span = span_of([*self.table["low"], *self.table["high"]], -reach, reach)
        axis = f"difference, {label_of(self.table)}\n(dashed: 0; grey: ROPE)"
        return tuple(
            Forest(
                str(name),
                f"{name}, plain and {self._halves[1][0]}; the table has the numbers.",
                axis,
                tuple(Row(r.compared, (decision_mark(r),)) for r in part.itertuples()),
                span,
                (0.0,),
                region_of(self.rule),
            )
            for name, part in self.table.groupby("contrast", sort=False)
        )

    def plot(self, **place: Unpack[Place]) -> Figure:
        """Draw the contrasts, plain and at equal numbers, a panel each."""
        return plot_forests([self.forests], width=8.4, most=2, **place)

    @property
    def _halves(self) -> list[tuple[str, pd.DataFrame]]:
        return [(str(name), part) for name, part in self.table.groupby("compared", sort=False)]


def slope_effect_of(fit: Any, rule: DecisionRule) -> SlopeEffect:
    """Fit the pairs of a `Fit` without slopes, and compare; see `Fit.slope_effect`."""
    spec = fit.spec
    if not spec.slopes:
        raise FitError(
            "this model has no slopes, whose effect could be shown; fit with frequency=True, or "
            "with [[slopes]] in the model's file"
        )
    without = spec.without([slope.name for slope in spec.slopes])
    plain, _ = RefittedContrasts(without, rule).of_frame(fit.frame)
    equal = fit.contrasts(rule=rule).table
    equal = equal[list(plain.columns.drop("pareto_k"))]
    parts = [plain.assign(compared=PLAIN), equal.assign(compared=at_equal(spec))]
    table = pd.concat(parts).sort_index(kind="stable").reset_index(drop=True)
    return SlopeEffect(table, fit.summary("slope", rule=rule).table, rule)
