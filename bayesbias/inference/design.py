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

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CHANGE,
    CONNECTION,
    EMBEDDING,
    GROUP,
    PROTECTED_WORD,
    REFERENCE,
)
from bayesbias.errors import ModelError
from bayesbias.inference.complete_layout import complete_layout
from bayesbias.inference.levels import Factor, FrameColumns, Term, same_levels, sd_dimension
from bayesbias.inference.similarity import Alike, similarity_of
from bayesbias.inference.specification import ModelSpec
from bayesbias.inference.terms import ATTRIBUTE_KIND, CELL_COLUMNS
from bayesbias.pairs.reference import without_reference
from bayesbias.support.arrays import Array, Index, Mask


@dataclass(frozen=True, eq=False)
class Design:
    """Pairs as integers, and the terms of a model as the levels that they have in these pairs.

    Labels, in the frame's order: `protected_words`, among them the reference words, which
    `protected` leaves out; `groups`, of which the reference words are one; `attributes`;
    `attribute_sets`, their lists. In the order of `constants` those present of `connections` and
    `kinds` (of attribute list). Indices into these: `word`, `connection`, `attribute`,
    `attribute_set` (n_pairs,); `group` (n_words,), of every word's first row; `kind`
    (n_attributes,).

    `response` (n_pairs,): what the model explains: a cosine distance, 0 to 2, or a change of one.
    `terms`: in the order of the specification. `noise` (n_pairs,): which of the noise's standard
    deviations every pair has; `noise_labels` is ``("",)`` and `noise_dims`, their dimension, empty
    where there is one. `noise_similar` (n_noise,): for each of them, whether there is a part of a
    word's noise that similar attributes share. `fixed_mean`: the mean of every connection where the
    model fixes it. `similarity` (n_attributes, n_attributes): how alike attributes are, where the
    model asks for it and the frame knows it; without it they are independent. `common_loadings`
    (n_attributes, n_columns): N of the low-rank part N Nᵀ that effects of all words have. `alike`:
    both, and the same for the question whether unrelated groups differ as much between these lists.
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
    alike: Alike | None = None

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, spec: ModelSpec) -> "Design":
        """Index a validated frame for a model; of reference words only if it explains them."""
        frame = frame if spec.reference_words else without_reference(frame)
        columns = FrameColumns(frame, spec.name)
        of = partial(columns.factor, where="the frame")
        word, group, connection = of(PROTECTED_WORD), of(GROUP), of(CONNECTION)
        attribute, kind, attribute_set = of(ATTRIBUTE), of(ATTRIBUTE_KIND), of(ATTRIBUTE_SET)
        terms = tuple(columns.term(term) for term in spec.terms)
        refuse_unfit(terms, connection, spec)
        noise = Factor(np.zeros(len(frame), np.int64), ("",))
        noise_dims: tuple[str, ...] = ()
        if spec.noise.sd_by is not None:
            noise = columns.factor(spec.noise.sd_by, "noise: sd_by")
            noise_dims = (sd_dimension("noise_sd", spec.noise.sd_by, True),)
        mean = spec.connection_mean
        alike = None
        if spec.is_similar:
            factors = attribute, kind, attribute_set
            alike = similarity_of(frame, *factors, of_changes=spec.response == CHANGE)
        noise_similar = np.zeros(len(noise.labels), dtype=bool)
        if spec.noise.similar and alike is not None:
            where = spec.noise.similar_connections or connection.labels
            acts = np.array([name in where for name in connection.labels])
            noise_similar[noise.code[acts[connection.code]]] = True
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
            kind=kind.code[np.unique(attribute.code, return_index=True)[1]],
            response=frame[spec.response].to_numpy(dtype=np.float64),
            terms=terms,
            noise=noise.code,
            noise_labels=noise.labels,
            noise_dims=noise_dims,
            fixed_mean=mean if isinstance(mean, int | float) else None,
            noise_similar=noise_similar,
            similarity=None if alike is None else alike.sampled.covariance,
            common_loadings=None if alike is None else alike.sampled.common_loadings,
            alike=alike,
        )

    def of_pairs(self, rows: Mask) -> "Design":
        """Return the design of some of the pairs, for questions alone: levels keep their places."""
        names = ("word", "pair_group", "connection", "attribute", "attribute_set", "response")
        some: dict[str, Any] = {name: getattr(self, name)[rows] for name in names}
        terms = [
            replace(term, level=term.level[rows], x=None if term.x is None else term.x[rows])
            for term in self.terms
        ]
        return replace(self, terms=tuple(terms), **some)

    @property
    def noise_similar_labels(self) -> tuple[str, ...]:
        """The labels of the noise's levels with a part that similar attributes share."""
        pairs = zip(self.noise_labels, self.noise_similar, strict=True)
        return tuple(label for label, similar in pairs if similar)

    @property
    def noise_similar_dims(self) -> tuple[str, ...]:
        """The dimension of the standard deviations of that part, empty where there is one."""
        if self.noise_similar.all():
            return self.noise_dims
        return tuple(f"noise_similar_sd_{dim}" for dim in self.noise_dims)

    @cached_property
    def noise_tables(self) -> dict[int, Index]:
        """Per level of the noise with such a part its pairs, (n_words, n_attributes)."""
        found = {}
        for level in np.flatnonzero(self.noise_similar):
            rows = np.flatnonzero(self.noise == level)
            codes = [
                np.unique(c[rows], return_inverse=True)[1].ravel()
                for c in (self.word, self.attribute)
            ]
            table = complete_layout(*codes)
            if table is None or (table < 0).any():
                raise ValueError("not every word meets every attribute once")
            found[int(level)] = rows[table]
        return found

    @cached_property
    def noise_alone(self) -> Index:
        """The pairs whose noise has no such part."""
        return np.flatnonzero(~self.noise_similar[self.noise])

    @cached_property
    def protected(self) -> Index:
        """Indices of the protected words: all that are not reference words."""
        is_reference = np.zeros(len(self.protected_words), dtype=bool)
        if REFERENCE in self.connections:
            rows = self.connection == self.connections.index(REFERENCE)
            is_reference[self.word[rows]] = True
        return np.flatnonzero(~is_reference)

    @cached_property
    def protected_groups(self) -> Index:
        """Indices of the protected groups, in the frame's order."""
        return np.unique(self.group[self.protected])

    @cached_property
    def protected_connections(self) -> Index:
        """Indices of the connections of protected words: all but that of reference words."""
        return np.flatnonzero([name != REFERENCE for name in self.connections])

    @cached_property
    def protected_connection_names(self) -> tuple[str, ...]:
        """The connections of protected words."""
        return tuple(self.connections[i] for i in self.protected_connections)

    @cached_property
    def cell_terms(self) -> tuple[Term, ...]:
        """The terms that say nothing of single attributes: a word's mean consists of them.

        Those by embedding too, where the pairs are of a single one.
        """
        found = []
        for term in self.terms:
            columns = set(term.columns)
            if EMBEDDING in columns:
                of_level = term.columns[EMBEDDING]
                names = {of_level[level] for level in np.unique(term.level[term.acts])}
                columns -= {EMBEDDING} if len(names) == 1 else set()
            if term.x is None and columns <= set(CELL_COLUMNS):
                found.append(term)
        return tuple(found)

    @cached_property
    def has_groups(self) -> bool:
        """Whether groups have means of their own, so that they stand for words like theirs."""
        of_terms = [set(term.columns) for term in self.cell_terms]
        return any(GROUP in columns and PROTECTED_WORD not in columns for columns in of_terms)

    @cached_property
    def cell(self) -> Index:
        """Index of every pair's (protected word, connection) cell, row by row."""
        return self.word * len(self.connections) + self.connection

    @cached_property
    def cell_shape(self) -> tuple[int, int]:
        """Number of protected words and of connections."""
        return len(self.protected_words), len(self.connections)

    @cached_property
    def cell_counts(self) -> Index:
        """Return the number of pairs per cell, shape (n_words, n_connections)."""
        return np.bincount(self.cell, minlength=np.prod(self.cell_shape)).reshape(self.cell_shape)


