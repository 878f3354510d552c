"""Markdown of the generated pages: tables of keys, options and fields, and what their cells hold, escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

#: What stands at the top of a page that is generated as a whole.
NOTICE = "<!-- Made by `python -m tests.docs.generate` from the code; what is written here by hand is lost. -->\n\n"

_ESCAPED = {ord(one): f"&#{ord(one)};" for one in "<>|*[]{}"}


def cell(text: str) -> str:
    """A text as the cell of a table: what is between backticks stays, all else is escaped, and it is one line.

    >>> cell("the answers; <eof> ends `a|b`")
    'the answers; &#60;eof&#62; ends `a\\\\|b`'
    """
    parts = " ".join(text.split()).split("`")
    parts = [part.replace("|", "\\|") if index % 2 else part.translate(_ESCAPED) for index, part in enumerate(parts)]
    return "`".join(parts)


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the cells are Markdown already."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


def kind_in_words(schema: Mapping[str, Any], links: Mapping[tuple[str, ...], str]) -> str:
    """What a value of a JSON Schema is, in words; an object with these keys is a link to where they are described.

    >>> kind_in_words({"type": "array", "items": {"type": ["string", "number"]}}, {})
    'list of texts'
    >>> kind_in_words({"enum": ["yes", "no", True, False]}, {}), kind_in_words({"enum": ["nearest", "up"]}, {})
    ('`yes` or `no`', '`nearest` or `up`')
    """
    if "errorMessage" in schema:
        return cell(schema["title"])
    if "anyOf" in schema:
        return ", or ".join(kind_in_words(one, links) for one in schema["anyOf"] if "deprecated" not in one)
    if "enum" in schema:
        words = [f"`{one}`" for one in schema["enum"] if not isinstance(one, bool)]
        return " or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]
    if "const" in schema:
        return f"`{schema['const']}`"
    if "$ref" in schema:
        return f"[{schema['$ref'].rpartition('/')[2]}](#{links[(schema['$ref'],)]})"
    match schema.get("type"):
        case "array" if "items" in schema:
            return f"list of {_plural(kind_in_words(schema['items'], links))}"
        case "object" if "properties" in schema:
            of = tuple(name for name, one in schema["properties"].items() if "deprecated" not in one)
            assert of in links, f"a mapping of {', '.join(of)} has no place in _SECTIONS of tests/docs/generate.py"
            return f"[mapping](#{links[of]})"
        case "object":
            value = [schema["additionalProperties"], *schema.get("patternProperties", {}).values()][-1]
            return f"names, each with: {kind_in_words(value, links)}"
        case list() as kinds:
            return _of_several(kinds)
        case kind:
            return _KINDS[str(kind)]


_KINDS = {"string": "text", "integer": "whole number", "boolean": "true or false", "null": "null", "number": "number"}


def _of_several(kinds: Sequence[str]) -> str:
    """A text may be written as a number, since every scalar of a file is one."""
    return next(_KINDS[kind] for kind in ("string", "boolean", "integer", "number") if kind in kinds)


def _plural(kind: str) -> str:
    return re.sub(r"^(text|whole number|number|name|function|\[mapping)\b", r"\1s", kind).replace(
        "of a file", "of files"
    )
