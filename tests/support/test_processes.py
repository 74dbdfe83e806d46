"""Worker processes: what they are given, and what is said of one that dies."""

import os
import signal

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from bayesbias.errors import ArgumentError
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
