"""The values of a person's pages: the grade, the marks, the sessions, and the sources.

Divides a conversation into steps. A step ends with a typed line, the last step ends with the conversation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import urlencode

from pitboss.assignments.assignment import Assignment
from pitboss.compare.results import Report, Result, StageReport
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.grades import format_number, percentage
from pitboss.gradebook.people import HandedIn
from pitboss.reports.pages import case_values, grade_values, submission_values
from pitboss.reports.review.source_view import CodeFile, annotated_files
from pitboss.reports.review.view import View, parsed_count
from pitboss.reports.score_table import mark_as_text, score_words
from pitboss.reports.screen import Line, PieceKind, cut_end, screen_difference, screen_lines, without_middles
from pitboss.reports.style_facts import Fact
from pitboss.submissions.importers.imported import Person

#: The maximum number of lines of a session and of columns of a line to show.
_MAX_LINES, _MAX_COLUMNS = 2_000, 2_000


class Step(NamedTuple):
    """The lines of the screen from one typed line to the next."""

    number: int
    lines: list[Line]
    #: Whether the session first differs from the expected session in this step.
    has_difference: bool


class Steps(NamedTuple):
    """The steps of a session."""

    steps: list[Step]
    #: The number of lines that are not displayed.
    more: int


def steps_of(result: Result) -> Steps:
    """Returns the program's conversation in steps.

    Long lines and long conversations are cut at the end, very long texts in the middle.
    """
    shortened, omitted_count = without_middles(result.actual.events, _MAX_LINES, _MAX_COLUMNS)
    lines = screen_lines(shortened)
    if lines and not lines[-1]:
        lines.pop()
    # The number of the line with the difference: the last line if the session only ends too early.
    difference_number = min(screen_difference(result.difference).number, len(lines)) if result.difference else 0
    steps: list[Step] = []
    pending: list[Line] = []
    has_difference = False
    for number, line in enumerate(lines[:_MAX_LINES], 1):
        pending.append(cut_end(line, _MAX_COLUMNS))
        has_difference |= number == difference_number
        if any(piece.kind is PieceKind.TYPED for piece in line):
            steps.append(Step(len(steps) + 1, pending, has_difference))
            pending, has_difference = [], False
    if pending:
        steps.append(Step(len(steps) + 1, pending, has_difference))
    return Steps(steps, max(0, len(lines) - _MAX_LINES) + omitted_count)


#: A function that computes facts about the style of sources. A source is a pair of a path and a text.
FactsFunction = Callable[[tuple[tuple[str, str], ...]], Iterable[Fact]]


def person_values(
    book: Gradebook, person: Person, assignment: Assignment, facts: FactsFunction, view: View
) -> dict[str, object]:
    record, history, marks = book.person_record(person), book.scores(person.key), book.marks(person.key)
    report = book.report(person.key)
    stages = submission_values(report, "")["stages"] if report else []
    return {
        "person": person,
        "report": report,
        "handed_in": record.handed_in,
        "state": _missing_report_sentence(record.handed_in, report),
        "stages": stages,
        "sessions": {stage.stage: _listed_sessions(person, stage, view) for stage in report.stages} if report else {},
        "grade": grade_values(history[-1].grade, record) if history else None,
        "requests": record.requests,
        "has_open_request": record.has_open_request,
        "earlier": [
            (after.at, score_words(before.grade), score_words(after.grade), after.why)
            for before, after in pairwise(history)
        ],
        "marks": [mark_as_text(mark) for mark in marks],
        "style_share": percentage(Fraction(record.style)) if record.style else "",
        "counts_style": bool(assignment.grading.style),
        "manual_scores": _manual_stages(assignment, dict(record.manual_scores)),
        "rubric": [(item, format_number(Fraction(item.points)), item in record.picked) for item in book.rubric()],
        "has_override": record.override is not None,
        "has_comments": bool(record.comments),
        "commented": list(dict.fromkeys(comment.place for comment in record.line_comments)),
        "code": source_values(book, person, facts),
    }


def _manual_stages(assignment: Assignment, shares: Mapping[str, str]) -> list[tuple[str, str]]:
    """Returns the manually graded stages with their scores as percentages; a missing score is empty.

    `shares` are the scores by stage, as texts of fractions.
    """
    names = [stage.name for stage in assignment.grading.stages if stage.is_manual]
    return [(name, percentage(Fraction(shares[name])) if name in shares else "") for name in names]


def _missing_report_sentence(handed_in: HandedIn | None, report: Report | None) -> str:
    """Returns a sentence if there is no report, else an empty text."""
    if report is not None:
        return ""
    if handed_in is None:
        return "Nothing was handed in."
    return handed_in.problem or "The submission has not been run yet: run `pitboss grade`."


def _listed_sessions(person: Person, stage: StageReport, view: View) -> list[tuple[Result, str]]:
    """Returns the results of a stage's sessions, each with the link to its page."""
    return [(result, session_link(person, stage.stage, number, view)) for number, result in enumerate(stage.results, 1)]


def session_link(person: Person, stage: str, number: int, view: View) -> str:
    """Returns the address of a session's page, in a view of the class; sessions are numbered from 1."""
    return f"session?{urlencode({'who': person.key, 'of': stage, 'number': number})}{_view_suffix(view)}"


def person_link(person: Person, view: View, page: str = "person") -> str:
    """Returns the address of one of a person's pages, in a view of the class."""
    return f"{page}?{urlencode({'who': person.key})}{_view_suffix(view)}"


def _view_suffix(view: View) -> str:
    return f"&{view.query}" if view.query else ""


def source_values(book: Gradebook, person: Person, facts: FactsFunction, stage: str = "") -> list[CodeFile]:
    """Returns the sources of a person's graded submission with remarks on their lines.

    Sources with the name of `stage` in their path come first.
    """
    sources = sorted(book.sources(person.key), key=lambda source: not stage or stage not in source.path.casefold())
    line_facts = facts(tuple((source.path, source.text) for source in sources))
    return annotated_files(sources, book.report(person.key), line_facts, book.person_record(person).line_comments)


def session_values(
    report: Report | None, person: Person, query: Mapping[str, str], view: View
) -> dict[str, object] | None:
    """Returns all values of the page of the session that a query requests; None if there is no such session."""
    stage = (
        next((candidate for candidate in report.stages if candidate.stage == query.get("of")), None) if report else None
    )
    number = parsed_count(query.get("number", "")) or 0
    if stage is None or not 1 <= number <= len(stage.results):
        return None
    result = stage.results[number - 1]
    # The links to the previous and the next session.
    links = {
        linked_number: session_link(person, stage.stage, linked_number, view)
        for linked_number in (number - 1, number + 1)
    }
    return {
        "stage": stage,
        "number": number,
        "case": case_values(result),
        "conversation": steps_of(result),
        "before": links[number - 1] if number > 1 else "",
        "after": links[number + 1] if number < len(stage.results) else "",
    }
