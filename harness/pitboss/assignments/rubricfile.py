"""A rubric: comments that a grader picks for a submission, each with the points that it adds or deducts."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import msgspec

from pitboss.assignments.keys import AMOUNT
from pitboss.assignments.nodes import Key, items, mapping, text
from pitboss.assignments.yamlfile import Node, read_yaml
from pitboss.errors import SpecError, as_found

#: The maximum number of items; they are listed beside each submission.
_MAX_ITEMS = 60
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_POINTS = re.compile(rf"[+-]?{AMOUNT}")
_KEYS = {
    "key": Key({}, "a word to pick it by", is_required=True),
    "text": Key({}, "what the student reads", is_required=True),
    "points": Key({}, "what it adds, or deducts with a minus (default: 0)"),
}


class RubricItem(msgspec.Struct, frozen=True):
    """A comment of a rubric."""

    key: str
    #: On one line.
    text: str
    #: Points as a text of an exact fraction.
    points: str = "0"


def read_rubric(path: Path) -> tuple[RubricItem, ...]:
    """Returns the items of a file: a list of key, text and points. SpecError, with file and line, for any mistake."""
    found: dict[str, RubricItem] = {}
    root = read_yaml(path)
    for node in items(root, "a rubric"):
        item, place = _item(node)
        if item.key in found:
            raise SpecError(f"{place}: the key {as_found(item.key)} stands twice — each item has its own")
        found[item.key] = item
    if not 0 < len(found) <= _MAX_ITEMS:
        raise SpecError(f"{root.place}: a rubric of {len(found)} items — it has from 1 to {_MAX_ITEMS}")
    return tuple(found.values())


def _item(node: Node) -> tuple[RubricItem, str]:
    given = mapping(node, _KEYS, "an item of a rubric")
    key, points = text(given["key"], "key"), text(given["points"], "points") if "points" in given else "0"
    if not _KEY.fullmatch(key):
        right = "a word of at most 40 letters, digits, _ and -, which begins with a letter"
        raise SpecError(f"{given['key'].place}: key is {as_found(key)} — it is {right}")
    if not _POINTS.fullmatch(points):
        raise SpecError(f"{given['points'].place}: points is {as_found(points)} — it is a number such as -5, 2 or 0.5")
    words = " ".join(text(given["text"], "text").split())
    if not words:
        raise SpecError(f"{given['text'].place}: text is empty — it is what the student reads")
    return RubricItem(key, words, str(Fraction(points))), given["key"].place
