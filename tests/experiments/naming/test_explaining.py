"""A mistake explains sessions if its program does the same in all; a near explanation matches most failed sessions.

In each session here, the submission doubles the number that is typed, which is wrong; each session has another number.
"""

from itertools import chain

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.compare.outcome import JudgedSession
from pitboss.experiments.catalogue import Mistake
from pitboss.experiments.naming.explaining import (
    contradiction_check,
    event_count,
    have_many_hidden_draws,
    mistakes_that_explain,
    near_explanations,
    right_run,
)
from pitboss.experiments.relation import experiment_of
from pitboss.model.comparison_policy import EXACT
from pitboss.model.invocation import script_of_lines
from pitboss.model.transcript import Transcript, Typed
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.references import expected_run_in_process
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def stage():
    return load_assignment(ROOT / "tests" / "toy" / "hello").stage("hello")


def build_run(answer):
    """The run of a program that reads a number and prints `answer(number)`."""

    def main(console):
        console.write("Number? ")
        console.write(f"{answer(int(console.read_line()))}\n")

    return expected_run_in_process(main, "a test's program")


def build_mistake(id_, answer):
    return Mistake(id_, "a title", "a hint", "a note", "a source", "", {"hello": build_run(answer)})


def explaining_below(count):
    """A mistake that explains the failed sessions with numbers below `count`, and no others."""
    return build_mistake(f"below {count}", lambda number: number * 2 if number < count else -1)


def judged_session(number, answer=lambda number: number * 2, *, is_accepted=False):
    """A session of the submission in which this number is typed."""
    return JudgedSession(build_run(answer)(script_of_lines([str(number).encode()])), EXACT, is_accepted)


def failed_sessions(count, first=0):
    """`count` failed sessions, in which the numbers from `first` on are typed."""
    return [judged_session(number) for number in range(first, first + count)]


def test_only_a_mistake_that_matches_every_session_explains_them(stage):
    mistakes = [explaining_below(3), explaining_below(5), explaining_below(4)]
    assert mistakes_that_explain(stage, mistakes, failed_sessions(4)) == [mistakes[1], mistakes[2]]
    accepted = judged_session(4, is_accepted=True)
    assert mistakes_that_explain(stage, mistakes, [*failed_sessions(4), accepted]) == [mistakes[1]]
    assert mistakes_that_explain(stage, mistakes, []) == mistakes
    assert mistakes_that_explain(stage, iter(()), failed_sessions(1)) == []


def test_a_mistake_whose_program_crashes_explains_nothing(stage):
    def fail(_):
        raise ZeroDivisionError

    session = experiment_of(judged_session(1), stage)
    assert contradiction_check(build_mistake("fails", fail), stage)(session)
    assert not contradiction_check(explaining_below(2), stage)(session)
    assert contradiction_check(explaining_below(1), stage)(session)


def test_only_the_best_of_the_nearly_explaining_mistakes_is_near(stage):
    """A near explanation explains at least 85 % of the failed sessions."""
    mistakes = [explaining_below(10), explaining_below(11), explaining_below(12), explaining_below(10)]
    assert near_explanations(stage, mistakes, failed_sessions(12), []) == [(12, mistakes[2])]
    assert near_explanations(stage, mistakes[:2], failed_sessions(12), []) == [(11, mistakes[1])]
    assert near_explanations(stage, [explaining_below(10)], failed_sessions(12), []) == []
    assert near_explanations(stage, [explaining_below(7)], failed_sessions(10), []) == []


def test_at_most_three_equally_near_mistakes_are_listed(stage):
    mistakes = [build_mistake(name, lambda number: number * 2) for name in "abcd"]
    assert [
        (count, near_mistake.id) for count, near_mistake in near_explanations(stage, mistakes, failed_sessions(4), [])
    ] == [
        (4, "a"),
        (4, "b"),
        (4, "c"),
    ]


def test_a_mistake_that_an_accepted_session_contradicts_is_not_near(stage):
    accepted = [judged_session(20, lambda number: -1, is_accepted=True)]
    mistakes = [build_mistake("always", lambda number: number * 2), explaining_below(12)]
    assert near_explanations(stage, mistakes, failed_sessions(12), accepted) == [(12, mistakes[1])]


