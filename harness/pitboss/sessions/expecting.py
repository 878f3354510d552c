"""The expecting driver: sessions on any POSIX terminal, without the kernel's help.

The driver follows the expected transcript: it types a line once the expected text has appeared and the program has been
silent for a moment. Sleeps are real, and a pause is the measured silence before a text, rounded to a tenth of a second.
Once a session differs from the expected transcript, lines are tried in its silences: they are typed, and taken back if
the program does not read them.

A silence is a time in which the program shows no text. On a busy machine a program is also silent if it is ready to run
but gets no core. So we do not measure how much time has passed, but for how much of this time no process of the program
ran or waited for a core, by the kernel's counters.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitboss.machine import abi, files, processes, scratch
from pitboss.machine.retry import obtain, refusal_error
from pitboss.model.invocation import Script, replacement_line
from pitboss.model.transcript import (
    Ending,
    EndingKind,
    InputEnded,
    Paused,
    Shown,
    Transcript,
    Typed,
    count_typed_lines,
    exited,
)
from pitboss.sandbox.limits import STACK_BYTES, Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sandbox.subprocesses import Confinement, Subprocess, lend_user
from pitboss.sandbox.subreaper import TOO_MANY_PROCESSES, TOO_MUCH_MEMORY
from pitboss.sandbox.tools import readable_folders
from pitboss.sessions.determinism import SeededEnvironment, folder_of_environments
from pitboss.sessions.expected_path import ExpectedPath
from pitboss.sessions.programs import Program, environment_of, with_variables
from pitboss.sessions.session_files import FolderQuota, SessionFiles
from pitboss.sessions.terminal import NO_TERMINAL, Keys, Terminal
from pitboss.sessions.tracing.bubblewrap import start_error_of
from pitboss.sessions.tracing.family import Survivors, ending_behind_bubblewrap, signal_name
from pitboss.sessions.tracing.session_events import SessionOutput
from pitboss.sessions.tracing.watchdog import Deadline


class Stillness:
    """Measures how long a program has slept since its last sign of life: text that it showed, or a line it read."""

    def __init__(self, running: Callable[[], list[int]]) -> None:
        """`running` returns the ids of the program's processes."""
        self._running = running
        #: How many seconds the program has certainly slept.
        self.slept_s = 0.0
        #: How many further seconds the program may have slept: a look may come too late to be sure.
        self.perhaps_slept_s = 0.0
        self._last_look = self._silence_began = time.monotonic()
        #: For each process at the last look: how long it had run or waited for a core.
        self._busy_ns: dict[int, int] = {}
        self._was_still = False

    def look_at_text(self) -> None:
        """Measure after the program has shown text.

        The text may have appeared at any time since the last look. So all sleep since then is uncertain: the program
        may have slept before it showed the text, or it may sleep now, after the text.
        """
        slept_before_s = self.slept_s
        self.look()
        self.perhaps_slept_s += self.slept_s - slept_before_s
        self.slept_s = slept_before_s

    def begin(self) -> None:
        """Begin a new silence after a sign of life, which came at some time since the last look."""
        since_last_look_s = time.monotonic() - self._last_look
        self.look()
        self._silence_began = self._last_look
        self.slept_s, self.perhaps_slept_s = 0.0, since_last_look_s

    @property
    def silent_s(self) -> float:
        """The time between the last sign of life and the last look."""
        return self._last_look - self._silence_began

    def look(self) -> None:
        """Measure now. Call this often: the time since the last look is uncertain if a process began or ended in it."""
        now = time.monotonic()
        passed_s, self._last_look = now - self._last_look, now
        if sys.platform != "linux":
            self.slept_s += passed_s
            return
        pids = self._running()
        is_still = bool(pids) and processes.none_runs(pids)  # before the program has begun there is no process
        busy_ns = {pid: processes.busy_ns(pid) for pid in pids}
        if busy_ns.keys() == self._busy_ns.keys():
            # The maximum, not the sum: several processes may wait for a core at once, for more time than has passed.
            busiest_ns = max((busy_ns[pid] - self._busy_ns[pid] for pid in pids), default=0)
            idle_s = max(0.0, passed_s - busiest_ns / 1e9)
            # Asleep at both looks: all idle time was sleep. Asleep at one look: perhaps.
            if is_still and self._was_still:
                self.slept_s += idle_s
            elif is_still or self._was_still:
                self.perhaps_slept_s += idle_s
        else:
            self.perhaps_slept_s += passed_s
        self._busy_ns, self._was_still = busy_ns, is_still


