"""The reach of a session: the number of the read after which the session is no longer compared with a known mistake.

The reach ends at the first line that answers another question, or at the first end of input beyond the expected ones.
"""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.compare.outcome import JudgedSession
from pitboss.experiments.naming.diagnosis import answer_kinds_in, relevant_read_number
from pitboss.model.comparison_policy import EXACT
from pitboss.model.transcript import InputEnded, Paused, Shown, Transcript, Typed, cut_after_read, exited

BET, HIT, END = b"Bet: ", b"Hit? [y/n] ", InputEnded()


def question_events(*pairs, then=()):
    """The events of questions, each with its typed line and an "ok"; the events of `then` follow."""
    return (*(event for question, line in pairs for event in (Shown(question), Typed(line), Shown(b"ok\n"))), *then)


def judged_session(actual, expected=(), **changes):
    """A session with these events in place of the expected ones."""
    return msgspec.structs.replace(JudgedSession(Transcript(actual), EXACT, False, expected=expected), **changes)


ANSWERS = answer_kinds_in([judged_session((), question_events((BET, b"10"), (HIT, b"y")))])


def test_answers_are_collected_by_question_from_expected_events():
    first = judged_session(
        question_events((BET, b"banana")), question_events((BET, b"10"), (b"Welcome!\n" + HIT, b"y"))
    )
    second = judged_session((), question_events((HIT, b"n"), (BET, b"-3.5"), (BET, b"ten"), then=(Shown(HIT), END)))
    # A question is the last line before a read, and each number is collected as 0.
    assert answer_kinds_in([first, second]) == {BET: {b"0", b"ten"}, HIT: {b"y", b"n"}}


def test_live_input_gives_no_answers_but_reference_runs_do():
    assert answer_kinds_in([judged_session((), question_events((BET, b"10")), is_live_input=True)]) == {}
    assert answer_kinds_in([judged_session((), None)]) == {}
    reference_run = Transcript(question_events((BET, b"10"), (HIT, b"y")))
    assert answer_kinds_in([judged_session((), question_events((HIT, b"n")))], [reference_run]) == {
        BET: {b"0"},
        HIT: {b"y", b"n"},
    }


@pytest.mark.parametrize(
    ("events", "reach"),
    [
        (question_events((BET, b"10"), (HIT, b"y")), None),
        (question_events((BET, b" +7.25 "), (HIT, b"y")), None),
        (question_events((BET, b"10"), (HIT, b"10"), (BET, b"y")), 2),
        (question_events((BET, b"y"), (HIT, b"y")), 1),
        (question_events((BET, b"10"), (HIT, b"Y")), 2),
        (question_events((BET, b"1.")), 1),
        (question_events((b"Another question? ", b"whatever"), (HIT, b"y")), None),
        ((Shown(BET), Paused(9), Typed(b"10"), Shown(HIT), Paused(9), Typed(b"9")), 2),
    ],
    ids=[
        "all are answers",
        "any number is an answer",
        "the second line is no answer",
        "the first line is no answer",
        "a letter is not its capital",
        "no number",
        "a question that the right program never asks",
        "pauses are no reads",
    ],
)
def test_the_reach_ends_at_the_first_line_that_fits_no_known_answer(events, reach):
    assert relevant_read_number(judged_session(events, question_events((BET, b"10"))), ANSWERS) == reach


def test_sessions_whose_draws_are_read_back_are_compared_at_any_line():
    """Their lines are fixed but their draws are not, so the reference may ask any question at any line."""
    assert (
        relevant_read_number(
            judged_session(question_events((BET, b"y")), question_events((BET, b"10")), draws=("7",)), ANSWERS
        )
        is None
    )


@pytest.mark.parametrize(
    ("actual", "expected", "reach"),
    [
        (question_events((BET, b"1"), then=(END,)), question_events((BET, b"1")), 2),
        (question_events((BET, b"1"), then=(END, END, END)), question_events((BET, b"1"), then=(END,)), 3),
        (question_events((BET, b"1"), then=(END,)), question_events((BET, b"1"), then=(END,)), None),
        ((END, *question_events((BET, b"1")), END), question_events((BET, b"1"), then=(END,)), 3),
        ((END,), None, 1),
    ],
    ids=["one surplus end", "two surplus ends", "no surplus end", "a line between", "no session is expected"],
)
@pytest.mark.parametrize("draws", [None, ("7",)])
def test_the_reach_ends_at_the_first_surplus_end_of_input(actual, expected, reach, draws):
    assert relevant_read_number(judged_session(actual, expected, draws=draws), {}) == reach


EVENTS = st.lists(
    st.one_of(
        st.sampled_from([BET, HIT, b"x\n"]).map(Shown),
        st.sampled_from([b"1", b"y", b""]).map(Typed),
        st.integers(1, 9).map(Paused),
        st.just(END),
    ),
    max_size=12,
).map(tuple)


def count_reads(events):
    return sum(isinstance(event, Typed | InputEnded) for event in events)


@given(EVENTS, st.integers(1, 9), st.integers(0, 255))
def test_cut_after_read_keeps_a_prefix_with_at_most_that_many_reads(events, count, code):
    whole = Transcript(events, exited(code), complaint=b"why")
    part = cut_after_read(whole, count)
    assert events[: len(part.events)] == part.events
    assert count_reads(part.events) == min(count, count_reads(events))
    if count_reads(events) < count:
        assert part == whole
    else:
        assert isinstance(part.events[-1], Typed | InputEnded)
        assert part == Transcript(part.events)


@given(EVENTS, EVENTS, st.sampled_from([None, ("7",)]))
def test_the_reach_is_the_number_of_a_read_or_none(actual, expected, draws):
    """None for a session that is as expected; without collected answers also for any without a surplus end of input."""
    session = judged_session(actual, expected, draws=draws)
    reach = relevant_read_number(session, answer_kinds_in([session]))
    assert reach is None or 1 <= reach <= count_reads(actual)
    end_count = sum(isinstance(event, InputEnded) for event in actual)
    if end_count <= sum(isinstance(event, InputEnded) for event in expected):
        assert relevant_read_number(session, {}) is None
    assert (
        relevant_read_number(judged_session(actual, actual, draws=draws), answer_kinds_in([judged_session((), actual)]))
        is None
    )
