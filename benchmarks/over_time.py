"""How often the interval of a trend misses the truth: made distances at several times.

    python benchmarks/over_time.py [--worlds 200] [--seed 7] [--save over-time]
    python benchmarks/over_time.py --example --save over-time   # figure of docs/facts.md

Two groups of eight words meet two lists of eight attributes at eight times. From the first to the
last time associated pairs come nearer by .03. Besides, single words (for each list) and single
attributes have slopes of their own ("words drift"), or each connection is shifted at each time by
itself, as one training may ("times are off"), or both. Compared: the model of the change of every
pair along its own line, without and with what times are off the line (`over_time`); and
least-squares weights on the answers at single times of one model of all times (`embeddings`).
Prints the share of 89% intervals of associated − different that miss the truth (nominal 11%), and
their mean width.
"""

from functools import partial

import numpy as np
import pandas as pd
from worlds import Fitters, Namespace, Records, effects, misses, run

import bayesbias as bb
from bayesbias.constants import CHANGE, DISTANCE, EMBEDDING
from bayesbias.fits.quantities import Quantities, contrast_weights
from bayesbias.inference.conditional import NormalMixture
from bayesbias.inference.questions import connection_weights, stacked
from bayesbias.simulate.assumptions import world_frame
from bayesbias.studies.over_time import line_weights, off_the_line, with_scatter
from bayesbias.support.result import Result

TIMES = np.arange(8.0)
DRIFT, SHIFT, NOISE, LASTING = 0.04, 0.01, 0.03, 0.05
"""Standard deviations: of a word's or attribute's change from first to last time, of a connection
at a time, of a pair at a time, and of what words, attributes and pairs keep."""

TRUTH = -0.03
PAIR = (("associated", "different"),)

YEARS, NEARER, PAIR_NOISE = (1900, 1920, 1930, 1950, 1990), -0.1, 0.01
"""Of the example, in which associated pairs come nearer by .1, words drift and times are off."""


def world(
    rng: np.random.Generator, *, drift: float, shift: float
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return pairs, and their distances at all times, (n_pairs, n_times)."""
    pairs = world_frame(16, 16, n_groups=2, n_human=0, n_neutral=0)
    since = (TIMES - TIMES.mean()) / np.ptp(TIMES)
    distances = 0.9 + LASTING * rng.standard_normal((len(pairs), 1))
    for columns in (["protected_word", "attribute_set"], ["attribute"]):
        level = pairs.groupby(columns, sort=False).ngroup().to_numpy()
        kept, slope = rng.standard_normal((2, level.max() + 1, 1))
        distances = distances + (LASTING * kept + drift * slope * since)[level]
    of_connection = (pairs["connection"] == "different").to_numpy(dtype=int)
    distances = distances + TRUTH * since * (1 - of_connection)[:, None]
    distances = distances + shift * rng.standard_normal((2, len(TIMES)))[of_connection]
    return pairs, distances + NOISE * rng.standard_normal(distances.shape)


def moved(seed: int) -> dict[int, pd.DataFrame]:
    """Return the distances of the list `weat7` in the shipped vectors, moved at each time."""
    frame = bb.distances(bb.example_embedding(), "weat7")
    rng, since = np.random.default_rng(seed), (np.array(YEARS) - np.mean(YEARS)) / np.ptp(YEARS)
    slope = NEARER * (frame["connection"] == "associated").to_numpy(dtype=float)
    for columns in (["protected_word", "attribute_set"], ["attribute"]):
        slope = slope + effects(frame, *columns, sd=DRIFT, rng=rng)
    connection, names = pd.factorize(frame["connection"])
    off = SHIFT * rng.standard_normal((len(names), len(YEARS)))[connection]
    moved = slope[:, None] * since + off + PAIR_NOISE * rng.standard_normal(off.shape)
    return {
        year: frame.assign(**{DISTANCE: frame[DISTANCE] + moved[:, time]})
        for time, year in enumerate(YEARS)
    }


def model(name: str) -> bb.models.ModelSpec:
    """Return a shipped model without the similarity of words, which nobody knows here."""
    return bb.load_model(name).in_unit(0.1, 1.0).without_similarity()


def along_lines(pairs, distances, fitters: Fitters) -> tuple[NormalMixture, NormalMixture]:
    """Return the posterior of the contrast's change, without and with times off the line."""
    weights = line_weights(TIMES)
    frame = pairs.assign(**{CHANGE: distances @ weights})
    question = partial(contrast_weights, by="connection", pairs=PAIR)
    found = fitters.fit("lines", model("change-maximal"), frame, question).answers[0]
    own = (pairs["connection"] == "associated").to_numpy()
    plain = distances[own].mean(axis=0) - distances[~own].mean(axis=0)
    error = off_the_line(plain[None], TIMES) * np.linalg.norm(weights)
    alone = Quantities(pd.DataFrame(index=[0]), np.zeros((100, 1)), 0, (found,))
    return found, with_scatter(alone, error, len(TIMES) - 2).exact[0]


def of_levels(pairs, distances, fitters: Fitters) -> NormalMixture:
    """Return the same from weights on the answers at single times of one model."""
    parts = [
        pairs.assign(**{EMBEDDING: f"time {t}", DISTANCE: distances[:, t]})
        for t in range(len(TIMES))
    ]
    frame = pd.concat(parts, ignore_index=True)
    times = frame[EMBEDDING].to_numpy()

    def question(design):
        of_each = [connection_weights(design.of_pairs(times == time)) for time in pd.unique(times)]
        return stacked(of_each).combined(np.kron(line_weights(TIMES), [[1.0, -1.0]]))

    return fitters.fit("levels", model("embeddings"), frame, question).answers[0]


def records(given: Namespace) -> Records:
    """Yield for every world and way whether the interval misses, and its width."""
    kinds = {"words drift": (DRIFT, 0), "times are off": (0, SHIFT), "both": (DRIFT, SHIFT)}
    for kind, (drift, shift) in kinds.items():
        fitters = Fitters()
        for number in range(given.worlds):
            rng = np.random.default_rng([given.seed, number])
            pairs, distances = world(rng, drift=drift, shift=shift)
            plain, trend = along_lines(pairs, distances, fitters)
            ways = {
                "`trend`": trend,
                "the same without what times are off the line": plain,
                "weights on answers at single times": of_levels(pairs, distances, fitters),
            }
            for way, one in ways.items():
                yield {"data": kind, "method": way, **misses(one, TRUTH)}


def example(seed: int) -> Result:
    """Return what is said of made distances at five times."""
    return bb.over_time(moved(seed), seed=1)


if __name__ == "__main__":
    run(records, __doc__, worlds=200, seed=7, example=example)
