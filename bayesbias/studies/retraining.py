"""What retraining leaves open in a mean over training runs.

A run shifts all distances of a connection alike, by u ~ N(0, τ²), which leaves N(0, τ² / R) in the
mean over R runs. Shifts of single words or attributes are in the scatter of these, which a model of
the averages finds by itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from bayesbias.constants import ATTRIBUTE, CONNECTION, DISTANCE, PROTECTED_WORD, RUN, TEXT_COLUMNS
from bayesbias.errors import DistancesError
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.quantities import Quantities, repeat_terms
from bayesbias.inference.conditional import NormalMixture
from bayesbias.inference.parameters import samples, sds_of
from bayesbias.pairs.checks import repeated_pairs
from bayesbias.pairs.keys import repeats
from bayesbias.pairs.provenance import kinds_of_words
from bayesbias.support.arrays import Array


def check_runs(frames: Mapping[str, pd.DataFrame]) -> bool:
    """Tell whether frames have training runs; refuse where only some have, or one has one run."""
    having = [name for name, frame in frames.items() if RUN in frame.columns]
    if not having:
        return False
    lacking = [name for name in frames if name not in having]
    if lacking:
        raise DistancesError(
            f"the frame of {having[0]!r} has training runs and the frame of {lacking[0]!r} has "
            f"not, so that nothing tells retraining from a difference between them; give runs of "
            f"every embedding (pairs.distances_of_runs), or one run of each without the column "
            f"{RUN!r}"
        )
    for name in having:
        if frames[name][RUN].nunique() < 2:
            raise DistancesError(
                f"the frame of {name!r} has a single training run, which says nothing of "
                f"retraining; give at least two runs of every embedding, or drop the column "
                f"{RUN!r} of all frames"
            )
    return True


def averaged_over_runs(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Average every pair over the training runs; refuse a pair that is not once in every run."""
    where = f"the frame of {name!r}"
    copies = repeats(frame)
    once = frame[~repeated_pairs(frame, where=where, within=copies)]
    others = [column for column in copies if column != RUN]
    same = [*TEXT_COLUMNS, *others, *kinds_of_words(frame)]
    groups = once.groupby(same, sort=False)[DISTANCE]
    found, n_runs = groups.agg(["mean", "size"]).reset_index(), once[RUN].nunique()
    fewer = found[found["size"] < n_runs]
    if len(fewer):
        row = fewer.iloc[0]
        raise DistancesError(
            f"{where}: the pair {row[PROTECTED_WORD]!r} – {row[ATTRIBUTE]!r} is in {row['size']} "
            f"of {n_runs} training runs; keep the pairs that all runs have, as "
            f"pairs.distances_of_runs does"
        )
    return found.drop(columns="size").rename(columns={"mean": DISTANCE})


def retraining_error(fit: Fit, signs: Sequence[Mapping[str, float]]) -> Array:
    """Return what retraining leaves open in sums of connection means, (n_draws, n_sums).

    `signs` has per sum the weight of each connection.
    """
    frame = fit.frame
    one = np.flatnonzero((frame[RUN] == frame[RUN].iloc[0]) & ~frame.duplicated([RUN, CONNECTION]))
    connections = frame[CONNECTION].iloc[one].tolist()
    weights = np.array([[given.get(c, 0.0) for c in connections] for given in signs])
    variance = np.zeros((1, len(signs)))
    for term in repeat_terms(fit.design, RUN):
        name, level = f"{term.name}_sd", term.level[one]
        drawn = {} if term.fixed_sd is not None else {name: samples(fit.posterior, name)}
        sds = sds_of(term, drawn)
        for each in np.unique(level[level >= 0]):
            total = weights[:, level == each].sum(axis=1)
            variance = variance + sds[:, [term.sd[each]]] ** 2 * total**2
    return np.asarray(np.sqrt(variance / frame[RUN].nunique()))


def with_error(found: Quantities, error: Array) -> Quantities:
    """Add normal errors of these sds, (n_draws, n_quantities) or (n_quantities,), to quantities."""
    error = np.atleast_2d(error)
    noise = np.random.default_rng(0).standard_normal(found.draws.shape)  # one answer for all
    exact = tuple(
        NormalMixture(one.centre, np.hypot(one.spread, _of_size(own, len(one.spread))))
        for one, own in zip(found.mixtures, error.T, strict=bool(found.mixtures))
    )
    draws = found.draws + _of_size(error, len(noise)) * noise
    unrelated = found.unrelated
    if unrelated is not None:  # what retraining shifts, it shifts for unrelated groups too
        unrelated = np.hypot(unrelated, _of_size(error, unrelated.shape[1]).T)
    return replace(found, draws=draws, exact=exact, unrelated=unrelated)


def _of_size(draws: Array, n: int) -> Array:
    """Take `n` rows, evenly."""
    return draws[np.arange(n) * len(draws) // n]
