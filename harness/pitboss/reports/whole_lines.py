"""Sentences on whole lines: lines or a table are missing or too many, two are swapped, or all are in another order.

Such a sentence is written only if the sessions agree once exactly that is corrected: to their ends, or for at least as
many lines as the correction changes; and for longer than after any other correction. Lines with typed input, or at
which the program found the end of input, are never moved.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from pitboss.compare.comparison import Difference, Split
from pitboss.model.screen_lines import EMPTY, Line, has_text, is_text, line_begun, lines_of, text_in
from pitboss.model.transcript import Paused, Shown
from pitboss.reports.pause_sentences import seconds, text_of

#: The maximum number of missing or extra lines to look for, and of lines between two that are swapped.
_MAX_LINES, _MAX_BETWEEN = 24, 4
#: Sessions that differ again after a correction must have agreed on at least this many lines with text.
_FEW = 2


class _Reach(NamedTuple):
    """How far two sessions agree; greater is further."""

    #: Whether they agree to their ends.
    is_whole: bool
    #: How many lines with text agree.
    lines: int

    def is_enough(self, count: int) -> bool:
        """Whether it is evidence for a change of `count` lines: if many lines are reordered, a few agree by chance."""
        return self.is_whole or self.lines >= max(_FEW, count)


class _LineBlock(NamedTuple):
    """Missing or extra lines, and how many lines above the first difference they begin."""

    lines: list[Line]
    above: int

    @property
    def trimmed(self) -> list[Line]:
        """Returns the lines without empty lines at either end."""
        places = [place for place, line in enumerate(self.lines) if text_in(line).strip()]
        return self.lines[places[0] : places[-1] + 1] if places else []


def sentence_of_lines(difference: Difference) -> str:
    """A sentence that says what is wrong with whole lines; empty if the sessions differ in another way."""
    start = line_begun(difference.matched)
    expected, actual = lines_of((*start, *difference.expected)), lines_of((*start, *difference.actual))
    most = min(_MAX_LINES, len(expected), len(actual))
    others = [_reach(expected[count:], actual[count:]) for count in range(1, most + 1)]
    tries = [
        *((_reach(expected[count:], actual), "missing", count) for count in _movable(expected)),
        *((_reach(expected, actual[count:]), "too many", count) for count in _movable(actual)),
        *((_swapped_reach(expected, actual, count), "swapped", count) for count in _exchangeable(expected, actual)),
    ]
    best, kind, count = max(tries, key=lambda one: (one[0], -one[2]), default=(_Reach(False, 0), "", 0))
    is_only = all(reach < best for reach, other, _ in tries if other != kind)
    is_certain = kind and best.is_enough(1 if kind == "swapped" else count) and is_only
    if not best.is_whole and (elsewhere := _elsewhere(difference.quoted, expected, actual)):
        return elsewhere
    if not is_certain or best <= max(others, default=_Reach(False, 0)):
        return ""
    match kind:
        case "missing":
            return _missing(difference, _block(difference, expected[:count]), actual)
        case "too many":
            return _too_many(difference, _block(difference, actual[:count]), is_end=not expected)
    return _swapped(difference.quoted, actual, count)


def _elsewhere(split: Split, expected: list[Line], actual: list[Line]) -> str:
    """A sentence if all remaining lines are there, but one too early or too late, or in another order; else empty."""
    if len(expected) <= _FEW or len(expected) != len(actual) or Counter(expected) != Counter(actual):
        return ""
    seen, texts = _screen_lines(split), [text_in(line) for line in actual if text_in(line).strip()]
    if len(texts) != len(seen) or not all(_same(text, one.text) for text, one in zip(texts, seen, strict=True)):
        return ""
    for one, other, when in ((actual, expected, "early"), (expected, actual, "late")):
        count = next((number for number, line in enumerate(other) if line == one[0]), 0)
        is_moved = one[1 : count + 1] == other[:count] and one[count + 1 :] == other[count + 1 :]
        if is_moved and all(map(_has_words, one[: count + 1])):
            is_early = when == "early"
            belongs = f"after {_quote(text_in(one[count]))}" if is_early else f"before {_quote(text_in(one[1]))}"
            moved = f"The line {_quote(text_in(one[0]))} (line {seen[0 if is_early else count].number})"
            return f"{moved} comes too {when}: it belongs {belongs}."
    if not all(map(is_text, expected)):
        return ""
    wanted = _quote(text_in(next(line for line in expected if text_in(line).strip())))
    first = f"line {seen[0].number} is {_quote(seen[0].text)} where {wanted} is expected"
    return f"All lines from line {split.line} on are there, in another order: {first}."


def _has_words(line: Line) -> bool:
    return is_text(line) and bool(text_in(line).strip())


def _block(difference: Difference, lines: list[Line]) -> _LineBlock:
    """Makes lines a block. If an equal block begins further up, with an empty line, that one is returned."""
    before = lines_of(difference.matched)
    before = before[:-1] if line_begun(difference.matched) else before
    moved = lines
    # If a policy has left out lines, the lines above may differ on the two screens.
    is_movable = difference.split is None and bool(difference.expected) and bool(difference.actual)
    for above in range(len(lines) if is_movable else 0):
        if moved[0] == EMPTY:
            return _LineBlock(moved, above)
        if above == len(before) or before[-1 - above] != moved[-1]:
            break
        moved = [moved[-1], *moved[:-1]]
    return _LineBlock(lines, 0)


# Changes that are tried


def _reach(expected: list[Line], actual: list[Line]) -> _Reach:
    count = 0
    for one, other in zip(expected, actual, strict=False):
        if one != other:
            return _Reach(False, count)
        count += has_text(one)
    return _Reach(len(expected) == len(actual), count)


def _movable(lines: list[Line]) -> range:
    """The possible numbers of missing or extra leading lines; all of these lines must be text."""
    most = next((number for number, line in enumerate(lines[:_MAX_LINES]) if not is_text(line)), _MAX_LINES)
    return range(1, min(most, len(lines)) + 1)


def _exchangeable(expected: list[Line], actual: list[Line]) -> list[int]:
    """The indexes of lines that may be swapped with the first line."""
    most = min(len(_movable(expected)), len(_movable(actual)), _MAX_BETWEEN + 2)
    return [
        place
        for place in range(1, most)
        if expected[0] == actual[place] != expected[place] == actual[0]
        and expected[1:place] == actual[1:place]
        and text_in(expected[0]).strip()
        and text_in(expected[place]).strip()
    ]


def _swapped_reach(expected: list[Line], actual: list[Line], place: int) -> _Reach:
    reach = _reach(expected[place + 1 :], actual[place + 1 :])
    # That both lines are where the other is expected is itself evidence.
    return _Reach(reach.is_whole, reach.lines + _FEW)


# Sentences


class _ScreenLine(NamedTuple):
    """A line with text on the program's screen."""

    number: int
    text: bytes


