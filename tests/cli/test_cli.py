"""The command line, run in this process; one whole run of each engine."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from samples import FEW, make_frame, small_list, undrawn_figures

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.simulate import planted_embedding
from bayesbias.support.bounded_files import file_checksum

ENGINES = {
    "collapsed": "--model paper --seed 3",
    "nuts": "--model paper --engine nuts --draws 600 --tune 500 --chains 2 --seed 3",
}


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    """A word2vec file of a short weat7 list, planted, with one word missing, and the list."""
    path = tmp_path_factory.mktemp("vectors") / "v.bin"
    wl = small_list(path.parent, "weat7")
    kv = planted_embedding(wl, similarity=0.2, dim=30, seed=1).vectors
    kept = [w for w in kv.index_to_key if w != "sculpture"]
    bb.load_embedding((kept, kv[kept])).save_word2vec_format(str(path), binary=True)
    return path


def with_list(vectors):
    """What a command is told of vectors and their list."""
    return [str(vectors), "--wordlist", str(vectors.with_name("weat7.toml"))]


@pytest.fixture(
    scope="module",
    params=["collapsed", pytest.param("nuts", marks=[pytest.mark.sampling, pytest.mark.slow])],
)
def engine(request):
    return request.param


@pytest.fixture(scope="module")
def out(engine, vectors, tmp_path_factory):
    """The folder of one whole run."""
    folder = tmp_path_factory.mktemp("out") / "weat7"
    arguments = ["analyze", *with_list(vectors), "--out", str(folder), "--figures"]
    with undrawn_figures():
        assert main([*arguments, *ENGINES[engine].split()]) == 0
    return folder


FIGURES = ("connections", "contrasts", "distances", "empirical", "predictive", "words")


def test_analyze_writes_the_whole_folder(out):
    names = sorted(p.relative_to(out).as_posix() for p in out.rglob("*") if p.is_file())
    assert names == [
        *("contrasts_by_connection.csv", "contrasts_by_group.csv", "contrasts_by_word.csv"),
        "coverage.csv",
        *(f"figures/{n}.png" for n in FIGURES),
        *("fit.nc", "manifest.json", "missing_words.csv", "pairs.csv"),
        *(f"summary_by_{by}.csv" for by in ("connection", "group", "term", "word")),
    ]
    assert not [p for p in out.parent.iterdir() if p != out]


def test_the_folder_agrees_with_itself(out, engine, vectors):
    fit = bb.load_fit(out / "fit.nc")
    groups = pd.read_csv(out / "summary_by_connection.csv")
    written = [float(f"{mean:.6g}") for mean in fit.summary().table["mean"]]
    assert groups["mean"].tolist() == written
    assert pd.read_csv(out / "missing_words.csv")["word"].tolist() == ["sculpture"]
    pairs = bb.read_distances(out / "pairs.csv")
    np.testing.assert_array_equal(pairs["cosine_distance"], fit.given["cosine_distance"])
    manifest = json.loads((out / "manifest.json").read_text(), parse_constant=pytest.fail)
    assert manifest["fit"] == fit.id
    assert manifest["seed"] == 3
    assert manifest["model"]["name"] == "paper"
    assert manifest["sampling"]["engine"] == engine
    assert manifest["source"]["wordlist"] == "weat7"
    assert manifest["reference_words"] == list(bb.load_wordlist("weat7").reference)
    assert manifest["source"]["embedding_sha256"] == file_checksum(vectors)
    assert manifest["command"].startswith("bayesbias analyze ")
    assert manifest["files"]["fit.nc"] == file_checksum(out / "fit.nc")


def test_the_planted_association_is_found(out):
    groups = pd.read_csv(out / "summary_by_connection.csv").set_index("connection")
    assert groups.loc["associated", "high"] < groups.loc["neutral", "low"]


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(("given", "expected"), [("law, history", ["law", "history"]), ("", [])])
def test_other_reference_words(vectors, tmp_path, given, expected):
    out = tmp_path / "out"
    arguments = ["analyze", *with_list(vectors), "--reference", given]
    assert main([*arguments, "--model", "paper", "--out", str(out)]) == 0
    rows = bb.pairs.reference_distances(bb.read_distances(out / "pairs.csv"))
    assert rows["protected_word"].unique().tolist() == expected


@pytest.mark.parametrize("engine", ["collapsed"], indirect=True)
def test_analysing_the_written_pairs_gives_the_same(out, engine, tmp_path, capsys):
    """The distances say all: the same pairs and seed give the same posterior."""
    arguments = ["analyze", "--distances", str(out / "pairs.csv"), "--out", str(tmp_path / "out")]
    assert main([*arguments, *ENGINES[engine].split()]) == 0
    printed = capsys.readouterr().out
    assert "Mean cosine distance" in printed
    assert "89% HPDI" in printed
    tables = (pd.read_csv(place / "summary_by_connection.csv") for place in (out, tmp_path / "out"))
    pd.testing.assert_frame_equal(*tables, rtol=1e-12)


def test_a_taken_folder_is_refused_before_any_work(tmp_path, capsys):
    (tmp_path / "a").write_text("mine")
    code = main(["analyze", "nowhere", "--wordlist", "religion", "--out", str(tmp_path)])
    assert code == 2
    assert "is not empty" in capsys.readouterr().err


def test_a_pickle_needs_trusted(vectors, tmp_path, capsys):
    bb.load_embedding(vectors).save(str(tmp_path / "kv"))
    arguments = ["analyze", str(tmp_path / "kv"), "--wordlist", "weat7"]
    assert main([*arguments, "--out", str(tmp_path / "out")]) == 2
    assert "--trusted" in capsys.readouterr().err


def test_wordlists_list_and_show(capsys):
    assert main(["wordlists", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["name", "title", "protected", "words", "attributes"]
    assert [line.split()[0] for line in lines[1:]] == list(bb.list_wordlists())
    assert main(["wordlists", "show", "religion"]) == 0
    shown = capsys.readouterr().out
    assert "critical, conservative, familial" in shown
    assert "reference words, of no group\n  person, people, someone" in shown
    assert "10.18653/v1/N19-1062" in shown


def test_lists_tell_their_factors(capsys):
    assert main(["wordlists", "show", "names"]) == 0
    printed = capsys.readouterr().out
    assert "factor 'race' of the groups" in printed
    assert "women: black_women, white_women" in printed
    assert main(["wordlists", "check", "names"]) == 0
    assert "groups by race and gender, no faults found" in capsys.readouterr().out
    for action in ("check", "show"):
        assert main(["wordlists", action, "names", "--json"]) == 0
        assert list(json.loads(capsys.readouterr().out)["factors"]) == ["race", "gender"]


def test_wordlists_check(vectors, capsys, tmp_path):
    assert main(["wordlists", "check", "weat7", "--embedding", str(vectors)]) == 0
    printed = capsys.readouterr().out
    assert "no faults found" in printed
    assert "missing of arts: sculpture" in printed
    (tmp_path / "few.txt").write_text(
        "math 1 2\nhe 2 1\nshe 1 1\nsymphony 2 3\nwear 1 3\nwithout 3 1\n"
    )
    few = ["wordlists", "check", "weat7", "--embedding", str(tmp_path / "few.txt")]
    assert main(few) == 0
    (tmp_path / "few.txt").write_text("math 1 2\nhe 2 1\nshe 1 1\nwear 1 3\nwithout 3 1\n")
    capsys.readouterr()
    assert main(few) == 1
    assert "none of the words of arts is in the vectors" in capsys.readouterr().out
    assert main([*few, "--json"]) == 1
    assert len(json.loads(capsys.readouterr().out)["faults"]) == 1
    (tmp_path / "bad.toml").write_text("title = 1")
    assert main(["wordlists", "check", str(tmp_path / "bad.toml")]) == 2
    assert "bad.toml" in capsys.readouterr().err


def test_models_list_and_show(capsys):
    assert main(["models", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(bb.list_models())
    assert main(["models", "show", "crossed"]) == 0
    assert "distance[i] " in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_contrasts_by_factor_are_printed_and_written(tmp_path, capsys):
    names = small_list(tmp_path, "names")
    vectors = planted_embedding(names, similarity=0.2, dim=50, seed=1).vectors
    vectors.save_word2vec_format(str(tmp_path / "v.bin"), binary=True)
    given = [str(tmp_path / "v.bin"), "--wordlist", str(tmp_path / "names.toml")]
    command = ["analyze", *given, "--model", "crossed"]
    assert main([*command, "--out", str(tmp_path / "out"), "--report", "--figures"]) == 0
    printed = capsys.readouterr().out
    assert "Crossed groups:" in printed
    assert "black women beyond both" in printed
    names = {path.name for path in (tmp_path / "out").rglob("*")}
    assert {"contrasts_by_factor.csv", "factors.png"} <= names
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Contrasts by factor" in page
    assert "black women beyond both" in page


def test_both_answers_are_shown_at_equal_frequency(tmp_path, capsys):
    path = str(tmp_path / "vectors.bin")
    bb.example_embedding().save_word2vec_format(path, binary=True)
    assert main(["analyze", path, "--wordlist", "gender", "--model", "crossed", "--frequency"]) == 0
    slopes, compared = capsys.readouterr().out.split("At equal frequency ", 1)
    assert "word_rarity" in slopes
    plain, equal = (line for line in compared.splitlines() if line.startswith("associated − diff"))
    assert " plain " in plain
    assert " at equal frequency " in equal
    assert plain.split()[-6:] != equal.split()[-6:]


def test_vectors_in_no_order_are_refused_with_the_reason(vectors, capsys):
    assert main(["analyze", *with_list(vectors), "--frequency"]) == 2
    assert "how frequent the words are is not known: the vectors have" in capsys.readouterr().err


def run(*arguments, **options):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=True, **options
    )


PROGRAM = """
import sys
from bayesbias.__main__ import command

