"""Many sessions of one program at once: one selector loop over the slots of a worker process."""

from __future__ import annotations

import marshal
import os
import select
import time
from collections.abc import Callable, Iterable, Iterator

from harness.assignment import Limits
from harness.errors import SessionError
from harness.sessions import Typist
from harness.transcript import EndingKind, Transcript
from harness.watching import abi
from harness.watching.channels import Channel
from harness.watching.processes import Orphanage
from harness.watching.rlimits import mark_of
from harness.watching.session import Session, Surroundings
from harness.watching.slot import MARK, READY, REFUSED, START, Setup

#: How long nothing may happen before every session is looked at, in seconds. No verdict hangs on it: it only keeps
#: floods flowing and finds what no notification tells of.
_TICK_S = 0.002


#: A program that comes to such an end may do so each time, and uses all it is allowed to: then one is held at a time.
_ENDLESS = frozenset(
    {EndingKind.OUT_OF_CPU_TIME, EndingKind.OUT_OF_IDLE_TIME, EndingKind.OUT_OF_REAL_TIME, EndingKind.OVER_MEMORY}
)


class Seat:
    """Our end of a slot: its channel, its listener, and the session that is on it now."""

    def __init__(self, channel: Channel, setup: Setup, orphanage: Orphanage, *, reserves_memory: bool = False) -> None:
        """Meet a slot that is being set up, whose orphans come to `orphanage`.

        SessionError when this machine refuses the watcher or the confinement.
        """
        self._channel = channel
        mark = int(dict(setup.environment)[MARK])
        self.surroundings = Surroundings(orphanage, mark_of(mark), setup.user_id, reserves_memory)
        message, descriptors = channel.receive()
        if message != READY:
            channel.close()
            reason = message.removeprefix(REFUSED).decode("utf-8", "replace") or "the slot ended at once"
            raise SessionError(reason)
        self.listener = descriptors[0]
        self.number = channel.fileno()
        self.session: Session | None = None

    def start(self, session: Session) -> None:
        """Start the program on the session's terminal."""
        self.session = session
        self._channel.send(START, session.terminal.program_end)

    def on_message(self) -> None:
        """Hear how the program ended, or that it could not be started."""
        assert self.session is not None
        try:
            raw, _ = self._channel.receive()
        except OSError:
            raw = b""
        match marshal.loads(raw) if raw else ():
            case (status, memory_kb, cpu_s):
                self.session.on_ended(status, memory_kb, cpu_s)
            case (error,):
                self.session.on_fault(f"the program could not be started: {os.strerror(error)}")
            case _:
                self.session.on_fault("the process that starts programs has ended")

    def on_stop(self) -> None:
        """Answer a program that has been stopped."""
        notification = abi.received(self.listener)
        if notification is not None and self.session is not None:
            self.session.on_notification(self.listener, notification)

    def close(self) -> None:
        """Let the slot go, and end what is still running in it."""
        if self.session is not None:
            self.session.close()
        self._channel.close()
        os.close(self.listener)


class Loop:
    """Runs sessions on the seats of one program."""

    def __init__(self, seats: Iterator[Seat]) -> None:
        """Take the first of the seats of one program, and another whenever all programs that run wait for something.

        One keeps a core busy, as long as programs only wait for us; each takes a millisecond to set up. The seats
        are let go with the loop.
        """
        self._spare = seats
        self._seats: list[Seat] = []
        #: Whether only one session may be held at a time: until a program has shown that it ends by itself.
        self._is_narrow = True
        self._poll = select.epoll()
        self._on: dict[int, Callable[[], None]] = {}
        self._widen()

    def _widen(self) -> None:
        """Take another seat, if there is one left."""
        seat = next(self._spare, None)
        if seat is None:
            return
        self._seats.append(seat)
        for descriptor, react in ((seat.listener, seat.on_stop), (seat.number, seat.on_message)):
            self._on[descriptor] = react
            self._poll.register(descriptor, select.EPOLLIN)

    def _is_idle(self) -> bool:
        """Whether another session could be held while those that are held now wait for something."""
        if self._is_narrow:
            return False
        return all(seat.session is not None and seat.session.is_asleep for seat in self._seats)

    def run(
        self, typists: Iterable[Typist], limits: Limits, *, skips_pauses: bool = True
    ) -> Iterator[tuple[int, Transcript]]:
        """Hold one session for each typist; its number and its transcript, in the order in which they end."""
        waiting = enumerate(typists)
        self._is_narrow = True
        numbers: dict[int, int] = {}
        self._fill(waiting, numbers, limits, skips_pauses)
        ticked_at = time.monotonic()
        while numbers:
            heard = self._poll.poll(_TICK_S)
            for descriptor, _ in heard:
                self._on[descriptor]()
            if not heard and self._is_idle():
                self._widen()
                self._fill(waiting, numbers, limits, skips_pauses)
            now = time.monotonic()
            if now - ticked_at >= _TICK_S:
                ticked_at = now
                for seat in self._seats:
                    if seat.session is not None:
                        seat.session.on_tick()
            over = [index for index in numbers if self._is_over(index)]
            for index in over:
                yield numbers.pop(index), self._taken(index)
            if over:
                self._fill(waiting, numbers, limits, skips_pauses)

    def _is_over(self, index: int) -> bool:
        session = self._seats[index].session
        return session is not None and session.is_over

    def _taken(self, index: int) -> Transcript:
        session = self._seats[index].session
        assert session is not None
        self._seats[index].session = None
        session.close()
        transcript = session.transcript
        self._is_narrow = transcript.ending.kind in _ENDLESS
        return transcript

    def _fill(
        self, waiting: Iterator[tuple[int, Typist]], numbers: dict[int, int], limits: Limits, skips_pauses: bool
    ) -> None:
        for index, seat in enumerate(self._seats):
            if self._is_narrow and numbers:
                return
            if seat.session is None:
                number, typist = next(waiting, (None, None))
                if number is None or typist is None:
                    return
                numbers[index] = number
                seat.start(Session(typist, limits, seat.surroundings, skips_pauses=skips_pauses))

    def close(self) -> None:
        """Let all seats go."""
        self._poll.close()
        for seat in self._seats:
            seat.close()
