"""The command line, run in this process; one whole run of each engine."""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from samples import read_table, small_list, undrawn_figures

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
def whole(engine, vectors, tmp_path_factory):
    """The folder of one whole run."""
    folder = tmp_path_factory.mktemp("out") / "weat7"
    arguments = ["analyze", *with_list(vectors), "--out", str(folder), "--figures"]
    with undrawn_figures():
        assert main([*arguments, *ENGINES[engine].split()]) == 0
    return folder


def test_the_folder_agrees_with_itself(whole, engine, vectors):
    fit = bb.load_fit(whole / "fit.nc")
    groups = read_table(whole / "summary_by_connection.csv")
    written = [float(f"{mean:.6g}") for mean in fit.summary().table["mean"]]
    assert groups["mean"].tolist() == written
    assert pd.read_csv(whole / "missing_words.csv")["word"].tolist() == ["sculpture"]
    pairs = bb.read_distances(whole / "pairs.csv")
    np.testing.assert_array_equal(pairs["cosine_distance"], fit.input_frame["cosine_distance"])
    manifest = json.loads(
        (whole / "manifest.json").read_text(encoding="utf-8"), parse_constant=pytest.fail
    )
    assert manifest["fit"] == fit.id
    assert manifest["seed"] == 3
    assert manifest["model"]["name"] == "paper"
    assert manifest["sampling"]["engine"] == engine
    assert manifest["source"]["wordlist"] == "weat7"
    assert manifest["reference_words"] == list(bb.load_wordlist("weat7").reference)
    assert manifest["source"]["embedding_sha256"] == file_checksum(vectors)
    assert manifest["command"].startswith("bayesbias analyze ")
    assert manifest["files"]["fit.nc"] == file_checksum(whole / "fit.nc")


def test_the_planted_association_is_found(whole):
    groups = pd.read_csv(whole / "summary_by_connection.csv").set_index("connection")
    assert groups.loc["associated", "high"] < groups.loc["neutral", "low"]


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(("given", "expected"), [("law, history", ["law", "history"]), ("", [])])
def test_other_reference_words(vectors, out, given, expected):
    arguments = ["analyze", *with_list(vectors), "--reference", given]
    assert main([*arguments, "--model", "paper", "--out", str(out)]) == 0
    rows = bb.pairs.reference_distances(bb.read_distances(out / "pairs.csv"))
    assert rows["protected_word"].unique().tolist() == expected


@pytest.mark.parametrize("engine", ["collapsed"], indirect=True)
def test_analysing_the_written_pairs_gives_the_same(whole, engine, out, printed):
    """The distances say all: the same pairs and seed give the same posterior."""
    said = printed(f"analyze --distances {whole}/pairs.csv {ENGINES[engine]} --out OUT")
    assert "Mean cosine distance" in said
    assert "89% HPDI" in said
    tables = (read_table(place / "summary_by_connection.csv") for place in (whole, out))
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


@pytest.mark.parametrize(
    ("command", "names"),
    [("wordlists list", bb.list_wordlists()), ("models list", bb.list_models())],
)
def test_what_is_shipped_is_listed(command, names, printed):
    head, *lines = printed(command).splitlines()
    assert head.split()[:2] == ["name", "title"]
    assert [line.split()[0] for line in lines] == list(names)


@pytest.mark.parametrize(
    ("command", "parts"),
    [
        (
            "wordlists show religion",
            (
                "critical, conservative, familial",
                "reference words, of no group\n  person, people, someone",
                "10.18653/v1/N19-1062",
            ),
        ),
        ("wordlists show names", ("factor 'race' of the", "women: black_women, white_women")),
        ("wordlists check names", ("groups by race and gender, no faults found",)),
        ("wordlists show names --json", ('"race"', '"gender"')),
        ("wordlists check names --json", ('"race"', '"gender"')),
        ("models show crossed", ("distance[i] ",)),
    ],
)
def test_what_is_shipped_is_shown(command, parts, printed):
    said = printed(command)
    assert all(part in said for part in parts)


def test_wordlists_check(vectors, capsys, tmp_path):
    assert main(["wordlists", "check", "weat7", "--embedding", str(vectors)]) == 0
    said = capsys.readouterr().out
    assert "no faults found" in said
    assert "missing of arts: sculpture" in said
    words = ["math", "he", "she", "wear", "without"]
    rows = [f"{word} {i} {i * i + 1}\n" for i, word in enumerate(words)]
    (tmp_path / "few.txt").write_text("".join(rows))
    few = ["wordlists", "check", "weat7", "--embedding", str(tmp_path / "few.txt")]
    assert main(few) == 1
    assert "none of the words of arts is in the vectors" in capsys.readouterr().out
    assert main([*few, "--json"]) == 1
    assert len(json.loads(capsys.readouterr().out)["faults"]) == 1
    (tmp_path / "few.txt").write_text("".join([*rows, "symphony 2 3\n"]))
    assert main(few) == 0


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_contrasts_by_factor_are_printed_and_written(tmp_path, out, printed):
    names = small_list(tmp_path, "names")
    vectors = planted_embedding(names, similarity=0.2, dim=50, seed=1).vectors
    vectors.save_word2vec_format(str(tmp_path / "v.bin"), binary=True)
    given = f"{tmp_path}/v.bin --wordlist {tmp_path}/names.toml --model crossed"
    said = printed(f"analyze {given} --out OUT --report --figures")
    assert "Crossed groups:" in said
    assert "black women beyond both" in said
    names = {path.name for path in out.rglob("*")}
    assert {"contrasts_by_factor.csv", "factors.png"} <= names
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Contrasts by factor" in page
    assert "black women beyond both" in page


def test_both_answers_are_shown_at_equal_frequency(tmp_path, printed):
    bb.example_embedding().save_word2vec_format(str(tmp_path / "v.bin"), binary=True)
    given = f"{tmp_path}/v.bin --wordlist gender --model crossed"
    said = printed(f"analyze {given} --frequency")
    slopes, compared = said.split("At equal frequency ", 1)
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


def test_a_command_prints_where_the_locale_has_ascii_alone():
    """The C locale's own way with letters that it lacks is to fail."""
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "bayesbias"],  # the help has a ×
        capture_output=True,
        env=os.environ | ascii_only,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.isascii()
