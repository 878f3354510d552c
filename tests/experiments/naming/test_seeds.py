"""A program that draws with another seed than the typed one is recognized, and the seed it uses is named.

The time and the process ID that a program sees follow from the seed of its session's environment.
"""

import msgspec
import pytest

from pitboss.assignments.cases import Session, sessions_of
from pitboss.assignments.players import input_script_of
from pitboss.assignments.specfile import load_assignment
from pitboss.compare.outcome import JudgedSession
from pitboss.experiments.naming.explaining import right_run
from pitboss.experiments.naming.seeds import has_seeds, wrong_seed_diagnoses
from pitboss.model.invocation import script_of_lines
from pitboss.model.transcript import Typed
from pitboss.sessions.determinism import visible_seeds_of
from tests.conftest import ROOT

TIME = "the time is used instead of the seed"
#: By the title of the diagnosis: a function that returns the seed that a program uses, from the typed seed and the
#: environment's.
USED_SEEDS = {
    TIME: lambda seed, environment_seed: visible_seeds_of(environment_seed).second,
    "the process ID is used instead of the seed": lambda seed, environment_seed: (
        visible_seeds_of(environment_seed).process
    ),
    "1 is added to the seed": lambda seed, environment_seed: seed + 1,
    "1 is subtracted from the seed": lambda seed, environment_seed: seed - 1,
    "42 is always used instead of the typed seed": lambda seed, environment_seed: 42,
}


@pytest.fixture(scope="module")
def deal():
    return load_assignment(ROOT / "specs" / "blackjack").stage("deal")


def judged_session(stage, session, seed_of):
    """A session in which the typed seed is shown, but the program draws with the seed that `seed_of` returns."""
    reference_run = right_run(stage)
    expected = reference_run(input_script_of(session.case.session, session.seed, session.case.place))
    seed = seed_of(session.seed, session.environment_seed)
    with_other_seed = reference_run(script_of_lines([str(seed).encode(), *expected.lines[1:]]))
    seed_position = next(number for number, event in enumerate(with_other_seed.events) if isinstance(event, Typed))
    events = (
        *with_other_seed.events[:seed_position],
        expected.events[seed_position],
        *with_other_seed.events[seed_position + 1 :],
    )
    actual = msgspec.structs.replace(with_other_seed, events=events)
    return JudgedSession(
        actual,
        session.case.policy,
        actual == expected,
        expected=expected.events,
        environment_seed=session.environment_seed,
    )


def seeded_sessions(stage, count=6):
    """Sessions whose seeds tell the titles apart: not 0 or 1, and not next to 42."""
    generated = [session for session in sessions_of(stage) if session.seed is not None and session.seed > 1]
    return [session for session in generated if session.seed not in (41, 42, 43)][:count]


@pytest.mark.parametrize("title", USED_SEEDS)
def test_the_seed_that_is_used_is_named(deal, title):
    failed = [judged_session(deal, session, USED_SEEDS[title]) for session in seeded_sessions(deal)]
    (diagnosis,) = wrong_seed_diagnoses(deal, failed, [])
    assert (diagnosis.title, diagnosis.explains, diagnosis.of) == (title, 6, 6)
    assert diagnosis.hint == "Use the seed as it is typed: seed the generator with it, once, before anything is drawn."
    other_titles = [other_title for other_title in USED_SEEDS if other_title != title]
    for other_title in other_titles:
        assert (
            wrong_seed_diagnoses(
                deal, [*failed, judged_session(deal, seeded_sessions(deal, 7)[6], USED_SEEDS[other_title])], []
            )
            == []
        )


def test_an_accepted_session_rules_out_a_wrong_seed_unless_it_typed_0(deal):
    first, *rest = (judged_session(deal, session, USED_SEEDS[TIME]) for session in seeded_sessions(deal))
    accepted = judged_session(deal, seeded_sessions(deal, 7)[6], lambda seed, environment_seed: seed)
    accepted_with_0 = judged_session(
        deal, Session(deal, seeded_sessions(deal)[0].case, 0), lambda seed, environment_seed: seed
    )
    assert accepted.is_accepted
    assert accepted_with_0.is_accepted
    assert wrong_seed_diagnoses(deal, [first, *rest], [accepted_with_0])
    assert wrong_seed_diagnoses(deal, [first, *rest], [accepted_with_0, accepted]) == []


def test_a_first_line_that_is_no_seed_is_not_taken_for_a_seed():
    """The bank program's first line is an opening amount: another amount is no other seed."""
    for name in ("teller", "quiz"):
        for stage in load_assignment(ROOT / "tests" / "toy" / name).stages:
            assert not has_seeds(stage)
    assert [stage.name for stage in load_assignment(ROOT / "specs" / "blackjack").stages if has_seeds(stage)] == [
        "shuffle",
        "deal",
        "play",
        "betting",
        "errors",
        "extra",
    ]
