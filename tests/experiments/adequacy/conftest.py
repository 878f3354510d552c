"""Judges Python functions as if they were submitted programs; their random draws are seeded with the session's name."""

import random

import pytest

from pitboss.assignments.players import input_script_of
from pitboss.assignments.specfile import load_assignment
from pitboss.errors import HarnessError
from pitboss.experiments.adequacy import gathering
from pitboss.experiments.adequacy.named_sessions import requested_sessions
from pitboss.machine.pool import Pool
from pitboss.model.transcript import Transcript
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.references import expected_run_in_process
from pitboss.unseeded.reader import DrawnSession
from tests.conftest import ROOT


@pytest.fixture(scope="session")
def sixes():
    return load_assignment(ROOT / "tests" / "toy" / "sixes")


def seeded_draw(source, seed):
    """A function that draws values from a source of random values: the same sequence for the same seed."""
    rng, remaining = random.Random(seed), []

    def draw():
        if not remaining:
            remaining.extend(rng.sample(source.values, source.bag or len(source.values)))
        return remaining.pop() if source.bag else rng.choice(source.values)

    return draw


@pytest.fixture
def judge(monkeypatch):
    """A function that judges `main(console, draw)` as if this function were a student's submission for a stage."""

    def judge_main(assignment, stage, main, *, salt="", sources=None, only=()):
        run = expected_run_in_process(main, "the submission")

        def run_and_read(job, program, sessions, pool, read):
            return [run_session(stage, run, session, read, salt) for session in sessions]

        monkeypatch.setattr(gathering, "run_and_read", run_and_read)
        if sources is not None:  # functions that return wrong programs, instead of the known mistakes
            programs = lambda *arguments: tuple(program for source in sources for program in source(*arguments))  # noqa: E731
            monkeypatch.setattr(gathering, "wrong_programs", programs)
        job = Job(assignment, (stage,), find_conditions("watched", "none"), assignment.name, only)
        return gathering.judge_unseeded(job, stage, None, requested_sessions(assignment, stage, only), Pool())

    return judge_main


def run_session(stage, run, session, read, salt):
    """Run the submitted function in one session; an error of the harness becomes the session's failure."""
    draw = seeded_draw(stage.draws, f"{salt} {session.case.name} {session.number}")
    try:
        output = run(input_script_of(session.case.session, None, ""), draw)
        return DrawnSession(session, output, read(output.events))
    except HarnessError as error:
        return DrawnSession(session, Transcript(()), failure=str(error))
