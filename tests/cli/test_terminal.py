"""What commands print: plain text to a file, ruled tables to a terminal, JSON if asked for."""

import gzip
import json
import subprocess
import sys

import numpy as np
import pytest
from samples import make_frame

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.cli.parser import build_parser


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    place = tmp_path_factory.mktemp("terminal")
    frame = make_frame()
    bb.write_distances(frame, place / "before.csv")
    frame["cosine_distance"] += np.random.default_rng(0).normal(0, 0.01, len(frame))
    bb.write_distances(frame, place / "after.csv")
    (place / "v.txt").write_text("aster 1 2\nclover 2 1\niris 3 1\n")
    people = ["y,p,g", *(f"{i % 2},{i % 3 % 2},{'ab'[i % 5 % 2]}" for i in range(60))]
    (place / "people.csv").write_text("\n".join(people) + "\n")
    (place / "sweep.toml").write_text('models = ["paper"]\n[distances]\na = "before.csv"\n')
    return place


def refuse(constant):
    raise AssertionError(f"{constant} is no JSON")


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        (["analyze", "--distances", "before.csv", "--out", "OUT"], {"groups", "contrasts"}),
        (["compare", "before.csv", "after.csv"], {"changes", "contrasts", "answers"}),
        (
            ["plan", "--words", "6,8", "--attributes", "6", "--simulations", "2"],
            {"table", "needed"},
        ),
        (["simulate", "--method", "weat-p", "--worlds", "2", "--jobs", "1"], {"table", "seed"}),
        (["wordlists", "list"], {"wordlists"}),
        (["wordlists", "show", "weat1"], {"name", "groups", "attribute_sets", "sha256"}),
        (["wordlists", "check", "weat1", "--embedding", "v.txt"], {"name", "coverage"}),
        (["models", "list"], {"models"}),
        (["models", "show", "crossed"], {"priors", "equations"}),
        (["classifier", "plan", "--disparity", "0.05"], {"n", "disparity", "gamma"}),
        (
            [
                "classifier",
                "bbu",
                "people.csv",
                "--true",
                "y",
                "--pred",
                "p",
                "--group",
                "g",
                "--positive",
                "1",
                "--compare",
            ],
            {"disparity", "compared"},
        ),
        (["sweep", "sweep.toml", "--out", "OUT", "--jobs", "1"], {"results", "failures"}),
    ],
)
def test_json_is_all_that_is_printed(files, tmp_path, capsys, monkeypatch, command, keys):
    monkeypatch.chdir(files)
    asked = [str(tmp_path / "out") if part == "OUT" else part for part in command]
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=refuse)
    assert keys <= set(found)


def test_a_terminal_gets_ruled_tables(files, capsys, monkeypatch):
    monkeypatch.chdir(files)
    command = ["compare", "before.csv", "after.csv"]
    assert main(command) == 0
    plain = capsys.readouterr().out
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    assert main(command) == 0
    ruled = capsys.readouterr().out
    assert "───" not in plain
    assert "───" in ruled
    for word in ("associated", "practically equal", "In words:"):
        assert word in plain
        assert word in ruled


@pytest.mark.parametrize(
    "command",
    [
        ["wordlists", "list"],
        ["classifier", "gaps", "people.csv", "--true", "y", "--pred", "p", "--group", "g"],
        ["analogy", "v.txt", "aster", "clover", "iris"],
    ],
)
def test_tables_of_every_kind_are_ruled(files, capsys, monkeypatch, command):
    monkeypatch.chdir(files)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "160")
    assert main(command) == 0
    assert "───" in capsys.readouterr().out


def test_words_are_shown_as_they_are(tmp_path, capsys, monkeypatch):
    """A word that looks like markup is no markup."""
    frame = make_frame()
    frame["protected_word"] = frame["protected_word"].replace("word0", "[red]word0[/red]")
    bb.write_distances(frame, tmp_path / "a.csv")
    after = frame.copy()
    after.loc[after.connection == "associated", "cosine_distance"] += 0.3
    noise = np.random.default_rng(0).normal(0, 0.01, len(after))
    after["cosine_distance"] = (after["cosine_distance"] + noise).clip(0, 2)
    bb.write_distances(after, tmp_path / "b.csv")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["compare", str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]) == 0
    assert "[red]word0[/red]" in capsys.readouterr().out


@pytest.mark.parametrize("packed", [False, True])
def test_reading_a_large_file_shows_a_bar_unless_quiet(tmp_path, capsys, monkeypatch, packed):
    content = b"he 1 2\nshe 2 1\n"
    (tmp_path / "v").write_bytes(gzip.compress(content) if packed else content)
    monkeypatch.setattr("bayesbias.support.progress.LARGE_FILE", 1)
    monkeypatch.setenv("FORCE_COLOR", "1")
    for number, quiet in enumerate(([], ["--quiet"])):
        out = tmp_path / f"{number}.bbv"
        assert main(["convert", str(tmp_path / "v"), str(out), *quiet]) == 0
        assert ("Reading v" in capsys.readouterr().err) == (not quiet)
        assert list(bb.load_embedding(out).index_to_key) == ["he", "she"]


def test_quiet_and_json_exclude_each_other(capsys):
    with pytest.raises(SystemExit):
        main(["plan", "--quiet", "--json"])
    assert "not allowed with" in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_shells_can_complete_commands(shell):
    done = subprocess.run(
        [sys.executable, "-m", "bayesbias", "--print-completion", shell],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    for word in ("analyze", "compare", "--wordlist"):
        assert word in done.stdout


def test_an_unknown_shell_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["--print-completion", "fsh"])
    assert "none of bash, zsh, tcsh" in capsys.readouterr().err


def commands(parser, prefix=()):
    """Yield every command with its parser."""
    for action in parser._subparsers._group_actions if parser._subparsers else ():
        for name, sub in action.choices.items():
            yield (*prefix, name), sub
            yield from commands(sub, (*prefix, name))


def test_every_command_has_an_example_that_parses():
    parser = build_parser()
    found = dict(commands(parser))
    assert {("analyze",), ("compare",), ("classifier", "gaps"), ("wordlists", "check")} <= set(
        found
    )
    for name, sub in found.items():
        assert sub.epilog, name
        example = sub.epilog.removeprefix("example: ")
        assert example.startswith("bayesbias " + " ".join(name)), name
        parser.parse_args(example.split()[1:])
