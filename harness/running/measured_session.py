"""One session of the expecting driver, whose silences are measured."""

from __future__ import annotations

import select
import signal
import time

from pitboss.harness.machine import processes
from pitboss.harness.machine.limits import Limits
from pitboss.harness.machine.obtaining import obtained
from pitboss.harness.machine.subprocesses import Confinement, Subprocess
from pitboss.harness.running.expected_path import ExpectedPath
from pitboss.harness.running.outfit import Outfit
from pitboss.harness.running.programs import Program
from pitboss.harness.running.stillness import Stillness
from pitboss.harness.running.terminal import NO_TERMINAL, Terminal
from pitboss.harness.running.watching.bubblewrap import not_started
from pitboss.harness.running.watching.deadline import Deadline
from pitboss.harness.running.watching.exits import signal_name
from pitboss.harness.running.watching.session_events import Output
from pitboss.harness.running.watching.survivors import Survivors
from pitboss.harness.transcripts.scripts import Script
from pitboss.harness.transcripts.transcript import (
    Ending,
    EndingKind,
    Event,
    InputEnded,
    Paused,
    Shown,
    Transcript,
    Typed,
    exited,
)

#: Silence after which an expected line is typed: on the expected path no verdict depends on it.
_SETTLED_S = 0.05
#: A sleep longer than the first is a pause, and longer than the second an unexpected question. Time in which a program
#: gets no core because the machine is busy is not sleep.
_PAUSE_S, _QUESTION_S = 0.3, 0.6
#: A measured pause this close to the expected one counts as that.
_LATENESS_S = 0.35
#: How long a process may sleep after the program that started it has ended.
_LEAVING_S = 0.2
_ENDS_OF_INPUT = 100
#: How often a silent program is checked.
_LOOK_S = 0.01


