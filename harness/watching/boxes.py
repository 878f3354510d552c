"""A bubblewrap around the slots of one submission, from outside: its start, and its end."""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import signal
import subprocess
import sys

from harness.errors import SessionError
from harness.sandbox import becomes_others, bubblewrap_argv
from harness.watching import channels, processes, slot


class Box:
    """A bubblewrap with slots in it; `channels` are our ends of theirs."""

    def __init__(self, readable: tuple[str, ...], count: int) -> None:
        """Begin to start one in which these folders can be read; it takes a while, in which there is much to do."""
        #: A pidfd of the first process inside.
        self._init: int | None = None
        pairs = [channels.pair() for _ in range(count)]
        self.channels = [ours for ours, _ in pairs]
        self._control, theirs = channels.pair()
        self._process = subprocess.Popen(
            _argv(readable, theirs.fileno()),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=[theirs.fileno()],
            env={},
        )
        theirs.close()
        with contextlib.suppress(BrokenPipeError):
            self._control.send(b"slots", *(channel.fileno() for _, channel in pairs))
        for _, channel in pairs:
            channel.close()

    def meet(self) -> int:
        """Wait until it has started; the process that orphans inside come to. SessionError where it does not start."""
        answer, descriptors = self._control.receive()
        if answer != b"here":
            raise SessionError(f"bubblewrap did not start: {self._words()}")
        reaper = _pid_of(descriptors[0])
        self._init = os.pidfd_open(processes.parent(reaper))
        return reaper

    def end(self) -> None:
        """Kill the first process of the world inside, with which all the others end; nobody waits for it here.

        The kernel takes ten milliseconds to take such a world apart, in which a core can do something else.
        """
        for channel in (*self.channels, self._control):
            channel.close()
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


#: Boxes that have been killed and not been seen to be gone.
_ending: list[Box] = []


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
