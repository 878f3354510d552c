"""Mutants that no test can see, with the reason: unseen.yaml."""

from __future__ import annotations

import functools
from pathlib import Path

import yaml

LISTED = Path(__file__).parent / "unseen.yaml"


@functools.cache
def listed() -> dict[str, dict[str, str]]:
    """By file, the reason for each change."""
    return yaml.safe_load(LISTED.read_text()) or {}


def is_unseen(file: str, words: str) -> bool:
    """Whether a change of a file, as `before → after`, is listed."""
    return words in listed().get(file, {})
