"""The reference of another stage is a mistake of this one."""

import msgspec
import pytest

from pitboss.assignments.assignment import Reference
from pitboss.assignments.specfile import load_assignment
from pitboss.experiments.catalogue import as_other_stages
from pitboss.model.scripts import typing
from pitboss.sessions.drivers import expected_run_here
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def hello():
    return load_assignment(ROOT / "tests" / "toy" / "hello")


def test_the_program_of_another_stage_is_a_mistake_in_words_and_deeds(hello):
    (one,) = as_other_stages(hello.stage("goodbye"), hello.stages)
    assert msgspec.structs.replace(one, runs={}) == type(one)(
        "as-hello",
        "the program does what hello does",
        "In every session it does what hello asks, and nothing that only goodbye asks: is this the right file?",
        "The same as the reference of hello in every session.",
        "the reference of another stage",
        "",
        {},
    )
    assert one.run_of("hello") is None
    output = one.run_of("goodbye")(typing([b"7"]))
    assert output == expected_run_here(hello.stage("hello"))(typing([b"7"]))
    assert output != expected_run_here(hello.stage("goodbye"))(typing([b"7"]))


@pytest.mark.parametrize(
    ("stage", "others"),
    [
        ("shuffle", ["deal", "play", "betting", "errors"]),
        ("play", ["deal", "betting", "shuffle", "errors"]),
        ("errors", ["betting", "play", "deal", "shuffle"]),
    ],
)
def test_the_nearest_stages_come_first_without_those_for_a_person(blackjack, stage, others):
    assert blackjack.stage("extra").is_manual
    found = as_other_stages(blackjack.stage(stage), blackjack.stages)
    assert [one.id for one in found] == [f"as-{name}" for name in others]


def test_a_stage_of_the_same_reference_and_one_that_is_a_command_are_none(hello):
    one, other = hello.stages
    same = msgspec.structs.replace(one, reference=other.reference)
    assert not list(as_other_stages(other, [same, other]))
    command = msgspec.structs.replace(one, reference=Reference(command=("./hello",)))
    assert not list(as_other_stages(other, [command, other]))
    assert not list(as_other_stages(other, [other]))


def test_a_stage_that_is_not_among_them_has_them_in_their_order(blackjack):
    variant = msgspec.structs.replace(blackjack.stage("play"), name="play, otherwise", reference=Reference("x:y"))
    found = [one.id for one in as_other_stages(variant, blackjack.stages)]
    assert found == ["as-shuffle", "as-deal", "as-play", "as-betting", "as-errors"]


def test_a_stage_is_not_its_own_other_although_it_has_another_reference_here(hello):
    one, other = hello.stages
    variant = msgspec.structs.replace(one, reference=Reference("x:y"))
    assert [found.id for found in as_other_stages(variant, hello.stages)] == [f"as-{other.name}"]
