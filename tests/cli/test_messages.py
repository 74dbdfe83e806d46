"""What the command line says has nothing of Python in it: its readers type options."""

import gzip
import pickle
import re
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
from samples import make_frame

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.cli.output import in_option_terms
from bayesbias.cli.parser import build_parser
from bayesbias.constants import PAIR_COLUMNS
from bayesbias.errors import ArgumentError, BayesBiasError, DataWarning
from bayesbias.support.readers import PYTHON


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    place = tmp_path_factory.mktemp("messages")
    frame = make_frame()
    bb.write_distances(frame, place / "d.csv")
    bb.write_distances(frame.assign(run=1), place / "one-run.csv")
    runs = pd.concat([frame.assign(run=number) for number in (1, 2)], ignore_index=True)
    runs["cosine_distance"] += np.random.default_rng(0).normal(0, 0.01, len(runs))
    bb.write_distances(runs, place / "runs.csv")
    few = frame[(frame.connection != "neutral") | (frame.attribute == "neutral0")]
    bb.write_distances(few, place / "few.csv")
    lines = (place / "d.csv").read_text().splitlines()
    (place / "wide.csv").write_text("\n".join([*lines[:5], lines[5] + ",and,more", *lines[6:]]))
    (place / "missing.csv").write_text("\n".join([*lines[:5], _emptied(lines[5]), *lines[6:]]))
    twice = "\n".join([*lines, lines[-1]])
    (place / "twice.csv").write_text(twice)
    words = bb.load_wordlist("gender")
    made = bb.simulate.planted_embedding(words, similarity=0.3, dim=60, seed=1).vectors
    made.save_word2vec_format(str(place / "v.bin"), binary=True)
    made.save(str(place / "kv"), sep_limit=0)
    (place / "other.txt").write_text("2 3\nxyz 1 2 3\nzyx 3 2 1\n")
    upper = [word.upper() for word in made.index_to_key]
    bb.load_embedding((upper, made.vectors)).save_word2vec_format(str(place / "upper.txt"))
    (place / "broken.bin").write_bytes((place / "v.bin").read_bytes()[:-7])
    (place / "broken.nc").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(500))
    (place / "broken.parquet").write_bytes(b"PAR1" + bytes(500))
    (place / "broken.toml").write_text("title = \n")
    (place / "pickled").write_bytes(pickle.dumps([1]))
    (place / "questions.txt").write_text(": a\nxx xy yx yy\n")
    people = [
        "y,p,g,age",
        *(f"{i % 2},{i % 3 % 2},{'ab'[i % 5 % 2]},{20.5 + i}" for i in range(60)),
    ]
    (place / "p.csv").write_text("\n".join(people) + "\n")
    (place / "q.csv").write_text("y,p,g,c\n1,2,a,\n1,2,b,1\n")
    (place / "corpus.txt").write_text("a b c\n")
    (place / "same.toml").write_text(
        'title = "t"\n[[terms]]\nname = "one"\nby = ["protected_word"]\n[[terms]]\nname = "two"\n'
        'by = ["protected_word"]\n'
    )
    return place


def _emptied(line):
    return ",".join("" if "." in cell else cell for cell in line.split(","))


