"""What is typed key by key: whose newline ends the line, and what is the program's own text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.model.scripts import Script, typing
from pitboss.model.transcript import EndingKind, InputEnded, Shown, Typed
from pitboss.sessions.keystrokes import Keys
from pitboss.sessions.tracing.session_events import SessionOutput

TEXTS = st.lists(st.sampled_from([b"h", b"12", b"\n", b"\r\n", b"ha", b"x", b"1"]), max_size=5)


def shown_after(keys, *texts):
    """What counts as shown, and what the program had shown and was no echo when nothing more came."""
    return b"".join(keys.without_echo(text) for text in texts), keys.rest()


def typed(line):
    keys = Keys()
    keys.note(line)
    return keys


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        ((b"h\nCards", b"!"), b"Cards!"),
        ((b"h", b"\n", b"Cards"), b"Cards"),
        ((b"\nCards",), b"Cards"),
        ((b"h\r\nCards",), b"Cards"),
        ((b"\r", b"\nCards"), b"Cards"),
        ((b"hit",), b"hit"),
        ((b"h", b"it"), b"hit"),
        ((b"\n\n",), b"\n"),
        ((b"x", b"\n"), b"x\n"),
    ],
)
def test_the_echo_of_a_key_and_the_end_of_its_line_are_no_output(texts, shown):
    assert shown_after(typed(b"h"), *texts) == (shown, b"")


def test_what_may_yet_become_an_echo_is_given_back_when_nothing_more_comes():
    assert shown_after(typed(b"12"), b"1") == (b"", b"1")


def test_enter_is_pressed_once_unless_the_program_has_ended_the_line():
    keys = typed(b"h")
    assert keys.wants_enter
    keys.without_echo(b"\n")
    assert not keys.wants_enter
    keys.note(b"12")
    assert keys.without_echo(b"12") == b""
    assert (keys.wants_enter, keys.enter(), keys.wants_enter) == (True, b"", False)
    assert keys.without_echo(b"\nCards") == b"Cards"


def test_after_enter_a_newline_is_output_unless_the_program_shows_its_keys():
    keys = typed(b"12")
    keys.enter()
    assert keys.without_echo(b"\nCards") == b"\nCards"


def test_a_whole_line_takes_nothing_from_what_follows():
    keys = typed(None)
    assert (keys.wants_enter, keys.without_echo(b"\n")) == (False, b"\n")


@given(st.sampled_from([b"h", b"12"]), TEXTS)
def test_how_a_text_is_cut_changes_nothing(line, texts):
    assert b"".join(shown_after(typed(line), *texts)) == b"".join(shown_after(typed(line), b"".join(texts)))


@given(st.sampled_from([b"h", b"12"]), TEXTS)
def test_nothing_but_an_echo_and_a_newline_is_lost(line, texts):
    whole, kept = b"".join(texts), b"".join(shown_after(typed(line), *texts))
    assert whole.endswith(kept)
    assert whole.removesuffix(kept) in (b"", b"\n", b"\r\n", line + b"\n", line + b"\r\n")


@pytest.mark.parametrize("more", [b"", b"more"])
def test_an_end_of_input_that_closes_a_window_counts_only_if_more_follows(more):
    output = SessionOutput(1000)
    output.note(Typed(b"c"))
    assert output.end_input(Script(typing(())), takes_keys=True) is None
    output.show(more)
    last = (InputEnded(), Shown(b"more")) if more else ()
    assert output.within_limit() == ((Typed(b"c"), *last), 0)


@pytest.mark.parametrize(
    ("takes_keys", "has_left", "why", "events"),
    [
        (False, True, EndingKind.OUT_OF_LINES, (InputEnded(),)),
        (False, False, None, (InputEnded(),)),
        (True, True, None, ()),
        (True, False, None, (InputEnded(),)),
    ],
)
def test_an_end_of_input_that_is_expected_counts_whatever_the_program_reads(takes_keys, has_left, why, events):
    output = SessionOutput(1000)
    script = Script(typing(()), has_left=lambda seen: has_left and InputEnded() in seen)
    assert output.end_input(script, takes_keys=takes_keys) == why
    assert output.within_limit() == (events, 0)
