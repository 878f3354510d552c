"""Before a program is accepted, the sessions held could have shown every known mistake."""

import importlib.util
import re
from functools import partial

import msgspec
import pytest

from pitboss.assignments.answers import Rerun
from pitboss.assignments.cases import sessions_of
from pitboss.compare.verdicts import Verdict
from pitboss.errors import UsageError
from pitboss.experiments.adequacy.exposure import WrongProgram
from pitboss.experiments.adequacy.player_choice import Candidates
from pitboss.model.transcript import Transcript
from pitboss.sessions.references import expected_run_in_process
from pitboss.unseeded.drawn import DrawnSession
from pitboss.unseeded.reader import Reading
from tests.conftest import ROOT

SPEC = importlib.util.spec_from_file_location("rolling", ROOT / "tests" / "toy" / "sixes" / "rolling.py")
rolling = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(rolling)
SALTS = range(4)


def named(name, **change):
    """One wrong program that must be shown."""
    run = expected_run_in_process(partial(rolling.right, **change), name)
    return lambda stage, judged_as: [WrongProgram(name, name, run)]


@pytest.fixture
def short(sixes):
    """The stage with fewer sessions at most."""
    return msgspec.structs.replace(sixes.stages[0], most_sessions=12)


def cases_of(outcome):
    return [result.session for result in outcome.results]


@pytest.mark.parametrize("salt", SALTS)
def test_a_mistake_that_shows_once_in_216_rolls_is_always_rejected(sixes, judge, salt):
    (stage,) = sixes.stages
    wrong = judge(sixes, stage, partial(rolling.right, bonus=0), salt=salt)
    assert wrong.verdict is Verdict.WRONG_ANSWER
    right = judge(sixes, stage, rolling.right, salt=salt)
    assert (right.verdict, right.findings, right.unshown, right.faults) == (Verdict.ACCEPTED, (), (), ())
    output = [result for result in right.results if "You rolled 6, 6, 6." in result.expected.text.decode()]
    assert output, "three sixes were rolled in some session"


@pytest.mark.parametrize("salt", SALTS)
def test_beside_a_tolerated_program_the_mistakes_are_those_of_that_program(sixes, judge, salt):
    (stage,) = sixes.stages
    wrong = partial(rolling.farewell, bonus=0)
    assert judge(sixes, stage, wrong, salt=salt).verdict is Verdict.WRONG_ANSWER
    right = judge(sixes, stage, rolling.farewell, salt=salt)
    assert (right.verdict, right.judged_as, right.unshown) == (Verdict.ACCEPTED, "a farewell at the end", ())


def test_two_runs_hold_the_same_sessions(sixes, judge):
    (stage,) = sixes.stages
    one, other = (judge(sixes, stage, rolling.right, salt=5) for _ in range(2))
    assert cases_of(one) == cases_of(other)
    assert one == other
    assert len(set(cases_of(one))) == len(one.results) > 8


def test_a_line_that_no_case_types_is_typed_by_the_built_in_player(sixes, judge):
    """The cases stake 0, 5 and 10; 9 is the boundary of a number that they type."""
    (stage,) = sixes.stages
    known = named("a stake of 9 is refused", refused=("0", "9"))
    assert judge(sixes, stage, rolling.right, sources=(known,)).unshown == ()
    wrong = judge(sixes, stage, partial(rolling.right, refused=("0", "9")), sources=(known,))
    failed = [result for result in wrong.results if result.verdict is not Verdict.ACCEPTED]
    assert wrong.verdict is Verdict.WRONG_ANSWER
    assert failed
    assert all(b"9" in result.actual.lines[:2] for result in failed)
    assert failed[0].case.startswith("a wandering player")
    assert failed[0].rerun == Rerun("sixes", "sixes", session=failed[0].session)


REFUSES_9 = partial(rolling.right, refused=("0", "9"))


def test_a_session_of_the_built_in_player_is_run_again_by_its_name(sixes, judge):
    """The same lines, the same draws, judged by the same: whatever was run beside it."""
    (stage,) = sixes.stages
    sources = (named("a stake of 9 is refused", refused=("0", "9")),)
    whole = judge(sixes, stage, REFUSES_9, sources=sources)
    failed = [result for result in whole.results if result.verdict is not Verdict.ACCEPTED]
    for one in (failed[0], failed[-1], next(one for one in whole.results if one.case.startswith("a wandering"))):
        again = judge(sixes, stage, REFUSES_9, sources=sources, only=(one.session,))
        assert (again.results, again.judged_as) == ((one,), whole.judged_as)


