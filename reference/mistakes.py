"""Wrong references: each is the right one with one thing changed.

The words on a mistake are in the assignment's mistakes.yaml, under its id.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple


class Mistake(NamedTuple):
    """One mistake that students make."""

    #: Lower-case letters, digits and hyphens.
    id: str
    #: The wrong program of each stage that can have it, called like the right one.
    mains: Mapping[str, Callable[..., int]]
