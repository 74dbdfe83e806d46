"""The section on what other models say of the main contrasts, and what the data say of them."""

import warnings
from typing import Final

import numpy as np
import pandas as pd

from bayesbias.constants import CHANGE, DISTANCE
from bayesbias.errors import BayesBiasWarning
from bayesbias.fits.contrasts import can_compare, decisions_table, in_order
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.fitting import fit as fit_model
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.model_files import load_model
from bayesbias.pairs.keys import distance_key, once
from bayesbias.report.parts import Part, Section
from bayesbias.support.text_tables import Column, Columns

MODELS: Final = {
    DISTANCE: ("paper", "crossed", "maximal"),
    CHANGE: ("change", "change-crossed", "change-maximal"),
}
"""The models that are shown beside each other, per response."""

_REPEATED: Final = (
    "The standard models take one distance per pair, and these pairs have several; there is no "
    "other model to show beside this one."
)


_DRAWS: Final = 500
"""Of each chain: contrasts are exact given as many standard deviations as four chains then have."""


def other_models_section(fit: Fit, rule: DecisionRule, *, asked: bool) -> Section:
    """Show the contrasts with "associated" under each standard model, and its evidence."""
    title = "Other models"
    if not asked:
        return Section("models", title, ("Omitted as requested.",))
    if _is_repeated(fit):
        return Section("models", title, (_REPEATED,))
    fits = standard_fits(fit)
    doubtful = [name for name, found in fits.items() if found.diagnostics.problems]
    parts: list[Part] = [
        (
            "The same pairs under the standard models. Evidence is the log marginal likelihood, "
            "relative to the best model: a difference above 5 is very strong. Where a model with "
            "less evidence gives another verdict, do not rely on that verdict."
        )
    ]
    if doubtful:
        parts.append(f"The draws of {', '.join(doubtful)} did not pass their checks.")
    if can_compare(fit.design):
        table = _table(fits, rule).drop(columns="n_pairs")
        keys: Columns = ["contrast", "model", Column("evidence", form="number")]
        parts.append(decisions_table(table, keys, f"Contrasts by model, {rule.label}"))
    return Section("models", title, tuple(parts))


def _is_repeated(fit: Fit) -> bool:
    """Tell whether pairs of a fit have several distances, which no standard model explains."""
    copies = distance_key(fit.spec.repeating)
    return len(once(fit.frame, distance_key())) < len(once(fit.frame, copies))


def standard_fits(fit: Fit) -> dict[str, Fit]:
    """Return the given fit and fits of the standard models to its pairs, by the model's name."""
    found: dict[str, Fit] = {}
    for name in MODELS[fit.spec.response]:
        spec = load_model(name)
        if fit.spec.name == name and (fit.spec.id == spec.id or fit.left_out):
            found[name] = fit
            continue
        with warnings.catch_warnings():  # the section names models whose draws fail their checks
            warnings.simplefilter("ignore", BayesBiasWarning)
            found[name] = fit_model(
                fit.frame, spec, seed=fit.seed, engine="collapsed", draws=_DRAWS
            )
    return found if fit in found.values() else {f"{fit.spec.name} (this fit)": fit, **found}


def _table(fits: dict[str, Fit], rule: DecisionRule) -> pd.DataFrame:
    """Return the main contrasts, one row per contrast and model."""
    best = np.nanmax([_evidence(found) for found in fits.values()])
    parts = []
    for name, found in fits.items():
        # A default ROPE is asked for as such where it is the same, since that answer is there.
        rope = rule.rope if found.rule().scale == rule.scale else rule.width
        own = found.contrasts(rope=rope, prob=rule.prob, interval=rule.interval).table
        own = own[own["contrast"].str.startswith("associated")] if len(own) > 1 else own
        parts.append(own.assign(model=name, evidence=_evidence(found) - best))
    table = pd.concat(parts, ignore_index=True)
    return in_order(table, "contrast", dict.fromkeys(table["contrast"]))


def _evidence(fit: Fit) -> float:
    """Return the log marginal likelihood, NaN for a fit by NUTS."""
    return float(fit.settings.get("log_marginal_likelihood", float("nan")))