def test_sessions_of_cases_and_of_the_built_in_player_are_run_again_together(sixes, judge):
    (stage,) = sixes.stages
    case, session = stage.spec.cases[0].name, f"{stage.spec.cases[1].name} #717"
    names = [session, "a wandering player #1", "a wandering player #2"]
    outcome = judge(sixes, stage, rolling.right, only=(case, *names))
    assert {one.session for one in outcome.results} - {f"{case} #{number}" for number in range(1, 5)} == set(names)
    assert (outcome.verdict, outcome.findings, outcome.unshown) == (Verdict.ACCEPTED, (), ())


def test_a_session_of_a_player_whom_no_case_has_is_run_again_by_its_name(sixes, judge):
    (stage,) = sixes.stages
    cases = stage.spec.cases[:1]
    short = msgspec.structs.replace(stage, spec=msgspec.structs.replace(stage.spec, cases=cases))
    players = [one.name for one in sixes.players if one != cases[0].session.answers]
    assert players
    name = f"the player {players[0]} #3"
    (one,) = judge(sixes, short, rolling.right, only=(name,)).results
    assert (one.session, one.verdict) == (name, Verdict.ACCEPTED)


@pytest.mark.parametrize(
    "name",
    ["a wandering player", "a wandering player #0", "the player nobody #3", "wandering #1", "a wandering player #x"],
)
def test_a_name_that_no_session_has_is_an_error(sixes, judge, name):
    (stage,) = sixes.stages
    with pytest.raises(UsageError, match=re.escape(f"{stage.name} has no case {name!r}")):
        judge(sixes, stage, rolling.right, only=(name,))


def test_as_soon_as_a_session_is_wrong_no_further_ones_are_run(sixes, judge):
    (stage,) = sixes.stages
    assert len(judge(sixes, stage, partial(rolling.right, six=5)).results) == 8


def test_what_could_not_be_shown_is_reported(sixes, short, judge):
    never = named("a stake of a million is refused", refused=("0", "1000000"))
    outcome = judge(sixes, short, rolling.right, sources=(never,))
    assert (outcome.verdict, outcome.unshown) == (
        Verdict.ACCEPTED,
        ("“a stake of a million is refused” could not be shown in 120 sessions: no session reached it.",),
    )


def test_a_mistake_that_a_tolerated_program_makes_too_is_not_counted_as_shown(sixes, short, judge):
    outcome = judge(sixes, short, rolling.right, sources=(named("it says farewell", farewell="Farewell!\n"),))
    assert (outcome.verdict, outcome.unshown) == (
        Verdict.ACCEPTED,
        ("“it says farewell” could not be shown in 120 sessions: an accepted variant behaves the same.",),
    )


def test_a_mistake_that_parts_where_a_tolerated_program_does_is_shown(sixes, judge):
    (stage,) = sixes.stages
    outcome = judge(sixes, stage, rolling.right, sources=(named("another farewell", farewell="Farewell?\n"),))
    assert (outcome.unshown, len(outcome.results)) == ((), 8)


def test_a_wrong_program_that_fails_is_shown(sixes, judge):
    (stage,) = sixes.stages

    def fails(console, draw):
        raise ValueError

    source = [WrongProgram("fails", "fails", expected_run_in_process(fails, "it"))]
    assert judge(sixes, stage, rolling.right, sources=(lambda stage, judged_as: source,)).unshown == ()


def test_cases_asked_for_are_held_alone(sixes, judge):
    """Neither a case by name nor a game of one's own is a reason to look for more."""
    (stage,) = sixes.stages
    game = msgspec.structs.replace(stage.spec.cases[1], place=str(stage.spec.path))
    asked = msgspec.structs.replace(stage, spec=msgspec.structs.replace(stage.spec, cases=(game,)))
    outcome = judge(sixes, asked, rolling.right)
    assert (len(outcome.results), outcome.unshown) == (4, ())


def test_words_that_cannot_be_read_are_a_fault_and_no_verdict(sixes, judge):
    (stage,) = sixes.stages
    broken = msgspec.structs.replace(stage, mistakes="reference.cards:nothing", words=None)
    outcome = judge(sixes, broken, rolling.right)
    assert (outcome.verdict, outcome.unshown) == (Verdict.ACCEPTED, ())
    assert outcome.faults == ("mistakes 'reference.cards:nothing': module 'reference.cards' has no function 'nothing'",)


