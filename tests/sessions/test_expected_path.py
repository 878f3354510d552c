"""A session follows its path whatever it shows for a free text, and leaves it for anything else."""

import os
import sys
import termios
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.model.comparison_policy import FreeText
from pitboss.model.scripts import Script, typing
from pitboss.model.transcript import Paused, Shown, Transcript, Typed
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.expected_path import ExpectedPath
from pitboss.sessions.expecting import ExpectingDriver
from pitboss.sessions.programs import Program
from pitboss.sessions.terminal import Terminal
from pitboss.sessions.tracing.deadline import Deadline

FREE = (
    FreeText("question", "Hit? ", "prompt"),
    FreeText("push", "Push.", "line"),
    FreeText("lost", "Lost.", "line", may_be_missing=True),
)
PATH = (Shown(b"Cards\nHit? "), Typed(b"n"), Shown(b"Push.\nLost.\nmoney 5\n"), Paused(300), Shown(b"end\n"))


def followed(*shown):
    """Whether a path is kept by texts, given whole or as bytes one after the other, and by other events."""
    path = ExpectedPath(PATH, FREE)
    for one in shown:
        if isinstance(one, bytes):
            path.show(one)
        else:
            path.meet(one)
    return path.is_followed and path.next is None


@pytest.mark.parametrize("is_cut", [False, True], ids=["whole", "byte by byte"])
@pytest.mark.parametrize("question", [b"Hit? ", b"Your turn: ", b"?"])
@pytest.mark.parametrize("push", [b"Push.\n", b"It is a push!\n"])
@pytest.mark.parametrize("lost", [b"Lost.\n", b"Oh no!\n", b""])
def test_any_text_is_followed_where_it_is_free(question, push, lost, is_cut):
    first, second = b"Cards\n" + question, push + lost + b"money 5\n"
    pieces = [[bytes([one]) for one in text] if is_cut else [text] for text in (first, second)]
    if is_cut and not lost:
        pieces[1] = [push, b"money 5\n"]
    assert followed(*pieces[0], Typed(b"n"), *pieces[1], Paused(300), b"end\n")


@pytest.mark.parametrize(
    "shown",
    [
        (b"Cards\nHit? ", Typed(b"h")),
        (b"Karten\nHit? ", Typed(b"n")),
        (b"Cards\nHit? ", Typed(b"n"), b"Push.\nLost.\nmoney 6\n"),
        (b"Cards\n", Typed(b"n")),
        (b"Cards\nHit? ", Typed(b"n"), b"Push.\nLost.\nmoney 5\n", b"end\n"),
    ],
)
def test_anything_else_leaves_the_path(shown):
    path = ExpectedPath(PATH, FREE)
    for one in shown:
        path.show(one) if isinstance(one, bytes) else path.meet(one)
    assert not path.is_followed
    assert path.next is None


@pytest.mark.parametrize("text", [b"", b"Bye!\n"])
def test_a_text_after_a_typed_line_is_followed_or_may_be_missing(text):
    path = ExpectedPath((Shown(b"Hit? "), Typed(b"n"), Shown(b"money 5\n")), (FreeText("bye", "Hit? n", "after"),))
    path.show(b"Hit? ")
    path.meet(Typed(b"n"))
    path.show(text + b"money 5\n")
    assert (path.is_followed, path.next) == (True, None)


@given(st.lists(st.one_of(st.binary(min_size=1, max_size=4), st.just(Typed(b"n")), st.just(Paused(300))), max_size=9))
def test_without_free_texts_a_path_is_kept_by_its_own_events_alone(shown):
    path, output = ExpectedPath(PATH), b""
    for one in shown:
        path.show(one) if isinstance(one, bytes) else path.meet(one)
        output += one if isinstance(one, bytes) else b"|"
    whole = b"|".join(event.text for event in PATH if isinstance(event, Shown))
    assert path.is_followed == whole.startswith(output) or b"|" in b"".join(
        one for one in shown if isinstance(one, bytes)
    )


def test_a_question_in_other_words_is_answered_and_a_pause_after_it_is_measured_as_expected(tmp_path):
    """The length of a pause off the path would be what was measured, which depends on the machine."""
    program = tmp_path / "ask.py"
    program.write_text(
        "import time\ninput('Your turn: ')\nprint('It is a push!', flush=True)\ntime.sleep(0.5)\nprint('end')\n"
    )
    expected = (Shown(b"Hit? "), Typed(b"n"), Shown(b"Push.\n"), Paused(600), Shown(b"end\n"))
    script = Script(typing([b"n"]), expected, FREE)
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
    """Types what the end of the screen asks for, and notes what it was asked."""

    def __init__(self):
        self.screens = []

    def __call__(self, events):
        self.screens.append(Transcript(tuple(events)).text)
        return b"yes" if self.screens[-1].endswith(b"? ") else b"wrong"

    def again(self, events, unread):
        assert unread == b"wrong"
        return self(events)


def test_off_the_path_a_sleep_is_reported_from_a_question_since_nothing_is_read_in_it(tmp_path, monkeypatch):
    """The reference is a command of which nothing is expected; what it would read later is decided on anew then."""
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
    assert sum(allowed) >= 0.7  # neither its pause nor our wait for its question is time that it used


def test_a_pause_before_a_line_is_read_is_met_although_no_text_follows(tmp_path):
    program = tmp_path / "ask.py"
    program.write_text("import time\nprint('Press Enter.', flush=True)\ntime.sleep(0.5)\ninput()\nprint('end')\n")
    expected = (Shown(b"Press Enter.\n"), Paused(500), Typed(b""), Shown(b"end\n"))
    with ExpectingDriver(Program((sys.executable, str(program)), tmp_path), Limits(), Sandbox(Level.NONE)) as driver:
        ((_, transcript),) = driver.sessions([Script(typing([b""]), expected)])
    assert transcript.events == expected


@pytest.fixture
def terminal():
    opened = Terminal()
    yield opened
    opened.close()


@pytest.mark.parametrize("line", [b"line", b"x" * 100, None], ids=["short", "long", "end of input"])
def test_what_nobody_reads_is_taken_back(terminal, line):
    mode = termios.tcgetattr(terminal.program_end)
    assert not terminal.is_read(line, 0)
    assert not terminal.has_typed_ahead()
    assert termios.tcgetattr(terminal.program_end) == mode


def test_what_is_read_in_parts_stays(terminal):
    reader = threading.Thread(target=os.read, args=(terminal.program_end, 1))
    reader.start()
    while not terminal.is_read(b"ab", 0.01):
        """The thread has not begun to read."""
    reader.join()
    assert os.read(terminal.program_end, 9) == b"b\n"
