"""A known mistake is named, alone and with another; a right program, or one wrong in another way, is given no name."""

import msgspec
import pytest

from pitboss.assignments.cases import sessions_of
from pitboss.assignments.players import input_script_of
from pitboss.checking.check import check
from pitboss.compare.comparison import difference_between
from pitboss.compare.outcome import JudgedSession
from pitboss.compare.verdicts import read_past_end
from pitboss.experiments.catalogue import mistakes_of, pairs_of
from pitboss.experiments.matrix import catches_of
from pitboss.experiments.naming.diagnosis import diagnosed
from pitboss.model.comparison_policy import EXACT
from pitboss.model.scripts import typing
from pitboss.model.transcript import InputEnded, Shown, Transcript, canonical, exited
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.expected_transcript import expectation_of
from pitboss.sessions.job import Job
from tests.conftest import ROOT
from tests.experiments.naming.sessions import witnesses
from tests.labelled import expected_of, labelled

STAGES = ("shuffle", "deal", "play", "betting", "errors")


@pytest.mark.rotates("corpora")
@pytest.mark.parametrize("folder", labelled(ROOT / "tests" / "misconceptions", 1))
def test_a_mistake_in_c_is_caught_and_named(blackjack, folder):
    expected = expected_of(folder)
    stage = blackjack.stage(expected["stage"])
    (report,) = check(Job(blackjack, (stage,), find_conditions("watched", "landlock"), "blackjack"), folder).stages
    assert report.verdict.value == expected["verdict"]
    named = [one.id for one in report.diagnosis if one.explains == one.of]
    assert named[:1] == ([] if expected["mistake"] == "none" else [expected["mistake"]])


def with_another_end(witness, text=b"", exit_code=1):
    """The session of a program that shows a text and an exit code of its own after the end of input."""
    ended = any(isinstance(event, InputEnded) for event in witness.actual.events)
    if not ended:
        return witness
    events = canonical([*witness.actual.events, Shown(text)] if text else witness.actual.events)
    return msgspec.structs.replace(witness, actual=Transcript(events, exited(exit_code)), is_accepted=False)


def test_what_a_program_does_after_an_end_of_input_that_nobody_expects_hides_no_name(blackjack):
    stage = blackjack.stage("betting")
    asking = 0
    for mistake in mistakes_of(stage)[:20]:
        seen = list(witnesses(stage, mistake.run_of(stage.name)))
        ended = [with_another_end(one, b"No input!\n") if asks_too_often(one) else one for one in seen]
        if ended != seen:
            asking += 1
            usual = [one.id for one in diagnosed(stage, seen)]
            assert mistake.id in usual
            assert [one.id for one in diagnosed(stage, ended)] == usual
    assert asking > 2


def asks_too_often(witness):
    return not witness.is_accepted and read_past_end(witness.expected, witness.actual.events)


def test_what_differs_only_after_an_expected_end_of_input_is_no_known_mistake(blackjack):
    stage = blackjack.stage("errors")
    right = list(witnesses(stage, expected_run_here(stage)))
    ended = [one for one in right if any(isinstance(event, InputEnded) for event in one.actual.events)]
    assert ended
    seen = [with_another_end(one, b"Good bye!\n", 0) for one in right]
    assert [one.id for one in diagnosed(stage, seen)] == []


def test_names_that_other_cases_contradict_are_dropped_before_a_list_is_given(blackjack):
    """Players of these other cases answer what nobody types in the sessions that failed."""
    stage = blackjack.stage("betting")
    right = expected_run_here(stage)
    wrong = next(one for one in mistakes_of(stage) if one.id == "blackjack-asked").run_of("betting")

    def witness(actual, expected, *, is_in_step=False):
        is_same = difference_between(expected.events, actual.events, EXACT) is None
        return JudgedSession(actual, EXACT, is_same, expected=expected.events, is_in_step=is_in_step)

    def run_further(sessions):
        played = [wrong(input_script_of(one.case.session, one.seed, "here")) for one in sessions]
        return [witness(one, right(typing(one.lines)), is_in_step=True) for one in played]

    of_case = [one for one in sessions_of(stage) if one.case.name == "twenty who always double"]
    expected = [expectation_of(one, right) for one in of_case]
    seen = [witness(wrong(typing(one.lines)), one) for one in expected]
    several = [one.id for one in diagnosed(stage, seen)]
    assert several == ["no-blackjacks", "blackjack-asked", "ten-makes-no-blackjack"]
    assert [one.id for one in diagnosed(stage, seen, run_further=run_further)] == ["blackjack-asked"]


@pytest.mark.slow
@pytest.mark.parametrize("name", STAGES)
def test_every_known_mistake_of_the_ladder_is_reported_as_itself_or_as_what_looks_the_same(blackjack, name):
    stage = blackjack.stage(name)
    for mistake in mistakes_of(stage):
        if mistake.invisible:
            continue
        seen = list(witnesses(stage, mistake.run_of(name)))
        named = {one.id for one in diagnosed(stage, seen) if one.explains == one.of}
        assert mistake.id in named, mistake.id
        assert len(named) <= 2, (mistake.id, named)


@pytest.mark.slow
def test_two_mistakes_in_one_program_are_reported_in_nine_of_ten(blackjack):
    """A mistake that hides the other altogether is told alone, and rightly: nothing shows the other."""
    stage = blackjack.stage("play")
    pairs = list(pairs_of(stage))
    sample = pairs[:: max(1, len(pairs) // 30)]
    right = 0
    for pair in sample:
        one, other = pair.id.split("+")
        output = diagnosed(stage, list(witnesses(stage, pair.run_of("play"))))
        # A mistake of the texts may be told as what differs in them.
        right += bool({part for each in output for part in each.id.split("+")} & {one, other})
    assert right >= 0.9 * len(sample), (right, len(sample))


@pytest.mark.parametrize("name", STAGES)
def test_every_known_mistake_of_the_ladder_is_caught(blackjack, name):
    catches = catches_of(blackjack, blackjack.stage(name))
    assert [catch.mistake.id for catch in catches if catch.is_survivor] == []
    assert [catch.mistake.id for catch in catches if catch.mistake.invisible and catch.cases] == []


def test_a_right_program_is_given_no_diagnosis(blackjack):
    job = Job(blackjack, blackjack.stages, find_conditions("watched", "landlock"), "blackjack")
    reports = check(job, ROOT / "examples" / "blackjack" / "grace").stages
    assert [report.diagnosis for report in reports] == [()] * len(reports)