def test_sessions_of_hidden_cases_make_further_ones_hidden(sixes, judge):
    """What the built-in player types it has learned from the cases."""
    (stage,) = sixes.stages
    cases = tuple(
        msgspec.structs.replace(case, visibility=seen)
        for case, seen in zip(stage.spec.cases, ("public", "hidden"), strict=True)
    )
    hidden = msgspec.structs.replace(stage, spec=msgspec.structs.replace(stage.spec, cases=cases))
    outcome = judge(sixes, hidden, rolling.right, sources=(named("a stake of 9 is refused", refused=("0", "9")),))
    assert {result.visibility for result in outcome.results if result.case.startswith("a wandering")} == {"hidden"}


def test_a_case_with_more_sessions_gets_more_of_the_further_ones(sixes):
    """The number of sessions of a case says what it is worth."""
    (stage,) = sixes.stages
    cases = tuple(
        msgspec.structs.replace(case, session=msgspec.structs.replace(case.session, seeds=(None,) * count))
        for case, count in zip(stage.spec.cases, (2, 8), strict=True)
    )
    uneven = msgspec.structs.replace(stage, spec=msgspec.structs.replace(stage.spec, cases=cases))
    candidates = Candidates(uneven)
    for session in (*sessions_of(uneven), *candidates.next_sessions(10)):
        candidates.see(DrawnSession(session, Transcript(()), Reading(("1",) * 6)))
    names = [session.case.name for session in candidates.next_sessions(40)]
    assert [names.count(case.name) for case in cases] == [7, 33]


def test_a_wrong_program_that_is_accepted_is_run_twice_a_session_at_most(sixes, short, judge):
    """It parts in every session; that is found out in a few of them, and it is judged by all in the end."""
    runs = []
    (wrong,) = named("it says farewell", farewell="Farewell!\n")(short, "")

    def counted(script, *more, **options):
        runs.append(script)
        return wrong.run(script, *more, **options)

    source = [WrongProgram(wrong.id, wrong.title, counted)]
    outcome = judge(sixes, short, rolling.right, sources=(lambda stage, judged_as: source,))
    assert (len(outcome.unshown), len(outcome.results)) == (1, 120)
    assert len(runs) <= 120 + 20


def one_roll(stage, most):
    """The stage with one roll of three dice in each session, and no rules."""
    case = stage.spec.cases[0]
    spec = msgspec.structs.replace(stage.spec, cases=(case,))
    return msgspec.structs.replace(stage, spec=spec, rules=(), most_sessions=most)


def without(value):
    """A program that never rolls a value."""

    def main(console, draw):
        def other():
            rolled = draw()
            return other() if rolled == value else rolled

        return rolling.right(console, other)

    return main


@pytest.mark.parametrize("salt", SALTS)
@pytest.mark.parametrize("value", ["1", "6"])
def test_a_value_that_is_never_drawn_is_reported_though_more_sessions_are_needed_than_the_most(
    sixes, judge, value, salt
):
    """Three draws a session, and 124 draws without a value of six are no chance."""
    stage = one_roll(sixes.stages[0], 12)
    outcome = judge(sixes, stage, without(value), salt=salt, sources=())
    assert outcome.verdict is Verdict.WRONG_ANSWER
    (finding,) = outcome.findings
    draws, sessions = re.fullmatch(rf"In (\d+) draws over (\d+) sessions {value} never came\.", finding).groups()
    assert 124 <= int(draws) <= 3 * int(sessions)
    assert 12 < int(sessions) <= 120


@pytest.mark.parametrize("salt", SALTS)
def test_a_program_that_draws_each_value_runs_no_session_for_it(sixes, judge, salt):
    stage = one_roll(sixes.stages[0], 60)
    outcome = judge(sixes, stage, rolling.right, salt=salt, sources=())
    assert (outcome.verdict, outcome.findings) == (Verdict.ACCEPTED, ())
    assert len(outcome.results) <= 60


def test_where_no_number_of_sessions_that_is_tried_could_tell_none_is_run_for_it(sixes, judge):
    """Three draws a session, and twenty sessions at most: 124 draws would be needed."""
    stage = one_roll(sixes.stages[0], 1)
    outcome = judge(sixes, stage, without("6"), sources=())
    assert (outcome.verdict, outcome.findings, len(outcome.results)) == (Verdict.ACCEPTED, (), 4)


def test_no_further_session_of_a_game_that_somebody_asked_for_is_run_for_a_value(sixes, judge):
    stage = one_roll(sixes.stages[0], 12)
    game = msgspec.structs.replace(stage.spec.cases[0], place=str(stage.spec.path))
    asked = msgspec.structs.replace(stage, spec=msgspec.structs.replace(stage.spec, cases=(game,)))
    outcome = judge(sixes, asked, without("6"), sources=())
    assert (outcome.verdict, outcome.findings, len(outcome.results)) == (Verdict.ACCEPTED, (), 12)
