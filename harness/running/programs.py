"""A program that is ready to run: what building a submission gives, and what a driver takes. A value."""

from __future__ import annotations

from pathlib import Path

import msgspec


class Program(msgspec.Struct, frozen=True):
    """A command, the folder it may read, and what its runtime needs."""

    argv: tuple[str, ...]
    #: The one folder besides the system's own that it can see.
    folder: Path
    #: Added to, and overriding, the pinned environment.
    environment: tuple[tuple[str, str], ...] = ()
    #: Our own or the instructor's: it is run as it is, without any confinement.
    is_trusted: bool = False
    #: Its runtime reserves far more memory than it uses, so that only what it uses can be limited.
    reserves_memory: bool = False


#: What every program finds in its environment and nothing else: no locale, time zone or setting of ours.
ENVIRONMENT = (
    ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ("LANG", "C.UTF-8"),
    ("LC_ALL", "C.UTF-8"),
    ("TERM", "dumb"),
    ("TZ", "UTC"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("PYTHONHASHSEED", "0"),
)


def environment_of(program: Program, home: str, **more: str) -> dict[str, str]:
    """The whole environment of a session of this program, whose home and temporary folder is `home`."""
    pinned = dict(ENVIRONMENT)
    return {**pinned, "HOME": home, "TMPDIR": home, **dict(program.environment), **more}
