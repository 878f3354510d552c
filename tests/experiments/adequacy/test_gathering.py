"""Before a program is accepted, sessions are added until they would have exposed every known mistake."""

import importlib.util
import re
from dataclasses import replace
from functools import partial

import msgspec
import pytest

from pitboss.assignments.answers import Rerun
from pitboss.assignments.assignment import Generated
from pitboss.assignments.cases import Session, sessions_of
from pitboss.assignments.specfile import load_assignment
from pitboss.compare.findings import Oddity
from pitboss.compare.results import Verdict
from pitboss.errors import UsageError
from pitboss.experiments.adequacy import exposure, gathering
from pitboss.experiments.adequacy.exposure import Rehearsals, WrongProgram, wrong_programs
from pitboss.experiments.adequacy.gathering import Candidates
from pitboss.experiments.relation import Experiment
from pitboss.model.transcript import Transcript
from pitboss.sessions.references import expected_run_in_process
from pitboss.unseeded.reader import DrawnSession, Reading
from reference.csc101 import basic
from reference.tournament import game
from reference.tournament.rules import MINIMUM
from tests.conftest import ROOT

SPEC = importlib.util.spec_from_file_location("rolling", ROOT / "tests" / "toy" / "sixes" / "rolling.py")
rolling = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(rolling)
#: With each salt, the submission draws different random values.
SALTS = range(4)
#: A program with the mistake that it refuses a stake of 9.
refusing_nine = partial(rolling.right, refused=("0", "9"))


def single_mistake(name, **change):
    """A source of a single wrong program, the correct one with these changes, which the sessions must expose."""
    run = expected_run_in_process(partial(rolling.right, **change), name)
    return lambda stage, judged_as: [WrongProgram(name, name, run)]


@pytest.fixture
def short_stage(sixes):
    """The stage with a maximum of 12 sessions, so that at most 120 are run to expose a mistake."""
    return msgspec.structs.replace(sixes.stages[0], most_sessions=12)


def session_names(outcome):
    return [result.session for result in outcome.results]


@pytest.mark.parametrize("salt", SALTS)
def test_a_mistake_shown_by_one_roll_in_216_is_always_rejected(sixes, judge, salt):
    (stage,) = sixes.stages
    wrong_outcome = judge(sixes, stage, partial(rolling.right, bonus=0), salt=salt)
    assert wrong_outcome.verdict is Verdict.WRONG_ANSWER
    correct_outcome = judge(sixes, stage, rolling.right, salt=salt)
    assert (correct_outcome.verdict, correct_outcome.findings, correct_outcome.unshown, correct_outcome.faults) == (
        Verdict.ACCEPTED,
        (),
        (),
        (),
    )
    results_with_sixes = [
        result for result in correct_outcome.results if "You rolled 6, 6, 6." in result.expected.text.decode()
    ]
    assert results_with_sixes, "three sixes were rolled in no session"


@pytest.mark.parametrize("salt", SALTS)
def test_a_tolerated_variant_is_accepted_but_not_with_a_mistake(sixes, judge, salt):
    (stage,) = sixes.stages
    wrong_program = partial(rolling.farewell, bonus=0)
    assert judge(sixes, stage, wrong_program, salt=salt).verdict is Verdict.WRONG_ANSWER
    correct_outcome = judge(sixes, stage, rolling.farewell, salt=salt)
    assert (correct_outcome.verdict, correct_outcome.judged_as, correct_outcome.unshown) == (
        Verdict.ACCEPTED,
        "a farewell at the end",
        (),
    )


def test_two_runs_have_the_same_sessions(sixes, judge):
    (stage,) = sixes.stages
    first, second = (judge(sixes, stage, rolling.right, salt=5) for _ in range(2))
    assert session_names(first) == session_names(second)
    assert first == second
    assert len(set(session_names(first))) == len(first.results) > 8  # the two cases have four sessions each


def test_the_built_in_player_types_a_line_that_no_case_types(sixes, judge):
    """The cases stake 0, 5 and 10; the built-in player also stakes 9, the number before 10."""
    (stage,) = sixes.stages
    source = single_mistake("a stake of 9 is refused", refused=("0", "9"))
    assert judge(sixes, stage, rolling.right, sources=(source,)).unshown == ()
    outcome = judge(sixes, stage, refusing_nine, sources=(source,))
    failed = [result for result in outcome.results if result.verdict is not Verdict.ACCEPTED]
    assert outcome.verdict is Verdict.WRONG_ANSWER
    assert failed
    assert all(b"9" in result.actual.lines[:2] for result in failed)
    assert failed[0].case.startswith("a wandering player")
    assert failed[0].rerun == Rerun("sixes", "sixes", session=failed[0].session)


