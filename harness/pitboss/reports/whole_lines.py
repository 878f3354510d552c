"""Sentences on whole lines: lines or a table are missing or extra, two lines are swapped, or the order is different.

Such a sentence describes a correction of the program's output. It is written only if the corrected session agrees with
the expected session to the end, or for at least as many lines as the correction changes. The sessions must also agree
further than after any other kind of correction. Lines with typed input, or at which the program found the end of
input, are never moved.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from pitboss.compare.comparison import Difference, Split
from pitboss.model.screen_lines import EMPTY, Line, has_text, is_text, lines_of, text_in, unfinished_line
from pitboss.model.transcript import Paused, Shown
from pitboss.reports.pause_sentences import seconds_text, text_of

#: The maximum number of missing or extra lines to look for.
_MAX_LINES = 24
#: The maximum number of lines between two swapped lines.
_MAX_BETWEEN = 4
#: If sessions differ again after a correction, they must first agree on at least this many lines with text.
_MIN_AGREEING = 2


class _Agreement(NamedTuple):
    """How far two sessions agree; a greater value is further."""

    #: Whether the sessions agree to their ends.
    is_complete: bool
    #: The number of lines with text on which the sessions agree before they differ.
    lines: int

    def is_enough(self, count: int) -> bool:
        """Whether this agreement justifies a correction of `count` lines; fewer lines may agree by chance."""
        return self.is_complete or self.lines >= max(_MIN_AGREEING, count)


class _Correction(NamedTuple):
    """A correction of the program's lines, from the first difference on."""

    #: How far the sessions agree after this correction.
    agreement: _Agreement
    #: `missing`, `extra` or `swapped`: what is wrong with the program's lines.
    kind: str
    #: The number of missing or extra lines; for a swap, the index of the line that is swapped with the first line.
    size: int


class _LineBlock(NamedTuple):
    """A block of missing or extra lines."""

    lines: list[Line]
    #: How many lines above the first difference the block begins.
    above: int

    @property
    def trimmed(self) -> list[Line]:
        """Returns the lines without empty lines at either end."""
        indexes = [index for index, line in enumerate(self.lines) if text_in(line).strip()]
        return self.lines[indexes[0] : indexes[-1] + 1] if indexes else []


def sentence_of_lines(difference: Difference) -> str:
    """Returns a sentence on missing, extra, swapped or reordered lines; empty if the sessions differ otherwise."""
    unfinished = unfinished_line(difference.matched)
    expected, actual = lines_of((*unfinished, *difference.expected)), lines_of((*unfinished, *difference.actual))
    max_replaced = min(_MAX_LINES, len(expected), len(actual))
    # A correction must make the sessions agree further than they do if lines are only replaced one for one.
    replacements = [_agreement(expected[count:], actual[count:]) for count in range(1, max_replaced + 1)]
    corrections = [
        *(_Correction(_agreement(expected[count:], actual), "missing", count) for count in _block_sizes(expected)),
        *(_Correction(_agreement(expected, actual[count:]), "extra", count) for count in _block_sizes(actual)),
        *(
            _Correction(_agreement_after_swap(expected, actual, index), "swapped", index)
            for index in _swap_indexes(expected, actual)
        ),
    ]
    no_agreement = _Agreement(False, 0)
    # Of several corrections after which the sessions agree equally far, the one that changes fewest lines.
    best = max(
        corrections,
        key=lambda correction: (correction.agreement, -correction.size),
        default=_Correction(no_agreement, "", 0),
    )
    if not best.agreement.is_complete and (order_sentence := _order_sentence(difference.quoted, expected, actual)):
        return order_sentence
    is_best_kind = all(other.agreement < best.agreement for other in corrections if other.kind != best.kind)
    is_certain = is_best_kind and best.agreement.is_enough(1 if best.kind == "swapped" else best.size)
    if not best.kind or not is_certain or best.agreement <= max(replacements, default=no_agreement):
        return ""
    match best.kind:
        case "missing":
            return _missing_sentence(difference, _line_block(difference, expected[: best.size]), actual)
        case "extra":
            return _extra_sentence(
                difference, _line_block(difference, actual[: best.size]), is_after_expected_end=not expected
            )
    return _swapped_sentence(difference.quoted, actual, best.size)


