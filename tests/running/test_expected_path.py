"""A session follows its path whatever it shows for a free text, and leaves it for anything else."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.harness.machine.limits import Limits
from pitboss.harness.machine.sandbox import Level, Sandbox
from pitboss.harness.running.expected_path import ExpectedPath
from pitboss.harness.running.expecting import ExpectingDriver
from pitboss.harness.running.programs import Program
from pitboss.harness.transcripts.policy import FreeText
from pitboss.harness.transcripts.scripts import Script, typing
from pitboss.harness.transcripts.transcript import Paused, Shown, Typed

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
    return path.is_kept and path.next is None


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
    assert not path.is_kept
    assert path.next is None


@pytest.mark.parametrize("text", [b"", b"Bye!\n"])
def test_a_text_after_a_typed_line_is_followed_or_may_be_missing(text):
    path = ExpectedPath((Shown(b"Hit? "), Typed(b"n"), Shown(b"money 5\n")), (FreeText("bye", "Hit? n", "after"),))
    path.show(b"Hit? ")
    path.meet(Typed(b"n"))
    path.show(text + b"money 5\n")
    assert (path.is_kept, path.next) == (True, None)


@pytest.mark.sampled
@given(st.lists(st.one_of(st.binary(min_size=1, max_size=4), st.just(Typed(b"n")), st.just(Paused(300))), max_size=9))
def test_without_free_texts_a_path_is_kept_by_its_own_events_alone(shown):
    path, told = ExpectedPath(PATH), b""
    for one in shown:
        path.show(one) if isinstance(one, bytes) else path.meet(one)
        told += one if isinstance(one, bytes) else b"|"
    whole = b"|".join(event.text for event in PATH if isinstance(event, Shown))
    assert path.is_kept == whole.startswith(told) or b"|" in b"".join(one for one in shown if isinstance(one, bytes))


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
