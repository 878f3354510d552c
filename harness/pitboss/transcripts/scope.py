"""Which lines of a session are judged: left-out lines, the line from which on it is judged, and lines that are free.

A line is what the program shows on one line of the screen; a typed line ends it. Typed lines and ends of input always
count, wherever they are. A unit is a byte of text or another event.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pitboss.errors import SpecError, as_found
from pitboss.transcripts.policy import Policy
from pitboss.transcripts.screen_lines import pieces_of
from pitboss.transcripts.transcript import Event, Paused, Shown, Typed, canonical

Range = tuple[int, int]


class Filling(NamedTuple):
    """A range of units of the expected session, and the text of the actual one that takes its place."""

    start: int
    end: int
    text: bytes


class LocatedLine:
    """A line of the screen: its text, where it is, and what ends it."""

    def __init__(self) -> None:
        """An empty line."""
        self.text = b""
        #: Without the newline.
        self.ranges: list[Range] = []
        self.pauses: list[Range] = []
        self.newline: Range | None = None
        self.is_typed = False

    @property
    def ends_alike(self) -> tuple[bool, bool]:
        """What ends it; nothing if it is the last one."""
        return self.newline is not None, self.is_typed

    def end_of(self, size: int) -> list[Range]:
        """Where the last `size` bytes of its text are."""
        found = []
        for start, end in reversed(self.ranges):
            if size > 0:
                found.append((max(start, end - size), end))
                size -= end - start
        return found

    def fits(self, patterns: Sequence[re.Pattern[str]]) -> bool:
        """Whether one of the patterns is found in it."""
        text = self.text.decode("utf-8", "surrogateescape") if patterns else ""
        return any(pattern.search(text) for pattern in patterns)


def limits_scope(policy: Policy) -> bool:
    """Whether a policy leaves out anything by its line."""
    return bool(policy.begins or policy.not_judged)


def dropped(events: Iterable[Event], policy: Policy) -> tuple[list[Range], int]:
    """The ranges of units that are not judged, in order, and how many lines with text they hold."""
    lines = located_lines(events)
    first = _first(lines, policy)
    patterns = _compiled(policy.not_judged)
    ranges, count = [], 0
    for index, line in enumerate(lines):
        is_before = index < first
        if policy.begins and index == first:  # a pause before its first character is one before the line
            ranges += [pause for pause in line.pauses if line.ranges and pause < line.ranges[0]]
        if not is_before and not (line.text and line.fits(patterns)):
            continue
        count += bool(line.text)
        ranges += line.ranges + ([line.newline] if line.newline else []) + (line.pauses if is_before else [])
    return sorted(ranges), count


def judged_part(events: tuple[Event, ...], policy: Policy) -> tuple[Event, ...]:
    """The events without what is not judged."""
    ranges, _ = dropped(events, policy)
    return _replaced(events, [Filling(start, end, b"") for start, end in ranges]) if ranges else events


def unjudged_lines(events: tuple[Event, ...], policy: Policy) -> int:
    """How many lines with text are not judged."""
    return dropped(events, policy)[1] if limits_scope(policy) else 0


def never_begins(events: tuple[Event, ...], policy: Policy) -> bool:
    """Whether no line of a session is the one from which on it is judged."""
    return bool(policy.begins) and _first(lines := located_lines(events), policy) == len(lines)


def checked(events: tuple[Event, ...], policy: Policy, place: str) -> None:
    """Raise SpecError, at the place of the case, if nothing that a reference shows is judged."""
    if never_begins(events, policy):
        raise SpecError(
            f"{place}: the reference never shows a line with {as_found(policy.begins)}, from which on it is judged — "
            'mend `from`, or say `compare: {from: ""}` in this case'
        )
    lines = [line for line in located_lines(events) if line.text] if policy.not_judged else []
    if lines and all(line.fits(_compiled(policy.not_judged)) for line in lines):
        raise SpecError(f"{place}: nothing that the reference shows is judged: all of it fits `not_judged`")


def first_judged(events: tuple[Event, ...], policy: Policy) -> bytes:
    """The line from which on a session is judged; empty if it has none."""
    lines = located_lines(events)
    first = _first(lines, policy)
    return lines[first].text if first < len(lines) else b""


def fillings(expected: tuple[Event, ...], actual: tuple[Event, ...], policy: Policy) -> list[Filling]:
    """For each expected line that may be any line: the line that the actual session has there.

    Both sessions are normalized by the policy. An empty line takes the place of none.
    """
    patterns = _compiled(policy.any_line)
    found = []
    for ours, theirs in zip(located_lines(expected), located_lines(actual), strict=False):
        is_free = ours.text and theirs.text.strip() and len(ours.ranges) == len(theirs.ranges) == 1
        if is_free and ours.ends_alike == theirs.ends_alike and ours.fits(patterns):
            found.append(Filling(*ours.ranges[0], theirs.text))
    return found


def filled(expected: tuple[Event, ...], actual: tuple[Event, ...], policy: Policy) -> tuple[Event, ...]:
    """The expected events with the actual session's lines where any line may be."""
    found = fillings(expected, actual, policy)
    return _replaced(expected, found) if found else expected


@functools.cache
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, patterns))


def _first(lines: Sequence[LocatedLine], policy: Policy) -> int:
    """The index of the first line that is judged; the number of lines if there is none."""
    if not policy.begins:
        return 0
    patterns = _compiled((policy.begins,))
    return next((index for index, line in enumerate(lines) if line.fits(patterns)), len(lines))


def located_lines(events: Iterable[Event]) -> list[LocatedLine]:
    """The lines of the screen; the last one, which has not ended, may be empty."""
    lines, offset = [LocatedLine()], 0
    for piece, is_end in pieces_of(events):
        line, start = lines[-1], offset
        offset += len(piece.text) if isinstance(piece, Shown) else 1
        match piece:
            case Shown(text):
                stop = offset - is_end
                if stop > start:
                    line.text += text[: stop - start]
                    line.ranges.append((start, stop))
                line.newline = (stop, offset) if is_end else None
            case Typed():
                line.is_typed = True
            case Paused():
                line.pauses.append((start, offset))
        if is_end:
            lines.append(LocatedLine())
    return lines


def _replaced(events: tuple[Event, ...], changes: Sequence[Filling]) -> tuple[Event, ...]:
    """The events with these ranges of units replaced by texts; the ranges are in order and do not overlap."""
    made: list[Event] = []
    left, offset = list(reversed(changes)), 0
    for event in events:
        size = len(event.text) if isinstance(event, Shown) else 1
        done, end = 0, offset + size
        while left and left[-1].start < end:
            start, stop, text = left.pop()
            if isinstance(event, Shown):
                made += [Shown(event.text[done : start - offset]), Shown(text)]
            done = stop - offset
        if isinstance(event, Shown):
            made.append(Shown(event.text[done:]))
        elif not done:
            made.append(event)
        offset = end
    return canonical(made)
