"""A small check, and what comes of it where a fault is planted: verdicts, and what was left."""

from __future__ import annotations

import os
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from pitboss.assignments.assignment import Assignment
from pitboss.assignments.specfile import load_assignment
from pitboss.checking import check as checking
from pitboss.compare import seeded
from pitboss.compare.results import Report
from pitboss.compare.verdicts import Verdict
from pitboss.errors import HarnessError
from pitboss.sandbox import scratch, shortages, signals
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.counted import counted
from tests.faults.planted import Fault, Place, nothing, planted

SMALL = Path(__file__).parent / "small"
#: Right for all but bob.
GREETER = '#!/bin/sh\nprintf "name? "; read name; [ "$name" = bob ] && echo "good bye" || echo "hello $name"\n'
ECHO = '#!/bin/sh\nprintf "word? "; read word; sleep 1; echo "$word"\n'
MAKEFILE = "all: greeter echo\ngreeter echo:\n\tcp $@.in $@; chmod +x $@\n"
RIGHT = {
    ("greeter", "ada"): Verdict.ACCEPTED,
    ("greeter", "bob"): Verdict.WRONG_ANSWER,
    ("greeter", "eve"): Verdict.ACCEPTED,
    ("echo", "one"): Verdict.ACCEPTED,
    ("echo", "two"): Verdict.ACCEPTED,
    ("echo", "three"): Verdict.ACCEPTED,
}


class Outcome(NamedTuple):
    """What came of a check with a fault in it."""

    #: Whether the check came to the call that fails.
    has_come: bool
    #: The verdict of each session, by stage and case; JUDGE_ERROR of all where the check itself was given up.
    verdicts: dict[tuple[str, str], Verdict]
    #: What was said of faults.
    said: str
    #: What there was afterwards and not before, by kind.
    left: dict[str, object]
    #: A mistake of ours: the traceback of what came out of the check; empty if nothing did.
    crash: str
    #: Whether a signal ended the check.
    is_stopped: bool = False

    @property
    def faulty(self) -> list[tuple[str, str]]:
        """The sessions that were given up."""
        return [name for name, verdict in self.verdicts.items() if verdict is Verdict.JUDGE_ERROR]

    @property
    def wrong(self) -> list[tuple[str, str]]:
        """The sessions whose verdict is neither what it is without the fault nor JUDGE_ERROR."""
        return [name for name, verdict in self.verdicts.items() if verdict not in (RIGHT[name], Verdict.JUDGE_ERROR)]


class SmallCheck:
    """The small assignment with a submission, in a temporary folder of its own."""

    def __init__(self, folder: Path, temporary: str) -> None:
        self._folder, self._temporary = folder, temporary
        self._conditions = find_conditions("watched", "landlock")
        self.assignment: Assignment = load_assignment(SMALL)
        for name, text in (("greeter.in", GREETER), ("echo.in", ECHO), ("Makefile", MAKEFILE)):
            (folder / name).write_text(text)

    def outcome(self, fault: Fault, *, count: int = 1) -> Outcome:
        """What comes of the check with this fault, by so many workers."""
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(tempfile, "tempdir", self._temporary)
            patched.setattr(shortages, "PATIENCE_S", 0.05)
            patched.setattr(checking, "_FEW_SESSIONS", 1)
            return self._outcome(fault, count)

    def _outcome(self, fault: Fault, count: int) -> Outcome:
        before = counted()
        report, output, crash, is_stopped = None, "", "", False
        with planted(fault) as one, listening():
            try:
                report = self._report(count)
                output = " ".join(report.faults)
            except KeyboardInterrupt:
                is_stopped = True
            except HarnessError as error:
                output = str(error)
            except Exception as error:
                crash = _told(error)
        is_stopped = is_stopped or bool(report and report.stopped)
        scratch.remove_all()  # what could not be removed because of the fault
        now = counted()
        left = {kind: _more(before[kind], now[kind]) for kind in now if before[kind] != now[kind]}
        if is_stopped:  # this process ends then, and its descriptors with it
            left.pop("descriptors", None)
        verdicts = {} if report is None and is_stopped else _verdicts(report)
        return Outcome(one.has_come, verdicts, output, left, crash, is_stopped)

    def _report(self, count: int) -> Report:
        seeded._expectations.clear()
        job = Job(self.assignment, self.assignment.stages, self._conditions, "small", runs_all=True)
        return checking.check(job, self._folder, name="one", count=count)


def _told(error: Exception) -> str:
    """Where an error of ours comes from: its last places in the harness."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if "/harness/pitboss/" in one.filename]
    places = " < ".join(f"{Path(one.filename).name}:{one.lineno}" for one in reversed(frames[-4:]))
    return f"{error!r} {places}"


def _more(before: list[str], now: list[str]) -> list[str]:
    left = list(now)
    for one in before:
        if one in left:
            left.remove(one)
    return left or [f"less: {before}"]


def _verdicts(report: Report | None) -> dict[tuple[str, str], Verdict]:
    if report is None:
        return dict.fromkeys(RIGHT, Verdict.JUDGE_ERROR)
    found = {}
    for stage in report.stages:
        output = {one.case: one.verdict for one in stage.results}
        for name in RIGHT:
            if name[0] == stage.stage and (not report.stopped or name[1] in output):
                found[name] = output.get(name[1], stage.verdict)
    return found


@contextmanager
def small_check() -> Iterator[SmallCheck]:
    """The small check, with a submission and with temporary files in folders of its own."""
    with tempfile.TemporaryDirectory() as temporary, tempfile.TemporaryDirectory() as folder:
        os.chmod(temporary, 0o755)
        small = SmallCheck(Path(folder), temporary)
        small.outcome(Fault(Place(os, "fork"), "none", nothing))  # what this machine can do is found out once
        yield small


@contextmanager
def listening() -> Iterator[None]:
    """Signals are raised as they are while the command runs; afterwards they are what they were."""
    import signal

    before = {number: signal.getsignal(number) for number in signals._SIGNALS}
    signals.listen()
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
