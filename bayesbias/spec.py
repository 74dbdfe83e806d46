"""Model specifications: data that say which model to fit, from TOML files or made in code."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from bayesbias.errors import ModelError, suggest
from bayesbias.resources import data_folder
from bayesbias.tomlfile import TomlFile

_CHOICES: Final = {
    "likelihood": ("normal",),
    "noise": ("connection",),
    "pooling": ("partial",),
}
_PRIORS: Final = ("group_mean", "word_sd", "noise_sd")
_PARAMETERS: Final = {"normal": ("mean", "sd"), "half_normal": ("sd",), "exponential": ("rate",)}
_POSITIVE: Final = ("half_normal", "exponential")
_KEYS: Final = ("title", "source", "notes", *_CHOICES, "priors")


@dataclass(frozen=True)
class Prior:
    """A prior distribution, by name and parameters.

    Parameters
    ----------
    distribution : {"normal", "half_normal", "exponential"}
    mean, sd, rate : float, optional
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

    def __post_init__(self) -> None:
        if self.distribution not in _PARAMETERS:
            raise ModelError(
                f"unknown distribution {self.distribution!r}"
                f"{suggest(self.distribution, _PARAMETERS)}"
            )
        wanted = _PARAMETERS[self.distribution]
        for name in ("mean", "sd", "rate"):
            value = getattr(self, name)
            if (value is not None) != (name in wanted):
                raise ModelError(f"{self.distribution} takes exactly: {', '.join(wanted)}")
            if value is not None and not (math.isfinite(value) and (name == "mean" or value > 0)):
                raise ModelError(f"{self.distribution}: {name} = {value} must be finite, sd and "
                                 f"rate above 0")  # fmt: skip

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in _PARAMETERS[self.distribution]}

    def __str__(self) -> str:
        """Write the distribution as mathematics does."""
        name = "".join(part.title() for part in self.distribution.split("_"))
        return f"{name}({', '.join(f'{k}={v:g}' for k, v in self.parameters.items())})"


@dataclass(frozen=True)
class ModelSpec:
    """Which model to fit: likelihood, noise, pooling and priors.

    Parameters
    ----------
    name, title : str
        What the model is called, and what it is.
    group_mean : Prior
        Prior of the mean distance per connection.
    word_sd, noise_sd : Prior
        Priors, per connection, of the standard deviation of word means around the group mean and
        of distances around their word's mean.
    likelihood, noise, pooling : str
        See ``models/README.md``.
    source, notes : str
        Where the model comes from, what to know.

    Examples
    --------
    >>> load_model("paper").word_sd.rate
    2.0
    """

    name: str
    title: str
    group_mean: Prior
    word_sd: Prior
    noise_sd: Prior
    likelihood: str = "normal"
    noise: str = "connection"
    pooling: str = "partial"
    source: str = ""
    notes: str = ""

    def __post_init__(self) -> None:
        for key, valid in _CHOICES.items():
            value = getattr(self, key)
            if value not in valid:
                raise ModelError(f"model {self.name!r}: {key} = {value!r}{suggest(value, valid)}")
        for key in ("word_sd", "noise_sd"):
            if getattr(self, key).distribution not in _POSITIVE:
                raise ModelError(
                    f"model {self.name!r}: {key} is a standard deviation and needs a prior on "
                    f"positive numbers: {', '.join(_POSITIVE)}"
                )

    @property
    def id(self) -> str:
        """Twelve hex digits that change with anything that changes the posterior."""
        content = {k: v for k, v in asdict(self).items() if k in (*_CHOICES, *_PRIORS)}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]

    def equations(self) -> str:
        """Return the model as lines of mathematics."""
        return "\n".join(
            (
                "distance[i]     ~ Normal(word_mean[w[i], c[i]], noise_sd[c[i]])",
                "word_mean[w, c] ~ Normal(group_mean[c], word_sd[c])",
                f"group_mean[c]   ~ {self.group_mean}",
                f"word_sd[c]      ~ {self.word_sd}",
                f"noise_sd[c]     ~ {self.noise_sd}",
            )
        )

    def to_json(self) -> str:
        """Return the specification as JSON, for `from_json`."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "ModelSpec":
        """Rebuild a specification from `to_json`."""
        content: dict[str, Any] = json.loads(text)
        return cls(**content | {key: Prior(**content[key]) for key in _PRIORS})


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
    group_mean[c]   ~ Normal(mean=1, sd=0.3)
    """
    if isinstance(model, ModelSpec):
        return model
    if str(model) in list_models():
        return _from_toml(data_folder("models") / f"{model}.toml")
    path = Path(model)
    if not path.suffix and not path.exists():
        raise ModelError(
            f"no model called {str(model)!r}{suggest(str(model), list_models())}; a model of your "
            f"own is given by the path of its .toml file"
        )
    return _from_toml(path)


def _from_toml(path: Path) -> ModelSpec:
    file = TomlFile(path, ModelError)
    file.refuse_unknown(_KEYS)
    priors = file.table("priors")
    file.refuse_unknown(_PRIORS, table="priors")
    for key in _PRIORS:
        if key not in priors:
            raise file.fail("priors", f"lacks {key!r}; needed: {', '.join(_PRIORS)}")
    content: dict[str, Any] = {
        "name": path.stem,
        "title": file.text("title", required=True),
        "source": file.text("source"),
        "notes": file.text("notes"),
    }
    content |= {key: file.text(key) for key in _CHOICES if key in file.data}
    content |= {key: _prior(file, key, priors[key]) for key in _PRIORS}
    try:
        return ModelSpec(**content)
    except ModelError as error:
        raise error if str(path) in str(error) else ModelError(f"{path}: {error}") from None


def _prior(file: TomlFile, key: str, value: Any) -> Prior:
    where = f"priors.{key}"
    if not isinstance(value, Mapping) or not isinstance(value.get("distribution"), str):
        raise file.fail(where, 'must be such as { distribution = "exponential", rate = 2.0 }')
    parameters = {k: v for k, v in value.items() if k != "distribution"}
    for name, number in parameters.items():
        if name not in ("mean", "sd", "rate"):
            raise file.fail(
                f"{where}.{name}", f"unknown key{suggest(name, ('mean', 'sd', 'rate'))}"
            )
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise file.fail(f"{where}.{name}", "must be a number")
    try:
        return Prior(value["distribution"], **{k: float(v) for k, v in parameters.items()})
    except ModelError as error:
        raise file.fail(where, str(error)) from None
