"""Shows a session as lines of a screen, with typed text and pauses; and finds the lines where two sessions part."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from itertools import takewhile

import msgspec

from pitboss.compare.comparison import Difference
from pitboss.model.notation import duration_of
from pitboss.model.quoting import readable
from pitboss.model.screen_lines import is_ended, lines_of
from pitboss.model.transcript import Event, InputEnded, Paused, Shown, Typed


class PieceKind(Enum):
    """The kind of a piece of a line."""

    SHOWN = "shown"
    TYPED = "typed"
    MARK = "mark"


class Piece(msgspec.Struct, frozen=True):
    """A part of a line, of one kind."""

    kind: PieceKind
    text: str
    #: Whether two sessions differ in it.
    differs: bool = False


Line = tuple[Piece, ...]


def screen_lines(events: Iterable[Event], *, draws_ends: bool = False) -> list[Line]:
    """Returns the lines of a session. The last line is unfinished: it is empty if the session ends with a newline.

    `draws_ends` makes the ends of lines visible.
    """
    lines = lines_of(events)
    if not lines or is_ended(lines[-1]):
        lines.append(())
    return [tuple(piece for event in line for piece in _pieces_of(event, draws_ends)) for line in lines]


def _pieces_of(event: Event, draws_ends: bool) -> Iterator[Piece]:
    match event:
        case Shown(text):
            shown = readable(text.removesuffix(b"\n"))
            if shown:
                yield Piece(PieceKind.SHOWN, shown)
            if draws_ends and text.endswith(b"\n"):
                yield Piece(PieceKind.MARK, "↵")
        case Typed(line):
            yield Piece(PieceKind.TYPED, readable(line))
        case Paused(duration_ms):
            yield Piece(PieceKind.MARK, f"(pause {duration_of(duration_ms)})")
        case InputEnded():
            yield Piece(PieceKind.MARK, "(end of input)")


class Parting(msgspec.Struct, frozen=True):
    """Where two sessions part, as lines to show one above the other."""

    #: The number of the first context line, and of the line on which they part.
    first_number: int
    number: int
    #: The lines of the program's screen before that line.
    context: tuple[Line, ...]
    #: For each session, the line up to where they part, and its rest. `expected` is None if no such line is compared.
    expected: tuple[Line, Line] | None
    actual: tuple[Line, Line]


_CONTEXT_LINES = 8
_NOTHING = (Piece(PieceKind.MARK, "(the end)"),)
#: What is shown for a standard error that must not be empty, and for one that is empty.
_ANYTHING, _NONE = (
    (Piece(PieceKind.MARK, "(any text)", differs=True),),
    (Piece(PieceKind.MARK, "(nothing)", differs=True),),
)
#: Characters of words: the common end of two lines does not begin inside a word.
_WORD = re.compile(r"\w")


def parting_of(difference: Difference) -> Parting:
    """Returns the lines to show for a difference."""
    if difference.is_silent:
        return Parting(1, 1, (), expected=((), _ANYTHING), actual=((), _NONE))
    split = difference.quoted
    before, expected_start = screen_lines(split.before), screen_lines(split.expected_before)[-1]
    context, start = before[:-1], before[-1]
    remaining = context[-_CONTEXT_LINES:]
    if difference.rejected is not None:
        line = _marked(_next_line(split.actual, draws_ends=False), 0)
        return Parting(len(context) - len(remaining) + 1, len(context) + 1, tuple(remaining), None, (start, line))
    expected, actual = _begins_with(split.expected), _begins_with(split.actual)
    # Spaces and ends of lines are made visible if the lines part at one.
    is_drawn = (
        expected.isspace() or (actual.isspace() and actual != b"\n"),
        actual.isspace() or (expected.isspace() and expected != b"\n"),
    )
    lines = with_differences(_next_line(split.expected, is_drawn[0]), _next_line(split.actual, is_drawn[1]))
    ours, theirs = (_with_spaces(line) if drawn else line for line, drawn in zip(lines, is_drawn, strict=True))
    return Parting(
        first_number=len(context) - len(remaining) + 1,
        number=len(context) + 1,
        context=tuple(remaining),
        expected=(expected_start, ours),
        actual=(start, theirs),
    )


def _next_line(events: tuple[Event, ...], draws_ends: bool) -> Line:
    return screen_lines(events, draws_ends=draws_ends)[0] if events else _NOTHING


def _with_spaces(line: Line) -> Line:
    """The line with its leading spaces drawn as dots, if it differs there."""
    first, *rest = line or _NOTHING
    if first.kind is not PieceKind.SHOWN or not first.differs:
        return line
    word = first.text.lstrip(" ")
    return (msgspec.structs.replace(first, text="·" * (len(first.text) - len(word)) + word), *rest)


def _begins_with(events: tuple[Event, ...]) -> bytes:
    """The first byte of the next event if that is text; else empty."""
    return events[0].text[:1] if events and isinstance(events[0], Shown) else b""


def with_differences(one: Line, other: Line) -> tuple[Line, Line]:
    """Returns two lines that begin differently, marked as different except for their common end of whole words."""
    shared = 0
    ends = list(takewhile(lambda pair: pair[0] == pair[1], zip(_backwards(one), _backwards(other), strict=False)))
    before = [*_backwards(one)]
    for count, (piece, _) in enumerate(ends, 1):
        is_after_mark = count < len(before) and before[count].kind is PieceKind.MARK
        if piece.kind is PieceKind.MARK or is_after_mark or not _WORD.match(piece.text):
            shared = count
    return _marked(one, shared), _marked(other, shared)


def _backwards(line: Line) -> Iterable[Piece]:
    """The characters of a line from its end; a mark counts as one."""
    for piece in reversed(line):
        yield from (
            [piece] if piece.kind is PieceKind.MARK else (Piece(piece.kind, text) for text in reversed(piece.text))
        )


def _marked(line: Line, shared: int) -> Line:
    """The line, marked as different except for its last `shared` characters."""
    pieces: list[Piece] = []
    for piece in reversed(line):
        size = 1 if piece.kind is PieceKind.MARK else len(piece.text)
        rest = min(shared, size)
        shared -= rest
        cut = 0 if piece.kind is PieceKind.MARK and rest else len(piece.text) if not rest else len(piece.text) - rest
        pieces += [msgspec.structs.replace(piece, text=piece.text[cut:])] if rest else []
        pieces += [msgspec.structs.replace(piece, text=piece.text[:cut], differs=True)] if cut else []
    return tuple(reversed(pieces))
