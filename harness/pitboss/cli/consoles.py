"""The consoles on which the commands print tables, reports and progress, as wide as the terminal."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

import click
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from pitboss.model.quoting import printable

#: The values of COLUMNS and LINES that are accepted. Some terminals and containers set 0, which would hide everything.
_SIZES = {"COLUMNS": re.compile(r"[2-9][0-9]|[1-9][0-9]{2,3}"), "LINES": re.compile(r"[1-9][0-9]{0,3}")}


class _SafeConsole(Console):
    """A console on which no text is a command to the terminal; only what rich itself does to it remains."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        if isinstance(renderable, Text):  # before its lines are wrapped
            renderable = renderable.copy()
            renderable.plain = printable(renderable.plain)
        for text, text_style, control in super().render(renderable, options):
            yield Segment(text if control else printable(text), text_style, control)


def report_console() -> Console:
    return _SafeConsole(_environ=_environment(), highlight=False, soft_wrap=False)


def error_console(*, highlight: bool = True) -> Console:
    """Returns the console for progress and warnings, on standard error."""
    return _SafeConsole(_environ=_environment(), stderr=True, highlight=highlight)


def print_sentence(sentence: str) -> None:
    click.echo(f"pitboss: {printable(sentence)}", err=True)


def can_show_progress(console: Console) -> bool:
    """Whether a console is a terminal whose lines can be rewritten; otherwise no progress is shown."""
    return console.file.isatty() and not console.is_dumb_terminal


def _environment() -> dict[str, str]:
    """Returns the environment without impossible terminal sizes, so that rich asks the terminal for its size."""
    return {name: value for name, value in os.environ.items() if name not in _SIZES or _SIZES[name].fullmatch(value)}
