"""The words that may answer an analogy a : b :: c : d, and how well each formula likes them.

Candidates are the first words of the vectors, in their order, which is that of frequency in most
files. A word whose vector is zero or not finite has no cosines and is no candidate. An answer that
is a word of the query has its letter: b before c before a, where a query repeats a word. With
vectors of unit length, and d among the candidates, formulas are:

    3cosadd    cos(d, c) − cos(d, a) + cos(d, b)                  Mikolov et al. 2013
    3cosmul    cos'(d, c) cos'(d, b) / (cos'(d, a) + ε)           Levy and Goldberg 2014
    bolukbasi  cos(a − c, b − d) if ‖b − d‖ ≤ δ, else no answer   Bolukbasi et al. 2016

with cos' = (1 + cos) / 2, so that no factor is negative. Because lengths are 1, ‖b − d‖² is
2 − 2 cos(b, d), and ⟨a − c, b − d⟩ is cos(a, b) − cos(b, c) − cos(a, d) + cos(c, d): every formula
needs only the cosines of d with a, b and c, and those of a, b and c with each other.
"""

import difflib
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, DataWarning, EmbeddingError, one_of
from bayesbias.support.arguments import Array, Index, KeyedVectors, Mask
from bayesbias.vectors.lookup import find_words, refuse_no_vectors, vectors_of

METHODS: Final = ("3cosadd", "3cosmul", "bolukbasi")
DELTA: Final = 1.0  # Bolukbasi et al.'s threshold: largest distance of unit vectors b and d
EPSILON: Final = 0.001  # what 3cosmul adds to the divisor
DELTA_TOLERANCE: Final = 1e-6  # rounding allowed in comparing a distance with δ
DECIMALS: Final = 12  # products round differently in each chunk: equal vectors must tie in all
ROLES: Final = ("a", "b", "c")
SETTINGS: Final = ("unconstrained", "constrained")  # whether a query's own words may be its answer
ROWS: Final = 2048  # vectors worked on at a time: 5 MB in float64 at 300 dimensions
SAME_DIRECTION: Final = 1e-6  # unit vectors nearer to each other than this differ by rounding only
_COMPARED: Final = 50_000  # words that a misspelt one is compared with
_NAMED: Final = 5  # words that a warning names

Formula: TypeAlias = Callable[[Array, Array], Array]  # scores, from the arguments of `_score`


def formulas(method: str, delta: float, epsilon: float = EPSILON) -> dict[str, Formula]:
    """Return the formulas that a name stands for (``"all"`` for all), with their numbers."""
    one_of(method, "method", ("all", *METHODS))
    for name, value in (("delta", delta), ("epsilon", epsilon)):
        if not 0 < value < np.inf:
            raise ArgumentError(f"{name}={value}: must be above 0 and finite")
    names = METHODS if method == "all" else (method,)
    return {name: partial(_score, name, delta, epsilon) for name in names}


def _score(method: str, delta: float, epsilon: float, cosines: Array, between: Array) -> Array:
    """Return the scores of candidates, higher for better answers, −inf for no answer.

    `cosines`, (3, ...), of the candidates with a, b and c; `between`, (3, ...): cos(a, b),
    cos(b, c) and cos(a, c). The published Bolukbasi formula gives words beyond δ the score 0; here
    it is −inf, since an answer from words that all tie would mean nothing. Words in b's own
    direction have b − d = 0 and score 0, as in Nissim et al. (2020).
    """
    a, b, c = cosines
    if method == "3cosadd":
        score = c - a + b
    elif method == "3cosmul":
        score = (1 + b) * (1 + c) / (2 * (1 + a) + 4 * epsilon)
    else:
        ab, bc, ac = between
        squared = np.maximum(2 - 2 * b, 0.0)
        same = squared <= 1e-12
        lengths = np.sqrt(np.where(same, 1.0, squared) * (2 - 2 * ac))
        score = np.where(same, 0.0, ((ab - bc) - (a - c)) / lengths)
        score[squared > (delta + DELTA_TOLERANCE) ** 2] = -np.inf
    rounded: Array = np.round(score, DECIMALS)
    return rounded


