from itertools import product

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check, check_in_this_process
from pitboss.compare.results import Verdict
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.tracing.bubblewrap import InhabitedBubblewrap
from pitboss.sessions.tracing.driver import TracingDriver
from tests.counted import resources_in_use

GREETER = """
title: A greeter
seeded: no
limits: {idle_s: 2, memory_mb: 128}
stages:
  - name: greeter
    title: says hello
    reference: {command: [./greeter]}
"""
CASES = """
program: greeter
cases:
  - name: "hello"
    transcript: |
      name? <<ada>>
      hello ada
"""
CORRECT = 'printf "name? "; read name; echo "hello $name"\n'
PROGRAMS = {
    "right": CORRECT,
    "wrong": CORRECT.replace("hello", "good bye"),
    "leaves something running": f"sleep 3 &\n{CORRECT}",
    "crashes": "kill -SEGV $$\n",
    "asks for more": f"{CORRECT}read more; read again\n",
}


@pytest.fixture
def greeter(tmp_path):
    """A small assignment whose submissions are shell scripts that a Makefile copies into place."""
    folder = tmp_path / "greeter"
    folder.mkdir()
    (folder / "assignment.yaml").write_text(GREETER)
    (folder / "greeter.yaml").write_text(CASES)
    (folder / "greeter").write_text(f"#!/bin/sh\n{CORRECT}")
    (folder / "greeter").chmod(0o755)
    return load_assignment(folder)


@pytest.fixture
def submission(tmp_path):
    """Makes a submission of a shell script with this text."""

    def make_submission(text=CORRECT):
        folder = tmp_path / f"submission{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        (folder / "greeter.in").write_text(f"#!/bin/sh\n{text}")
        (folder / "Makefile").write_text("greeter:\n\tcp greeter.in greeter; chmod +x greeter\n")
        return folder

    return make_submission


def make_job(assignment, driver="auto", sandbox="auto"):
    conditions = find_conditions(driver, sandbox)
    return Job(assignment, assignment.stages, conditions, assignment.name)


DRIVERS_AND_SANDBOXES = [("watched", "auto"), ("watched", "landlock"), ("watched", "none"), ("expecting", "none")]


@pytest.mark.parametrize(("driver", "sandbox"), DRIVERS_AND_SANDBOXES)
def test_a_submission_leaves_no_resources_open(greeter, submission, driver, sandbox):
    folders = [submission(text) for text in PROGRAMS.values()]
    # What a process opens only once is open after this check.
    check_in_this_process(make_job(greeter, driver, sandbox), folders[0], "first")
    before = resources_in_use()
    verdicts = [check_in_this_process(make_job(greeter, driver, sandbox), folder, "one").verdict for folder in folders]
    assert verdicts[0] is Verdict.ACCEPTED and Verdict.JUDGE_ERROR not in verdicts
    assert resources_in_use() == before


class InhabitedDriver(TracingDriver):
    """A driver with a process inside the bubblewrap, as pitboss uses when it is not run by root."""

    def _new_bubblewrap(self, readable):
        return InhabitedBubblewrap(readable, self._launchers_left)


@pytest.mark.needs("bubblewrap")
def test_a_process_inside_a_bubblewrap_leaves_no_resources_open(greeter, submission, monkeypatch):
    monkeypatch.setattr("pitboss.sessions.drivers.TracingDriver", InhabitedDriver)
    folder = submission()
    check_in_this_process(make_job(greeter), folder, "first")
    before = resources_in_use()
    for _ in range(3):
        assert check_in_this_process(make_job(greeter), folder, "one").verdict is Verdict.ACCEPTED
    assert resources_in_use() == before


@pytest.mark.slow
def test_a_hundred_submissions_leave_no_resources_open(greeter, submission):
    folders = [submission(text) for text in PROGRAMS.values()]
    check(make_job(greeter), folders[0], cores=2)
    before = resources_in_use()
    checks = [*product(folders, DRIVERS_AND_SANDBOXES)] * 5
    assert len(checks) == 100
    for folder, (driver, sandbox) in checks:
        assert check(make_job(greeter, driver, sandbox), folder, cores=2).verdict is not Verdict.JUDGE_ERROR
    assert resources_in_use() == before


def test_find_conditions_leaves_no_resources_open():
    find_conditions()
    before = resources_in_use()
    for _ in range(10):
        find_conditions()
    assert resources_in_use() == before
