"""A job: what is checked, under which conditions."""

from __future__ import annotations

import msgspec

from harness.assignments.assignment import Assignment, Stage
from harness.running.drivers import Conditions


class Job(msgspec.Struct, frozen=True):
    """What is checked, and how."""

    assignment: Assignment
    stages: tuple[Stage, ...]
    conditions: Conditions
    #: The assignment's name on the command line, for the commands that reports name.
    called: str
    #: Only these cases, by name; all if empty.
    only: tuple[str, ...] = ()
    #: Whether a stage is run even if one that it needs failed.
    runs_all: bool = False
    #: Whether programs that are accepted are looked at for misuse of memory; it takes another build.
    remarks_on_memory: bool = False
