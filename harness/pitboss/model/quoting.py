"""Quotes a program's output in a sentence: on one line, shortened if long, with invisible characters escaped."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import NamedTuple

from pitboss.model.notation import visible

#: The maximum width of a quotation, in columns.
_MAX_WIDTH = 60
#: The number of columns before a difference that a shortened line shows.
_CONTEXT_BEFORE = 20
#: A character of a text from `readable`. An escape counts as one character, so it is never cut.
_CHARACTER = re.compile(r"\\x[0-9a-f]{2}|\\t|.", re.DOTALL)
#: If only spaces differ, they are drawn as the first of these marks that is not in the texts.
_SPACE_MARKS = "·␣"
_WORD = re.compile("[^ ]+")
#: What a terminal or a page acts on: controls but tabs and newlines, what sets the direction of a text
#: (https://www.unicode.org/Public/UNIDATA/PropList.txt, Bidi_Control), line separators, and halves of a character.
_ACTIVE = re.compile(
    "\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


class QuotedPair(NamedTuple):
    """Quotations of two differing lines."""

    expected: str
    actual: str
    #: Explains in parentheses the mark that is drawn for spaces; empty if spaces have no mark.
    remark: str


def printable(text: str) -> str:
    r"""Returns a text of any origin, with what a terminal or a page would act on instead of showing it escaped.

    >>> printable("\x1b]0;x\a\n\u202e")
    '\\x1b]0;x\\x07\n\\u202e'
    """
    return _ACTIVE.sub(lambda match: repr(match[0])[1:-1], text)


def quoted(text: bytes) -> str:
    """Returns the first line of a text in quotes, shortened at its end if it is long."""
    return f"“{_shortened(_characters(_first_line(text)))}”"


def quoted_end(text: bytes) -> str:
    """Returns a line in quotes, shortened at its beginning if it is long, because its end matters."""
    characters = _characters(text)
    return f"“{''.join(characters) if _width(characters) <= _MAX_WIDTH else '…' + _tail(characters, _MAX_WIDTH - 1)}”"


def quoted_pair(expected: tuple[bytes, bytes], actual: tuple[bytes, bytes]) -> QuotedPair:
    """Returns two differing lines in quotes; each argument has the line's text before the difference, and the rest.

    Long lines are shortened so that the difference stays visible. If only spaces differ, a mark is drawn for them.
    """
    pairs = [(_characters(before), _characters(_first_line(after))) for before, after in (expected, actual)]
    is_long = any(_width(before) + _width(after) > _MAX_WIDTH for before, after in pairs)
    lines = ["".join((*before, *after)) for before, after in pairs]
    space_mark = next((mark for mark in _SPACE_MARKS if not any(mark in line for line in lines)), "")
    gaps = _differing_gaps(*lines) if space_mark else frozenset[int]()
    quotations = []
    for before, after in pairs:
        characters = _with_marks([*before, *after], gaps, space_mark)
        start, end = characters[: len(before)], characters[len(before) :]
        is_cut = is_long and _width(start) > _CONTEXT_BEFORE
        quotations.append(f"“{_shortened([f'…{_tail(start, _CONTEXT_BEFORE)}', *end] if is_cut else characters)}”")
    return QuotedPair(quotations[0], quotations[1], f" ({space_mark} is a space)" if gaps else "")


def _differing_gaps(first: str, second: str) -> frozenset[int]:
    """Returns the gaps with differing spaces, by the number of words before each gap; empty if words differ too."""
    if first.split() != second.split():
        return frozenset()
    gaps = zip(_WORD.split(first), _WORD.split(second), strict=False)
    return frozenset(number for number, pair in enumerate(gaps) if pair[0] != pair[1])


def _with_marks(characters: list[str], gaps: frozenset[int], mark: str) -> list[str]:
    """Returns the characters of a line, with a mark for each space in these gaps."""
    marked_characters, word_count, is_in_word = [], 0, False
    for character in characters:
        is_space = character == " "
        word_count += not is_space and not is_in_word
        is_in_word = not is_space
        marked_characters.append(mark if is_space and word_count in gaps else character)
    return marked_characters


def readable(text: bytes) -> str:
    r"""Returns text with only invisible characters escaped: a plain < or backslash is unchanged.

    >>> readable(b"a\\<b\t")
    'a\\<b\\t'
    """
    parts = visible(text).split("\\\\")
    return "\\".join(part.replace("\\<", "<") for part in parts)


def _first_line(text: bytes) -> bytes:
    return text.partition(b"\n")[0]


def characters_of(text: str) -> list[str]:
    """Returns the characters of a text from `readable`; an escape is one character."""
    return _CHARACTER.findall(text)


def _characters(text: bytes) -> list[str]:
    return characters_of(readable(text))


def _width(characters: list[str]) -> int:
    return sum(map(len, characters))


def _shortened(characters: list[str]) -> str:
    """Returns the text, shortened to `_MAX_WIDTH` columns if it is longer."""
    if _width(characters) <= _MAX_WIDTH:
        return "".join(characters)
    widths = accumulate(map(len, characters))
    return "".join(character for character, width in zip(characters, widths, strict=True) if width < _MAX_WIDTH) + "…"


def _tail(characters: list[str], columns: int) -> str:
    """Returns the end of a text, at most `columns` wide."""
    widths = accumulate(map(len, reversed(characters)))
    count = sum(width <= columns for width in widths)
    return "".join(characters[len(characters) - count :])
