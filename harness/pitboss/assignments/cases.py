"""The sessions of a stage's cases, as values with unique names."""

from __future__ import annotations

import functools
import hashlib
import os
import re
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Case, Generated, Recorded, Stage
from pitboss.errors import UsageError, as_found, did_you_mean, listed


class Session(msgspec.Struct, frozen=True):
    """One session to run: the session of a recorded case, or one session of a generated case."""

    stage: Stage
    case: Case
    seed: int | None = None
    #: The number among several sessions of a case without seeds, from 1; 0 if the session has a seed, or is the only
    #: session of its case.
    number: int = 0

    @property
    def name(self) -> str:
        """A name that is unique within the stage."""
        return session_name(self.case.name, self.seed, self.number)

    @property
    def environment_seed(self) -> int:
        """The 64-bit number that determines the machine's randomness in this session; not the seed that is typed."""
        return environment_seed_of(self.stage, self.case.name, self.seed, self.number)


#: The name of a numbered session on the command line, such as `games #12`.
_NUMBERED_SESSION = re.compile(r"(?P<case>.*) #(?P<number>[1-9][0-9]{0,8})")


def session_name(case: str, seed: int | None, number: int) -> str:
    """Returns the name of a session: the name of its case, followed by the session's number or seed, if any.

    >>> session_name("two doors", None, 0), session_name("games", None, 12), session_name("games", -3, 0)
    ('two doors', 'games #12', 'games, seed -3')
    """
    if number:
        return f"{case} #{number}"
    return case if seed is None else f"{case}, seed {seed}"


def environment_seed_of(stage: Stage, case: str, seed: int | None, number: int) -> int:
    """Returns the environment seed of a session: see `Session.environment_seed`.

    The seed depends only on the names of the session, its stage and the assignment's folder, not on the folder's
    location. A case's only session, if it has no seed, gets the environment seed of a session with number 1.
    """
    unique_name = session_name(case, seed, number if number or seed is not None else 1)
    identifying_texts = (_folder_name_of(os.path.abspath(stage.spec.path)), stage.name, unique_name)
    return int.from_bytes(hashlib.blake2b("\0".join(identifying_texts).encode(), digest_size=8).digest(), "big")


@functools.lru_cache
def _folder_name_of(path: str) -> str:
    """Returns the name of a file's folder, with links resolved. Cached, because each session needs it."""
    return Path(path).resolve().parent.name


def sessions_of(stage: Stage, only: tuple[str, ...] = ()) -> list[Session]:
    """Returns all sessions of a stage in the order of its cases.

    With `only`, returns the sessions with one of these names, and all sessions of the cases with one of these names.

    If the stage has a reader, recorded sessions are omitted, since they cannot be run again: only `pitboss verify` uses
    them. `only` may then also name further sessions of a case, such as `NAME #17`.

    Raises UsageError for a name that no case or session has. The message lists the cases of `stage`: to keep hidden
    cases secret, pass a stage without them.
    """
    sessions = [
        session
        for session in all_sessions_of(stage)
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
    """Returns the session for a name such as `NAME #17`; None if no generated case without seeds is called NAME.

    The number may be higher than the case's `sessions` in the spec file. Only a stage with a reader has such further
    sessions.
    """
    match = _NUMBERED_SESSION.fullmatch(name)
    if not match or not stage.reader:
        return None
    for case in stage.spec.cases:
        if case.name == match["case"] and isinstance(case.session, Generated) and None in case.session.seeds:
            return Session(stage, case, None, int(match["number"]))
    return None


def all_sessions_of(stage: Stage) -> list[Session]:
    """Returns all sessions of a stage, including recorded sessions that cannot be run again."""
    sessions = []
    for case in stage.spec.cases:
        match case.session:
            case Recorded() | Generated((None,)):
                sessions.append(Session(stage, case))
            case Generated(seeds):
                numbered = enumerate(seeds, 1)
                sessions += [Session(stage, case, seed, number if seed is None else 0) for number, seed in numbered]
    return sessions
