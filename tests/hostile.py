"""What hostile files look like, for the tests.

A file is a sound one with a few edits (bytes changed, cut out, doubled, or replaced by what readers
stumble over), or a run of tokens of the format, or bytes at random.
"""

import bz2
import copy
import gzip
import json
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import hostile_frames
import numpy as np
from hypothesis import strategies as st
from malformed import COLUMNS, LIST, MODEL, ROW, record
from samples import make_frame

import bayesbias as bb
from bayesbias.analogies.question_files import read_questions
from bayesbias.debias.judgements import holds_questions, read_judgements
from bayesbias.measures.sembias_choices import read_sembias
from bayesbias.studies.rules_file import load_rules

_STORED = ["manifest.json", "words.txt", "vectors.npy"]


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


def _read_facts(path: Path) -> None:
    """Draw the line of a table, as the command does."""
    from argparse import Namespace

    from bayesbias.cli.facts import _table

    asked = Namespace(table=str(path), column="share", error="se")
    found = bb.facts(
        _fit(), _table(asked), "share", error="se", groups=("group0", "group1"), seed=1
    )
    repr(found)
    json.dumps(found.to_dict(), allow_nan=False)


@cache
def _fit() -> bb.results.Fit:
    frame = hostile_frames.with_profiles()
    return bb.fit(frame, "maximal", engine="collapsed", **hostile_frames.FEW)


def _read_utility(path: Path) -> None:
    read_questions(path) if holds_questions(path) else read_judgements(path)


READERS: Mapping[str, Callable[[Path], object]] = {
    "vectors": bb.load_embedding,
    "wanted": lambda path: bb.load_embedding(path, words=["a", "b c", "é"], fallbacks=["upper"]),
    "distances": bb.read_distances,
    "parquet": bb.read_distances,
    "wordlist": bb.load_wordlist,
    "model": bb.load_model,
    "fit": bb.load_fit,
    "store": _read_store,
    "facts": _read_facts,
    "utility": _read_utility,
    "sembias": read_sembias,
    "rules": load_rules,
    "sweep": bb.sweep.load_sweep,
    "record": hostile_frames.read_record,
    "profiles": hostile_frames.read_profiles,
    "frame": hostile_frames.read_frame,
}

TREES = ("record", "profiles")
"""Readers of JSON, whose files are trees with a few values changed."""

SLOW = {"fit": 10, "record": 2, "profiles": 2, "frame": 4, "facts": 15}
"""Files that a fast test has time for, of readers that take a tenth of a second or more a file."""

_RULES = """vectors = "e.bin"
wordlist = "gender"
model = "paper"
probability = 0.9
seed = 2
[rules.a]
contrast = "associated - different"
at_most = 2
at_least = -1.5
"""
_SWEEP = """models = ["paper"]
wordlists = ["gender"]
measures = ["WEAT"]
[embeddings]
e = "hostile.toml"
f = { path = "hostile.toml", fallbacks = ["lower"], limit = 5 }
[debias]
hard = { method = "hard" }
soft = { method = "soft", lam = 0.2 }
both = { steps = ["hard", "soft"] }
[distances]
d = "hostile.toml"
"""

_VECTORS = "a 1 2 3\nb c 4 5 6\né 7 8 9\n"
_WORDS = [f"{c}{i}" for c in ("associated", "different", "neutral") for i in range(4)]
_FACTS = "".join(f"{word},{n % 5 + 0.5},0.1\n" for n, word in enumerate(_WORDS))
_CONTROLS = '[controls]\nhuman = ["eat"]\nneutral = "neutral"\n'

_TEXTS = {
    "wordlist": (LIST, LIST + _CONTROLS),
    "model": (MODEL,),
    "rules": (_RULES,),
    "sweep": (_SWEEP,),
    "utility": ("a\tb\t1\n", "Word 1,Word 2,Human\na,b,7.5\n", ": x\na b c d\n"),
    "sembias": ("a:b\tc:d\te:f\tg:h\n",),
    "facts": (f"word,share,se\n{_FACTS}",),
}
"""Sound files that are texts."""

_SIGNS = ["[", "]", "{", "}", "=", ",", ":", "'", '"', '"""', "#", "é", "\\u001b", "a.b", "none"]
_SIGNS += [
    " ",
    "\n",
    "\r",
    "\t",
    "\0",
    "\ufeff",
    "\x85",
    "0",
    "1_0",
    "-100",
    "nan",
    "-inf",
    "1e999",
]
_SIGNS += ["true", "1979-05-27", "9" * 4400]
"""Pieces of a text that readers stumble over."""

