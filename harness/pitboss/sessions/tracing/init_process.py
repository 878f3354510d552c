"""Our process inside a bubblewrap, which runs the launchers of one submission there.

Run as `python -I -S init_process.py DESCRIPTOR`. The descriptor is a channel on which one message already waits, with
one end of each launcher's channel. The process runs launchers and adopts orphans, and ends when its last launcher ends.
A new process starts for each submission, so this module and the modules it uses import little.
"""

from __future__ import annotations

import _thread
import os
import sys


def main() -> None:
    """Run the launchers until the other ends of their channels are closed."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    sys.path.insert(0, os.path.dirname(package))
    from pitboss.machine import abi
    from pitboss.machine.channels import Channel
    from pitboss.sessions.tracing import launcher

    control = Channel(int(sys.argv[1]))
    abi.call("prctl", abi.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _, descriptors = control.receive()
    launcher.prepare_for_launchers()
    locks = []
    for descriptor in descriptors:
        lock = _thread.allocate_lock()
        lock.acquire()
        locks.append(lock)
        _thread.start_new_thread(_serve, (launcher.serve, Channel(descriptor), lock))
    # The pidfd tells the receiver which process this is. SCM_CREDENTIALS would do too, if the receiver requested it.
    control.send(b"here", os.pidfd_open(os.getpid()))
    for lock in locks:
        lock.acquire()


def _serve(serve, channel, lock) -> None:  # type: ignore[no-untyped-def]
    """Run a launcher on its channel, and release the lock when the launcher ends."""
    try:
        serve(channel)
    finally:
        lock.release()


if __name__ == "__main__":
    main()
