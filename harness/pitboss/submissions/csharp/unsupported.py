"""Finds the syntax in a rewritten source that Mono's compiler does not support."""

from __future__ import annotations

from typing import NamedTuple

from pitboss.submissions.csharp.csharp_tokens import CSharpKind
from pitboss.submissions.csharp.source import CSharpSource
from pitboss.submissions.csharp.toplevel import directives_end


class UnsupportedSyntax(NamedTuple):
    """Unsupported syntax that could not be rewritten."""

    #: The line of the source, from 1.
    line: int
    #: The syntax as messages name it, such as “a record”.
    label: str


def unsupported_in(text: str) -> list[UnsupportedSyntax]:
    """The syntax in a source that Mono's compiler does not support."""
    source = CSharpSource(text)
    results = []
    for number in range(len(source)):
        label = _unsupported_label(source, number)
        if label:
            results.append(UnsupportedSyntax(source.line_at(number), label))
    return results


def _unsupported_label(source: CSharpSource, number: int) -> str:
    """The unsupported syntax that begins with, or is recognized by, this token; or an empty text."""
    text, before, after = source.token_at(number), source.token_at(number - 1), source.token_at(number + 1)
    match text:
        case "record" if source.type_declaration_keyword_index(number) == number:
            return "a record"
        case "class" | "struct" if source.type_declaration_keyword_index(number) == number and _has_primary_constructor(
            source, number
        ):
            return "a primary constructor"
        case "switch" if after == "{":
            return "a switch expression"
        case "with" if after == "{" and source.ends_operand(number - 1):
            return "“with”"
        case "is" if after in ("not", "null", "{", "[", "<", ">", "<=", ">="):
            return "a pattern after “is”"
        case "case" if after in ("<", ">", "<=", ">=", "not", "{", "(", "[") and source.token_at(number + 2) != ")":
            return "a pattern in a “case”"
        case "case" if _declares_variable(source, number):
            return "a pattern in a “case”"
        case "??=" | ".." | ">>>":
            return f"“{text}”"
        case "[" if before in ("=", "return", "=>", "(", ",", "??", "?", ":") and not _is_attribute_or_key(
            source, number
        ):
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
            before == ")"
            and source.token_at(source.opening[number - 1] - 1) == "="
            and _is_assigned_to_var(source, number)
        ):
            return "a lambda without a type"
        case "=" if after == "(" and before == ")" and source.token_at(source.opening[number - 1] - 1) == "foreach":
            return "a tuple deconstructed by “foreach”"
    is_word = source.kind_at(number) in (CSharpKind.NAME, CSharpKind.KEYWORD)
    if is_word and before in ("{", "}", ";") and _is_local_function(source, number):
        return "a function inside a method that uses the method's variables"
    return ""


def _has_primary_constructor(source: CSharpSource, number: int) -> bool:
    """Whether the type with this keyword has parameters after its name."""
    name_end = number + 2
    if source.token_at(name_end) == "<":
        name_end = source.arguments_end(name_end) or name_end
    return source.token_at(name_end) == "("


def _declares_variable(source: CSharpSource, number: int) -> bool:
    """Whether the pattern after this `case` is a type and the name of a variable."""
    end = source.type_end(number + 1)
    return end is not None and source.is_name(end) and source.token_at(end) != "when"


def _is_attribute_or_key(source: CSharpSource, number: int) -> bool:
    """Whether a `[` begins an attribute of a parameter or the key of an element in an initializer, and not a list."""
    bracket_end = source.closing[number] + 1
    if source.token_at(number - 1) == "," and source.token_at(bracket_end) == "=":
        return True
    end = source.type_end(bracket_end)
    return source.token_at(number - 1) in ("(", ",") and end is not None and source.is_name(end)


def _is_assigned_to_var(source: CSharpSource, number: int) -> bool:
    """Whether the lambda with this `=>` is the value of a variable declared with `var`, as in `var f = (…) => …`."""
    return source.token_at(source.opening[number - 1] - 3) == "var"


def _is_local_function(source: CSharpSource, number: int) -> bool:
    """Whether a function begins with this token in the body of a method, not directly in a type or namespace."""
    function = source.local_function(number)
    if function is None or source.token_at(function.name - 1) in ("new", "else", "case", "throw"):
        return False
    enclosing_braces = [
        start for start, end in source.closing.items() if start < number < end and source.token_at(start) == "{"
    ]
    if not enclosing_braces:
        return False
    # From the innermost brace back to the start of the statement or declaration that it belongs to.
    start = max(enclosing_braces)
    while start > 0 and source.token_at(start - 1) not in (";", "{", "}"):
        start -= 1
    return source.type_declaration_keyword_index(start) is None and source.token_at(start) != "namespace"
