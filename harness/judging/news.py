"""What is told while a submission is checked, as values: see machine/news.py."""

from __future__ import annotations

from enum import Enum

import msgspec

from harness.judging.results import Result, StageReport


class Work(Enum):
    """What is being done with a stage."""

    COMPILING = "compiling"
    RUNNING = "sessions"
    NAMING = "naming the mistake"
    CHECKING_MEMORY = "looking for misuse of memory"
    SHRINKING = "looking for a smaller one"


class Begun(msgspec.Struct, frozen=True):
    """Some work on a stage has begun."""

    work: Work
    stage: str


class Failed(msgspec.Struct, frozen=True):
    """A session has failed, and nothing that becomes known later changes that."""

    result: Result


class Judged(msgspec.Struct, frozen=True):
    """All sessions of a stage are judged; names of mistakes and remarks may follow."""

    report: StageReport