#: How long a program must be silent before an expected line is typed. While a program has shown exactly what is
#: expected (is on the expected path), no verdict depends on this time.
_SILENCE_BEFORE_LINE_S = 0.05
#: A measured pause that differs from the expected pause by at most this is treated as equal. An unexpected pause up to
#: this length is ignored. Time in which a busy machine gives a program no core does not count as sleep.
_PAUSE_TOLERANCE_S = 0.35
#: A program that sleeps this much longer than expected, where no line is expected, may be waiting for a line.
_UNEXPECTED_SLEEP_S = 0.6
#: If an expected pause comes before the text, a program must sleep for this much longer still.
_MORE_SLEEP_AFTER_PAUSE_S = 1.0
#: Off the expected path a line is tried: typed, and taken back if the program does not read it. The first tries come
#: when the program has slept for these times, which are unusual for a sleep: if a program wakes up during a try and
#: shows text, we cannot know whether it had already read the line.
_SLEEPS_BEFORE_FIRST_TRIES_S = (0.07, 0.17, 0.35, 0.65, 1.15)
#: After the first tries, a line is tried again after each further sleep of this length.
_SLEEP_BEFORE_NEXT_TRY_S = 1.0
#: Where a line is expected: how much longer the program must be silent before each further try.
_NEXT_EXPECTED_TRY_S = _SLEEPS_BEFORE_FIRST_TRIES_S[0]
#: How long a program may take to read a line that is tried, from the second try on.
_MAX_TRY_S = 0.02
#: How long a program may take at the first try of a line: 0 on Linux, whose kernel gives a typed line to a waiting
#: reader at once.
_MAX_FIRST_TRY_S = 0.0 if sys.platform == "linux" else 0.02
#: How long a process may sleep after the program that started it has ended.
_LEAVING_S = 0.2
#: Off the expected path, the time that a program has slept is added to its deadline, until this multiple of the
#: session's limit in real time is reached.
_MAX_ADDED_LIMITS = 5
#: How long to wait until a program has stopped at SIGSTOP, and as long again until it has continued at SIGCONT.
_INTERRUPT_S = 0.1
#: The endings of programs that their subreaper has ended.
_EXCESSES = {TOO_MANY_PROCESSES: EndingKind.OVER_PROCESSES, TOO_MUCH_MEMORY: EndingKind.OVER_MEMORY}
#: How often a silent program is checked, in seconds.
_POLL_S = 0.01


class _UnreadLine(NamedTuple):
    """A line that the input script has decided on, and that the program has not read."""

    #: The line; None for the end of input.
    line: bytes | None
    #: How many bytes had been shown when the input script decided on the line.
    shown_bytes: int


