"""The watched driver: seats for one program, in this process or in a bubblewrap, and the loop over them.

It makes a folder for the scratch folders of the slots, and removes it:

    /tmp/pitboss-XXXXXX/0 … N      (inside a bubblewrap: /tmp/0 … N of its own)
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator

from harness import users
from harness.assignment import Limits
from harness.errors import SessionError
from harness.programs import Program, environment_of
from harness.sandbox import (
    Level,
    Sandbox,
    becomes_others,
    bubblewrap_argv,
    landlock_rules,
    may_become_others,
    readable_folders,
)
from harness.sessions import Script
from harness.transcript import Transcript
from harness.watching import abi, processes, slot
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
        self._box: subprocess.Popen[bytes] | None = None
        #: A pidfd of the first process inside.
        self._box_init: int | None = None
        self._scratch = ""
        self._loop: Loop | None = None
        self._orphanage: Orphanage | None = None

    @property
    def _level(self) -> Level:
        return Level.NONE if self._program.is_trusted else self._sandbox.level

    def __enter__(self) -> WatchedDriver:
        """Set up the seats; SessionError when the kernel or the sandbox refuses."""
        if not abi.IS_KNOWN:
            raise SessionError("watching needs Linux on x86-64")
        if "watching" in os.environ.get("PITBOSS_WITHOUT", ""):
            raise SessionError("it is switched off by PITBOSS_WITHOUT")
        try:
            self._loop = Loop(self._seats())
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """End the slots, whatever is in them, and remove their folders."""
        if self._loop is not None:
            self._loop.close()
        if self._orphanage is not None:
            self._orphanage.close()
            slot.CHILDREN.reap()
        if self._box is not None:
            self._end_box(self._box)
        shutil.rmtree(self._scratch, ignore_errors=True)
        self._borrowed.close()

    def sessions(self, scripts: Iterable[Script]) -> Iterator[tuple[int, Transcript]]:
        """Hold a session for each script; its number and transcript in the order in which they end."""
        assert self._loop is not None
        typists = (script.typist for script in scripts)
        return self._loop.run(typists, self._limits, skips_pauses=self._skips_pauses)

    def _seats(self) -> Iterator[Seat]:
        """A seat after the other, each set up as it is taken."""
        if self._level is Level.BUBBLEWRAP:
            boxed, reaper = self._boxed()
            channels, home = iter(boxed), "/tmp"
        else:
            abi.call("prctl", abi.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
            channels, reaper = (slot.open_slot() for _ in range(self._seat_count)), os.getpid()
            home = self._scratch = tempfile.mkdtemp(prefix="pitboss-")
            os.chmod(home, 0o711)
        orphanage = self._orphanage = Orphanage(reaper)
        for channel, setup in zip(channels, self._setups(home), strict=True):
            channel.send(setup.marshalled())
            yield Seat(channel, setup, orphanage, reserves_memory=self._program.reserves_memory)

    def _setups(self, home: str) -> Iterator[slot.Setup]:
        is_confined = self._level is not Level.NONE
        rules = landlock_rules(*readable_folders(self._program.folder)) if is_confined else ()
        # A user for each slot: what one program has running does not count as another's, and ends with it.
        for number in range(self._seat_count):
            user_id = self._borrowed.enter_context(users.lent()) if self._becomes_others() else None
            scratch = f"{home}/{number}"
            environment = environment_of(self._program, scratch) | {slot.MARK: str(number)}
            yield slot.Setup(self._program.argv, tuple(environment.items()), scratch, rules, is_confined, user_id)

    def _becomes_others(self) -> bool:
        if self._level is Level.BUBBLEWRAP:
            return becomes_others()
        return self._level is Level.LANDLOCK and may_become_others()

    def _boxed(self) -> tuple[list[socket.socket], int]:
        """Slots inside a bubblewrap: our ends of their channels, and the process that inherits orphans there."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(self._seat_count)]
        package = os.path.dirname(os.path.abspath(slot.__file__))
        readable = (*readable_folders(self._program.folder), package, f"{os.path.dirname(package)}/__init__.py")
        python = os.path.realpath(sys.executable)
        argv = [
            *bubblewrap_argv(readable=readable, becomes_others=becomes_others()),
            "--",
            python,
            "-I",
            "-S",
            f"{package}/box.py",
        ]
        argv += [str(theirs.fileno()), str(self._seat_count)]
        with theirs, ours:
            self._box = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                env={},
            )
            theirs.close()
            socket.send_fds(ours, [b"slots"], [channel.fileno() for _, channel in pairs])
            for _, channel in pairs:
                channel.close()
            answer, descriptors, _, _ = socket.recv_fds(ours, 16, 1)
        if answer != b"here":
            raise SessionError(f"bubblewrap did not start: {self._words_of_box()}")
        with open(f"/proc/self/fdinfo/{descriptors[0]}", encoding="ascii") as info:
            pid = next(int(line.split()[1]) for line in info if line.startswith("Pid:"))
        os.close(descriptors[0])
        self._box_init = os.pidfd_open(processes.parent(pid))
        channels = [channel for channel, _ in pairs]
        for channel in channels:
            self._borrowed.callback(channel.close)
        return channels, pid

    def _end_box(self, box: subprocess.Popen[bytes]) -> None:
        """Kill the first process of the bubblewrap's world: when it has ended, all the others have."""
        if self._box_init is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._box_init, signal.SIGKILL)
            select.select([self._box_init], [], [])
            os.close(self._box_init)
        box.kill()
        box.wait()
        if box.stderr is not None:
            box.stderr.close()

    def _words_of_box(self) -> str:
        assert self._box is not None and self._box.stderr is not None
        words = self._box.stderr.read().decode("utf-8", "replace").strip()
        return words.splitlines()[-1] if words else "it said nothing"
