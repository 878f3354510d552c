"""The sessions of a stage's cases, each with a unique name. Values."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from harness.assignments.assignment import Case, Generated, Recorded, Stage
from harness.assignments.nodes import near
from harness.errors import UsageError, as_found


class Session(msgspec.Struct, frozen=True):
    """One session to run: a recorded case, or a generated case with one of its seeds."""

    stage: Stage
    case: Case
    seed: int | None = None
    #: Its number among several sessions without a seed, from 1; 0 if it is the only one, or has a seed.
    number: int = 0

    @property
    def name(self) -> str:
        """A name that is unique within the stage."""
        if self.number:
            return f"{self.case.name}, session {self.number}"
        return self.case.name if self.seed is None else f"{self.case.name}, seed {self.seed}"


def sessions_of(stage: Stage, only: tuple[str, ...] = ()) -> list[Session]:
    """All sessions of a stage in the order of its cases, or only those of the cases or sessions in `only`.

    If draws are read back, recorded sessions are left out: they cannot be run again, and only `pitboss verify` uses
    them.

    Raises UsageError for a name that no case or session has.
    """
    sessions = [one for one in _all(stage) if not (stage.reader and isinstance(one.case.session, Recorded))]
    if not only:
        return sessions
    names = {name for session in sessions for name in (session.name, session.case.name)}
    for name in only:
        if name not in names:
            raise UsageError(f"{stage.spec.path}: {stage.name} has no case {as_found(name)}{near(name, names)}")
    return [session for session in sessions if session.name in only or session.case.name in only]


def all_sessions_of(stage: Stage) -> list[Session]:
    """All sessions of a stage, including recorded ones that cannot be run again."""
    return list(_all(stage))


def _all(stage: Stage) -> Iterator[Session]:
    for case in stage.spec.cases:
        match case.session:
            case Recorded():
                yield Session(stage, case)
            case Generated((None,)):
                yield Session(stage, case)
            case Generated(seeds):
                for number, seed in enumerate(seeds, 1):
                    yield Session(stage, case, seed, number if seed is None else 0)
