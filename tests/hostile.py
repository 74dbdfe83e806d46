"""What hostile files look like, for the tests and for ``benchmarks/fuzz.py``.

A file is a sound one with a few edits (bytes changed, cut out, doubled, or replaced by what readers
stumble over), or a run of tokens of the format, or bytes at random.
"""

import bz2
import gzip
import tempfile
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from make_malformed import COLUMNS, LIST, MODEL, ROW, record
from samples import make_frame

import bayesbias as bb

_STORED = ["meta.json", "words.txt", "vectors.npy", "offsets.npy", "hashes.npy", "rows.npy"]


def _read_store(path: Path) -> None:
    """Read a sound store with one file replaced: the first byte says which, the rest by what."""
    content = path.read_bytes()
    store = path.with_name("hostile.bbv")
    store.mkdir(exist_ok=True)
    for number, one in enumerate(sound("store")):
        (store / _STORED[number]).write_bytes(one[1:])
    (store / _STORED[(content or b"0")[0] % len(_STORED)]).write_bytes(content[1:])
    vectors = bb.load_embedding(store)
    for word in ["a", "b c", "é", "absent"]:
        if word in vectors:
            vectors[word]
    list(vectors.index_to_key)
    bb.load_embedding(store, words=["a", "b c", "é"])
    bb.load_embedding(store, limit=2)


READERS: Mapping[str, Callable[[Path], object]] = {
    "vectors": bb.load_embedding,
    "wanted": lambda path: bb.load_embedding(path, words=["a", "b c", "é"], fallbacks=["upper"]),
    "distances": bb.read_distances,
    "parquet": bb.read_distances,
    "wordlist": bb.load_wordlist,
    "model": bb.load_model,
    "fit": bb.load_fit,
    "store": _read_store,
}

_TOKENS = {
    "vectors": [
        "a",
        "b c",
        "é",
        "1",
        "-0.5",
        "1e300",
        "nan",
        "inf",
        "1_0",
        "3 2\n",
        "2 1\n",
        " ",
        "\n",
        "\r\n",
        "\t",
        "\0",
        "\ufeff",
        "\x85",
        "999999999999 3\n",
    ],
    "distances": [
        COLUMNS,
        ROW,
        ROW.replace("he", "she"),
        ",",
        '"',
        "\n",
        "\r",
        "\0",
        "-100",
        "=",
        "'",
        "nan",
        "none",
        "protected_word",
        "word_to_compare",
        "human",
        "1e999",
        "é",
    ],
    "wordlist": [
        *LIST.splitlines(keepends=True),
        "[",
        "]",
        "=",
        "{",
        "}",
        '"',
        "'",
        '"""',
        "\n",
        "\\u001b",
        "a.b",
        "9" * 4400,
        "[controls]\n",
        'human = "../human"\n',
        "#",
        "é",
    ],
    "model": [
        *MODEL.splitlines(keepends=True),
        "[",
        "]",
        "=",
        "{",
        '"',
        "\n",
        "rate",
        "nan",
        "-inf",
        "1" + "0" * 400,
        "true",
        'likelihood = "student_t"\n',
        "1979-05-27",
        "é",
    ],
}

_AWKWARD = [b"", b"\0", b"\n", b" ", b'"', b"\xff", b"\xff" * 8, b"\0" * 64, b"9" * 20, b"[" * 999]


@cache
def sound(reader: str) -> tuple[bytes, ...]:
    """Return sound files of a reader's format."""
    text = "a 1 2 3\nb c 4 5 6\né 7 8 9\n".encode()
    binary = b"2 3\n" + record(b"a", 1, 2, 3) + b"\n" + record("é".encode(), 4, 5, 6)
    if reader in ("vectors", "wanted"):
        plain = (text, b"3 3\n" + text, binary)
        return (*plain, *(gzip.compress(one, mtime=0) for one in plain), bz2.compress(text))
    if reader == "wordlist":
        return (
            LIST.encode(),
            (LIST + '[controls]\nhuman = ["eat"]\nneutral = "neutral"\n').encode(),
        )
    if reader == "model":
        return (MODEL.encode(),)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        if reader == "store":
            vectors = bb.load_embedding({"a": [1, 2], "b c": [3, 4], "é": [5, 6]})
            bb.vectors.convert_embedding(vectors, place / "s.bbv")
            return tuple(
                bytes([number]) + (place / "s.bbv" / name).read_bytes()
                for number, name in enumerate(_STORED)
            )
        frame = make_frame(n_words=2, n_attributes={"associated": 2, "different": 2})
        if reader == "parquet":
            bb.write_distances(frame, place / "d.parquet")
        elif reader == "distances":
            bb.write_distances(frame, place / "d.csv")
        else:
            fit = bb.fit(frame, model="paper", engine="collapsed", draws=300, chains=2, seed=1)
            fit.save(place / "fit.nc")
        return (next(place.iterdir()).read_bytes(),)


@st.composite
def _edited(draw: st.DrawFn, reader: str) -> bytes:
    content = bytearray(draw(st.sampled_from(sound(reader))))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(content)))
        length = draw(st.integers(0, 16) | st.integers(0, len(content)))
        kind = draw(st.sampled_from(["replace", "insert", "cut", "double", "end"]))
        new = draw(st.sampled_from(_AWKWARD) | st.binary(max_size=8))
        if kind == "replace":
            content[at : at + len(new)] = new
        elif kind == "insert":
            content[at:at] = new
        elif kind == "cut":
            del content[at : at + length]
        elif kind == "double":
            content[at:at] = content[at : at + length]
        else:
            del content[at:]
    return bytes(content)


def files(reader: str) -> st.SearchStrategy[bytes]:
    """Return hostile files for a reader."""
    kinds = [_edited(reader), st.binary(max_size=200)]
    tokens = _TOKENS.get("vectors" if reader == "wanted" else reader)
    if tokens:
        joined = st.lists(st.sampled_from(tokens) | st.text(max_size=5), max_size=40).map("".join)
        kinds.append(joined.map(lambda text: text.encode("utf-8", "surrogatepass")))
    return st.one_of(kinds)


def attempt(reader: str, content: bytes, folder: Path) -> str:
    """Give a file to its reader: ``read`` or ``refused``; anything else is a defect and raised."""
    suffix = {"wordlist": ".toml", "model": ".toml", "fit": ".nc"}.get(reader, "")
    path = folder / f"hostile{suffix}"
    path.write_bytes(content)
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", bb.BayesBiasWarning)
        warnings.filterwarnings("ignore", message=".*ArviZ is undergoing", category=FutureWarning)
        try:
            READERS[reader](path)
        except bb.BayesBiasError as error:
            return "refused" if str(error) else "refused without a word"
    return "read"
