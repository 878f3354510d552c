"""A C# source for the rewriting passes: tokens, matching brackets, types, statements, and edits of the text."""

from __future__ import annotations

import re
from typing import NamedTuple

from pitboss.submissions.csharp.csharp_tokens import (
    OPERAND_KEYWORDS,
    PREDEFINED_TYPES,
    CSharpKind,
    LexicalError,
    tokens_of,
)
from pitboss.submissions.csharp.token_edits import Edits

#: Several braces, as in `{{`, begin an expression in an interpolated raw string.
_CLOSING_BRACKETS = {"(": ")", "[": "]", "{": "}", "{{": "}}", "{{{": "}}}"}
_LINE_DIRECTIVE = re.compile(r"^#line (\d+)\n", re.MULTILINE)
#: Keywords of statements that have a part in parentheses before their body.
_WITH_PARENTHESES = frozenset({"if", "while", "for", "foreach", "switch", "lock", "fixed"})
#: Keywords that may come before the keyword of a type declaration.
_MODIFIERS = frozenset(
    """public private protected internal static sealed abstract partial readonly unsafe new ref file""".split()  # noqa: SIM905
)
_TYPE_KEYWORDS = frozenset({"class", "struct", "interface", "enum"})
#: Tokens that may follow the name of a record.
_AFTER_RECORD = frozenset({"(", "{", ";", "<", ":"})


class LocalFunction(NamedTuple):
    """The parts of a local function, as indexes of tokens."""

    start: int
    name: int
    #: The `(` of the parameters.
    opening: int
    #: The `{` or `=>` that begins the body.
    body: int
    #: The token after the function.
    end: int