_ODD = {
    "vectors": ["b c", "1e300", "3 2\n", "2 1\n", "999999999999 3\n"],
    "distances": [COLUMNS, ROW, ROW.replace("he", "she"), "protected_word", "word_to_compare"],
    "wordlist": [
        *('human = "../human"\n', 'human = ["walk", "eat"]\n', '[topics]\nx = ["saw"]\n'),
        *('y = ["saw", "walk"]\n', '[titles]\nman = "men"\n', 'defining_sets = [["he", "she"]]\n'),
        *("[factors]\n", 'race = { a = ["man"], b = ["woman"] }\n', 'reference = ["person"]\n'),
        *('age = { a = ["man"], b = ["woman"] }\n', 'connection = { a = ["man"], b = ["man"] }\n'),
    ],
    "model": ["rate", 'likelihood = "student_t"\n'],
    "facts": ["share", "neutral0,1e308,1e308\n", "neutral1,-1e308,1e-320\n", "neutral2,nan,inf\n"],
    "utility": ["a b N 3\n"],
    "rules": [
        *("at_most = nan\n", "at_most = -1e400\n", f"at_least = {'9' * 400}\n", 'unit = "sd"\n'),
        *("at_least = 0.5\n", 'group = "woman"\n', 'word = "he"\n', "word = 1\n", "[rules]\n"),
        *("probability = 1\n", "[rules.b]\n", "[vectors]\n", "trusted = 1\n"),
    ],
    "sweep": [
        *(
            f"limit = {'9' * 400}\n",
            "rope = nan\n",
            "prob = true\n",
            "seed = 1e3\n",
            "steps = [1]\n",
        ),
        *('steps = ["hard", "hard"]\n', 'models = ["student-t"]\n', "models = []\n", "[debias]\n"),
        *("[debias.x]\n", "[[debias]]\n", 'method = "soft"\n', "lam = -inf\n", "k = 0\n"),
        'gensim = "gensim:x"\n',
    ],
}
"""Pieces of a format that contradict the rest of a file."""


def _tokens(reader: str) -> list[str]:
    """Return pieces of a reader's format, of which files are put together."""
    name = "vectors" if reader == "wanted" else reader
    lines = [line for text in _TEXTS.get(name, ()) for line in text.splitlines(keepends=True)]
    odd = _ODD.get(name, [])
    return [*lines, *odd, *_SIGNS] if lines or odd else []


_VALUES: list[Any] = [None, True, False, -1, 0, 1, 3, 2**31, 10**30, 1e308, -0.5, float("nan")]
_VALUES += [float("inf"), "", "x", "a" * 5000, "\ud800", "\0", [], {}, [[]], [None], ["x", "x"]]
_VALUES += [{"": 0}, {"x": {"x": {}}}, "2030-01-01", "AAAA", "///w"]

_AWKWARD = [b"", b"\0", b"\n", b" ", b'"', b"\xff", b"\xff" * 8, b"\0" * 64, b"9" * 20, b"[" * 999]


@cache
def sound(reader: str) -> tuple[bytes, ...]:
    """Return sound files of a reader's format."""
    if reader in _TEXTS:
        return tuple(text.encode() for text in _TEXTS[reader])
    if reader in ("vectors", "wanted"):
        binary = b"2 3\n" + record(b"a", 1, 2, 3) + b"\n" + record("é".encode(), 4, 5, 6)
        plain = (_VECTORS.encode(), f"3 3\n{_VECTORS}".encode(), binary)
        packed = (gzip.compress(one, mtime=0) for one in plain)
        return (*plain, *packed, bz2.compress(_VECTORS.encode()))
    if reader == "frame":
        return ()  # every seed is odd
    if reader == "profiles":
        return (hostile_frames.sound_profiles(),)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        if reader == "record":
            return (hostile_frames.sound_record(place),)
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


@st.composite
def _changed_tree(draw: st.DrawFn, reader: str) -> bytes:
    tree = json.loads(draw(st.sampled_from(sound(reader))))
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(tree))
        holder, key = places[draw(st.integers(0, len(places) - 1))]
        if draw(st.integers(0, 3)) == 0:
            del holder[key]
        else:
            holder[key] = copy.deepcopy(draw(st.sampled_from(_VALUES)))
        if not tree:
            break
    return json.dumps(tree).encode()


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every holder and key of a tree, of long lists the first alone."""
    keys = (
        tree if isinstance(tree, dict) else range(len(tree[:2])) if isinstance(tree, list) else ()
    )
    for key in keys:
        yield tree, key
        yield from _places(tree[key])


def files(reader: str) -> st.SearchStrategy[bytes]:
    """Return hostile files for a reader."""
    if reader == "frame":
        return st.integers(0, 2**32 - 1).map(lambda number: number.to_bytes(4, "big"))
    if reader in TREES:
        return _changed_tree(reader)
    kinds = [_edited(reader), st.binary(max_size=200)]
    if tokens := _tokens(reader):
        joined = st.lists(st.sampled_from(tokens) | st.text(max_size=5), max_size=40).map("".join)
        kinds.append(joined.map(lambda text: text.encode("utf-8", "surrogatepass")))
    return st.one_of(kinds)


def attempt(reader: str, content: bytes, folder: Path) -> str:
    """Give a file to its reader: ``read`` or ``refused``; anything else is a defect and raised."""
    is_toml = reader in ("wordlist", "model", "rules", "sweep")
    suffix = ".toml" if is_toml else ".nc" if reader == "fit" else ""
    path = folder / f"hostile{suffix}"
    path.write_bytes(content)
    with warnings.catch_warnings(), np.errstate(all="warn", under="ignore"):
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", bb.BayesBiasWarning)
        warnings.filterwarnings("ignore", message=".*ArviZ is undergoing", category=FutureWarning)
        try:
            READERS[reader](path)
        except bb.BayesBiasError as error:
            return "refused" if str(error) else "refused without a word"
    return "read"
