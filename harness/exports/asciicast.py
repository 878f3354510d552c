"""A session as an asciicast, version 2: https://docs.asciinema.org/manual/asciicast/v2/.

Times are virtual, so a cast is the same in each run: what a program shows comes at once, a pause takes what it says,
and each letter that is typed a moment. What a program shows cannot command the terminal on which a cast is played:
control characters are shown as pictures (U+2400).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence

from pitboss.harness.judging.results import Result
from pitboss.harness.transcripts.pace import LETTER_MS, THINKS_MS
from pitboss.harness.transcripts.transcript import EndingKind, Event, InputEnded, Paused, Shown, Typed

_THINKS_S, _LETTER_S, _LAST_S = THINKS_MS / 1000, LETTER_MS / 1000, 2.0
#: Columns and rows of the player: as a terminal begins, and wider for long lines.
_COLUMNS, _MOST_COLUMNS, _ROWS = 80, 160, 30
#: A line break, a tab and backspace are what they are; all other characters of category Cc, and what turns the
#: direction of a text, are shown as pictures or as U+FFFD.
_KEPT = frozenset("\n\t\b")
_TURNS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def cast_of(result: Result, title: str) -> str:
    """The session that a result is of, as a cast with markers where lines are typed and where it first differs."""
    before: Sequence[Event] = result.actual.events
    after: Sequence[Event] = ()
    if result.difference is not None and not result.difference.place:
        before, after = result.difference.told.before, result.difference.told.actual
    clock = _Clock()
    events = [*clock.events(before)]
    if result.difference is not None:
        events.append(clock.marker("first difference"))
    events += clock.events(after)
    clock.seconds += _LAST_S
    events.append(clock.marker(_ending(result)))
    text = result.actual.text.decode("utf-8", "replace")
    columns = min(_MOST_COLUMNS, max([_COLUMNS, *(len(line) for line in text.split("\n"))]))
    header = {"version": 2, "width": columns, "height": _ROWS, "title": _safe(title)}
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in (header, *events))


def _ending(result: Result) -> str:
    ending = result.actual.ending
    if ending.kind is EndingKind.EXITED:
        return f"exited with {ending.exit_code}"
    return f"killed by {ending.signal}" if ending.kind is EndingKind.SIGNALLED else ending.kind.value


class _Clock:
    """Virtual time, in seconds since the start."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def marker(self, label: str) -> list[object]:
        return [round(self.seconds, 3), "m", label]

    def events(self, events: Sequence[Event]) -> Iterator[list[object]]:
        for event in events:
            match event:
                case Shown(text):
                    yield self._shown(_safe(text.decode("utf-8", "replace")))
                case Typed(line):
                    yield from self._typed(_safe(line.decode("utf-8", "replace")))
                case Paused(duration_ms):
                    self.seconds += duration_ms / 1000
                case InputEnded():
                    self.seconds += _THINKS_S
                    yield self.marker("end of input")

    def _shown(self, text: str) -> list[object]:
        return [round(self.seconds, 3), "o", text.replace("\n", "\r\n")]

    def _typed(self, line: str) -> Iterator[list[object]]:
        self.seconds += _THINKS_S
        yield self.marker(f"typed {line}")
        yield [round(self.seconds, 3), "i", f"{line}\r"]
        for letter in line:
            yield self._shown(letter)
            self.seconds += _LETTER_S
        yield self._shown("\n")


def _safe(text: str) -> str:
    """The text with a picture in place of each character that a terminal obeys."""
    return _TURNS.sub("\ufffd", "".join(map(_picture, text)))


def _picture(letter: str) -> str:
    if letter in _KEPT or unicodedata.category(letter) != "Cc":
        return letter
    number = ord(letter)
    return chr(0x2400 + number) if number < 0x20 else "\u2421" if number == 0x7F else "\ufffd"
