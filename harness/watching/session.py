"""The state machine of one watched session: from the first instruction of a program to the last of its processes.

Every stop of the program comes in as a notification and is answered here. What the program wrote before is drained
first, so that each event stands exactly where it happened.
"""

from __future__ import annotations

import os
import time

from harness import users
from harness.errors import SessionError
from harness.limits import Limits
from harness.scripts import InputScript
from harness.terminal import Terminal
from harness.transcript import Ending, EndingKind, InputEnded, Remark, Transcript, Typed
from harness.watching import abi, processes
from harness.watching.calls import (
    Call,
    Closing,
    ModeChange,
    Replacing,
    Start,
    Wait,
    call_in,
    changed_mode,
)
from harness.watching.deadline import Deadline
from harness.watching.exits import ending_of
from harness.watching.leftovers import Leftovers
from harness.watching.looks import Looks, Sign
from harness.watching.output import Output
from harness.watching.rlimits import set_limits
from harness.watching.surroundings import Surroundings
from harness.watching.timeline import Timeline
from harness.watching.timers import TimerCall
from harness.watching.waits import Pause

#: What it means that a program closes one of its descriptors.
_CLOSED = {0: Remark.CLOSED_INPUT, 1: Remark.CLOSED_OUTPUT}
#: How often a program may be told that the input has ended before it is taken not to notice.
_ENDS_OF_INPUT = 100
#: Sleeps cost nothing here, so a program could go on sleeping for ever; and starting others likewise.
_PAUSES, _STARTS = 20_000, 1_000
#: How often what has not ended is killed again, and for how long: only a broken disk holds a process any longer.
_KILLING_S, _ENDING_S = 0.1, 30.0


