"""What was found in a session, as facts; `reports.findings` makes the sentences."""

from __future__ import annotations

from enum import Enum

import msgspec

from pitboss.model.line_rules import LineRule
from pitboss.sandbox.limits import Limits


class RemarkKind(Enum):
    """What is wrong with a free text."""

    #: What the program shows there is the text for something else.
    OTHER = "is another text"
    #: Elsewhere the program shows it, and not here.
    MISSING = "missing here"
    #: Elsewhere the program shows something else in its place.
    CHANGED = "not the same"


class TextRemark(msgspec.Struct, frozen=True):
    """A remark on a difference in a free text."""

    kind: RemarkKind
    name: str
    #: What the program shows elsewhere; empty or None for nothing. For OTHER what it shows here.
    text: bytes | None
    #: For OTHER the name of the free text that has this text.
    other: str = ""


class Unreadable(msgspec.Struct, frozen=True):
    """A line that should show a draw but cannot be read, or shows one that cannot be."""

    #: The line number on the screen, from 1.
    line: int
    found: str
    #: What such a line looks like; None if it does, and what it shows is none of the values that can be drawn.
    form: str | None


class Impossible(msgspec.Struct, frozen=True, tag="impossible draw"):
    """A draw that cannot be, and the values that can."""

    problem: Unreadable
    values: tuple[str, ...]


class DrawnTwice(msgspec.Struct, frozen=True, tag="drawn twice"):
    """A value that came twice among so many draws of which each comes once, and the numbers of both draws, from 1."""

    value: str
    first: int
    second: int
    among: int


class PassedOver(msgspec.Struct, frozen=True, tag="passed over"):
    """A program read a blank line, showed nothing, and took the next line for it; all else is as it should be."""

    #: What was typed, nothing or blanks alone, and the line after it.
    line: bytes
    following: bytes
    #: The number of the line on the screen on which it was typed, from 1.
    number: int
    #: What should have been shown for it.
    expected: bytes
    #: Whether the program shows the same for a line that is neither blank nor a number, as it should.
    answers_words: bool


class OtherStream(msgspec.Struct, frozen=True, tag="other stream"):
    """What belongs on the standard output is on the standard error, or the other way round; all else is right."""

    #: The texts that are on the other one, in order, each up to the end of its line; not empty.
    texts: tuple[bytes, ...]
    #: Whether they are on the standard error.
    is_on_errors: bool


#: What explains a difference: with it mended, the session is right to its end.
Cause = PassedOver | OtherStream


class Compared(msgspec.Struct, frozen=True, tag="compared"):
    """The session ran and was compared: the rest are its transcripts and their difference."""

    #: What the session could use before it was stopped.
    limits: Limits
    remark: TextRemark | None = None
    #: The rule that the line where they part has broken, if the instructor has set one for it.
    rule: LineRule | None = None
    #: Whether another look has shown where the program misuses memory, so that nothing is left to guess.
    is_cause_known: bool = False
    #: A draw that cannot be, after the place where the session parts.
    draw: Impossible | None = None
    #: What explains the difference; None where nothing does.
    cause: Cause | None = None


class NotRun(msgspec.Struct, frozen=True, tag="not run"):
    """It was not run, since the program did not end by itself in an earlier session of the stage."""


class WrittenFinding(msgspec.Struct, frozen=True, tag="written"):
    """What was found by something that says it in a sentence."""

    sentence: str


Finding = Compared | Impossible | DrawnTwice | NotRun | WrittenFinding