COMMANDS = """
analyze --distances few.csv --model paper --placebo 2
analyze --distances wide.csv
analyze --distances missing.csv
analyze --distances twice.csv --model paper
analyze --distances one-run.csv
analyze --distances broken.parquet
analyze --distances v.bin
analyze --distances d.csv --model broken.toml
analyze --distances d.csv --model same.toml
analyze --distances d.csv --engine gibbs
analyze --distances d.csv --model student-t --engine collapsed
analyze --distances d.csv --frequency
analyze v.bin --wordlist gender --frequency --model paper
analyze other.txt --wordlist gender
analyze upper.txt --wordlist gender
analyze broken.bin --wordlist gender
analyze kv --wordlist gender
analyze pickled --wordlist gender --trusted
analyze v.bin --wordlist broken.toml
analyze v.bin --wordlist gender --fallback lower --fallback lower
compare d.csv runs.csv
compare runs.csv d.csv --embeddings
compare one-run.csv one-run.csv --embeddings
compare d.csv d.csv
compare d.csv few.csv --order 1,2
compare v.bin v.bin --wordlist gender --utility questions.txt
report broken.nc
plan broken.nc
measures other.txt --wordlist gender
facts p.csv v.bin --wordlist gender --column age
facts p.csv --distances d.csv --column age --by word
debias inlp v.bin out.bin --wordlist gender --limit 30
debias inlp other.txt out.bin --wordlist gender
debias multiclass v.bin out.bin --wordlist gender --k 99
debias half_sibling v.bin out.bin --wordlist gender
debias hard v.bin out.bin --wordlist weat7
debias soft v.bin out.bin --wordlist gender --lam -1
convert pickled made.bbv
convert kv made.bbv
analogy v.bin --questions questions.txt
analogy v.bin he doctor she --restrict-vocab 9999999
analogy v.bin he he she
classifier gaps p.csv --true y --pred p --group age
classifier gaps p.csv --true y --pred p --group age --cut 30,20
classifier gaps p.csv --true y --pred p --group g --cut 30,40
classifier gaps p.csv --true y --pred p --group g --group g
classifier gaps p.csv --true y --pred p --group g --reference c
classifier gaps p.csv --true y --pred p --group g
classifier gaps q.csv --true y --pred p --group g
classifier bounds q.csv --group g --cost c
classifier bounds p.csv --true y --pred p --group g --positive 7
classifier bounds p.csv --true y --pred p --group g --positive 1 --gamma 0.5
runs corpus.txt --out runs --seeds 1 --jobs 1
simulate --worlds 1 --words 3
wordlists show broken.toml
check broken.toml
sweep broken.toml --out swept
"""


FUNCTIONS = {name for room in (bb, bb.pairs, bb.vectors) for name in dir(room) if "_" in name[1:]}
PASTED = re.compile(r"Error\(|Exception|tokenizing|Unpickl|\bb'|codec|Errno|<class|object at")
"""What exceptions of libraries look like."""


@pytest.mark.parametrize("command", COMMANDS.strip().splitlines())
def test_who_types_commands_reads_nothing_of_python(command, files, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(files)
    made = ("out.bin", "made.bbv", "swept")
    words = [str(tmp_path / word) if word in made else word for word in command.split()]
    assert main(words) in (0, 2)
    said = capsys.readouterr()
    for line in [*said.err.splitlines(), *said.out.splitlines()]:
        assert not PYTHON.search(line), line
        assert not FUNCTIONS & set(re.findall(r"\w+", line)), line
        assert not PASTED.search(line), line


def test_advice_is_for_who_reads_it():
    error = ArgumentError("n is 3", advice="say kind='redeal'", typed="leave --placebo out")
    for one in (error, pickle.loads(pickle.dumps(error))):  # an error of another process
        assert str(one) == "n is 3; say kind='redeal'"
        assert one.typed == "n is 3; leave --placebo out"
    assert BayesBiasError("n is 3").typed == "n is 3"
    with pytest.warns(DataWarning, match="^n is 3; say k=1$") as caught:
        warnings.warn(DataWarning("n is 3", advice="say k=1"), stacklevel=1)
    assert caught[0].message.typed == "n is 3"


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("3 words; ask for kind='redeal'", "3 words"),
        ("3 words; use fit.placebo(); give more", "3 words; give more"),
        ("3 words are missing; missing_words(frame) lists them", "3 words are missing"),
        ("5 are skipped; .skipped of the result lists them", "5 are skipped"),
        ("words=Ellipsis", "words=Ellipsis"),  # what is wrong is said whatever it is
        ("3 words; take limit=5", "3 words; take --limit 5"),
        ("3 words; see f(x) = 2, a/b=1.bin and (as in WEAT)", None),
    ],
)
def test_advice_that_needs_python_is_left_out(message, said):
    parser = build_parser().subparsers["analyze"]
    assert in_option_terms(message, parser) == (message if said is None else said)


