"""Model specifications: a model is a list of terms. Pure data, from TOML files or made in code.

``models/SCHEMA.md`` has the grammar. Design, both engines, predictive draws and equations walk the
same list; a specification knows none of them.
"""

import dataclasses
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pandas as pd

from bayesbias.constants import ATTRIBUTE, CHANGE, DISTANCE, MATCH, TEXT_COLUMNS, TOPIC
from bayesbias.errors import ModelError, suggest
from bayesbias.models import terms as parts
from bayesbias.models.terms import ATTRIBUTE_KIND, NoiseSpec, Prior, TermSpec, as_written
from bayesbias.show.result import Blocks, Result, Table
from bayesbias.support.bounded_files import TomlFile, data_folder, shipped_or_own

_CHOICES: Final = {"response": (DISTANCE, CHANGE), "prior_unit": ("", "neutral_sd")}
_NO_KEYS: Final = ("name", "scale", "centre")  # fields that a file does not have
_CHANGED: Final = ", changed"  # behind the name of a model that is not the file's any more
_TEXTS: Final = ("title", "source", "notes")  # which change no posterior


@dataclass(frozen=True, repr=False)
class ModelSpec(Result):
    """Which model to fit; parts that are unknown or contradict each other are a `ModelError`.

    Parameters
    ----------
    name, title : str
        What the model is called, and what it is.
    connection_mean : Prior or float
        The prior of the mean of every connection, normal, or a number that fixes it.
    noise : NoiseSpec
    terms : sequence of TermSpec
    response : {"cosine_distance", "change"}
        The column that the model explains.
    prior_unit : {"", "neutral_sd"}
        "neutral_sd": priors and fixed standard deviations are in standard deviations of a neutral
        pair's distance, and the mean of a connection counts from that of all pairs.
        `adapt_model_to_data` turns such a model into one of a frame, in cosine distance.
    scale, centre : float, optional
        Of a frame: what one unit is, and the mean of all pairs; in cosine distance.
    source, notes : str
        Where the model comes from, what to know.

    Examples
    --------
    >>> from bayesbias import load_model
    >>> [term.name for term in load_model("crossed").terms]
    ['word', 'attribute']
    >>> load_model("paper").priors["word_sd"].rate
    2.0
    """

    name: str
    title: str
    connection_mean: Prior | float
    noise: NoiseSpec
    terms: tuple[TermSpec, ...] = ()
    response: str = DISTANCE
    prior_unit: str = ""
    scale: float | None = None
    centre: float | None = None
    source: str = ""
    notes: str = ""

    def __post_init__(self) -> None:
        for key in ("name", *_TEXTS):
            if not isinstance(getattr(self, key), str):
                raise ModelError(f"model: {key} = {getattr(self, key)!r}: must be text")
            vars(self)[key] = getattr(self, key).strip()
        for key, valid in _CHOICES.items():
            if (value := getattr(self, key)) not in valid:
                raise self.fault(f"{key} = {value!r}{suggest(str(value), valid)}")
        vars(self)["terms"] = tuple(self.terms)
        names = [term.name for term in self.terms]
        for name in names:
            if names.count(name) > 1:
                raise self.fault(f"two terms are called {name!r}; rename one")
        mean = self.connection_mean
        if isinstance(mean, Prior):
            if mean.distribution != "normal":
                raise self.fault("connection_mean: prior: needs a normal one")
            mean = mean.parameters["mean"]
        elif isinstance(mean, bool) or not isinstance(mean, int | float) or not math.isfinite(mean):
            raise self.fault("connection_mean: must be a normal prior, or a number to fix it at")
        if self.is_relative and mean != 0:
            raise self.fault(
                "connection_mean: with prior_unit it counts from the mean of all pairs: give it a "
                "normal prior with mean = 0.0, or fixed = 0.0"
            )

    def fault(self, message: str) -> ModelError:
        """Return an error that names the model, to be raised by the caller."""
        return ModelError(f"model {self.name!r}: {message}")

    @property
    def is_relative(self) -> bool:
        """Whether its priors are in units of a frame that is not known yet."""
        return bool(self.prior_unit) and self.scale is None

    def in_unit(self, scale: float, centre: float) -> "ModelSpec":
        """Return a relative model with its priors in cosine distance; another as it is."""
        if not self.is_relative:
            return self
        mean: Prior | float = centre  # a relative model's own is 0
        if isinstance(self.connection_mean, Prior):
            mean = dataclasses.replace(self.connection_mean.scaled(scale), mean=centre)
        noise = dataclasses.replace(self.noise, prior=self.noise.prior.scaled(scale))
        terms = tuple(term.scaled(scale) for term in self.terms)
        in_unit = dataclasses.replace(self, scale=scale, centre=centre, connection_mean=mean)
        return dataclasses.replace(in_unit, noise=noise, terms=terms)

    @property
    def blocks(self) -> Blocks:
        """The title, the formula and the priors, to be shown."""
        return [f"{self.name}: {self.title}", "", self.formula, "", Table(self.to_frame())]

    @property
    def formula(self) -> str:
        """The model as a formula, in the way of lme4 and brms, a term a line.

        ``(1 | gr(g, by = b, cov = K))``: effects of the levels of g, with a standard deviation for
        each level of b, and a covariance in proportion to the similarity K. ``[a, b]`` is 1 for
        pairs of these connections, and 0 for others. `to_frame` has the priors.

        Examples
        --------
        >>> from bayesbias import load_model
        >>> print(load_model("paper").formula)
        distance ~ connection
          + (1 | gr(word:connection, by = connection))
        sigma ~ connection
        """
        mean = "connection"
        if not isinstance(self.connection_mean, Prior):
            mean = f"offset({self.connection_mean:g})"
        response = "change" if self.response == CHANGE else "distance"
        lines = [f"{response} ~ {mean}", *(f"  + {term.summand}" for term in self.terms)]
        return "\n".join([*lines, *([f"sigma ~ {self.noise.sd_by}"] if self.noise.sd_by else [])])

    def to_frame(self) -> pd.DataFrame:
        """Return the priors as a frame: columns ``parameter`` and ``prior``."""
        rows = [(name, str(prior)) for name, prior in self.priors.items()]
        return pd.DataFrame(rows, columns=["parameter", "prior"])

    @property
    def priors(self) -> dict[str, Prior]:
        """The priors by parameter; what is fixed has none."""
        noise, share = self.noise, self.noise.similar_share
        priors = {
            "connection_mean": self.connection_mean,
            **{f"{term.name}_sd": term.prior for term in self.terms},
            "noise_sd" if share is None else "noise_total_sd": noise.prior,
            "noise_similar_share": share,
        }
        return {name: prior for name, prior in priors.items() if isinstance(prior, Prior)}

    @property
    def own_columns(self) -> tuple[str, ...]:
        """Columns of the user's own, in each of whose values a pair may have its own distance."""
        named = [column for term in self.terms for column in (*term.by, term.sd_by)]
        made = (None, *TEXT_COLUMNS, ATTRIBUTE_KIND, MATCH)
        return tuple(dict.fromkeys(c for c in (*named, self.noise.sd_by) if c not in made))

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns of numbers that slopes are of, in their order."""
        return tuple(dict.fromkeys(term.of for term in self.terms if term.of))

    @property
    def id(self) -> str:
        """Twelve hex digits that change with anything that changes the posterior."""
        unread = ("name", *_TEXTS)
        content = {key: value for key, value in self.to_dict().items() if key not in unread}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]

    def replace(self, *, priors: Mapping[str, Prior] | None = None, **changes: Any) -> "ModelSpec":
        """Return a copy with new priors, by the names that `ModelSpec.priors` has, or other fields.

        Its name says that it is changed, unless it gets one.

        Examples
        --------
        >>> from bayesbias import load_model
        >>> wide = load_model("paper").replace(priors={"word_sd": Prior("half_normal", sd=1.0)})
        >>> str(wide.priors["word_sd"]), str(wide.priors["noise_sd"])
        ('HalfNormal(sd=1)', 'Exponential(rate=2)')
        """
        own = {"name": f"{self.name.removesuffix(_CHANGED)}{_CHANGED}", **changes}
        changed = dataclasses.replace(self, **own)
        for name, prior in (priors or {}).items():
            if name not in changed.priors:
                raise self.fault(f"has no prior of {name!r}{suggest(name, changed.priors)}")
            if name in ("noise_sd", "noise_total_sd", "noise_similar_share"):
                new: Any = {"similar_share" if name.endswith("share") else "prior": prior}
                noise = dataclasses.replace(changed.noise, **new)
                changed = dataclasses.replace(changed, noise=noise)
            elif name == "connection_mean":
                changed = dataclasses.replace(changed, connection_mean=prior)
            else:
                changed = with_term(changed, name.removesuffix("_sd"), prior=prior)
        return changed

    @property
    def is_similar(self) -> bool:
        """Whether a term or the noise asks for the similarity of attributes."""
        return self.noise.similar_share is not None or any(term.similar for term in self.terms)

    def without_similarity(self, *, topics: bool = False) -> "ModelSpec":
        """Return a copy for which attributes are unrelated, or only related by their `topics`."""
        terms = []
        for term in self.terms:
            terms.append(dataclasses.replace(term, similar=False))
            if topics and term.similar:
                by = (*(c for c in term.by if c != ATTRIBUTE), TOPIC, ATTRIBUTE_KIND)
                terms.append(dataclasses.replace(terms[-1], name=f"{term.name}_{TOPIC}", by=by))
        return dataclasses.replace(self, terms=tuple(terms), noise=self.noise.alone())

    def to_dict(self) -> dict[str, Any]:
        """Return the specification as plain data: its name, and the keys of a model's file."""
        content: dict[str, Any] = as_written(self)
        key = "prior" if isinstance(self.connection_mean, Prior) else "fixed"
        return content | {"connection_mean": {key: content["connection_mean"]}}

    def to_json(self) -> str:
        """Return the specification as JSON, for `from_json`."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> "ModelSpec":
        """Rebuild a specification from `to_json`."""
        try:
            content: dict[str, Any] = json.loads(text)
            own = {key: content.pop(key) for key in _NO_KEYS if key in content}
            return cls.from_dict(content, **own)
        except (ModelError, ValueError, TypeError, AttributeError) as error:
            raise ModelError(f"not a model's JSON as to_json writes it: {error}") from error

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], **own: Any) -> "ModelSpec":
        """Read the keys of a model's file; `own`: the name, and the unit of its priors if known."""
        keys = [field.name for field in dataclasses.fields(cls)]
        parts.refuse_unknown(content, [key for key in keys if key not in _NO_KEYS])
        for key in ("connection_mean", "noise"):
            if not content.get(key) or not isinstance(content[key], Mapping):
                raise ModelError(f"{key}: is missing or empty; the file needs a table [{key}]")
        mean, terms = content["connection_mean"], content.get("terms", [])
        parts.refuse_unknown(mean, ("prior", "fixed"), "connection_mean.")
        if len(mean) > 1:
            raise ModelError("connection_mean: has a prior and is fixed; delete one of the two")
        if not isinstance(terms, list) or not all(isinstance(entry, Mapping) for entry in terms):
            raise ModelError("terms: must be a list of tables, each written [[terms]]")
        if "fixed" in mean:
            mean = parts.as_number(mean["fixed"], "connection_mean.fixed")
        else:
            mean = Prior.from_dict(mean["prior"], "connection_mean.prior")
        noise = parts.read_part(NoiseSpec, {"prior": None, **content["noise"]}, "noise.")
        terms = [TermSpec.from_dict(entry, n) for n, entry in enumerate(terms, start=1)]
        read = {"connection_mean": mean, "noise": noise, "terms": terms}
        return cls(**{"title": "", **content, **read}, **own)


def with_term(spec: ModelSpec, name: str, **changes: Any) -> ModelSpec:
    """Return a specification in which one term is changed."""
    terms = [dataclasses.replace(t, **changes) if t.name == name else t for t in spec.terms]
    return dataclasses.replace(spec, terms=tuple(terms))


def list_models() -> tuple[str, ...]:
    """Return the names of the shipped models.

    Examples
    --------
    >>> "paper" in list_models()
    True
    """
    return tuple(sorted(file.stem for file in data_folder("models").glob("*.toml")))


def load_model(model: "str | Path | ModelSpec") -> ModelSpec:
    """Load a model by its name or its file's path; a specification is returned as it is.

    Raises
    ------
    ModelError
        If there is no such model, or the file breaks a rule of ``models/SCHEMA.md``.

    Examples
    --------
    >>> print(load_model("paper").priors["connection_mean"])
    Normal(mean=1, sd=0.3)
    """
    if isinstance(model, ModelSpec):
        return model
    path = shipped_or_own(model, data_folder("models"), list_models(), "model", ModelError)
    file = TomlFile(path, ModelError)
    try:
        spec = ModelSpec.from_dict(file.data, name=path.stem)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None
    file.text("title", required=True)
    return spec
