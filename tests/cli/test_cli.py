"""The command line, run in this process; one whole run of each engine."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from samples import small_list, undrawn_figures

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
    manifest = json.loads((out / "manifest.json").read_text())
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


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["analyze", "nowhere.bin", "--wordlist", "religion"], "nowhere.bin: no such file"),
        (["analyze"], "give either a file of word vectors or --distances"),
        (["analyze", "a", "--distances", "b"], "give either"),
        (["analyze", "a"], "need --wordlist"),
        (["analyze", "a", "--wordlist", "religion", "--duplicates", "keep"], "--duplicates goes"),
        (["analyze", "--distances", "b", "--limit", "0"], "--limit goes with word vectors"),
        (["analyze", "--distances", "b", "--reference", "a"], "--reference goes with word vect"),
        (["analyze", "a", "--wordlist", "religion", "--reference", "a,,b"], "words with commas"),
        (["analyze", "a", "--wordlist", "religion", "--reference", "jew"], "'jew' is already in"),
        (["analyze", "religion", "--wordlist", __file__], "religion: is a word list"),
        (["analyze", "a", "--wordlist", __file__], f"--wordlist {__file__}: is not a word list"),
        (["analyze", "--distances", "b", "--wordlist", "c"], "--wordlist goes with word vectors"),
        (["analyze", "a", "--wordlist", "religon"], "did you mean 'religion'"),
        (["analyze", "a", "--wordlist", "religion", "--model", "papr"], "did you mean 'paper'"),
        (["analyze", "a", "--wordlist", "religion", "--prob", "2"], "--prob 2.0: must be between"),
        (["analyze", "a", "--wordlist", "religion", "--interval", "hdi"], "did you mean 'hpdi'"),
        (["analyze", "a", "--wordlist", "religion", "--fallback", "lowr"], "did you mean 'lower'"),
        (["analyze", "a", "--wordlist", "religion", "--limit", "0"], "--limit must be at least 1"),
        (["analyze", "--distances", "nowhere.csv"], "nowhere.csv: cannot be read"),
    ],
)
def test_user_errors_are_one_line_and_code_2(tmp_path, capsys, arguments, complaint):
    code = main([*arguments, "--out", str(tmp_path / "out")])
    captured = capsys.readouterr()
    assert code == 2
    assert complaint in captured.err
    assert captured.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [["analyse"], ["analyze", "--colour"], ["demo", "--seed", "one"], ["wordlists"]],
)
def test_mistyped_commands_are_one_line_and_code_2(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("bayesbias: error: ")
    assert error.count("\n") == 1


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


@pytest.mark.usefixtures("undrawn")
def test_the_manifest_is_plain_json(tmp_path, frame):
    bb.write_distances(frame, tmp_path / "d.csv")
    arguments = ["analyze", "--distances", str(tmp_path / "d.csv"), "--model", "paper"]
    assert main([*arguments, "--out", str(tmp_path / "o"), "--quiet"]) == 0
    text = (tmp_path / "o" / "manifest.json").read_text()

    def refuse(constant):
        raise AssertionError(constant)

    assert json.loads(text, parse_constant=refuse)["sampling"]["engine"] == "collapsed"


def run(*arguments, **options):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=True, **options
    )


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
