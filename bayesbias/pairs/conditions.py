"""The same pairs under several conditions: before and after, embeddings, times.

One model explains the distances of a pair under all conditions jointly: every effect has a number
under each, and of how these go together nothing is assumed. Any weighted sum of a pair's distances
then follows the model of one condition, each effect with a variance of its own, and a joint normal
distribution is known by its sums (Cramér and Wold 1936). So a question is weights on conditions: a
change (−1 and 1), a line over times, a step, after less a share of before; `Conditions.change` is
the frame that answers it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    AFTER,
    ATTRIBUTE,
    BEFORE,
    CHANGE,
    CONNECTION,
    DISTANCE,
    PROTECTED_WORD,
    REFERENCE,
    RUN,
    TEXT_COLUMNS,
)
from bayesbias.errors import DistancesError
from bayesbias.pairs.case import CASE, case_of_all
from bayesbias.pairs.checks import repeated_pairs, validate_distances
from bayesbias.pairs.keys import distance_key, pair_key, repeated_columns
from bayesbias.pairs.profiles import averaged, coordinates_agree, of_sum
from bayesbias.pairs.provenance import (
    SIDES,
    kinds_of_words,
    missing_of,
    source_of,
    source_part,
    with_provenance,
)
from bayesbias.pairs.reference import reference_last, without_reference
from bayesbias.support.arrays import Array
from bayesbias.support.text_tables import join_words

COORDINATES: Final = "coordinates_agree"
"""Part of the record of a change: see `profiles.coordinates_agree`."""

_OF_LIST: Final = ("wordlist", "wordlist_title", "wordlist_source")
"""What a record says of the word list."""

_NOUN: Final = {RUN: "training run"}
"""What a column that repeats pairs is called in messages, where its name is not enough."""


@dataclass(frozen=True)
class Conditions:
    """The pairs that all conditions have, once each, and their distances under each.

    `pairs`: their texts, copy (run, context, …) and kinds of words; reference words last.
    `distances` (n_pairs, n_conditions). `frames`: by condition, as given. `unpaired`: the key of a
    pair of protected words that not all conditions have, and ``present_in``.
    """

    pairs: pd.DataFrame
    distances: Array
    frames: Mapping[str, pd.DataFrame]
    unpaired: pd.DataFrame

    @classmethod
    def of(cls, frames: Mapping[str, pd.DataFrame], *, over_runs: bool = False) -> "Conditions":
        """Pair the rows of frames by their words, copy and connection.

        `over_runs`: every pair is averaged over the training runs of its condition, which have
        nothing to do with those of another; else runs of one name are paired.
        """
        for name, frame in frames.items():
            validate_distances(frame, where=_where(name))
        copies = _copies(frames)
        single = {
            name: frame[~repeated_pairs(frame, where=_where(name), within=copies)]
            for name, frame in frames.items()
        }
        if over_runs and RUN in copies:
            single = {name: averaged_over_runs(frame, name) for name, frame in single.items()}
            copies.remove(RUN)
        key = pair_key(copies)
        known = [frame.set_index(key) for frame in single.values()]
        wide = pd.concat([frame[DISTANCE] for frame in known], axis=1, sort=False)
        is_paired = wide.notna().all(axis=1).to_numpy()
        unpaired = _unpaired(wide[~is_paired], [*map(str, frames)])
        _refuse_what_cannot_be_paired(single, unpaired, copies)
        first = next(iter(single.values()))
        pairs = reference_last(first[known[0].index.isin(wide.index[is_paired])])
        if without_reference(pairs).empty:
            row = unpaired.iloc[0]
            raise DistancesError(
                f"the frames have no pair in common ({row[PROTECTED_WORD]!r} – {row[ATTRIBUTE]!r} "
                f"is only in: {row['present_in']}); compute all with one word list"
            )
        at = pd.MultiIndex.from_frame(pairs[key])
        columns = {column: pairs[column] for column in (*TEXT_COLUMNS, *copies)}
        for frame, indexed in zip(frames.values(), known, strict=True):
            for kind in kinds_of_words(frame):
                columns.setdefault(kind, indexed[kind].reindex(at).to_numpy())
        pairs, distances = pd.DataFrame(columns), wide.reindex(at).to_numpy()
        is_reference = unpaired[CONNECTION] == REFERENCE
        return cls(pairs, distances, frames, unpaired[~is_reference].reset_index(drop=True))

    @property
    def source(self) -> dict[str, Any]:
        """Factors, titles and word list, of the first condition that knows them; case of all."""
        found = {
            "factors": [source_part(frame, "factors") for frame in self.frames.values()],
            "titles": [source_part(frame, "titles") for frame in self.frames.values()],
        }
        known = {name: next(filter(None, each), {}) for name, each in found.items()}
        sources = {name: source_of(frame) for name, frame in self.frames.items()}
        own: dict[str, Any] = next((one for one in sources.values() if "wordlist" in one), {})
        case = {CASE: said} if (said := case_of_all(sources)) else {}
        return {**{key: own[key] for key in _OF_LIST if key in own}, **known, **case}

    @property
    def unshared(self) -> pd.DataFrame:
        """The words of protected groups and attributes that some conditions lack."""
        frames = {name: without_reference(frame) for name, frame in self.frames.items()}
        rows = []
        for column, role in ((PROTECTED_WORD, "protected"), (ATTRIBUTE, "attribute")):
            words = {name: set(frame[column]) for name, frame in frames.items()}
            for word in dict.fromkeys(w for frame in frames.values() for w in frame[column]):
                having = [name for name in frames if word in words[name]]
                if len(having) < len(frames):
                    lacking = [name for name in frames if word not in words[name]]
                    rows.append((word, role, ", ".join(having), ", ".join(lacking)))
        return pd.DataFrame(rows, columns=["word", "role", "present_in", "missing_from"])

    def under(self, name: str) -> pd.DataFrame:
        """Return the rows of one condition that are of these pairs, with all its runs."""
        frame = self.frames[name]
        key = pair_key(column for column in repeated_columns(self.pairs) if column != RUN)
        mine, shared = (pd.MultiIndex.from_frame(one[key]) for one in (frame, self.pairs))
        return frame[mine.isin(shared)]

    def change(self, weights: Array) -> pd.DataFrame:
        """Return the weighted sum of every pair's distances less 1, as a change."""
        # Less 1, which is a cosine with its sign turned: weights that do not sum to 0 then leave no
        # constant.
        frame = self.pairs.assign(**{CHANGE: (self.distances - 1.0) @ weights})
        used = [i for i, weight in enumerate(weights) if weight]
        frames = list(self.frames.values())
        profiles = of_sum([frames[i] for i in used], np.asarray(weights)[used].tolist())
        return self._recorded(frame, profiles)

    def stacked(self, column: str, scales: Mapping[str, float]) -> pd.DataFrame:
        """Return all distances one below the other, `column` naming the condition.

        Those of each are shrunk around 1 from its own scale to the smallest of all.
        """
        sizes, least = np.array(list(scales.values())), min(scales.values())
        on_one_scale = 1.0 + (self.distances - 1.0) * least / sizes
        parts = [
            self.pairs.assign(**{column: name, DISTANCE: values})
            for name, values in zip(self.frames, on_one_scale.T, strict=True)
        ]
        profiles = averaged(self.frames.values(), (sizes / least).tolist())
        frame = reference_last(pd.concat(parts))
        return self._recorded(frame, profiles)

    def _recorded(self, frame: pd.DataFrame, profiles: Mapping[str, Any] | None) -> pd.DataFrame:
        missing = missing_of_all(self.frames)
        return with_provenance(frame, source=self.source, missing=missing, profiles=profiles)


