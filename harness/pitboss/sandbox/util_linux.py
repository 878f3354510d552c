"""Programs of util-linux that start a command inside a bubblewrap: setpriv(1), setarch(8) and prlimit(1).

Each is None where it is missing, or does not work on this machine.
"""

from __future__ import annotations

import shutil
import subprocess
from functools import cache

_FOLDERS = "/usr/bin:/bin"


def setpriv() -> str | None:
    """The program that runs a command as another user."""
    return _working_program("setpriv", "--reuid", "0", "--clear-groups", "true")


def setarch() -> str | None:
    """The program that gives a command the same addresses each time."""
    return _working_program("setarch", "-R", "true")


@cache
def prlimit() -> str | None:
    """The program that limits a command."""
    return shutil.which("prlimit", path=_FOLDERS)


@cache
def _working_program(name: str, *tries: str) -> str | None:
    """The path of a program that works here with these arguments."""
    path = shutil.which(name, path=_FOLDERS)
    if path is None or subprocess.run([path, *tries], stderr=subprocess.DEVNULL, check=False).returncode:
        return None
    return path
