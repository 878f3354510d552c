"""Stage 2: a blackjack wins at once, and beats every other hand."""

from __future__ import annotations

from typing import Any

from reference.console import Console
from reference.reading import Draw
from reference.tournament import game
from reference.tournament.rules import BLACKJACK, Rules


def main(console: Console, draw: Draw | None = None, rules: Rules = BLACKJACK, **setting: Any) -> int:
    """Run the program and return its exit code; `setting` overrides rules."""
    return game.main(console, draw, rules, **setting)
