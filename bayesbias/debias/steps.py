"""What every debiasing method does first and last: a copy to work on, and vectors with a record.

A method plans its words (`words`), takes a `Work` on a copy of the vectors, finds a bias subspace
from the defining sets in it, changes rows of the copy in place, and returns `Work.result`. So the
vectors that were given stay as they are, and whatever a step leaves out is in one place, the work's
`dropped` and `notes`, from which the record is made.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.debias import record_sentences
from bayesbias.debias.geometry import NOTHING_LEFT, copied, project_out, squared_cosines
from bayesbias.debias.words import LISTED, Dropped, WordPlan, warn_of
from bayesbias.errors import EmbeddingError, OutputError
from bayesbias.support.arrays import Array, Index
from bayesbias.support.bounded_files import file_checksum
from bayesbias.support.compatibility import versions
from bayesbias.support.result import Result
from bayesbias.support.text_tables import MEANING, Blocks, bullets
from bayesbias.support.types import KeyedVectors
from bayesbias.support.whole_files import new_file
from bayesbias.vectors.lookup import ZERO_VECTOR, keyed_vectors
from bayesbias.vectors.sources import same_source
from bayesbias.vectors.subspaces import Subspace

_MOST_LINES: Final = 20  # of words left out
_MOVE_ALL: Final = ("soft", "double_hard")
"""Methods that move all words, those too that they do not neutralise."""


@dataclass(frozen=True, eq=False, repr=False)
class DebiasRecord(Result):
    """What a method did, to which words, with which subspace.

    Parameters
    ----------
    method : str
        A name of `METHODS`.
    n_words : int
        How many words the vectors have.
    defining_sets, equalised
        The sets that gave the subspace, and those made equal but for it.
    neutralised : tuple of str
        The words made neutral. Soft debiasing changes every word; these are its neutral words.
    all_but : tuple of str or None
        Where a rule chose the words to neutralise: the words of the vectors that it left. None
        where a list named the words.
    dropped, notes
        Words given and not used, each with the reason, and other decisions.
    left : float or None
        Of the squared cosines of the neutralised words with the bias subspace, the share that is
        left; None where they had none before, and of leace, which makes means equal.
    basis : ndarray, shape (k, dim)
        Orthonormal basis of the bias subspace, not to be changed.
    explained_variance : tuple of float
        Share of the defining sets' variance along each basis vector.
    parameters, diagnostics
        The arguments, defaults included, and what a method found on its way, such as the
        classifiers' accuracies (inlp).
    seed : int or None
        None where nothing was random.
    versions : mapping
        From package to version.
    """

    method: str
    n_words: int
    defining_sets: tuple[tuple[str, ...], ...]
    neutralised: tuple[str, ...]
    all_but: tuple[str, ...] | None
    equalised: tuple[tuple[str, ...], ...]
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]
    left: float | None
    basis: Array
    explained_variance: tuple[float, ...]
    parameters: Mapping[str, Any]
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    versions: Mapping[str, str] = field(
        default_factory=partial(versions, ("bayesbias", "numpy", "gensim"))
    )

    @property
    def n_neutralised(self) -> int:
        """How many words were made neutral."""
        return len(self.neutralised)

    @property
    def reached(self) -> list[str]:
        """Sentences: how many words the method reached, how far, and which it left."""
        k, moves_all = len(self.basis), self.method in _MOVE_ALL
        equal = {word for one in self.equalised for word in one}
        said = [
            record_sentences.done(
                self.method,
                self.n_neutralised,
                self.n_words,
                self.left,
                self.defining_sets,
                k=k,
                all_move=moves_all,
                equalised=len(equal),
            )
        ]
        if self.left is not None and self.left >= record_sentences.MUCH:
            value = self.parameters.get("lam", self.parameters.get("alpha"))
            said.append(record_sentences.little(self.method, value))
        if self.all_but is not None:
            if left := [word for word in self.all_but if word not in equal]:
                kind, rule = "moved" if moves_all else "left", self.parameters["neutralise"]
                said.append(record_sentences.rest(kind, len(left), left, rule))
        elif not moves_all:
            n = self.n_words - len(equal.union(self.neutralised))
            said.append(record_sentences.rest("named", n))
        if self.equalised:
            said.append(record_sentences.equalised_sets(self.method, self.equalised, k))
        if self.parameters["neutralise"] == LISTED:
            said.append(record_sentences.tested(self.parameters["wordlist"]))
        return said

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain data, ready for JSON.

        Where a rule chose the words, ``neutralised`` is None, and ``all_but`` says it shorter.
        """
        more = {"n_neutralised": self.n_neutralised, "reached": self.reached}
        content = {**super().to_dict(), **more}
        return content if self.all_but is None else {**content, "neutralised": None}

    def to_frame(self) -> pd.DataFrame:
        """Return a row per word: ``word``, ``role``, ``used`` and, if not used, the ``reason``."""
        rows = [(word, "defining set", True, "") for one in self.defining_sets for word in one]
        rows += [(word, "neutralise", True, "") for word in self.neutralised]
        rows += [(word, "equalise", True, "") for one in self.equalised for word in one]
        rows += [(word, d.role, False, d.reason) for d in self.dropped for word in d.words]
        return pd.DataFrame(rows, columns=["word", "role", "used", "reason"])

    @property
    def blocks(self) -> Blocks:
        """What was reached, what it means, and what was left out."""
        tell = record_sentences.tell
        left_out = [*dict.fromkeys((", ".join(d.words), d.reason) for d in self.dropped)]
        shown = [tell("left_out", *one) for one in left_out[:_MOST_LINES]]
        if len(left_out) > _MOST_LINES:
            shown.append(tell("more_left_out", f"{len(left_out) - _MOST_LINES:,}"))
        k, share = len(self.basis), float(sum(self.explained_variance))
        head, *others = self.reached
        meaning = record_sentences.of_subspace(self.method, self.defining_sets, k, share)
        leaves_much = self.left is not None and self.left >= record_sentences.MUCH
        caution = [] if leaves_much else [record_sentences.no_test(self.left)]
        said = [head, *caution, "", *bullets(others), *([""] if others else [])]
        said += [MEANING, *bullets([meaning])]
        more = [*shown, *self.notes]
        return [*said, *(["", *more] if more else [])]


