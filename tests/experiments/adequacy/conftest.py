"""Submissions that are functions: they are judged as programs are, and draw what follows from the session's name."""

import random

import pytest

from pitboss.assignments.players import input_script_of
from pitboss.assignments.specfile import load_assignment
from pitboss.errors import HarnessError
from pitboss.experiments.adequacy import gathering
from pitboss.experiments.adequacy.named_sessions import requested_sessions
from pitboss.model.transcript import Transcript
from pitboss.sandbox.pool import Pool
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.references import expected_run_in_process
from pitboss.unseeded.drawn import DrawnSession
from tests.conftest import ROOT


@pytest.fixture(scope="session")
def sixes():
    return load_assignment(ROOT / "tests" / "toy" / "sixes")


def drawing(source, seed):
    """Draws from a source; the same for the same seed."""
    chance, left = random.Random(seed), []

    def draw():
        if not left:
            left.extend(chance.sample(source.values, source.bag or len(source.values)))
        return left.pop() if source.bag else chance.choice(source.values)

    return draw


@pytest.fixture
def judge(monkeypatch):
    """A function that judges a main function of a console and draws as a submission of a stage."""

    def judged(assignment, stage, main, *, salt="", sources=gathering.SOURCES, only=()):
        run = expected_run_in_process(main, "the submission")

        def run_and_read(job, program, sessions, pool, read):
            return [one_run(stage, run, session, read, salt) for session in sessions]

        monkeypatch.setattr(gathering, "run_and_read", run_and_read)
        job = Job(assignment, (stage,), find_conditions("watched", "none"), assignment.name, only)
        return gathering.judge_unseeded(job, stage, None, requested_sessions(assignment, stage, only), Pool(), sources)

    return judged


def one_run(stage, run, session, read, salt):
    """One session of a submission that is a function."""
    draw = drawing(stage.draws, f"{salt} {session.case.name} {session.number}")
    try:
        output = run(input_script_of(session.case.session, None, ""), draw)
        return DrawnSession(session, output, read(output.events))
    except HarnessError as error:
        return DrawnSession(session, Transcript(()), failure=str(error))
