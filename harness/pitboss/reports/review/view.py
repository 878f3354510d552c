"""Which people of a class are shown, and in which order, by the query of an address."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import msgspec

from pitboss.reports.review.overview import Brief

#: How a class can be sorted, besides by a stage.
SORTS = ("name", "score", "style", "section")
#: Filters for people without a final score or a style score, with an override, or with an open request.
OPEN, OVERRIDDEN, NO_STYLE, REQUESTED = "open", "overridden", "no style", "open request"
#: The filter for people in whose files no program was found, for example because of wrong file names.
NO_PROGRAM = "no program"
STATES = (OPEN, OVERRIDDEN, NO_STYLE, REQUESTED, NO_PROGRAM)
_FIELDS = ("name", "stage", "verdict", "case", "mistake", "state", "sort", "page")
#: The number of people on a page of the class.
PAGE_SIZE = 100


class View(msgspec.Struct, frozen=True):
    """A selection of a class; empty fields select everything."""

    #: A part of the name, key or section.
    name: str = ""
    #: A stage, and the verdict on it; without a stage, the verdict on the submission.
    stage: str = ""
    verdict: str = ""
    #: A case that the person failed, as `stage: case`.
    case: str = ""
    #: The title of a mistake that explains failures.
    mistake: str = ""
    state: str = ""
    #: The sort key; a leading - reverses the order.
    sort: str = ""
    #: The number of the page; the first page if it is not a number.
    page: str = ""

    @property
    def query(self) -> str:
        """The query of an address; empty if nothing is selected."""
        return urlencode({name: value for name in _FIELDS if (value := getattr(self, name))})

    def but(self, **changes: str) -> View:
        """A copy of the view with these changes."""
        return msgspec.structs.replace(self, **changes)

    @property
    def is_everybody(self) -> bool:
        """Whether the view filters nobody out."""
        return not any((self.name, self.stage and self.verdict, self.verdict, self.case, self.mistake, self.state))


def view_of(query: Mapping[str, str]) -> View:
    """Returns the view that the query of an address requests; other fields are ignored."""
    return View(**{name: query.get(name, "").strip() for name in _FIELDS})


def filtered_people(view: View, class_: Iterable[Brief]) -> list[Brief]:
    """Returns the people whom a view shows, in its order."""
    people = [brief for brief in class_ if _is_shown(view, brief)]
    sort_key = view.sort.removeprefix("-") or "name"
    with_value = [brief for brief in people if _sort_value(sort_key, brief) is not None]
    without_value = [brief for brief in people if _sort_value(sort_key, brief) is None]
    ordered = sorted(
        with_value, key=lambda brief: (_sort_value(sort_key, brief), brief.order), reverse=view.sort.startswith("-")
    )
    return [*ordered, *without_value]


def _is_shown(view: View, brief: Brief) -> bool:
    wanted = view.name.casefold()
    return (
        any(wanted in text.casefold() for text in (brief.person.name, brief.person.key, brief.person.section))
        and (not view.verdict or view.verdict in _verdicts(view.stage, brief))
        and (not view.case or view.case in brief.failed)
        and (not view.mistake or view.mistake in brief.mistakes)
        and (not view.state or _STATES[view.state](brief) if view.state in _STATES else True)
    )


_STATES: Mapping[str, Callable[[Brief], bool]] = {
    OPEN: lambda brief: brief.score is None,
    OVERRIDDEN: lambda brief: brief.is_overridden,
    NO_STYLE: lambda brief: not brief.style,
    REQUESTED: lambda brief: brief.has_open_request,
    NO_PROGRAM: lambda brief: brief.is_without_program,
}


def _verdicts(stage: str, brief: Brief) -> set[str]:
    """The verdict on a stage, or on the submission if no stage is given."""
    if not stage:
        return {brief.verdict}
    return {cell.verdict.value for cell in brief.stages if cell.name == stage}


def _sort_value(sort_key: str, brief: Brief) -> Any:
    """Returns the value by which a person is sorted; None comes last."""
    if sort_key == "score":
        return brief.so_far
    if sort_key == "style":
        return brief.style_share
    if sort_key == "section":
        return brief.person.section.casefold() or None
    for cell in brief.stages:
        if cell.name == sort_key:
            return (cell.passed / cell.total if cell.total else -1, cell.verdict.value)
    return brief.order if sort_key == "name" or sort_key not in SORTS else None


def page_of(view: View, count: int) -> int:
    """Returns the number, from 0, of the page that a view shows of `count` people."""
    last = max(0, (count - 1) // PAGE_SIZE)
    return min(max(int(view.page) - 1, 0), last) if re.fullmatch("[0-9]{1,9}", view.page) else 0


def neighbours(order: Sequence[Brief], key: str) -> tuple[Brief | None, Brief | None]:
    """The people before and after the person with this key; None if there is nobody."""
    index = next((position for position, brief in enumerate(order) if brief.person.key == key), None)
    if index is None:
        return None, (order[0] if order else None)
    return (order[index - 1] if index else None), (order[index + 1] if index + 1 < len(order) else None)
