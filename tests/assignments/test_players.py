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
        st.builds(Shown, st.sampled_from(["é".encode()[:1], "é".encode()[1:]])),  # halves of a character
        st.builds(Typed, st.binary(max_size=3)),
        st.builds(Paused, st.integers(1, 9)),
        st.just(InputEnded()),
    ),
    max_size=12,
)


@pytest.fixture(scope="module")
def recording_player():
    """A list with the arguments of the last call of a player, and a function that returns a new input script of it."""
    module, last_call = ModuleType("module_of_a_recording_player"), []

    def record(screen, lines):
        last_call[:] = [(screen, lines)]
        return "x"

    def new_script():
        player = Player("recording", f"{module.__name__}:record")
        return input_script_of(Generated((None,), player), None, "here")

    module.record = record
    sys.modules[module.__name__] = module
    yield last_call, new_script
    del sys.modules[module.__name__]


def decode_text(raw):
    return raw.decode("utf-8", "surrogateescape")


@given(sessions=st.lists(st.tuples(EVENTS, st.lists(st.integers(0, 12), max_size=4)), min_size=1, max_size=3))
def test_a_player_gets_the_whole_screen_and_all_typed_lines(recording_player, sessions):
    """The script is called with beginnings of a session, of any lengths in any order, and then with those of the next."""
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


def test_a_replaced_answer_is_typed_at_the_next_prompt_for_it():
    """`again` replaces a line that the program has not read yet, after it has shown more; the seed is not replaced."""
    player = Player(
        "a saver",
        prompt_answers=(PromptAnswers("? ", Answers((b"1", b"2"))), PromptAnswers("! ", Answers((b"3", b"4")))),
    )
    script = input_script_of(Generated((7,), player), 7, "here")
    at_start, after_seed = (Shown(b"? "),), (Typed(b"7"), Shown(b"? "))
    assert script(at_start) == b"7"
    assert script.revised_line((*at_start, Shown(b"! ")), b"7") == b"7"
    assert script(after_seed) == b"1"
    assert script.revised_line((*after_seed, Shown(b"! ")), b"1") == b"3"
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
    beginnings = [session[: len(session) - 2 * missing_lines] for missing_lines in range(4)]
    sentences = {endless_session_blame(player, beginning) for beginning in beginnings}
    assert len(sentences) == 1
    assert "'Bob', 'Cy'" in sentences.pop()
