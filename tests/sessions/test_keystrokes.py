import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import EndingKind, InputEnded, Shown, Transcript, Typed, exited
from pitboss.sessions.terminal import Keys
from pitboss.sessions.tracing.session_events import SessionOutput

TEXTS = st.lists(st.sampled_from([b"h", b"12", b"\n", b"\r\n", b"ha", b"x", b"1"]), max_size=5)


def shown_after(keys, *texts):
    """The output without echoes, and the text that `keys` has retained as a possible echo until the end."""
    return b"".join(keys.without_echo(text) for text in texts), keys.rest()


def keys_after_typing(line):
    """Keys just after this line was typed key by key; None: after a whole line was typed."""
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
def test_an_echoed_key_and_its_newline_are_not_output(texts, shown):
    assert shown_after(keys_after_typing(b"h"), *texts) == (shown, b"")


@pytest.mark.parametrize(("shows_enter", "shown"), [(True, b"Bye\x04"), (False, b"\x04Bye\x04")])
def test_only_dotnet_echoes_the_end_of_input(shows_enter, shown):
    keys = Keys(shows_enter=shows_enter)
    keys.note_end(takes_keys=True)
    assert keys.without_echo(b"\x04Bye") + keys.without_echo(b"\x04") == shown


@pytest.mark.parametrize(("shows_enter", "shown"), [(True, b""), (False, b"z \n")])
def test_only_dotnet_echoes_a_tab_as_a_blank(shows_enter, shown):
    keys = Keys(shows_enter=shows_enter)
    keys.note(b"z\t")
    assert keys.without_echo(b"z ") + keys.enter() + keys.without_echo(b"\n") == shown


def test_the_beginning_of_an_echo_is_output_if_no_more_text_comes():
    assert shown_after(keys_after_typing(b"12"), b"1") == (b"", b"1")


def test_enter_is_pressed_once_and_only_if_the_program_has_not_ended_the_line():
    keys = keys_after_typing(b"h")
    assert keys.wants_enter
    keys.without_echo(b"\n")
    assert not keys.wants_enter
    keys.note(b"12")
    assert keys.without_echo(b"12") == b""
    assert (keys.wants_enter, keys.enter(), keys.wants_enter) == (True, b"", False)
    assert keys.without_echo(b"\nCards") == b"Cards"


def test_after_enter_a_newline_is_output_unless_the_program_echoes_keys():
    keys = keys_after_typing(b"12")
    keys.enter()
    assert keys.without_echo(b"\nCards") == b"\nCards"


def test_after_a_whole_line_is_typed_all_text_is_output():
    keys = keys_after_typing(None)
    assert (keys.wants_enter, keys.without_echo(b"\n")) == (False, b"\n")


@given(st.sampled_from([b"h", b"12"]), TEXTS)
def test_output_does_not_depend_on_how_it_is_split(line, texts):
    assert b"".join(shown_after(keys_after_typing(line), *texts)) == b"".join(
        shown_after(keys_after_typing(line), b"".join(texts))
    )


@given(st.sampled_from([b"h", b"12"]), TEXTS)
def test_only_an_echo_and_its_newline_are_removed(line, texts):
    all_text, output = b"".join(texts), b"".join(shown_after(keys_after_typing(line), *texts))
    assert all_text.endswith(output)
    assert all_text.removesuffix(output) in (b"", b"\n", b"\r\n", line + b"\n", line + b"\r\n")


@pytest.mark.parametrize("more", [b"", b"more"])
def test_the_last_end_of_input_may_be_a_wait_for_a_key_only_if_nothing_follows(more):
    output = SessionOutput(1000)
    output.note(Typed(b"c"))
    assert output.end_input(Script(script_of_lines(())), takes_keys=True) is None
    output.show(more)
    events = (Typed(b"c"), InputEnded(), Shown(b"more")) if more else (Typed(b"c"), InputEnded())
    assert output.transcript(exited()) == Transcript(events, may_wait_for_key=not more)


def test_each_end_of_input_of_a_program_that_takes_keys_is_recorded():
    output = SessionOutput(1000)
    script = Script(script_of_lines(()), has_left_expected_path=lambda _: False)
    for text in (b"Bet? ", b"Again? "):
        output.show(text)
        output.end_input(script, takes_keys=True)
    events = (Shown(b"Bet? "), InputEnded(), Shown(b"Again? "), InputEnded())
    assert output.transcript(exited()) == Transcript(events, may_wait_for_key=True)


@pytest.mark.parametrize("takes_keys", [False, True])
@pytest.mark.parametrize("has_left", [False, True])
def test_only_a_program_that_takes_keys_goes_on_after_it_has_left_its_path(takes_keys, has_left):
    output = SessionOutput(1000)
    script = Script(script_of_lines(()), has_left_expected_path=lambda recorded: has_left and InputEnded() in recorded)
    ending = EndingKind.OUT_OF_LINES if has_left and not takes_keys else None
    assert output.end_input(script, takes_keys=takes_keys) == ending
    assert output.transcript(exited()) == Transcript((InputEnded(),), may_wait_for_key=takes_keys)
