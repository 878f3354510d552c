"""A program that is ready to run: it results from building a submission. The protocol of the drivers that run it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

import msgspec

from pitboss.model.invocation import Script
from pitboss.model.transcript import Transcript
from pitboss.sandbox.tools import search_path


class Driver(Protocol):
    """Runs sessions of one program. A driver is a context manager, which ends all processes when the context ends."""

    def sessions(self, scripts: Iterable[Script]) -> Iterator[tuple[int, Transcript]]:
        """Run a session for each script; yields its number, from 0, and its transcript when it ends.

        Raises SessionError if sessions cannot be run on this machine.
        """
        ...

    def __enter__(self) -> Driver:
        """Start preparing sessions; SessionError if sessions cannot be run on this machine."""
        ...

    def __exit__(self, *_: object) -> None:
        """End all processes that still run."""
        ...


class Program(msgspec.Struct, frozen=True):
    """A command, the folder it may read, and what its runtime needs."""

    argv: tuple[str, ...]
    #: The only folder that the program can see, apart from the system's folders.
    folder: Path
    #: Environment variables that are added to `ENVIRONMENT`, or replace its values.
    environment: tuple[tuple[str, str], ...] = ()
    #: Whether the program is ours or the instructor's, and therefore runs without confinement.
    is_trusted: bool = False
    #: Whether threads of the program's runtime read clocks, a number of times that differs from run to run.
    has_runtime_threads: bool = False
    #: Whether the program is run by dotnet, which reads lines key by key and echoes them itself, and whose input ends
    #: with the terminal's end-of-file character.
    is_dotnet: bool = False

    @property
    def measuring_ns(self) -> int | None:
        """How long a thread that reads a clock again and again computes between two readings if it measures something.

        None if each reading advances the clocks. Where threads of a runtime read them too, only a thread that measures
        advances its own clocks. Java's read them often while they start, dotnet's only to measure.
        """
        return 0 if self.is_dotnet else 125_000_000 if self.has_runtime_threads else None

    def moved_to(self, folder: Path) -> Program:
        """Return the program as it is run from a copy of its folder."""
        old, new = str(self.folder), str(folder)
        argv = tuple(word.replace(old, new) for word in self.argv)
        environment = tuple((name, value.replace(old, new)) for name, value in self.environment)
        return msgspec.structs.replace(self, argv=argv, environment=environment, folder=folder)


#: The environment of every program, without PATH. Locale, time zone and settings are fixed: those of pitboss's own
#: process do not matter.
ENVIRONMENT = (
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
    common_variables = {**dict(ENVIRONMENT), "PATH": search_path(), "HOME": home, "TMPDIR": home}
    return common_variables | dict(program.environment) | more
