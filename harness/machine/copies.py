"""What a program that copies itself says to us, and what we give to a copy: see running/preload/server.c.

Numbers are from the kernel's include/uapi/linux/sched.h and seccomp.h.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import struct

from pitboss.harness.machine import abi, filters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pitboss.harness.machine.abi import Notification

#: Where a program stops, the first argument of abi.STOP: before its own constructors; in a copy; where it could not be
#: copied. The second argument is the process' own id.
HERE, COPIED, FAILED = 0, 1, 2
#: What is answered where it is to be copied; anything else lets it go on itself.
COPY, GO_ON = 1, 0

#: seccomp_unotify(2): struct seccomp_notif_addfd, SECCOMP_IOCTL_NOTIF_ADDFD, SECCOMP_ADDFD_FLAG_SETFD; Linux 5.9.
_GIFT = struct.Struct("=QIIII")
_ADD_DESCRIPTOR, _AT_NUMBER = 0x40182103, 1
_STANDARD = (0, 1, 2)


def give_terminal(listener: int, notification: Notification, terminal: int) -> None:
    """Make an open terminal the input, output and errors of a process that is stopped; OSError if it is gone."""
    for number in _STANDARD:
        fcntl.ioctl(listener, _ADD_DESCRIPTOR, _GIFT.pack(notification.id, _AT_NUMBER, terminal, number, 0))


def are_possible(listener: int) -> bool:
    """Whether this kernel gives open files to a process that is stopped."""
    try:
        fcntl.ioctl(listener, _ADD_DESCRIPTOR, _GIFT.pack(0, _AT_NUMBER, listener, 0, 0))
    except OSError as error:
        return error.errno == 2  # ENOENT: nobody is stopped there
    return True


def is_alone(pid: int) -> bool:
    """Whether a process has one thread and no child."""
    try:
        (task,) = os.listdir(f"/proc/{pid}/task")
        with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as children:
            return not children.read().strip()
    except (OSError, ValueError):
        return False


def kill(pid: int) -> None:
    """Kill a process, if it has not ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def as_signed(number: int) -> int:
    """A number of 64 bits as the value that a call returns."""
    return number - (1 << 64) if number >> 63 else number


#: Calls by which a program acts on others by their numbers: what it does to the one that it was copied from stays.
TO_OTHERS = frozenset(abi.NR[name] for name in filters.TO_TASKS + filters.TO_TASKS_SECOND)
#: Those of them whose second argument is the number.
BY_THE_SECOND = frozenset(abi.NR[name] for name in filters.TO_TASKS_SECOND)
