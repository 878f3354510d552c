"""A known mistake is named, alone and with another; a right program, or one wrong in another way, is given no name."""

from pathlib import Path

import pytest
import yaml

from harness.assignment import Recorded
from harness.cases import sessions_of
from harness.checking import check
from harness.comparison import difference_between
from harness.diagnosis import diagnosed
from harness.drivers import expected_run_here, find_conditions
from harness.expectations import expectation_of
from harness.job import Job
from harness.matrix import catches_of
from harness.mistakes import mistakes_of, pairs_of
from harness.outcome import Witness
from harness.players import input_script_of
from harness.policy import EXACT
from harness.scripts import typing
from tests.conftest import ROOT

FOLDERS = sorted(path.parent for path in (Path(__file__).parent / "misconceptions").glob("*/expect.yaml"))
STAGES = ("shuffle", "deal", "play", "betting", "errors")


@pytest.mark.parametrize("folder", FOLDERS, ids=[folder.name for folder in FOLDERS])
def test_a_mistake_in_c_is_caught_and_named(blackjack, folder):
    expected = yaml.safe_load((folder / "expect.yaml").read_text())
    stage = blackjack.stage(expected["stage"])
    (report,) = check(Job(blackjack, (stage,), find_conditions("watched", "landlock"), "blackjack"), folder).stages
    assert report.verdict.value == expected["verdict"]
    named = [one.id for one in report.diagnosis if one.explains == one.of]
    assert named[:1] == ([] if expected["mistake"] == "none" else [expected["mistake"]])


def witnesses(stage, perform):
    """The sessions of a stage as a program would hold them that does what `perform` does."""
    right = expected_run_here(stage)
    for session in sessions_of(stage):
        expected = expectation_of(session, right)
        case = session.case.session
        typist = typing(expected.lines) if isinstance(case, Recorded) else input_script_of(case, session.seed, "here")
        actual = perform(typist)
        is_same = difference_between(expected.events, actual.events, EXACT) is None
        yield Witness(actual, EXACT, is_same)


@pytest.mark.slow
@pytest.mark.parametrize("name", STAGES)
def test_every_known_mistake_of_the_ladder_is_told_as_itself_or_as_what_looks_the_same(blackjack, name):
    stage = blackjack.stage(name)
    for mistake in mistakes_of(stage):
        if mistake.invisible:
            continue
        seen = list(witnesses(stage, mistake.performance(name)))
        named = {one.id for one in diagnosed(stage, seen) if one.explains == one.of}
        assert mistake.id in named, mistake.id
        assert len(named) <= 2, (mistake.id, named)


@pytest.mark.slow
def test_two_mistakes_in_one_program_are_told_in_nine_of_ten(blackjack):
    """A mistake that hides the other altogether is told alone, and rightly: nothing shows the other."""
    stage = blackjack.stage("play")
    pairs = list(pairs_of(stage))
    sample = pairs[:: max(1, len(pairs) // 30)]
    right = 0
    for pair in sample:
        one, other = pair.id.split("+")
        named = {each.id for each in diagnosed(stage, list(witnesses(stage, pair.performance("play"))))}
        right += bool(named & {pair.id, one, other})
    assert right >= 0.9 * len(sample), (right, len(sample))


@pytest.mark.parametrize("name", STAGES)
def test_every_known_mistake_of_the_ladder_is_caught(blackjack, name):
    catches = catches_of(blackjack, blackjack.stage(name))
    assert [catch.mistake.id for catch in catches if catch.is_survivor] == []
    assert [catch.mistake.id for catch in catches if catch.mistake.invisible and catch.cases] == []


def test_the_words_of_every_mistake_are_there_and_its_name_is_its_own():
    for assignment in ("blackjack", "csc101", "ece2036", "tournament", "bjm0"):
        catalogue = __import__(f"reference.{assignment}.mistakes", fromlist=["catalogue"]).catalogue()
        assert len({one.id for one in catalogue}) == len(catalogue)
        assert len({one.title for one in catalogue}) == len(catalogue)
        assert len(catalogue) >= (40 if assignment == "blackjack" else 15)
        for one in catalogue:
            assert all((one.title, one.hint, one.note, one.source, one.mains)), one.id
            assert one.hint[0].isupper()
            assert one.hint[-1] in ".?"
            for word in ("EOF", "stdout", "stdin", "SIGSEGV", "buffer"):
                assert word not in one.title + one.hint


def test_a_right_program_is_given_no_diagnosis(blackjack):
    job = Job(blackjack, blackjack.stages, find_conditions("watched", "landlock"), "blackjack")
    reports = check(job, ROOT / "examples" / "blackjack" / "grace").stages
    assert [report.diagnosis for report in reports] == [()] * len(reports)
