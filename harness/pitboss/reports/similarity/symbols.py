"""Programs as sequences of symbols that stay the same when names, literals, comments and layout are changed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

import msgspec

from pitboss.model.languages import LANGUAGES
from pitboss.reports.style.masking import language_of, masked, unified

#: The maximum number of characters of each work, about 4,000 lines; the rest is not compared, which is reported.
MAX_CHARACTERS = 1 << 17
#: Imports, which begin every program and are not compared.
_IMPORTS = re.compile(
    r"(?m)^[ \t]*(?:#[ \t]*(?:include|pragma)|import\b|from\b[^\n]{0,200}\bimport\b|using\b|package\b)[^\n]*"
)
#: A string on its own line, such as the docstring of a function, is treated as a comment.
_STANDALONE_TEXT = re.compile(r"(?m)^[ \t]* 0[ \t]*$")
_TOKEN = re.compile(r"[^\W\d]\w*|\d[\w.]*|\S")
#: Names of symbols that are no tokens; none can be confused with a token.
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
_OPERATORS = "!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~"
_KEYWORDS = sorted({word for language in LANGUAGES.values() for word in language.keywords})
_SYMBOLS = (_NAME, _LITERAL, _TYPE, _OTHER, *_OPERATORS, *_KEYWORDS)
_SYMBOL_NUMBERS = {symbol: number for number, symbol in enumerate(_SYMBOLS)}


def _symbol_numbers(words: Iterable[str], types: Iterable[str]) -> dict[str, int]:
    return {word: _SYMBOL_NUMBERS[word] for word in (*words, *_OPERATORS)} | dict.fromkeys(
        types, _SYMBOL_NUMBERS[_TYPE]
    )


_NUMBERS_BY_LANGUAGE = {
    name: _symbol_numbers(language.keywords, _TYPES.split() if language.has_braces else ())
    for name, language in LANGUAGES.items()
}
_IGNORED = frozenset(_MODIFIERS.split())


class Tokens(msgspec.Struct, frozen=True):
    """The tokens of a file."""

    path: str
    text: str
    #: A byte for each token: equal for equal keywords and operators, for all names, for all literals, for all types.
    symbols: bytes
    #: The offset of each token in the text.
    places: tuple[int, ...]

    def lines(self, first: int, last: int) -> tuple[int, int, str]:
        """The first and last line number from one token to another, and the text of these lines."""
        line_starts = [0, *(newline.end() for newline in re.finditer("\n", self.text))]
        first_line = bisect_right(line_starts, self.places[first])
        last_line = bisect_right(line_starts, self.places[last])
        end_offset = line_starts[last_line] - 1 if last_line < len(line_starts) else len(self.text)
        return first_line, last_line, self.text[line_starts[first_line - 1] : end_offset]


def tokens_of(files: Iterable[tuple[str, str]]) -> tuple[list[Tokens], bool]:
    """The tokens of the sources among these files, and whether any were cut because they are too long."""
    tokens: list[Tokens] = []
    left, is_cut = MAX_CHARACTERS, False
    for path, raw in files:
        language = language_of(path)
        if language is None:
            continue
        is_cut = is_cut or len(raw) > left
        text = unified(raw[:left])
        left -= min(left, len(raw))
        tokens.append(_tokens(path, text, language))
    return tokens, is_cut


def _tokens(path: str, text: str, language: str) -> Tokens:
    code = _IMPORTS.sub(_blanks, masked(text, language))
    if language == "python":
        code = _STANDALONE_TEXT.sub(_blanks, code)
    numbers = _NUMBERS_BY_LANGUAGE[language]
    symbols = bytearray()
    places: list[int] = []
    for match in _TOKEN.finditer(code):
        token = match[0]
        if token not in _IGNORED:
            symbols.append(numbers[token] if token in numbers else _symbol_number(token[0]))
            places.append(match.start())
    return Tokens(path, text, bytes(symbols), tuple(places))


def _symbol_number(first: str) -> int:
    """The number of the symbol of a token that is no keyword, by its first character."""
    return _SYMBOL_NUMBERS[_LITERAL if first.isdigit() else _NAME if first.isidentifier() else _OTHER]


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])
