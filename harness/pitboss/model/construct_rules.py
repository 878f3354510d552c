"""The constructs that a program's sources must have, or must not have. Data types only."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import msgspec


class Requirement(msgspec.Struct, frozen=True):
    """A construct that a program's sources must have, or must not have."""

    #: The name of a construct in `model.languages`.
    construct: str
    #: The name of the called function, if the construct is a call.
    called: str = ""
    is_forbidden: bool = False
    #: The course's own sentence about the requirement; may be empty.
    says: str = ""
    #: The points deducted if the requirement is not met; 0 if an unmet requirement is only reported.
    points: Fraction = Fraction(0)


class UnmetRequirement(msgspec.Struct, frozen=True):
    """An unmet requirement on the sources of a program, or a requirement that could not be checked."""

    construct: str
    #: The name of the called function, if the construct is a call.
    called: str = ""
    is_forbidden: bool = False
    #: The course's own sentence about the requirement; may be empty.
    says: str = ""
    #: The points deducted because the requirement is not met.
    points: Decimal = Decimal(0)
    #: The file of the first forbidden construct; empty if no forbidden construct was found.
    file: str = ""
    #: The line of the first forbidden construct in that file, from 1; 0 if no forbidden construct was found.
    line: int = 0
    #: The number of forbidden constructs that were found.
    count: int = 0
    #: Why the requirement could not be checked, as a clause; empty if it was checked and is not met.
    why_not_searched: str = msgspec.field(default="", name="unseen")
