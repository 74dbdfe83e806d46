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
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from bayesbias.constants import ATTRIBUTE, ATTRIBUTE_SET, CONNECTIONS, GROUP, PROTECTED_WORD
from bayesbias.errors import ModelError, suggest
from bayesbias.support.arguments import Array, Generator

ATTRIBUTE_KIND: Final = "attribute_kind"
"""The kind of list that an attribute comes from: a column that follows from the connection."""

_PARAMETERS: Final = {
    "normal": ("mean", "sd"),
    "half_normal": ("sd",),
    "exponential": ("rate",),
    "gamma": ("shape", "rate"),
    "beta": ("alpha", "beta"),
}
_POSITIVE: Final = ("half_normal", "exponential", "gamma")  # for standard deviations
_LARGEST: Final = 1e100
_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_RESERVED: Final = ("connection", "near", "noise", "noise_similar", "noise_total")
_NEEDS_POSITIVE: Final = f"is of a standard deviation; needs one of: {', '.join(_POSITIVE)}"
_COLUMN: Final = "must be the name of one column"
_SHORT: Final = {PROTECTED_WORD: "word", ATTRIBUTE_SET: "list"}


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
        fields = {key for key, value in vars(self).items() if value is not None}
        if fields != {"distribution", *_PARAMETERS[name]}:
            raise ModelError(f"{name} takes exactly: {', '.join(_PARAMETERS[name])}")
        for key, value in self.parameters.items():
            vars(self)[key] = number = as_number(value, key)
            if not (math.isfinite(number) and (key == "mean" or number > 0)):
                rule = "must be finite, and all but mean above 0"
                raise ModelError(f"{name}: {key} = {number} {rule}")

    @classmethod
    def from_dict(cls, content: Any, where: str) -> "Prior":
        """Read a prior of a model's file; `where` names its place in messages."""
        if not isinstance(content, Mapping) or not isinstance(content.get("distribution"), str):
            example = '{ distribution = "exponential", rate = 2.0 }'
            raise ModelError(f"{where}: must be such as {example}")
        refuse_unknown(content, [field.name for field in dataclasses.fields(cls)], f"{where}.")
        try:
            return cls(**content)
        except ModelError as error:
            raise ModelError(f"{where}: {error}") from None

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in _PARAMETERS[self.distribution]}

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
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > _LARGEST:
        raise ModelError(f"{where}: must be a number, and none beyond {_LARGEST}")
    return float(value)


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
    similar : bool
        Whether effects of similar attributes are alike, Normal(0, sd² K) with K their similarity
        (`models.similarity`); independent where no similarity is known. A term by the attribute
        alone, of all connections, is what everybody has: Normal(0, sd² K + N Nᵀ), with N how near
        all words are to the attributes.
    sum_to_zero : sequence of str
        Columns of `by`, such as ``["group"]``: the effects of all groups that agree in the other
        columns sum to 0, since what they share is another term's.
    of : str, optional
        Of a slope: the column of numbers that the effects are multiplied by, in standard deviations
        from its mean; with `by` empty there is one slope.

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
    similar: bool = False
    sum_to_zero: tuple[str, ...] = ()
    of: str | None = None

    def __post_init__(self) -> None:
        where, prior = f"term {self.name!r}: ", self.prior
        vars(self).update(  # frozen as it is
            by=_texts(self.by, f"{where}by", PROTECTED_WORD),
            sum_to_zero=_texts(self.sum_to_zero, f"{where}sum_to_zero", GROUP),
            connections=_connections(self.connections, f"{where}connections"),
            sd=None if self.sd is None else as_number(self.sd, f"{where}sd"),
        )
        by, sd = set(self.by), self.sd
        is_name = isinstance(self.name, str) and _NAME.fullmatch(self.name)
        unlike = "goes with effects, not with slopes; delete it"
        summed = "must be some of the columns of by, and not all; name those to sum"
        _refuse(
            where,
            ("name", not is_name, "must be lower-case letters, digits and _, such as 'word'"),
            ("name", self.name in _RESERVED, "is taken by another parameter; choose another"),
            ("of", not isinstance(self.of, str | None), _COLUMN),
            ("by", not by and not self.of, 'names no column; give some, such as ["group"]'),
            ("by", len(by) < len(self.by), "names a column twice; once is enough"),
            ("prior", prior is None and sd is None, "give one such as Exponential(rate=10), or sd"),
            ("prior", prior is not None and sd is not None, "give this or sd, not both"),
            ("prior", prior and prior.distribution not in _POSITIVE, _NEEDS_POSITIVE),
            ("sd", sd is not None and not 0 < sd < math.inf, f"{sd} must be finite and above 0"),
            ("sd_by", not isinstance(self.sd_by, str | None), _COLUMN),
            ("sd_by", sd and self.sd_by, "a fixed sd is one number; delete it, or sd_by"),
            ("similar", not isinstance(self.similar, bool), "must be true or false"),
            ("similar", self.similar and self.of, unlike),
            ("similar", self.similar and ATTRIBUTE not in by, "is by attribute; add it to by"),
            ("sum_to_zero", self.sum_to_zero and self.of, unlike),
            ("sum_to_zero", self.sum_to_zero and not set(self.sum_to_zero) < by, summed),
        )

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], number: int) -> "TermSpec":
        """Read an entry of a model's file, of which it is the number-th."""
        name = content.get("name")
        where = f"term {name!r}: " if name and isinstance(name, str) else f"term number {number}: "
        return read_part(cls, {"by": [], **content} if "of" in content else content, where)

    @property
    def has_common_factor(self) -> bool:
        """Whether the effects are what all words have with attributes, not what some have more."""
        return self.similar and self.by == (ATTRIBUTE,) and not self.connections

    @property
    def summand(self) -> str:
        """The term in a formula; what has a fixed standard deviation stands alone."""
        levels = ":".join(_SHORT.get(column, column) for column in self.by)
        where = f"[{', '.join(self.connections)}]" if self.connections else ""
        times = ":".join(filter(None, [where, self.of]))
        if self.sd is not None or not levels:
            return ":".join(filter(None, [times, levels]))
        by = f", by = {_SHORT.get(self.sd_by, self.sd_by)}" if self.sd_by else ""
        cov = ", cov = K" if self.similar else ""
        if by or cov:
            levels = f"gr({levels}{by}{cov})"
        return f"({f'0 + {times}' if times else '1'} | {levels})"

    def scaled(self, factor: float) -> "TermSpec":
        """Return the term with a prior, or a fixed standard deviation, that many times as wide."""
        prior = self.prior and self.prior.scaled(factor)
        return dataclasses.replace(self, prior=prior, sd=self.sd and self.sd * factor)


