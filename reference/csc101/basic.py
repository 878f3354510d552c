"""The stage `basic`: the program without any of the optional features."""

from __future__ import annotations

from typing import Any

from reference.console import Console
from reference.csc101 import game
from reference.csc101.rules import RULES, Rules
from reference.reading import Draw


def main(console: Console, draw: Draw | None = None, rules: Rules = RULES, **setting: Any) -> int:
    """Run the program under rules changed by a setting, and return its exit code."""
    return game.main(console, draw, rules, **setting)
