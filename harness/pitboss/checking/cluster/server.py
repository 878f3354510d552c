"""The process beside a Dask worker that checks submissions: it loads a class, and then does one job at a time.

    python -c '… serve()'      messages on the standard input and output, each after its length

A thread of a Dask worker cannot do that: sessions need signals, children and a main thread of their own. As in the
local pool each submission is checked by a process that is forked from this one, so that one which takes it down costs
its own job.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
from typing import BinaryIO

from pitboss.checking.check import check_here
from pitboss.checking.cluster.facts import facts_here
from pitboss.checking.cluster.frames import next_frame, write_frame
from pitboss.checking.cluster.messages import Answer, Begin, Check, Checked, Ready, asked_in, encoded
from pitboss.checking.cluster.sending import Placed
from pitboss.checking.reported import report_of
from pitboss.errors import HarnessError
from pitboss.sandbox import scratch, signals
from pitboss.sandbox.pool import Pool
from pitboss.sandbox.workers import workers

#: Whoever asked is gone if nothing was asked for so long, in seconds: what was sent is removed.
_MOST_IDLE_S = 900


def serve() -> None:
    """Do what is asked until the other end is closed; nothing is left of it."""
    # Programs and their keepers find nothing there; what is written by mistake is in the worker's log.
    source, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError), signals.in_order():
        signals.end_with_parent()
        with os.fdopen(source, "rb", buffering=0) as reader, os.fdopen(answers, "wb") as writer:
            _answer_all(reader, writer)


def _answer_all(reader: BinaryIO, writer: BinaryIO) -> None:
    begin = _next(reader)
    if not isinstance(begin, Begin):
        return
    _keep_to_core(begin.number)
    with scratch.folder("cluster", mode=0o711) as folder:
        try:
            placed = Placed(begin.about, folder)
            facts = facts_here(begin.about.conditions, begin.about.installed)
        except HarnessError as error:
            _send(writer, Ready(refusal=str(error)))
            return
        with workers(1) as pool:
            _send(writer, Ready(facts))
            while isinstance(asked := _next(reader), Check):
                _send(writer, Checked(_checked(placed, asked, pool)))


def _checked(placed: Placed, asked: Check, pool: Pool) -> bytes:
    """The report on a submission, as it is sent; empty if it has to be checked where it comes from."""
    try:
        path = placed.submission(asked)
    except (OSError, ValueError):
        return b""
    try:
        report = report_of(pool.submit(check_here, placed.job, path, asked.name), placed.job, asked.name)
        return placed.written(report, asked, path)
    finally:
        shutil.rmtree(path.parent, ignore_errors=True)


def _keep_to_core(number: int) -> None:
    """Keep this process, and all that it starts, to one core: the workers of a machine share it."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[number % len(cores)]})


def _next(reader: BinaryIO) -> Begin | Check | None:
    """The next message; None when there is none to come."""
    if not select.select([reader], [], [], _MOST_IDLE_S)[0]:
        return None
    data = next_frame(reader)
    return asked_in(data) if data else None


def _send(writer: BinaryIO, answer: Answer) -> None:
    write_frame(writer, encoded(answer))
