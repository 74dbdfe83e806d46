"""Whether the draws of a fit can be trusted, in numbers and in plain words."""

from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import xarray as xr

from bayesbias._compat import ess_and_rhat

R_HAT_LIMIT: Final = 1.01
ESS_LIMIT: Final = 400.0


@dataclass(frozen=True)
class Diagnostics:
    """What the draws say about the sampling.

    Parameters
    ----------
    divergences : int
        Draws at which the sampler's path broke down.
    max_r_hat, min_ess_bulk, min_ess_tail : float
        The worst value over all parameters.
    worst : str
        The parameter with the largest R-hat.
    n_draws : int
        Draws kept, over all chains.

    Notes
    -----
    Limits of Vehtari et al. (2021), "Rank-normalization, folding, and localization": R-hat at
    most 1.01 and at least 400 effective draws.
    """

    divergences: int
    max_r_hat: float
    min_ess_bulk: float
    min_ess_tail: float
    worst: str
    n_draws: int

    @property
    def problems(self) -> tuple[str, ...]:
        """One sentence per problem; empty where there is none."""
        found = []
        if self.divergences:
            found.append(
                f"{self.divergences} of {self.n_draws} draws were divergent, so part of the "
                f"posterior may be missing; raise target_accept or choose "
                f"parametrisation='non-centred'"
            )
        # A comparison that is false for NaN would pass over a chain that never moved.
        if not self.max_r_hat <= R_HAT_LIMIT:
            found.append(
                f"the chains disagree about {self.worst} (R-hat {self.max_r_hat:.3f}, should be "
                f"at most {R_HAT_LIMIT}); use more tune and draws"
            )
        ess = min(self.min_ess_bulk, self.min_ess_tail)
        if not ess >= ESS_LIMIT:
            found.append(
                f"the draws carry as little information as {ess:.0f} independent ones (should be "
                f"at least {ESS_LIMIT:.0f}); use more draws"
            )
        return tuple(found)

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        if not self.problems:
            return (
                f"Sampling went well: no divergences, R-hat at most {self.max_r_hat:.3f}, at least "
                f"{min(self.min_ess_bulk, self.min_ess_tail):,.0f} effective draws of "
                f"{self.n_draws:,}."
            )
        return "Do not rely on this fit yet: " + "; ".join(self.problems) + "."

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers and the sentence."""
        return asdict(self) | {"sentence": self.sentence}


def diagnose(posterior: xr.Dataset, sample_stats: xr.Dataset) -> Diagnostics:
    """Compute the diagnostics of a posterior.

    Parameters
    ----------
    posterior : Dataset
        Variables over ``chain`` and ``draw``.
    sample_stats : Dataset
        With ``diverging`` where the sampler reports it.
    """
    worst, max_r_hat, bulk, tail = "", -np.inf, np.inf, np.inf
    for name in posterior.data_vars:
        checks = ess_and_rhat(posterior[name])
        r_hat = checks["r_hat"]
        filled = r_hat.fillna(np.inf)
        if float(filled.max()) > max_r_hat or not worst:
            max_r_hat = float(filled.max())
            where = filled.where(filled == filled.max(), drop=True)
            labels = [str(where[d].to_numpy()[0]) for d in where.dims]
            worst = f"{name}[{', '.join(labels)}]" if labels else str(name)
        bulk = min(bulk, float(checks["ess_bulk"].min()))
        tail = min(tail, float(checks["ess_tail"].min()))
    diverging = sample_stats["diverging"].sum() if "diverging" in sample_stats else 0
    return Diagnostics(
        divergences=int(diverging),
        max_r_hat=max_r_hat,
        min_ess_bulk=bulk,
        min_ess_tail=tail,
        worst=worst,
        n_draws=posterior.sizes["chain"] * posterior.sizes["draw"],
    )
