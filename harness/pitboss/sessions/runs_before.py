"""Runs sessions after earlier runs of the program, whose files they can read, and sessions whose input is a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any

import msgspec

from pitboss.model.invocation import File, Invocation, Script, script_of_lines
from pitboss.model.transcript import Ending, EndingKind, FileKind, Transcript
from pitboss.sessions.programs import Driver


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
    """Runs sessions with other drivers: first those at a terminal without earlier runs, many at once, then others."""

    def __init__(self, driver: Driver, open_file_driver: Callable[[], Driver] | None = None) -> None:
        """`driver` runs sessions; those whose input is a file are run by the result of `open_file_driver`, if given."""
        self._driver, self._open_file_driver = driver, open_file_driver
        #: The result of `open_file_driver`; None before the first session that needs it.
        self._file_driver: Driver | None = None
        self._resources = ExitStack()

    def __enter__(self) -> DriverWithRuns:
        """See `Driver`."""
        self._resources.enter_context(self._driver)
        return self

    def __exit__(self, *error: Any) -> None:
        """See `Driver`."""
        self._resources.__exit__(*error)

    def sessions(self, scripts: Iterable[Script]) -> Iterator[tuple[int, Transcript]]:
        """Run a session for each script; yields its number and transcript: see `Driver`."""
        postponed: dict[tuple[bool, bool], list[tuple[int, Script]]] = {}

        def plain_scripts() -> Iterator[tuple[int, Script]]:
            for number, script in enumerate(scripts):
                kind = bool(script.invocation.runs_before), script.invocation.input_file is not None
                if any(kind):
                    postponed.setdefault(kind, []).append((number, script))
                else:
                    yield number, script

        yield from self._sessions_of_one_kind(False, plain_scripts())
        for (has_runs, has_file), group in postponed.items():
            yield from self._sessions_after_runs(group) if has_runs else self._sessions_of_one_kind(has_file, group)

    def _sessions_of_one_kind(
        self, has_file: bool, group: Iterable[tuple[int, Script]]
    ) -> Iterator[tuple[int, Transcript]]:
        """Run sessions without earlier runs that all need the same driver; yields their numbers and transcripts."""
        numbers: list[int] = []

        def scripts() -> Iterator[Script]:
            for number, script in group:
                numbers.append(number)
                yield script

        for index, transcript in self._driver_for(has_file).sessions(scripts()):
            yield numbers[index], transcript

    def _sessions_after_runs(self, group: Iterable[tuple[int, Script]]) -> Iterator[tuple[int, Transcript]]:
        """Run the earlier runs of each session, then the session; yields the session's number and transcript."""
        for number, script in group:
            outcome = after_runs(script.invocation, self._run_session, script.environment_seed)
            if isinstance(outcome, Ending):
                yield number, Transcript((), outcome)
            else:
                yield number, self._run_session(script._replace(invocation=outcome))

    def _run_session(self, script: Script) -> Transcript:
        ((_, transcript),) = self._driver_for(script.invocation.input_file is not None).sessions([script])
        return transcript

    def _driver_for(self, has_file: bool) -> Driver:
        """The driver for sessions whose input is a file, opened now if they are the first; else that for all others."""
        if not has_file or self._open_file_driver is None:
            return self._driver
        if self._file_driver is None:
            self._file_driver = self._resources.enter_context(self._open_file_driver())
        return self._file_driver
