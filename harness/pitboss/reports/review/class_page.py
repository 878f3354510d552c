"""The values of the page of a class: people, filters, the distribution of scores, common failures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pitboss.assignments.assignment import Assignment
from pitboss.compare.verdicts import Verdict
from pitboss.gradebook.number_format import format_number, percentage
from pitboss.reports.review.overview import (
    Brief,
    Cell,
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
    """The head of a column: its text, the link that sorts by it, and its current order as in aria-sort."""

    text: str
    link: str
    sorted: str


class PersonLine(NamedTuple):
    """A person in the table."""

    name: str
    key: str
    link: str
    section: str
    score: str
    is_overridden: bool
    has_open_request: bool
    style: str
    #: A cell for each stage of the assignment; None if it was not run.
    cells: list[tuple[Cell, str, str] | None]
    #: A note if there is no report.
    state: str


def class_values(assignment: Assignment, class_: Sequence[Brief], view: View) -> dict[str, object]:
    """The values of the page."""
    selected = filtered_people(view, class_)
    first = page_of(view, len(selected)) * PAGE_SIZE
    listed = selected[first : first + PAGE_SIZE]
    stages = [stage.name for stage in assignment.stages]
    median, out_of = median_score(class_), next((brief.grade.out_of for brief in class_ if brief.grade), None)
    return {
        "title": assignment.title,
        "view": view,
        "heads": [_column_head(name, view) for name in ("name", "section", "score", "style", *stages)],
        "has_sections": any(brief.person.section for brief in class_),
        "lines": [_person_line(brief, stages, view) for brief in listed],
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


def _page_links(view: View, selected: Sequence[Brief], current: int) -> list[tuple[str, str]]:
    """Returns the pages, named by their first and last person, with links; empty if one page has all people."""
    pages = [selected[first : first + PAGE_SIZE] for first in range(0, len(selected), PAGE_SIZE)]
    links = ["" if number == current else _view_link(view.but(page=str(number + 1))) for number in range(len(pages))]
    ends = [tuple(dict.fromkeys((part[0].person.name, part[-1].person.name))) for part in pages]
    labels = [" to ".join(names) for names in ends]
    return list(zip(labels, links, strict=True)) if len(pages) > 1 else []


def _view_link(view: View) -> str:
    return f"?{view.query}" if view.query else "./"


def _column_head(name: str, view: View) -> Head:
    """Returns a head; its link reverses the order if the column is already sorted. Scores begin with the highest."""
    default = name if name in ("name", "section") else f"-{name}"
    reverse = name if default.startswith("-") else f"-{name}"
    current = view.sort or "name"
    sorted_ = "" if current.removeprefix("-") != name else "descending" if current.startswith("-") else "ascending"
    return Head(name, _view_link(view.but(sort=reverse if current == default else default, page="")), sorted_)


def _person_line(brief: Brief, stages: Sequence[str], view: View) -> PersonLine:
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
    failed = cell.total and cell.verdict not in (Verdict.ACCEPTED, Verdict.NEEDS_REVIEW)
    return cell, cell.verdict.words, f"{cell.passed} of {cell.total}" if failed else ""


def _filter_choices(stages: Sequence[str], class_: Sequence[Brief]) -> dict[str, list[tuple[str, str]]]:
    """The choices of each list in the filter form: values and their labels."""
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
