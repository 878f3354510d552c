"""Reads a program's draws back from what it showed: the assignment's own reader, and its contract."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import Any

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.authored import call, text_of
from pitboss.assignments.blame import brief
from pitboss.assignments.functions import parts_of, resolve_function
from pitboss.assignments.options import accepted_by, own_keywords
from pitboss.assignments.rules import Rule
from pitboss.compare.findings import Unreadable
from pitboss.errors import SpecError
from pitboss.model.transcript import Event, Shown, Typed


class Reading(msgspec.Struct, frozen=True):
    """A program's draws, in the order in which the reference draws; None for a draw that was never shown."""

    draws: tuple[str | None, ...]
    #: Where reading had to stop; None if the whole session was read.
    problem: Unreadable | None = None


#: More draws than any session that ends by itself makes.
_MAX_DRAWS = 100_000

#: Reads one session.
Reader = Callable[[Sequence[Event]], Reading]


def reader_of(stage: Stage) -> Reader:
    """Returns the reader of a stage; raises SpecError if it cannot be found.

    The reader raises SpecError if it fails or breaks its contract.
    """
    what = _called(stage)
    place = f"{stage.spec.path.parent / 'assignment.yaml'}: stage {stage.name!r}: {what}"
    function = resolve_function(stage.reader, place)
    if keywords := reader_keywords(stage):
        function = partial(function, **keywords)

    def reading(given: Any) -> Reading:
        try:
            draws = tuple(None if draw is None else text_of(draw) for draw in islice(given.draws, _MAX_DRAWS + 1))
            problem = _problem(given.problem)
            if len(draws) > _MAX_DRAWS:
                raise ValueError(f"more than {_MAX_DRAWS} draws")
        except (AttributeError, TypeError, ValueError) as error:
            raise SpecError(
                f"{place} returned {brief(given)} — it must return draws, each a text or None, and a problem, None or "
                "a line number and two texts"
            ) from error
        for draw in draws:
            if draw is not None and draw not in stage.draws.values:
                raise SpecError(
                    f"{place} read {brief(draw)} — `draws` has no such value; if a program shows one, the reader must "
                    "return a problem without a form"
                )
        return Reading(draws, problem)

    return lambda events: call(what, function, conversation_of(events), read=reading)


def reader_keywords(stage: Stage) -> dict[str, bool | str]:
    """Returns the options that the reader of a stage accepts; raises SpecError if the reader cannot be found."""
    if not stage.options:
        return {}
    return accepted_by(resolve_function(stage.reader, _called(stage)), own_keywords(stage.options))


def _called(stage: Stage) -> str:
    return f"reader {parts_of(stage.reader).written!r}"


def _problem(given: Any) -> Unreadable | None:
    if not given:
        return None
    line, found, form = given
    return Unreadable(int(line), text_of(found), None if form is None else text_of(form))


def conversation_of(events: Sequence[Event]) -> list[tuple[str, str]]:
    """Returns a session as readers get it: pairs of "shown" or "typed" and a text; invalid UTF-8 becomes surrogates."""
    conversation = []
    for event in events:
        if isinstance(event, Shown):
            conversation.append(("shown", event.text.decode("utf-8", "surrogateescape")))
        elif isinstance(event, Typed):
            conversation.append(("typed", event.line.decode("utf-8", "surrogateescape")))
    return conversation


def screen_of(events: Sequence[Event]) -> str:
    """Returns the whole screen as text, including typed lines, each ended by a newline."""
    return "".join(text if kind == "shown" else text + "\n" for kind, text in conversation_of(events))


def rule_counts(stage: Stage, events: Sequence[Event]) -> dict[str, int]:
    """Returns how often each rule of a stage came up in a correct session, by the rule's name.

    Raises SpecError if a pattern takes too long on it.
    """
    screen = screen_of(events)
    return {rule.name: len(places_of(rule, screen, stage)) for rule in stage.rules}


def places_of(rule: Rule, screen: str, stage: Stage) -> list[tuple[int, int]]:
    """Returns where a rule came up on the screen of a correct session, as the start and end of each match.

    Raises SpecError if the pattern takes too long on it.
    """
    what = f"{stage.spec.path.parent / 'assignment.yaml'}: stage {stage.name!r}: the pattern of rule {rule.name!r}"

    def places() -> list[tuple[int, int]]:
        return [found.span() for found in re.finditer(rule.pattern, screen, re.MULTILINE)]

    return list(call(what, places))
