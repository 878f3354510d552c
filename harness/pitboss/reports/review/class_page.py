"""The values of the page of a class: people, filters, the distribution of scores, common failures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pitboss.assignments.assignment import Assignment
from pitboss.compare.results import Verdict
from pitboss.gradebook.grades import format_number, percentage
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
from pitboss.reports.score_table import score_words


class Head(NamedTuple):
    """The head of a column of the table."""

    text: str
    #: The link that sorts the table by the column.
    link: str
    #: The value of aria-sort: `ascending` or `descending`; empty if the table is not sorted by the column.
    sort_direction: str


class PersonLine(NamedTuple):
    """A person's row in the table."""

    summary: PersonSummary
    link: str
    score: str
    #: The style score as a percentage; empty if style is not graded yet.
    style: str
    #: The cell of each stage of the assignment; None for a stage that the report lacks.
    cells: list[Cell | None]


def class_values(assignment: Assignment, class_: Sequence[PersonSummary], view: View) -> dict[str, object]:
    """Returns the values of the page, whose table shows the people in `view`; `class_` has all people of the review."""
    selected = filtered_people(view, class_)
    first = page_of(view, len(selected)) * PAGE_SIZE
    people_on_page = selected[first : first + PAGE_SIZE]
    stages = [stage.name for stage in assignment.stages]
    median, out_of = median_score(class_), next((summary.grade.out_of for summary in class_ if summary.grade), None)
    return {
        "title": assignment.title,
        "view": view,
        "heads": [_column_head(name, view) for name in ("name", "section", "score", "style", *stages)],
        "has_sections": any(summary.person.section for summary in class_),
        "lines": [_person_line(summary, stages, view) for summary in people_on_page],
        "first": first + 1,
        "selected_count": len(selected),
        "pages": _page_links(view, selected, first // PAGE_SIZE),
        "everybody": len(class_),
        "requests": sum(summary.has_open_request for summary in class_),
        "requests_link": _view_link(View(state=REQUESTED)),
        "final": sum(summary.score is not None for summary in class_),
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
    links = [
        "" if number == current else _view_link(view.with_changes(page=str(number + 1))) for number in range(len(pages))
    ]
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
    first_sort = name if name in ("name", "section") else f"-{name}"
    reversed_sort = name if first_sort.startswith("-") else f"-{name}"
    current_sort = view.sort or "name"
    direction = "descending" if current_sort.startswith("-") else "ascending"
    new_sort = reversed_sort if current_sort == first_sort else first_sort
    return Head(
        name,
        _view_link(view.with_changes(sort=new_sort, page="")),
        direction if current_sort.removeprefix("-") == name else "",
    )


def _person_line(summary: PersonSummary, stages: Sequence[str], view: View) -> PersonLine:
    cells = {cell.name: cell for cell in summary.stages}
    return PersonLine(
        summary,
        person_link(summary.person, view),
        score_words(summary.grade),
        percentage(summary.style_share) if summary.style_share is not None else "",
        list(map(cells.get, stages)),
    )


def _filter_choices(stages: Sequence[str], class_: Sequence[PersonSummary]) -> dict[str, list[tuple[str, str]]]:
    """Returns the choices of each list in the filter form, as pairs of a value and a label."""
    verdicts = {summary.verdict for summary in class_ if summary.verdict}
    verdicts |= {cell.verdict.value for summary in class_ for cell in summary.stages}
    cases = sorted({case for summary in class_ for case in summary.failed})
    mistakes = sorted({title for summary in class_ for title in summary.mistakes})
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
