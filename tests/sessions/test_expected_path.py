import os
import sys
import termios
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.model.comparison_policy import FreeText
from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import Paused, Shown, Transcript, Typed
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.expected_path import ExpectedPath
from pitboss.sessions.expecting import ExpectingDriver
from pitboss.sessions.programs import Program
from pitboss.sessions.terminal import Terminal
from pitboss.sessions.tracing.watchdog import Deadline

FREE = (
    FreeText("question", "Hit? ", "prompt"),
    FreeText("push", "Push.", "line"),
    FreeText("lost", "Lost.", "line", may_be_missing=True),
)
PATH = (Shown(b"Cards\nHit? "), Typed(b"n"), Shown(b"Push.\nLost.\nmoney 5\n"), Paused(300), Shown(b"end\n"))


def advance(path, events):
    """Let these events happen in the session of a path; text that the program shows is given as bytes."""
    for event in events:
        if isinstance(event, bytes):
            path.advance_by_text(event)
        else:
            path.advance_by_event(event)


def follows_path(*events):
    """Whether these events follow PATH to its end."""
    path = ExpectedPath(PATH, FREE)
    advance(path, events)
    return path.is_followed and path.next is None


@pytest.mark.parametrize("is_cut", [False, True], ids=["whole", "byte by byte"])
@pytest.mark.parametrize("question", [b"Hit? ", b"Your turn: ", b"?"])
@pytest.mark.parametrize("push", [b"Push.\n", b"It is a push!\n"])
@pytest.mark.parametrize("lost", [b"Lost.\n", b"Oh no!\n", b""])
def test_any_wording_of_a_free_text_follows_the_path(question, push, lost, is_cut):
    first, second = b"Cards\n" + question, push + lost + b"money 5\n"
    first_pieces, second_pieces = ([bytes([byte]) for byte in text] if is_cut else [text] for text in (first, second))
    assert follows_path(*first_pieces, Typed(b"n"), *second_pieces, Paused(300), b"end\n")


@pytest.mark.parametrize(
    "events",
    [
        (b"Cards\nHit? ", Typed(b"h")),
        (b"Karten\nHit? ", Typed(b"n")),
        (b"Cards\nHit? ", Typed(b"n"), b"Push.\nLost.\nmoney 6\n"),
        (b"Cards\n", Typed(b"n")),
        (b"Cards\nHit? ", Typed(b"n"), b"Push.\nLost.\nmoney 5\n", b"end\n"),
    ],
)
def test_any_other_difference_leaves_the_path(events):
    path = ExpectedPath(PATH, FREE)
    advance(path, events)
    assert not path.is_followed
    assert path.next is None, "nothing is expected of a session that has left the path"


@pytest.mark.parametrize("text", [b"", b"Bye!\n"])
def test_a_free_text_after_a_typed_line_may_be_missing(text):
    path = ExpectedPath((Shown(b"Hit? "), Typed(b"n"), Shown(b"money 5\n")), (FreeText("bye", "Hit? n", "after"),))
    advance(path, [b"Hit? ", Typed(b"n"), text + b"money 5\n"])
    assert (path.is_followed, path.next) == (True, None)


#: The events of PATH, with its text in pieces.
PIECES = (b"Car", b"ds\nHit? ", Typed(b"n"), b"Push.\n", b"Lost.\nmoney 5\n", Paused(300), b"e", b"nd\n")


def bytes_and_other_events(events):
    """The events in order, each text as its bytes, so that it does not matter in which pieces it was shown."""
    return [item for event in events for item in (event if isinstance(event, bytes) else [event])]


@given(
    st.integers(0, len(PIECES)),
    st.lists(st.one_of(st.sampled_from(PIECES), st.binary(min_size=1, max_size=4)), max_size=4),
)
def test_without_free_texts_a_path_is_followed_only_by_its_own_events(count, other_events):
    events = [*PIECES[:count], *other_events]
    path = ExpectedPath(PATH)
    advance(path, events)
    items, path_items = bytes_and_other_events(events), bytes_and_other_events(PIECES)
    assert path.is_followed == (items == path_items[: len(items)])


