"""What a course asks of the sources of a program: constructs that they must have, or must not. Values."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import msgspec


class Requirement(msgspec.Struct, frozen=True):
    """A construct that a program's sources must have, or must not."""

    #: A construct of `model.languages`, or the name of the function in `call NAME`.
    construct: str
    called: str = ""
    is_forbidden: bool = False
    #: What the course says of it, as a sentence; may be empty.
    says: str = ""
    #: What is taken off where it is not met; 0 if it is only said.
    points: Fraction = Fraction(0)


class Broken(msgspec.Struct, frozen=True):
    """A requirement on the sources of a program that is not met, or of which that could not be seen."""

    construct: str
    #: The function whose call is meant, where the construct is a call.
    called: str = ""
    is_forbidden: bool = False
    #: What the course says of it.
    says: str = ""
    #: What is taken off for it.
    points: Decimal = Decimal(0)
    #: Where a forbidden construct is first: a file, and its line from 1; and how many there are.
    file: str = ""
    line: int = 0
    count: int = 0
    #: Why it could not be seen, as a clause; empty if it is not met.
    unseen: str = ""

    def at(self, file: str, line: int, count: int) -> Broken:
        """The same, with where it is."""
        return msgspec.structs.replace(self, file=file, line=line, count=count)

    def unseen_because(self, reason: str) -> Broken:
        """The same, of which nobody knows whether it is met."""
        return msgspec.structs.replace(self, unseen=reason)
