"""Sessions to confirm a diagnosis: those in which the suspected mistakes differ from the reference and each other.

The seeds that are tried start at 50001, above the seeds of all specs; unseeded sessions are numbered on from there.
"""

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


def build_mistake(id_, run, stage="play"):
    """A mistake without words; `run` runs its program in this stage."""
    return Mistake(id_, *[""] * 5, {stage: run})


def mistakes_with_ids(stage, *ids):
    return [mistake for mistake in mistakes_of(stage) if mistake.id in ids]


def run_session(run, session):
    """The transcript of the program `run` in this session."""
    return run(input_script_of(session.case.session, session.seed, "here"), invocation=session.case.invocation)


def count_differences(stage, mistakes, sessions):
    """In how many sessions each two programs differ, by their ids; the correct program has the id ""."""
    runs = {"": right_run(stage), **{mistake.id: mistake.run_of(stage.name) for mistake in mistakes}}
    counts = Counter()
    for session in sessions:
        output = {name: run_session(run, session) for name, run in runs.items()}
        counts.update(pair for pair in combinations(runs, 2) if output[pair[0]] != output[pair[1]])
    return counts


def stage_with_cases(stage, kind):
    """The stage with only its recorded cases, or with only its generated cases."""
    cases = tuple(case for case in stage.spec.cases if isinstance(case.session, Recorded) is (kind == "recorded"))
    return msgspec.structs.replace(stage, spec=msgspec.structs.replace(stage.spec, cases=cases))


def test_without_seeds_each_case_gets_its_next_sessions_in_turn(sixes):
    chosen = sessions_to_confirm(sixes, None, [])
    assert [session.name for session in chosen[:3]] == ["one roll #50006", "six rolls #50006", "one roll #50007"]
    assert len(chosen) == len({session.name for session in chosen}) == 8
    assert not {session.name for session in chosen} & {session.name for session in sessions_of(sixes)}
    assert {session.seed for session in chosen} == {None}
    assert sessions_to_confirm(sixes, None, mistakes_of(sixes)) == chosen


def test_without_seeds_the_players_that_tell_the_mistakes_apart_are_chosen():
    """A player who hits until bust never stops at a 21 of three cards, so does not tell these two mistakes apart."""
    basic = load_assignment(ROOT / "specs" / "csc101").stage("basic")
    ace_sessions = sessions_to_confirm(basic, right_run(basic), mistakes_with_ids(basic, "ace-always-1"))
    assert "hit until bust" in {session.case.name for session in ace_sessions}
    chosen = sessions_to_confirm(basic, right_run(basic), mistakes_with_ids(basic, "ace-always-1", "soft-21-missed"))
    assert len(chosen) == 8
    assert {session.seed for session in chosen} == {None}
    assert "hit until bust" not in {session.case.name for session in chosen}


def test_a_stage_without_generated_cases_or_seeds_has_no_confirming_sessions(play, toy, sixes):
    assert sessions_to_confirm(stage_with_cases(play, "recorded"), right_run(play), mistakes_of(play)) == []
    assert any(not isinstance(case.session, Recorded) for case in toy.stages[0].spec.cases)
    assert sessions_to_confirm(toy.stages[0], None, []) == []
    empty_spec = msgspec.structs.replace(sixes.spec, cases=())
    assert sessions_to_confirm(msgspec.structs.replace(sixes, spec=empty_spec), None, []) == []


