"""Reads YAML nodes as values of an expected type; each mistake is a SpecError with location, value and remedy.

The parameter `what` names the value in the message: "limits", "an item of sources".
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import NamedTuple, TypeVar

from pitboss.assignments.yamlfile import Items, Keyed, Node, Text
from pitboss.errors import OldKeyWarning, SpecError, as_found, did_you_mean
from pitboss.model.words import joined


class Key(NamedTuple):
    """A key that a mapping in a YAML file may have."""

    #: The JSON Schema of the key's value.
    schema: Mapping[str, object]
    #: A description of the key's value, for messages and the documentation.
    meaning: str
    is_required: bool = False
    #: The old name of the key, which is accepted with a warning for one version; empty for a key without an old name.
    former_name: str = ""


#: The keys that a mapping may have, by name.
Keys = Mapping[str, Key]
#: A regular expression for a range of whole numbers, such as 1..100.
VALUE_RANGE = r"(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})"
#: The maximum number of values in one range.
_MAX_VALUES = 10_000
_T = TypeVar("_T")


def mapping(node: Node, keys: Keys, what: str) -> dict[str, Node]:
    """Returns the entries of a mapping, with old key names replaced by the current names.

    Raises SpecError if the mapping has a key that is not in `keys`, or lacks a required key.
    """
    if not isinstance(node, Keyed):
        raise SpecError(f"{node.place}: {what} is {kind_of(node)} — it must be a mapping with {', '.join(keys)}")
    new_names = _new_names(keys)
    for name, location in node.key_places.items():
        if name in new_names:
            if new_names[name] in node.entries:
                raise SpecError(
                    f"{location}: {what} has {name} and {new_names[name]}, which is the new name of the same key"
                )
            warnings.warn(OldKeyWarning(f"{location}: {name} is called {new_names[name]} now"), stacklevel=2)
        elif name not in keys:
            raise SpecError(
                f"{location}: {what} has no key {as_found(name)} — allowed are {', '.join(keys)}"
                f"{did_you_mean(name, keys)}"
            )
    for name, key in keys.items():
        if key.is_required and name not in node.entries and key.former_name not in node.entries:
            raise SpecError(f"{node.place}: {what} lacks the key {as_found(name)}: {key.meaning}")
    return by_new_names(node, keys)


def by_new_names(node: Keyed, keys: Keys) -> dict[str, Node]:
    """Returns the entries of a mapping with old key names replaced by the current names; it does not check the keys."""
    new_names = _new_names(keys)
    return {new_names.get(name, name): entry for name, entry in node.entries.items()}


def _new_names(keys: Keys) -> dict[str, str]:
    """Returns the current name of each key that has an old name, by the old name."""
    return {key.former_name: name for name, key in keys.items() if key.former_name}


def named_entries(node: Node, what: str) -> Keyed:
    """Returns the node as a mapping whose keys may be any names."""
    if not isinstance(node, Keyed):
        raise SpecError(f"{node.place}: {what} is {kind_of(node)} — it must be a mapping with names as keys")
    return node


def items(node: Node, what: str) -> tuple[Node, ...]:
    """Returns the items of a node that must be a list."""
    if not isinstance(node, Items):
        raise SpecError(f"{node.place}: {what} is {kind_of(node)} — it must be a list")
    return node.items


def text(node: Node, what: str) -> str:
    """Returns the text of a node that must be a scalar and not empty."""
    if not isinstance(node, Text):
        raise SpecError(f"{node.place}: {what} is {kind_of(node)} — it must be text")
    if not node.value:
        raise SpecError(f"{node.place}: {what} is empty — it must be text")
    return node.value


def texts(node: Node, what: str) -> tuple[str, ...]:
    """Returns the texts of a list; the list and the texts may be empty."""
    values = []
    for item in items(node, what):
        if not isinstance(item, Text):
            raise SpecError(f"{item.place}: an item of {what} is {kind_of(item)} — it must be text")
        values.append(item.value)
    return tuple(values)


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


def choice(node: Node, what: str, choices: Mapping[str, _T], old_names: Mapping[str, str] | None = None) -> _T:
    """Returns the value that `choices` has for the text of a node; raises SpecError for any other text.

    `old_names` has the current text for each old text. An old text is accepted with a warning.
    """
    value = text(node, what)
    if old_names and value in old_names:
        warnings.warn(OldKeyWarning(f"{node.place}: {what}: {value} is called {old_names[value]} now"), stacklevel=2)
        value = old_names[value]
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
