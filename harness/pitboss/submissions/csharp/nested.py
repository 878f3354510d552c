"""Turns each local function that uses no variable of its enclosing method into a method after that method."""

from __future__ import annotations

from pitboss.submissions.csharp.csharp_tokens import PREDEFINED_TYPES
from pitboss.submissions.csharp.source import CSharpSource, LocalFunction


def move_local_functions(text: str) -> str:
    """Returns the source with local functions turned into methods, except functions that use an enclosing variable."""
    while True:
        source = CSharpSource(text)
        bodies = _type_bodies(source)
        for function in _local_functions(source, bodies):
            if _move(source, function, bodies):
                break
        else:
            return text
        text = source.edited_text()


def _type_bodies(source: CSharpSource) -> dict[int, int]:
    """Maps the index of the `{` of each type's body to the index of its `}`."""
    bodies = {}
    for number in range(len(source)):
        if source.type_declaration_keyword_index(number) == number and source.token_at(number) != "delegate":
            body = number
            while body < len(source) and source.token_at(body) not in ("{", ";"):
                body = source.closing[body] + 1 if body in source.closing else body + 1
            if source.token_at(body) == "{":
                bodies[body] = source.closing[body]
    return bodies


def _local_functions(source: CSharpSource, bodies: dict[int, int]) -> list[LocalFunction]:
    """Returns the local functions of a source, the shortest first: inner functions come before outer functions."""
    functions = []
    for number in range(1, len(source)):
        if source.token_at(number - 1) not in ("{", "}", ";") or _innermost_brace(source, number) in bodies:
            continue
        function = source.local_function(number) if _innermost_brace(source, number) is not None else None
        if function and source.token_at(function.name - 1) not in ("new", "else", "case", "goto", "throw"):
            functions.append(function)
    return sorted(functions, key=lambda function: function.end - function.start)


def _innermost_brace(source: CSharpSource, number: int) -> int | None:
    """Returns the `{` of the innermost braces around a token; None outside braces."""
    braces = [start for start, end in source.closing.items() if start < number < end and source.token_at(start) == "{"]
    return max(braces, default=None)


def _enclosing_member(source: CSharpSource, number: int, bodies: dict[int, int]) -> tuple[int, int, int] | None:
    """Returns the member of a type that contains a token; None if no member contains it.

    The member is given by its first token, the `{` of its body, and the token after the member.
    """
    braces = [start for start, end in source.closing.items() if start < number < end and source.token_at(start) == "{"]
    type_braces = [start for start in braces if start in bodies]
    inner_braces = [start for start in braces if type_braces and start > max(type_braces)]
    if not inner_braces:
        return None
    body = min(inner_braces)
    start = body
    while start - 1 > max(type_braces) and source.token_at(start - 1) not in (";", "}"):
        start -= 1
    return start, body, source.closing[body] + 1


def _move(source: CSharpSource, function: LocalFunction, bodies: dict[int, int]) -> bool:
    """Moves a local function behind the member that contains the function; returns whether it was moved.

    The function cannot be moved if it uses a variable of the member, or if no member contains it.
    """
    member = _enclosing_member(source, function.start, bodies)
    if member is None:
        return False
    start, body, end = member
    function_range = range(function.start, function.end)
    outer_names = _declared_names(source, start, end, function_range)
    inner_names = _declared_names(source, function.start, function.end)
    used_names = {
        source.token_at(number)
        for number in range(function.opening, function.end)
        if source.is_name(number) and source.token_at(number - 1) not in (".", "?.")
    }
    if used_names & (outer_names - inner_names):
        return False
    modifiers = [source.token_at(number) for number in range(start, body)]
    is_static = "static" in [source.token_at(index) for index in range(function.start, function.name)]
    modifier = "static " if "static" in modifiers and not is_static else ""
    text = source.text_between(function.start, function.end)
    source.replace(function.start, function.end, ";")
    line = source.line_at(function.start)
    end_line = source.line_at(end - 1)
    source.insert_after(end - 1, f"\n#line {line}\n{modifier}{text}\n#line {end_line}\n")
    return True


def _declared_names(source: CSharpSource, start: int, end: int, excluded: range = range(0)) -> set[str]:
    """Returns the names of variables and parameters declared between two tokens, except in the range `excluded`."""
    names = set()
    for number in range(start + 1, end):
        if number in excluded or not source.is_name(number):
            continue
        text_before, text_after = source.token_at(number - 1), source.token_at(number + 1)
        may_end_declaration = text_after in ("=", ";", ",", ")", "in", ":", "]", "&&", "||", "?", "}")
        has_type = may_end_declaration and _is_type_before(source, number)
        is_listed = text_before in ("(", ",") and text_after in (",", ")") and _is_list_of_names(source, number)
        if has_type or is_listed or text_after == "=>":
            names.add(source.token_at(number))
    return names


def _is_type_before(source: CSharpSource, number: int) -> bool:
    """Whether the token before a name may end a type."""
    text_before = source.token_at(number - 1)
    if source.is_name(number - 1):
        return text_before not in ("await", "when", "and", "or", "not", "yield")
    return text_before in PREDEFINED_TYPES or text_before in ("]", ">", "?")


def _is_list_of_names(source: CSharpSource, number: int) -> bool:
    """Whether a name is in the parentheses of `var (a, b)` or of a lambda's parameters."""
    parentheses = [
        start for start, end in source.closing.items() if start < number < end and source.token_at(start) == "("
    ]
    if not parentheses:
        return False
    opening = max(parentheses)
    return source.token_at(opening - 1) == "var" or source.token_at(source.closing[opening] + 1) == "=>"
