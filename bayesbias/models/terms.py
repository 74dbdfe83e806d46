"""The parts of a model specification: its priors, terms and noise, before any data are seen.

A prior is a name, its parameters, its density and its draws: all that engines, pages and prior
predictive checks know of a distribution. Priors in the unit of the data, a neutral pair's standard
deviation, are `scaled` before anything is fitted.

A term is a family of random effects. `TermSpec` has what lme4's ``(1 | group:attribute)`` says, by
which columns pairs share an effect, and what it cannot: where the effects act, which of them have a
variance component of their own (``sd_by``), and which covariance they have beyond independence:
that of similar attributes (``similar``), or a sum of zero over groups (``sum_to_zero``). With
``of``, it is a random slope, ``(0 + x | …)``.

The grammar of these parts in a TOML file stands in ``models/SCHEMA.md``.
"""

import dataclasses
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    CONNECTIONS,
    GROUP,
    MATCH,
    PROTECTED_WORD,
)
from bayesbias.errors import ModelError, suggest
from bayesbias.support.arguments import Array, Generator

ATTRIBUTE_KIND: Final = "attribute_kind"
"""The kind of list that an attribute comes from: a column that follows from the connection."""

CELL_COLUMNS: Final = (PROTECTED_WORD, MATCH, GROUP, CONNECTION, ATTRIBUTE_SET, ATTRIBUTE_KIND)
"""Columns that say nothing beyond the protected word and the list of attributes."""

WORD_COLUMNS: Final = frozenset({PROTECTED_WORD, MATCH})
"""Columns that tell words of a group apart."""

_PARAMETERS: Final = {
    "normal": ("mean", "sd"),
    "half_normal": ("sd",),
    "exponential": ("rate",),
    "gamma": ("shape", "rate"),
    "beta": ("alpha", "beta"),
}
POSITIVE: Final = ("half_normal", "exponential", "gamma")
"""Distributions of positive numbers, for standard deviations and degrees of freedom."""

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_RESERVED: Final = {"noise": "noise_sd is the noise's", "connection": "write [connection_mean]"}
_POSITIVE: Final = f"is of a standard deviation; needs one of: {', '.join(POSITIVE)}"


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
        x = np.asarray(x, dtype=float)
        if self.distribution == "beta":
            return self.log_density_of_logit(np.log(x) - np.log1p(-x)) - np.log(x) - np.log1p(-x)
        shape, rate, sd = self.shape or 1.0, self.rate, self.sd
        if rate is not None:  # an exponential is a gamma distribution of shape 1
            constant = shape * math.log(rate) - math.lgamma(shape)
            return constant + xlogy(shape - 1.0, x) - rate * x
        assert sd is not None
        folded = math.log(2.0) if self.distribution == "half_normal" else 0.0
        z = (x - (self.mean or 0.0)) / sd
        return folded - 0.5 * z**2 - math.log(sd) - 0.5 * math.log(2 * math.pi)

    def log_density_of_logit(self, z: ArrayLike) -> Array:
        """Return the log-density of log x / (1 − x), of a share x that may be next to 0 or 1."""
        (a, b), z = self.parameters.values(), np.asarray(z, dtype=float)
        constant = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
        return constant - a * np.logaddexp(0.0, -z) - b * np.logaddexp(0.0, z)

    def draw(self, rng: Generator, size: tuple[int, ...]) -> Array:
        """Draw from the distribution."""
        if self.distribution == "beta":
            a, b = self.parameters.values()
            return rng.beta(a, b, size)
        if self.rate is not None:
            return rng.gamma(self.shape or 1.0, 1.0 / self.rate, size)
        drawn = rng.normal(self.mean or 0.0, self.sd or 1.0, size)
        return np.abs(drawn) if self.distribution == "half_normal" else drawn

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


