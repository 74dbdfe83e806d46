"""What commands print: plain text to a file, ruled tables to a terminal, JSON if asked for."""

import gzip
import io
import json
import os
import re
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest
from alike import list_frame
from samples import FEW, ROOT, make_frame, quick_embeddings, remember, small_list

import bayesbias as bb
from bayesbias import simulate
from bayesbias.cli import main
from bayesbias.cli.command import Group
from bayesbias.cli.registry import COMMANDS
from bayesbias.fits import fitting
from bayesbias.studies import across_embeddings, over_time, planning
from bayesbias.studies import change as changes
from bayesbias.support.text_tables import cells

COMPARE = ["compare", "before.csv", "after.csv", "--model", "change"]
"""The default model takes ten times as long, and what is printed has the same form."""


@pytest.fixture(autouse=True)
def _fitted_once(monkeypatch):
    remember(monkeypatch, fitting, "fit")
    remember(monkeypatch, changes, "compare_change")
    remember(monkeypatch, across_embeddings, "compare_embeddings")
    remember(monkeypatch, over_time, "over_time")
    remember(monkeypatch, planning, "plan_wordlist")
    remember(monkeypatch, simulate, "operating_characteristics")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    place = tmp_path_factory.mktemp("terminal")
    frame = make_frame(n_words=4, n_attributes=FEW)
    bb.write_distances(frame, place / "before.csv")
    frame["cosine_distance"] += np.random.default_rng(0).normal(0, 0.01, len(frame))
    bb.write_distances(frame, place / "after.csv")
    frame["cosine_distance"] += np.random.default_rng(1).normal(0, 0.01, len(frame))
    bb.write_distances(frame, place / "third.csv")
    bb.write_distances(list_frame(n_words=(4, 4), sizes=(5, 5)), place / "jobs.csv")
    rows = [f"s{i}{j},{5 * i + j}" for i in range(2) for j in range(5)]
    (place / "shares.csv").write_text("\n".join(["word,share", *rows]))
    words = ["aster", "clover", "iris", "ant", "caress", "abuse", "wear", "ballpark"]
    rows = [f"{word} {i + 1} {3 - i % 3}" for i, word in enumerate(words)]
    (place / "v.txt").write_text("\n".join(rows) + "\n")
    people = ["y,p,g", *(f"{i % 2},{i % 3 % 2},{'ab'[i % 5 % 2]}" for i in range(60))]
    (place / "people.csv").write_text("\n".join(people) + "\n")
    quick_embeddings(place)
    (place / "sweep.toml").write_text('models = ["paper"]\n[distances]\na = "before.csv"\n')
    return place


def refuse(constant):
    raise AssertionError(f"{constant} is no JSON")


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    ("command", "keys"),
    [
        (
            ["analyze", "--distances", "before.csv", "--model", "paper", "--out", "OUT"],
            {"summary", "contrasts"},
        ),
        (COMPARE, {"contrasts", "answers", "rule"}),
        (
            ["plan", "--words", "6,8", "--attributes", "6", "--simulations", "2"],
            {"table", "needed"},
        ),
        (["simulate", "--method", "weat-p", "--worlds", "2", "--jobs", "1"], {"table", "seed"}),
        (["wordlists", "list"], {"wordlists"}),
        (["wordlists", "show", "weat1"], {"name", "groups", "attribute_sets", "sha256"}),
        (["wordlists", "check", "weat1", "--embedding", "v.txt"], {"name", "coverage"}),
        (["models", "list"], {"models"}),
        (["models", "show", "crossed"], {"terms", "equations"}),
        (["classifier", "plan", "--disparity", "0.05"], {"n", "disparity", "gamma"}),
        (
            [
                *("classifier", "bounds", "people.csv", "--true", "y", "--pred", "p", "--group"),
                *("g", "--positive", "1", "--compare"),
            ],
            {"disparity", "compared"},
        ),
        (["sweep", "sweep.toml", "--out", "OUT", "--jobs", "1"], {"table", "failures"}),
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
    assert main(COMPARE) == 0
    plain = capsys.readouterr().out
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    assert main(COMPARE) == 0
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
    frame = make_frame(n_attributes=FEW)
    frame["protected_word"] = frame["protected_word"].replace("word0", "[red]word0[/red]")
    bb.write_distances(frame, tmp_path / "a.csv")
    after = frame.copy()
    after.loc[after.connection == "associated", "cosine_distance"] += 0.3
    noise = np.random.default_rng(0).normal(0, 0.01, len(after))
    after["cosine_distance"] = (after["cosine_distance"] + noise).clip(0, 2)
    bb.write_distances(after, tmp_path / "b.csv")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["compare", *(str(tmp_path / f"{n}.csv") for n in "ab"), "--model", "change"]) == 0
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
        capture_output=True,
        text=True,
        check=True,
    )
    for word in ("analyze", "compare", "--wordlist"):
        assert word in done.stdout