class CSharpSource(Edits):
    """A source, its tokens and matching brackets, and the edits collected so far.

    Methods take and return the indexes of tokens; a `number` is such an index. The *end* of a type or statement is the
    index of the token after it.
    """

    def __init__(self, text: str) -> None:
        """Splits the text into tokens; raises LexicalError for an unclosed string, comment or bracket."""
        super().__init__(text, tokens_of(text))
        #: The index of each closing bracket, by the index of its opening bracket. So `closing.get(number, number) + 1`
        #: is the token after this one or, if this one opens a bracket, the token after its closing bracket.
        self.closing: dict[int, int] = {}
        opened: list[int] = []
        for number, token in enumerate(self.tokens):
            if token.kind is not CSharpKind.SIGN:
                continue
            if token.text in _CLOSING_BRACKETS:
                opened.append(number)
            elif token.text in _CLOSING_BRACKETS.values():
                if not opened or _CLOSING_BRACKETS[self.tokens[opened[-1]].text] != token.text:
                    raise LexicalError(token.start)
                self.closing[opened.pop()] = number
        if opened:
            raise LexicalError(self.tokens[opened[-1]].start)
        #: The index of each opening bracket, by the index of its closing bracket.
        self.opening = {end: start for start, end in self.closing.items()}

    def __len__(self) -> int:
        """The number of tokens."""
        return len(self.tokens)

    def token_at(self, number: int) -> str:
        """The text of a token; empty if the index is outside the source.

        The text between the holes of an interpolated string is quoted, since it may be equal to a bracket or a keyword.
        """
        if not 0 <= number < len(self.tokens):
            return ""
        token = self.tokens[number]
        return f'"{token.text}"' if token.kind is CSharpKind.INTERPOLATED_TEXT else token.text

    def kind_at(self, number: int) -> CSharpKind | None:
        """The kind of a token; None if the index is outside the source."""
        return self.tokens[number].kind if 0 <= number < len(self.tokens) else None

    def line_at(self, number: int) -> int:
        """The line of a token as the compiler counts lines: from 1, or as set by the last `#line` before the token."""
        start = self.tokens[number].start if number < len(self.tokens) else len(self.text)
        first_line, counted_from = 1, 0
        for directive in _LINE_DIRECTIVE.finditer(self.text, 0, start):
            first_line, counted_from = int(directive[1]), directive.end()
        return first_line + self.text.count("\n", counted_from, start)

    def nesting_step(self, number: int) -> int:
        """The change of the nesting of interpolated strings: 1 where a string begins, -1 where it ends, else 0."""
        kind = self.kind_at(number)
        if kind is CSharpKind.INTERPOLATED_START:
            return 1
        return -1 if kind is CSharpKind.INTERPOLATED_END else 0

    def is_name(self, number: int) -> bool:
        """Whether a token is a name."""
        return self.kind_at(number) is CSharpKind.NAME

    def ends_operand(self, number: int) -> bool:
        """Whether an operand may end with this token."""
        kind, text = self.kind_at(number), self.token_at(number)
        if kind is CSharpKind.KEYWORD:
            return text in OPERAND_KEYWORDS
        return kind in (
            CSharpKind.NAME,
            CSharpKind.NUMBER,
            CSharpKind.STRING,
            CSharpKind.CHAR,
            CSharpKind.INTERPOLATED_END,
        ) or text in (")", "]", "}")

    def text_between(self, start: int, end: int) -> str:
        """The original text, with whitespace and comments, from token `start` to the token before `end`."""
        if start >= end:
            return ""
        return self.text[self.tokens[start].start : self.tokens[end - 1].end]

    # Types

    def type_end(self, number: int) -> int | None:
        """The token after the type that begins with this token; None if no type begins with this token."""
        if self.token_at(number) == "ref":
            number += 2 if self.token_at(number + 1) == "readonly" else 1
        if self.kind_at(number) is CSharpKind.KEYWORD:
            if self.token_at(number) not in PREDEFINED_TYPES:
                return None
            end = number + 1
        elif self.is_name(number):
            name_end = self._type_name_end(number)
            if name_end is None:
                return None
            end = name_end
        elif self.token_at(number) == "(":
            closing = self.closing[number]
            if not self._is_tuple_type(number + 1, closing):
                return None
            end = closing + 1
        else:
            return None
        return self._type_suffix_end(end)

    def _type_suffix_end(self, end: int) -> int:
        """The token after the suffixes (`[]`, `?` and `*`) of the type that ends at `end`; `end` if it has none."""
        while True:
            if self.token_at(end) == "[" and all(
                self.token_at(inner) == "," for inner in range(end + 1, self.closing[end])
            ):
                end = self.closing[end] + 1
            elif self.token_at(end) in ("?", "*"):
                end += 1
            else:
                return end

    def _type_name_end(self, number: int) -> int | None:
        """The token after a name of a type, with its namespaces and type arguments; None if no name begins here."""
        while True:
            if not self.is_name(number):
                return None
            number += 1
            if self.token_at(number) == "<":
                arguments_end = self.arguments_end(number)
                if arguments_end is None:
                    return number
                number = arguments_end
            if self.token_at(number) not in (".", "::"):
                return number
            number += 1

    def arguments_end(self, number: int) -> int | None:
        """The token after the type arguments or parameters that begin with this `<`; None if the `<` is an operator."""
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

    def _is_tuple_type(self, number: int, closing: int) -> bool:
        """Whether the tokens from `number` up to the bracket `closing` are two or more types, each optionally named."""
        type_count = 0
        while True:
            end = self.type_end(number)
            if end is None:
                return False
            type_count += 1
            if self.is_name(end):
                end += 1
            if end == closing:
                return type_count > 1
            if self.token_at(end) != ",":
                return False
            number = end + 1

    # Statements

    def statement_end(self, number: int) -> int:
        """The token after the statement that begins with this token."""
        text = self.token_at(number)
        if text == "{":
            return self.closing[number] + 1
        if text == "await" and self.token_at(number + 1) in ("foreach", "using"):
            return self.statement_end(number + 1)
        if text in _WITH_PARENTHESES or (text == "using" and self.token_at(number + 1) == "("):
            if self.token_at(number + 1) != "(":
                return self._semicolon_end(number)
            end = self.statement_end(self.closing[number + 1] + 1)
            return self.statement_end(end + 1) if text == "if" and self.token_at(end) == "else" else end
        if text == "do":
            return self._semicolon_end(self.statement_end(number + 1))
        if text == "try":
            return self._try_end(number)
        if text in ("checked", "unchecked", "unsafe") and self.token_at(number + 1) == "{":
            return self.closing[number + 1] + 1
        if self.is_name(number) and self.token_at(number + 1) == ":":  # a label
            return self.statement_end(number + 2)
        function = self.local_function(number)
        return function.end if function else self._semicolon_end(number)

    def _try_end(self, number: int) -> int:
        """The token after the `try` statement that begins with this token, with its `catch` and `finally` blocks."""
        end = self.statement_end(number + 1)
        while self.token_at(end) in ("catch", "finally"):
            end += 1
            while self.token_at(end) in ("(", "when"):
                end = self.closing[end] + 1 if self.token_at(end) == "(" else end + 1
            end = self.statement_end(end)
        return end

    def _semicolon_end(self, number: int) -> int:
        """The token after the next semicolon that is not in inner brackets.

        If the enclosing brackets close before such a semicolon, their closing bracket.
        """
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
        """The local function that begins with this token; None if this token begins something else."""
        start = number
        while self.token_at(number) == "[" and self.closing[number] + 1 < len(self.tokens):  # attributes
            number = self.closing[number] + 1
        while self.token_at(number) in ("static", "async", "unsafe", "extern"):
            number += 1
        name = self.type_end(number)
        if name is None or not self.is_name(name) or self.token_at(name - 1) in ("await", "return", "."):
            return None  # such as the call `await wait()`, in which `await` looks like a type
        opening: int | None = name + 1
        if self.token_at(name + 1) == "<":
            opening = self.arguments_end(name + 1)
        if opening is None or self.token_at(opening) != "(":
            return None
        body = self.closing[opening] + 1
        if self.token_at(body) == "where":  # constraints of type parameters
            while self.token_at(body) not in ("{", "=>", ";", ""):
                body = self.closing[body] + 1 if body in self.closing else body + 1
        if self.token_at(body) == "{":
            return LocalFunction(start, name, opening, body, self.closing[body] + 1)
        if self.token_at(body) == "=>":
            return LocalFunction(start, name, opening, body, self._semicolon_end(body))
        return None

    def statements(self, number: int, end: int) -> list[tuple[int, int]]:
        """The statements between two tokens: for each, its first token and the token after its last."""
        statements = []
        while number < end:
            end_of_statement = max(self.statement_end(number), number + 1)  # at least one token, even of invalid code
            statements.append((number, end_of_statement))
            number = end_of_statement
        return statements

    def type_declaration_keyword_index(self, number: int) -> int | None:
        """The index of the keyword (`class`, `record`, `delegate` …) of the type declaration that begins here.

        A declaration may begin with attributes and modifiers. None if no type declaration begins with this token.
        """
        while self.token_at(number) == "[" and number in self.closing:  # attributes
            number = self.closing[number] + 1
        while self.token_at(number) in _MODIFIERS and self.token_at(number + 1) not in ("(", "=", "."):
            number += 1
        if self.token_at(number) in _TYPE_KEYWORDS:
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
        """The index of the token after the type declaration whose keyword is at this index."""
        if self.token_at(number) == "delegate":
            return self._semicolon_end(number)
        while number < len(self.tokens) and self.token_at(number) not in ("{", ";"):
            number = self.closing[number] + 1 if number in self.closing else number + 1
        if self.token_at(number) == "{":
            number = self.closing[number]
            return number + 2 if self.token_at(number + 1) == ";" else number + 1
        return number + 1
