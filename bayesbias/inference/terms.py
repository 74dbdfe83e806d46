"""The parts of a model specification: its terms and its noise, before any data are seen.

A term is a family of random effects. `TermSpec` has what lme4's ``(1 | group:attribute)`` says, by
which columns pairs share an effect, and what it cannot: where the effects act, which of them have a
variance component of their own (``sd_by``), and which covariance they have beyond independence:
that of similar attributes (``similar``), or a sum of zero over groups (``sum_to_zero``). With
``of``, it is a random slope, ``(0 + x | …)``.

The grammar of these parts in a TOML file stands in ``models/README.md``.
"""

import dataclasses
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from bayesbias.constants import (
    ALL_CONNECTIONS,
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    EMBEDDING,
    GROUP,
    PROTECTED_WORD,
    TEXT_COLUMNS,
)
from bayesbias.errors import ModelError, suggest
from bayesbias.inference.priors import POSITIVE, SHARES, Prior

ATTRIBUTE_KIND: Final = "attribute_kind"
"""The kind of list that an attribute comes from; it follows from the connection."""

FRAME_COLUMNS: Final = (*TEXT_COLUMNS, EMBEDDING)
"""Columns that this package gives a frame, beside the response."""

PAIR_KIND: Final = "pair_kind"
"""The kind of list, or ``reference`` for reference words; it follows from the connection."""

DERIVED: Final = (ATTRIBUTE_KIND, PAIR_KIND)
"""Columns that follow from the connection."""

CELL_COLUMNS: Final = (PROTECTED_WORD, GROUP, CONNECTION, ATTRIBUTE_SET, *DERIVED)
"""Columns that say nothing beyond the protected word and the list of attributes."""

SIMILAR: Final = (ATTRIBUTE,)
"""Columns whose values may have a known similarity."""

TERM_KEYS: Final = (
    *("name", "of", "by", "connections", "sd_by", "similar", "sum_to_zero", "prior", "sd"),
)
"""What a model's file may say of a term: of one that is no slope not ``of``."""

REPLACED: Final = (
    "is no longer a standard deviation of its own: prior is that of the whole noise now, and "
    'similar_share = { distribution = "beta", alpha = 0.5, beta = 0.5 } says which share of its '
    "variance similar attributes share; replace similar_prior by it"
)
"""What is said where ``similar_prior`` is given."""

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_RESERVED: Final = {"noise": "noise_sd is the noise's", "connection": "write [connection_mean]"}


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
        similarity (`inference.similarity`); independent where no similarity is known. A term by the
        attribute alone, of all connections, is what everybody has: Normal(0, sd² K + N Nᵀ), with N
        how near all words are to the attributes.
    sum_to_zero : sequence of str
        Columns of `by`, such as ``["group"]``: the effects of all groups that agree in the other
        columns sum to 0 (`inference.balance`), since what they share is another term's. Reference
        words are no group.
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
        if self.name in _RESERVED:
            raise self.fail("name", f"is taken ({_RESERVED[self.name]}); choose another")
        self._check_columns()
        where = f"term {self.name!r}"
        object.__setattr__(self, "connections", _connections(self.connections, where))
        similar = _chosen(self.similar, f"{where}: similar", SIMILAR, '"attribute"', "has")
        object.__setattr__(self, "similar", similar)
        if not set(self.similar) <= set(self.by):
            raise self.fail("similar", "names a column that is not in by; add it there")
        summed = self.sum_to_zero
        if not _are_texts(summed):
            raise self.fail("sum_to_zero", 'must be a list of columns, such as ["group"]')
        object.__setattr__(self, "sum_to_zero", tuple(summed))
        if self.of and summed:
            raise self.fail("sum_to_zero", "goes with effects, not with slopes; delete it")
        if not set(summed) < set(self.by) and summed:
            raise self.fail(
                "sum_to_zero", "must be some of the columns of by, and not all; name those to sum"
            )
        if (self.prior is None) == (self.sd is None):
            raise self.fail(
                "prior",
                "give one, such as Exponential(rate=10), or fix the standard deviation with sd"
                if self.prior is None
                else "give this or sd, not both",
            )
        if self.prior is not None and self.prior.distribution not in POSITIVE:
            raise self.fail(
                "prior", f"is of a standard deviation; needs one of: {', '.join(POSITIVE)}"
            )
        if self.sd is not None and not (math.isfinite(self.sd) and self.sd > 0):
            raise self.fail("sd", f"{self.sd} must be finite and above 0")

    def _check_columns(self) -> None:
        examples = {"of": ("columns of numbers", "frequency"), "by": ("columns", "protected_word")}
        for key, (what, example) in examples.items():
            given = getattr(self, key)
            if not _are_texts(given):
                raise self.fail(key, f'must be a list of {what}, such as ["{example}"]')
            object.__setattr__(self, key, tuple(given))
        if self.of and self.similar:
            raise self.fail("similar", "goes with effects, not with slopes; delete it")
        if not self.by and not self.of:
            raise self.fail("by", 'names no column; give one or more, such as ["protected_word"]')
        if len(set(self.by)) < len(self.by):
            raise self.fail("by", "names a column twice; once is enough")
        if self.sd_by is not None and not isinstance(self.sd_by, str):
            raise self.fail("sd_by", "must be the name of one column")
        if self.sd is not None and self.sd_by is not None:
            raise self.fail("sd_by", "a fixed sd is one number; delete sd_by, or give a prior")

    def fail(self, key: str, message: str) -> ModelError:
        """Return an error that names the term and one of its keys."""
        return ModelError(f"term {self.name!r}: {key}: {message}")

    @property
    def has_common_factor(self) -> bool:
        """Whether the effects are what all words have with attributes, not what some have more."""
        return self.by == (ATTRIBUTE,) and not self.connections

    def scaled(self, factor: float) -> "TermSpec":
        """Return the term with a prior, or a fixed standard deviation, that many times as wide."""
        if self.prior is not None:
            return dataclasses.replace(self, prior=self.prior.scaled(factor))
        assert self.sd is not None
        return dataclasses.replace(self, sd=self.sd * factor)

    def acts_on(self, connection: str) -> bool:
        """Tell whether the term acts on a connection."""
        return not self.connections or connection in self.connections

    def to_dict(self) -> dict[str, Any]:
        """Return the term as it stands in a model's file."""
        return _as_written(self, TERM_KEYS)


