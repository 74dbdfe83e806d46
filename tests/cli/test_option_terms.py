"""Errors of the library, said in options."""

import argparse
import os
import re

import numpy as np
import pytest
from samples import make_frame

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.cli.option_terms import in_option_terms
from bayesbias.cli.output import asked_of
from bayesbias.cli.parser import build_parser

DEBIAS = build_parser().subparsers["debias"]
SIMULATE = build_parser().subparsers["simulate"]
REPORT = build_parser().subparsers["report"]


@pytest.mark.parametrize(
    ("parser", "message", "said"),
    [
        (SIMULATE, "rope=-1: must be 0 or more", "--rope -1: must be 0 or more"),
        (SIMULATE, "worlds=0, n_words=3: needed", "--worlds 0, --words 3: needed"),
        (SIMULATE, "n_words and n_attributes name", "--words and --attributes name"),
        (DEBIAS, "give pairs, or say equalise=()", "give pairs, or say --no-equalise"),
        (DEBIAS, "say overwrite=True (--overwrite) to", "say --overwrite to"),
        (DEBIAS, "limit must be at least 1, not 0", "--limit must be at least 1, not 0"),
        (DEBIAS, "method='hrd': unknown", "METHOD hrd: unknown"),
        (DEBIAS, "keep=['a b', 'c']: unknown", "--keep a b,c: unknown"),
        (REPORT, "say comparison=False", "say --no-comparison"),
        # What is no argument of the command stays as it is.
        (DEBIAS, "a file with x=1 and k = 2", "a file with x=1 and k = 2"),
        (DEBIAS, "the limit of a method is k", "the limit of a method is k"),
        (DEBIAS, "a/path-k=1.bin: no such file", "a/path-k=1.bin: no such file"),
        (DEBIAS, "overwrite=False", "overwrite=False"),
    ],
)
def test_arguments_become_options(parser, message, said):
    assert in_option_terms(message, parser) == said


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    place = tmp_path_factory.mktemp("options")
    frame = make_frame()
    bb.write_distances(frame, place / "d.csv")
    frame["cosine_distance"] += np.random.default_rng(0).normal(0, 0.01, len(frame))
    bb.write_distances(frame, place / "e.csv")
    kv = bb.simulate.planted_embedding(bb.load_wordlist("gender"), similarity=0.3, dim=60, seed=1)
    kv.vectors.save_word2vec_format(str(place / "v.bin"), binary=True)
    words = kv.vectors.index_to_key[20:30]
    (place / "t.csv").write_text("\n".join(["word,n", *(f"{w},{i}" for i, w in enumerate(words))]))
    people = ["y,p,g", *(f"{i % 2},{i % 3 % 2},{'ab'[i % 5 % 2]}" for i in range(60))]
    (place / "p.csv").write_text("\n".join(people) + "\n")
    return place


PREDICTIONS = ["--true", "y", "--pred", "p", "--group", "g"]
REFUSED = {
    "analyze --distances d.csv --out o": "prob=0 rope=-1 interval=x seed=-1 draws=0 tune=-1 "
    "chains=0 cores=0 sampler=x target-accept=1 parametrisation=x duplicates=x limit=0 "
    "draws=99999999999 format=gif engine=x",
    "analyze v.bin --wordlist gender --out o": "limit=0 limit=-1",
    "compare d.csv e.csv": "prob=1 rope=-0.1 interval=x seed=-1 engine=x",
    "measures v.bin --wordlist gender": "limit=0 prob=2 rope=-1 seed=-1",
    "debias multiclass v.bin x.bin --wordlist gender": "k=0 k=99 lam=1 limit=0 memory-mb=0",
    "debias soft v.bin x.bin --wordlist gender": "lam=-1",
    "convert v.bin x.bbv": "limit=0 memory-mb=-1",
    "facts t.csv v.bin --wordlist gender --column n --out o": "prob=0 interval=x seed=-1 by=x "
    "error=x groups=man limit=0",
    "plan": "width=0 simulations=1 words=6;7 words=99999999999 prob=0 rope=-1",
    "simulate": "worlds=0 words=5 attributes=2 jobs=-1 rope=-1 seed=-1",
    "analogy v.bin he doctor she": "top=0 delta=0 restrict-vocab=0 limit=0",
    "classifier bounds p.csv --positive 1": "confidence=1 gamma=0 max-cost=0 variance=x",
    "classifier gaps p.csv": "prob=0 rope=-1 draws=0 draws=99999999999 method=x interval=x",
    "classifier plan": "n=0 disparity=0 disparity=2",
}


@pytest.mark.parametrize(
    ("command", "option"), [(c, o) for c, options in REFUSED.items() for o in options.split()]
)
def test_a_value_outside_its_range_is_refused_in_terms_of_its_option(
    files, tmp_path, capsys, monkeypatch, command, option
):
    monkeypatch.chdir(files)
    words = [
        str(tmp_path / "out") if word in ("o", "x.bin", "x.bbv") else word
        for word in command.split()
    ]
    words += PREDICTIONS if "p.csv" in words else []
    try:
        code = main([*words, f"--{option}"])
    except SystemExit as stop:
        code = stop.code
    error = capsys.readouterr().err
    assert code == 2
    assert f"--{option.partition('=')[0]}" in error
    assert error.count("\n") == 1
    assert not re.search(r"(?<![-\w])[a-z_]+=", error), "names a Python argument"
    assert list(tmp_path.iterdir()) == []


def test_swapped_list_and_vectors_are_named(files, capsys):
    vectors, listed = str(files / "v.bin"), "gender"
    for words in (["measures"], ["analyze", "--out", str(files / "o")]):
        assert main([*words, listed, "--wordlist", vectors]) == 2
        error = capsys.readouterr().err
        assert f"gender: is a word list, and {vectors} is not; swap them" in error
    assert main(["measures", vectors, "--wordlist", vectors]) == 2
    assert f"--wordlist {vectors}: is not a word list" in capsys.readouterr().err
    assert main(["compare", "gender.toml", vectors, "--wordlist", listed]) == 2
    assert "gender.toml: is a word list; word vectors" in capsys.readouterr().err


def test_options_reach_the_arguments_of_their_names():
    """A positional argument is never taken for an option, and what is given besides wins."""

    def function(words, model="paper", *, jobs, rope=0.1, prob=0.89, progress=None):
        """Only the signature counts."""

    given = {"words": ["he"], "model": "crossed", "jobs": None, "rope": None, "prob": 0.5}
    found = asked_of(function, argparse.Namespace(**given, out="x", quiet=True), prob=0.8)
    jobs = os.cpu_count() or 1
    assert found == {"model": "crossed", "jobs": jobs, "prob": 0.8, "progress": False}
