"""Retries while the machine is short of a resource for a moment: descriptors, terminals, processes, memory.

Other programs usually release the resource soon. A resource that is still missing later is reported as a fault of the
machine.
"""

from __future__ import annotations

import errno
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

#: How long we retry, in seconds.
PATIENCE_S = 10.0
#: The first and the longest wait between two tries, in seconds.
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.001, 0.2

#: The errnos of shortages. /dev/ptmx returns ENOSPC when there are as many terminals as the machine allows: see pty(7).
_SHORTAGES = frozenset(
    {errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM, errno.ENOSPC, errno.ENOBUFS, errno.EDQUOT}
)
#: What the user can do about a shortage, by errno.
_REMEDIES = {
    errno.EMFILE: "the process has as many files open as `ulimit -n` allows; raise that limit",
    errno.ENFILE: "the machine has as many files open as it can; end other programs, or raise fs.file-max",
    errno.EAGAIN: "there are as many processes as `ulimit -u` or the machine allows; end some, or use a smaller --jobs",
    errno.ENOMEM: "the machine is out of memory; end other programs, or use a smaller --jobs",
    errno.ENOSPC: "something is full: free some room in the temporary folder, or raise kernel.pty.max for terminals",
    errno.EDQUOT: "the user's disk quota is used up; free some room in the temporary folder",
}


def is_short(number: int | None) -> bool:
    """Whether an errno means that a resource is used up for the moment, and may soon be available again."""
    return number in _SHORTAGES


def errno_of_shortage(output: str) -> int:
    """The errno of the shortage whose message is at the end of a program's output; 0 without such a message."""
    # Not ENOSPC: a machine that allows no namespaces returns this errno permanently.
    numbers = sorted(_SHORTAGES - {errno.ENOSPC})
    # ld.so(8) prints the errno instead of its message.
    return next((number for number in numbers if output.endswith((os.strerror(number), f": Error {number}"))), 0)


def retry_shortages(attempt: Callable[[], T]) -> T:
    """Returns the result of `attempt`; calls `attempt` again while the machine is short of a resource.

    Raises the OSError of the last call after `PATIENCE_S`, and at once an OSError that is not a shortage.
    """
    deadline, wait_s = time.monotonic() + PATIENCE_S, _FIRST_WAIT_S
    while True:
        try:
            return attempt()
        except OSError as error:
            if not is_short(error.errno) or time.monotonic() >= deadline:
                raise
        time.sleep(wait_s)
        wait_s = min(2 * wait_s, _LONGEST_WAIT_S)


def start_thread(thread: threading.Thread) -> None:
    """Start a thread; raises OSError instead of Python's RuntimeError if the machine allows no more threads."""
    try:
        thread.start()
    except RuntimeError as error:
        raise OSError(errno.EAGAIN, "no thread could be started") from error


def error_with_remedy(error: OSError) -> str:
    """The message of an error with its remedy, if we know one, as the end of a sentence: `Too many open files — …`."""
    remedy = _REMEDIES.get(error.errno or 0)
    message = error.strerror or str(error)
    return f"{message} — {remedy}" if remedy else message
