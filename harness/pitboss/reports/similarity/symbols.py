"""Programs as sequences of symbols that stay the same when names, literals, comments and layout are changed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

import msgspec

from pitboss.model.languages import BY_SUFFIX, HEADERS, LANGUAGES, suffix_of
from pitboss.reports.similarity.works import Lines

#: The maximum number of characters of a work that are compared, about 4,000 lines. Longer works are reported as cut.
MAX_CHARACTERS = 1 << 17
#: The name of the language of each file suffix, in lower case, for the languages that are examined.
_NAME_BY_SUFFIX = {
    suffix: language.name for suffix, language in BY_SUFFIX.items() if language.not_code
} | dict.fromkeys(HEADERS, "cpp")
#: By language: a pattern that matches comments and literals.
_COMMENTS_AND_LITERALS = {
    language.name: re.compile(language.not_code, re.DOTALL) for language in LANGUAGES.values() if language.not_code
}
_NOT_A_LINE_END = re.compile(r"[^\n]")
#: Imports and preprocessor lines that begin every program and are not compared.
_IMPORTS = re.compile(
    r"(?m)^[ \t]*(?:#[ \t]*(?:include|pragma)|import\b|from\b[^\n]{0,200}\bimport\b|using\b|package\b)[^\n]*"
)
#: A blanked string on its own line, such as a function's docstring: it is treated as a comment.
_STANDALONE_TEXT = re.compile(r"(?m)^[ \t]* 0[ \t]*$")
_TOKEN = re.compile(r"[^\W\d]\w*|\d[\w.]*|\S")
#: The symbol number between the files of a work, which is never part of a fingerprint.
SEPARATOR = 255
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
    """The tokens of the files of a work, in one sequence."""

    #: The path and the text of each file.
    files: tuple[tuple[str, str], ...]
    #: A byte for each token. All names share one byte, and so do all literals and all types; each keyword and each
    #: operator has its own byte. Each file ends with `SEPARATOR`.
    symbols: bytes
    #: For each token, the index of its file and its offset in the file's text.
    places: tuple[tuple[int, int], ...]

    def lines(self, first: int, last: int) -> Lines:
        """Returns the lines of the tokens from `first` to `last`, which are in one file."""
        file, first_offset = self.places[first]
        path, text = self.files[file]
        line_starts = [0, *(newline.end() for newline in re.finditer("\n", text))]
        first_line = bisect_right(line_starts, first_offset)
        last_line = bisect_right(line_starts, self.places[last][1])
        end_offset = line_starts[last_line] - 1 if last_line < len(line_starts) else len(text)
        return Lines(path, first_line, last_line, text[line_starts[first_line - 1] : end_offset])


def language_of(path: str) -> str | None:
    """Returns the name of a file's language by the suffix; None for a file that is not compared."""
    return _NAME_BY_SUFFIX.get(suffix_of(path))


def tokens_of(files: Iterable[tuple[str, str]]) -> tuple[Tokens, bool]:
    """Returns the tokens of the sources among these files, and whether the sources were cut as too long together."""
    sources: list[tuple[str, str]] = []
    symbols = bytearray()
    places: list[tuple[int, int]] = []
    remaining_characters, is_cut = MAX_CHARACTERS, False
    for path, raw in files:
        language = language_of(path)
        if language is None:
            continue
        is_cut = is_cut or len(raw) > remaining_characters
        text = raw[:remaining_characters].removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        remaining_characters -= min(remaining_characters, len(raw))
        numbers = _NUMBERS_BY_LANGUAGE[language]
        for match in _TOKEN.finditer(code_of(text, language)):
            token = match[0]
            if token not in _IGNORED_TOKENS:
                symbols.append(numbers[token] if token in numbers else _symbol_number(token[0]))
                places.append((len(sources), match.start()))
        symbols.append(SEPARATOR)
        places.append((len(sources), len(text)))
        sources.append((path, text))
    return Tokens(tuple(sources), bytes(symbols), tuple(places)), is_cut


def code_of(text: str, language: str) -> str:
    """Returns the text with spaces for comments, imports and docstrings, and a 0 for a string; code keeps its place.

    >>> code_of('puts("{"); // {', "c")
    'puts( 0 );     '
    """
    code = _IMPORTS.sub(_blanks, _COMMENTS_AND_LITERALS[language].sub(_blank_unless_string, text))
    return _STANDALONE_TEXT.sub(_blanks, code) if language == "python" else code


def _blank_unless_string(match: re.Match[str]) -> str:
    spaces = _NOT_A_LINE_END.sub(" ", match[0])
    is_comment = match["comment"] is not None
    return spaces if is_comment or len(spaces) < 2 or spaces[1] == "\n" else f"{spaces[0]}0{spaces[2:]}"


def _symbol_number(first: str) -> int:
    """Returns the symbol number of a token that is no keyword, operator or type, by the token's first character."""
    return _SYMBOL_NUMBERS[_LITERAL if first.isdigit() else _NAME if first.isidentifier() else _OTHER]


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])
