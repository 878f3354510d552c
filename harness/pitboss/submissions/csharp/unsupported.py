"""Finds syntax that Mono's compiler does not support and that was not rewritten, with its line."""

from __future__ import annotations

from typing import NamedTuple

from pitboss.submissions.csharp.csharp_tokens import CSharpKind
from pitboss.submissions.csharp.source import CSharpSource
from pitboss.submissions.csharp.toplevel import directives_end


class Unsupported(NamedTuple):
    """Syntax that could not be rewritten, and its line, from 1."""

    line: int
    label: str


def unsupported_in(text: str) -> list[Unsupported]:
    """The syntax in a source that Mono's compiler does not support."""
    source = CSharpSource(text)
    found = []
    for number in range(len(source)):
        label = _unsupported(source, number)
        if label:
            found.append(Unsupported(source.line(number), label))
    return found


def _unsupported(source: CSharpSource, number: int) -> str:
    text, before, after = source.token_at(number), source.token_at(number - 1), source.token_at(number + 1)
    match text:
        case "record" if source.type_declaration(number) == number:
            return "a record"
        case "class" | "struct" if source.type_declaration(number) == number and _has_parameters(source, number):
            return "a primary constructor"
        case "switch" if after == "{":
            return "a switch expression"
        case "with" if after == "{" and source.ends_operand(number - 1):
            return "“with”"
        case "is" if after in ("not", "null", "{", "[", "<", ">", "<=", ">="):
            return "a pattern after “is”"
        case "case" if after in ("<", ">", "<=", ">=", "not", "{", "(", "[") and source.token_at(number + 2) != ")":
            return "a pattern in a “case”"
        case "case" if _declares(source, number):
            return "a pattern in a “case”"
        case "??=" | ".." | ">>>":
            return f"“{text}”"
        case "[" if before in ("=", "return", "=>", "(", ",", "??", "?", ":") and not _is_attribute(source, number):
            return "a list in square brackets"
        case "[" if after == "^" and source.ends_operand(number - 1):
            return "“^” in an index"
        case "await" if after in ("foreach", "using"):
            return f"“await {after}”"
        case "using" if after != "(" and number > directives_end(source) and before in ("{", "}", ";"):
            return "a using declaration"
        case "stackalloc" | "nint" | "nuint" | "scoped" | "allows":
            return f"“{text}”"
        case "=>" if (
            before == ")" and source.token_at(source.opening[number - 1] - 1) == "=" and _is_var(source, number)
        ):
            return "a lambda without a type"
        case "=" if after == "(" and before == ")" and source.token_at(source.opening[number - 1] - 1) == "foreach":
            return "a tuple deconstructed by “foreach”"
    if source.kind(number) is CSharpKind.NAME and before in ("{", "}", ";") and _is_local_function(source, number):
        return "a function inside a method that uses the method's variables"
    if text in ("static", "async") and before in ("{", "}", ";") and _is_local_function(source, number):
        return "a function inside a method that uses the method's variables"
    if source.kind(number) is CSharpKind.KEYWORD and before in ("{", "}", ";") and _is_local_function(source, number):
        return "a function inside a method that uses the method's variables"
    return ""


def _has_parameters(source: CSharpSource, number: int) -> bool:
    after = number + 2
    if source.token_at(after) == "<":
        after = source.arguments_end(after) or after
    return source.token_at(after) == "("


def _declares(source: CSharpSource, number: int) -> bool:
    end = source.type_end(number + 1)
    return end is not None and source.is_name(end) and source.token_at(end) != "when"


def _is_attribute(source: CSharpSource, number: int) -> bool:
    """Whether a bracket is an attribute of a parameter, or the key of an element in an initializer; not a list."""
    after = source.closing[number] + 1
    if source.token_at(number - 1) == "," and source.token_at(after) == "=":
        return True
    end = source.type_end(after)
    return source.token_at(number - 1) in ("(", ",") and end is not None and source.is_name(end or 0)


def _is_var(source: CSharpSource, number: int) -> bool:
    return source.token_at(source.opening[number - 1] - 3) == "var"


def _is_local_function(source: CSharpSource, number: int) -> bool:
    function = source.local_function(number)
    if function is None or source.token_at(function.name - 1) in ("new", "else", "case", "throw"):
        return False
    around = [start for start, end in source.closing.items() if start < number < end and source.token_at(start) == "{"]
    if not around:
        return False
    inner = max(around)
    start = inner
    while start > 0 and source.token_at(start - 1) not in (";", "{", "}"):
        start -= 1
    return source.type_declaration(start) is None and source.token_at(start) != "namespace"
