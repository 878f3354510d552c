"""Finds free texts in a session of the reference, and replaces them by other texts."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from pitboss.model.comparison_policy import FreeText
from pitboss.model.screen_lines import last_line
from pitboss.model.transcript import Event, InputEnded, Paused, Shown, Typed, canonical

#: The maximum number of texts for which a finder caches its matches.
_MAX_CACHED = 65_536
_NUMBER = re.compile(rb"[0-9]+(?:[.,][0-9]+)*")


class Occurrence(NamedTuple):
    """A free text in a session: from `start` to `end` in the text of an event, or after the event."""

    free: FreeText
    start: int
    end: int


class Span(NamedTuple):
    """The position of a text that replaced a free text; each byte shown and each other event counts as 1."""

    name: str
    start: int
    end: int


def put_in(
    events: tuple[Event, ...], free: tuple[FreeText, ...], texts: Mapping[str, bytes | None]
) -> tuple[Event, ...]:
    """Returns a session of the reference with its free texts replaced by these texts.

    Free texts without an entry are unchanged. For an empty text the free text is removed, and the whole line if it is
    a line of its own; None also removes one of the two empty lines around such a line.
    """
    return _put_in(events, free, texts, lambda *_: None) if texts else events


def spans_of(
    events: tuple[Event, ...], free: tuple[FreeText, ...], texts: Mapping[str, bytes | None]
) -> tuple[Span, ...]:
    """Returns the positions of the free texts in the session from `put_in`; a removed text has length 0."""
    spans: list[Span] = []
    _put_in(events, free, texts, lambda *place: spans.append(Span(*place)))
    return tuple(spans)


def _put_in(
    events: tuple[Event, ...],
    free: tuple[FreeText, ...],
    texts: Mapping[str, bytes | None],
    note: Callable[[str, int, int], object],
) -> tuple[Event, ...]:
    changed: list[Event] = []
    offset = typed = 0
    for event, (is_at_line_start, found) in zip(events, _occurrences(events, free), strict=True):
        if not isinstance(event, Shown):
            changed.append(event)
            offset += 1
            typed += isinstance(event, Typed)
            for one in found:
                extra = texts.get(_key(one.free.name, typed), texts.get(one.free.name)) or b""
                changed.append(Shown(extra))
                note(one.free.name, offset, offset + len(extra))
                offset += len(extra)
            continue
        new, done = b"", 0
        for one in found:
            text = texts.get(one.free.name, one.free.own)
            new += event.text[done : one.start]
            note(one.free.name, offset + len(new), offset + len(new) + len(text or b""))
            new += text or b""
            before = b"\n" * is_at_line_start + new
            done = one.end + (0 if text or one.free.kind != "line" else _line_end(before, event.text[one.end :], text))
        new += event.text[done:]
        offset += len(new)
        changed.append(Shown(new))
    return canonical(changed)


def _key(name: str, typed: int) -> str:
    """Returns the key under which texts by name have the text `name` after this many typed lines."""
    return f"{name}\0{typed}"


def without_numbers(text: bytes) -> bytes:
    """Returns a text with a # in place of each number."""
    return _NUMBER.sub(b"#", text)


def with_numbers(
    texts: Mapping[str, bytes | None], free: tuple[FreeText, ...], actual: tuple[Event, ...]
) -> Mapping[str, bytes | None]:
    """Returns the texts and, for each occurrence of a text whose numbers vary, an entry with the session's numbers."""
    varying = [one.name for one in free if one.numbers_vary and texts.get(one.name)]
    if not varying:
        return texts
    changed, typed = dict(texts), 0
    for event, following in itertools.pairwise(actual):
        typed += isinstance(event, Typed)
        if isinstance(event, Typed) and isinstance(following, Shown):
            for name in varying:
                parts = map(re.escape, (texts[name] or b"").split(b"#"))
                # The policy decides whether an empty line before it counts.
                pattern = rb"\n*" + rb"(?:[0-9]+(?:[.,][0-9]+)*|#)".join(parts)
                if match := re.match(pattern, following.text):
                    changed[_key(name, typed)] = match[0]
    return changed


