"""The contents of a class's download, for the instructor to read before anything runs, as rich text."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from pitboss.submissions.importers.imported import ImportedClass, ImportedSubmission, LeftOut

#: The maximum number of files in a row, entries in the list below the table, and rows of people without a remark.
_MAX_FILES, _MAX_LISTED, _MAX_PLAIN = 3, 30, 20
#: The number of columns that are always shown; and the cell that says nothing in the others, a first attempt.
_ALWAYS, _USUAL = 3, ("", "1")


def import_table(intake: ImportedClass) -> Group:
    """Returns a row for each student who handed something in; below it who did not, and files of nobody.

    In a large class only those with a remark have a row. Times are in UTC.
    """
    missing = [one for one in intake.handed if _is_missing(one)]
    plain = [one for one in intake.handed if one not in missing and not _has_remark(one)]
    left_out_of_it = plain if len(plain) > _MAX_PLAIN else []
    rows = [one for one in intake.handed if one not in missing and one not in left_out_of_it]
    handed_in = len(intake.handed) - len(missing)
    more = f"{len(left_out_of_it):,} more handed in once, in time as far as that is known, with no remark"
    parts: list[object] = [
        *([_table(list(map(_row, rows))), Text()] if rows else []),
        *([Text(more)] if left_out_of_it else []),
        Text(f"{intake.kind}: {handed_in} of {len(intake.handed)} handed something in"),
    ]
    parts += _list("missing", [_missing(one) for one in missing])
    parts += _list("not understood", list(map(left_out, intake.not_understood)))
    return Group(*parts)  # type: ignore[arg-type]


def _table(rows: list[list[Text]]) -> Table:
    """Returns a table of the rows, without columns that say nothing."""
    heads = ("name", "key", "files", "handed in (UTC)", "late", "attempt", "remark")
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    is_informative = [any(row[place].plain not in _USUAL for row in rows) for place in range(len(heads))]
    columns = [place for place in range(len(heads)) if place < _ALWAYS or is_informative[place]]
    for place in columns:
        table.add_column(heads[place])
    for row in rows:
        table.add_row(*(row[place] for place in columns))
    return table


def left_out(one: LeftOut) -> str:
    """Returns a line on something in a download that is nobody's submission.

    >>> left_out(LeftOut("notes.txt", "no repository")), left_out(LeftOut("roster.csv"))
    ('notes.txt: no repository', 'roster.csv')
    """
    return f"{one.name}: {one.reason}" if one.reason else one.name


def _is_missing(one: ImportedSubmission) -> bool:
    return one.path is None and not one.problem


def _has_remark(one: ImportedSubmission) -> bool:
    return bool(one.problem or one.notes or one.is_late or one.attempt > 1 or one.earlier)


def _missing(one: ImportedSubmission) -> str:
    notes = f": {'; '.join(one.notes)}" if one.notes else ""
    return f"{one.person.name} ({one.person.key}){notes}"


def _row(one: ImportedSubmission) -> list[Text]:
    late = {None: "", True: "late", False: "no"}[one.is_late]
    attempt = f"{one.attempt} (and {one.earlier} not taken)" if one.earlier else str(one.attempt)
    remark = Text(one.problem, style="bold red")
    for note in one.notes:
        remark.append(f"\n{note}" if remark.plain else note, style="not bold default")
    more = len(one.files) - _MAX_FILES
    files = [*one.files[:_MAX_FILES], *([f"and {more} more"] if more > 0 else [])]
    at = "" if one.at is None else f"{one.at:%Y-%m-%d %H:%M}"
    return [
        *(Text(text) for text in (one.person.name, one.person.key, ", ".join(files), at)),
        Text(late, style="yellow" if one.is_late else ""),
        Text(attempt if one.path else ""),
        remark,
    ]


def _list(title: str, lines: list[str]) -> list[Text]:
    if not lines:
        return []
    more = [f"  and {len(lines) - _MAX_LISTED} more"] if len(lines) > _MAX_LISTED else []
    return [Text(f"{title}:"), *(Text(line) for line in [*(f"  {line}" for line in lines[:_MAX_LISTED]), *more])]