def paired(before: pd.DataFrame, after: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Pair the rows of two frames of distances by their words and connection.

    Returns `pairs`, one row per pair of both, in the order of `before`: with
    ``distance_before``, ``distance_after`` and ``change`` (after minus before) in the place of the
    distance; and `unpaired`: the key of a pair of protected words and ``present_in``.
    """
    both = Conditions.of(dict(zip(SIDES, (before, after), strict=True)))
    pairs = both.pairs.copy()
    old, new = both.distances.T
    numbers = {BEFORE: old, AFTER: new, CHANGE: new - old}
    for place, (column, values) in enumerate(numbers.items(), start=len(TEXT_COLUMNS)):
        pairs.insert(place, column, values)
    source: dict[str, Any] = {name: source_of(frame) for name, frame in both.frames.items()}
    if (agreement := coordinates_agree(*both.frames.values())) is not None:
        source[COORDINATES] = agreement
    profiles = averaged(both.frames.values(), signs=(-1, 1))
    missing = missing_of_all(both.frames)
    with_provenance(pairs, source=source, missing=missing, profiles=profiles)
    return pairs, both.unpaired


def missing_of_all(frames: Mapping[str, pd.DataFrame]) -> list[dict[str, str]] | None:
    """Return the missing words of all frames, each with its frame's name; None without a record."""
    missing = {name: missing_of(frame) for name, frame in frames.items()}
    if None in missing.values():
        return None
    return [
        {**row, "reason": f"{name}: {row['reason']}"}
        for name, rows in missing.items()
        for row in rows or ()
    ]


def averaged_over_runs(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Average every pair over the training runs; refuse a pair that is not once in every run."""
    n_runs = frame[RUN].nunique()
    if n_runs < 2:
        raise DistancesError(
            f"{_where(name)} has a single training run, which says nothing of retraining; give at "
            f"least two runs of each, or drop the column {RUN!r} of all frames"
        )
    others = [column for column in repeated_columns(frame) if column != RUN]
    same = [*TEXT_COLUMNS, *others, *kinds_of_words(frame)]
    found = frame.groupby(same, sort=False)[DISTANCE].agg(["mean", "size"]).reset_index()
    fewer = found[found["size"] < n_runs]
    if len(fewer):
        row = fewer.iloc[0]
        raise DistancesError(
            f"{_where(name)}: the pair {row[PROTECTED_WORD]!r} – {row[ATTRIBUTE]!r} is in "
            f"{row['size']} of {n_runs} training runs; keep the pairs that all runs have, as "
            f"pairs.distances_of_runs does"
        )
    found.attrs = dict(frame.attrs)
    return found.drop(columns="size").rename(columns={"mean": DISTANCE})


def _unpaired(distances: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """List pairs with the conditions that have them, by the alphabet."""
    known = distances.notna().to_numpy()
    present_in = [", ".join(np.array(names, dtype=object)[row]) for row in known]
    table = distances.index.to_frame(index=False).assign(present_in=present_in)
    return table.sort_values(list(distances.index.names), ignore_index=True)


def _copies(frames: Mapping[str, pd.DataFrame]) -> list[str]:
    """Return the columns that repeat pairs; refuse one that some frames lack."""
    of_each = {name: repeated_columns(frame) for name, frame in frames.items()}
    copies = list(dict.fromkeys(column for found in of_each.values() for column in found))
    for column in copies:
        has = [name for name in frames if column in of_each[name]]
        if lacks := [name for name in frames if name not in has]:
            noun = _NOUN.get(column, column)
            raise DistancesError(
                f"{_where(has[0])} has several {noun}s and {_where(lacks[0])} has not, so that "
                f"nothing tells a difference between {noun}s from one between the frames",
                advice=f"give several of each (runs: pairs.distances_of_runs), or one {noun} of "
                f"each without the column {column!r}",
                typed=f"give several {noun}s of each, or one",
            )
    return copies


def _refuse_what_cannot_be_paired(
    frames: Mapping[str, pd.DataFrame], unpaired: pd.DataFrame, copies: list[str]
) -> None:
    """Refuse a pair whose connection is not the same everywhere, and copies without a like one."""
    sides = unpaired.groupby(distance_key(copies), sort=False)["present_in"].nunique()
    if (sides > 1).any():
        word, attribute = sides.index[(sides > 1).to_numpy()][0][:2]
        where = "one connection before and another after"
        if set(frames) != set(SIDES):
            where = f"not the same connection in the frames of {join_words([*map(repr, frames)])}"
        raise DistancesError(
            f"the pair {word!r} – {attribute!r} has {where}; compute all frames with one word list"
        )
    for column in copies:
        if not set.intersection(*(set(frame[column]) for frame in frames.values())):
            noun = _NOUN.get(column, column)
            raise DistancesError(
                f"the frames have no {noun} in common; name every {noun} alike on all sides: those "
                f"of two corpora that belong to no pairs may be paired in any order"
            )


def _where(name: str) -> str:
    """Return what messages call the frame of a condition."""
    return f"the frame {name}" if name in SIDES else f"the frame of {name!r}"