def _are_texts(given: object) -> bool:
    """Tell whether a value is a list of texts."""
    if isinstance(given, str) or not isinstance(given, Sequence):
        return False
    return all(isinstance(text, str) for text in given)


def _connections(given: object, where: str, key: str = "connections") -> tuple[str, ...]:
    """Return connections in the package's order, empty for all."""
    found = _chosen(given, f"{where}: {key}", ALL_CONNECTIONS, '"associated", "different"', "is")
    return () if len(found) == len(ALL_CONNECTIONS) else found


def _chosen(
    given: object, where: str, valid: tuple[str, ...], example: str, verb: str
) -> tuple[str, ...]:
    """Return names among valid ones, in the order of these, or raise `ModelError`."""
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise ModelError(f"{where}: must be a list, such as [{example}]")
    for name in given:
        if name not in valid:
            raise ModelError(f"{where}: {name!r} {verb} none{suggest(str(name), valid)}")
    return tuple(name for name in valid if name in given)


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
        if self.prior.distribution not in POSITIVE:
            raise ModelError(
                f"noise: prior: is of a standard deviation; needs one of: {', '.join(POSITIVE)}"
            )
        share = self.similar_share
        if share is not None and share.distribution not in SHARES:
            raise ModelError(
                f"noise: similar_share: is between 0 and 1; needs one of: {', '.join(SHARES)}"
            )
        if self.sd_by is not None and not isinstance(self.sd_by, str):
            raise ModelError("noise: sd_by: must be the name of one column")
        similar = _chosen(self.similar, "noise: similar", SIMILAR, '"attribute"', "has")
        object.__setattr__(self, "similar", similar)
        connections = _connections(self.similar_connections, "noise", "similar_connections")
        object.__setattr__(self, "similar_connections", connections)
        if bool(self.similar) != (self.similar_share is not None):
            raise ModelError("noise: similar and similar_share go together; give both or neither")

    def alone(self) -> "NoiseSpec":
        """Return the noise without the part that similar attributes share."""
        return NoiseSpec(self.prior, self.sd_by)

    def to_dict(self) -> dict[str, Any]:
        """Return the noise as it stands in a model's file."""
        keys = "sd_by", "prior", "similar", "similar_share", "similar_connections"
        return _as_written(self, keys)


def _as_written(part: TermSpec | NoiseSpec, keys: Sequence[str]) -> dict[str, Any]:
    """Return those keys of a part of a model that say anything."""
    found: dict[str, Any] = {}
    for key in keys:
        value = getattr(part, key)
        if isinstance(value, Prior):
            found[key] = value.to_dict()
        elif value is not None and value != ():
            found[key] = list(value) if isinstance(value, tuple) else value
    return found
