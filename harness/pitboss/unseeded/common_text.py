"""The common beginning and end of several lines, with … between: what can be said of a line whose draws are unknown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile


def open_text(lines: Sequence[bytes]) -> bytes:
    """Returns what several lines have in common at their beginnings and ends, in whole words, with … in between.

    >>> open_text([b"You rolled 3: 13 points.", b"You rolled 3: 16 points."]).decode()
    'You rolled 3: … points.'
    """
    texts = [line.decode("utf-8", "replace") for line in lines]
    start = re.sub(r"\w+$", "", _common_start(texts))
    end = re.sub(r"^\w+", "", _common_start([text[len(start) :][::-1] for text in texts])[::-1])
    return f"{start}…{end}".encode()


def _common_start(texts: Sequence[str]) -> str:
    pairs = zip(min(texts), max(texts), strict=False)
    return "".join(character for character, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
