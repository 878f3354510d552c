import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from pitboss.assignments.cases import all_sessions_of
from pitboss.assignments.options import Option, OptionValue, Rule, fixed_option
from pitboss.assignments.specfile import load_assignment
from pitboss.compare.comparison import Split
from pitboss.compare.findings import DrawnTwice
from pitboss.compare.outcome import Outcome
from pitboss.compare.results import Verdict
from pitboss.experiments.relation import run_in_session
from pitboss.model.transcript import Shown, Typed, canonical
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.references import expected_run_in_process
from pitboss.unseeded.choice import Selection
from pitboss.unseeded.other_features import without_other_features
from pitboss.unseeded.reader import DrawnSession, invented_draws
from pitboss.unseeded.unseeded import Judge
from reference.console import InputEnded
from reference.ece2036 import game as blackjack
from reference.ece2036.rules import Rules
from reference.tournament import game
from reference.tournament.rules import ACES
from tests.conftest import ROOT

DOUBLE = Option(
    "double",
    "double",
    (OptionValue("without doubling", False), OptionValue("with doubling", True)),
    feature_rule="doubled",
    rules=(Rule("doubled", r"\(d\)ouble: d$"),),
)
#: A feature that no typed line requests: jokers, which the reference shows.
JOKER = Option(
    "joker",
    "joker",
    (OptionValue("without jokers", False), OptionValue("with jokers", True)),
    feature_rule="a joker",
    rules=(Rule("a joker", r"^Joker$"),),
)


def build_stage(name, *options, rules=()):
    spec = SimpleNamespace(path=Path(f"{name}.yaml"))
    return SimpleNamespace(name=name, options=options, rules=rules, spec=spec, draws=SimpleNamespace(bag=0))


#: The stage that is judged.
STAGE = build_stage("basic", DOUBLE, JOKER)
#: The stage that tests doubling, in which only programs with it are right.
DOUBLE_STAGE = build_stage("double", fixed_option(DOUBLE, True, is_tested=True), JOKER, rules=DOUBLE.rules)
WITH_DOUBLING, WITH_JOKERS, WITH_BOTH, WITHOUT_FEATURES = (
    Selection(STAGE, "", setting, "", (), ()) for setting in ((1, 0), (0, 1), (1, 1), (0, 0))
)


def session_result(*answers, wrong_after=None, verdict=Verdict.WRONG_ANSWER, place="", shown="Card", actual="Oh"):
    """The result of a session with these answers; an answer in capitals is followed by a joker.

    With `wrong_after`, the result is wrong: it differs in the line after the answer with this number, from 1, where
    `shown` is expected and the program shows `actual`.
    """
    events = canonical(
        [
            event
            for number, answer in enumerate(answers, 1)
            for event in (
                Shown(b"Hit or (d)ouble: "),
                Typed(answer.encode()),
                Shown(b"Joker\n" if answer.isupper() else b""),
                Shown(f"{shown if number == wrong_after else 'Card'}\n".encode()),
            )
        ]
    )
    expected = SimpleNamespace(events=events)
    if wrong_after is None:
        return SimpleNamespace(verdict=Verdict.ACCEPTED, difference=None, expected=expected, actual=expected)
    index = [index for index, event in enumerate(events) if isinstance(event, Typed)][wrong_after - 1] + 1
    before, rest = events[:index], events[index:]
    if answers[wrong_after - 1].isupper():
        before = (*before, Shown(b"Joker\n"))
        rest = (Shown(rest[0].text.removeprefix(b"Joker\n")), *rest[1:])
    quoted = Split(before, before, rest, (Shown(f"{actual}\n".encode()),))
    difference = SimpleNamespace(quoted=quoted, place=place)
    actual_session = SimpleNamespace(events=(*before, *quoted.actual))
    return SimpleNamespace(verdict=verdict, difference=difference, expected=expected, actual=actual_session)


ACCEPTED_SESSIONS = [session_result("h", "s")] * 20
DOUBLING_SLIP = session_result("h", "d", "s", wrong_after=2)
LATE_DOUBLING_SLIP = session_result("h", "d", "s", wrong_after=3)
JOKER_SLIP, LATE_JOKER_SLIP = (session_result("H", "s", wrong_after=number) for number in (1, 2))


