"""A mistake explains what its program does exactly, and nearly explains most of what failed."""

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.compare.outcome import JudgedSession
from pitboss.experiments.catalogue import Mistake
from pitboss.experiments.naming.explaining import (
    contradicts,
    explaining,
    is_mostly_hidden,
    length,
    near_explanations,
    right_run,
)
from pitboss.experiments.relation import experiment_of
from pitboss.model.comparison_policy import EXACT
from pitboss.model.scripts import typing
from pitboss.model.transcript import Transcript, Typed
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.references import expected_run_in_process
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def stage():
    return load_assignment(ROOT / "tests" / "toy" / "hello").stage("hello")


def program(answer):
    """Answers a number with `answer` of it."""

    def main(console):
        console.write("Number? ")
        console.write(f"{answer(int(console.read_line()))}\n")

    return expected_run_in_process(main, "a test's program")


def mistake(id_, answer):
    return Mistake(id_, "a title", "a hint", "a note", "a source", "", {"hello": program(answer)})


def up_to(count):
    """The mistake of a program that does what was seen for numbers below `count`."""
    return mistake(f"below {count}", lambda number: number * 2 if number < count else -1)


def seen(number, answer=lambda number: number * 2, *, is_accepted=False):
    return JudgedSession(program(answer)(typing([str(number).encode()])), EXACT, is_accepted)


def failed(count, first=0):
    return [seen(number) for number in range(first, first + count)]


def test_only_what_does_the_same_in_every_session_explains_them(stage):
    every = [up_to(3), up_to(5), up_to(4)]
    assert explaining(stage, every, failed(4)) == [every[1], every[2]]
    accepted = seen(4, is_accepted=True)
    assert explaining(stage, every, [*failed(4), accepted]) == [every[1]]
    assert explaining(stage, every, []) == every
    assert explaining(stage, iter(()), failed(1)) == []


def test_a_program_that_fails_explains_nothing(stage):
    def raises(_):
        raise ZeroDivisionError

    session = experiment_of(seen(1), stage)
    assert contradicts(mistake("fails", raises), stage)(session)
    assert not contradicts(up_to(2), stage)(session)
    assert contradicts(up_to(1), stage)(session)


def test_what_explains_nearly_all_is_near_unless_something_explains_more(stage):
    every = [up_to(10), up_to(11), up_to(12), up_to(10)]
    assert near_explanations(stage, every, failed(12), []) == [(12, every[2])]
    assert near_explanations(stage, every[:2], failed(12), []) == [(11, every[1])]
    assert near_explanations(stage, [up_to(10)], failed(12), []) == []
    assert near_explanations(stage, [up_to(7)], failed(10), []) == []


def test_no_more_than_three_are_near_and_of_equals_the_first(stage):
    every = [mistake(name, lambda number: number * 2) for name in "abcd"]
    assert [(count, one.id) for count, one in near_explanations(stage, every, failed(4), [])] == [
        (4, "a"),
        (4, "b"),
        (4, "c"),
    ]


def test_what_an_accepted_session_contradicts_is_not_near(stage):
    accepted = [seen(20, lambda number: -1, is_accepted=True)]
    every = [mistake("always", lambda number: number * 2), up_to(12)]
    assert near_explanations(stage, every, failed(12), accepted) == [(12, every[1])]


def test_what_explains_one_session_alone_is_not_near(stage):
    assert near_explanations(stage, [up_to(1)], failed(1), []) == []
    assert near_explanations(stage, [up_to(2)], failed(2), []) != []


def test_of_many_sessions_a_sample_from_all_of_them_decides_and_all_are_counted(stage):
    """It tries every third of 36; the mistake does the first eleven of these, and 33 of them all."""
    every = up_to(33)
    assert near_explanations(stage, [every], failed(36), []) == [(33, every)]
    assert near_explanations(stage, [up_to(12)], failed(36), []) == []


def test_the_right_program_is_the_stages_reference_unless_it_is_a_command(stage, toy):
    script = [b"7"]
    assert right_run(stage)(typing(script)) == expected_run_here(stage)(typing(script))
    assert right_run(toy.stages[0]) is None


def test_a_session_is_as_long_as_its_events():
    assert length(JudgedSession(Transcript((Typed(b"1"), Typed(b"2"))), EXACT, True)) == 2


def test_sessions_with_many_hidden_draws_are_mostly_hidden():
    def drawn(*draws):
        return JudgedSession(Transcript(()), EXACT, False, draws)

    output, one_of_five, two_of_four = drawn(*"abcd"), drawn(None, *"abcd"), drawn(None, "a", None, "b")
    assert not is_mostly_hidden([output, one_of_five, one_of_five], 0.25)
    assert is_mostly_hidden([output, one_of_five, one_of_five])
    assert is_mostly_hidden([output, two_of_four, two_of_four], 0.25)
    assert not is_mostly_hidden([output, output, two_of_four])
    assert not is_mostly_hidden([JudgedSession(Transcript(()), EXACT, False)])


def asked_of(mistakes, stage, sessions):
    """The numbers of the sessions in which these mistakes are tried, one after the other."""
    asked = []

    def tried(one):
        run = one.run_of("hello")

        def noted(script, *rest, **keywords):
            output = run(script, *rest, **keywords)
            asked.append(int(output.lines[0]))
            return output

        return Mistake(one.id, *[""] * 5, {"hello": noted})

    explaining(stage, [tried(one) for one in mistakes], sessions)
    return asked


def test_failed_sessions_are_tried_first_and_what_contradicted_one_mistake_before_others(stage):
    sessions = [seen(0, is_accepted=True), *failed(3, first=1)]
    nothing, most, all_ = up_to(0), up_to(3), up_to(9)
    assert asked_of([nothing], stage, sessions) == [1]
    assert asked_of([most, nothing, all_], stage, sessions) == [1, 2, 3, 3, 3, 1, 2, 0]


def test_a_wrong_reference_that_reads_on_and_on_is_not_waited_for(stage):
    """It stands on each line, and on the end of input too: a hundred thousand times unless it is stopped."""
    reads = []

    def main(console):
        while True:
            console.write("? ")
            reads.append(console.read_line())

    endless = Mistake("endless", *[""] * 5, {"hello": expected_run_in_process(main, "a test's program")})
    assert explaining(stage, [endless], failed(2)) == []
    assert 100 < len(reads) < 2000
