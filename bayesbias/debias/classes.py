"""Classes of words to learn from: given, or found by the defining sets."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.debias.geometry import CHUNK
from bayesbias.debias.steps import Work
from bayesbias.debias.words import MISSING, Dropped, WordPlan, distinct_words
from bayesbias.errors import ArgumentError, WordListError
from bayesbias.support.arrays import Array, Index

MOST_WORDS: Final = 7500
"""Words of each class to learn from, as Ravfogel et al. (2020) do."""

_FEWEST: Final = 4  # words of a class, so that words learned from and words held out have some


def class_members(work: Work, classes: Mapping[str, Sequence[str]] | None) -> list[Array]:
    """Return the vectors of each class, (n_words, dim): given, or farthest along the sets."""
    if classes is not None:
        return _members(work, classes)
    learned = _farthest(work.matrix, _class_directions(work.defining_vectors(), work.plan))
    return [work.matrix[index].astype(np.float64) for index in learned]


def _class_directions(sets: list[Array], plan: WordPlan) -> Array:
    """Return one direction per place in the sets, shape (n_classes, dim)."""
    sizes = {len(rows) for rows in sets}
    if len(sizes) > 1:
        odd = next(one for one in plan.defining_sets if len(one) != len(plan.defining_sets[0]))
        raise ArgumentError(
            f"defining set {list(odd)} has another size than the first; give sets of one size, or "
            f"classes="
        )
    centred = np.array([rows - rows.mean(axis=0) for rows in sets])
    return np.asarray(centred.mean(axis=0))


def _farthest(matrix: NDArray[Any], directions: Array) -> list[Index]:
    """Return, per class, the rows that lie farthest along its direction; no row is in two."""
    parts = (matrix[i : i + CHUNK].astype(np.float64) for i in range(0, len(matrix), CHUNK))
    along = np.concatenate([rows @ directions.T for rows in parts])
    best = along.argmax(axis=1)
    most = max(_FEWEST, min(MOST_WORDS, len(matrix) // (4 * len(directions))))
    found = []
    for place in range(len(directions)):
        own = np.flatnonzero(best == place)
        if len(own) < _FEWEST:
            raise WordListError(
                f"class {place + 1} has {len(own)} words, and a classifier needs {_FEWEST}; load "
                f"more vectors, or give classes="
            )
        found.append(own[np.argsort(-along[own, place], kind="stable")[:most]])
    return found


def _members(work: Work, classes: Mapping[str, Sequence[str]]) -> list[Array]:
    """Return the vectors of each class that was given."""
    if len(classes) < 2:
        raise ArgumentError(f"classes: needs two or more, not {len(classes)}")
    index = work.vectors.key_to_index
    seen: dict[str, str] = {}
    found = []
    for name, words in classes.items():
        words = distinct_words(words, f"classes[{name!r}]")
        for word in words:
            if word in seen:
                raise ArgumentError(f"{word!r} is in classes {seen[word]!r} and {name!r}")
            seen[word] = name
        work.dropped += [Dropped((w,), "classes", MISSING) for w in words if w not in index]
        known = [word for word in words if word in index]
        if len(known) < _FEWEST:
            raise WordListError(
                f"classes[{name!r}]: {len(known)} of its words are in the vectors, and a "
                f"classifier needs {_FEWEST}"
            )
        found.append(work.rows(known))
    return found
