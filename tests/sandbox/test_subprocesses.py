"""A command that is started has the descriptors that its sandbox needs, and leaves none open."""

import itertools
import os
import subprocess
from types import SimpleNamespace

import pytest

from pitboss.sandbox import subreaper
from pitboss.sandbox.sandbox import Level
from pitboss.sandbox.subprocesses import Confinement, Subprocess
from pitboss.sessions.programs import ENVIRONMENT
from tests.counted import counted

#: What is open here while a command runs: its output and the report of its subreaper, and that of a bubblewrap.
OPEN = {Level.NONE: 2, Level.LANDLOCK: 2, Level.BUBBLEWRAP: 3}


def left_here():
    """What is open and runs in this process; folders are others' too."""
    return {what: left for what, left in counted().items() if what != "folders"}


@pytest.mark.parametrize("level", OPEN, ids=[level.name.lower() for level in OPEN])
def test_only_a_bubblewrap_has_a_pipe_for_its_status(tmp_path, level):
    before = left_here()
    count = len(os.listdir("/proc/self/fd"))
    confinement = Confinement(level, tmp_path, (), (), processes=8)
    process = Subprocess(["true"], confinement, dict(ENVIRONMENT), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert len(os.listdir("/proc/self/fd")) - count == OPEN[level]
    while process.poll() is None:
        process.stdout.read(1)
    assert (process.poll(), process.was_begun) == (0, True)
    process.end()
    assert left_here() == before


def test_a_subreaper_with_nothing_left_below_it_waits_for_nothing(monkeypatch):
    looks = itertools.count()
    monkeypatch.setattr(subreaper, "time", SimpleNamespace(monotonic=lambda: next(looks)))
    child = os.fork()
    if child == 0:
        try:
            subreaper._end_all()
        finally:
            os._exit(next(looks))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2  # as it begins, and then once