@dataclass(frozen=True)
class TermSpec:
    """One term of a model: which pairs share an effect, and how the effects scatter.

    Parameters
    ----------
    name : str
        Lower-case letters, digits and ``_``; the parameters are ``<name>_sd``, ``<name>_effect``.
    by : sequence of str
        Columns of the frame, or ``attribute_kind``. Pairs that agree in all share an effect.
    prior : Prior, optional
        Of the standard deviation of the effects.
    sd : float, optional
        Fixes that standard deviation; give either this or a prior.
    connections : sequence of str
        Where the term acts; empty for everywhere.
    sd_by : str, optional
        A column for each of whose values there is a standard deviation.
    similar : sequence of str
        ``["attribute"]``: effects of similar attributes are alike, Normal(0, sd² K) with K their
        similarity (`models.similarity`); independent where no similarity is known. A term by the
        attribute alone, of all connections, is what everybody has: Normal(0, sd² K + N Nᵀ), with N
        how near all words are to the attributes.
    sum_to_zero : sequence of str
        Columns of `by`, such as ``["group"]``: the effects of all groups that agree in the other
        columns sum to 0, since what they share is another term's.
    of : sequence of str
        Of a slope: the columns of numbers that the effects are multiplied by, each in standard
        deviations from its mean; of several, their product.

    Examples
    --------
    >>> TermSpec("context", ["context"], Prior("exponential", rate=10.0)).by
    ('context',)
    """

    name: str
    by: tuple[str, ...]
    prior: Prior | None = None
    sd: float | None = None
    connections: tuple[str, ...] = ()
    sd_by: str | None = None
    similar: tuple[str, ...] = ()
    sum_to_zero: tuple[str, ...] = ()
    of: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise ModelError(
                f"term {self.name!r}: name: must be lower-case letters, digits and _, such as "
                f"'word'; it names the parameters"
            )
        where, examples = f"term {self.name!r}: ", {"by": "protected_word", "of": "frequency"}
        for key in ("by", "of", "sum_to_zero"):
            columns = texts(getattr(self, key), f"{where}{key}", examples.get(key, GROUP))
            object.__setattr__(self, key, columns)
        object.__setattr__(self, "connections", _connections(self, "connections", where))
        similar = chosen(self.similar, f"{where}similar", (ATTRIBUTE,))
        object.__setattr__(self, "similar", similar)
        if self.sd is not None:
            object.__setattr__(self, "sd", as_number(self.sd, f"{where}sd"))
        prior, by = self.prior, set(self.by)
        sd = 1.0 if self.sd is None else self.sd
        reserved = f"is taken ({_RESERVED.get(self.name)}); choose another"
        unlike = "goes with effects, not with slopes; delete it"
        summed = "must be some of the columns of by, and not all; name those to sum"
        no_prior = "give one, such as Exponential(rate=10), or fix the standard deviation with sd"
        one_sd = "a fixed sd is one number; delete sd_by, or give a prior"
        fixed = self.sd is not None
        for flawed, key, message in (
            (self.name in _RESERVED, "name", reserved),
            (self.of and self.similar, "similar", unlike),
            (self.of and self.sum_to_zero, "sum_to_zero", unlike),
            (not by and not self.of, "by", 'names no column; give some, such as ["group"]'),
            (len(by) < len(self.by), "by", "names a column twice; once is enough"),
            (not isinstance(self.sd_by, str | None), "sd_by", "must be the name of one column"),
            (fixed and self.sd_by, "sd_by", one_sd),
            (set(self.similar) - by, "similar", "names a column that is not in by; add it there"),
            (self.sum_to_zero and not set(self.sum_to_zero) < by, "sum_to_zero", summed),
            (prior is None and not fixed, "prior", no_prior),
            (prior is not None and fixed, "prior", "give this or sd, not both"),
            (prior and prior.distribution not in POSITIVE, "prior", _POSITIVE),
            (not (math.isfinite(sd) and sd > 0), "sd", f"{sd} must be finite and above 0"),
        ):
            if flawed:
                raise ModelError(f"{where}{key}: {message}")

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], kind: str, number: int) -> "TermSpec":
        """Read an entry of a model's file, a term or a slope, of which it is the number-th."""
        name = content.get("name")
        # Until its name is known to be one, a term is called by its place.
        where = f"{kind} {name!r}" if isinstance(name, str) and name else f"{kind} number {number}"
        never, needed = (("similar", "sum_to_zero"), "of") if kind == "slope" else (("of",), "by")
        keys = [field.name for field in dataclasses.fields(cls) if field.name not in never]
        refuse_unknown(content, keys, f"{where}: ")
        for key in ("name", needed):
            if key not in content:
                raise ModelError(f"{where}: lacks {key!r}; it is required")
        if content.get("connections") == []:
            raise ModelError(f"{where}: connections: is empty; delete it for everywhere")
        return cls(**{"by": (), **with_priors(content, f"{where}: ")})

    @property
    def has_common_factor(self) -> bool:
        """Whether the effects are what all words have with attributes, not what some have more."""
        return bool(self.similar) and self.by == (ATTRIBUTE,) and not self.connections

    def scaled(self, factor: float) -> "TermSpec":
        """Return the term with a prior, or a fixed standard deviation, that many times as wide."""
        if self.prior is not None:
            return dataclasses.replace(self, prior=self.prior.scaled(factor))
        assert self.sd is not None
        return dataclasses.replace(self, sd=self.sd * factor)

    def acts_on(self, connection: str) -> bool:
        """Tell whether the term acts on a connection."""
        return not self.connections or connection in self.connections


