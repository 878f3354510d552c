"""The state machine of one traced session: from a program's first instruction to the end of its last process.

Every stop of the program arrives as a notification and is answered here. The program's output so far is drained first,
so that the order of events is exact.
"""

from __future__ import annotations

import errno
import os

from pitboss.machine import abi
from pitboss.machine.stops import Stops
from pitboss.model.invocation import Script
from pitboss.model.transcript import Ending, EndingKind, Remark, Transcript, Typed
from pitboss.sandbox.limits import Limits
from pitboss.sessions.session_files import FolderQuota, SessionFiles
from pitboss.sessions.terminal import Keys, Terminal
from pitboss.sessions.tracing.calls import Call, Closing, LineWait, Replacing, Start, TerminalCall, Unavailable, call_in
from pitboss.sessions.tracing.draws import DRAWS
from pitboss.sessions.tracing.family import Family, LauncherContext, Survivors, ending_of, survivors_ending_kind
from pitboss.sessions.tracing.session_events import SessionOutput
from pitboss.sessions.tracing.timed_waits import Pause
from pitboss.sessions.tracing.timeline import Timeline
from pitboss.sessions.tracing.timers import TimerCall
from pitboss.sessions.tracing.watchdog import Deadline, SilentState, Watchdog

#: The remark that the transcript gets when a program closes one of these descriptors.
_CLOSE_REMARKS = {0: Remark.CLOSED_INPUT, 1: Remark.CLOSED_OUTPUT}


