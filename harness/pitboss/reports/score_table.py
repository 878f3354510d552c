"""Scores of a class, and one person's score line by line: in the terminal, as CSV and as JSON."""

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
    names = distinct_names(row.person for row, _ in everybody)
    lines: list[StageRow] = []
    late: list[str] = []
    final, remarks, waiting = 0, list[tuple[str, str]](), list[str]()
    for row, scored in everybody:
        name = names[row.person.key]
        late.append(late_words(row, due))
        lines.append(((name, score_words(scored.grade if scored else None)), _stages_by_name(row)))
        remarks += [(name, remark)] if (remark := _person_remark(row, scored)) else []
        remarks += [(name, note) for note in notes_on(row.report)] if row.report else []
        waiting += [name] * row.has_open_request
        final += scored is not None and scored.grade.score is not None
    footer = [Text(f"{final} of {len(lines)} have a final score")]
    if waiting:
        footer.append(Text(f"{len(waiting)} open request{'s' if len(waiting) > 1 else ''}: {listed(waiting)}"))
    footer += [Text(remark, style="dim") for remark in joined_remarks(remarks)]
    heads = ["name", "score"]
    if any(late):
        heads.append("late")
        lines = [((*cells, lateness), by_name) for (cells, by_name), lateness in zip(lines, late, strict=True)]
    return Group(StageTable(heads, stages, lines), *footer)


def person_sum(name: str, row: PersonRecord, history: Sequence[Scored], marks: Sequence[Mark]) -> Group:
    """Returns a person's score line by line, earlier scores with reasons, and all marks, under the heading `name`."""
    parts: list[Text | Table] = [Text(name, style="bold")]
    if row.handed_in is not None and row.handed_in.at is not None:
        parts.append(Text(f"handed in {row.handed_in.at:%Y-%m-%d %H:%M:%S %Z}, {row.handed_in.source}", style="dim"))
    if row.handed_in is None:
        parts.append(Text("nothing was handed in"))
    parts += [Text(note, style="dim") for note in (row.handed_in.notes if row.handed_in else ())]
    if history:
        parts += [Text(), _sum_table(history[-1].grade)]
        parts += [Text(f"not final: {reason}", style="yellow") for reason in history[-1].grade.open]
    if len(history) > 1:
        parts += [Text(), Text("earlier", style="bold")]
    for before, after in pairwise(history):
        parts.append(Text(f"{after.at}  {score_words(before.grade)} → {score_words(after.grade)}"))
        parts += [Text(f"    {reason}", style="dim") for reason in after.why]
    if row.requests:
        parts += [
            Text(),
            Text("requests", style="bold"),
            *(line for request in row.requests for line in _request_lines(request)),
        ]
    if marks:
        parts += [Text(), Text("marks", style="bold")]
        parts += [
            Text(f"{mark.at}  {mark.what} {mark.value}, {mark.by}  {mark.reason}".rstrip())
            for mark in map(worded_mark, marks)
        ]
    return Group(*parts)


def _request_lines(request: Request) -> list[Text]:
    lines = [Text(f"{request.at}  {request.text}")]
    if request.state == "open":
        return [*lines, Text("    open: `pitboss mark` takes --answer TEXT or --decline TEXT", style="yellow")]
    return [*lines, Text(f"    {request.state} by {request.answered_by}: {request.answer}")]


def _sum_table(grade: Grade) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, show_header=False, show_footer=True)
    table.add_column(footer="score")
    table.add_column(footer=f"{score_words(grade)} of {format_number(grade.out_of)}", justify="right")
    for line in grade.lines:
        table.add_row(Text(line.text), Text(format_number(line.amount)))
    return table


def _stages_by_name(row: PersonRecord) -> dict[str, StageReport]:
    return {stage.stage: stage for stage in row.report.stages} if row.report else {}


def _person_remark(row: PersonRecord, scored: Scored | None) -> str:
    if row.handed_in is None:
        return "nothing handed in"
    if row.handed_in.problem or row.is_waiting:
        return row.handed_in.problem or "not run yet"
    first, *more = (scored.grade.open if scored else ()) or ("",)
    reasons = f"{len(more)} more reason{'s' if len(more) > 1 else ''}"
    return f"{first}, and {reasons}" if more else first


def scores_csv(stages: Sequence[str], rows: _Rows, due: datetime.datetime | None) -> str:
    """A row for each person: identity, lateness, score, maximum, and each stage's verdict and counts.

    `due` is the due date of the class.
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
        by_name = _stages_by_name(row)
        for name in stages:
            stage = by_name.get(name)
            counts: list[object] = [stage.passed, stage.total] if stage and not stage.is_manual else ["", ""]
            cells += [stage.verdict.value if stage else "", *counts]
        writer.writerow([*cells, safe_cell("; ".join(grade.open)) if grade else ""])
    return target.getvalue()


def scores_json(about: Mapping[str, str], rows: _Rows) -> str:
    """Scores with the lines that add up to them. Numbers are strings, which are exact."""
    people = tuple(_person_json(row, scored) for row, scored in rows)
    due = about.get("due", "").partition("[")[0]  # without the name of its time zone
    return dumped(shapes.Scores(shapes.SCORES_FORMAT, about.get("assignment", ""), due, people))


def _person_json(row: PersonRecord, scored: Scored | None) -> shapes.PersonScore:
    grade, report, override = scored.grade if scored else None, row.report, row.override
    stages = report.stages if report else ()
    return shapes.PersonScore(
        key=row.person.key,
        name=row.person.name,
        email=row.person.email,
        section=row.person.section,
        handed_in=_hand_in_json(row.handed_in) if row.handed_in else None,
        score=str(grade.score) if grade and grade.score is not None else None,
        out_of=str(grade.out_of) if grade else None,
        sum=tuple(shapes.SumLine(line.text, str(line.amount)) for line in grade.lines) if grade else (),
        open=grade.open if grade else (),
        style=row.style or None,
        override=shapes.SetScore(override.value, override.reason) if override else None,
        line_comments=tuple(
            shapes.CommentAt(comment.path, comment.line, comment.text) for comment in row.line_comments
        ),
        rubric=tuple(shapes.PickedItem(item.key, item.text, item.points) for item in row.picked),
        comments=tuple(comment.value for comment in row.comments),
        requests=tuple(
            shapes.RegradeRequest(
                request.text,
                request.state,
                request.by,
                request.at,
                request.answer,
                request.answered_by,
                request.answered_at,
            )
            for request in row.requests
        ),
        verdict=report.verdict if report else Verdict.NOT_HANDED_IN,
        stages=tuple(shapes.StageCounts(stage.stage, stage.verdict, stage.passed, stage.total) for stage in stages),
    )


def _hand_in_json(handed: HandedIn) -> shapes.ReportedHandIn:
    at = handed.at.isoformat() if handed.at else None
    return shapes.ReportedHandIn(at, handed.program, handed.attempt, handed.source, handed.problem)
