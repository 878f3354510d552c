"""Running a reference: a Python function of a console, in this process and without waiting, or any command."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import msgspec

from harness.assignment import Reference, Stage
from harness.errors import HarnessError, SessionError, SpecError
from harness.programs import Program
from harness.resolving import resolved
from harness.sessions import Driver, Script, Typist
from harness.transcript import EndingKind, Event, InputEnded, Paused, Shown, Transcript, Typed, canonical, exited


class Supply(Protocol):
    """What a reference draws instead of drawing at random."""

    def __call__(self) -> str:
        """The next draw."""
        ...

    def listed(self) -> tuple[str, ...]:
        """All draws at once."""
        ...


class Performance(Protocol):
    """Runs one session of a reference with somebody who types, and with given draws where it draws any."""

    def __call__(self, typist: Typist, supply: Supply | None = None, /) -> Transcript:
        """The session."""
        ...


#: Where a reference that is a command finds its draws, a line each.
DRAWS_VARIABLE = "PITBOSS_DRAWS"

#: A reference that shows more than this does not end by itself.
_MOST_CHARACTERS = 4 << 20


class _EndlessReference(Exception):
    """The reference shows text without end."""


class RecordingConsole:
    """The console a reference in this process writes to: what happens on it becomes events."""

    def __init__(self, typist: Typist) -> None:
        """Have `typist` type when a line is read."""
        self._typist = typist
        self._texts: list[str] = []
        self._room = _MOST_CHARACTERS
        self.events: list[Event] = []

    def write(self, text: str) -> None:
        """Show text."""
        self._texts.append(text)
        self._room -= len(text)
        if self._room < 0:
            raise _EndlessReference

    def read_line(self) -> str | None:
        """The next line typed, without its newline; None at the end of input."""
        self.flush()
        line = self._typist(self.events)
        if line is None:
            self.events.append(InputEnded())
            return None
        self.events.append(Typed(line))
        return line.decode("utf-8", "surrogateescape")

    def pause(self, seconds: float) -> None:
        """Note a pause."""
        self.flush()
        self.events.append(Paused(round(seconds * 1000)))

    def flush(self) -> None:
        """Make what was written an event."""
        if self._texts:
            self.events.append(Shown("".join(self._texts).encode("utf-8", "surrogateescape")))
            self._texts.clear()


def performance_of(
    stage: Stage, driver_of: Callable[[Program], Driver], reference: Reference | None = None
) -> Performance:
    """How to run a stage's reference, or another of its references.

    `driver_of` makes a driver for a reference that is a command. What is raised later: SessionError when the
    reference itself fails, and SpecError when it cannot be found; neither is the submission's doing.
    """
    reference = reference or stage.reference
    if reference.function:
        what = f"{stage.spec.path.parent / 'assignment.yaml'}: stage {stage.name!r}"
        return performance_in_process(resolved(reference.function, what), what)
    return _by_command(stage, reference.command, driver_of)


def performance_in_process(main: Callable[..., int], what: str) -> Performance:
    """How to run a reference that is a function of a console; `what` names it in what is raised."""

    def perform(typist: Typist, supply: Supply | None = None, /) -> Transcript:
        console = RecordingConsole(typist)
        try:
            code = main(console) if supply is None else main(console, supply)
        except HarnessError:
            raise
        except _EndlessReference:
            raise SessionError(f"{what}: the reference shows text without end") from None
        except Exception as error:
            raise SessionError(f"{what}: the reference failed:\n{traceback.format_exc()}") from error
        console.flush()
        return Transcript(canonical(console.events), exited(code or 0))

    return perform


def _by_command(stage: Stage, command: tuple[str, ...], driver_of: Callable[[Program], Driver]) -> Performance:
    folder = stage.spec.path.parent.resolve()
    argv = (sys.executable, *command[1:]) if command[0] == "python" else command
    if "/" in argv[0] and not os.access(argv[0], os.X_OK):
        raise SpecError(f"{folder / 'assignment.yaml'}: stage {stage.name!r}: {argv[0]} is no program that can be run")
    program = Program(argv, Path(folder), is_trusted=True)

    def perform(typist: Typist, supply: Supply | None = None, /) -> Transcript:
        given = ((DRAWS_VARIABLE, "\n".join(supply.listed())),) if supply is not None else ()
        with driver_of(msgspec.structs.replace(program, environment=given)) as driver:
            for _, transcript in driver.sessions([Script(typist)]):
                if transcript.ending.kind is not EndingKind.EXITED:
                    how = transcript.ending.detail or transcript.ending.signal or transcript.ending.kind.value
                    raise SessionError(f"{argv[0]}: the reference did not end by itself: {how}")
                return transcript
        raise SessionError(f"{argv[0]}: the reference was not run")

    return perform