class MeasuredSession:
    """One session; measures its silences."""

    def __init__(
        self,
        program: Program,
        confinement: Confinement,
        environment: dict[str, str],
        script: Script,
        limits: Limits,
        outfit: Outfit | None,
    ) -> None:
        """Start the program; OSError or SessionError if that is not possible."""
        self._limits, self._script, self._outfit = limits, script, outfit
        self._path = ExpectedPath(script.expected, script.free)
        self._output = Output(limits.output_kb * 1024)
        self._ends_of_input = 0
        self._terminal = obtained(NO_TERMINAL, Terminal)
        try:
            self._process = Subprocess(
                (*program.argv, *(outfit.arguments if outfit else ())),
                confinement,
                environment,
                stdin=self._terminal.program_end,
                stdout=self._terminal.program_end,
                stderr=outfit.errors.descriptor if outfit and outfit.errors else self._terminal.program_end,
            )
        except BaseException:
            self._terminal.close()
            raise
        self._stillness = Stillness(self._process.left)
        self._deadline = Deadline(limits.most_s + self._path.pauses_s)

    def run(self) -> Transcript:
        """Run the session to its end; returns its transcript."""
        stopped: EndingKind | None = None
        left = False
        try:
            while stopped is None and self._process.poll() is None:
                stopped = self._step() or self._deadline.passed(self._process.left)
            self._take(self._terminal.drained())
            if stopped is None and not self._process.was_begun:
                raise not_started(self._said())
            left = stopped is None and self._outlives()
        finally:
            try:
                self._process.end()
            finally:
                self._terminal.close()
        events, dropped = self._output.kept()
        return Transcript(events, self._ending(stopped, left), dropped)

    def _said(self) -> bytes:
        shown = b"".join(event.text for event in self._output.kept()[0] if isinstance(event, Shown))
        return shown + (self._outfit.errors.text() if self._outfit and self._outfit.errors else b"")

    def _step(self) -> EndingKind | None:
        """Wait a moment for text, or handle the silence; returns why the session must be stopped, if it must."""
        if self._has_text(_LOOK_S):
            self._take(self._terminal.drained())
            return EndingKind.OVER_OUTPUT if self._output.is_over else None
        self._stillness.look()
        if self._outfit is not None:
            if self._outfit.is_over:
                return EndingKind.OVER_OUTPUT
            if self._stillness.slept_s > _SETTLED_S and (prompt := self._outfit.prompt()):
                self._take(prompt)
                return None
        if self._is_settled():
            return self._type()
        return self._probe() if self._stillness.slept_s > self._limits.idle_s else None

    def _has_text(self, timeout_s: float) -> bool:
        """Wait at most `timeout_s`; returns whether the program has shown something."""
        ready = select.poll()
        ready.register(self._terminal.our_end, select.POLLIN)
        for descriptor in self._process.tells_its_end:
            ready.register(descriptor, select.POLLIN)
        return any(descriptor == self._terminal.our_end for descriptor, _ in ready.poll(timeout_s * 1000))

    def _is_settled(self) -> bool:
        """Whether the program waits for a line, as far as we can tell."""
        slept_s = self._stillness.slept_s
        if not self._path.is_kept:
            return slept_s > _QUESTION_S and not self._ends_of_input
        wanted = self._path.next
        if wanted is None:
            return False  # it should end now; if it asks for more instead, `_probe` finds that
        if isinstance(wanted, Typed | InputEnded):
            return self._stillness.silent_s > _SETTLED_S
        return slept_s > _patience_s(wanted)

    def _type(self) -> EndingKind | None:
        self._stillness.begin()
        line = None if self._ends_of_input else self._script.input(self._output.so_far())
        event: Event = InputEnded() if line is None else Typed(line)
        self._output.note(event)
        self._path.meet(event)
        if line is not None:
            self._terminal.type_line(line)
            return None
        self._ends_of_input += 1
        if self._ends_of_input == 1 and self._script.ends_with_its_lines(self._output.so_far()):
            return EndingKind.OUT_OF_LINES
        self._terminal.end_input()
        return EndingKind.DEAF if self._ends_of_input > _ENDS_OF_INPUT else None

    def _probe(self) -> EndingKind | None:
        """End the input of a program that has long been silent: if it reacts, it was waiting for input."""
        if self._ends_of_input:
            return EndingKind.OUT_OF_IDLE_TIME
        self._terminal.end_input()
        self._stillness.begin()
        while not (has_text := self._has_text(_LOOK_S)) and self._process.poll() is None:
            self._stillness.look()
            if self._stillness.slept_s > _QUESTION_S or self._deadline.passed(self._process.left):
                return EndingKind.OUT_OF_IDLE_TIME
        self._ends_of_input = 1
        self._path.leave()
        self._output.note(InputEnded())
        if self._script.ends_with_its_lines(self._output.so_far()):
            return EndingKind.OUT_OF_LINES
        if has_text:
            self._stillness.begin()
            self._output.show(self._terminal.drained())
        return None

    def _take(self, text: bytes) -> None:
        if not text:
            return
        self._stillness.look()
        slept_s, perhaps_s = self._stillness.slept_s, self._stillness.perhaps_s
        wanted = self._path.next
        if isinstance(wanted, Paused):
            self._path.meet(wanted)
            wanted_s = wanted.duration_ms / 1000
            is_near = slept_s - _LATENESS_S <= wanted_s <= slept_s + perhaps_s + _LATENESS_S
            self._output.pause(wanted.duration_ms * 10**6 if is_near else _measured_ns(slept_s))
        elif slept_s > _PAUSE_S:
            self._output.pause(_measured_ns(slept_s))
        self._stillness.begin()
        self._output.show(text)
        self._path.show(text)

    def _outlives(self) -> bool:
        """Whether a process of the session outlives the program for longer than processes need to end."""
        until = time.monotonic() + _LEAVING_S
        survivors, before_ns = Survivors(), sum(map(processes.cpu_ns, self._process.left()))
        while left := self._process.left():
            is_leaving = survivors.are_leaving(left, before_ns) and not self._deadline.is_over
            if not is_leaving and time.monotonic() > until:
                return True
            time.sleep(_LOOK_S)
        return False

    def _ending(self, stopped: EndingKind | None, left: bool) -> Ending:
        if stopped is EndingKind.FAULT:
            return Ending(stopped, detail=self._deadline.sentence)
        if self._outfit is not None and self._outfit.is_over:
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
        return Ending(EndingKind.LEFT_PROCESSES, exit_code=code) if left else exited(code)


def _patience_s(wanted: Event) -> float:
    """How long a program may be silent before this event until silence means a question, in seconds."""
    return _QUESTION_S + (wanted.duration_ms / 1000 + 1 if isinstance(wanted, Paused) else 0)


def _measured_ns(silence_s: float) -> int:
    return round(silence_s * 10) * 10**8
