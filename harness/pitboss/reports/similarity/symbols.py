"""Programs as sequences of symbols that stay the same when names, literals, comments and layout are changed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

import msgspec

from pitboss.model.languages import LANGUAGES
from pitboss.reports.style.masking import language_of, masked, unified

#: The maximum number of characters of each work, about 4,000 lines; what is beyond is not compared, which is reported.
MAX_CHARACTERS = 1 << 17
#: The first lines of every program, which are not compared.
_IMPORTS = re.compile(
    r"(?m)^[ \t]*(?:#[ \t]*(?:include|pragma)|import\b|from\b[^\n]{0,200}\bimport\b|using\b|package\b)[^\n]*"
)
#: A text that stands alone, such as the docstring of a function, is a comment.
_LONE_TEXT = re.compile(r"(?m)^[ \t]* 0[ \t]*$")
_TOKEN = re.compile(r"[^\W\d]\w*|\d[\w.]*|\S")
#: No token looks like these.
_NAME, _LITERAL, _TYPE, _OTHER = "a name", "a literal", "a type", "anything else"
_TYPES = """
auto bool boolean byte char decimal double float int long short size_t string String var void
"""
#: Modifiers, which are easily added without effect.
_MODIFIERS = """
const final inline internal override private protected public readonly register sealed signed static unsigned virtual
volatile
"""
#: A byte for each symbol.
_MARKS = "!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~"
_WORDS = sorted({word for one in LANGUAGES.values() for word in one.keywords})
_SYMBOLS = (_NAME, _LITERAL, _TYPE, _OTHER, *_MARKS, *_WORDS)
_NUMBERS = {symbol: number for number, symbol in enumerate(_SYMBOLS)}


def _table(words: Iterable[str], types: Iterable[str]) -> dict[str, int]:
    return {word: _NUMBERS[word] for word in (*words, *_MARKS)} | dict.fromkeys(types, _NUMBERS[_TYPE])


_KNOWN = {name: _table(one.keywords, _TYPES.split() if one.has_braces else ()) for name, one in LANGUAGES.items()}
_PASSED_OVER = frozenset(_MODIFIERS.split())


class Tokens(msgspec.Struct, frozen=True):
    """The tokens of a file."""

    path: str
    text: str
    #: A byte for each token: equal for equal keywords and operators, for all names, for all literals, for all types.
    symbols: bytes
    #: Where each token stands in the text.
    places: tuple[int, ...]

    def lines(self, first: int, last: int) -> tuple[int, int, str]:
        """The numbers of the lines from one token to another one, and their text."""
        begins = [0, *(found.end() for found in re.finditer("\n", self.text))]
        start = bisect_right(begins, self.places[first])
        end = bisect_right(begins, self.places[last])
        until = begins[end] - 1 if end < len(begins) else len(self.text)
        return start, end, self.text[begins[start - 1] : until]


def tokens_of(files: Iterable[tuple[str, str]]) -> tuple[list[Tokens], bool]:
    """The tokens of the sources among these files, and whether some were left out, being too long."""
    found: list[Tokens] = []
    left, is_cut = MAX_CHARACTERS, False
    for path, raw in files:
        language = language_of(path)
        if language is None:
            continue
        is_cut = is_cut or len(raw) > left
        text = unified(raw[:left])
        left -= min(left, len(raw))
        found.append(_tokens(path, text, language))
    return found, is_cut


def _tokens(path: str, text: str, language: str) -> Tokens:
    code = _IMPORTS.sub(_blank, masked(text, language))
    if language == "python":
        code = _LONE_TEXT.sub(_blank, code)
    known = _KNOWN[language]
    symbols = bytearray()
    places: list[int] = []
    for found in _TOKEN.finditer(code):
        token = found[0]
        if token not in _PASSED_OVER:
            symbols.append(known[token] if token in known else _number(token[0]))
            places.append(found.start())
    return Tokens(path, text, bytes(symbols), tuple(places))


def _number(first: str) -> int:
    """The symbol of a token that is no keyword, by its first character."""
    return _NUMBERS[_LITERAL if first.isdigit() else _NAME if first.isidentifier() else _OTHER]


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])
