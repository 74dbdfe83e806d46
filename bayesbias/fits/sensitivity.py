"""How much an answer hangs on the priors and on single words."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
import pandas as pd

from bayesbias.constants import ATTRIBUTE, ATTRIBUTE_SET, CONNECTION, GROUP, PROTECTED_WORD
from bayesbias.errors import DistancesError
from bayesbias.fits.contrasts import compared_pairs, contrast_name
from bayesbias.fits.quantities import Fitted, answer, contrast_weights
from bayesbias.fits.refitted import RefittedContrasts
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.diagnostics import PARETO_K_LIMIT
from bayesbias.inference.pareto import resample
from bayesbias.inference.power_scaling import (
    log_prior,
    power_scaled,
    sensitivity_to,
)
from bayesbias.inference.predictive import total_log_likelihood
from bayesbias.inference.questions import connection_weights, stacked
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.reference import without_reference
from bayesbias.support.progress import tracked
from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks, Column, Table, counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SENSITIVE: Final = 0.05
"""A power-scaling sensitivity from here on counts (Kallioinen et al. 2024)."""

_DRAWS: Final = 4000
_POWERS: Final = {"half": 0.5, "double": 2.0}


@dataclass(frozen=True, repr=False)
class Sensitivity(Result):
    """How much a fit's answers hang on the priors and on single words.

    Made by `Fit.sensitivity`.

    Parameters
    ----------
    priors : DataFrame
        One row per connection mean and contrast (``quantity``): ``mean``; ``prior`` and
        ``likelihood``, how fast the posterior moves when one of them is raised to a power
        (sensitive from 0.05); ``diagnosis``; ``mean_half`` and ``mean_double``, the mean if the
        priors counted half or double; for contrasts the ``verdict`` and what it would be then;
        ``pareto_k``, the larger of these two reweightings' (below 0.7 they can be trusted).
    left_out : DataFrame
        One row per word and contrast: ``removed``, ``role`` (protected or attribute), ``list``;
        ``elpd``, the log-density of the word's pairs given all others; ``contrast``, ``mean``,
        ``low`` and ``high`` without the word, ``shift`` of the mean,
        ``verdict``, ``clear`` (whether the verdict is not on the edge), ``verdict_all`` with all
        words, and whether it ``changed``: both verdicts differ and are clear.
    on_edge : tuple of str
        Contrasts whose verdict with all words is not clear: almost any word may tip them.
    skipped : DataFrame
        Words that could not be left out: ``removed``, ``role``, ``reason``.
    rule : DecisionRule
        As in `Fit.contrasts`.
    seed : int
    """

    priors: pd.DataFrame
    left_out: pd.DataFrame
    on_edge: tuple[str, ...]
    skipped: pd.DataFrame
    rule: DecisionRule
    seed: int

    @property
    def changed(self) -> pd.DataFrame:
        """The rows of `left_out` whose verdict changed."""
        return self.left_out[self.left_out["changed"]].reset_index(drop=True)

    _main: ClassVar[str] = "left_out"

    def to_dict(self) -> dict[str, Any]:
        """Return the tables and the rule as plain data."""
        return {**super().to_dict(), "caption": self.rule.caption}

    def plot(self) -> "Figure":
        """Draw the prior sensitivities, and the words that move each contrast most."""
        from bayesbias.fits.sensitivity_figure import plot_sensitivity

        return plot_sensitivity(self.priors, self.left_out, self.rule)

    @property
    def blocks(self) -> Blocks:
        """The prior sensitivities and the words that change a verdict, to be shown."""
        priors = Table(
            self.priors,
            [
                "quantity",
                Column("mean", form="distance"),
                Column("mean_half", "prior × ½", "distance", yields=2),
                Column("mean_double", "prior × 2", "distance", yields=2),
                Column("prior", form="distance", yields=1),
                Column("likelihood", form="distance", yields=1),
                "diagnosis",
            ],
        )
        lines: list[str | Table] = [
            "Power-scaling sensitivity: the mean, also with the prior at half and at double power, "
            "and the sensitivities, which matter from 0.05 on:",
            "",
            priors,
            "",
        ]
        n_words = self.left_out[["removed", "role"]].drop_duplicates().shape[0]
        changed = self.changed
        if not n_words:
            lines.append("No word was left out.")
        elif changed.empty:
            lines.append(f"Leaving out one of {n_words} words at a time changes no verdict.")
        else:
            lines.append(f"Leaving out one of {n_words} words at a time changes these verdicts:")
            lines += ["", _changed_table(changed)]
        for name in self.on_edge:
            lines.append(
                f"{name} is on the edge between two verdicts: an end of its interval is so near to "
                f"0 or to an end of the ROPE that the computation cannot tell its side, and almost "
                f"any word may tip it."
            )
        if len(self.skipped):
            words = counted(len(self.skipped), "word")
            lines.append(f"{words} could not be left out; see skipped.")
        return [*lines, self.rule.caption]


def _changed_table(changed: pd.DataFrame) -> Table:
    shift = Column("shift", form="signed")
    verdicts = Column("verdict_all", "verdict with all"), Column("verdict", "verdict without")
    return Table(changed, ["removed", Column("role", yields=1), "contrast", shift, *verdicts])


def sensitivity_of(
    fitted: Fitted,
    frame: pd.DataFrame,
    spec: ModelSpec,
    rule: DecisionRule,
    *,
    leave_out: bool,
    seed: int,
    progress: bool | None,
) -> Sensitivity:
    """Measure what a fit's answers hang on; see `Fit.sensitivity`."""
    pairs = compared_pairs(fitted.design)
    priors = _prior_table(fitted, spec, pairs, rule, np.random.default_rng([seed, 1]))
    left_out: list[dict[str, Any]] = []
    skipped: list[dict[str, str]] = []
    on_edge: tuple[str, ...] = ()
    if leave_out:
        left_out, on_edge, skipped = _leave_each_out(frame, spec, rule, progress)
    columns = [
        *("removed", "role", "list", "elpd"),
        *("contrast", "mean", "low", "high", "interval", "prob"),
        *("shift", "verdict", "clear", "verdict_all", "changed"),
    ]
    return Sensitivity(
        priors,
        pd.DataFrame(left_out, columns=columns).astype({"clear": bool, "changed": bool}),
        on_edge,
        pd.DataFrame(skipped, columns=["removed", "role", "reason"]),
        rule,
        seed,
    )


