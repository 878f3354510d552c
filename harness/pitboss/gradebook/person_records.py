"""What a gradebook says of a person, as values."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Literal, NamedTuple

import msgspec

from pitboss.assignments.rubricfile import RubricItem
from pitboss.compare.results import Report
from pitboss.gradebook.grades import Grade
from pitboss.submissions.importers.imported import Person


class Causes(NamedTuple):
    """Digests of what a result depends on."""

    program: str
    #: The specs, and the code of reference, readers, players and mistakes.
    assignment: str
    #: Stages, limits, files of the course: what the command was asked.
    asked: str
    pitboss: str

    @property
    def unknown(self) -> Causes:
        """The causes of a run that nobody knows them of: no other run has the same."""
        return self._replace(assignment="", asked="", pitboss="")

    def changed_since(self, earlier: Causes) -> tuple[str, ...]:
        """The names of those that differ."""
        return tuple(name for name in self._fields if getattr(self, name) != getattr(earlier, name))


class HandedIn(msgspec.Struct, frozen=True):
    """What a person handed in, once."""

    #: The digest of its content; empty where nothing of it could be taken.
    program: str
    #: When it was handed in first; None if nobody knows.
    at: datetime.datetime | None
    #: What the platform says of that; None if it says nothing.
    is_late: bool | None = None
    attempt: int = 1
    #: Where it was found, and what is to be said of it.
    source: str = ""
    notes: tuple[str, ...] = ()
    #: Why what was handed in cannot be graded; empty if it can.
    problem: str = ""
    #: By how many days the platform says that it was late; None if it does not say.
    days_late: int | None = None


class SourceFile(msgspec.Struct, frozen=True):
    """A file of a program, as a text that anybody may have written."""

    path: str
    text: str


class Mark(msgspec.Struct, frozen=True):
    """Something that a person added."""

    kind: str
    value: str
    reason: str
    by: str
    at: str


RequestState = Literal["open", "answered", "declined"]


class Request(msgspec.Struct, frozen=True):
    """A student's request to look at a grade again, and the answer to it."""

    text: str
    #: Who entered it, and when.
    by: str
    at: str
    state: RequestState = "open"
    answer: str = ""
    answered_by: str = ""
    answered_at: str = ""


def has_open(requests: Iterable[Request]) -> bool:
    """Whether one of these waits for an answer."""
    return any(one.state == "open" for one in requests)


class LineComment(msgspec.Struct, frozen=True):
    """A comment at a line of a source."""

    path: str
    #: From 1.
    line: int
    text: str

    @property
    def place(self) -> str:
        """The file and the line, as compilers name them."""
        return f"{self.path}:{self.line}"


class PersonRecord(msgspec.Struct, frozen=True):
    """All that counts of one person, but for the sessions."""

    person: Person
    handed_in: HandedIn | None = None
    #: The newest report that is no fault of ours, or the newest; without its sessions. None if there is none.
    report: Report | None = None
    style: str = ""
    override: Mark | None = None
    due: str = ""
    #: How many days late, where a person says so.
    late: str = ""
    #: What a person gives for stages that a person grades: pairs of a stage and a share.
    by_person: tuple[tuple[str, str], ...] = ()
    #: The items of the rubric that are picked, in its order.
    picked: tuple[RubricItem, ...] = ()
    comments: tuple[Mark, ...] = ()
    #: At lines of the program that counts, by place.
    line_comments: tuple[LineComment, ...] = ()
    requests: tuple[Request, ...] = ()

    @property
    def has_open_request(self) -> bool:
        """Whether a request waits for an answer."""
        return has_open(self.requests)

    @property
    def is_waiting(self) -> bool:
        """Whether something was handed in that can be run, and has not been yet: there is nothing to score."""
        return self.handed_in is not None and not self.handed_in.problem and self.report is None


class Scored(msgspec.Struct, frozen=True):
    """A score that a person has had."""

    person: str
    grade: Grade
    #: Why it differs from the one before, in sentences; empty for the first.
    why: tuple[str, ...]
    at: str