def test_a_session_of_the_built_in_player_can_be_rerun_by_name(sixes, judge):
    """The lines, the draws and the verdict are the same as when the session ran among others."""
    (stage,) = sixes.stages
    sources = (single_mistake("a stake of 9 is refused", refused=("0", "9")),)
    outcome = judge(sixes, stage, refusing_nine, sources=sources)
    failed = [result for result in outcome.results if result.verdict is not Verdict.ACCEPTED]
    first_wandering = next(result for result in outcome.results if result.case.startswith("a wandering"))
    for result in (failed[0], failed[-1], first_wandering):
        rerun = judge(sixes, stage, refusing_nine, sources=sources, only=(result.session,))
        assert (rerun.results, rerun.judged_as) == ((result,), outcome.judged_as)


def test_sessions_of_cases_and_the_built_in_player_can_be_rerun_together(sixes, judge):
    (stage,) = sixes.stages
    case = stage.spec.cases[0].name
    case_sessions = {f"{case} #{number}" for number in range(1, 5)}
    names = {f"{stage.spec.cases[1].name} #717", "a wandering player #1", "a wandering player #2"}
    outcome = judge(sixes, stage, rolling.right, only=(case, *sorted(names)))
    assert {result.session for result in outcome.results} - case_sessions == names
    assert (outcome.verdict, outcome.findings, outcome.unshown) == (Verdict.ACCEPTED, (), ())


def test_a_session_of_a_player_used_by_no_case_can_be_rerun_by_name(sixes, judge):
    (stage,) = sixes.stages
    cases = stage.spec.cases[:1]
    one_case_stage = msgspec.structs.replace(stage, spec=msgspec.structs.replace(stage.spec, cases=cases))
    players = [player.name for player in sixes.players if player != cases[0].session.answers]
    assert players
    name = f"the player {players[0]} #3"
    (result,) = judge(sixes, one_case_stage, rolling.right, only=(name,)).results
    assert (result.session, result.verdict) == (name, Verdict.ACCEPTED)


@pytest.mark.parametrize(
    "name",
    ["a wandering player", "a wandering player #0", "the player nobody #3", "wandering #1", "a wandering player #x"],
)
def test_an_unknown_session_name_is_an_error(sixes, judge, name):
    (stage,) = sixes.stages
    with pytest.raises(UsageError, match=re.escape(f"{stage.name} has no case {name!r}")):
        judge(sixes, stage, rolling.right, only=(name,))


def test_no_sessions_are_added_once_a_session_has_failed(sixes, judge):
    """The two cases have four sessions each."""
    (stage,) = sixes.stages
    assert len(judge(sixes, stage, partial(rolling.right, six=5)).results) == 8


def test_a_mistake_that_no_session_could_expose_is_reported(sixes, short_stage, judge):
    """It is sought no longer once as many rehearsals do not show it as there may be sessions, 120."""
    unreachable = single_mistake("a stake of a million is refused", refused=("0", "1000000"))
    outcome = judge(sixes, short_stage, rolling.right, sources=(unreachable,))
    assert (outcome.verdict, outcome.unshown) == (
        Verdict.ACCEPTED,
        ("“a stake of a million is refused” could not be shown in 36 sessions: no session reached it.",),
    )


def test_other_players_come_at_once_if_sessions_are_ignored(sixes, judge, monkeypatch):
    """The ignored sessions may be all that could have shown a mistake: the players of the cases show it in none."""
    (stage,) = sixes.stages
    judged = gathering.Judge.outcome
    monkeypatch.setattr(
        gathering.Judge,
        "outcome",
        lambda *arguments: msgspec.structs.replace(judged(*arguments), ignored_results=frozenset({0})),
    )
    source = single_mistake("a stake of 9 is refused", refused=("0", "9"))
    outcome = judge(sixes, stage, rolling.right, sources=(source,))
    assert (outcome.verdict, outcome.unshown) == (Verdict.ACCEPTED, ())
    assert len(outcome.results) < stage.most_sessions


