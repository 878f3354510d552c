"""The values of the page of a class: people, filters, the distribution of scores, common failures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pitboss.assignments.assignment import Assignment
from pitboss.compare.verdicts import Verdict
from pitboss.gradebook.number_format import format_number, percentage
from pitboss.reports.review.overview import (
    Cell,
    PersonSummary,
    distribution,
    median_score,
    most_common_mistakes,
    most_failed_cases,
)
from pitboss.reports.review.person import person_link
from pitboss.reports.review.view import (
    NO_PROGRAM,
    NO_STYLE,
    OPEN,
    OVERRIDDEN,
    PAGE_SIZE,
    REQUESTED,
    SORTS,
    STATES,
    View,
    filtered_people,
    page_of,
)
from pitboss.reports.score_words import score_words


class Head(NamedTuple):
    """The head of a column of the table."""

    text: str
    #: The link that sorts the table by the column.
    link: str
    #: The value of aria-sort: `ascending` or `descending`; empty if the table is not sorted by the column.
    sorted: str


class PersonLine(NamedTuple):
    """A person's row in the table."""

    name: str
    key: str
    link: str
    section: str
    score: str
    is_overridden: bool
    has_open_request: bool
    #: The style score as a percentage; empty if style is not graded yet.
    style: str
    #: For each stage of the assignment the values of `_cell_values`; None for a stage that the report lacks.
    cells: list[tuple[Cell, str, str] | None]
    #: Why there is no report; empty if there is a report.
    state: str


def class_values(assignment: Assignment, class_: Sequence[PersonSummary], view: View) -> dict[str, object]:
    """Returns the values of the page: `class_` are all people of the review, of whom `view` selects some."""
    selected = filtered_people(view, class_)
    first = page_of(view, len(selected)) * PAGE_SIZE
    people_on_page = selected[first : first + PAGE_SIZE]
    stages = [stage.name for stage in assignment.stages]
    median, out_of = median_score(class_), next((brief.grade.out_of for brief in class_ if brief.grade), None)
    return {
        "title": assignment.title,
        "view": view,
        "heads": [_column_head(name, view) for name in ("name", "section", "score", "style", *stages)],
        "has_sections": any(brief.person.section for brief in class_),
        "lines": [_person_line(brief, stages, view) for brief in people_on_page],
        "first": first + 1,
        "chosen": len(selected),
        "pages": _page_links(view, selected, first // PAGE_SIZE),
        "everybody": len(class_),
        "requests": sum(brief.has_open_request for brief in class_),
        "requests_link": _view_link(View(state=REQUESTED)),
        "final": sum(brief.score is not None for brief in class_),
        "median": format_number(median) if median is not None else "",
        "out_of": format_number(out_of) if out_of is not None else "",
        "ranges": distribution(class_),
        "mistakes": [(failure, _view_link(View(mistake=failure.text))) for failure in most_common_mistakes(class_)],
        "cases": [(failure, _view_link(View(case=failure.text))) for failure in most_failed_cases(class_)],
        "choices": _filter_choices(stages, class_),
    }


def _page_links(view: View, selected: Sequence[PersonSummary], current: int) -> list[tuple[str, str]]:
    """Returns a label and a link for each page; empty if all people are on one page.

    A label names the first and the last person of its page. `current` is the index of the current page, whose link is
    empty.
    """
    pages = [selected[first : first + PAGE_SIZE] for first in range(0, len(selected), PAGE_SIZE)]
    links = ["" if number == current else _view_link(view.but(page=str(number + 1))) for number in range(len(pages))]
    names_at_ends = [tuple(dict.fromkeys((page[0].person.name, page[-1].person.name))) for page in pages]
    labels = [" to ".join(names) for names in names_at_ends]
    return list(zip(labels, links, strict=True)) if len(pages) > 1 else []


def _view_link(view: View) -> str:
    return f"?{view.query}" if view.query else "./"


def _column_head(name: str, view: View) -> Head:
    """Returns the head of a column.

    Its link first sorts names and sections in ascending order, all other columns in descending order. If the table is
    already sorted like this, the link reverses the order.
    """
    default_sort = name if name in ("name", "section") else f"-{name}"
    reversed_sort = name if default_sort.startswith("-") else f"-{name}"
    current_sort = view.sort or "name"
    sorted_ = (
        "" if current_sort.removeprefix("-") != name else "descending" if current_sort.startswith("-") else "ascending"
    )
    return Head(
        name,
        _view_link(view.but(sort=reversed_sort if current_sort == default_sort else default_sort, page="")),
        sorted_,
    )


def _person_line(brief: PersonSummary, stages: Sequence[str], view: View) -> PersonLine:
    cells = {cell.name: cell for cell in brief.stages}
    return PersonLine(
        brief.person.name,
        brief.person.key,
        person_link(brief.person, view),
        brief.person.section,
        score_words(brief.grade),
        brief.is_overridden,
        brief.has_open_request,
        percentage(brief.style_share) if brief.style_share is not None else "",
        [_cell_values(cells[name]) if name in cells else None for name in stages],
        brief.state,
    )


def _cell_values(cell: Cell) -> tuple[Cell, str, str]:
    """Returns a cell, its verdict in words, and after a failure its count, such as `3 of 5`; else an empty count."""
    failed = cell.total and cell.verdict not in (Verdict.ACCEPTED, Verdict.NEEDS_REVIEW)
    return cell, cell.verdict.words, f"{cell.passed} of {cell.total}" if failed else ""


def _filter_choices(stages: Sequence[str], class_: Sequence[PersonSummary]) -> dict[str, list[tuple[str, str]]]:
    """Returns the choices of each list in the filter form, as pairs of a value and a label."""
    verdicts = {brief.verdict for brief in class_ if brief.verdict}
    verdicts |= {cell.verdict.value for brief in class_ for cell in brief.stages}
    cases = sorted({case for brief in class_ for case in brief.failed})
    mistakes = sorted({title for brief in class_ for title in brief.mistakes})
    verdict_choices: list[tuple[str, str]] = [
        (verdict.value, verdict.words) for verdict in Verdict if verdict.value in verdicts
    ]
    states = {
        OPEN: "score not final",
        OVERRIDDEN: OVERRIDDEN,
        NO_STYLE: "no style score",
        REQUESTED: REQUESTED,
        NO_PROGRAM: "no program found",
    }
    return {
        "stage": [(name, name) for name in stages],
        "verdict": verdict_choices,
        "case": [(text, text) for text in cases],
        "mistake": [(text, text) for text in mistakes],
        "state": [(name, states[name]) for name in STATES],
        "sort": [(name, name) for name in (*SORTS, *stages)],
    }
