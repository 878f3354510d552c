"""What was found in a session, as facts; `reports.finding_sentences` puts them into words."""

from __future__ import annotations

from enum import Enum

import msgspec

from pitboss.model.line_rules import LineRule
from pitboss.sandbox.limits import Limits


class RemarkKind(Enum):
    """What is wrong with a free text."""

    #: The program shows the text of something else here.
    OTHER = "is another text"
    #: The program shows this text elsewhere, but not here.
    MISSING = "missing here"
    #: The program shows something different for this text elsewhere.
    CHANGED = "not the same"


class TextRemark(msgspec.Struct, frozen=True):
    """A remark on a difference in a free text."""

    kind: RemarkKind
    name: str
    #: What the program shows elsewhere; empty or None for nothing. For OTHER, what the program shows here.
    text: bytes | None
    #: For OTHER, the name of the free text that has this text.
    other: str = ""


class Unreadable(msgspec.Struct, frozen=True):
    """A line that should show a draw but cannot be read, or shows an impossible one."""

    #: The line number on the screen, from 1.
    line: int
    found: str
    #: The form that the line should have; None if it has this form, but shows a value that cannot be drawn.
    form: str | None


class Impossible(msgspec.Struct, frozen=True, tag="impossible draw"):
    """An impossible draw, and the values that are possible."""

    problem: Unreadable
    values: tuple[str, ...]


class DrawnTwice(msgspec.Struct, frozen=True, tag="drawn twice"):
    """A value that was drawn twice among `among` draws without replacement, and the numbers of both draws, from 1."""

    value: str
    first: int
    second: int
    among: int


class PassedOver(msgspec.Struct, frozen=True, tag="passed over"):
    """A program read a blank line, showed nothing, and used the next line instead; all else is right."""

    #: The typed line, which is empty or blank.
    line: bytes
    #: The line that was typed next.
    following: bytes
    #: The number of the line on the screen on which the blank line was typed, from 1.
    number: int
    #: What should have been shown for the blank line.
    expected: bytes
    #: Whether the program shows the same for a line that is neither blank nor a number, as it should.
    answers_words: bool


class OtherStream(msgspec.Struct, frozen=True, tag="other stream"):
    """What belongs on standard output is on standard error, or the other way round; all else is right."""

    #: The texts on the wrong stream, in order, each up to the end of its line; not empty.
    texts: tuple[bytes, ...]
    #: Whether these texts are on standard error.
    is_on_errors: bool


#: What explains a difference: if only this is corrected, the session is right to its end.
Cause = PassedOver | OtherStream


class Compared(msgspec.Struct, frozen=True, tag="compared"):
    """The session ran and was compared; the Result has its transcripts and their difference."""

    #: The limits at which the session would be stopped.
    limits: Limits
    remark: TextRemark | None = None
    #: The instructor's rule that the first differing line breaks, if there is a rule for that line.
    rule: LineRule | None = None
    #: Whether a rerun has shown where the program misuses memory, so that no guess is needed.
    is_cause_known: bool = False
    #: An impossible draw after the first difference.
    draw: Impossible | None = None
    #: What explains the difference; None if unexplained.
    cause: Cause | None = None


class NotRun(msgspec.Struct, frozen=True, tag="not run"):
    """Not run, since the program did not end by itself in an earlier session of the stage."""


class WrittenFinding(msgspec.Struct, frozen=True, tag="written"):
    """A finding that is already worded as a sentence."""

    sentence: str


Finding = Compared | Impossible | DrawnTwice | NotRun | WrittenFinding
