"""Errors of the library, said in options."""

import argparse
import os
import re

import numpy as np
import pytest
from samples import make_frame

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.cli.output import in_option_terms, options_for
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
        (DEBIAS, "keep=['a b', 'c']: unknown", "--keep 'a b' --keep c: unknown"),
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
    (place / "names.csv").write_text("label,name\n0,other\n1,nurse\n1,surgeon\n")
    (place / "bad.toml").write_text("title = 1")
    return place


PREDICTIONS = ["--true", "y", "--pred", "p", "--group", "g"]
REFUSED = {
    "analyze --distances d.csv --out o": "prob=0 rope=-1 interval=x seed=-1 draws=0 tune=-1 "
    "chains=0 cores=0 sampler=x target-accept=1 parametrisation=x duplicates=x limit=0 "
    "draws=99999999999 format=gif engine=x",
    "analyze v.bin --wordlist gender --out o": "limit=0 limit=-1",
    "compare d.csv e.csv": "prob=1 rope=-0.1 interval=x seed=-1 engine=x",
    "measures v.bin --wordlist gender": "limit=0 prob=2 rope=-1 seed=-1",
    "debias multiclass v.bin x.bin --wordlist gender": "k=0 k=99 lam=1 limit=0",
    "debias soft v.bin x.bin --wordlist gender": "lam=-1",
    "convert v.bin x.bbv": "limit=0",
    "facts t.csv v.bin --wordlist gender --column n --out o": "prob=0 interval=x seed=-1 by=x "
    "error=x groups=man limit=0",
    "plan": "width=0 simulations=1 words=6;7 words=99999999999 prob=0 rope=-1",
    "simulate": "worlds=0 words=5 attributes=2 jobs=-1 rope=-1 seed=-1",
    "analogy v.bin he doctor she": "top=0 delta=0 delta=-1 restrict-vocab=0 limit=0",
    "classifier bounds p.csv --positive 1": "confidence=1 gamma=0 gamma=0.7 max-cost=0 variance=x",
    "classifier gaps p.csv": "prob=0 rope=-1 draws=0 draws=99999999999 method=x interval=x",
    "classifier plan": "n=0 disparity=0 disparity=2",
    "classifier plan --disparity 0.1": "gamma=0",
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


COMPLAINTS = [
    ("analyze", "give either a file of word vectors or --distances"),
    ("analyze a --distances b", "give either"),
    ("analyze a", "need --wordlist"),
    ("analyze a --wordlist religion --duplicates keep", "--duplicates goes with --distances"),
    ("analyze nowhere.bin --wordlist religion", "nowhere.bin: no such file"),
    ("analyze --distances nowhere.csv", "nowhere.csv: cannot be read"),
    ("analyze --distances b --limit 0", "--limit goes with word vectors"),
    ("analyze --distances b --reference a", "--reference goes with word vectors"),
    ("analyze --distances b --wordlist c", "--wordlist goes with word vectors"),
    ("analyze --distances d.csv --fallback lower", "--fallback goes with word vectors"),
    ("analyze --distances d.csv --trusted", "--trusted goes with word vectors"),
    ("analyze --distances d.csv --model change", "the column 'change', which model 'change'"),
    ("analyze --distances d.csv --draws 999999999", "the most are 10,000,000 in all"),
    ("analyze a --wordlist religion --reference jew", "'jew' is already in"),
    ("analyze a --wordlist religon", "did you mean 'religion'"),
    ("analyze a --wordlist religion --model papr", "did you mean 'paper'"),
    ("analyze a --wordlist religion --interval hdi", "did you mean 'hpdi'"),
    ("analyze a --wordlist religion --fallback lowr", "did you mean 'lower'"),
    ("analyze religion --wordlist d.csv", "religion: is a word list, and d.csv is not; swap them"),
    ("measures gender --wordlist v.bin", "gender: is a word list, and v.bin is not; swap them"),
    ("analyze a --wordlist d.csv", "--wordlist d.csv: is not a word list"),
    ("measures v.bin --wordlist v.bin", "--wordlist v.bin: is not a word list"),
    ("compare gender.toml v.bin --wordlist gender", "gender.toml: is a word list; word vectors"),
    ("compare nowhere.csv nowhere.csv", "nowhere.csv: cannot be read"),
    ("compare a b --wordlist gendr", "did you mean 'gender'"),
    ("compare a b --model crossd", "did you mean 'crossed'"),
    ("compare t.csv t.csv", "(if these are word vectors, give --wordlist)"),
    ("compare a b --limit 3", "--limit goes with word vectors; a is read as distances"),
    ("compare a b --names x,y", "--names is for comparing several embeddings; add --embeddings"),
    ("compare a b c --names x,y", "--names x,y: 2 for 3 files"),
    ("compare a b c --names x,y,x", "two files are called 'x'"),
    ("compare a b c --order 1,2", "--order 1,2: 2 for 3 files"),
    ("compare a b c --order 1,2,3 --embeddings", "--order names the files"),
    ("compare d.csv e.csv --order 1900,1910", "takes at least 3 times, not 2"),
    ("compare d.csv e.csv d.csv --order 1900,1910,1900.0", "are the same"),
    ("plan nowhere", "nowhere"),
    ("simulate --method weatp", "did you mean 'weat-p'"),
    ("facts t.csv --column n", "give either a file of word vectors or --distances"),
    ("facts t.csv v.bin --column n", "word vectors need --wordlist"),
    ("facts t.csv v.bin --wordlist gender --column m", "--column m: the table has no"),
    ("facts t.csv v.bin --wordlist gender --column word", "t.csv: line 2: 'WORD' is not a number"),
    ("facts t.csv v.bin --wordlist gender --column n --groups he,she", "no group 'he'"),
    ("facts nowhere.csv v.bin --wordlist gender --column n", "nowhere.csv"),
    ("facts t.csv nowhere.bin --wordlist gender --column n --prob 0", "--prob 0.0: must be"),
    ("facts t.csv --distances d.csv --wordlist gender --column n", "--wordlist goes with word"),
    (
        "facts t.csv v.bin --wordlist gender --column n --duplicates keep",
        "--duplicates goes with --distances",
    ),
    ("analogy v.bin nurse doctr he", "did you mean 'doctor'"),
    ("analogy v.bin he", "give three words a b c"),
    ("analogy v.bin he she --questions q.txt", "and a file"),
    ("analogy v.bin --questions nowhere.txt", "nowhere.txt: cannot be read (No such"),
    ("analogy v.bin he doctor she --method cosadd", "did you mean '3cosadd'"),
    ("analogy v.bin he doctor she --fallback lowr", "did you mean 'lower'"),
    ("debias hrd v.bin OUT --wordlist gender", "did you mean 'hard'"),
    ("debias hard v.bin OUT --wordlist gendr", "did you mean 'gender'"),
    ("debias hard nowhere.bin OUT --wordlist gender", "nowhere.bin: no such file"),
    ("debias hard v.bin v.bin --wordlist gender --overwrite", "are read from"),
    ("debias hard v.bin nowhere/out.bin --wordlist gender", "does not exist"),
    ("debias hard v.bin OUT --wordlist gender --lam 2", "--lam 2.0 does not go"),
    (
        "debias hard v.bin OUT --wordlist gender --alpha 2",
        "--alpha 2.0 does not go with hard, only with half_sibling",
    ),
    ("debias soft v.bin OUT --wordlist gender --no-equalise", "only with hard and"),
    (
        "debias hard v.bin OUT --wordlist gender --words listed --keep a",
        "--words names the words to neutralise; --all-words and --keep are for all others",
    ),
    (
        "debias hard v.bin OUT --wordlist religion",
        "--all-words (but the 15 protected ones), --words",
    ),
    ("debias hard v.bin OUT --wordlist gender --words nowhere.txt", "nowhere.txt: cannot be read"),
    ("debias hard v.bin OUT --wordlist weat7", 'the key defining_sets = [["he", "she"]'),
    ("classifier bounds nowhere.csv --group g", "nowhere.csv: cannot be read"),
    ("classifier bounds p.csv", "--group: name the column"),
    ("classifier bounds p.csv --group gg --cost p", "did you mean 'g'"),
    ("classifier bounds p.csv --group g --true y", "--pred: is needed"),
    ("classifier bounds p.csv --group g --cost p --max-cost 0.5", "costs[1] = 1.0"),
    ("classifier plan", "give either --disparity or --n"),
    ("classifier plan --n 9 --group-names 0=a", "--group-names goes with a file"),
    ("classifier plan --n 10", "--n 10: no disparity can be distinguished from 0"),
    ("classifier plan --n 10 --variance sample", "needs a file"),
    (
        "classifier plan p.csv --group g --cost p --group-names a=x,b=y --n 9 --reference nobody",
        "nobody",
    ),
    ("classifier gaps p.csv --true yy --pred p --group g", "no column 'yy'"),
    ("classifier gaps p.csv --true y --pred p --group g --method bta", "did you mean 'beta'"),
    (
        "classifier gaps p.csv --true y --pred p --group g --model m.toml",
        "--model goes with --method hierarchical",
    ),
    (
        "classifier gaps p.csv --true y --pred p --group g --group-names a=x",
        "no name is given for b",
    ),
    (
        "classifier gaps p.csv --true y --pred p --group g --group-names 0",
        "write such as 0=male,1=female",
    ),
    (
        "classifier gaps p.csv --true y --pred p --group g --class-names names.csv",
        "names.csv: line 4: label '1' occurs twice",
    ),
    ("report nowhere", "no such file or folder"),
    ("report .", "fit.nc: no such file"),
    ("analyze --distances a.csv --report", "give --out DIR"),
    ("compare a.csv b.csv --report", "give --out DIR"),
    ("wordlists check bad.toml", "bad.toml"),
]
WITH_OUT = re.compile("analyze|compare|facts|analogy|plan|simulate|classifier gaps")


@pytest.mark.parametrize(("command", "complaint"), COMPLAINTS)
def test_a_mistake_is_said_in_one_line_before_anything_is_written(
    files, tmp_path, capsys, monkeypatch, command, complaint
):
    monkeypatch.chdir(files)
    words = [str(tmp_path / "out") if word == "OUT" else word for word in command.split()]
    if WITH_OUT.match(command) and not complaint.startswith("give --out"):
        words += ["--out", str(tmp_path / "out")]
    assert main(words) == 2
    error = capsys.readouterr().err
    assert complaint.replace("WORD", bb.load_embedding("v.bin").index_to_key[20]) in error
    assert error.count("error:") == 1
    # Of several faults of a file each has a line.
    below = re.findall(r"^  \(\d+\) ", error, re.MULTILINE)
    assert error.count("\n") == 1 + error.count("bayesbias: note:") + len(below)
    assert list(tmp_path.iterdir()) == []


def test_options_reach_the_arguments_of_their_names():
    """A positional argument is never taken for an option, and what is given besides wins."""

    def function(words, model="paper", *, jobs, rope=0.1, prob=0.89, progress=None):
        """Only the signature counts."""

    given = {"words": ["he"], "model": "crossed", "jobs": None, "rope": None, "prob": 0.5}
    found = options_for(function, argparse.Namespace(**given, out="x", quiet=True), prob=0.8)
    jobs = os.cpu_count() or 1
    assert found == {"model": "crossed", "jobs": jobs, "prob": 0.8, "progress": False}
