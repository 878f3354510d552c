import pytest

from pitboss.assignments.cases import sessions_of
from pitboss.checking.check import check
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT

EXAMPLES = ROOT / "examples" / "blackjack"
VERDICTS = {
    "ada": "ACCEPTED ACCEPTED ACCEPTED ACCEPTED ACCEPTED NEEDS_REVIEW",
    "grace": "ACCEPTED ACCEPTED ACCEPTED ACCEPTED ACCEPTED",
    "margaret": "ACCEPTED ACCEPTED ACCEPTED ACCEPTED ACCEPTED",
    "barbara": "ACCEPTED WRONG_ANSWER SKIPPED NOT_HANDED_IN NOT_HANDED_IN",
    "brian": "ACCEPTED ACCEPTED WRONG_ANSWER NOT_HANDED_IN NOT_HANDED_IN",
    "dennis": "ACCEPTED ACCEPTED RUN_TIME_ERROR NOT_HANDED_IN NOT_HANDED_IN",
    "edsger": "ACCEPTED ACCEPTED WRONG_ANSWER NOT_HANDED_IN NOT_HANDED_IN",
    "ken": "ACCEPTED TIME_LIMIT_EXCEEDED NOT_HANDED_IN NOT_HANDED_IN NOT_HANDED_IN",
    "linus": "ACCEPTED ACCEPTED COMPILE_ERROR NOT_HANDED_IN NOT_HANDED_IN",
}


@pytest.mark.parametrize("name", VERDICTS)
def test_an_example_gets_the_verdicts_it_was_written_for(blackjack, name):
    job = Job(blackjack, blackjack.stages, find_conditions(), "blackjack")
    report = check(job, EXAMPLES / name)
    assert " ".join(stage.verdict.value for stage in report.stages) == VERDICTS[name]
    assert report.faults == ()


def test_every_example_has_expected_verdicts():
    assert {path.name for path in EXAMPLES.iterdir()} == set(VERDICTS)


def test_a_statically_linked_program_is_checked_in_full(blackjack, tmp_path):
    (tmp_path / "play.c").write_text((EXAMPLES / "ada" / "play.c").read_text())
    (tmp_path / "Makefile").write_text("play: play.c\n\tcc -static -o play play.c\n")
    stages = (blackjack.stage("play"),)
    (play,) = check(Job(blackjack, stages, find_conditions(), "blackjack"), tmp_path).stages
    assert (play.verdict.value, play.passed) == ("ACCEPTED", len(sessions_of(stages[0])))
