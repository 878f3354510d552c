"""Splits a program in any language into tokens with Pygments; an operator of several characters is one token."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import re
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Literal, Name, Number, Operator, Punctuation, String

#: For each language that has another name in Pygments: that name.
_PYGMENTS_NAMES = {"shell": "bash"}
#: All operators. The first operator in this list with which a text begins is used, so long operators come first.
_OPERATORS = """
<<= >>= **= //= ... ..= === !== <=> ->* ??= -> => :: := ++ -- <= >= == != ~= && || << >> ** // += -= *= /= %= &= |= ^=
?? ?. .. < > = + - * / % & | ^ ! ~ ? : . @ $ # \\ , ; ( ) [ ] { }
"""
#: The beginning of a macro definition in C, up to the replacement text.
_MACRO_BEFORE_REPLACEMENT = re.compile(r"#?[ \t]*define[ \t]+\w+(?:\([^)\n]*\))?[ \t]+")


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


#: Types of Pygments, each with the kind of its tokens; the first type that a token belongs to counts.
_KINDS = (
    *((comment, TokenKind.COMMENT) for comment in (Comment, String.Doc)),
    *((part, TokenKind.QUOTE) for part in (String.Escape, String.Interpol, String.Affix)),
    (String.Char, TokenKind.CHARACTER),
    (String, TokenKind.TEXT),
    (Number, TokenKind.NUMBER),
    *((keyword, TokenKind.TYPE) for keyword in (Keyword.Type, Keyword.Declaration, Keyword.Namespace)),
    *((keyword, TokenKind.KEYWORD) for keyword in (Keyword, Operator.Word)),
    *((name, TokenKind.WORD) for name in (Name, Literal)),
)


def tokens_of(text: str, language: str) -> list[Token]:
    """The tokens of a program's text, including spaces and comments, so that they add up to the whole text."""
    tokens: list[Token] = []
    for start, pygments_type, value in _lexer(language).get_tokens_unprocessed(text):
        macro_start = _MACRO_BEFORE_REPLACEMENT.match(value) if pygments_type in Comment.Preproc else None
        if macro_start is not None:  # the replacement text of a C macro is part of the program
            macro_tokens = tokens_of(value[macro_start.end() :], language)
            tokens.append(Token(TokenKind.COMMENT, macro_start[0], start))
            tokens += (token._replace(start=start + macro_start.end() + token.start) for token in macro_tokens)
        elif value:
            tokens.append(Token(_kind_of(pygments_type, value), value, start))
    groups = groupby(tokens, _is_operator)
    return [token for is_operator, group in groups for token in (_split_operators(group) if is_operator else group)]


_OPENING, _CLOSING = "([{", ")]}"


def lines_of(tokens: Sequence[Token], text: str) -> Iterator[list[Token]]:
    """The tokens of each logical line, without comments; brackets and a backslash continue a line, as in Python.

    `tokens` are without spaces.
    """
    line: list[Token] = []
    depth = 0
    for token in tokens:
        is_new_line = line and "\n" in text[line[-1].end : token.start] and not depth
        if is_new_line and not text[: token.start].rstrip().endswith("\\"):
            yield line
            line = []
        if token.kind is not TokenKind.COMMENT:
            line.append(token)
        if token.kind is TokenKind.OPERATOR:
            depth = max(0, depth + (token.text in _OPENING) - (token.text in _CLOSING))
    if line:
        yield line


@cache
def _lexer(language: str) -> Lexer:
    return get_lexer_by_name(_PYGMENTS_NAMES.get(language, language))


def _is_operator(token: Token) -> bool:
    return token.kind is TokenKind.OPERATOR


def _split_operators(tokens: Iterator[Token]) -> Iterator[Token]:
    """Joins adjacent operator tokens, and splits the joined text into one token for each operator."""
    operators = list(tokens)
    text, start = "".join(token.text for token in operators), operators[0].start
    while text:
        operator_text = next((operator for operator in _OPERATORS.split() if text.startswith(operator)), text[0])
        yield Token(TokenKind.OPERATOR, operator_text, start)
        text, start = text[len(operator_text) :], start + len(operator_text)


def _kind_of(pygments_type: Any, value: str) -> TokenKind:
    if value.isspace() and pygments_type not in String:
        return TokenKind.SPACE
    kind = next((kind for parent, kind in _KINDS if pygments_type in parent), None)
    if kind in (TokenKind.TEXT, TokenKind.CHARACTER) and not value.strip("\"'`"):
        return TokenKind.QUOTE
    if kind is not None:
        return kind
    is_symbol = pygments_type in Operator or pygments_type in Punctuation or value in _OPERATORS.split()
    return TokenKind.OPERATOR if is_symbol and not (value[0].isalnum() or value[0] == "_") else TokenKind.WORD


def digest_of(text: str, language: str) -> str:
    """A digest of what an interpreter obeys in a program: no layout, no comments, and in Python no annotations."""
    meaning = ""
    if language == "python":
        with contextlib.suppress(SyntaxError, ValueError, RecursionError):
            meaning = ast.dump(_WithoutAnnotations().visit(ast.parse(text)))
    if not meaning:
        tokens = (
            token for token in tokens_of(text, language) if token.kind not in (TokenKind.SPACE, TokenKind.COMMENT)
        )
        meaning = "\0".join(token.text for token in tokens)
    return hashlib.blake2b(meaning.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class _WithoutAnnotations(ast.NodeTransformer):
    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)
