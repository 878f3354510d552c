"""Quotes a program's output in a sentence: on one line, cut if it is long, with invisible characters escaped."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import NamedTuple

from pitboss.model.notation import visible

_LONGEST, _CONTEXT_BEFORE = 60, 20
#: An escape is never cut.
_CHARACTER = re.compile(r"\\x[0-9a-f]{2}|\\t|.", re.DOTALL)
#: If only spaces differ, they are drawn as one of these: the first that is not in the texts themselves.
_SPACES = "·␣"
_NO_SPACES = re.compile("[^ ]+")


class QuotedPair(NamedTuple):
    """Two quotations, and a remark in brackets on how they are drawn; the remark is empty if none is needed."""

    expected: str
    actual: str
    remark: str


def quoted(text: bytes) -> str:
    """Returns the first line of a text in quotes, cut at its end if it is long."""
    return f"“{_cut(_characters(_first_line(text)))}”"


def quoted_end(text: bytes) -> str:
    """Returns a line in quotes, cut at its beginning if it is long, because its end is what matters."""
    characters = _characters(text)
    return f"“{''.join(characters) if _width(characters) <= _LONGEST else '…' + _end(characters, _LONGEST - 1)}”"


def quoted_pair(expected: tuple[bytes, bytes], actual: tuple[bytes, bytes]) -> QuotedPair:
    """Returns two differing lines in quotes, each given as the text before the difference and the text from there on.

    Long lines are cut so that the difference stays visible. If only spaces differ, those that do are drawn as a mark.
    """
    pairs = [(_characters(before), _characters(_first_line(rest))) for before, rest in (expected, actual)]
    is_long = any(_width(before) + _width(rest) > _LONGEST for before, rest in pairs)
    lines = ["".join((*before, *rest)) for before, rest in pairs]
    space = next((mark for mark in _SPACES if not any(mark in line for line in lines)), "")
    gaps = _differing_gaps(*lines) if space else frozenset[int]()
    quotations = []
    for before, rest in pairs:
        drawn = _with_marks([*before, *rest], gaps, space)
        start, end = drawn[: len(before)], drawn[len(before) :]
        is_cut = is_long and _width(start) > _CONTEXT_BEFORE
        quotations.append(f"“{_cut([f'…{_end(start, _CONTEXT_BEFORE)}', *end] if is_cut else drawn)}”")
    return QuotedPair(quotations[0], quotations[1], f" ({space} is a space)" if gaps else "")


def _differing_gaps(one: str, other: str) -> frozenset[int]:
    """Which gaps between words differ in spaces, by the number of words before each; empty if words differ too."""
    if _without_spaces(one) != _without_spaces(other):
        return frozenset()
    gaps = zip(_NO_SPACES.split(one), _NO_SPACES.split(other), strict=False)
    return frozenset(number for number, pair in enumerate(gaps) if pair[0] != pair[1])


def _with_marks(characters: list[str], gaps: frozenset[int], mark: str) -> list[str]:
    """The characters of a line, with a mark for each space in these gaps."""
    marked, words, is_in_word = [], 0, False
    for one in characters:
        is_space = one == " "
        words += not is_space and not is_in_word
        is_in_word = not is_space
        marked.append(mark if is_space and words in gaps else one)
    return marked


def readable(text: bytes) -> str:
    r"""Returns text with only invisible characters escaped: a plain < or backslash is unchanged.

    >>> readable(b"a\\<b\t")
    'a\\<b\\t'
    """
    parts = visible(text).split("\\\\")
    return "\\".join(part.replace("\\<", "<") for part in parts)


def _without_spaces(line: str) -> str:
    """The line with each run of spaces as one, and none at either end."""
    return " ".join(line.split())


def _first_line(text: bytes) -> bytes:
    return text.partition(b"\n")[0]


def characters_of(text: str) -> list[str]:
    """Returns the characters of a text from `readable`; an escape counts as one."""
    return _CHARACTER.findall(text)


def _characters(text: bytes) -> list[str]:
    return characters_of(readable(text))


def _width(characters: list[str]) -> int:
    return sum(map(len, characters))


def _cut(characters: list[str]) -> str:
    """The text, cut to 60 columns if it is longer."""
    if _width(characters) <= _LONGEST:
        return "".join(characters)
    widths = accumulate(map(len, characters))
    return "".join(one for one, width in zip(characters, widths, strict=True) if width < _LONGEST) + "…"


def _end(characters: list[str], columns: int) -> str:
    """The end of a text, at most `columns` wide."""
    widths = accumulate(map(len, reversed(characters)))
    count = sum(width <= columns for width in widths)
    return "".join(characters[len(characters) - count :])
