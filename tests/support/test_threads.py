"""Threads of the libraries that multiply matrices."""

import os
import subprocess
import sys

import pytest

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
