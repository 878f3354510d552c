"""A program that is ready to run: it results from building a submission, and a driver runs it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from pathlib import Path

import msgspec


class Ticks(Enum):
    """Which threads of a program advance a clock of the seeded environment when they read the clock."""

    OF_ALL = "of all threads"
    #: The first thread does not see how far other threads have advanced the clock.
    OF_OTHERS = "of all threads but the first"
    #: For runtimes with threads of their own: how often these threads read a clock differs from run to run.
    OF_NONE = "of no thread"


class Program(msgspec.Struct, frozen=True):
    """A command, the folder it may read, and what its runtime needs."""

    argv: tuple[str, ...]
    #: The only folder that the program can see, apart from the system's folders.
    folder: Path
    #: Environment variables that are added to `ENVIRONMENT`, or replace its values.
    environment: tuple[tuple[str, str], ...] = ()
    #: Whether the program is ours or the instructor's, and therefore runs without confinement.
    is_trusted: bool = False
    #: Whether the program's runtime reserves far more memory than it uses, so that only the used memory can be limited.
    reserves_memory: bool = False
    #: Whether the program is run by dotnet. One of dotnet's threads computes until the clock has moved, to measure the
    #: machine. Dotnet reads lines key by key and echoes them itself, and its input ends with the terminal's end-of-file
    #: character.
    is_dotnet: bool = False

    @property
    def ticks(self) -> Ticks:
        """Which threads of this program advance a clock when they read it."""
        if self.is_dotnet:
            return Ticks.OF_OTHERS
        # Runtimes that reserve memory, such as Java's, have threads of their own.
        return Ticks.OF_NONE if self.reserves_memory else Ticks.OF_ALL


#: The environment of every program. Locale, time zone and settings are fixed: those of pitboss's own process do not
#: matter.
ENVIRONMENT = (
    ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ("LANG", "C.UTF-8"),
    ("LC_ALL", "C.UTF-8"),
    ("TERM", "dumb"),
    ("TZ", "UTC"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("PYTHONHASHSEED", "0"),
)


def with_variables(environment: Mapping[str, str], variables: Mapping[str, str | None]) -> dict[str, str]:
    """Returns the environment with these variables added or replaced; a variable that is None is removed."""
    return {name: value for name, value in {**environment, **variables}.items() if value is not None}


def environment_of(program: Program, home: str, **more: str) -> dict[str, str]:
    """Returns all environment variables of a session of this program, including `more`.

    `home` is the session's home and temporary folder. The program's own variables replace all others except `more`.
    """
    common_variables = dict(ENVIRONMENT)
    return {**common_variables, "HOME": home, "TMPDIR": home, **dict(program.environment), **more}
