"""Cuts sessions of a program without a feature where its bag is used up: if the reference ends there, the rest is free.

The program may go on with draws that have no value, or end, with or without a message. A program that draws values
again has the feature, so its sessions are left unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from pitboss.assignments.assignment import Draws, Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.options import Option
from pitboss.errors import HarnessError
from pitboss.model.transcript import (
    EndingKind,
    Event,
    InputEnded,
    Shown,
    Transcript,
    Typed,
    exited,
)
from pitboss.unseeded.drawn import DrawnSession, Replays
from pitboss.unseeded.reader import rule_counts
from pitboss.unseeded.replay import Replay

_WORD = re.compile(r"\w+")


def shows_any(features: Sequence[Option], stage: Stage, drawn: Sequence[DrawnSession]) -> bool:
    """Whether one of these features showed in any session, right or wrong."""
    names = {option.shows for option in features}
    stage = msgspec.structs.replace(stage, rules=tuple(rule for rule in stage.rules if rule.name in names))
    patience = CircuitBreaker()
    try:
        counted = (
            patience.call(rule_counts, stage, session.transcript.events)
            for session in drawn
            if session.transcript is not None
        )
        return any(any(counts.values()) for counts in counted)
    except HarnessError:
        return True


def until_used_up(session: DrawnSession, replayed: Replay | None, source: Draws) -> DrawnSession:
    """Returns the session up to where the reference ended, if its bag was used up there; else the whole session.

    If the program ends there too, its last draws were never shown, so the reference may have made different draws.
    """
    if session.transcript is None or replayed is None or replayed.failure or replayed.explains:
        return session
    events, expected, ending = session.transcript.events, replayed.expected, session.transcript.ending
    typed = [index for index, event in enumerate(events) if isinstance(event, Typed)]
    is_exit = ending.kind is EndingKind.EXITED
    if expected.events and isinstance(expected.events[-1], Typed) and _is_used_up(replayed, source):
        count = len(expected.lines)
    elif is_exit and typed and not any(isinstance(event, InputEnded) for event in events):
        count = len(typed)
    else:
        return session
    last = typed[count - 1] + 1 if len(typed) >= count else len(events)
    if last == len(events) or _draws_again(session.reading.draws, events[last:], source):
        return session
    return msgspec.structs.replace(session, transcript=Transcript(events[:last], exited() if is_exit else ending))


def are_used_up(whole: Sequence[DrawnSession], cut: Sequence[DrawnSession], replays: Replays, source: Draws) -> bool:
    """Whether the reference made all draws of its bag in each session that is not whole."""
    pairs = zip(whole, cut, replays, strict=True)
    return all(session is other or _is_used_up(replayed, source) for session, other, replayed in pairs)


def _is_used_up(replayed: Replay | None, source: Draws) -> bool:
    """Whether the reference made all draws of one bag, and no more."""
    return replayed is not None and len(replayed.given) == source.bag


def _draws_again(draws: Sequence[str | None], rest: Sequence[Event], source: Draws) -> bool:
    """Whether a value was drawn after the bag was used up, or one from its first half is shown once more."""
    early = set(draws[: source.bag // 2])
    text = b" ".join(event.text for event in rest if isinstance(event, Shown)).decode("utf-8", "replace")
    return any(draws[source.bag :]) or not early.isdisjoint(_WORD.findall(text))
