"""Sentences on whole lines: lines or a table are missing or superfluous, two are swapped, or all are in another order.

A sentence is written only if the sessions agree after exactly this correction: to their ends, or for at least as many
lines as the correction changes; and further than after any other correction. Lines with typed input, or at
which the program found the end of input, are never moved.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from pitboss.compare.comparison import Difference, Split
from pitboss.model.screen_lines import EMPTY, Line, has_text, is_text, lines_of, text_in, unfinished_line
from pitboss.model.transcript import Paused, Shown
from pitboss.reports.pause_sentences import seconds, text_of

#: The maximum number of missing or extra lines to look for, and of lines between two that are swapped.
_MAX_LINES, _MAX_BETWEEN = 24, 4
#: Sessions that differ again after a correction must have agreed on at least this many lines with text.
_MIN_AGREEING = 2


class _Agreement(NamedTuple):
    """How far two sessions agree; a greater value is further."""

    #: Whether they agree to their ends.
    is_complete: bool
    #: How many lines with text agree.
    lines: int

    def is_enough(self, count: int) -> bool:
        """Whether this agreement justifies a correction of `count` lines: a few of many may agree by chance."""
        return self.is_complete or self.lines >= max(_MIN_AGREEING, count)


class _LineBlock(NamedTuple):
    """Missing or extra lines, and how many lines above the first difference the block begins."""

    lines: list[Line]
    above: int

    @property
    def trimmed(self) -> list[Line]:
        """Returns the lines without empty lines at either end."""
        indexes = [index for index, line in enumerate(self.lines) if text_in(line).strip()]
        return self.lines[indexes[0] : indexes[-1] + 1] if indexes else []


def sentence_of_lines(difference: Difference) -> str:
    """A sentence on missing, extra, swapped or reordered lines; empty if the sessions differ in another way."""
    start = unfinished_line(difference.matched)
    expected, actual = lines_of((*start, *difference.expected)), lines_of((*start, *difference.actual))
    limit = min(_MAX_LINES, len(expected), len(actual))
    replacements = [_agreement(expected[count:], actual[count:]) for count in range(1, limit + 1)]
    corrections = [
        *((_agreement(expected[count:], actual), "missing", count) for count in _block_sizes(expected)),
        *((_agreement(expected, actual[count:]), "extra", count) for count in _block_sizes(actual)),
        *(
            (_agreement_after_swap(expected, actual, count), "swapped", count)
            for count in _swap_indexes(expected, actual)
        ),
    ]
    best, kind, count = max(
        corrections, key=lambda correction: (correction[0], -correction[2]), default=(_Agreement(False, 0), "", 0)
    )
    is_best = all(agreement < best for agreement, other_kind, _ in corrections if other_kind != kind)
    is_certain = kind and best.is_enough(1 if kind == "swapped" else count) and is_best
    if not best.is_complete and (order_sentence := _order_sentence(difference.quoted, expected, actual)):
        return order_sentence
    if not is_certain or best <= max(replacements, default=_Agreement(False, 0)):
        return ""
    match kind:
        case "missing":
            return _missing_sentence(difference, _line_block(difference, expected[:count]), actual)
        case "extra":
            return _extra_sentence(difference, _line_block(difference, actual[:count]), is_end=not expected)
    return _swapped_sentence(difference.quoted, actual, count)


def _order_sentence(split: Split, expected: list[Line], actual: list[Line]) -> str:
    """A sentence if all remaining lines are there, but one is misplaced, or all are in another order; else empty."""
    if len(expected) <= _MIN_AGREEING or len(expected) != len(actual) or Counter(expected) != Counter(actual):
        return ""
    on_screen, texts = _screen_lines(split), [text_in(line) for line in actual if text_in(line).strip()]
    if len(texts) != len(on_screen) or not all(
        _is_shown(text, screen_line.text) for text, screen_line in zip(texts, on_screen, strict=True)
    ):
        return ""
    for line_first, line_later, direction in ((actual, expected, "early"), (expected, actual, "late")):
        count = next((number for number, line in enumerate(line_later) if line == line_first[0]), 0)
        is_moved = (
            line_first[1 : count + 1] == line_later[:count] and line_first[count + 1 :] == line_later[count + 1 :]
        )
        if is_moved and all(map(_is_nonblank_text, line_first[: count + 1])):
            is_early = direction == "early"
            correct_location = (
                f"after {_quote(text_in(line_first[count]))}"
                if is_early
                else f"before {_quote(text_in(line_first[1]))}"
            )
            moved = f"The line {_quote(text_in(line_first[0]))} (line {on_screen[0 if is_early else count].number})"
            return f"{moved} comes too {direction}: it belongs {correct_location}."
    if not all(map(is_text, expected)):
        return ""
    wanted = _quote(text_in(next(line for line in expected if text_in(line).strip())))
    first = f"line {on_screen[0].number} is {_quote(on_screen[0].text)} where {wanted} is expected"
    return f"All lines from line {split.line} on are there, in another order: {first}."


def _is_nonblank_text(line: Line) -> bool:
    return is_text(line) and bool(text_in(line).strip())


def _line_block(difference: Difference, lines: list[Line]) -> _LineBlock:
    """Makes lines a block. If an equal block begins further up, with an empty line, returns that block."""
    before = lines_of(difference.matched)
    before = before[:-1] if unfinished_line(difference.matched) else before
    moved = lines
    # If a policy omits lines, the lines above may differ on the two screens.
    is_movable = difference.split is None and bool(difference.expected) and bool(difference.actual)
    for above in range(len(lines) if is_movable else 0):
        if moved[0] == EMPTY:
            return _LineBlock(moved, above)
        if above == len(before) or before[-1 - above] != moved[-1]:
            break
        moved = [moved[-1], *moved[:-1]]
    return _LineBlock(lines, 0)


# Corrections to try


def _agreement(expected: list[Line], actual: list[Line]) -> _Agreement:
    """How far these lines agree."""
    count = 0
    for expected_line, actual_line in zip(expected, actual, strict=False):
        if expected_line != actual_line:
            return _Agreement(False, count)
        count += has_text(expected_line)
    return _Agreement(len(expected) == len(actual), count)


def _block_sizes(lines: list[Line]) -> range:
    """The possible numbers of missing or extra leading lines; all these lines must be text."""
    limit = next((number for number, line in enumerate(lines[:_MAX_LINES]) if not is_text(line)), _MAX_LINES)
    return range(1, min(limit, len(lines)) + 1)


def _swap_indexes(expected: list[Line], actual: list[Line]) -> list[int]:
    """The indexes of lines that may be swapped with the first line."""
    limit = min(len(_block_sizes(expected)), len(_block_sizes(actual)), _MAX_BETWEEN + 2)
    return [
        index
        for index in range(1, limit)
        if expected[0] == actual[index] != expected[index] == actual[0]
        and expected[1:index] == actual[1:index]
        and text_in(expected[0]).strip()
        and text_in(expected[index]).strip()
    ]


def _agreement_after_swap(expected: list[Line], actual: list[Line], index: int) -> _Agreement:
    agreement = _agreement(expected[index + 1 :], actual[index + 1 :])
    # Two lines in each other's position are evidence in themselves.
    return _Agreement(agreement.is_complete, agreement.lines + _MIN_AGREEING)


# Sentences


class _ScreenLine(NamedTuple):
    """A line with text on the program's screen."""

    number: int
    text: bytes


