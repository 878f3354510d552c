"""Scores of a class, one person's score line by line, and the effects of a grading policy: as tables, CSV and JSON."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from pitboss.compare.results import StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.errors import listed
from pitboss.gradebook.grades import Grade, GradeLine, format_number, numeral, percentage_numeral
from pitboss.gradebook.people import HandedIn, Mark, PersonRecord, Request, Scored
from pitboss.gradebook.policy_effects import Distribution, PolicyChange, PolicyEffect, distribution_of
from pitboss.reports import shapes
from pitboss.reports.class_table import StageRow, StageTable, joined_remarks, notes_on
from pitboss.reports.json_and_csv import format_json
from pitboss.reports.score_words import lateness_text, mark_as_text, score_words
from pitboss.reports.spreadsheets import safe_cell
from pitboss.submissions.importers.imported import distinct_names

#: The people of a class, each with the current score; None for a person without a score.
_Rows = Iterable[tuple[PersonRecord, Scored | None]]


def score_table(stages: Sequence[str], rows: _Rows, due: datetime.datetime | None) -> Group:
    """Returns a table with a row for each person, and remarks on people below the table.

    A row has the person's score and stages. If somebody was late, a column says how late; `due` is the due date of
    the class.
    """
    everybody = list(rows)
    names = distinct_names(record.person for record, _ in everybody)
    table_rows: list[StageRow] = []
    lateness_texts: list[str] = []
    remarks: list[tuple[str, str]] = []
    requesters: list[str] = []
    final_count = 0
    for record, scored in everybody:
        name = names[record.person.key]
        lateness_texts.append(lateness_text(record, due))
        table_rows.append(((name, score_words(scored.grade if scored else None)), _stage_reports_by_name(record)))
        remarks += [(name, remark)] if (remark := _person_remark(record, scored)) else []
        remarks += [(name, note) for note in notes_on(record.report)] if record.report else []
        if record.has_open_request:
            requesters.append(name)
        final_count += scored is not None and scored.grade.score is not None
    footer = [Text(f"{final_count} of {len(table_rows)} have a final score")]
    if requesters:
        footer.append(Text(f"{len(requesters)} open request{'s' if len(requesters) > 1 else ''}: {listed(requesters)}"))
    footer += [Text(remark, style="dim") for remark in joined_remarks(remarks)]
    heads = ["name", "score"]
    if any(lateness_texts):
        heads.append("late")
        table_rows = [
            ((*cells, lateness), by_name) for (cells, by_name), lateness in zip(table_rows, lateness_texts, strict=True)
        ]
    return Group(StageTable(heads, stages, table_rows), *footer)


def person_score_view(name: str, record: PersonRecord, history: Sequence[Scored], marks: Sequence[Mark]) -> Group:
    """Returns a person's score line by line, the changes of the score with reasons, the requests and the marks.

    `name` is the heading; `history` has the person's scores, the current score last.
    """
    parts: list[Text | Table] = [Text(name, style="bold")]
    handed_in = record.handed_in
    if handed_in is not None and handed_in.at is not None:
        parts.append(Text(f"handed in {handed_in.at:%Y-%m-%d %H:%M:%S %Z}, {handed_in.source}", style="dim"))
    if handed_in is None:
        parts.append(Text("nothing was handed in"))
    parts += [Text(note, style="dim") for note in (handed_in.notes if handed_in else ())]
    if history:
        parts += [Text(), _sum_table(history[-1].grade)]
        parts += [Text(f"not final: {reason}", style="yellow") for reason in history[-1].grade.open]
    if len(history) > 1:
        parts += [Text(), Text("earlier", style="bold")]
    for before, after in pairwise(history):
        parts.append(Text(f"{after.at}  {score_words(before.grade)} → {score_words(after.grade)}"))
        parts += [Text(f"    {reason}", style="dim") for reason in after.why]
    if record.requests:
        parts += [
            Text(),
            Text("requests", style="bold"),
            *(line for request in record.requests for line in _request_lines(request)),
        ]
    if marks:
        parts += [Text(), Text("marks", style="bold")]
        parts += [
            Text(f"{mark.at}  {mark.label} {mark.value}, {mark.by}  {mark.reason}".rstrip())
            for mark in map(mark_as_text, marks)
        ]
    return Group(*parts)


def _request_lines(request: Request) -> list[Text]:
    lines = [Text(f"{request.at}  {request.text}")]
    if request.state == "open":
        return [*lines, Text("    open: `pitboss mark` takes --answer TEXT or --decline TEXT", style="yellow")]
    return [*lines, Text(f"    {request.state} by {request.answered_by}: {request.answer}")]


def _sum_table(grade: Grade) -> Table:
    """Returns the lines that add up to a grade, and the score below them."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, show_header=False, show_footer=True)
    table.add_column(footer="score")
    table.add_column(footer=f"{score_words(grade)} of {format_number(grade.out_of)}", justify="right")
    for line in grade.lines:
        table.add_row(Text(line.text), Text(format_number(line.amount)))
    return table


def _stage_reports_by_name(record: PersonRecord) -> dict[str, StageReport]:
    return {stage.stage: stage for stage in record.report.stages} if record.report else {}


def _person_remark(record: PersonRecord, scored: Scored | None) -> str:
    if record.handed_in is None:
        return "nothing handed in"
    if record.handed_in.problem or record.is_waiting:
        return record.handed_in.problem or "not run yet"
    first_reason, *others = (scored.grade.open if scored else ()) or ("",)
    others_clause = f"{len(others)} more reason{'s' if len(others) > 1 else ''}"
    return f"{first_reason}, and {others_clause}" if others else first_reason


