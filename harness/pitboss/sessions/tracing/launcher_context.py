"""The context of a session: the properties of its launcher."""

from __future__ import annotations

from typing import NamedTuple

from pitboss.sandbox.processes import Orphanage
from pitboss.sessions.determinism import SeededEnvironment
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing.draws import RandomBytes


class LauncherContext(NamedTuple):
    """The values that a session needs from the launcher that starts its program."""

    #: The orphanage in which orphans of its programs appear.
    orphanage: Orphanage
    #: The mark of its programs: see rlimits.set_limits.
    mark: int
    #: The seeded environments of its programs, and the random bytes for programs that stop to get them.
    environment: SeededEnvironment
    draws: RandomBytes
    #: The user that its programs run as; None for our user.
    user_id: int | None = None
    #: Whether the program reserves much more address space than the memory it uses.
    reserves_memory: bool = False
    #: The program, for sessions that need more than a terminal; None if no session does.
    program: Program | None = None
