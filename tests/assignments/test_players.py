"""A player is told the whole screen and all typed lines at each question, however the session came about."""

import sys
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.assignments.assignment import Answers, Generated, Player, Scripted, Then
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
def asked():
    """What a player was given last, and its input script."""
    module, given_last = ModuleType("a_player_that_listens"), []

    def listen(screen, lines):
        given_last[:] = [(screen, lines)]
        return "x"

    module.listen = listen
    sys.modules[module.__name__] = module
    yield (
        given_last,
        lambda: input_script_of(Generated((None,), Player("listening", f"{module.__name__}:listen")), None, "here"),
    )
    del sys.modules[module.__name__]


def decoded(raw):
    return raw.decode("utf-8", "surrogateescape")


@given(sessions=st.lists(st.tuples(EVENTS, st.lists(st.integers(0, 12), max_size=4)), min_size=1, max_size=3))
def test_a_player_gets_all_that_was_shown_and_typed(asked, sessions):
    """The events of a session are seen as far as some places, in any order; other sessions may come between."""
    given_last, new_script = asked
    script = new_script()
    for events, places in sessions:
        for place in [*places, len(events)]:
            seen = events[:place]
            script(seen)
            screen = b"".join(one.text for one in seen if isinstance(one, Shown))
            lines = tuple(decoded(one.line) for one in seen if isinstance(one, Typed))
            assert given_last == [(decoded(screen), lines)]


def test_what_was_shown_last_may_grow(asked):
    given_last, new_script = asked
    script, typed = new_script(), Typed(b"a")
    for output in (b"b", b"bc", b"bcd"):
        script([Shown(b"0"), typed, Shown(output)])
        assert given_last == [("0" + output.decode(), ("a",))]


def test_a_habit_that_is_decided_on_again_counts_once():
    player = Player("a saver", habits=(Scripted("? ", Answers((b"1", b"2"))), Scripted("! ", Answers((b"3", b"4")))))
    script = input_script_of(Generated((7,), player), 7, "here")
    asked, first = (Shown(b"? "),), (Typed(b"7"), Shown(b"? "))
    assert script(asked) == b"7"
    assert script.again((*asked, Shown(b"! ")), b"7") == b"7"
    assert script(first) == b"1"
    assert script.again((*first, Shown(b"! ")), b"1") == b"3"
    assert script((*first, Shown(b"! "), Typed(b"3"), Shown(b"? "))) == b"1"


CYCLE = Answers((b"Bob", b"Cy"), Then.FIRST_AGAIN)


@pytest.mark.parametrize(
    "player",
    [Player("endless", "own:player"), Player("endless", habits=(Scripted("Name? ", CYCLE),)), CYCLE],
    ids=["function", "habit", "answers"],
)
def test_what_is_typed_for_ever_is_named_alike_wherever_the_session_was_stopped(player):
    """How many lines a program has read when its output is over the limit is up to the machine."""
    session = [Shown(b"Sure? "), Typed(b"yes")]
    for _ in range(300):
        session += [Shown(b"Name? "), Typed(b"Bob"), Shown(b"Name? "), Typed(b"Cy")]
    sentences = {endless_session_blame(player, session[: len(session) - 2 * fewer]) for fewer in range(4)}
    assert len(sentences) == 1
    assert "'Bob', 'Cy'" in sentences.pop()