def test_an_unknown_shell_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["--print-completion", "fsh"])
    assert "not one of bash, zsh, tcsh" in capsys.readouterr().err


HIDDEN = ["he\x1b[2J", "she\x9b31m\x7f", "\u202eshe\u2066", "h\u2064im", "her\nself", "his\u2028"]


@pytest.fixture(scope="module")
def hidden(tmp_path_factory):
    """A command on two files of distances whose words hold what a terminal must not get."""
    place = tmp_path_factory.mktemp("hidden")
    frame = make_frame(n_attributes=FEW)
    words = list(frame["protected_word"].unique())
    new = [*HIDDEN, *words[len(HIDDEN) :]]
    assert len(words) >= len(HIDDEN)
    frame["protected_word"] = frame["protected_word"].map(dict(zip(words, new, strict=True)))
    bb.write_distances(frame, place / "a.csv")
    rng = np.random.default_rng(0)
    frame["cosine_distance"] = (
        frame["cosine_distance"] * 0.5 + rng.normal(0, 0.01, len(frame))
    ).clip(0, 2)
    bb.write_distances(frame, place / "b.csv")
    return ["compare", *(str(place / f"{n}.csv") for n in "ab"), "--model", "change"]


@pytest.mark.parametrize("terminal", [False, True])
def test_nothing_hidden_is_printed(hidden, capsys, monkeypatch, terminal):
    if terminal:
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("TERM", "dumb")  # no colours of our own, so that any escape is theirs
    monkeypatch.setenv("COLUMNS", "200")
    assert main(hidden) == 0
    printed = capsys.readouterr().out
    for letter in "\x1b\x9b\x7f\u202e\u2066\u2064\u2028":
        assert letter not in printed
    assert r"he\x1b[2J" in printed
    assert r"her\nself" in printed
    assert r"\u202eshe" in printed


def texts(content):
    """Yield every text of plain data."""
    if isinstance(content, dict | list):
        for value in content.values() if isinstance(content, dict) else content:
            yield from texts(value)
    else:
        yield content


def test_json_escapes_what_is_hidden_and_stays_the_same_data(hidden, capsys):
    assert main([*hidden, "--json"]) == 0
    printed = capsys.readouterr().out
    for letter in "\x1b\x9b\x7f\u202e\u2066\u2064\u2028":
        assert letter not in printed
    assert r"\u202eshe" in printed
    assert "−" in printed  # what can be seen stays readable
    assert set(HIDDEN) <= set(texts(json.loads(printed)))


GAPS = ["classifier", "gaps", "people.csv", "--true", "y", "--pred", "p", "--group", "g"]


