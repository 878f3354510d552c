"""The stage `double`: the program with doubling."""

from __future__ import annotations

from typing import Any

from reference.console import Console
from reference.ece2036 import game
from reference.ece2036.rules import Rules
from reference.reading import Draw

RULES = Rules(has_double=True)


def main(console: Console, draw: Draw | None = None, rules: Rules = RULES, **setting: Any) -> int:
    """Run the program and return its exit code; `setting` overrides fields of the rules."""
    return game.main(console, draw, rules, **setting)
