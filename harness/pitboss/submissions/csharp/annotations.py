"""Removes nullability annotations, `?` on reference types and `!` on values, which C# 7 does not have."""

from __future__ import annotations

from pitboss.submissions.csharp.csharp_tokens import DECLARING, VALUE_TYPES, CSharpKind
from pitboss.submissions.csharp.source import CSharpSource

#: Value types of the library that a first-year program may use; a `?` after them must stay.
_STRUCTS = frozenset(
    """DateTime TimeSpan DateTimeOffset Guid ConsoleKeyInfo ConsoleKey ConsoleColor DayOfWeek KeyValuePair Nullable
    BigInteger Complex CancellationToken ValueTuple Index Range Rune DateOnly TimeOnly Half Int128 nint nuint""".split()  # noqa: SIM905
)


def without_annotations(text: str, references: frozenset[str], values: frozenset[str]) -> str:
    """The source without `?` after reference types and without the null-forgiving `!`.

    `values` are the names of the value types that the source declares, `references` the names of its other types.
    """
    source = CSharpSource(text)
    for number in range(1, len(source)):
        if (source.token_at(number) == "?" and _is_annotation(source, number, references, values)) or (
            source.token_at(number) == "!" and _is_assertion(source, number)
        ):
            source.replace(number, number + 1, "")
    return source.edited()


def _is_annotation(source: CSharpSource, number: int, references: frozenset[str], values: frozenset[str]) -> bool:
    """Whether a `?` marks a reference type as nullable."""
    before, text = number - 1, source.token_at(number - 1)
    if text in ("string", "object"):
        return not _is_condition(source, number)
    if text in VALUE_TYPES:
        return False
    if text == "]" and all(source.token_at(index) == "," for index in range(source.opening[before] + 1, before)):
        return not _is_condition(source, number)
    if text == ">":
        openings = (index for index in range(before, max(-1, before - 40), -1) if source.token_at(index) == "<")
        start = next((index for index in openings if source.arguments_end(index) == number), None)
        return (
            start is not None
            and source.token_at(start - 1) not in _STRUCTS | values
            and not _is_condition(source, number)
        )
    if not source.is_name(before) or text in _STRUCTS | values:
        return False
    if text in references:
        return not _is_condition(source, number)
    # An unknown type: the `?` is an annotation if a declared variable follows, which a condition cannot have there.
    is_variable = source.is_name(number + 1) and source.token_at(number + 2) in (";", "=", ")", ",", "{", "=>", "(")
    if not is_variable or source.token_at(before - 1) == "." or not text[:1].isupper():
        return False
    return _starts_declaration(source, before) and not _is_condition(source, number)


def _starts_declaration(source: CSharpSource, number: int) -> bool:
    """Whether a declaration may begin with this token."""
    before = source.token_at(number - 1)
    return before in ("(", ",", "{", "}", ";", "<") or before in DECLARING or before in ("out", "async", "]", "params")


def _is_condition(source: CSharpSource, number: int) -> bool:
    """Whether a `?` belongs to a conditional expression: its `:` follows."""
    depth, number = 0, number + 1
    while number < len(source):
        text = source.token_at(number)
        if number in source.closing:
            number = source.closing[number]
        elif number in source.opening or text in (";", "{"):
            return False
        elif text == "?":
            depth += 1
        elif text == ":":
            if depth == 0:
                return True
            depth -= 1
        number += 1
    return False


def _is_assertion(source: CSharpSource, number: int) -> bool:
    """Whether a `!` is the null-forgiving operator."""
    if not source.ends_operand(number - 1) or source.token_at(number - 1) in ("and", "or", "not", "when", "await"):
        return False
    kind, after = source.kind(number + 1), source.token_at(number + 1)
    if kind in (CSharpKind.NAME, CSharpKind.NUMBER, CSharpKind.STRING, CSharpKind.CHAR, CSharpKind.ISTART):
        return after in ("is", "as", "switch", "with", "and", "or")
    if kind is CSharpKind.KEYWORD:
        return after in ("is", "as", "switch", "in")
    return after not in ("(", "!", "~")
