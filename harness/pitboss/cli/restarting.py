"""The command that starts pitboss once more, as a process of its own."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pitboss


def child_command(arguments: Sequence[str]) -> list[str]:
    """The command of a `pitboss` with these arguments, the same that runs now, installed or not."""
    root = str(Path(pitboss.__file__).absolute().parents[1])
    # The folder that somebody is in is a student's: what is called like a module there is not that module.
    code = f"import sys; sys.path.append({root!r}); from pitboss.cli.main import main; main()"
    return [sys.executable, "-P", "-c", code, *arguments]