@dataclass(frozen=True)
class NoiseSpec:
    """How single pairs scatter around their mean.

    Parameters
    ----------
    prior : Prior
        Of the standard deviation, the total one where similar attributes share a part.
    sd_by : str, optional
        A column for each of whose values there is a standard deviation; one for all without it.
    similar_share : Prior, optional
        Of ρ, the share of the variance s² that similar attributes share: within each word the
        deviations from its mean are Normal(0, (1 − ρ) s² I + ρ s² K). Without it, and where no
        similarity is known, they are independent.
    similar_connections : sequence of str
        Where there is such a part; empty for everywhere.

    Examples
    --------
    >>> NoiseSpec(Prior("exponential", rate=10.0), "connection").sd_by
    'connection'
    """

    prior: Prior
    sd_by: str | None = None
    similar_share: Prior | None = None
    similar_connections: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        connections = _connections(self.similar_connections, "noise: similar_connections")
        vars(self)["similar_connections"] = connections
        share, beta = self.similar_share, "is between 0 and 1; needs one of: beta"
        _refuse(
            "noise: ",
            ("prior", self.prior.distribution not in _POSITIVE, _NEEDS_POSITIVE),
            ("sd_by", not isinstance(self.sd_by, str | None), _COLUMN),
            ("similar_share", share is not None and share.distribution != "beta", beta),
            ("similar_connections", connections and share is None, "needs similar_share; give it"),
        )

    def alone(self) -> "NoiseSpec":
        """Return the noise without the part that similar attributes share."""
        return NoiseSpec(self.prior, self.sd_by)


_Part = TypeVar("_Part", TermSpec, NoiseSpec)


def read_part(cls: type[_Part], table: Mapping[str, Any], where: str) -> _Part:
    """Read a table of a model's file, whose keys are the fields of a part of a model."""
    fields = {field.name: field for field in dataclasses.fields(cls)}
    refuse_unknown(table, fields, where)
    for key, field in fields.items():
        if key not in table and field.default is dataclasses.MISSING:
            raise ModelError(f"{where}lacks {key!r}; it is required")
        if "connections" in key and table.get(key) == []:
            raise ModelError(f"{where}{key}: is empty; delete it for everywhere")
    priors = [key for key in ("prior", "similar_share") if key in table]
    return cls(**{**table, **{key: Prior.from_dict(table[key], where + key) for key in priors}})


def as_written(part: Any) -> Any:
    """Return a model, or a part of one, as it stands in its file, without what is a default."""
    if isinstance(part, tuple):
        return [as_written(value) for value in part]
    if not dataclasses.is_dataclass(part):
        return part
    values = ((getattr(part, field.name), field) for field in dataclasses.fields(part))
    return {field.name: as_written(value) for value, field in values if value != field.default}


def _refuse(where: str, *flaws: tuple[str, object, str]) -> None:
    """Raise for the first key that is flawed: keys, whether they are, and what to say."""
    for key, is_flawed, message in flaws:
        if is_flawed:
            raise ModelError(f"{where}{key}: {message}")


def _texts(value: Any, where: str, example: str) -> tuple[str, ...]:
    """Return a list of texts, or raise `ModelError`."""
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    if not is_list or not all(isinstance(text, str) for text in value):
        raise ModelError(f'{where}: must be a list, such as ["{example}"]')
    return tuple(value)


def _connections(value: Any, where: str) -> tuple[str, ...]:
    """Return a list of connections in the package's order, empty for all."""
    names = _texts(value, where, CONNECTIONS[0])
    for name in names:
        if name not in CONNECTIONS:
            raise ModelError(f"{where}: {name!r} is none{suggest(name, CONNECTIONS)}")
    return tuple(c for c in CONNECTIONS if c in names) if len({*names}) < len(CONNECTIONS) else ()
