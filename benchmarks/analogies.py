"""Answers analogies on generated vectors, against gensim's most_similar and most_similar_cosmul.

Run: OMP_NUM_THREADS=1 python benchmarks/analogies.py [--words 100000] [--dim 300] [--rounds 5]
Two loads: questions as files have them, every pair of a category against every other, so that
words recur; and queries of three random words, the worst case, in which every query brings its own
product: the last line says how many a second the product alone allows. Both sides give the same
ten words, which is checked. Rounds alternate between gensim and us, and the fastest of each counts,
since other work on the machine slows both.
"""

import argparse
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from gensim.models import KeyedVectors

import bayesbias as bb

GENSIM_QUERIES = 50
EPSILON = 1e-6  # gensim's


def make_vectors(words: int, dim: int) -> KeyedVectors:
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((words, dim), dtype=np.float32)
    return bb.load_embedding(([f"word{i}" for i in range(words)], matrix))


def question_queries(kv: KeyedVectors, n_pairs: int = 46) -> list[tuple[str, str, str]]:
    """Return a category of questions: all ordered couples of pairs."""
    chosen = np.random.default_rng(1).choice(len(kv), (n_pairs, 2), replace=False)
    pairs = [(kv.index_to_key[x], kv.index_to_key[y]) for x, y in chosen]
    return [(*p, q[0]) for p in pairs for q in pairs if p != q]


def random_queries(kv: KeyedVectors, n: int = 2048) -> list[tuple[str, str, str]]:
    rng = np.random.default_rng(2)
    return [
        tuple(kv.index_to_key[i] for i in rng.choice(len(kv), 3, replace=False)) for _ in range(n)
    ]


def loop(
    ask: Callable[..., list[tuple[str, float]]], queries: list[tuple[str, str, str]]
) -> list[list[str]]:
    """Ask gensim some of the queries, one at a time, which is its only way."""
    return [
        [word for word, _ in ask(positive=[b, c], negative=[a], topn=10)]
        for a, b, c in queries[:GENSIM_QUERIES]
    ]


def timed(function: Callable[[], Any]) -> tuple[float, Any]:
    """Return calls per second, and the result."""
    start = time.perf_counter()
    result = function()
    return 1 / (time.perf_counter() - start), result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    kv = make_vectors(arguments.words, arguments.dim)
    kv.fill_norms()  # gensim keeps them from its first query on
    print(f"{arguments.words:,} × {arguments.dim}, queries a second, top 10")
    print(f"{'method':<9} {'queries':<10} {'gensim':>8} {'here':>8} {'ratio':>7}  same answers")
    for method, ask in (("3cosadd", kv.most_similar), ("3cosmul", kv.most_similar_cosmul)):
        for load, queries in (("questions", question_queries(kv)), ("random", random_queries(kv))):
            gensim, here = [], []
            for _ in range(arguments.rounds):
                rate, theirs = timed(lambda ask=ask, queries=queries: loop(ask, queries))
                gensim.append(rate * GENSIM_QUERIES)
                rate, frame = timed(
                    lambda method=method, queries=queries: bb.analogies.solve(
                        kv, queries, method=method, top=10, epsilon=EPSILON, progress=False
                    )
                )
                here.append(rate * len(queries))
            ours = frame[frame["setting"] == "constrained"].groupby("query")["word"].apply(list)
            same = sum(x == y for x, y in zip(theirs, ours[:GENSIM_QUERIES], strict=True))
            print(
                f"{method:<9} {load:<10} {max(gensim):8,.0f} {max(here):8,.0f} "
                f"{max(here) / max(gensim):6.1f}×  {same} of {GENSIM_QUERIES}"
            )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of the process, vectors and gensim included: {peak:,.0f} MB")
    columns = np.random.default_rng(3).standard_normal((arguments.dim, 512), dtype=np.float32)
    bare = max(timed(lambda: kv.vectors @ columns)[0] for _ in range(arguments.rounds))
    print(f"product of the vocabulary with a query, nothing else: {512 * bare:,.0f} a second")


if __name__ == "__main__":
    main()
