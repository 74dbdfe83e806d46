"""Every command stopped by a signal at random moments, and run again."""

import os
import signal
import sys
import time

import pytest
from samples import run_python
from stopped import COMMANDS, SIGNALS, make_inputs, stops

from bayesbias.cli import main
from bayesbias.cli.parser import COMMANDS as ALL_COMMANDS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    place = tmp_path_factory.mktemp("inputs")
    make_inputs(place)
    return place


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="moments are read from /proc")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_was_stopped_finishes_the_same(name, inputs, tmp_path):
    """By one signal each, in turn; `benchmarks/kills.py` sends each at twenty moments."""
    at = list(COMMANDS).index(name) % len(SIGNALS)
    rows = list(stops(name, inputs, tmp_path, SIGNALS[at : at + 1], moments=1, seed=1))
    assert len(rows) == 1
    assert [row for row in rows if row["wrong"]] == []


def test_no_command_is_forgotten():
    assert {given.split()[0] for given in COMMANDS.values()} == {one.name for one in ALL_COMMANDS}


def interrupted():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(1)


def converted():
    """Some compiled modules end so when a signal arrives while they load."""
    try:
        interrupted()
    except KeyboardInterrupt:
        raise ImportError("could not be initialised") from None


@pytest.mark.parametrize("ended", [interrupted, converted])
def test_ctrl_c_while_commands_are_loaded(ended, monkeypatch, capsys):
    """Before any command is known."""
    from bayesbias.cli import running

    monkeypatch.setattr(running, "build_parser", ended)
    given = signal.getsignal(signal.SIGINT)
    before = signal.default_int_handler  # tests that run in the background hear no Ctrl-C
    signal.signal(signal.SIGINT, before)
    try:
        assert main(["models", "list"]) == 130
        assert capsys.readouterr().err == "bayesbias: interrupted; nothing was written\n"
        assert signal.getsignal(signal.SIGINT) is before
    finally:
        signal.signal(signal.SIGINT, given)


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
    done = run_python("-c", PROGRAM, where)
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
    done = run_python("-c", ENDED)
    assert (done.returncode, done.stderr) == (-signal.SIGTERM, "")
