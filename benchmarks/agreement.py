"""Compares the collapsed engine with NUTS for every Gaussian model on published files.

Run: BAYESBIAS_DATA=... python benchmarks/agreement.py [--files NAME ...] [--save NAME]
     python benchmarks/agreement.py --similar [--save NAME]

With --similar: `maximal` with the similarity of attributes in vectors, on the stereotypes of
three lists. Two chains of NUTS check two of them. In the third, GloVe 840B, NUTS
does not settle; there chains on the marginal posterior of the standard deviations begin far apart
(`explored`), and would show another mode.

Without, it compares both engines' posteriors of every other model on three published files. Either
way it prints the largest difference of means, in standard deviations, and of standard deviations.
Needs the reference data.
"""

import argparse
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from published import named
from saved_results import DATA, save

import bayesbias as bb
from bayesbias.engine.block import every_block
from bayesbias.engine.collapsed import integrate

MODELS = ("paper", "shared-noise", "no-pooling", "complete-pooling", "crossed")
FILES = ("religion_group_reddit_dataset.csv", "gender_group_google_dataset.csv", "weat_7_glove.csv")
SIMILAR = {
    "gender, GloVe (shipped)": ("gender", None, 5000),
    "WEAT 7, GoogleNews": ("weat7", "googlenews-16k-300d.bin", 5000),
    "gender, GloVe 840B": ("gender", "glove-840b-10k-300d-int8.bin.gz", 0),
}
"""Word list, file of vectors (None: those shipped), and draws of each chain of NUTS."""

KEYS = {
    "connection": ["connection"],
    "term": ["parameter", "applies_to"],
    "word": ["protected_word", "connection"],
}


def nuts_draws(model: str) -> int:
    """Return the draws of every chain of NUTS.

    Attribute effects mix more slowly: with fewer draws NUTS itself is off by several per cent.
    """
    return 10_000 if model == "crossed" else 4000


def similar() -> pd.DataFrame:
    """Return how far both posteriors with similar attributes are apart, list by list."""
    rows = []
    for title, (wordlist, file, draws) in SIMILAR.items():
        path = DATA / "embeddings" / file if file else None
        kv = bb.load_embedding(path) if path else bb.example_embedding()
        frame = bb.distances(kv, wordlist)
        frame = frame[frame["connection"].isin(["associated", "different"])]
        found = nuts(frame, draws, vectors=kv) if draws else chains(frame, kv)
        rows.append({"list, vectors": title, **found})
        print(rows[-1], flush=True)
    return pd.DataFrame(rows)


def nuts(
    frame: pd.DataFrame, draws: int, model: str = "maximal", chains: int = 2, vectors: Any = None
) -> dict[str, object]:
    """Fit with both engines, and compare every mean and standard deviation."""
    both = {"vectors": vectors, "seed": 1}
    ours = bb.fit(frame, model, engine="collapsed", draws=10_000, **both)
    options = {"chains": chains, "tune": draws, "draws": draws, "progress": False}
    theirs = bb.fit(frame, model, engine="nuts", **options, **both)
    found: dict[str, object] = {"checked by": "NUTS", "R-hat": theirs.diagnostics.numbers["r_hat"]}
    for by, name in zip(KEYS, ("means", "standard deviations", "word means"), strict=True):
        tables = (fit.summary(by).set_index(KEYS[by]) for fit in (ours, theirs))
        first, second = (table[["mean", "sd"]] for table in tables)
        found |= apart(name, first["mean"], first["sd"], second["mean"], second["sd"])
    return found


def chains(frame: pd.DataFrame, vectors: Any, steps: int = 20_000) -> dict[str, object]:
    """Let chains walk from all over the range of the standard deviations, and compare these."""
    ours = bb.fit(frame, vectors=vectors, engine="collapsed", seed=1, draws=10_000)
    block = max(every_block(ours.design, ours.spec), key=lambda one: one.dimension)
    low, high = block.bounds
    rng = np.random.default_rng(1)
    start = low + (high - low) * rng.random((10 * block.dimension, block.dimension))

    def folded(x: np.ndarray) -> np.ndarray:  # the density is even in the first coordinates
        return np.concatenate([np.abs(x[:, : block.n_free]), x[:, block.n_free :]], axis=1)

    def log_density(x: np.ndarray) -> np.ndarray:
        inside = ((folded(x) >= low) & (x <= high)).all(axis=1)
        value = np.full(len(x), -np.inf)
        value[inside] = block.log_density(folded(x[inside]))
        return value

    ours_of_block, _ = integrate(block, 40_000)
    both = [
        np.concatenate(block.standard_deviations(x)).T
        for x in (
            ours_of_block,
            folded(explored(log_density, start, rng, steps=steps)),
        )
    ]
    moments = [moment for draws in both for moment in (draws.mean(axis=0), draws.std(axis=0))]
    return {"checked by": f"{len(start)} chains", **apart("standard deviations", *moments)}


def explored(
    log_density: Callable[[np.ndarray], np.ndarray],
    x: np.ndarray,
    rng: np.random.Generator,
    *,
    steps: int,
) -> np.ndarray:
    """Return where a population of chains is in the second half of its steps.

    Steps are differences between chains, and so take scale and direction from where these are:
    ter Braak (2006), "A Markov chain Monte Carlo version of the genetic algorithm Differential
    Evolution".

    `log_density`: (n, d) to (n,), −inf where there is none. `x` (n, d): where the chains begin;
    more than twice as many as there are coordinates. Returns (n_points, d).
    """
    n, d = x.shape
    x, value, history = x.copy(), log_density(x), []
    for step in range(steps):
        first, second = rng.integers(n, size=(2, n))
        # The best scale of a difference where the density is normal (ter Braak 2006).
        scale = 1.0 if step % 10 == 0 else 2.38 / np.sqrt(2 * d)
        noise = 1e-4 * rng.standard_normal(x.shape)
        tried = x + scale * (x[first] - x[second]) + noise
        density = log_density(tried)
        # Metropolis: the logarithm of a uniform number is minus an exponential one.
        better = density > value - rng.exponential(size=n)  # both may be -inf
        x[better], value[better] = tried[better], density[better]
        if step >= steps // 2 and step % 10 == 0:
            history.append(x.copy())
    return np.concatenate(history)


def apart(name: str, mean, sd, other_mean, other_sd) -> dict[str, float]:
    """Return the largest difference of means, in sds, and of sds, in percent; of what varies."""
    varies = np.asarray(sd) > 1e-9  # of what is fixed only rounding does
    means = np.abs(mean - other_mean)[varies] / sd[varies]
    ratios = 100 * np.abs(other_sd[varies] / sd[varies] - 1)
    return {
        f"{name}: difference in sd": float(means.max()),
        f"{name}: of sds in %": float(ratios.max()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", nargs="*", default=FILES)
    parser.add_argument("--similar", action="store_true")
    parser.add_argument("--save", metavar="NAME")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    found = similar() if arguments.similar else published(arguments.files)
    print(found.round(3).to_string(index=False))
    if arguments.save:
        print(save(found, arguments.save, {"seed": 1}))


def published(files: Sequence[str]) -> pd.DataFrame:
    """Return how far both posteriors of every other model are apart, file by file."""
    rows = []
    for model in MODELS:
        for name in files:
            frame = bb.read_distances(DATA / "distances" / name)
            found = nuts(frame, nuts_draws(model), model, chains=4)
            del found["checked by"]
            rows.append({"model": f"`{model}`", "file": named(name.removesuffix(".csv")), **found})
            print(rows[-1], flush=True)
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main()
