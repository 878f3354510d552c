"""Further sessions are those in which programs with the mistakes part from the right one, and from each other."""

from collections import Counter
from itertools import combinations

import msgspec
import pytest

from pitboss.assignments.assignment import Recorded
from pitboss.assignments.cases import sessions_of
from pitboss.assignments.players import input_script_of
from pitboss.assignments.selection import with_single_session
from pitboss.assignments.specfile import load_assignment
from pitboss.errors import SessionError
from pitboss.experiments.catalogue import Mistake, mistakes_of
from pitboss.experiments.naming.confirming import sessions_to_confirm
from pitboss.experiments.naming.explaining import right_run
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def play(blackjack):
    return blackjack.stage("play")


@pytest.fixture(scope="module")
def sixes():
    return load_assignment(ROOT / "tests" / "toy" / "sixes").stage("sixes")


def named(stage, *ids):
    return [one for one in mistakes_of(stage) if one.id in ids]


def as_run(run, session):
    return run(input_script_of(session.case.session, session.seed, "here"), invocation=session.case.invocation)


def parted(stage, mistakes, sessions):
    """In how many sessions each two of the right program and those with mistakes differ."""
    runs = {"": right_run(stage), **{one.id: one.run_of(stage.name) for one in mistakes}}
    counts = Counter()
    for session in sessions:
        output = {name: as_run(run, session) for name, run in runs.items()}
        counts.update(pair for pair in combinations(runs, 2) if output[pair[0]] != output[pair[1]])
    return counts


def only(stage, kind):
    """The stage with its recorded cases, or those with seeds, alone."""
    cases = tuple(one for one in stage.spec.cases if isinstance(one.session, Recorded) is (kind == "recorded"))
    return msgspec.structs.replace(stage, spec=msgspec.structs.replace(stage.spec, cases=cases))


def test_without_a_seed_the_next_sessions_of_each_case_are_run_in_turn(sixes):
    found = sessions_to_confirm(sixes, None, [])
    assert [one.name for one in found[:3]] == ["one roll #50006", "six rolls #50006", "one roll #50007"]
    assert len(found) == len({one.name for one in found}) == 8
    assert not {one.name for one in found} & {one.name for one in sessions_of(sixes)}
    assert {one.seed for one in found} == {None}
    assert sessions_to_confirm(sixes, None, mistakes_of(sixes)) == found


def test_without_a_seed_players_who_part_several_mistakes_are_asked():
    """Whoever goes on until bust has no 21 of three cards to show."""
    basic = load_assignment(ROOT / "specs" / "csc101").stage("basic")
    every = sessions_to_confirm(basic, right_run(basic), named(basic, "ace-always-1"))
    assert "hit until bust" in {one.case.name for one in every}
    found = sessions_to_confirm(basic, right_run(basic), named(basic, "ace-always-1", "soft-21-missed"))
    assert len(found) == 8
    assert {one.seed for one in found} == {None}
    assert "hit until bust" not in {one.case.name for one in found}


def test_where_nothing_is_generated_or_no_seed_can_be_given_there_are_none(play, toy, sixes):
    assert sessions_to_confirm(only(play, "recorded"), right_run(play), mistakes_of(play)) == []
    assert any(not isinstance(one.session, Recorded) for one in toy.stages[0].spec.cases)
    assert sessions_to_confirm(toy.stages[0], None, []) == []
    without = msgspec.structs.replace(sixes.spec, cases=())
    assert sessions_to_confirm(msgspec.structs.replace(sixes, spec=without), None, []) == []


