"""Finds the free texts in a session of the reference, and replaces them by other texts. Sessions are flat."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Container, Mapping
from typing import NamedTuple

from pitboss.model.comparison_policy import FreeText
from pitboss.model.equality import lines_in
from pitboss.model.transcript import Event, flat, joined_neighbours

#: The new texts of free texts, by name.
Replacements = Mapping[str, bytes | str | None]
#: The maximum number of texts for which a finder caches its matches.
_MAX_CACHED = 65_536
_NUMBER = "-?[0-9]+(?:[.,][0-9]+)*"
_OUTPUT = re.compile("[\0-\xff]+")
#: A typed line in a flat session.
_TYPED = re.compile("[\u0300-\u03ff]*")
#: What a session shows after its last typed line, if that is nothing or empty lines.
_EMPTY_END = re.compile("(?<=[\u0200-\U0010ffff])\n*\\Z")
#: Where a text of each kind is in an uninterrupted text, as the frame of a regular expression. A text after a typed
#: line includes newlines before it: the policy decides whether empty lines matter.
_POSITIONS = {"line": "^%s$", "end_of_line": "%s$", "prompt": r"%s\Z", "after": r"\A\n*%s"}


class Occurrence(NamedTuple):
    """A free text in a session; a text of the kind `after` has no length, and comes directly after a typed line."""

    free: FreeText
    start: int
    end: int


def replace_free_texts(session: str, free: tuple[FreeText, ...], texts: Replacements) -> str:
    """Returns a session of the reference with its free texts replaced by these texts.

    Free texts without an entry are unchanged. An empty text removes the free text, with its newline if it is a complete
    line; None also removes one of the two empty lines around that line. A str is a text of a flat session.
    """
    return joined_neighbours(_replaced(session, free, texts)[0]) if texts else session


def without_free_texts(session: str, free: tuple[FreeText, ...]) -> str:
    """Returns a session of the reference without its free texts; a prompt is replaced by its first synonym, if any."""
    texts = {each.name: next(iter(each.synonyms), None) if each.kind == "prompt" else None for each in free}
    return replace_free_texts(session, free, texts)


def spans_of(session: str, free: tuple[FreeText, ...], texts: Replacements) -> list[Occurrence]:
    """Returns the positions of the free texts in the session from `replace_free_texts`; a removed text has length 0."""
    return _replaced(session, free, texts)[1]


def _replaced(session: str, free: tuple[FreeText, ...], texts: Replacements) -> tuple[str, list[Occurrence]]:
    new, position, typed_lines = "", 0, 0
    spans: list[Occurrence] = []
    counts = Counter[tuple[int, bytes | str | None]]()
    has_numbered_keys = any("\0" in name for name in texts)
    for occurrence in occurrences_in(session, free):
        name = occurrence.free.name
        text = texts.get(name, occurrence.free.reference_text)
        if has_numbered_keys:
            typed_lines += session.count("\u0200", position, occurrence.start)
            # Several free texts may have the same text.
            counts[typed_lines, text] += 1
            text = texts.get(_numbered_key(name, typed_lines, counts[typed_lines, text]), text)
        new += session[position : occurrence.start]
        start = len(new)
        new += text.decode("latin-1") if isinstance(text, bytes) else text or ""
        spans.append(Occurrence(occurrence.free, start, len(new)))
        position = occurrence.end
        if not text and occurrence.free.kind == "line":
            # The line's newline is removed, too. Two newlines in a row always mean an empty line.
            is_after_empty_line = new.endswith("\n") and _begins_line(new, len(new) - 1)
            is_between_empty_lines = text is None and is_after_empty_line and session.startswith("\n\n", position)
            position += 2 if is_between_empty_lines else session.startswith("\n", position)
    return new + session[position:], spans


def _numbered_key(name: str, typed_lines: int, count: int) -> str:
    """Returns the key in a mapping of texts for the free text `name` after this many typed lines.

    `count`: which of the equal texts after the same typed line it is; the first is 1.
    """
    return f"{name}\0{typed_lines}\0{count}"


def line_typed_before(session: str, position: int) -> bytes:
    """Returns the line that was typed last before a position of a flat session, stripped; empty if none was."""
    match = _TYPED.match(session, session.rfind("\u0200", 0, position) + 1)
    return _typed(match[0]) if match else b""


def _typed(flat_line: str) -> bytes:
    """Returns what was typed in a line, stripped, by the line's characters in a flat session."""
    return bytes(ord(character) - 0x300 for character in flat_line).strip()


def without_varying_parts(text: bytes, typed: bytes) -> bytes:
    """Returns a text with # for each number, and for the line typed before it where the text repeats that."""
    return re.sub(_varying_part(typed).encode("latin-1"), b"#", text)


def _varying_part(typed: bytes) -> str:
    return rf"{_NUMBER}|(?<!\w){re.escape(typed.decode('latin-1'))}(?!\w)" if typed else _NUMBER


