"""Debiases generated vectors, against a plain loop over words.

Run: python benchmarks/debias.py [--words 50000] [--dim 300]
The loop is what the definitions say, word by word in numpy: the other packages' way. Both give the
same vectors. Loading and making vectors is not timed; of three runs the fastest counts.
"""

import argparse
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from gensim.models import KeyedVectors

import bayesbias as bb
from bayesbias import debias

PAIRS = [[f"word{2 * i}", f"word{2 * i + 1}"] for i in range(10)]
OPTIONS = {"defining_sets": PAIRS, "neutralise": "all"}


def make_vectors(words: int, dim: int) -> KeyedVectors:
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((words, dim), dtype=np.float32)
    return bb.load_embedding(([f"word{i}" for i in range(words)], matrix))


def loop(kv: KeyedVectors) -> np.ndarray:
    """Hard debiasing, one word at a time."""
    unit = {word: kv[word] / np.linalg.norm(kv[word]) for word in kv.index_to_key}
    centred = [unit[w] - (unit[x] + unit[y]) / 2 for x, y in PAIRS for w in (x, y)]
    b = np.linalg.svd(np.array(centred))[2][0]
    protected = {word for pair in PAIRS for word in pair}
    for word in kv.index_to_key:
        if word not in protected:
            rest = unit[word] - (unit[word] @ b) * b
            unit[word] = rest / np.linalg.norm(rest)
    for x, y in PAIRS:
        mean = (unit[x] + unit[y]) / 2
        rest = mean - (mean @ b) * b
        size = np.sqrt(1 - rest @ rest) * np.sign((unit[x] - unit[y]) @ b)
        unit[x], unit[y] = rest + size * b, rest - size * b
    return np.array([unit[word] for word in kv.index_to_key])


def fastest(function: Callable[[], object], runs: int = 3) -> float:
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def extra_memory(kv: KeyedVectors, method: Callable[..., object]) -> float:
    """Return the peak of memory during a method, in multiples of the matrix."""
    tracemalloc.start()
    method(kv, **OPTIONS)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / kv.vectors.nbytes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=50_000)
    parser.add_argument("--dim", type=int, default=300)
    arguments = parser.parse_args()
    kv = make_vectors(arguments.words, arguments.dim)
    plain = fastest(lambda: loop(kv))
    print(f"{arguments.words:,} × {arguments.dim}, all words but {len(PAIRS)} pairs neutralised")
    print(f"{'method':<22} {'seconds':>8} {'speed-up':>9} {'memory':>7}")
    print(f"{'hard, a plain loop':<22} {plain:8.2f} {1:8.0f}×")
    for name in debias.METHODS:
        method = debias.find_method(name)
        seconds = fastest(lambda method=method: method(kv, **OPTIONS))
        memory = extra_memory(kv, method)
        print(f"{name:<22} {seconds:8.2f} {plain / seconds:8.0f}× {memory:6.2f}×")
    difference = np.abs(debias.hard(kv, **OPTIONS).vectors.vectors - loop(kv)).max()
    print(f"hard: largest difference to the loop {difference:.1e}")
    print("memory: the peak during a call, new vectors included, in multiples of the old ones")


if __name__ == "__main__":
    main()