def _prior_table(
    fit: Fitted,
    spec: ModelSpec,
    pairs: list[tuple[str, str]],
    rule: DecisionRule,
    rng: np.random.Generator,
) -> pd.DataFrame:
    draws, names = _quantities(fit, pairs)
    prior = log_prior(fit.posterior, spec)
    table = pd.DataFrame({"quantity": names, "mean": draws.mean(axis=0)})
    table["prior"] = sensitivity_to(prior, draws)
    table["likelihood"] = sensitivity_to(total_log_likelihood(fit.posterior, fit.design), draws)
    table["diagnosis"] = [_diagnosis(*row) for row in table[["prior", "likelihood"]].to_numpy()]
    is_contrast = np.arange(len(names)) >= len(names) - len(pairs)
    table["verdict"] = np.where(is_contrast, _verdicts(draws, rule), "")
    largest_k = -np.inf
    for label, power in _POWERS.items():
        weights, k = power_scaled(prior, power)
        moved = draws[resample(weights, len(draws), rng)]
        table[f"mean_{label}"] = weights @ draws
        table[f"verdict_{label}"] = np.where(is_contrast, _verdicts(moved, rule), "")
        largest_k = max(largest_k, k)
    table["pareto_k"] = largest_k
    if largest_k > PARETO_K_LIMIT:
        table["diagnosis"] += "; half and double are unreliable (Pareto k above 0.7)"
    return table


