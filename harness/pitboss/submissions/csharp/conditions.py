"""Rewrites a pattern as a condition: a boolean expression that is true if the pattern matches a value."""

from __future__ import annotations

from pitboss.submissions.csharp.csharp_tokens import PREDEFINED
from pitboss.submissions.csharp.source import CSharpSource

HELPER = "__New"


class Unknown(ValueError):
    """A pattern cannot be rewritten."""


class Pattern:
    """Reads one pattern of a source and rewrites it as a condition on a named value."""

    def __init__(self, source: CSharpSource, number: int, types: frozenset[str]) -> None:
        """`number`: its first token; `types`: the names of the types that the source declares."""
        self._source, self._types = source, types
        self.end = number
        self.declares = False

    def condition(self, value: str) -> str:
        """The condition under which `value` matches the pattern; sets `end` to the token after the pattern.

        Raises Unknown if the pattern cannot be rewritten.
        """
        parts = [self._conjunction(value)]
        while self._skip_token("or"):
            parts.append(self._conjunction(value))
        return parts[0] if len(parts) == 1 else f"({' || '.join(parts)})"

    def _conjunction(self, value: str) -> str:
        parts = [self._single(value)]
        while self._skip_token("and"):
            parts.append(self._single(value))
        return parts[0] if len(parts) == 1 else f"({' && '.join(parts)})"

    def _skip_token(self, word: str) -> bool:
        """Skips the next token if it is this word; returns whether it was."""
        if self._source.token_at(self.end) != word:
            return False
        self.end += 1
        return True

    def _single(self, value: str) -> str:
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
            return self._in_brackets(value)
        if text == "{":
            return self._with_properties(value, "")
        if text in ("[", "var"):
            raise Unknown
        return self._type_or_constant(value)

    def _in_brackets(self, value: str) -> str:
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
        """The innermost bracket around a token; -1 outside brackets."""
        return max((start for start, end in self._source.closing.items() if start < number < end), default=-1)

    def _with_properties(self, value: str, kind: str) -> str:
        parts = [f"{value} is {kind}" if kind else f"(object){value} != null"]
        owner = f"(({kind}){value})" if kind else value
        self.end += 1
        while not self._skip_token("}"):
            name = self._source.token_at(self.end)
            if not self._source.is_name(self.end):
                raise Unknown
            self.end += 1
            while self._skip_token("."):
                name += "." + self._source.token_at(self.end)
                self.end += 1
            self._expect(":")
            parts.append(self.condition(f"{owner}.{name}"))
            self._skip_token(",")
        if self._source.is_name(self.end) and self._source.token_at(self.end) not in ("and", "or", "when"):
            raise Unknown
        return f"({' && '.join(parts)})"

    def _expect(self, text: str) -> None:
        if not self._skip_token(text):
            raise Unknown

    def _type_or_constant(self, value: str) -> str:
        source, start = self._source, self.end
        end = source.type_end(start)
        if end is not None and self._is_type(start, end):
            kind = source.between(start, end)
            self.end = end
            if source.token_at(end) == "{":
                return self._with_properties(value, kind)
            if source.is_name(end) and source.token_at(end) not in ("and", "or", "when"):
                self.end, self.declares = end + 1, True
                if source.token_at(end) != "_":
                    return f"{value} is {kind} {source.token_at(end)}"
            return f"{value} is {kind}"
        return f"{HELPER}.Is({value}, {self._constant()})"

    def _is_type(self, start: int, end: int) -> bool:
        source = self._source
        if source.token_at(start) in PREDEFINED:
            return source.token_at(end) != "."
        if source.token_at(end - 1) in self._types and source.token_at(start - 1) != ".":
            return True
        following = source.token_at(end)
        return (source.is_name(end) and following not in ("and", "or", "when")) or following == "{"

    def _constant(self) -> str:
        """A constant expression: the text up to the next token that cannot be part of one."""
        source, start = self._source, self.end
        while self.end < len(source):
            text = source.token_at(self.end)
            if text in (",", ")", "}", "=>", ";", "&&", "||", "?", ":", "and", "or", "when", "]", "??", "==", "!="):
                break
            self.end = source.closing.get(self.end, self.end) + 1
        if start == self.end:
            raise Unknown
        return source.between(start, self.end)