@pytest.mark.parametrize("can_run_reference", [True, False])
def test_with_nothing_to_distinguish_six_sessions_with_new_seeds_are_chosen(play, can_run_reference):
    """There is nothing to distinguish without mistakes, or if the reference cannot be run here, as it is a command."""
    run, mistakes = (right_run(play), []) if can_run_reference else (None, mistakes_with_ids(play, "bust-at-21"))
    chosen = sessions_to_confirm(play, run, mistakes)
    assert len(chosen) == len({session.name for session in chosen}) == 6
    assert not {session.name for session in chosen} & {session.name for session in sessions_of(play)}
    cases = [case for case in play.spec.cases if not isinstance(case.session, Recorded)]
    turns = [(cases[number % len(cases)].name, 50_001 + number // len(cases)) for number in range(6)]
    assert [(session.case.name, session.seed) for session in chosen] == turns


def test_three_sessions_that_expose_a_mistake_are_chosen(play):
    mistakes = mistakes_with_ids(play, "bust-at-21")
    chosen = sessions_to_confirm(play, right_run(play), mistakes)
    assert len(chosen) == len({session.name for session in chosen}) == 3
    assert count_differences(play, mistakes, chosen) == {("", "bust-at-21"): 3}


def test_the_chosen_sessions_distinguish_each_two_mistakes(play):
    mistakes = mistakes_with_ids(play, "dealer-stands-at-16", "bust-at-21", "ace-always-1")
    assert len(mistakes) == 3
    chosen = sessions_to_confirm(play, right_run(play), mistakes)
    counts = count_differences(play, mistakes, chosen)
    assert len(counts) == 6 and min(counts.values()) >= 3
    assert 3 <= len(chosen) <= 12


def mistake_for_seeds(play, id_, change, is_wrong):
    """A mistake whose program has the events `change(events)`, but only with the seeds for which `is_wrong` is true."""
    correct_run = right_run(play)

    def run(*arguments, **keywords):
        output = correct_run(*arguments, **keywords)
        return (
            msgspec.structs.replace(output, events=change(output.events)) if is_wrong(int(output.lines[0])) else output
        )

    return build_mistake(id_, run)


def drop_last_event(events):
    return events[:-1]


def test_at_most_twelve_sessions_are_chosen(play):
    """Each of six mistakes shows only with every sixth seed."""
    mistakes = [
        mistake_for_seeds(
            play, f"{remainder}", drop_last_event, lambda seed, remainder=remainder: seed % 6 == remainder
        )
        for remainder in range(6)
    ]
    # Three sessions are chosen for each mistake.
    assert len(sessions_to_confirm(play, right_run(play), mistakes[:3])) == 9
    assert len(sessions_to_confirm(play, right_run(play), mistakes)) == 12


@pytest.mark.parametrize(("seed", "is_found"), [(50_008, True), (50_009, False)])
def test_eight_seeds_are_tried_for_a_rare_mistake(play, seed, is_found):
    rare_mistake = mistake_for_seeds(play, "rare", drop_last_event, lambda tried_seed: tried_seed == seed)
    chosen = sessions_to_confirm(play, right_run(play), [rare_mistake])
    assert {session.seed for session in chosen} == ({seed} if is_found else set())


@pytest.mark.parametrize(("last", "is_found"), [(50_020, True), (50_021, False)])
def test_twenty_seeds_are_tried_if_the_first_seed_of_a_case_exposes_the_mistake(play, last, is_found):
    cases = [case for case in play.spec.cases if not isinstance(case.session, Recorded)][:1]
    play = msgspec.structs.replace(play, spec=msgspec.structs.replace(play.spec, cases=tuple(cases)))
    rare_mistake = mistake_for_seeds(play, "rare", drop_last_event, lambda seed: seed in (50_001, last))
    chosen = sessions_to_confirm(play, right_run(play), [rare_mistake])
    assert [session.seed for session in chosen] == ([50_001, last] if is_found else [50_001])


def test_two_mistakes_that_rarely_differ_are_distinguished(play):
    """Both change the program in the same way: `always` with each seed, `mostly` with all but every tenth seed."""
    always = mistake_for_seeds(play, "always", drop_last_event, lambda _: True)
    mostly = mistake_for_seeds(play, "mostly", drop_last_event, lambda seed: seed % 10 != 9)
    chosen = sessions_to_confirm(play, right_run(play), [always, mostly])
    assert count_differences(play, [always, mostly], chosen) == {
        ("", "always"): 6,
        ("", "mostly"): 3,
        ("always", "mostly"): 3,
    }


def test_no_session_is_chosen_for_a_mistake_that_never_shows(play):
    same_as_reference = build_mistake("same", right_run(play))
    assert sessions_to_confirm(play, right_run(play), [same_as_reference]) == []
    mistake_in_other_stage = build_mistake("elsewhere", right_run(play), stage="deal")
    assert sessions_to_confirm(play, right_run(play), [mistake_in_other_stage]) == []


def test_a_crashing_program_differs_from_one_that_does_not_crash(play):
    def fail(*_, **__):
        raise SessionError("it does not end")

    failing = build_mistake("fails", fail)
    chosen = sessions_to_confirm(play, right_run(play), [failing])
    assert len(chosen) == 3
    assert sessions_to_confirm(play, fail, [failing]) == []


def test_programs_that_differ_only_in_ignored_pauses_are_the_same(play):
    """A program without pauses counts as different only where pauses are compared."""
    run = right_run(play)

    def run_without_pauses(*arguments, **keywords):
        output = run(*arguments, **keywords)
        return msgspec.structs.replace(
            output, events=tuple(event for event in output.events if not hasattr(event, "duration_ms"))
        )

    mistake = build_mistake("hasty", run_without_pauses)
    assert len(sessions_to_confirm(play, run, [mistake])) == 3
    cases = tuple(
        msgspec.structs.replace(case, policy=msgspec.structs.replace(case.policy, pauses="ignored"))
        for case in play.spec.cases
    )
    lax_stage = msgspec.structs.replace(play, spec=msgspec.structs.replace(play.spec, cases=cases))
    assert sessions_to_confirm(lax_stage, run, [mistake]) == []


def test_for_a_single_game_the_cases_of_the_stage_are_also_searched():
    """The seeds of the cases were chosen to show rare situations such as two aces on the deal."""
    assignment = load_assignment(ROOT / "specs" / "bjm0")
    chances = assignment.stage("chances")
    (one_game,) = with_single_session(assignment, chances, 87, "h", None).spec.cases
    game_stage = msgspec.structs.replace(chances, spec=msgspec.structs.replace(chances.spec, cases=(one_game,)))
    mistakes = [mistake for mistake in mistakes_of(chances) if "two aces" in mistake.title]
    assert mistakes
    chosen = sessions_to_confirm(game_stage, right_run(chances), mistakes, chances.spec.cases)
    case_seeds = {(case.name, seed) for case in chances.spec.cases for seed in getattr(case.session, "seeds", ())}
    assert case_seeds & {(session.case.name, session.seed) for session in chosen}
    assert all(count_differences(chances, [mistake], chosen)["", mistake.id] for mistake in mistakes)


def test_a_mistake_that_a_case_contradicts_is_not_named_for_a_single_game(pitboss):
    """The program lowers one ace for each card: 10, 11, 11 are wrongly 22, but two aces on the deal correctly 12."""
    folder = ROOT / "tests" / "submissions" / "bjm0" / "WRONG_ANSWER" / "brief_if_in_chances"
    completed = pitboss("check", folder, "chances", "-a", ROOT / "specs" / "bjm0", "--seed", "87", "--answers", "h")
    assert completed.code == 1
    output = " ".join(completed.out.split())
    assert (
        output.count("mistake") == 1
        and "likely mistake: with each card only one ace is lowered (explains 1 of 1" in output
    )
