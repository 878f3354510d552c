"""Reads YAML nodes as values of an expected type; each mistake is a SpecError with location, value and remedy.

The parameter `what` names the value in the message: "limits", "an item of sources".

A YAML file is read strictly, as plain nodes with line numbers; every scalar is the text written in the file. This is
the only module that imports yaml. Anchors, aliases, tags, merge keys, repeated keys and second documents are errors,
since with each of them a file may not mean what it seems to mean. Files written by programs are read less strictly:
tags are ignored, aliases are resolved, and the last entry of a repeated key is used.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from pitboss.errors import SpecError, as_found, did_you_mean, shortened
from pitboss.model.words import joined

#: Messages of the YAML parser are cut to this number of characters, since they may quote any amount of the file.
_LONGEST_PROBLEM = 200

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Text(msgspec.Struct, frozen=True):
    """A scalar."""

    value: str
    #: The location of the scalar, as file:line.
    place: str
    #: The number of the value's first line, and of the line after its last line, from 1. The line with the indicator
    #: of a block, | or >, does not belong to the value.
    lines: tuple[int, int]
    #: Whether the scalar is a literal block (|).
    is_block: bool = False


class Items(msgspec.Struct, frozen=True):
    """A list."""

    items: tuple[Node, ...]
    #: The location of the list, as file:line.
    place: str


class Keyed(msgspec.Struct, frozen=True):
    """A mapping."""

    entries: dict[str, Node]
    #: The location of each key, as file:line.
    key_places: dict[str, str]
    #: The location of the mapping, as file:line.
    place: str


Node = Text | Items | Keyed


def read_yaml(path: Path, *, is_strict: bool = True, name: Path | None = None) -> Node:
    """Returns the only document of a file; raises SpecError, with file and line, if the file is wrong.

    `is_strict`: whether tags, anchors, aliases and repeated keys are errors, as is right for files that people write.
    `name`: the file's name in messages, instead of `path`.
    """
    shown_path = name or path
    try:
        source = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise SpecError(f"{shown_path}: there is no such file") from None
    except OSError as error:
        raise SpecError(f"{shown_path}: the file cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise SpecError(
            f"{shown_path}:{line}: byte 0x{error.object[error.start]:02x} is not UTF-8 — save it as UTF-8"
        ) from None
    try:
        nodes = _YamlReader(shown_path, is_strict=is_strict).documents(source)
    except yaml.MarkedYAMLError as error:
        raise SpecError(_syntax_error(shown_path, error)) from None
    except yaml.YAMLError as error:
        raise SpecError(
            f"{shown_path}: it cannot be read as YAML: {' '.join(str(error).split())[:_LONGEST_PROBLEM]}"
        ) from None
    except RecursionError:
        raise SpecError(f"{shown_path}: it is nested too deeply") from None
    if not nodes:
        raise SpecError(f"{shown_path}: the file is empty")
    if len(nodes) > 1:
        raise SpecError(f"{nodes[1].place}: a second document begins (---) — a file can have only one")
    return nodes[0]


def is_blank_file(path: Path) -> bool:
    """Whether a file does not exist, or has only blanks and comments; False if it cannot be read."""
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return all(not line.strip() or line.lstrip().startswith(b"#") for line in lines)


def _syntax_error(path: Path, error: yaml.MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 1
    problem = str(error.problem or error.context)
    return f"{path}:{line}: it cannot be read as YAML: {problem[:_LONGEST_PROBLEM]}"


class _YamlReader:
    """Turns the events of the YAML parser into nodes; `is_strict` as for `read_yaml`."""

    def __init__(self, path: Path, *, is_strict: bool) -> None:
        self._path, self._is_strict = path, is_strict
        self._anchored: dict[str, Node] = {}

    def documents(self, source: str) -> list[Node]:
        """Returns the root node of each document in a text."""
        loader = _Loader(source)
        nodes = []
        try:
            while loader.check_event():
                event = loader.get_event()
                if isinstance(event, yaml.DocumentStartEvent) and not loader.check_event(yaml.DocumentEndEvent):
                    nodes.append(self._node(loader))
        finally:
            loader.dispose()
        return nodes

    def _node(self, loader: Any) -> Node:
        """Read the next node; only files written by programs may have anchors and aliases."""
        event = loader.get_event()
        location = f"{self._path}:{event.start_mark.line + 1}"
        if self._is_strict:
            self._check_plain(event, location)
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchored:
                raise SpecError(f"{location}: *{shortened(str(event.anchor))} refers to no earlier anchor")
            return self._anchored[event.anchor]
        node = self._complete_node(loader, event, location)
        if event.anchor:
            self._anchored[event.anchor] = node
        return node

    def _check_plain(self, event: Any, location: str) -> None:
        """Raise SpecError for an alias, an anchor or a tag."""
        if isinstance(event, yaml.AliasEvent):
            raise SpecError(f"{location}: *{shortened(str(event.anchor))} is an alias — write the text itself")
        if event.anchor:
            raise SpecError(f"{location}: &{shortened(event.anchor)} is an anchor — these files cannot have anchors")
        # The tag "!" alone changes nothing: it marks a scalar as text, and here every scalar is text.
        if event.tag and event.tag != "!":
            raise SpecError(f"{location}: {shortened(event.tag)} is a tag — these files cannot have tags")

    def _complete_node(self, loader: Any, event: Any, location: str) -> Node:
        """Read the remaining events of a node that begins with this event; return the node."""
        if isinstance(event, yaml.ScalarEvent):
            return _text(event, location)
        if isinstance(event, yaml.SequenceStartEvent):
            items = []
            while not loader.check_event(yaml.SequenceEndEvent):
                items.append(self._node(loader))
            loader.get_event()
            return Items(tuple(items), location)
        return self._keyed(loader, location)

    def _keyed(self, loader: Any, location: str) -> Keyed:
        """Read the entries of a mapping that has just begun."""
        entries: dict[str, Node] = {}
        locations: dict[str, str] = {}
        while not loader.check_event(yaml.MappingEndEvent):
            key = self._node(loader)
            if not isinstance(key, Text):
                raise SpecError(f"{key.place}: a key is a list or a mapping — a key must be text")
            if key.value in entries and self._is_strict:
                first_line = locations[key.value].rpartition(":")[2]
                raise SpecError(
                    f"{key.place}: {as_found(key.value)} is on line {first_line} too — each key can be given only once"
                )
            locations[key.value] = key.place
            entries[key.value] = self._node(loader)
        loader.get_event()
        return Keyed(entries, locations, location)


def _text(event: Any, location: str) -> Text:
    """Returns the scalar of an event."""
    # The parser counts lines from 0. A block ends at the beginning of the line after it.
    has_indicator_line = event.style in ("|", ">")
    first_line = event.start_mark.line + (2 if has_indicator_line else 1)
    line_after = event.end_mark.line + (1 if event.end_mark.column == 0 else 2)
    return Text(event.value, location, (first_line, line_after), event.style == "|")


#: A regular expression for a range of whole numbers, such as 1..100.
VALUE_RANGE = r"(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})"
#: The maximum number of values in one range.
_MAX_VALUES = 10_000
_T = TypeVar("_T")


def named_entries(node: Node, what: str) -> Keyed:
    """Returns the node as a mapping whose keys may be any names."""
    if not isinstance(node, Keyed):
        raise SpecError(f"{node.place}: {what} is {kind_of(node)} — it must be a mapping with names as keys")
    return node


def items(node: Node, what: str, at_least: int = 0) -> tuple[Node, ...]:
    """Returns the items of a node that must be a list of at least so many items."""
    if not isinstance(node, Items):
        raise SpecError(f"{node.place}: {what} is {kind_of(node)} — it must be a list")
    if len(node.items) < at_least:
        problem = (
            f"has only {len(node.items)} item{'s' if len(node.items) > 1 else ''}" if node.items else "is an empty list"
        )
        raise SpecError(f"{node.place}: {what} {problem} — give at least {at_least}")
    return node.items


def text(node: Node, what: str) -> str:
    """Returns the text of a node that must be a scalar and not empty."""
    if not any_text(node, what):
        raise SpecError(f"{node.place}: {what} is empty — it must be text")
    return any_text(node, what)


def any_text(node: Node, what: str) -> str:
    """Returns the text of a node that must be a scalar."""
    if not isinstance(node, Text):
        raise SpecError(f"{node.place}: {what} is {kind_of(node)} — it must be text")
    return node.value


def texts(node: Node, what: str) -> tuple[str, ...]:
    """Returns the texts of a list; the list and the texts may be empty."""
    return tuple(any_text(item, f"an item of {what}") for item in items(node, what))


def text_bytes(node: Node, what: str) -> bytes:
    """Returns the bytes of a scalar; surrogate escapes become the bytes that they escape."""
    value = any_text(node, what)
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise SpecError(f"{node.place}: {what} is {as_found(value)} — it has an invalid character") from None


def drawn_values(node: Node) -> tuple[str, ...]:
    """Returns the values in a node that can be drawn: one text or a list of texts.

    A text such as `1..100` is a range, replaced by all its numbers.
    """
    values: list[str] = []
    entries = (node.value,) if isinstance(node, Text) and node.value else texts(node, "values")
    for value in entries:
        bounds = re.fullmatch(VALUE_RANGE, value)
        if bounds is None:
            values.append(value)
            continue
        first, last = int(bounds[1]), int(bounds[2])
        if not 0 < last - first < _MAX_VALUES:
            raise SpecError(
                f"{node.place}: values has {as_found(value)} — a range needs a larger second number, and has at most "
                f"{_MAX_VALUES:,} numbers"
            )
        values += map(str, range(first, last + 1))
    return tuple(values)


def integer(node: Node, what: str, low: int, high: int) -> int:
    """Returns the whole number in a node, which must be from `low` to `high`."""
    value = text(node, what)
    digits = value.removeprefix("-")
    significant_digits = digits.lstrip("0") or "0"
    # The length is checked before the value, since int() refuses a number of thousands of digits, even of zeros.
    if digits.isascii() and digits.isdigit() and len(significant_digits) < 20:
        number = -int(significant_digits) if value.startswith("-") else int(significant_digits)
        if low <= number <= high:
            return number
    raise SpecError(f"{node.place}: {what} is {as_found(value)} — it must be a whole number from {low} to {high}")


def check_pattern(pattern: str, place: str, what: str) -> str:
    """Returns the pattern unchanged; raises SpecError if it is no regular expression. `place` is its location."""
    try:
        re.compile(pattern)
    except re.error as error:
        raise SpecError(f"{place}: {what} is {as_found(pattern)} — it is no regular expression: {error}") from None
    return pattern


def choice(node: Node, what: str, choices: Mapping[str, _T]) -> _T:
    """Returns the value that `choices` has for the text of a node; raises SpecError for any other text."""
    value = text(node, what)
    if value not in choices:
        allowed = joined(list(choices), "or")
        raise SpecError(
            f"{node.place}: {what} is {as_found(value)} — it must be {allowed}{did_you_mean(value, choices)}"
        )
    return choices[value]


def kind_of(node: Node) -> str:
    """Returns a description of a node for a message: its quoted text, "empty", or its type, such as "a list"."""
    match node:
        case Text(value):
            return as_found(value) if value else "empty"
        case Items():
            return "a list"
        case Keyed():
            return "a mapping"


# Names

#: The maximum number of bytes of a name, far below the limit of Linux for a part of a path.
LONGEST_NAME = 200

#: The Unicode categories of characters that move a terminal's cursor or end a line, and the bidirectional classes of
#: characters that change the direction of writing. The invisible joiners in emoji and some scripts are in neither, so
#: they are allowed.
_CONTROL_CATEGORIES = {"Cc", "Cs", "Zl", "Zp"}
_DIRECTION_MARKS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def printable_text(node: Node, what: str) -> str:
    """Returns the text of a node if it can be displayed on one line of a terminal; raises SpecError otherwise."""
    return printable_name(node.place, text(node, what), what)


def printable_names(node: Node, what: str) -> Keyed:
    """Returns the mapping in a node; raises SpecError if one of its keys cannot be displayed on one line."""
    keyed = named_entries(node, what)
    for name, location in keyed.key_places.items():
        printable_name(location, name, f"a name under {what}")
    return keyed


def printable_name(place: str, name: str, what: str) -> str:
    """Returns the name unchanged; raises SpecError if it cannot be displayed on one line. `place` is its location."""
    reason = unprintable_reason(name)
    if reason:
        raise SpecError(f"{place}: {what} is {as_found(name)} — {reason}")
    return name


def unprintable_reason(name: str) -> str:
    r"""Returns why a name cannot be displayed, as the end of a sentence; an empty text if it can be displayed.

    >>> unprintable_reason("Zwölf \N{MAN}\u200d\N{WOMAN}"), unprintable_reason("a\x1b[2J")
    ('', "it must not have control characters such as '\\x1b'")
    """
    if len(name.splitlines()) > 1 or name != name.strip("\r\n"):
        return "it must be one line; to write it on several lines, begin with >-"
    for character in "" if name.isprintable() else name:
        if (
            unicodedata.category(character) in _CONTROL_CATEGORIES
            or unicodedata.bidirectional(character) in _DIRECTION_MARKS
        ):
            return f"it must not have control characters such as {character!r}"
    return ""


def file_name(node: Node, what: str) -> str:
    """Returns the text of a node as the name of a file; raises SpecError if no file can have this name."""
    return name_within_limit(node, text(node, what), what)


def name_within_limit(node: Node, name: str, what: str) -> str:
    r"""Returns the name unchanged; raises SpecError, with the location of `node`, if it is too long or contains \0."""
    if len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME or "\0" in name:
        raise SpecError(f"{node.place}: {what} is {as_found(name)} — it must be a name of at most {LONGEST_NAME} bytes")
    return name
