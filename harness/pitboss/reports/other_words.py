"""The sentence on a line in which one word stands for another, and nothing else differs."""

from __future__ import annotations

import re

from pitboss.compare.comparison import Split
from pitboss.model.quoting import quoted, quoted_pair
from pitboss.model.screen_lines import last_line
from pitboss.model.transcript import Shown

_OPEN = "…"
_BLANKS = re.compile(r"([ \t]+)")


def sentence_of_word(split: Split) -> str:
    """A sentence if both sessions go on with a text, and one word of its line differs; else empty."""
    wanted, found = split.expected[0], split.actual[0]
    assert isinstance(wanted, Shown)
    assert isinstance(found, Shown)
    expected = last_line(split.expected_before), wanted.text.partition(b"\n")[0]
    actual = last_line(split.before), found.text.partition(b"\n")[0]
    if not _end_alike(split, wanted.text, found.text):
        return ""
    try:
        words = _other_word(b"".join(expected).decode("utf-8"), b"".join(actual).decode("utf-8"))
    except UnicodeDecodeError:
        return ""
    if words is None:
        return ""
    right, wrong = (quoted(word.encode()) for word in words)
    line = quoted_pair(expected, actual).actual
    return f"Line {split.line}, {line}, has {wrong} where {right} is expected."


def _end_alike(split: Split, wanted: bytes, found: bytes) -> bool:
    """Whether the line ends in both sessions with a newline, or before an event of the same kind."""
    if b"\n" in wanted or b"\n" in found:
        return b"\n" in wanted and b"\n" in found
    return [type(event) for event in split.expected[1:2]] == [type(event) for event in split.actual[1:2]]


def _other_word(expected: str, actual: str) -> tuple[str, str] | None:
    """The one word that differs, as it should be and as it is; the blanks beside it may fill its column."""
    ours, theirs = _BLANKS.split(expected), _BLANKS.split(actual)
    others = [place for place, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]]
    words = [place for place in others if place % 2 == 0]
    if len(ours) != len(theirs) or len(words) != 1 or sum(map(bool, ours[::2])) < 2:
        return None
    place = words[0]
    is_beside = all(abs(other - place) <= 1 for other in others)
    if not is_beside or (len(others) > 1 and len(expected) != len(actual)):
        return None
    right, wrong = ours[place], theirs[place]
    if _OPEN in right:  # what is expected is not known
        return None
    return (right, wrong) if right and wrong and (right + wrong).isprintable() else None