def scores_csv(stages: Sequence[str], rows: _Rows, due: datetime.datetime | None) -> str:
    """Returns a CSV table with a row for each person: identity, lateness, score, maximum score, and stages.

    A stage has three columns: its verdict, and how many of how many sessions were accepted. `due` is the due date of
    the class.
    """
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    stage_heads = [f"{stage}{column}" for stage in stages for column in ("", " passed", " total")]
    writer.writerow(
        ["key", "name", "email", "section", "handed in", "late", "score", "out of", "style", *stage_heads, "open"]
    )
    for record, scored in rows:
        grade = scored.grade if scored else None
        submission_time = record.handed_in.at.isoformat() if record.handed_in and record.handed_in.at else ""
        cells: list[object] = [safe_cell(text) for text in (record.person.key, record.person.name)]
        cells += [safe_cell(text) for text in (record.person.email, record.person.section)]
        score = numeral(grade.score) if grade and grade.score is not None else ""
        cells += [
            submission_time,
            lateness_text(record, due),
            score,
            numeral(grade.out_of) if grade else "",
            percentage_numeral(record.style),
        ]
        by_name = _stage_reports_by_name(record)
        for name in stages:
            stage = by_name.get(name)
            counts: list[object] = [stage.passed, stage.total] if stage and not stage.is_manual else ["", ""]
            cells += [stage.verdict.value if stage else "", *counts]
        writer.writerow([*cells, safe_cell("; ".join(grade.open)) if grade else ""])
    return target.getvalue()


def scores_json(about: Mapping[str, str], rows: _Rows) -> str:
    """Returns the scores of a class as JSON, with the lines that add up to each score.

    Numbers are strings, since a fraction such as 7/3 is exact. `about` has the class's `assignment` and `due` date.
    """
    people = tuple(_person_json(record, scored) for record, scored in rows)
    due = about.get("due", "").partition("[")[0]  # without the time zone's name in brackets
    return format_json(shapes.Scores(shapes.SCORES_FORMAT, about.get("assignment", ""), due, people))


def _person_json(record: PersonRecord, scored: Scored | None) -> shapes.PersonScore:
    grade, report, override = scored.grade if scored else None, record.report, record.override
    stages = report.stages if report else ()
    return shapes.PersonScore(
        key=record.person.key,
        name=record.person.name,
        email=record.person.email,
        section=record.person.section,
        handed_in=_hand_in_json(record.handed_in) if record.handed_in else None,
        score=str(grade.score) if grade and grade.score is not None else None,
        out_of=str(grade.out_of) if grade else None,
        sum=tuple(shapes.SumLine(line.text, str(line.amount)) for line in grade.lines) if grade else (),
        open=grade.open if grade else (),
        style=record.style or None,
        override=shapes.SetScore(override.value, override.reason) if override else None,
        line_comments=tuple(
            shapes.CommentAt(comment.path, comment.line, comment.text) for comment in record.line_comments
        ),
        rubric=tuple(shapes.PickedItem(item.key, item.text, item.points) for item in record.picked),
        comments=tuple(comment.value for comment in record.comments),
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
            for request in record.requests
        ),
        verdict=report.verdict if report else Verdict.NOT_HANDED_IN,
        stages=tuple(shapes.StageCounts(stage.stage, stage.verdict, stage.passed, stage.total) for stage in stages),
    )


def _hand_in_json(hand_in: HandedIn) -> shapes.ReportedHandIn:
    submission_time = hand_in.at.isoformat() if hand_in.at else None
    return shapes.ReportedHandIn(submission_time, hand_in.program, hand_in.attempt, hand_in.source, hand_in.problem)


def policy_table(change: PolicyChange, *, has_details: bool) -> Group:
    """Returns a table with a row for each person whose score would change, then a summary of the class.

    With details, each row contains the changed lines of the grade.
    """
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("name")
    for heading in ("now", "then", ""):
        table.add_column(heading, justify="right")
    if has_details:
        table.add_column("changed lines")
    for effect in change.effects:
        if effect.is_changed:
            difference = _signed(effect.difference) if effect.difference is not None else ""
            details = [_changed_lines(effect)] if has_details else []
            table.add_row(Text(effect.name), score_words(effect.old), score_words(effect.new), difference, *details)
    parts: list[Table | Text] = [table, Text()] if table.row_count else []
    counts = f"{change.up} would rise, {change.down} would fall, {change.same} would stay"
    parts.append(Text(f"{counts}, {change.unknown_changes} unknown" if change.unknown_changes else counts))
    # Only people whose scores are final under both policies: both distributions are about the same people.
    final = [effect for effect in change.effects if effect.difference is not None]
    old, new = (distribution_of(getattr(effect, name) for effect in final) for name in ("old", "new"))
    return Group(*parts, _distribution_table(old, new))


def _changed_lines(effect: PolicyEffect) -> Text:
    """Returns the lines that the new policy would remove from a grade (−) and add to it (+)."""
    lines = [
        *(_line_text("−", line) for line in effect.old_lines),
        *(_line_text("+", line) for line in effect.new_lines),
    ]
    return Text("\n".join(lines), style="dim")


def _line_text(sign: str, line: GradeLine) -> str:
    return f"{sign} {line.text}: {format_number(line.amount)}"


def _signed(difference: Fraction) -> str:
    return f"{'+' if difference > 0 else ''}{format_number(difference)}"


def _distribution_table(old: Distribution, new: Distribution) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("scores final under both policies")
    for heading in ("now", "then"):
        table.add_column(heading, justify="right")
    for name in ("lowest", "median", "mean", "highest"):
        table.add_row(name, *(_number(getattr(distribution, name)) for distribution in (old, new)))
    return table


def _number(number: Fraction | None) -> str:
    return "" if number is None else format_number(number)
