"""The sections on whether the model fits the pairs, and whether its draws can be relied on."""

from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.constants import CONNECTION, INNER_PROB
from bayesbias.fits.contrasts import PAIRS
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.predictive_figures import (
    BAND,
    density_chart,
    observed_chart,
    pit_chart,
    predictive_draws,
    response_name,
)
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.diagnostics import ESS_LIMIT, PARETO_K_LIMIT, R_HAT_LIMIT
from bayesbias.report.page_parts import DefinitionList, Drawing, Section, parts_of
from bayesbias.support.text_tables import Column, Columns, Table, typeset

_ESS_LIMIT: Final = f" (should be at least {ESS_LIMIT:.0f})"
_NUMBERS: Final = {
    "divergences": ("divergent draws", " (should be 0)"),
    "max_r_hat": ("largest R-hat", f" (should be at most {R_HAT_LIMIT})"),
    "min_ess_bulk": ("smallest effective number of draws, bulk", _ESS_LIMIT),
    "min_ess_tail": ("smallest effective number of draws, tails", _ESS_LIMIT),
    "max_pareto_k": (
        "largest Pareto k of the importance weights",
        f" (should be at most {PARETO_K_LIMIT})",
    ),
    "min_importance_ess": ("smallest effective number of proposals", _ESS_LIMIT),
    "n_draws": ("draws kept", ""),
    "n_chains": ("chains", ""),
}
"""What numbers of diagnostics are called, and their limits."""


def coverage_of(fit: Fit, rule: DecisionRule) -> pd.DataFrame:
    """Return the shares of pairs inside their predictive intervals: the rule's, and the half."""
    return fit.coverage(probs=tuple({rule.prob: 0, INNER_PROB: 0}), interval=rule.interval).table


def predictive_section(fit: Fit, coverage: pd.DataFrame, rule: DecisionRule) -> Section:
    """Show how the model's predictions compare with the pairs."""
    what = response_name(fit.spec.response)
    table = fit.predictions(prob=rule.prob, interval=rule.interval)
    draws = predictive_draws(fit.posterior, fit.design, seed=fit.seed)
    observed = table["observed"].to_numpy()
    told = "; ".join(
        f"{r.connection} {typeset(float(r.inside), 'share')}"
        for r in coverage.itertuples()
        if r.prob == rule.prob
    )
    shares = Column("prob", "interval", "share"), Column("inside", form="share")
    columns: Columns = [CONNECTION, PAIRS, *shares]
    parts = (
        (
            "Predictions of the pairs that the model was fitted to. A pair pulls its own "
            "prediction to itself, so that the shares are somewhat above their probability; "
            "model criticism, below, predicts each pair from all others."
        ),
        Table(coverage, columns, "Share of pairs inside their predictive interval, in-sample"),
        Drawing(
            f"Observed {what} against the predicted mean",
            f"Observed {what} against the predicted mean of every pair. Share of pairs inside "
            f"the {100 * rule.prob:g}% predictive interval: {told}.",
            (observed_chart(table, what),),
        ),
        Drawing(
            "Density of the observed and of predicted values",
            f"Density of observed values ({_moments(observed)}) and of predicted ones "
            f"({_moments(draws)}).",
            (density_chart(observed, draws, what),),
        ),
    )
    return Section("predictive", "Predictive checks", parts)


def criticism_section(fit: Fit) -> Section:
    """Show where predictions go wrong, each pair predicted from all others."""
    found = fit.criticism()
    drawing = Drawing(
        f"Leave-one-out predictive probabilities against the uniform distribution ({BAND}).",
        "Share of pairs below each leave-one-out predictive probability, less what is expected; "
        "the table has the shares in the middle and in the tails.",
        (pit_chart(found.pit),),
    )
    parts = parts_of(found.blocks, "Leave-one-out predictions")
    return Section("criticism", "Model criticism", (*parts, drawing))


def _moments(values: NDArray[np.floating]) -> str:
    mean, sd = typeset(float(values.mean()), "distance"), typeset(float(values.std()), "distance")
    return f"mean {mean}, sd {sd}"


def diagnostics_section(fit: Fit) -> Section:
    """Show whether the draws can be relied on, with the limits."""
    found = {k: v for k, v in fit.diagnostics.to_dict().items() if k in {*_NUMBERS, "worst"}}
    if found.get("max_pareto_k", 0.0) is None:  # a grid has neither weights nor a worst block
        found = {"n_draws": found["n_draws"]}
    worst = "where R-hat is largest" if "max_r_hat" in found else "where Pareto k is largest"
    rows = []
    for key, value in found.items():
        name, limit = _NUMBERS.get(key, (worst, ""))
        form = "count" if isinstance(value, int) or "ess" in key else "distance"
        if value not in (None, ""):
            rows.append((name, typeset(value, form) + limit))
    return Section(
        "diagnostics", "Diagnostics", (fit.diagnostics.sentence, DefinitionList(tuple(rows)))
    )
