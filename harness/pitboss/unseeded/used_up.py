"""Cuts sessions at the point where the bag is used up, for stages before the one that refills the bag.

The feature of that later stage is to draw again once the bag is used up. If the reference ends there, a program without
the feature may do anything afterwards: go on without values, or end with or without a message. A program that draws
values again has the feature, so its sessions are left unchanged.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Draws
from pitboss.model.transcript import EndingKind, Event, InputEnded, Shown, Transcript, Typed, count_typed_lines, exited
from pitboss.unseeded.reader import DrawnSession, Reading
from pitboss.unseeded.replay import Replay

_WORD = re.compile(r"\w+")
#: At most so many orders of the last values of a bag are tried: all of five values.
_MAX_ORDERS = 120
#: Values drawn but not shown when csc101's bag was used up were six at most, in 12,000 sessions of its long player.
_MAX_LEFT = 8


class UsedUp(NamedTuple):
    """A session cut where its bag is used up, with the draws that explain it, and its replay."""

    session: DrawnSession
    replayed: Replay


def end_of_bag(
    session: DrawnSession, replayed: Replay, source: Draws, replay_of: Callable[[DrawnSession], Replay]
) -> UsedUp | None:
    """Returns the session cut where its bag is used up, if the reference then explains it; otherwise None.

    `replayed` is the replay of the whole session; `replay_of` replays a cut session.
    """
    for end in ends_where_used_up(session, replayed, source):
        of_end = replay_of(end)
        if of_end.explains and is_used_up(of_end, source):
            return UsedUp(end, of_end)
    return None


def ends_where_used_up(session: DrawnSession, replayed: Replay, source: Draws) -> Iterator[DrawnSession]:
    """Yields the session cut where its bag may be used up, and with orders of the last draws: few are shown.

    Yields nothing if the reference explains the session, or differs before its last typed line, and no orders if more
    than a few values are left at that line.
    """
    cut = _cut_where_used_up(session, replayed, source)
    events = cut.transcript.events if cut.transcript else ()
    if replayed.difference is not None and count_typed_lines(replayed.difference.matched) < count_typed_lines(events):
        return
    if cut is not session:
        yield cut
    draws = session.reading.draws
    left = [value for value in source.values if value not in draws]
    may_be_used_up = source.bag and not replayed.explains and events and isinstance(events[-1], Typed)
    for order in _orders(left) if may_be_used_up and len(left) <= _MAX_LEFT else ():
        values = iter(order)
        given = [next(values, None) if draw is None else draw for draw in draws]
        yield msgspec.structs.replace(cut, reading=Reading((*given, *values)))


def _orders(values: Sequence[str]) -> Iterator[Sequence[str]]:
    """Orders of values, none of no values: all of them, or a sample that is the same each time."""
    if math.factorial(len(values)) <= _MAX_ORDERS:
        yield from permutations(values) if values else ()
    else:
        rng = random.Random(0)
        yield from (rng.sample(values, len(values)) for _ in range(_MAX_ORDERS))


def _cut_where_used_up(session: DrawnSession, replayed: Replay, source: Draws) -> DrawnSession:
    """Returns the session, cut where the bag was or may have been used up; the session itself if nothing is cut.

    If the reference ended after a typed line with its bag used up, the session is cut after that line. Any other
    session in which the program exits before the end of input is cut after its last typed line: the last draws may
    have used up its bag. A session is left as it is if the reference explains it, or if the program draws again after
    the cut.
    """
    if not source.bag or session.transcript is None or replayed.failure or replayed.explains:
        return session
    events, expected, ending = session.transcript.events, replayed.expected, session.transcript.ending
    typed_indexes = [index for index, event in enumerate(events) if isinstance(event, Typed)]
    is_exit = ending.kind is EndingKind.EXITED
    if expected.events and isinstance(expected.events[-1], Typed) and is_used_up(replayed, source):
        line_count = len(expected.lines)
    elif is_exit and typed_indexes and not any(isinstance(event, InputEnded) for event in events):
        line_count = len(typed_indexes)
    else:
        return session
    cut_index = typed_indexes[line_count - 1] + 1 if len(typed_indexes) >= line_count else len(events)
    if cut_index == len(events) or _draws_again(session.reading.draws, events[cut_index:], source):
        return session
    return msgspec.structs.replace(session, transcript=Transcript(events[:cut_index], exited() if is_exit else ending))


def is_used_up(replayed: Replay, source: Draws) -> bool:
    """Whether the reference drew all values of one bag, and no more."""
    return len(replayed.given) == source.bag


def _draws_again(draws: Sequence[str | None], events_after: Sequence[Event], source: Draws) -> bool:
    """Whether a value was drawn after the bag was used up, or a value from the bag's first half is shown once more."""
    first_half = set(draws[: source.bag // 2])
    text = b" ".join(event.text for event in events_after if isinstance(event, Shown)).decode("utf-8", "replace")
    return any(draws[source.bag :]) or not first_half.isdisjoint(_WORD.findall(text))
