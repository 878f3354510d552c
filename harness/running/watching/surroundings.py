"""What a session must know of the launcher that starts its program. Values only."""

from __future__ import annotations

from typing import NamedTuple

from harness.machine.processes import Orphanage
from harness.running.clock import Clock


class Surroundings(NamedTuple):
    """What a session must know of the launcher that starts its program."""

    #: Where its orphans go.
    orphanage: Orphanage
    #: What they are known by: see rlimits.set_limits.
    mark: int
    #: The user its programs run as; None for ours.
    user_id: int | None = None
    #: Whether its address space says nothing of the memory it uses.
    reserves_memory: bool = False
    #: The clock that its programs see; None for the machine's.
    clock: Clock | None = None
