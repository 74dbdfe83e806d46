"""Time and memory of frames and fits as lists grow.

Run: python benchmarks/growth.py [--sizes 25x50 50x100 ...] [--models paper crossed maximal]
Two groups of generated words and four lists of generated attributes, 50 dimensions; every line is a
process of its own. Processor seconds, and the most memory beyond what the imports take.
"""

import argparse
import resource
import subprocess
import sys
import time
import warnings

import numpy as np


def peak() -> float:
    """Return this process's peak memory in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def word_list(words: int, attributes: int, groups: int) -> tuple[object, list[str]]:
    """Return a list of so many words in groups, and all of its words."""
    from bayesbias.pairs.word_lists import AttributeSet, ProtectedGroup, WordList

    each = max(1, attributes // (groups + 2))
    sets = [AttributeSet(f"l{i}", "stereotype", tuple(f"s{i}-{j}" for j in range(each)))
            for i in range(groups)]  # fmt: skip
    sets += [
        AttributeSet(c, c, tuple(f"{c}{j}" for j in range(each))) for c in ("human", "neutral")
    ]
    members = [tuple(f"w{i}" for i in range(words) if i % groups == g) for g in range(groups)]
    of = tuple(ProtectedGroup(f"g{i}", own, (f"l{i}",)) for i, own in enumerate(members))
    made = WordList("made", "made", "made", of, tuple(sets))
    return made, list(made.words)


def measure(words: int, attributes: int, groups: int, model: str) -> str:
    """Make one frame, and fit it; return the line of the table."""
    import bayesbias as bb
    from bayesbias.vectors.lookup import keyed_vectors

    made, names = word_list(words, attributes, groups)
    vectors = np.random.default_rng(1).standard_normal((len(names), 50)).astype(np.float32)
    kv = keyed_vectors(names, vectors)
    bb.fit(bb.distances(bb.example_embedding(), "weat7"), "paper", seed=1)  # imports
    start, before = time.process_time(), peak()
    frame = bb.distances(kv, made)
    made_in, after = time.process_time() - start, peak()
    said = f"{words:,} × {attributes:,} | {groups} | {len(frame):,} | {made_in:.1f} | "
    said += f"{after - before:,.0f}"
    if model == "none":
        return said
    fit = bb.fit(frame, model, seed=1, engine="collapsed")
    fitted, start = time.process_time() - start - made_in, time.process_time()
    fit.summary()
    summarised, most = time.process_time() - start, peak() - before
    return f"{said} | {model} | {fitted:.1f} | {summarised:.1f} | {most:,.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", default=["25x50", "50x100", "100x200", "200x400"])
    parser.add_argument("--models", nargs="+", default=["paper", "maximal"])
    parser.add_argument("--groups", type=int, default=2)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        warnings.simplefilter("ignore")
        words, attributes = map(int, given.sizes[0].split("x"))
        print(measure(words, attributes, given.groups, given.models[0]))
        return
    print("words × attributes | groups | pairs | frame s | MB | model | fit s | summary s | MB")
    for model in given.models:
        for size in given.sizes:
            options = ["--sizes", size, "--models", model, "--groups", str(given.groups)]
            subprocess.run([sys.executable, __file__, "--inside", *options], check=False)


if __name__ == "__main__":
    main()
