"""Removes the nullability annotations that C# 7 does not have: `?` after reference types and `!` after values."""

from __future__ import annotations

from pitboss.submissions.csharp.csharp_tokens import DECLARATION_KEYWORDS, VALUE_TYPES, CSharpKind
from pitboss.submissions.csharp.source import CSharpSource

#: Tokens after which a declaration may begin.
_BEFORE_DECLARATION = DECLARATION_KEYWORDS | {"(", ",", "{", "}", ";", "<", "out", "async", "]", "params"}
#: Value types of the library that a first-year program may use; a `?` after their names must not be removed.
_STRUCTS = frozenset(
    """DateTime TimeSpan DateTimeOffset Guid ConsoleKeyInfo ConsoleKey ConsoleColor DayOfWeek KeyValuePair Nullable
    BigInteger Complex CancellationToken ValueTuple Index Range Rune DateOnly TimeOnly Half Int128 nint nuint""".split()  # noqa: SIM905
)


def without_annotations(text: str, reference_types: frozenset[str], value_types: frozenset[str]) -> str:
    """Returns the source without `?` after reference types and without the null-forgiving `!`.

    `value_types` are the names of the value types that the program declares, `reference_types` the names of reference
    types.
    """
    source = CSharpSource(text)
    for number in range(1, len(source)):
        if (source.token_at(number) == "?" and _is_annotation(source, number, reference_types, value_types)) or (
            source.token_at(number) == "!" and _is_null_forgiving(source, number)
        ):
            source.replace(number, number + 1, "")
    return source.edited_text()


def _is_annotation(
    source: CSharpSource, number: int, reference_types: frozenset[str], value_types: frozenset[str]
) -> bool:
    """Whether the `?` at `number` marks a reference type as nullable."""
    last_index, last_text = number - 1, source.token_at(number - 1)  # the last token of the type
    if last_text in ("string", "object"):
        return not _is_conditional(source, number)
    if last_text in VALUE_TYPES:
        return False
    if last_text == "]" and all(
        source.token_at(index) == "," for index in range(source.opening[last_index] + 1, last_index)
    ):
        return not _is_conditional(source, number)
    if last_text == ">":
        # Type arguments of more than 40 tokens are not recognised.
        openings = (index for index in range(last_index, max(-1, last_index - 40), -1) if source.token_at(index) == "<")
        start = next((index for index in openings if source.arguments_end(index) == number), None)
        return (
            start is not None
            and source.token_at(start - 1) not in _STRUCTS | value_types
            and not _is_conditional(source, number)
        )
    if not source.is_name(last_index) or last_text in _STRUCTS | value_types:
        return False
    if last_text in reference_types:
        return not _is_conditional(source, number)
    # A type that the program does not declare: the `?` is an annotation if the name of a declared variable follows. In
    # a conditional expression no declaration can follow the `?`.
    is_variable = source.is_name(number + 1) and source.token_at(number + 2) in (";", "=", ")", ",", "{", "=>", "(")
    if not is_variable or source.token_at(last_index - 1) == "." or not last_text[:1].isupper():
        return False
    return _starts_declaration(source, last_index) and not _is_conditional(source, number)


def _starts_declaration(source: CSharpSource, number: int) -> bool:
    """Whether a declaration may begin with this token."""
    return source.token_at(number - 1) in _BEFORE_DECLARATION


def _is_conditional(source: CSharpSource, number: int) -> bool:
    """Whether the `?` at `number` belongs to a conditional expression, `a ? b : c`: a `:` for it follows."""
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


def _is_null_forgiving(source: CSharpSource, number: int) -> bool:
    """Whether the `!` at `number` is the null-forgiving operator."""
    if not source.ends_operand(number - 1) or source.token_at(number - 1) in ("and", "or", "not", "when", "await"):
        return False
    # After `value!` no other operand can follow, only an operator, a closing bracket or other punctuation.
    kind, text_after = source.kind_at(number + 1), source.token_at(number + 1)
    if kind in (CSharpKind.NAME, CSharpKind.NUMBER, CSharpKind.STRING, CSharpKind.CHAR, CSharpKind.INTERPOLATED_START):
        return text_after in ("is", "as", "switch", "with", "and", "or")
    if kind is CSharpKind.KEYWORD:
        return text_after in ("is", "as", "switch", "in")
    return text_after not in ("(", "!", "~")