class MeasuredSession:
    """A session of one program, whose silences are measured."""

    def __init__(
        self,
        program: Program,
        confinement: Confinement,
        environment: dict[str, str],
        script: Script,
        limits: Limits,
        session_files: SessionFiles,
    ) -> None:
        """Start the program; OSError or SessionError if it cannot be started."""
        self._limits, self._script, self._session_files = limits, script, session_files
        self._path = ExpectedPath(script.expected, script.free)
        self._output = SessionOutput(limits.output_kb * 1024)
        self._keys = Keys(shows_enter=program.is_dotnet)
        #: The next line to type; None if the input script has not decided on it.
        self._unread_line: _UnreadLine | None = None
        #: How often a line has been tried in the current silence.
        self._tries = 0
        #: How many seconds of sleep have been added to the deadline.
        self._added_s = 0.0
        self._quota, self._folder = FolderQuota(limits, script), str(confinement.folder)
        self._terminal = obtain(NO_TERMINAL, partial(Terminal, ends_by_key=program.is_dotnet))
        stdin, stderr = session_files.input_and_error(self._terminal.program_end)
        try:
            self._process = Subprocess(
                (*program.argv, *session_files.arguments),
                confinement,
                environment,
                stdin=stdin,
                stdout=self._terminal.program_end,
                stderr=stderr,
            )
        except BaseException:
            self._terminal.close()
            raise
        self._stillness = Stillness(self._process.living_processes)
        our_silence_s = _SILENCE_BEFORE_LINE_S * count_typed_lines(script.expected or ())
        self._deadline = Deadline(limits.max_session_s + self._path.all_pauses_s + our_silence_s)

    def run(self) -> Transcript:
        """Run the session to its end; returns its transcript."""
        stop_reason: EndingKind | None = None
        has_survivors = False
        try:
            while stop_reason is None and self._process.poll() is None:
                stop_reason = self._step() or self._deadline.check_deadline(self._process.living_processes)
            # If the session ends because there are no more lines, text after the end of input is ignored.
            if stop_reason is not EndingKind.OUT_OF_LINES:
                self._handle_text(self._terminal.drain_output())
                self._show(self._keys.rest())
            if stop_reason is None and not self._process.was_begun:
                raise start_error_of(self._all_output())
            has_survivors = stop_reason is None and self._leaves_processes()
        finally:
            try:
                self._process.end()
            finally:
                self._terminal.close()
        return self._output.transcript(self._ending(stop_reason, has_survivors))

    def _all_output(self) -> bytes:
        """The text shown so far, then the standard error if it is separate."""
        shown = b"".join(event.text for event in self._output.within_limit()[0] if isinstance(event, Shown))
        return shown + (self._session_files.stderr.text() if self._session_files.stderr else b"")

    def _step(self) -> EndingKind | None:
        """Wait a moment for text, or handle the silence; returns why the session must stop, or None to continue."""
        if self._quota.is_over(self._folder, self._process.living_processes):
            return EndingKind.OVER_FOLDER
        if self._has_text(_POLL_S):
            self._handle_text(self._terminal.drain_output())
            return EndingKind.OVER_OUTPUT if self._output.is_over else None
        self._stillness.look()
        if self._session_files.is_over:
            return EndingKind.OVER_OUTPUT
        if self._stillness.slept_s > _SILENCE_BEFORE_LINE_S and (prompt := self._session_files.prompt()):
            self._handle_text(prompt)
            return None
        if self._may_wait_for_line():
            return self._type()
        idle_s = self._limits.idle_s + self._path.next_pause_s
        return EndingKind.OUT_OF_IDLE_TIME if self._stillness.slept_s > idle_s else None

    def _has_text(self, timeout_s: float) -> bool:
        """Wait at most `timeout_s`; returns whether the program has shown something."""
        ready = select.poll()
        ready.register(self._terminal.our_end, select.POLLIN)
        for descriptor in self._process.end_descriptors:
            ready.register(descriptor, select.POLLIN)
        return any(descriptor == self._terminal.our_end for descriptor, _ in ready.poll(timeout_s * 1000))

    def _may_wait_for_line(self) -> bool:
        """Whether the program has been silent long enough that it may be waiting for a line."""
        silent_s, slept_s, tries = self._stillness.silent_s, self._stillness.slept_s, self._tries
        if not self._path.is_followed:
            return slept_s > _sleep_before_try_s(tries)
        next_event, pause_s = self._path.next, self._path.next_pause_s
        if isinstance(next_event, Typed | InputEnded) or self._keys.wants_enter:
            return silent_s > _SILENCE_BEFORE_LINE_S + tries * _NEXT_EXPECTED_TRY_S
        # The first try is in the middle of the expected pause, for a program that reads without a pause. All further
        # tries are after the pause.
        if self._path.is_read_after_pause:
            return slept_s > (pause_s + tries * _NEXT_EXPECTED_TRY_S if tries else pause_s / 2)
        # No line is expected now, but the program sleeps for longer than expected.
        max_pause_s = pause_s + _MORE_SLEEP_AFTER_PAUSE_S if pause_s else 0
        return slept_s > _UNEXPECTED_SLEEP_S + max_pause_s + tries * _SLEEP_BEFORE_NEXT_TRY_S

    def _type(self) -> EndingKind | None:
        """Type the next line; returns why the session must stop, or None to continue.

        Types only Enter if the last line was typed without Enter, because the program then read single keys.
        If the program does not read the line now, the line is taken back, and tried again later.
        """
        is_enter_only = self._keys.wants_enter
        line = b"" if is_enter_only else self._next_line()
        takes_keys = self._terminal.takes_keys
        has_enter = not (line and takes_keys)
        # A program that reads single keys needs time for the end of input, since its read may have to be interrupted.
        within_s = _MAX_TRY_S if self._tries or (line is None and takes_keys) else _MAX_FIRST_TRY_S
        if not self._terminal.try_line(line, within_s, has_enter=has_enter, interrupt=self._interrupt):
            self._tries += 1
            return None
        self._stillness.look()
        self._show(self._keys.enter() if is_enter_only else self._keys.rest())
        self._end_silence(is_pause=self._tries > 0)  # a program that did not read at the first try was sleeping
        if is_enter_only:
            return None
        self._unread_line = None
        if line is not None:
            self._keys.note(line, takes_keys=takes_keys)
            self._output.note(Typed(line))
            self._path.advance_by_event(Typed(line))
            return None
        self._keys.note_end(takes_keys=takes_keys)
        # A program that only waits for a key before it ends stays on the path.
        if self._path.next is not None or not takes_keys:
            self._path.advance_by_event(InputEnded())
        return self._output.end_input(self._script, takes_keys=takes_keys)

    def _interrupt(self) -> None:
        """Make the program restart its read, by stopping and continuing it."""
        pids = self._process.living_processes()
        for signal_number in (signal.SIGSTOP, signal.SIGCONT):
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal_number)
            deadline = time.monotonic() + _INTERRUPT_S
            while time.monotonic() < deadline and not all(_has_obeyed(signal_number, pid) for pid in pids):
                time.sleep(_POLL_S)

    def _next_line(self) -> bytes | None:
        """The next line to type; None for the end of input, also once the program has read that.

        As long as the line is unread, the input script decides again only if more text has been shown.
        """
        if self._output.ends_of_input:
            return None
        shown_bytes, _ = self._output.progress_position
        if self._unread_line is None:
            self._unread_line = _UnreadLine(self._script.input(self._output.so_far()), shown_bytes)
        elif self._unread_line.shown_bytes != shown_bytes:
            line = replacement_line(self._script.input, self._output.so_far(), self._unread_line.line)
            self._unread_line = _UnreadLine(line, shown_bytes)
        return self._unread_line.line

    def _end_silence(self, *, is_pause: bool) -> None:
        """End the current silence, and begin the next silence.

        With `is_pause` the ended silence is recorded as a pause, if it is long enough.
        """
        slept_s, perhaps_slept_s = self._stillness.slept_s, self._stillness.perhaps_slept_s
        next_event = self._path.next
        if is_pause and isinstance(next_event, Paused):
            self._path.advance_by_event(next_event)
            expected_s = next_event.duration_ms / 1000
            is_near = slept_s - _PAUSE_TOLERANCE_S <= expected_s <= slept_s + perhaps_slept_s + _PAUSE_TOLERANCE_S
            self._output.pause(next_event.duration_ms * 10**6 if is_near else _rounded_ns(slept_s))
        elif is_pause and slept_s > _PAUSE_TOLERANCE_S and not isinstance(next_event, Typed | InputEnded):
            self._output.pause(_rounded_ns(slept_s))
        # Off the expected path the session's time limit is extended by each sleep, up to a maximum: the program sleeps
        # in its pauses, and while we wait before a try.
        if not self._path.is_followed and self._added_s < _MAX_ADDED_LIMITS * self._limits.max_session_s:
            self._added_s += slept_s
            self._deadline.allow(slept_s)
        self._stillness.begin()
        self._tries = 0

    def _handle_text(self, text: bytes) -> None:
        """Handle new text of the program, which ends the current silence."""
        text = self._keys.without_echo(text)
        if not text:
            return
        self._stillness.look_at_text()
        self._end_silence(is_pause=True)
        self._show(text)

    def _show(self, text: bytes) -> None:
        self._output.show(text)
        self._path.advance_by_text(text)

    def _leaves_processes(self) -> bool:
        """Wait for the program's other processes to end; returns whether some do not end in time."""
        deadline = time.monotonic() + _LEAVING_S
        survivors, cpu_before_ns = Survivors(), sum(map(processes.cpu_ns, self._process.living_processes()))
        while remaining_pids := self._process.living_processes():
            may_still_end = survivors.are_leaving(remaining_pids, cpu_before_ns) and not self._deadline.is_over
            if not may_still_end and time.monotonic() > deadline:
                return True
            time.sleep(_POLL_S)
        return False

    def _ending(self, stop_reason: EndingKind | None, has_survivors: bool) -> Ending:
        if stop_reason is EndingKind.FAULT:
            return Ending(stop_reason, detail=self._deadline.sentence)
        if self._session_files.is_over:
            return Ending(EndingKind.OVER_OUTPUT)
        if stop_reason is not None:
            return Ending(stop_reason)
        code = self._process.poll()
        assert code is not None
        if self._process.excess:
            return Ending(_EXCESSES[self._process.excess])
        if code in (-signal.SIGXCPU, 128 + signal.SIGXCPU):  # bubblewrap exits with 128 plus the signal
            return Ending(EndingKind.OUT_OF_CPU_TIME)
        if code < 0:
            return Ending(EndingKind.SIGNALLED, signal=signal_name(-code))
        return Ending(EndingKind.LEFT_PROCESSES, exit_code=code) if has_survivors else exited(code)


