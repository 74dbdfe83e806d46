"""Worker processes and threads: what they are given, and what is said of one that dies; bars."""

import os
import signal
import subprocess
import sys
import warnings

import numpy as np
import pytest
import rich.console
from threadpoolctl import threadpool_info

from bayesbias.errors import ArgumentError
from bayesbias.support import machine
from bayesbias.support.machine import parallel_map


def test_a_closure_and_its_data_reach_the_workers():
    data = {"offset": 10}

    def add(item):
        return item + data["offset"], os.getpid()

    found = list(parallel_map(add, range(6), jobs=2))
    assert [value for value, _ in found] == [10, 11, 12, 13, 14, 15]
    assert os.getpid() not in {pid for _, pid in found}
    assert list(parallel_map(add, [1], jobs=1)) == [(11, os.getpid())]


def test_an_error_in_a_worker_is_the_callers():
    def refuse(item):
        raise ArgumentError(f"item={item}: no")

    with pytest.raises(ArgumentError, match=r"item=\d+: no"):
        list(parallel_map(refuse, range(50), jobs=2))


def test_a_worker_that_dies_is_said():
    def die(item):
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(ArgumentError, match="jobs=2: a process died"):
        list(parallel_map(die, range(3), jobs=2))


def test_a_worker_has_one_thread_and_arrays_of_its_own():
    """Threads of several processes would wait for each other."""
    given = np.zeros(1_000_000)

    def change(item):
        given[0] = item
        (given[:10_000].reshape(100, 100) @ np.eye(100)).sum()
        return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]

    assert list(parallel_map(change, range(2), jobs=2)) == [[1], [1]]
    assert given[0] == 0


# Threads of the libraries that multiply matrices

PROGRAM = """
from threading import Barrier, Thread

import scipy.linalg
from threadpoolctl import threadpool_info

from bayesbias.support.machine import on_one_thread

steps = [Barrier(2) for _ in range(3)]


def threads():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


@on_one_thread
def first():
    steps[0].wait()  # both have begun
    steps[1].wait()


@on_one_thread
def second():
    steps[0].wait()
    steps[1].wait()
    steps[2].wait()  # the first, which set the limit, has ended
    print(threads() == {1})


before = threads()
one, two = Thread(target=first), Thread(target=second)
one.start(), two.start()
one.join()
steps[2].wait()
two.join()
print(on_one_thread(threads)() == {1}, threads() == before, before)
"""


def test_arithmetic_stays_on_one_thread_and_others_keep_theirs():
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    given = "{2}" if (os.cpu_count() or 1) > 1 else "{1}"  # no more than there are processors
    assert answer.stdout.split() == ["True", "True", "True", given]


BEGUN = """
import sys

from bayesbias.__main__ import command

sys.argv = ["bayesbias"]
command()
import scipy.linalg
from threadpoolctl import threadpool_info

blas = [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]
print(set(blas), file=sys.stderr)
"""


@pytest.mark.parametrize("given", [None, "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"])
def test_a_command_begins_on_one_thread_unless_the_user_says_how_many(given):
    """Threads that spin while they wait were half of the processor time of a short command."""
    names = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    if given:
        environment[given] = "2"
    answer = subprocess.run(
        [sys.executable, "-c", BEGUN],
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    assert answer.stderr.strip() == f"{{{min(2, processors) if given else 1}}}"


@pytest.mark.parametrize("installed", [True, False])
def test_a_notebook_without_ipywidgets_has_no_bar_and_no_warnings(monkeypatch, installed):
    monkeypatch.setattr(rich.console, "_is_jupyter", lambda: True)
    monkeypatch.setattr(machine, "find_spec", lambda name: object() if installed else None)
    assert (machine.bar_console(None) is not None) is installed
    if installed:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for asked in (None, True, False):
            assert list(machine.tracked(range(60), "counting", asked)) == list(range(60))