@dataclass(frozen=True, eq=False, repr=False)
class Debiased(Result):
    """New `vectors`, in the order of the old, which were not changed, and the `record` of them."""

    vectors: KeyedVectors
    record: DebiasRecord

    def save(self, path: str | Path) -> None:
        """Write the vectors as word2vec binary, and the record as JSON beside them.

        Both are complete before either gets its name, and replace existing files. The record's
        file is named like the vectors' with ``.json`` behind, and holds their SHA-256. An
        OutputError if a word has white space in it, which the format reads as the end of a word.
        """
        for word in self.vectors.index_to_key:
            if not word or " " in word or "\n" in word:
                raise OutputError(
                    f"{path}: word2vec format cannot hold the word {word!r}; leave it out"
                )
        goal = Path(path)
        with (
            new_file(goal.with_name(goal.name + ".json")) as beside,
            new_file(goal) as temporary,  # gets its name first: the record speaks of what is there
        ):
            self.vectors.save_word2vec_format(str(temporary), binary=True)
            content = {"sha256": file_checksum(temporary, OutputError), **self.record.to_dict()}
            beside.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain data; `save` writes the vectors."""
        return self.record.to_dict()

    def to_frame(self) -> pd.DataFrame:
        """Return the record's words, a row each."""
        return self.record.to_frame()

    @property
    def blocks(self) -> Blocks:
        """The record, and the size of the vectors."""
        n, dim = self.vectors.vectors.shape
        return [*self.record.blocks, "", record_sentences.tell("size", f"{n:,}", dim)]


class Work:
    """A method at work on a copy of the vectors; it fills `dropped`, `notes` and what was done."""

    def __init__(self, vectors: KeyedVectors, plan: WordPlan, *, normalise: bool) -> None:
        self.vectors, self.plan, self.normalise = vectors, plan, normalise
        self.dropped = list(plan.dropped)
        self.neutralised = plan.neutralise
        self.equalised: tuple[tuple[str, ...], ...] = ()
        words = vectors.index_to_key
        self.matrix, lengths = copied(vectors.vectors[: len(words)], normalise=normalise)
        if (bad := np.flatnonzero(~np.isfinite(lengths))).size:
            raise EmbeddingError(
                f"{_named(words, bad)}: the vector has NaN, infinite or too large components; "
                f"leave the word out or repair the embedding"
            )
        zero = np.flatnonzero(lengths == 0)
        self.notes = [*plan.notes]
        if zero.size:
            self.notes.append(record_sentences.tell("zero_vectors", _named(words, zero)))

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
                inside = "lies in the bias subspace; left as it is"
                reason = inside if self.matrix[row].any() else ZERO_VECTOR
                self.dropped.append(Dropped((word,), "neutralise", reason))

    def result(
        self,
        method: str,
        bias: Subspace,
        *,
        diagnostics: dict[str, Any] | None = None,
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
            defining_sets=self.plan.defining_sets,
            neutralised=self.neutralised,
            all_but=tuple(w for w in words if w not in done) if self.plan.by_rule else None,
            equalised=self.equalised,
            dropped=tuple(self.dropped),
            notes=tuple(self.notes),
            left=None if method == "leace" else self._left(bias.basis),  # its aim is the means
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
        same_source(new, "capitals", "sample", as_of=self.vectors)
        new.expandos = {name: values.copy() for name, values in self.vectors.expandos.items()}
        return Debiased(new, record)

    def _left(self, basis: Array) -> float | None:
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
