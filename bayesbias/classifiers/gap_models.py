"""The specification of the hierarchical model of gaps: priors as data, from a TOML file or code."""

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from bayesbias.errors import ModelError, suggest
from bayesbias.inference.priors import Prior, read_prior
from bayesbias.support.shipped_data import data_folder, shipped_or_own
from bayesbias.support.toml_files import TomlFile

_TEXTS: Final = ("title", "source", "notes")
_PRIORS: Final = ("class_mean", "class_sd", "group_effect", "deviation_sd")
_COVARIATE: Final = "covariate_effect"
_CENTRED: Final = ("group_effect", _COVARIATE)


_EQUATIONS: Final = """\
successes[k, g]    ~ Binomial(trials[k, g], rate[k, g])
logit rate[k, g]   = class_effect[k] + group_effect[g] + deviation[k, g]
class_effect[k]    ~ Normal(class_mean, class_sd)
deviation[k, g]    ~ Normal(0, deviation_sd), summing to zero over g
class_mean         ~ {class_mean}
class_sd           ~ {class_sd}
group_effect[g]    ~ {group_effect}, summing to zero over g
deviation_sd       ~ {deviation_sd}
"""
_WITH_COVARIATES: Final = """\
with covariates    = logit rate[k, g] + (class_slope + group_slope[g]) x[k]
class_slope        ~ {covariate_effect}
group_slope[g]     ~ {covariate_effect}, summing to zero over g
"""


@dataclass(frozen=True)
class GapSpec:
    """The hierarchical model of rates; see `equations`.

    Parameters
    ----------
    priors : mapping of str to Prior
        ``class_mean`` and ``group_effect`` normal, the latter with mean 0; ``class_sd`` and
        ``deviation_sd`` positive; ``covariate_effect``, normal with mean 0, is needed only where
        classes have covariates.

    Examples
    --------
    >>> str(load_gap_model("gaps").priors["deviation_sd"])
    'Exponential(rate=2)'
    """

    name: str
    title: str
    priors: Mapping[str, Prior] = field(hash=False)
    source: str = ""
    notes: str = ""

    def __post_init__(self) -> None:
        known = (*_PRIORS, _COVARIATE)
        for name in self.priors:
            if name not in known:
                raise self._fail(f"priors.{name}: unknown{suggest(name, known)}")
        for name in _PRIORS:
            if name not in self.priors:
                raise self._fail(f"priors: lacks {name!r}; needed: {', '.join(_PRIORS)}")
        for name, prior in self.priors.items():
            if prior.is_positive != name.endswith("_sd"):
                kind = "a positive distribution" if name.endswith("_sd") else "normal"
                raise self._fail(f"priors.{name} must be {kind}")
            if name in _CENTRED and prior.mean != 0:
                raise self._fail(f"priors.{name} must have mean 0: no sign comes first")

    def _fail(self, message: str) -> ModelError:
        return ModelError(f"model {self.name!r}: {message}")

    @property
    def id(self) -> str:
        """Twelve hex digits that change with anything that changes the posterior."""
        content = {name: asdict(prior) for name, prior in sorted(self.priors.items())}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]

    def replace(self, **changes: Any) -> "GapSpec":
        """Return a changed copy; given ``priors`` are merged with the present ones.

        Examples
        --------
        >>> wide = load_gap_model("gaps").replace(priors={"class_sd": Prior("half_normal", sd=2.0)})
        >>> str(wide.priors["class_sd"])
        'HalfNormal(sd=2)'
        """
        if "priors" in changes:
            changes["priors"] = {**self.priors, **changes["priors"]}
        return dataclasses.replace(self, **changes)

    def equations(self) -> str:
        """Return the model as lines of mathematics: k is a class, g a group; metrics are separate.

        Covariates x[k], where there are any, are standardised over classes.
        """
        lines = _EQUATIONS + (_WITH_COVARIATES if _COVARIATE in self.priors else "")
        return lines.format(**self.priors).rstrip()


def load_gap_model(model: "str | Path | GapSpec") -> GapSpec:
    """Load a model of gaps by its name or its file's path; a specification is returned unchanged.

    The shipped models are in ``models/classifiers``.

    Examples
    --------
    >>> print(load_gap_model("gaps").equations().splitlines()[0])
    successes[k, g]    ~ Binomial(trials[k, g], rate[k, g])
    """
    if isinstance(model, GapSpec):
        return model
    folder = data_folder("models") / "classifiers"
    shipped = sorted(f.stem for f in folder.glob("*.toml"))
    path = shipped_or_own(model, folder, shipped, "model of gaps", ModelError)
    file = TomlFile(path, ModelError)
    file.refuse_unknown((*_TEXTS, "priors"))
    content = {key: file.text(key, required=key == "title") for key in _TEXTS}
    given = file.table("priors").items()
    priors = {name: read_prior(file, f"priors.{name}", value) for name, value in given}
    try:
        return GapSpec(name=path.stem, priors=priors, **content)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None
