"""Stage 3: aces count 11 or 1."""

from __future__ import annotations

from reference.console import Console
from reference.reading import Draw
from reference.tournament import game
from reference.tournament.rules import ACES, Rules


def main(console: Console, draw: Draw | None = None, rules: Rules = ACES) -> int:
    """Run the program and return its exit code."""
    return game.main(console, draw, rules)
