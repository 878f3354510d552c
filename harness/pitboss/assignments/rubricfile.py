"""Loads a rubric: comments that a grader picks for a submission, each with the points that it adds or deducts."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import msgspec

from pitboss.assignments.keys import AMOUNT
from pitboss.assignments.nodes import Key, items, mapping, text
from pitboss.assignments.yamlfile import Node, read_yaml
from pitboss.errors import SpecError, as_found

#: The maximum number of items of a rubric: all are displayed beside each submission.
_MAX_ITEMS = 60
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_POINTS = re.compile(rf"[+-]?{AMOUNT}")
_ITEM_KEYS = {
    "key": Key({}, "a short name by which a grader picks the item", is_required=True),
    "text": Key({}, "the comment for the student", is_required=True),
    "points": Key({}, "the points that the item adds, or deducts with a minus (default: 0)"),
}


class RubricItem(msgspec.Struct, frozen=True):
    """A comment of a rubric, with its points."""

    #: A short name by which a grader picks the comment.
    key: str
    #: The comment for the student, on one line.
    text: str
    #: The points that the item adds, or deducts if negative, as the text of a Fraction: "2", "-1/2".
    points: str = "0"


def read_rubric(path: Path) -> tuple[RubricItem, ...]:
    """Returns the items of a rubric file, which is a list of mappings with key, text and points.

    Raises SpecError, with file and line, for any mistake.
    """
    rubric_items: dict[str, RubricItem] = {}
    root = read_yaml(path)
    for node in items(root, "a rubric"):
        item, location = _item_and_location(node)
        if item.key in rubric_items:
            raise SpecError(f"{location}: the key {as_found(item.key)} is used twice — each item needs its own key")
        rubric_items[item.key] = item
    if not 0 < len(rubric_items) <= _MAX_ITEMS:
        raise SpecError(f"{root.place}: the rubric has {len(rubric_items)} items — it must have from 1 to {_MAX_ITEMS}")
    return tuple(rubric_items.values())


def _item_and_location(node: Node) -> tuple[RubricItem, str]:
    """Returns an item, and the location of its key as file:line."""
    entries = mapping(node, _ITEM_KEYS, "an item of a rubric")
    key = text(entries["key"], "key")
    points = text(entries["points"], "points") if "points" in entries else "0"
    if not _KEY.fullmatch(key):
        expected_form = "a word of at most 40 letters, digits, _ and -, which begins with a letter"
        raise SpecError(f"{entries['key'].place}: key is {as_found(key)} — it must be {expected_form}")
    if not _POINTS.fullmatch(points):
        raise SpecError(
            f"{entries['points'].place}: points is {as_found(points)} — it must be a number such as -5, 2 or 0.5"
        )
    comment = " ".join(text(entries["text"], "text").split())
    if not comment:
        raise SpecError(f"{entries['text'].place}: text is empty — give the comment for the student")
    return RubricItem(key, comment, str(Fraction(points))), entries["key"].place
