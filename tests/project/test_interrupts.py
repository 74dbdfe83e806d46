"""Every command stopped by a signal at random moments, and run again."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest
from file_operations import state_of, without_leftovers
from samples import ROOT, make_frame, write_inputs

import bayesbias as bb
from bayesbias.cli import main

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)

MOMENTS = int(os.environ.get("BAYESBIAS_MOMENTS", "0"))
"""Of each signal and command; 20 take some hours. If 0, each command gets one signal, in turn."""

COMMANDS = {
    "analyze": "analyze e.bin --wordlist gender --model paper --out OUT",
    "analyze distances": "analyze --distances d0.csv --model paper --report --out OUT",
    "compare": "compare d0.csv d1.csv --model change --out OUT",
    "report": "report fit.nc --out OUT --no-comparison",
    "measures": "measures e.bin --wordlist gender",
    "debias": "debias hard e.bin OUT --wordlist gender",
    "convert": "convert e.bin OUT",
    "plan": "plan --words 6 --attributes 10 --simulations 2 --out OUT",
    "simulate": "simulate --method weat-p --worlds 40 --words 6 --attributes 6 --jobs 2 --out OUT",
    "sweep": "sweep sweep.toml --jobs 2 --out OUT",
    "check": "check rules.toml --junit OUT",
    "runs": "runs corpus.txt --seeds 3 --min-count 1 --vector-size 20 --jobs 2 --out OUT",
    "analogy": "analogy e.bin he his she --out OUT",
    "facts": "facts jobs.csv e.bin --wordlist gender --column share --out OUT",
    "gaps": "classifier gaps people.csv.gz --true y --pred p --group sex --draws 100 --out OUT",
    "bounds": "classifier bounds people.csv.gz --true y --pred p --group sex --positive 1",
    "classifier plan": "classifier plan --disparity 0.05",
    "wordlists": "wordlists show gender",
    "models": "models list",
}
GOES_ON = ("sweep", "runs", "check")
"""Commands that go on in their folder, or replace their file, and need no --overwrite."""

TIMES = ("created", "files", "command", "seconds")
"""Fields that may differ: times, checksums of files with a time, and --overwrite."""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    place = tmp_path_factory.mktemp("inputs")
    write_inputs(place)
    (place / "corpus.txt").write_text(" ".join(f"w{i * i % 97}" for i in range(60_000)))
    (place / "sweep.toml").write_text(
        'models = ["paper", "crossed"]\nwordlists = ["gender"]\n'
        '[embeddings]\ne = "e.bin"\n[distances]\na = "d0.csv"\nb = "d1.csv"\n'
    )
    (place / "rules.toml").write_text(
        'vectors = "e.bin"\nwordlist = "gender"\nmodel = "paper"\n'
        '[rules.a]\ncontrast = "associated - different"\nat_most = 2\n'
    )
    bb.fit(make_frame(), model="paper", engine="collapsed", draws=200, seed=1).save(
        place / "fit.nc"
    )
    return place


def hear_signals():
    """Undo what a shell does to programs that it starts in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def started(name, inputs, out, *more):
    given = [a.replace("OUT", str(out)) for a in COMMANDS[name].split()]
    return subprocess.Popen(
        [sys.executable, "-m", "bayesbias", *given, *more],
        cwd=inputs,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        preexec_fn=hear_signals,
        start_new_session=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def shown(out):
    """Return what is under a name, without the fields that may differ."""
    if out.is_dir():
        state = without_leftovers(state_of(out))
    else:
        state = {p.name: p.read_bytes() for p in out.parent.glob(f"{out.name}*")}
    for name, content in list(state.items()):
        if name.endswith("manifest.json"):
            state[name] = {k: v for k, v in json.loads(content).items() if k not in TIMES}
        elif name.endswith("fit.nc"):
            state[name] = bb.load_fit(out / name).id
        elif name.endswith(".parquet"):
            table = pd.read_parquet(out / name)
            state[name] = table[[c for c in table if c not in TIMES]].to_csv()
        elif name.endswith(".html"):
            text = re.sub(rb"20\d\d-\d\d-\d\d[ T]?[\d:.+Z]*| --overwrite", b"", content)
            state[name] = text.replace(str(out).encode(), b"")
    return state


def log(row):
    if path := os.environ.get("INTERRUPTS_LOG"):
        with open(path, "a") as stream:
            stream.write(json.dumps(row) + "\n")


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_was_stopped_finishes_the_same(name, inputs, tmp_path):
    last = "w.html" if name == "report" else "whole"
    begin = time.monotonic()
    with started(name, inputs, tmp_path / last) as process:
        said, _ = process.communicate()
    seconds = time.monotonic() - begin
    assert process.returncode == 0, said
    whole = shown(tmp_path / last)
    begin = time.monotonic()
    subprocess.run([sys.executable, "-c", "import bayesbias.cli"], cwd=ROOT, check=True)
    earliest = 2 * (time.monotonic() - begin)  # before that, Python itself is still starting
    moments, wrong = random.Random(1), []
    at = list(COMMANDS).index(name) % len(SIGNALS)
    for number in SIGNALS if MOMENTS else SIGNALS[at : at + 1]:
        for moment in range(max(1, MOMENTS)):
            place = tmp_path / f"{number}-{moment}"
            place.mkdir()
            out = place / last
            process = started(name, inputs, out)
            time.sleep(moments.uniform(earliest, max(seconds, earliest)))
            # Ctrl-C reaches all processes of a terminal.
            (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
            said, complaint = process.communicate(timeout=120)
            code = process.returncode
            if number == signal.SIGINT and not (
                code == 0 or (code == 130 and re.fullmatch("bayesbias: .*\n", complaint))
            ):
                wrong.append(("said", code, complaint))
            if number != signal.SIGINT and code not in (0, -number):
                wrong.append(("ended", number, code, complaint))
            taken = any(place.glob("w*")) and name not in GOES_ON
            with started(name, inputs, out, *(["--overwrite"] if taken else [])) as again:
                _, complaint_again = again.communicate(timeout=300)
            after = shown(out)
            if again.returncode or after != whole:
                different = [k for k in {*after, *whole} if after.get(k) != whole.get(k)]
                wrong.append(("again", number, again.returncode, complaint_again, different))
            log([name, int(number), code, complaint[-300:], again.returncode, after == whole])
            shutil.rmtree(place)
    assert wrong == []


def test_ctrl_c_while_commands_are_loaded(monkeypatch, capsys):
    """Before any command is known."""
    from bayesbias.cli import running

    def interrupted():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)

    monkeypatch.setattr(running, "build_parser", interrupted)
    before = signal.getsignal(signal.SIGINT)
    assert main(["models", "list"]) == 130
    assert capsys.readouterr().err == "bayesbias: interrupted; nothing was written\n"
    assert signal.getsignal(signal.SIGINT) is before


def test_a_ctrl_c_that_became_another_exception(monkeypatch, capsys):
    """Some compiled modules end with an ImportError when a signal arrives while they load."""
    from bayesbias.cli import running

    def converted():
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
        except KeyboardInterrupt:
            raise ImportError("could not be initialised") from None

    monkeypatch.setattr(running, "build_parser", converted)
    assert main(["models", "list"]) == 130
    assert capsys.readouterr().err == "bayesbias: interrupted; nothing was written\n"


PROGRAM = """
import os, signal, sys, time
import bayesbias.cli.running as running
from bayesbias.cli import main
class Finalised:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
def in_a_finaliser():
    one = Finalised()
    del one
    time.sleep(2)
def in_a_text():
    exec("os.kill(os.getpid(), signal.SIGINT); time.sleep(20)")
running.build_parser = globals()[sys.argv[1]]
sys.argv = ["bayesbias", "models"]
sys.exit(main())
"""


@pytest.mark.parametrize("where", ["in_a_finaliser", "in_a_text"])
def test_a_ctrl_c_is_heard_wherever_it_comes(where):
    """In a finaliser it cannot be raised; in a text, such as a dataclass's, Python keeps it."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, where],
        cwd=ROOT,
        preexec_fn=hear_signals,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == "bayesbias: interrupted; nothing was written\n"
    assert done.returncode == 130


ENDED = """
import pickle
from bayesbias.support import processes
class Loaded:
    def __reduce__(self):
        return exec, ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)",)
processes._begin(pickle.dumps(Loaded()))
"""


def test_a_worker_that_is_ended_while_it_begins_says_nothing():
    """The pool printed the exception that was to end a task, while there was none."""
    done = subprocess.run(
        [sys.executable, "-c", ENDED], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (-signal.SIGTERM, "")
