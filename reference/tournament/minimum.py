"""Stage 1: the minimum requirements; an ace counts 11."""

from __future__ import annotations

from typing import Any

from reference.console import Console
from reference.reading import Draw
from reference.tournament import game
from reference.tournament.rules import MINIMUM, Rules


def main(console: Console, draw: Draw | None = None, rules: Rules = MINIMUM, **setting: Any) -> int:
    """Run the program and return its exit code; `setting` overrides rules."""
    return game.main(console, draw, rules, **setting)
