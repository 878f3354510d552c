"""A bubblewrap around the slots of one submission, from outside: its start, and its end.

Root's own slots move into it. An ordinary user's cannot, since a thread cannot enter a world of other users by itself:
so a process is started inside that holds them, which takes three times as long.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import select
import signal
import subprocess
import sys

from harness.errors import SessionError
from harness.sandbox import becomes_others, bubblewrap_argv
from harness.watching import abi, channels, processes, slot


class _Bubblewrap:
    """A bubblewrap from its start to its end."""

    def __init__(
        self, argv: list[str], control: channels.Channel, passed: int, console: int = subprocess.DEVNULL
    ) -> None:
        """Begin to start one, which takes a while in which there is much to do.

        It is given the descriptor `passed`, and `console` as input and output; one of them is the other end of
        `control`.
        """
        #: A pidfd of the first process inside.
        self._init: int | None = None
        self._control = control
        self._process = subprocess.Popen(
            argv,
            stdin=console,
            stdout=console,
            stderr=subprocess.PIPE,
            pass_fds=[passed],
            env={},
        )

    def _heard(self, wanted: bytes) -> list[int]:
        """Wait for a message, for the open files that come with it; SessionError where it does not start."""
        answer, descriptors = self._control.receive()
        if answer != wanted:
            raise SessionError(f"bubblewrap did not start: {self._words()}")
        return descriptors

    def end(self) -> None:
        """Kill the first process of the world inside, with which all the others end; nobody waits for it here.

        The kernel takes ten milliseconds to take such a world apart, in which a core can do something else.
        """
        self._control.close()
        if self._init is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._init, signal.SIGKILL)
        else:
            self._process.kill()
        _ending.append(self)
        see_off()

    def is_gone(self, *, waits: bool) -> bool:
        """Whether nothing is left of it."""
        if self._init is not None:
            if not select.select([self._init], [], [], None if waits else 0)[0]:
                return False
            os.close(self._init)
            self._init = None
        if not waits and self._process.poll() is None:
            return False
        self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()
        return True

    def _words(self) -> str:
        assert self._process.stderr is not None
        words = self._process.stderr.read().decode("utf-8", "replace").strip()
        return words.splitlines()[-1] if words else "it said nothing"


@functools.cache
def may_join() -> bool:
    """Whether a slot of ours can move into another world: root may, on Linux 5.8 or later; see setns(2)."""
    try:
        ourselves = os.pidfd_open(os.getpid())
    except OSError:
        return False
    try:
        abi.call("setns", ourselves, abi.CLONE_NEWUTS)
    except OSError:
        return False
    finally:
        os.close(ourselves)
    return True


class World(_Bubblewrap):
    """A bubblewrap for slots of this process to move into, which only root can; nobody lives there but a `cat`."""

    def __init__(self, readable: tuple[str, ...]) -> None:
        """Begin to start one in which these folders can be read."""
        ours, theirs = channels.pair()
        self._told, tells = os.pipe()
        argv = [*bubblewrap_argv(readable=readable, becomes_others=True), "--info-fd", str(tells), "--", "/bin/cat"]
        super().__init__(argv, ours, tells, console=theirs.fileno())
        theirs.close()
        os.close(tells)
        with contextlib.suppress(BrokenPipeError):
            self._control.send(_READY)

    def meet(self) -> int:
        """Wait until it has started; the process that orphans inside come to. SessionError where it does not start."""
        self._heard(_READY)
        told = b""
        while b"}" not in told:  # nobody promises that the other end is closed inside
            more = os.read(self._told, 4096)
            if not more:
                raise SessionError(f"bubblewrap did not tell of its first process: {told!r}")
            told += more
        init = int(json.loads(told)["child-pid"])
        self._init = os.pidfd_open(init)
        return init

    def end(self) -> None:
        """End it, and what runs in it."""
        os.close(self._told)
        super().end()

    @property
    def namespaces(self) -> int:
        """A pidfd of a process in it, for setns(2)."""
        assert self._init is not None
        return self._init


class Box(_Bubblewrap):
    """A bubblewrap with a process of ours in it that holds slots; `channels` are our ends of theirs."""

    def __init__(self, readable: tuple[str, ...], count: int) -> None:
        """Begin to start one with so many slots, in which these folders can be read."""
        pairs = [channels.pair() for _ in range(count)]
        self.channels = [ours for ours, _ in pairs]
        ours, theirs = channels.pair()
        super().__init__(_argv(readable, theirs.fileno()), ours, theirs.fileno())
        theirs.close()
        with contextlib.suppress(BrokenPipeError):
            self._control.send(b"slots", *(channel.fileno() for _, channel in pairs))
        for _, channel in pairs:
            channel.close()

    def meet(self) -> int:
        """Wait until it has started; the process that orphans inside come to. SessionError where it does not start."""
        reaper = _pid_of(self._heard(b"here")[0])
        self._init = os.pidfd_open(processes.parent(reaper))
        return reaper

    def end(self) -> None:
        """Let its slots go, and end it."""
        for channel in self.channels:
            channel.close()
        super().end()


_READY = b"ready"

#: Boxes that have been killed and not been seen to be gone.
_ending: list[_Bubblewrap] = []


def see_off(*, waits: bool = False) -> None:
    """Take note of the boxes that are gone; with `waits`, once all are."""
    _ending[:] = [box for box in _ending if not box.is_gone(waits=waits)]


atexit.register(see_off, waits=True)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_ending.clear)


def _argv(readable: tuple[str, ...], descriptor: int) -> list[str]:
    package = os.path.dirname(os.path.abspath(slot.__file__))
    seen = (*readable, package, f"{os.path.dirname(package)}/__init__.py")
    bubblewrap = bubblewrap_argv(readable=seen, becomes_others=becomes_others())
    return [*bubblewrap, "--", os.path.realpath(sys.executable), "-I", "-S", f"{package}/box.py", str(descriptor)]


def _pid_of(pidfd: int) -> int:
    """The process that a pidfd is about, as seen from here; the pidfd is closed."""
    with open(f"/proc/self/fdinfo/{pidfd}", encoding="ascii") as info:
        pid = next(int(line.split()[1]) for line in info if line.startswith("Pid:"))
    os.close(pidfd)
    return pid
