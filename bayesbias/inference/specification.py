"""Model specifications: data that say which model to fit, from TOML files or made in code.

A specification is one choice per key (`CHOICES`) and a prior for every parameter that the choices
bring along (`prior_names`). Engines read it; it knows nothing of them.
"""

import dataclasses
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesbias.errors import ModelError, suggest
from bayesbias.support.bounded_files import is_file, is_folder
from bayesbias.support.shipped_data import data_folder
from bayesbias.support.toml_files import TomlFile

CHOICES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "response": ("cosine_distance", "change"),
        "likelihood": ("normal", "student_t"),
        "noise": ("connection", "shared"),
        "pooling": ("partial", "none", "complete"),
        "attribute_effects": ("none", "crossed"),
    }
)
"""The keys of a specification and their values, the default first."""

_PARAMETERS: Final = {
    "normal": ("mean", "sd"),
    "half_normal": ("sd",),
    "exponential": ("rate",),
    "gamma": ("shape", "rate"),
}
_POSITIVE: Final = ("half_normal", "exponential", "gamma")
_TEXTS: Final = ("title", "source", "notes")


@dataclass(frozen=True)
class Prior:
    """A prior distribution, by name and parameters.

    Parameters
    ----------
    distribution : {"normal", "half_normal", "exponential", "gamma"}
    mean, sd, rate, shape : float, optional
        The parameters that the distribution has.

    Raises
    ------
    ModelError
        If the name is unknown or the parameters are not the distribution's.

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

    def __post_init__(self) -> None:
        if self.distribution not in _PARAMETERS:
            raise ModelError(
                f"unknown distribution {self.distribution!r}"
                f"{suggest(self.distribution, _PARAMETERS)}"
            )
        wanted = _PARAMETERS[self.distribution]
        for name in ("mean", "sd", "rate", "shape"):
            value = getattr(self, name)
            if (value is not None) != (name in wanted):
                raise ModelError(f"{self.distribution} takes exactly: {', '.join(wanted)}")
            if value is not None and not (math.isfinite(value) and (name == "mean" or value > 0)):
                raise ModelError(
                    f"{self.distribution}: {name} = {value} must be finite, and sd, rate and shape "
                    f"above 0"
                )

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in _PARAMETERS[self.distribution]}

    @property
    def is_positive(self) -> bool:
        """Whether the distribution is on positive numbers."""
        return self.distribution in _POSITIVE

    def log_density(self, x: ArrayLike) -> NDArray[np.float64]:
        """Return the log-density at values that the distribution allows, same shape as `x`."""
        x, p = np.asarray(x, dtype=float), self.parameters
        if self.distribution == "normal":
            z = (x - p["mean"]) / p["sd"]
            return -0.5 * z**2 - math.log(p["sd"]) - 0.5 * math.log(2 * math.pi)
        if self.distribution == "half_normal":
            return -0.5 * (x / p["sd"]) ** 2 - math.log(p["sd"]) + 0.5 * math.log(2 / math.pi)
        if self.distribution == "exponential":
            return math.log(p["rate"]) - p["rate"] * x
        constant = p["shape"] * math.log(p["rate"]) - math.lgamma(p["shape"])
        return constant + (p["shape"] - 1) * np.log(x) - p["rate"] * x

    def draw(self, rng: np.random.Generator, size: tuple[int, ...]) -> NDArray[np.float64]:
        """Draw from the distribution."""
        p = self.parameters
        if self.distribution == "normal":
            return rng.normal(p["mean"], p["sd"], size)
        if self.distribution == "half_normal":
            return np.abs(rng.normal(0.0, p["sd"], size))
        if self.distribution == "exponential":
            return rng.exponential(1.0 / p["rate"], size)
        return rng.gamma(p["shape"], 1.0 / p["rate"], size)

    def __str__(self) -> str:
        """Write the distribution as mathematics does."""
        name = "".join(part.title() for part in self.distribution.split("_"))
        return f"{name}({', '.join(f'{k}={v:g}' for k, v in self.parameters.items())})"


@dataclass(frozen=True)
class ModelSpec:
    """Which model to fit.

    Parameters
    ----------
    name, title : str
        What the model is called, and what it is.
    priors : mapping of str to Prior
        One per parameter; which are needed follows from the choices, see `prior_names`.
    response, likelihood, noise, pooling, attribute_effects : str
        See ``models/README.md``.
    source, notes : str
        Where the model comes from, what to know.

    Raises
    ------
    ModelError
        If a choice or a prior is unknown, missing or one too many.

    Examples
    --------
    >>> load_model("paper").priors["word_sd"].rate
    2.0
    """

    name: str
    title: str
    priors: Mapping[str, Prior] = field(hash=False)
    response: str = "cosine_distance"
    likelihood: str = "normal"
    noise: str = "connection"
    pooling: str = "partial"
    attribute_effects: str = "none"
    source: str = ""
    notes: str = ""

    def __post_init__(self) -> None:
        for key, valid in CHOICES.items():
            value = getattr(self, key)
            if value not in valid:
                raise self._fail(f"{key} = {value!r}{suggest(value, valid)}")
        if self.attribute_effects == "crossed" and self.pooling != "partial":
            raise self._fail("attribute_effects = 'crossed' needs pooling = 'partial'")
        wanted = self.prior_names
        for name in self.priors:
            if name not in wanted:
                raise self._fail(f"priors.{name}: unknown or unused{suggest(name, wanted)}")
        for name in wanted:
            if name not in self.priors:
                raise self._fail(f"priors: lacks {name!r}; needed: {', '.join(wanted)}")
            if self.priors[name].is_positive == name.endswith("_mean"):
                kind = "normal" if name.endswith("_mean") else ", ".join(_POSITIVE)
                raise self._fail(f"priors.{name} needs one of: {kind}")

    def _fail(self, message: str) -> ModelError:
        return ModelError(f"model {self.name!r}: {message}")

    @property
    def prior_names(self) -> tuple[str, ...]:
        """The parameters that the choices bring along and that need a prior."""
        names = {
            "partial": ("group_mean", "word_sd", "noise_sd"),
            "none": ("word_mean", "noise_sd"),
            "complete": ("group_mean", "noise_sd"),
        }[self.pooling]
        if self.attribute_effects == "crossed":
            names += ("attribute_sd",)
        if self.likelihood == "student_t":
            names += ("degrees_of_freedom",)
        return names

    @property
    def is_gaussian(self) -> bool:
        """Whether, given the standard deviations, everything is normal."""
        return self.likelihood == "normal"

    @property
    def id(self) -> str:
        """Twelve hex digits that change with anything that changes the posterior."""
        content = {key: getattr(self, key) for key in CHOICES}
        content["priors"] = {name: asdict(prior) for name, prior in sorted(self.priors.items())}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]

    def replace(self, **changes: Any) -> "ModelSpec":
        """Return a changed copy; given ``priors`` are merged with the present ones.

        Examples
        --------
        >>> wide = load_model("paper").replace(priors={"word_sd": Prior("half_normal", sd=1.0)})
        >>> str(wide.priors["word_sd"]), str(wide.priors["noise_sd"])
        ('HalfNormal(sd=1)', 'Exponential(rate=2)')
        """
        if "priors" in changes:
            changes["priors"] = {**self.priors, **changes["priors"]}
        return dataclasses.replace(self, **changes)

    def equations(self) -> str:
        """Return the model as lines of mathematics.

        Indices: i a pair, w a protected word, c a connection, j an attribute word, k a kind of
        attribute list (stereotype, human, neutral).
        """
        response = "distance" if self.response == "cosine_distance" else "change"
        mean = "word_mean[w[i], c[i]]"
        if self.attribute_effects == "crossed":
            mean += " + attribute_effect[j[i]]"
        noise = "noise_sd[c[i]]" if self.noise == "connection" else "noise_sd"
        law = "Normal" if self.likelihood == "normal" else "StudentT"
        nu = "" if self.likelihood == "normal" else "degrees_of_freedom, "
        lines = [(f"{response}[i]", f"{law}({nu}{mean}, {noise})")]
        if self.pooling == "partial":
            lines.append(("word_mean[w, c]", "Normal(group_mean[c], word_sd[c])"))
        if self.attribute_effects == "crossed":
            lines.append(("attribute_effect[j]", "Normal(0, attribute_sd[k[j]])"))
        index = {"group_mean": "[c]", "word_mean": "[w, c]", "word_sd": "[c]",
                 "noise_sd": "[c]" if self.noise == "connection" else "",
                 "attribute_sd": "[k]", "degrees_of_freedom": ""}  # fmt: skip
        lines += [(name + index[name], str(self.priors[name])) for name in self.prior_names]
        text = [f"{left:<20} ~ {right}" for left, right in lines]
        if self.pooling == "complete":
            text.append(f"{'word_mean[w, c]':<20} = group_mean[c]")
        if self.pooling == "none":
            text.append(f"{'group_mean[c]':<20} = mean of word_mean[w, c] over w")
        return "\n".join(text)

    def to_json(self) -> str:
        """Return the specification as JSON, for `from_json`."""
        content = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        content["priors"] = {name: asdict(prior) for name, prior in self.priors.items()}
        return json.dumps(content)

    @classmethod
    def from_json(cls, text: str) -> "ModelSpec":
        """Rebuild a specification from `to_json`."""
        content: dict[str, Any] = json.loads(text)
        content["priors"] = {name: Prior(**p) for name, p in content["priors"].items()}
        return cls(**content)


def list_models() -> tuple[str, ...]:
    """Return the names of the shipped models.

    Examples
    --------
    >>> "paper" in list_models()
    True
    """
    return tuple(sorted(f.stem for f in data_folder("models").glob("*.toml")))


def load_model(model: "str | Path | ModelSpec") -> ModelSpec:
    """Load a model by its name or its file's path; a specification is returned as it is.

    Raises
    ------
    ModelError
        If there is no such model, or the file breaks a rule of ``models/README.md``.

    Examples
    --------
    >>> print(load_model("paper").equations().splitlines()[2])
    group_mean[c]        ~ Normal(mean=1, sd=0.3)
    """
    if isinstance(model, ModelSpec):
        return model
    if not isinstance(model, str | Path):
        raise ModelError(
            f"{type(model).__name__} is no model: give a name, such as 'paper', or the path of a "
            f".toml file"
        )
    if str(model) in list_models():
        return _from_toml(data_folder("models") / f"{model}.toml")
    path = Path(model)
    if not path.suffix and not is_file(path) and not is_folder(model):
        raise ModelError(
            f"no model called {str(model)!r}{suggest(str(model), list_models())}; a model of your "
            f"own is given by the path of its .toml file"
        )
    return _from_toml(path)


def _from_toml(path: Path) -> ModelSpec:
    file = TomlFile(path, ModelError)
    file.refuse_unknown((*_TEXTS, *CHOICES, "priors"))
    content: dict[str, Any] = {key: file.text(key, required=key == "title") for key in _TEXTS}
    content |= {key: file.text(key) for key in CHOICES if key in file.data}
    priors = {name: read_prior(file, name, value) for name, value in file.table("priors").items()}
    try:
        return ModelSpec(name=path.stem, priors=priors, **content)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def read_prior(file: TomlFile, key: str, value: Any) -> Prior:
    """Read one prior of a table ``[priors]``; complaints name the file and the key."""
    where = f"priors.{key}"
    if not isinstance(value, Mapping) or not isinstance(value.get("distribution"), str):
        raise file.fail(where, 'must be such as { distribution = "exponential", rate = 2.0 }')
    parameters = {k: v for k, v in value.items() if k != "distribution"}
    for name, number in parameters.items():
        valid = ("mean", "sd", "rate", "shape")
        if name not in valid:
            raise file.fail(f"{where}.{name}", f"unknown key{suggest(name, valid)}")
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise file.fail(f"{where}.{name}", "must be a number")
    try:
        return Prior(value["distribution"], **{k: float(v) for k, v in parameters.items()})
    except OverflowError as error:
        raise file.fail(where, "has a number that is too large") from error
    except ModelError as error:
        raise file.fail(where, str(error)) from None