@pytest.mark.parametrize("name", ["d.csv", "d.parquet"])
def test_a_table_of_distances_is_known_where_vectors_belong(name, files, capsys, monkeypatch):
    monkeypatch.chdir(files)
    bb.write_distances(bb.read_distances("d.csv"), files / name)
    said = []
    for given in ([name], ["--distances", name]):
        assert main(["analyze", *given, "--model", "paper"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert main(["analyze", name, "--wordlist", "gender"]) == 2
    assert "--wordlist goes with word vectors" in capsys.readouterr().err


LIST = "women,men,home,work\nshe,he,kitchen,office\nher,him,oven,boss\n"


@pytest.fixture
def stray(tmp_path, monkeypatch):
    """Files that belong elsewhere, in the working folder."""
    monkeypatch.chdir(tmp_path)
    rows = [(word, *map(float, (i, 1, 2))) for i, word in enumerate(re.findall(r"\w+", LIST))]
    table = pd.DataFrame(rows, columns=["word", "a", "b", "c"])
    table.to_parquet("v.parquet")
    table.to_csv("v.csv", index=False)
    np.savez("o.npz", words=np.array(["he", "she"], dtype=object), vectors=np.eye(2))
    with zipfile.ZipFile("l.zip", "w") as archive:
        archive.write("v.csv")
    (tmp_path / "packed.toml").write_bytes(gzip.compress(b"title = 1"))
    (tmp_path / "l.csv").write_text(LIST)
    (tmp_path / "l.json").write_text('{"women": ["she"], "men": ["he"]}')
    pairs = [
        (attribute, group, word, kind, "associated" if kind == own else "different", 0.5)
        for word, group, own in (("he", "men", "work"), ("she", "women", "home"))
        for attribute, kind in (("boss", "work"), ("oven", "home"))
    ]
    pd.DataFrame(pairs, columns=list(PAIR_COLUMNS)).to_csv("swapped.csv", index=False)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("analyze v.parquet --wordlist gender", "v.parquet: is a Parquet table; save it as CSV"),
        ("classifier gaps l.json --true y --pred y --group g", "no column 'y'"),
        (
            "analyze swapped.csv --model gender",
            "'gender' is the name of a word list, not of a model; dis",
        ),
        (
            "analyze v.csv --wordlist crossed",
            "'crossed' is the name of a model, not of a word list",
        ),
        ("analyze o.npz --wordlist gender", "a pickle); save its words and numbers as text or CSV"),
        ("analyze v.csv --wordlist l.zip", "--wordlist l.zip: is not a word list"),
        ("analyze v.csv --wordlist packed.toml", "is packed; unpack it (gunzip -k packed.toml)"),
        ("wordlists import l.json --out l.toml", "error: l.json: a word list has the keys"),
        ("analyze swapped.csv", "are protected_word and attribute swapped?"),
    ],
)
def test_what_is_in_the_wrong_place_is_named(command, said, stray, capsys):
    assert main(command.split()) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_whose_columns_are_whose_is_said_of_a_list_in_csv(stray, capsys):
    shown = "women (2 from 'she' on) with home (2 from 'kitchen' on); men (2 from 'he' on) with"
    command = "analyze v.csv --wordlist l.csv --chains 2 --draws 50 --quiet"
    main(command.split())
    assert f"note: l.csv: {shown} work" in " ".join(capsys.readouterr().err.split())
    main(["wordlists", "import", "l.csv", "--out", "l.toml"])
    assert f"l.toml: {shown} work" in " ".join(capsys.readouterr().out.split())
    assert bb.load_wordlist("l.toml").title == "l"
