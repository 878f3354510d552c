"""Splits a C# source into tokens, including strings of every kind; skips comments and preprocessor lines.

An interpolated string is split into several tokens: `INTERPOLATED_START`, then `INTERPOLATED_TEXT` and holes, then
`INTERPOLATED_END`. A hole is an expression between `{` and `}`, split into tokens like any other expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple


class CSharpKind(Enum):
    """The kind of a token; SIGN is an operator, a bracket or other punctuation."""

    NAME = "name"
    KEYWORD = "keyword"
    NUMBER = "number"
    STRING = "string"
    CHAR = "char"
    SIGN = "sign"
    INTERPOLATED_START = "start of an interpolated string"
    INTERPOLATED_TEXT = "text in an interpolated string"
    INTERPOLATED_END = "end of an interpolated string"


class CSharpToken(NamedTuple):
    """A token and the index in the text where it begins."""

    kind: CSharpKind
    text: str
    start: int

    @property
    def end(self) -> int:
        """The index in the text after the token's last character."""
        return self.start + len(self.text)


KEYWORDS = frozenset(
    """abstract as base bool break byte case catch char checked class const continue decimal default delegate do double
    else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface internal is
    lock long namespace new null object operator out override params private protected public readonly ref return sbyte
    sealed short sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked unsafe
    ushort using virtual void volatile while""".split()  # noqa: SIM905
)
#: The keywords that an operand can end with.
OPERAND_KEYWORDS = frozenset({"this", "base", "null", "true", "false", "default"})
#: The keywords that name a type, and void.
PREDEFINED_TYPES = frozenset(
    """bool byte char decimal double float int long object sbyte short string uint ulong ushort void""".split()  # noqa: SIM905
)
VALUE_TYPES = PREDEFINED_TYPES - {"object", "string", "void"}
#: Keywords that may come before the type of a member.
DECLARATION_KEYWORDS = frozenset(
    """public private protected internal static readonly const using required virtual override sealed new abstract
    volatile""".split()  # noqa: SIM905
)

_SPACE = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)+", re.DOTALL)
_DIRECTIVE = re.compile(r"[ \t]*#[^\n]*")
#: In `1..3` and `1.ToString()` the dot is not part of the number, since no digit follows the dot.
_TOKEN = re.compile(
    r"(?P<number>0[xX][0-9a-fA-F_]+[uUlL]*|0[bB][01_]+[uUlL]*"
    r"|(?:\d[\d_]*)?\.?\d[\d_]*(?:[eE][+-]?[\d_]+)?[fFdDmMuUlL]*)"
    r"|(?P<name>@?[^\W\d]\w*)"
    r"|(?P<char>'(?:\\.[^'\n]*|[^'\\\n])')"
    r"|(?P<sign>\?\?=|<<=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\.\.|::|->|\+\+|--|[-+*/%&|^]=|.)"
)
_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
_VERBATIM = re.compile(r'@"(?:[^"]|"")*"')
_RAW = re.compile(r'("{3,})(.*?)(?<!")\1(?!")', re.DOTALL)
_INTERPOLATED = re.compile(r'(?:\$@|@\$|\$+)"+')


class LexicalError(ValueError):
    """A string, a comment or a bracket in a source is not closed; the argument is the error's index in the text."""


def tokens_of(text: str) -> list[CSharpToken]:
    """Returns the tokens of a source, without whitespace, comments and preprocessor lines; may raise LexicalError."""
    return list(_tokens(text, 0, len(text)))


def _tokens(text: str, index: int, end: int) -> Iterator[CSharpToken]:
    """Yields the tokens between two indexes of a text."""
    while index < end:
        space = _SPACE.match(text, index, end)
        if space:
            index = space.end()
            continue
        if text[index] == "#" and not text[text.rfind("\n", 0, index) + 1 : index].strip():
            directive = _DIRECTIVE.match(text, index)
            assert directive is not None
            index = directive.end()
            continue
        for token in _next_tokens(text, index, end):
            yield token
            index = token.end


def _next_tokens(text: str, index: int, end: int) -> Iterator[CSharpToken]:
    """Yields the token that begins at `index`, or all tokens of the interpolated string that begins there."""
    if text[index] in "$@" and _INTERPOLATED.match(text, index):
        yield from _interpolated_tokens(text, index)
        return
    for pattern in (_RAW, _STRING, _VERBATIM):
        match = pattern.match(text, index)
        if match and (pattern is not _STRING or not text.startswith('"""', index)):
            yield CSharpToken(CSharpKind.STRING, match[0], index)
            return
    match = _TOKEN.match(text, index, end)
    if match is None or (text[index] in "\"'" and match.lastgroup == "sign"):
        raise LexicalError(index)
    kind = {"number": CSharpKind.NUMBER, "name": CSharpKind.NAME, "char": CSharpKind.CHAR, "sign": CSharpKind.SIGN}[
        match.lastgroup or ""
    ]
    is_keyword = kind is CSharpKind.NAME and match[0] in KEYWORDS
    yield CSharpToken(CSharpKind.KEYWORD if is_keyword else kind, match[0], index)


