"""Programs as sequences of symbols that stay the same when names, literals, comments and layout are changed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

import msgspec

from pitboss.model.languages import LANGUAGES
from pitboss.reports.style.masking import blank_comments_and_strings, language_of, normalize_newlines

#: The maximum number of characters of a work that are compared, about 4,000 lines. Longer works are reported as cut.
MAX_CHARACTERS = 1 << 17
#: Imports and preprocessor lines that begin every program and are not compared.
_IMPORTS = re.compile(
    r"(?m)^[ \t]*(?:#[ \t]*(?:include|pragma)|import\b|from\b[^\n]{0,200}\bimport\b|using\b|package\b)[^\n]*"
)
#: A blanked string (see `style.masking`) on its own line, such as a function's docstring: it is treated as a comment.
_STANDALONE_TEXT = re.compile(r"(?m)^[ \t]* 0[ \t]*$")
_TOKEN = re.compile(r"[^\W\d]\w*|\d[\w.]*|\S")
#: Symbols for kinds of tokens. They contain spaces, so no token equals them.
_NAME, _LITERAL, _TYPE, _OTHER = "a name", "a literal", "a type", "anything else"
#: Types with the common symbol `_TYPE`, in languages with braces.
_TYPES = """
auto bool boolean byte char decimal double float int long short size_t string String var void
"""
#: Modifiers, which are ignored: adding them rarely changes what a program does.
_MODIFIERS = """
const final inline internal override private protected public readonly register sealed signed static unsigned virtual
volatile
"""
_OPERATORS = "!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~"
_KEYWORDS = sorted({word for language in LANGUAGES.values() for word in language.keywords})
_SYMBOLS = (_NAME, _LITERAL, _TYPE, _OTHER, *_OPERATORS, *_KEYWORDS)
#: The number that stands for a symbol, which fits into a byte.
_SYMBOL_NUMBERS = {symbol: number for number, symbol in enumerate(_SYMBOLS)}


def _symbol_numbers(keywords: Iterable[str], types: Iterable[str]) -> dict[str, int]:
    return {word: _SYMBOL_NUMBERS[word] for word in (*keywords, *_OPERATORS)} | dict.fromkeys(
        types, _SYMBOL_NUMBERS[_TYPE]
    )


#: By language: the symbol number of each keyword, operator and type.
_NUMBERS_BY_LANGUAGE = {
    name: _symbol_numbers(language.keywords, _TYPES.split() if language.has_braces else ())
    for name, language in LANGUAGES.items()
}
_IGNORED_TOKENS = frozenset(_MODIFIERS.split())


class Tokens(msgspec.Struct, frozen=True):
    """The tokens of a file."""

    path: str
    text: str
    #: A byte for each token. All names share one byte, and so do all literals and all types; each keyword and each
    #: operator has its own byte.
    symbols: bytes
    #: The offset of each token in the text.
    offsets: tuple[int, ...]

    def lines(self, first: int, last: int) -> tuple[int, int, str]:
        """Returns the first and last line number of the tokens from `first` to `last`, and the text of these lines."""
        line_starts = [0, *(newline.end() for newline in re.finditer("\n", self.text))]
        first_line = bisect_right(line_starts, self.offsets[first])
        last_line = bisect_right(line_starts, self.offsets[last])
        end_offset = line_starts[last_line] - 1 if last_line < len(line_starts) else len(self.text)
        return first_line, last_line, self.text[line_starts[first_line - 1] : end_offset]


def tokens_of(files: Iterable[tuple[str, str]]) -> tuple[list[Tokens], bool]:
    """Returns the tokens of each source among these files, and whether the sources were cut as too long together."""
    tokens: list[Tokens] = []
    remaining_characters, is_cut = MAX_CHARACTERS, False
    for path, raw in files:
        language = language_of(path)
        if language is None:
            continue
        is_cut = is_cut or len(raw) > remaining_characters
        text = normalize_newlines(raw[:remaining_characters])
        remaining_characters -= min(remaining_characters, len(raw))
        tokens.append(_tokens(path, text, language))
    return tokens, is_cut


def _tokens(path: str, text: str, language: str) -> Tokens:
    code = _IMPORTS.sub(_blanks, blank_comments_and_strings(text, language))
    if language == "python":
        code = _STANDALONE_TEXT.sub(_blanks, code)
    numbers = _NUMBERS_BY_LANGUAGE[language]
    symbols = bytearray()
    offsets: list[int] = []
    for match in _TOKEN.finditer(code):
        token = match[0]
        if token not in _IGNORED_TOKENS:
            symbols.append(numbers[token] if token in numbers else _symbol_number(token[0]))
            offsets.append(match.start())
    return Tokens(path, text, bytes(symbols), tuple(offsets))


def _symbol_number(first: str) -> int:
    """Returns the symbol number of a token that is no keyword, operator or type, by the token's first character."""
    return _SYMBOL_NUMBERS[_LITERAL if first.isdigit() else _NAME if first.isidentifier() else _OTHER]


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])
