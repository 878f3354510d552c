"""The command that starts another pitboss process."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pitboss


def child_command(arguments: Sequence[str]) -> list[str]:
    """Returns the command of the running `pitboss`, installed or not, with these arguments."""
    root = str(Path(pitboss.__file__).absolute().parents[1])
    # The current folder is a student's: a file there named like a module must not be imported.
    code = f"import sys; sys.path.append({root!r}); from pitboss.cli.main import main; main()"
    return [sys.executable, "-P", "-c", code, *arguments]
