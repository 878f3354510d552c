"""Loads `requires` and `forbids`: the constructs that a program's sources must have, or must not have."""

from __future__ import annotations

import re
from fractions import Fraction

from pitboss.assignments import keys
from pitboss.assignments.names import printable_text
from pitboss.assignments.nodes import items, mapping, text
from pitboss.assignments.numbers import amount
from pitboss.assignments.yamlfile import Node, Text
from pitboss.errors import SpecError, as_found, did_you_mean
from pitboss.model.construct_rules import Requirement
from pitboss.model.languages import CONSTRUCTS
from pitboss.model.words import joined

_CALL = re.compile(rf"call ({keys.CALLEE})")


def requirements_in(entries: dict[str, Node]) -> tuple[Requirement, ...]:
    """Returns the requirements of a stage: first the required and then the forbidden constructs.

    `entries` are the keys of the stage with their nodes. Raises SpecError for an unknown construct.
    """
    return tuple(
        _requirement(node, key, is_forbidden=key == "forbids")
        for key in ("requires", "forbids")
        if key in entries
        for node in items(entries[key], key)
    )


def _requirement(node: Node, key: str, *, is_forbidden: bool) -> Requirement:
    """Returns the requirement in an item of `requires` or `forbids`: only a construct, or a mapping with more keys."""
    entries: dict[str, Node] = {"construct": node}
    if not isinstance(node, Text):
        entries = mapping(node, keys.REQUIREMENT, f"an item of {key}")
    construct, called = _construct(entries["construct"], key)
    return Requirement(
        construct,
        called,
        is_forbidden,
        printable_text(entries["says"], "says") if "says" in entries else "",
        amount(entries["points"], "points") if "points" in entries else Fraction(0),
    )


def _construct(node: Node, key: str) -> tuple[str, str]:
    """Returns a construct and the name of the called function, which is empty if the construct is not `call NAME`."""
    value = text(node, f"an item of {key}")
    if match := _CALL.fullmatch(value):
        return "call", match[1]
    if value not in CONSTRUCTS:
        allowed = joined([*CONSTRUCTS, "call NAME"], "or")
        hint = did_you_mean(value, CONSTRUCTS)
        raise SpecError(f"{node.place}: an item of {key} is {as_found(value)} — it must be {allowed}{hint}")
    return value, ""
