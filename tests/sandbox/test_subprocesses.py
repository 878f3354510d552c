import itertools
import os
import subprocess
from types import SimpleNamespace

import pytest

from pitboss.sandbox import subreaper
from pitboss.sandbox.sandbox import Level
from pitboss.sandbox.subprocesses import Confinement, Subprocess
from pitboss.sessions.programs import ENVIRONMENT
from tests.counted import resources_in_use

#: How many descriptors are open in this process while a command runs: for its output, for the report of its subreaper
#: and, if there is a bubblewrap, for the report of this.
OPEN_DESCRIPTORS = {Level.NONE: 2, Level.LANDLOCK: 2, Level.BUBBLEWRAP: 3}


def open_resources():
    """The open descriptors, threads and children of this process, but no folders, which others create too."""
    return {kind: names for kind, names in resources_in_use().items() if kind != "folders"}


@pytest.mark.parametrize("level", OPEN_DESCRIPTORS, ids=[level.name.lower() for level in OPEN_DESCRIPTORS])
def test_only_a_bubblewrap_has_a_pipe_for_its_status(tmp_path, level):
    before = open_resources()
    count_before = len(os.listdir("/proc/self/fd"))
    confinement = Confinement(level, tmp_path, (), (), processes=8, memory_mb=64)
    process = Subprocess(["true"], confinement, dict(ENVIRONMENT), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert len(os.listdir("/proc/self/fd")) - count_before == OPEN_DESCRIPTORS[level]
    while process.poll() is None:
        process.stdout.read(1)
    assert (process.poll(), process.was_begun) == (0, True)
    process.end()
    assert open_resources() == before


def test_a_subreaper_without_descendants_does_not_wait(monkeypatch):
    clock_reads = itertools.count()
    monkeypatch.setattr(subreaper, "time", SimpleNamespace(monotonic=lambda: next(clock_reads)))
    child = os.fork()
    if child == 0:
        try:
            subreaper._end_all()
        finally:
            os._exit(next(clock_reads))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2  # at the start, and in the first round of its loop
