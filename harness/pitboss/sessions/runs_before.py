"""Runs sessions after earlier runs of the program, whose files they can read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from pitboss.model.invocation import File, Invocation
from pitboss.model.scripts import Script, script_of_lines
from pitboss.model.transcript import Ending, EndingKind, FileKind, Transcript
from pitboss.sessions.protocol import Driver


def after_runs(
    invocation: Invocation, run_session: Callable[[Script], Transcript], environment_seed: int = 0
) -> Invocation | Ending:
    """Call `run_session` for each earlier run of an invocation; returns the invocation of the session that follows.

    The returned invocation has no earlier runs. It has the same files, but a file that an earlier run names
    (`RunBefore.files`) is as this run left it, and is dropped if the run left no regular file there. If an earlier run
    is killed, its ending is returned instead: the session is not run, and gets this ending.
    """
    for number, earlier_run in enumerate(invocation.runs_before, 1):
        transcript = run_session(
            Script(
                script_of_lines(earlier_run.lines),
                environment_seed=environment_seed,
                invocation=invocation.invocation_of_run_before(earlier_run),
            )
        )
        if transcript.ending.kind is not EndingKind.EXITED:
            return msgspec.structs.replace(transcript.ending, run_before=number)
        written_files = tuple(
            File(file.name, file.content) for file in transcript.written if file.kind is FileKind.REGULAR
        )
        unchanged_files = tuple(file for file in invocation.files or () if file.name not in earlier_run.files)
        invocation = msgspec.structs.replace(invocation, files=(*unchanged_files, *written_files))
    return msgspec.structs.replace(invocation, runs_before=())


class DriverWithRuns:
    """Runs sessions with another driver; sessions with earlier runs come last, each after its earlier runs."""

    def __init__(self, driver: Driver) -> None:
        """`driver` is the other driver."""
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
        session_numbers: list[int] = []
        postponed: list[tuple[int, Script]] = []

        def scripts_without_runs() -> Iterator[Script]:
            for number, script in enumerate(scripts):
                if script.invocation.runs_before:
                    postponed.append((number, script))
                else:
                    session_numbers.append(number)
                    yield script

        for index, transcript in self._driver.sessions(scripts_without_runs()):
            yield session_numbers[index], transcript
        for number, script in postponed:
            yield number, self._with_runs(script)

    def _with_runs(self, script: Script) -> Transcript:
        """Runs the earlier runs of a session, then the session; returns the session's transcript."""
        outcome = after_runs(script.invocation, self._run_session, script.environment_seed)
        return (
            Transcript((), outcome)
            if isinstance(outcome, Ending)
            else self._run_session(script._replace(invocation=outcome))
        )

    def _run_session(self, script: Script) -> Transcript:
        ((_, transcript),) = self._driver.sessions([script])
        return transcript
