"""Whether the draws of a fit can be trusted, in numbers and in plain words.

Importance sampling fails by a few weights that count for all others, which Pareto k and the number
of effective proposals show; chains fail by not mixing, which R-hat, effective draws and divergences
show. Neither says that the model is right.
"""

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import xarray as xr

from bayesbias.support.compatibility import ess_and_rhat

R_HAT_LIMIT: Final = 1.01
ESS_LIMIT: Final = 400.0
PARETO_K_LIMIT: Final = 0.7

FIT_REMEDY: Final = "raise target_accept or choose parametrisation='non-centred'"
"""What to do about divergences of a `Fit`."""


class Diagnostics(ABC):
    """What the draws say about how they were made; one subclass per way of drawing."""

    @property
    @abstractmethod
    def problems(self) -> tuple[str, ...]:
        """One sentence per problem; empty where there is none."""

    @property
    @abstractmethod
    def all_clear(self) -> str:
        """What to say where there is no problem."""

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        if not self.problems:
            return self.all_clear
        return f"Do not rely on this fit yet: {'; '.join(self.problems)}."

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers and the sentence."""
        numbers = asdict(self)  # type: ignore[call-overload]
        return {**numbers, "sentence": self.sentence}


def _too_few(ess: float) -> list[str]:
    if ess >= ESS_LIMIT:
        return []
    return [
        f"the draws carry as little information as {ess:.0f} independent ones (should be at least "
        f"{ESS_LIMIT:.0f}); use more draws"
    ]


@dataclass(frozen=True)
class ChainDiagnostics(Diagnostics):
    """What Markov chains say about their sampling.

    `divergences`: draws at which the sampler's path broke down; None for a sampler without paths.
    `max_r_hat`, `min_ess_bulk`, `min_ess_tail`: the worst over all parameters; `worst`, the one
    with the largest R-hat. `n_draws`: kept, over all chains. `remedy`: what to do about
    divergences.

    Limits of Vehtari et al. (2021), "Rank-normalization, folding, and localization": R-hat at most
    1.01 and at least 400 effective draws.
    """

    divergences: int | None
    max_r_hat: float
    min_ess_bulk: float
    min_ess_tail: float
    worst: str
    n_draws: int
    n_chains: int
    remedy: str = FIT_REMEDY

    @property
    def problems(self) -> tuple[str, ...]:
        """One sentence per problem; empty where there is none."""
        sentences = []
        if self.divergences:
            sentences.append(
                f"{self.divergences} of {self.n_draws} draws were divergent, so part of the "
                f"posterior may be missing; {self.remedy}"
            )
        # A comparison that is false for NaN would pass over a chain that never moved.
        if self.n_chains == 1:
            sentences.append("one chain cannot be checked against others; use at least 2")
        elif not self.max_r_hat <= R_HAT_LIMIT:
            sentences.append(
                f"the chains disagree about {self.worst} (R-hat {self.max_r_hat:.4f}, should be at "
                f"most {R_HAT_LIMIT}); use more tune and draws"
            )
        return (*sentences, *_too_few(min(self.min_ess_bulk, self.min_ess_tail)))

    @property
    def all_clear(self) -> str:
        """What to say where there is no problem."""
        paths = "" if self.divergences is None else "no divergences, "
        effective = min(self.min_ess_bulk, self.min_ess_tail)
        return (
            f"Sampling went well: {paths}R-hat at most {self.max_r_hat:.3f}, at least "
            f"{effective:,.0f} effective draws of {self.n_draws:,}."
        )


@dataclass(frozen=True)
class CollapsedDiagnostics(Diagnostics):
    """What the collapsed engine says about its draws.

    `n_draws`: draws, all independent given the proposals. `max_pareto_k`: largest shape of the tail
    of the importance weights.
    `min_importance_ess`: smallest effective number of proposals. `worst`: the block of connections
    with the largest shape. `n_not_finite`: draws in which a parameter is no finite number, as in a
    damaged file.

    Limit of Vehtari et al. (2024), "Pareto smoothed importance sampling": k̂ at most 0.7.
    """

    n_draws: int
    max_pareto_k: float
    min_importance_ess: float
    worst: str
    n_not_finite: int = 0

    @property
    def problems(self) -> tuple[str, ...]:
        """One sentence per problem; empty where there is none."""
        sentences = []
        if self.n_not_finite:
            sentences.append(
                f"{self.n_not_finite:,} of {self.n_draws:,} draws hold what is no finite number; "
                f"fit again"
            )
        if not self.max_pareto_k <= PARETO_K_LIMIT:
            sentences.append(
                f"importance sampling missed part of the posterior of {self.worst} (Pareto k "
                f"{self.max_pareto_k:.2f}, should be at most {PARETO_K_LIMIT}); use engine='nuts'"
            )
        return (*sentences, *_too_few(min(self.min_importance_ess, self.n_draws)))

    @property
    def all_clear(self) -> str:
        """What to say where there is no problem."""
        return (
            f"Importance sampling went well: Pareto k at most {self.max_pareto_k:.2f}, at least "
            f"{self.min_importance_ess:,.0f} effective proposals for {self.n_draws:,} draws."
        )


def diagnose(
    posterior: xr.Dataset, sample_stats: xr.Dataset, *, remedy: str = FIT_REMEDY
) -> Diagnostics:
    """Compute the diagnostics of a posterior; `remedy`: what to do about divergences."""
    n_draws = posterior.sizes["chain"] * posterior.sizes["draw"]
    if "pareto_k" in sample_stats:
        k = sample_stats["pareto_k"].to_numpy()
        worst = int(np.argmax(k))
        bad = np.zeros((posterior.sizes["chain"], posterior.sizes["draw"]), dtype=bool)
        for draws in (posterior.variables[name] for name in posterior.data_vars):
            finite = np.isfinite(draws.transpose("chain", "draw", ...).to_numpy())
            bad |= ~finite.all(axis=tuple(range(2, draws.ndim)))
        return CollapsedDiagnostics(
            n_draws=n_draws,
            max_pareto_k=float(k[worst]),
            min_importance_ess=float(sample_stats["importance_ess"].min(skipna=False)),
            worst=str(sample_stats["block"].to_numpy()[worst]),
            n_not_finite=int(bad.sum()),
        )
    return _diagnose_chains(posterior, sample_stats, n_draws, remedy)


def _diagnose_chains(
    posterior: xr.Dataset, sample_stats: xr.Dataset, n_draws: int, remedy: str
) -> ChainDiagnostics:
    worst, max_r_hat, bulk, tail = "", -np.inf, np.inf, np.inf
    for name in posterior.data_vars:
        checks = ess_and_rhat(posterior[name])
        # None where no chain moved, which is as bad as can be.
        r_hat = checks["r_hat"].fillna(np.inf)
        if float(r_hat.max()) > max_r_hat or not worst:
            max_r_hat = float(r_hat.max())
            where = np.unravel_index(int(r_hat.to_numpy().argmax()), r_hat.shape)
            labels = [
                str(r_hat[dim].to_numpy()[i]) for dim, i in zip(r_hat.dims, where, strict=True)
            ]
            worst = f"{name}[{', '.join(labels)}]" if labels else str(name)
        bulk = min(bulk, float(checks["ess_bulk"].min()))
        tail = min(tail, float(checks["ess_tail"].min()))
    diverging = int(sample_stats["diverging"].sum()) if "diverging" in sample_stats else None
    n_chains = posterior.sizes["chain"]
    return ChainDiagnostics(diverging, max_r_hat, bulk, tail, worst, n_draws, n_chains, remedy)
