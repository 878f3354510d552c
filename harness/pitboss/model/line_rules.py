"""Which lines a program may show in place of the expected ones, and which numbers in a line may differ.

A line is what the program shows on one line of the screen, normalized by the policy. `fillings` returns the changes
that copy permitted lines and numbers of the program into the expected session: any difference left after them is wrong.
`rule_at` returns the rule that a differing line breaks.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec

from pitboss.model.comparison_policy import Policy, Tolerance
from pitboss.model.screen_lines import pieces_of
from pitboss.model.transcript import Event, Paused, Shown, Typed

Range = tuple[int, int]
#: A number as people write one: not part of a word, and with digits after the point.
_NUMBER = re.compile(rb"(?<![\w.])[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?(?!\w)")
#: Longer numbers are compared as texts: nobody reads them as numbers.
_LONGEST_NUMBER = 400


class Replacement(NamedTuple):
    """A range of a session, and the text that replaces it. Offsets count bytes of text, and 1 for each other event."""

    start: int
    end: int
    text: bytes = b""


class NumberOff(msgspec.Struct, frozen=True, tag="number off"):
    """A number that is further from the expected one than allowed."""

    expected: str
    found: str
    tolerance: Tolerance


class Unmatched(msgspec.Struct, frozen=True, tag="unmatched"):
    """A line in which the regular expression of the expected line is not found."""

    pattern: str


class NotOfBlock(msgspec.Struct, frozen=True, tag="not of the block"):
    """A line that is not one of the remaining lines of a block whose lines may come in any order."""


LineRule = NumberOff | Unmatched | NotOfBlock


class LocatedLine:
    """A line of the screen: its text, its offsets, and how it ends."""

    def __init__(self) -> None:
        """Start an empty line."""
        self.text = b""
        #: The ranges of its text, without the newline.
        self.ranges: list[Range] = []
        self.pauses: list[Range] = []
        self.newline: Range | None = None
        self.is_typed = False

    @property
    def ends_alike(self) -> tuple[bool, bool]:
        """Whether a newline ends it, and whether a typed line does; neither does if it is the last line."""
        return self.newline is not None, self.is_typed

    @property
    def may_move(self) -> bool:
        """Whether it can come in another order: it is text without a pause in it, and ends with a newline."""
        return self.newline is not None and not self.is_typed and len(self.ranges) == 1

    def end_of(self, size: int) -> list[Range]:
        """Return the ranges of the last `size` bytes of its text."""
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


def located_lines(events: Iterable[Event]) -> list[LocatedLine]:
    """Returns the lines of the screen; the last, unfinished one may be empty."""
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


@functools.cache
def compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Returns the compiled patterns."""
    return tuple(map(re.compile, patterns))


def wordings_of(texts: Iterable[str], policy: Policy) -> set[str]:
    """Returns these texts, and likely other texts that the policy does not distinguish from them."""
    wordings = set(texts)
    for group in policy.alternatives:
        for text in tuple(wordings):
            wordings |= {text.replace(one, other) for one in group if one and one in text for other in group}
    if "ignored" in (policy.trailing_blanks, policy.blanks):
        wordings |= {text.rstrip(" ") for text in wordings} | {text.rstrip(" ") + " " for text in wordings}
    return wordings


def has_line_rules(policy: Policy) -> bool:
    """Whether the policy lets a line, or a number in it, differ from the expected one."""
    return bool(policy.free_lines or policy.matches or policy.numbers or policy.any_order)


