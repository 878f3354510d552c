"""Texts of programs in the Markdown of a handout, unchanged even if they contain markup."""

from __future__ import annotations

import re
from collections.abc import Sequence

#: Replaces a blank at the end of a text, where it would be invisible.
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


def listed(words: Sequence[str], joint: str = "and") -> str:
    """The words as a list in a sentence.

    >>> listed(["a", "b", "c"], "or")
    'a, b or c'
    """
    return f"{', '.join(words[:-1])} {joint} {words[-1]}" if len(words) > 1 else "".join(words)
