"""The best candidates of many queries at once; numpy only.

Chunks of the vocabulary meet blocks of queries in float32 matrix products. For every candidate
they give an upper bound of its score that allows for rounding; the candidates with the largest
bounds are scored again in float64. If the last answer is better than every bound that was left
out, no other candidate can be among the answers; otherwise the query is asked again with more
candidates. So answers do not depend on chunks, threads or the precision of the products.

Cost: 2·n_words·dim operations a query (3cosadd), or as many for each different word of a block
(3cosmul, bolukbasi), and a few passes over the scores.
"""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.analogies.scoring import DELTA_TOLERANCE, Formula
from bayesbias.analogies.vocabulary import Vocabulary
from bayesbias.support.arrays import Array, Index
from bayesbias.support.progress import tracked

_MEMORY: Final = 1 << 28
"""Bytes of chunks and blocks, besides the vectors and the answers; more make nothing faster."""

_SPARE: Final = 12  # candidates beyond the answers, so that asking again is rare
_QUERIES: Final = 512  # queries at a time; more make the products no faster
_ROWS: Final = 2048  # so that scores of a block stay in the processor's cache
_ARRAYS: Final = 10  # float32 arrays of (queries, rows) alive at a time


def best_candidates(
    vocabulary: Vocabulary,
    queries: Index,
    formula: Formula,
    count: int,
    *,
    progress: bool | None = False,
) -> tuple[Index, Array]:
    """Return the best candidates of every query, inputs allowed, and their scores in float64.

    Queries, (n_queries, 3), are positions of a, b and c; both results, (n_queries, count), are best
    first: of equal scores the word that stands first, and −inf where there are fewer.
    """
    count = min(count, vocabulary.size)
    index = np.empty((len(queries), count), dtype=np.intp)
    scores = np.empty((len(queries), count))
    width = min(count + _SPARE, vocabulary.size)
    pending = np.arange(len(queries))
    while len(pending):
        rows, step, piece = _sizes(vocabulary.dim, width)
        unsure = []
        for start in tracked(range(0, len(pending), step), f"Asking {formula.name}", progress):
            part = pending[start : start + step]
            block = _Block(vocabulary, queries[part], formula)
            found, bound = block.largest_bounds(rows, width)
            index[part], scores[part], last = block.best(found, count, piece)
            # Without a bound above −inf left out, every candidate there is has been scored.
            sure = np.isneginf(bound) | (last > bound) | (width == vocabulary.size)
            unsure.append(part[~sure])
        pending = np.concatenate(unsure)
        width = min(4 * width, vocabulary.size)
    return index, scores