def judge_outcome(results, selection=WITH_DOUBLING, stage=STAGE, **fields):
    """The verdict on these results, the number of results that count for it, and what the program was judged as.

    `fields` are further fields of the outcome.
    """

    def typed_before(_, option, index):
        lines = [event.line for event in results[index].expected.events if isinstance(event, Typed)]
        is_changed = str.isupper if option.name == "joker" else "d".__eq__
        return next((count for count, line in enumerate(lines, 1) if is_changed(line.decode())), None)

    outcome = without_other_features(Outcome(tuple(results), **fields), selection, stage, typed_before)
    return outcome.verdict, len(outcome.counted_results), outcome.judged_as


def test_sessions_with_another_stages_feature_are_not_counted():
    results = [*ACCEPTED_SESSIONS, DOUBLING_SLIP, session_result("d", "s"), DOUBLING_SLIP]
    assert judge_outcome(results, judged_as="with doubling") == (
        Verdict.ACCEPTED,
        20,
        "with doubling, without the 3 sessions with doubling, of which 2 are wrong",
    )


def test_a_rule_counts_in_a_wrong_session_only_before_the_difference():
    stage = build_stage("basic", DOUBLE, JOKER, rules=(Rule("a stand", r"^Hit or \(d\)ouble: s$"),))
    late_slip, right_session = session_result("s", "d", "s", wrong_after=2), session_result("d", "s")
    results = (*ACCEPTED_SESSIONS, late_slip, right_session)
    accepted_count = len(ACCEPTED_SESSIONS) + 1  # of the accepted sessions, which the judge has counted
    outcome = without_other_features(
        Outcome(results, rules=(("a stand", accepted_count),)),
        Selection(stage, "", (1, 0), "", (), ()),
        stage,
        lambda selection, option, index: {20: 2, 21: 1}.get(index) if option is DOUBLE else None,
    )
    assert (outcome.verdict, dict(outcome.rules)) == (Verdict.ACCEPTED, {"a stand": accepted_count + 1})


def test_a_feature_key_typed_where_it_is_not_offered_belongs_to_the_feature():
    events = (Shown(b"Hit or stand: "), Typed(b"d"), Shown(b"No.\n"))
    unoffered = SimpleNamespace(
        verdict=Verdict.WRONG_ANSWER,
        difference=SimpleNamespace(quoted=Split(events[:2], events[:2], events[2:], ()), place=""),
        expected=SimpleNamespace(events=events),
        actual=SimpleNamespace(events=events),
    )
    assert judge_outcome([*ACCEPTED_SESSIONS, unoffered, session_result("d")])[:2] == (Verdict.ACCEPTED, 20)


def in_own_words(result):
    """The result of a program with its own question, which is accepted in place of the reference's."""
    events = [
        Shown(event.text.replace(b"Hit or (d)ouble: ", b"More (d for a double bet)? "))
        if isinstance(event, Shown)
        else event
        for event in result.actual.events
    ]
    return SimpleNamespace(**{**vars(result), "actual": SimpleNamespace(events=tuple(events))})


def test_a_feature_may_be_shown_in_the_words_of_the_program():
    results = [in_own_words(result) for result in (*ACCEPTED_SESSIONS, session_result("d", "s"), DOUBLING_SLIP)]
    assert judge_outcome(results)[:2] == (Verdict.ACCEPTED, 20)
    # What is accepted in sessions without doubling does not say whether the program has it.
    assert judge_outcome([in_own_words(result) for result in (*ACCEPTED_SESSIONS, DOUBLING_SLIP)])[:2] == (
        Verdict.WRONG_ANSWER,
        21,
    )


def test_a_feature_that_is_only_offered_in_a_wrong_session_is_no_reason():
    """Then one of the wrong sessions would count, and the other would not."""
    offered = msgspec.structs.replace(DOUBLE, with_others=(Rule("doubling is offered", r"\(d\)ouble"),))
    stage = build_stage("basic", offered, JOKER)
    slip = session_result("h", "s", wrong_after=2)
    results = [*ACCEPTED_SESSIONS, session_result("d", "s"), DOUBLING_SLIP, slip]
    assert judge_outcome(results, Selection(stage, "", (1, 0), "", (), ()), stage) == (Verdict.WRONG_ANSWER, 23, "")


def test_sessions_with_a_feature_that_no_line_requests_are_not_counted():
    results = [*ACCEPTED_SESSIONS, JOKER_SLIP, session_result("h", "H")]
    assert judge_outcome(results, WITH_JOKERS) == (
        Verdict.ACCEPTED,
        20,
        "without the 2 sessions with jokers, of which 1 is wrong",
    )


