"""How much an answer hangs on the priors and on single words."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import xarray as xr

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    GROUP,
    KIND_OF_CONNECTION,
    PROTECTED_WORD,
)
from bayesbias.errors import DistancesError
from bayesbias.fits.contrasts import compared_pairs, contrast_name, verdict_caption
from bayesbias.inference.collapsed import sample_collapsed
from bayesbias.inference.design import Design
from bayesbias.inference.diagnostics import PARETO_K_LIMIT
from bayesbias.inference.importance import resample
from bayesbias.inference.intervals import interval_of, verdicts
from bayesbias.inference.power_scaling import (
    log_prior,
    power_scaled,
    sensitivity_to,
    total_log_likelihood,
)
from bayesbias.inference.specification import ModelSpec
from bayesbias.support.progress import tracked
from bayesbias.support.text_tables import Blocks, Table, as_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SENSITIVE: Final = 0.05
"""A power-scaling sensitivity from here on counts (Kallioinen et al. 2024)."""

_DRAWS: Final = 4000
_BATCHES: Final = 10
_POWERS: Final = {"half": 0.5, "double": 2.0}


@dataclass(frozen=True, repr=False)
class Sensitivity:
    """How much a fit's answers hang on the priors and on single words.

    Made by `Fit.sensitivity`.

    Parameters
    ----------
    priors : DataFrame
        One row per group mean and contrast (``quantity``): ``mean``; ``prior`` and
        ``likelihood``, how fast the posterior moves when one of them is raised to a power
        (sensitive from 0.05); ``diagnosis``; ``mean_half`` and ``mean_double``, the mean if the
        priors counted half or double; for contrasts the ``verdict`` and what it would be then;
        ``pareto_k``, the larger of these two reweightings' (below 0.7 they can be trusted).
    left_out : DataFrame
        One row per word and contrast: ``removed``, ``role`` (protected or attribute), ``list``,
        ``contrast``, ``mean``, ``low`` and ``high`` without the word, ``shift`` of the mean,
        ``verdict``, ``clear`` (whether no end of the interval is within Monte Carlo error of the
        ROPE's), ``verdict_all`` with all words, and whether it ``changed``: both verdicts differ
        and are clear.
    on_edge : tuple of str
        Contrasts whose verdict with all words is not clear: almost any word may tip them.
    skipped : DataFrame
        Words that could not be left out: ``removed``, ``role``, ``reason``.
    rope, prob, interval
        As in `Fit.contrasts`.
    seed : int
    """

    priors: pd.DataFrame
    left_out: pd.DataFrame
    on_edge: tuple[str, ...]
    skipped: pd.DataFrame
    rope: float
    prob: float
    interval: str
    seed: int

    @property
    def changed(self) -> pd.DataFrame:
        """The rows of `left_out` whose verdict changed."""
        return self.left_out[self.left_out["changed"]].reset_index(drop=True)

    @property
    def caption(self) -> str:
        """The rule behind the verdicts, in words."""
        return verdict_caption(self.rope, self.prob, self.interval)

    def to_frame(self) -> pd.DataFrame:
        """Return the table of words left out."""
        return self.left_out.copy()

    def to_dict(self) -> dict[str, Any]:
        """Return the tables and the rule as plain data."""
        tables = ("priors", "left_out", "skipped")
        return {
            "rope": self.rope,
            "prob": self.prob,
            "interval": self.interval,
            "seed": self.seed,
            "caption": self.caption,
            "on_edge": list(self.on_edge),
            **{name: getattr(self, name).to_dict("records") for name in tables},
        }

    def plot(self) -> "Figure":
        """Draw the prior sensitivities, and the words that move each contrast most."""
        from bayesbias.fits.sensitivity_figure import plot_sensitivity

        return plot_sensitivity(self.priors, self.left_out, self.rope)

    @property
    def blocks(self) -> Blocks:
        """The prior sensitivities and the words that change a verdict, to be shown."""
        table = self.priors[["quantity"]].copy()
        for name in ("mean", "mean_half", "mean_double"):
            table[name] = self.priors[name].map("{:.3f}".format)
        for name in ("prior", "likelihood"):
            table[name] = self.priors[name].map("{:.3f}".format)
        table["diagnosis"] = self.priors["diagnosis"]
        lines: list[str | Table] = [
            "Power-scaling sensitivity (from 0.05 on it counts):", "", Table(table), "",
        ]  # fmt: skip
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
                f"{name} is on the edge between two verdicts: an end of its interval is as near to "
                f"the ROPE's as the draws can tell, and almost any word may tip it."
            )
        if len(self.skipped):
            lines.append(f"{len(self.skipped)} words could not be left out; see skipped.")
        return [*lines, self.caption]

    def __repr__(self) -> str:
        """Show the prior sensitivities and the words that change a verdict."""
        return as_text(self.blocks)


@dataclass(frozen=True)
class Fitted:
    """What sensitivity needs to know of a fit.

    Parameters
    ----------
    posterior : Dataset
    design : Design
    frame : DataFrame
    spec : ModelSpec
    """

    posterior: xr.Dataset
    design: Design
    frame: pd.DataFrame
    spec: ModelSpec


def _changed_table(changed: pd.DataFrame) -> Table:
    shown = changed[["removed", "role", "contrast"]].copy()
    shown["shift"] = changed["shift"].map("{:+.3f}".format)
    shown["verdict with all"] = changed["verdict_all"]
    shown["verdict without"] = changed["verdict"]
    return Table(shown, left=3)


def sensitivity_of(
    fit: Fitted,
    *,
    rope: float,
    prob: float,
    interval: str,
    leave_out: bool,
    seed: int,
    progress: bool | None,
) -> Sensitivity:
    """Measure what a fit's answers hang on; see `Fit.sensitivity`."""
    chosen: dict[str, Any] = {"rope": rope, "prob": prob, "interval": interval}
    pairs = compared_pairs(fit.design)
    priors = _prior_table(fit, pairs, chosen, np.random.default_rng([seed, 1]))
    left_out, on_edge, skipped = (
        _leave_each_out(fit, pairs, chosen, seed, progress) if leave_out else ([], (), [])
    )
    columns = ["removed", "role", "list", "contrast", "mean", "low", "high", "interval", "prob",
               "shift", "verdict", "clear", "verdict_all", "changed"]  # fmt: skip
    return Sensitivity(
        priors,
        pd.DataFrame(left_out, columns=columns).astype({"clear": bool, "changed": bool}),
        on_edge,
        pd.DataFrame(skipped, columns=["removed", "role", "reason"]),
        rope, prob, interval, seed,
    )  # fmt: skip


def _prior_table(
    fit: Fitted, pairs: list[tuple[str, str]], chosen: dict[str, Any], rng: np.random.Generator
) -> pd.DataFrame:
    draws, names = _quantities(fit.posterior, pairs)
    prior = log_prior(fit.posterior, fit.spec)
    table = pd.DataFrame({"quantity": names, "mean": draws.mean(axis=0)})
    table["prior"] = sensitivity_to(prior, draws)
    table["likelihood"] = sensitivity_to(total_log_likelihood(fit.posterior, fit.design), draws)
    table["diagnosis"] = [_diagnosis(*row) for row in table[["prior", "likelihood"]].to_numpy()]
    is_contrast = np.arange(len(names)) >= len(names) - len(pairs)
    table["verdict"] = np.where(is_contrast, _verdicts(draws, chosen), "")
    largest_k = -np.inf
    for label, power in _POWERS.items():
        weights, k = power_scaled(prior, power)
        moved = draws[resample(weights, len(draws), rng)]
        table[f"mean_{label}"] = weights @ draws
        table[f"verdict_{label}"] = np.where(is_contrast, _verdicts(moved, chosen), "")
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


def _quantities(
    posterior: xr.Dataset, pairs: list[tuple[str, str]]
) -> tuple[np.ndarray, list[str]]:
    """Return draws (S, Q) of group means, then contrasts, and their names."""
    means = posterior["group_mean"].transpose("chain", "draw", CONNECTION)
    connections = [str(c) for c in means[CONNECTION].to_numpy()]
    draws = means.to_numpy().reshape(-1, len(connections))
    differences = [draws[:, connections.index(a)] - draws[:, connections.index(b)]
                   for a, b in pairs]  # fmt: skip
    names = [*connections, *(contrast_name(a, b) for a, b in pairs)]
    return np.column_stack([draws, *differences]), names


def _verdicts(draws: np.ndarray, chosen: dict[str, Any]) -> np.ndarray:
    bounds = interval_of(draws, chosen["prob"], chosen["interval"])
    return verdicts(bounds[:, 0], bounds[:, 1], chosen["rope"])


def _leave_each_out(
    fit: Fitted,
    pairs: list[tuple[str, str]],
    chosen: dict[str, Any],
    seed: int,
    progress: bool | None,
) -> tuple[list[dict[str, Any]], tuple[str, ...], list[dict[str, str]]]:
    """Refit without every word in turn; only the connections that a word touches are refitted."""
    frame = fit.frame
    whole = _group_means(fit, frame, seed)
    baseline = _contrast_rows(whole, pairs, chosen)
    rows, skipped = [], []
    for word, role, where, mask in tracked(_members(frame), "Leaving out each word", progress):
        affected = frame[_shares_a_fit(fit, frame, mask)]
        rest = affected.drop(index=frame.index[mask], errors="ignore")
        reason = _too_little(affected, rest)
        if not reason:
            try:
                without = {**whole, **_group_means(fit, rest, seed)}
            except DistancesError as error:
                reason = str(error)
        if reason:
            skipped.append({"removed": word, "role": role, "reason": reason})
            continue
        for before, row in zip(baseline, _contrast_rows(without, pairs, chosen), strict=True):
            rows.append(
                {
                    "removed": word, "role": role, "list": where, **row,
                    "shift": row["mean"] - before["mean"],
                    "verdict_all": before["verdict"],
                    "changed": row["verdict"] != before["verdict"]
                    and row["clear"] and before["clear"],
                }
            )  # fmt: skip
    return rows, tuple(row["contrast"] for row in baseline if not row["clear"]), skipped


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


def _shares_a_fit(fit: Fitted, frame: pd.DataFrame, mask: np.ndarray) -> np.ndarray:
    """Mark the rows whose connections depend on the marked ones: those of one kind of list."""
    if fit.spec.noise == "shared":
        return np.ones(len(frame), dtype=bool)
    kind = frame[CONNECTION].map(KIND_OF_CONNECTION).to_numpy()
    return np.isin(kind, np.unique(kind[mask]))


def _too_little(affected: pd.DataFrame, rest: pd.DataFrame) -> str:
    """Say why nothing could be estimated from the rest, or return an empty text."""
    gone = set(affected[CONNECTION]) - set(rest[CONNECTION])
    if gone:
        return f"it is all there is of connection {', '.join(sorted(gone))}"
    if rest[PROTECTED_WORD].nunique() < 2 or rest[ATTRIBUTE].nunique() < 2:
        return "fewer than two words would be left"
    return ""


def _group_means(fit: Fitted, frame: pd.DataFrame, seed: int) -> dict[str, np.ndarray]:
    """Fit some rows and return draws of the group mean per connection."""
    design = Design.from_frame(frame, fit.spec.response)
    posterior, _, _ = sample_collapsed(design, fit.spec, draws=_DRAWS, chains=1, seed=seed)
    means = posterior["group_mean"].to_numpy()[0]
    return {c: means[:, i] for i, c in enumerate(design.connections)}


def _contrast_rows(
    means: dict[str, np.ndarray], pairs: list[tuple[str, str]], chosen: dict[str, Any]
) -> list[dict[str, Any]]:
    rows = []
    for a, b in pairs:
        draws = means[a] - means[b]
        low, high = interval_of(draws, chosen["prob"], chosen["interval"])
        rows.append(
            {
                "contrast": contrast_name(a, b), "mean": float(draws.mean()),
                "low": float(low), "high": float(high),
                "interval": chosen["interval"], "prob": chosen["prob"],
                "verdict": str(verdicts(low, high, chosen["rope"])),
                "clear": _is_clear(draws, chosen),
            }
        )  # fmt: skip
    return rows


def _is_clear(draws: np.ndarray, chosen: dict[str, Any]) -> bool:
    """Tell whether both ends of the interval are away from the ROPE's by Monte Carlo error."""
    batches = draws[: len(draws) // _BATCHES * _BATCHES].reshape(_BATCHES, -1).T
    ends = interval_of(batches, chosen["prob"], chosen["interval"])
    error = ends.std(axis=0, ddof=1) / np.sqrt(_BATCHES)
    low, high = interval_of(draws, chosen["prob"], chosen["interval"])
    rope = chosen["rope"]
    return all(
        abs(end - edge) > 3 * e
        for end, e in zip((low, high), error, strict=True)
        for edge in (-rope, rope)
    )
