"""Reads a program's draws back from its screen: calls the assignment's reader and checks the returned value.

A session of a submission with its draws is a `DrawnSession`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import Any

import msgspec

from pitboss.assignments.assignment import Draws, Stage
from pitboss.assignments.authored import call, short_repr, text_of
from pitboss.assignments.cases import Session
from pitboss.assignments.functions import parse_function_name, resolve_function
from pitboss.assignments.options import Rule, accepted_by, own_keywords
from pitboss.compare.findings import Unreadable
from pitboss.errors import SpecError
from pitboss.model.transcript import Event, Shown, Transcript, Typed
from pitboss.unseeded.replay import GivenDraws, Replay


class Reading(msgspec.Struct, frozen=True):
    """A program's draws, in the order in which the reference draws; None for a draw that was never shown."""

    draws: tuple[str | None, ...]
    #: The line at which the reader had to stop; None if the whole session was read.
    problem: Unreadable | None = None
    #: The index of the first draw of each round; empty if the reader does not say it.
    rounds: tuple[int, ...] = ()


#: The maximum number of draws that a reader may return; a session that ends on its own has fewer.
_MAX_DRAWS = 100_000

#: Reads one session.
Reader = Callable[[Sequence[Event]], Reading]


def reader_of(stage: Stage) -> Reader:
    """Returns the reader of a stage; raises SpecError if it cannot be found.

    The reader raises SpecError if it fails or breaks its contract.
    """
    label = _reader_label(stage)
    location = f"{stage.spec.path.parent / 'assignment.yaml'}: stage {stage.name!r}: {label}"
    function = resolve_function(stage.reader, location)
    if keywords := reader_keywords(stage):
        function = partial(function, **keywords)

    def checked_reading(returned: Any) -> Reading:
        try:
            draws = tuple(None if draw is None else text_of(draw) for draw in islice(returned.draws, _MAX_DRAWS + 1))
            problem = _problem(returned.problem)
            rounds = tuple(int(index) for index in getattr(returned, "rounds", ()))
            if len(draws) > _MAX_DRAWS:
                raise ValueError(f"more than {_MAX_DRAWS} draws")
        except (AttributeError, TypeError, ValueError) as error:
            raise SpecError(
                f"{location} returned {short_repr(returned)} — it must return an object with `draws` (each a text or "
                "None) and `problem` (None, or a line number, the text found, and the expected form or None)"
            ) from error
        for draw in draws:
            if draw is not None and draw not in stage.draws.values:
                raise SpecError(
                    f"{location} read {short_repr(draw)} — `draws` has no such value; if a program shows one, the "
                    "reader must return a problem with None as the expected form"
                )
        return Reading(draws, problem, rounds)

    return lambda events: call(label, function, conversation_of(events), read=checked_reading)


def reader_keywords(stage: Stage) -> dict[str, bool | str]:
    """Returns the keyword arguments for the reader of a stage: the stage's `own_keywords` that the reader accepts.

    Raises SpecError if the reader cannot be found.
    """
    if not stage.options:
        return {}
    return accepted_by(resolve_function(stage.reader, _reader_label(stage)), own_keywords(stage.options))


def _reader_label(stage: Stage) -> str:
    return f"reader {parse_function_name(stage.reader).written!r}"


def _problem(returned: Any) -> Unreadable | None:
    """The problem that a reader returned: None, or a line number, the text found and the form that it should have."""
    if not returned:
        return None
    line, text, form = returned
    return Unreadable(int(line), text_of(text), None if form is None else text_of(form))


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


def typed_lines(events: Iterable[Event]) -> list[tuple[int, bytes]]:
    """The typed lines without blanks around them, each with its end on the screen, which is before its newline."""
    position, lines = 0, []
    for event in events:
        position += len(screen_of([event]))
        if isinstance(event, Typed):
            lines.append((position - 1, event.line.strip()))
    return lines


def rule_counts(stage: Stage, events: Sequence[Event]) -> dict[str, int]:
    """Returns how often each rule of a stage came up in a correct session, by the rule's name.

    Raises SpecError if a rule's pattern takes too long on the session.
    """
    screen = screen_of(events)
    return {rule.name: len(spans_of_rule(rule, screen, stage)) for rule in stage.rules}


def spans_of_rule(rule: Rule, screen: str, stage: Stage) -> list[tuple[int, int]]:
    """Returns where a rule was reached on the screen of a correct session, as the start and end of each match.

    Raises SpecError if the rule's pattern takes too long on the screen.
    """
    label = f"{stage.spec.path.parent / 'assignment.yaml'}: stage {stage.name!r}: the pattern of rule {rule.name!r}"

    def spans() -> list[tuple[int, int]]:
        return [match.span() for match in re.finditer(rule.pattern, screen, re.MULTILINE)]

    return list(call(label, spans))


#: How many draws are invented for a session: more than the longest session needs.
_INVENTED = 1_000


class DrawnSession(msgspec.Struct, frozen=True):
    """A session that was run, and its draws."""

    session: Session
    #: The transcript; None if the session was not run.
    transcript: Transcript | None
    #: The draws that were read from the transcript.
    reading: Reading = Reading(())
    #: What went wrong on our side while the session was run or read, as a sentence; empty if nothing went wrong.
    failure: str = ""

    @property
    def can_be_replayed(self) -> bool:
        """Whether the session was run and read without a failure on our side."""
        return self.transcript is not None and not self.failure


#: The replay of each session, in order; None for a session that could not be replayed.
Replays = list[Replay | None]


def invented_draws(source: Draws, number: int) -> GivenDraws:
    """Returns a source of pseudorandom draws, always the same for the same number."""
    return GivenDraws(invented_values(source, number), source)


@lru_cache(maxsize=1_000)
def invented_values(source: Draws, number: int) -> tuple[str, ...]:
    """Returns pseudorandom values that `source` can draw, always the same for the same number."""
    generator = random.Random(number)
    values: list[str] = []
    while len(values) < _INVENTED:
        size = source.bag or len(source.values)
        values += generator.sample(source.values, size) if source.bag else generator.choices(source.values, k=size)
    return tuple(values)
