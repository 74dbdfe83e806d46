"""Arithmetic on many small matrices, which threads only slow down, and on a few large ones."""

import os
from collections.abc import Callable
from functools import cache, wraps
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


_ASKED: Final = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
"""What tells OpenBLAS, which numpy and SciPy of PyPI come with, how many threads to start."""

_began_on_one = False


def begin_on_one_thread() -> None:
    """Let OpenBLAS, which is not loaded yet, start no threads, unless the user said how many.

    They spin while they wait for the next small product: half of a short command's processor time.
    """
    global _began_on_one
    if not any(name in os.environ for name in _ASKED):
        os.environ[_ASKED[0]] = "1"
        _began_on_one = True


def on_all_threads(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Give a function of large products the threads that `begin_on_one_thread` has taken."""

    @wraps(function)
    def unlimited(*args: Given.args, **options: Given.kwargs) -> Answer:
        if not _began_on_one:
            return function(*args, **options)
        has_affinity = hasattr(os, "sched_getaffinity")  # which processors this process may use
        processors = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
        with _libraries().limit(limits=processors, user_api="blas"):
            return function(*args, **options)

    return unlimited


def on_one_thread(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Keep a function's products of matrices on one thread, and leave the others' as they are.

    Threads that wait for small products take a second processor, and a third of the time on top.
    """

    @wraps(function)
    def limited(*args: Given.args, **options: Given.kwargs) -> Answer:
        with _lock:  # the limit is the process's: the first thread sets it, the last one lifts it
            if not _limits:
                _limits.append(_libraries().limit(limits=1, user_api="blas"))
            else:
                _limits.append(None)
        try:
            return function(*args, **options)
        finally:
            with _lock:
                if len(_limits) == 1:
                    _limits[0].restore_original_limits()
                _limits.pop()

    return limited


_lock: Final = Lock()
_limits: Final[list[Any]] = []
"""What lifts the limit of one thread, and one more entry for every further function within it."""


@cache
def _libraries() -> "ThreadpoolController":
    """Find the libraries that multiply matrices, SciPy's own among them: a few milliseconds."""
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
