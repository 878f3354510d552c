"""Loads an assignment's `draws`: all values that can be drawn, the size of the bag, and the lowest probability."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import msgspec

from pitboss.assignments import keys
from pitboss.assignments.assignment import Draws
from pitboss.assignments.nodes import drawn_values, integer, mapping, text, texts
from pitboss.assignments.numbers import share
from pitboss.assignments.yamlfile import Node
from pitboss.errors import SpecError, as_found


def draws_in(node: Node) -> Draws:
    """Returns the draws of a `draws:` node.

    Raises SpecError if there are fewer than two values, a value is repeated, `rarest` or `called` is impossible.
    """
    entries = mapping(node, keys.DRAWS, "draws")
    values = drawn_values(entries["values"])
    location = entries["values"].place
    repeated = [value for value, count in Counter(values).items() if count > 1]
    if repeated:
        raise SpecError(f"{location}: values lists {as_found(repeated[0])} twice — list each value once")
    if len(values) < 2:
        count_text = "1 value" if values else "0 values"
        raise SpecError(f"{location}: values has only {count_text} — give at least two")
    bag = integer(entries["bag"], "bag", 1, len(values)) if "bag" in entries else 0
    draws = Draws(values, bag, _rarest(entries["rarest"], len(values), bag) if "rarest" in entries else None)
    if "called" not in entries:
        return draws
    if len(nouns := texts(entries["called"], "called")) != len(draws.nouns):
        raise SpecError(f"{entries['called'].place}: called has three nouns: for a value, a bag and a round")
    return msgspec.structs.replace(draws, nouns=nouns)


def _rarest(node: Node, count: int, bag: int) -> Fraction:
    """Returns the probability of the rarest of `count` values; raises SpecError if there is a bag."""
    if bag:
        raise SpecError(
            f"{node.place}: rarest cannot be combined with bag: all values drawn from a bag are equally likely"
        )
    rarest = share(node, "rarest")
    if not 0 < rarest <= Fraction(1, count):
        raise SpecError(
            f"{node.place}: rarest is {as_found(text(node, 'rarest'))} — with {count} values the rarest has a "
            f"probability above 0% and at most {100 / count:.4g}%, the probability of each if all are equally likely"
        )
    return rarest
