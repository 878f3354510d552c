"""The context of a session: the properties of its launcher."""

from __future__ import annotations

from typing import NamedTuple

from pitboss.machine.processes import Orphanage
from pitboss.sessions.determinism import SeededEnvironment
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing.draws import RandomBytes


class LauncherContext(NamedTuple):
    """The values that a session needs from the launcher that starts its program."""

    #: The orphanage in which orphans of the launcher's programs appear.
    orphanage: Orphanage
    #: The mark that identifies all processes of the launcher's programs: see limits.set_limits.
    mark: int
    #: The seeded environment in which the launcher's programs run.
    environment: SeededEnvironment
    #: Answers the calls by which these programs request random bytes.
    draws: RandomBytes
    #: The id of the user that the launcher's programs run as; None for our user.
    user_id: int | None = None
    #: The launcher's program; may be None if its sessions need nothing but a terminal.
    program: Program | None = None
