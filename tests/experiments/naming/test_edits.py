"""Two hundred random edits of a right C program: each that changes something is caught, and none is given a wrong name."""

import re
import shutil
import subprocess
import tempfile
from itertools import islice
from pathlib import Path

import pytest
import yaml

from pitboss.assignments.players import input_script_of
from pitboss.checking.check import judge_program
from pitboss.compare.comparison import difference_between
from pitboss.errors import HarnessError
from pitboss.experiments.catalogue import mistakes_of, pairs_of
from pitboss.experiments.hunting.examples import known_games
from pitboss.experiments.hunting.games import Games, session_of
from pitboss.experiments.hunting.questions import steps_of
from pitboss.model.comparison_policy import EXACT
from pitboss.model.scripts import Script
from pitboss.sandbox.workers import workers
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from tests.conftest import ROOT
from tests.edits import edits_of

TRUTH = yaml.safe_load((ROOT / "tests" / "edits.yaml").read_text())
EACH, SEED, FURTHER_GAMES, FOR_EVER = 40, 2026, 120, 1e9


def programs(stage, folder):
    """So many edits of a stage's program that can be compiled, each with its name and its program."""
    source = (ROOT / "examples" / "blackjack" / "ada" / f"{stage}.c").read_text()
    folder.chmod(0o755)
    for number, edit in enumerate(edits_of(source, SEED)):
        here = folder / str(number)
        here.mkdir()
        (here / f"{stage}.c").write_text(edit.source)
        built = subprocess.run(["cc", "-O1", "-w", "-o", here / stage, here / f"{stage}.c"], capture_output=True)
        if built.returncode == 0:
            yield f"{stage} {edit.name}", Program((str(here / stage),), here)
        shutil.rmtree(here)


def does_the_same(job, stage, program, mistake):
    """Whether a program does what a wrong reference does, in games that the specs do not hold.

    A wrong program may ask something else than the right one, and get an answer about which nothing is ruled: those do
    not count.
    """
    known, alike = known_games(stage, until=FOR_EVER), 0
    games = Games(stage, known, expected_run_here(stage))
    sessions = [session_of(stage, game) for game, _ in games.take(FURTHER_GAMES * 9, until=FOR_EVER)[::9]]
    expected_run = mistake.run_of(stage.name)
    with job.conditions.driver_of(program, stage.limits) as driver:
        for number, actual in driver.sessions(
            Script(input_script_of(one.case.session, one.seed, "")) for one in sessions
        ):
            try:
                output = expected_run(input_script_of(sessions[number].case.session, sessions[number].seed, ""))
            except HarnessError:
                return False
            if difference_between(output.events, actual.events, EXACT) is None:
                alike += 1
            elif known.is_fair(steps_of(output.events, is_seeded=stage.is_seeded)):
                return False
    return alike > len(sessions) // 2


@pytest.mark.slow
@pytest.mark.parametrize("name", ["shuffle", "deal", "play", "betting", "errors"])
def test_an_edit_is_caught_and_is_never_given_a_wrong_name(blackjack, name):
    stage = blackjack.stage(name)
    job = Job(blackjack, (stage,), find_conditions("watched", "landlock"), "blackjack")
    accepted, named, wrongly = set(), {}, []
    with tempfile.TemporaryDirectory() as folder, workers(2, takes_part=True) as pool:
        for edit, program in islice(programs(name, Path(folder)), EACH):
            report = judge_program(job, stage, program, pool)
            if report.verdict.value == "ACCEPTED":
                accepted.add(edit)
            known = [one.id for one in report.diagnosis if one.explains == one.of]
            known = [id_ for id_ in known if not re.search(r"(^|\+)text-|^seeded-", id_)]
            if known:
                named[edit] = known[0]
                mistake = next(one for one in (*mistakes_of(stage), *pairs_of(stage)) if one.id == known[0])
                if not does_the_same(job, stage, program, mistake):
                    wrongly.append((edit, known[0]))
    assert wrongly == []
    assert named == {edit: mistake for edit, mistake in TRUTH["named"].items() if edit.startswith(f"{name} ")}
    assert accepted == {edit for edit in TRUTH["same"] if edit.startswith(f"{name} ")}