SEVERAL = ["compare", "before.csv", "after.csv", "third.csv", "--seed", "1"]
MAIN_TABLES = [
    (
        COMPARE,
        ["associated", "neutral", "mean", "89% HPDI", "+0.", "-0.", " to ", "verdict"],
    ),
    ([*GAPS, "--seed", "1"], ["TPR", "gap", "89% HPDI", " to ", "verdict", "undecided"]),
    (
        ["plan", "--words", "6,8", "--attributes", "6", "--simulations", "2"],
        ["associated −", "words", "attributes", "width", "0.", "decided", "±"],
    ),
    (
        ["analyze", "--distances", "before.csv", "--model", "paper", "--placebo", "2"],
        ["associated", "mean", "89% HPDI", "0.9", " to ", "verdict", "closer", "excludes 0"],
    ),
    (
        ["sweep", "sweep.toml", "--out", "OUT", "--jobs", "1"],
        ["associated", "mean", "89% HPDI", " to ", "verdict"],
    ),
    (
        ["measures", "v.txt", "--wordlist", "weat1"],
        ["measure", "value", "WEAT", "verdict", "89% HPDI"],
    ),
    (
        ["classifier", "bounds", *GAPS[2:], "--positive", "1", "--compare", "--seed", "1"],
        ["method", "95% interval", " to ", "width"],
    ),
    (["classifier", "plan", "--disparity", "0.05"], ["0.05", "annotated persons"]),
    (["simulate", "--method", "weat-p", "--worlds", "2", "--jobs", "1"], ["WEAT p", " to "]),
    (["wordlists", "list"], ["weat10", "attributes", " 14 "]),
    (["models", "list"], ["crossed-student-t", "tails"]),
    (["analogy", "v.txt", "aster", "clover", "iris"], ["rank", "unconstrained", "*"]),
    (
        [*SEVERAL, "--model", "embeddings.toml"],
        ["embedding", "after", "mean", "89% HPDI", " to ", "verdict"],
    ),
    (
        [*SEVERAL, "--order", "1900,1910,1920", "--model", "change"],
        ["all groups", "in sd", "89% HPDI", " to ", "verdict"],
    ),
    (
        ["facts", "shares.csv", "--distances", "jobs.csv", "--column", "share"],
        ["words", "slope", "89% HPDI", " to ", "verdict"],
    ),
    (["wordlists", "check", "weat1", "--embedding", "v.txt"], ["flowers", "found", "25"]),
]
NO_TABLES = {"demo", "report", "debias", "convert", "check", "runs", "cite"}
"""The demo prints what ``analyze`` does, and the others no table of results."""


def test_every_command_with_a_main_table_is_tried_at_every_width():
    tried = {command[0] for command, _ in MAIN_TABLES}
    assert tried | NO_TABLES == {command.name for command in COMMANDS}
    groups = [group for group in COMMANDS if isinstance(group, Group)]
    (group,) = (group for group in groups if group.name == "classifier")
    assert {c[1] for c, _ in MAIN_TABLES if c[0] == "classifier"} == {a.name for a in group.actions}


@pytest.mark.parametrize("width", [60, 80, 200])
@pytest.mark.parametrize(("command", "parts"), MAIN_TABLES)
def test_tables_fit_every_terminal(files, tmp_path, capsys, monkeypatch, command, parts, width):
    """Never given up: the name, the number, the interval, the verdict."""
    monkeypatch.chdir(files)
    command = [str(tmp_path / "out") if part == "OUT" else part for part in command]
    terminal = {"FORCE_COLOR": "1", "NO_COLOR": "1", "TERM": "xterm", "COLUMNS": str(width)}
    for name, value in terminal.items():
        monkeypatch.setenv(name, value)
    assert main(command) == 0
    lines = capsys.readouterr().out.split("In words:")[0].splitlines()
    beside = ("missing ", "Fitting model", str(tmp_path))  # lines of no table
    lines = [line for line in lines if not any(part in line for part in beside)]
    assert max(map(cells, lines)) <= width
    for part in parts:
        assert any(part in line for line in lines), part
    assert all("────" in line or "─" not in line for line in lines)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs pseudo-terminals")
