"""What a text says, as a person compares two: so that no free text is taken for another that means something else."""

from __future__ import annotations

import functools
import re

from pitboss.model.free_texts import put_in
from pitboss.model.policy import Policy
from pitboss.model.transcript import Event, Shown


@functools.lru_cache(maxsize=65_536)
def meaning_of(text: bytes) -> str:
    """A text as a person compares what it says: its words in small letters; the text itself if it has none."""
    shown = text.decode("utf-8", "replace")
    return " ".join(re.findall(r"\w+", shown.casefold())) or shown.strip()


def meanings_in(expected: tuple[Event, ...], policy: Policy) -> frozenset[str]:
    """What the lines of a session of the reference say, without its free texts."""
    rest = put_in(expected, policy.free, {one.name: None for one in policy.free})
    shown = b"".join(event.text if isinstance(event, Shown) else b"\n" for event in rest)
    return frozenset(meaning_of(line) for line in set(shown.split(b"\n")) if line.strip())
