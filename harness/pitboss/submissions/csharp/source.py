"""A C# source for the rewriting passes: tokens, matching brackets, types, statements, and edits of the text."""

from __future__ import annotations

import re
from typing import NamedTuple

from pitboss.submissions.csharp.csharp_tokens import OPERAND_KEYWORDS, PREDEFINED, CSharpKind, LexicalError, tokens_of
from pitboss.submissions.csharp.token_edits import Edits

_CLOSING = {"(": ")", "[": "]", "{": "}", "{{": "}}", "{{{": "}}}"}
_LINE = re.compile(r"^#line (\d+)\n", re.MULTILINE)
_WITH_HEADER = frozenset({"if", "while", "for", "foreach", "switch", "lock", "fixed"})
_MODIFIERS = frozenset(
    """public private protected internal static sealed abstract partial readonly unsafe new ref file""".split()  # noqa: SIM905
)
_TYPES = frozenset({"class", "struct", "interface", "enum"})
#: Tokens that may follow the name of a record.
_AFTER_RECORD = frozenset({"(", "{", ";", "<", ":"})


class LocalFunction(NamedTuple):
    """A local function, as indexes of tokens."""

    start: int
    name: int
    opening: int
    body: int
    #: The token after it.
    end: int


class CSharpSource(Edits):
    """A source, its tokens and matching brackets, and the edits collected so far."""

    def __init__(self, text: str) -> None:
        """Split the text into tokens; raises LexicalError for an unclosed string, comment or bracket."""
        super().__init__(text, tokens_of(text))
        self.closing: dict[int, int] = {}
        opened: list[int] = []
        for number, token in enumerate(self.tokens):
            if token.kind is not CSharpKind.SIGN:
                continue
            if token.text in _CLOSING:
                opened.append(number)
            elif token.text in _CLOSING.values():
                if not opened or _CLOSING[self.tokens[opened[-1]].text] != token.text:
                    raise LexicalError(token.start)
                self.closing[opened.pop()] = number
        if opened:
            raise LexicalError(self.tokens[opened[-1]].start)
        self.opening = {end: start for start, end in self.closing.items()}

    def __len__(self) -> int:
        """The number of tokens."""
        return len(self.tokens)

    def token_at(self, number: int) -> str:
        """The text of a token; empty beyond the ends."""
        return self.tokens[number].text if 0 <= number < len(self.tokens) else ""

    def kind(self, number: int) -> CSharpKind | None:
        """The kind of a token; None beyond the ends."""
        return self.tokens[number].kind if 0 <= number < len(self.tokens) else None

    def line(self, number: int) -> int:
        """The line of a token as the compiler counts it: from 1, or from the last `#line` before it."""
        start = self.tokens[number].start if number < len(self.tokens) else len(self.text)
        first, counted_from = 1, 0
        for directive in _LINE.finditer(self.text, 0, start):
            first, counted_from = int(directive[1]), directive.end()
        return first + self.text.count("\n", counted_from, start)

    def is_name(self, number: int) -> bool:
        """Whether a token is a name."""
        return self.kind(number) is CSharpKind.NAME

    def ends_operand(self, number: int) -> bool:
        """Whether an operand may end with this token."""
        kind, text = self.kind(number), self.token_at(number)
        if kind is CSharpKind.KEYWORD:
            return text in OPERAND_KEYWORDS
        return kind in (
            CSharpKind.NAME,
            CSharpKind.NUMBER,
            CSharpKind.STRING,
            CSharpKind.CHAR,
            CSharpKind.IEND,
        ) or text in (")", "]", "}")

    def between(self, start: int, end: int) -> str:
        """The original text from one token up to but not including another, with whitespace and comments."""
        if start >= end:
            return ""
        return self.text[self.tokens[start].start : self.tokens[end - 1].end]

    # Types

    def type_end(self, number: int) -> int | None:
        """The token after the type that begins here; None if none begins here."""
        if self.token_at(number) == "ref":
            number += 2 if self.token_at(number + 1) == "readonly" else 1
        if self.kind(number) is CSharpKind.KEYWORD:
            if self.token_at(number) not in PREDEFINED:
                return None
            end = number + 1
        elif self.is_name(number):
            named = self._named_end(number)
            if named is None:
                return None
            end = named
        elif self.token_at(number) == "(":
            close = self.closing[number]
            if not self._is_tuple(number + 1, close):
                return None
            end = close + 1
        else:
            return None
        return self._suffixed(end)

    def _suffixed(self, end: int) -> int:
        while True:
            if self.token_at(end) == "[" and all(
                self.token_at(inner) == "," for inner in range(end + 1, self.closing[end])
            ):
                end = self.closing[end] + 1
            elif self.token_at(end) in ("?", "*"):
                end += 1
            else:
                return end

    def _named_end(self, number: int) -> int | None:
        while True:
            if not self.is_name(number):
                return None
            number += 1
            if self.token_at(number) == "<":
                arguments = self.arguments_end(number)
                if arguments is None:
                    return number
                number = arguments
            if self.token_at(number) not in (".", "::"):
                return number
            number += 1

    def arguments_end(self, number: int) -> int | None:
        """The token after the type arguments or parameters that begin with this `<`; None if it is an operator."""
        while True:
            number += 1
            if self.token_at(number) in (",", ">"):  # as in typeof(List<>)
                end: int | None = number
            else:
                end = self.type_end(number)
            if end is None:
                return None
            if self.token_at(end) == ">":
                return end + 1
            if self.token_at(end) != ",":
                return None
            number = end

    def _is_tuple(self, number: int, close: int) -> bool:
        count = 0
        while True:
            end = self.type_end(number)
            if end is None:
                return False
            count += 1
            if self.is_name(end):
                end += 1
            if end == close:
                return count > 1
            if self.token_at(end) != ",":
                return False
            number = end + 1

    # Statements

    def statement_end(self, number: int) -> int:
        """The token after the statement that begins here."""
        text = self.token_at(number)
        if text == "{":
            return self.closing[number] + 1
        if text == "await" and self.token_at(number + 1) in ("foreach", "using"):
            return self.statement_end(number + 1)
        if text in _WITH_HEADER or (text == "using" and self.token_at(number + 1) == "("):
            if self.token_at(number + 1) != "(":
                return self._to_semicolon(number)
            end = self.statement_end(self.closing[number + 1] + 1)
            return self.statement_end(end + 1) if text == "if" and self.token_at(end) == "else" else end
        if text == "do":
            return self._to_semicolon(self.statement_end(number + 1))
        if text == "try":
            return self._try_end(number)
        if text in ("checked", "unchecked", "unsafe") and self.token_at(number + 1) == "{":
            return self.closing[number + 1] + 1
        if self.is_name(number) and self.token_at(number + 1) == ":":
            return self.statement_end(number + 2)
        function = self.local_function(number)
        return function.end if function else self._to_semicolon(number)

    def _try_end(self, number: int) -> int:
        end = self.statement_end(number + 1)
        while self.token_at(end) in ("catch", "finally"):
            end += 1
            while self.token_at(end) in ("(", "when"):
                end = self.closing[end] + 1 if self.token_at(end) == "(" else end + 1
            end = self.statement_end(end)
        return end

    def _to_semicolon(self, number: int) -> int:
        """The token after the next semicolon outside brackets, or an unmatched closing bracket before that."""
        while number < len(self.tokens):
            if number in self.closing:
                number = self.closing[number]
            elif self.token_at(number) == ";":
                return number + 1
            elif number in self.opening:
                return number
            number += 1
        return number

    def local_function(self, number: int) -> LocalFunction | None:
        """The local function that begins here; None if none begins here."""
        start = number
        while self.token_at(number) == "[" and self.closing[number] + 1 < len(self.tokens):
            number = self.closing[number] + 1
        while self.token_at(number) in ("static", "async", "unsafe", "extern"):
            number += 1
        name = self.type_end(number)
        if name is None or not self.is_name(name) or self.token_at(name - 1) in ("await", "return", "."):
            return None
        opening: int | None = name + 1
        if self.token_at(name + 1) == "<":
            opening = self.arguments_end(name + 1)
        if opening is None or self.token_at(opening) != "(":
            return None
        body = self.closing[opening] + 1
        if self.token_at(body) == "where":
            while self.token_at(body) not in ("{", "=>", ";", ""):
                body = self.closing[body] + 1 if body in self.closing else body + 1
        if self.token_at(body) == "{":
            return LocalFunction(start, name, opening, body, self.closing[body] + 1)
        return (
            LocalFunction(start, name, opening, body, self._to_semicolon(body)) if self.token_at(body) == "=>" else None
        )

    def statements(self, number: int, end: int) -> list[tuple[int, int]]:
        """The first token of each statement in a range of tokens, and the token after it."""
        statements = []
        while number < end:
            after = max(self.statement_end(number), number + 1)
            statements.append((number, after))
            number = after
        return statements

    def type_declaration(self, number: int) -> int | None:
        """The keyword (`class`, `record`, `delegate` …) of the type declaration that begins here; else None."""
        while self.token_at(number) == "[" and number in self.closing:
            number = self.closing[number] + 1
        while self.token_at(number) in _MODIFIERS and self.token_at(number + 1) not in ("(", "=", "."):
            number += 1
        if self.token_at(number) in _TYPES:
            return number
        if (
            self.token_at(number) == "record"
            and self.is_name(number + 1)
            and self.token_at(number + 2) in _AFTER_RECORD
        ):
            return number
        if self.token_at(number) == "record" and self.token_at(number + 1) in ("class", "struct"):
            return number
        if self.token_at(number) == "delegate" and self.token_at(number + 1) not in ("(", "{"):
            return number
        return None

    def type_declaration_end(self, number: int) -> int:
        """The token after the type declaration with this keyword."""
        if self.token_at(number) == "delegate":
            return self._to_semicolon(number)
        while number < len(self.tokens) and self.token_at(number) not in ("{", ";"):
            number = self.closing[number] + 1 if number in self.closing else number + 1
        if self.token_at(number) == "{":
            number = self.closing[number]
            return number + 2 if self.token_at(number + 1) == ";" else number + 1
        return number + 1
