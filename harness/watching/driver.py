"""The watched driver: seats for one program, in this process or in a bubblewrap, and the loop over them.

It makes a folder for the scratch folders of the slots, and removes it:

    /tmp/pitboss-XXXXXX/0 … N      (inside a bubblewrap: /tmp/0 … N of its own)
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import threading
from collections.abc import Iterable, Iterator

from harness import users
from harness.assignment import Limits
from harness.binaries import explained
from harness.clock import Clock, folder_of_clocks
from harness.errors import SessionError
from harness.programs import Program, environment_of
from harness.sandbox import (
    Level,
    Sandbox,
    becomes_others,
    landlock_rules,
    may_become_others,
    readable_folders,
)
from harness.sessions import Script
from harness.transcript import Transcript
from harness.watching import abi, channels, slot
from harness.watching.boxes import Box, World, may_join
from harness.watching.channels import Channel
from harness.watching.loop import Loop, Seat
from harness.watching.processes import Orphanage

#: The most sessions that are held at a time, where programs wait for something else than us.
SEATS = 8


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
        #: What is given back when the seats have been left.
        self._borrowed = contextlib.ExitStack()
        self._box: Box | World | None = None
        self._scratch = ""
        self._loop: Loop | None = None
        self._orphanage: Orphanage | None = None
        #: Where the clocks of the seats are; None where programs see the machine's.
        self._clocks: str | None = None

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
        self._clocks = folder_of_clocks(self._program)
        if self._clocks:
            self._borrowed.callback(shutil.rmtree, self._clocks, ignore_errors=True)
        if self._level is Level.BUBBLEWRAP:
            self._box = self._bubblewrap(self._readable)
        return self

    def _bubblewrap(self, readable: tuple[str, ...]) -> Box | World:
        return World(readable) if becomes_others() and may_join() else Box(readable, self._seat_count)

    def __exit__(self, *_: object) -> None:
        """End the slots, whatever is in them, and remove their folders."""
        if self._loop is not None:
            self._loop.close()
        if self._orphanage is not None:
            self._orphanage.close()
            slot.CHILDREN.reap()
        if self._box is not None:
            self._box.end()
        shutil.rmtree(self._scratch, ignore_errors=True)
        self._borrowed.close()

    def sessions(self, scripts: Iterable[Script]) -> Iterator[tuple[int, Transcript]]:
        """Hold a session for each script; its number and transcript in the order in which they end."""
        self._loop = self._loop or Loop(self._seats())
        typists = (script.typist for script in scripts)
        for number, transcript in self._loop.run(typists, self._limits, skips_pauses=self._skips_pauses):
            ending = explained(transcript.ending, self._program)
            yield number, transcript if ending is transcript.ending else Transcript(transcript.events, ending)

    def _seats(self) -> Iterator[Seat]:
        """A seat after the other, each set up as it is taken."""
        ends: Iterable[Channel] = (_open_slot() for _ in range(self._seat_count))
        if isinstance(self._box, Box):
            ends = self._box.channels
        else:
            slot.make_room()
        orphanage = self._orphanage = Orphanage(self._box.meet() if self._box else _adopting())
        for channel, (setup, clock) in zip(ends, self._setups(), strict=True):
            channel.send(setup.marshalled())
            yield Seat(channel, setup, orphanage, reserves_memory=self._program.reserves_memory, clock=clock)

    def _setups(self) -> Iterator[tuple[slot.Setup, Clock | None]]:
        is_confined = self._level is not Level.NONE
        rules = landlock_rules(*self._readable) if is_confined else ()
        joins, home = self._box.namespaces if isinstance(self._box, World) else None, "/tmp"
        if self._box is None:
            home = self._scratch = tempfile.mkdtemp(prefix="pitboss-")
            os.chmod(home, 0o711)
        # A user for each slot: what one program has running does not count as another's, and ends with it.
        for number in range(self._seat_count):
            user_id = self._borrowed.enter_context(users.lent()) if self._becomes_others() else None
            scratch = f"{home}/{number}"
            clock = Clock(self._clocks, number) if self._clocks else None
            if clock is not None:
                self._borrowed.callback(clock.close)
            seen = dict(clock.environment) if clock else {}
            environment = tuple((environment_of(self._program, scratch, **seen) | {slot.MARK: str(number)}).items())
            setup = slot.Setup(self._program.argv, environment, scratch, rules, is_confined, user_id, joins)
            yield setup, clock

    def _becomes_others(self) -> bool:
        if self._level is Level.BUBBLEWRAP:
            return becomes_others()
        return self._level is Level.LANDLOCK and may_become_others()


def _adopting() -> int:
    """Have the orphans of our programs come to this process; its id."""
    abi.call("prctl", abi.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return os.getpid()


def _open_slot() -> Channel:
    """Start a slot in this process; our end of its channel."""
    ours, theirs = channels.pair()
    threading.Thread(target=slot.serve, args=(theirs,), name="pitboss slot", daemon=True).start()
    return ours
