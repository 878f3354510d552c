"""Finding the place of a difference in the session itself, where a policy leaves out or swaps some of its text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import msgspec

from harness.comparison import Difference, Policy, relaxed
from harness.transcript import Event, Shown, character_start

#: A text that stands for a longer or shorter one is only seen to once it is whole: so far its end is looked for.
_FURTHER = 400


def located(difference: Difference, actual: tuple[Event, ...], policy: Policy) -> Difference:
    """The difference with what `actual`, the whole session as it was, shows before it.

    Without it line and column would be those of the session as the policy reads it, in which its empty lines are not
    counted.
    """
    if relaxed(actual, policy) == actual:
        return difference
    matched = _size(difference.matched)

    def is_matched(count: int) -> bool:
        return _size(relaxed(_first(actual, count), policy)) <= matched

    place, further = -1, 0
    while further > place:
        place = _furthest(is_matched, further, _size(actual))
        near = (count for count in _ends(actual, policy) if place < count <= place + _FURTHER)
        further = max(filter(is_matched, near), default=place)
    return msgspec.structs.replace(difference, shown=_first(actual, place))


def _furthest(is_matched: Callable[[int], bool], low: int, high: int) -> int:
    """The largest size that is matched, as long as all smaller ones are."""
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if is_matched(middle) else (low, middle - 1)
    return low


def _size(events: tuple[Event, ...]) -> int:
    """How many bytes were shown, everything else that happened counted as one."""
    return sum(len(event.text) if isinstance(event, Shown) else 1 for event in events)


def _first(events: tuple[Event, ...], count: int) -> tuple[Event, ...]:
    """The beginning of a session that has this size; never a part of a character."""
    first: list[Event] = []
    for event in events:
        if count <= 0:
            break
        if isinstance(event, Shown) and len(event.text) > count:
            first.append(Shown(event.text[: character_start(event.text, count)]))
            break
        first.append(event)
        count -= len(event.text) if isinstance(event, Shown) else 1
    return tuple(first)


def _ends(events: tuple[Event, ...], policy: Policy) -> Iterator[int]:
    """The sizes at which a line or an event of the session ends, or a text that may stand for another."""
    texts = [re.escape(text.encode()) for group in policy.alternatives for text in group if text]
    pattern = re.compile(b"|".join((rb"\n", *sorted(texts, key=len, reverse=True))))
    count = 0
    for event in events:
        if isinstance(event, Shown):
            yield from (count + found.end() for found in pattern.finditer(event.text))
        count += _size((event,))
        yield count
