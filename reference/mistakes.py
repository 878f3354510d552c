"""What a wrong reference is: the right one with one thing changed.

What is said of it stands in the assignment's mistakes.yaml, under its id.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple


class Mistake(NamedTuple):
    """One mistake that students make."""

    #: Small letters, digits and hyphens.
    id: str
    #: For each stage that can have it, the wrong program: called just as the right one is.
    mains: Mapping[str, Callable[..., int]]
