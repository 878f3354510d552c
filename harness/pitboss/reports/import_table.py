"""The contents of a class's download as rich text, which the instructor reads before any program runs."""

from __future__ import annotations

from rich.console import Group
from rich.text import Text

from pitboss.reports.columns import Column, table_of
from pitboss.submissions.importers.imported import ImportedClass, ImportedSubmission, LeftOut

#: The maximum number of files named in a row.
_MAX_FILES = 3
#: The maximum number of entries in each list below the table.
_MAX_LISTED = 30
#: The maximum number of rows for students without a remark.
_MAX_WITHOUT_REMARK = 20


def import_table(intake: ImportedClass) -> Group:
    """Returns a table of the students who handed in; below the table, the other students, and files without a student.

    In a large class only students with a remark have a row. Times are in UTC.
    """
    missing = [submission for submission in intake.submissions if _is_missing(submission)]
    without_remark = [
        submission for submission in intake.submissions if submission not in missing and not _has_remark(submission)
    ]
    omitted = without_remark if len(without_remark) > _MAX_WITHOUT_REMARK else []
    rows = [submission for submission in intake.submissions if submission not in missing and submission not in omitted]
    handed_in_count = len(intake.submissions) - len(missing)
    sentence_on_omitted = f"{len(omitted):,} more handed in once, in time as far as that is known, with no remark"
    parts: list[object] = [
        *([table_of(_COLUMNS, rows), Text()] if rows else []),
        *([Text(sentence_on_omitted)] if omitted else []),
        Text(f"{intake.kind}: {handed_in_count} of {len(intake.submissions)} handed something in"),
    ]
    parts += _list_section("missing", [_missing_line(submission) for submission in missing])
    parts += _list_section("not understood", list(map(omission_line, intake.left_out_entries)))
    return Group(*parts)  # type: ignore[arg-type]


def omission_line(item: LeftOut) -> str:
    """Returns a line on a file or folder of a download that belongs to no submission.

    >>> omission_line(LeftOut("notes.txt", "no repository")), omission_line(LeftOut("roster.csv"))
    ('notes.txt: no repository', 'roster.csv')
    """
    return f"{item.name}: {item.reason}" if item.reason else item.name


def _is_missing(submission: ImportedSubmission) -> bool:
    """Whether the student handed nothing in."""
    return submission.path is None and not submission.problem


def _has_remark(submission: ImportedSubmission) -> bool:
    """Whether there is more to say than that the student handed in once, in time as far as that is known."""
    return bool(
        submission.problem
        or submission.notes
        or submission.is_late
        or submission.attempt > 1
        or submission.other_attempts
    )


def _missing_line(submission: ImportedSubmission) -> str:
    notes = f": {'; '.join(submission.notes)}" if submission.notes else ""
    return f"{submission.person.name} ({submission.person.key}){notes}"


def _files_text(submission: ImportedSubmission) -> str:
    more = len(submission.files) - _MAX_FILES
    return ", ".join([*submission.files[:_MAX_FILES], *([f"and {more} more"] if more > 0 else [])])


def _attempt_text(submission: ImportedSubmission) -> str:
    others = f" (and {submission.other_attempts} ignored)" if submission.other_attempts else ""
    return f"{submission.attempt}{others}" if submission.path else ""


def _remark(submission: ImportedSubmission) -> Text:
    remark = Text(submission.problem, style="bold red")
    for note in submission.notes:
        remark.append(f"\n{note}" if remark.plain else note, style="not bold default")
    return remark


_LATE_TEXTS = {None: Text(), True: Text("late", style="yellow"), False: Text("no")}
#: The columns of the table; those that may say nothing are left out then.
_COLUMNS: tuple[Column[ImportedSubmission], ...] = (
    Column("name", lambda submission: submission.person.name),
    Column("key", lambda submission: submission.person.key),
    Column("files", _files_text),
    Column("handed in (UTC)", lambda s: "" if s.at is None else f"{s.at:%Y-%m-%d %H:%M}", unless_all=("",)),
    Column("late", lambda submission: _LATE_TEXTS[submission.is_late], unless_all=("",)),
    Column("attempt", _attempt_text, unless_all=("", "1")),
    Column("remark", _remark, unless_all=("",)),
)


def _list_section(title: str, lines: list[str]) -> list[Text]:
    """Returns a title and the lines below it, at most _MAX_LISTED; empty if there are no lines."""
    if not lines:
        return []
    more = [f"  and {len(lines) - _MAX_LISTED} more"] if len(lines) > _MAX_LISTED else []
    return [Text(f"{title}:"), *(Text(line) for line in [*(f"  {line}" for line in lines[:_MAX_LISTED]), *more])]