def _sizes(dim: int, width: int) -> tuple[int, int, int]:
    """Return the rows, the queries, and the candidates of a query, to work on at a time."""
    # In bytes: a chunk in float32 and what is made of it; of a query its bounds for all rows of a
    # chunk, its words in float64, and its candidates.
    per_row = 3 * 4 * dim
    rows = int(min(_ROWS, max(64, _MEMORY / 4 / per_row)))
    per_query = 4 * _ARRAYS * rows + 8 * 12 * dim + 8 * 6 * width
    step = int(min(_QUERIES, max(1, _MEMORY / 2 // per_query)))
    piece = int(max(1, _MEMORY / 4 // (step * dim * 2 * 8)))
    return rows, step, piece


class _Block:
    """Some queries: their words' unit vectors, and how to score candidates."""

    def __init__(self, vocabulary: Vocabulary, queries: Index, formula: Formula) -> None:
        self.vocabulary, self.formula, self.size = vocabulary, formula, len(queries)
        # Questions of a file share words: every word meets the vocabulary once.
        distinct, place = np.unique(queries, return_inverse=True)
        self.place = place.reshape(queries.shape).T
        self.unit = vocabulary.units(distinct)
        a, b, c = self.words = [self.unit[place] for place in self.place]
        self.between = tuple(
            np.einsum("qd,qd->q", x, y)[:, None] for x, y in ((a, b), (b, c), (a, c))
        )
        # A sum of dim products, its factors rounded: the largest error that float32 allows.
        self.error = np.float32((vocabulary.dim + 8) * 2.0**-24)

    def largest_bounds(self, rows: int, width: int) -> tuple[Index, NDArray[Any]]:
        """Return the candidates with the largest bounds, −1 if there are fewer; the least bound."""
        found = np.zeros((self.size, width), dtype=np.intp)
        kept = np.full((self.size, width), -np.inf, dtype=np.float32)
        for start, bound in self._bounds(rows):
            # After the first chunks few bounds are among the largest so far.
            columns, values = _above(bound, kept.min(axis=1), width)
            found = np.concatenate([found, columns + start], axis=1)
            kept = np.concatenate([kept, values], axis=1)
            # The largest so far: a running selection, so that no chunk has to stay.
            chosen = np.argpartition(kept, -width, axis=1)[:, -width:]
            found = np.take_along_axis(found, chosen, axis=1)
            kept = np.take_along_axis(kept, chosen, axis=1)
        return np.where(np.isneginf(kept), -1, found), kept.min(axis=1)

    def _bounds(self, rows: int) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """Yield upper bounds of scores, shape (n_queries, rows), chunk by chunk, in one buffer."""
        bounds = {"3cosadd": self._added, "3cosmul": self._multiplied}
        bound_of = bounds.get(self.formula.name, self._bolukbasi)
        a, b, c = self.words
        # The sum of three vectors, unless fewer words make all the sums.
        summed = self.formula.name == "3cosadd" and len(self.unit) > self.size
        left = (b + c - a if summed else self.unit).astype(np.float32)
        rows = min(rows, self.vocabulary.size)
        out = np.empty((2, self.size, rows), dtype=np.float32)
        products = out[0] if summed else np.empty((len(left), rows), dtype=np.float32)
        for part, chunk in self.vocabulary.chunks(rows):
            cosines, first, second = (x[:, : len(chunk)] for x in (products, *out))
            with np.errstate(invalid="ignore"):  # vectors that are not finite
                np.matmul(left, chunk.T, out=cosines)
                cosines *= self.vocabulary.scales[part]
            if summed:
                cosines += 3 * self.error
            else:
                bound_of(cosines, first, second)
            if not self.vocabulary.usable[part].all():
                first[:, ~self.vocabulary.usable[part]] = -np.inf
            yield part.start, first

    def _added(self, cosines: NDArray[Any], first: NDArray[Any], second: NDArray[Any]) -> None:
        """Put bounds of 3cosadd into `first`."""
        a, b, c = self.place
        _take(cosines, b, first)
        first += _take(cosines, c, second)
        first -= _take(cosines, a, second)
        # Three cosines, each of which may be too small by the error.
        first += 3 * self.error

    def _multiplied(self, cosines: NDArray[Any], first: NDArray[Any], second: NDArray[Any]) -> None:
        """Put bounds of 3cosmul into `first`: every cosine errs as it helps most."""
        a, b, c = self.place
        least = np.maximum(cosines - self.error, np.float32(-1))
        least *= 2
        least += np.float32(2 + 4 * self.formula.epsilon)
        np.divide(np.float32(1 + 1e-6), least, out=least)
        cosines += 1 + self.error
        _take(cosines, b, first)
        first *= _take(cosines, c, second)
        first *= _take(least, a, second)

    def _bolukbasi(self, cosines: NDArray[Any], first: NDArray[Any], second: NDArray[Any]) -> None:
        """Put bounds of Bolukbasi's formula into `first`; no score is above 1."""
        a, b, c = self.place
        ab, bc, ac = self.between
        _take(cosines, c, first)
        first -= _take(cosines, a, second)
        # ⟨a − c, b − d⟩, of which two cosines err.
        first += (ab - bc + 2 * self.error).astype(np.float32)
        first /= np.sqrt(2 - 2 * ac).astype(np.float32)
        # b − d is no shorter than this, and no longer than 2. Words in b's direction score 0,
        # whatever rounding makes of b − d; so near to b every word is looked at.
        nearest = np.sqrt(np.maximum(2 - 2 * (cosines + self.error), 1e-6, dtype=np.float32))
        _take(nearest, b, second)
        np.divide(first, np.where(first > 0, second, np.float32(2)), out=first)
        first += np.float32(1e-6)
        np.minimum(first, 1, out=first)
        first[second <= 2 * np.sqrt(self.error)] = 1
        first[second > self.formula.delta + DELTA_TOLERANCE] = -np.inf

    def best(self, found: Index, count: int, piece: int) -> tuple[Index, Array, Array]:
        """Return the best candidates by scores in float64, the scores, and the last of them."""
        found = np.sort(found, axis=1)  # then a stable order breaks ties by position
        exact = np.empty(found.shape)
        words = np.stack(self.words, axis=2)
        for start in range(0, found.shape[1], piece):
            some = found[:, start : start + piece]
            raw = self.vocabulary.vectors.vectors[some].astype(np.float64)
            raw[some < 0] = 0
            raw /= np.where(some < 0, 1.0, self.vocabulary.lengths[some])[:, :, None]
            cosines = raw @ words
            value = self.formula.score(tuple(np.moveaxis(cosines, -1, 0)), self.between)
            exact[:, start : start + piece] = np.where(some < 0, -np.inf, value)
        order = np.argsort(-exact, axis=1, kind="stable")[:, :count]
        exact = np.take_along_axis(exact, order, axis=1)
        return np.take_along_axis(found, order, axis=1), exact, exact[:, -1]


def _take(values: NDArray[Any], index: Index, out: NDArray[Any]) -> NDArray[Any]:
    """Copy rows into a buffer; mode "clip" spares numpy another one."""
    return np.take(values, index, axis=0, out=out, mode="clip")


def _above(values: NDArray[Any], limit: NDArray[Any], width: int) -> tuple[Index, NDArray[Any]]:
    """Return columns and values above each row's limit, filled up with −inf; else the largest."""
    n, m = values.shape
    # The first chunk: all bounds are above, and only the largest can stay.
    if np.isneginf(limit).all() and m > width:
        columns = np.argpartition(values, -width, axis=1)[:, -width:]
        return columns, np.take_along_axis(values, columns, axis=1)
    row, column = np.divmod(np.flatnonzero((values > limit[:, None]).ravel()), m)
    counts = np.bincount(row, minlength=n)
    place = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    columns = np.zeros((n, counts.max(initial=0)), dtype=np.intp)
    found = np.full(columns.shape, -np.inf, dtype=values.dtype)
    columns[row, place] = column
    found[row, place] = values[row, column]
    return columns, found
