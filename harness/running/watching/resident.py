"""The process of ours inside a bubblewrap: it runs the launchers of one submission there.

Run as `python -I -S resident.py DESCRIPTOR`: the descriptor is a channel over which the other ends of the launchers'
channels have been sent beforehand, all at once. It has nothing else to do than to be the process that orphans come to,
and it ends when its last launcher does. It begins with each submission, so it and what it needs import little.
"""

from __future__ import annotations

import _thread
import os
import sys


def main() -> None:
    """Run the launchers until their other ends are closed."""
    harness = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    sys.path.insert(0, os.path.dirname(harness))
    from harness.machine import abi
    from harness.machine.channels import Channel
    from harness.running.watching import launcher, spawner

    control = Channel(int(sys.argv[1]))
    abi.call("prctl", abi.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _, descriptors = control.receive()
    spawner.make_room()
    running = []
    for descriptor in descriptors:
        lock = _thread.allocate_lock()
        lock.acquire()
        running.append(lock)
        _thread.start_new_thread(_serve, (launcher.serve, Channel(descriptor), lock))
    # SCM_CREDENTIALS would do; a pidfd tells the same without asking for them.
    control.send(b"here", os.pidfd_open(os.getpid()))
    for lock in running:
        lock.acquire()


def _serve(serve, channel, lock) -> None:  # type: ignore[no-untyped-def]
    try:
        serve(channel)
    finally:
        lock.release()


if __name__ == "__main__":
    main()