def fillings(expected: tuple[Event, ...], actual: tuple[Event, ...], policy: Policy) -> list[Replacement]:
    """Returns the changes that put permitted lines and numbers of the actual session into the expected one, in order.

    Both sessions must be normalized by the policy.
    """
    if not has_line_rules(policy):
        return []
    ours, theirs = located_lines(expected), located_lines(actual)
    places = moved_lines(ours, theirs, policy)
    found: list[Replacement] = []
    for place, (our, their) in enumerate(zip(ours, theirs, strict=False)):
        if place in places:
            wanted = ours[places[place]].text
            is_alike = their.may_move
            changes = _changes_in(wanted, their.text, policy, wanted) if is_alike else []
            found.append(Replacement(*our.ranges[0], _changed(wanted, changes)))
        elif our.ends_alike == their.ends_alike and len(our.ranges) == len(their.ranges):
            found += _changes_of(our, their, policy)
    found += [
        Replacement(*our.ranges[0], ours[places[place]].text)
        for place, our in enumerate(ours)
        if place in places and place >= len(theirs)
    ]
    return found


def moved_lines(ours: Sequence[LocatedLine], theirs: Sequence[LocatedLine], policy: Policy) -> dict[int, int]:
    """Returns the indexes of lines that may come in any order, each with the index of the expected line to put there.

    Only lines that move are included. Expected lines that the program does not show get the remaining indexes.
    """
    if not policy.any_order:
        return {}
    found = {}
    for block in _blocks(ours, policy):
        found.update(_order_of(block, ours, theirs, policy))
    return {place: line for place, line in found.items() if place != line}


def rule_at(expected: bytes, actual: bytes, policy: Policy) -> LineRule | None:
    """Returns the rule that a differing line breaks, given the expected and the actual line; None if it breaks none."""
    if (tolerance := _tolerance_of(expected, policy)) is not None:
        pairs = list(zip(_NUMBER.finditer(expected), _NUMBER.finditer(actual), strict=False))
        wrong = next((pair for pair in pairs if not _is_near(pair[0][0], pair[1][0], tolerance)), None)
        if wrong is not None and _shape(expected[: wrong[0].start()]) == _shape(actual[: wrong[1].start()]):
            return NumberOff(wrong[0][0].decode(), wrong[1][0].decode(), tolerance)
    for pattern in policy.matches:
        if _reads_as((pattern,), expected, policy) and not _reads_as((pattern,), actual, policy):
            return Unmatched(pattern)
    return NotOfBlock() if _reads_as(policy.any_order, expected, policy) else None


def _shape(text: bytes) -> bytes:
    return _NUMBER.sub(b"0", text)


def _changes_of(our: LocatedLine, their: LocatedLine, policy: Policy) -> Iterator[Replacement]:
    """Yield the changes of a line; each piece between two pauses is compared by itself."""
    done_ours = done_theirs = 0
    for (start, end), (their_start, their_end) in zip(our.ranges, their.ranges, strict=True):
        wanted = our.text[done_ours : done_ours + end - start]
        actual = their.text[done_theirs : done_theirs + their_end - their_start]
        done_ours, done_theirs = done_ours + len(wanted), done_theirs + len(actual)
        for first, last, text in _changes_in(wanted, actual, policy, our.text):
            yield Replacement(start + first, start + last, text)


def _changes_in(wanted: bytes, actual: bytes, policy: Policy, line: bytes) -> list[Replacement]:
    """The permitted changes of `wanted`, the expected `line` or a part of it, by offsets in `wanted`."""
    if wanted == actual:
        return []
    if wanted == line and actual.strip() and _may_be(wanted, actual, policy):
        return [Replacement(0, len(wanted), actual)]
    tolerance = _tolerance_of(line, policy)
    pairs = zip(_NUMBER.finditer(wanted), _NUMBER.finditer(actual), strict=False) if tolerance is not None else ()
    return [
        Replacement(*one.span(), other[0])
        for one, other in pairs
        if one[0] != other[0] and tolerance is not None and _is_near(one[0], other[0], tolerance)
    ]


def _changed(text: bytes, changes: Sequence[Replacement]) -> bytes:
    for start, end, other in reversed(changes):
        text = text[:start] + other + text[end:]
    return text


