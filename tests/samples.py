"""What several tests are made of."""

import functools
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

from bayesbias.engine.collapsed import with_effects
from bayesbias.show.result import Result
from bayesbias.words.provenance import with_provenance

ROOT = Path(__file__).parents[1]

SEED = int(os.environ.get("BAYESBIAS_SEED", 0))
"""Added to the seeds of tests that sample: they pass with any, not with one that was found.

Where it is given, tests run in an order that it draws (``conftest.py`` of the project).
"""
FEW = {"associated": 3, "different": 3, "human": 4, "neutral": 8}
"""Attributes enough for every connection; a comparison takes half the time of the usual ones."""

EVIL = "<script>alert(1)</script>"
BREAKING = '"><img src=x onerror=alert(1)>'


def parts(text: str) -> tuple[list[str], list[str]]:
    """Return the words of a text, and its numbers."""
    number = re.compile(r"[-+−]?\d[\d.,]*")
    numbers = [n.replace("−", "-").replace(",", "").rstrip(".") for n in number.findall(text)]
    return number.sub("0", text).split(), numbers


@functools.cache
def common_words() -> tuple[str, ...]:
    """Return a thousand common English words."""
    return tuple((ROOT / "tests" / "common_words.txt").read_text(encoding="utf-8").split())


def hear_signals() -> None:
    """Undo what a shell does to programs that it starts in the background: they hear no Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run_python(*arguments: object) -> "subprocess.CompletedProcess[str]":
    """Run Python with arguments in a process of its own."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=ROOT,
        preexec_fn=hear_signals if os.name == "posix" else None,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@contextmanager
def soon(seconds: float = 5) -> Iterator[None]:
    """Check that something takes few seconds of the processor."""
    start = time.process_time()
    yield
    assert time.process_time() - start < seconds


def load_script(folder: str, name: str) -> ModuleType:
    """Import a script of a folder that is no package."""
    path = ROOT / folder / f"{name}.py"
    specification = importlib.util.spec_from_file_location(f"script_{name}", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def load_benchmark(name: str) -> ModuleType:
    """Import a script of the folder ``benchmarks``, which may import another."""
    with mock.patch.object(sys, "path", [*sys.path, str(ROOT / "benchmarks")]):
        return load_script("benchmarks", name)


def shows_itself(result: Result) -> dict[str, Any]:
    """Check that a result shows itself in every format, and return its numbers as plain data."""
    texts = repr(result), result._repr_html_(), result.to_latex()
    assert all(text.strip() for text in texts)
    assert result.headline in texts[0]
    assert "<div" in texts[1]
    assert (r"\begin{tabular}" in texts[2]) == ("<table" in texts[1])
    return json.loads(json.dumps(result.to_dict(), allow_nan=False))


def posterior_of(fit):
    """Draws of all parameters of a fit."""
    return with_effects(fit.draws, fit.design, fit.spec, seed=fit.seed)


def make_frame(
    *,
    n_words: int = 6,
    n_attributes: dict[str, int] | None = None,
    connection_mean: dict[str, float] | None = None,
    word_sd: float = 0.05,
    noise_sd: float = 0.08,
    seed: int = 0,
) -> pd.DataFrame:
    """Draw a frame of distances from the paper's model."""
    rng = np.random.default_rng(seed)
    n_attributes = n_attributes or {"associated": 5, "different": 6, "human": 15, "neutral": 20}
    means = {"associated": 0.8, "different": 0.9, "human": 0.95, "neutral": 1.0}
    means |= connection_mean or {}
    rows = []
    for w in range(n_words):
        for connection, n in n_attributes.items():
            mean = rng.normal(means[connection], word_sd)
            rows += [
                (f"word{w}", f"group{w % 2}", f"{connection}{a}", connection, connection, distance)
                for a, distance in enumerate(rng.normal(mean, noise_sd, n))
            ]
    columns = ["protected_word", "group", "attribute", "attribute_set", "connection"]
    frame = pd.DataFrame(rows, columns=[*columns, "cosine_distance"])
    return with_provenance(frame, missing=[], source={"made": "by a test"})


def evil_frame() -> pd.DataFrame:
    """A frame whose words, groups and sets try to leave the text, and one to be mathematics."""
    frame = make_frame(n_attributes=FEW)
    frame["protected_word"] = frame["protected_word"].replace(
        {"word0": EVIL, "word1": "$\\frac$", "word2": "w" * 60}
    )
    frame["group"] = frame["group"].replace({"group0": BREAKING})
    frame["attribute_set"] = frame["attribute_set"].replace({"associated": EVIL + "set"})
    frame["attribute"] = frame["attribute"].replace({"human0": "</style>" + EVIL})
    return with_provenance(
        frame,
        missing=[{"word": BREAKING, "role": "protected", "list": BREAKING, "reason": EVIL}],
        source={"wordlist": EVIL, "embedding": BREAKING},
    )


def irregular_frame(seed=0, n_words=4, scale=1):
    """Pairs missing here and there, one repeated, groups with attributes of their own."""
    sizes = {"associated": 3, "different": 3, "human": 7, "neutral": 5}
    frame = make_frame(
        n_words=n_words, n_attributes={c: scale * n for c, n in sizes.items()}, seed=seed
    )
    stereotype = frame.connection.isin(["associated", "different"])
    # What is associated with one group is different for the other.
    group = frame.group.str[-1].astype(int)
    own = group.where(frame.connection == "associated", 1 - group).astype(str)
    frame["attribute"] = frame["attribute"].where(~stereotype, "s" + own + frame.attribute.str[-1])
    rng = np.random.default_rng(seed)
    effects = {word: rng.normal(0, 0.07) for word in frame["attribute"].unique()}
    frame["cosine_distance"] += frame["attribute"].map(effects)
    keep = rng.random(len(frame)) > 0.2
    kept = frame[keep | (frame.index < 4)]
    repeated = pd.concat([kept, kept.iloc[[5]]], ignore_index=True)
    return with_provenance(repeated, source={"duplicates": "keep"}, missing=[])


def in_copies(frame: pd.DataFrame, columns: list[str], copies: int = 3) -> pd.DataFrame:
    """Repeat the pairs of a frame, with a little noise, for values of further columns."""
    rng = np.random.default_rng(7)
    for column in columns:
        parts = [frame.assign(**{column: f"{column}{i}"}) for i in range(copies)]
        frame = pd.concat(parts, ignore_index=True)
        frame["cosine_distance"] += rng.normal(0, 0.01, len(frame))
    return frame


def changed(frame: pd.DataFrame, row: int, **values: object) -> pd.DataFrame:
    """Return a copy of a frame with other values in one row."""
    frame = frame.copy()
    for column, value in values.items():
        frame.loc[frame.index[row], column] = value
    return frame
