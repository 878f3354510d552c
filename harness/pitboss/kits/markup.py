"""Puts texts of programs into the Markdown of a handout, so that markup in them is shown literally."""

from __future__ import annotations

import re
from collections.abc import Sequence

#: The visible character that replaces a blank at the end of a text.
BLANK = "␣"


def code_span(text: str) -> str:
    """A one-line text as inline code, with the blanks at its end made visible.

    >>> code_span("Seed: ")
    '`Seed:␣`'
    >>> code_span("a `b`")
    '`` a `b` ``'
    """
    visible = text.rstrip(" ")
    visible += BLANK * (len(text) - len(visible))
    fence = "`" * (_longest_run(visible) + 1)
    return f"{fence} {visible} {fence}" if len(fence) > 1 else f"`{visible}`"


def fenced(text: str) -> str:
    """A text as a fenced code block."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}text\n{text}\n{fence}"


def _longest_run(text: str) -> int:
    """The length of the longest run of backquotes."""
    return max(map(len, re.findall("`+", text)), default=0)


def joined_in_sentence(words: Sequence[str], joint: str = "and") -> str:
    """The words as a list in a sentence.

    >>> joined_in_sentence(["a", "b", "c"], "or")
    'a, b or c'
    """
    return f"{', '.join(words[:-1])} {joint} {words[-1]}" if len(words) > 1 else "".join(words)
