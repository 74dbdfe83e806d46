"""Model specifications: a model is a list of terms. Pure data, from TOML files or made in code.

``models/README.md`` has the grammar. Design, both engines, predictive draws and equations walk the
same list; a specification knows none of them.
"""

import dataclasses
import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from bayesbias.constants import ATTRIBUTE, CHANGE, CONNECTIONS, DISTANCE, EMBEDDING, GROUP, TOPIC
from bayesbias.errors import ModelError, suggest
from bayesbias.inference.priors import POSITIVE, Prior
from bayesbias.inference.terms import (
    ATTRIBUTE_KIND,
    DERIVED,
    FRAME_COLUMNS,
    REPLACED,
    NoiseSpec,
    TermSpec,
)
from bayesbias.pairs.frequency import RARITY
from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks, Table

if TYPE_CHECKING:
    from bayesbias.inference.equations import Line

RESPONSES: Final = (DISTANCE, CHANGE)
LIKELIHOODS: Final = ("normal", "student_t")
PRIOR_UNITS: Final = ("", "neutral_sd")
TEXTS: Final = ("title", "source", "notes")
"""Keys that tell a reader what a model is, and change nothing."""


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
        Slopes stand last.
    response : {"cosine_distance", "change"}
        The column that the model explains.
    likelihood : {"normal", "student_t"}
    degrees_of_freedom : Prior, optional
        Needed by ``student_t``, and by nothing else.
    reference_words : bool
        Whether the model explains the rows of reference words; else they are left out before the
        fit.
    adapts : bool
        Whether a fit leaves out terms that the frame cannot estimate, and lets the factors of
        crossed groups share what single groups do; else both are as the terms say.
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
    likelihood: str = "normal"
    degrees_of_freedom: Prior | None = None
    reference_words: bool = False
    adapts: bool = False
    prior_unit: str = ""
    scale: float | None = None
    centre: float | None = None
    source: str = ""
    notes: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "terms", tuple(sorted(self.terms, key=lambda t: bool(t.of))))
        for key in ("name", *TEXTS):
            if not isinstance(getattr(self, key), str):
                raise ModelError(f"model: {key} = {getattr(self, key)!r}: must be text")
        choices = {"response": RESPONSES, "likelihood": LIKELIHOODS, "prior_unit": PRIOR_UNITS}
        for key, valid in choices.items():
            value = getattr(self, key)
            if value not in valid:
                raise self._fail(f"{key} = {value!r}{suggest(str(value), valid)}")
        for key in ("reference_words", "adapts"):
            if not isinstance(getattr(self, key), bool):
                raise self._fail(f"{key} = {getattr(self, key)!r}: must be true or false")
        self._check_normality()
        names = [term.name for term in self.terms]
        for name in names:
            if names.count(name) > 1:
                raise self._fail(f"two terms are called {name!r}; rename one")

    def _check_normality(self) -> None:
        """Refuse means that are not normal, and Student-t noise with what needs a normal one."""
        mean, prior = self.connection_mean, self.degrees_of_freedom
        if isinstance(mean, Prior):
            if mean.distribution != "normal":
                raise self._fail("connection_mean: prior: needs a normal one")
        elif isinstance(mean, bool) or not isinstance(mean, int | float) or not math.isfinite(mean):
            raise self._fail("connection_mean: must be a normal prior, or a number to fix it at")
        if self.is_relative and not (isinstance(mean, Prior) and mean.mean == 0):
            raise self._fail(
                "connection_mean: with prior_unit it counts from the mean of all pairs: give it a "
                "normal prior with mean = 0.0"
            )
        if (prior is None) == (self.likelihood == "student_t"):
            raise self._fail(
                "likelihood 'student_t' needs [degrees_of_freedom] with a prior"
                if prior is None
                else "degrees_of_freedom: only with likelihood 'student_t'"
            )
        if prior is not None and self.is_similar:
            raise self._fail("similar: goes with likelihood 'normal' alone; delete one of the two")
        if prior is not None and any(term.sum_to_zero for term in self.terms):
            raise self._fail(
                "sum_to_zero: goes with likelihood 'normal' alone; delete one of the two"
            )
        if prior is not None and prior.distribution not in POSITIVE:
            raise self._fail(f"degrees_of_freedom: prior: needs one of: {', '.join(POSITIVE)}")

    def _fail(self, message: str) -> ModelError:
        return ModelError(f"model {self.name!r}: {message}")

    @property
    def is_relative(self) -> bool:
        """Whether its priors are in units of a frame that is not known yet."""
        return bool(self.prior_unit) and self.scale is None

    def refuse_relative(self) -> None:
        """Raise where priors are asked for that are still in units of a frame."""
        if self.is_relative:
            raise self._fail(
                "its priors are in units of the frame (prior_unit); turn them into cosine distance "
                "first, with adapting.adapt_model_to_data(model, frame)"
            )

    def in_unit(self, scale: float, centre: float) -> "ModelSpec":
        """Return a relative model with its priors in cosine distance; another as it is.

        `scale`: what one unit is. `centre`: what the means of connections count from.
        """
        if not self.is_relative:
            return self
        assert isinstance(self.connection_mean, Prior)
        sd = scale * self.connection_mean.parameters["sd"]
        mean = Prior("normal", mean=centre, sd=sd)
        noise = dataclasses.replace(self.noise, prior=self.noise.prior.scaled(scale))
        terms = tuple(term.scaled(scale) for term in self.terms)
        changes: dict[str, Any] = {"connection_mean": mean, "noise": noise, "terms": terms}
        return dataclasses.replace(self, **changes, scale=scale, centre=centre)

    @property
    def blocks(self) -> Blocks:
        """The title and the equations, to be shown."""
        from bayesbias.inference.equations import as_rows

        rows = pd.DataFrame(as_rows(self.mathematics), columns=["quantity", "", "model"])
        return [f"{self.name}: {self.title}", "", Table(rows)]

    def to_frame(self) -> pd.DataFrame:
        """Return the priors as a frame: columns ``parameter`` and ``prior``."""
        rows = [(name, str(prior)) for name, prior in self.priors.items()]
        return pd.DataFrame(rows, columns=["parameter", "prior"])

    @property
    def is_gaussian(self) -> bool:
        """Whether, given the standard deviations, everything is normal."""
        return self.likelihood == "normal"

    @property
    def priors(self) -> dict[str, Prior]:
        """The priors by parameter; what is fixed has none."""
        found: dict[str, Prior] = {}
        if isinstance(self.connection_mean, Prior):
            found["connection_mean"] = self.connection_mean
        found |= {f"{term.name}_sd": term.prior for term in self.terms if term.prior is not None}
        if self.noise.similar_share is None:
            found["noise_sd"] = self.noise.prior
        else:
            found["noise_total_sd"] = self.noise.prior
            found["noise_similar_share"] = self.noise.similar_share
        if self.degrees_of_freedom is not None:
            found["degrees_of_freedom"] = self.degrees_of_freedom
        return found

    @property
    def own_columns(self) -> tuple[str, ...]:
        """Columns of the user's own that the terms or the noise need, in their order."""
        named = [column for term in self.terms for column in (*term.by, term.sd_by)]
        known = (*FRAME_COLUMNS, *DERIVED)
        own = [c for c in (*named, self.noise.sd_by) if c is not None and c not in known]
        return tuple(dict.fromkeys(own))

    @property
    def slopes(self) -> tuple[TermSpec, ...]:
        """The terms whose effects are multiplied by numbers."""
        return tuple(term for term in self.terms if term.of)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns of numbers that slopes are of, in their order."""
        return tuple(dict.fromkeys(column for term in self.slopes for column in term.of))

    @property
    def repeating(self) -> tuple[str, ...]:
        """Columns in each of whose values a pair may have a distance of its own."""
        several = any(EMBEDDING in term.by for term in self.terms)
        return (*self.own_columns, EMBEDDING) if several else self.own_columns

    def term(self, name: str) -> TermSpec:
        """Return a term by its name."""
        for term in self.terms:
            if term.name == name:
                return term
        names = [term.name for term in self.terms]
        raise self._fail(f"has no term {name!r}{suggest(name, names)}")

    @property
    def id(self) -> str:
        """Twelve hex digits that change with anything that changes the posterior.

        Of a model that adapts, the one that it becomes has another.
        """
        unread = ("name", *TEXTS, "adapts")
        content = {key: value for key, value in self.to_dict().items() if key not in unread}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]

    def replace(self, *, priors: Mapping[str, Prior] | None = None, **changes: Any) -> "ModelSpec":
        """Return a copy with new priors, by the names that `ModelSpec.priors` has, or other fields.

        Examples
        --------
        >>> from bayesbias import load_model
        >>> wide = load_model("paper").replace(priors={"word_sd": Prior("half_normal", sd=1.0)})
        >>> str(wide.priors["word_sd"]), str(wide.priors["noise_sd"])
        ('HalfNormal(sd=1)', 'Exponential(rate=2)')
        """
        changed = dataclasses.replace(self, **changes)
        for name, prior in (priors or {}).items():
            changed = changed._with_prior(name, prior)
        return changed

    def _with_prior(self, name: str, prior: Prior) -> "ModelSpec":
        if name not in self.priors:
            raise self._fail(f"has no prior of {name!r}{suggest(name, self.priors)}")
        if name in ("connection_mean", "degrees_of_freedom"):
            changed: dict[str, Any] = {name: prior}
            return dataclasses.replace(self, **changed)
        if name.startswith("noise_"):
            changed = {"similar_share" if name == "noise_similar_share" else "prior": prior}
            return dataclasses.replace(self, noise=dataclasses.replace(self.noise, **changed))
        return with_term(self, name.removesuffix("_sd"), prior=prior)

    def without(self, names: Iterable[str]) -> "ModelSpec":
        """Return a copy that lacks some terms."""
        gone = [self.term(name).name for name in names]
        kept = tuple(term for term in self.terms if term.name not in gone)
        return dataclasses.replace(self, terms=kept)

    @property
    def is_similar(self) -> bool:
        """Whether a term or the noise asks for the similarity of attributes."""
        return bool(self.noise.similar) or any(term.similar for term in self.terms)

    def without_similarity(self) -> "ModelSpec":
        """Return a copy for which attributes are unrelated.

        Where a term of similar attributes has a twin of unrelated ones, the twin stays.
        """
        kept = [term for term in self.terms if not (term.similar and self._has_twin(term))]
        terms = tuple(dataclasses.replace(term, similar=()) for term in kept)
        return dataclasses.replace(self, terms=terms, noise=self.noise.alone())

    def _has_twin(self, similar: TermSpec) -> bool:
        """Tell whether the same pairs share effects of unrelated attributes too."""
        same = (t for t in self.terms if (t.by, t.connections) == (similar.by, similar.connections))
        return any(not term.similar for term in same)

    def with_topics(self) -> "ModelSpec":
        """Return a copy in which attributes of one topic share effects, instead of similar ones.

        Every term of similar attributes gets one of topics beside it.
        """
        terms = []
        for term in self.terms:
            if not (term.similar and self._has_twin(term)):
                terms.append(dataclasses.replace(term, similar=()))
            if term.similar:
                by = (*(c for c in term.by if c != ATTRIBUTE), TOPIC, ATTRIBUTE_KIND)
                name = f"{term.name}_{TOPIC}"
                terms.append(dataclasses.replace(term, name=name, by=by, similar=()))
        return dataclasses.replace(self, terms=tuple(terms), noise=self.noise.alone())

    def with_frequency(self) -> "ModelSpec":
        """Return a copy with slopes on how rare the words of a pair are (`pairs.frequency`).

        Of the word, of the attribute, and of both together, in every kind of list.
        """
        both = tuple(RARITY.values())
        numbers = {**{name: (name,) for name in both}, "rarity_of_both": both}
        sd = (self.scale or 1.0) if self.prior_unit else 0.1
        slopes = [TermSpec(n, (ATTRIBUTE_KIND,), of=of, sd=sd) for n, of in numbers.items()]
        return self.replace(terms=(*self.terms, *slopes))

    def with_factors(self, factors: Iterable[str]) -> "ModelSpec":
        """Return a copy in which the factors of crossed groups share what single groups do.

        What a group has with single attributes (terms by group and attribute), the level of a
        factor, such as a race, has too: else two groups of one race would count as independent.
        Terms that the model has already stay as they are.
        """
        terms, factors = list(self.terms), tuple(factors)
        known = {term.name for term in terms}
        for term in self.terms:
            if {GROUP, ATTRIBUTE} <= set(term.by) and not term.of:
                for factor in factors:
                    by, summed = (
                        tuple(factor if column == GROUP else column for column in columns)
                        for columns in (term.by, term.sum_to_zero)
                    )
                    own = f"{factor}_{term.name.removeprefix('group_')}"
                    if own in known:
                        continue
                    where = tuple(name for name in CONNECTIONS if term.acts_on(name))
                    own_term = dataclasses.replace(term, name=own, by=by, sum_to_zero=summed)
                    terms.append(dataclasses.replace(own_term, connections=where))
        return self.replace(terms=tuple(terms))

    @property
    def mathematics(self) -> "tuple[Line, ...]":
        """The model as lines of mathematics, for `equations` and for MathML."""
        from bayesbias.inference.equations import model_lines

        return model_lines(self)

    def equations(self) -> str:
        """Return the model as lines of mathematics, in plain text.

        Indices are those of a pair i: w its protected word, g the word's group, c the connection,
        j the attribute word, k the kind of attribute list (stereotype, human, neutral); other
        columns have their own names.

        Examples
        --------
        >>> from bayesbias import load_model
        >>> print(load_model("crossed").equations())
        distance[i]         ~ Normal(mean[i], noise_sd[c])
        mean[i]             = connection_mean[c]
                            + word_effect[w, c]
                            + attribute_effect[j]
        word_effect[w, c]   ~ Normal(0, word_sd[c])
        attribute_effect[j] ~ Normal(0, attribute_sd[k])
        connection_mean[c]  ~ Normal(mean=1, sd=0.3)
        word_sd[c]          ~ Exponential(rate=2)
        attribute_sd[k]     ~ Exponential(rate=2)
        noise_sd[c]         ~ Exponential(rate=2)
        word_mean[w, c]     = connection_mean[c]
                            + word_effect[w, c]
        """
        from bayesbias.inference.equations import equations_as_text

        return equations_as_text(self.mathematics)

    def to_dict(self) -> dict[str, Any]:
        """Return the specification as plain data: its name, and the keys of a model's file."""
        mean = self.connection_mean
        content: dict[str, Any] = {key: getattr(self, key) for key in ("name", *TEXTS)}
        content |= {"response": self.response, "likelihood": self.likelihood}
        content["connection_mean"] = (
            {"prior": mean.to_dict()} if isinstance(mean, Prior) else {"fixed": mean}
        )
        content["noise"] = self.noise.to_dict()
        if self.degrees_of_freedom is not None:
            content["degrees_of_freedom"] = {"prior": self.degrees_of_freedom.to_dict()}
        if self.reference_words:
            content["reference_words"] = True
        content["adapts"] = self.adapts
        if self.prior_unit:
            content["prior_unit"] = self.prior_unit
        if self.scale is not None:
            content |= {"scale": self.scale, "centre": self.centre}
        content["terms"] = [term.to_dict() for term in self.terms if not term.of]
        if self.slopes:
            content["slopes"] = [slope.to_dict() for slope in self.slopes]
        return content

    def to_json(self) -> str:
        """Return the specification as JSON, for `from_json`."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> "ModelSpec":
        """Rebuild a specification from `to_json`."""
        try:
            content: dict[str, Any] = json.loads(text)
            if "similar_prior" in content["noise"]:
                raise ModelError(f"model {content['name']!r}: noise: similar_prior {REPLACED}")
            content.setdefault("adapts", True)  # before models said so, the shipped ones did
            content["noise"] = NoiseSpec(**_with_prior_object(content["noise"]))
            terms = [*content["terms"], *({"by": ()} | s for s in content.pop("slopes", []))]
            content["terms"] = [TermSpec(**_with_prior_object(t)) for t in terms]
            mean = content["connection_mean"]
            content["connection_mean"] = _with_prior_object(mean).get("prior", mean.get("fixed"))
            if freedom := content.get("degrees_of_freedom"):
                content["degrees_of_freedom"] = _with_prior_object(freedom)["prior"]
            return cls(**content)
        except ModelError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ModelError("not a model's JSON as to_json writes it") from error


def with_term(spec: ModelSpec, name: str, **changes: Any) -> ModelSpec:
    """Return a specification in which one term is changed."""
    terms = [dataclasses.replace(t, **changes) if t.name == name else t for t in spec.terms]
    return dataclasses.replace(spec, terms=tuple(terms))


def _with_prior_object(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a part of a specification with its prior, if it has one, as a `Prior`."""
    changed = dict(content)
    for key in ("prior", "similar_share"):
        if key in changed:
            changed[key] = Prior(**changed[key])
    return changed
