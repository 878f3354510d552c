"""The common beginning and end of several lines, with … between them: what is certain in a line with unknown draws."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile


def common_start_and_end(lines: Sequence[bytes]) -> bytes:
    """Returns what several lines have in common at their beginnings and ends, in whole words, with … in between.

    >>> common_start_and_end([b"You rolled 3: 13 points.", b"You rolled 3: 16 points."]).decode()
    'You rolled 3: … points.'
    """
    texts = [line.decode("utf-8", "replace") for line in lines]
    # A word that the lines have in common only in part is left out.
    start = re.sub(r"\w+$", "", _common_start(texts))
    end = re.sub(r"^\w+", "", _common_start([text[len(start) :][::-1] for text in texts])[::-1])
    return f"{start}…{end}".encode()


def _common_start(texts: Sequence[str]) -> str:
    """The longest common prefix. It is that of the first and the last text in sorted order: those differ earliest."""
    pairs = zip(min(texts), max(texts), strict=False)
    return "".join(character for character, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
