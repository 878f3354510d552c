"""A program that draws from another seed than the typed one is named, by what its environments determine."""

import msgspec
import pytest

from pitboss.assignments.cases import Session, sessions_of
from pitboss.assignments.players import input_script_of
from pitboss.assignments.specfile import load_assignment
from pitboss.compare.outcome import JudgedSession
from pitboss.experiments.naming.explaining import right_run
from pitboss.experiments.naming.seeds import has_seeds, own_seed_of
from pitboss.model.scripts import typing
from pitboss.model.transcript import Typed
from pitboss.sessions.determinism import visible_seeds_of
from tests.conftest import ROOT

TIME = "the time is used instead of the seed"
WAYS = {
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


def witness(stage, session, seed_of):
    """What the right program shows with the seed that `seed_of` makes of the typed one and the seed of the environment."""
    right = right_run(stage)
    output = right(input_script_of(session.case.session, session.seed, session.case.place))
    seed = seed_of(session.seed, session.environment_seed)
    screen = right(typing([str(seed).encode(), *output.lines[1:]]))
    place = next(number for number, event in enumerate(screen.events) if isinstance(event, Typed))
    events = (*screen.events[:place], output.events[place], *screen.events[place + 1 :])
    actual = msgspec.structs.replace(screen, events=events)
    return JudgedSession(
        actual, session.case.policy, actual == output, expected=output.events, environment_seed=session.environment_seed
    )


def some(stage, count=6):
    generated = [one for one in sessions_of(stage) if one.seed is not None and one.seed > 1]
    return [one for one in generated if one.seed not in (41, 42, 43)][:count]


@pytest.mark.parametrize("title", WAYS)
def test_where_the_seed_comes_from_is_reported(deal, title):
    failed = [witness(deal, one, WAYS[title]) for one in some(deal)]
    (output,) = own_seed_of(deal, failed, [])
    assert (output.title, output.explains, output.of) == (title, 6, 6)
    assert output.hint == "Use the seed as it is typed: seed the generator with it, once, before anything is drawn."
    others = [other for other in WAYS if other != title]
    for other in others:
        assert own_seed_of(deal, [*failed, witness(deal, some(deal, 7)[6], WAYS[other])], []) == []


def test_an_accepted_session_contradicts_unless_its_seed_is_0(deal):
    first, *others = (witness(deal, one, WAYS[TIME]) for one in some(deal))
    right = witness(deal, some(deal, 7)[6], lambda seed, environment_seed: seed)
    zero = witness(deal, Session(deal, some(deal)[0].case, 0), lambda seed, environment_seed: seed)
    assert right.is_accepted
    assert zero.is_accepted
    assert own_seed_of(deal, [first, *others], [zero])
    assert own_seed_of(deal, [first, *others], [zero, right]) == []


def test_a_first_line_that_is_no_seed_is_none():
    """A right program of the bank opened with another amount is no generator with another seed."""
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