def _sleep_before_try_s(tries: int) -> float:
    """How long the program must have slept before a line that was tried this many times is tried again."""
    last_index = len(_SLEEPS_BEFORE_FIRST_TRIES_S) - 1
    return _SLEEPS_BEFORE_FIRST_TRIES_S[min(tries, last_index)] + max(0, tries - last_index) * _SLEEP_BEFORE_NEXT_TRY_S


def _has_obeyed(signal_number: signal.Signals, pid: int) -> bool:
    """Whether a process has obeyed a signal: stopped, or continued to its next wait; also True if it has ended."""
    has_stopped = processes.state(pid) in "tT"
    return processes.is_gone(pid) or (has_stopped if signal_number == signal.SIGSTOP else processes.is_asleep(pid))


def _rounded_ns(silence_s: float) -> int:
    """The length of a silence in nanoseconds, rounded to a tenth of a second."""
    return round(silence_s * 10) * 10**8


class ExpectingDriver:
    """Runs sessions of one program, one after another."""

    def __init__(self, program: Program, limits: Limits, sandbox: Sandbox) -> None:
        """Set the program and its limits, which are enforced as far as this system supports them."""
        self._program, self._limits, self._sandbox = program, limits, sandbox
        #: The seeded environment of the current session.
        self._environment: SeededEnvironment | None = None
        #: Removes the run's folder and closes the environment at the end.
        self._resources = contextlib.ExitStack()

    def __enter__(self) -> ExpectingDriver:
        """Create the folders and the environment; SessionError if sessions cannot be run on this machine."""
        with contextlib.ExitStack() as resources:
            resources.enter_context(scratch.run_folder())
            environments_folder = resources.enter_context(folder_of_environments(self._program))
            create_environment = partial(
                SeededEnvironment, environments_folder, measuring_ns=self._program.measuring_ns
            )
            self._environment = obtain("no session can be run", create_environment)
            resources.callback(self._environment.close)
            self._resources.push(resources.pop_all())
        return self

    def __exit__(self, *_: object) -> None:
        """Close the environment and remove the folders."""
        self._resources.close()

    def sessions(self, scripts: Iterable[Script]) -> Iterator[tuple[int, Transcript]]:
        """Run a session for each script, in order; yields its number and transcript."""
        for number, script in enumerate(scripts):
            assert self._environment is not None
            self._environment.begin(script.environment_seed, is_unwatched=True)
            with scratch.folder("session", 0o700) as home, lend_user(self._level) as user_id:
                if user_id is not None:
                    os.chown(home, user_id, user_id)
                    os.chmod(home, 0o711)  # bubblewrap passes through this folder before it changes the user
                try:
                    transcript = self._run_session(home, user_id, script)
                except OSError as error:
                    raise refusal_error("the session could not be run", error) from error
            if self._level is Level.BUBBLEWRAP:  # bubblewrap reports a crash as an exit code
                transcript = msgspec.structs.replace(transcript, ending=ending_behind_bubblewrap(transcript.ending))
            yield number, transcript

    @property
    def _level(self) -> Level:
        return Level.NONE if self._program.is_trusted else self._sandbox.level

    def _run_session(self, home: str, user_id: int | None, script: Script) -> Transcript:
        """Runs a session with the files of its invocation, if any; returns its transcript."""
        environment = with_variables(environment_of(self._program, home), script.invocation.variables)
        confinement = self._confinement(home, user_id)
        session_files = SessionFiles(script.invocation, self._limits, self._program)
        try:
            files.write_files(home, session_files.files_to_write, user_id)
            session = MeasuredSession(self._program, confinement, environment, script, self._limits, session_files)
            transcript = session.run()
            has_exited = transcript.ending.kind is EndingKind.EXITED
            return session_files.complete(
                transcript, files.read_files(home, *session_files.compared_files) if has_exited else []
            )
        finally:
            session_files.close()

    def _confinement(self, home: str, user_id: int | None) -> Confinement:
        """The confinement of a session, with its limits."""
        level = self._level
        environments_folder = self._environment.folder if self._environment else None
        limits = [("RLIMIT_CPU", self._limits.cpu_s), ("RLIMIT_FSIZE", self._limits.file_mb << 20), ("RLIMIT_CORE", 0)]
        if sys.platform == "linux":
            limits += [("RLIMIT_STACK", STACK_BYTES), ("RLIMIT_NOFILE", abi.max_files_of_a_program())]
        return Confinement(
            level,
            Path(home),
            readable_folders(str(self._program.folder), *([environments_folder] if environments_folder else ())),
            tuple(limits),
            # Two more than the program may have: bubblewrap's own processes count too.
            processes=self._limits.processes + (2 if level is Level.BUBBLEWRAP else 0),
            memory_mb=self._limits.memory_mb,
            user_id=user_id,
            environment=tuple(self._environment.environment.items()) if self._environment else (),
            has_fixed_addresses=True,
            is_on_terminal=True,
        )
