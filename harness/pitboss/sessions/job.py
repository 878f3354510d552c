"""A job: the stages to check, and the conditions of their sessions."""

from __future__ import annotations

import msgspec

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.sessions.drivers import Conditions


class Job(msgspec.Struct, frozen=True):
    """The stages to check, and how to check them."""

    assignment: Assignment
    stages: tuple[Stage, ...]
    conditions: Conditions
    #: The assignment as the user named it on the command line, for the commands in reports.
    called: str
    #: The names of the cases to run; all cases if empty.
    only: tuple[str, ...] = ()
    #: Whether to run a stage even if a stage that it needs has failed.
    runs_all: bool = False
    #: Whether to check accepted programs for misuse of memory. This requires another build of each program.
    remarks_on_memory: bool = False

    @property
    def has_hidden(self) -> bool:
        """Whether the stages to check have cases that are not public."""
        return any(case.visibility != "public" for stage in self.stages for case in stage.spec.cases)

    @property
    def unchecked_stages(self) -> tuple[str, ...]:
        """The names of the assignment's stages that are not checked."""
        selected = {stage.name for stage in self.stages}
        return tuple(stage.name for stage in self.assignment.stages if stage.name not in selected)
