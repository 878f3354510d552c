"""The reference of another stage is a known mistake of this stage: the wrong file was handed in."""

import msgspec
import pytest

from pitboss.assignments.assignment import Reference
from pitboss.assignments.specfile import load_assignment
from pitboss.experiments.catalogue import other_stages_as_mistakes
from pitboss.model.invocation import script_of_lines
from pitboss.sessions.drivers import expected_run_here
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def hello():
    return load_assignment(ROOT / "tests" / "toy" / "hello")


def test_another_stage_gives_a_mistake_with_words_and_a_program(hello):
    (mistake,) = other_stages_as_mistakes(hello.stage("goodbye"), hello.stages)
    assert msgspec.structs.replace(mistake, runs={}) == type(mistake)(
        "as-hello",
        "the program does what hello does",
        "In every session the program does what hello asks, and nothing that only goodbye asks: is this the right file?",
        "The same as the reference of hello in every session.",
        "the reference of another stage",
        "",
        {},
    )
    assert mistake.run_of("hello") is None  # the stage hello cannot make this mistake
    transcript = mistake.run_of("goodbye")(script_of_lines([b"7"]))
    assert transcript == expected_run_here(hello.stage("hello"))(script_of_lines([b"7"]))
    assert transcript != expected_run_here(hello.stage("goodbye"))(script_of_lines([b"7"]))


@pytest.mark.parametrize(
    ("stage", "others"),
    [
        ("shuffle", ["deal", "play", "betting", "errors"]),
        ("play", ["deal", "betting", "shuffle", "errors"]),
        ("errors", ["betting", "play", "deal", "shuffle"]),
    ],
)
def test_nearest_stages_come_first_and_manual_stages_are_left_out(blackjack, stage, others):
    assert blackjack.stage("extra").is_manual
    mistakes = other_stages_as_mistakes(blackjack.stage(stage), blackjack.stages)
    assert [mistake.id for mistake in mistakes] == [f"as-{name}" for name in others]


def test_a_stage_with_the_same_reference_or_a_command_is_no_mistake(hello):
    first, second = hello.stages
    same = msgspec.structs.replace(first, reference=second.reference)
    assert not list(other_stages_as_mistakes(second, [same, second]))
    command = msgspec.structs.replace(first, reference=Reference(command=("./hello",)))
    assert not list(other_stages_as_mistakes(second, [command, second]))
    assert not list(other_stages_as_mistakes(second, [second]))


def test_for_a_stage_outside_the_assignment_all_stages_are_mistakes_in_order(blackjack):
    variant = msgspec.structs.replace(blackjack.stage("play"), name="play, otherwise", reference=Reference("x:y"))
    ids = [mistake.id for mistake in other_stages_as_mistakes(variant, blackjack.stages)]
    assert ids == ["as-shuffle", "as-deal", "as-play", "as-betting", "as-errors"]


def test_a_stage_with_a_changed_reference_is_no_mistake_of_itself(hello):
    first, second = hello.stages
    variant = msgspec.structs.replace(first, reference=Reference("x:y"))
    assert [mistake.id for mistake in other_stages_as_mistakes(variant, hello.stages)] == [f"as-{second.name}"]