class TracedSession:
    """A session: one program on one terminal; `transcript` is available once `is_over`."""

    def __init__(self, script: Script, limits: Limits, context: LauncherContext, *, skips_pauses: bool) -> None:
        """Open a terminal and the files that the script's invocation needs; OSError if no descriptor is available."""
        #: The open files that the session needs besides the terminal.
        self.session_files = SessionFiles(script.invocation, limits, context.program)
        try:
            self._is_dotnet = context.program is not None and context.program.is_dotnet
            self.terminal = Terminal(ends_by_key=self._is_dotnet)
        except BaseException:
            self.session_files.close()
            raise
        self.is_over = False
        #: The path of the session's folder; empty until the session is started.
        self.folder = ""
        self._quota = FolderQuota(limits, script)
        #: The device number of the terminal.
        self._device = os.fstat(self.terminal.program_end).st_rdev
        self._script, self._limits, self._skips_pauses = script, limits, skips_pauses
        self._environment = context.environment
        self.family = Family(context)
        self._draws = context.draws
        self._output, self._keys = SessionOutput(limits.output_kb * 1024), Keys(shows_enter=self._is_dotnet)
        self._remarks: dict[Remark, None] = {}
        self._timeline = Timeline(
            context.environment,
            skips=skips_pauses,
            roots=self.family.roots,
            progress=self._progress,
            note_pause=self._note_pause,
        )
        #: Whether descriptor 0 is certainly the terminal: no process has closed or replaced it.
        self._is_input_the_terminal = script.invocation.input_file is None
        #: Why we stopped the session; None if we have not stopped it.
        self._stop_reason: EndingKind | None = None
        self._ending: Ending | None = None
        self._watchdog = Watchdog(limits, self._device)
        #: Whether there were orphans after the program ended.
        self._has_orphans = False
        #: Whether we have killed all orphans that have been found.
        self._are_orphans_killed = False
        self._survivors = Survivors()
        self._stops, self._deadline = Stops(), Deadline(limits.max_session_s)

    @property
    def is_asleep(self) -> bool:
        """Whether the session's program has begun and waits for something."""
        return bool(self.family.pid) and self._timeline.is_asleep()

    @property
    def transcript(self) -> Transcript:
        """The transcript of the session, once it is over."""
        assert self._ending is not None
        return self._output.transcript(self._ending, tuple(self._remarks))

    def on_notification(self, listener: int, notification: abi.Notification) -> None:
        """Note the call that the program makes, and handle it here or let the kernel handle it.

        A program that is being killed gets no answer, so the program stays stopped.
        """
        if self._stop_reason is not None:
            return
        self._watchdog.saw_life()
        if not self.family.pid:
            self._begin(notification.tid)
            abi.let_through(listener, notification)
            return
        if notification.number in DRAWS:
            self._timeline.note_continuing(notification.tid)
            self._draws.answer(listener, notification)
            return
        call = call_in(
            notification, self._device, self._timeline.now_ns, is_input_the_terminal=self._is_input_the_terminal
        )
        if self._ending is not None and isinstance(call, (Pause, LineWait)):
            # The program has ended, and a process that it left running waits, so that process is not about to end.
            self._stop(EndingKind.LEFT_PROCESSES)
            return
        if isinstance(call, Pause):
            self._timeline.park(listener, notification, call)
            return
        self._timeline.note_call(notification.tid)
        if isinstance(call, TimerCall):
            self._timeline.set_timer(listener, notification, call)
            return
        self._timeline.note_continuing(notification.tid)
        if not self._answer(listener, notification, call) and self._stop_reason is None:
            abi.let_through(listener, notification)

    def _begin(self, pid: int) -> None:
        """Begin the session: the program is stopped in its execve."""
        self.family.begin(pid, self._limits)
        self._environment.begin(self._script.environment_seed)
        self._draws.begin(self._script.invocation.arguments or ())
        self._timeline.note_continuing(pid)

    def _note_pause(self, duration_ns: int, *, is_nap: bool = False, is_step: bool = False) -> None:
        """Note a pause of the whole program: see `NotePause`."""
        self._drain()
        self._output.pause(duration_ns, is_nap=is_nap, is_step=is_step)
        if not self._skips_pauses:
            self._deadline.allow(duration_ns / 1e9)
        if reason := self._watchdog.saw_pause(
            self._output.progress_position, duration_ns, skips_pauses=self._skips_pauses
        ):
            self._stop(reason)

    def _progress(self) -> tuple[int, int]:
        """Read the output; returns a value that changes whenever text is shown or an event is noted."""
        self._drain()
        return self._output.progress_position

    def _answer(self, listener: int, notification: abi.Notification, call: Call) -> bool:
        """Handle a call; returns whether the call was answered here, so that the kernel must not make it."""
        match call:
            case LineWait():
                self._type_next()
            case TerminalCall():
                self._drain()
                if not self._is_dotnet:  # dotnet itself switches to single keys, not the student's code
                    self._remarks |= dict.fromkeys(call.remarks)
                abi.answer(listener, notification, error=call.perform(self.terminal.program_end))
                return True
            case Closing(descriptor):
                self._is_input_the_terminal = self._is_input_the_terminal and descriptor != 0
                if notification.tid == self.family.pid and descriptor in _CLOSE_REMARKS:
                    self._remarks[_CLOSE_REMARKS[descriptor]] = None
            case Unavailable():
                self._remarks[Remark.UNAVAILABLE] = None
                abi.answer(listener, notification, error=errno.ENOSYS)
                return True
            case Replacing():
                self._is_input_the_terminal = False
            case Start():
                self._timeline.note_exec(notification.tid)
                if reason := self._watchdog.saw_start(self.family.running):
                    self._stop(reason)
        return False

    def _type_next(self) -> None:
        """Type the next line for a program that waits for a line, unless a typed line is still unread."""
        if self.terminal.has_typed_ahead():
            return
        self._drain()
        if prompt := self.session_files.prompt():
            self._output.show(prompt)  # a prompt that the program wrote to its separate standard error
        if self._keys.wants_enter:
            self._output.show(self._keys.enter())
            self.terminal.type_line(b"")
            return
        self._output.show(self._keys.rest())
        line = None if self._output.ends_of_input else self._script.input(self._output.so_far())
        if line is not None:
            self._output.note(Typed(line))
            takes_keys = self.terminal.takes_keys
            self._keys.note(line, takes_keys=takes_keys)
            # A program that reads single keys gets Enter only if it then still waits: see `Keys`.
            self.terminal.type_line(line, has_enter=not (line and takes_keys))
        elif reason := self._output.end_input(self._script, takes_keys=self.terminal.takes_keys):
            self._stop(reason)
        else:
            self._keys.note_end(takes_keys=self.terminal.takes_keys)
            self.terminal.end_input()

    def _drain(self) -> None:
        """Read what the program has written so far; stop the session if its output is over the limit."""
        if text := self.terminal.drain_output():
            self._watchdog.saw_life()
            self._output.show(self._keys.without_echo(text))
            if self._output.is_over and self._stop_reason is None:
                self._stop(EndingKind.OVER_OUTPUT)

    def on_ended(self, status: int, memory_kb: int, cpu_s: float) -> None:
        """Note that the program itself has ended, with a wait status as of waitpid(2) and its use of resources."""
        if self.family.pid == 0:
            self.on_fault("the program was never seen to start")
            return
        self._ending = self._ending_of(status, memory_kb, cpu_s)
        self._settle()

    def on_refusal(self, number: int) -> None:
        """Note that the kernel refused to start the program, with an errno of execve(2)."""
        self._ending = Ending(EndingKind.NOT_STARTED, detail=os.strerror(number))
        self._finish()

    def on_fault(self, detail: str) -> None:
        """End the session because it could not be run, which is our fault."""
        if self.family.pid and self._ending is None:
            self._kill()
        self._ending = Ending(EndingKind.FAULT, detail=detail)
        self._finish()

    def _ending_of(self, status: int, memory_kb: int, cpu_s: float) -> Ending:
        """Returns the ending of the program: why we stopped it, or how it ended without us."""
        if self._stop_reason is not None:
            detail = self._deadline.sentence if self._stop_reason is EndingKind.FAULT else ""
            return Ending(self._stop_reason, detail=detail)
        return ending_of(status, cpu_s, max(memory_kb, self._watchdog.memory_kb), self._limits)

    def _settle(self) -> None:
        """Handle processes that still run after the program has ended; finish the session once all have ended.

        Kills these processes unless they are about to end.
        """
        assert self._ending is not None
        living, orphans = self.family.survivors(), self.family.all_orphans()
        self._has_orphans = self._has_orphans or bool(orphans)
        if living and self._stop_reason is None:
            if not self._survivors.are_leaving(living, self._watchdog.cpu_ns) or self._deadline.is_over:
                self._stop(survivors_ending_kind(self._ending, len(living), self._limits))
        elif living or (self._has_orphans and not self._are_orphans_killed):
            # If there was an orphan, another process may have become an orphan while we checked.
            self._kill()
            self._are_orphans_killed = not living
        elif self._survivors.are_joined_by(orphans):
            self._are_orphans_killed = False  # the next tick checks again
        else:
            self._finish()

    def _stop(self, reason: EndingKind) -> None:
        """Kill the program and all processes it has started; `reason` becomes the kind of the session's ending."""
        self._stop_reason = reason
        if self._ending is not None:
            self._ending = Ending(reason, exit_code=self._ending.exit_code)
        self._kill()

    def _kill(self) -> None:
        """Kill the program and all processes it has started."""
        self.family.kill(has_ended=self._ending is not None)

    def _finish(self) -> None:
        """Record the remaining output, and mark the session as over."""
        self._drain()
        self._output.show(self._keys.rest())
        self._output.end()
        is_fault = self._ending is not None and self._ending.kind is EndingKind.FAULT
        if self.session_files.is_over and not is_fault:
            self._ending = Ending(EndingKind.OVER_OUTPUT)
        self.is_over = True

    def close(self) -> None:
        """Kill the program if it still runs, and close the terminal and the open files."""
        try:
            if not self.is_over and self.family.pid:
                self._kill()
        finally:
            self._timeline.close()
            self.terminal.close()
            self.session_files.close()

    def _enforce_end(self) -> None:
        """Stop a session that takes too long; kill the program once more if it was killed but has not ended.

        Raises SessionError if the killed program does not end in time.
        """
        self.family.check_killed_program_ends()
        if self._ending is not None:
            return
        if self._stop_reason is not None:
            self.family.kill_again()
        elif self.family.pid and (reason := self._deadline.check_deadline(self.family.running)):
            self._stop_unless_suspended(reason)

    def _stop_unless_suspended(self, reason: EndingKind) -> None:
        """Kill the program, unless pitboss itself was suspended during this check: then the next check decides."""
        if not self._exclude_own_suspension():
            self._stop(reason)

    def _exclude_own_suspension(self) -> bool:
        """Extend the limits by the time for which pitboss itself was suspended since the last check.

        Returns whether pitboss was suspended.
        """
        suspended_s = self._stops.stopped_time_s()
        if suspended_s:
            self._deadline.allow(suspended_s)
            self._watchdog.saw_life()
        return bool(suspended_s)

    def on_tick(self) -> None:
        """Do the regular work: read output, end pauses, enforce limits, check a program without a sign of life."""
        if self.is_over:
            return
        self._exclude_own_suspension()
        self._drain()
        if self._stop_reason is None and self._ending is None and self.session_files.is_over:
            self._stop(EndingKind.OVER_OUTPUT)
        if self._ending is None and self._stop_reason is None:
            self._timeline.on_tick()
            if self._timeline.real_pause_s > self._limits.idle_s:
                self._stop(EndingKind.OUT_OF_IDLE_TIME)
            elif self._quota.is_over(self.folder, self.family.running):
                self._stop(EndingKind.OVER_FOLDER)
        self._enforce_end()
        if self._ending is not None:
            self._settle()
        elif self.family.pid and self._stop_reason is None and not self._timeline.real_pause_s:
            # Before `look`: this makes the kernel deliver a typed line, for which the program otherwise seems to wait.
            has_unread = self.terminal.has_typed_ahead()
            match self._watchdog.look(self.family.pid, self.family.orphans):
                case SilentState.WAITS_FOR_LINE if not has_unread:
                    self._type_next()
                case EndingKind() as reason:
                    self._stop_unless_suspended(reason)
