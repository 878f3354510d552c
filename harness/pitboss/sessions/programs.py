"""A program that is ready to run: the result of building a submission, and the input of a driver. A value."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from pathlib import Path

import msgspec


class Ticks(Enum):
    """Whose looks at a clock move it."""

    OF_ALL = "of all threads"
    #: The first thread sees nothing of that.
    OF_OTHERS = "of all threads but the first"
    #: The threads of a runtime look now more often and now less.
    OF_NONE = "of no thread"


class Program(msgspec.Struct, frozen=True):
    """A command, the folder it may read, and what its runtime needs."""

    argv: tuple[str, ...]
    #: The only folder besides the system's own that it can see.
    folder: Path
    #: Added to, and overriding, the pinned environment.
    environment: tuple[tuple[str, str], ...] = ()
    #: Our own or the instructor's: it runs without any confinement.
    is_trusted: bool = False
    #: Its runtime reserves far more memory than it uses, so only the memory that it uses can be limited.
    reserves_memory: bool = False
    #: It is run by dotnet. A thread of that computes until the clock has moved, to learn how fast the machine is. Lines
    #: are read key by key and shown by it, and the input ends with the terminal's character for that.
    is_dotnet: bool = False

    @property
    def ticks(self) -> Ticks:
        """Whose looks at a clock move it."""
        if self.is_dotnet:
            return Ticks.OF_OTHERS
        return Ticks.OF_NONE if self.reserves_memory else Ticks.OF_ALL


#: The environment of every program: it contains no locale, time zone or setting of ours.
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
    """An environment with these variables, without those that are None."""
    return {name: value for name, value in {**environment, **variables}.items() if value is not None}


def environment_of(program: Program, home: str, **more: str) -> dict[str, str]:
    """The whole environment of a session of this program; `home` is its home and temporary folder."""
    pinned = dict(ENVIRONMENT)
    return {**pinned, "HOME": home, "TMPDIR": home, **dict(program.environment), **more}
