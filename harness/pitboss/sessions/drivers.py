"""Selects the driver and the sandbox for sessions on this machine; every report names them."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Literal

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.errors import RefusalError, SessionError, ShortageError, UsageError
from pitboss.machine.scratch import temporary_folder
from pitboss.machine.shortages import is_short
from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import EndingKind, Transcript
from pitboss.sandbox import limits
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox, find_sandbox, may_become_others
from pitboss.sessions.programs import Driver, Program
from pitboss.sessions.references import ExpectedRun, expected_run_of
from pitboss.sessions.runs_before import DriverWithRuns
from pitboss.sessions.tracing.driver import TracingDriver

#: `watched` is TracingDriver, `expecting` is ExpectingDriver.
DriverName = Literal["watched", "expecting"]
#: How many trial sessions must fail before we report that sessions fail on this machine.
_TRIALS = 3


class Conditions(msgspec.Struct, frozen=True):
    """How sessions are run."""

    driver: DriverName
    sandbox: Sandbox
    #: Whether the user has asked for real time, so that pauses are not skipped.
    is_real_time: bool = False
    #: Why the tracing driver is not used; empty if it is used, or if the expecting driver was requested.
    reason: str = ""

    @property
    def skips_pauses(self) -> bool:
        """Whether pauses take no real time."""
        return self.driver == "watched" and not self.is_real_time

    @property
    def are_repeatable(self) -> bool:
        """Whether sessions are the same each time, and their programs cannot write to the cache.

        In real time a verdict may depend on how busy the machine is. An unconfined program can do everything that
        pitboss can, including writing to the cache.
        """
        return self.skips_pauses and self.sandbox.level is not Level.NONE

    @property
    def sentences(self) -> tuple[str, ...]:
        """Sentences for the foot of a report."""
        if self.driver == "watched":
            time = "in real time" if self.is_real_time else "sleeps skipped and compared"
            sessions = f"sessions: watched by the kernel, {time}"
        else:
            reason = f" ({self.reason})" if self.reason else ""
            sessions = (
                f"sessions: by expected text and in real time{reason}; pauses are measured, to a tenth of a second"
            )
        return (
            sessions,
            f"sandbox: {self.sandbox.description}",
            *(f"note: {weakness}" for weakness in self.sandbox.weaknesses),
        )

    def driver_of(self, program: Program, limits: Limits) -> Driver:
        """Returns a driver for a program."""
        if self.driver == "expecting":
            # Imported here, since most machines use the tracing driver.
            from pitboss.sessions.expecting import ExpectingDriver

            return DriverWithRuns(ExpectingDriver(program, limits, self.sandbox))
        tracing_driver = partial(TracingDriver, program, limits, self.sandbox, skips_pauses=self.skips_pauses)
        return DriverWithRuns(tracing_driver(), partial(tracing_driver, stops_at_reads=False))


def find_conditions(driver: str = "auto", sandbox: str = "auto", *, is_real_time: bool = False) -> Conditions:
    """Returns the conditions under which sessions run on this machine, given the requested driver and sandbox.

    Raises UsageError if a driver or sandbox requested by name does not work here, SessionError if a limit of this shell
    is too low, or if sessions can be traced here but all trial sessions failed.
    """
    limits.raise_limits()
    _refuse_missing_devices()
    usable_sandbox = find_sandbox(sandbox)
    if usable_sandbox.level is Level.LANDLOCK and may_become_others():
        _refuse_closed_folders()
    if driver == "expecting":
        return Conditions("expecting", usable_sandbox, is_real_time)
    reason = refusal_of_watching()
    if not reason:
        return Conditions("watched", usable_sandbox, is_real_time)
    if driver == "watched":
        raise UsageError(f"--driver=watched: the watched driver does not work here: {reason}")
    return Conditions("expecting", usable_sandbox, is_real_time, f"not watched: {reason}")


def _refuse_missing_devices() -> None:
    """Raise SessionError, with the remedy, if this machine has no /proc or no terminals for programs."""
    if sys.platform == "linux" and not os.path.exists("/proc/self/stat"):
        raise SessionError("there is no /proc, which shows what programs do: mount it (`mount -t proc proc /proc`)")
    try:
        for descriptor in os.openpty():
            os.close(descriptor)
    except OSError as error:
        if not is_short(error.errno):  # a shortage may be over when a session begins
            raise SessionError(
                f"no terminal can be opened for a program: {error.strerror} — /dev/ptmx must be there for all users, "
                "as a link to pts/ptmx, with `mount -t devpts -o newinstance,ptmxmode=666 devpts /dev/pts`"
            ) from error


def _refuse_closed_folders() -> None:
    """Raise SessionError if the folder for builds and sessions cannot be entered by all users."""
    temporary = Path(temporary_folder())
    for folder in (temporary, *temporary.parents):
        if not folder.stat().st_mode & stat.S_IXOTH:
            raise SessionError(
                f"{folder}: not all users may enter this folder, where temporary files are created, but programs run "
                "as separate users: set TMPDIR to a folder that all users may enter, such as /tmp"
            )


def expected_run_here(stage: Stage, *, environment_seed: int = 0) -> ExpectedRun:
    """Returns the ExpectedRun of a stage's reference, for use without a submission.

    If the reference is a command, its sessions run in the seeded environment `environment_seed`.
    """
    conditions = find_conditions("auto", "none") if stage.reference.command else None
    if conditions is None:
        return expected_run_of(stage, _no_driver)
    return expected_run_of(
        stage, lambda program, limits: _InSeededEnvironment(conditions.driver_of(program, limits), environment_seed)
    )


class _InSeededEnvironment:
    """A driver whose sessions all run in one seeded environment."""

    def __init__(self, driver: Driver, environment_seed: int) -> None:
        self._driver, self._environment_seed = driver, environment_seed

    def sessions(self, scripts: Iterable[Script]) -> Iterator[tuple[int, Transcript]]:
        return self._driver.sessions(script._replace(environment_seed=self._environment_seed) for script in scripts)

    def __enter__(self) -> _InSeededEnvironment:
        self._driver.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._driver.__exit__(*error)


def _no_driver(program: Program, limits: Limits) -> Driver:
    raise AssertionError("a reference in Python needs no driver")


def refusal_of_watching() -> str:
    """Why the kernel or the platform does not let sessions be traced here; empty if it does.

    Runs a trial session without a sandbox: sandboxes are tried separately, and bubblewrap is slow to start. If a trial
    fails for any other reason it is repeated, since such a failure says nothing about the machine. Raises SessionError
    if all trials fail.
    """
    failures: dict[str, None] = {}
    for _ in range(_TRIALS):
        try:
            failure = _failure_of_trial()
        except RefusalError as error:
            return str(error)
        except ShortageError:
            raise  # sessions can be traced here, but not now
        except SessionError as error:
            failure = str(error)
        if not failure:
            return ""
        failures[failure] = None
    raise SessionError(
        f"a trial session was run {_TRIALS} times and failed each time: {'; '.join(failures)} — find out what "
        "kills or delays programs on this machine, and try again; --driver expecting runs sessions without the "
        "kernel's help, in real time"
    )


def _failure_of_trial() -> str:
    """Runs a trial session, and returns how it failed; empty if it succeeded. SessionError if it could not be run."""
    true_program = shutil.which("true", path="/bin:/usr/bin")
    if true_program is None:
        raise RefusalError("a trial session needs the program `true`, which is not there")
    program = Program((os.path.realpath(true_program),), Path("/usr"))
    with TracingDriver(program, Limits(), Sandbox(Level.NONE), at_once=1) as driver:
        for _, transcript in driver.sessions([Script(script_of_lines(()))]):
            ending = transcript.ending
            if ending.kind is not EndingKind.EXITED:
                return f"{ending.kind.value} {ending.signal} {ending.detail}".strip()
    return ""