def _order_sentence(split: Split, expected: list[Line], actual: list[Line]) -> str:
    """Returns a sentence if both sessions have the same remaining lines in different orders; else an empty text.

    The sentence is on one misplaced line, or on the order of all lines.
    """
    if len(expected) <= _MIN_AGREEING or len(expected) != len(actual) or Counter(expected) != Counter(actual):
        return ""
    screen_lines, texts = _screen_lines(split), [text_in(line) for line in actual if text_in(line).strip()]
    if len(texts) != len(screen_lines) or not all(
        _is_shown(text, screen_line.text) for text, screen_line in zip(texts, screen_lines, strict=True)
    ):
        return ""
    # One line (“it” in the names below) is misplaced if it is first in one session and later in the other, and nothing
    # else differs.
    for lines_with_it_first, lines_with_it_later, is_early in ((actual, expected, True), (expected, actual, False)):
        distance = next(
            (number for number, line in enumerate(lines_with_it_later) if line == lines_with_it_first[0]), 0
        )
        is_moved = (
            lines_with_it_first[1 : distance + 1] == lines_with_it_later[:distance]
            and lines_with_it_first[distance + 1 :] == lines_with_it_later[distance + 1 :]
        )
        if is_moved and all(map(_is_nonblank_text, lines_with_it_first[: distance + 1])):
            moved_line, next_line, previous_line = (text_in(lines_with_it_first[index]) for index in (0, 1, distance))
            if is_early:  # the program shows the moved line first
                location = f"(line {screen_lines[0].number}) comes too early: it belongs after {_quote(previous_line)}"
            else:
                location = (
                    f"(line {screen_lines[distance].number}) comes too late: it belongs before {_quote(next_line)}"
                )
            return f"The line {_quote(moved_line)} {location}."
    if not all(map(is_text, expected)):
        return ""
    expected_text = _quote(text_in(next(line for line in expected if text_in(line).strip())))
    first_clause = f"line {screen_lines[0].number} is {_quote(screen_lines[0].text)} where {expected_text} is expected"
    return f"All lines from line {split.line} on are there, in another order: {first_clause}."


def _is_nonblank_text(line: Line) -> bool:
    return is_text(line) and bool(text_in(line).strip())


def _line_block(difference: Difference, lines: list[Line]) -> _LineBlock:
    """Returns these lines as a block.

    The same correction is often possible with a block that begins further up. If one of these blocks begins with an
    empty line, that block is returned instead.
    """
    before = lines_of(difference.matched)
    before = before[:-1] if unfinished_line(difference.matched) else before
    moved_lines = lines
    # If a policy changes the sessions (`split` is set), the lines above may differ on the two screens.
    is_movable = difference.split is None and bool(difference.expected) and bool(difference.actual)
    for above in range(len(lines) if is_movable else 0):
        if moved_lines[0] == EMPTY:
            return _LineBlock(moved_lines, above)
        if above == len(before) or before[-1 - above] != moved_lines[-1]:
            break
        moved_lines = [moved_lines[-1], *moved_lines[:-1]]
    return _LineBlock(lines, 0)


# Corrections to try


def _agreement(expected: list[Line], actual: list[Line]) -> _Agreement:
    """Returns how far these lines agree, from the first line of both."""
    count = 0
    for expected_line, actual_line in zip(expected, actual, strict=False):
        if expected_line != actual_line:
            return _Agreement(False, count)
        count += has_text(expected_line)
    return _Agreement(len(expected) == len(actual), count)


def _block_sizes(lines: list[Line]) -> range:
    """Returns the possible sizes of a block of missing or extra first lines; all lines of a block must be text."""
    return range(1, _leading_text_count(lines) + 1)


def _leading_text_count(lines: list[Line]) -> int:
    """Returns how many lines precede the first line that is not text (see `is_text`), at most `_MAX_LINES`."""
    limit = next((number for number, line in enumerate(lines[:_MAX_LINES]) if not is_text(line)), _MAX_LINES)
    return min(limit, len(lines))


def _swap_indexes(expected: list[Line], actual: list[Line]) -> list[int]:
    max_lines = _MAX_BETWEEN + 2  # with the two swapped lines
    limit = min(_leading_text_count(expected), _leading_text_count(actual), max_lines)
    return [
        index
        for index in range(1, limit)
        if expected[0] == actual[index]
        and expected[index] == actual[0]
        and expected[0] != expected[index]
        and expected[1:index] == actual[1:index]
        and text_in(expected[0]).strip()
        and text_in(expected[index]).strip()
    ]


def _agreement_after_swap(expected: list[Line], actual: list[Line], index: int) -> _Agreement:
    agreement = _agreement(expected[index + 1 :], actual[index + 1 :])
    # Two lines in each other's position are evidence enough, even if no later line agrees.
    return _Agreement(agreement.is_complete, agreement.lines + _MIN_AGREEING)


# Sentences


class _ScreenLine(NamedTuple):
    """A line with text on the program's screen."""

    number: int
    text: bytes


