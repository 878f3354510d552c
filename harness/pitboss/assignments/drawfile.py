"""Loads an assignment's `draws`: all values that can be drawn, and how often."""

from __future__ import annotations

from fractions import Fraction

from pitboss.assignments import keys
from pitboss.assignments.assignment import Draws
from pitboss.assignments.nodes import drawn_values, integer, mapping, text
from pitboss.assignments.numbers import share
from pitboss.assignments.yamlfile import Node
from pitboss.errors import SpecError, as_found


def draws_in(node: Node) -> Draws:
    """Read `draws`; SpecError for fewer than two values or repeated ones, and for an impossible `rarest`."""
    entries = mapping(node, keys.DRAWS, "draws")
    values = drawn_values(entries["values"])
    if len(set(values)) < 2 or len(set(values)) < len(values):
        raise SpecError(
            f"{entries['values'].place}: values has {len(values)} texts — it must have two or more, each once"
        )
    bag = integer(entries["bag"], "bag", 1, len(values)) if "bag" in entries else 0
    return Draws(values, bag, _rarest(entries["rarest"], len(values), bag) if "rarest" in entries else None)


def _rarest(node: Node, count: int, bag: int) -> Fraction:
    if bag:
        raise SpecError(f"{node.place}: rarest is given beside bag — what comes from a bag is all equally likely")
    rarest = share(node, "rarest")
    if not 0 < rarest <= Fraction(1, count):
        raise SpecError(
            f"{node.place}: rarest is {as_found(text(node, 'rarest'))} — of {count} values the rarest comes with a "
            f"chance above 0% and of {100 / count:.4g}% at most, which each has where they are equally likely"
        )
    return rarest
