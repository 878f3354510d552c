"""The people of a class who are shown, and their order, from the query of an address."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import msgspec

from pitboss.reports.review.overview import Brief

#: How a class can be sorted; stages come besides.
SORTS = ("name", "score", "style", "section")
#: Filters for people without a final score or a style score, with an override, or with an open request.
OPEN, OVERRIDDEN, NO_STYLE, REQUESTED = "open", "overridden", "no style", "open request"
#: The filter for those in whose files no program was found, as where they have wrong names.
NO_PROGRAM = "no program"
STATES = (OPEN, OVERRIDDEN, NO_STYLE, REQUESTED, NO_PROGRAM)
_FIELDS = ("name", "stage", "verdict", "case", "mistake", "state", "sort", "page")
#: How many people a page of the class has.
PAGE_SIZE = 100


class View(msgspec.Struct, frozen=True):
    """A selection of a class; empty fields select everything."""

    #: A part of the name, key or section.
    name: str = ""
    #: A stage, and the verdict on it; without a stage that of the whole submission.
    stage: str = ""
    verdict: str = ""
    #: A case in which the person failed, as `stage: case`.
    case: str = ""
    #: The title of a mistake that is named.
    mistake: str = ""
    state: str = ""
    #: What it is sorted by; a - in front reverses the order.
    sort: str = ""
    #: The number of the page; anything else means the first.
    page: str = ""

    @property
    def query(self) -> str:
        """The query of an address; empty where nothing is asked for."""
        return urlencode({name: value for name in _FIELDS if (value := getattr(self, name))})

    def but(self, **changes: str) -> View:
        """The same with some of it changed."""
        return msgspec.structs.replace(self, **changes)

    @property
    def is_everybody(self) -> bool:
        """Whether nobody is left out."""
        return not any((self.name, self.stage and self.verdict, self.verdict, self.case, self.mistake, self.state))


def view_of(query: Mapping[str, str]) -> View:
    """Returns the view that the query of an address requests; other fields are ignored."""
    return View(**{name: query.get(name, "").strip() for name in _FIELDS})


def filtered_people(view: View, class_: Iterable[Brief]) -> list[Brief]:
    """Returns the people whom a view shows, in its order."""
    found = [one for one in class_ if _is_shown(view, one)]
    by = view.sort.removeprefix("-") or "name"
    with_value = [one for one in found if _value(by, one) is not None]
    without = [one for one in found if _value(by, one) is None]
    ordered = sorted(with_value, key=lambda one: (_value(by, one), one.order), reverse=view.sort.startswith("-"))
    return [*ordered, *without]


def _is_shown(view: View, one: Brief) -> bool:
    wanted = view.name.casefold()
    return (
        any(wanted in text.casefold() for text in (one.person.name, one.person.key, one.person.section))
        and (not view.verdict or view.verdict in _verdicts(view.stage, one))
        and (not view.case or view.case in one.failed)
        and (not view.mistake or view.mistake in one.mistakes)
        and (not view.state or _STATES[view.state](one) if view.state in _STATES else True)
    )


_STATES: Mapping[str, Callable[[Brief], bool]] = {
    OPEN: lambda one: one.score is None,
    OVERRIDDEN: lambda one: one.is_overridden,
    NO_STYLE: lambda one: not one.style,
    REQUESTED: lambda one: one.has_open_request,
    NO_PROGRAM: lambda one: one.is_without_program,
}


def _verdicts(stage: str, one: Brief) -> set[str]:
    """The verdict on a stage, or on the whole submission."""
    if not stage:
        return {one.verdict}
    return {cell.verdict.value for cell in one.stages if cell.name == stage}


def _value(by: str, one: Brief) -> Any:
    """Returns the value by which a person is sorted; None comes last."""
    if by == "score":
        return one.so_far
    if by == "style":
        return one.style_share
    if by == "section":
        return one.person.section.casefold() or None
    for cell in one.stages:
        if cell.name == by:
            return (cell.passed / cell.total if cell.total else -1, cell.verdict.value)
    return one.order if by == "name" or by not in SORTS else None


def page_of(view: View, count: int) -> int:
    """Returns the number, from 0, of the page that a view shows of `count` people."""
    last = max(0, (count - 1) // PAGE_SIZE)
    return min(max(int(view.page) - 1, 0), last) if re.fullmatch("[0-9]{1,9}", view.page) else 0


def neighbours(order: Sequence[Brief], key: str) -> tuple[Brief | None, Brief | None]:
    """Who comes before and after the person of this key; None where there is nobody."""
    at = next((number for number, one in enumerate(order) if one.person.key == key), None)
    if at is None:
        return None, (order[0] if order else None)
    return (order[at - 1] if at else None), (order[at + 1] if at + 1 < len(order) else None)
