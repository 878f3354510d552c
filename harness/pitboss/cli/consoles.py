"""The consoles on which the commands print tables, reports and progress, as wide as the terminal."""

from __future__ import annotations

import os
import re

import click
from rich.console import Console

#: The values of COLUMNS and LINES that are accepted. Some terminals and containers set 0, which would hide everything.
_SIZES = {"COLUMNS": re.compile(r"[2-9][0-9]|[1-9][0-9]{2,3}"), "LINES": re.compile(r"[1-9][0-9]{0,3}")}


def report_console() -> Console:
    """Returns the console for reports."""
    return Console(_environ=_environment(), highlight=False, soft_wrap=False)


def error_console(*, highlight: bool = True) -> Console:
    """Returns the console for progress and warnings, on standard error."""
    return Console(_environ=_environment(), stderr=True, highlight=highlight)


def print_sentence(sentence: str) -> None:
    """Print a sentence on standard error."""
    click.echo(f"pitboss: {sentence}", err=True)


def can_show_progress(console: Console) -> bool:
    """Whether a console is a terminal whose lines can be rewritten; otherwise no progress is shown."""
    return console.file.isatty() and not console.is_dumb_terminal


def _environment() -> dict[str, str]:
    """Returns the environment without impossible terminal sizes, so that rich asks the terminal for its size."""
    return {name: value for name, value in os.environ.items() if name not in _SIZES or _SIZES[name].fullmatch(value)}
