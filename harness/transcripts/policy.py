"""The comparison policy that an instructor sets: which differences are accepted. Values."""

from __future__ import annotations

from typing import Literal

import msgspec

Strictness = Literal["exact", "ignored"]


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which differences an instructor accepts; everything else is compared exactly."""

    pauses: Strictness = "exact"
    trailing_blanks: Strictness = "exact"
    blank_lines: Strictness = "exact"
    letter_case: Strictness = "exact"
    #: Groups of interchangeable texts; the first of each group is the one shown. If a group has an empty text, the
    #: others may also be left out.
    alternatives: tuple[tuple[str, ...], ...] = ()
    #: Regular expressions: lines in which one of them is found are left out on both sides.
    not_judged: tuple[str, ...] = ()
    #: Regular expressions: an expected line in which one of them is found stands for any one line.
    any_line: tuple[str, ...] = ()
    #: A regular expression: what is shown before the first line in which it is found is left out on both sides.
    begins: str = ""


EXACT = Policy()
