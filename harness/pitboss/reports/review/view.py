"""A view of a class: which people are shown, and in which order. The query of an address contains the view."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import msgspec

from pitboss.reports.review.overview import PersonSummary

#: The sort keys of a class, besides the names of stages.
SORTS = ("name", "score", "style", "section")
#: Filters for people whose score is not final, whose score is overridden, who have no style score, or who have an open
#: request.
OPEN, OVERRIDDEN, NO_STYLE, REQUESTED = "open", "overridden", "no style", "open request"
#: The filter for people in whose files no program was found, for example because of wrong file names.
NO_PROGRAM = "no program"
#: All filters above, in the order of the filter form.
STATES = (OPEN, OVERRIDDEN, NO_STYLE, REQUESTED, NO_PROGRAM)
#: The number of people on a page of the class.
PAGE_SIZE = 100


class View(msgspec.Struct, frozen=True):
    """Which people of a class to show, their order, and the page. Empty fields select everybody."""

    #: A part of a person's name, key or section, in upper or lower case.
    name: str = ""
    #: The stage to which `verdict` applies; if empty, `verdict` applies to the submission.
    stage: str = ""
    verdict: str = ""
    #: A case that the person failed, as `stage: case`.
    case: str = ""
    #: The title of a mistake that explains failures.
    mistake: str = ""
    #: One of `STATES`; other texts select everybody.
    state: str = ""
    #: The sort key, one of `SORTS` or a stage; a leading - reverses the order.
    sort: str = ""
    #: The number of the page, from 1; any other text means the first page.
    page: str = ""

    @property
    def query(self) -> str:
        """The view as the query of an address; empty if all fields are empty."""
        return urlencode({name: value for name, value in msgspec.structs.asdict(self).items() if value})

    def with_changes(self, **changes: str) -> View:
        return msgspec.structs.replace(self, **changes)

    @property
    def selects_everybody(self) -> bool:
        """Whether the view filters nobody out."""
        return not any((self.name, self.verdict, self.case, self.mistake, self.state))


def view_of(query: Mapping[str, str]) -> View:
    """Returns the view that the query of an address requests; other parameters of the query are ignored."""
    return View(**{name: query.get(name, "").strip() for name in View.__struct_fields__})


def filtered_people(view: View, class_: Iterable[PersonSummary]) -> list[PersonSummary]:
    """Returns the people whom a view shows, in the order of the view; people without a sort value come last."""
    people = [summary for summary in class_ if _is_shown(view, summary)]
    sort_key = view.sort.removeprefix("-") or "name"
    # Other keys than those of `SORTS`, and stages in which none of these people has a result, sort by name.
    if sort_key not in SORTS and not any(cell.name == sort_key for summary in people for cell in summary.stages):
        sort_key = "name"
    with_value = [summary for summary in people if _sort_value(sort_key, summary) is not None]
    without_value = [summary for summary in people if _sort_value(sort_key, summary) is None]
    ordered = sorted(
        with_value,
        key=lambda summary: (_sort_value(sort_key, summary), summary.order),
        reverse=view.sort.startswith("-"),
    )
    return [*ordered, *without_value]


def _is_shown(view: View, summary: PersonSummary) -> bool:
    name_part = view.name.casefold()
    return (
        any(name_part in text.casefold() for text in (summary.person.name, summary.person.key, summary.person.section))
        and (not view.verdict or view.verdict in _verdicts(view.stage, summary))
        and (not view.case or view.case in summary.failed)
        and (not view.mistake or view.mistake in summary.mistakes)
        and (view.state not in _STATE_PREDICATES or _STATE_PREDICATES[view.state](summary))
    )


_STATE_PREDICATES: Mapping[str, Callable[[PersonSummary], bool]] = {
    OPEN: lambda summary: summary.score is None,
    OVERRIDDEN: lambda summary: summary.is_overridden,
    NO_STYLE: lambda summary: not summary.style,
    REQUESTED: lambda summary: summary.has_open_request,
    NO_PROGRAM: lambda summary: summary.is_without_program,
}


def _verdicts(stage: str, summary: PersonSummary) -> set[str]:
    """Returns the verdict on a stage, or on the submission if `stage` is empty; empty if the stage was not run."""
    if not stage:
        return {summary.verdict}
    return {cell.verdict.value for cell in summary.stages if cell.name == stage}


def _sort_value(sort_key: str, summary: PersonSummary) -> Any:
    """Returns the value by which a person is sorted; None if the person comes last."""
    if sort_key == "score":
        return summary.so_far
    if sort_key == "style":
        return summary.style_share
    if sort_key == "section":
        return summary.person.section.casefold() or None
    if sort_key == "name":
        return summary.order
    cells = [cell for cell in summary.stages if cell.name == sort_key]
    return (cells[0].passed / cells[0].total if cells[0].total else -1, cells[0].verdict.value) if cells else None


def page_of(view: View, count: int) -> int:
    """Returns the index, from 0, of the page that a view shows if it has `count` people."""
    last = max(0, (count - 1) // PAGE_SIZE)
    return min(max(int(view.page) - 1, 0), last) if re.fullmatch("[0-9]{1,9}", view.page) else 0


def parsed_count(word: str) -> int | None:
    """Returns a number of at most seven digits; None if the text is something else."""
    return int(word) if re.fullmatch("[0-9]{1,7}", word) else None


def neighbours(order: Sequence[PersonSummary], key: str) -> tuple[PersonSummary | None, PersonSummary | None]:
    """Returns the person before and the person after the person with this key; None instead of a missing person.

    If nobody in `order` has this key, the first person comes after.
    """
    index = next((position for position, summary in enumerate(order) if summary.person.key == key), None)
    if index is None:
        return None, (order[0] if order else None)
    return (order[index - 1] if index else None), (order[index + 1] if index + 1 < len(order) else None)
