"""What every debiasing method does first and last: a copy to work on, and vectors with a record.

A method plans its words (`words`), takes a `Work` on a copy of the vectors, finds a bias subspace
from the matched sets in it, changes rows of the copy in place, and returns `Work.result`. Whatever
a step leaves out is in the work's `dropped` and `notes`, from which the record is made.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.debias.geometry import NOTHING_LEFT, copied, project_out, squared_cosines
from bayesbias.debias.record import DebiasRecord
from bayesbias.debias.words import Dropped, SetTuples, WordPlan, warn_of
from bayesbias.errors import EmbeddingError, OutputError
from bayesbias.show.result import Blocks, Result
from bayesbias.support.arguments import Array, Index, KeyedVectors
from bayesbias.support.bounded_files import file_checksum
from bayesbias.support.whole_files import new_file
from bayesbias.vectors.loading import check_ending, write_vectors
from bayesbias.vectors.lookup import ZERO_VECTOR, keyed_vectors, same_source
from bayesbias.vectors.subspaces import Subspace


@dataclass(frozen=True, eq=False, repr=False)
class Debiased(Result):
    """New `vectors`, in the order of the old, which were not changed, and the `record` of them."""

    vectors: KeyedVectors
    record: DebiasRecord

    def save(self, path: str | Path) -> None:
        """Write the vectors as the ending says, and the record as JSON beside them.

        ``.txt`` and ``.vec`` are word2vec's text, ``.bin`` its binary, ``.kv`` gensim's own format.
        Both files are complete before either gets its name, and replace existing ones. The record's
        is named like the vectors' with ``.json`` behind, and holds their SHA-256. An OutputError if
        the ending is another, or a word has white space in it, which only ``.kv`` can hold.
        """
        check_ending(path)
        goal = Path(path)
        with (
            new_file(goal.with_name(goal.name + ".json")) as beside,
            new_file(goal) as temporary,  # gets its name first: the record speaks of what is there
        ):
            write_vectors(self.vectors, temporary)
            content = {"sha256": file_checksum(temporary, OutputError), **self.record.to_dict()}
            beside.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")

    @property
    def table(self) -> pd.DataFrame:
        """The record's words, a row each."""
        return self.record.table

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain data; `save` writes the vectors."""
        return self.record.to_dict()

    @property
    def blocks(self) -> Blocks:
        """What the record shows."""
        return self.record.blocks


class Work:
    """A method at work on a copy of the vectors; it fills `dropped`, `notes` and what was done."""

    def __init__(self, vectors: KeyedVectors, plan: WordPlan, *, normalise: bool) -> None:
        self.vectors, self.plan, self.normalise = vectors, plan, normalise
        self.dropped, self.notes = [*plan.dropped], list[str]()
        self.neutralised = plan.neutralise
        self.equalised: SetTuples = ()
        words = vectors.index_to_key
        self.matrix, lengths = copied(vectors.vectors[: len(words)], normalise=normalise)
        if (bad := np.flatnonzero(~np.isfinite(lengths))).size:
            raise EmbeddingError(
                f"{_named(words, bad)}: the vector has NaN, infinite or too large components; "
                f"leave the word out or repair the embedding"
            )
        if (zero := np.flatnonzero(lengths == 0)).size:
            self.notes.append(f"zero vectors, which stay zero: {_named(words, zero)}")

    def index(self, words: Sequence[str]) -> Index:
        """Return where words stand."""
        return np.array([self.vectors.key_to_index[word] for word in words], dtype=np.intp)

    def rows(self, words: Sequence[str], matrix: NDArray[Any] | None = None) -> Array:
        """Return the vectors of words, from the copy or another matrix, in float64."""
        return (self.matrix if matrix is None else matrix)[self.index(words)].astype(np.float64)

    def defining_vectors(self, matrix: NDArray[Any] | None = None) -> list[Array]:
        """Return the vectors of each matched set, from the copy or another matrix."""
        return [self.rows(words, matrix) for words in self.plan.matched]

    def neutralise(
        self,
        bias: Subspace,
        *,
        along: Array | None = None,
        centre: Array | float = 0.0,
        rescale: bool = False,
    ) -> None:
        """Project the words of the plan out of a subspace, where something of them remains."""
        words = self.plan.neutralise
        index = self.index(words)
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
        listed = self.plan.wordlist
        words = list(self.vectors.index_to_key)
        done = set(self.neutralised)
        bias.basis.flags.writeable = False
        record = DebiasRecord(
            method=method,
            n_words=len(words),
            matched=self.plan.matched,
            neutralised=self.neutralised,
            all_but=tuple(w for w in words if w not in done) if self.plan.by_rule else None,
            equalised=self.equalised,
            dropped=tuple(self.dropped),
            notes=tuple(self.notes),
            remaining=None if method == "leace" else self._remaining(bias.basis),
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
        new = keyed_vectors(words, self.matrix)
        same_source(new, as_of=self.vectors)
        new.expandos = {name: values.copy() for name, values in self.vectors.expandos.items()}
        return Debiased(new, record)

    def _remaining(self, basis: Array) -> float | None:
        """Return what share of their squared cosines with a subspace the neutral words keep."""
        index = self.index(self.neutralised)
        before = squared_cosines(self.vectors.vectors, index, basis)
        # Cosines that are rounding to begin with: a share of them would say nothing.
        if before <= NOTHING_LEFT**2 * len(index):
            return None
        return squared_cosines(self.matrix, index, basis) / before


def _named(words: list[str], index: Index) -> str:
    shown = ", ".join(repr(words[i]) for i in index[:5])
    return f"{shown} and {len(index) - 5:,} more" if len(index) > 5 else shown
