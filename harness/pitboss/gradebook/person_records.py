"""What a gradebook stores for a person."""

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
    #: The options of the command: stages, limits, files of the course.
    asked: str
    pitboss: str

    @property
    def unknown(self) -> Causes:
        """These causes with only the program, so that no later run matches them."""
        return self._replace(assignment="", asked="", pitboss="")

    def changed_since(self, earlier: Causes) -> tuple[str, ...]:
        """The names of the causes that differ."""
        return tuple(name for name in self._fields if getattr(self, name) != getattr(earlier, name))


class HandedIn(msgspec.Struct, frozen=True):
    """One submission of a person."""

    #: The digest of its content; empty if it could not be used.
    program: str
    #: When it was first submitted; None if unknown.
    at: datetime.datetime | None
    #: Whether the platform marks it as late; None if it does not state that.
    is_late: bool | None = None
    attempt: int = 1
    #: Where it was found, and notes about it.
    source: str = ""
    notes: tuple[str, ...] = ()
    #: Why it cannot be graded; empty if it can.
    problem: str = ""
    #: The days late according to the platform; None if it does not state that.
    days_late: int | None = None


class SourceFile(msgspec.Struct, frozen=True):
    """A file of a program, as an untrusted text."""

    path: str
    text: str


class Mark(msgspec.Struct, frozen=True):
    """An entry of a grader or a student: a score, a due date, a comment, a request."""

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
    """Whether any of these requests waits for an answer."""
    return any(request.state == "open" for request in requests)


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
    """The submission, report and marks used to grade one person; without the sessions."""

    person: Person
    handed_in: HandedIn | None = None
    #: The newest report without a fault of ours, else the newest report; without its sessions. None without a report.
    report: Report | None = None
    style: str = ""
    override: Mark | None = None
    due: str = ""
    #: The days late that a grader entered.
    late: str = ""
    #: The grader's scores for manually graded stages: pairs of a stage and a share.
    by_person: tuple[tuple[str, str], ...] = ()
    #: The picked items of the rubric, in its order.
    picked: tuple[RubricItem, ...] = ()
    comments: tuple[Mark, ...] = ()
    #: Comments at lines of the program that is graded, in the order of the lines.
    line_comments: tuple[LineComment, ...] = ()
    requests: tuple[Request, ...] = ()

    @property
    def has_open_request(self) -> bool:
        """Whether a request waits for an answer."""
        return has_open(self.requests)

    @property
    def is_waiting(self) -> bool:
        """Whether a submission can be run but has not been run yet, so that there is nothing to score."""
        return self.handed_in is not None and not self.handed_in.problem and self.report is None


class Scored(msgspec.Struct, frozen=True):
    """A score in the history of a person."""

    person: str
    grade: Grade
    #: Sentences on why it differs from the previous score; empty for the first.
    why: tuple[str, ...]
    at: str
