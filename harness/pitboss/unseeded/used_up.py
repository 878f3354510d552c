"""Cuts sessions at the point where the bag is used up, for stages before the one that refills the bag.

The feature of that later stage is to draw again once the bag is used up. If the reference ends there, a program without
the feature may do anything afterwards: go on without values, or end with or without a message. A program that draws
values again has the feature, so its sessions are left unchanged.
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
    """Whether one of these features showed in any session, right or wrong; True if that cannot be determined."""
    names = {option.feature_rule for option in features}
    stage = msgspec.structs.replace(stage, rules=tuple(rule for rule in stage.rules if rule.name in names))
    breaker = CircuitBreaker()
    try:
        counts_by_session = (
            breaker.call(rule_counts, stage, session.transcript.events)
            for session in drawn
            if session.transcript is not None
        )
        return any(any(counts.values()) for counts in counts_by_session)
    except HarnessError:
        return True


def cut_where_used_up(session: DrawnSession, replayed: Replay | None, source: Draws) -> DrawnSession:
    """Returns the session, cut where the bag was or may have been used up; the session itself if nothing is cut.

    If the reference ended after a typed line with its bag used up, the session is cut after that line. Any other
    session in which the program exits before the end of input is cut after its last typed line. The program may have
    used up its bag there too, although the reference did not: the last draws were not shown, and with the values that
    the reference got in their place it may have needed fewer. A session is left as it is if the reference explains it,
    or if the program draws again after the cut.
    """
    if session.transcript is None or replayed is None or replayed.failure or replayed.explains:
        return session
    events, expected, ending = session.transcript.events, replayed.expected, session.transcript.ending
    typed_indexes = [index for index, event in enumerate(events) if isinstance(event, Typed)]
    is_exit = ending.kind is EndingKind.EXITED
    if expected.events and isinstance(expected.events[-1], Typed) and _is_used_up(replayed, source):
        line_count = len(expected.lines)
    elif is_exit and typed_indexes and not any(isinstance(event, InputEnded) for event in events):
        line_count = len(typed_indexes)
    else:
        return session
    cut_index = typed_indexes[line_count - 1] + 1 if len(typed_indexes) >= line_count else len(events)
    if cut_index == len(events) or _draws_again(session.reading.draws, events[cut_index:], source):
        return session
    return msgspec.structs.replace(session, transcript=Transcript(events[:cut_index], exited() if is_exit else ending))


def are_used_up(whole: Sequence[DrawnSession], cut: Sequence[DrawnSession], replays: Replays, source: Draws) -> bool:
    """Whether the reference used up its bag in each session that was cut."""
    pairs = zip(whole, cut, replays, strict=True)
    # A session that was not cut is the same object.
    return all(session is cut_session or _is_used_up(replayed, source) for session, cut_session, replayed in pairs)


def _is_used_up(replayed: Replay | None, source: Draws) -> bool:
    """Whether the reference drew all values of one bag, and no more."""
    return replayed is not None and len(replayed.given) == source.bag


def _draws_again(draws: Sequence[str | None], events_after: Sequence[Event], source: Draws) -> bool:
    """Whether a value was drawn after the bag was used up, or a value from the bag's first half is shown once more."""
    first_half = set(draws[: source.bag // 2])
    text = b" ".join(event.text for event in events_after if isinstance(event, Shown)).decode("utf-8", "replace")
    return any(draws[source.bag :]) or not first_half.isdisjoint(_WORD.findall(text))
