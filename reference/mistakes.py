"""Mistakes: wrong variants of a reference, each with one thing changed.

The title and hint of a mistake are in the assignment's mistakes.yaml, under the mistake's id.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple


class Mistake(NamedTuple):
    """One mistake that students make."""

    #: The name in mistakes.yaml: lower-case letters, digits and hyphens.
    id: str
    #: The wrong program of each stage that can have the mistake, called with the arguments of the right program.
    mains: Mapping[str, Callable[..., int]]
