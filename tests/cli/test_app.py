"""The application: its help, its errors in one line, and output that nobody reads."""

import json
import os
import subprocess
import sys
from datetime import datetime

import pytest

COMMANDS = [
    *("demo", "analyze", "compare", "sweep", "check"),
    *("measures", "debias", "analogies", "classifier", "wordlists"),
]


def test_help_lists_ten_commands(run):
    code, out, _ = run("--help")
    assert code == 0
    listed = [
        line.split()[0] for line in out.partition("Commands:")[2].splitlines() if line.strip()
    ]
    assert [name for name in COMMANDS if name in listed] == COMMANDS


@pytest.mark.parametrize("group", ["classifier", "wordlists"])
def test_a_group_of_commands_alone_lists_them(run, group):
    code, out, err = run(group)
    assert (code, err) == (0, "")
    assert out.startswith(f"Usage: bayesbias {group}")


def test_help_loads_no_library_of_numbers():
    code = (
        "import sys; from bayesbias.cli import main; main(['--help']); "
        "print('numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.splitlines()[-1] == "False"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["analyse"], "analyze"),
        (["analyze", "--wordlsit", "gender"], "--wordlist"),
        (["analyze", "vectors.txt", "-w", "gneder"], "gender"),
        (["analyze", "vectors.txt", "-w", "list.json", "--model", "maximum"], "maximal"),
        (["analyze", "vectors.txt", "-w", "list.json", "--ci-prob", "2"], "ci_prob"),
        (["analyze", "nothing.txt", "-w", "list.json"], "nothing.txt"),
        (["analyze", "gender"], "--wordlist"),
        (["analyze", "vectors.txt", "-w", "list.json", "-w", "gender"], "is given twice"),
        (["analyze"], "--distances"),
        (["compare", "vectors.txt", "-w", "list.json"], "two"),
        (["compare", "vectors.txt", "vectors.txt", "--names", "a", "-w", "list.json"], "--names"),
    ],
)
def test_what_is_wrong_is_a_line_on_standard_error(place, run, words, named):
    code, out, err = run(*words)
    assert code == 2
    assert out == ""
    lines = [line for line in err.splitlines() if "error: " in line]
    assert len(lines) == 1
    assert named in lines[0]


def python(script, place, **options):
    """Run a command line in a shell, in which bayesbias is the package's."""
    command = f'bayesbias() {{ "{sys.executable}" -m bayesbias "$@"; }}; {script}'
    return subprocess.run(
        ["bash", "-c", command], cwd=place, capture_output=True, text=True, **options
    )


@pytest.mark.skipif(sys.platform != "linux", reason="pipes and /dev/full are Linux's")
@pytest.mark.parametrize("reader", ["| true", "| head -1", ">&-", ">/dev/full"])
def test_output_that_nobody_reads_costs_no_result(place, reader):
    command = "bayesbias analyze vectors.txt -w list.json -o out --seed 1"
    done = python(f"{command} {reader}; exit ${{PIPESTATUS[0]}}", place)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert (place / "out" / "contrasts.csv").is_file()


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_json_with_odd_characters_can_be_read(place, encoding):
    title = "a\u00a0b \u007f é \u009b\u001b[2J \U0001f600 \U000e0001"
    content = json.loads((place / "list.json").read_text(encoding="utf-8"))
    (place / "list.json").write_text(json.dumps({**content, "title": title}), encoding="utf-8")
    options = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "bayesbias", "wordlists", "show", "list.json", "--json"]
    done = subprocess.run(
        command, cwd=place, env={**os.environ, **options}, capture_output=True, check=True
    )
    assert json.loads(done.stdout)["title"] == title
    assert b"\x1b" not in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are those of POSIX shells")
def test_a_failure_stays_one_when_nobody_reads(place):
    (place / "small.txt").write_text("he 1 2\nshe 2 1\n", encoding="utf-8")
    done = python(
        "bayesbias wordlists check list.json --vectors small.txt | true; exit ${PIPESTATUS[0]}",
        place,
    )
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("words", "steps"),
    [
        (("analyze", "vectors.txt", "-w", "list.json"), ["vectors are read", "are fitted"]),
        (("compare", "vectors.txt", "again.txt", "-w", "list.json"), ["2 conditions"]),
        (("sweep", "grid.toml", "-o", "grid"), ["Sweeping: 1 of 1"]),
        (("analyze", "nothing.txt", "-w", "list.json"), ["error: nothing.txt"]),
    ],
)
def test_a_log_has_the_command_its_steps_and_the_end_with_times(place, run, words, steps):
    (place / "grid.toml").write_text(
        'models = ["paper"]\nwordlists = ["list.json"]\n[vectors]\nown = "vectors.txt"\n',
        encoding="utf-8",
    )
    (place / "again.txt").write_bytes((place / "vectors.txt").read_bytes())
    code, _, err = run(*words, "--log", "run.log")
    lines = (place / "run.log").read_text(encoding="utf-8").splitlines()
    times, texts = zip(*(line.split(" ", 1) for line in lines), strict=True)
    assert list(times) == sorted(times)
    assert datetime.fromisoformat(times[0]).utcoffset() is not None
    assert texts[0].startswith("bayesbias")
    assert texts[-1].startswith("ended after ")
    for step in steps:
        assert sum(step in text for text in texts) == 1
    assert all(line in texts for line in err.splitlines())
    run(*words, "--log", "run.log")
    assert len((place / "run.log").read_text(encoding="utf-8").splitlines()) > len(lines)
    assert run(*words, "--log", "no/run.log")[0] == 2
    assert code == (2 if "nothing.txt" in words else 0)