def test_after_a_reworded_question_the_expected_pause_is_recognized(tmp_path):
    """Off the path, the pause would have its measured length, which depends on the machine."""
    program = tmp_path / "ask.py"
    program.write_text(
        "import time\ninput('Your turn: ')\nprint('It is a push!', flush=True)\ntime.sleep(0.5)\nprint('end')\n"
    )
    expected = (Shown(b"Hit? "), Typed(b"n"), Shown(b"Push.\n"), Paused(600), Shown(b"end\n"))
    script = Script(script_of_lines([b"n"]), expected, FREE)
    with ExpectingDriver(Program((sys.executable, str(program)), tmp_path), Limits(), Sandbox(Level.NONE)) as driver:
        ((_, transcript),) = driver.sessions([script])
    assert transcript.events == (
        Shown(b"Your turn: "),
        Typed(b"n"),
        Shown(b"It is a push!\n"),
        Paused(600),
        Shown(b"end\n"),
    )


class Player:
    """Answers a question with "yes", types "wrong" where there is no question, and records the screen at each line.

    The driver calls `revised_line` after it has withdrawn a line that the program did not read.
    """

    def __init__(self):
        self.screens = []

    def __call__(self, events):
        self.screens.append(Transcript(tuple(events)).text)
        return b"yes" if self.screens[-1].endswith(b"? ") else b"wrong"

    def revised_line(self, events, unread):
        assert unread == b"wrong"
        return self(events)


def test_without_expected_events_a_sleep_before_a_question_is_a_pause(tmp_path, monkeypatch):
    """Without expected events, as for a reference, a line typed too early is withdrawn, and the player called again."""
    allowed = []
    monkeypatch.setattr(Deadline, "allow", lambda self, more_s: allowed.append(more_s))
    program = tmp_path / "ask.py"
    program.write_text("import time\nprint('a', flush=True)\ntime.sleep(0.8)\nprint(input('? '))\n")
    player = Player()
    with ExpectingDriver(Program((sys.executable, str(program)), tmp_path), Limits(), Sandbox(Level.NONE)) as driver:
        ((_, transcript),) = driver.sessions([Script(player)])
    assert [event for event in transcript.events if not isinstance(event, Paused)] == [
        Shown(b"a\n"),
        Shown(b"? "),
        Typed(b"yes"),
        Shown(b"yes\n"),
    ]
    assert max(event.duration_ms for event in transcript.events if isinstance(event, Paused)) >= 700
    assert player.screens[-2:] == [b"a\n", b"a\n? "]
    assert sum(allowed) >= 0.7  # the program is charged neither for its pause nor for our wait for its question


def test_an_expected_pause_may_end_with_a_read_instead_of_text(tmp_path):
    program = tmp_path / "ask.py"
    program.write_text("import time\nprint('Press Enter.', flush=True)\ntime.sleep(0.5)\ninput()\nprint('end')\n")
    expected = (Shown(b"Press Enter.\n"), Paused(500), Typed(b""), Shown(b"end\n"))
    with ExpectingDriver(Program((sys.executable, str(program)), tmp_path), Limits(), Sandbox(Level.NONE)) as driver:
        ((_, transcript),) = driver.sessions([Script(script_of_lines([b""]), expected)])
    assert transcript.events == expected


@pytest.fixture
def terminal():
    opened = Terminal()
    yield opened
    opened.close()


@pytest.mark.parametrize("line", [b"line", b"x" * 100, None], ids=["short", "long", "end of input"])
def test_a_line_that_is_not_read_is_taken_back(terminal, line):
    mode = termios.tcgetattr(terminal.program_end)
    assert not terminal.try_line(line, 0)
    assert not terminal.has_typed_ahead()
    assert termios.tcgetattr(terminal.program_end) == mode


def test_a_partly_read_line_is_not_taken_back(terminal):
    reader = threading.Thread(target=os.read, args=(terminal.program_end, 1))
    reader.start()
    while not terminal.try_line(b"ab", 0.01):
        pass  # the thread has not begun to read
    reader.join()
    assert os.read(terminal.program_end, 9) == b"b\n"