def test_a_mistake_that_explains_a_single_session_is_not_near(stage):
    assert near_explanations(stage, [explaining_below(1)], failed_sessions(1), []) == []
    assert near_explanations(stage, [explaining_below(2)], failed_sessions(2), []) != []


def test_of_many_sessions_a_sample_decides_but_all_are_counted(stage):
    """Every third of 36 sessions is in the sample; the mistake matches eleven of these twelve, and 33 of all."""
    explains_33 = explaining_below(33)
    assert near_explanations(stage, [explains_33], failed_sessions(36), []) == [(33, explains_33)]
    assert near_explanations(stage, [explaining_below(12)], failed_sessions(36), []) == []


def test_the_correct_run_is_the_reference_unless_it_is_a_command(stage, toy):
    lines = [b"7"]
    assert right_run(stage)(script_of_lines(lines)) == expected_run_here(stage)(script_of_lines(lines))
    assert right_run(toy.stages[0]) is None


def test_the_event_count_of_a_session_is_the_number_of_its_events():
    assert event_count(JudgedSession(Transcript((Typed(b"1"), Typed(b"2"))), EXACT, True)) == 2


def test_hidden_draws_are_many_if_over_a_third_of_the_sessions_hide_some():
    """None stands for a hidden draw. With 0.25, a session counts only if more than a quarter of its draws is hidden."""

    def session_with_draws(*draws):
        return JudgedSession(Transcript(()), EXACT, False, draws)

    all_shown, one_of_five_hidden, two_of_four_hidden = (
        session_with_draws(*"abcd"),
        session_with_draws(None, *"abcd"),
        session_with_draws(None, "a", None, "b"),
    )
    assert not have_many_hidden_draws([all_shown, one_of_five_hidden, one_of_five_hidden], 0.25)
    assert have_many_hidden_draws([all_shown, one_of_five_hidden, one_of_five_hidden])
    assert have_many_hidden_draws([all_shown, two_of_four_hidden, two_of_four_hidden], 0.25)
    assert not have_many_hidden_draws([all_shown, all_shown, two_of_four_hidden])
    assert not have_many_hidden_draws([JudgedSession(Transcript(()), EXACT, False)])


def tried_numbers(mistakes, stage, sessions):
    """The numbers typed in the sessions in which these mistakes are tried, in the order of trying."""
    numbers = []

    def with_recorded_numbers(original):
        run = original.run_of("hello")

        def run_and_record(script, *rest, **keywords):
            output = run(script, *rest, **keywords)
            numbers.append(int(output.lines[0]))
            return output

        return Mistake(original.id, *[""] * 5, {"hello": run_and_record})

    mistakes_that_explain(stage, [with_recorded_numbers(mistake) for mistake in mistakes], sessions)
    return numbers


def test_failed_sessions_and_those_that_refuted_a_mistake_are_tried_first(stage):
    sessions = [judged_session(0, is_accepted=True), *failed_sessions(3, first=1)]
    explains_none, explains_most, explains_all = explaining_below(0), explaining_below(3), explaining_below(9)
    assert tried_numbers([explains_none], stage, sessions) == [1]
    # Session 3 refutes the first mistake, so it is tried first for the others; the accepted session 0 is tried last.
    numbers_by_mistake = [1, 2, 3], [3], [3, 1, 2, 0]
    mistakes = [explains_most, explains_none, explains_all]
    assert tried_numbers(mistakes, stage, sessions) == list(chain(*numbers_by_mistake))


def test_a_mistake_whose_program_reads_endlessly_is_stopped_early(stage):
    """It would ask again after each line and after the end of input, a hundred thousand times unless stopped."""
    reads = []

    def main(console):
        while True:
            console.write("? ")
            reads.append(console.read_line())

    endless = Mistake("endless", *[""] * 5, {"hello": expected_run_in_process(main, "a test's program")})
    assert mistakes_that_explain(stage, [endless], failed_sessions(2)) == []
    assert 100 < len(reads) < 2000
