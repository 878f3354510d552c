"""What is open, running and left behind: the same before and after."""

import os
import tempfile
import threading
import time
from pathlib import Path

from pitboss.sandbox import children, processes, workers
from pitboss.sessions.tracing import bubblewrap
from tests import forked


def counted():
    """Descriptors by what they are, threads, child processes and folders in the temporary folder, all of this process."""
    bubblewrap.reap(waits=True)
    workers._reap(waits=True)
    return {
        "descriptors": sorted(filter(None, (_named(path) for path in Path("/proc/self/fd").iterdir()))),
        "threads": sorted(thread.name for thread in threading.enumerate()),
        "processes": _living(),
        "folders": sorted(name for name in os.listdir(tempfile.gettempdir()) if name.startswith("pitboss")),
    }


def _living():
    """What runs below this process; what has been killed is waited for, which may take until it is its turn."""
    until = time.monotonic() + 120
    while (left := _below()) and time.monotonic() < until:
        children.CHILDREN.reap()
    return [_process(pid) for pid in left]


def _below():
    """What runs below this process, but for the one that is forked for each command."""
    return [pid for pid in processes.tree([os.getpid()])[1:] if pid not in forked.pids()]


def _process(pid):
    """A process as ps(1) would show it, for a person who looks for what has been left."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return f"{pid} {state} {Path(f'/proc/{pid}/cmdline').read_text() or Path(f'/proc/{pid}/comm').read_text()}"
    except OSError:
        return f"{pid} gone"


def _named(path):
    try:
        return f"{path.name} {os.readlink(path)}"
    except OSError:  # the one that lists them
        return None
