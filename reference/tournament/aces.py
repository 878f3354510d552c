"""Stage 3: blackjacks as in stage 2, and an ace counts 11 or 1."""

from __future__ import annotations

from typing import Any

from reference.console import Console
from reference.reading import Draw
from reference.tournament import game
from reference.tournament.rules import ACES, Rules


def main(console: Console, draw: Draw | None = None, rules: Rules = ACES, **setting: Any) -> int:
    """Run the program and return its exit code; `setting` overrides rules."""
    return game.main(console, draw, rules, **setting)
