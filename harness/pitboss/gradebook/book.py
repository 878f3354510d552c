"""A gradebook: a class, its submissions, their reports, the marks of graders, and all scores so far."""

from __future__ import annotations

import datetime
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

import msgspec

from pitboss.assignments.gradingfile import RubricItem
from pitboss.compare.results import Report, Verdict
from pitboss.errors import HarnessError, UsageError, as_found
from pitboss.gradebook.database import Database, pack_value, unpack_value, without_transcripts
from pitboss.gradebook.days import due_in
from pitboss.gradebook.grades import Grade
from pitboss.gradebook.marks import (
    DUE,
    LATE,
    OVERRIDE,
    STAGE,
    STYLE,
    Mark,
    comments_of,
    kind_of,
    line_comments_of,
    picked_in,
    requests_of,
)
from pitboss.gradebook.people import HandedIn, PersonRecord, Scored, SourceFile
from pitboss.sandbox.digests import Causes
from pitboss.submissions.importers.imported import ImportedSubmission, Person

_T = TypeVar("_T")
#: The key of the rubric among the facts about the class.
_RUBRIC = "rubric"


def has_our_fault(report: Report | None) -> bool:
    """Whether a report contains a fault of ours, so that another run may have a different result."""
    return report is not None and (report.verdict is Verdict.JUDGE_ERROR or bool(report.faults))


def _is_newer(at: datetime.datetime | None, other: datetime.datetime | None) -> bool:
    """Whether both times are known, and `at` is after `other`."""
    return at is not None and other is not None and at > other


def _rubric_in(text: str) -> tuple[RubricItem, ...]:
    return msgspec.json.decode(text, type=tuple[RubricItem, ...])


#: How the facts about the class are read, by their names; a fact that is missing here is any text.
_FACT_READERS: dict[str, Callable[[str], object]] = {
    **dict.fromkeys(("asked", "downloads"), json.loads),
    "due": due_in,
    _RUBRIC: _rubric_in,
}


