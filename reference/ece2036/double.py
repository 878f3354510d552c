"""The stage `double`."""

from __future__ import annotations

from reference.console import Console
from reference.ece2036 import game
from reference.ece2036.features import rules_of
from reference.ece2036.rules import Rules
from reference.reading import Draw

_RULES = rules_of("double")


def main(console: Console, draw: Draw | None = None, rules: Rules = _RULES) -> int:
    """Run the program and return its exit code."""
    return game.main(console, draw, rules)
