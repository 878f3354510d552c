"""Scores of a class, and the sum of one: for people in the terminal, as CSV and as JSON."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from pitboss.compare.results import StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.errors import listed
from pitboss.gradebook.grades import Grade
from pitboss.gradebook.number_format import format_number
from pitboss.gradebook.numerals import numeral, percentage_numeral
from pitboss.gradebook.person_records import HandedIn, Mark, PersonRecord, Request, Scored
from pitboss.reports import shapes
from pitboss.reports.class_table import StageRow, StageTable, joined_remarks, notes_on
from pitboss.reports.json_and_csv import dumped
from pitboss.reports.mark_words import worded_mark
from pitboss.reports.score_words import late_words, score_words
from pitboss.reports.spreadsheets import safe_cell
from pitboss.submissions.importers.imported import distinct_names

_Rows = Iterable[tuple[PersonRecord, Scored | None]]


def score_table(stages: Sequence[str], rows: _Rows, due: datetime.datetime | None) -> Group:
    """Returns a row for each person, with the score and each stage; remarks on people below.

    If somebody was late, a column says how late; `due` is the due date of the class.
    """
    everybody = list(rows)
    called = distinct_names(row.person for row, _ in everybody)
    lines: list[StageRow] = []
    late: list[str] = []
    final, remarks, waiting = 0, list[tuple[str, str]](), list[str]()
    for row, scored in everybody:
        name = called[row.person.key]
        late.append(late_words(row, due))
        lines.append(((name, score_words(scored.grade if scored else None)), _by_name(row)))
        remarks += [(name, remark)] if (remark := _remark(row, scored)) else []
        remarks += [(name, note) for note in notes_on(row.report)] if row.report else []
        waiting += [name] * row.has_open_request
        final += scored is not None and scored.grade.score is not None
    last = [Text(f"{final} of {len(lines)} have a final score")]
    if waiting:
        last.append(Text(f"{len(waiting)} open request{'s' if len(waiting) > 1 else ''}: {listed(waiting)}"))
    last += [Text(remark, style="dim") for remark in joined_remarks(remarks)]
    heads = ["name", "score"]
    if any(late):
        heads.append("late")
        lines = [((*cells, words), by_name) for (cells, by_name), words in zip(lines, late, strict=True)]
    return Group(StageTable(heads, stages, lines), *last)


def person_sum(name: str, row: PersonRecord, history: Sequence[Scored], marks: Sequence[Mark]) -> Group:
    """Returns the sum of a person, called `name`, line by line, earlier scores with the reasons, and all marks."""
    parts: list[Text | Table] = [Text(name, style="bold")]
    if row.handed_in is not None and row.handed_in.at is not None:
        parts.append(Text(f"handed in {row.handed_in.at:%Y-%m-%d %H:%M:%S %Z}, {row.handed_in.source}", style="dim"))
    if row.handed_in is None:
        parts.append(Text("nothing was handed in"))
    parts += [Text(note, style="dim") for note in (row.handed_in.notes if row.handed_in else ())]
    if history:
        parts += [Text(), _sum(history[-1].grade)]
        parts += [Text(f"not final: {reason}", style="yellow") for reason in history[-1].grade.open]
    if len(history) > 1:
        parts += [Text(), Text("earlier", style="bold")]
    for before, after in pairwise(history):
        parts.append(Text(f"{after.at}  {score_words(before.grade)} → {score_words(after.grade)}"))
        parts += [Text(f"    {reason}", style="dim") for reason in after.why]
    if row.requests:
        parts += [Text(), Text("requests", style="bold"), *(line for one in row.requests for line in _request(one))]
    if marks:
        parts += [Text(), Text("marks", style="bold")]
        parts += [
            Text(f"{one.at}  {one.what} {one.value}, {one.by}  {one.reason}".rstrip())
            for one in map(worded_mark, marks)
        ]
    return Group(*parts)


def _request(request: Request) -> list[Text]:
    lines = [Text(f"{request.at}  {request.text}")]
    if request.state == "open":
        return [*lines, Text("    open: `pitboss mark` takes --answer TEXT or --decline TEXT", style="yellow")]
    return [*lines, Text(f"    {request.state} by {request.answered_by}: {request.answer}")]


def _sum(grade: Grade) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, show_header=False, show_footer=True)
    table.add_column(footer="score")
    table.add_column(footer=f"{score_words(grade)} of {format_number(grade.out_of)}", justify="right")
    for line in grade.lines:
        table.add_row(Text(line.text), Text(format_number(line.amount)))
    return table


def _by_name(row: PersonRecord) -> dict[str, StageReport]:
    return {stage.stage: stage for stage in row.report.stages} if row.report else {}


def _remark(row: PersonRecord, scored: Scored | None) -> str:
    if row.handed_in is None:
        return "nothing handed in"
    if row.handed_in.problem or row.is_waiting:
        return row.handed_in.problem or "not run yet"
    first, *more = (scored.grade.open if scored else ()) or ("",)
    reasons = f"{len(more)} more reason{'s' if len(more) > 1 else ''}"
    return f"{first}, and {reasons}" if more else first


def scores_csv(stages: Sequence[str], rows: _Rows, due: datetime.datetime | None) -> str:
    """A row for each person: who it is, how late, the score, what it is out of, each stage's verdict and counts.

    `due` is when the class was to hand in.
    """
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    heads = [f"{stage}{column}" for stage in stages for column in ("", " passed", " total")]
    writer.writerow(
        ["key", "name", "email", "section", "handed in", "late", "score", "out of", "style", *heads, "open"]
    )
    for row, scored in rows:
        grade = scored.grade if scored else None
        at = row.handed_in.at.isoformat() if row.handed_in and row.handed_in.at else ""
        cells: list[object] = [safe_cell(text) for text in (row.person.key, row.person.name)]
        cells += [safe_cell(text) for text in (row.person.email, row.person.section)]
        score = numeral(grade.score) if grade and grade.score is not None else ""
        cells += [
            at,
            late_words(row, due),
            score,
            numeral(grade.out_of) if grade else "",
            percentage_numeral(row.style),
        ]
        by_name = _by_name(row)
        for name in stages:
            stage = by_name.get(name)
            counts: list[object] = [stage.passed, stage.total] if stage and not stage.is_manual else ["", ""]
            cells += [stage.verdict.value if stage else "", *counts]
        writer.writerow([*cells, safe_cell("; ".join(grade.open)) if grade else ""])
    return target.getvalue()


def scores_json(about: Mapping[str, str], rows: _Rows) -> str:
    """Scores with their sums. Numbers are texts, which are exact."""
    people = tuple(_person(row, scored) for row, scored in rows)
    due = about.get("due", "").partition("[")[0]  # without the name of its time zone
    return dumped(shapes.Scores(shapes.SCORES_FORMAT, about.get("assignment", ""), due, people))


def _person(row: PersonRecord, scored: Scored | None) -> shapes.PersonScore:
    grade, report, override = scored.grade if scored else None, row.report, row.override
    stages = report.stages if report else ()
    return shapes.PersonScore(
        key=row.person.key,
        name=row.person.name,
        email=row.person.email,
        section=row.person.section,
        handed_in=_handed_in(row.handed_in) if row.handed_in else None,
        score=str(grade.score) if grade and grade.score is not None else None,
        out_of=str(grade.out_of) if grade else None,
        sum=tuple(shapes.SumLine(line.text, str(line.amount)) for line in grade.lines) if grade else (),
        open=grade.open if grade else (),
        style=row.style or None,
        override=shapes.SetScore(override.value, override.reason) if override else None,
        line_comments=tuple(shapes.CommentAt(one.path, one.line, one.text) for one in row.line_comments),
        rubric=tuple(shapes.PickedItem(one.key, one.text, one.points) for one in row.picked),
        comments=tuple(one.value for one in row.comments),
        requests=tuple(
            shapes.RegradeRequest(one.text, one.state, one.by, one.at, one.answer, one.answered_by, one.answered_at)
            for one in row.requests
        ),
        verdict=report.verdict if report else Verdict.NOT_HANDED_IN,
        stages=tuple(shapes.StageCounts(one.stage, one.verdict, one.passed, one.total) for one in stages),
    )


def _handed_in(handed: HandedIn) -> shapes.ReportedHandIn:
    at = handed.at.isoformat() if handed.at else None
    return shapes.ReportedHandIn(at, handed.program, handed.attempt, handed.source, handed.problem)