def test_a_feature_that_the_program_never_shows_is_no_excuse():
    never_shown = session_result("h", "D", wrong_after=2)
    never_shown.actual = SimpleNamespace(events=(Shown(b"Hit or (d)ouble: "),))
    assert judge_outcome([*ACCEPTED_SESSIONS, never_shown], WITH_JOKERS)[0] is Verdict.WRONG_ANSWER


def test_a_feature_shown_by_mistake_is_not_counted_even_if_the_program_seems_to_lack_it():
    shown_by_mistake = session_result("h", "s", wrong_after=2, actual="Joker")
    assert judge_outcome([*ACCEPTED_SESSIONS, shown_by_mistake], WITHOUT_FEATURES)[:2] == (Verdict.ACCEPTED, 20)
    assert judge_outcome([*ACCEPTED_SESSIONS, JOKER_SLIP], WITHOUT_FEATURES)[0] is Verdict.WRONG_ANSWER


@pytest.mark.parametrize("slip", [LATE_DOUBLING_SLIP, LATE_JOKER_SLIP], ids=["requested", "not requested"])
def test_a_slip_may_show_later_if_enough_sessions_are_right(slip):
    selection = WITH_DOUBLING if slip is LATE_DOUBLING_SLIP else WITH_JOKERS
    assert judge_outcome([*ACCEPTED_SESSIONS, *[slip] * 5], selection)[:2] == (Verdict.ACCEPTED, 20)
    with_right_ones = [*ACCEPTED_SESSIONS, *[slip] * 6, *[session_result("d", "D")] * 60]
    assert judge_outcome(with_right_ones, selection)[0] is Verdict.WRONG_ANSWER


def test_the_feature_that_came_up_last_is_responsible():
    selection = Selection(DOUBLE_STAGE, "", (0, 1), "", (), ())
    joker_last, doubling_last = (
        session_result("d", "H", "s", wrong_after=3),
        session_result("H", "d", "s", wrong_after=3),
    )
    assert judge_outcome([*ACCEPTED_SESSIONS, joker_last], selection, DOUBLE_STAGE)[0] is Verdict.ACCEPTED
    assert judge_outcome([*ACCEPTED_SESSIONS, doubling_last], selection, DOUBLE_STAGE)[0] is Verdict.WRONG_ANSWER


def test_a_line_that_requests_a_feature_outweighs_what_the_program_shows():
    """A joker is shown where the cards should be doubled: the stage of the jokers is not to blame."""
    jokers = build_stage("jokers", DOUBLE, fixed_option(JOKER, True, is_tested=True), rules=JOKER.rules)
    selection = Selection(jokers, "", (1, 0), "", (), ())
    requested = session_result("h", "d", wrong_after=2, actual="Joker")
    unrequested = session_result("d", "h", wrong_after=2, actual="Joker")
    assert judge_outcome([*ACCEPTED_SESSIONS, requested], selection, jokers)[0] is Verdict.ACCEPTED
    assert judge_outcome([*ACCEPTED_SESSIONS, unrequested], selection, jokers)[0] is Verdict.WRONG_ANSWER


@pytest.mark.parametrize(
    "results",
    [
        pytest.param(
            [*ACCEPTED_SESSIONS, DOUBLING_SLIP, session_result("h", "s", wrong_after=2)],
            id="one differs without the feature",
        ),
        pytest.param(
            [*ACCEPTED_SESSIONS, *[session_result("h", "s", wrong_after=2)] * 2], id="two differ without the feature"
        ),
        pytest.param(
            [*ACCEPTED_SESSIONS, session_result("h", "d", wrong_after=1)], id="one differs before the feature"
        ),
        pytest.param([*ACCEPTED_SESSIONS[:11], DOUBLING_SLIP], id="too few sessions are without the feature"),
        pytest.param(
            [*ACCEPTED_SESSIONS, session_result("d", wrong_after=1, verdict=Verdict.RUN_TIME_ERROR)], id="one crashes"
        ),
        pytest.param(
            [*ACCEPTED_SESSIONS, session_result("d", wrong_after=1, place="a file")], id="one differs in a file"
        ),
    ],
)
def test_a_stage_fails_for_a_mistake_that_may_not_be_in_the_feature(results):
    assert judge_outcome(results)[0] is not Verdict.ACCEPTED
    assert judge_outcome(results)[1] == len(results)