@dataclass(frozen=True)
class NoiseSpec:
    """How single pairs scatter around their mean.

    Parameters
    ----------
    prior : Prior
        Of the standard deviation, the total one where similar attributes share a part.
    sd_by : str, optional
        A column for each of whose values there is a standard deviation; one for all without it.
    similar : sequence of str
        ``["attribute"]``: a word's deviations from its mean have a part that similar attributes
        share: of the variance s² the share ρ, so that within each word they are
        Normal(0, (1 − ρ) s² I + ρ s² K). Left out where no similarity is known.
    similar_share : Prior, optional
        Of ρ; needed with `similar`.
    similar_connections : sequence of str
        Where there is such a part; empty for everywhere.

    Examples
    --------
    >>> NoiseSpec(Prior("exponential", rate=10.0), "connection").sd_by
    'connection'
    """

    prior: Prior
    sd_by: str | None = None
    similar: tuple[str, ...] = ()
    similar_share: Prior | None = None
    similar_connections: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "similar", chosen(self.similar, "noise: similar", (ATTRIBUTE,)))
        connections = _connections(self, "similar_connections", "noise: ")
        object.__setattr__(self, "similar_connections", connections)
        share = self.similar_share
        no_share = share is not None and share.distribution != "beta"
        together = "similar and similar_share go together; give both or neither"
        for flawed, message in (
            (self.prior.distribution not in POSITIVE, f"prior: {_POSITIVE}"),
            (no_share, "similar_share: is between 0 and 1; needs one of: beta"),
            (not isinstance(self.sd_by, str | None), "sd_by: must be the name of one column"),
            (bool(self.similar) != (share is not None), together),
        ):
            if flawed:
                raise ModelError(f"noise: {message}")

    def alone(self) -> "NoiseSpec":
        """Return the noise without the part that similar attributes share."""
        return NoiseSpec(self.prior, self.sd_by)


def as_written(part: TermSpec | NoiseSpec) -> dict[str, Any]:
    """Return what a part of a model says, as it stands in the model's file."""
    written: dict[str, Any] = {}
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if isinstance(value, Prior):
            written[field.name] = value.to_dict()
        elif value is not None and value != ():
            written[field.name] = list(value) if isinstance(value, tuple) else value
    return written


def with_priors(content: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return a table of a model's file with its priors as such."""
    keys = [key for key in ("prior", "similar_share") if key in content]
    return {**content, **{key: Prior.from_dict(content[key], where + key) for key in keys}}


def texts(value: Any, where: str, example: str) -> tuple[str, ...]:
    """Return a list of texts, or raise `ModelError`."""
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    if not is_list or not all(isinstance(text, str) for text in value):
        raise ModelError(f'{where}: must be a list, such as ["{example}"]')
    return tuple(value)


def chosen(value: Any, where: str, valid: tuple[str, ...]) -> tuple[str, ...]:
    """Return names among valid ones, in the order of these, or raise `ModelError`."""
    names = texts(value, where, valid[0])
    for name in names:
        if name not in valid:
            raise ModelError(f"{where}: {name!r} is none{suggest(name, valid)}")
    return tuple(name for name in valid if name in names)


def _connections(part: TermSpec | NoiseSpec, key: str, where: str) -> tuple[str, ...]:
    """Return connections in the package's order, empty for all."""
    names = chosen(getattr(part, key), where + key, CONNECTIONS)
    return () if len(names) == len(CONNECTIONS) else names
