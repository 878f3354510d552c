"""What a download of a class holds, for a person to read before anything runs, as rich text."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from pitboss.submissions.importers.handed import Handed, Intake, LeftOut

#: Of a row's files, and of the list below the table.
_MOST_FILES, _MOST_LISTED = 4, 30


def intake_table(intake: Intake) -> Group:
    """A row for each person who handed something in; below it who did not, and what belongs to nobody.

    Times are in UTC.
    """
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("name", "key", "files", "handed in (UTC)", "late", "attempt", "remark"):
        table.add_column(name)
    missing = [one for one in intake.handed if _is_missing(one)]
    for one in intake.handed:
        if one not in missing:
            table.add_row(*_row(one))
    handed_in = len(intake.handed) - len(missing)
    parts: list[object] = [
        table,
        Text(),
        Text(f"{intake.kind}: {handed_in} of {len(intake.handed)} handed something in"),
    ]
    parts += _list("missing", [_missing(one) for one in missing])
    parts += _list("not understood", list(map(left_out, intake.not_understood)))
    return Group(*parts)  # type: ignore[arg-type]


def left_out(one: LeftOut) -> str:
    """What lies in a download and is nobody's submission, in a line.

    >>> left_out(LeftOut("notes.txt", "no repository")), left_out(LeftOut("roster.csv"))
    ('notes.txt: no repository', 'roster.csv')
    """
    return f"{one.name}: {one.reason}" if one.reason else one.name


def _is_missing(one: Handed) -> bool:
    return one.path is None and not one.problem


def _missing(one: Handed) -> str:
    notes = f": {'; '.join(one.notes)}" if one.notes else ""
    return f"{one.person.name} ({one.person.key}){notes}"


def _row(one: Handed) -> list[Text]:
    late = {None: "", True: "late", False: "no"}[one.is_late]
    attempt = f"{one.attempt} (and {one.earlier} not taken)" if one.earlier else str(one.attempt)
    remark = Text(one.problem, style="bold red")
    for note in one.notes:
        remark.append(f"\n{note}" if remark.plain else note, style="not bold default")
    more = len(one.files) - _MOST_FILES
    files = [*one.files[:_MOST_FILES], *([f"and {more} more"] if more > 0 else [])]
    at = "" if one.at is None else f"{one.at:%Y-%m-%d %H:%M}"
    return [
        *(Text(text) for text in (one.person.name, one.person.key, "\n".join(files), at)),
        Text(late, style="yellow" if one.is_late else ""),
        Text(attempt if one.path else ""),
        remark,
    ]


def _list(title: str, lines: list[str]) -> list[Text]:
    if not lines:
        return []
    more = [f"  and {len(lines) - _MOST_LISTED} more"] if len(lines) > _MOST_LISTED else []
    return [Text(f"{title}:"), *(Text(line) for line in [*(f"  {line}" for line in lines[:_MOST_LISTED]), *more])]
