"""Our process inside a bubblewrap, which runs the launchers of one submission there.

Run as `python -I -S init_process.py DESCRIPTOR`: the descriptor is a channel with one message, already sent, which
contains the ends of the launchers' channels. Besides running launchers, the process only adopts orphans. It ends with
its last launcher. It is started for each submission, so it and its modules import little.
"""

from __future__ import annotations

import _thread
import os
import sys


def main() -> None:
    """Run the launchers until their other ends are closed."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    sys.path.insert(0, os.path.dirname(package))
    from pitboss.sandbox import abi
    from pitboss.sandbox.channels import Channel
    from pitboss.sessions.tracing import launcher, spawner

    control = Channel(int(sys.argv[1]))
    abi.call("prctl", abi.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _, descriptors = control.receive()
    spawner.make_room()
    locks = []
    for descriptor in descriptors:
        lock = _thread.allocate_lock()
        lock.acquire()
        locks.append(lock)
        _thread.start_new_thread(_serve, (launcher.serve, Channel(descriptor), lock))
    # SCM_CREDENTIALS would work as well, but the other side would have to request them.
    control.send(b"here", os.pidfd_open(os.getpid()))
    for lock in locks:
        lock.acquire()


def _serve(serve, channel, lock) -> None:  # type: ignore[no-untyped-def]
    try:
        serve(channel)
    finally:
        lock.release()


if __name__ == "__main__":
    main()