def test_a_pseudo_terminal_gets_tables_of_its_width(files):
    ours, theirs = os.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "bayesbias", *COMPARE, "--seed", "1"],
        cwd=files,
        env={**os.environ, "COLUMNS": "60", "TERM": "xterm"},
        stdout=theirs,
        stderr=subprocess.PIPE,
        check=True,
    )
    os.close(theirs)
    printed = b""
    with suppress(OSError):  # Linux says so where the other side is closed
        while part := os.read(ours, 1 << 16):
            printed += part
    os.close(ours)
    assert done.stderr == b""
    lines = re.sub(r"\x1b\[[\d;]*m", "", printed.decode()).splitlines()
    (head, *_) = (line for line in lines if line.startswith("contrast "))
    assert head.split() == ["contrast", "mean", "89%", "HPDI", "verdict"]
    assert max(map(cells, lines)) <= 60


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
def test_output_lacks_no_letter(files, monkeypatch, encoding):
    monkeypatch.chdir(files)
    letters = io.BytesIO()
    stream = io.TextIOWrapper(letters, encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(COMPARE) == 0
    assert main(["models", "show", "crossed"]) == 0
    assert main([*COMPARE, "--json"]) == 0
    assert stream.errors == "strict"
    text = letters.getvalue().decode(encoding)
    minus = "−" if encoding == "utf-8" else "-"
    assert f"associated {minus} different" in text
    assert ("+/-" in text) == (encoding == "ascii")
    found = json.loads(text[text.index("\n{\n") :])
    assert found["contrasts"][0]["contrast"] == "associated − different"


def test_words_stand_under_their_group(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    listed = small_list(tmp_path, "gender")
    vectors = simulate.planted_embedding(listed, similarity=0.2, dim=20, seed=1).vectors
    vectors.save_word2vec_format("e.txt")
    command = ["analyze", "e.txt", "--wordlist", "gender.toml", "--words", "--model", "paper"]
    assert main(command) == 0
    lines = capsys.readouterr().out.splitlines()
    for group in listed.groups:
        start = lines.index(f"{group.name}:")
        end = lines.index("", start)
        assert {line.split()[0] for line in lines[start + 2 : end]} == set(group.words)


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("analyze --distances before.csv --model paper", "svg"),
        ("compare before.csv after.csv --model change", "pdf"),
        ("plan --words 6,8 --attributes 6 --simulations 2", "svg"),
        *(
            pytest.param(*pair, marks=pytest.mark.slow)
            for pair in (
                ("analyze --distances before.csv --model paper", "pdf"),
                ("compare before.csv after.csv --model change", "svg"),
                ("plan --words 6,8 --attributes 6 --simulations 2", "pdf"),
            )
        ),
    ],
)
def test_figures_have_the_format_that_was_asked_for(files, tmp_path, monkeypatch, command, kind):
    monkeypatch.chdir(files)
    out = tmp_path / "out"
    assert main([*command.split(), "--out", str(out), "--quiet", "--figures", kind]) == 0
    figures = [p for p in out.rglob("*") if p.suffix in (".png", ".pdf", ".svg")]
    assert figures
    start = {"pdf": b"%PDF", "svg": b"<?xml"}[kind]
    assert all(p.suffix == f".{kind}" and p.read_bytes().startswith(start) for p in figures)


def test_ctrl_c_is_130(capsys, monkeypatch):
    def stopped(name):
        raise KeyboardInterrupt

    monkeypatch.setattr("bayesbias.pairs.word_lists.load_wordlist", stopped)
    assert main(["wordlists", "show", "gender"]) == 130
    assert "interrupted; nothing was written" in capsys.readouterr().err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize(
    "command", [["wordlists", "list"], ["models", "list", "--json"], ["--help"]]
)
def test_a_full_disk_behind_the_output_is_one_line(command):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "bayesbias", *command],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == (
        "bayesbias: error: standard output cannot be written (No space left on device)\n"
    )
