"""Arithmetic on many small matrices, which threads only slow down."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from threading import Lock
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


def on_one_thread(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Keep a function's products of matrices on one thread, and leave the others' as they are.

    Threads that wait for small products take a second processor, and a third of the time on top.
    """

    @wraps(function)
    def limited(*args: Given.args, **options: Given.kwargs) -> Answer:
        with _limit.held():
            return function(*args, **options)

    return limited


class _Limit:
    """The limit is the process's: the first of several threads sets it, the last one lifts it."""

    def __init__(self) -> None:
        self.lock, self.holders = Lock(), 0
        self.limiter: Any = None

    @contextmanager
    def held(self) -> Iterator[None]:
        with self.lock:
            if not self.holders:
                self.limiter = _libraries().limit(limits=1, user_api="blas")
            self.holders += 1
        try:
            yield
        finally:
            with self.lock:
                self.holders -= 1
                if not self.holders:
                    self.limiter.restore_original_limits()


_limit = _Limit()


@cache
def _libraries() -> "ThreadpoolController":
    """Find the libraries that multiply matrices, SciPy's own among them: a few milliseconds."""
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
