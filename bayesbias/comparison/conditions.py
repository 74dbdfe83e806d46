"""Conditions: a fit each, and the pairs that all of them have.

A condition is an embedding, a time, before or after, a word list or a model. Its own answer, its
level, is the analysis of all words that it has. What differs between conditions is asked of the
pairs that all have: with d_c the distances of a pair under condition c, weights w turn them into

    change = Σ_c w_c u_c (d_c − 1),

which a model of changes explains, so that what conditions share cancels. Cosines (d − 1) are taken
so that weights which do not sum to 0 leave no constant. The unit u_c is 1 where vectors are of one
training, as before and after debiasing are: their distances compare as they are. Elsewhere
distances spread differently (neutral pairs by .06 in GoogleNews, .18 in GloVe Twitter), and u_c is
ḡ / s_c with s_c the standard deviation of a neutral pair's distance and ḡ their geometric mean.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations, pairwise
from typing import Any, Final, TypeAlias

import numpy as np
import pandas as pd

from bayesbias.constants import DISTANCE, TEXT_COLUMNS, TOPIC
from bayesbias.errors import ArgumentError, DistancesError, one_of, suggest
from bayesbias.fits.decision import distance_scale
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.fitting import analyze, fit
from bayesbias.models.specification import load_model
from bayesbias.support.arguments import Array, KeyedVectors
from bayesbias.vectors.samples import unit
from bayesbias.words.keys import distance_key, drop_repeats, pair_key, repeated_columns

TWO_TRAININGS: Final = 0.4
"""Correlation of coordinates below which two files are of different trainings: every method of
debiasing leaves at least .83 (25 dimensions; .97 in 300), two trainings at most .1."""

TREND: Final = "trend"

_ANCHORS: Final = 1000  # words whose coordinates are correlated, and how few of them tell nothing
_FEWEST_ANCHORS: Final = 20

Vectors: TypeAlias = "Sequence[KeyedVectors | None]"
"""Of the conditions, None where they are not known."""

Condition: TypeAlias = "tuple[Callable[..., Fit], KeyedVectors | None]"
"""What fits a condition with a ``seed``, and its vectors."""


def conditions_of(
    sources: Any, wordlist: Any, models: Any, model: Any, vectors: Any
) -> dict[str, Condition]:
    """Check conditions before any is fitted, times in their order; see `compare` for arguments."""
    if not isinstance(models, Sequence) or isinstance(models, str):
        raise ArgumentError(f"models={models!r}: give a list, such as ['maximal', 'paper']")
    if models:
        specs, source = map(load_model, models), sources if vectors is None else (sources, vectors)
        parts = [(spec.name, _condition(spec.name, source, wordlist, spec)) for spec in specs]
    elif not isinstance(sources, Mapping):
        raise ArgumentError(
            f"conditions: is a {type(sources).__name__}; give a mapping of name to vectors, such "
            f"as {{'before': kv, 'after': new}}, or one frame with models=[...]"
        )
    elif vectors is not None:  # of word lists
        parts = [(str(n), _condition("vectors", vectors, w, model)) for n, w in sources.items()]
    else:
        parts = [(str(n), _condition(n, source, wordlist, model)) for n, source in sources.items()]
    names, conditions = [name for name, _ in parts], dict(parts)
    if len(names) < 2 or len(conditions) < len(names):
        listed = ", ".join(names) or "none"
        raise ArgumentError(f"conditions: {listed}: give at least two, each with its own name")
    return conditions if times_of(names) is None else dict(sorted(parts, key=lambda p: float(p[0])))


def _condition(name: Any, source: Any, wordlist: Any, model: Any) -> Condition:
    """Check a condition: vectors with the word list, a frame, both together, or a fit."""
    source, kv = source if isinstance(source, tuple) and len(source) == 2 else (source, None)
    for attribute in ("wv", "vectors"):  # of a gensim model, of what a debiasing step returns
        if hasattr(getattr(source, attribute, None), "key_to_index"):
            source = getattr(source, attribute)
    if kv is not None and not hasattr(kv, "key_to_index"):
        raise ArgumentError(f"{name}: has a {type(kv).__name__} for vectors; give (frame, vectors)")
    if isinstance(source, Fit):
        return lambda seed: source, kv
    if isinstance(source, pd.DataFrame):
        return partial(fit, source, model, vectors=kv), kv
    if not hasattr(source, "key_to_index"):
        raise ArgumentError(
            f"{name}: is a {type(source).__name__}; give vectors from load_embedding, a frame from "
            f"distances, (frame, vectors), or a Fit; word lists need vectors=, their embedding"
        )
    if wordlist is None:
        raise ArgumentError(f"{name}: vectors need a word list; give wordlist='gender', or another")
    return partial(analyze, source, wordlist, model), source


@dataclass(frozen=True, eq=False)
class SharedPairs:
    """The pairs that all conditions have, once each.

    `frame`: their texts. `distances` (n_pairs, n_conditions). `units` (n_conditions,): u of the
    module's formula. `scale`: the standard deviation of a neutral pair's distance in that unit.
    """

    frame: pd.DataFrame
    distances: Array
    units: Array
    scale: float

    @classmethod
    def of(cls, frames: Mapping[str, pd.DataFrame], *, in_sds: bool) -> "SharedPairs":
        """Pair the rows of frames by their words, copy (such as a layer) and connection."""
        copies = dict.fromkeys(c for frame in frames.values() for c in repeated_columns(frame))
        for name, frame in frames.items():
            if lacking := [column for column in copies if column not in frame]:
                raise DistancesError(
                    f"{name}: has one {lacking[0]}, where other conditions have several; give "
                    f"several of each, or one"
                )
        key = pair_key(copies)
        single = [drop_repeats(frame, key).set_index(key) for frame in frames.values()]
        wide = pd.concat([frame[DISTANCE] for frame in single], axis=1, keys=list(frames))
        shared = wide.reindex(single[0].index).dropna()
        names, advice = ", ".join(frames), "compute all distances with one word list"
        alone = wide.drop(index=shared.index)  # a pair may have another connection elsewhere
        places = alone.notna() @ (2 ** np.arange(len(frames)))
        sides = places.groupby(level=distance_key()).nunique()
        if (sides > 1).any():
            word, attribute = sides.index[sides > 1][0]
            which = f"the pair {word!r} – {attribute!r} has not the same connection in {names}"
            raise DistancesError(f"{which}; {advice}")
        if shared.empty:
            raise DistancesError(f"{names} have no pair of words in common; {advice}")
        first = single[0].loc[shared.index].reset_index()
        columns = dict.fromkeys((*TEXT_COLUMNS, *key, *first.columns.intersection([TOPIC])))
        pairs, distances = first[list(columns)], shared.to_numpy()
        scales = np.array([distance_scale(pairs.assign(d=of), "d")[0] for of in distances.T])
        units = np.ones(len(scales))
        if in_sds and scales.all():
            units = np.exp(np.log(scales).mean()) / scales
        return cls(pairs, distances, units, float(scales[0] * units[0]))

    @cached_property
    def cosines(self) -> Array:
        """Cosines with their sign turned, in the unit of changes, (n_pairs, n_conditions)."""
        return (self.distances - 1.0) * self.units


def coordinates_agree(vectors: Vectors) -> float | None:
    """Return the least correlation of words' coordinates with those in the first vectors.

    A step on finished vectors leaves words near where they were; another training has no reason to.
    None where vectors are not known, or too few words are in both; 0 where dimensions differ.
    """
    first, *others = vectors
    least = 1.0
    for other in others:
        if first is None or other is None:
            return None
        if first.vectors.shape[1] != other.vectors.shape[1]:
            return 0.0
        words = [word for word in first.index_to_key if word in other.key_to_index]
        if len(words) < _FEWEST_ANCHORS:
            return None
        some = words[:: -(-len(words) // _ANCHORS)]
        both = [unit(np.asarray(kv[some], dtype=np.float64)).ravel() for kv in (first, other)]
        least = min(least, float(np.atleast_2d(np.corrcoef(both))[0, 1]))
    return least


def one_training(names: list[str], vectors: Vectors) -> tuple[float | None, bool]:
    """Return how coordinates agree, and whether vectors are of one training: else names say it."""
    agreement, by_name = coordinates_agree(vectors), names == ["before", "after"]
    return agreement, by_name if agreement is None else agreement >= TWO_TRAININGS


def times_of(names: Sequence[str]) -> Array | None:
    """Return names as times, (n,), where all are numbers; None where one is none."""
    try:
        times = np.array([float(name) for name in names])
    except ValueError:
        return None
    return times if np.isfinite(times).all() and len(set(times)) == len(times) else None


def line_weights(times: Array) -> Array:
    """Return weights of the change along the line of least squares, from first to last, (n,)."""
    off = times - times.mean()
    return np.asarray(off / (off @ off) * np.ptp(times))


def weights_of(
    differences: str | Mapping[str, Any] | None, names: Sequence[str], baseline: str | None
) -> dict[str, Array]:
    """Return the weights on conditions of every difference, (n_conditions,) each."""
    if isinstance(differences, Mapping):
        return {str(n): _own_weights(str(n), row, names) for n, row in differences.items()}
    times = times_of(names) if len(names) > 2 else None
    kind = differences or ("pairs" if times is None or baseline is not None else TREND)
    one_of(kind, "differences", ("pairs", "steps", TREND))
    if kind == TREND and times is None:
        raise ArgumentError(
            f"differences='trend': needs at least three conditions whose names are numbers, such "
            f"as {{1900: …}}; these are {', '.join(names)}"
        )
    two = list(combinations(names, 2) if kind == "pairs" else pairwise(names))
    if baseline is not None:
        if str(baseline) not in names:
            what = f"is no condition{suggest(str(baseline), names)}"
            raise ArgumentError(f"baseline={baseline!r} {what}")
        if kind != "pairs":
            raise ArgumentError(f"baseline: goes with differences='pairs', not {kind!r}")
        two = [(str(baseline), name) for name in names if name != str(baseline)]
    unit = dict(zip(names, np.eye(len(names)), strict=True))
    line = {TREND: line_weights(times)} if kind == TREND and times is not None else {}
    return {**line, **{f"{a} → {b}": unit[b] - unit[a] for a, b in two}}


def _own_weights(name: str, row: Any, names: Sequence[str]) -> Array:
    """Return weights that the user wrote, a number for each condition."""
    try:
        weights = np.array(row, dtype=float)
    except (TypeError, ValueError):
        weights = np.zeros(0)
    is_one_each = weights.shape == (len(names),) and np.isfinite(weights).all()
    if not is_one_each or not weights.any() or abs(weights.sum()) > 1e-9 * np.abs(weights).sum():
        raise ArgumentError(
            f"differences: {name}: give a number for each of {', '.join(names)}, which sum to 0 "
            f"and are not all 0"
        )
    return weights
