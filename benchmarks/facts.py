"""How often the line of associations against facts misses the truth, with errors on both sides.

    python benchmarks/facts.py [--worlds 200] [--seed 8]

Worlds have two groups of eight words and n attributes, each with a number. How much nearer an
attribute is to the first group has standard deviation .05 and correlates with its true number by 0
or .6; the number is known with an error, whose standard deviation is uniform from .2 to .6 of that
of the true numbers. Words, attributes and pairs have effects and noise as in published files. In
"topics" the attributes are of ten topics: their numbers, what the line leaves of them and a part of
the noise are alike within a topic, and vectors tell how alike. Prints the share of 89% intervals
that miss the slope and the correlation of the true values, and how often least squares with exact
numbers, and Fisher's interval of the raw correlation, do.
"""

import warnings

import numpy as np
import pandas as pd
from scipy import stats
from worlds import options

import bayesbias as bb
from bayesbias.errors import DataWarning
from bayesbias.inference.design import Design
from bayesbias.pairs.profile_records import packed
from bayesbias.pairs.provenance import with_provenance

SIZE, PROB, LEAN = 8, 0.89, 0.05
WORD, ATTRIBUTE, NOISE, ALIKE = 0.046, 0.078, 0.05, 0.035
N_TOPICS, N_SAMPLE = 10, 400


def layout(n: int) -> pd.DataFrame:
    """Return the pairs of two groups and one list of attributes."""
    rows = [
        (f"{group}{word}", group, f"a{attribute}", "list", "associated", 0.0)
        for group in ("first", "second")
        for word in range(SIZE)
        for attribute in range(n)
    ]
    columns = ["protected_word", "group", "attribute", "attribute_set", "connection"]
    return pd.DataFrame(rows, columns=[*columns, "cosine_distance"])


def with_topics(frame: pd.DataFrame, n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Record profiles of attributes in which those of one topic are alike."""
    topics = rng.standard_normal((N_SAMPLE, N_TOPICS))[:, np.arange(n) % N_TOPICS]
    profiles = topics + 0.7 * rng.standard_normal((N_SAMPLE, n))
    names = frame["attribute"].unique().tolist()
    record = packed(names, [f"common{i}" for i in range(N_SAMPLE)], profiles)
    return with_provenance(frame, source={"made": "by a benchmark"}, profiles=record)


def world(n: int, correlation: float, topical: bool, rng: np.random.Generator):
    """Return a frame and a table of facts; the truth is a slope of `correlation` × LEAN."""
    frame = layout(n)
    root = np.eye(n)
    if topical:
        frame = with_topics(frame, n, rng)
        spec, _ = bb.models.drop_unidentified_terms(
            bb.load_model("maximal").in_unit(0.1, 1.0), frame
        )
        design = Design.from_frame(frame, spec)
        values, vectors = np.linalg.eigh(design.similarity)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
    true = root @ rng.standard_normal(n)
    rest = root @ rng.standard_normal(n)
    lean = LEAN * (correlation * true + np.sqrt(1 - correlation**2) * rest)
    side = np.repeat([-0.5, 0.5], SIZE)[:, None]
    noise = NOISE * rng.standard_normal((2 * SIZE, n))
    if topical:
        noise += ALIKE * rng.standard_normal((2 * SIZE, n)) @ root.T
    distance = 0.9 + side * lean + noise
    distance += WORD * rng.standard_normal((2 * SIZE, 1)) + ATTRIBUTE * rng.standard_normal(n)
    error = rng.uniform(0.2, 0.6, n)
    table = pd.DataFrame(
        {
            "word": frame["attribute"].unique(),
            "fact": true + error * rng.standard_normal(n),
            "error": error,
        }
    )
    made = frame.assign(cosine_distance=distance.ravel())
    made.attrs = dict(frame.attrs)
    return made, table


def naive(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the intervals of least squares, and Fisher's of the correlation."""
    fitted = stats.linregress(x, y)
    reach = stats.t.ppf((1 + PROB) / 2, len(x) - 2) * fitted.stderr
    of_r = np.arctanh(fitted.rvalue) + stats.norm.ppf((1 + PROB) / 2) * np.array([-1, 1]) / np.sqrt(
        len(x) - 3
    )
    return np.array([[fitted.slope - reach, fitted.slope + reach], np.tanh(of_r)])


def missed(n: int, topical: bool, correlation: float, worlds: int, seed: int) -> np.ndarray:
    """Return the percent of intervals that miss, facts and naive, of slope and correlation."""
    truth = np.array([correlation * LEAN, correlation])
    counts = np.zeros((2, 2))
    for number in range(worlds):
        rng = np.random.default_rng([seed, n, int(10 * correlation), number])
        frame, table = world(n, correlation, topical, rng)
        fit = bb.fit(frame, seed=number, draws=100)
        groups = "first", "second"
        found = bb.facts(fit, table, "fact", error="error", groups=groups, draws=1000, seed=number)
        row = found.table.iloc[0]
        ends = [[row[f"{c}_low"], row[f"{c}_high"]] for c in ("slope", "correlation")]
        both = ends, naive(*found.words[["fact", "listed"]].to_numpy().T)
        for which, bounds in enumerate(np.array(both)):
            counts[which] += (bounds[:, 0] > truth) | (bounds[:, 1] < truth)
    return 100 * counts / worlds


def main() -> None:
    """Print a line per kind of world."""
    arguments = options(__doc__, worlds=200, seed=8).parse_args()
    warnings.simplefilter("ignore", DataWarning)
    print(f"{arguments.worlds} worlds each; percent of 89% intervals that miss:")
    for n, topical in ((15, False), (60, False), (60, True)):
        for correlation in (0.0, 0.6):
            shares = missed(n, topical, correlation, arguments.worlds, arguments.seed)
            print(
                f"  n {n}{', topics' if topical else ''}, r {correlation:g}: slope "
                f"{shares[0, 0]:.1f}, r {shares[0, 1]:.1f}; least squares {shares[1, 0]:.1f}, "
                f"raw r {shares[1, 1]:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
