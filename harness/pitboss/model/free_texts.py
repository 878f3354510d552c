"""Finds the free texts in a session of the reference, and replaces them by other texts."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from pitboss.model.comparison_policy import FreeText
from pitboss.model.transcript import Event, InputEnded, Paused, Shown, Typed, canonical, last_line

#: The maximum number of texts for which a finder caches its matches.
_MAX_CACHED = 65_536
_NUMBER = re.compile(rb"-?[0-9]+(?:[.,][0-9]+)*")
#: Where a text of each kind is in an event, as the frame of a regular expression. A text after a typed line includes
#: newlines before it: the policy decides whether empty lines matter.
_POSITIONS = {"line": rb"^%b$", "end_of_line": rb"%b$", "prompt": rb"%b\Z", "after": rb"\A\n*%b"}


class Occurrence(NamedTuple):
    """A free text in a session: from `start` to `end` in the text of an event.

    A text of the kind `after` comes directly after the event of a typed line; its `start` and `end` are 0.
    """

    free: FreeText
    start: int
    end: int


class Span(NamedTuple):
    """The position of a text that replaced a free text, from the beginning of the session.

    Positions count the bytes of shown text; each event without shown text counts as one byte.
    """

    name: str
    start: int
    end: int


def replace_free_texts(
    events: tuple[Event, ...], free: tuple[FreeText, ...], texts: Mapping[str, bytes | None]
) -> tuple[Event, ...]:
    """Returns a session of the reference with its free texts replaced by these texts.

    Free texts without an entry are unchanged. An empty text removes the free text, with its newline if it is a complete
    line; None also removes one of the two empty lines around that line.
    """
    return _replace_texts(events, free, texts, lambda *_: None) if texts else events


def spans_of(
    events: tuple[Event, ...], free: tuple[FreeText, ...], texts: Mapping[str, bytes | None]
) -> tuple[Span, ...]:
    """Returns the positions of the free texts in the session from `replace_free_texts`; a removed text has length 0."""
    spans: list[Span] = []
    _replace_texts(events, free, texts, lambda *span_fields: spans.append(Span(*span_fields)))
    return tuple(spans)


def _replace_texts(
    events: tuple[Event, ...],
    free: tuple[FreeText, ...],
    texts: Mapping[str, bytes | None],
    note_span: Callable[[str, int, int], object],
) -> tuple[Event, ...]:
    """Returns the session of `replace_free_texts`; calls `note_span` with the name, start and end of each free text."""
    new_events: list[Event] = []
    offset = typed_lines = 0
    for event, (is_at_line_start, occurrences) in zip(events, _occurrences(events, free), strict=True):
        if not occurrences or not isinstance(event, Shown):
            new_events.append(event)
            offset += len(event.text) if isinstance(event, Shown) else 1
            typed_lines += isinstance(event, Typed)
            for occurrence in occurrences:
                inserted_text = (
                    texts.get(_numbered_key(occurrence.free.name, typed_lines), texts.get(occurrence.free.name)) or b""
                )
                new_events.append(Shown(inserted_text))
                note_span(occurrence.free.name, offset, offset + len(inserted_text))
                offset += len(inserted_text)
            continue
        new_text, position = b"", 0
        for occurrence in occurrences:
            text = texts.get(occurrence.free.name, occurrence.free.reference_text)
            text = texts.get(_numbered_key(occurrence.free.name, typed_lines), text)
            new_text += event.text[position : occurrence.start]
            note_span(occurrence.free.name, offset + len(new_text), offset + len(new_text) + len(text or b""))
            new_text += text or b""
            # The text before the free text. If the event begins a line of the screen, a newline is put in front, as the
            # end of the previous line: then two newlines in a row always mean an empty line.
            before = (b"\n" if is_at_line_start else b"") + new_text
            position = occurrence.end + (
                0
                if text or occurrence.free.kind != "line"
                else _count_removed_bytes(before, event.text[occurrence.end :], text)
            )
        new_text += event.text[position:]
        offset += len(new_text)
        new_events.append(Shown(new_text))
    return canonical(new_events)


def _numbered_key(name: str, typed_lines: int) -> str:
    """Returns the key in a mapping of texts for the free text `name` after this many typed lines."""
    return f"{name}\0{typed_lines}"


def without_numbers(text: bytes) -> bytes:
    """Returns a text in which each number is replaced by #."""
    return _NUMBER.sub(b"#", text)


def with_numbers(
    texts: Mapping[str, bytes | None], free: tuple[FreeText, ...], actual: tuple[Event, ...]
) -> Mapping[str, bytes | None]:
    """Returns the texts, with an additional entry for each occurrence of a text with varying numbers in `actual`.

    In `texts`, a text with varying numbers has # for each number. The value of an additional entry is the text as the
    session `actual` shows it; the key contains the number of lines that were typed before the text.
    """
    varying = [free_text for free_text in free if free_text.numbers_vary and texts.get(free_text.name)]
    if not varying:
        return texts
    all_texts, typed_lines = dict(texts), 0
    for previous, event in zip((None, *actual), actual, strict=False):
        typed_lines += isinstance(event, Typed)
        if not isinstance(event, Shown):
            continue
        for free_text in varying:
            parts = map(re.escape, (texts[free_text.name] or b"").split(b"#"))
            pattern = (rb"(?:%b|#)" % _NUMBER.pattern).join(parts)
            match = re.search(_POSITIONS[free_text.kind] % pattern, event.text, re.MULTILINE)
            if match and (isinstance(previous, Typed) or free_text.kind != "after"):
                all_texts[_numbered_key(free_text.name, typed_lines)] = match[0]
    return all_texts


