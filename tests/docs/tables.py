"""Markdown tables of keys, options and fields for the generated pages, with escaped cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

#: The first line of each page that is entirely generated.
NOTICE = "<!-- Made by `python -m tests.docs.generate` from the code; what is written here by hand is lost. -->\n\n"

_ESCAPED = {ord(character): f"&#{ord(character)};" for character in "<>|*[]{}"}


def cell(text: str) -> str:
    """The text as a table cell in one line; everything is escaped except between backticks, where only `|` is.

    >>> cell("the answers; <eof> ends `a|b`")
    'the answers; &#60;eof&#62; ends `a\\\\|b`'
    """
    parts = " ".join(text.split()).split("`")
    parts = [part.replace("|", "\\|") if index % 2 else part.translate(_ESCAPED) for index, part in enumerate(parts)]
    return "`".join(parts)


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, of cells that are already escaped."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


def kind_in_words(schema: Mapping[str, Any], links: Mapping[tuple[str, ...], str]) -> str:
    """The kind of value that a JSON Schema describes, in words.

    `links` has the anchor of each section, by the keys of the object that it describes, or by its `$ref`. A kind with a
    section becomes a link to it.

    >>> kind_in_words({"type": "array", "items": {"type": ["string", "number"]}}, {})
    'list of texts'
    >>> kind_in_words({"enum": ["yes", "no", True, False]}, {}), kind_in_words({"enum": ["nearest", "up"]}, {})
    ('`yes` or `no`', '`nearest` or `up`')
    """
    if "errorMessage" in schema:
        return cell(schema["title"])
    if "anyOf" in schema:
        return ", or ".join(kind_in_words(alternative, links) for alternative in schema["anyOf"])
    if "enum" in schema:
        values = [f"`{value}`" for value in schema["enum"] if not isinstance(value, bool)]
        return " or ".join([", ".join(values[:-1]), values[-1]]) if len(values) > 1 else values[0]
    if "const" in schema:
        return f"`{schema['const']}`"
    if "$ref" in schema:
        return f"[{schema['$ref'].rpartition('/')[2]}](#{links[(schema['$ref'],)]})"
    match schema.get("type"):
        case "array" if "items" in schema:
            return f"list of {_plural(kind_in_words(schema['items'], links))}"
        case "object" if "properties" in schema:
            names = tuple(schema["properties"])
            assert names in links, (
                f"a mapping of {', '.join(names)} has no place in _SECTIONS of tests/docs/generate.py"
            )
            return f"[mapping](#{links[names]})"
        case "object":
            # If names of some pattern have a schema of their own, it allows more values than that of other names.
            value = [schema["additionalProperties"], *schema.get("patternProperties", {}).values()][-1]
            return f"names, each with: {kind_in_words(value, links)}"
        case list() as kinds:
            return _kind_of_several(kinds)
        case kind:
            return _KINDS[str(kind)]


_KINDS = {"string": "text", "integer": "whole number", "boolean": "true or false", "null": "null", "number": "number"}


def _kind_of_several(kinds: Sequence[str]) -> str:
    """In words, the most general of these kinds: where a text is accepted, any other scalar is too."""
    return next(_KINDS[kind] for kind in ("string", "boolean", "integer", "number") if kind in kinds)


def _plural(kind: str) -> str:
    return re.sub(r"^(text|whole number|number|name|function|\[mapping)\b", r"\1s", kind).replace(
        "of a file", "of files"
    )
