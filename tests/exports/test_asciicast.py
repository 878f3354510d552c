"""Sessions as asciicasts: what a player reads, the same each time, and nothing that a terminal would obey."""

import json
import os
import unicodedata

import msgspec
import pexpect
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.harness.exports.asciicast import cast_of
from pitboss.harness.judging.comparison import Difference
from pitboss.harness.judging.results import Result
from pitboss.harness.judging.verdicts import Verdict
from pitboss.harness.transcripts.transcript import (
    Ending,
    EndingKind,
    InputEnded,
    Paused,
    Shown,
    Transcript,
    Typed,
    canonical,
    exited,
)

SEEN = (Shown(b"Seed: "), Typed(b"7"), Shown(b"Deal\n"), Paused(2000), Shown(b"Bust!\n"))
RIGHT = (*SEEN[:4], Shown(b"Win!\n"))
FIRST = Difference(SEEN[:4], RIGHT[4:], SEEN[4:])


def result(events, difference=None, ending=None):
    actual = Transcript(tuple(events), ending or exited())
    verdict = Verdict.WRONG_ANSWER if difference else Verdict.ACCEPTED
    return Result("play", "a case", verdict, "", Transcript(RIGHT), actual, difference)


def lines_of(cast):
    head, *events = map(json.loads, cast.splitlines())
    return head, events


def test_a_session_as_a_player_shows_it():
    head, events = lines_of(cast_of(result(SEEN, FIRST), "ada: play"))
    assert head == {"version": 2, "width": 80, "height": 30, "title": "ada: play"}
    assert events == [
        [0.0, "o", "Seed: "],
        [0.8, "m", "typed 7"],
        [0.8, "i", "7\r"],
        [0.8, "o", "7"],
        [0.86, "o", "\r\n"],
        [0.86, "o", "Deal\r\n"],
        [2.86, "m", "first difference"],
        [2.86, "o", "Bust!\r\n"],
        [4.86, "m", "exited with 0"],
    ]


@pytest.mark.parametrize(
    ("ending", "label"),
    [
        (Ending(EndingKind.SIGNALLED, signal="SIGSEGV"), "killed by SIGSEGV"),
        (Ending(EndingKind.OUT_OF_CPU_TIME), "out of CPU time"),
    ],
)
def test_how_it_ended_is_a_marker(ending, label):
    _, events = lines_of(cast_of(result([Shown(b"x"), InputEnded()], ending=ending), "t"))
    assert [event[2] for event in events if event[1] == "m"] == ["end of input", label]


def test_what_a_program_shows_commands_no_terminal():
    _, events = lines_of(cast_of(result([Shown("\x1b]52;c;AA\x07\x9b2J\x7f\u202eevil\r\n".encode())]), "\x1b[2J"))
    assert events[0] == [0.0, "o", "\u241b]52;c;AA\u2407\ufffd2J\u2421\ufffdevil\u240d\r\n"]


EVENTS = st.one_of(
    st.builds(Shown, st.binary(min_size=1)),
    st.builds(Typed, st.binary().map(lambda line: line.replace(b"\n", b""))),
    st.builds(Paused, st.integers(1, 100_000)),
    st.builds(InputEnded),
)


@given(st.lists(EVENTS))
def test_whatever_was_shown_is_a_cast(events):
    cast = cast_of(result(canonical(events)), "t")
    head, told = lines_of(cast)
    times = [event[0] for event in told]
    assert times == sorted(times)
    assert 80 <= head["width"] <= 160
    shown = "".join(event[2] for event in told if event[1] == "o")
    assert all(unicodedata.category(letter) != "Cc" or letter in "\r\n\t\b" for letter in shown)
    assert msgspec.json.decode(cast.splitlines()[0])["version"] == 2


@pytest.mark.needs("asciinema")
@pytest.mark.parametrize("events", [SEEN, (Shown("\x1b[2J\u2663\0".encode()), Typed(b"\xff\x1b"), InputEnded())])
def test_asciinema_plays_it(tmp_path, events):
    path = tmp_path / "one.cast"
    path.write_text(cast_of(result(canonical(events)), "t"))
    # It wants a terminal, which doubles carriage returns.
    told, code = pexpect.run(f"asciinema cat {path}", withexitstatus=True, encoding="utf-8", env={**os.environ})
    shown = "".join(event[2] for event in lines_of(path.read_text())[1] if event[1] == "o")
    assert (code, told.replace("\r", "")) == (0, shown.replace("\r", ""))
