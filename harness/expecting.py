"""The expecting driver: sessions on any POSIX terminal, without the kernel's help.

It goes by what is expected: a line is typed once the expected text stands there and nothing more comes for a moment.
Sleeps are real, and a pause is the silence before a text, measured; how long is told to a tenth of a second. Where a
session leaves the expected path, a longer silence is taken for a question.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from harness import confine, scratch
from harness.assignment import Limits
from harness.clock import Clock, folder_of_clocks
from harness.obtaining import obtained, refused
from harness.programs import STACK_BYTES, Program, environment_of
from harness.sandbox import Level, Sandbox, bubblewrap_argv, landlock_rules, readable_folders
from harness.sessions import Script
from harness.terminal import NO_TERMINAL, Terminal
from harness.transcript import Ending, EndingKind, Event, InputEnded, Paused, Shown, Transcript, Typed, exited
from harness.watching import abi, landlock, processes
from harness.watching.output import Output

#: Silence that settles that nothing follows a prompt; that is a pause; that is a question nobody expected.
_SETTLED_S, _PAUSE_S, _QUESTION_S = 0.05, 0.3, 0.6
#: A measured pause this near to the expected one is that one.
_LATENESS_S = 0.35
#: How long a process may outlive the program that started it.
_LEAVING_S = 0.2
_ENDS_OF_INPUT = 100
#: CPU time in nanoseconds for each second of silence from which on a program computes rather than waits.
_COMPUTING_NS = 10_000_000


class ExpectingDriver:
    """Holds sessions of one program, one after another."""

    def __init__(self, program: Program, limits: Limits, sandbox: Sandbox) -> None:
        """Sessions are held under these limits, as far as this system knows them."""
        self._program, self._limits, self._sandbox = program, limits, sandbox
        #: What the programs see; None for the machine's.
        self._clock: Clock | None = None
        #: Keeps one folder for all that the sessions run in.
        self._kept = contextlib.ExitStack()

    def __enter__(self) -> ExpectingDriver:
        """Make ready; SessionError when this machine refuses."""
        with contextlib.ExitStack() as undone:
            undone.enter_context(scratch.kept_run())
            clocks = undone.enter_context(folder_of_clocks(self._program))
            if clocks:
                self._clock = Clock(clocks, 0)
                undone.callback(self._clock.close)
            self._kept.push(undone.pop_all())
        return self

    def __exit__(self, *_: object) -> None:
        """Leave nothing behind."""
        self._kept.close()

    def sessions(self, scripts: Iterable[Script]) -> Iterator[tuple[int, Transcript]]:
        """Hold a session for each script, in order."""
        for number, script in enumerate(scripts):
            if self._clock is not None:
                self._clock.begin(os.getpid() + number)
            with scratch.folder("session", 0o700) as home:
                held = partial(_Held, self._argv(home), self._environment(home), home, script, self._limits)
                session = obtained(f"{self._program.argv[0]} could not be started", held)
                try:
                    transcript = session.transcript()
                except OSError as error:
                    raise refused("the session could not be run", error) from error
            if self._level is Level.BUBBLEWRAP:
                transcript = msgspec.structs.replace(transcript, ending=_inside(transcript.ending))
            yield number, transcript

    @property
    def _level(self) -> Level:
        return Level.NONE if self._program.is_trusted else self._sandbox.level

    def _environment(self, home: str) -> dict[str, str]:
        return environment_of(self._program, home, **dict(self._clock.environment if self._clock else ()))

    @property
    def _readable(self) -> tuple[str, ...]:
        return readable_folders(self._program.folder, *([self._clock.folder] if self._clock else ()))

    def _argv(self, home: str) -> list[str]:
        """The command under its limits, and in its confinement as far as there is one."""
        level = self._level
        rules: tuple[tuple[str, int], ...] = ()
        inside = list(self._program.argv)
        if level is Level.LANDLOCK:
            rules = (*landlock_rules(*self._readable), (home, landlock.WRITE))
        elif level is Level.BUBBLEWRAP:
            wrapped = bubblewrap_argv(readable=self._readable, writable=(home,))
            wrapped = [argument for argument in wrapped if argument != "--new-session"]
            inside = [*wrapped, "--chdir", home, "--", *inside]
        limits = [("RLIMIT_CPU", self._limits.cpu_s), ("RLIMIT_FSIZE", self._limits.file_mb << 20), ("RLIMIT_CORE", 0)]
        if sys.platform == "linux" and level is not Level.BUBBLEWRAP and not self._program.reserves_memory:
            limits.append(("RLIMIT_AS", self._limits.memory_mb << 20))
        if sys.platform == "linux":
            files = abi.files_of_a_program()
            limits += [("RLIMIT_STACK", STACK_BYTES), ("RLIMIT_NOFILE", files)]
        setup = json.dumps({"limits": limits, "rules": rules, "user_id": None})
        return [sys.executable, "-I", "-S", confine.__file__, setup, *inside]


class _Held:
    """One session."""

    def __init__(self, argv: list[str], environment: dict[str, str], home: str, script: Script, limits: Limits) -> None:
        self._limits, self._script = limits, script
        self._expected = list(script.expected or ())
        self._is_on_path = script.expected is not None
        self._output = Output(limits.output_kb * 1024)
        self._ends_of_input = self._cpu_ns = 0
        self._strays = processes.Strays()
        self._terminal = obtained(NO_TERMINAL, Terminal)
        try:
            self._process = subprocess.Popen(
                argv,
                stdin=self._terminal.program_end,
                stdout=self._terminal.program_end,
                stderr=self._terminal.program_end,
                cwd=home,
                env=environment,
                start_new_session=True,
            )
        except BaseException:
            self._terminal.close()
            raise
        self._lived_at = time.monotonic()

    def transcript(self) -> Transcript:
        """Hold the session to its end."""
        stopped: EndingKind | None = None
        try:
            while stopped is None and self._process.poll() is None:
                stopped = self._step()
            self._take(self._terminal.drained())
        finally:
            try:
                left = self._end()
            finally:
                self._terminal.close()
        events, dropped = self._output.kept()
        return Transcript(events, self._ending(stopped, left), dropped)

    def _step(self) -> EndingKind | None:
        """Wait for what comes next, text or silence; why the session has to be stopped, if it has."""
        silence = time.monotonic() - self._lived_at
        if self._terminal.has_shown(within_s=0.01):
            self._take(self._terminal.drained())
            return EndingKind.OVER_OUTPUT if self._output.is_over else None
        if self._is_settled(silence):
            return self._type()
        if silence <= self._limits.idle_s:
            return None
        if self._has_computed(silence):
            self._lived_at = time.monotonic()
            return None
        return self._probe()

    def _has_computed(self, silence: float) -> bool:
        """Whether a silent program was computing, or would if it got to, on a machine that is busy with much else."""
        if sys.platform != "linux":
            return False
        pids = processes.tree([self._process.pid])
        cpu_ns = sum(map(processes.cpu_ns, pids))
        used_ns, self._cpu_ns = cpu_ns - self._cpu_ns, cpu_ns
        return used_ns > silence * _COMPUTING_NS or not processes.are_still(pids)

    def _is_settled(self, silence: float) -> bool:
        """Whether the program waits for a line, as far as can be told."""
        if not self._is_on_path:
            return silence > _QUESTION_S and not self._ends_of_input
        if not self._expected:
            return False  # it should end now; one that asks for more instead is found by the probe
        asks = isinstance(self._expected[0], Typed | InputEnded)
        return silence > (_SETTLED_S if asks else self._patience())

    def _patience(self) -> float:
        """How long the expected path itself may be silent before silence means a question."""
        pause = self._expected[0]
        return _QUESTION_S + (pause.duration_ms / 1000 + 1 if isinstance(pause, Paused) else 0)

    def _type(self) -> EndingKind | None:
        self._lived_at = time.monotonic()
        line = None if self._ends_of_input else self._script.typist(self._output.so_far())
        event: Event = InputEnded() if line is None else Typed(line)
        self._output.note(event)
        if self._expected and self._expected[0] == event:
            self._expected.pop(0)
        else:
            self._is_on_path = False
        if line is not None:
            self._terminal.type_line(line)
            return None
        self._ends_of_input += 1
        self._terminal.end_input()
        return EndingKind.DEAF if self._ends_of_input > _ENDS_OF_INPUT else None

    def _probe(self) -> EndingKind | None:
        """End the input of a program that has long been silent: one that reacts had waited for more."""
        if self._ends_of_input:
            return EndingKind.OUT_OF_IDLE_TIME
        self._terminal.end_input()
        self._terminal.has_shown(within_s=_QUESTION_S)
        text = self._terminal.drained()
        if not text and self._process.poll() is None:
            return EndingKind.OUT_OF_IDLE_TIME
        self._ends_of_input = 1
        self._is_on_path = False
        self._output.note(InputEnded())
        self._lived_at = time.monotonic()
        self._take(text)
        return None

    def _take(self, text: bytes) -> None:
        if not text:
            return
        silence = time.monotonic() - self._lived_at
        self._lived_at = time.monotonic()
        wanted = self._expected[0] if self._is_on_path and self._expected else None
        if isinstance(wanted, Paused):
            self._expected.pop(0)
            near = abs(silence - wanted.duration_ms / 1000) <= _LATENESS_S
            self._output.pause(wanted.duration_ms * 10**6 if near else _measured_ns(silence))
        elif silence > _PAUSE_S:
            self._output.pause(_measured_ns(silence))
        self._output.show(text)
        self._follow(text)

    def _follow(self, text: bytes) -> None:
        """Go along the expected path by a text, or leave it."""
        if not self._is_on_path:
            return
        wanted = self._expected[0] if self._expected else None
        if isinstance(wanted, Shown) and wanted.text.startswith(text):
            rest = wanted.text[len(text) :]
            self._expected[:1] = [Shown(rest)] if rest else []
        else:
            self._is_on_path = False

    def _end(self) -> bool:
        """Kill what is left of the session; whether a process of it outlived the program by more than a moment."""
        try:
            return self._process.poll() is not None and self._outlives()
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._strays.end()

    def _outlives(self) -> bool:
        until = time.monotonic() + _LEAVING_S
        while self._has_living():
            if time.monotonic() > until:
                return True
            time.sleep(0.005)
        return False

    def _has_living(self) -> bool:
        """Whether any process of the session's group lives; where there is no /proc, one that nobody waited for too."""
        if sys.platform == "linux":
            return bool(processes.living_in_group(self._process.pid))
        try:
            os.killpg(self._process.pid, 0)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def _ending(self, stopped: EndingKind | None, left: bool) -> Ending:
        code = self._process.returncode
        if stopped is not None:
            return Ending(stopped)
        if code in (-signal.SIGXCPU, 128 + signal.SIGXCPU):
            return Ending(EndingKind.OUT_OF_CPU_TIME)
        if code < 0:
            return Ending(EndingKind.SIGNALLED, signal=signal.Signals(-code).name)
        return Ending(EndingKind.LEFT_PROCESSES, exit_code=code) if left else exited(code)


def _inside(ending: Ending) -> Ending:
    """How a program inside a bubblewrap ended: of one that crashed bwrap(1) itself exits, with 128 and its signal."""
    if ending.kind is EndingKind.EXITED and ending.exit_code in _CRASHED:
        return Ending(EndingKind.SIGNALLED, signal=_CRASHED[ending.exit_code])
    return ending


_CRASHED = {
    128 + number: number.name
    for number in (
        signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT, signal.SIGSYS, signal.SIGXFSZ,
    )
}  # fmt: skip


def _measured_ns(silence_s: float) -> int:
    return round(silence_s * 10) * 10**8
