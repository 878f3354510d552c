"""The mistakes that students of BJM0 make, each as a program that makes it."""

from __future__ import annotations

from reference.mistakes import Mistake


def catalogue() -> tuple[Mistake, ...]:
    """All of them."""
    return ()