def _screen_lines(split: Split, above: int = 0) -> list[_ScreenLine]:
    """The lines with text on the program's screen, from `above` lines above the first difference."""
    lines = lines_of((*split.before, *split.actual)) if above else lines_of((*line_begun(split.before), *split.actual))
    first = split.line - above
    return [
        _ScreenLine(number, text_in(line))
        for number, line in enumerate(lines[first - 1 :] if above else lines, first)
        if text_in(line).strip()
    ]


def _same(one: bytes, other: bytes) -> bool:
    """Whether a line that was compared is also the line on the screen: text changed by a policy is not quoted."""
    return one.rstrip() == other.rstrip()


def _missing(difference: Difference, block: _LineBlock, actual: list[Line]) -> str:
    split, trimmed, count = difference.quoted, block.trimmed, len(block.lines)
    seen = next(iter(_screen_lines(split, block.above)), None)
    if seen is None:
        return "" if any(map(has_text, actual)) else _missing_at_the_end(split, block)
    if not actual:  # what the screen still shows is not judged
        return ""
    if not block.above and not _same(text_in(next(filter(has_text, actual), actual[0])), seen.text):
        return ""
    before = f"before {_quote(seen.text)} (line {seen.number})"
    if not trimmed:
        return f"{'An empty line is' if count == 1 else f'{count} empty lines are'} missing {before}."
    if len(trimmed) == 1:
        return f"The line {_quote(text_in(trimmed[0]))} is missing {before}{_pause_before(trimmed[0])}."
    if _is_table(block, _above(split, block), seen.text):
        return f"A table of {len(trimmed)} lines is missing {before}: it begins with {_quote(text_in(trimmed[0]))}."
    return f"{len(trimmed)} lines are missing {before}, {_from_to(trimmed)}."


