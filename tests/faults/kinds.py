"""The faults that are tried: which functions fail, in which ways, and at which of their calls."""

from __future__ import annotations

import builtins
import errno
import fcntl
import os
import select
import signal
import subprocess
import termios
import threading
import time
from collections.abc import Iterator

from pitboss.checking import builds
from pitboss.compare import seeded
from pitboss.errors import SessionError
from pitboss.sandbox import abi, processes, removal
from pitboss.sandbox.channels import Channel
from pitboss.sessions.terminal import Terminal
from pitboss.sessions.tracing import launcher
from pitboss.sessions.tracing.launcher_client import LauncherClient
from pitboss.sessions.tracing.spawner import Spawner
from pitboss.sessions.tracing.traced_session import TracedSession
from tests.faults import planted
from tests.faults.planted import Fault, Place, loses, raises, raising, returns, sends

#: What may be short, by the function that gives it, and as what that is told.
SHORT = {
    "no more terminals": (Place(os, "openpty"), raises(errno.ENOSPC)),
    "no more pipes": (Place(os, "pipe"), raises(errno.EMFILE)),
    "no more descriptors": (Place(os, "open"), raises(errno.EMFILE)),
    "no more open files": (Place(builtins, "open"), raises(errno.ENFILE)),
    "no more numbers": (Place(fcntl, "fcntl"), raises(errno.EMFILE)),
    "no more selectors": (Place(select, "epoll"), raises(errno.EMFILE)),
    "no more pidfds": (Place(os, "pidfd_open"), raises(errno.EMFILE)),
    "the disk is full": (Place(os, "mkdir"), raises(errno.ENOSPC)),
    "the quota is used up": (Place(os, "chmod"), raises(errno.EDQUOT)),
    "no more processes": (Place(subprocess, "_fork_exec"), raises(errno.EAGAIN)),
    "no more programs": (Place(abi.libc, "posix_spawn"), returns(errno.EAGAIN)),
    "no more threads": (Place(threading.Thread, "start"), raising(RuntimeError, "can't start new thread")),
    "no buffers to send with": (Place(Channel, "send"), raises(errno.ENOBUFS)),
    "no descriptors to receive": (Place(Channel, "receive"), loses(errno.EMFILE)),
    "no memory in the kernel": (Place(abi, "call"), raises(errno.ENOMEM)),
    "no memory for a terminal": (Place(termios, "tcsetattr"), raises(errno.ENOMEM)),
}
#: What is lost or broken, and stays so for whom it concerns.
BROKEN = {
    "a program is not spawned": (Place(abi.libc, "posix_spawn"), returns(errno.EIO)),
    "the spawner fails": (Place(Spawner, "run"), raises(errno.EPERM)),
    "the launcher ends": (Place(launcher, "_serve_next"), returns(False)),
    "the launcher breaks": (Place(launcher, "_serve_next"), raises(errno.EPIPE)),
    "the launcher is not confined": (Place(launcher, "_confine"), raises(errno.EACCES)),
    "a message is not read": (Place(Channel, "receive"), raises(errno.ENOMEM)),
    "a message is lost": (Place(Channel, "receive"), returns((b"", []))),
    "the channel is closed": (Place(Channel, "send"), raises(errno.EPIPE)),
    "the listener is lost": (Place(abi, "received"), raises(errno.EBADF)),
    "a program is not let on": (Place(abi, "let_through"), raises(errno.EBADF)),
    "a program is not answered": (Place(abi, "answer"), raises(errno.EINVAL)),
    "/proc is not read": (Place(os, "listdir"), raises(errno.EACCES)),
    "files are not read": (Place(builtins, "open"), raises(errno.EACCES)),
    "files are not opened": (Place(os, "open"), raises(errno.EACCES)),
    "a folder is not emptied": (Place(removal, "empty"), raises(errno.EACCES)),
    "a folder is not removed": (Place(removal, "remove"), returns(False)),
    "a terminal breaks": (Place(Terminal, "type_line"), raises(errno.EIO)),
    "a terminal is not told": (Place(Terminal, "has_typed_ahead"), raises(errno.EIO)),
    "a session cannot be closed": (Place(TracedSession, "on_ended"), raises(errno.EIO)),
}
#: What Python raises where memory runs out: anywhere.
MEMORY = {
    f"out of memory in {place}": (place, raising(MemoryError))
    for place in (
        Place(os, "openpty"),
        Place(Channel, "send"),
        Place(Channel, "receive"),
        Place(abi, "received"),
        Place(abi, "let_through"),
        Place(launcher, "_serve_next"),
        Place(launcher, "_confine"),
        Place(Spawner, "run"),
        Place(Terminal, "drained"),
        Place(TracedSession, "on_ended"),
        Place(LauncherClient, "_try_start"),
        Place(LauncherClient, "finish"),
        Place(seeded, "judged_result"),
        Place(seeded, "expectation_of"),
        Place(processes, "tree"),
        Place(subprocess, "_fork_exec"),
        Place(builds, "build"),
    )
}
#: What the assignment's own code does.
OWN = {
    f"the {name} raises {kind.__name__}": (Place(planted, "here"), raising(kind, "planted"))
    for name in ("assignment",)
    for kind in (KeyError, MemoryError, SessionError, SystemExit, RecursionError)
}
#: Where a signal may come, and which; it is followed by the call.
MOMENTS = (
    Place(os, "openpty"),
    Place(os, "mkdir"),
    Place(os, "close"),
    Place(subprocess, "_fork_exec"),
    Place(launcher, "_serve_next"),
    Place(abi, "received"),
    Place(TracedSession, "close"),
    Place(seeded, "judged_result"),
)
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1)
HARMLESS = (signal.SIGCHLD, signal.SIGWINCH, signal.SIGCONT, signal.SIGPIPE)
#: Where a worker is killed.
DEATHS = (
    Place(os, "openpty"),
    Place(abi, "received"),
    Place(LauncherClient, "_try_start"),
    Place(seeded, "judged_result"),
    Place(TracedSession, "close"),
    Place(builds, "build"),
    Place(os, "mkdir"),
    Place(Channel, "send"),
)


