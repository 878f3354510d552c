"""How far a session tells of a mistake: up to a line that was meant for another question, or past the end of input."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.compare.outcome import JudgedSession
from pitboss.experiments.naming.diagnosis import answers_in, reach_of
from pitboss.experiments.relation import cut_after_read
from pitboss.model.comparison_policy import EXACT
from pitboss.model.transcript import InputEnded, Paused, Shown, Transcript, Typed, exited

BET, HIT, END = b"Bet: ", b"Hit? [y/n] ", InputEnded()


def asked(*pairs, then=()):
    """The events of questions with the lines typed at them."""
    return (*(event for question, line in pairs for event in (Shown(question), Typed(line), Shown(b"ok\n"))), *then)


def witness(actual, expected=(), **changes):
    return msgspec.structs.replace(JudgedSession(Transcript(actual), EXACT, False, expected=expected), **changes)


ANSWERS = answers_in([witness((), asked((BET, b"10"), (HIT, b"y")))])


def test_answers_are_those_of_the_right_program_by_the_question_on_their_line():
    one = witness(asked((BET, b"banana")), asked((BET, b"10"), (b"Welcome!\n" + HIT, b"y")))
    other = witness((), asked((HIT, b"n"), (BET, b"-3.5"), (BET, b"ten"), then=(Shown(HIT), END)))
    assert answers_in([one, other]) == {BET: {b"0", b"ten"}, HIT: {b"y", b"n"}}


def test_lines_that_were_chosen_for_the_program_itself_are_no_answers():
    assert answers_in([witness((), asked((BET, b"10")), is_in_step=True)]) == {}
    assert answers_in([witness((), None)]) == {}
    played = Transcript(asked((BET, b"10"), (HIT, b"y")))
    assert answers_in([witness((), asked((HIT, b"n")))], [played]) == {BET: {b"0"}, HIT: {b"y", b"n"}}


@pytest.mark.parametrize(
    ("events", "reach"),
    [
        (asked((BET, b"10"), (HIT, b"y")), None),
        (asked((BET, b" +7.25 "), (HIT, b"y")), None),
        (asked((BET, b"10"), (HIT, b"10"), (BET, b"y")), 2),
        (asked((BET, b"y"), (HIT, b"y")), 1),
        (asked((BET, b"10"), (HIT, b"Y")), 2),
        (asked((BET, b"1.")), 1),
        (asked((b"Another question? ", b"whatever"), (HIT, b"y")), None),
        ((Shown(BET), Paused(9), Typed(b"10"), Shown(HIT), Paused(9), Typed(b"9")), 2),
    ],
    ids=[
        "all are answers",
        "any number is one",
        "the first that is none",
        "the first of all",
        "a letter is not its capital",
        "no number",
        "a question that the right program never asks",
        "pauses are no reads",
    ],
)
def test_a_session_reaches_to_the_first_line_that_is_no_answer_to_its_question(events, reach):
    assert reach_of(witness(events, asked((BET, b"10"))), ANSWERS) == reach


def test_where_draws_are_read_back_any_line_is_compared():
    """Its lines are fixed, but what it draws is not: the right program may ask anything there."""
    assert reach_of(witness(asked((BET, b"y")), asked((BET, b"10")), draws=("7",)), ANSWERS) is None


@pytest.mark.parametrize(
    ("actual", "expected", "reach"),
    [
        (asked((BET, b"1"), then=(END,)), asked((BET, b"1")), 2),
        (asked((BET, b"1"), then=(END, END, END)), asked((BET, b"1"), then=(END,)), 3),
        (asked((BET, b"1"), then=(END,)), asked((BET, b"1"), then=(END,)), None),
        ((END, *asked((BET, b"1")), END), asked((BET, b"1"), then=(END,)), 3),
        ((END,), None, 1),
    ],
    ids=["one more", "the first more of several", "no more", "after a line", "nothing is expected"],
)
@pytest.mark.parametrize("draws", [None, ("7",)])
def test_a_session_reaches_to_the_first_end_of_input_too_many(actual, expected, reach, draws):
    assert reach_of(witness(actual, expected, draws=draws), {}) == reach


EVENTS = st.lists(
    st.one_of(
        st.sampled_from([BET, HIT, b"x\n"]).map(Shown),
        st.sampled_from([b"1", b"y", b""]).map(Typed),
        st.integers(1, 9).map(Paused),
        st.just(END),
    ),
    max_size=12,
).map(tuple)


def reads(events):
    return sum(isinstance(event, Typed | InputEnded) for event in events)


@given(EVENTS, st.integers(1, 9), st.integers(0, 255))
def test_until_is_a_beginning_with_no_more_reads_than_asked_that_ends_with_the_last(events, count, code):
    whole = Transcript(events, exited(code), complaint=b"why")
    part = cut_after_read(whole, count)
    assert events[: len(part.events)] == part.events
    assert reads(part.events) == min(count, reads(events))
    if reads(events) < count:
        assert part == whole
    else:
        assert isinstance(part.events[-1], Typed | InputEnded)
        assert part == Transcript(part.events)


@given(EVENTS, EVENTS, st.sampled_from([None, ("7",)]))
def test_a_reach_is_one_of_the_reads_and_none_if_nothing_strange_is_read(actual, expected, draws):
    one = witness(actual, expected, draws=draws)
    reach = reach_of(one, answers_in([one]))
    assert reach is None or 1 <= reach <= reads(actual)
    ends = sum(isinstance(event, InputEnded) for event in actual)
    if ends <= sum(isinstance(event, InputEnded) for event in expected):
        assert reach_of(one, {}) is None
    assert reach_of(witness(actual, actual, draws=draws), answers_in([witness((), actual)])) is None