class Session:
    """One program on one terminal; `transcript` is there once `is_over`."""

    def __init__(self, typist: InputScript, limits: Limits, surroundings: Surroundings, *, skips_pauses: bool) -> None:
        """Open a terminal for it; OSError when there is none left."""
        self.terminal = Terminal()
        self.is_over = False
        self._device = os.fstat(self.terminal.program_end).st_rdev
        self._typist, self._limits, self._skips_pauses = typist, limits, skips_pauses
        self._around = surroundings
        self._output = Output(limits.output_kb * 1024)
        self._remarks: dict[Remark, None] = {}
        self._timeline = Timeline(
            surroundings.clock, skips=skips_pauses, roots=self._roots, progress=self._progress, note=self._pause
        )
        self._pid = 0
        #: Whether descriptor 0 is the terminal for sure: nobody has closed or replaced it.
        self._has_input = True
        self._ends_of_input = self._starts = self._pauses = 0
        #: Where it pauses, and since when in real time.
        self._paused_at: tuple[object, float] = None, 0.0
        #: Why it was stopped by us; None while it does as it likes.
        self._stopped: EndingKind | None = None
        self._ending: Ending | None = None
        self._looks = Looks(limits, self._device)
        #: Whether any orphan was there when it had ended, and whether all of them have been killed since.
        self._has_orphans = self._is_swept = False
        self._leftovers = Leftovers()
        self._deadline = Deadline(limits.most_s)
        #: When it was killed first and last.
        self._ending_since_s = self._killed_s = 0.0

    @property
    def is_asleep(self) -> bool:
        """Whether its program runs, and waits for something."""
        return bool(self._pid) and self._timeline.is_asleep()

    @property
    def transcript(self) -> Transcript:
        """The whole session, once it is over."""
        assert self._ending is not None
        events, dropped = self._output.kept()
        return Transcript(events, self._ending, dropped, tuple(self._remarks))

    # What the program does

    def on_notification(self, listener: int, notification: abi.Notification) -> None:
        """Note what the program is about to do, and let it, or do it in its place.

        A program that is being killed gets no answer, which holds it where it is.
        """
        if self._stopped is not None:
            return
        self._looks.lives()
        if not self._pid:
            self._begin(notification.tid)
            self._timeline.goes_on(notification.tid)
            abi.let_through(listener, notification)
            return
        call = call_in(notification, self._device, self._timeline.now_ns, has_input=self._has_input)
        if self._ending is not None and isinstance(call, (Pause, Wait)):
            self._stop(EndingKind.LEFT_PROCESSES)
            return
        if isinstance(call, Pause):
            self._timeline.hold(listener, notification, call)
            return
        if isinstance(call, TimerCall):
            self._timeline.set_timer(listener, notification, call)
            return
        self._timeline.goes_on(notification.tid)
        is_answered = self._meet(listener, notification, call)
        if not is_answered and self._stopped is None:
            abi.let_through(listener, notification)

    def _pause(self, duration_ns: int, is_nap: bool, is_step: bool) -> None:
        """Note a pause of the whole program."""
        self._drain()
        self._output.pause(duration_ns, is_nap=is_nap, is_step=is_step)
        if not self._skips_pauses:
            self._deadline.allow(duration_ns / 1e9)
        self._pauses += 1
        now, place = time.monotonic(), self._output.place
        if place != self._paused_at[0]:
            self._paused_at = place, now
        # The helpers of a runtime wake now and then, also while the program waits for what never comes.
        is_idle = self._skips_pauses and now - self._paused_at[1] > self._limits.idle_s
        if is_idle or self._pauses > _PAUSES:
            self._stop(EndingKind.OUT_OF_IDLE_TIME)

    def _progress(self) -> object:
        self._drain()
        return self._output.place

    def _roots(self) -> list[int]:
        return [self._pid, *self._orphans()]

    def _begin(self, pid: int) -> None:
        """Set the limits of a program that is stopped in its first call, the execve."""
        self._pid, around = pid, self._around
        if around.clock is not None:
            around.clock.begin(pid)
        set_limits(pid, self._limits, around.user_id, around.mark, reserves_memory=around.reserves_memory)

    def _meet(self, listener: int, notification: abi.Notification, call: Call) -> bool:
        """Do what a call means; whether it was answered, so that the kernel need not make it."""
        match call:
            case Wait():
                self._meet_wait()
            case ModeChange():
                self._drain()
                self._remarks |= dict.fromkeys(changed_mode(call, self.terminal.program_end))
                abi.answer(listener, notification)
                return True
            case Closing(descriptor):
                self._has_input = self._has_input and descriptor != 0
                if notification.tid == self._pid and descriptor in _CLOSED:
                    self._remarks[_CLOSED[descriptor]] = None
            case Replacing():
                self._has_input = False
            case Start():
                self._timeline.becomes_another(notification.tid)
                self._starts += 1
                if self._starts > _STARTS or self._has_too_many_processes():
                    self._stop(EndingKind.OVER_PROCESSES)
        return False

    def _meet_wait(self) -> None:
        """Type the next line for a program that waits for one, unless it has one waiting already."""
        if self.terminal.has_typed_ahead():
            return
        self._drain()
        line = None if self._ends_of_input else self._typist(self._output.so_far())
        if line is not None:
            self._output.note(Typed(line))
            self.terminal.type_line(line)
            return
        self._output.note(InputEnded())
        self._ends_of_input += 1
        if self._ends_of_input > _ENDS_OF_INPUT:
            self._stop(EndingKind.DEAF)
        else:
            self.terminal.end_input()

    def _has_too_many_processes(self) -> bool:
        return self._starts > self._limits.processes and len(self._running()) >= self._limits.processes

    def _drain(self) -> None:
        if text := self.terminal.drained():
            self._looks.lives()
            self._output.show(text)
            if self._output.is_over and self._stopped is None:
                self._stop(EndingKind.OVER_OUTPUT)

    # How it ends

    def on_ended(self, status: int, memory_kb: int, cpu_s: float) -> None:
        """The program itself has ended, with a wait status as of waitpid(2) and what it used."""
        if self._pid == 0:
            self.on_fault("the program was never seen to start")
            return
        self._ending = self._ending_of(status, memory_kb, cpu_s)
        self._settle()

    def on_refusal(self, number: int) -> None:
        """The kernel refused to start the program, with an error as of execve(2)."""
        self._ending = Ending(EndingKind.NOT_STARTED, detail=os.strerror(number))
        self._finish()

    def on_fault(self, detail: str) -> None:
        """The session could not be held, by our fault."""
        if self._pid and self._ending is None:
            self._kill()
        self._ending = Ending(EndingKind.FAULT, detail=detail)
        self._finish()

    def _ending_of(self, status: int, memory_kb: int, cpu_s: float) -> Ending:
        if self._stopped is not None:
            return Ending(self._stopped, detail=self._deadline.sentence if self._stopped is EndingKind.FAULT else "")
        return ending_of(status, cpu_s, max(memory_kb, self._looks.memory_kb), self._limits)

    def _settle(self) -> None:
        """See to what the program left running: it may end by itself if it does so at once."""
        left = [pid for pid in processes.tree(self._orphans()) if not processes.is_gone(pid)]
        orphans = self._around.orphanage.pids()
        self._has_orphans = self._has_orphans or bool(orphans)
        if left and self._stopped is None:
            if self._leftovers.are_leaving(left, self._looks.cpu_ns) and not self._deadline.is_over:
                return
            self._stop(EndingKind.OVER_PROCESSES if len(left) > self._limits.processes else EndingKind.LEFT_PROCESSES)
        elif left or (self._has_orphans and not self._is_swept):
            # Where there was one, another may have changed its parent just as we looked.
            self._kill()
            self._is_swept = not left
        elif self._leftovers.are_joined_by(orphans):
            self._is_swept = False
        else:
            self._finish()

    def _orphans(self) -> list[int]:
        """Processes of this session whose parent has ended."""
        return [pid for pid in self._around.orphanage.pids() if processes.has_mark(pid, self._around.mark)]

    def _stop(self, why: EndingKind) -> None:
        self._stopped = why
        if self._ending is not None:
            self._ending = Ending(why, exit_code=self._ending.exit_code)
        self._kill()

    def _kill(self) -> None:
        """Kill the program and all it has started: at once where they have a user of their own."""
        self._killed_s = time.monotonic()
        self._ending_since_s = self._ending_since_s or self._killed_s
        if self._around.user_id is not None:
            users.end_all_of(self._around.user_id)
        else:
            processes.end_all(lambda: [*([] if self._ending else [self._pid]), *self._orphans()])

    def _finish(self) -> None:
        self._drain()
        self._output.end()
        self.is_over = True

    def close(self) -> None:
        """Give the terminal back, and leave nothing running."""
        try:
            if not self.is_over and self._pid:
                self._kill()
        finally:
            self._timeline.close()
            self.terminal.close()

    # What is done now and then

    def _see_to_its_end(self) -> None:
        """Stop a session that goes on for too long, and kill again what has not ended; SessionError where it cannot."""
        now_s = time.monotonic()
        if self._ending_since_s and now_s - self._ending_since_s > _ENDING_S:
            raise SessionError(f"a program has not ended {_ENDING_S:.0f} s after it was killed")
        if self._ending is not None:
            return
        if self._stopped is not None and now_s - self._killed_s > _KILLING_S:
            self._kill()
        elif self._pid and self._stopped is None and (why := self._deadline.passed(self._running)):
            self._stop(why)

    def _running(self) -> list[int]:
        return processes.tree(self._roots())

    def on_tick(self) -> None:
        """Keep a flood flowing, finish what is settled, and look at a program that gives no sign of life."""
        if self.is_over:
            return
        self._drain()
        if self._ending is None and self._stopped is None:
            self._timeline.on_tick()
            if self._timeline.passes_for_s > self._limits.idle_s:
                self._stop(EndingKind.OUT_OF_IDLE_TIME)
        self._see_to_its_end()
        if self._ending is not None:
            self._settle()
        elif self._pid and self._stopped is None and not self._timeline.passes_for_s:
            match self._looks.look(self._pid, self._orphans):
                case Sign.WAITS:
                    self._meet_wait()
                case EndingKind() as why:
                    self._stop(why)
