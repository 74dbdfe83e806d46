"""Effective draws per second of the collapsed engine against NUTS, and its cost in pairs.

Run: python benchmarks/engines.py [--data DIR] [--skip-nuts]
On weat_1_google.csv (17,689 pairs), 4 x 1,000 draws, one core. Seconds are what a user waits for a
fit, compilation included; for the collapsed engine the median of nine fits. Before that `paper` and
`maximal` on 10³ to 10⁶ simulated pairs and 10 to 2,000 words, each in a process of its own for its
peak memory.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # one core for both sides

import argparse
import json
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np

import bayesbias as bb

SCALE = """
import json, resource, sys, time
import numpy as np, pandas as pd
import bayesbias as bb
model, words, attributes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(0)
w, a = np.divmod(np.arange(words * attributes), attributes)
names = np.array(["associated", "different", "human", "neutral"])
kind = np.minimum(a * 20 // attributes, 3)
connection = names[np.where(kind < 2, (kind + w) % 2, np.where(kind == 2, 2, 3))]
frame = pd.DataFrame({
    "protected_word": np.array([f"word{i}" for i in range(words)])[w],
    "group": np.array(["x", "y"])[w % 2],
    "attribute": np.array([f"attribute{i}" for i in range(attributes)])[a],
    "attribute_set": names[kind],
    "connection": connection,
    "cosine_distance": 0.95 + 0.05 * rng.standard_normal(words)[w]
    + 0.05 * rng.standard_normal(attributes)[a] + 0.05 * rng.standard_normal(len(w)),
})
frame["cosine_distance"] = frame["cosine_distance"].clip(0, 2)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
seconds = []
for _ in range(3):
    start = time.perf_counter()
    fit = bb.fit(frame, model=model, engine="collapsed", seed=1, draws=1000)
    seconds.append(time.perf_counter() - start)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([len(frame), min(seconds), before, peak]))
"""

SIZES = ((10, 100), (30, 333), (100, 1000), (300, 3333), (500, 200), (2000, 500))
"""Protected words and attributes."""


def collapsed(frame, model: str) -> tuple[float, float]:
    """Return effective draws and the median of nine times."""
    seconds = []
    for _ in range(9):
        start = time.perf_counter()
        fit = bb.fit(frame, model=model, engine="collapsed", seed=1, draws=1000)
        seconds.append(time.perf_counter() - start)
    return fit.diagnostics.min_importance_ess, float(np.median(seconds))


def nuts(frame, model: str, sampler: str) -> tuple[float, float, float]:
    """Return the smallest ESS of any parameter, seconds, and the largest R-hat."""
    start = time.perf_counter()
    fit = bb.fit(
        frame,
        model=model,
        engine="nuts",
        sampler=sampler,
        seed=1,
        draws=1000,
        cores=1,
        progress=False,
    )
    seconds = time.perf_counter() - start
    found = fit.diagnostics
    return min(found.min_ess_bulk, found.min_ess_tail), seconds, found.max_r_hat


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("BAYESBIAS_DATA", Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--skip-nuts", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    # First, since a child process inherits its parent's peak memory.
    print(
        f"{'model':<9} {'words':>6} {'pairs':>9} {'seconds':>8} {'µs a pair':>10} "
        f"{'MB before':>10} {'MB peak':>8}"
    )
    for model in ("paper", "maximal"):
        for words, attributes in SIZES:
            command = [sys.executable, "-c", SCALE, model, str(words), str(attributes)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            n, seconds, before, peak = json.loads(done.stdout)
            print(
                f"{model:<9} {words:6,} {n:9,} {seconds:8.3f} {1e6 * seconds / n:10.2f} "
                f"{before:10.0f} {peak:8.0f}",
                flush=True,
            )
    print()
    frame = bb.read_distances(arguments.data / "distances" / "weat_1_google.csv")
    print(f"{'model':<9} {'engine':<10} {'seconds':>8} {'ESS':>6} {'ESS/s':>9} {'R-hat':>6}  ratio")
    for model, sampler in (("paper", "pymc"), ("maximal", "nutpie")):
        ess, seconds = collapsed(frame, model)
        print(
            f"{model:<9} {'collapsed':<10} {seconds:8.3f} {ess:6.0f} {ess / seconds:9.0f} {'':>6}",
            flush=True,
        )
        if arguments.skip_nuts:
            continue
        slow_ess, slow, r_hat = nuts(frame, model, sampler)
        ratio = (ess / seconds) / (slow_ess / slow)
        print(
            f"{model:<9} {sampler:<10} {slow:8.1f} {slow_ess:6.0f} {slow_ess / slow:9.1f} "
            f"{r_hat:6.3f}  {ratio:,.0f} ×",
            flush=True,
        )


if __name__ == "__main__":
    main()
