"""The watched driver: seats for one program, in this process or in a bubblewrap, and the loop over them.

It makes a folder for the scratch folders of the slots, and removes it, see scratch.py:

    sessions-XXXXXXXX/0 … N      (inside a bubblewrap: /tmp/0 … N of its own)
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator

from harness import scratch, users
from harness.binaries import explained
from harness.clock import Clock, folder_of_clocks
from harness.errors import SessionError
from harness.limits import Limits
from harness.obtaining import obtained
from harness.programs import Program, environment_of
from harness.sandbox import (
    Level,
    Sandbox,
    becomes_others,
    landlock_rules,
    may_become_others,
    readable_folders,
)
from harness.scripts import Script
from harness.transcript import Transcript
from harness.watching import abi, boxes, channels, processes, shortages, slot
from harness.watching.boxes import Box, World, may_join
from harness.watching.channels import Channel
from harness.watching.loop import Loop, Seat
from harness.watching.processes import Orphanage

#: The most sessions that are held at a time, where programs wait for something else than us.
SEATS = 8
#: How long a slot that has nothing more to do is waited for: it ends at once, unless the machine is in trouble.
_LEAVING_S = 2.0


class WatchedDriver:
    """Holds sessions of one program under the kernel's watch."""

    def __init__(
        self,
        program: Program,
        limits: Limits,
        sandbox: Sandbox,
        *,
        skips_pauses: bool = True,
        seats: int = SEATS,
    ) -> None:
        """`seats` is how many sessions may be held at the same time."""
        self._program, self._limits, self._sandbox = program, limits, sandbox
        self._skips_pauses, self._seat_count = skips_pauses, seats
        #: What is ended and given back at the end, last first.
        self._borrowed = contextlib.ExitStack()
        #: The users and channels of the seats, given back once the loop has let all of them go.
        self._lent = contextlib.ExitStack()
        self._box: Box | World | None = None
        self._loop: Loop | None = None
        #: Where the clocks of the seats are; None where programs see the machine's.
        self._clocks: str | None = None
        #: How many slots have been begun, and the threads of those in this process.
        self._taken = 0
        self._slots: list[threading.Thread] = []

    @property
    def _readable(self) -> tuple[str, ...]:
        return readable_folders(self._program.folder, *([self._clocks] if self._clocks else ()))

    @property
    def _level(self) -> Level:
        return Level.NONE if self._program.is_trusted else self._sandbox.level

    def __enter__(self) -> WatchedDriver:
        """Begin to make ready; SessionError when there is nothing to watch with."""
        if not abi.IS_KNOWN:
            raise SessionError("watching needs Linux on x86-64")
        if "watching" in os.environ.get("PITBOSS_WITHOUT", ""):
            raise SessionError("it is switched off by PITBOSS_WITHOUT")
        with contextlib.ExitStack() as undone:
            self._clocks = undone.enter_context(folder_of_clocks(self._program))
            if self._level is Level.BUBBLEWRAP:
                obtained(boxes.NOT_STARTED, self._open_box)
                undone.callback(self._end_box)
            self._borrowed.push(undone.pop_all())
        return self

    def _open_box(self) -> None:
        self._box = self._bubblewrap(self._readable)

    def _end_box(self) -> None:
        box, self._box = self._box, None
        if box is not None:
            box.end()

    def _bubblewrap(self, readable: tuple[str, ...]) -> Box | World:
        return World(readable) if becomes_others() and may_join() else Box(readable, self._seat_count)

    def __exit__(self, *_: object) -> None:
        """End the slots, whatever is in them, and remove their folders."""
        self._borrowed.close()

    def sessions(self, scripts: Iterable[Script]) -> Iterator[tuple[int, Transcript]]:
        """Hold a session for each script; its number and transcript in the order in which they end."""
        self._loop = self._loop or self._prepared_loop()
        typists = (script.input for script in scripts)
        for number, transcript in self._loop.run(typists, self._limits, skips_pauses=self._skips_pauses):
            ending = explained(transcript.ending, self._program)
            yield number, transcript if ending is transcript.ending else Transcript(transcript.events, ending)

    def _prepared_loop(self) -> Loop:
        """Make ready for seats, and take the first."""
        home = "/tmp"
        if self._box is None:
            home = self._borrowed.enter_context(scratch.folder("sessions", 0o711))
        orphanage = self._orphanage()
        self._borrowed.callback(self._join_slots)
        self._borrowed.enter_context(self._lent)
        is_confined = self._level is not Level.NONE
        rules = landlock_rules(*self._readable) if is_confined else ()
        joins = self._box.namespaces if isinstance(self._box, World) else None

        def setup(number: int, user_id: int | None, clock: Clock | None) -> slot.Setup:
            folder, seen = f"{home}/{number}", dict(clock.environment) if clock else {}
            environment = tuple((environment_of(self._program, folder, **seen) | {slot.MARK: str(number)}).items())
            return slot.Setup(self._program.argv, environment, folder, rules, is_confined, user_id, joins)

        loop = Loop(lambda: self._seat(setup, orphanage))
        self._borrowed.callback(loop.close)
        return loop

    def _orphanage(self) -> Orphanage:
        """Where orphans of our programs are looked for."""
        if self._box is None or isinstance(self._box, World):
            obtained("no session can be run", slot.make_room)
            self._borrowed.callback(slot.CHILDREN.reap)
        reaper = _adopting() if self._box is None else obtained(boxes.NOT_STARTED, self._met)
        orphanage = obtained("no session can be run", lambda: Orphanage(reaper))
        self._borrowed.callback(orphanage.close)
        return orphanage

    def _met(self) -> int:
        """Meet the bubblewrap, another one where it did not start for a shortage."""
        if self._box is None:
            self._open_box()
        assert self._box is not None
        try:
            return self._box.meet()
        except OSError:
            self._end_box()
            raise

    def _seat(self, setup: Callable[[int, int | None, Clock | None], slot.Setup], orphanage: Orphanage) -> Seat | None:
        """Another seat, None when all have been taken; OSError while there is not what it needs.

        The slot of one that failed half-way is lost: a thread that is confined stays so.
        """
        number = self._taken
        if self._seat_count == 0 or (isinstance(self._box, Box) and number == len(self._box.channels)):
            return None
        with contextlib.ExitStack() as undone:
            # A user for each slot: what one program has running does not count as another's, and ends with it.
            user_id = undone.enter_context(users.lent()) if self._becomes_others() else None
            self._taken += 1
            channel = self._box.channels[number] if isinstance(self._box, Box) else self._open_slot()
            undone.callback(channel.close)
            clock = Clock(self._clocks, number) if self._clocks else None
            if clock is not None:
                undone.callback(clock.close)
            ready = setup(number, user_id, clock)
            channel.send(ready.marshalled())
            seat = Seat(channel, ready, orphanage, reserves_memory=self._program.reserves_memory, clock=clock)
            self._lent.push(undone.pop_all())
            self._seat_count -= 1
            return seat

    def _becomes_others(self) -> bool:
        if self._level is Level.BUBBLEWRAP:
            return becomes_others()
        return self._level is Level.LANDLOCK and may_become_others()

    def _open_slot(self) -> Channel:
        """Start a slot in this process; our end of its channel."""
        ours, theirs = channels.pair()
        thread = threading.Thread(target=slot.serve, args=(theirs,), name="pitboss slot", daemon=True)
        try:
            shortages.started(thread)
        except OSError:
            ours.close()
            theirs.close()
            raise
        self._slots.append(thread)
        return ours

    def _join_slots(self) -> None:
        """Wait for the slots of this process, whose channels are closed, to give back what they have open."""
        for thread in self._slots:
            thread.join(_LEAVING_S)
        self._slots.clear()


def _adopting() -> int:
    """Have the orphans of our programs come to this process; its id."""
    processes.adopt()
    return os.getpid()
