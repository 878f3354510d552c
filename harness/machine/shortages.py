"""What a machine can be short of for a moment: descriptors, terminals, processes, memory. Wait, and try again.

Others on the machine give theirs back; what is still missing after a while is a fault of the machine, and is said so.
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

#: How long what is missing is waited for, in seconds; and how long between two tries at the most.
PATIENCE_S, _LONGEST_WAIT_S = 10.0, 0.2
_FIRST_WAIT_S = 0.001

#: ENOSPC is what /dev/ptmx says when there are as many terminals as the machine allows; see pty(7).
_SHORT = frozenset({errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM, errno.ENOSPC, errno.ENOBUFS, errno.EDQUOT})
_REMEDIES = {
    errno.EMFILE: "it has as many files open as `ulimit -n` allows; raise that",
    errno.ENFILE: "the machine has as many files open as it can; end other programs, or raise fs.file-max",
    errno.EAGAIN: "there are as many processes as `ulimit -u` or the machine allows; end some, or use a smaller --jobs",
    errno.ENOMEM: "the machine is out of memory; end other programs, or use a smaller --jobs",
    errno.ENOSPC: "something is full: free some room in the temporary folder, or raise kernel.pty.max for terminals",
    errno.EDQUOT: "the user's disk quota is used up; free some room in the temporary folder",
}


def is_short(number: int | None) -> bool:
    """Whether an errno says that something is used up, which may be there again in a moment."""
    return number in _SHORT


def told_in(words: str) -> int:
    """The errno of a shortage that a program has printed in words, at their end; 0 where it is none."""
    # Not ENOSPC: it is also what a machine says for good that allows no namespaces.
    told = sorted(_SHORT - {errno.ENOSPC})
    # The number alone is what ld.so(8) tells.
    return next((number for number in told if words.endswith((os.strerror(number), f": Error {number}"))), 0)


def patiently(attempt: Callable[[], T]) -> T:
    """What `attempt` returns, tried again while the machine is short of something.

    OSError, the last one, when it still fails after a while, and at once for any other reason.
    """
    until, wait_s = time.monotonic() + PATIENCE_S, _FIRST_WAIT_S
    while True:
        try:
            return attempt()
        except OSError as error:
            if not is_short(error.errno) or time.monotonic() >= until:
                raise
        time.sleep(wait_s)
        wait_s = min(2 * wait_s, _LONGEST_WAIT_S)


def started(thread: threading.Thread) -> None:
    """Start a thread; OSError where there is no room for another, of which Python makes a RuntimeError."""
    try:
        thread.start()
    except RuntimeError as error:
        raise OSError(errno.EAGAIN, "no thread could be started") from error


def remedy_of(error: OSError) -> str:
    """What went wrong and how to mend it, as the end of a sentence: `Too many open files (…)`."""
    remedy = _REMEDIES.get(error.errno or 0)
    said = error.strerror or str(error)
    return f"{said} — {remedy}" if remedy else said
