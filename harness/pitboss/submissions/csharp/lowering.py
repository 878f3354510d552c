"""Rewrites a program in current C# for Mono's compiler, and reports syntax that could not be rewritten."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from pitboss.submissions.csharp.annotations import without_annotations
from pitboss.submissions.csharp.csharp_tokens import LexicalError
from pitboss.submissions.csharp.literals import with_plain_literals
from pitboss.submissions.csharp.nested import move_local_functions
from pitboss.submissions.csharp.patterns import patterns_as_conditions
from pitboss.submissions.csharp.records import records_as_classes
from pitboss.submissions.csharp.shorthand import (
    with_braced_namespace,
    with_explicit_types,
    with_plain_usings,
    with_short_forms_expanded,
    with_using_blocks,
)
from pitboss.submissions.csharp.source import CSharpSource
from pitboss.submissions.csharp.toplevel import PLACEHOLDER_PREFIX, directives_end, with_main
from pitboss.submissions.csharp.unsupported import UnsupportedSyntax, unsupported_in

#: The namespaces that a project created by `dotnet new console` uses without naming them.
IMPLICIT_NAMESPACES = (
    "System",
    "System.Collections.Generic",
    "System.IO",
    "System.Linq",
    "System.Net.Http",
    "System.Threading",
    "System.Threading.Tasks",
)


#: A source longer than this is not a first-year program, and is not rewritten.
_MAX_CHARACTERS = 200_000


class MonoSource(NamedTuple):
    """A source that was rewritten for Mono's compiler."""

    text: str
    #: Placeholders in the text for types that only the compiler can find out, see `types_from_errors`.
    placeholders: tuple[str, ...]
    #: Syntax in the text that could not be rewritten.
    unsupported: tuple[UnsupportedSyntax, ...]


@lru_cache(maxsize=64)
def rewrite_for_mono(
    text: str, other_texts: tuple[str, ...] = (), reference_types: frozenset[str] = frozenset()
) -> MonoSource:
    """Returns the source rewritten for Mono's compiler.

    `other_texts` are the texts of the program's other files. `reference_types` are the names of types that the
    compiler has reported as reference types, see `reference_types_from_errors`.

    A text with an unclosed bracket or string is not rewritten, since the compiler's own message explains that best.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if len(text) > _MAX_CHARACTERS:
        return MonoSource(text, (), ())
    try:
        CSharpSource(text)  # raises LexicalError, which `_types_in` ignores
        declared_reference_types, value_types = _types_in([text, *other_texts])
        for step in _steps(declared_reference_types | reference_types, value_types):
            text = step(text)
        placeholders = tuple(sorted(set(re.findall(rf"\b{PLACEHOLDER_PREFIX}\w+", text))))
        return MonoSource(text, placeholders, tuple(unsupported_in(text)))
    except LexicalError:
        return MonoSource(text, (), ())


def _steps(reference_types: frozenset[str], value_types: frozenset[str]) -> tuple[Callable[[str], str], ...]:
    """Returns the rewriting passes, in order."""
    return (
        with_plain_literals,
        with_plain_usings,
        with_braced_namespace,
        lambda text: without_annotations(text, reference_types, value_types),
        with_explicit_types,
        with_main,
        records_as_classes,
        with_using_blocks,
        move_local_functions,
        lambda text: patterns_as_conditions(text, reference_types | value_types),
        with_short_forms_expanded,
    )


def _types_in(texts: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Returns the names of the reference types, and the names of the value types, that sources declare."""
    reference_types: set[str] = set()
    value_types: set[str] = set()
    for text in texts:
        try:
            source = CSharpSource(text)
        except LexicalError:
            continue
        for index in range(len(source)):
            # The index of the keyword is also returned for the modifiers before it.
            if source.type_declaration_keyword_index(index) != index or source.token_at(index) == "delegate":
                continue
            keywords = [source.token_at(index)]
            if source.token_at(index + 1) in ("class", "struct"):  # after `record`
                keywords.append(source.token_at(index + 1))
            is_value_type = "struct" in keywords or "enum" in keywords
            (value_types if is_value_type else reference_types).add(source.token_at(index + len(keywords)))
    return frozenset(reference_types), frozenset(value_types)


def global_usings(text: str) -> tuple[str, ...]:
    """Returns the `global using` directives of a source, as `using` directives."""
    try:
        source = CSharpSource(text)
    except LexicalError:
        return ()
    usings, number, end = [], 0, directives_end(source)
    while number < end:
        semicolon = number
        while semicolon < end and source.token_at(semicolon) != ";":
            semicolon += 1
        if source.token_at(number) == "global":
            usings.append(source.text_between(number + 1, semicolon + 1))
        number = semicolon + 1
    return tuple(usings)


def with_usings(text: str, namespaces: Iterable[str]) -> str:
    """Returns the source with a `using` for each namespace that is not imported yet; line numbers stay the same."""
    try:
        source = CSharpSource(text)
    except LexicalError:
        return text
    end = directives_end(source)
    directives = " ".join(source.token_at(index) if source.token_at(index) != ";" else "\n" for index in range(end))
    directives = re.sub(r" ?\. ?", ".", directives)
    missing = [
        namespace
        for namespace in namespaces
        if not re.search(rf"^\s*using {re.escape(namespace)}\s*$", directives, re.MULTILINE)
    ]
    return "".join(f"using {namespace}; " for namespace in missing) + text


#: A type in a message of the compiler.
_TYPE = r"`(?:out |ref )?(?P<type>[^']+)'"
#: A placeholder for a type in a message of the compiler.
_PLACEHOLDER = rf"`(?:out |ref )?(?P<placeholder>{PLACEHOLDER_PREFIX}\w+)'"
#: Messages that reveal the type of a placeholder.
_MESSAGES = (
    re.compile(rf"CS(?:0029|0266|0030): Cannot (?:implicitly )?convert type {_TYPE} to {_PLACEHOLDER}"),
    re.compile(rf"CS(?:0029|0266|0030): Cannot (?:implicitly )?convert type {_PLACEHOLDER} to {_TYPE}"),
    re.compile(rf"CS1503: Argument `#\d+' cannot convert {_PLACEHOLDER} expression to type {_TYPE}"),
)
#: The message on `T?` if T is a reference type.
_NULLABLE_REFERENCE_TYPE = re.compile(r"CS0453: The type `([^'<]+)(?:<[^']*)?' must be a non-nullable value type")


def types_from_errors(messages: str) -> dict[str, str]:
    """Returns the types of placeholders, by placeholder, from the compiler's errors about placeholders."""
    types: dict[str, str] = {}
    for pattern in _MESSAGES:
        for match in pattern.finditer(messages):
            if PLACEHOLDER_PREFIX not in match["type"] and "anonymous" not in match["type"]:
                types.setdefault(match["placeholder"], match["type"])
    return types


def reference_types_from_errors(messages: str) -> frozenset[str]:
    """Returns the names, without namespace, of types that the compiler's errors report as reference types."""
    return frozenset(match[1].rpartition(".")[2] for match in _NULLABLE_REFERENCE_TYPE.finditer(messages))


def with_types(text: str, types: dict[str, str]) -> str:
    """Returns the source with placeholders replaced by their types in `types`."""
    for placeholder, type_name in types.items():
        text = re.sub(rf"\b{placeholder}\b", type_name, text)
    return text
