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
from bayesbias.cli.parser import COMMANDS
from bayesbias.studies import across_embeddings, over_time
from bayesbias.support.text_tables import cells


@pytest.fixture(autouse=True)
def _fitted_once(monkeypatch):
    for place, name in (
        (bb, "fit"),
        (bb, "compare_change"),
        (bb, "plan_wordlist"),
        (across_embeddings, "compare_embeddings"),
        (over_time, "over_time"),
        (simulate, "operating_characteristics"),
    ):
        remember(monkeypatch, place, name)


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


HIDDEN = [
    "he\x1b[2J",
    "she\x9b31m\x7f",
    "\u202eshe\u2066",
    "h\u2064im",
    "her\nself",
    "his\u2028",
    "[red]he[/red]",
]


@pytest.fixture(scope="module")
def hidden(tmp_path_factory):
    """A command on two files of distances whose words hold what a terminal must not get."""
    place = tmp_path_factory.mktemp("hidden")
    frame = make_frame(n_words=len(HIDDEN), n_attributes=FEW)
    new = dict(zip(frame["protected_word"].unique(), HIDDEN, strict=True))
    frame["protected_word"] = frame["protected_word"].map(new)
    bb.write_distances(frame, place / "a.csv")
    rng = np.random.default_rng(0)
    grows = frame["connection"].map({"associated": -0.2}).fillna(0.0)  # and words that do are named
    frame["cosine_distance"] += grows + rng.normal(0, 0.01, len(frame))
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
    assert "[red]he[/red]" in printed  # a word that looks like markup is none


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


COMPARE = "compare before.csv after.csv --model change"
"""The default model takes ten times as long, and what is printed has the same form."""

SEVERAL = "compare before.csv after.csv third.csv --seed 1"
PEOPLE = "people.csv --true y --pred p --group g"
PLAN = "plan --words 6,8 --attributes 6 --simulations 2"
MAIN_TABLES = [
    (COMPARE, "associated|neutral|mean|89% HPDI|+0.|-0.| to |verdict", "contrasts answers rule"),
    (
        f"classifier gaps {PEOPLE} --seed 1",
        "TPR|gap|89% HPDI| to |verdict|undecided",
        "gaps rates method",
    ),
    (PLAN, "associated −|words|attributes|width|0.|decided|±", "table needed"),
    (
        "analyze --distances before.csv --model paper --placebo 2",
        "associated|mean|89% HPDI|0.9| to |verdict|closer|excludes 0",
        "summary contrasts placebo",
    ),
    (
        "sweep sweep.toml --out OUT --jobs 1",
        "associated|mean|89% HPDI| to |verdict",
        "table failures",
    ),
    ("measures v.txt --wordlist weat1", "measure|value|WEAT|verdict|89% HPDI", "measures record"),
    (
        f"classifier bounds {PEOPLE} --positive 1 --compare --seed 1",
        "method|95% interval| to |width",
        "disparity compared",
    ),
    ("classifier plan --disparity 0.05", "0.05|annotated persons", "n disparity gamma"),
    ("simulate --method weat-p --worlds 2 --jobs 1", "WEAT p| to ", "table seed"),
    ("wordlists list", "weat10|attributes| 14 ", "wordlists"),
    ("models list", "crossed-student-t|tails", "models"),
    ("analogy v.txt aster clover iris", "rank|unconstrained|*", "answers parameters"),
    (
        f"{SEVERAL} --model embeddings.toml",
        "embedding|after|mean|89% HPDI| to |verdict",
        "contrasts ranks",
    ),
    (
        f"{SEVERAL} --order 1900,1910,1920 --model change",
        "all groups|in sd|89% HPDI| to |verdict",
        "trend times",
    ),
    (
        "facts shares.csv --distances jobs.csv --column share",
        "words|slope|89% HPDI| to |verdict",
        "table words",
    ),
    ("wordlists check weat1 --embedding v.txt", "flowers|found|25", "name coverage"),
]
"""Commands, what their main table has at every width, and what their JSON has."""

NO_TABLES = {"demo", "report", "debias", "convert", "check", "runs", "cite"}
"""The demo prints what ``analyze`` does, and the others no table of results."""


def test_every_command_with_a_main_table_is_tried_at_every_width():
    tried = [command.split() for command, *_ in MAIN_TABLES]
    assert {words[0] for words in tried} | NO_TABLES == {command.name for command in COMMANDS}
    (group,) = (one for one in COMMANDS if isinstance(one, Group) and one.name == "classifier")
    assert {words[1] for words in tried if words[0] == "classifier"} == {
        action.name for action in group.actions
    }


@pytest.mark.parametrize("width", [60, 80, 200])
@pytest.mark.parametrize(("command", "parts"), [row[:2] for row in MAIN_TABLES])
def test_tables_fit_every_terminal(printed, monkeypatch, tmp_path, command, parts, width):
    """Never given up: the name, the number, the interval, the verdict."""
    terminal = {"FORCE_COLOR": "1", "NO_COLOR": "1", "TERM": "xterm", "COLUMNS": str(width)}
    for name, value in terminal.items():
        monkeypatch.setenv(name, value)
    lines = printed(command).split("In words:")[0].splitlines()
    beside = ("missing ", "Fitting model", str(tmp_path))  # lines of no table
    lines = [line for line in lines if not any(part in line for part in beside)]
    assert max(map(cells, lines)) <= width
    for part in parts.split("|"):
        assert any(part in line for line in lines), part
    assert all("────" in line or "─" not in line for line in lines)
    has_table = not command.startswith(("sweep", "classifier plan"))
    assert width < 200 or any("────" in line for line in lines) is has_table


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    ("command", "keys"),
    [
        *(row[::2] for row in MAIN_TABLES),
        ("analyze --distances before.csv --model paper --out OUT", "summary contrasts"),
        ("wordlists show weat1", "name groups attribute_sets sha256"),
        ("models show crossed", "terms equations"),
    ],
)
def test_json_is_all_that_is_printed(printed, command, keys):
    said = printed(f"{command} --json")
    found = json.loads(said, parse_constant=pytest.fail)
    assert set(keys.split()) <= set(found)
    is_table = command.startswith("analogy")  # whose answers are words
    assert is_table or all(isinstance(answer, str) for answer in found["answers"])
    assert "Next: " not in said  # a program is told what was found, not what to type


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs pseudo-terminals")
def test_a_pseudo_terminal_gets_tables_of_its_width(files):
    ours, theirs = os.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "bayesbias", *COMPARE.split(), "--seed", "1"],
        cwd=files,
        env={**os.environ, "COLUMNS": "60", "TERM": "xterm", "PYTHONIOENCODING": "utf-8"},
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
    assert main(COMPARE.split()) == 0
    assert main(["models", "show", "crossed"]) == 0
    assert main([*COMPARE.split(), "--json"]) == 0
    assert stream.errors == "strict"
    text = letters.getvalue().decode(encoding)
    assert "───" not in text  # rules are for terminals
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
    [("analyze --distances before.csv --model paper", "svg"), (COMPARE, "pdf"), (PLAN, "svg")],
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

    monkeypatch.setattr("bayesbias.load_wordlist", stopped)
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
