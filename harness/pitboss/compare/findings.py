"""The findings of a session, as values; `reports.finding_sentences` puts them into words."""

from __future__ import annotations

from enum import Enum

import msgspec

from pitboss.model.line_rules import LineRuleViolation
from pitboss.sandbox.limits import Limits


class RemarkKind(Enum):
    """What is wrong with a free text."""

    #: At the difference, the program shows the text of another free text.
    OTHER = "is another text"
    #: The program shows this text elsewhere, but not at the difference.
    MISSING = "missing here"
    #: The program shows a different text for this free text elsewhere.
    CHANGED = "not the same"


class TextRemark(msgspec.Struct, frozen=True):
    """A remark on a difference in a free text."""

    kind: RemarkKind
    #: The name of the free text that is expected at the difference.
    name: str
    #: The program's text for this free text elsewhere; empty or None if the program omits the text. For OTHER, the
    #: program's text at the difference.
    text: bytes | None
    #: For OTHER, the name of the free text for which the program shows `text` elsewhere.
    other: str = ""


class Unreadable(msgspec.Struct, frozen=True):
    """A line that should show a draw. The draw cannot be read from the line, or is impossible."""

    #: The line number on the screen, from 1.
    line: int
    #: The text that the reader read from the line.
    found: str
    #: The form that the line should have; None if the line has this form, but shows a value that cannot be drawn.
    form: str | None


class Impossible(msgspec.Struct, frozen=True, tag="impossible draw"):
    """An impossible draw, and the values that are possible."""

    problem: Unreadable
    values: tuple[str, ...]


class DrawnTwice(msgspec.Struct, frozen=True, tag="drawn twice"):
    """A value that was drawn twice, although the draws are without replacement."""

    value: str
    #: The number of the draw that drew the value first, from 1.
    first: int
    #: The number of the draw that drew the value again, from 1.
    second: int
    #: The number of draws among which each value comes once.
    among: int


class Oddity(Enum):
    """A kind of draws that are not random."""

    #: Every session draws the same.
    SAME = "same"
    #: Draws repeat the draw before.
    REPEATED = "repeated"
    #: Values never come.
    MISSING = "missing"
    #: A value comes too often or too rarely.
    SHARE = "share"
    #: A value comes too often at one place of a session.
    PLACE = "place"
    #: Draws from a new bag have the order of the bag before.
    SAME_ORDER = "same order"
    #: Each round draws from a new bag.
    NEW_BAG = "new bag"


class OddDraws(msgspec.Struct, frozen=True):
    """What is not random about the draws of all sessions together."""

    kind: Oddity
    #: The values that are missing, that come too often or too rarely, or with which all sessions begin.
    values: tuple[str, ...]
    #: How often it came, and in how many draws, sessions or pairs of draws.
    count: int
    of: int
    #: The number of sessions.
    sessions: int
    #: How often it would have come by chance.
    usual: float = 0.0
    #: For PLACE, the number of the draw in its session, from 1.
    place: int = 0
    #: The number of draws among which each value comes once; 0 if values may come again at once.
    bag: int = 0
    #: What a value, a bag and a round are called.
    nouns: tuple[str, ...] = ("value", "set", "round")


class PassedOver(msgspec.Struct, frozen=True, tag="passed over"):
    """A program read a blank line, showed nothing, and used the next line instead; all else is right."""

    #: The typed line, which is empty or blank.
    line: bytes
    #: The line that was typed next.
    following: bytes
    #: The number of the line on the screen on which the blank line was typed, from 1.
    number: int
    #: The text that the program should have shown for the blank line.
    expected: bytes
    #: Whether the program correctly shows such a text for a line that is neither blank nor a number.
    answers_words: bool


class OtherStream(msgspec.Struct, frozen=True, tag="other stream"):
    """Texts that belong on standard output are on standard error, or the other way round; all else is right."""

    #: The texts on the wrong stream, in order, each up to the end of its line; not empty.
    texts: tuple[bytes, ...]
    #: Whether these texts are on standard error.
    is_on_errors: bool


#: The cause of a difference: if this cause alone is corrected, the session is right to its end.
Cause = PassedOver | OtherStream


class Compared(msgspec.Struct, frozen=True, tag="compared"):
    """The session ran and was compared; the Result has its transcripts and their difference."""

    #: The limits at which the session would be stopped.
    limits: Limits
    #: A remark on the free text at the difference; None if the difference is elsewhere, or needs no remark.
    remark: TextRemark | None = None
    #: The instructor's rule that the first differing line breaks, if there is a rule for that line.
    rule: LineRuleViolation | None = None
    #: Whether a rerun has shown where the program misuses memory, so that no guess is needed.
    is_misuse_located: bool = msgspec.field(default=False, name="is_cause_known")
    #: Whether the program is in C or C++, where the exit code is the number that main returns.
    returns_from_main: bool = False
    #: An impossible draw after the first difference.
    draw: Impossible | None = None
    #: The cause of the difference; None if unknown.
    cause: Cause | None = None


class NotRun(msgspec.Struct, frozen=True, tag="not run"):
    """The session was not run, since the program had used up a limit in earlier sessions of the stage."""


class WrittenFinding(msgspec.Struct, frozen=True, tag="written"):
    """A finding that is already worded as a sentence."""

    sentence: str


Finding = Compared | Impossible | DrawnTwice | NotRun | WrittenFinding