def _screen_lines(split: Split, above: int = 0) -> list[_ScreenLine]:
    """Returns the lines with text on the program's screen, beginning `above` lines above the first difference."""
    first_number = split.line - above
    if above:
        lines = lines_of((*split.before, *split.actual))[first_number - 1 :]
    else:
        lines = lines_of((*unfinished_line(split.before), *split.actual))
    return [
        _ScreenLine(number, text_in(line)) for number, line in enumerate(lines, first_number) if text_in(line).strip()
    ]


def _is_shown(compared_text: bytes, screen_text: bytes) -> bool:
    """Whether the screen shows the text of a compared line unchanged; text that a policy changed is not quoted."""
    return compared_text.rstrip() == screen_text.rstrip()


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
    return f"{len(trimmed)} lines are missing {before}, {_range_clause(trimmed)}."


def _missing_at_end_sentence(split: Split, block: _LineBlock) -> str:
    trimmed, count = block.trimmed, len(block.lines)
    if not trimmed:
        missing = "An empty line is" if count == 1 else f"{count} empty lines are"
        return f"{missing} missing at the end (line {split.line})."
    if len(trimmed) == 1:
        return f"The last line, {_quote(text_in(trimmed[0]))}, is missing{_pause_clause(trimmed[0])}."
    return ""


def _extra_sentence(difference: Difference, block: _LineBlock, *, is_after_expected_end: bool) -> str:
    split, trimmed = difference.quoted, block.trimmed
    screen_lines = _screen_lines(split, block.above)
    texts = [text_in(line) for line in block.lines if text_in(line).strip()]
    # If the expected session has ended, a sentence that the program should have ended is more helpful.
    if is_after_expected_end or len(screen_lines) < max(1, len(texts)):
        return ""
    if any(not _is_shown(text, screen_line.text) for text, screen_line in zip(texts, screen_lines, strict=False)):
        return ""
    first, last = screen_lines[0], screen_lines[max(0, len(texts) - 1)]
    if not trimmed:
        beginning = "There is an empty line" if len(block.lines) == 1 else f"There are {len(block.lines)} empty lines"
        return f"{beginning} too many before {_quote(first.text)} (line {first.number})."
    if len(trimmed) == 1:
        return f"There is a line too many: {_quote(first.text)} (line {first.number})."
    location = f"lines {first.number} to {last.number}"
    if _is_table(
        block, _line_above(split, block), screen_lines[len(texts)].text if len(screen_lines) > len(texts) else b""
    ):
        return f"There is a table too many ({location}): it begins with {_quote(first.text)}."
    return f"There are {last.number - first.number + 1} lines too many ({location}), {_range_clause(trimmed)}."


def _swapped_sentence(split: Split, actual: list[Line], index: int) -> str:
    screen_lines = _screen_lines(split)
    count = sum(bool(text_in(line).strip()) for line in actual[: index + 1])
    if len(screen_lines) < count:
        return ""
    first, last = screen_lines[0], screen_lines[count - 1]
    if not (_is_shown(text_in(actual[0]), first.text) and _is_shown(text_in(actual[index]), last.text)):
        return ""
    return (
        f"Lines {first.number} and {last.number} are swapped: {_quote(last.text)} should come before "
        f"{_quote(first.text)}."
    )


def _quote(text: bytes) -> str:
    return text_of(Shown(text))


def _range_clause(lines: list[Line]) -> str:
    return f"from {_quote(text_in(lines[0]))} to {_quote(text_in(lines[-1]))}"


def _pause_clause(line: Line) -> str:
    pause = line[0]
    return f", with the pause of {seconds_text(pause.duration_ms)} before it" if isinstance(pause, Paused) else ""


def _line_above(split: Split, block: _LineBlock) -> bytes:
    """Returns the line on the program's screen above a block; empty if the block begins with an empty line."""
    if block.lines[0] == EMPTY:
        return b""
    lines = lines_of(split.before)
    index = split.line - block.above - 2
    return text_in(lines[index]) if 0 <= index < len(lines) else b""


def _is_row(text: bytes) -> bool:
    """Whether a text looks like a row of a table."""
    return text.count(b"|") >= 2 or text.strip().startswith((b"+-", "┌".encode(), "│".encode()))


def _is_table(block: _LineBlock, above: bytes, below: bytes) -> bool:
    """Whether a block is a complete table: rows under at most two heading lines, without a row above or below it."""
    texts = [text_in(line) for line in block.trimmed]
    rows = sum(map(_is_row, texts))
    is_table = len(texts) >= 2 and rows >= max(1, len(texts) - 2) and _is_row(texts[-1]) and all(texts)
    return is_table and not _is_row(above) and (block.lines[-1] == EMPTY or not _is_row(below))
