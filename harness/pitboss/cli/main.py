"""The `pitboss` command, and how it reports errors.

Exit codes: 0 accepted, 1 not accepted, 2 wrong usage or a wrong spec, 3 a fault of ours.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from pitboss.cli.commands import COMMANDS, Commands
from pitboss.cli.stopping import report_stop
from pitboss.errors import HarnessError, OldKeyWarning, SessionError, as_found
from pitboss.sandbox import signals

#: The longest file name that is printed as it is, and the errors of writing to a full or broken disk.
_LONGEST_NAME, _UNWRITTEN = 200, (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

ACCEPTED, NOT_ACCEPTED, WRONG_USAGE, FAULT = 0, 1, 2, 3


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`pitboss COMMAND --help` explains a command.",
)
@click.version_option(None, "-V", "--version", package_name="pitboss", message="pitboss %(version)s")
def pitboss() -> None:
    """Check staged console programs against their reference, exactly and on any seed."""


def main() -> None:
    """Run the command, clean up in any case, and exit with its code."""
    _open_missing()
    try:
        with signals.in_order():
            code = exit_code_of(sys.argv[1:])
    except KeyboardInterrupt:
        code = report_stop()
    sys.exit(code)


def _open_missing() -> None:
    """Open /dev/null for each standard stream that the parent process, such as cron, has closed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            number = os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is the missing stream's
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, mode))


def exit_code_of(arguments: list[str]) -> int:
    """Run the command with these arguments and return its exit code; no user error ends in a traceback."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return _report_error("the current folder no longer exists: change to another folder", WRONG_USAGE)
    if "_PITBOSS_COMPLETE" in os.environ:
        from pitboss.cli import completing

        completing.prepare()
    try:
        with _warnings_of_old_keys():
            code = pitboss.main(arguments, prog_name="pitboss", standalone_mode=False, obj=tuple(arguments))
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.Abort:
        return report_stop()
    except click.UsageError as error:
        context = error.ctx.command_path if error.ctx else _command_in(arguments)
        return _report_error(f"{error.format_message()} (see {context} --help)", WRONG_USAGE)
    except click.ClickException as error:
        return _report_error(error.format_message(), WRONG_USAGE)
    except SessionError as error:
        return _report_error(str(error), FAULT)
    except HarnessError as error:
        return _report_error("\n".join(filter(None, (str(error), *getattr(error, "__notes__", ())))), WRONG_USAGE)
    except BrokenPipeError:
        sys.stderr.close()
        return 141
    except Exception as error:
        if problem := _file_problem(error):
            return _report_error(problem, WRONG_USAGE)
        traceback.print_exc()
        return _report_error(
            "this is a bug in pitboss, not in the program it checked; please report the lines above", FAULT
        )
    return int(code or 0)


@contextmanager
def _warnings_of_old_keys() -> Iterator[None]:
    """Print the new name of each key that a file has under its old name; other warnings are not affected."""
    with warnings.catch_warnings():
        warnings.simplefilter("default", OldKeyWarning)
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *location: Any, **options: Any) -> None:
            if category is OldKeyWarning:
                click.echo(f"pitboss: {message}", err=True)
            else:
                others(message, category, *location, **options)

        warnings.showwarning = show
        yield


def _file_problem(error: Exception) -> str:
    """Returns a sentence on a file that cannot be used or output that cannot be written; empty for other errors."""
    if not isinstance(error, OSError):
        return ""
    if isinstance(error.filename, str):
        is_plain = error.filename.isprintable() and len(error.filename) <= _LONGEST_NAME
        name = error.filename if is_plain else as_found(error.filename)
        return f"{name}: it cannot be used: {error.strerror}"
    if error.errno in _UNWRITTEN:
        _drop_output()
        return f"the standard output or a temporary file cannot be written: {error.strerror}"
    return ""


def _drop_output() -> None:
    """Discard buffered output that cannot be written: Python would try again at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def _command_in(arguments: list[str]) -> str:
    """Returns the command in these arguments, for the hint at --help: click reports some errors without it."""
    return " ".join(["pitboss", *(argument for argument in arguments[:1] if argument in COMMANDS)])


def _report_error(sentence: str, code: int) -> int:
    click.echo(f"pitboss: {sentence}", err=True)
    return code
