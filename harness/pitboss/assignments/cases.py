"""The sessions of a stage's cases, as values with unique names."""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Case, Generated, Recorded, Stage
from pitboss.errors import UsageError, as_found, did_you_mean, listed


class Session(msgspec.Struct, frozen=True):
    """One session to run: of a recorded case, or of a generated case with one of its seeds."""

    stage: Stage
    case: Case
    seed: int | None = None
    #: Its number among several sessions without a seed, from 1; 0 if it is the only session, or has a seed.
    number: int = 0

    @property
    def name(self) -> str:
        """A name that is unique within the stage."""
        return session_name(self.case.name, self.seed, self.number)

    @property
    def environment_seed(self) -> int:
        """The 64-bit number that determines everything that a program can draw in this session."""
        return environment_seed_of(self.stage, self.case.name, self.seed, self.number)


#: The name of a numbered session on the command line.
_NUMBERED = re.compile(r"(?P<case>.*) #(?P<number>[1-9][0-9]{0,8})")


def session_name(case: str, seed: int | None, number: int) -> str:
    """Returns the name of a session: its case's name, and its number or seed if it has one.

    >>> session_name("two doors", None, 0), session_name("games", None, 12), session_name("games", -3, 0)
    ('two doors', 'games #12', 'games, seed -3')
    """
    if number:
        return f"{case} #{number}"
    return case if seed is None else f"{case}, seed {seed}"


def environment_seed_of(stage: Stage, case: str, seed: int | None, number: int) -> int:
    """Returns the number of a session's seeded environment. A case's only session is taken as number 1.

    It depends only on the names of the session, its stage and the assignment's folder, not on where that folder is.
    """
    name = session_name(case, seed, number if number or seed is not None else 1)
    identifying_texts = (_folder_of(os.path.abspath(stage.spec.path)), stage.name, name)
    return int.from_bytes(hashlib.blake2b("\0".join(identifying_texts).encode(), digest_size=8).digest(), "big")


@functools.lru_cache
def _folder_of(path: str) -> str:
    """Returns the name of a file's folder, with links resolved. Cached, because each session needs it."""
    return Path(path).resolve().parent.name


def sessions_of(stage: Stage, only: tuple[str, ...] = ()) -> list[Session]:
    """Returns all sessions of a stage in the order of its cases; with `only`, the sessions of these names or cases.

    If draws are read back, recorded sessions are omitted, since they cannot be run again: only `pitboss verify` uses
    them. `only` may then also name further sessions of a case, such as `NAME #17`.

    Raises UsageError for a name that no case or session has. The message lists the cases of `stage`: to keep hidden
    cases secret, pass a stage without them.
    """
    sessions = [
        session
        for session in _every_session(stage)
        if not (stage.reader and isinstance(session.case.session, Recorded))
    ]
    if not only:
        return sessions
    names = {name for session in sessions for name in (session.name, session.case.name)}
    further_sessions = {
        name: session_of_name
        for name in only
        if name not in names and (session_of_name := _numbered_session(stage, name))
    }
    for name in only:
        if name not in names and name not in further_sessions:
            hint = (
                did_you_mean(name, names)
                or f" — its cases are {listed(dict.fromkeys(session.case.name for session in sessions))}"
            )
            raise UsageError(f"{stage.spec.path}: {stage.name} has no case {as_found(name)}{hint}")
    selected = [session for session in sessions if session.name in only or session.case.name in only]
    return [*selected, *further_sessions.values()]


def _numbered_session(stage: Stage, name: str) -> Session | None:
    """Returns the session that a name such as `NAME #17` means; None if no case without seeds has that name."""
    match = _NUMBERED.fullmatch(name)
    for case in stage.spec.cases if match and stage.reader else ():
        if match and case.name == match["case"] and isinstance(case.session, Generated) and None in case.session.seeds:
            return Session(stage, case, None, int(match["number"]))
    return None


def all_sessions_of(stage: Stage) -> list[Session]:
    """Returns all sessions of a stage, including recorded sessions that cannot be run again."""
    return list(_every_session(stage))


def _every_session(stage: Stage) -> Iterator[Session]:
    for case in stage.spec.cases:
        match case.session:
            case Recorded():
                yield Session(stage, case)
            case Generated((None,)):
                yield Session(stage, case)
            case Generated(seeds):
                for number, seed in enumerate(seeds, 1):
                    yield Session(stage, case, seed, number if seed is None else 0)
