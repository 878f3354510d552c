"""Counts of resources, to compare before and after a test: none may be left open, running or on disk."""

import contextlib
import os
import tempfile
import threading
import time
from pathlib import Path

from pitboss.machine import children, processes, workers
from pitboss.sessions.tracing import bubblewrap
from tests import forked


def living_in_group(group):
    """The processes of a process group that have not ended."""
    members = []
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        with contextlib.suppress(ProcessLookupError):
            if os.getpgid(pid) == group and not processes.is_gone(pid):
                members.append(pid)
    return members


def resources_in_use():
    """This process's open descriptors with their targets, its threads, its child processes, and pitboss's folders."""
    bubblewrap.reap(waits=True)
    workers._reap(waits=True)
    return {
        "descriptors": sorted(filter(None, (_describe_descriptor(path) for path in Path("/proc/self/fd").iterdir()))),
        "threads": sorted(thread.name for thread in threading.enumerate()),
        "processes": _remaining_processes(),
        "folders": sorted(name for name in os.listdir(tempfile.gettempdir()) if name.startswith("pitboss")),
    }


def _remaining_processes():
    """The descendants of this process that remain after up to two minutes, in which those that were killed can end."""
    deadline = time.monotonic() + 120
    while (remaining := _descendants()) and time.monotonic() < deadline:
        children.CHILDREN.reap()
    return [_describe_process(pid) for pid in remaining]


def _descendants():
    """The ids of this process's descendants, without the interpreter that tests fork for each command."""
    return [pid for pid in processes.tree([os.getpid()])[1:] if pid not in forked.pids()]


def _describe_process(pid):
    """A process with id, state and command line, as ps(1) shows it, for whoever searches for a leak."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return f"{pid} {state} {Path(f'/proc/{pid}/cmdline').read_text() or Path(f'/proc/{pid}/comm').read_text()}"
    except OSError:
        return f"{pid} gone"


def _describe_descriptor(path):
    try:
        return f"{path.name} {os.readlink(path)}"
    except OSError:  # the descriptor that lists the folder is closed by now
        return None
