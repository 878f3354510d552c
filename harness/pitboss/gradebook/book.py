"""A gradebook: a class, its submissions, their reports, the marks of graders, and all scores so far."""

from __future__ import annotations

import datetime
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

import msgspec

from pitboss.assignments.rubricfile import RubricItem
from pitboss.compare.results import Report
from pitboss.compare.verdicts import Verdict
from pitboss.errors import UsageError
from pitboss.gradebook.database import Database
from pitboss.gradebook.grades import Grade
from pitboss.gradebook.light import light
from pitboss.gradebook.packing import packed, unpacked
from pitboss.gradebook.person_records import (
    Causes,
    HandedIn,
    LineComment,
    Mark,
    PersonRecord,
    Request,
    RequestState,
    Scored,
    SourceFile,
)
from pitboss.submissions.importers.imported import ImportedSubmission, Person

_T = TypeVar("_T")
#: The name of the rubric among the facts about the class.
_RUBRIC = "rubric"
STYLE, OVERRIDE, DUE, LATE, COMMENT = "style", "override", "due", "late", "comment"
#: Begins the kind of a comment at a line of a source; the beginning of the program's digest, file and line follow.
LINE = "line "
_DIGEST = 12
#: A student's request for another look, and the two answers, each of which closes all open requests.
REQUEST, ANSWER, DECLINE = "request", "answer", "decline"
#: Begins the kind of a grader's score for a stage; the name of the stage follows.
STAGE = "stage "
#: Begins the kind of a mark that picks a rubric item; its key follows. The value is PICKED, or empty to unpick it.
RUBRIC, PICKED = "rubric ", "picked"


def is_words(kind: str) -> bool:
    """Whether marks of this kind are only text, and change no score."""
    return kind in (COMMENT, REQUEST, ANSWER, DECLINE) or kind.startswith(LINE)


def line_kind(program: str, place: str) -> str:
    """Returns the kind of a comment at a line, such as `main.c:12`, of the program with this digest."""
    return f"{LINE}{program[:_DIGEST]} {place}"


def _line_comments(marks: Iterable[Mark], program: str) -> tuple[LineComment, ...]:
    """The comments at lines of this program; an empty comment withdraws all earlier ones at its line."""
    found: dict[tuple[str, int], list[str]] = {}
    start = line_kind(program, "")
    for one in marks:
        if one.kind.startswith(start):
            path, _, line = one.kind.removeprefix(start).rpartition(":")
            there = found.setdefault((path, int(line)), [])
            there[:] = [*there, one.value] if one.value else []
    return tuple(LineComment(path, line, text) for (path, line), texts in sorted(found.items()) for text in texts)


def is_fault(report: Report | None) -> bool:
    """Whether a report contains a fault of ours, so that another run may change it."""
    return report is not None and (report.verdict is Verdict.JUDGE_ERROR or bool(report.faults))


