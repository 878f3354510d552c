"""Reading back what a program drew from what it showed: the reader that an assignment names, held to its contract."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

from harness.assignment import Stage
from harness.errors import SpecError
from harness.resolving import resolved
from harness.transcript import Event, Shown, Typed


class Unreadable(msgspec.Struct, frozen=True):
    """A line that should tell what was drawn and does not."""

    #: On the screen, from 1.
    line: int
    found: str
    #: What such a line looks like.
    form: str


class Reading(msgspec.Struct, frozen=True):
    """What a program drew, in the order in which the reference draws; None for what was never shown."""

    draws: tuple[str | None, ...]
    #: Where the reading had to stop; None when it came to the end.
    problem: Unreadable | None = None


#: Reads one session.
Reader = Callable[[Sequence[Event]], Reading]


def reader_of(stage: Stage) -> Reader:
    """The reader of a stage; what it raises later is SpecError, for one that cannot be found or breaks its contract."""
    place = f"{stage.spec.path.parent / 'assignment.yaml'}: stage {stage.name!r}: reader {stage.reader!r}"
    function = resolved(stage.reader, place)

    def read(events: Sequence[Event]) -> Reading:
        given = function(conversation_of(events))
        try:
            draws = tuple(given.draws)
            problem = given.problem and Unreadable(*given.problem)
        except (AttributeError, TypeError) as error:
            raise SpecError(f"{place} gave {given!r} — it gives draws and a problem") from error
        for draw in draws:
            if draw is not None and draw not in stage.draws.values:
                raise SpecError(f"{place} read {draw!r} — under draws there is no such value")
        return Reading(draws, problem)

    return read


def conversation_of(events: Sequence[Event]) -> list[tuple[str, str]]:
    """A session as readers take it: pairs of "shown" or "typed" and the text; bytes that are no UTF-8 as surrogates."""
    conversation = []
    for event in events:
        if isinstance(event, Shown):
            conversation.append(("shown", event.text.decode("utf-8", "surrogateescape")))
        elif isinstance(event, Typed):
            conversation.append(("typed", event.line.decode("utf-8", "surrogateescape")))
    return conversation


def screen_of(events: Sequence[Event]) -> str:
    """The whole screen as a person sees it, every typed line with its Enter."""
    return "".join(text if kind == "shown" else text + "\n" for kind, text in conversation_of(events))


def rules_met(stage: Stage, events: Sequence[Event]) -> dict[str, int]:
    """How often each rule of a stage was exercised in a right session."""
    screen = screen_of(events)
    return {rule.name: sum(1 for _ in re.finditer(rule.pattern, screen, re.MULTILINE)) for rule in stage.rules}
