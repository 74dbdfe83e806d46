"""Training runs, or other copies of the same pairs: rotated, they are independent of each other.

Where every one of R copies has the same pairs, let Q be orthonormal, R × R, its first row 1 / √R,
and rotate the responses of each pair: ỹ_k = Σ_r Q_kr y_r. Effects of a copy, b_r ~ N(0, τ²), rotate
to b̃_k ~ N(0, τ²), as independent as they were, and so does the noise. What all copies share
(connection means, effects of words and attributes) is in ỹ_0 = √R ȳ alone, times √R. So

    ỹ_0     = √R (means and shared effects) + b̃_0 + noise
    ỹ_k     =                                 b̃_k + noise,     k = 1 … R − 1

are independent given the standard deviations, and the last R − 1 have one system of equations. An
effect of single pairs that all copies share, of variance p², meets the noise s² of ỹ_0 alone, which
has then the variance s² + R p²: it need not be solved for. Nor need one that similar attributes
share, of covariance t² K within a word, in the directions of K (`complete_layout`). This is the
classical analysis of repeated measurements (their mean, and the deviations from it), and exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.linalg import helmert

from bayesbias.constants import ATTRIBUTE, EMBEDDING
from bayesbias.inference.design import Design
from bayesbias.inference.levels import Term
from bayesbias.inference.terms import ATTRIBUTE_KIND, FRAME_COLUMNS
from bayesbias.support.arrays import Array, Index


@dataclass(frozen=True)
class Replicates:
    """Which rows are copies of each other, and what each term is within a copy.

    `rows` (R, n): the rows of every copy, its pairs in the same order. `levels` (n,): per term the
    level of every pair of a copy, −1 where it does not act: the term's own, or a number within the
    copy where copies have levels of their own. `copy_levels` (R, m): per term its level for every
    copy and number; None where copies share their levels. `pair_effect`, `pair_effect_K`: a term,
    shared by the copies, each of whose levels is one pair; of unrelated and of similar attributes.
    """

    rows: Index
    levels: tuple[Index, ...]
    copy_levels: tuple[Index | None, ...]
    pair_effect: int | None
    pair_effect_K: int | None

    @property
    def rotation(self) -> Array:
        """The rotation Q, shape (R, R)."""
        return np.asarray(helmert(len(self.rows), full=True))


def find_replicates(
    design: Design,
    inside: Sequence[int],
    levels: Sequence[Index],
    sds: Sequence[Index],
    rows: Index,
) -> Replicates | None:
    """Find a column whose every value has the same pairs; None where there is none.

    `inside`: the design's terms that act in these `rows`; of every one `levels`, numbered from 0,
    and `sds`, which standard deviation each level has.
    """
    terms = [design.terms[number] for number in inside]
    known = {*FRAME_COLUMNS, ATTRIBUTE_KIND} - {EMBEDDING}
    pair = [design.word[rows], design.attribute[rows], design.connection[rows]]
    for name in dict.fromkeys(c for term in terms for c in term.columns if c not in known):
        code = _code_of(name, terms, rows)
        if code is None:
            continue
        size = np.bincount(code)
        if len(size) < 2 or np.ptp(size):
            continue
        order = np.lexsort((*pair, code)).reshape(len(size), -1)
        if any((key[order] != key[order[0]]).any() for key in (*pair, design.noise[rows])):
            continue
        parts = [_within(*part, order) for part in zip(levels, sds, strict=True)]
        if not any(part is None for part in parts):
            found = [part for part in parts if part is not None]
            return Replicates(
                order,
                tuple(level for level, _ in found),
                tuple(own for _, own in found),
                _single(terms, found, similar=False),
                _single(terms, found, similar=True) if design.similarity is not None else None,
            )
    return None


def _code_of(name: str, terms: Sequence[Term], rows: Index) -> Index | None:
    """Return the value of every row in a column of the terms, as numbers."""
    for term in terms:
        if name in term.columns and (term.level[rows] >= 0).all():
            values = pd.factorize(np.array(term.columns[name], dtype=object))[0]
            return np.unique(values[term.level[rows]], return_inverse=True)[1].ravel()
    return None


def _within(level: Index, sd: Index, order: Index) -> tuple[Index, Index | None] | None:
    """Return a term's levels within a copy, and the copies' own; None if copies differ."""
    copies = level[order]
    if (copies == copies[0]).all():
        return copies[0], None
    acts = copies >= 0
    # A term of some copies alone is neither shared nor each copy's own.
    if (acts != acts[0]).any():
        return None
    acts = acts[0]
    _, first, number = np.unique(copies[0, acts], return_index=True, return_inverse=True)
    own = copies[:, acts][:, first]
    # In every copy the same pairs have to share a level, with the same standard deviation.
    if not np.array_equal(own[:, number], copies[:, acts]) or (sd[own] != sd[own[0]]).any():
        return None
    # A level that two copies share, but not all, does not rotate.
    if len(np.unique(own)) < own.size:
        return None
    inner = np.full(len(acts), -1, np.int64)
    inner[acts] = number
    return inner, own


def _single(
    terms: Sequence[Term], found: Sequence[tuple[Index, Index | None]], *, similar: bool
) -> int | None:
    """Return the first term that all copies share and whose levels are single pairs."""
    for number, (term, (level, own)) in enumerate(zip(terms, found, strict=True)):
        if bool(term.similar) != similar or own is not None or ATTRIBUTE not in term.columns:
            continue
        if np.bincount(level[level >= 0]).max() == 1:
            return number
    return None
