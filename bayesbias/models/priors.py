"""Prior distributions as data: a name, its parameters, its density and its draws.

A model's file names a distribution and its parameters; this is all that engines, pages and prior
predictive checks know of it. Priors in the unit of the data, a neutral pair's standard deviation,
are `scaled` before anything is fitted.
"""

import dataclasses
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from bayesbias.errors import ModelError, suggest
from bayesbias.support.arguments import Array, Generator

_PARAMETERS: Final = {
    "normal": ("mean", "sd"),
    "half_normal": ("sd",),
    "exponential": ("rate",),
    "gamma": ("shape", "rate"),
    "beta": ("alpha", "beta"),
}
POSITIVE: Final = ("half_normal", "exponential", "gamma")
"""Distributions of positive numbers, for standard deviations and degrees of freedom."""


@dataclass(frozen=True)
class Prior:
    """A prior distribution, by name and parameters.

    Parameters
    ----------
    distribution : {"normal", "half_normal", "exponential", "gamma", "beta"}
    mean, sd, rate, shape, alpha, beta : float, optional
        The parameters that the distribution has.

    Examples
    --------
    >>> str(Prior("exponential", rate=2.0))
    'Exponential(rate=2)'
    """

    distribution: str
    mean: float | None = None
    sd: float | None = None
    rate: float | None = None
    shape: float | None = None
    alpha: float | None = None
    beta: float | None = None

    def __post_init__(self) -> None:
        name = self.distribution
        if name not in _PARAMETERS:
            raise ModelError(f"unknown distribution {name!r}{suggest(name, _PARAMETERS)}")
        for field in dataclasses.fields(self)[1:]:
            value, key = getattr(self, field.name), field.name
            if (value is not None) != (key in _PARAMETERS[name]):
                raise ModelError(f"{name} takes exactly: {', '.join(_PARAMETERS[name])}")
            if value is None:
                continue
            object.__setattr__(self, key, as_number(value, key))
            if not (math.isfinite(value) and (key == "mean" or value > 0)):
                raise ModelError(
                    f"{name}: {key} = {float(value)} must be finite, and all but mean above 0"
                )

    @classmethod
    def from_dict(cls, content: Any, where: str) -> "Prior":
        """Read a prior of a model's file; `where` names its place in messages."""
        if not isinstance(content, Mapping) or not isinstance(content.get("distribution"), str):
            raise ModelError(
                f'{where}: must be such as {{ distribution = "exponential", rate = 2.0 }}'
            )
        refuse_unknown(content, [field.name for field in dataclasses.fields(cls)], f"{where}.")
        try:
            return cls(**content)
        except ModelError as error:
            raise ModelError(f"{where}: {error}") from None

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in _PARAMETERS[self.distribution]}

    def to_dict(self) -> dict[str, Any]:
        """Return the distribution and its parameters, as they stand in a model's file."""
        return {"distribution": self.distribution, **self.parameters}

    def log_density(self, x: ArrayLike) -> Array:
        """Return the log-density at values that the distribution allows, same shape as `x`."""
        x, p = np.asarray(x, dtype=float), self.parameters
        if self.distribution == "normal":
            z = (x - p["mean"]) / p["sd"]
            return -0.5 * z**2 - math.log(p["sd"]) - 0.5 * math.log(2 * math.pi)
        if self.distribution == "half_normal":
            return -0.5 * (x / p["sd"]) ** 2 - math.log(p["sd"]) + 0.5 * math.log(2 / math.pi)
        if self.distribution == "exponential":
            return math.log(p["rate"]) - p["rate"] * x
        if self.distribution == "beta":
            return (
                self._beta_constant + (p["alpha"] - 1) * np.log(x) + (p["beta"] - 1) * np.log1p(-x)
            )
        constant = p["shape"] * math.log(p["rate"]) - math.lgamma(p["shape"])
        return constant + (p["shape"] - 1) * np.log(x) - p["rate"] * x

    def log_density_of_logit(self, z: ArrayLike) -> Array:
        """Return the log-density of log x / (1 − x), of a share x that may be next to 0 or 1."""
        z, p = np.asarray(z, dtype=float), self.parameters
        below, above = np.logaddexp(0.0, -z), np.logaddexp(0.0, z)
        return self._beta_constant - p["alpha"] * below - p["beta"] * above

    @property
    def _beta_constant(self) -> float:
        a, b = self.parameters["alpha"], self.parameters["beta"]
        return math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)

    def draw(self, rng: Generator, size: tuple[int, ...]) -> Array:
        """Draw from the distribution."""
        p = self.parameters
        if self.distribution == "normal":
            return rng.normal(p["mean"], p["sd"], size)
        if self.distribution == "half_normal":
            return np.abs(rng.normal(0.0, p["sd"], size))
        if self.distribution == "exponential":
            return rng.exponential(1.0 / p["rate"], size)
        if self.distribution == "beta":
            return rng.beta(p["alpha"], p["beta"], size)
        return rng.gamma(p["shape"], 1.0 / p["rate"], size)

    def scaled(self, factor: float) -> "Prior":
        """Return the distribution of as many times the value, or, of a mean's, of its deviation."""
        changed = {"rate": 1.0 / factor, "sd": factor}
        values = {key: value * changed.get(key, 1.0) for key, value in self.parameters.items()}
        return Prior(self.distribution, **values)

    @property
    def title(self) -> str:
        """The distribution's name as PyMC writes it."""
        return self.distribution.title().replace("_", "")

    def __str__(self) -> str:
        """Write the distribution with its parameters."""
        return f"{self.title}({', '.join(f'{k}={v:g}' for k, v in self.parameters.items())})"


def as_number(value: object, where: str) -> float:
    """Return a number of a model's file as a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ModelError(f"{where}: must be a number")
    try:
        return float(value)
    except OverflowError:
        raise ModelError(f"{where}: is too large") from None


def refuse_unknown(content: Iterable[str], valid: Iterable[str], prefix: str = "") -> None:
    """Raise if a table of a model's file has a key that is not valid."""
    for key in content:
        if key not in valid:
            raise ModelError(f"{prefix}{key}: unknown key{suggest(key, valid)}")
