import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.compare.comparison import Difference, difference_between, has_left_expected_path
from pitboss.model.comparison_policy import Policy
from pitboss.model.equality import Located, Replacement, equality
from pitboss.model.transcript import InputEnded, Paused, Shown, Typed, canonical, flat, without_unseen_pauses

texts = st.one_of(
    st.binary(max_size=8), st.text("ab \n€♣", max_size=8).map(str.encode), st.sampled_from([b" ", b"\n", b" \n"])
)
events = st.lists(
    st.one_of(
        texts.map(Shown),
        texts.filter(lambda text: b"\n" not in text).map(Typed),
        st.integers(0, 3000).map(Paused),
        st.just(InputEnded()),
    ),
    max_size=8,
).map(canonical)


@given(events, events)
def test_a_difference_is_found_exactly_if_events_differ(expected, actual):
    assert (difference_between(expected, actual) is None) == (expected == without_unseen_pauses(expected, actual))


@given(events, events)
def test_a_difference_contains_both_sessions_in_full(expected, actual):
    difference = difference_between(expected, actual)
    if difference is not None:
        assert canonical((*difference.matched, *difference.expected)) == expected
        assert canonical((*difference.matched, *difference.actual)) == without_unseen_pauses(expected, actual)
        assert difference.expected[:1] != difference.actual[:1]


@given(
    st.lists(st.one_of(st.just(Shown(b"a")), st.just(Typed(b"b"))), max_size=5), st.integers(0, 5), st.integers(1, 99)
)
def test_a_pause_that_nobody_sees_is_a_difference_only_if_the_expected_session_has_such_a_pause(
    session, place, duration_ms
):
    other, session = canonical((*session[:place], Paused(duration_ms), *session[place:])), canonical(session)
    for policy in (Policy(), Policy(trailing_blanks="ignored")):
        assert difference_between(session, other, policy) is None
        assert difference_between((*session, Typed(b"c"), Paused(99)), (*other, Typed(b"c"), Paused(99)), policy)
        assert difference_between(other, session, policy) is not None


def test_a_visible_pause_that_became_too_short_to_be_seen_is_named_as_such():
    difference = difference_between((Paused(2000), Shown(b"a")), (Paused(2), Shown(b"a"), Paused(2)))
    assert difference == Difference((), (Paused(2000), Shown(b"a")), (Paused(2), Shown(b"a")))


@given(events)
def test_relaxing_a_session_twice_changes_nothing_more(session):
    for name in ("pauses", "trailing_blanks", "blank_lines"):
        policy = Policy(**{name: "ignored"})
        once = equality(policy).normalized(session)
        assert equality(policy).normalized(once) == once


@given(events, events)
def test_sessions_accepted_exactly_are_accepted_by_relaxed_policies(expected, actual):
    for name in ("pauses", "trailing_blanks", "blank_lines", "letter_case"):
        if difference_between(expected, actual) is None:
            assert difference_between(expected, actual, Policy(**{name: "ignored"})) is None


def test_a_difference_never_cuts_a_character_in_two():
    difference = difference_between((Shown("8♣ x".encode()),), (Shown("8♦ x".encode()),))
    assert difference == Difference((Shown(b"8"),), (Shown("♣ x".encode()),), (Shown("♦ x".encode()),))
    assert (difference.line, difference.column) == (1, 2)


def test_a_typed_line_ends_a_line_of_the_screen():
    difference = difference_between(
        (Shown(b"a? "), Typed(b"1"), Shown(b"b")), (Shown(b"a? "), Typed(b"1"), Shown(b"c"))
    )
    assert (difference.line, difference.column) == (2, 1)


def test_typed_text_is_never_taken_for_output():
    assert difference_between((Shown(b"a"), Typed(b"h")), (Shown(b"ah"),)) is not None
    assert difference_between((Shown(b"ah\n"),), (Shown(b"a"), Typed(b"h"))) is not None


def test_missing_or_additional_text_is_a_difference():
    assert difference_between((Shown(b"abc\n"),), (Shown(b"abc"),)) is not None
    assert difference_between((Shown(b"abc\n"),), (Shown(b"xabc\n"),)) is not None


def test_trailing_blanks_are_ignored_on_every_line_and_before_a_typed_line():
    policy = Policy(trailing_blanks="ignored")
    expected = (Shown(b"a \nb? "), Typed(b"1"), Shown(b"c\n"))
    actual = (Shown(b"a\nb?"), Typed(b"1"), Shown(b"c  \n"))
    assert difference_between(expected, actual, policy) is None
    assert difference_between(expected, actual) is not None


def test_blanks_at_the_end_of_a_line_may_stand_in_an_alternative():
    policy = Policy(trailing_blanks="ignored", alternatives=(("Bet: ", "Bet:\n"),))
    assert difference_between((Shown(b"Bet: 5\n"),), (Shown(b"Bet: \t\n5\n"),), policy) is None
    assert difference_between((Shown(b"Bet: 5\n"),), (Shown(b"Bet: .\n5\n"),), policy) is not None


@given(
    st.lists(st.lists(st.text("ab.", min_size=1, max_size=3), min_size=2, max_size=3, unique=True), max_size=3),
    st.lists(st.one_of(st.text("ab.\n").map(str.encode).map(Shown), st.just(Typed(b"a")), st.just(InputEnded()))),
)
def test_alternatives_in_lines_are_those_in_the_whole_session(groups, session):
    text = flat(canonical(session))
    expected = Located(text, text)
    for group in groups:
        pattern = re.compile("|".join(map(re.escape, sorted(group, key=len, reverse=True))))
        found = (match for match in pattern.finditer(expected.text) if match[0] != group[0])
        expected = expected.changed([Replacement(*match.span(), group[0]) for match in found])
    located = equality(Policy(alternatives=tuple(map(tuple, groups)))).normalize(text)
    assert located == expected


