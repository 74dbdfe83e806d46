"""Prior distributions as data: a name, its parameters, its density and its draws.

A model's file names a distribution and its parameters; this is all that engines, pages and prior
predictive checks know of it. The collapsed engine integrates over unbounded coordinates: it takes
the log-density from here and adds the log-Jacobian of its own map (`block`, `grid`). PyMC needs the
name, simulation the draws.

Priors may be in the unit of the data, a neutral pair's standard deviation. Then a rate is divided,
and a scale multiplied, by the unit before anything is fitted.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from bayesbias.errors import ModelError, suggest
from bayesbias.support.arrays import Array
from bayesbias.support.toml_files import TomlFile
from bayesbias.support.types import Generator

_PARAMETERS: Final = {
    "normal": ("mean", "sd"),
    "half_normal": ("sd",),
    "exponential": ("rate",),
    "gamma": ("shape", "rate"),
    "beta": ("alpha", "beta"),
}
_NAMES: Final = ("mean", "sd", "rate", "shape", "alpha", "beta")
POSITIVE: Final = ("half_normal", "exponential", "gamma")
"""Distributions of positive numbers, for standard deviations and degrees of freedom."""

SHARES: Final = ("beta",)
"""Distributions of numbers between 0 and 1."""


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
        if self.distribution not in _PARAMETERS:
            raise ModelError(
                f"unknown distribution {self.distribution!r}"
                f"{suggest(self.distribution, _PARAMETERS)}"
            )
        wanted = _PARAMETERS[self.distribution]
        for name in _NAMES:
            value = getattr(self, name)
            if (value is not None) != (name in wanted):
                raise ModelError(f"{self.distribution} takes exactly: {', '.join(wanted)}")
            if value is not None and not (math.isfinite(value) and (name == "mean" or value > 0)):
                raise ModelError(
                    f"{self.distribution}: {name} = {value} must be finite, and all but mean "
                    f"above 0"
                )

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in _PARAMETERS[self.distribution]}

    @property
    def is_positive(self) -> bool:
        """Whether the distribution is on positive numbers."""
        return self.distribution in POSITIVE

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
            a, b = p["alpha"], p["beta"]
            constant = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
            return constant + (a - 1) * np.log(x) + (b - 1) * np.log1p(-x)
        constant = p["shape"] * math.log(p["rate"]) - math.lgamma(p["shape"])
        return constant + (p["shape"] - 1) * np.log(x) - p["rate"] * x

    def log_density_of_logit(self, z: ArrayLike) -> Array:
        """Return the log-density of log x / (1 − x), of a share x that may be next to 0 or 1."""
        z, p = np.asarray(z, dtype=float), self.parameters
        a, b = p["alpha"], p["beta"]
        constant = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
        return constant - a * np.logaddexp(0.0, -z) - b * np.logaddexp(0.0, z)

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
        return Prior(
            self.distribution, **{k: v * changed.get(k, 1.0) for k, v in self.parameters.items()}
        )

    @property
    def title(self) -> str:
        """The distribution's name as mathematics writes it."""
        return "".join(part.title() for part in self.distribution.split("_"))

    def __str__(self) -> str:
        """Write the distribution as mathematics does."""
        return f"{self.title}({', '.join(f'{k}={v:g}' for k, v in self.parameters.items())})"


def read_prior(file: TomlFile, where: str, value: Any) -> Prior:
    """Read a prior of a TOML file; `where` names its place in messages."""
    if not isinstance(value, Mapping) or not isinstance(value.get("distribution"), str):
        raise file.fail(where, 'must be such as { distribution = "exponential", rate = 2.0 }')
    parameters = {k: v for k, v in value.items() if k != "distribution"}
    for name, number in parameters.items():
        if name not in _NAMES:
            raise file.fail(f"{where}.{name}", f"unknown key{suggest(name, _NAMES)}")
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise file.fail(f"{where}.{name}", "must be a number")
    try:
        return Prior(value["distribution"], **{k: float(v) for k, v in parameters.items()})
    except OverflowError as error:
        raise file.fail(where, "has a number that is too large") from error
    except ModelError as error:
        raise file.fail(where, str(error)) from None
