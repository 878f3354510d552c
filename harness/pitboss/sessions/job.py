"""A job: what is checked, under which conditions."""

from __future__ import annotations

import msgspec

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.sessions.drivers import Conditions


class Job(msgspec.Struct, frozen=True):
    """What is checked, and how."""

    assignment: Assignment
    stages: tuple[Stage, ...]
    conditions: Conditions
    #: The assignment's name on the command line, for the commands that reports name.
    called: str
    #: The cases to run, by name; all if empty.
    only: tuple[str, ...] = ()
    #: Whether a stage is run even if a stage that it needs has failed.
    runs_all: bool = False
    #: Whether accepted programs are checked for misuse of memory, which takes another build.
    remarks_on_memory: bool = False

    @property
    def has_hidden(self) -> bool:
        """Whether some cases of the stages that are checked are not public."""
        return any(case.visibility != "public" for stage in self.stages for case in stage.spec.cases)

    @property
    def unasked(self) -> tuple[str, ...]:
        """The names of the assignment's stages that are not to be checked."""
        asked = {stage.name for stage in self.stages}
        return tuple(stage.name for stage in self.assignment.stages if stage.name not in asked)
