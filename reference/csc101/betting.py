"""The stage `betting`: the program with `betting` as its only optional feature."""

from __future__ import annotations

from typing import Any

from reference.console import Console
from reference.csc101 import game
from reference.csc101.rules import Rules
from reference.reading import Draw

RULES = Rules(betting=True)


def main(console: Console, draw: Draw | None = None, rules: Rules = RULES, **setting: Any) -> int:
    """Run the program under rules changed by a setting, and return its exit code."""
    return game.main(console, draw, rules, **setting)
