"""A known mistake is named; a correct or differently wrong program gets no diagnosis."""

import msgspec
import pytest

from pitboss.assignments.cases import sessions_of
from pitboss.assignments.players import input_script_of
from pitboss.checking.check import check
from pitboss.compare.comparison import difference_between
from pitboss.compare.outcome import JudgedSession
from pitboss.compare.results import read_past_end
from pitboss.experiments.catalogue import mistakes_of
from pitboss.experiments.matrix import catches_of
from pitboss.experiments.naming.diagnosis import diagnoses_of_sessions
from pitboss.model.comparison_policy import EXACT
from pitboss.model.invocation import script_of_lines
from pitboss.model.transcript import InputEnded, Shown, Transcript, canonical, exited
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.references import expectation_of
from tests.conftest import ROOT
from tests.experiments.naming.sessions import judged_sessions
from tests.labelled import labelled_folders, read_expected

STAGES = ("shuffle", "deal", "play", "betting", "errors")


@pytest.mark.rotates("corpora")
@pytest.mark.parametrize("folder", labelled_folders(ROOT / "tests" / "misconceptions", 1))
def test_a_known_mistake_in_a_c_program_is_caught_and_named(blackjack, folder):
    expected = read_expected(folder)
    stage = blackjack.stage(expected["stage"])
    (report,) = check(Job(blackjack, (stage,), find_conditions("watched", "landlock"), "blackjack"), folder).stages
    assert report.verdict.value == expected["verdict"]
    mistake_ids = [diagnosis.id for diagnosis in report.diagnosis if diagnosis.explains == diagnosis.of]
    assert mistake_ids[:1] == ([] if expected["mistake"] == "none" else [expected["mistake"]])


def with_other_ending(session, text=b"", exit_code=1):
    """The session; if its input ended, the program now prints this text at its end, and exits with this code."""
    if not any(isinstance(event, InputEnded) for event in session.actual.events):
        return session
    events = canonical([*session.actual.events, Shown(text)] if text else session.actual.events)
    return msgspec.structs.replace(session, actual=Transcript(events, exited(exit_code)), is_accepted=False)


def test_output_after_an_unexpected_end_of_input_hides_no_mistake(blackjack):
    stage = blackjack.stage("betting")
    mistakes_with_unexpected_ends = 0
    for mistake in mistakes_of(stage)[:20]:
        sessions = list(judged_sessions(stage, mistake.run_of(stage.name)))
        other_sessions = [
            with_other_ending(session, b"No input!\n") if reads_too_often(session) else session for session in sessions
        ]
        if other_sessions != sessions:
            mistakes_with_unexpected_ends += 1
            usual_ids = [diagnosis.id for diagnosis in diagnoses_of_sessions(stage, sessions)]
            assert mistake.id in usual_ids
            assert [diagnosis.id for diagnosis in diagnoses_of_sessions(stage, other_sessions)] == usual_ids
    assert mistakes_with_unexpected_ends > 2


def reads_too_often(session):
    """Whether the program failed and read an end of input that the reference does not read."""
    return not session.is_accepted and read_past_end(session.expected, session.actual.events)


@pytest.mark.parametrize(
    ("ending", "named"),
    [
        (b"Good bye!\n", ["text-line-too-many"]),  # a true diagnosis: nothing else differs
        (b"Good bye!\nSee you!\n", []),
    ],
)
def test_a_difference_after_an_expected_end_of_input_is_no_game_mistake(blackjack, ending, named):
    stage = blackjack.stage("errors")
    correct_sessions = list(judged_sessions(stage, expected_run_here(stage)))
    ended_sessions = [
        session for session in correct_sessions if any(isinstance(event, InputEnded) for event in session.actual.events)
    ]
    assert ended_sessions
    sessions = [with_other_ending(session, ending, 0) for session in correct_sessions]
    assert [diagnosis.id for diagnosis in diagnoses_of_sessions(stage, sessions)] == named


def test_mistakes_that_other_cases_contradict_are_not_listed(blackjack):
    """Three mistakes explain the failed sessions of one case; other cases, with other answers, refute two of them."""
    stage = blackjack.stage("betting")
    correct_run = expected_run_here(stage)
    wrong_run = next(mistake for mistake in mistakes_of(stage) if mistake.id == "blackjack-asked").run_of("betting")

    def judge_run(actual, expected, *, is_live_input=False):
        is_same = difference_between(expected.events, actual.events, EXACT) is None
        return JudgedSession(actual, EXACT, is_same, expected=expected.events, is_live_input=is_live_input)

    def run_further(sessions):
        transcripts = [wrong_run(input_script_of(session.case.session, session.seed, "here")) for session in sessions]
        return [
            judge_run(transcript, correct_run(script_of_lines(transcript.lines)), is_live_input=True)
            for transcript in transcripts
        ]

    case_sessions = [session for session in sessions_of(stage) if session.case.name == "twenty who always double"]
    expected = [expectation_of(session, correct_run) for session in case_sessions]
    judged = [judge_run(wrong_run(script_of_lines(transcript.lines)), transcript) for transcript in expected]
    mistake_ids = [diagnosis.id for diagnosis in diagnoses_of_sessions(stage, judged)]
    assert mistake_ids == ["no-blackjacks", "blackjack-asked", "ten-makes-no-blackjack"]
    assert [diagnosis.id for diagnosis in diagnoses_of_sessions(stage, judged, run_further=run_further)] == [
        "blackjack-asked"
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", STAGES)
def test_every_known_mistake_is_named_with_at_most_one_alternative(blackjack, name):
    stage = blackjack.stage(name)
    for mistake in mistakes_of(stage):
        if mistake.invisible:
            continue
        sessions = list(judged_sessions(stage, mistake.run_of(name)))
        named_ids = {
            diagnosis.id for diagnosis in diagnoses_of_sessions(stage, sessions) if diagnosis.explains == diagnosis.of
        }
        assert mistake.id in named_ids, mistake.id
        assert len(named_ids) <= 2, (mistake.id, named_ids)


@pytest.mark.parametrize("name", STAGES)
def test_every_known_mistake_of_each_stage_is_caught(blackjack, name):
    catches = catches_of(blackjack, blackjack.stage(name))
    assert [catch.mistake.id for catch in catches if catch.is_survivor] == []
    assert [catch.mistake.id for catch in catches if catch.mistake.invisible and catch.cases] == []


def test_a_correct_program_has_no_diagnosis(blackjack):
    job = Job(blackjack, blackjack.stages, find_conditions("watched", "landlock"), "blackjack")
    reports = check(job, ROOT / "examples" / "blackjack" / "grace").stages
    assert [report.diagnosis for report in reports] == [()] * len(reports)