def refuse_unfit(terms: tuple[Term, ...], connection: Factor, spec: ModelSpec) -> None:
    """Raise if a term can say nothing about the pairs, or nothing that another does not."""
    for i, term in enumerate(terms):
        where = f"model {spec.name!r}: term {term.name!r}:"
        by = " and ".join(term.columns)
        if not len(term.labels):
            listed = " or ".join(spec.terms[i].connections)
            raise ModelError(f"{where} no pair is {listed}, where it acts; delete the term")
        if term.x is not None:
            if why := why_no_slope(term, connection, spec):
                raise ModelError(
                    f"{where} {why}",
                    advice="delete the slope, or let drop_unidentified_terms() leave it out",
                    typed="delete the slope in a copy of the model's file",
                )
            continue
        if len(term.labels) == term.acts.sum():
            raise ModelError(
                f"{where} no two pairs have the same {by}, so that its {len(term.labels):,} levels "
                f"are single pairs and it cannot be told from the noise",
                advice="delete the term, or let drop_unidentified_terms() leave it out",
                typed="delete the term in a copy of the model's file",
            )
        if "connection_mean" in spec.priors and same_levels(term.level, connection.code):
            raise ModelError(
                f"{where} its levels are the connections, whose means the model has already; "
                f"delete the term, or fix connection_mean"
            )
        for other in (t for t in terms[:i] if t.x is None):
            # Effects of similar and of unrelated attributes have other covariances at the same
            # levels.
            if other.columns.keys() == term.columns.keys() and other.similar != term.similar:
                continue
            if same_levels(term.level, other.level) and same_levels(
                term.sd[term.level], other.sd[other.level], term.acts
            ):
                raise ModelError(
                    f"{where} has the same levels as term {other.name!r}: pairs that share {by} "
                    f"share {' and '.join(other.columns)} too, and the other way round",
                    advice="delete one of the two, or let drop_unidentified_terms() leave it out",
                    typed="delete one of the two in a copy of the model's file",
                )


def why_no_slope(slope: Term, connection: Factor, spec: ModelSpec) -> str:
    """Say why the data cannot tell a slope: within levels, less the means, nothing varies."""
    assert slope.x is not None
    acts = slope.acts
    left = slope.x[acts]
    if "connection_mean" in spec.priors:
        code = connection.code[acts]
        left = left - (np.bincount(code, left) / np.maximum(np.bincount(code), 1))[code]
    if np.abs(left).max(initial=0.0) > 1e-9:
        return ""
    return "its numbers do not vary within connections, so that it cannot be told from their means"
