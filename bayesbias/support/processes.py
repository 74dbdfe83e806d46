"""Processes on this machine for many small tasks; they end with the process that started them."""

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import parent_process, resource_tracker
from multiprocessing.connection import wait
from multiprocessing.context import SpawnContext, SpawnProcess
from threading import Event, Thread
from typing import Any, Final, TypeVar

from bayesbias.errors import ArgumentError

Item = TypeVar("Item")
Answer = TypeVar("Answer")

_THREADS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

_MOMENT: Final = 2.0
"""Seconds in which a worker tidies up."""

_function: Callable[[Any], Any] | None = None
"""What a worker was started for."""


def mapped(
    function: Callable[[Item], Answer], items: Iterable[Item], jobs: int
) -> Iterator[Answer]:
    """Yield ``function(item)`` in order, from several processes; the function may be a closure."""
    if jobs == 1:
        yield from map(function, items)
        return
    import cloudpickle

    try:
        with spawned_pool(jobs, cloudpickle.dumps(function)) as pool:
            yield from pool.map(_apply, items)
    except BrokenProcessPool as error:
        raise ArgumentError(
            f"jobs={jobs}: a process died",
            advice="it was killed, had no memory, or its script has no guard 'if __name__ == "
            '"__main__":\'; try again with fewer jobs',
            typed="it was killed or had no memory; try again with fewer jobs",
        ) from error


class _Worker(SpawnProcess):
    """A process that never hears Ctrl-C, not even while it starts: its parent ends it."""

    def start(self) -> None:
        if not hasattr(signal, "pthread_sigmask"):  # Windows
            return super().start()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            super().start()  # a process begins with the signals blocked that its parent blocks
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def run(self) -> None:
        """Take tasks; end in silence where another worker's end left half a task in the queue."""
        try:
            super().run()
        except Exception:
            os._exit(1)


class _Context(SpawnContext):
    """Starts such processes, and remembers them."""

    def __init__(self) -> None:
        self.workers: list[_Worker] = []

    def Process(self, *arguments: Any, **options: Any) -> _Worker:  # type: ignore[override]
        self.workers.append(_Worker(*arguments, **options))
        return self.workers[-1]


@contextmanager
def spawned_pool(jobs: int, function: bytes = b"") -> Iterator[ProcessPoolExecutor]:
    """Give a pool of processes of one thread each, which share no lock with this one."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    resource_tracker.ensure_running()  # once it runs, to start a worker leaves signals alone
    context = _Context()
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(function,))
    ended = Event()
    try:
        yield pool
    except BaseException:  # nobody waits for what workers do
        Thread(target=_end, args=(context.workers, ended), daemon=True).start()
        raise
    finally:
        pool.shutdown(cancel_futures=True)  # after an interrupt nobody waits for the rest
        ended.set()
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _end(workers: list[_Worker], ended: Event) -> None:
    """End workers once the pool knows that it ends, and kill those that go on.

    One that hears of it while its task fails takes that for the task's error, and asks for another.
    """
    for end, seconds in ((_Worker.terminate, 0.05), (_Worker.kill, _MOMENT)):
        if ended.wait(seconds):
            return
        for worker in workers:
            if worker.is_alive():
                end(worker)


def _begin(function: bytes) -> None:
    """Prepare a worker: end with the parent or at its word, and know the function."""
    Thread(target=_end_with_parent, daemon=True).start()
    if function:
        import cloudpickle

        global _function
        _function = cloudpickle.loads(function)
    # Last: an exception before there is a task would be printed, as the pool's own.
    signal.signal(signal.SIGTERM, _stop)


def _stop(number: int, frame: object) -> None:
    """End a task as an error would, so that nothing half-written is left."""
    raise SystemExit(128 + number)


def _end_with_parent() -> None:
    """End with the parent: workers hold both ends of their queue, and would never notice."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _apply(item: Any) -> Any:
    assert _function is not None
    return _function(item)
