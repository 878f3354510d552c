"""The records of a person in a gradebook."""

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
    """Digests of everything that a result depends on."""

    #: Digest of the submission.
    program: str
    #: Digest of the specs, and of the code of the reference, readers, players and mistakes.
    assignment: str
    #: Digest of the command's options: stages, limits, files of the course.
    options: str
    #: Digest of pitboss itself.
    pitboss: str

    @property
    def only_program(self) -> Causes:
        """A copy with only the program's digest; the others are empty, so that no later run has the same causes."""
        return self._replace(assignment="", options="", pitboss="")

    def changed_since(self, earlier: Causes) -> tuple[str, ...]:
        """The names of the causes whose digests differ from an earlier run's."""
        return tuple(name for name in self._fields if getattr(self, name) != getattr(earlier, name))


class HandedIn(msgspec.Struct, frozen=True):
    """One submission of a person."""

    #: The digest of the submission's content; empty if the submission could not be used.
    program: str
    #: The time when the submission was first handed in; None if unknown.
    at: datetime.datetime | None
    #: Whether the platform marks the submission as late; None if the platform does not say.
    is_late: bool | None = None
    attempt: int = 1
    #: The location of the submission in the download.
    source: str = ""
    notes: tuple[str, ...] = ()
    #: Why the submission cannot be graded; empty if it can be graded.
    problem: str = ""
    #: The days late according to the platform; None if the platform does not say.
    days_late: int | None = None


class SourceFile(msgspec.Struct, frozen=True):
    """A source file of a program; its path and text are untrusted."""

    path: str
    text: str


class Mark(msgspec.Struct, frozen=True):
    """An entry of a grader or a student: a score, a due date, a comment, a request."""

    #: `style`, `override`, `due`, `comment` and so on; book.py has all kinds.
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


class PersonRecord(msgspec.Struct, frozen=True):
    """The submission, report and marks by which one person is graded."""

    person: Person
    handed_in: HandedIn | None = None
    #: The newest report without a fault (JUDGE_ERROR), else the newest report; None without a report. The results lack
    #: their transcripts.
    report: Report | None = None
    #: The style score that a grader entered; empty if no grader did.
    style: str = ""
    #: The score that a grader set for the whole submission; None if no grader did.
    override: Mark | None = None
    #: The person's own due date; empty if the due date of the class applies.
    due: str = ""
    #: The days late that a grader entered; empty if no grader did.
    late: str = ""
    #: The grader's scores for manually graded stages: pairs of a stage and a share of its points, from 0 to 1.
    manual_scores: tuple[tuple[str, str], ...] = ()
    #: The rubric items that a grader picked, in the order of the rubric.
    picked: tuple[RubricItem, ...] = ()
    comments: tuple[Mark, ...] = ()
    #: Comments at lines of the graded program, in the order of the lines.
    line_comments: tuple[LineComment, ...] = ()
    requests: tuple[Request, ...] = ()

    @property
    def has_open_request(self) -> bool:
        return has_open(self.requests)

    @property
    def is_waiting(self) -> bool:
        """Whether a submission can be run but has not been run yet, so that there is nothing to score."""
        return self.handed_in is not None and not self.handed_in.problem and self.report is None


class Scored(msgspec.Struct, frozen=True):
    """A score in the history of a person's scores."""

    person: str
    grade: Grade
    #: Sentences on why the score differs from the previous score.
    why: tuple[str, ...]
    #: The time when the score was recorded, as ISO 8601.
    at: str
