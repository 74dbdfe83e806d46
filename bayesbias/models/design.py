"""A frame of distances as the index arrays that every engine works on.

It is the design of a linear mixed model, y = X m + Σ_t Z_t x_t + e. X has a column for each
connection, whose means m are the fixed effects; every term t has random effects x_t and an
incidence matrix Z_t, which says of each pair which of them it has. A row of Z_t has a single 1, so
that an index does for the matrix: `Term.level` is the place of the 1, −1 where a row has none. Of a
slope the number `Term.x` stands in place of the 1.

The effects of a term are x_t ~ N(0, sd² K), with K the identity or, of similar attributes, a known
relationship matrix (`similarity`); `Term.sd` says which variance component each of them has. All
but K is as in Pinheiro and Bates (2000, Mixed-Effects Models in S and S-PLUS). No parameter is in a
design: both engines, predictions and questions read the same one.

Effects may sum to 0, since what all groups share with an attribute is another term's. G effects of
variance sd² that sum to 0 and are alike in all else correlate by −1 / (G − 1): their covariance is
sd² R with R = c (I − J / G), c = G / (G − 1), and J all ones. Of s of them that the data have, it
is a corner of R, with the root √c (I − a J), a = (1 − √(1 − s / G)) / s, for (I − a J)² = I −
(2a − a² s) J and 2a − a² s = 1 / G. So the effects are √c (z − a Σ z) of independent z; of all G,
√c (z − mean z). The closed form works on the z (`Effects`), and one sparse matrix (`Design.mixing`)
says what effects are of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.sparse import block_diag, csr_array, diags_array, eye_array, hstack

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_KINDS,
    ATTRIBUTE_SET,
    CHANGE,
    CONNECTION,
    CONNECTIONS,
    GROUP,
    KIND_OF_CONNECTION,
    MATCH,
    PROTECTED_WORD,
    TEXT_COLUMNS,
    TOPIC,
)
from bayesbias.errors import suggest
from bayesbias.models.similarity import Similarity, root_of, similarity_of
from bayesbias.models.specification import ModelSpec
from bayesbias.models.terms import ATTRIBUTE_KIND, Prior, TermSpec
from bayesbias.support.arguments import Array, Index, Mask
from bayesbias.words.profiles import Profiles

WORD_COLUMNS: Final = frozenset({PROTECTED_WORD, MATCH})
"""Columns that tell words of a group apart."""

_CELL_COLUMNS: Final = WORD_COLUMNS | {GROUP, CONNECTION, ATTRIBUTE_SET, ATTRIBUTE_KIND}
"""Columns that say nothing beyond the protected word and the list of attributes."""

NOISE_SIMILAR: Final = "noise_similar_sd"
"""The standard deviations of the part of the noise that similar attributes share."""

_LARGEST: Final = 1e100  # number of a slope: the square of a larger one is none
_CONSTANT: Final = 1e-12  # of a column's size: less than that is rounding
_ORDERS: Final = {CONNECTION: CONNECTIONS, ATTRIBUTE_KIND: ATTRIBUTE_KINDS}


def root_of_balanced(together: Index, size: int) -> csr_array:
    """Return the symmetric root of the covariance of effects with sd 1 that sum to 0, (n, n).

    `together` (n,): a number from 0 that the effects of a sum share. `size`: G, how many a sum has
    where the data have all.
    """
    n = len(together)
    member = csr_array((np.ones(n), (np.arange(n), together)))
    same = csr_array(member @ member.T)
    count, root = same.sum(axis=1), np.sqrt(size / (size - 1.0))
    taken = root * (1.0 - np.sqrt(1.0 - count / size)) / count
    return csr_array(root * eye_array(n) - diags_array(taken) @ same)


@dataclass(frozen=True)
class Term:
    """A term as found in data.

    `level` (n_pairs,): of every pair, −1 where the term does not act. `columns`: the value of each
    column at every level. `sd` (n_levels,): which standard deviation each level has; `sd_labels` is
    ``("",)`` and `sd_dims`, their dimension, empty where there is one. `similar`: whether similar
    attributes have similar effects, `has_common_factor` whether all words share them. `root`
    (n_levels, n_levels): of the covariance of effects that sum to 0. `x` (n_pairs,): what a slope's
    effects are multiplied by, in standard deviations; `unit`: how much of the numbers one is.
    """

    name: str
    level: Index
    labels: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]]
    sd: Index
    sd_labels: tuple[str, ...] = ("",)
    sd_dims: tuple[str, ...] = ()
    prior: Prior | None = None
    fixed_sd: float | None = None
    similar: bool = False
    has_common_factor: bool = False
    root: csr_array | None = None
    x: Array | None = None
    unit: float = 1.0

    @cached_property
    def acts(self) -> Mask:
        """Mark the pairs on which the term acts."""
        return np.asarray(self.level >= 0)


@dataclass(frozen=True)
class Effects:
    """Independent effects, of which means and effects of terms are made (`Design.mixing`).

    `incidence` (n_pairs, n_effects): what every pair has of them. `variance` (n_effects,): which of
    the standard deviations each has, `family`: the number of its term, and whether it is of a term
    of similar attributes, a slope, or of effects that sum to 0.
    """

    incidence: csr_array
    variance: Index
    family: Index
    is_similar: Mask
    is_slope: Mask
    is_mixed: Mask

    def within(self, rows: Index) -> tuple[Index, "Effects"]:
        """Return the numbers of the effects that some pairs have, and these alone."""
        incidence = self.incidence[rows]
        at = np.unique(incidence.indices)
        of_effects = (self.variance, self.family, self.is_similar, self.is_slope, self.is_mixed)
        return at, Effects(incidence[:, at], *(of[at] for of in of_effects))


class Design:
    """Pairs as integers, and the terms of a model as the levels that they have in these pairs.

    Made of a validated frame and a model; `alike`: what tells how alike attributes are.

    Labels are in the frame's order, those of `connections` and of `kinds` (of attribute list) in
    that of `constants`. Indices into these: `word`, `pair_group`, `connection`, `attribute`,
    `attribute_set` (n_pairs,); `group` (n_words,), of every word's first row; `kind`
    (n_attributes,).

    `response` (n_pairs,): what the model explains. `noise` (n_pairs,): which of the noise's
    standard deviations every pair has; `noise_labels` is ``("",)`` and `noise_dims`, their
    dimension, empty where there is one. `noise_similar` (n_noise,): whether there is a part of a
    word's noise that similar attributes share. `fixed_mean`: of every connection where the model
    fixes it. The rest is `alike`, a `Similarity`, and its parts, where the model asks for it and
    vectors tell it; without it attributes are independent.
    """

    def __init__(
        self, frame: pd.DataFrame, spec: ModelSpec, alike: Profiles | Similarity | None = None
    ) -> None:
        columns = FrameColumns(frame, spec)
        self.word, self.protected_words = columns.factor(PROTECTED_WORD)
        self.pair_group, self.groups = columns.factor(GROUP)
        self.connection, self.connections = columns.factor(CONNECTION)
        self.attribute, self.attributes = columns.factor(ATTRIBUTE)
        kind, self.kinds = columns.factor(ATTRIBUTE_KIND)
        self.attribute_set, self.attribute_sets = columns.factor(ATTRIBUTE_SET)
        self.group = self.pair_group[np.unique(self.word, return_index=True)[1]]
        first = np.unique(self.attribute, return_index=True)[1]
        self.kind = kind[first]
        self.response = frame[spec.response].to_numpy(dtype=np.float64)
        self.terms = tuple(columns.term(term) for term in spec.terms)
        refuse_unfit(self.terms, frame, spec)
        of_noise = columns.sds("noise", spec.noise.sd_by, np.arange(len(frame)))
        self.noise, self.noise_labels, self.noise_dims = of_noise
        mean, zeros = spec.connection_mean, np.zeros(len(self.connections), np.int64)
        self.fixed_mean = None if isinstance(mean, Prior) else mean
        sd = mean.sd if isinstance(mean, Prior) else 0.0
        self.means = Term("connection", self.connection, self.connections, {}, zeros, fixed_sd=sd)
        self.families = self.means, *self.terms
        self.n_parameters = sum(len(term.labels) for term in self.families)
        if not spec.is_similar:
            alike = None
        elif isinstance(alike, Profiles):
            topics = frame[TOPIC].iloc[first].to_numpy() if TOPIC in frame else None
            named = frame[ATTRIBUTE].iloc[first].tolist(), self.kind, self.attribute_set[first]
            alike = similarity_of(alike, *named, topics, of_changes=spec.response == CHANGE)
        self.alike = None if alike is None else alike.of(self.attributes)
        self.similarity = None if self.alike is None else self.alike.covariance
        self.noise_similar = np.zeros(len(self.noise_labels), dtype=bool)
        if spec.noise.similar_share is not None and alike is not None:
            where = spec.noise.similar_connections or self.connections
            self.noise_similar[self.noise[frame[CONNECTION].isin(where)]] = True

    @cached_property
    def places(self) -> dict[str, slice]:
        """Where means of connections and effects of terms stand, in one vector of them all."""
        sizes = {"connection_mean": len(self.connections)}
        return slices(sizes | {f"{term.name}_effect": len(term.labels) for term in self.terms})

    @cached_property
    def incidence(self) -> csr_array:
        """What every pair has of them, (n_pairs, n_parameters): 1, or of a slope its number."""
        parts = []
        for term in self.families:
            at, shape = np.flatnonzero(term.acts), (len(term.level), len(term.labels))
            value = np.ones(len(at)) if term.x is None else term.x[at]
            parts.append(csr_array((value, (at, term.level[at])), shape=shape))
        return csr_array(hstack(parts, format="csr"))

    @cached_property
    def mixing(self) -> csr_array:
        """What parameters are of independent effects, (n_parameters, n_effects).

        Effects that sum to 0 are mixtures, and what all words have is N z beside.
        """
        n, own = len(self.connections), eye_array(self.n_parameters, format="csc")
        roots = [csr_array((n, n)) if self.fixed_mean is not None else eye_array(n)]
        roots += [eye_array(len(t.labels)) if t.root is None else t.root for t in self.terms]
        near = (own[:, self.places[f"{t.name}_effect"]] @ self.loadings_of(t) for t in self.terms)
        return csr_array(hstack([block_diag(roots), *map(csr_array, near)], format="csr"))

    @cached_property
    def sd_places(self) -> dict[str, slice]:
        """Where standard deviations stand in one vector: nearness, means, terms, and the noise."""
        sizes = {"near_sd": 1} | {f"{t.name}_sd": len(t.sd_labels) for t in self.families}
        sizes |= {"noise_sd": len(self.noise_labels), NOISE_SIMILAR: int(self.noise_similar.sum())}
        return slices(sizes)

    @cached_property
    def sd_priors(self) -> list[Prior | float | None]:
        """Their priors, or what they are fixed at; None for those of the noise."""
        of_terms = [(term.prior or term.fixed_sd, len(term.sd_labels)) for term in self.families]
        n_noise = len(self.noise_labels) + int(self.noise_similar.sum())
        return [prior for prior, n in [(1.0, 1), *of_terms, (None, n_noise)] for _ in range(n)]

    @cached_property
    def effects(self) -> Effects:
        """The independent effects, nearness last."""
        n_near = self.mixing.shape[1] - self.n_parameters
        sizes = [*(len(term.labels) for term in self.families), n_near]
        family = np.repeat(np.arange(len(sizes)), sizes)
        variance = [self.sd_places[f"{t.name}_sd"].start + t.sd for t in self.families]
        return Effects(
            incidence=csr_array(self.incidence @ self.mixing),
            variance=np.concatenate([*variance, np.zeros(n_near, np.int64)]),
            family=family,
            is_similar=np.array([*(t.similar for t in self.families), False])[family],
            is_slope=np.array([*(t.x is not None for t in self.families), False])[family],
            is_mixed=np.array([*(t.root is not None for t in self.families), False])[family],
        )

    @cached_property
    def cell_terms(self) -> tuple[Term, ...]:
        """The terms that say nothing of single attributes: a word's mean consists of them."""
        return tuple(t for t in self.terms if t.x is None and {*t.columns} <= _CELL_COLUMNS)

    @cached_property
    def has_groups(self) -> bool:
        """Whether groups have means of their own, so that they stand for words like theirs."""
        return any(GROUP in t.columns and not WORD_COLUMNS & {*t.columns} for t in self.cell_terms)

    def attributes_of(self, term: Term) -> Index:
        """Return the attribute of every level of a term by attributes."""
        attribute = np.zeros(len(term.labels), np.int64)
        attribute[term.level[term.acts]] = self.attribute[term.acts]
        return attribute

    def loadings_of(self, term: Term) -> Array:
        """Return N of a term's levels, (n_levels, n_columns), perhaps of no columns."""
        if not term.has_common_factor or self.alike is None:
            return np.zeros((len(term.labels), 0))
        return self.alike.common_loadings[self.attributes_of(term)]

    def root_of(self, term: Term) -> Array | None:
        """Return a root of the correlation of a term's levels, (n_levels, n_levels), if they do."""
        if not term.similar or self.similarity is None:
            return None if term.root is None else term.root.toarray()
        at = self.attributes_of(term)
        # Levels that differ in more than the attribute are independent.
        others = pd.DataFrame({c: of for c, of in term.columns.items() if c != ATTRIBUTE})
        code = others.groupby([*others]).ngroup().to_numpy() if len(others.columns) else 0 * at
        root = root_of(np.where(code[:, None] == code, self.similarity[np.ix_(at, at)], 0.0))
        return root if term.root is None else np.asarray(term.root @ root)