def _count_removed_bytes(before: bytes, after: bytes, text: bytes | None) -> int:
    """Returns how many bytes after a removed line are removed too: the line's newline, if any.

    If `text` is None and the line is between two empty lines, the second of them is removed as well.
    """
    is_between_empty_lines = text is None and before.endswith(b"\n\n") and after.startswith(b"\n\n")
    return 2 if is_between_empty_lines else int(after.startswith(b"\n"))


def occurrences_in(events: tuple[Event, ...], free: tuple[FreeText, ...]) -> Iterator[tuple[Occurrence, ...]]:
    """Yields a tuple for each event of a session of the reference: the event's free texts in order."""
    return (occurrences for _, occurrences in _occurrences(events, free))


@functools.lru_cache(maxsize=256)
def _occurrences(
    events: tuple[Event, ...], free: tuple[FreeText, ...]
) -> tuple[tuple[bool, tuple[Occurrence, ...]], ...]:
    """For each event, whether its text begins at the start of a line of the screen, and its free texts.

    Cached, since many texts are tried in the same session.
    """
    return tuple(_iterate_occurrences(events, free))


def _iterate_occurrences(
    events: tuple[Event, ...], free: tuple[FreeText, ...]
) -> Iterator[tuple[bool, tuple[Occurrence, ...]]]:
    finder = _finder_of(free)
    is_at_line_start, last_index, line = True, len(events) - 1, b""
    for index, event in enumerate(events):
        if not isinstance(event, Shown):
            is_at_line_start = is_at_line_start or isinstance(event, Typed)
            yield False, finder.text_after(line + event.line.strip()) if isinstance(event, Typed) else ()
            line = last_line((Shown(line), event))
            continue
        is_read_next = index < last_index and isinstance(events[index + 1], Typed | InputEnded)
        occurrences = tuple(
            Occurrence(free_text, start, end)
            for free_text, start, end in finder.matches_in(event.text)
            # A complete line must begin a line of the screen.
            if not (free_text.kind == "line" and start == 0 and not is_at_line_start)
            # Where an event ends, its line may go on in the next event, so only a prompt is recognised there.
            and not (free_text.kind != "prompt" and end == len(event.text) and index < last_index)
            # A prompt must come directly before the program reads.
            and not (free_text.kind == "prompt" and not is_read_next)
        )
        yield is_at_line_start, occurrences
        line = last_line((Shown(line), event))
        is_at_line_start = event.text.endswith(b"\n")


class _TextFinder:
    """Finds free texts in the texts of events. If several match at a position, only the longest is found.

    Results are cached, since the same events are searched again for each text that a program may show.
    """

    def __init__(self, free: tuple[FreeText, ...]) -> None:
        self._after_texts = sorted(
            ((free_text, free_text.text.encode()) for free_text in free if free_text.kind == "after"),
            key=lambda pair: -len(pair[1]),
        )
        self._pattern, self._by_group = _pattern_of(free)
        self._cached_matches: dict[bytes, tuple[tuple[FreeText, int, int], ...]] = {}

    def text_after(self, line: bytes) -> tuple[Occurrence, ...]:
        """Return the free text that comes after a line of the screen; the longest match, if there are several."""
        return next(
            ((Occurrence(free_text, 0, 0),) for free_text, text in self._after_texts if line.endswith(text)), ()
        )

    def matches_in(self, text: bytes) -> tuple[tuple[FreeText, int, int], ...]:
        """Return the free texts in a text, each with its start and end, regardless of the position on the screen."""
        cached = self._cached_matches.get(text)
        if cached is None:
            if len(self._cached_matches) >= _MAX_CACHED:
                self._cached_matches.clear()
            matches = self._pattern.finditer(text)
            cached = self._cached_matches[text] = tuple(
                (self._by_group[match.lastgroup or ""], *match.span()) for match in matches
            )
        return cached


@functools.cache
def _finder_of(free: tuple[FreeText, ...]) -> _TextFinder:
    return _TextFinder(free)


def _pattern_of(free: tuple[FreeText, ...]) -> tuple[re.Pattern[bytes], dict[str, FreeText]]:
    """Returns a pattern that matches the longest free text at a position, and the free texts by its groups' names."""
    pattern_by_kind = {"line": rb"(?<![^\n])%b(?![^\n])", "end_of_line": rb"%b(?![^\n])", "prompt": rb"%b\Z"}
    longest_first = sorted(
        (free_text for free_text in free if free_text.kind != "after"), key=lambda free_text: -len(free_text.text)
    )
    by_group = {f"free{number}": free_text for number, free_text in enumerate(longest_first)}
    groups = (
        b"(?P<%b>%b)" % (name.encode(), pattern_by_kind[free_text.kind] % re.escape(free_text.text.encode()))
        for name, free_text in by_group.items()
    )
    never_matching = rb"(?!)"
    return re.compile(b"|".join(groups) or never_matching), by_group


def names_in(events: tuple[Event, ...], free: tuple[FreeText, ...]) -> tuple[str, ...]:
    """Returns the names of the free texts in a session of the reference, in order of first appearance."""
    return tuple(
        dict.fromkeys(
            occurrence.free.name for occurrences in occurrences_in(events, free) for occurrence in occurrences
        )
    )


def without_pauses(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Returns the events without pauses, in canonical form."""
    return canonical([event for event in events if type(event) is not Paused])
