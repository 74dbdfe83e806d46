"""Times the measures against the loops that a reader of the formulas would write.

Run: python benchmarks/measures.py [--words 50000] [--dim 300]
Both compute the same numbers, which is checked; every time is the best of three.
"""

import argparse
import time
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

import bayesbias as bb
from bayesbias.measures import mac, permutation_test, weat
from bayesbias.simulate import null_weat


def best_of_three(function: Callable[[], Any]) -> tuple[float, Any]:
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        value = function()
        seconds.append(time.perf_counter() - start)
    return min(seconds), value


def loop_exact(s: list[float], n_x: int) -> float:
    """Count every partition in Python."""
    observed = sum(s[:n_x]) - sum(s[n_x:])
    count = total = 0
    for chosen in combinations(range(len(s)), n_x):
        inside = sum(s[i] for i in chosen)
        count += inside - (sum(s) - inside) >= observed - 1e-12
        total += 1
    return count / total


def loop_draws(s: list[float], n_x: int, draws: int) -> float:
    """Shuffle and sum in Python."""
    rng = np.random.default_rng(1)
    observed = sum(s[:n_x]) - sum(s[n_x:])
    count = 0
    for _ in range(draws):
        order = rng.permutation(len(s))
        mixed = [s[i] for i in order]
        count += sum(mixed[:n_x]) - sum(mixed[n_x:]) >= observed
    return (count + 1) / (draws + 1)


def loop_mac(kv: Any, targets: list[str], sets: dict[str, list[str]]) -> float:
    """Ask gensim for one distance after the other."""
    s = [np.mean([kv.distance(t, a) for a in words]) for t in targets for words in sets.values()]
    return float(np.mean(s))


def loop_worlds(n_samples: int) -> float:
    """Draw one world after the other."""
    rng = np.random.default_rng(1)
    count = 0
    for _ in range(n_samples):
        to_a, to_b = rng.normal(0, 0.08, (16, 8)), rng.normal(0, 0.08, (16, 8))
        s = [np.mean(to_a[w]) - np.mean(to_b[w]) for w in range(16)]
        d = (np.mean(s[:8]) - np.mean(s[8:])) / np.std(s, ddof=1)
        count += abs(d) >= 1.267
    return count / n_samples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=50_000)
    parser.add_argument("--dim", type=int, default=300)
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    names = [f"word{i}" for i in range(arguments.words)]
    matrix = rng.standard_normal((arguments.words, arguments.dim), dtype=np.float32)
    kv = bb.load_embedding((names, matrix))
    s16 = rng.normal(0, 0.04, 16) + np.r_[np.full(8, 0.03), np.zeros(8)]
    s50 = rng.normal(0, 0.04, 50) + np.r_[np.full(25, 0.01), np.zeros(25)]
    s32, s40 = s50[9:41], s50[5:45]
    step = arguments.words // 500
    targets, others = names[: 100 * step : step], names[100 * step : 500 * step : step]
    sets = {f"set{k}": others[100 * k : 100 * (k + 1)] for k in range(4)}
    x, y, a, b = (names[k * 25 : (k + 1) * 25] for k in range(4))

    def p_value(s: Any, **options: Any) -> float:
        return permutation_test(s, len(s) // 2, seed=1, **options).p_value

    rows: list[tuple[str, Callable[[], Any], Callable[[], float] | None, float]] = [
        ("WEAT p, 8 + 8, all 12,870", lambda: p_value(s16), lambda: loop_exact([*s16], 8), 1e-12),
        (
            "WEAT p, 25 + 25, 10,000 drawn",
            lambda: p_value(s50),
            lambda: loop_draws([*s50], 25, 10_000),
            0.02,
        ),
        ("WEAT p, 16 + 16, all 6e8", lambda: p_value(s32, most_exact=10**9), None, 0),
        ("WEAT p, 20 + 20, all 1e11", lambda: p_value(s40, most_exact=10**12), None, 0),
        ("WEAT, four sets of 25", lambda: weat(kv, x, y, a, b, seed=1).effect_size, None, 0),
        (
            "MAC, 100 × 400 words",
            lambda: mac(kv, targets, sets).value,
            lambda: loop_mac(kv, targets, sets),
            1e-6,
        ),
        (
            "null worlds, 10,000",
            lambda: float(null_weat(n_samples=10_000).tail_shares()["share"].iloc[3]),
            lambda: loop_worlds(10_000),
            0.004,
        ),
        ("null worlds, 100,000", lambda: null_weat(n_samples=100_000).sd, None, 0),
    ]
    print(f"{arguments.words:,} × {arguments.dim} vectors")
    print(f"{'what':<30} {'ms':>9} {'loop ms':>9} {'speed-up':>9}  same number")
    for what, ours, loop, allowed in rows:
        seconds, value = best_of_three(ours)
        line = f"{what:<30} {1e3 * seconds:9.2f}"
        if loop is not None:
            start = time.perf_counter()
            known = loop()
            slow = time.perf_counter() - start
            same = "yes" if abs(known - value) <= allowed else f"NO: {value} against {known}"
            line += f" {1e3 * slow:9.0f} {slow / seconds:8.0f}×  {same}"
        print(line)


if __name__ == "__main__":
    main()
