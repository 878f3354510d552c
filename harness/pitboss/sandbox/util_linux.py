"""Programs of util-linux that start a command inside a bubblewrap: setpriv(1), setarch(8) and prlimit(1).

Each function returns the path of its program; None if the program is missing, or does not work on this machine.
"""

from __future__ import annotations

import shutil
import subprocess
from functools import cache

_FOLDERS = "/usr/bin:/bin"


def setpriv() -> str | None:
    """The path of setpriv, which runs a command as another user."""
    return _working_program("setpriv", "--reuid", "0", "--clear-groups", "true")


def setarch() -> str | None:
    """The path of setarch, which runs a command with the same memory addresses each time."""
    return _working_program("setarch", "-R", "true")


@cache
def prlimit() -> str | None:
    """The path of prlimit, which runs a command with limits."""
    return shutil.which("prlimit", path=_FOLDERS)


@cache
def _working_program(name: str, *arguments: str) -> str | None:
    """The path of a program; None if it is missing or fails with these arguments."""
    path = shutil.which(name, path=_FOLDERS)
    if path is None:
        return None
    trial = subprocess.run([path, *arguments], stderr=subprocess.DEVNULL, check=False, timeout=60)
    return None if trial.returncode else path
