"""Lists of words, and counts, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence


def joined(words: Sequence[str], conjunction: str = "and") -> str:
    """The words as a list in a sentence; empty without words.

    >>> joined(["a"]), joined(["a", "b", "c"], "or")
    ('a', 'a, b or c')
    """
    return f" {conjunction} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "case"), counted(1000, "case")
    ('1 case', '1,000 cases')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def shortlist(names: Sequence[str], most: int = 5) -> str:
    """The first `most` names as a list in a sentence, with the number of further names.

    >>> shortlist(["a", "b", "c"]), shortlist(["a", "b", "c"], 1)
    ('a, b and c', 'a and 2 more')
    """
    return joined(names if len(names) <= most else [*names[:most], f"{len(names) - most} more"])