code = command()
print(f"exit {code}, with pyarrow: {'pyarrow' in sys.modules}")
"""


def test_pyarrow_is_loaded_for_files_of_parquet_alone(tmp_path):
    for suffix, loaded in (("csv", False), ("parquet", True)):
        path = tmp_path / f"pairs.{suffix}"
        bb.write_distances(make_frame(n_attributes=FEW), path)
        printed = run("-c", PROGRAM, "analyze", "--model", "paper", "--distances", str(path)).stdout
        assert printed.splitlines()[-1] == f"exit 0, with pyarrow: {loaded}"


def test_nothing_heavy_is_imported_before_it_is_needed():
    """`import bayesbias` and `bayesbias --help` stay fast."""
    heavy = "{'numpy', 'pandas', 'scipy', 'xarray', 'pymc', 'arviz', 'gensim', 'matplotlib'}"
    for code in (
        "import bayesbias",
        "from bayesbias.cli.parser import build_parser; build_parser()",
    ):
        found = run("-c", f"{code}; import sys; print({heavy} & set(sys.modules))").stdout
        assert found.strip() == "set()", code


def test_the_command_runs_as_a_program_from_any_folder(tmp_path):
    assert "religion" in run("-m", "bayesbias", "wordlists", "list", cwd=tmp_path).stdout


def test_a_reader_that_leaves_early_is_no_error():
    import shlex

    command = f"{shlex.quote(sys.executable)} -m bayesbias wordlists show weat1 | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert done.stderr == ""