class Gradebook:
    """An open gradebook.

    The parameter `person` is a person's key, and `program` the digest of the content of a submission.
    """

    def __init__(self, path: Path, *, may_be_new: bool = False) -> None:
        """Open a gradebook, or create one if `may_be_new`; raises UsageError if that fails."""
        self.path = path
        self._database = Database(path, may_be_new=may_be_new)

    @property
    def is_read_only(self) -> bool:
        """Whether the current user can read the gradebook but not change it."""
        return self._database.is_read_only

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Gradebook:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        """Close the file; raises UsageError for an error that is none of ours if the file is damaged."""
        is_unexpected = isinstance(error, Exception) and not isinstance(error, HarnessError)
        try:
            damage = (self._database.damage() or self._unreadable_text()) if is_unexpected else ""
        finally:
            self.close()
        if damage:
            raise UsageError(f"{self.path}: the gradebook is damaged ({damage}); restore an earlier copy") from error

    def _unreadable_text(self) -> str:
        """Returns a clause on a stored text that pitboss cannot have stored; empty if it may have stored all."""
        marks = self._database.rows("SELECT kind, value FROM mark WHERE value != ''")
        times = self._database.rows("SELECT 'time', handed_at FROM submission WHERE handed_at NOT NULL")
        for name, text, read in (
            *((kind, text, kind_of(kind).read) for kind, text in marks),
            *((name, text, _FACT_READERS.get(name, str)) for name, text in self.class_facts().items()),
            *((name, text, datetime.datetime.fromisoformat) for name, text in times),
        ):
            try:
                read(text)
            except (ValueError, AssertionError, msgspec.MsgspecError):
                return f"{name} is {as_found(text)}"
        return ""

    def writing(self) -> AbstractContextManager[None]:
        """A transaction: writes everything or nothing, while nobody else writes."""
        return self._database.writing()

    def _unpack(self, content: bytes, kind: type[_T]) -> _T:
        """Unpack a value; raises UsageError if it is damaged, which SQLite does not notice."""
        try:
            return unpack_value(content, kind)
        except (zlib.error, msgspec.MsgspecError) as error:
            raise UsageError(f"{self.path}: the gradebook is damaged ({error}); restore an earlier copy") from error

    # The class

    def class_facts(self) -> dict[str, str]:
        """Return facts about the class by name: the assignment, its folder, the due date, how it was last graded."""
        return dict(self._database.rows("SELECT name, value FROM class ORDER BY name"))

    def set_facts(self, **facts: str) -> None:
        """Set facts about the class; raises UsageError if the gradebook is for another assignment."""
        assignment = self.class_facts().get("assignment", "")
        new_assignment = facts.get("assignment", assignment)
        if assignment and new_assignment != assignment:
            raise UsageError(
                f"{self.path}: this is a gradebook of {assignment}, not of {new_assignment}; name another file"
            )
        with self._database.writing():
            for name, value in facts.items():
                self._database.execute("INSERT OR REPLACE INTO class VALUES (?, ?)", (name, value))

    def rubric(self) -> tuple[RubricItem, ...]:
        """The items that can be picked; empty without a rubric."""
        content = self.class_facts().get(_RUBRIC, "")
        return _rubric_in(content) if content else ()

    def set_rubric(self, items: Sequence[RubricItem]) -> None:
        """Replace the rubric; raises UsageError if the new rubric lacks an item that is picked for somebody."""
        keys = {item.key for item in items}
        for person in self.people():
            for key in picked_in(self.marks(person.key)):
                if key not in keys:
                    raise UsageError(f"the rubric has no {key!r}, which is picked for {person.name}; --unpick it first")
        self.set_facts(**{_RUBRIC: msgspec.json.encode(items).decode()})

    def people(self) -> list[Person]:
        """Return everybody in the gradebook, sorted by name."""
        rows = self._database.rows("SELECT content FROM person ORDER BY name, key")
        return [self._unpack(content, Person) for (content,) in rows]

    # Submissions and reports

    def add_submissions(self, submissions: Iterable[tuple[ImportedSubmission, str]]) -> None:
        """Add people and their submissions, each paired with its digest.

        A submission becomes the person's current submission, unless the current submission is newer. If the gradebook
        has a submission already, the submission's time is set only if it was unknown.
        """
        with self._database.writing():
            for submission, program in submissions:
                self._database.execute(
                    "INSERT OR REPLACE INTO person VALUES (?, ?, ?)",
                    (submission.person.key, submission.person.name, pack_value(submission.person)),
                )
                if not submission.is_missing:
                    self._add_submission(submission, program)

    def _add_submission(self, submission: ImportedSubmission, program: str) -> None:
        """Add a submission. It becomes the person's current submission, unless the current submission is newer."""
        submitted_at = submission.at.astimezone(datetime.UTC).isoformat() if submission.at else None
        person, database = submission.person.key, self._database
        is_late, days = self._lateness(submission, program)
        content = HandedIn(
            program,
            submission.at,
            is_late,
            submission.attempt,
            submission.source,
            submission.notes,
            submission.problem,
            days,
        )
        database.execute(
            "INSERT INTO submission (person, program, handed_at, content) VALUES (?, ?, ?, ?) "
            "ON CONFLICT DO UPDATE SET content = excluded.content, handed_at = coalesce(handed_at, excluded.handed_at)",
            (person, program, submitted_at, pack_value(content)),
        )
        submission_id, current = self._submission_id(person, program), self._current_submission(person)
        if current is not None and (current.program == program or _is_newer(current.at, submission.at)):
            return
        database.execute(
            "INSERT OR REPLACE INTO counted (person, submission, report) VALUES (?, ?, NULL)", (person, submission_id)
        )

    def _lateness(self, submission: ImportedSubmission, program: str) -> tuple[bool | None, int | None]:
        """Whether a submission is late, and by how many days, as stated by the platform; None if never stated.

        If the platform states nothing now, its earlier statement on this submission applies.
        """
        if submission.is_late is not None:
            return submission.is_late, submission.days_late
        rows = self._database.rows(
            "SELECT content FROM submission WHERE person = ? AND program = ?", (submission.person.key, program)
        )
        earlier = [self._unpack(content, HandedIn) for (content,) in rows]
        return (earlier[0].is_late, earlier[0].days_late) if earlier else (None, None)

    def program(self, person: str) -> str | None:
        """The digest of a person's current submission; None without a submission."""
        current = self._current_submission(person)
        return current.program if current else None

    def has_sources(self, program: str) -> bool:
        return bool(self._database.rows("SELECT 1 FROM source WHERE program = ?", (program,)))

    def add_sources(self, program: str, files: Iterable[SourceFile]) -> None:
        with self._database.writing():
            self._database.execute("INSERT OR REPLACE INTO source VALUES (?, ?)", (program, pack_value(tuple(files))))

    def sources(self, person: str) -> tuple[SourceFile, ...]:
        """The sources of a person's current submission; empty if the submission has not been run yet."""
        rows = self._database.rows(
            "SELECT source.content FROM counted JOIN submission ON submission.id = counted.submission "
            "JOIN source ON source.program = submission.program WHERE counted.person = ?",
            (person,),
        )
        return self._unpack(rows[0][0], tuple[SourceFile, ...]) if rows else ()

    def _submission_id(self, person: str, program: str) -> int:
        statement = "SELECT id FROM submission WHERE person = ? AND program = ?"
        ((submission_id,),) = self._database.rows(statement, (person, program))
        return int(submission_id)

    def reuse_run(self, person: str, causes: Causes) -> bool:
        """Make the latest run with these causes the person's current run; return whether there is such a run.

        Runs with a fault of ours are not reused.
        """
        rows = self._database.rows(
            "SELECT report.id FROM report JOIN submission ON submission.id = report.submission WHERE person = ? "
            "AND program = ? AND assignment = ? AND asked = ? AND pitboss = ? AND NOT is_fault ORDER BY report.id DESC",
            (person, *causes),
        )
        if rows and rows[0][0] != self.current_run_number(person):
            with self._database.writing():
                self._database.execute("UPDATE counted SET report = ? WHERE person = ?", (rows[0][0], person))
        return bool(rows)

    def add_report(self, person: str, causes: Causes, report: Report) -> None:
        """Add the report of a run. The run becomes the person's current run if its submission is the current one.

        A run with a fault of ours does not replace a current run without such a fault.
        """
        has_fault = has_our_fault(report)
        database = self._database
        with database.writing():
            submission_id = self._submission_id(person, causes.program)
            run = database.execute(
                "INSERT INTO report (submission, assignment, asked, pitboss, is_fault, light, whole, written_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    submission_id,
                    causes.assignment,
                    causes.options,
                    causes.pitboss,
                    has_fault,
                    pack_value(without_transcripts(report)),
                    pack_value(report),
                    _now(),
                ),
            )
            database.execute(
                "UPDATE counted SET report = ? WHERE person = ? AND submission = ? AND (NOT ? OR report IS NULL "
                "OR (SELECT is_fault FROM report AS last WHERE last.id = counted.report))",
                (run, person, submission_id, has_fault),
            )

    def report(self, person: str) -> Report | None:
        """The complete report of a person's current run; None without a run."""
        rows = self._database.rows(f"SELECT whole {_FROM_CURRENT_RUN}", (person,))
        return self._unpack(rows[0][0], Report) if rows else None

    def causes(self, person: str) -> Causes | None:
        """The causes of a person's current run; None without a run."""
        rows = self._database.rows(f"SELECT program, assignment, asked, pitboss {_FROM_CURRENT_RUN}", (person,))
        return Causes(*rows[0]) if rows else None

    def last_run_number(self) -> int:
        """The number of the latest run in the gradebook; 0 before the first run."""
        return int(self._database.rows("SELECT coalesce(max(id), 0) FROM report")[0][0])

    def forget_causes(self, last_kept: int) -> None:
        """Clear the causes of all runs after the run `last_kept`, so that the next grading repeats these runs."""
        with self._database.writing():
            self._database.execute(
                "UPDATE report SET assignment = '', asked = '', pitboss = '' WHERE id > ?", (last_kept,)
            )

    def current_run_number(self, person: str) -> int:
        """The number of a person's current run; 0 without a run."""
        rows = self._database.rows("SELECT report FROM counted WHERE person = ?", (person,))
        return (rows[0][0] or 0) if rows else 0  # the column is NULL if the current submission has not been run

    def run_by_number(self, number: int) -> tuple[Causes, Report] | None:
        """Return the causes of a run, and its report without transcripts; None if no run has this number."""
        rows = self._database.rows(
            "SELECT program, assignment, asked, pitboss, light FROM report "
            "JOIN submission ON submission.id = report.submission WHERE report.id = ?",
            (number,),
        )
        return (Causes(*rows[0][:4]), self._unpack(rows[0][4], Report)) if rows else None

    # Marks

    def add_mark(self, person: str, kind: str, value: str, *, reason: str = "", by: str = "") -> None:
        """Add a mark of any kind; raises UsageError if nobody in the gradebook has the key `person`."""
        if not self._database.rows("SELECT 1 FROM person WHERE key = ?", (person,)):
            raise UsageError(f"{self.path}: nobody in this gradebook has the key {person!r}")
        with self._database.writing():
            self._write_mark(person, Mark(kind, value, reason, by, _now()))

    def _write_mark(self, person: str, mark: Mark) -> None:
        self._database.execute(
            "INSERT INTO mark (person, kind, value, reason, written_by, written_at) VALUES (?, ?, ?, ?, ?, ?)",
            (person, mark.kind, mark.value, mark.reason, mark.by, mark.at),
        )

    def replace_marks(self, person: str, marks: Sequence[Mark]) -> None:
        """Replace a person's marks; the new marks must contain the old marks in order."""
        with self._database.writing():
            self._database.execute("DELETE FROM mark WHERE person = ?", (person,))
            for mark in marks:
                self._write_mark(person, mark)

    def marks(self, person: str) -> list[Mark]:
        """All marks of a person, in order."""
        rows = self._database.rows(
            "SELECT kind, value, reason, written_by, written_at FROM mark WHERE person = ? ORDER BY id", (person,)
        )
        return [Mark(*row) for row in rows]

    # Records of people

    def person_records(self) -> Iterator[PersonRecord]:
        for person in self.people():
            yield self.person_record(person)

    def scored_records(self) -> Iterator[tuple[PersonRecord, Scored | None]]:
        return ((record, self.score(record.person.key)) for record in self.person_records())

    def person_record(self, person: Person, marks: Sequence[Mark] | None = None) -> PersonRecord:
        """Return the record of a person; with `marks`, as if these were the marks in the gradebook."""
        marks = self.marks(person.key) if marks is None else marks
        last_by_kind = {mark.kind: mark for mark in marks}
        override = last_by_kind.get(OVERRIDE)
        report_rows = self._database.rows(f"SELECT light {_FROM_CURRENT_RUN}", (person.key,))
        handed_in = self._current_submission(person.key)
        return PersonRecord(
            person,
            handed_in,
            self._unpack(report_rows[0][0], Report) if report_rows else None,
            style=last_by_kind[STYLE].value if STYLE in last_by_kind else "",
            override=override if override and override.value else None,
            due=last_by_kind[DUE].value if DUE in last_by_kind else "",
            late=last_by_kind[LATE].value if LATE in last_by_kind else "",
            manual_scores=tuple(
                (kind.removeprefix(STAGE), mark.value)
                for kind, mark in last_by_kind.items()
                if kind.startswith(STAGE) and mark.value
            ),
            picked=self._picked_items(marks),
            comments=comments_of(marks),
            line_comments=line_comments_of(marks, handed_in.program) if handed_in else (),
            requests=requests_of(marks),
        )

    def _picked_items(self, marks: Iterable[Mark]) -> tuple[RubricItem, ...]:
        keys = picked_in(marks)
        return tuple(item for item in self.rubric() if item.key in keys) if keys else ()

    def _current_submission(self, person: str) -> HandedIn | None:
        rows = self._database.rows(
            "SELECT content, handed_at FROM counted JOIN submission ON submission.id = counted.submission "
            "WHERE counted.person = ?",
            (person,),
        )
        if not rows:
            return None
        ((content, submitted_at),) = rows
        submission_time = datetime.datetime.fromisoformat(submitted_at) if submitted_at else None
        return msgspec.structs.replace(self._unpack(content, HandedIn), at=submission_time)

    # Scores

    def score(self, person: str) -> Scored | None:
        """The current score of a person; None if it has not been computed yet."""
        scores = self._scores("person = ? ORDER BY id DESC LIMIT 1", person)
        return scores[0] if scores else None

    def scores(self, person: str) -> list[Scored]:
        return self._scores("person = ? ORDER BY id", person)

    def _scores(self, condition: str, person: str) -> list[Scored]:
        """The scores of a person in the rows that match an SQL condition with one placeholder, the person's key."""
        rows = self._database.rows(f"SELECT content, why, written_at FROM score WHERE {condition}", (person,))
        return [
            Scored(person, self._unpack(grade, Grade), self._unpack(why, tuple[str, ...]), at)
            for grade, why, at in rows
        ]

    def add_score(self, person: str, grade: Grade, why: tuple[str, ...]) -> None:
        with self._database.writing():
            self._database.execute(
                "INSERT INTO score (person, score, out_of, content, why, written_at) VALUES (?, ?, ?, ?, ?, ?)",
                (person, str(grade.score), str(grade.out_of), pack_value(grade), pack_value(why), _now()),
            )


#: The end of a query for a person's current run and its submission: the table `counted` has both for each person.
_FROM_CURRENT_RUN = (
    "FROM counted JOIN submission ON submission.id = counted.submission JOIN report ON report.id = counted.report "
    "WHERE counted.person = ?"
)


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
