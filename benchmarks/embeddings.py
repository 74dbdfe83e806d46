"""Looks 400 words up in a generated text file, against gensim's full load of it.

Run: python benchmarks/embeddings.py [--words 200000] [--dim 300]
Each reader runs in a process of its own, so that peak memory is its own too. The file is read once
before, so that both find it in the page cache.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

READERS = {
    "bayesbias, 400 words": "bb.load_embedding(path, words=wanted)",
    "bayesbias, all words": "bb.load_embedding(path)",
    "gensim, all words": "KeyedVectors.load_word2vec_format(path)",
}
CODE = """
import json, resource, time
import numpy, pandas
import bayesbias as bb
import bayesbias.vectors.loading
from gensim.models import KeyedVectors
path, wanted = {path!r}, [f"word{{i}}" for i in range(7, {words}, {words} // 400)][:400]
start = time.perf_counter()
kv = {reader}
seconds = time.perf_counter() - start
checksum = float(numpy.abs(kv[wanted]).sum())
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([seconds, peak, checksum]))
"""


def write_vectors(path: Path, words: int, dim: int) -> None:
    """Write a text file; lines repeat after 997 words, which no reader can know."""
    rng = np.random.default_rng(0)
    tails = [" ".join(f"{x:.6f}" for x in rng.standard_normal(dim)) for _ in range(997)]
    with path.open("w", encoding="ascii") as stream:
        stream.write(f"{words} {dim}\n")
        stream.writelines(f"word{i} {tails[i % 997]}\n" for i in range(words))


def measure(path: Path, words: int, reader: str) -> tuple[float, float, float]:
    code = CODE.format(path=str(path), words=words, reader=reader)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return tuple(json.loads(done.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=200_000)
    parser.add_argument("--dim", type=int, default=300)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.txt"
        write_vectors(path, arguments.words, arguments.dim)
        with path.open("rb") as stream:  # in pieces: a child inherits its parent's peak memory
            while stream.read(1 << 20):
                pass
        results = {name: measure(path, arguments.words, r) for name, r in READERS.items()}
        print(f"{arguments.words:,} × {arguments.dim}, {path.stat().st_size / 1e6:,.0f} MB of text")
    slowest = results["gensim, all words"]
    print(f"{'reader':<22} {'seconds':>8} {'speed-up':>9} {'peak MB':>8}  same vectors")
    for name, (seconds, peak, checksum) in results.items():
        same = "yes" if abs(checksum - slowest[2]) < 1e-3 else "NO"
        print(f"{name:<22} {seconds:8.2f} {slowest[0] / seconds:8.0f}× {peak:8.0f}  {same}")


if __name__ == "__main__":
    main()
