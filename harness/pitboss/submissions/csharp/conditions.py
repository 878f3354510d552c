"""Rewrites a pattern as a condition: a boolean expression that is true if the pattern matches a value."""

from __future__ import annotations

from pitboss.submissions.csharp.csharp_tokens import PREDEFINED_TYPES
from pitboss.submissions.csharp.source import CSharpSource

#: The class in library.cs whose methods rewritten programs call.
HELPER_CLASS = "__New"


class PatternError(ValueError):
    """The pattern cannot be rewritten."""


class Pattern:
    """Reads one pattern of a source and rewrites it as a condition on a named value."""

    def __init__(self, source: CSharpSource, number: int, types: frozenset[str]) -> None:
        """`number`: the pattern's first token; `types`: the names of the types that the program declares."""
        self._source, self._types = source, types
        #: The next token to read; after `condition` the token after the pattern.
        self.end = number
        #: Whether the pattern declares a variable, as in `int n`.
        self.declares_variable = False

    def condition(self, value: str) -> str:
        """Returns the condition under which `value` matches the pattern; sets `end` to the token after the pattern.

        Raises PatternError if the pattern cannot be rewritten.
        """
        parts = [self._conjunction(value)]
        while self._skip_token("or"):
            parts.append(self._conjunction(value))
        return parts[0] if len(parts) == 1 else f"({' || '.join(parts)})"

    def _conjunction(self, value: str) -> str:
        """Reads patterns joined by `and`; returns their condition."""
        parts = [self._single(value)]
        while self._skip_token("and"):
            parts.append(self._single(value))
        return parts[0] if len(parts) == 1 else f"({' && '.join(parts)})"

    def _skip_token(self, word: str) -> bool:
        """Skips the next token if it is `word`; returns whether the token was skipped."""
        if self._source.token_at(self.end) != word:
            return False
        self.end += 1
        return True

    def _single(self, value: str) -> str:
        """Reads one pattern without `and` and `or`; returns its condition."""
        source, number = self._source, self.end
        text = source.token_at(number)
        if self._skip_token("not"):
            return f"!({self._single(value)})"
        if text in ("<", ">", "<=", ">="):
            self.end += 1
            return f"{value} {text} {self._constant()}"
        if text == "null":
            self.end += 1
            return f"(object){value} == null"
        if text == "_":
            self.end += 1
            return "true"
        if text == "(":
            return self._parenthesized(value)
        if text == "{":
            return self._property_pattern(value, "")
        if text in ("[", "var"):
            raise PatternError
        return self._type_or_constant(value)

    def _parenthesized(self, value: str) -> str:
        """Reads a pattern in parentheses, or a tuple of patterns; returns its condition."""
        source, close = self._source, self._source.closing[self.end]
        commas = [
            index
            for index in range(self.end + 1, close)
            if source.token_at(index) == "," and self._enclosing_bracket(index) == self.end
        ]
        self.end += 1
        if not commas:
            inner = self.condition(value)
            self._expect(")")
            return f"({inner})"
        parts: list[str] = []
        while True:
            parts.append(self.condition(f"{value}.Item{len(parts) + 1}"))
            if not self._skip_token(","):
                break
        self._expect(")")
        return f"({' && '.join(parts)})"

    def _enclosing_bracket(self, number: int) -> int:
        """Returns the opening bracket of the innermost pair around a token; -1 outside brackets."""
        return max((start for start, end in self._source.closing.items() if start < number < end), default=-1)

    def _property_pattern(self, value: str, type_name: str) -> str:
        """Reads a property pattern, `{ Name: pattern, … }`, after an optional type; returns its condition."""
        parts = [f"{value} is {type_name}" if type_name else f"(object){value} != null"]
        owner = f"(({type_name}){value})" if type_name else value
        self.end += 1
        while not self._skip_token("}"):
            name = self._source.token_at(self.end)
            if not self._source.is_name(self.end):
                raise PatternError
            self.end += 1
            while self._skip_token("."):
                name += "." + self._source.token_at(self.end)
                self.end += 1
            self._expect(":")
            parts.append(self.condition(f"{owner}.{name}"))
            self._skip_token(",")
        # A variable for the whole value, as in `{ Length: 3 } text`, is not rewritten.
        if self._source.is_name(self.end) and self._source.token_at(self.end) not in ("and", "or", "when"):
            raise PatternError
        return f"({' && '.join(parts)})"

    def _expect(self, text: str) -> None:
        """Skips the next token, which must be `text`; raises PatternError if it is not."""
        if not self._skip_token(text):
            raise PatternError

    def _type_or_constant(self, value: str) -> str:
        """Reads a type, with optional properties or a variable, or a constant; returns its condition."""
        source, start = self._source, self.end
        end = source.type_end(start)
        if end is not None and self.is_type(start, end):
            type_name = source.text_between(start, end)
            self.end = end
            if source.token_at(end) == "{":
                return self._property_pattern(value, type_name)
            if source.is_name(end) and source.token_at(end) not in ("and", "or", "when"):
                self.end, self.declares_variable = end + 1, True
                if source.token_at(end) != "_":
                    return f"{value} is {type_name} {source.token_at(end)}"
            return f"{value} is {type_name}"
        return f"{HELPER_CLASS}.Is({value}, {self._constant()})"

    def is_type(self, start: int, end: int) -> bool:
        """Whether the tokens from `start` to before `end` are a type rather than a constant."""
        source = self._source
        if source.token_at(start) in PREDEFINED_TYPES:
            return source.token_at(end) != "."
        if source.token_at(end - 1) in self._types and source.token_at(start - 1) != ".":
            return True
        following = source.token_at(end)
        return (source.is_name(end) and following not in ("and", "or", "when")) or following == "{"

    def _constant(self) -> str:
        """Reads a constant expression, up to the next token that cannot belong to it; returns its text."""
        source, start = self._source, self.end
        while self.end < len(source):
            text = source.token_at(self.end)
            if text in (",", ")", "}", "=>", ";", "&&", "||", "?", ":", "and", "or", "when", "]", "??", "==", "!="):
                break
            self.end = source.closing.get(self.end, self.end) + 1
        if start == self.end:
            raise PatternError
        return source.text_between(start, self.end)
