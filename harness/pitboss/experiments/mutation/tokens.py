"""Splits a program in any language into tokens with Pygments; an operator of several characters is one token."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Literal, Name, Number, Operator, Punctuation, String

#: The names that Pygments uses for languages, where they differ from the names used here.
_CALLED = {"shell": "bash"}
#: Operators; the first operator that matches is used.
_OPERATORS = """
<<= >>= **= //= ... ..= === !== <=> ->* ??= -> => :: := ++ -- <= >= == != ~= && || << >> ** // += -= *= /= %= &= |= ^=
?? ?. .. < > = + - * / % & | ^ ! ~ ? : . @ $ # \\ , ; ( ) [ ] { }
"""
_DEFINE = re.compile(r"#?[ \t]*define[ \t]+\w+(?:\([^)\n]*\))?[ \t]+")


class TokenKind(Enum):
    """The kinds of tokens."""

    WORD = "a name"
    KEYWORD = "a keyword"
    #: A keyword that is a type, or that begins a declaration.
    TYPE = "a type"
    NUMBER = "a number"
    #: Text between the quotes of a string.
    TEXT = "a text"
    #: Text between the quotes of a character literal.
    CHARACTER = "a character"
    #: Another part of a literal, such as a quote or an escape sequence.
    QUOTE = "a part of a literal"
    OPERATOR = "an operator"
    #: A comment, a preprocessor directive or a docstring.
    COMMENT = "a comment"
    SPACE = "space"


class Token(NamedTuple):
    """A token, and the index in the text where it begins."""

    kind: TokenKind
    text: str
    start: int

    @property
    def end(self) -> int:
        """The index after the last character of the token."""
        return self.start + len(self.text)


def tokens_of(text: str, language: str) -> list[Token]:
    """The tokens of a text in a language; with spaces and comments included, they add up to the whole text."""
    tokens: list[Token] = []
    for start, kind, value in _lexer(language).get_tokens_unprocessed(text):
        definition = _DEFINE.match(value) if kind in Comment.Preproc else None
        if definition is not None:  # the replacement text of a C macro is part of the program
            macro_tokens = tokens_of(value[definition.end() :], language)
            tokens.append(Token(TokenKind.COMMENT, definition[0], start))
            tokens += (token._replace(start=start + definition.end() + token.start) for token in macro_tokens)
        elif value:
            tokens.append(Token(_kind_of(kind, value, tokens), value, start))
    groups = groupby(tokens, _is_operator)
    return [token for is_operator, group in groups for token in (_split(group) if is_operator else group)]


@cache
def _lexer(language: str) -> Lexer:
    return get_lexer_by_name(_CALLED.get(language, language))


def _is_operator(token: Token) -> bool:
    return token.kind is TokenKind.OPERATOR


def _split(tokens: Iterator[Token]) -> Iterator[Token]:
    """Splits adjacent operator tokens into one token for each operator."""
    operators = list(tokens)
    text, start = "".join(token.text for token in operators), operators[0].start
    while text:
        first = next((operator for operator in _OPERATORS.split() if text.startswith(operator)), text[0])
        yield Token(TokenKind.OPERATOR, first, start)
        text, start = text[len(first) :], start + len(first)


def _kind_of(kind: Any, value: str, before: Sequence[Token]) -> TokenKind:
    if value.isspace() and kind not in String:
        return TokenKind.SPACE
    if kind in Comment or kind in String.Doc:
        return TokenKind.COMMENT
    if kind in String:
        is_plain = kind not in String.Escape and kind not in String.Interpol and kind not in String.Affix
        is_quote = not is_plain or value.strip("\"'`") == ""
        return TokenKind.QUOTE if is_quote else TokenKind.CHARACTER if kind in String.Char else TokenKind.TEXT
    if kind in Number or kind in Literal.Number:
        return TokenKind.NUMBER
    if kind in Keyword.Type or kind in Keyword.Declaration or kind in Keyword.Namespace:
        return TokenKind.TYPE
    if kind in Keyword or kind in Operator.Word:
        return TokenKind.KEYWORD
    if kind in Name or kind in Literal or value[:1].isalnum() or value[:1] == "_":
        return TokenKind.WORD
    if kind in Operator or kind in Punctuation or value in _OPERATORS.split():
        return TokenKind.OPERATOR
    return TokenKind.WORD
