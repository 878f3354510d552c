"""Sentences on whole lines that are missing, extra, swapped or in another order: see `cause.line_error_of`."""

from __future__ import annotations

from typing import NamedTuple

from pitboss.compare.cause import LineError, LineErrorKind, line_error_of
from pitboss.compare.comparison import Difference, Split
from pitboss.model.screen_lines import Line, has_text, lines_of, text_in, unfinished_line
from pitboss.model.transcript import Paused, Shown
from pitboss.reports.pause_sentences import seconds_text, text_of


class _ScreenLine(NamedTuple):
    """A line with text on the program's screen."""

    number: int
    text: bytes

    def __str__(self) -> str:
        return f"{text_of(Shown(self.text))} (line {self.number})"


def sentence_of_lines(difference: Difference) -> str:
    """Returns a sentence on whole lines; empty if the sessions differ otherwise, or if the lines cannot be quoted."""
    error, split = line_error_of(difference), difference.quoted
    if error is None:
        return ""
    screen_lines = _screen_lines(split)
    if not screen_lines:
        is_at_end = error.kind is LineErrorKind.MISSING and not any(map(has_text, error.actual))
        return _missing_at_end(error, split.line) if is_at_end else ""
    count = _quoted_count(error)
    texts = [text for line in error.actual if (text := text_in(line).rstrip())][:count]
    # A line that a policy changed is not on the screen as it was compared, and is not quoted.
    if not texts or texts != [line.text.rstrip() for line in screen_lines[:count]]:
        return ""
    first, last = screen_lines[0], screen_lines[len(texts) - 1]
    match error.kind:
        case LineErrorKind.MISSING:
            return _missing(error, first)
        case LineErrorKind.EXTRA:
            return _extra(error, first, last)
        case LineErrorKind.SWAPPED:
            order = f"{text_of(Shown(last.text))} should come before {text_of(Shown(first.text))}"
            return f"Lines {first.number} and {last.number} are swapped: {order}."
        case LineErrorKind.REORDERED:
            expected = _quote(error.trimmed[0])
            beginning = f"line {first.number} is {text_of(Shown(first.text))} where {expected} is expected"
            return f"All lines from line {split.line} on are there, in another order: {beginning}."


def _screen_lines(split: Split) -> list[_ScreenLine]:
    """Returns the lines with text on the program's screen, from the first difference on."""
    lines = lines_of((*unfinished_line(split.before), *split.actual))
    numbered = [_ScreenLine(number, text_in(line)) for number, line in enumerate(lines, split.line)]
    return [line for line in numbered if line.text.strip()]


def _quoted_count(error: LineError) -> int:
    """Returns how many of the program's lines with text must be on the screen, so that a sentence can quote them."""
    match error.kind:
        case LineErrorKind.MISSING:
            return 1
        case LineErrorKind.EXTRA:
            return max(1, sum(bool(text_in(line).strip()) for line in error.lines))
        case LineErrorKind.SWAPPED:
            return 2
    return len(error.actual)


def _missing(error: LineError, following: _ScreenLine) -> str:
    trimmed, before = error.trimmed, f"missing before {following}"
    if not trimmed:
        return f"{_empty_lines(error)} {before}."
    if len(trimmed) == 1:
        return f"The line {_quote(trimmed[0])} is {before}{_pause_clause(trimmed[0])}."
    return f"{len(trimmed)} lines are {before}, from {_quote(trimmed[0])} to {_quote(trimmed[-1])}."


def _missing_at_end(error: LineError, line_number: int) -> str:
    trimmed = error.trimmed
    if not trimmed:
        return f"{_empty_lines(error)} missing at the end (line {line_number})."
    line = trimmed[0]
    return f"The last line, {_quote(line)}, is missing{_pause_clause(line)}." if len(trimmed) == 1 else ""


def _extra(error: LineError, first: _ScreenLine, last: _ScreenLine) -> str:
    trimmed, count = error.trimmed, len(error.lines)
    if not trimmed:
        return f"There {'is an empty line' if count == 1 else f'are {count} empty lines'} too many before {first}."
    if len(trimmed) == 1:
        return f"There is a line too many: {first}."
    lines = f"(lines {first.number} to {last.number}), from {_quote(trimmed[0])} to {_quote(trimmed[-1])}"
    return f"There are {len(trimmed)} lines too many {lines}."


def _empty_lines(error: LineError) -> str:
    return "An empty line is" if len(error.lines) == 1 else f"{len(error.lines)} empty lines are"


def _quote(line: Line) -> str:
    return text_of(Shown(text_in(line)))


def _pause_clause(line: Line) -> str:
    pause = line[0]
    return f", with the pause of {seconds_text(pause.duration_ms)} before it" if isinstance(pause, Paused) else ""
