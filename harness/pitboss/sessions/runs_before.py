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
    """Run the program for each earlier run of an invocation, with `session`; returns the invocation of the last run.

    It has no earlier runs; its files are those named in the case, as the earlier runs left them, without links. If an
    earlier run is killed, returns its ending instead: the session is not run, and has this ending.
    """
    for number, run in enumerate(invocation.runs_before, 1):
        transcript = session(
            Script(typing(run.lines), environment_seed=environment_seed, invocation=invocation.of_run(run))
        )
        if transcript.ending.kind is not EndingKind.EXITED:
            return msgspec.structs.replace(transcript.ending, run_before=number)
        written = tuple(File(file.name, file.content) for file in transcript.written if file.kind is FileKind.REGULAR)
        others = tuple(file for file in invocation.files or () if file.name not in run.files)
        invocation = msgspec.structs.replace(invocation, files=(*others, *written))
    return msgspec.structs.replace(invocation, runs_before=())


class DriverWithRuns:
    """Runs sessions with another driver; sessions with earlier runs come last, each after its earlier runs."""

    def __init__(self, driver: Driver) -> None:
        """Set the other driver."""
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
        postponed: list[tuple[int, Script]] = []

        def others() -> Iterator[Script]:
            for number, script in enumerate(scripts):
                if script.invocation.runs_before:
                    postponed.append((number, script))
                else:
                    numbers.append(number)
                    yield script

        for index, transcript in self._driver.sessions(others()):
            yield numbers[index], transcript
        for number, script in postponed:
            yield number, self._with_runs(script)

    def _with_runs(self, script: Script) -> Transcript:
        outcome = after_runs(script.invocation, self._run_session, script.environment_seed)
        return (
            Transcript((), outcome)
            if isinstance(outcome, Ending)
            else self._run_session(script._replace(invocation=outcome))
        )

    def _run_session(self, script: Script) -> Transcript:
        ((_, transcript),) = self._driver.sessions([script])
        return transcript