def _screen_lines(split: Split, above: int = 0) -> list[_ScreenLine]:
    """The lines with text on the program's screen, from `above` lines above the first difference."""
    lines = (
        lines_of((*split.before, *split.actual)) if above else lines_of((*unfinished_line(split.before), *split.actual))
    )
    first = split.line - above
    return [
        _ScreenLine(number, text_in(line))
        for number, line in enumerate(lines[first - 1 :] if above else lines, first)
        if text_in(line).strip()
    ]


def _is_shown(compared: bytes, shown: bytes) -> bool:
    """Whether a compared line is shown like that on the screen: text changed by a policy is not quoted."""
    return compared.rstrip() == shown.rstrip()


def _missing_sentence(difference: Difference, block: _LineBlock, actual: list[Line]) -> str:
    split, trimmed, count = difference.quoted, block.trimmed, len(block.lines)
    screen_line = next(iter(_screen_lines(split, block.above)), None)
    if screen_line is None:
        return "" if any(map(has_text, actual)) else _missing_at_end_sentence(split, block)
    if not actual:  # the remaining lines on the screen are not judged
        return ""
    if not block.above and not _is_shown(text_in(next(filter(has_text, actual), actual[0])), screen_line.text):
        return ""
    before = f"before {_quote(screen_line.text)} (line {screen_line.number})"
    if not trimmed:
        return f"{'An empty line is' if count == 1 else f'{count} empty lines are'} missing {before}."
    if len(trimmed) == 1:
        return f"The line {_quote(text_in(trimmed[0]))} is missing {before}{_pause_clause(trimmed[0])}."
    if _is_table(block, _line_above(split, block), screen_line.text):
        return f"A table of {len(trimmed)} lines is missing {before}: it begins with {_quote(text_in(trimmed[0]))}."
    return f"{len(trimmed)} lines are missing {before}, {_first_to_last(trimmed)}."