def _may_be(wanted: bytes, actual: bytes, policy: Policy) -> bool:
    """Whether a whole line is allowed in place of the expected one."""
    return _reads_as(policy.free_lines, wanted, policy) or any(
        _reads_as((pattern,), wanted, policy) and _reads_as((pattern,), actual, policy) for pattern in policy.matches
    )


def _reads_as(patterns: tuple[str, ...], line: bytes, policy: Policy) -> bool:
    """Whether a pattern is found in a normalized line or a likely original of it: patterns were written for these."""
    if not patterns:
        return False
    wordings = wordings_of([line.decode("utf-8", "surrogateescape")], policy)
    return any(pattern.search(text) for text in wordings for pattern in compiled(patterns))


def _tolerance_of(line: bytes, policy: Policy) -> Tolerance | None:
    """The first tolerance that applies to an expected line; None if none does."""
    return next((one for one in policy.numbers if not one.lines or _reads_as(one.lines, line, policy)), None)


def _is_near(expected: bytes, found: bytes, tolerance: Tolerance) -> bool:
    if max(len(expected), len(found)) > _LONGEST_NUMBER:
        return expected == found
    wanted = Fraction(expected.decode())
    distance = abs(Fraction(found.decode()) - wanted)
    return distance <= Fraction(tolerance.within) or distance <= Fraction(tolerance.relative) * abs(wanted)


def _blocks(lines: Sequence[LocatedLine], policy: Policy) -> Iterator[range]:
    """Yield the indexes of each block of two or more neighbouring lines that may come in any order."""
    first = 0
    for place in range(len(lines) + 1):
        if place < len(lines) and lines[place].may_move and _reads_as(policy.any_order, lines[place].text, policy):
            continue
        if place - first > 1:
            yield range(first, place)
        first = place + 1


def _order_of(
    block: range, ours: Sequence[LocatedLine], theirs: Sequence[LocatedLine], policy: Policy
) -> dict[int, int]:
    """For each index of a block, the expected line to put there, so that as many as possible agree with the program."""
    theirs_at = {place: theirs[place].text for place in block if place < len(theirs) and theirs[place].may_move}
    # Lines are read as the same only if they differ just in numbers, or if a pattern allows many lines.
    loose = [line for line in block if _reads_as((*policy.free_lines, *policy.matches), ours[line].text, policy)]
    alike: dict[bytes, list[int]] = {}
    for line in block:
        alike.setdefault(_shape(ours[line].text.lower()), []).append(line)
    fitting = {}
    for place, text in theirs_at.items():
        lines = dict.fromkeys((*alike.get(_shape(text.lower()), ()), *loose))
        fits = [line for line in lines if _is_read_as(ours[line].text, text, policy)]
        fitting[place] = sorted(fits, key=lambda line: (ours[line].text != text, line != place))
    at = _matched(fitting)
    left = [line for line in block if line not in at.values()]
    return at | dict(zip([place for place in block if place not in at], left, strict=True))


def _is_read_as(wanted: bytes, actual: bytes, policy: Policy) -> bool:
    text = _changed(wanted, _changes_in(wanted, actual, policy, wanted))
    return text.lower() == actual.lower() if policy.letter_case == "ignored" else text == actual


def _matched(fitting: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """For as many places as possible, a line that fits there; each line is used once. Finds augmenting paths."""
    place_of: dict[int, int] = {}
    for place in fitting:
        came_from: dict[int, int] = {}  # for each line reached: the place that it was reached from
        waiting, end = [place], None
        while waiting and end is None:
            here = waiting.pop(0)
            for line in fitting[here]:
                if line in came_from:
                    continue
                came_from[line] = here
                if line not in place_of:
                    end = line
                    break
                waiting.append(place_of[line])
        line_of = {one: line for line, one in place_of.items()}
        while end is not None:
            here = came_from[end]
            place_of[end], end = here, line_of.get(here) if here != place else None
    return {place: line for line, place in place_of.items()}
