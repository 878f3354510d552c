"""The tokens of a program in any language, as Pygments finds them; operators of several characters are one token."""

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

#: Pygments' names of languages, where they differ from ours.
_CALLED = {"shell": "bash"}
#: Operators; the first that matches counts.
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
    #: A piece of a string between its quotes; one of a character; and other parts of a literal, such as its quotes.
    TEXT = "a text"
    CHARACTER = "a character"
    QUOTE = "a part of a literal"
    OPERATOR = "an operator"
    #: A comment, a preprocessor directive, a docstring.
    COMMENT = "a comment"
    SPACE = "space"


class Token(NamedTuple):
    """A token, and the index in the text where it begins."""

    kind: TokenKind
    text: str
    start: int

    @property
    def end(self) -> int:
        """The index after its last character."""
        return self.start + len(self.text)


def tokens_of(text: str, language: str) -> list[Token]:
    """The tokens of a text in a language, with space and comments: together they are the text."""
    found: list[Token] = []
    for start, kind, value in _lexer(language).get_tokens_unprocessed(text):
        defined = _DEFINE.match(value) if kind in Comment.Preproc else None
        if defined is not None:  # the replacement text of a C macro is part of the program
            inner = tokens_of(value[defined.end() :], language)
            found.append(Token(TokenKind.COMMENT, defined[0], start))
            found += (token._replace(start=start + defined.end() + token.start) for token in inner)
        elif value:
            found.append(Token(_kind_of(kind, value, found), value, start))
    groups = groupby(found, _is_operator)
    return [token for is_operator, some in groups for token in (_split(some) if is_operator else some)]


@cache
def _lexer(language: str) -> Lexer:
    return get_lexer_by_name(_CALLED.get(language, language))


def _is_operator(token: Token) -> bool:
    return token.kind is TokenKind.OPERATOR


def _split(tokens: Iterator[Token]) -> Iterator[Token]:
    """The tokens with adjacent operators split into single ones."""
    some = list(tokens)
    text, start = "".join(token.text for token in some), some[0].start
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