def test_a_mistake_that_an_accepted_variant_shares_does_not_count_as_exposed(sixes, short_stage, judge):
    outcome = judge(
        sixes, short_stage, rolling.right, sources=(single_mistake("it says farewell", farewell="Farewell!\n"),)
    )
    assert (outcome.verdict, outcome.unshown) == (
        Verdict.ACCEPTED,
        ("“it says farewell” could not be shown in 120 sessions: an accepted variant behaves the same.",),
    )


def test_a_mistake_differing_where_a_tolerated_variant_differs_is_exposed(sixes, judge):
    (stage,) = sixes.stages
    outcome = judge(sixes, stage, rolling.right, sources=(single_mistake("another farewell", farewell="Farewell?\n"),))
    assert (outcome.unshown, len(outcome.results)) == ((), 8)


def test_a_wrong_program_that_crashes_counts_as_exposed(sixes, judge):
    (stage,) = sixes.stages

    def crash(console, draw):
        raise ValueError

    programs = [WrongProgram("fails", "fails", expected_run_in_process(crash, "it"))]
    assert judge(sixes, stage, rolling.right, sources=(lambda stage, judged_as: programs,)).unshown == ()


def test_no_sessions_are_added_to_a_requested_game(sixes, judge):
    """A case that is a game from a file (it has a place) was requested by the user, and is run alone."""
    (stage,) = sixes.stages
    game = msgspec.structs.replace(stage.spec.cases[1], place=str(stage.spec.path))
    requested_stage = msgspec.structs.replace(stage, spec=msgspec.structs.replace(stage.spec, cases=(game,)))
    outcome = judge(sixes, requested_stage, rolling.right)
    assert (len(outcome.results), outcome.unshown) == (4, ())


def test_a_catalogue_that_cannot_be_loaded_is_a_fault_not_a_verdict(sixes, judge):
    (stage,) = sixes.stages
    broken = msgspec.structs.replace(stage, mistakes="reference.cards:nothing", words=None)
    outcome = judge(sixes, broken, rolling.right)
    assert (outcome.verdict, outcome.unshown) == (Verdict.ACCEPTED, ())
    assert outcome.faults == ("mistakes 'reference.cards:nothing': module 'reference.cards' has no function 'nothing'",)


class OneRefusal:
    """A console on which a tournament refuses every bet with the same text."""

    def __init__(self, console):
        self._console, self.read_line = console, console.read_line

    def write(self, text):
        self._console.write(re.sub(r"That is no bet!|The bet is too (low|high)!", "No!", text))


@pytest.mark.parametrize(
    ("catalogue", "is_named"), [("reference.tournament.mistakes:catalogue", True), ("reference.cards:nothing", False)]
)
def test_a_mistake_that_looks_like_the_value_of_an_option_is_judged_without_it(judge, catalogue, is_named):
    """A low bet that is taken looks like one that bets the lowest; a broken catalogue changes no verdict."""
    tournament = load_assignment(ROOT / "specs" / "tournament")
    stage = msgspec.structs.replace(tournament.stage("minimum"), mistakes=catalogue)
    rules = replace(MINIMUM, lowest_bet_taken=1)
    outcome = judge(tournament, stage, lambda console, draw: game.main(OneRefusal(console), draw, rules))
    assert outcome.verdict is Verdict.WRONG_ANSWER
    assert ("taking a bet that is too low for the lowest" in outcome.judged_as) is not is_named


def test_added_sessions_are_hidden_if_a_case_is_hidden(sixes, judge):
    """The built-in player learns from the cases what to type, so its sessions could reveal hidden ones."""
    (stage,) = sixes.stages
    cases = tuple(
        msgspec.structs.replace(case, visibility=visibility)
        for case, visibility in zip(stage.spec.cases, ("public", "hidden"), strict=True)
    )
    hidden_stage = msgspec.structs.replace(stage, spec=msgspec.structs.replace(stage.spec, cases=cases))
    outcome = judge(
        sixes, hidden_stage, rolling.right, sources=(single_mistake("a stake of 9 is refused", refused=("0", "9")),)
    )
    assert {result.visibility for result in outcome.results if result.case.startswith("a wandering")} == {"hidden"}


