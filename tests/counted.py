"""What is open, running and left behind: the same before and after."""

import os
import tempfile
import threading
from pathlib import Path

from harness.watching import boxes, processes


def counted():
    """Descriptors by what they are, threads, child processes and folders in the temporary folder, all of this process."""
    boxes.see_off(waits=True)
    return {
        "descriptors": sorted(filter(None, (_named(path) for path in Path("/proc/self/fd").iterdir()))),
        "threads": sorted(thread.name for thread in threading.enumerate()),
        "processes": len(processes.tree([os.getpid()])) - 1,
        "folders": sorted(name for name in os.listdir(tempfile.gettempdir()) if name.startswith("pitboss")),
    }


def _named(path):
    try:
        return f"{path.name} {os.readlink(path)}"
    except OSError:  # the one that lists them
        return None
