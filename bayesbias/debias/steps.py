"""What every debiasing method does first and last: a copy to work on, and vectors with a record."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesbias.debias.geometry import copied, project_out
from bayesbias.debias.results import Debiased, DebiasRecord
from bayesbias.debias.words import Dropped, WordPlan, warn_of
from bayesbias.errors import EmbeddingError
from bayesbias.support.arrays import Array, Index
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.lookup import keyed_vectors
from bayesbias.vectors.subspaces import Subspace


class Work:
    """A method at work on a copy of the vectors; it fills `dropped`, `notes` and what was done."""

    def __init__(
        self, vectors: KeyedVectors, plan: WordPlan, *, normalise: bool, memory_mb: float
    ) -> None:
        self.vectors, self.plan, self.normalise = vectors, plan, normalise
        self.dropped = list(plan.dropped)
        self.neutralised = plan.neutralise
        self.equalised: tuple[tuple[str, ...], ...] = ()
        words = vectors.index_to_key
        self.matrix, lengths = copied(
            vectors.vectors[: len(words)], normalise=normalise, memory_mb=memory_mb
        )
        if (bad := np.flatnonzero(~np.isfinite(lengths))).size:
            raise EmbeddingError(
                f"{_named(words, bad)}: the vector has NaN, infinite or too large components; "
                f"leave the word out or repair the embedding"
            )
        zero = np.flatnonzero(lengths == 0)
        note = [f"zero vectors, which stay zero: {_named(words, zero)}"]
        self.notes = [*plan.notes, *note * bool(zero.size)]

    def index(self, words: Sequence[str]) -> Index:
        """Return where words stand."""
        return np.array([self.vectors.key_to_index[word] for word in words], dtype=np.intp)

    def rows(self, words: Sequence[str], matrix: NDArray[Any] | None = None) -> Array:
        """Return the vectors of words, from the copy or another matrix, in float64."""
        return (self.matrix if matrix is None else matrix)[self.index(words)].astype(np.float64)

    def defining_vectors(self, matrix: NDArray[Any] | None = None) -> list[Array]:
        """Return the vectors of each defining set, from the copy or another matrix."""
        return [self.rows(one, matrix) for one in self.plan.defining_sets]

    def neutralise(
        self,
        bias: Subspace,
        *,
        along: Array | None = None,
        centre: Array | float = 0.0,
        rescale: bool = False,
    ) -> None:
        """Project the words of the plan out of a subspace, where something of them is left."""
        words = self.plan.neutralise
        index = self.index(words)
        how: dict[str, Any] = {"along": along, "centre": centre, "rescale": rescale}
        alone = set(project_out(self.matrix, index, bias.basis, **how).tolist())
        if not alone:
            return
        self.neutralised = tuple(w for w, i in zip(words, index, strict=True) if i not in alone)
        for word, row in zip(words, index.tolist(), strict=True):
            if row in alone:
                zero = not self.matrix[row].any()
                reason = "is the zero vector" if zero else "lies in the bias subspace"
                self.dropped.append(Dropped((word,), "neutralise", f"{reason}; left as it is"))

    def result(
        self,
        method: str,
        bias: Subspace,
        *,
        diagnostics: dict[str, Any] | None = None,
        seed: int | None = None,
        stacklevel: int = 4,
        **parameters: Any,
    ) -> Debiased:
        """Put vectors and record together, and warn of what was left out."""
        warn_of(self.dropped, stacklevel=stacklevel)
        listed = self.plan.wordlist
        bias.basis.flags.writeable = False
        record = DebiasRecord(
            method=method,
            defining_sets=self.plan.defining_sets,
            neutralised=self.neutralised,
            equalised=self.equalised,
            dropped=tuple(self.dropped),
            notes=tuple(self.notes),
            basis=bias.basis,
            explained_variance=tuple(bias.explained_variance[: len(bias.basis)].tolist()),
            parameters={
                **parameters,
                "neutralise": self.plan.source,
                "keep": list(self.plan.keep),
                "wordlist": listed and listed.name,
                "wordlist_sha256": listed and listed.checksum(),
            },
            diagnostics=diagnostics or {},
            seed=seed,
        )
        new = keyed_vectors(list(self.vectors.index_to_key), self.matrix)
        new.expandos = {name: values.copy() for name, values in self.vectors.expandos.items()}
        return Debiased(new, record)


def _named(words: list[str], index: Index) -> str:
    shown = ", ".join(repr(words[i]) for i in index[:5])
    return f"{shown} and {len(index) - 5:,} more" if len(index) > 5 else shown
