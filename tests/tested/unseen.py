"""Reads unseen.yaml: the mutants whose effect no test can see, each with the reason."""

from __future__ import annotations

import functools
from pathlib import Path

import yaml

LISTED = Path(__file__).parent / "unseen.yaml"


@functools.cache
def unseen_reasons() -> dict[str, dict[str, str]]:
    """By file, and then by change, written as `before → after`: why no test can see the change."""
    return yaml.safe_load(LISTED.read_text()) or {}


def is_unseen(file: str, change: str) -> bool:
    """Whether unseen.yaml lists a change of a file, given as `before → after`."""
    return change in unseen_reasons().get(file, {})