def _missing_at_end_sentence(split: Split, block: _LineBlock) -> str:
    trimmed, count = block.trimmed, len(block.lines)
    if not trimmed:
        missing = "An empty line is" if count == 1 else f"{count} empty lines are"
        return f"{missing} missing at the end (line {split.line})."
    if len(trimmed) == 1:
        return f"The last line, {_quote(text_in(trimmed[0]))}, is missing{_pause_clause(trimmed[0])}."
    return ""


def _extra_sentence(difference: Difference, block: _LineBlock, *, is_end: bool) -> str:
    split, trimmed = difference.quoted, block.trimmed
    on_screen = _screen_lines(split, block.above)
    texts = [text_in(line) for line in block.lines if text_in(line).strip()]
    # At the end another sentence is more helpful: that the program should have ended.
    if is_end or len(on_screen) < max(1, len(texts)):
        return ""
    if any(not _is_shown(text, screen_line.text) for text, screen_line in zip(texts, on_screen, strict=False)):
        return ""
    first, last = on_screen[0], on_screen[max(0, len(texts) - 1)]
    if not trimmed:
        beginning = "There is an empty line" if len(block.lines) == 1 else f"There are {len(block.lines)} empty lines"
        return f"{beginning} too many before {_quote(first.text)} (line {first.number})."
    if len(trimmed) == 1:
        return f"There is a line too many: {_quote(first.text)} (line {first.number})."
    location = f"lines {first.number} to {last.number}"
    if _is_table(block, _line_above(split, block), on_screen[len(texts)].text if len(on_screen) > len(texts) else b""):
        return f"There is a table too many ({location}): it begins with {_quote(first.text)}."
    return f"There are {last.number - first.number + 1} lines too many ({location}), {_first_to_last(trimmed)}."


def _swapped_sentence(split: Split, actual: list[Line], index: int) -> str:
    on_screen = _screen_lines(split)
    count = sum(bool(text_in(line).strip()) for line in actual[: index + 1])
    if len(on_screen) < count:
        return ""
    first, last = on_screen[0], on_screen[count - 1]
    if not (_is_shown(text_in(actual[0]), first.text) and _is_shown(text_in(actual[index]), last.text)):
        return ""
    return (
        f"Lines {first.number} and {last.number} are swapped: {_quote(last.text)} should come before "
        f"{_quote(first.text)}."
    )


def _quote(text: bytes) -> str:
    return text_of(Shown(text))


def _first_to_last(lines: list[Line]) -> str:
    return f"from {_quote(text_in(lines[0]))} to {_quote(text_in(lines[-1]))}"


def _pause_clause(line: Line) -> str:
    pause = line[0]
    return f", with the pause of {seconds(pause.duration_ms)} before it" if isinstance(pause, Paused) else ""


def _line_above(split: Split, block: _LineBlock) -> bytes:
    """The line on the program's screen above a block; empty if the block begins with an empty line."""
    if block.lines[0] == EMPTY:
        return b""
    lines = lines_of(split.before)
    index = split.line - block.above - 2
    return text_in(lines[index]) if 0 <= index < len(lines) else b""


def _is_row(text: bytes) -> bool:
    """Whether a text looks like a row of a table."""
    return text.count(b"|") >= 2 or text.strip().startswith((b"+-", "┌".encode(), "│".encode()))


def _is_table(block: _LineBlock, above: bytes, below: bytes) -> bool:
    """Whether lines are a complete table: rows under at most two lines of headings, and no row above or below."""
    texts = [text_in(line) for line in block.trimmed]
    rows = sum(map(_is_row, texts))
    is_table = len(texts) >= 2 and rows >= max(1, len(texts) - 2) and _is_row(texts[-1]) and all(texts)
    return is_table and not _is_row(above) and (block.lines[-1] == EMPTY or not _is_row(below))