def _diagnosis(prior: float, likelihood: float) -> str:
    if prior < SENSITIVE:
        return "prior matters little"
    if likelihood < SENSITIVE:
        return "strong prior or weak data"
    return "prior and data may disagree"


def _quantities(fitted: Fitted, pairs: list[tuple[str, str]]) -> tuple[np.ndarray, list[str]]:
    """Return draws (S, Q) of connections' means, then contrasts, and their names."""
    design = fitted.design
    parts = [connection_weights(design), contrast_weights(design, "connection", pairs)]
    names = [*design.listed_connections, *(contrast_name(a, b) for a, b in pairs)]
    return answer(fitted, pd.DataFrame(), stacked(parts), points=1).draws, names


def _verdicts(draws: np.ndarray, rule: DecisionRule) -> np.ndarray:
    bounds = rule.bounds(draws)
    return rule.verdicts(bounds[:, 0], bounds[:, 1])


def _leave_each_out(
    frame: pd.DataFrame, spec: ModelSpec, rule: DecisionRule, progress: bool | None
) -> tuple[list[dict[str, Any]], tuple[str, ...], list[dict[str, str]]]:
    """Refit without every word in turn; blocks of connections that stay are not fitted again."""
    frame = without_reference(frame)
    refitted = RefittedContrasts(spec, rule)
    baseline, whole = refitted.of_frame(frame)
    before = baseline.set_index("contrast")
    rows: list[dict[str, Any]] = []
    skipped = []
    for word, role, where, mask in tracked(_members(frame), "Leaving out each word", progress):
        rest = frame[~mask].reset_index(drop=True)
        reason = _too_little(frame, rest)
        if not reason:
            try:
                found, fit = refitted.of_frame(rest)
            except DistancesError as error:
                reason = str(error)
        if reason:
            skipped.append({"removed": word, "role": role, "reason": reason})
            continue
        elpd = whole.log_marginal_likelihood - fit.log_marginal_likelihood
        labels = {"removed": word, "role": role, "list": where, "elpd": elpd}
        rows += [{**labels, **_against(before, row)} for row in found.to_dict("records")]
    on_edge = tuple(before.index[before["on_edge"]])
    return rows, on_edge, skipped


def _against(before: pd.DataFrame, row: dict[Any, Any]) -> dict[str, Any]:
    """Return a contrast without a word beside the one with all words."""
    whole, clear = before.loc[row["contrast"]], not row["on_edge"]
    differs = row["verdict"] != whole["verdict"]
    kept = {k: v for k, v in row.items() if k not in ("sd", "on_edge")}
    return {
        **kept,
        "clear": clear,
        "shift": row["mean"] - whole["mean"],
        "verdict_all": whole["verdict"],
        "changed": bool(differs and clear and not whole["on_edge"]),
    }


def _members(frame: pd.DataFrame) -> list[tuple[str, str, str, np.ndarray]]:
    """List every word with its role, its list and the rows that it stands in."""
    found = []
    for (word, group), rows in frame.groupby([PROTECTED_WORD, GROUP], sort=False).indices.items():
        found.append((word, "protected", group, rows))
    by_attribute = frame.groupby([ATTRIBUTE, ATTRIBUTE_SET], sort=False).indices
    found += [(word, "attribute", name, rows) for (word, name), rows in by_attribute.items()]
    return [(w, role, name, _mask(rows, len(frame))) for w, role, name, rows in found]


def _mask(rows: np.ndarray, n: int) -> np.ndarray:
    mask = np.zeros(n, dtype=bool)
    mask[rows] = True
    return mask


def _too_little(whole: pd.DataFrame, rest: pd.DataFrame) -> str:
    """Say why nothing could be estimated from the rest, or return an empty text."""
    gone = set(whole[CONNECTION]) - set(rest[CONNECTION])
    if gone:
        return f"it is all there is of connection {', '.join(sorted(gone))}"
    if rest[PROTECTED_WORD].nunique() < 2 or rest[ATTRIBUTE].nunique() < 2:
        return "fewer than two words would be left"
    return ""
