"""A player is called with the whole screen and all lines typed so far at each prompt, in any order of sessions."""

import sys
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.assignments.assignment import Answers, Generated, Player, PromptAnswers, Then
from pitboss.assignments.players import endless_session_blame, input_script_of
from pitboss.model.transcript import InputEnded, Paused, Shown, Typed

EVENTS = st.lists(
    st.one_of(
        st.builds(Shown, st.binary(max_size=4)),
        st.builds(Shown, st.sampled_from(["é".encode()[:1], "é".encode()[1:]])),
        st.builds(Typed, st.binary(max_size=3)),
        st.builds(Paused, st.integers(1, 9)),
        st.just(InputEnded()),
    ),
    max_size=12,
)


@pytest.fixture(scope="module")
def recording_player():
    """The arguments of the last call of a player, in a list, and a function that returns a new input script for it."""
    module, last_call = ModuleType("a_player_that_listens"), []

    def listen(screen, lines):
        last_call[:] = [(screen, lines)]
        return "x"

    module.listen = listen
    sys.modules[module.__name__] = module
    yield (
        last_call,
        lambda: input_script_of(Generated((None,), Player("listening", f"{module.__name__}:listen")), None, "here"),
    )
    del sys.modules[module.__name__]


def decode_text(raw):
    return raw.decode("utf-8", "surrogateescape")


@given(sessions=st.lists(st.tuples(EVENTS, st.lists(st.integers(0, 12), max_size=4)), min_size=1, max_size=3))
def test_a_player_gets_the_whole_screen_and_all_typed_lines(recording_player, sessions):
    """The script is called with prefixes of a session's events, of any lengths in any order, then with the next session."""
    last_call, new_script = recording_player
    script = new_script()
    for events, lengths in sessions:
        for length in [*lengths, len(events)]:
            prefix = events[:length]
            script(prefix)
            screen = b"".join(event.text for event in prefix if isinstance(event, Shown))
            lines = tuple(decode_text(event.line) for event in prefix if isinstance(event, Typed))
            assert last_call == [(decode_text(screen), lines)]


def test_the_last_output_may_grow_between_two_calls(recording_player):
    last_call, new_script = recording_player
    script, typed = new_script(), Typed(b"a")
    for output in (b"b", b"bc", b"bcd"):
        script([Shown(b"0"), typed, Shown(output)])
        assert last_call == [("0" + output.decode(), ("a",))]


def test_an_answer_that_is_decided_again_is_used_up_only_once():
    player = Player(
        "a saver",
        prompt_answers=(PromptAnswers("? ", Answers((b"1", b"2"))), PromptAnswers("! ", Answers((b"3", b"4")))),
    )
    script = input_script_of(Generated((7,), player), 7, "here")
    at_start, after_seed = (Shown(b"? "),), (Typed(b"7"), Shown(b"? "))
    assert script(at_start) == b"7"
    assert script.again((*at_start, Shown(b"! ")), b"7") == b"7"
    assert script(after_seed) == b"1"
    assert script.again((*after_seed, Shown(b"! ")), b"1") == b"3"
    assert script((*after_seed, Shown(b"! "), Typed(b"3"), Shown(b"? "))) == b"1"


CYCLE = Answers((b"Bob", b"Cy"), Then.FIRST_AGAIN)


@pytest.mark.parametrize(
    "player",
    [Player("endless", "own:player"), Player("endless", prompt_answers=(PromptAnswers("Name? ", CYCLE),)), CYCLE],
    ids=["function", "habit", "answers"],
)
def test_endless_typing_is_described_alike_wherever_the_session_stops(player):
    """How many lines a program has read when its output exceeds the limit depends on the machine."""
    session = [Shown(b"Sure? "), Typed(b"yes")]
    for _ in range(300):
        session += [Shown(b"Name? "), Typed(b"Bob"), Shown(b"Name? "), Typed(b"Cy")]
    sentences = {endless_session_blame(player, session[: len(session) - 2 * fewer]) for fewer in range(4)}
    assert len(sentences) == 1
    assert "'Bob', 'Cy'" in sentences.pop()
