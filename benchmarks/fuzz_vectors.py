"""Damaged vector files: every reader refuses them in one line, or reads what no length could tell.

    python benchmarks/fuzz_vectors.py --cases 5000 --seed 1

Each case is a small file of one kind with bytes flipped, cut, repeated, put in or taken out. It may
raise a `BayesBiasError` and nothing else, within ten seconds and 2 GB. A file that is read although
its content is not that of the sound one is counted as accepted and different.
"""

import argparse
import collections
import json
import resource
import signal
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from gensim.models import FastText
from gensim.models.fasttext import save_facebook_model

import bayesbias as bb
from bayesbias.errors import BayesBiasError

N, DIM = 40, 6


def sound_files(folder: Path) -> Iterator[Path]:
    """Write one sound file of each kind, in a folder of its own; yield its path."""
    rng = np.random.default_rng(1)
    words = [f"w{chr(97 + k % 26)}{chr(97 + k // 26)}" for k in range(N)]
    matrix = rng.standard_normal((N, DIM)).astype(np.float32)
    kv = bb.load_embedding((words, matrix))
    frame = pd.DataFrame(matrix, columns=[f"d{k}" for k in range(DIM)])
    frame.insert(0, "word", words)
    lists = pd.DataFrame({"word": words, "vector": list(matrix), "n": range(N)})
    text = "\n".join(f"{w} {' '.join(map(str, row))}" for w, row in zip(words, matrix, strict=True))
    model = FastText([words] * 2, vector_size=DIM, min_count=1, bucket=20, epochs=1, seed=1)
    header = {"embeddings": {"dtype": "F32", "shape": [N, DIM], "data_offsets": [0, 4 * N * DIM]}}
    packed = json.dumps(header).encode()
    tensors = len(packed).to_bytes(8, "little") + packed + matrix.tobytes()
    tokens = json.dumps({"model": {"vocab": {word: k for k, word in enumerate(words)}}})
    rows = lists.assign(vector=[row.tolist() for row in matrix])
    writers = {
        "glove.txt": lambda path: path.write_text(text + "\n"),
        "word2vec.txt": lambda path: kv.save_word2vec_format(str(path)),
        "word2vec.bin": lambda path: kv.save_word2vec_format(str(path), binary=True),
        "packed.txt.gz": lambda path: kv.save_word2vec_format(str(path)),  # gensim compresses
        "fasttext.bin": lambda path: save_facebook_model(model, str(path)),
        "wide.csv": lambda path: frame.to_csv(path, index=False),
        "wide.tsv": lambda path: frame.to_csv(path, sep="\t", index=False),
        "wide.parquet": lambda path: frame.to_parquet(path),
        "lists.parquet": lambda path: lists.to_parquet(path),
        "lists.feather": lambda path: lists.to_feather(path),
        "lists.jsonl": lambda path: rows.to_json(path, orient="records", lines=True),
        "words.npz": lambda path: np.savez(path, words=np.array(words), vectors=matrix),
        "model.safetensors": lambda path: path.write_bytes(tensors),
    }
    for name, write in writers.items():
        place = folder / name.replace(".", "-")
        place.mkdir()
        (place / "tokenizer.json").write_text(tokens)
        write(place / name)
        yield place / name


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """Return a file's bytes with one to three faults."""
    data = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        at, length = int(rng.integers(len(data) or 1)), int(rng.integers(1, 60))
        piece = bytes(data[at : at + length])
        flipped = bytes([data[at] ^ 1 << int(rng.integers(8))]) if data else b""
        filled = [b"9", b"\0", b"\xff", b"\n", b'"'][rng.integers(5)] * length
        new = [flipped + piece[1:], b"", rng.bytes(length) + piece, 2 * piece, filled]
        data[at : at + length] = new[rng.integers(len(new))]
        if rng.integers(6) == 0:
            del data[at:]
    return bytes(data)


def outcome(path: Path, sound: dict[str, bytes], words: list[str] | None) -> str:
    """Load a file; say how that ended."""
    signal.alarm(10)
    try:
        kv = bb.load_embedding(path, words=words)
        read = {word: kv[word].tobytes() for word in kv.index_to_key}
        expected = sound if words is None else {w: v for w, v in sound.items() if w in words}
        return "the same" if read == expected else "accepted and different"
    except BayesBiasError:
        return "refused"
    except Exception:  # what this looks for
        traceback.print_exc()
        return "OTHER ERROR"
    finally:
        signal.alarm(0)


def main() -> None:
    """Run the cases and print a row for each kind of file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    warnings.simplefilter("ignore")
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        files = list(sound_files(Path(folder)))
        contents = [path.read_bytes() for path in files]
        loaded = [bb.load_embedding(path) for path in files]
        for case in range(given.cases):
            rng = np.random.default_rng([given.seed, case])
            path, kv = files[case % len(files)], loaded[case % len(files)]
            path.write_bytes(damaged(contents[case % len(files)], rng))
            words = None if rng.integers(2) else kv.index_to_key[::5]
            sound = {word: kv[word].tobytes() for word in kv.index_to_key}
            counts[path.name][outcome(path, sound, words)] += 1
    print(pd.DataFrame(counts).T.fillna(0).astype(int).to_string())
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB")


if __name__ == "__main__":
    main()
