"""Worker processes: what they are given, and that they end with their parent."""

import os
import signal
import subprocess
import sys
import time

import pytest
from samples import ROOT

from bayesbias.errors import ArgumentError
from bayesbias.support.processes import _Worker, mapped

SLEEPING = """
import os, sys, time
from pathlib import Path
from bayesbias.support.processes import mapped
def note(item):
    (Path(sys.argv[1]) / str(os.getpid())).touch()
    time.sleep(600)
if __name__ == "__main__":
    list(mapped(note, range(4), jobs=2))
"""


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_closure_and_its_data_reach_the_workers():
    data = {"offset": 10}

    def add(item):
        return item + data["offset"], os.getpid()

    found = list(mapped(add, range(6), jobs=2))
    assert [value for value, _ in found] == [10, 11, 12, 13, 14, 15]
    assert os.getpid() not in {pid for _, pid in found}
    assert list(mapped(add, [1], jobs=1)) == [(11, os.getpid())]


def test_an_error_in_a_worker_is_the_callers():
    def refuse(item):
        raise ArgumentError(f"item={item}: no")

    with pytest.raises(ArgumentError, match="item=0: no"):
        list(mapped(refuse, range(50), jobs=2))


def test_a_worker_that_does_not_hear_is_ended_too(tmp_path):
    """One that heard it while its own task failed waited for more tasks, and its caller for it."""
    busy = tmp_path / "busy"

    def refuse(item):
        if item:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            busy.write_text(str(os.getpid()))
            time.sleep(600)
        while not busy.exists() or not busy.read_text():
            time.sleep(0.02)
        raise ArgumentError("no")

    with pytest.raises(ArgumentError, match="no"):
        list(mapped(refuse, range(2), jobs=2))
    with pytest.raises(ProcessLookupError):
        os.kill(int(busy.read_text()), 0)


def test_a_worker_that_dies_is_said():
    def die(item):
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(ArgumentError, match="jobs=2: a process died"):
        list(mapped(die, range(3), jobs=2))


def test_a_worker_that_cannot_read_its_queue_ends_in_silence(capfd):
    """Another was ended while it read, and left half a task; the parent hears of the end."""
    worker = _Worker(target=int, args=("no number",))
    worker.start()
    worker.join()
    assert worker.exitcode == 1
    assert capfd.readouterr().err == ""


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="processes are looked up in /proc")
def test_workers_end_with_a_killed_parent(tmp_path):
    """SIGKILL leaves the parent no time to tell them."""
    (tmp_path / "script.py").write_text(SLEEPING)
    pids = tmp_path / "pids"
    pids.mkdir()
    parent = subprocess.Popen([sys.executable, tmp_path / "script.py", pids], cwd=ROOT)
    wait_until(lambda: len(list(pids.iterdir())) == 2)
    workers = [int(path.name) for path in pids.iterdir()]
    assert all(map(is_alive, workers))
    parent.kill()
    parent.wait()
    wait_until(lambda: not any(map(is_alive, workers)), seconds=10)