@pytest.mark.parametrize("is_function", [True, False])
def test_with_nothing_to_tell_apart_six_sessions_of_new_seeds_are_run(play, is_function):
    run, mistakes = (right_run(play), []) if is_function else (None, named(play, "bust-at-21"))
    found = sessions_to_confirm(play, run, mistakes)
    assert len(found) == len({one.name for one in found}) == 6
    assert not {one.name for one in found} & {one.name for one in sessions_of(play)}
    cases = [one for one in play.spec.cases if not isinstance(one.session, Recorded)]
    turns = [(cases[number % len(cases)].name, 50_001 + number // len(cases)) for number in range(6)]
    assert [(one.case.name, one.seed) for one in found] == turns


def test_three_sessions_are_chosen_in_which_a_mistake_shows(play):
    mistakes = named(play, "bust-at-21")
    found = sessions_to_confirm(play, right_run(play), mistakes)
    assert len(found) == len({one.name for one in found}) == 3
    assert parted(play, mistakes, found) == {("", "bust-at-21"): 3}


def test_each_two_mistakes_part_in_them_too(play):
    mistakes = named(play, "dealer-stands-at-16", "bust-at-21", "ace-always-1")
    assert len(mistakes) == 3
    found = sessions_to_confirm(play, right_run(play), mistakes)
    counts = parted(play, mistakes, found)
    assert len(counts) == 6 and min(counts.values()) >= 3
    assert 3 <= len(found) <= 12


def wrong_where(play, id_, change, is_wrong):
    """The mistake of a program that changes its events with the seeds for which that is so."""
    right = right_run(play)

    def run(*arguments, **keywords):
        output = right(*arguments, **keywords)
        return (
            msgspec.structs.replace(output, events=change(output.events)) if is_wrong(int(output.lines[0])) else output
        )

    return Mistake(id_, *[""] * 5, {"play": run})


def ends_early(events):
    return events[:-1]


def test_no_more_than_twelve_are_chosen_however_many_would_be_wanted(play):
    """Each of six mistakes shows with every sixth seed only."""
    every = [wrong_where(play, f"{rest}", ends_early, lambda seed, rest=rest: seed % 6 == rest) for rest in range(6)]
    assert len(sessions_to_confirm(play, right_run(play), every[:3])) == 9
    assert len(sessions_to_confirm(play, right_run(play), every)) == 12


@pytest.mark.parametrize(("seed", "is_found"), [(50_008, True), (50_009, False)])
def test_eight_seeds_are_tried_for_a_mistake_that_is_rare(play, seed, is_found):
    rare = wrong_where(play, "rare", ends_early, lambda one: one == seed)
    found = sessions_to_confirm(play, right_run(play), [rare])
    assert {one.seed for one in found} == ({seed} if is_found else set())


@pytest.mark.parametrize(("last", "is_found"), [(50_020, True), (50_021, False)])
def test_twenty_seeds_are_tried_of_a_case_that_the_first_seed_parts(play, last, is_found):
    cases = [one for one in play.spec.cases if not isinstance(one.session, Recorded)][:1]
    play = msgspec.structs.replace(play, spec=msgspec.structs.replace(play.spec, cases=tuple(cases)))
    rare = wrong_where(play, "rare", ends_early, lambda one: one in (50_001, last))
    found = sessions_to_confirm(play, right_run(play), [rare])
    assert [one.seed for one in found] == ([50_001, last] if is_found else [50_001])


def test_two_mistakes_that_seldom_part_from_each_other_are_distinguished(play):
    """Both part from the right program at once; with every tenth seed alone the one is not the other."""
    one = wrong_where(play, "one", ends_early, lambda _: True)
    other = wrong_where(play, "other", ends_early, lambda seed: seed % 10 != 9)
    found = sessions_to_confirm(play, right_run(play), [one, other])
    assert parted(play, [one, other], found) == {("", "one"): 6, ("", "other"): 3, ("one", "other"): 3}


def test_a_mistake_that_never_shows_asks_for_no_session(play):
    same = Mistake("same", *[""] * 5, {"play": right_run(play)})
    assert sessions_to_confirm(play, right_run(play), [same]) == []
    elsewhere = Mistake("elsewhere", *[""] * 5, {"deal": right_run(play)})
    assert sessions_to_confirm(play, right_run(play), [elsewhere]) == []


def test_a_program_that_fails_parts_from_one_that_does_not(play):
    def fails(*_, **__):
        raise SessionError("it does not end")

    failing = Mistake("fails", *[""] * 5, {"play": fails})
    found = sessions_to_confirm(play, right_run(play), [failing])
    assert len(found) == 3
    assert sessions_to_confirm(play, fails, [failing]) == []


def test_what_is_not_compared_parts_no_two_programs(play):
    """A program that only pauses otherwise is the same where pauses are ignored."""
    run = right_run(play)

    def hasty(*arguments, **keywords):
        output = run(*arguments, **keywords)
        return msgspec.structs.replace(
            output, events=tuple(one for one in output.events if not hasattr(one, "duration_ms"))
        )

    mistake = Mistake("hasty", *[""] * 5, {"play": hasty})
    assert len(sessions_to_confirm(play, run, [mistake])) == 3
    cases = tuple(
        msgspec.structs.replace(one, policy=msgspec.structs.replace(one.policy, pauses="ignored"))
        for one in play.spec.cases
    )
    lax = msgspec.structs.replace(play, spec=msgspec.structs.replace(play.spec, cases=cases))
    assert sessions_to_confirm(lax, run, [mistake]) == []


def test_where_one_game_is_checked_the_cases_of_the_stage_are_asked_too():
    """Their seeds were chosen to show what is rare, as two aces on the deal."""
    assignment = load_assignment(ROOT / "specs" / "bjm0")
    chances = assignment.stage("chances")
    (one_game,) = with_single_session(assignment, chances, 87, "h", None).spec.cases
    game = msgspec.structs.replace(chances, spec=msgspec.structs.replace(chances.spec, cases=(one_game,)))
    mistakes = [one for one in mistakes_of(chances) if "two aces" in one.title]
    assert mistakes
    found = sessions_to_confirm(game, right_run(chances), mistakes, chances.spec.cases)
    own = {(case.name, seed) for case in chances.spec.cases for seed in getattr(case.session, "seeds", ())}
    assert own & {(one.case.name, one.seed) for one in found}
    assert all(parted(chances, [mistake], found)["", mistake.id] for mistake in mistakes)


def test_a_name_that_a_case_contradicts_is_not_said_of_one_game(pitboss):
    """One ace is lowered for each card: 10, 11 and 11 are 22, and two aces on the deal are 12 as they should be."""
    folder = ROOT / "tests" / "submissions" / "bjm0" / "WRONG_ANSWER" / "brief_if_in_chances"
    done = pitboss("check", folder, "chances", "-a", ROOT / "specs" / "bjm0", "--seed", "87", "--answers", "h")
    assert done.code == 1
    output = " ".join(done.out.split())
    assert (
        output.count("mistake") == 1
        and "likely mistake: with each card only one ace is lowered (explains 1 of 1" in output
    )
