"""A small check in which a fault is planted, and its outcome: the verdicts, and anything that the check left behind."""

from __future__ import annotations

import os
import signal
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
from pitboss.compare.results import Report, Verdict
from pitboss.errors import HarnessError
from pitboss.machine import scratch, shortages, signals
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.counted import resources_in_use
from tests.faults.planted import Fault, Place, no_fault, planted

SMALL = Path(__file__).parent / "small"
#: A correct program, except that it says "good bye" to bob.
GREETER = '#!/bin/sh\nprintf "name? "; read name; [ "$name" = bob ] && echo "good bye" || echo "hello $name"\n'
ECHO = '#!/bin/sh\nprintf "word? "; read word; sleep 1; echo "$word"\n'
MAKEFILE = "all: greeter echo\ngreeter echo:\n\tcp $@.in $@; chmod +x $@\n"
#: The right verdict of each session, by stage and case.
RIGHT_VERDICTS = {
    ("greeter", "ada"): Verdict.ACCEPTED,
    ("greeter", "bob"): Verdict.WRONG_ANSWER,
    ("greeter", "eve"): Verdict.ACCEPTED,
    ("echo", "one"): Verdict.ACCEPTED,
    ("echo", "two"): Verdict.ACCEPTED,
    ("echo", "three"): Verdict.ACCEPTED,
}


class Outcome(NamedTuple):
    """The outcome of a check with a planted fault."""

    #: Whether the fault happened; if not, the check did not make the call that fails.
    has_happened: bool
    #: The verdict of each session, by stage and case; all are JUDGE_ERROR if the check itself was given up.
    verdicts: dict[tuple[str, str], Verdict]
    #: The messages of all faults in the report, in one text.
    reported: str
    #: The processes, files and the like that were there after the check and not before, by kind.
    left: dict[str, object]
    #: An exception that no check should raise, and where in pitboss it was raised; empty without such an exception.
    crash: str
    #: Whether a signal ended the check.
    is_stopped: bool = False

    @property
    def given_up(self) -> list[tuple[str, str]]:
        return [session for session, verdict in self.verdicts.items() if verdict is Verdict.JUDGE_ERROR]

    @property
    def wrong(self) -> list[tuple[str, str]]:
        """The sessions whose verdict is neither the right one nor JUDGE_ERROR."""
        return [
            session
            for session, verdict in self.verdicts.items()
            if verdict not in (RIGHT_VERDICTS[session], Verdict.JUDGE_ERROR)
        ]


class SmallCheck:
    """The small assignment with a submission, in a temporary folder of its own."""

    def __init__(self, folder: Path, temporary: str) -> None:
        self._folder, self._temporary = folder, temporary
        self._conditions = find_conditions("watched", "landlock")
        self.assignment: Assignment = load_assignment(SMALL)
        for name, text in (("greeter.in", GREETER), ("echo.in", ECHO), ("Makefile", MAKEFILE)):
            (folder / name).write_text(text)

    def outcome(self, fault: Fault, *, workers: int = 1) -> Outcome:
        """Check the submission with this fault, by so many workers; return the outcome."""
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(tempfile, "tempdir", self._temporary)
            patched.setattr(shortages, "PATIENCE_S", 0.05)
            patched.setattr(checking, "_FEW_SESSIONS", 1)
            return self._outcome(fault, workers)

    def _outcome(self, fault: Fault, workers: int) -> Outcome:
        before = resources_in_use()
        report, output, crash, is_stopped = None, "", "", False
        with planted(fault) as planted_fault, signals_handled():
            try:
                report = self._report(workers)
                output = " ".join(report.faults)
            except KeyboardInterrupt:
                is_stopped = True
            except HarnessError as error:
                output = str(error)
            except Exception as error:
                crash = _error_text(error)
        is_stopped = is_stopped or bool(report and report.stopped)
        scratch.remove_all()  # scratch folders that could not be removed because of the fault
        after = resources_in_use()
        left = {kind: _additions(before[kind], after[kind]) for kind in after if before[kind] != after[kind]}
        if is_stopped:  # the process of a real check would end now, which closes its descriptors
            left.pop("descriptors", None)
        verdicts = {} if report is None and is_stopped else _verdicts(report)
        return Outcome(planted_fault.has_happened, verdicts, output, left, crash, is_stopped)

    def _report(self, workers: int) -> Report:
        seeded._expectations.clear()
        job = Job(self.assignment, self.assignment.stages, self._conditions, "small", runs_all=True)
        return checking.check(job, self._folder, name="one", cores=workers)


def _error_text(error: Exception) -> str:
    """The error, and the four innermost lines of pitboss in its traceback, beginning with the innermost."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/harness/pitboss/" in frame.filename]
    places = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames[-4:]))
    return f"{error!r} {places}"


def _additions(before: list[str], after: list[str]) -> list[str]:
    """The entries that were added; if entries only disappeared, a note that lists all that there were before."""
    added = list(after)
    for entry in before:
        if entry in added:
            added.remove(entry)
    return added or [f"fewer than before: {before}"]


def _verdicts(report: Report | None) -> dict[tuple[str, str], Verdict]:
    """The verdict of each session, by stage and case; all are JUDGE_ERROR without a report."""
    if report is None:
        return dict.fromkeys(RIGHT_VERDICTS, Verdict.JUDGE_ERROR)
    verdicts = {}
    for stage in report.stages:
        case_verdicts = {result.case: result.verdict for result in stage.results}
        for stage_name, case in RIGHT_VERDICTS:
            # A check that was stopped has no verdict on the cases that it did not reach.
            if stage_name == stage.stage and (not report.stopped or case in case_verdicts):
                verdicts[stage_name, case] = case_verdicts.get(case, stage.verdict)
    return verdicts


@contextmanager
def small_check() -> Iterator[SmallCheck]:
    """The small check, with a submission and with temporary files in folders of its own."""
    with tempfile.TemporaryDirectory() as temporary, tempfile.TemporaryDirectory() as folder:
        os.chmod(temporary, 0o755)
        small = SmallCheck(Path(folder), temporary)
        # A first check without a fault, in which pitboss opens and caches what it needs only once for each process.
        small.outcome(Fault(Place(os, "fork"), "none", no_fault))
        yield small


@contextmanager
def signals_handled() -> Iterator[None]:
    """Handle signals as a command of pitboss does while it runs, and restore their handlers afterwards."""
    before = {number: signal.getsignal(number) for number in signals._SIGNALS}
    signals.listen()
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
