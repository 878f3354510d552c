"""A program that is ready to run: the result of building a submission, and what a driver runs."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from pathlib import Path

import msgspec


class Ticks(Enum):
    """The threads that move a clock when they read it."""

    OF_ALL = "of all threads"
    #: The first thread does not see these moves.
    OF_OTHERS = "of all threads but the first"
    #: How often the threads of a runtime read a clock varies.
    OF_NONE = "of no thread"


class Program(msgspec.Struct, frozen=True):
    """A command, the folder it may read, and what its runtime needs."""

    argv: tuple[str, ...]
    #: The only folder that it can see besides the system's folders.
    folder: Path
    #: Added to, and overriding, the pinned environment.
    environment: tuple[tuple[str, str], ...] = ()
    #: Whether it is ours or the instructor's, and runs without confinement.
    is_trusted: bool = False
    #: Its runtime reserves far more memory than it uses, so only the memory that it uses can be limited.
    reserves_memory: bool = False
    #: It is run by dotnet. One of dotnet's threads computes until the clock has moved, to measure the machine. It reads
    #: lines key by key and echoes them itself, and its input ends with the terminal's end-of-file character.
    is_dotnet: bool = False

    @property
    def ticks(self) -> Ticks:
        """The threads of this program that move a clock when they read it."""
        if self.is_dotnet:
            return Ticks.OF_OTHERS
        return Ticks.OF_NONE if self.reserves_memory else Ticks.OF_ALL


#: The environment of every program, without any locale, time zone or setting of ours.
ENVIRONMENT = (
    ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ("LANG", "C.UTF-8"),
    ("LC_ALL", "C.UTF-8"),
    ("TERM", "dumb"),
    ("TZ", "UTC"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("PYTHONHASHSEED", "0"),
)


def changed(environment: Mapping[str, str], variables: Mapping[str, str | None]) -> dict[str, str]:
    """Returns an environment with these variables added, replaced, or removed if None."""
    return {name: value for name, value in {**environment, **variables}.items() if value is not None}


def environment_of(program: Program, home: str, **more: str) -> dict[str, str]:
    """Returns all environment variables of a session of this program; `home` is its home and temporary folder."""
    pinned = dict(ENVIRONMENT)
    return {**pinned, "HOME": home, "TMPDIR": home, **dict(program.environment), **more}