def _line_end(before: bytes, after: bytes, text: bytes | None) -> int:
    """How many bytes after a removed line are removed with it: its newline, and for None an empty line too."""
    is_between_empty_lines = text is None and before.endswith(b"\n\n") and after.startswith(b"\n\n")
    return 2 if is_between_empty_lines else after.startswith(b"\n")


def occurrences_in(events: tuple[Event, ...], free: tuple[FreeText, ...]) -> Iterator[tuple[Occurrence, ...]]:
    """Yields, for each event of a session of the reference, its free texts in order."""
    return (found for _, found in _occurrences(events, free))


def _occurrences(
    events: tuple[Event, ...], free: tuple[FreeText, ...]
) -> Iterator[tuple[bool, tuple[Occurrence, ...]]]:
    """Yield for each event whether it begins a line of the screen, and the free texts in it."""
    finder = _finder_of(free)
    is_at_line_start, last, line = True, len(events) - 1, b""
    for index, event in enumerate(events):
        if not isinstance(event, Shown):
            is_at_line_start = is_at_line_start or isinstance(event, Typed)
            yield False, finder.after(line + event.line) if isinstance(event, Typed) else ()
            line = last_line((Shown(line), event))
            continue
        is_read_next = index < last and isinstance(events[index + 1], Typed | InputEnded)
        found = tuple(
            Occurrence(one, start, end)
            for one, start, end in finder.found_in(event.text)
            if not (one.kind == "line" and start == 0 and not is_at_line_start)
            and not (one.kind != "prompt" and end == len(event.text) and index < last)
            and not (one.kind == "prompt" and not is_read_next)
        )
        yield is_at_line_start, found
        line = last_line((Shown(line), event))
        is_at_line_start = event.text.endswith(b"\n")


class _TextFinder:
    """Finds free texts in the texts of events; if several match at one position, the longest.

    The result is cached, since the same texts are searched again with every text that a program may show.
    """

    def __init__(self, free: tuple[FreeText, ...]) -> None:
        self._after = sorted(
            ((one, one.text.encode()) for one in free if one.kind == "after"), key=lambda one: -len(one[1])
        )
        self._pattern, self._by_group = _pattern_of(free)
        self._found: dict[bytes, tuple[tuple[FreeText, int, int], ...]] = {}

    def after(self, line: bytes) -> tuple[Occurrence, ...]:
        """Return the free text that comes after a line of the screen; if several do, the longest match."""
        return next(((Occurrence(one, 0, 0),) for one, text in self._after if line.endswith(text)), ())

    def found_in(self, text: bytes) -> tuple[tuple[FreeText, int, int], ...]:
        """Return the free texts in a text, each with its start and end, regardless of where the text is."""
        found = self._found.get(text)
        if found is None:
            if len(self._found) >= _MAX_CACHED:
                self._found.clear()
            matches = self._pattern.finditer(text)
            found = self._found[text] = tuple((self._by_group[one.lastgroup or ""], *one.span()) for one in matches)
        return found


@functools.cache
def _finder_of(free: tuple[FreeText, ...]) -> _TextFinder:
    return _TextFinder(free)


def _pattern_of(free: tuple[FreeText, ...]) -> tuple[re.Pattern[bytes], dict[str, FreeText]]:
    """Returns a pattern that finds the longest free text at a position, and the free text of each of its groups."""
    forms = {"line": rb"(?<![^\n])%b(?![^\n])", "end_of_line": rb"%b(?![^\n])", "prompt": rb"%b\Z"}
    visible = sorted((one for one in free if one.kind != "after"), key=lambda one: -len(one.text))
    by_group = {f"free{number}": one for number, one in enumerate(visible)}
    groups = (
        b"(?P<%b>%b)" % (name.encode(), forms[one.kind] % re.escape(one.text.encode()))
        for name, one in by_group.items()
    )
    return re.compile(b"|".join(groups) or rb"(?!)"), by_group


def names_in(events: tuple[Event, ...], free: tuple[FreeText, ...]) -> tuple[str, ...]:
    """Returns the names of the free texts in a session of the reference, in order of first appearance."""
    return tuple(dict.fromkeys(one.free.name for found in occurrences_in(events, free) for one in found))


def without_pauses(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Returns the events without pauses, in canonical form."""
    return canonical([event for event in events if type(event) is not Paused])