def test_a_case_with_more_sessions_gets_more_of_the_added_sessions(sixes):
    """The number of sessions of a case is its weight."""
    (stage,) = sixes.stages
    cases = tuple(
        msgspec.structs.replace(case, session=msgspec.structs.replace(case.session, seeds=(None,) * count))
        for case, count in zip(stage.spec.cases, (2, 8), strict=True)
    )
    uneven_stage = msgspec.structs.replace(stage, spec=msgspec.structs.replace(stage.spec, cases=cases))
    candidates = Candidates(uneven_stage)
    for session in (*sessions_of(uneven_stage), *candidates.next_sessions(10)):
        candidates.record(DrawnSession(session, Transcript(()), Reading(("1",) * 6)))
    names = [session.case.name for session in candidates.next_sessions(40)]
    assert [names.count(case.name) for case in cases] == [7, 33]


def test_a_wrong_program_like_an_accepted_variant_rarely_runs_a_session_twice(sixes, short_stage, judge):
    """A few sessions show that a variant behaves like it; at the end the wrong program runs once on all 120 sessions."""
    runs = []
    (wrong_program,) = single_mistake("it says farewell", farewell="Farewell!\n")(short_stage, "")

    def counted_run(script, *more, **options):
        runs.append(script)
        return wrong_program.run(script, *more, **options)

    programs = [WrongProgram(wrong_program.id, wrong_program.title, counted_run)]
    outcome = judge(sixes, short_stage, rolling.right, sources=(lambda stage, judged_as: programs,))
    assert (len(outcome.unshown), len(outcome.results)) == (1, 120)
    assert len(runs) <= 120 + 20


def test_one_session_shows_most_mistakes_without_a_choice_of_options(judge, monkeypatch):
    """Also where an option differs at the same place, where cards stay hidden, and where nothing can be read."""
    trials, is_rejected_with = [], exposure._RejectionTrial.is_rejected_with

    def counted(trial, sessions):
        trials.append(trial)
        return is_rejected_with(trial, sessions)

    monkeypatch.setattr(exposure._RejectionTrial, "is_rejected_with", counted)
    csc101 = load_assignment(ROOT / "specs" / "csc101")
    stage = csc101.stage("basic")
    outcome = judge(csc101, stage, basic.main)
    assert (outcome.verdict, outcome.unshown) == (Verdict.ACCEPTED, ())
    assert len(set(trials)) <= 2 < len(wrong_programs(stage, "")) / 4


def test_where_the_reference_fails_a_single_session_shows_no_mistake(sixes, judge, monkeypatch):
    """It is then no evidence that no reference explains the session."""
    trials, is_rejected_with, observed = [], exposure._RejectionTrial.is_rejected_with, Experiment._observed

    def counted(trial, sessions):
        trials.append(trial)
        return is_rejected_with(trial, sessions)

    def failing(experiment, program, *, may_stop):
        return None if experiment.is_submission else observed(experiment, program, may_stop=may_stop)

    monkeypatch.setattr(exposure._RejectionTrial, "is_rejected_with", counted)
    source = single_mistake("5 is refused", refused=("0", "5"))
    judge(sixes, sixes.stages[0], rolling.right, sources=(source,))
    assert not trials
    monkeypatch.setattr(Experiment, "_observed", failing)
    judge(sixes, sixes.stages[0], rolling.right, sources=(source,))
    assert trials


def one_roll_stage(stage, most_sessions):
    """The stage with one roll of three dice in each session, no rules, and this maximum of sessions."""
    case = stage.spec.cases[0]
    spec = msgspec.structs.replace(stage.spec, cases=(case,))
    return msgspec.structs.replace(stage, spec=spec, rules=(), most_sessions=most_sessions)


def program_without(value):
    """A program that never rolls this value."""

    def main(console, draw):
        def draw_again():
            die = draw()
            return draw_again() if die == value else die

        return rolling.right(console, draw_again)

    return main


@pytest.mark.parametrize("salt", SALTS)
@pytest.mark.parametrize("value", ["1", "6"])
def test_a_value_never_drawn_is_reported_even_beyond_the_session_maximum(sixes, judge, value, salt):
    """A session has three draws; of 180 draws thirty should be the missing value."""
    stage = one_roll_stage(sixes.stages[0], 12)
    outcome = judge(sixes, stage, program_without(value), salt=salt, sources=())
    assert outcome.verdict is Verdict.WRONG_ANSWER
    found = outcome.draws
    assert (found.kind, found.values) == (Oddity.MISSING, (value,))
    assert 180 <= found.of <= 3 * found.sessions
    assert 12 < found.sessions <= 120


