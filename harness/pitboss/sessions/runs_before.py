"""Runs sessions after earlier runs of the program, whose files they can read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from pitboss.model.invocation import File, Invocation
from pitboss.model.scripts import Script, typing
from pitboss.model.transcript import Ending, EndingKind, FileKind, Transcript
from pitboss.sessions.protocol import Driver


def after_runs(
    invocation: Invocation, session: Callable[[Script], Transcript], environment_seed: int = 0
) -> Invocation | Ending:
    """Run the program as often as an invocation says, each time by `session`; returns the invocation that is left.

    That has no runs before it, and the files as these have left them: the files that the case names, no links. If a run
    does not end by itself, returns its ending instead: it is the session's, which is not run.
    """
    for number, run in enumerate(invocation.runs_before, 1):
        transcript = session(
            Script(typing(run.lines), environment_seed=environment_seed, invocation=invocation.of_run(run))
        )
        if transcript.ending.kind is not EndingKind.EXITED:
            return msgspec.structs.replace(transcript.ending, run_before=number)
        left = tuple(File(file.name, file.content) for file in transcript.written if file.kind is FileKind.REGULAR)
        others = tuple(file for file in invocation.files or () if file.name not in run.files)
        invocation = msgspec.structs.replace(invocation, files=(*others, *left))
    return msgspec.structs.replace(invocation, runs_before=())


class DriverWithRuns:
    """Runs sessions with another driver; sessions with runs before them come last, each after its own runs."""

    def __init__(self, driver: Driver) -> None:
        """Run with this driver."""
        self._driver = driver

    def __enter__(self) -> DriverWithRuns:
        """See `Driver`."""
        self._driver.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        """See `Driver`."""
        self._driver.__exit__(*error)

    def sessions(self, scripts: Iterable[Script]) -> Iterator[tuple[int, Transcript]]:
        """Run a session for each script; yields its number and transcript: see `Driver`."""
        numbers: list[int] = []
        last: list[tuple[int, Script]] = []

        def others() -> Iterator[Script]:
            for number, script in enumerate(scripts):
                if script.invocation.runs_before:
                    last.append((number, script))
                else:
                    numbers.append(number)
                    yield script

        for place, transcript in self._driver.sessions(others()):
            yield numbers[place], transcript
        for number, script in last:
            yield number, self._with_runs(script)

    def _with_runs(self, script: Script) -> Transcript:
        found = after_runs(script.invocation, self._run_with_predecessors, script.environment_seed)
        return (
            Transcript((), found)
            if isinstance(found, Ending)
            else self._run_with_predecessors(script._replace(invocation=found))
        )

    def _run_with_predecessors(self, script: Script) -> Transcript:
        ((_, transcript),) = self._driver.sessions([script])
        return transcript
