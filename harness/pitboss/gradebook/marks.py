"""Marks: what people add to a gradebook, the kinds of marks, and how their values are typed, stored and shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Literal, NamedTuple

import msgspec

from pitboss.errors import UsageError, as_found
from pitboss.gradebook.days import due_in, parse_due
from pitboss.gradebook.grades import format_number, numeral, percentage, percentage_numeral


class Mark(msgspec.Struct, frozen=True):
    """An entry of a grader or a student: a score, a due date, a comment, a request."""

    #: `style`, `override`, `due`, `comment` and so on: see the constants below.
    kind: str
    #: Empty if the entry withdraws the previous one of its kind.
    value: str
    reason: str
    #: The name of the person who made the entry.
    by: str
    #: The time of the entry, as ISO 8601.
    at: str


RequestState = Literal["open", "answered", "declined"]


class Request(msgspec.Struct, frozen=True):
    """A student's request to look at a grade again, and the answer to it."""

    text: str
    #: The name of the person who entered the request.
    by: str
    #: The time when the request was entered, as ISO 8601.
    at: str
    state: RequestState = "open"
    answer: str = ""
    answered_by: str = ""
    answered_at: str = ""


def has_open(requests: Iterable[Request]) -> bool:
    return any(request.state == "open" for request in requests)


class LineComment(msgspec.Struct, frozen=True):
    """A comment at a line of a source."""

    path: str
    #: The number of the line, from 1.
    line: int
    text: str

    @property
    def place(self) -> str:
        """The file and the line, as compilers name them."""
        return f"{self.path}:{self.line}"


#: Kinds of marks: a style score, a score in place of the computed one, a due date, days late, a comment.
STYLE, OVERRIDE, DUE, LATE, COMMENT = "style", "override", "due", "late", "comment"
#: Prefix of the kind of a comment at a line; the start of the program's digest, the file and the line follow.
LINE = "line "
#: How many characters of the program's digest the kind of a comment at a line contains.
_DIGEST_LENGTH = 12
#: Kinds of marks: a student's request to look at a grade again, and an answer to all open requests, or their refusal.
REQUEST, ANSWER, DECLINE = "request", "answer", "decline"
#: Prefix of the kind of a grader's score for a stage; the name of the stage follows.
STAGE = "stage "
#: Prefix of the kind of a mark that picks a rubric item; the item's key follows. The mark's value is PICKED, or empty
#: to unpick the item.
RUBRIC, PICKED = "rubric ", "picked"


def line_kind(program: str, place: str) -> str:
    """Returns the kind of a comment at a line, such as `main.c:12`, of the program with this digest."""
    return f"{LINE}{program[:_DIGEST_LENGTH]} {place}"


def line_comments_of(marks: Iterable[Mark], program: str) -> tuple[LineComment, ...]:
    """The comments at lines of this program; an empty comment withdraws all earlier comments at its line."""
    texts_by_line: dict[tuple[str, int], list[str]] = {}
    prefix = line_kind(program, "")
    for mark in marks:
        if mark.kind.startswith(prefix):
            path, _, line = mark.kind.removeprefix(prefix).rpartition(":")
            line_texts = texts_by_line.setdefault((path, int(line)), [])
            line_texts[:] = [*line_texts, mark.value] if mark.value else []
    return tuple(
        LineComment(path, line, text) for (path, line), texts in sorted(texts_by_line.items()) for text in texts
    )