@dataclass(frozen=True, eq=False)
class Candidates:
    """Vectors of which the first `size` words are candidates, where `usable`."""

    vectors: KeyedVectors
    size: int
    usable: Mask

    @property
    def words(self) -> list[str]:
        """All words of the vectors; candidates are the first `size`."""
        return self.vectors.index_to_key

    def parts(self, rows: int = ROWS) -> Iterator[slice]:
        """Yield slices of so many candidates."""
        return (slice(i, min(i + rows, self.size)) for i in range(0, self.size, rows))

    def units(self, index: Index | slice) -> Array:
        """Return unit vectors in float64, (n_index, dim); zeros for words without a direction."""
        return _units(self.vectors.vectors[index])

    def cosines(self, index: Index) -> Array:
        """Return the cosines of words with all candidates, shape (n_index, size)."""
        unit = self.units(index)
        return np.concatenate([unit @ self.units(part).T for part in self.parts()], axis=1)

    def roles(self, answers: Index, query: Index) -> NDArray[np.str_]:
        """Say which answers are words of the query (3, ...) of the same shape, else ``""``."""
        roles = np.full(answers.shape, "", dtype="U1")
        for role in ("a", "c", "b"):
            roles[answers == query[ROLES.index(role)]] = role
        return roles

    def positions(self, words: Sequence[str]) -> Index:
        """Return where the words of a query stand in the vectors, all of them usable."""
        for word in words:
            if not isinstance(word, str):
                raise ArgumentError(f"{word!r} is not a word; give texts")
        spelling = find_words(self.vectors, words)
        for word, key in spelling.items():
            if key is None:
                raise ArgumentError(f"{word!r} is not in the vectors{self._similar(word)}")
        keys = [str(spelling[word]) for word in words]
        vectors_of(self.vectors, keys)  # refuses zero vectors
        return np.array([self.vectors.key_to_index[key] for key in keys], dtype=np.intp)

    def _similar(self, word: str) -> str:
        """Name a spelling that the vectors have: in case first, then a close one."""
        for spelling in (word.lower(), word.title(), word.upper()):
            if spelling in self.vectors.key_to_index:
                return f"; did you mean {spelling!r}?"
        close = difflib.get_close_matches(word, self.words[:_COMPARED], n=1)
        return f"; did you mean {close[0]!r}?" if close else "; choose another word"


def _units(vectors: NDArray[Any]) -> Array:
    """Return vectors (n, dim) at unit length; zeros for those without a direction."""
    matrix = vectors.astype(np.float64)
    lengths = np.sqrt(np.einsum("nd,nd->n", matrix, matrix))
    usable = np.isfinite(lengths) & (lengths > 0)
    matrix[~usable] = 0
    matrix /= np.where(usable, lengths, 1.0)[:, None]
    return matrix


def candidates_of(vectors: KeyedVectors, restrict_vocab: int | None = None) -> Candidates:
    """Prepare vectors for analogies, in one pass over the candidates."""
    refuse_no_vectors(vectors)
    words = vectors.index_to_key
    if not words:
        raise ArgumentError("analogies need vectors, and there are none")
    size = len(words) if restrict_vocab is None else min(restrict_vocab, len(words))
    if size < 1:
        raise ArgumentError(f"restrict_vocab={restrict_vocab}: must be at least 1")
    if restrict_vocab is not None and restrict_vocab > size:
        _warn(
            f"restrict_vocab={restrict_vocab:,}, but the vectors have only {size:,} words; all are "
            f"candidates"
        )
    parts = (vectors.vectors[i : min(i + ROWS, size)] for i in range(0, size, ROWS))
    usable = np.concatenate([_units(part).any(axis=1) for part in parts])
    if len(bad := np.flatnonzero(~usable)):
        named = ", ".join(repr(words[i]) for i in bad[:_NAMED])
        more = f" and {len(bad) - _NAMED:,} more" if len(bad) > _NAMED else ""
        _warn(f"the vectors of {named}{more} are zero or not finite; these words cannot be answers")
    return Candidates(vectors, size, usable)


def between(units: Array) -> Array:
    """Return cos(a, b), cos(b, c) and cos(a, c) of unit vectors a, b, c, (3, ..., dim)."""
    return np.einsum("r...d,r...d->r...", units[[0, 1, 0]], units[[1, 2, 2]])


def ranked(
    candidates: Candidates, query: Index, formula: Formula, cosines: Array
) -> tuple[Index, Array]:
    """Return all answers to a query, best first, the earlier word of equal ones, with scores.

    `cosines`, (3, size), are those of the words of the query.
    """
    scores = formula(cosines, between(candidates.units(query)))
    scores[~candidates.usable] = -np.inf
    order = np.argsort(-scores, kind="stable")
    order = order[: int(np.isfinite(scores).sum())]
    return order, scores[order]


def check_query(
    candidates: Candidates, a: int, c: int, *, directions: bool, inputs: Sequence[int] = ()
) -> None:
    """Refuse an analogy from a word to itself or, if `directions` matter, to one with its own.

    Warn of `inputs` beyond the cut-off, which cannot be answers.
    """
    words = candidates.words
    if a == c:
        raise ArgumentError(
            f"a and c are both {words[a]!r}: nothing changes from a to c; give two words"
        )
    x, y = candidates.units(np.array([a, c]))
    if directions and np.linalg.norm(x - y) < SAME_DIRECTION:
        raise EmbeddingError(
            f"the vectors of {words[a]!r} and {words[c]!r} have the same direction, so that a − c "
            f"is zero; choose other words, or a method other than bolukbasi"
        )
    beyond = [f"{words[i]!r} (word {i + 1:,})" for i in inputs if i >= candidates.size]
    if beyond:
        _warn(
            f"{', '.join(dict.fromkeys(beyond))}: beyond the first {candidates.size:,} words, so "
            f"that not even the unconstrained setting can return it"
        )


def _warn(message: str) -> None:
    """Warn whoever called the public function, two calls up."""
    warnings.warn(message, DataWarning, stacklevel=4)
