"""Reads unseen.yaml: the mutants that no test can see, each with the reason."""

from __future__ import annotations

import functools
from pathlib import Path

import yaml

LISTED = Path(__file__).parent / "unseen.yaml"


@functools.cache
def unseen_reasons() -> dict[str, dict[str, str]]:
    """For each file, the reason of each listed change."""
    return yaml.safe_load(LISTED.read_text()) or {}


def is_unseen(file: str, words: str) -> bool:
    """Whether unseen.yaml lists a change of a file, given as `before → after`."""
    return words in unseen_reasons().get(file, {})