@pytest.mark.parametrize(("expected", "actual"), [(b"a\nb\n", b"a\r\nb \r\n"), (b"a\r\nb\r\n", b"a\nb\n")])
def test_line_ends_of_windows_are_ignored_like_trailing_blanks(expected, actual):
    events = (Shown(expected), Typed(b"1"), Shown(expected)), (Shown(actual), Typed(b"1"), Shown(actual))
    assert difference_between(*events, Policy(trailing_blanks="ignored")) is None
    assert difference_between(*events, Policy(blank_lines="ignored")) is not None
    overwritten = (Shown(b"50 %\r100 %\n"),), (Shown(b"100 %\n"),)
    assert difference_between(*overwritten, Policy(trailing_blanks="ignored")) is not None


def test_blanks_inside_a_line_are_never_ignored():
    policy = Policy(trailing_blanks="ignored", blank_lines="ignored")
    assert difference_between((Shown(b"a b\n"),), (Shown(b"ab\n"),), policy) is not None


def test_blank_lines_are_ignored_also_after_a_typed_line():
    policy = Policy(blank_lines="ignored")
    expected = (Shown(b"a? "), Typed(b"1"), Shown(b"\nb\n"))
    assert difference_between(expected, (Shown(b"a? "), Typed(b"1"), Shown(b"b\n\n")), policy) is None


def test_letter_case_can_be_ignored_but_is_kept_in_differences():
    policy = Policy(letter_case="ignored")
    assert difference_between((Shown(b"Hit\n"),), (Shown(b"hit\n"),), policy) is None
    difference = difference_between((Shown(b"Hit A\n"),), (Shown(b"hit B\n"),), policy)
    assert (difference.expected, difference.actual) == ((Shown(b"A\n"),), (Shown(b"B\n"),))


def test_pauses_can_be_ignored():
    policy = Policy(pauses="ignored")
    assert difference_between((Shown(b"a"), Paused(2000), Shown(b"b")), (Shown(b"ab"),), policy) is None


def test_alternatives_are_interchangeable():
    policy = Policy(alternatives=(("Push.", "Push", "Tie."),))
    for text in (b"Push.\n", b"Push\n", b"Tie.\n"):
        assert difference_between((Shown(b"Push.\n"),), (Shown(text),), policy) is None
    assert difference_between((Shown(b"Push.\n"),), (Shown(b"Draw\n"),), policy) is not None


def test_a_text_may_be_missing_if_one_of_its_alternatives_is_empty():
    policy = Policy(alternatives=(("Push.\n", "Tie.\n", ""),))
    push, tie, neither = (Shown(b"a\nPush.\nb\n"),), (Shown(b"a\nTie.\nb\n"),), (Shown(b"a\nb\n"),)
    for expected in (push, tie, neither):
        for actual in (push, tie, neither):
            assert difference_between(expected, actual, policy) is None
    assert difference_between(push, (Shown(b"a\nc\n"),), policy) is not None


_ALTERNATIVES = ("Push.", "Tie!", "Nobody wins")
#: Pairs of an expected and an actual session, as one list. Most items are events of both sessions. A pair of indexes
#: stands for one of `_ALTERNATIVES` in each: the first index for the expected session, the second for the actual.
session_pairs = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(range(3)), st.sampled_from(range(3))),
        st.sampled_from([Shown(b"\n"), Shown(b"a "), Typed(b"s"), Paused(2000)]),
    ),
    max_size=12,
)


@given(session_pairs)
def test_exchanged_alternatives_are_no_difference_but_other_words_are(session_pair):
    policy = Policy(alternatives=(_ALTERNATIVES,))

    def session_of(index, *more_events):
        """The expected session (index 0) or the actual one (1), with these events added at the end."""
        events = [
            Shown(_ALTERNATIVES[item[index]].encode()) if isinstance(item, tuple) else item for item in session_pair
        ]
        return canonical([*events, *more_events])

    assert difference_between(session_of(0), session_of(1), policy) is None
    assert difference_between(session_of(0), session_of(1, Shown(b"x")), policy) is not None
    assert difference_between(session_of(0, Typed(b"")), session_of(1, Typed(b"h")), policy) is not None


@given(events, st.sampled_from(["pauses", "trailing_blanks", "blank_lines"]))
def test_sessions_equal_under_a_policy_never_leave_the_expected_path(expected, ignored):
    policy = Policy(**{ignored: "ignored"})
    for actual in (expected, equality(policy).normalized(expected)):
        if InputEnded() in actual:
            assert not has_left_expected_path(expected, actual[: actual.index(InputEnded()) + 1], policy)


def test_an_unexpected_end_of_input_leaves_the_expected_path():
    answer = Shown(b"none\n")
    question_at_end = (Shown(b"? "), InputEnded())
    other_question_at_end = (Shown(b"which? "), InputEnded())
    assert has_left_expected_path((Shown(b"? "), answer), question_at_end, Policy())
    assert not has_left_expected_path((*question_at_end, answer), question_at_end, Policy())
    assert has_left_expected_path((*question_at_end, answer), other_question_at_end, Policy())
    # An unfinished line that may turn out not to be judged does not leave the path.
    assert not has_left_expected_path((*question_at_end, answer), other_question_at_end, Policy(not_judged=("which",)))