def comments_of(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """Returns the comments that are not withdrawn: an empty comment withdraws all earlier comments."""
    comments: list[Mark] = []
    for mark in marks:
        if mark.kind == COMMENT:
            comments = [*comments, mark] if mark.value else []
    return tuple(comments)


def requests_of(marks: Iterable[Mark]) -> tuple[Request, ...]:
    """Returns a person's requests: an answer closes all open requests, and an empty request withdraws them."""
    requests: list[Request] = []
    for mark in marks:
        if mark.kind == REQUEST:
            requests = [*requests, Request(mark.value, mark.by, mark.at)] if mark.value else _closed_requests(requests)
        elif mark.kind in (ANSWER, DECLINE):
            state: RequestState = "answered" if mark.kind == ANSWER else "declined"
            requests = [
                msgspec.structs.replace(
                    request, state=state, answer=mark.value, answered_by=mark.by, answered_at=mark.at
                )
                if request.state == "open"
                else request
                for request in requests
            ]
    return tuple(requests)


def picked_in(marks: Iterable[Mark]) -> set[str]:
    """Returns the keys of the picked rubric items."""
    value_by_kind = {mark.kind: mark.value for mark in marks if mark.kind.startswith(RUBRIC)}
    return {kind.removeprefix(RUBRIC) for kind, value in value_by_kind.items() if value}


def _closed_requests(requests: Iterable[Request]) -> list[Request]:
    return [request for request in requests if request.state != "open"]


#: Matches numbers with so many digits that they would fill the memory; nobody enters such a number on purpose.
_HUGE = re.compile(r"[eE][+-]?[0-9_]{3,}|.{60,}", re.DOTALL)
#: A share as a percentage, such as `87,5 %`, and as a fraction, such as `4/5`.
_PERCENTAGE = re.compile(r"([0-9]{1,6})(?:[.,]([0-9]{1,10}))?\s*(%?)")
_SHARE = re.compile(r"([0-9]{1,6})/0*([1-9][0-9]{0,5})")
#: A whole number as it was typed, or as spreadsheets rewrite it: with the minus sign U+2212, or with decimals of 0.
_WHOLE_NUMBER = re.compile(r"([-\u2212]?[0-9]{1,4})(?:[.,]0+)?")


def parse_share(word: str, name: str) -> str:
    """Parses a share, and returns an exact fraction as text; raises UsageError, which mentions `name`, if that fails.

    A number up to 1 could be a share or a percentage, so such a number needs the percent sign.

    >>> [parse_share(text, "style") for text in ("80%", "4/5", "80", "87,5 %")]
    ['4/5', '4/5', '4/5', '7/8']
    """
    text = word.strip()
    if match := _SHARE.fullmatch(text):
        share = Fraction(int(match[1]), int(match[2]))
    elif match := _PERCENTAGE.fullmatch(text):
        number = Fraction(f"{match[1]}.{match[2] or 0}")
        share = number / 100
        if 0 < number <= 1 and not match[3]:
            meanings = f"{numeral(number)}% or {numeral(number * 100)}%"
            raise UsageError(
                f"{name} {as_found(word)} could be {meanings} — write the one you mean, with the percent sign"
            )
    else:
        share = Fraction(-1)  # not a share: refused below
    if not 0 <= share <= 1:
        allowed_values = "a percentage from 0% to 100%, or a share: 80, 80 %, 87,5 or 4/5"
        raise UsageError(f"{name} {as_found(word)} — it must be {allowed_values}")
    return str(share)


def parse_points(word: str, name: str) -> str:
    """Parses points, and returns an exact fraction as text; raises UsageError, which mentions `name`, if that fails.

    >>> [parse_points(text, "override") for text in ("85", "85.5", "85,5")]
    ['85', '171/2', '171/2']
    """
    try:
        points = Fraction(-1 if _HUGE.search(word) else word.replace(",", "."))
    except (ValueError, ZeroDivisionError):
        points = Fraction(-1)
    if points < 0:  # negative, too large, or not a number
        raise UsageError(f"{name} {as_found(word)} — it must be a number of points, such as 85 or 85.5")
    return str(points)


def parse_days(word: str, name: str) -> str:
    """Parses a whole number, and returns it as text; raises UsageError, which mentions `name`, if that fails."""
    match = _WHOLE_NUMBER.fullmatch(word)
    if match is None:
        raise UsageError(
            f"{name} {as_found(word)} — it must be a whole number of days: 2, 0 for on time, -1 for a day early"
        )
    return str(int(match[1].replace("\u2212", "-")))


def _text_parser(withdrawn: str) -> Callable[[str, str], str]:
    """Returns a function that accepts any text but an empty one; `withdrawn` is what an empty one would take back."""

    def parse(text: str, name: str) -> str:
        if not text.strip():
            raise UsageError(f"{name} is empty — give a text, or none to take back {withdrawn}")
        return text

    return parse


def _parse_answer(text: str, name: str) -> str:
    """Returns the text; raises UsageError for an empty one and for `none`, since an answer may have been read."""
    if not text.strip() or text == "none":
        raise UsageError(f"{name} {as_found(text)} — give a text for the student to read")
    return text


class MarkKind(NamedTuple):
    """A kind of mark: how people type its value, in options, forms and sheets, and how they read it."""

    #: The kind of a mark, or its beginning, before a blank and a name.
    key: str
    #: Returns the value that is stored for a text. Raises UsageError with the second argument, where it was typed.
    parse: Callable[[str, str], str]
    #: Returns a value as a cell of a sheet; an empty value is an empty cell.
    to_cell: Callable[[str], str] = str
    #: Returns a value as a part of a sentence.
    to_words: Callable[[str], str] = str
    #: Reads a stored value; an error means that the gradebook is damaged.
    read: Callable[[str], object] = str
    #: What sentences call the kind; empty if they call it by its key.
    label: str = ""
    needs_reason: bool = False
    #: Whether it is a text that changes no score. Other marks replace the previous mark of their kind.
    is_text: bool = False
    can_be_withdrawn: bool = True


def _share_words(share: str) -> str:
    return percentage(Fraction(share))


#: All kinds of marks by their keys, in the order in which marks are added together.
KINDS = {
    kind.key: kind
    for kind in (
        MarkKind(STYLE, parse_share, percentage_numeral, _share_words, Fraction),
        MarkKind(STAGE, parse_share, percentage_numeral, _share_words, Fraction),
        MarkKind(
            OVERRIDE,
            parse_points,
            lambda points: numeral(Fraction(points)) if points else "",
            lambda points: f"{format_number(Fraction(points))} points",
            Fraction,
            needs_reason=True,
        ),
        MarkKind(DUE, lambda text, _: parse_due(text), read=due_in),
        MarkKind(LATE, parse_days, read=int, label="days late"),
        MarkKind(COMMENT, _text_parser("all comments"), is_text=True),
        MarkKind(LINE, _text_parser("all comments"), is_text=True),
        MarkKind(RUBRIC, lambda text, _: text),
        MarkKind(REQUEST, _text_parser("the open requests"), is_text=True),
        MarkKind(ANSWER, _parse_answer, is_text=True, can_be_withdrawn=False),
        MarkKind(DECLINE, _parse_answer, label="request declined:", is_text=True, can_be_withdrawn=False),
    )
}


def kind_of(kind: str) -> MarkKind:
    """Returns the kind of a mark's `kind`, such as `stage deal`; one that a later pitboss added is a text as it is."""
    name, blank, _ = kind.partition(" ")
    return KINDS.get(name + blank, MarkKind(kind, lambda text, _: text))


def kind_words(kind: str) -> str:
    """Returns what sentences call a kind of mark."""
    if kind.startswith(LINE):  # such a kind is "line DIGEST FILE:LINE"
        _, _, location = kind.split(" ", 2)
        return f"comment at {location}"
    return kind_of(kind).label or kind


def value_words(kind: str, value: str) -> str:
    """Returns the value of a mark as text; empty if the value is empty."""
    return kind_of(kind).to_words(value) if value else ""
