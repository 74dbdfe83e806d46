"""Looks words up in and debiases a large generated embedding, against gensim.

Run: python benchmarks/scale.py [--words 1000000] [--dim 100]
Every step runs in a process of its own, so that its peak memory is its own; imports are not timed,
and their memory is shown in the first row. "Private" is the peak without the pages of mapped files,
which the system takes back when it needs them (looked at every 20 ms; Linux). All files were
written just before, so that both find them in the page cache.
"""

import argparse
import gzip
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

SETUP = """
import gzip, json, resource, sys, time
import numpy as np, pandas
import bayesbias as bb
from bayesbias import debias
import bayesbias.vectors.loading
from gensim.models import KeyedVectors
folder, n = {folder!r}, {words}
binary, text, native = (folder + "/" + x for x in ("v.bin", "v.txt", "v.kv"))
wanted = [f"word{{i}}" for i in range(27, n, n // 401)][:400]
pairs = [[f"word{{2 * i}}", f"word{{2 * i + 1}}"] for i in range(10)]
load = KeyedVectors.load_word2vec_format
def full(kv):
    return debias.hard(kv, matched=pairs, neutralise="all").vectors[wanted]
def by_hand(kv):
    # What gensim users write: the whole matrix at once.
    kv.unit_normalize_all()
    unit = kv.vectors
    rows = unit[[kv.key_to_index[w] for p in pairs for w in p]].reshape(10, 2, -1)
    b = np.linalg.svd((rows - rows.mean(axis=1, keepdims=True)).reshape(20, -1))[2][0]
    kept = [kv.key_to_index[w] for p in pairs for w in p]
    new = unit - np.outer(unit @ b, b)
    new /= np.linalg.norm(new, axis=1, keepdims=True)
    new[kept] = unit[kept]
    return new[[kv.key_to_index[w] for w in wanted]]
def unzipped():
    with gzip.open(text + ".gz") as stream:
        while stream.read(1 << 22):
            pass
start = time.perf_counter()
found = {code}
seconds = time.perf_counter() - start
check = float(np.abs(found).sum()) if found is not None else 0.0
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([seconds, peak, check]))
"""

STEPS = {
    "imports alone": "None",
    "save: gensim (load, save)": "load(binary, binary=True).save(native)",
    "open: gensim, native, mmap": "KeyedVectors.load(native, mmap='r') and None",
    "400 words: bayesbias, binary": "bb.load_embedding(binary, words=wanted)[wanted]",
    "400 words: bayesbias, text": "bb.load_embedding(text, words=wanted)[wanted]",
    "400 words: bayesbias, text.gz": "bb.load_embedding(text + '.gz', words=wanted)[wanted]",
    "(decompressing text.gz alone)": "unzipped()",
    "400 words: gensim, native, mmap": "KeyedVectors.load(native, mmap='r')[wanted]",
    "400 words: gensim, binary": "load(binary, binary=True)[wanted]",
    "hard debias: bayesbias, binary": "full(bb.load_embedding(binary))",
    "hard debias: gensim and numpy, binary": "by_hand(load(binary, binary=True))",
}


def write_files(folder: Path, words: int, dim: int) -> None:
    """Write the same vectors as binary, text and gzip; rows repeat after 997 words."""
    matrix = np.random.default_rng(0).standard_normal((997, dim)).astype("<f4").round(4)
    raw = [row.tobytes() for row in matrix]
    shown = [" ".join(f"{x:.4f}" for x in row) for row in matrix]
    with (folder / "v.bin").open("wb") as binary, (folder / "v.txt").open("wb") as text:
        for stream in (binary, text):
            stream.write(f"{words} {dim}\n".encode())
        for i in range(words):
            binary.write(f"word{i} ".encode() + raw[i % 997] + b"\n")
            text.write(f"word{i} {shown[i % 997]}\n".encode())
    with (folder / "v.txt").open("rb") as text, gzip.open(folder / "v.txt.gz", "wb", 1) as packed:
        shutil.copyfileobj(text, packed, 1 << 20)


def private(pid: int) -> float:
    """Return the memory that is a process's own, without pages of files, in MB."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    found = [line.split()[1] for line in status.splitlines() if line.startswith("RssAnon")]
    return int(found[0]) / 1024 if found else 0.0


def measure(folder: Path, words: int, code: str) -> tuple[float, float, float, float]:
    """Return seconds, peak of resident memory, peak of private memory and the checksum."""
    script = SETUP.format(folder=str(folder), words=words, code=code)
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        own = 0.0
        while process.poll() is None:
            own = max(own, private(process.pid))
            time.sleep(0.02)
        out, errors = process.communicate()
    if process.returncode:
        raise RuntimeError(errors[-2000:])
    seconds, peak, check = json.loads(out)
    return seconds, peak, own, check


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=1_000_000)
    parser.add_argument("--dim", type=int, default=100)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, arguments.words, arguments.dim)
        sizes = ", ".join(f"{p.name} {p.stat().st_size / 1e6:,.0f} MB" for p in folder.iterdir())
        print(f"{arguments.words:,} × {arguments.dim}: {sizes}")
        print(f"{'step':<38} {'seconds':>8} {'peak MB':>8} {'private':>8}  checksum", flush=True)
        for step, code in STEPS.items():
            seconds, peak, own, check = measure(folder, arguments.words, code)
            print(f"{step:<38} {seconds:8.3f} {peak:8,.0f} {own:8,.0f}  {check:.3f}", flush=True)


if __name__ == "__main__":
    main()
