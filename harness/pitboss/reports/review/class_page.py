"""The values of the page of a class: people, filters, the distribution of scores, common failures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pitboss.assignments.assignment import Assignment
from pitboss.compare.verdicts import Verdict
from pitboss.gradebook.number_format import format_number, percentage
from pitboss.reports.review.overview import Brief, Cell, distribution, failed_most, middle, named_most
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
    """The head of a column: where a click on it leads, and how it is sorted now, as aria-sort says it."""

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
    #: For each stage of the assignment; None if it was not run.
    cells: list[tuple[Cell, str, str] | None]
    #: A note if there is no report.
    state: str


def class_values(assignment: Assignment, class_: Sequence[Brief], view: View) -> dict[str, object]:
    """The values of the page."""
    all_chosen = filtered_people(view, class_)
    first = page_of(view, len(all_chosen)) * PAGE_SIZE
    shown_now = all_chosen[first : first + PAGE_SIZE]
    stages = [stage.name for stage in assignment.stages]
    median, out_of = middle(class_), next((one.grade.out_of for one in class_ if one.grade), None)
    return {
        "title": assignment.title,
        "view": view,
        "heads": [_head(name, view) for name in ("name", "section", "score", "style", *stages)],
        "has_sections": any(one.person.section for one in class_),
        "lines": [_line(one, stages, view) for one in shown_now],
        "first": first + 1,
        "chosen": len(all_chosen),
        "pages": _pages(view, all_chosen, first // PAGE_SIZE),
        "everybody": len(class_),
        "requests": sum(one.has_open_request for one in class_),
        "requests_link": _link(View(state=REQUESTED)),
        "final": sum(one.score is not None for one in class_),
        "median": format_number(median) if median is not None else "",
        "out_of": format_number(out_of) if out_of is not None else "",
        "ranges": distribution(class_),
        "mistakes": [(one, _link(View(mistake=one.text))) for one in named_most(class_)],
        "cases": [(one, _link(View(case=one.text))) for one in failed_most(class_)],
        "choices": _choices(stages, class_),
    }


def _pages(view: View, all_chosen: Sequence[Brief], now: int) -> list[tuple[str, str]]:
    """Returns the pages of the selected people, by the first and last one, with links; none if one page has all."""
    parts = [all_chosen[first : first + PAGE_SIZE] for first in range(0, len(all_chosen), PAGE_SIZE)]
    links = ["" if number == now else _link(view.but(page=str(number + 1))) for number in range(len(parts))]
    ends = [tuple(dict.fromkeys((part[0].person.name, part[-1].person.name))) for part in parts]
    words = [" to ".join(names) for names in ends]
    return list(zip(words, links, strict=True)) if len(parts) > 1 else []


def _link(view: View) -> str:
    return f"?{view.query}" if view.query else "./"


def _head(name: str, view: View) -> Head:
    """Returns a head; a click on the one that sorts reverses the order. Scores begin with the highest."""
    first = name if name in ("name", "section") else f"-{name}"
    other = name if first.startswith("-") else f"-{name}"
    now = view.sort or "name"
    sorted_ = "" if now.removeprefix("-") != name else "descending" if now.startswith("-") else "ascending"
    return Head(name, _link(view.but(sort=other if now == first else first, page="")), sorted_)


def _line(one: Brief, stages: Sequence[str], view: View) -> PersonLine:
    cells = {cell.name: cell for cell in one.stages}
    return PersonLine(
        one.person.name,
        one.person.key,
        person_link(one.person, view),
        one.person.section,
        score_words(one.grade),
        one.is_overridden,
        one.has_open_request,
        percentage(one.style_share) if one.style_share is not None else "",
        [_cell(cells[name]) if name in cells else None for name in stages],
        one.state,
    )


def _cell(cell: Cell) -> tuple[Cell, str, str]:
    failed = cell.total and cell.verdict not in (Verdict.ACCEPTED, Verdict.NEEDS_REVIEW)
    return cell, cell.verdict.words, f"{cell.passed} of {cell.total}" if failed else ""


def _choices(stages: Sequence[str], class_: Sequence[Brief]) -> dict[str, list[tuple[str, str]]]:
    """What each list of the form offers: values and their words."""
    verdicts = {one.verdict for one in class_ if one.verdict}
    verdicts |= {cell.verdict.value for one in class_ for cell in one.stages}
    cases = sorted({case for one in class_ for case in one.failed})
    mistakes = sorted({title for one in class_ for title in one.mistakes})
    words: list[tuple[str, str]] = [(verdict.value, verdict.words) for verdict in Verdict if verdict.value in verdicts]
    states = {
        OPEN: "score not final",
        OVERRIDDEN: OVERRIDDEN,
        NO_STYLE: "no style score",
        REQUESTED: REQUESTED,
        NO_PROGRAM: "no program found",
    }
    return {
        "stage": [(name, name) for name in stages],
        "verdict": words,
        "case": [(text, text) for text in cases],
        "mistake": [(text, text) for text in mistakes],
        "state": [(name, states[name]) for name in STATES],
        "sort": [(name, name) for name in (*SORTS, *stages)],
    }
