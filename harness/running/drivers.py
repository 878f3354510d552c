"""Which driver runs the sessions on this machine, and what confines the programs: found once, stated in all reports."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import Literal

import msgspec

from harness.assignments.assignment import Stage
from harness.errors import SessionError, ShortageError, UsageError
from harness.machine import ulimits
from harness.machine.limits import Limits
from harness.machine.sandbox import Level, Sandbox, find_sandbox, may_become_others
from harness.running.expecting import ExpectingDriver
from harness.running.programs import Program
from harness.running.protocol import Driver
from harness.running.references import ExpectedRun, expected_run_of
from harness.running.watching.driver import WatchedDriver
from harness.transcripts.scripts import Script, typing
from harness.transcripts.transcript import EndingKind

DriverName = Literal["watched", "expecting"]


class Conditions(msgspec.Struct, frozen=True):
    """How sessions are run."""

    driver: DriverName
    sandbox: Sandbox
    is_real_time: bool = False
    #: Why the watched driver is not used; empty if it is, or if the other was asked for.
    reason: str = ""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Sentences for the foot of a report."""
        if self.driver == "watched":
            time = "in real time" if self.is_real_time else "sleeps skipped and compared"
            sessions = f"sessions: watched by the kernel, {time}"
        else:
            because = f" ({self.reason})" if self.reason else ""
            sessions = (
                f"sessions: by expected text and in real time{because}; pauses are measured, to a tenth of a second"
            )
        return (sessions, f"sandbox: {self.sandbox.description}", *(f"note: {one}" for one in self.sandbox.weaknesses))

    def driver_of(self, program: Program, limits: Limits) -> Driver:
        """A driver for a program."""
        if self.driver == "expecting":
            return ExpectingDriver(program, limits, self.sandbox)
        return WatchedDriver(program, limits, self.sandbox, skips_pauses=not self.is_real_time)


def find_conditions(driver: str = "auto", sandbox: str = "auto", *, is_real_time: bool = False) -> Conditions:
    """The conditions that this machine allows for what was asked for.

    Raises UsageError if something that was asked for by name does not work here, SessionError if a limit of this shell
    is too low.
    """
    ulimits.settle()
    found = find_sandbox(sandbox)
    if found.level is Level.LANDLOCK and may_become_others():
        _refuse_closed_folders()
    if driver == "expecting":
        return Conditions("expecting", found, is_real_time)
    reason = refusal_of_watching()
    if not reason:
        return Conditions("watched", found, is_real_time)
    if driver == "watched":
        raise UsageError(f"--driver=watched: the watched driver does not work here: {reason}")
    return Conditions("expecting", found, is_real_time, f"not watched: {reason}")


def _refuse_closed_folders() -> None:
    """Raise SessionError if the folder for builds and sessions cannot be entered by all users."""
    temporary = Path(tempfile.gettempdir()).resolve()
    for folder in (temporary, *temporary.parents):
        if not folder.stat().st_mode & stat.S_IXOTH:
            raise SessionError(
                f"{folder}: not everybody may enter this folder, in which temporary files are made, and programs run "
                "as a user of their own: set TMPDIR to one that everybody may enter, as /tmp"
            )


def expected_run_here(stage: Stage) -> ExpectedRun:
    """How to run a stage's reference on its own, when no submission is checked."""
    conditions = find_conditions("auto", "none") if stage.reference.command else None
    return expected_run_of(stage, conditions.driver_of if conditions else _no_driver)


def _no_driver(program: Program, limits: Limits) -> Driver:
    raise AssertionError("a reference in Python needs none")


def refusal_of_watching() -> str:
    """Why sessions cannot be watched here; empty if they can.

    Runs a trial session without a sandbox: sandboxes are tried separately, and a bubblewrap is slow to start.
    """
    echo = shutil.which("true", path="/bin:/usr/bin")
    if echo is None:
        return "there is no `true` to try it with"
    program = Program((os.path.realpath(echo),), Path("/usr"))
    try:
        with WatchedDriver(program, Limits(), Sandbox(Level.NONE), at_once=1) as driver:
            for _, transcript in driver.sessions([Script(typing(()))]):
                if transcript.ending.kind is not EndingKind.EXITED:
                    return f"a trial session was {transcript.ending.kind.value} {transcript.ending.detail}".strip()
    except ShortageError:
        raise  # sessions can be watched here, only not now
    except SessionError as error:
        return str(error)
    return ""
