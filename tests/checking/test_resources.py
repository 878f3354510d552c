"""What is opened is given back: after a submission there is nothing that was not there before it."""

import os
import tempfile

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check, check_in_this_process
from pitboss.compare.verdicts import Verdict
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.tracing.bubblewrap import InhabitedBubblewrap
from pitboss.sessions.tracing.driver import TracingDriver
from tests.counted import counted

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
RIGHT = 'printf "name? "; read name; echo "hello $name"\n'
WRONG = {
    "right": RIGHT,
    "wrong": RIGHT.replace("hello", "good bye"),
    "leaves something running": f"sleep 3 &\n{RIGHT}",
    "crashes": "kill -SEGV $$\n",
    "asks for more": f"{RIGHT}read more; read again\n",
}


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """A temporary folder of our own, that every user can reach, so that what others do there is not counted."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield folder


@pytest.fixture
def greeter(tmp_path):
    """A small assignment whose programs are shell scripts, which a Makefile makes."""
    folder = tmp_path / "greeter"
    folder.mkdir()
    (folder / "assignment.yaml").write_text(GREETER)
    (folder / "greeter.yaml").write_text(CASES)
    (folder / "greeter").write_text(f"#!/bin/sh\n{RIGHT}")
    (folder / "greeter").chmod(0o755)
    return load_assignment(folder)


@pytest.fixture
def submission(tmp_path):
    def made(text=RIGHT):
        folder = tmp_path / f"submission{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        (folder / "greeter.in").write_text(f"#!/bin/sh\n{text}")
        (folder / "Makefile").write_text("greeter:\n\tcp greeter.in greeter; chmod +x greeter\n")
        return folder

    return made


def job_of(assignment, driver="auto", sandbox="auto"):
    conditions = find_conditions(driver, sandbox)
    return Job(assignment, assignment.stages, conditions, assignment.name)


WAYS = [("watched", "auto"), ("watched", "landlock"), ("watched", "none"), ("expecting", "none")]


@pytest.mark.parametrize(("driver", "sandbox"), WAYS)
def test_nothing_is_open_after_a_submission_that_was_not_open_before_it(
    greeter, submission, temporary, driver, sandbox
):
    folders = [submission(text) for text in WRONG.values()]
    check_in_this_process(job_of(greeter, driver, sandbox), folders[0], "first")
    before = counted()
    verdicts = [check_in_this_process(job_of(greeter, driver, sandbox), folder, "one").verdict for folder in folders]
    assert verdicts[0] is Verdict.ACCEPTED and Verdict.JUDGE_ERROR not in verdicts
    assert counted() == before


class DriverInside(TracingDriver):
    """One that has a process inside the bubblewrap, as ordinary users do."""

    def _new_bubblewrap(self, readable):
        return InhabitedBubblewrap(readable, self._launchers_left)


@pytest.mark.needs("bubblewrap")
def test_nor_with_a_process_inside_a_bubblewrap(greeter, submission, temporary, monkeypatch):
    monkeypatch.setattr("pitboss.sessions.drivers.TracingDriver", DriverInside)
    folder = submission()
    check_in_this_process(job_of(greeter), folder, "first")
    before = counted()
    for _ in range(3):
        assert check_in_this_process(job_of(greeter), folder, "one").verdict is Verdict.ACCEPTED
    assert counted() == before


@pytest.mark.slow
def test_nothing_is_open_after_a_hundred_submissions(greeter, submission, temporary):
    folders = [submission(text) for text in WRONG.values()]
    check(job_of(greeter), folders[0], count=2)
    before = counted()
    for number in range(100):
        driver, sandbox = WAYS[number % len(WAYS)]
        assert (
            check(job_of(greeter, driver, sandbox), folders[number // 4 % 5], count=2).verdict
            is not Verdict.JUDGE_ERROR
        )
    assert counted() == before


def test_a_look_at_the_machine_leaves_nothing_open(temporary):
    find_conditions()
    before = counted()
    for _ in range(10):
        find_conditions()
    assert counted() == before
