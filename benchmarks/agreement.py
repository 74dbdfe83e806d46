"""Compares the collapsed engine with NUTS for every Gaussian model on published files.

Run: BAYESBIAS_DATA=... python benchmarks/agreement.py [--files NAME ...]
     python benchmarks/agreement.py --lists LIST ... [--vectors FILE] [--draws N]

With lists instead of files: `maximal` with the similarity of their attributes in the vectors (those
shipped, or a file), on the stereotypes and reference words, with two chains.

Prints, per model and file, the largest difference of means in Monte Carlo standard errors (both
engines' errors together) and the largest relative difference of standard deviations. About a minute
per line, for `maximal` about ten; needs the published distance files, by default where the tests
look for them.
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
from saved_results import DATA

import bayesbias as bb

MODELS = ("paper", "shared-noise", "no-pooling", "complete-pooling", "crossed", "maximal")
FILES = ("religion_group_reddit_dataset.csv", "gender_group_google_dataset.csv", "weat_7_glove.csv")
WEAT_7 = FILES[-1]
KEYS = {
    "connection": ["connection"],
    "term": ["parameter", "applies_to"],
    "word": ["protected_word", "connection"],
}


def nuts_draws(model: str, name: str) -> int:
    """Return the draws of every chain of NUTS.

    Attribute effects mix more slowly: with fewer draws NUTS itself is off by several per cent.
    """
    if model == "maximal" and name != WEAT_7:
        return 8000
    return 10_000 if model == "crossed" else 4000


def compare(frame, model: str, draws: int, **options) -> dict[str, float]:
    """Fit with both engines, NUTS with so many draws, and return the largest differences."""
    ours = bb.fit(frame, model=model, engine="collapsed", seed=1, draws=10_000)
    start = time.perf_counter()
    nuts = bb.fit(frame, model=model, engine="nuts", seed=1, draws=draws, progress=False, **options)
    seconds = time.perf_counter() - start
    independent = float(ours.sample_stats["importance_ess"].min())  # draws, at least
    found = {"nuts_seconds": seconds, "r_hat": nuts.diagnostics.max_r_hat}
    for by, keys in KEYS.items():
        theirs = nuts.summary(by).table
        both = ours.summary(by).table.merge(theirs, on=keys, suffixes=("", "_nuts"))
        error = both["sd_nuts"] * np.sqrt(1 / both["ess_bulk"] + 1 / independent)
        found[f"{by}_z"] = float(((both["mean"] - both["mean_nuts"]).abs() / error).max())
        found[f"{by}_sd"] = float((both["sd"] / both["sd_nuts"] - 1).abs().max())
    return found


def similar_frame(vectors: Path | None, wordlist: str):
    """Return the stereotype pairs of a list and those of its reference words, with vectors."""
    kv = bb.load_embedding(vectors) if vectors else bb.example_embedding()
    frame = bb.distances(kv, wordlist)
    return frame[frame["connection"].isin(["associated", "different", "reference"])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", nargs="*", default=FILES)
    parser.add_argument("--lists", nargs="*", default=())
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--draws", type=int, default=2000)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print(
        f"{'model':<17} {'file':<34} {'R-hat':>6}  "
        "largest |z| and sd ratio − 1: connections, terms, words"
    )
    for name in arguments.lists:
        frame = similar_frame(arguments.vectors, name)
        options = {"chains": 2, "tune": arguments.draws}
        show("maximal", name, compare(frame, "maximal", arguments.draws, **options))
    for model in () if arguments.lists else MODELS:
        for name in arguments.files:
            frame = bb.read_distances(DATA / "distances" / name)
            show(model, name, compare(frame, model, nuts_draws(model, name)))


def show(model: str, name: str, found: dict[str, float]) -> None:
    """Print a line."""
    cells = "   ".join(f"{found[f'{t}_z']:.2f} {found[f'{t}_sd']:5.1%}" for t in KEYS)
    print(f"{model:<17} {name:<34} {found['r_hat']:6.3f}  {cells}", flush=True)


if __name__ == "__main__":
    main()
