"""Many sessions of one program at once: one selector loop over the slots of a worker process."""

from __future__ import annotations

import contextlib
import errno
import marshal
import os
import select
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from harness.clock import Clock
from harness.errors import SessionError, ShortageError
from harness.limits import Limits
from harness.obtaining import obtained, refused
from harness.scripts import InputScript
from harness.terminal import NO_TERMINAL
from harness.transcript import EndingKind, Transcript
from harness.watching import abi, shortages
from harness.watching.channels import Channel
from harness.watching.exits import OF_THE_PROGRAM
from harness.watching.processes import Orphanage
from harness.watching.rlimits import mark_of
from harness.watching.session import Session
from harness.watching.slot import MARK, READY, REFUSED, START, Setup
from harness.watching.surroundings import Surroundings

#: How long nothing may happen before every session is looked at, in seconds. No verdict hangs on it: it only keeps
#: floods flowing and finds what no notification tells of.
_TICK_S = 0.002
#: How long another seat is not asked for after one could not be had, in seconds.
_WIDENING_S = 0.2


#: A program that comes to such an end may do so each time, and uses all it is allowed to: then one is held at a time.
_ENDLESS = frozenset(
    {EndingKind.OUT_OF_CPU_TIME, EndingKind.OUT_OF_IDLE_TIME, EndingKind.OUT_OF_REAL_TIME, EndingKind.OVER_MEMORY}
)


class Seat:
    """Our end of a slot: its channel, its listener, and the session that is on it now."""

    def __init__(
        self,
        channel: Channel,
        setup: Setup,
        orphanage: Orphanage,
        *,
        reserves_memory: bool = False,
        clock: Clock | None = None,
    ) -> None:
        """Meet a slot that is being set up, whose orphans come to `orphanage`, and whose programs see `clock`.

        SessionError when this machine refuses the watcher or the confinement; OSError when it is short of something.
        The channel is this seat's to close from then on.
        """
        self._channel = channel
        mark = mark_of(int(dict(setup.environment)[MARK]))
        self.surroundings = Surroundings(orphanage, mark, setup.user_id, reserves_memory, clock)
        self.listener = _listener(channel)
        self.number = channel.fileno()
        self.session: Session | None = None
        #: Whether the slot could not start the program for now, and until when that is tried again.
        self._is_put_off, self._patient_until = False, 0.0

    def start(self, session: Session) -> None:
        """Start the program on the session's terminal."""
        self.session = session
        self._patient_until = time.monotonic() + shortages.PATIENCE_S
        self._begin(session)

    def _begin(self, session: Session) -> None:
        try:
            self._channel.send(START, session.terminal.program_end)
        except OSError as error:
            self._put_off(session, error.errno or 0)

    def _put_off(self, session: Session, number: int) -> None:
        """Try again in a moment, where there is reason to; else tell that the program could not be started."""
        self._is_put_off = shortages.is_short(number) and time.monotonic() < self._patient_until
        if not self._is_put_off:
            fault = refused("the program could not be started", OSError(number, os.strerror(number)))
            if isinstance(fault, ShortageError):
                raise fault
            session.on_fault(str(fault))

    def on_tick(self) -> None:
        """Do what is done now and then."""
        if self.session is None:
            return
        if self._is_put_off:
            self._is_put_off = False
            self._begin(self.session)
        self.session.on_tick()

    def on_message(self) -> None:
        """Hear how the program ended, or that it could not be started."""
        try:
            raw, _ = self._channel.receive()
        except OSError:
            raw = b""
        if self.session is None:
            return
        match marshal.loads(raw) if raw else ():
            case (status, memory_kb, cpu_s):
                self.session.on_ended(status, memory_kb, cpu_s)
            case (error,):
                if error in OF_THE_PROGRAM:
                    self.session.on_refusal(error)
                else:
                    self._put_off(self.session, error)
            case _:
                self.session.on_fault("the process that starts programs has ended")

    def on_stop(self) -> None:
        """Answer a program that has been stopped."""
        notification = abi.received(self.listener)
        if notification is not None and self.session is not None:
            self.session.on_notification(self.listener, notification)

    def close(self) -> None:
        """Let the slot go, and end what is still running in it."""
        with contextlib.ExitStack() as leaving:
            leaving.callback(os.close, self.listener)
            leaving.callback(self._channel.close)
            if self.session is not None:
                leaving.callback(self.session.close)


