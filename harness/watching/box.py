"""The process inside a bubblewrap: it holds the slots of one submission there.

Run as `python -I -S box.py DESCRIPTOR COUNT`: the descriptor is a SEQPACKET socket over which the other ends of
COUNT slot sockets have been sent beforehand, all at once. It has nothing else to do than to be the process that
orphans come to, and it ends when its last slot does.
"""

from __future__ import annotations

import os
import socket
import sys
import threading


def main() -> None:
    """Serve the slots until their other ends are closed."""
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    from harness.watching import abi, slot

    control = socket.socket(fileno=int(sys.argv[1]))
    abi.call("prctl", abi.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _, descriptors, _, _ = socket.recv_fds(control, 16, int(sys.argv[2]))
    threads = []
    for descriptor in descriptors:
        thread = threading.Thread(target=slot.serve, args=(socket.socket(fileno=descriptor),))
        thread.start()
        threads.append(thread)
    # SCM_CREDENTIALS would do; a pidfd tells the same without asking for them.
    socket.send_fds(control, [b"here"], [os.pidfd_open(os.getpid())])
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
