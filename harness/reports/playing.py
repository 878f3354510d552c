"""A conversation in steps, each with what passes before it, so that a page can play it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from pitboss.harness.reports.screen import Kind
from pitboss.harness.transcripts.notation import duration_of
from pitboss.harness.transcripts.pace import LETTER_MS, THINKS_MS
from pitboss.harness.transcripts.quoting import readable
from pitboss.harness.transcripts.transcript import Event, InputEnded, Paused, Shown, Typed


class Step(msgspec.Struct, frozen=True):
    """A part of a conversation, and how long after the one before it comes."""

    wait_ms: int
    kind: Kind
    text: str


def steps_of(events: Iterable[Event], whole: str) -> tuple[Step, ...]:
    """The steps of a conversation that is shown as `whole`; none where that is cut, and so cannot be played."""
    steps = list(_steps(events))
    if "".join(step.text for step in steps).rstrip("\n") != whole:
        return ()
    while steps and not steps[-1].text.rstrip("\n"):
        steps.pop()
    last = [msgspec.structs.replace(step, text=step.text.rstrip("\n")) for step in steps[-1:]]
    return (*steps[:-1], *last)


def _steps(events: Iterable[Event]) -> Iterator[Step]:
    wait_ms = 0
    for event in events:
        match event:
            case Shown(text):
                yield Step(wait_ms, Kind.SHOWN, readable(text))
                wait_ms = 0
            case Typed(line):
                words = readable(line)
                yield Step(wait_ms + THINKS_MS, Kind.TYPED, f"«{words}»\n")
                wait_ms = LETTER_MS * len(words)
            case Paused(duration_ms):
                yield Step(wait_ms, Kind.MARK, f"(pause {duration_of(duration_ms)})")
                wait_ms = duration_ms
            case InputEnded():
                yield Step(wait_ms + THINKS_MS, Kind.MARK, "(end of input)")
                wait_ms = 0