def _missing_at_the_end(split: Split, block: _LineBlock) -> str:
    trimmed, count = block.trimmed, len(block.lines)
    if not trimmed:
        missing = "An empty line is" if count == 1 else f"{count} empty lines are"
        return f"{missing} missing at the end (line {split.line})."
    if len(trimmed) == 1:
        return f"The last line, {_quote(text_in(trimmed[0]))}, is missing{_pause_before(trimmed[0])}."
    return ""


def _too_many(difference: Difference, block: _LineBlock, *, is_end: bool) -> str:
    split, trimmed = difference.quoted, block.trimmed
    seen = _screen_lines(split, block.above)
    texts = [text_in(line) for line in block.lines if text_in(line).strip()]
    # At the end another sentence says more: that the program should have ended.
    if is_end or len(seen) < max(1, len(texts)):
        return ""
    if any(not _same(text, one.text) for text, one in zip(texts, seen, strict=False)):
        return ""
    first, last = seen[0], seen[max(0, len(texts) - 1)]
    if not trimmed:
        extra = "There is an empty line" if len(block.lines) == 1 else f"There are {len(block.lines)} empty lines"
        return f"{extra} too many before {_quote(first.text)} (line {first.number})."
    if len(trimmed) == 1:
        return f"There is a line too many: {_quote(first.text)} (line {first.number})."
    place = f"lines {first.number} to {last.number}"
    if _is_table(block, _above(split, block), seen[len(texts)].text if len(seen) > len(texts) else b""):
        return f"There is a table too many ({place}): it begins with {_quote(first.text)}."
    return f"There are {last.number - first.number + 1} lines too many ({place}), {_from_to(trimmed)}."


def _swapped(split: Split, actual: list[Line], place: int) -> str:
    seen = _screen_lines(split)
    count = sum(bool(text_in(line).strip()) for line in actual[: place + 1])
    if len(seen) < count:
        return ""
    first, last = seen[0], seen[count - 1]
    if not (_same(text_in(actual[0]), first.text) and _same(text_in(actual[place]), last.text)):
        return ""
    return (
        f"Lines {first.number} and {last.number} are swapped: {_quote(last.text)} should come before "
        f"{_quote(first.text)}."
    )


def _quote(text: bytes) -> str:
    return text_of(Shown(text))


def _from_to(lines: list[Line]) -> str:
    return f"from {_quote(text_in(lines[0]))} to {_quote(text_in(lines[-1]))}"


def _pause_before(line: Line) -> str:
    pause = line[0]
    return f", with the pause of {seconds(pause.duration_ms)} before it" if isinstance(pause, Paused) else ""


def _above(split: Split, block: _LineBlock) -> bytes:
    """The line on the program's screen above a block; empty if the block begins with an empty line."""
    if block.lines[0] == EMPTY:
        return b""
    lines = lines_of(split.before)
    place = split.line - block.above - 2
    return text_in(lines[place]) if 0 <= place < len(lines) else b""


def _is_row(text: bytes) -> bool:
    return text.count(b"|") >= 2 or text.strip().startswith((b"+-", "┌".encode(), "│".encode()))


def _is_table(block: _LineBlock, above: bytes, below: bytes) -> bool:
    """Whether lines are a whole table: rows under at most two lines of headings, and no row above or below."""
    texts = [text_in(line) for line in block.trimmed]
    rows = sum(map(_is_row, texts))
    is_table = len(texts) >= 2 and rows >= max(1, len(texts) - 2) and _is_row(texts[-1]) and all(texts)
    return is_table and not _is_row(above) and (block.lines[-1] == EMPTY or not _is_row(below))
