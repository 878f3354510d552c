"""The constructs that a program's sources must have, or must not have. Values."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import msgspec


class Requirement(msgspec.Struct, frozen=True):
    """A construct that a program's sources must have, or must not have."""

    #: A construct of `model.languages`, or the name of the function in `call NAME`.
    construct: str
    called: str = ""
    is_forbidden: bool = False
    #: The course's own sentence about it; may be empty.
    says: str = ""
    #: The points deducted if it is not met; 0 if it is only reported.
    points: Fraction = Fraction(0)


class Broken(msgspec.Struct, frozen=True):
    """A requirement on the sources of a program that is not met, or that could not be checked."""

    construct: str
    #: The called function, if the construct is a call.
    called: str = ""
    is_forbidden: bool = False
    #: The course's own sentence about it.
    says: str = ""
    #: The points deducted for it.
    points: Decimal = Decimal(0)
    #: The file and line (from 1) of the first forbidden construct, and the number of forbidden constructs.
    file: str = ""
    line: int = 0
    count: int = 0
    #: Why it could not be checked, as a clause; empty if it was checked and is not met.
    unseen: str = ""

    def with_location(self, file: str, line: int, count: int) -> Broken:
        """Return a copy with this location of the first forbidden construct, and their number."""
        return msgspec.structs.replace(self, file=file, line=line, count=count)

    def unseen_because(self, reason: str) -> Broken:
        """Return a copy for a requirement that could not be checked, for this reason."""
        return msgspec.structs.replace(self, unseen=reason)
