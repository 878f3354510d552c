"""Processes that do a part of the work each, on a core of its own, and the one who does all of it here."""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor


def _begin_worker(counter: object) -> None:
    """Give this process a core of its own."""
    # What there is now lives as long as this process, so the collector need not go through it again and again.
    gc.freeze()
    with counter.get_lock():  # type: ignore[attr-defined]
        number = counter.value  # type: ignore[attr-defined]
        counter.value += 1  # type: ignore[attr-defined]
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[number % len(cores)]})


def workers(count: int) -> ProcessPoolExecutor:
    """Processes that check, each on a core of its own."""
    context = multiprocessing.get_context("fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn")
    counter = context.Value("i", 0)
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_begin_worker, initargs=(counter,))
    pool.submit(_begun)  # they are on their way while we go on
    return pool


def _begun() -> None:
    """Nothing, which has the workers started."""


def core_count() -> int:
    """How many cores we may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Inline(Executor):
    """An executor that does everything at once, here."""

    def submit(self, function: Callable[..., object], /, *arguments: object, **options: object) -> Future[object]:  # type: ignore[override]
        """Do it now; the future is done."""
        future: Future[object] = Future()
        try:
            future.set_result(function(*arguments, **options))
        except BaseException as error:
            future.set_exception(error)
        return future
