"""What every debiasing method does first and last: a copy to work on, and vectors with a record."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesbias.debias.geometry import copied, project_out
from bayesbias.debias.results import Debiased, DebiasRecord
from bayesbias.debias.words import Dropped, WordPlan, rows_of, warn_of
from bayesbias.errors import EmbeddingError
from bayesbias.pairs.word_lists import WordList, load_wordlist
from bayesbias.vectors.lookup import keyed_vectors
from bayesbias.vectors.subspaces import Subspace

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


def working_copy(
    vectors: "KeyedVectors", *, normalise: bool, memory_mb: float
) -> tuple[NDArray[Any], list[str]]:
    """Return a copy of the vectors to work on, and a note where some are zero.

    Raises
    ------
    ArgumentError, OutputError
        As in `room_for`.
    EmbeddingError
        If a vector has NaN or infinite components, or such large ones that it has no length.
    """
    words = vectors.index_to_key
    matrix, lengths = copied(
        vectors.vectors[: len(words)], normalise=normalise, memory_mb=memory_mb
    )
    if (bad := np.flatnonzero(~np.isfinite(lengths))).size:
        raise EmbeddingError(
            f"{_named(words, bad)}: the vector has NaN, infinite or too large components; leave "
            f"the word out or repair the embedding"
        )
    zero = np.flatnonzero(lengths == 0)
    return matrix, [f"zero vectors, which stay zero: {_named(words, zero)}"] * bool(zero.size)


def _named(words: list[str], index: NDArray[np.intp]) -> str:
    shown = ", ".join(repr(words[i]) for i in index[:5])
    return f"{shown} and {len(index) - 5:,} more" if len(index) > 5 else shown


def defining_vectors(
    matrix: NDArray[Any], vectors: "KeyedVectors", plan: WordPlan
) -> list[NDArray[np.float64]]:
    """Return the vectors of each defining set."""
    return [rows_of(matrix, vectors.key_to_index, one) for one in plan.defining_sets]


def neutralise_rows(
    matrix: NDArray[Any],
    vectors: "KeyedVectors",
    plan: WordPlan,
    bias: Subspace,
    dropped: list[Dropped],
    *,
    rescale: bool,
) -> tuple[str, ...]:
    """Neutralise rows in place; return the words for which that was possible."""
    key_to_index = vectors.key_to_index
    index = np.array([key_to_index[word] for word in plan.neutralise], dtype=np.intp)
    alone = set(project_out(matrix, index, bias.basis, rescale=rescale).tolist())
    if not alone:
        return plan.neutralise
    done = []
    for word, row in zip(plan.neutralise, index.tolist(), strict=True):
        if row not in alone:
            done.append(word)
        else:
            reason = "lies in the bias subspace" if matrix[row].any() else "is the zero vector"
            dropped.append(Dropped((word,), "neutralise", f"{reason}; left as it is"))
    return tuple(done)


def projected(
    method: str,
    vectors: "KeyedVectors",
    matrix: NDArray[Any],
    plan: WordPlan,
    bias: Subspace,
    *,
    dropped: Iterable[Dropped] = (),
    **record: Any,
) -> Debiased:
    """Project the words of a plan out of a subspace, in place, and return what `debiased` does."""
    dropped = list(dropped)
    done = neutralise_rows(matrix, vectors, plan, bias, dropped, rescale=False)
    record |= {"neutralised": done, "dropped": dropped, "stacklevel": 5}
    return debiased(method, vectors, matrix, plan, bias, **record)


def debiased(
    method: str,
    vectors: "KeyedVectors",
    matrix: NDArray[Any],
    plan: WordPlan,
    bias: Subspace,
    *,
    parameters: dict[str, Any],
    neutralised: tuple[str, ...],
    equalised: tuple[tuple[str, ...], ...] = (),
    dropped: Iterable[Dropped] = (),
    notes: list[str],
    wordlist: WordList | str | Path | None,
    diagnostics: dict[str, Any] | None = None,
    seed: int | None = None,
    stacklevel: int = 4,
) -> Debiased:
    """Put vectors and record together, and warn of what was left out."""
    all_dropped = (*plan.dropped, *dropped)
    warn_of(all_dropped, stacklevel=stacklevel)
    listed = None if wordlist is None else load_wordlist(wordlist)
    bias.basis.flags.writeable = False
    record = DebiasRecord(
        method=method,
        defining_sets=plan.defining_sets,
        neutralised=neutralised,
        equalised=equalised,
        dropped=all_dropped,
        notes=(*plan.notes, *notes),
        basis=bias.basis,
        explained_variance=tuple(bias.explained_variance[: len(bias.basis)].tolist()),
        parameters={
            **parameters,
            "neutralise": plan.source,
            "keep": list(plan.keep),
            "wordlist": listed and listed.name,
            "wordlist_sha256": listed and listed.checksum(),
        },
        diagnostics=diagnostics or {},
        seed=seed,
    )
    new = keyed_vectors(list(vectors.index_to_key), matrix)
    new.expandos = {name: values.copy() for name, values in vectors.expandos.items()}
    return Debiased(new, record)
