"""Waits when a machine is short of something for a moment: descriptors, terminals, processes, memory.

Other programs release theirs; what is still missing after a while is reported as a fault of the machine.
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

#: How long we wait for a resource, and at most between two tries, in seconds.
PATIENCE_S, _LONGEST_WAIT_S = 10.0, 0.2
_FIRST_WAIT_S = 0.001

#: /dev/ptmx returns ENOSPC when there are as many terminals as the machine allows; see pty(7).
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
    """Whether an errno says that something is used up that may become available again soon."""
    return number in _SHORT


def shortage_in(words: str) -> int:
    """The errno of a shortage whose message ends a program's output; 0 if none does."""
    # Not ENOSPC: a machine that allows no namespaces returns it permanently.
    numbers = sorted(_SHORT - {errno.ENOSPC})
    # ld.so(8) prints only the number.
    return next((number for number in numbers if words.endswith((os.strerror(number), f": Error {number}"))), 0)


def retry_shortages(attempt: Callable[[], T]) -> T:
    """Returns the result of `attempt`; tries again while the machine is short of something.

    Raises the last OSError if it still fails after `PATIENCE_S`, and at once if it fails for any other reason.
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
    """Start a thread; raises OSError if no more can be started, where Python raises RuntimeError."""
    try:
        thread.start()
    except RuntimeError as error:
        raise OSError(errno.EAGAIN, "no thread could be started") from error


def remedy_of(error: OSError) -> str:
    """What went wrong and how to remedy it, as the end of a sentence: `Too many open files — …`."""
    remedy = _REMEDIES.get(error.errno or 0)
    message = error.strerror or str(error)
    return f"{message} — {remedy}" if remedy else message
