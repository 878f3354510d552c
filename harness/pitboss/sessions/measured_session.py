"""One session of the expecting driver, whose silences are measured."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from functools import partial

from pitboss.model.scripts import Script, again
from pitboss.model.transcript import (
    Ending,
    EndingKind,
    InputEnded,
    Paused,
    Shown,
    Transcript,
    Typed,
    exited,
)
from pitboss.sandbox import processes
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.retry import obtain
from pitboss.sandbox.subprocesses import Confinement, Subprocess
from pitboss.sessions.disk_quota import FolderQuota
from pitboss.sessions.expected_path import ExpectedPath
from pitboss.sessions.keystrokes import Keys
from pitboss.sessions.programs import Program
from pitboss.sessions.session_files import SessionFiles
from pitboss.sessions.stillness import Stillness
from pitboss.sessions.terminal import NO_TERMINAL, Terminal
from pitboss.sessions.tracing.bubblewrap import not_started
from pitboss.sessions.tracing.deadline import Deadline
from pitboss.sessions.tracing.exits import signal_name
from pitboss.sessions.tracing.session_events import SessionOutput
from pitboss.sessions.tracing.survivors import Survivors

#: Silence after which an expected line is typed; on the expected path no verdict depends on it.
_SETTLED_S = 0.05
#: A measured pause this close to the expected pause counts as equal; an unexpected pause shorter than this is ignored.
#: Time in which a program gets no core because the machine is busy is not sleep.
_LATENESS_S = 0.35
#: A program that sleeps this much longer than expected may be waiting for a line.
_QUESTION_S = 0.6
#: Off the expected path a line is tried after each of these sleeps, then after each further second. Programs hardly
#: ever sleep for these times: text shown while a line is tried may have appeared before or after the line was read.
_TRIED_AT_S, _AGAIN_S = (0.07, 0.17, 0.35, 0.65, 1.15), 1.0
#: How long a line is tried. The first try takes no time where the kernel serves a waiting reader first.
_READ_S, _FIRST_S = 0.02, 0.0 if sys.platform == "linux" else 0.02
#: How long a process may sleep after the program that started it has ended.
_LEAVING_S = 0.2
#: Off the expected path, pauses and silences before a line is tried may add this many times the limit in real time.
_MAX_TIMES_ALLOWED = 5
#: How long a program may take to stop, and to continue.
_INTERRUPT_S = 0.1
#: How often a silent program is checked.
_POLL_S = 0.01


class MeasuredSession:
    """A session whose silences are measured."""

    def __init__(
        self,
        program: Program,
        confinement: Confinement,
        environment: dict[str, str],
        script: Script,
        limits: Limits,
        session_files: SessionFiles | None,
    ) -> None:
        """Start the program; OSError or SessionError if that is not possible."""
        self._limits, self._script, self._session_files = limits, script, session_files
        self._path = ExpectedPath(script.expected, script.free)
        self._output = SessionOutput(limits.output_kb * 1024)
        self._keys = Keys(shows_enter=program.is_dotnet)
        #: Until the next line is read: how much had been shown when the line was decided on, and the line.
        self._unread: tuple[int, bytes | None] | None = None
        #: How often that line was tried in this silence; and how far silences have moved the deadline.
        self._tried, self._allowed_s = 0, 0.0
        self._quota, self._folder = FolderQuota(limits), str(confinement.folder)
        self._terminal = obtain(NO_TERMINAL, partial(Terminal, ends_by_key=program.is_dotnet))
        try:
            self._process = Subprocess(
                (*program.argv, *(session_files.arguments if session_files else ())),
                confinement,
                environment,
                stdin=self._terminal.program_end,
                stdout=self._terminal.program_end,
                stderr=session_files.errors.descriptor
                if session_files and session_files.errors
                else self._terminal.program_end,
            )
        except BaseException:
            self._terminal.close()
            raise
        self._stillness = Stillness(self._process.living_processes)
        self._deadline = Deadline(limits.max_session_s + self._path.pauses_s)

    def run(self) -> Transcript:
        """Run the session to its end; returns its transcript."""
        stopped: EndingKind | None = None
        has_survivors = False
        try:
            while stopped is None and self._process.poll() is None:
                stopped = self._step() or self._deadline.passed(self._process.living_processes)
            if stopped is not EndingKind.OUT_OF_LINES:  # we ended the input, so the text after it is ignored
                self._take(self._terminal.drained())
                self._show(self._keys.rest())
            if stopped is None and not self._process.was_begun:
                raise not_started(self._new_errors())
            has_survivors = stopped is None and self._leaves_processes()
        finally:
            try:
                self._process.end()
            finally:
                self._terminal.close()
        events, dropped = self._output.within_limit()
        return Transcript(events, self._ending(stopped, has_survivors), dropped)

    def _new_errors(self) -> bytes:
        """The text shown so far, and the separate standard error."""
        shown = b"".join(event.text for event in self._output.within_limit()[0] if isinstance(event, Shown))
        return shown + (
            self._session_files.errors.text() if self._session_files and self._session_files.errors else b""
        )

    def _step(self) -> EndingKind | None:
        """Wait a moment for text, or handle the silence; returns why the session must stop, or None to continue."""
        if self._has_text(_POLL_S):
            self._take(self._terminal.drained())
            return EndingKind.OVER_OUTPUT if self._output.is_over else None
        self._stillness.look()
        if self._quota.is_over(self._folder):
            return EndingKind.OVER_FOLDER
        if self._session_files is not None:
            if self._session_files.is_over:
                return EndingKind.OVER_OUTPUT
            if self._stillness.slept_s > _SETTLED_S and (prompt := self._session_files.prompt()):
                self._take(prompt)
                return None
        if self._is_settled():
            return self._type()
        idle_s = self._limits.idle_s + self._path.pause_s
        return EndingKind.OUT_OF_IDLE_TIME if self._stillness.slept_s > idle_s else None

    def _has_text(self, timeout_s: float) -> bool:
        """Wait at most `timeout_s`; returns whether the program has shown something."""
        ready = select.poll()
        ready.register(self._terminal.our_end, select.POLLIN)
        for descriptor in self._process.signals_its_end:
            ready.register(descriptor, select.POLLIN)
        return any(descriptor == self._terminal.our_end for descriptor, _ in ready.poll(timeout_s * 1000))

    def _is_settled(self) -> bool:
        """Whether the program has been silent long enough that it may be waiting for a line."""
        silent_s, slept_s, tried = self._stillness.silent_s, self._stillness.slept_s, self._tried
        if not self._path.is_followed:
            return slept_s > _tried_at_s(tried)
        expected, pause_s = self._path.next, self._path.pause_s
        if isinstance(expected, Typed | InputEnded):
            return silent_s > _SETTLED_S + tried * _TRIED_AT_S[0]
        if self._path.is_read_after_pause:  # the first try is in the middle of the pause, the next right after it
            return slept_s > (pause_s + tried * _TRIED_AT_S[0] if tried else pause_s / 2)
        return slept_s > _QUESTION_S + (pause_s + 1 if pause_s else 0) + tried * _AGAIN_S

    def _type(self) -> EndingKind | None:
        """Type the next line; if the program does not read it now it is taken back, and tried again later."""
        is_enter = self._keys.wants_enter
        line = b"" if is_enter else None if self._output.ends_of_input else self._line()
        takes_keys = self._terminal.takes_keys
        has_enter = not (line and takes_keys)
        within_s = _READ_S if self._tried or (line is None and takes_keys) else _FIRST_S
        if not self._terminal.is_read(line, within_s, has_enter=has_enter, interrupt=self._interrupt):
            self._tried += 1
            return None
        self._stillness.look()
        self._show(self._keys.enter() if is_enter else self._keys.rest())
        self._end_silence(is_pause=self._tried > 0)
        if is_enter:
            return None
        self._unread = None
        if line is not None:
            self._keys.note(line, takes_keys=takes_keys)
            self._output.note(Typed(line))
            self._path.meet(Typed(line))
            return None
        reason = self._output.end_input(self._script, takes_keys=takes_keys)
        if self._output.events[-1:] == [InputEnded()]:
            self._path.meet(InputEnded())
        return reason

    def _interrupt(self) -> None:
        """Make the program restart its read, by stopping and continuing it."""
        pids = self._process.living_processes()
        for signal_number in (signal.SIGSTOP, signal.SIGCONT):
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal_number)
            deadline = time.monotonic() + _INTERRUPT_S
            while time.monotonic() < deadline and not all(_is_after(signal_number, pid) for pid in pids):
                time.sleep(_POLL_S)

    def _line(self) -> bytes | None:
        """The next line to type; the input script decides again only if more text has been shown since."""
        size = self._output.place[0]
        if self._unread is None:
            self._unread = size, self._script.input(self._output.so_far())
        elif self._unread[0] != size:
            self._unread = size, again(self._script.input, self._output.so_far(), self._unread[1])
        return self._unread[1]

    def _end_silence(self, *, is_pause: bool) -> None:
        """End the current silence, noting it as a pause if it is long enough, and begin the next silence."""
        slept_s, perhaps_s = self._stillness.slept_s, self._stillness.perhaps_s
        expected = self._path.next
        if is_pause and isinstance(expected, Paused):
            self._path.meet(expected)
            wanted_s = expected.duration_ms / 1000
            is_near = slept_s - _LATENESS_S <= wanted_s <= slept_s + perhaps_s + _LATENESS_S
            self._output.pause(expected.duration_ms * 10**6 if is_near else _rounded_ns(slept_s))
        elif is_pause and slept_s > _LATENESS_S and not isinstance(expected, Typed | InputEnded):
            self._output.pause(_rounded_ns(slept_s))
        # Neither our waiting before a try nor its pauses count as the program's time; but both are bounded.
        if not self._path.is_followed and self._allowed_s < _MAX_TIMES_ALLOWED * self._limits.max_session_s:
            self._allowed_s += slept_s
            self._deadline.allow(slept_s)
        self._stillness.begin()
        self._tried = 0

    def _take(self, text: bytes) -> None:
        """Handles new text of the program, which ends the current silence."""
        text = self._keys.without_echo(text)
        if not text:
            return
        self._stillness.look_at_text()
        self._end_silence(is_pause=True)
        self._show(text)

    def _show(self, text: bytes) -> None:
        self._output.show(text)
        self._path.show(text)

    def _leaves_processes(self) -> bool:
        """Waits for the program's other processes to end; returns whether some do not end in time."""
        deadline = time.monotonic() + _LEAVING_S
        survivors, before_ns = Survivors(), sum(map(processes.cpu_ns, self._process.living_processes()))
        while left := self._process.living_processes():
            is_leaving = survivors.are_leaving(left, before_ns) and not self._deadline.is_over
            if not is_leaving and time.monotonic() > deadline:
                return True
            time.sleep(_POLL_S)
        return False

    def _ending(self, stopped: EndingKind | None, has_survivors: bool) -> Ending:
        if stopped is EndingKind.FAULT:
            return Ending(stopped, detail=self._deadline.sentence)
        if self._session_files is not None and self._session_files.is_over:
            return Ending(EndingKind.OVER_OUTPUT)
        if stopped is not None:
            return Ending(stopped)
        code = self._process.poll()
        assert code is not None
        if self._process.had_too_many:
            return Ending(EndingKind.OVER_PROCESSES)
        if code in (-signal.SIGXCPU, 128 + signal.SIGXCPU):
            return Ending(EndingKind.OUT_OF_CPU_TIME)
        if code < 0:
            return Ending(EndingKind.SIGNALLED, signal=signal_name(-code))
        return Ending(EndingKind.LEFT_PROCESSES, exit_code=code) if has_survivors else exited(code)


def _tried_at_s(tried: int) -> float:
    """How long the program must have slept before a line that was tried this many times is tried again."""
    last = len(_TRIED_AT_S) - 1
    return _TRIED_AT_S[min(tried, last)] + max(0, tried - last) * _AGAIN_S


def _is_after(signal_number: signal.Signals, pid: int) -> bool:
    """Whether a process has obeyed a signal: stopped, or continued to its next wait; also True if it has ended."""
    has_stopped = processes.state(pid) in "tT"
    return processes.is_gone(pid) or (has_stopped if signal_number == signal.SIGSTOP else processes.is_asleep(pid))


def _rounded_ns(silence_s: float) -> int:
    return round(silence_s * 10) * 10**8
