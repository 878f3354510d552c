"""The command that starts another pitboss process."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pitboss


def child_command(arguments: Sequence[str]) -> list[str]:
    """Returns a command that starts this `pitboss`, installed or not, with these arguments in another process."""
    root = str(Path(pitboss.__file__).absolute().parents[1])
    # -P, since the current folder is a student's: a file in it with the name of a module must not be imported.
    code = f"import sys; sys.path.append({root!r}); from pitboss.cli.main import main; main()"
    return [sys.executable, "-P", "-c", code, *arguments]
