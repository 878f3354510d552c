"""The stage `split`: the program with splitting as its only feature."""

from __future__ import annotations

from typing import Any

from reference.console import Console
from reference.csc101 import game
from reference.csc101.rules import Rules
from reference.reading import Draw

RULES = Rules(split=True)


def main(console: Console, draw: Draw | None = None, rules: Rules = RULES, **setting: Any) -> int:
    """Run the program and return its exit code; `setting` overrides fields of the rules."""
    return game.main(console, draw, rules, **setting)