def _listener(channel: Channel) -> int:
    """The listener of a slot that is being set up; SessionError or OSError where there is none, see Seat."""
    message, descriptors = channel.receive()
    if message == READY:
        return descriptors[0]
    if not message:
        raise OSError(errno.EAGAIN, "the slot ended at once")
    number, reason = marshal.loads(message.removeprefix(REFUSED))
    raise OSError(number, reason) if shortages.is_short(number) else SessionError(reason)


class Loop:
    """Runs sessions on the seats of one program."""

    def __init__(self, take_seat: Callable[[], Seat | None]) -> None:
        """Take the first of the seats of one program, and another whenever all programs that run wait for something.

        One keeps a core busy, as long as programs only wait for us; each takes a millisecond to set up. `take_seat`
        returns None when there are no more, and raises OSError while this machine is short of what one needs. The
        seats are let go with the loop.
        """
        self._take_seat = take_seat
        self._seats: list[Seat] = []
        #: Whether only one session may be held at a time: until a program has shown that it ends by itself.
        self._is_narrow = True
        #: When another seat is tried, after one could not be had.
        self._widens_at = 0.0
        #: A session that no terminal could be had for while others ran.
        self._put_back: tuple[int, InputScript] | None = None
        self._on: dict[int, Callable[[], None]] = {}
        self._poll = obtained("no session can be run", select.epoll)
        try:
            first = obtained("no session can be run", take_seat)
            if first is None:
                raise SessionError("no session can be run: nothing is left to run one on")
            self._add(first)
        except BaseException:
            self.close()
            raise

    def _add(self, seat: Seat) -> None:
        self._seats.append(seat)
        for descriptor, react in ((seat.listener, seat.on_stop), (seat.number, seat.on_message)):
            self._on[descriptor] = react
            obtained("no session can be run", partial(self._poll.register, descriptor, select.EPOLLIN))

    def _widen(self) -> None:
        """Take another seat, if there is one left, and all that it needs."""
        if time.monotonic() < self._widens_at:
            return
        try:
            seat = self._take_seat()
        except OSError:
            self._widens_at = time.monotonic() + _WIDENING_S
            return
        if seat is not None:
            self._add(seat)

    def _is_idle(self) -> bool:
        """Whether another session could be held while those that are held now wait for something."""
        if self._is_narrow:
            return False
        return all(seat.session is not None and seat.session.is_asleep for seat in self._seats)

    def run(
        self, typists: Iterable[InputScript], limits: Limits, *, skips_pauses: bool = True
    ) -> Iterator[tuple[int, Transcript]]:
        """Hold one session for each typist; its number and its transcript, in the order in which they end."""
        try:
            yield from self._run(enumerate(typists), limits, skips_pauses)
        except OSError as error:
            raise refused("the sessions could not be run", error) from error

    def _run(
        self, waiting: Iterator[tuple[int, InputScript]], limits: Limits, skips_pauses: bool
    ) -> Iterator[tuple[int, Transcript]]:
        self._is_narrow, self._put_back = True, None
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
                    seat.on_tick()
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
        self, waiting: Iterator[tuple[int, InputScript]], numbers: dict[int, int], limits: Limits, skips_pauses: bool
    ) -> None:
        for index, seat in enumerate(self._seats):
            if self._is_narrow and numbers:
                return
            if seat.session is None:
                number, typist = self._put_back or next(waiting, (None, None))
                if number is None or typist is None:
                    return
                make = partial(Session, typist, limits, seat.surroundings, skips_pauses=skips_pauses)
                try:
                    # Nobody waits here while others run: they give theirs back, and would seem to be idle meanwhile.
                    session = make() if numbers else obtained(NO_TERMINAL, make)
                except OSError as error:
                    if not shortages.is_short(error.errno):
                        raise
                    self._put_back = (number, typist)
                    return
                self._put_back = None
                numbers[index] = number
                seat.start(session)

    def close(self) -> None:
        """Let all seats go."""
        with contextlib.ExitStack() as leaving:
            leaving.callback(self._poll.close)
            for seat in self._seats:
                leaving.callback(seat.close)