DAY_S = 86_400
#: What clocks do, from some call on: that of the day is set, and all go on while pitboss is stopped, by Ctrl-Z perhaps.
CLOCKS = {
    "the clock is set back": (Place(time, "time"), lambda makes: makes() - DAY_S),
    "the clock is set back, in ns": (Place(time, "time_ns"), lambda makes: makes() - DAY_S * 10**9),
    "clocks of programs are set back": (Place(time, "clock_gettime_ns"), lambda makes: makes() - DAY_S * 10**9),
    "pitboss is stopped for a day": (Place(time, "monotonic"), lambda makes: makes() + DAY_S),
}

#: At which calls it is tried: all of the first, and fewer of those that follow.
CALLS = (1, 2, 4, 9, 22)
#: Clocks are asked more often.
_OF_CLOCKS = (6, 14, 40, 80, 160, 320, 640, 1280)
#: Many signals may come at each of these.
_OF_SIGNALS = (1, 6)


def faults(kind: str) -> Iterator[Fault]:
    """All faults of a kind, at every call at which it is tried."""
    dies = sends(signal.SIGKILL)
    match kind:
        case "signal":
            found = [(f"{number.name}", place, sends(number)) for place in MOMENTS for number in STOPPING + HARMLESS]
        case "death":
            found = [("a worker is killed", place, dies) for place in DEATHS]
        case _:
            table = {"short": SHORT, "broken": BROKEN, "memory": MEMORY, "own": OWN, "clock": CLOCKS}[kind]
            found = [(name, place, happens) for name, (place, happens) in table.items()]
    for name, place, happens in found:
        for at in _OF_SIGNALS if kind == "signal" else CALLS + _OF_CLOCKS * (kind == "clock"):
            yield Fault(place, name, happens, at, is_in_worker=kind == "death", lasts=kind == "clock")


KINDS = ("short", "broken", "memory", "own", "clock", "signal", "death")
