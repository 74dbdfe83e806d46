"""Whether the draws of a fit can be trusted, in numbers and in plain words.

Importance sampling fails by a few weights that count for all others, which Pareto k and the number
of effective proposals show; chains fail by not mixing, which R-hat, effective draws and divergences
show. Neither says that the model is right.

The largest importance weights are replaced by quantiles of a generalised Pareto distribution fitted
to them, whose shape is k.

Limits: R-hat at most 1.01 and at least 400 effective draws (Vehtari et al. 2021,
"Rank-normalization, folding, and localization"); Pareto k at most 0.7 (Vehtari, Simpson, Gelman,
Yao and Gabry 2024, "Pareto smoothed importance sampling").
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import xarray as xr

from bayesbias.models.parameters import samples
from bayesbias.support.arguments import Array
from bayesbias.support.compatibility import ess_and_rhat

R_HAT_LIMIT: Final = 1.01
ESS_LIMIT: Final = 400.0
PARETO_K_LIMIT: Final = 0.7

_LARGEST: Final = 600.0  # an exponent whose exponential is still a number

_Findings = tuple[dict[str, float], list[str], str]  # numbers, problems, and the all-clear


@dataclass(frozen=True)
class Diagnostics:
    """What the draws say about how they were made.

    `numbers`: of importance sampling ``pareto_k``, the largest of all blocks, and ``ess``, the
    fewest effective proposals; of chains ``r_hat`` and ``ess``, the worst of all parameters, and
    ``divergences``, where the sampler counts them. `all_clear`: what to say without `problems`.
    """

    numbers: Mapping[str, float]
    problems: tuple[str, ...]
    all_clear: str

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        problems = "; ".join(self.problems)
        return f"Do not rely on this fit yet: {problems}." if problems else self.all_clear


def diagnose(posterior: xr.Dataset, sample_stats: xr.Dataset) -> Diagnostics:
    """Compute the diagnostics of a posterior."""
    n_draws = posterior.sizes["chain"] * posterior.sizes["draw"]
    of = _of_importance if "pareto_k" in sample_stats else _of_chains
    numbers, problems, all_clear = of(posterior, sample_stats, n_draws)
    # Of a fixed rule no more draws are independent than there are; of chains there may be.
    ess = min(numbers["ess"], n_draws if "pareto_k" in numbers else np.inf)
    if not ess >= ESS_LIMIT:
        problems.append(
            f"the draws carry as little information as {ess:.0f} independent ones (should be at "
            f"least {ESS_LIMIT:.0f}); use more draws"
        )
    return Diagnostics(numbers, tuple(problems), all_clear)


def _of_importance(posterior: xr.Dataset, stats: xr.Dataset, n_draws: int) -> _Findings:
    worst = int(np.argmax(stats["pareto_k"].to_numpy()))
    k, ess = float(stats["pareto_k"][worst]), float(stats["importance_ess"].min(skipna=False))
    drawn = [samples(posterior, str(name)).reshape(n_draws, -1) for name in posterior]
    problems = []
    if n_bad := n_draws - int(np.isfinite(np.hstack(drawn)).all(axis=1).sum()):
        problems.append(f"{n_bad:,} of {n_draws:,} draws hold what is no finite number; fit again")
    if not k <= PARETO_K_LIMIT:
        problems.append(
            f"importance sampling missed part of the posterior of "
            f"{stats['block'].to_numpy()[worst]} (Pareto k {k:.2f}, should be at most "
            f"{PARETO_K_LIMIT}); use engine='nuts'"
        )
    all_clear = (
        f"Importance sampling went well: Pareto k at most {k:.2f}, at least {ess:,.0f} effective "
        f"proposals for {n_draws:,} draws."
    )
    return {"pareto_k": k, "ess": ess}, problems, all_clear


def _of_chains(posterior: xr.Dataset, stats: xr.Dataset, n_draws: int) -> _Findings:
    worst, largest, ess = "", -np.inf, np.inf
    for name in posterior.data_vars:
        checks, is_made = ess_and_rhat(posterior[name]), posterior[name].notnull()
        # None where no chain moved, which is as bad as can be. Words without pairs have no draws.
        r_hat = checks["r_hat"].fillna(np.inf).where(is_made.any(("chain", "draw")), 1.0)
        if float(r_hat.max()) > largest or not worst:
            largest, of = float(r_hat.max()), r_hat.argmax(...)
            labels = [str(r_hat[dim].to_numpy()[int(at)]) for dim, at in of.items()]
            worst = f"{name}[{', '.join(labels)}]" if labels else str(name)
        ess = min(ess, float(checks["ess_bulk"].min()), float(checks["ess_tail"].min()))
    numbers, problems, paths = {"r_hat": largest, "ess": ess}, [], ""
    if "diverging" in stats:
        numbers["divergences"] = n_bad = int(stats["diverging"].sum())
        paths = "no divergences, "
        if n_bad:
            problems.append(
                f"{n_bad} of {n_draws} draws were divergent, so part of the posterior may be "
                f"missing; raise target_accept"
            )
    # A comparison that is false for NaN would pass over a chain that never moved.
    if posterior.sizes["chain"] == 1:
        problems.append("one chain cannot be checked against others; use at least 2")
    elif not largest <= R_HAT_LIMIT:
        problems.append(
            f"the chains disagree about {worst} (R-hat {largest:.4f}, should be at most "
            f"{R_HAT_LIMIT}); use more tune and draws"
        )
    all_clear = (
        f"Sampling went well: {paths}R-hat at most {largest:.3f}, at least {ess:,.0f} effective "
        f"draws of {n_draws:,}."
    )
    return numbers, problems, all_clear


def smoothed_weights(log_weights: Array) -> tuple[Array, float]:
    """Return weights (n,), which sum to 1, and the shape of their tail, k, infinite for a few."""
    weights = log_weights - log_weights.max()
    n, k = len(weights), np.inf
    # The tail of Vehtari et al.: a fifth of the weights at most; of four points no shape is told.
    size = int(np.ceil(min(0.2 * n, 3 * np.sqrt(n))))
    if 5 <= size < n:
        order = np.argsort(weights)
        cutoff, tail = np.exp(weights[order[-size - 1]]), order[-size:]
        excess = np.exp(weights[tail]) - cutoff
        k = -np.inf  # equal weights have no tail: they are as good as can be
        if np.ptp(excess) > 1e-12 * cutoff:
            k, scale = _fit_pareto(excess)
            p = (np.arange(size) + 0.5) / size
            grown = np.expm1(np.minimum(-k * np.log1p(-p), _LARGEST))
            # Expected order statistics in place of the weights, truncated at the largest one (0).
            weights[tail] = np.minimum(np.log(scale * grown / k + cutoff), 0.0)
    shares = np.exp(weights)
    return shares / shares.sum(), k


def _fit_pareto(x: Array) -> tuple[float, float]:
    """Fit shape and scale to sorted values (Zhang and Stephens 2009, weakly regularised)."""
    n = len(x)
    # Zhang and Stephens write the density by b = −k / σ: k given b has a closed form, and b is
    # averaged over its profile likelihood on a grid that the first quartile and the largest span.
    n_grid = 30 + int(np.sqrt(n))
    spread = 1 - np.sqrt(n_grid / (np.arange(1, n_grid + 1) - 0.5))
    b = spread / (3 * max(x[int(n / 4 + 0.5) - 1], 1e-300)) + 1 / x[-1]
    k = np.log1p(-b[:, None] * x).mean(axis=1)
    likelihood = n * (np.log(-b / k) - k - 1)
    b_mean = np.average(b, weights=np.exp(likelihood - likelihood.max()))
    k_hat = float(np.log1p(-b_mean * x).mean())
    scale = -k_hat / b_mean
    # The prior of Vehtari et al.: ten values with the shape 0.5.
    k_hat = (n * k_hat + 10 * 0.5) / (n + 10)
    # Quantiles divide by the shape; next to 0 they are those of an exponential distribution.
    return (k_hat if abs(k_hat) >= 1e-12 else 1e-12), scale