def slices(sizes: Mapping[str, int]) -> dict[str, slice]:
    """Return where parts of these sizes stand one after the other."""
    ends = np.cumsum([*sizes.values()]).tolist()
    return {name: slice(end - sizes[name], end) for name, end in zip(sizes, ends, strict=True)}


def refuse_unfit(terms: tuple[Term, ...], frame: pd.DataFrame, spec: ModelSpec) -> None:
    """Raise if a term acts on no pair, or a slope's numbers only repeat group or list."""
    for term, term_spec in zip(terms, spec.terms, strict=True):
        if not len(term.labels):
            listed = " or ".join(term_spec.connections)
            raise spec.fault(f"term {term.name!r}: no pair is {listed}, where it acts; delete it")
        if term.x is None:
            continue
        cells = [frame[column].to_numpy()[term.acts] for column in (GROUP, ATTRIBUTE_SET)]
        if pd.Series(term.x[term.acts]).groupby(cells).agg(np.ptp).max() <= 1e-9:
            raise spec.fault(
                f"term {term.name!r}: the numbers of {term_spec.of!r} do not vary within groups "
                f"and lists, so that they only repeat group or list; leave the covariate out"
            )


class FrameColumns:
    """The columns of a validated frame as integers, each made when it is first needed.

    *Nurse* among the stereotypes and *nurse* in a list of neutral words are two attributes, since
    what a stereotype list has says nothing of another kind of list. The kind of list, which follows
    from the connection, is a column like others.
    """

    def __init__(self, frame: pd.DataFrame, spec: ModelSpec) -> None:
        self._fault = spec.fault
        self._factors: dict[str, tuple[Index, tuple[str, ...]]] = {}
        kind, attribute = frame[CONNECTION].map(KIND_OF_CONNECTION), frame[ATTRIBUTE].astype(str)
        if ATTRIBUTE_KIND in frame and not (frame[ATTRIBUTE_KIND] == kind).all():
            raise self._fault(
                f"the frame has a column {ATTRIBUTE_KIND!r} of its own, which the package "
                f"derives from the connection; rename it"
            )
        once = pd.DataFrame({ATTRIBUTE: attribute, ATTRIBUTE_KIND: kind}).drop_duplicates()
        several = attribute.isin(once.loc[once[ATTRIBUTE].duplicated(), ATTRIBUTE])
        attribute = attribute.mask(several, attribute[several] + " (" + kind[several] + ")")
        self._frame = frame.assign(**{ATTRIBUTE_KIND: kind, ATTRIBUTE: attribute})

    def _column(self, column: str, where: str) -> "pd.Series[str]":
        if column not in self._frame:
            raise self._fault(
                f"{where}: the frame has no column {column!r}; add it to the frame"
                f"{suggest(column, map(str, self._frame))}"
            )
        return self._frame[column]

    def factor(self, column: str, where: str = "the frame") -> tuple[Index, tuple[str, ...]]:
        """Return a column's codes, (n_pairs,), and labels; `where`: what needs it, for messages."""
        if column not in self._factors:
            values = self._column(column, where)
            if values.dtype.kind in "fc":
                raise self._fault(
                    f"{where}: column {column!r} holds numbers with fractions, which name no "
                    f"levels; make it texts or whole numbers"
                )
            if values.isna().any():
                row = int(np.flatnonzero(values.isna())[0]) + 1
                raise self._fault(
                    f"{where}: column {column!r} is empty in row {row:,}; fill it, or drop the row"
                )
            if column in _ORDERS:
                ordered = pd.Categorical(values, _ORDERS[column]).remove_unused_categories()
                code, labels = ordered.codes, ordered.categories
            else:
                code, labels = pd.factorize(values.astype(str))
            self._factors[column] = np.asarray(code, np.int64), tuple(map(str, labels))
        return self._factors[column]

    def term(self, spec: TermSpec) -> Term:
        """Sort the pairs into the levels of a term; it may turn out to have none."""
        acts = self._frame[CONNECTION].isin(spec.connections or CONNECTIONS).to_numpy()
        factors = [self.factor(column, f"term {spec.name!r}") for column in spec.by]
        joint = np.zeros(len(acts), np.int64)
        for code, of_column in factors:  # a combination of values is one number in a mixed radix
            joint = joint * len(of_column) + code
        level = np.full(len(acts), -1)
        _, first, level[acts] = np.unique(joint[acts], return_index=True, return_inverse=True)
        columns = {
            column: tuple(of_column[i] for i in code[acts][first])
            for column, (code, of_column) in zip(spec.by, factors, strict=True)
        }
        labels = tuple(map(" × ".join, zip(*columns.values(), strict=True)))
        labels = labels if spec.by else ("all",) * len(first)
        sds, (x, unit) = self.sds(spec.name, spec.sd_by, level), self._numbers(spec, acts)
        root = self._root(spec, columns, sds[0])
        of_spec = spec.prior, spec.sd, spec.similar, spec.has_common_factor
        values: Any = spec.name, level, labels, columns, *sds, *of_spec, root, x, unit
        return Term(*values)

    def sds(
        self, name: str, column: str | None, level: Index
    ) -> tuple[Index, tuple[str, ...], tuple[str, ...]]:
        """Return which standard deviation each level has, their labels and their dimension.

        `level` (n_pairs,): of a term or the noise, −1 for none. The dimension is the column, unless
        it lacks some of its values or its name is the user's, and might be another dimension's.
        """
        n_levels = int(level.max()) + 1
        if column is None:
            return np.zeros(n_levels, np.int64), ("",), ()
        where = name if name == "noise" else f"term {name!r}"
        code, names = self.factor(column, f"{where}: sd_by")
        acts, of_level = level >= 0, np.zeros(n_levels, np.int64)
        of_level[level[acts]] = code[acts]
        twice = np.flatnonzero(acts)[of_level[level[acts]] != code[acts]]
        if len(twice):
            first, other = names[code[twice[0]]], names[of_level[level[twice[0]]]]
            raise self._fault(
                f"{where}: sd_by = {column!r}, but one level has pairs of both {first!r} and "
                f"{other!r} and cannot have two standard deviations; add {column!r} to by, or "
                f"delete sd_by"
            )
        present, sd = np.unique(of_level, return_inverse=True)
        is_shared = column in (*TEXT_COLUMNS, ATTRIBUTE_KIND) and column != ATTRIBUTE
        dim = column if is_shared and len(present) == len(names) else f"{name}_sd_{column}"
        return np.ravel(sd), tuple(names[i] for i in present), (dim,)

    def _root(
        self, spec: TermSpec, columns: Mapping[str, tuple[str, ...]], sd: Index
    ) -> csr_array | None:
        """Return the root of levels that sum to 0: those that differ in these columns alone."""
        if not spec.sum_to_zero or not len(sd):
            return None
        levels = pd.DataFrame(columns)
        size = levels.groupby(list(spec.sum_to_zero)).ngroups
        if size < 2:
            return None
        others = [column for column in spec.by if column not in spec.sum_to_zero]
        together = levels.groupby(others, sort=False).ngroup().to_numpy()
        if pd.Series(sd).groupby(together).agg(np.ptp).any():
            raise self._fault(
                f"term {spec.name!r}: sd_by = {spec.sd_by!r}: effects that sum to 0 have several "
                f"standard deviations; go by a column that they share, or delete sum_to_zero"
            )
        return root_of_balanced(together, size)

    def _numbers(self, spec: TermSpec, acts: Mask) -> tuple[Array | None, float]:
        """Return what a slope's effects are multiplied by, (n_pairs,), and how much 1 of it is."""
        if spec.of is None or not acts.any():
            return None, 1.0
        where = f"slope {spec.name!r}: column {spec.of!r}"
        values = self._column(spec.of, f"slope {spec.name!r}")
        if not pd.api.types.is_numeric_dtype(values) or pd.api.types.is_bool_dtype(values):
            raise self._fault(
                f"{where} holds no numbers, and a slope is of numbers; make a term of it, or "
                f"convert it with pd.to_numeric"
            )
        numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
        if not np.isfinite(numbers).all():
            row = int(np.flatnonzero(~np.isfinite(numbers))[0])
            pair = self._frame.iloc[row]
            raise self._fault(
                f"{where} has no finite number in row {row + 1:,} ({pair[PROTECTED_WORD]!r} and "
                f"{pair[ATTRIBUTE]!r}); fill it, or drop the rows of the word that has none"
            )
        if (largest := np.abs(numbers).max()) > _LARGEST:
            raise self._fault(
                f"{where} has numbers as large as {largest:.1e}; give it in another unit"
            )
        own = numbers[acts]
        # A column that does not vary becomes 0, and its slope is refused (`Design`).
        spread = own.std() if own.std() > _CONSTANT * largest else np.inf
        return np.where(acts, (numbers - own.mean()) / spread, 0.0), float(own.std())