@pytest.mark.parametrize("salt", SALTS)
def test_no_sessions_are_added_when_each_value_is_drawn(sixes, judge, salt):
    stage = one_roll_stage(sixes.stages[0], 60)
    outcome = judge(sixes, stage, rolling.right, salt=salt, sources=())
    assert (outcome.verdict, outcome.findings) == (Verdict.ACCEPTED, ())
    assert len(outcome.results) <= 60


def test_no_sessions_are_added_if_the_maximum_could_not_prove_a_missing_value(sixes, judge):
    """A session has three draws, and at most twenty sessions are run, but 124 draws would be needed."""
    stage = one_roll_stage(sixes.stages[0], 1)
    outcome = judge(sixes, stage, program_without("6"), sources=())
    assert (outcome.verdict, outcome.findings, len(outcome.results)) == (Verdict.ACCEPTED, (), 4)


def test_a_missing_value_adds_no_sessions_to_a_requested_game(sixes, judge):
    stage = one_roll_stage(sixes.stages[0], 12)
    game = msgspec.structs.replace(stage.spec.cases[0], place=str(stage.spec.path))
    requested_stage = msgspec.structs.replace(stage, spec=msgspec.structs.replace(stage.spec, cases=(game,)))
    outcome = judge(sixes, requested_stage, program_without("6"), sources=())
    assert (outcome.verdict, outcome.findings, len(outcome.results)) == (Verdict.ACCEPTED, (), 12)


def test_a_session_is_not_rejected_for_what_only_all_sessions_show(sixes, judge):
    """A program that always rolls the same is wrong, and each session of it by itself is right."""
    (stage,) = sixes.stages

    def loaded(console, draw):
        return rolling.right(console, lambda: "1")

    outcome = judge(sixes, stage, loaded)
    assert (outcome.verdict, outcome.draws is None) == (Verdict.WRONG_ANSWER, False)
    rerun = judge(sixes, stage, loaded, only=("a wandering player #1",))
    assert (rerun.verdict, rerun.draws) == (Verdict.ACCEPTED, None)


def rehearsals(stage, *excluded):
    return Rehearsals(stage, expected_run_in_process(rolling.right, "it"), excluded)


@pytest.fixture
def players(sixes):
    """Functions that return rehearsals of three players, by name: only one of them types 7."""
    (stage,) = sixes.stages
    candidates = Candidates(stage)
    (other,) = (player for player in sixes.players if player.name == "stops at once")
    case = msgspec.structs.replace(stage.spec.cases[0], session=Generated((None,), other))
    return {**candidates.rehearsals, "seven": lambda number: Session(stage, case, None, number)}


def test_rehearsals_tell_which_players_show_a_mistake_and_how_often(sixes, players):
    (stage,) = sixes.stages
    programs = [
        program
        for stake in ("7", "5", "1000000")
        for program in single_mistake(f"{stake} is refused", refused=("0", stake))(stage, "")
    ]
    prospects = rehearsals(stage).prospects(programs[:1], players, 30, {})
    assert prospects == {"seven": 1}
    assert rehearsals(stage).prospects(programs[:2], players, 30, {}) == {"seven": 1, "one roll": 1}
    # As many fruitless sessions should have shown it.
    assert rehearsals(stage).prospects(programs[:1], players, 30, {"seven": 4, "one roll": 50}) == {"seven": 1}
    assert rehearsals(stage).prospects(programs[:1], players, 30, {"seven": 5}) is None
    # Nobody shows it: more rehearsals may.
    assert rehearsals(stage).prospects(programs[2:], players, 30, {"seven": 20}) == {}


def test_a_rehearsal_in_which_an_excluded_feature_comes_up_shows_nothing(sixes, players):
    (stage,) = sixes.stages
    programs = single_mistake("7 is refused", refused=("0", "7"))(stage, "")
    low_six, farewell = (
        expected_run_in_process(partial(rolling.right, **change), "it")
        for change in ({"refused": ("0", "5")}, {"farewell": "Bye!\n"})
    )
    assert rehearsals(stage, low_six).prospects(programs, players, 30, {}) == {"seven": 1}
    assert rehearsals(stage, farewell).prospects(programs, players, 30, {}) == {}


def test_players_with_prospects_get_every_second_session(sixes):
    (stage,) = sixes.stages
    names = [session.case.name for session in Candidates(stage).next_sessions(40, {"one roll": 3, "six rolls": 1})]
    assert names[1::2].count("one roll") == 15
