"""The command that starts pitboss once more, as a process of its own."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from pitboss import harness


def child_command(arguments: Sequence[str]) -> list[str]:
    """The command of a `pitboss` with these arguments, the same that runs now, installed or not."""
    package = harness.__name__
    root = str(Path(harness.__file__).absolute().parents[1 + package.count(".")])
    # The folder that somebody is in is a student's: what is called like a module there is not that module.
    code = f"import sys; sys.path.append({root!r}); from {package}.cli.main import main; main()"
    return [sys.executable, "-P", "-c", code, *arguments]