def comments_of(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """Returns the comments that count: an empty comment withdraws all earlier ones."""
    left: list[Mark] = []
    for one in marks:
        if one.kind == COMMENT:
            left = [*left, one] if one.value else []
    return tuple(left)


def requests_of(marks: Iterable[Mark]) -> tuple[Request, ...]:
    """Returns a person's requests: an answer closes all open ones, and an empty request withdraws them."""
    found: list[Request] = []
    for one in marks:
        if one.kind == REQUEST:
            found = [*found, Request(one.value, one.by, one.at)] if one.value else _closed(found)
        elif one.kind in (ANSWER, DECLINE):
            state: RequestState = "answered" if one.kind == ANSWER else "declined"
            found = [
                msgspec.structs.replace(each, state=state, answer=one.value, answered_by=one.by, answered_at=one.at)
                if each.state == "open"
                else each
                for each in found
            ]
    return tuple(found)


def picked_in(marks: Iterable[Mark]) -> set[str]:
    """Returns the keys of the picked rubric items."""
    last = {one.kind: one.value for one in marks if one.kind.startswith(RUBRIC)}
    return {kind.removeprefix(RUBRIC) for kind, value in last.items() if value}


def _closed(requests: Iterable[Request]) -> list[Request]:
    return [one for one in requests if one.state != "open"]


def _is_newer(at: datetime.datetime | None, other: datetime.datetime | None) -> bool:
    return at is not None and other is not None and at > other


class Gradebook:
    """An open gradebook."""

    def __init__(self, path: Path, *, may_be_new: bool = False) -> None:
        """Open a gradebook, or create one if `may_be_new`; raises UsageError if that is not possible."""
        self.path = path
        self._database = Database(path, may_be_new=may_be_new)

    @property
    def is_read_only(self) -> bool:
        """Whether the current user can read it but not write to it."""
        return self._database.is_read_only

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __enter__(self) -> Gradebook:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def writing(self) -> AbstractContextManager[None]:
        """A transaction: writes everything or nothing, while nobody else writes."""
        return self._database.writing()

    def _read(self, content: bytes, kind: type[_T]) -> _T:
        """Unpacks a value; raises UsageError for damage, which SQLite does not notice."""
        try:
            return unpacked(content, kind)
        except (zlib.error, msgspec.MsgspecError) as error:
            raise UsageError(f"{self.path}: the gradebook is damaged ({error}); restore an earlier copy") from error

    # The class

    def about(self) -> dict[str, str]:
        """Return facts about the class by name: the assignment, its folder, the due date, how it was graded last."""
        return dict(self._database.rows("SELECT name, value FROM class ORDER BY name"))

    def tell(self, **about: str) -> None:
        """Set facts about the class; raises UsageError if the gradebook is of another assignment."""
        own = self.about().get("assignment", "")
        requested = about.get("assignment", own)
        if own and requested != own:
            raise UsageError(f"{self.path}: this is a gradebook of {own}, not of {requested}; name another file")
        with self._database.writing():
            for name, value in about.items():
                self._database.add("INSERT OR REPLACE INTO class VALUES (?, ?)", (name, value))

    def rubric(self) -> tuple[RubricItem, ...]:
        """The items that can be picked; empty without a rubric."""
        content = self.about().get(_RUBRIC, "")
        return self._decoded_rubric(content.encode()) if content else ()

    def _decoded_rubric(self, content: bytes) -> tuple[RubricItem, ...]:
        try:
            return msgspec.json.decode(content, type=tuple[RubricItem, ...])
        except msgspec.MsgspecError as error:
            raise UsageError(f"{self.path}: the gradebook is damaged ({error}); restore an earlier copy") from error

    def set_rubric(self, items: Sequence[RubricItem]) -> None:
        """Replace the rubric; raises UsageError if the new one lacks a picked item."""
        keys = {one.key for one in items}
        for person in self.people():
            for key in picked_in(self.marks(person.key)):
                if key not in keys:
                    raise UsageError(f"the rubric has no {key!r}, which is picked for {person.name}; --unpick it first")
        self.tell(**{_RUBRIC: msgspec.json.encode(items).decode()})

    def people(self) -> list[Person]:
        """Return everybody in the gradebook, sorted by name."""
        rows = self._database.rows("SELECT content FROM person ORDER BY name, key")
        return [self._read(content, Person) for (content,) in rows]

    # Submissions and reports

    def take(self, handed: Iterable[tuple[ImportedSubmission, str]]) -> None:
        """Add people and their submissions, each with its digest.

        A submission counts from now on, unless the person's current one is newer. If it is in the gradebook already,
        its time is set only if it was unknown.
        """
        with self._database.writing():
            for one, program in handed:
                self._database.add(
                    "INSERT OR REPLACE INTO person VALUES (?, ?, ?)",
                    (one.person.key, one.person.name, packed(one.person)),
                )
                if one.path is not None or one.problem:
                    self._take(one, program)

    def _take(self, one: ImportedSubmission, program: str) -> None:
        at = one.at.astimezone(datetime.UTC).isoformat() if one.at else None
        who, database = one.person.key, self._database
        is_late, days = self._lateness(one, program)
        content = HandedIn(program, one.at, is_late, one.attempt, one.source, one.notes, one.problem, days)
        database.add(
            "INSERT INTO submission (person, program, handed_at, content) VALUES (?, ?, ?, ?) "
            "ON CONFLICT DO UPDATE SET content = excluded.content, handed_at = coalesce(handed_at, excluded.handed_at)",
            (who, program, at, packed(content)),
        )
        number, counts = self._submission(who, program), self._handed_in(who)
        if counts is not None and (counts.program == program or _is_newer(counts.at, one.at)):
            return
        database.add("INSERT OR REPLACE INTO counted VALUES (?, ?, NULL)", (who, number))

    def _lateness(self, one: ImportedSubmission, program: str) -> tuple[bool | None, int | None]:
        """Whether it is late, and by how many days: as the platform says now or, if it does not, said before."""
        if one.is_late is not None:
            return one.is_late, one.days_late
        rows = self._database.rows(
            "SELECT content FROM submission WHERE person = ? AND program = ?", (one.person.key, program)
        )
        earlier = [self._read(content, HandedIn) for (content,) in rows]
        return (earlier[0].is_late, earlier[0].days_late) if earlier else (None, None)

    def program(self, person: str) -> str | None:
        """The digest of the submission that counts for a person; None without one."""
        counts = self._handed_in(person)
        return counts.program if counts else None

    def has_sources(self, program: str) -> bool:
        """Whether the gradebook has the sources of the program with this digest."""
        return bool(self._database.rows("SELECT 1 FROM source WHERE program = ?", (program,)))

    def add_sources(self, program: str, files: Iterable[SourceFile]) -> None:
        """Add or replace the sources of the program with this digest."""
        with self._database.writing():
            self._database.add("INSERT OR REPLACE INTO source VALUES (?, ?)", (program, packed(tuple(files))))

    def sources(self, person: str) -> tuple[SourceFile, ...]:
        """The sources of the submission that counts for a person; empty if nothing was run yet."""
        rows = self._database.rows(
            "SELECT source.content FROM counted JOIN submission ON submission.id = counted.submission "
            "JOIN source ON source.program = submission.program WHERE counted.person = ?",
            (person,),
        )
        return self._read(rows[0][0], tuple[SourceFile, ...]) if rows else ()

    def _submission(self, person: str, program: str) -> int:
        statement = "SELECT id FROM submission WHERE person = ? AND program = ?"
        ((number,),) = self._database.rows(statement, (person, program))
        return int(number)

    def recall(self, person: str, causes: Causes) -> bool:
        """Make the last run with these causes and no fault of ours count; return whether there is one."""
        rows = self._database.rows(
            "SELECT report.id FROM report JOIN submission ON submission.id = report.submission WHERE person = ? "
            "AND program = ? AND assignment = ? AND asked = ? AND pitboss = ? AND NOT is_fault ORDER BY report.id DESC",
            (person, *causes),
        )
        if rows and rows[0][0] != self.run(person):
            with self._database.writing():
                self._database.add("UPDATE counted SET report = ? WHERE person = ?", (rows[0][0], person))
        return bool(rows)

    def add_report(self, person: str, causes: Causes, report: Report) -> None:
        """Add the report of a run; a report with a fault of ours does not replace a report without such a fault."""
        is_ours = is_fault(report)
        database = self._database
        with database.writing():
            submission = self._submission(person, causes.program)
            number = database.add(
                "INSERT INTO report (submission, assignment, asked, pitboss, is_fault, light, whole, written_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (submission, *causes[1:], is_ours, packed(light(report)), packed(report), _now()),
            )
            database.add(
                "UPDATE counted SET report = ? WHERE person = ? AND submission = ? AND (NOT ? OR report IS NULL "
                "OR (SELECT is_fault FROM report AS last WHERE last.id = counted.report))",
                (number, person, submission, is_ours),
            )

    def report(self, person: str) -> Report | None:
        """The whole report that counts for a person; None without one."""
        rows = self._database.rows(f"SELECT whole {_COUNTED}", (person,))
        return self._read(rows[0][0], Report) if rows else None

    def causes(self, person: str) -> Causes | None:
        """What the report that counts for a person depends on; None without one."""
        rows = self._database.rows(f"SELECT program, assignment, asked, pitboss {_COUNTED}", (person,))
        return Causes(*rows[0]) if rows else None

    def last_run(self) -> int:
        """The number of the last run of anybody; 0 without one."""
        return int(self._database.rows("SELECT coalesce(max(id), 0) FROM report")[0][0])

    def forget_causes(self, last: int) -> None:
        """Clear the causes of all runs after the run numbered `last`, so that these runs are repeated."""
        with self._database.writing():
            self._database.add("UPDATE report SET assignment = '', asked = '', pitboss = '' WHERE id > ?", (last,))

    def run(self, person: str) -> int:
        """The number of the run that counts for a person; 0 without one."""
        rows = self._database.rows("SELECT report FROM counted WHERE person = ?", (person,))
        return rows[0][0] or 0 if rows else 0

    def of_run(self, number: int) -> tuple[Causes, Report] | None:
        """Return a run's causes, and its report without the sessions; None if no run has this number."""
        rows = self._database.rows(
            "SELECT program, assignment, asked, pitboss, light FROM report "
            "JOIN submission ON submission.id = report.submission WHERE report.id = ?",
            (number,),
        )
        return (Causes(*rows[0][:4]), self._read(rows[0][4], Report)) if rows else None

    # Marks

    def add_mark(self, person: str, kind: str, value: str, *, reason: str = "", by: str = "") -> None:
        """Add a style score, an override, a due date or a comment; raises UsageError if nobody has this key."""
        if not self._database.rows("SELECT 1 FROM person WHERE key = ?", (person,)):
            raise UsageError(f"{self.path}: nobody in this gradebook has the key {person!r}")
        with self._database.writing():
            self._write_mark(person, Mark(kind, value, reason, by, _now()))

    def _write_mark(self, person: str, mark: Mark) -> None:
        self._database.add(
            "INSERT INTO mark (person, kind, value, reason, written_by, written_at) VALUES (?, ?, ?, ?, ?, ?)",
            (person, mark.kind, mark.value, mark.reason, mark.by, mark.at),
        )

    def put_marks(self, person: str, marks: Sequence[Mark]) -> None:
        """Replace a person's marks; the new ones must contain the old ones in their order."""
        with self._database.writing():
            self._database.add("DELETE FROM mark WHERE person = ?", (person,))
            for one in marks:
                self._write_mark(person, one)

    def marks(self, person: str) -> list[Mark]:
        """All marks of a person, in order."""
        rows = self._database.rows(
            "SELECT kind, value, reason, written_by, written_at FROM mark WHERE person = ? ORDER BY id", (person,)
        )
        return [Mark(*row) for row in rows]

    # What counts

    def rows(self) -> Iterator[PersonRecord]:
        """The record of each person, by name."""
        for person in self.people():
            yield self.row(person)

    def scored_rows(self) -> Iterator[tuple[PersonRecord, Scored | None]]:
        """The record and the score of each person, by name."""
        return ((row, self.score(row.person.key)) for row in self.rows())

    def row(self, person: Person, marks: Sequence[Mark] | None = None) -> PersonRecord:
        """Return the record of a person; `marks`, if given, replace the marks in the gradebook."""
        marks = self.marks(person.key) if marks is None else marks
        last = {mark.kind: mark for mark in marks}
        override = last.get(OVERRIDE)
        reports = self._database.rows(f"SELECT light {_COUNTED}", (person.key,))
        handed_in = self._handed_in(person.key)
        return PersonRecord(
            person,
            handed_in,
            self._read(reports[0][0], Report) if reports else None,
            style=last[STYLE].value if STYLE in last else "",
            override=override if override and override.value else None,
            due=last[DUE].value if DUE in last else "",
            late=last[LATE].value if LATE in last else "",
            by_person=tuple(
                (kind.removeprefix(STAGE), one.value)
                for kind, one in last.items()
                if kind.startswith(STAGE) and one.value
            ),
            picked=self._picked(marks),
            comments=comments_of(marks),
            line_comments=_line_comments(marks, handed_in.program) if handed_in else (),
            requests=requests_of(marks),
        )

    def _picked(self, marks: Iterable[Mark]) -> tuple[RubricItem, ...]:
        keys = picked_in(marks)
        return tuple(one for one in self.rubric() if one.key in keys) if keys else ()

    def _handed_in(self, person: str) -> HandedIn | None:
        rows = self._database.rows(
            "SELECT content, handed_at FROM counted JOIN submission ON submission.id = counted.submission "
            "WHERE counted.person = ?",
            (person,),
        )
        if not rows:
            return None
        ((content, at),) = rows
        instant = datetime.datetime.fromisoformat(at) if at else None
        return msgspec.structs.replace(self._read(content, HandedIn), at=instant)

    # Scores

    def score(self, person: str) -> Scored | None:
        """The current score of a person; None if none was computed yet."""
        found = self._scores("person = ? ORDER BY id DESC LIMIT 1", person)
        return found[0] if found else None

    def scores(self, person: str) -> list[Scored]:
        """All scores of a person, the earliest first."""
        return self._scores("person = ? ORDER BY id", person)

    def _scores(self, condition: str, person: str) -> list[Scored]:
        rows = self._database.rows(f"SELECT content, why, written_at FROM score WHERE {condition}", (person,))
        return [
            Scored(person, self._read(grade, Grade), self._read(why, tuple[str, ...]), at) for grade, why, at in rows
        ]

    def add_score(self, person: str, grade: Grade, why: tuple[str, ...]) -> None:
        """Record the new score of a person, and why it changed."""
        with self._database.writing():
            self._database.add(
                "INSERT INTO score (person, score, out_of, content, why, written_at) VALUES (?, ?, ?, ?, ?, ?)",
                (person, str(grade.score), str(grade.out_of), packed(grade), packed(why), _now()),
            )


_COUNTED = (
    "FROM counted JOIN submission ON submission.id = counted.submission JOIN report ON report.id = counted.report "
    "WHERE counted.person = ?"
)


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