def with_varying_parts(
    texts: Mapping[str, bytes | None], free: tuple[FreeText, ...], actual: str, names: Container[str]
) -> Mapping[str, bytes | None]:
    """Returns the texts, with an additional entry for each occurrence in `actual` that may differ from its text.

    In `texts`, a text whose numbers vary has # as `without_varying_parts` has it. The value of an additional entry is
    the text as the session `actual` shows it; the key contains the number of lines that were typed before the text.
    Nothing and empty lines are the same text where a session ends with them after a typed line. `names` are the free
    texts whose text is known; one without an entry in `texts` has the reference's text.
    """
    all_texts = dict(texts)
    for free_text in free:
        text = texts.get(free_text.name)
        if free_text.numbers_vary and text and b"#" in text:
            all_texts |= _varying_texts(free_text.name, free_text.kind, text, actual)
        if free_text.kind == "after" and free_text.name in names and not (text or b"").strip(b"\n"):
            end = _EMPTY_END.search(actual)
            if end and end[0] != (text or b"").decode() and len(end[0]) <= free_text.lines:
                all_texts[_numbered_key(free_text.name, actual.count("\u0200"), 1)] = end[0].encode()
    return all_texts


@functools.lru_cache(maxsize=4_096)  # many texts are tried in the same session
def _varying_texts(name: str, kind: str, text: bytes, actual: str) -> Mapping[str, bytes]:
    """Returns the additional entries of `with_varying_parts` for one text."""
    found, typed_lines, position = {}, 0, 0
    counts = Counter[int]()
    for shown in _OUTPUT.finditer(actual):
        typed_lines += actual.count("\u0200", position, shown.start())
        position = shown.start()
        pattern = _varying_pattern(kind, text, line_typed_before(actual, position))
        for match in pattern.finditer(shown[0]) if kind != "after" or actual[:position][-1:] >= "\u0200" else ():
            counts[typed_lines] += 1
            found[_numbered_key(name, typed_lines, counts[typed_lines])] = match[0].encode("latin-1")
    return found


@functools.lru_cache(maxsize=4_096)
def _varying_pattern(kind: str, text: bytes, typed: bytes) -> re.Pattern[str]:
    """Returns a pattern for a text with # for what varies, where `typed` was typed before it."""
    parts = map(re.escape, text.decode("latin-1").split("#"))
    return re.compile(_POSITIONS[kind] % f"(?:{_varying_part(typed)}|#)".join(parts), re.MULTILINE | re.ASCII)


def _begins_line(session: str, index: int) -> bool:
    """Whether the text at `index` begins a line of the screen; pauses and ends of input may come before it."""
    while index and "\u0100" <= session[index - 1] < "\u0200":
        index -= 1
    return not index or session[index - 1] == "\n" or session[index - 1] >= "\u0200"


@functools.lru_cache(maxsize=256)  # many texts are tried in the same session
def occurrences_in(session: str, free: tuple[FreeText, ...]) -> tuple[Occurrence, ...]:
    """Returns the free texts in a session of the reference, in order."""
    find = _finder_of(free)
    occurrences = [
        Occurrence(free_text, shown.start() + start, shown.start() + end)
        for shown in _OUTPUT.finditer(session)
        for free_text, start, end in find(shown[0])
        if _is_in_place(session, free_text, shown.start() + start, shown.start() + end)
    ]
    after_texts = [free_text for free_text in free if free_text.kind == "after"]
    for line in lines_in(session) if after_texts else ():
        _, is_typed, typed = line.flat.partition("\u0200")
        screen_line = line.text.encode("latin-1") + _typed(typed)
        matching = [
            free_text for free_text in after_texts if is_typed and screen_line.endswith(free_text.text.encode())
        ]
        if matching:
            end = line.start + len(line.flat)
            occurrences.append(Occurrence(max(matching, key=lambda free_text: len(free_text.text.encode())), end, end))
    return tuple(sorted(occurrences, key=lambda occurrence: occurrence[1:]))


def _is_in_place(session: str, free: FreeText, start: int, end: int) -> bool:
    """Whether a text is where a free text of its kind can be.

    A prompt must come directly before the program reads. Where any other text is interrupted, its line may go on.
    """
    following = session[end : end + 1]
    if free.kind == "prompt":
        return following in ("\u0101", "\u0200")
    return following in ("", "\n") and (free.kind == "end_of_line" or _begins_line(session, start))


@functools.cache
def _finder_of(free: tuple[FreeText, ...]) -> Callable[[str], tuple[Occurrence, ...]]:
    """Returns a function that finds free texts in an uninterrupted text, regardless of its place in a session.

    If several match at a position, only the longest is found. Results are cached, since the same texts recur.
    """
    pattern_by_kind = {"line": "(?<![^\n])%s(?![^\n])", "end_of_line": "%s(?![^\n])", "prompt": r"%s\Z"}
    longest_first = sorted(
        (free_text for free_text in free if free_text.kind != "after"), key=lambda free_text: -len(free_text.text)
    )
    texts = [re.escape(free_text.text.encode().decode("latin-1")) for free_text in longest_first]
    groups = [f"({pattern_by_kind[each.kind] % text})" for each, text in zip(longest_first, texts, strict=True)]
    pattern = re.compile("|".join(groups) or "(?!)")

    @functools.lru_cache(_MAX_CACHED)
    def find(text: str) -> tuple[Occurrence, ...]:
        matches = pattern.finditer(text)
        return tuple(Occurrence(longest_first[(match.lastindex or 1) - 1], *match.span()) for match in matches)

    return find


def names_in(events: tuple[Event, ...], free: tuple[FreeText, ...]) -> tuple[str, ...]:
    """Returns the names of the free texts in a session of the reference, in order of first appearance."""
    return tuple(dict.fromkeys(occurrence.free.name for occurrence in occurrences_in(flat(events), free)))
