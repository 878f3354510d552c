"""What a comparison lets pass: the policy that an instructor sets. Values."""

from __future__ import annotations

from typing import Literal

import msgspec

Strictness = Literal["exact", "ignored"]


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an instructor lets pass. Everything is exact unless it is named here."""

    pauses: Strictness = "exact"
    trailing_blanks: Strictness = "exact"
    blank_lines: Strictness = "exact"
    letter_case: Strictness = "exact"
    #: Groups of texts that may stand for one another; the first of each is the one shown. Where one is empty, the
    #: others may be left out as well.
    alternatives: tuple[tuple[str, ...], ...] = ()


EXACT = Policy()
