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
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CHANGE,
    CONNECTION,
    GROUP,
    PROTECTED_WORD,
    TOPIC,
)
from bayesbias.errors import ModelError
from bayesbias.models.levels import FrameColumns, Term, sd_dimension
from bayesbias.models.similarity import Similarity, root_of, similarity_of
from bayesbias.models.specification import ModelSpec
from bayesbias.models.terms import ATTRIBUTE_KIND, CELL_COLUMNS, WORD_COLUMNS
from bayesbias.support.arguments import Array, Index, Mask
from bayesbias.words.profiles import Profiles


@dataclass(frozen=True, eq=False)
class Design:
    """Pairs as integers, and the terms of a model as the levels that they have in these pairs.

    Labels are in the frame's order, those of `connections` and of `kinds` (of attribute list) in
    that of `constants`. Indices into these: `word`, `pair_group`, `connection`, `attribute`,
    `attribute_set` (n_pairs,); `group` (n_words,), of every word's first row; `kind`
    (n_attributes,).

    `response` (n_pairs,): what the model explains. `noise` (n_pairs,): which of the noise's
    standard deviations every pair has; `noise_labels` is ``("",)`` and `noise_dims`, their
    dimension, empty where there is one. `noise_similar` (n_noise,): whether there is a part of a
    word's noise that similar attributes share. `fixed_mean`: of every connection where the model
    fixes it. The rest is as in `Similarity`, where the model asks for it and vectors tell it;
    without it attributes are independent.
    """

    protected_words: tuple[str, ...]
    groups: tuple[str, ...]
    connections: tuple[str, ...]
    attributes: tuple[str, ...]
    kinds: tuple[str, ...]
    attribute_sets: tuple[str, ...]
    word: Index
    group: Index
    pair_group: Index
    connection: Index
    attribute: Index
    attribute_set: Index
    kind: Index
    response: Array
    terms: tuple[Term, ...]
    noise: Index
    noise_labels: tuple[str, ...]
    noise_dims: tuple[str, ...]
    fixed_mean: float | None
    noise_similar: Mask
    similarity: Array | None = None
    common_loadings: Array | None = None
    topic: Index | None = None

    @classmethod
    def from_frame(
        cls, frame: pd.DataFrame, spec: ModelSpec, alike: Profiles | Similarity | None = None
    ) -> "Design":
        """Index a validated frame for a model; `alike`: what tells how alike attributes are."""
        columns = FrameColumns(frame, spec.name)
        word, group, connection = map(columns.factor, (PROTECTED_WORD, GROUP, CONNECTION))
        attribute, kind, attribute_set = map(
            columns.factor, (ATTRIBUTE, ATTRIBUTE_KIND, ATTRIBUTE_SET)
        )
        terms = tuple(columns.term(term) for term in spec.terms)
        refuse_unfit(terms, frame, spec)
        noise: Index = np.zeros(len(frame), np.int64)
        noise_labels: tuple[str, ...] = ("",)
        noise_dims: tuple[str, ...] = ()
        if spec.noise.sd_by is not None:
            noise, noise_labels = columns.factor(spec.noise.sd_by, "noise: sd_by")
            noise_dims = (sd_dimension("noise_sd", spec.noise.sd_by, True),)
        mean = spec.connection_mean
        first = np.unique(attribute.code, return_index=True)[1]
        if not spec.is_similar:
            alike = None
        elif isinstance(alike, Profiles):
            topic = frame[TOPIC].iloc[first].tolist() if TOPIC in frame else None
            alike = similarity_of(
                alike,
                frame[ATTRIBUTE].iloc[first].tolist(),
                kind.code[first],
                attribute_set.code[first],
                topic,
                of_changes=spec.response == CHANGE,
            )
        noise_similar = np.zeros(len(noise_labels), dtype=bool)
        if spec.noise.similar and alike is not None:
            where = spec.noise.similar_connections or connection.labels
            noise_similar[noise[frame[CONNECTION].isin(where)]] = True
        return cls(
            protected_words=word.labels,
            groups=group.labels,
            connections=connection.labels,
            attributes=attribute.labels,
            kinds=kind.labels,
            attribute_sets=attribute_set.labels,
            word=word.code,
            group=group.code[np.unique(word.code, return_index=True)[1]],
            pair_group=group.code,
            connection=connection.code,
            attribute=attribute.code,
            attribute_set=attribute_set.code,
            kind=kind.code[first],
            response=frame[spec.response].to_numpy(dtype=np.float64),
            terms=terms,
            noise=noise,
            noise_labels=noise_labels,
            noise_dims=noise_dims,
            fixed_mean=mean if isinstance(mean, int | float) else None,
            noise_similar=noise_similar,
            similarity=None if alike is None else alike.covariance,
            common_loadings=None if alike is None else alike.common_loadings,
            topic=None if alike is None else alike.topic,
        )

    @property
    def noise_similar_labels(self) -> tuple[str, ...]:
        """The labels of the noise's levels with a part that similar attributes share."""
        return tuple(compress(self.noise_labels, self.noise_similar))

    @property
    def noise_similar_dims(self) -> tuple[str, ...]:
        """The dimension of the standard deviations of that part, empty where there is one."""
        if self.noise_similar.all():
            return self.noise_dims
        return tuple(f"noise_similar_sd_{dim}" for dim in self.noise_dims)

    @cached_property
    def cell_terms(self) -> tuple[Term, ...]:
        """The terms that say nothing of single attributes: a word's mean consists of them."""
        plain = (term for term in self.terms if term.x is None)
        return tuple(term for term in plain if set(term.columns) <= set(CELL_COLUMNS))

    @cached_property
    def has_groups(self) -> bool:
        """Whether groups have means of their own, so that they stand for words like theirs."""
        return any(
            GROUP in term.columns and not WORD_COLUMNS & set(term.columns)
            for term in self.cell_terms
        )

    def attributes_of(self, term: Term) -> Index:
        """Return the attribute of every level of a term by attributes."""
        attribute = np.zeros(len(term.labels), np.int64)
        attribute[term.level[term.acts]] = self.attribute[term.acts]
        return attribute

    def loadings_of(self, term: Term) -> Array:
        """Return N of a term's levels, (n_levels, n_columns), perhaps of no columns."""
        if not term.has_common_factor or self.common_loadings is None:
            return np.zeros((len(term.labels), 0))
        return self.common_loadings[self.attributes_of(term)]

    def roots_of(self, term: Term) -> Iterator[tuple[Index, Array]]:
        """Yield levels that differ in the attribute alone, and a root of their similarity."""
        assert self.similarity is not None
        attribute = self.attributes_of(term)
        others = [values for column, values in term.columns.items() if column != ATTRIBUTE]
        codes = pd.factorize(pd.MultiIndex.from_arrays(others))[0] if others else 0 * attribute
        for code in range(codes.max(initial=-1) + 1):
            levels = np.flatnonzero(codes == code)
            at = attribute[levels]
            yield levels, root_of(self.similarity[np.ix_(at, at)])

    def root_of(self, term: Term) -> Array:
        """Return a root of the correlation of a term's levels, (n_levels, n_levels)."""
        root = np.eye(len(term.labels))
        if term.similar and self.similarity is not None:
            for levels, of_levels in self.roots_of(term):
                root[np.ix_(levels, levels)] = of_levels
        return root if term.balance is None else term.balance.mixed(root)


def refuse_unfit(terms: tuple[Term, ...], frame: pd.DataFrame, spec: ModelSpec) -> None:
    """Raise if a term acts on no pair, or a slope's numbers only repeat group or list."""
    for term, term_spec in zip(terms, spec.terms, strict=True):
        where = f"model {spec.name!r}: term {term.name!r}:"
        if not len(term.labels):
            listed = " or ".join(term_spec.connections)
            raise ModelError(f"{where} no pair is {listed}, where it acts; delete the term")
        if term.x is None:
            continue
        x = pd.Series(term.x[term.acts])
        cells = [frame[column].to_numpy()[term.acts] for column in (GROUP, ATTRIBUTE_SET)]
        if (x - x.groupby(cells).transform("mean")).abs().max() <= 1e-9:
            columns = " × ".join(term_spec.of)
            raise ModelError(
                f"{where} the numbers of {columns!r} do not vary within groups and lists, so that "
                f"they only repeat group or list; leave the covariate out"
            )
