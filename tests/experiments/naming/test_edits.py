"""Random edits of correct C programs: each that changes the behaviour is caught, and none gets a wrong diagnosis."""

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
from pitboss.experiments.catalogue import mistakes_of
from pitboss.experiments.hunting.games import Games
from pitboss.experiments.hunting.questions import known_games, steps_of
from pitboss.machine.workers import workers
from pitboss.model.comparison_policy import EXACT
from pitboss.model.invocation import Script
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from tests.conftest import ROOT
from tests.edits import random_edits

#: Decided by hand: edits that change nothing a session can show ("same"), and edits that are known mistakes ("named").
EXPECTED_RESULTS = yaml.safe_load((ROOT / "tests" / "edits.yaml").read_text())
#: How many edits of each of the five programs are tried, and the seed from which they are made.
EDITS_PER_STAGE, SEED = 40, 2026
#: In how many games a program is compared with the known mistake that is named for it.
FURTHER_GAMES = 120
NO_DEADLINE = 1e9


def compiled_edits(stage, folder):
    """The random edits of a stage's program that compile: the name of each edit, and its program."""
    source = (ROOT / "examples" / "blackjack" / "ada" / f"{stage}.c").read_text()
    folder.chmod(0o755)
    for number, edit in enumerate(random_edits(source, SEED)):
        program_folder = folder / str(number)
        program_folder.mkdir()
        (program_folder / f"{stage}.c").write_text(edit.source)
        compilation = subprocess.run(
            ["cc", "-O1", "-w", "-o", program_folder / stage, program_folder / f"{stage}.c"], capture_output=True
        )
        if compilation.returncode == 0:
            yield f"{stage} {edit.name}", Program((str(program_folder / stage),), program_folder)
        shutil.rmtree(program_folder)


def behaves_like_mistake(job, stage, program, mistake):
    """Whether a program behaves like the program of a known mistake, in generated games that are not in the specs.

    A wrong program may ask a question that the correct one does not ask, and get an answer for which the assignment
    specifies nothing: such games are ignored.
    """
    case_games, same_count = known_games(stage, until=NO_DEADLINE), 0
    games = Games(stage, case_games, expected_run_here(stage))
    # The first games are short: every ninth of more games gives long ones too.
    sessions = [session for session, _ in games.take(FURTHER_GAMES * 9, until=NO_DEADLINE)[::9]]
    mistake_run = mistake.run_of(stage.name)
    with job.conditions.driver_of(program, stage.limits) as driver:
        for number, actual in driver.sessions(
            Script(input_script_of(session.case.session, session.seed, "")) for session in sessions
        ):
            try:
                output = mistake_run(input_script_of(sessions[number].case.session, sessions[number].seed, ""))
            except HarnessError:
                return False
            if difference_between(output.events, actual.events, EXACT) is None:
                same_count += 1
            elif case_games.is_fair(steps_of(output.events, is_seeded=stage.is_seeded)):
                return False
    return same_count > len(sessions) // 2


@pytest.mark.slow
@pytest.mark.parametrize("name", ["shuffle", "deal", "play", "betting", "errors"])
def test_an_edit_is_caught_and_never_gets_a_wrong_diagnosis(blackjack, name):
    stage = blackjack.stage(name)
    job = Job(blackjack, (stage,), find_conditions("watched", "landlock"), "blackjack")
    accepted, named_mistakes, wrongly_named = set(), {}, []
    with tempfile.TemporaryDirectory() as folder, workers(2, takes_part=True) as pool:
        for edit, program in islice(compiled_edits(name, Path(folder)), EDITS_PER_STAGE):
            report = judge_program(job, stage, program, pool)
            if report.verdict.value == "ACCEPTED":
                accepted.add(edit)
            mistake_ids = [diagnosis.id for diagnosis in report.diagnosis if diagnosis.explains == diagnosis.of]
            # A habit (text-…) or a wrong seed (seeded-…) is not in the catalogue, and has no program to compare with.
            mistake_ids = [id_ for id_ in mistake_ids if not re.search(r"(^|\+)text-|^seeded-", id_)]
            if mistake_ids:
                named_mistakes[edit] = mistake_ids[0]
                mistake = next(candidate for candidate in mistakes_of(stage) if candidate.id == mistake_ids[0])
                if not behaves_like_mistake(job, stage, program, mistake):
                    wrongly_named.append((edit, mistake_ids[0]))
    assert wrongly_named == []
    assert named_mistakes == {
        edit: mistake for edit, mistake in EXPECTED_RESULTS["named"].items() if edit.startswith(f"{name} ")
    }
    assert accepted == {edit for edit in EXPECTED_RESULTS["same"] if edit.startswith(f"{name} ")}