class _Form(NamedTuple):
    """The form of an interpolated string."""

    is_raw: bool
    is_verbatim: bool
    #: How many quotes close the string.
    quote_count: int
    #: How many braces open a hole.
    brace_count: int

    @property
    def has_escapes(self) -> bool:
        """Whether the string may contain backslash escapes; such a string cannot contain a line break."""
        return not self.is_raw and not self.is_verbatim

    def opens_hole(self, count: int) -> bool:
        """Whether `count` consecutive braces open a hole, rather than being text only."""
        return count >= self.brace_count if self.is_raw else count % 2 == 1


def _interpolated_tokens(text: str, index: int) -> Iterator[CSharpToken]:
    """Yields the tokens of an interpolated string, which may be plain, verbatim or raw."""
    opening = _INTERPOLATED.match(text, index)
    assert opening is not None
    marks, quote_count = opening[0].rstrip('"'), opening[0].count('"')
    if quote_count >= 3:
        form = _Form(is_raw=True, is_verbatim=False, quote_count=quote_count, brace_count=marks.count("$"))
    else:  # two quotes, as in `$""`, are an empty string
        form = _Form(is_raw=False, is_verbatim="@" in marks, quote_count=1, brace_count=1)
    start = index + len(marks) + form.quote_count
    yield CSharpToken(CSharpKind.INTERPOLATED_START, text[index:start], index)
    yield from _content_tokens(text, start, form)


def _content_tokens(text: str, start: int, form: _Form) -> Iterator[CSharpToken]:
    """Yields the tokens of an interpolated string after INTERPOLATED_START: texts, holes and INTERPOLATED_END."""
    index = start  # `start` is the beginning of the current text
    while index < len(text):
        character = text[index]
        count = _run_length(text, index) if character in '"{}' else 1
        if character == '"' and form.is_verbatim and count >= 2:
            index += 2
        elif character == '"' and (not form.is_raw or count >= form.quote_count):
            index += count - form.quote_count if form.is_raw else 0
            if index > start:
                yield CSharpToken(CSharpKind.INTERPOLATED_TEXT, text[start:index], start)
            yield CSharpToken(CSharpKind.INTERPOLATED_END, text[index : index + form.quote_count], index)
            return
        elif character == "{" and form.opens_hole(count):
            index += count
            if index - form.brace_count > start:
                yield CSharpToken(CSharpKind.INTERPOLATED_TEXT, text[start : index - form.brace_count], start)
            yield CSharpToken(CSharpKind.SIGN, "{" * form.brace_count, index - form.brace_count)
            for token in _hole_tokens(text, index, form.brace_count):
                yield token
                index = token.end
            start = index
        elif character == "\\" and form.has_escapes:
            index += 2
        elif character == "\n" and form.has_escapes:
            break
        else:
            index += count
    raise LexicalError(start)


def _run_length(text: str, index: int) -> int:
    """Returns how many consecutive characters, from `index` on, equal the character at `index`."""
    count = 1
    while text[index + count : index + count + 1] == text[index]:
        count += 1
    return count


def _hole_tokens(text: str, index: int, brace_count: int) -> Iterator[CSharpToken]:
    """Yields the tokens of a hole: the expression, its width and format, and the closing brace."""
    depth = open_conditionals = 0
    while True:
        space = _SPACE.match(text, index)
        if space:
            index = space.end()
        if index >= len(text):
            raise LexicalError(index)
        if depth == 0 and text[index] == "}":
            yield CSharpToken(CSharpKind.SIGN, text[index : index + brace_count], index)
            return
        if depth == 0 and text[index] == ":" and text[index : index + 2] != "::" and not open_conditionals:
            end = text.find("}", index)
            if end < 0:
                raise LexicalError(index)
            yield CSharpToken(CSharpKind.INTERPOLATED_TEXT, text[index:end], index)
            index = end
            continue
        for token in _next_tokens(text, index, len(text)):
            if token.kind is CSharpKind.SIGN:
                depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
                open_conditionals += (token.text == "?" and depth == 0) - (token.text == ":" and depth == 0)
            yield token
            index = token.end
