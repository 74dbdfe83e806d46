"""What every debiasing method does first and last: words, a copy to work on, and a record.

A method takes a `Work`, which decides on the words before anything is computed, and copies the
vectors. It finds a bias subspace from the matched sets in the copy, changes rows of it in place,
and returns `Work.result`. Whatever a step leaves out is in the work's `dropped` and `notes`, from
which the record is made. What touches many words goes through them in chunks and works in float64;
beside the matrix itself it needs memory for one chunk.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.debias.record import Debiased, DebiasRecord
from bayesbias.debias.words import (
    ALL,
    EVERY,
    LISTED,
    NAMED,
    SPECIFIC,
    Dropped,
    Neutralise,
    SetsOfWords,
    SetTuples,
    checked_words,
    chosen_by,
    matched_of,
    named_words,
    none_usable,
    set_tuples,
    usable_sets,
    warn_of,
)
from bayesbias.errors import ArgumentError, EmbeddingError, WordListError
from bayesbias.measures.words import MISSING, why_missing
from bayesbias.support.arguments import Array, Index, KeyedVectors
from bayesbias.vectors.lookup import ZERO_VECTOR, keyed_vectors, spelt_as_in, vectors_of
from bayesbias.vectors.sources import same_source
from bayesbias.vectors.subspaces import RANK_TOLERANCE, Subspace
from bayesbias.words.list_files import load_wordlist
from bayesbias.words.word_lists import WordList

CHUNK: Final = 2048  # rows worked on at a time: 5 MB at 300 dimensions
NOTHING_LEFT: Final = 1e-6  # a vector shortened to this share of its length is zero in float32


class Work:
    """A method at work on a copy of the vectors; it fills `dropped`, `notes` and what was done.

    All members of `matched` and `equalise` are in the vectors. `repeated` equalises sets that
    repeat a word of an earlier one too, and neutralises words that are equalised.
    """

    def __init__(
        self,
        vectors: KeyedVectors,
        wordlist: WordList | str | Path | None,
        matched: SetsOfWords | None,
        neutralise: Neutralise,
        equalise: SetsOfWords | None,
        keep: Iterable[str],
        *,
        normalise: bool,
        repeated: bool = False,
    ) -> None:
        if not hasattr(vectors, "key_to_index"):
            raise ArgumentError(
                f"vectors are a {type(vectors).__name__}, not KeyedVectors; use bb.load_embedding()"
            )
        self.vectors, self.normalise = vectors, normalise
        self.dropped, self.notes = list[Dropped](), list[str]()
        self.wordlist = listed = None if wordlist is None else load_wordlist(wordlist)
        defining = set_tuples(matched_of(matched, listed), "matched set", vectors)
        same = partial(_identical, vectors)
        self.matched = usable_sets(vectors, defining, "matched set", self.dropped, same)
        if not self.matched:
            raise WordListError(
                none_usable("matched sets", self.dropped, "matched set", "none given")
            )
        to_equalise = defining if equalise is None else set_tuples(equalise, "equalise", vectors)
        fault = None if repeated else partial(_repeated, set())
        self.equalise = usable_sets(vectors, to_equalise, "equalise", self.dropped, fault)
        self.keep = spelt_as_in(vectors, checked_words(keep, "keep"))
        absent = [word for word in self.keep if word not in vectors.key_to_index]
        self.dropped += [Dropped((word,), "keep", MISSING) for word in absent]
        self.source = chosen_by(neutralise, listed)
        if self.source in (LISTED, NAMED):
            own = () if repeated else self.equalise
            self.neutralised = self._named(named_words(neutralise, listed), own)
        else:
            self.neutralised = self._by_rule([*defining, *to_equalise])
        if not self.neutralised:
            raise WordListError(
                none_usable("words to neutralise", self.dropped, "neutralise", "all are protected")
            )
        self.equalised: SetTuples = ()
        self.matrix, lengths = _copied(vectors.vectors[: len(vectors)], normalise=normalise)
        if (bad := np.flatnonzero(~np.isfinite(lengths))).size:
            raise EmbeddingError(
                f"{self._shown(bad)}: the vector has NaN, infinite or too large components; "
                f"leave the word out or repair the embedding"
            )
        if (zero := np.flatnonzero(lengths == 0)).size:
            self.notes.append(f"zero vectors, which stay zero: {self._shown(zero)}")

    def _named(self, words: Iterable[str], equalise: SetTuples) -> tuple[str, ...]:
        """Return the words that are there and are not equalised instead."""
        named = dict.fromkeys(spelt_as_in(self.vectors, words))
        if both := [word for word in named if word in self.keep]:
            raise ArgumentError(f"{', '.join(both)}: is in both `neutralise` and `keep`")
        equal = {word for members in equalise for word in members}
        reasons = {
            word: why_missing(self.vectors, word) or "is equalised instead" * (word in equal)
            for word in named
        }
        self.dropped += [Dropped((w,), "neutralise", why) for w, why in reasons.items() if why]
        return tuple(word for word, why in reasons.items() if not why)

    def _by_rule(self, sets: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        """Return the words of the vectors that a rule does not spare, in their order."""
        spared, specific = set(self.keep), set[str]()
        if self.source != EVERY:
            spared.update(word for words in sets for word in words)
        if self.source == SPECIFIC and (listed := self.wordlist) is not None:
            # An attribute of the list is not specific, whatever a list of others says.
            own = {*listed.specific, *listed.protected_words} - set(listed.attributes)
            specific = {word.lower() for word in own}
        free = (word for word in self.vectors.index_to_key if word not in spared)
        return tuple(word for word in free if word.lower() not in specific)

    def _shown(self, index: Index) -> str:
        """Name some words by where they stand."""
        shown = ", ".join(repr(self.vectors.index_to_key[i]) for i in index[:5])
        return f"{shown} and {len(index) - 5:,} more" if len(index) > 5 else shown

    def index(self, words: Sequence[str]) -> Index:
        """Return where words stand."""
        return np.array([self.vectors.key_to_index[word] for word in words], dtype=np.intp)

    def rows(self, words: Sequence[str], matrix: NDArray[Any] | None = None) -> Array:
        """Return the vectors of words, from the copy or another matrix, in float64."""
        return (self.matrix if matrix is None else matrix)[self.index(words)].astype(np.float64)

    def defining_vectors(self, matrix: NDArray[Any] | None = None) -> list[Array]:
        """Return the vectors of each matched set, from the copy or another matrix."""
        return [self.rows(words, matrix) for words in self.matched]

    def neutralise(
        self,
        bias: Subspace,
        *,
        along: Array | None = None,
        centre: Array | float = 0.0,
        rescale: bool = False,
    ) -> None:
        """Project words out of a subspace, those of which something remains."""
        words, index = self.neutralised, self.index(self.neutralised)
        how: dict[str, Any] = {"along": along, "centre": centre, "rescale": rescale}
        inside = set(project_out(self.matrix, index, bias.basis, **how).tolist())
        placed = [*zip(words, index.tolist(), strict=True)]
        self.neutralised = tuple(word for word, row in placed if row not in inside)
        for word, row in placed:
            if row in inside:
                is_zero = not self.matrix[row].any()
                reason = ZERO_VECTOR if is_zero else "lies in the bias subspace; left as it is"
                self.dropped.append(Dropped((word,), "neutralise", reason))

    def result(
        self,
        method: str,
        bias: Subspace,
        *,
        diagnostics: Mapping[str, Any] | None = None,
        seed: int | None = None,
        **parameters: Any,
    ) -> Debiased:
        """Put vectors and record together, and warn of what was left out."""
        warn_of(self.dropped)
        listed, by_rule = self.wordlist, self.source in (SPECIFIC, ALL, EVERY)
        words = list(self.vectors.index_to_key)
        done = set(self.neutralised)
        bias.basis.flags.writeable = False
        record = DebiasRecord(
            method=method,
            n_words=len(words),
            matched=self.matched,
            neutralised=self.neutralised,
            all_but=tuple(w for w in words if w not in done) if by_rule else None,
            equalised=self.equalised,
            dropped=tuple(self.dropped),
            notes=tuple(self.notes),
            remaining=None if method == "leace" else self._remaining(bias.basis),
            basis=bias.basis,
            explained_variance=tuple(bias.explained_variance[: len(bias.basis)].tolist()),
            parameters={
                **parameters,
                "neutralise": self.source,
                "keep": list(self.keep),
                "wordlist": listed and listed.name,
                "wordlist_sha256": listed and listed.checksum(),
            },
            diagnostics=diagnostics or {},
            seed=seed,
        )
        new = keyed_vectors(words, self.matrix)
        same_source(new, "capitals", "sample", as_of=self.vectors)
        new.expandos = {name: values.copy() for name, values in self.vectors.expandos.items()}
        return Debiased(new, record)

    def _remaining(self, basis: Array) -> float | None:
        """Return what share of their squared cosines with a subspace the neutral words keep."""
        index = self.index(self.neutralised)
        before = _squared_cosines(self.vectors.vectors, index, basis)
        # Cosines that are rounding to begin with: a share of them would say nothing.
        if before <= NOTHING_LEFT**2 * len(index):
            return None
        return _squared_cosines(self.matrix, index, basis) / before


def _identical(vectors: KeyedVectors, words: tuple[str, ...]) -> str:
    """Say whether a set has identical vectors, and so no direction."""
    rows = vectors_of(vectors, words)
    same = np.abs(rows - rows[0]).max() <= RANK_TOLERANCE * np.abs(rows).max()
    return "its members have identical vectors" if same else ""


def _repeated(earlier: set[str], words: tuple[str, ...]) -> str:
    """Say which words were equalised before; to equalise them again would undo that."""
    if again := [word for word in words if word in earlier]:
        return f"repeats a word of an earlier set: {', '.join(again)}"
    earlier.update(words)
    return ""


def _copied(matrix: NDArray[Any], *, normalise: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """Copy vectors, in float32 at least and at unit length if asked; return the old lengths.

    In the precision of the copy, as gensim's ``unit_normalize_all`` does, for the same bits.
    Lengths are not finite where a component is not, or too large to be squared.
    """
    out = np.empty(matrix.shape, np.promote_types(matrix.dtype, np.float32))
    lengths = np.empty(len(out), dtype=out.dtype)
    for start in range(0, len(out), CHUNK):
        rows = out[start : start + CHUNK]
        rows[:] = matrix[start : start + CHUNK]
        with np.errstate(over="ignore", invalid="ignore"):
            length = np.linalg.norm(rows, axis=1)
        lengths[start : start + CHUNK] = length
        if normalise and np.isfinite(length).all():
            length[length == 0] = 1
            rows /= length[:, None]
    return out, lengths


def chunks(matrix: NDArray[Any], index: Index | None = None) -> Iterator[tuple[Index, Array]]:
    """Yield rows of a matrix, by default all, some at a time: where they stand, and in float64."""
    index = np.arange(len(matrix)) if index is None else index
    for start in range(0, len(index), CHUNK):
        places = index[start : start + CHUNK]
        yield places, matrix[places].astype(np.float64)


def _squared_cosines(matrix: NDArray[Any], index: Index, basis: Array) -> float:
    """Return the sum, over rows, of the squared cosine with a subspace; basis (k, dim)."""
    total = 0.0
    for _, rows in chunks(matrix, index):
        lengths = np.sum(rows**2, axis=1)
        within = np.sum((rows @ basis.T) ** 2, axis=1)
        total += float(np.sum(within[lengths > 0] / lengths[lengths > 0]))
    return total


def project_out(
    matrix: NDArray[Any],
    index: Index,
    basis: Array,
    *,
    along: Array | None = None,
    centre: Array | float = 0.0,
    rescale: bool,
) -> Index:
    """Replace some rows w, in place, by w − Bᵀ A (w − c), with an orthonormal B, (k, dim).

    By default A, `along`, is B. Returns the rows of which nothing would be left, and zero rows:
    both stay as they are. With `rescale` the remainders get unit length.
    """
    along = basis if along is None else along
    inside = []
    for places, rows in chunks(matrix, index):
        before = lengths_of(rows)
        rows -= ((rows - centre) @ along.T) @ basis
        after = lengths_of(rows)
        is_inside = (after <= NOTHING_LEFT * before) | (before == 0)
        if rescale:
            rows /= np.where(is_inside, 1.0, after)[:, None]
        inside.append(places[is_inside])
        matrix[places[~is_inside]] = rows[~is_inside]
    return np.concatenate([np.empty(0, dtype=np.intp), *inside])


def lengths_of(rows: Array) -> Array:
    """Return the lengths of rows."""
    return np.sqrt(np.einsum("ij,ij->i", rows, rows))