def test_no_session_is_left_out_for_the_features_own_stage_or_without_the_feature():
    results = [*ACCEPTED_SESSIONS, DOUBLING_SLIP]
    selection = Selection(DOUBLE_STAGE, "", (0, 0), "", (), ())
    assert judge_outcome(results, selection, DOUBLE_STAGE)[0] is Verdict.WRONG_ANSWER
    assert judge_outcome(results, selection=WITHOUT_FEATURES)[0] is Verdict.WRONG_ANSWER


def test_no_session_is_left_out_if_the_draws_of_all_sessions_show_a_mistake():
    results = [*ACCEPTED_SESSIONS, DOUBLING_SLIP]
    assert judge_outcome(results, findings=("It never draws an ace.",))[0] is Verdict.WRONG_ANSWER


@pytest.mark.parametrize(("draws", "verdict"), [(52, Verdict.ACCEPTED), (51, Verdict.WRONG_ANSWER)])
def test_a_value_drawn_twice_is_a_slip_only_of_a_feature_that_comes_up_where_a_bag_is_used_up(draws, verdict):
    twice = session_result("H", "s")
    twice.verdict, twice.finding = Verdict.WRONG_ANSWER, DrawnTwice("4H", 18, 52, 52)
    results = [*ACCEPTED_SESSIONS, *[session_result("H", "s")] * 2, *[twice] * 2]
    drawn = [SimpleNamespace(reading=SimpleNamespace(draws=("AS",) * draws))] * len(results)
    stage = build_stage("basic", DOUBLE, JOKER)
    stage.draws.bag = 52
    selection = msgspec.structs.replace(WITH_BOTH, drawn=drawn)
    assert judge_outcome(results, selection, stage)[0] is verdict


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lacks", "verdict", "words"),
    [
        ({"lowers_aces": False}, "NOT_OFFERED", "without the ace rule"),
        (
            {"lowers_aces": False, "has_blackjack": False},
            "NOT_OFFERED",
            "without the blackjack rule, without the ace rule",
        ),
        ({"has_blackjack": False}, "NOT_OFFERED", "without the blackjack rule"),
        ({"has_blackjack": False, "dealer_draws_to": 15}, "NOT_OFFERED", "without the blackjack rule"),
        ({"lowers_aces": False, "dealer_draws_to": 15}, "NOT_OFFERED", "without the ace rule"),
        ({}, "ACCEPTED", ""),
    ],
)
def test_a_program_without_one_of_the_tested_features_does_not_offer_it(lacks, verdict, words):
    """A tournament with blackjacks is right before aces are, and has not claimed to know the rule for aces."""
    rules = replace(ACES, **lacks)
    outcome = judge_program("tournament", "aces", lambda console, draw: game.main(console, draw, rules))
    assert outcome.verdict.value == verdict
    assert outcome.not_offered.partition("correct program ")[2] == (f"{words}." if words else "")


class PairsByName(Rules):
    """Refuses to split two cards of the same value and different names: a mistake in splitting."""

    def is_pair(self, hand):
        return hand[0] == hand[1]


class PlainSpokenGame(blackjack._Game):
    def _refusal(self, *_):
        return "Invalid choice."


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mistakes", "first_seed"),
    [
        # In about half of the hands that may be split, the program asks the question for other hands.
        ({}, 1000),
        # A program without splitting agrees further: no split is right, and some are refused.
        ({"settles_second": False}, 0),
    ],
)
def test_a_slip_in_a_feature_costs_no_other_stage(mistakes, first_seed):
    def main(console, draw):
        with suppress(InputEnded):
            PlainSpokenGame(console, draw, PairsByName(has_double=True, has_split=True, **mistakes)).play()
        return 0

    outcome = judge_program("ece2036", "double", main, first_seed)
    assert outcome.verdict is Verdict.ACCEPTED
    assert re.search(r"without the \d+ sessions with splitting, of which \d+ are wrong", outcome.judged_as)


def judge_program(assignment_name, stage_name, main, first_seed=0):
    """The outcome of all sessions of a stage for this main function, with draws that are the same every time."""
    assignment = load_assignment(ROOT / "specs" / assignment_name)
    stage = assignment.stage(stage_name)
    judge = Judge(Job(assignment, (stage,), find_conditions(), "student"), stage)
    run = expected_run_in_process(main, "the program")
    drawn = []
    for seed, session in enumerate(all_sessions_of(stage), first_seed):
        transcript = run_in_session(run, session, invented_draws(stage.draws, seed))
        drawn.append(DrawnSession(session, transcript, judge.read(transcript.events)))
    return judge.outcome(drawn)
