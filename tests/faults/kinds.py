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
from pitboss.machine import abi, processes, removal
from pitboss.machine.channels import Channel
from pitboss.sessions.terminal import Terminal
from pitboss.sessions.tracing import launcher
from pitboss.sessions.tracing.launcher import Spawner
from pitboss.sessions.tracing.launcher_client import LauncherClient
from pitboss.sessions.tracing.traced_session import TracedSession
from tests.faults import planted
from tests.faults.planted import Fault, Place, loses, raises_exception, raises_os_error, returns, sends

#: What may run short: the function that then fails, and how it fails.
SHORT = {
    "no more terminals": (Place(os, "openpty"), raises_os_error(errno.ENOSPC)),
    "no more pipes": (Place(os, "pipe"), raises_os_error(errno.EMFILE)),
    "no more descriptors": (Place(os, "open"), raises_os_error(errno.EMFILE)),
    "no more open files": (Place(builtins, "open"), raises_os_error(errno.ENFILE)),
    "no more descriptor numbers": (Place(fcntl, "fcntl"), raises_os_error(errno.EMFILE)),
    "no more selectors": (Place(select, "epoll"), raises_os_error(errno.EMFILE)),
    "no more pidfds": (Place(os, "pidfd_open"), raises_os_error(errno.EMFILE)),
    "the disk is full": (Place(os, "mkdir"), raises_os_error(errno.ENOSPC)),
    "the quota is used up": (Place(os, "chmod"), raises_os_error(errno.EDQUOT)),
    "no more processes": (Place(subprocess, "_fork_exec"), raises_os_error(errno.EAGAIN)),
    "no more programs": (Place(abi.libc, "posix_spawn"), returns(errno.EAGAIN)),
    "no more threads": (Place(threading.Thread, "start"), raises_exception(RuntimeError, "can't start new thread")),
    "no buffers to send with": (Place(Channel, "send"), raises_os_error(errno.ENOBUFS)),
    "no descriptors to receive": (Place(Channel, "receive"), loses(errno.EMFILE)),
    "no memory in the kernel": (Place(abi, "call"), raises_os_error(errno.ENOMEM)),
    "no memory for a terminal": (Place(termios, "tcsetattr"), raises_os_error(errno.ENOMEM)),
}
#: What may break or get lost: the function that then fails, and how it fails.
BROKEN = {
    "a program is not spawned": (Place(abi.libc, "posix_spawn"), returns(errno.EIO)),
    "the spawner fails": (Place(Spawner, "run"), raises_os_error(errno.EPERM)),
    "the launcher ends": (Place(launcher, "_serve_next"), returns(False)),
    "the launcher breaks": (Place(launcher, "_serve_next"), raises_os_error(errno.EPIPE)),
    "the launcher is not confined": (Place(launcher, "_confine"), raises_os_error(errno.EACCES)),
    "a message is not read": (Place(Channel, "receive"), raises_os_error(errno.ENOMEM)),
    "a message is lost": (Place(Channel, "receive"), returns((b"", []))),
    "the channel is closed": (Place(Channel, "send"), raises_os_error(errno.EPIPE)),
    "the listener is lost": (Place(abi, "receive_notification"), raises_os_error(errno.EBADF)),
    "a program is not let on": (Place(abi, "let_through"), raises_os_error(errno.EBADF)),
    "a program is not answered": (Place(abi, "answer"), raises_os_error(errno.EINVAL)),
    "/proc is not read": (Place(os, "listdir"), raises_os_error(errno.EACCES)),
    "files are not read": (Place(builtins, "open"), raises_os_error(errno.EACCES)),
    "files are not opened": (Place(os, "open"), raises_os_error(errno.EACCES)),
    "a folder is not emptied": (Place(removal, "empty"), raises_os_error(errno.EACCES)),
    "a folder is not removed": (Place(removal, "remove"), returns(False)),
    "a terminal breaks": (Place(Terminal, "type_line"), raises_os_error(errno.EIO)),
    "a terminal cannot be examined": (Place(Terminal, "has_typed_ahead"), raises_os_error(errno.EIO)),
    "a session cannot be closed": (Place(TracedSession, "on_ended"), raises_os_error(errno.EIO)),
}
#: Where memory may run out: Python may raise MemoryError anywhere.
MEMORY = {
    f"out of memory in {place}": (place, raises_exception(MemoryError))
    for place in (
        Place(os, "openpty"),
        Place(Channel, "send"),
        Place(Channel, "receive"),
        Place(abi, "receive_notification"),
        Place(abi, "let_through"),
        Place(launcher, "_serve_next"),
        Place(launcher, "_confine"),
        Place(Spawner, "run"),
        Place(Terminal, "drain_output"),
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
#: Exceptions that the assignment's own code may raise.
OWN = {
    f"the assignment raises {kind.__name__}": (Place(planted, "fault_point"), raises_exception(kind, "planted"))
    for kind in (KeyError, MemoryError, SessionError, SystemExit, RecursionError)
}
#: Functions before whose call a signal arrives. The signal does not replace the call.
SIGNAL_PLACES = (
    Place(os, "openpty"),
    Place(os, "mkdir"),
    Place(os, "close"),
    Place(subprocess, "_fork_exec"),
    Place(launcher, "_serve_next"),
    Place(abi, "receive_notification"),
    Place(TracedSession, "close"),
    Place(seeded, "judged_result"),
)
STOPPING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1)
HARMLESS_SIGNALS = (signal.SIGCHLD, signal.SIGWINCH, signal.SIGCONT, signal.SIGPIPE)
#: Functions at whose call a worker is killed.
KILL_PLACES = (
    Place(os, "openpty"),
    Place(abi, "receive_notification"),
    Place(LauncherClient, "_try_start"),
    Place(seeded, "judged_result"),
    Place(TracedSession, "close"),
    Place(builds, "build"),
    Place(os, "mkdir"),
    Place(Channel, "send"),
)


DAY_S = 86_400
#: Clocks that jump at some call: the system clock is set back, or a day passes while pitboss is stopped, as by Ctrl-Z.
CLOCKS = {
    "the clock is set back": (Place(time, "time"), lambda real_call: real_call() - DAY_S),
    "the clock is set back, in ns": (Place(time, "time_ns"), lambda real_call: real_call() - DAY_S * 10**9),
    "clocks of programs are set back": (Place(time, "clock_gettime_ns"), lambda real_call: real_call() - DAY_S * 10**9),
    "pitboss is stopped for a day": (Place(time, "monotonic"), lambda real_call: real_call() + DAY_S),
}

#: The numbers of the calls, from 1, at which a fault of a function is tried.
CALLS = (1, 2, 4, 9, 22)
#: The same for a fault of a clock: also at later calls, since clocks are read often.
_CLOCK_CALLS = (*CALLS, 6, 14, 40, 80, 160, 320, 640, 1280)
#: The same for a signal: at fewer calls, since there are many signals.
_SIGNAL_CALLS = (1, 6)


def faults(kind: str) -> Iterator[Fault]:
    """All faults of a kind (see KINDS), each at every call at which it is tried."""
    kill = sends(signal.SIGKILL)
    match kind:
        case "signal":
            templates = [
                (f"{number.name}", place, sends(number))
                for place in SIGNAL_PLACES
                for number in STOPPING_SIGNALS + HARMLESS_SIGNALS
            ]
        case "death":
            templates = [("a worker is killed", place, kill) for place in KILL_PLACES]
        case _:
            table = {"short": SHORT, "broken": BROKEN, "memory": MEMORY, "own": OWN, "clock": CLOCKS}[kind]
            templates = [(name, place, happens) for name, (place, happens) in table.items()]
    call_numbers = {"signal": _SIGNAL_CALLS, "clock": _CLOCK_CALLS}.get(kind, CALLS)
    for name, place, happens in templates:
        for call_number in call_numbers:
            yield Fault(place, name, happens, call_number, is_in_worker=kind == "death", lasts=kind == "clock")


#: "own": the assignment's own code fails; "death": a worker is killed. The other kinds have tables above.
KINDS = ("short", "broken", "memory", "own", "clock", "signal", "death")
