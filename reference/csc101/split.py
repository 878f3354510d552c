"""The stage `split`: the program with this one feature."""

from __future__ import annotations

from reference.console import Console
from reference.csc101 import game
from reference.csc101.features import rules_of
from reference.csc101.rules import Rules
from reference.reading import Draw

_RULES = rules_of("split")


def main(console: Console, draw: Draw | None = None, rules: Rules = _RULES) -> int:
    """Run the program and return its exit code."""
    return game.main(console, draw, rules)
