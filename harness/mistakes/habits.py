"""Habits: changes that a program makes to all of its text and that are its only mistake, found by comparing texts.

A habit is named if undoing it turns every failed session into the expected one: Windows line ends, trailing blanks,
different letter case, another encoding, or the same change of words throughout.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from harness.transcripts.quoting import quoted_pair
from harness.transcripts.transcript import Event, Shown, character_start, with_texts

Events = tuple[Event, ...]


class Habit(NamedTuple):
    """A change made to the whole text."""

    id: str
    #: What it is, as a clause.
    title: str
    #: Shown to the student.
    hint: str


class _Way(NamedTuple):
    habit: Habit
    #: Makes two sessions equal that differ only by this habit.
    undo: Callable[[Events], Events]


def _in_texts(undo: Callable[[bytes], bytes]) -> Callable[[Events], Events]:
    """A function of events that applies `undo` to every text."""
    return lambda events: with_texts(events, undo)


def _without_last_newline(events: Events) -> Events:
    last = events[-1] if events else None
    return (*events[:-1], Shown(last.text.rstrip(b"\n"))) if isinstance(last, Shown) else events


def _recoded(text: bytes) -> bytes:
    """Text with each non-ASCII character, whatever its encoding, replaced by one mark."""
    try:
        return re.sub(r"[^\x00-\x7f]", "\x00", text.decode("utf-8")).encode()
    except UnicodeDecodeError:
        return re.sub(rb"[\x80-\xff]", b"\x00", text)


_WAYS = (
    _Way(
        Habit("text-crlf", "lines end as on Windows", "Your lines end with '\\r' and '\\n': is the '\\r' wanted?"),
        _in_texts(lambda text: text.replace(b"\r\n", b"\n")),
    ),
    _Way(
        Habit(
            "text-last-newline",
            "the newline at the very end is missing, or there is one too many",
            "Compare how its very last line ends with what is expected.",
        ),
        _without_last_newline,
    ),
    _Way(
        Habit(
            "text-blanks-at-ends",
            "spaces at the ends of lines",
            "The texts are right except for spaces at the ends of lines, which cannot be seen: look at what is printed "
            "before each line end.",
        ),
        _in_texts(lambda text: re.sub(rb"[ \t]+(?=\n)|[ \t]+\Z", b"", text)),
    ),
    _Way(
        Habit(
            "text-case",
            "capital letters and small ones",
            "The texts are right except for capital and small letters: copy them from the assignment letter by letter.",
        ),
        _in_texts(bytes.lower),
    ),
    _Way(
        Habit("text-blanks", "spaces", "The texts are right except for spaces: too many, too few, or tabs for spaces."),
        _in_texts(lambda text: re.sub(rb"[ \t]+", b"", text)),
    ),
    _Way(
        Habit(
            "text-blank-lines",
            "empty lines",
            "The texts are right except for empty lines: too many, or too few.",
        ),
        _in_texts(lambda text: re.sub(rb"\n+", b"\n", text)),
    ),
    _Way(
        Habit(
            "text-encoding",
            "special characters such as € or ♣",
            "Only special characters differ: others are printed in their place, or the source file is not saved as "
            "UTF-8 (a setting of the editor).",
        ),
        _in_texts(_recoded),
    ),
)


def habit_of(sessions: Sequence[tuple[Events, Events]]) -> Habit | None:
    """The habit that alone explains every one of these failed sessions, or None.

    Each session is a pair of expected and actual events. The result is None unless they differ only in text.
    """
    if not sessions or any(expected == actual for expected, actual in sessions):
        return None
    for way in _WAYS:
        if all(way.undo(expected) == way.undo(actual) for expected, actual in sessions):
            return way.habit
    return _one_change(sessions)


def _one_change(sessions: Sequence[tuple[Events, Events]]) -> Habit | None:
    changes: set[tuple[bytes, bytes]] = set()
    for expected, actual in sessions:
        found = _changes(expected, actual)
        if found is None:
            return None
        changes |= found
        if len(changes) != 1:
            return None
    ((wanted, shown),) = changes
    hint = "This one thing is all that differs: look at where that text is printed, or should be."
    return Habit("text-one-change", _clause(wanted, shown), hint)


def _clause(wanted: bytes, shown: bytes) -> str:
    count = next((at for at, pair in enumerate(zip(wanted, shown, strict=False)) if pair[0] != pair[1]), 0)
    shared = wanted[: character_start(wanted, count)]
    right, wrong, remark = quoted_pair((shared, wanted[len(shared) :]), (shared, shown[len(shared) :]))
    if not wanted:
        return f"{wrong} is printed where it should not be, each time"
    if not wanted.strip():
        return f"{wrong} is printed instead of {'a space' if len(wanted) == 1 else 'spaces'} each time"
    if not shown.strip():
        return f"{right} is missing each time"
    return f"{wrong} is printed for {right} each time{remark}"


def _changes(expected: Events, actual: Events) -> set[tuple[bytes, bytes]] | None:
    """The changes of words between two sessions with the same lines; None if they differ in another way."""
    if len(expected) != len(actual):
        return None
    changes: set[tuple[bytes, bytes]] = set()
    for wanted, shown in zip(expected, actual, strict=True):
        if not isinstance(wanted, Shown) or not isinstance(shown, Shown):
            if wanted != shown:
                return None
            continue
        lines = wanted.text.split(b"\n"), shown.text.split(b"\n")
        if len(lines[0]) != len(lines[1]):
            return None
        for pair in zip(*lines, strict=True):
            if pair[0] != pair[1]:
                changes.update(_changed_words(*pair))
        if len(changes) > 1:
            return changes
    return changes


@lru_cache(maxsize=4096)
def _changed_words(wanted: bytes, shown: bytes) -> tuple[tuple[bytes, bytes], ...]:
    ours, theirs = (re.findall(rb"\w+|\s+|[^\w\s]+", line) for line in (wanted, shown))
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    return tuple(_texts(ours, theirs, matcher.get_opcodes()))


def _texts(
    ours: Sequence[bytes], theirs: Sequence[bytes], steps: Iterable[tuple[str, int, int, int, int]]
) -> Iterable[tuple[bytes, bytes]]:
    for kind, start, end, their_start, their_end in steps:
        if kind != "equal":
            yield b"".join(ours[start:end]), b"".join(theirs[their_start:their_end])
