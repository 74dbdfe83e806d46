"""The rank of every word as the answer to one query."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.analogies.scoring import Formula
from bayesbias.analogies.vocabulary import Vocabulary
from bayesbias.errors import DataWarning
from bayesbias.support.arrays import Array, Index, Mask

SETTINGS: Final = ("unconstrained", "constrained")  # whether a query's own words may be its answer
ROLES: Final = ("a", "b", "c")


@dataclass(frozen=True, eq=False)
class Ranking:
    """All candidates of one query by one formula, best first."""

    order: Index  # positions in the vectors, without words that cannot be answers
    scores: Array
    roles: NDArray[np.str_]  # "a", "b" or "c" where a candidate is that input, else ""

    def answers(self, setting: str) -> Index:
        """Return the positions, in this ranking, of the words that may be answers, best first."""
        return np.flatnonzero(allowed(self.scores, self.roles, setting))


def roles_of(
    candidates: Vocabulary, index: Index, query: Sequence[Index | np.intp]
) -> NDArray[np.str_]:
    """Say which candidates are inputs: b before c before a where a query repeats a word."""
    family = candidates.family
    roles = np.full(index.shape, "", dtype="U1")
    for role in ("a", "c", "b"):
        roles[family[index] == family[query[ROLES.index(role)]]] = role
    return roles


def allowed(scores: Array, roles: NDArray[np.str_], setting: str) -> Mask:
    """Say which candidates may be answers under a setting, from their scores and roles."""
    return np.isfinite(scores) & ((roles == "") | (setting == "unconstrained"))


def rank_all(candidates: Vocabulary, query: Index, formula: Formula, cosines: Array) -> Ranking:
    """Rank all candidates of one query; `cosines`, shape (3, size), are those of its words."""
    unit = candidates.units(query)
    between = (unit[0] @ unit[1], unit[1] @ unit[2], unit[0] @ unit[2])
    scores = np.where(candidates.usable, formula.score(tuple(cosines), between), -np.inf)
    order = np.argsort(-scores, kind="stable")
    order = order[: int(np.isfinite(scores).sum())]
    return Ranking(order, scores[order], roles_of(candidates, order, list(query)))


def reported_ranks(
    candidates: Vocabulary, ranking: Ranking, word: np.intp
) -> list[tuple[str, int | None, int, str]]:
    """Return setting, rank, number of candidates and, where there is no rank, the reason."""
    reason = "farther than δ from b"
    if word >= candidates.size:
        reason = f"beyond the first {candidates.size:,} words"
    elif word in ranking.order:
        reason = "excluded as a word of the query"
    rows: list[tuple[str, int | None, int, str]] = []
    for setting in SETTINGS:
        possible = ranking.order[ranking.answers(setting)]
        place = np.flatnonzero(possible == word)
        found = (int(place[0]) + 1, len(possible), "") if len(place) else None
        rows.append((setting, *(found or (None, len(possible), reason))))
    return rows


def warn_out_of_reach(candidates: Vocabulary, index: Index) -> None:
    """Warn where a word of a query lies beyond the cut-off and so cannot be an answer."""
    beyond = [f"{candidates.words[i]!r} (word {i + 1:,})" for i in index if i >= candidates.size]
    if beyond:
        warnings.warn(
            f"{', '.join(dict.fromkeys(beyond))}: beyond the first {candidates.size:,} words, so "
            f"that not even the unconstrained setting can return it",
            DataWarning,
            stacklevel=3,
        )
