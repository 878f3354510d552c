"""The `pitboss` command, and how it reports errors.

Exit codes: 0 accepted, 1 not accepted, 2 wrong usage or a wrong spec, 3 a fault in pitboss or in the assignment's code.
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
from pitboss.errors import HarnessError, OldKeyWarning, SessionError, WaitWarning, as_found
from pitboss.sandbox import signals

#: Longer file names, in characters, are abbreviated in messages.
_MAX_NAME_LENGTH = 200
#: The errors of writing to a full or broken disk.
_DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

#: The exit codes.
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
    _open_missing_streams()
    try:
        with signals.clean_exit():
            code = exit_code_of(sys.argv[1:])
    except KeyboardInterrupt:
        code = report_stop()
    sys.exit(code)


def _open_missing_streams() -> None:
    """Open /dev/null for each standard stream that the parent process, such as cron, has closed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            number = os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is the missing stream's
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, mode))


def exit_code_of(arguments: list[str]) -> int:
    """Run the command with these arguments and return the exit code; an error of the user prints no traceback."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return _report_error("the current folder no longer exists: change to another folder", WRONG_USAGE)
    if "_PITBOSS_COMPLETE" in os.environ:
        from pitboss.cli import completing

        completing.register_bash_completion()
    try:
        with _report_warnings():
            # `obj` passes the arguments, as they were typed, to commands that need all of them.
            code = pitboss.main(arguments, prog_name="pitboss", standalone_mode=False, obj=tuple(arguments))
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.Abort:
        return report_stop()
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else _command_in(arguments)
        return _report_error(f"{error.format_message()} (see {command} --help)", WRONG_USAGE)
    except click.ClickException as error:
        return _report_error(error.format_message(), WRONG_USAGE)
    except SessionError as error:
        return _report_error(str(error), FAULT)
    except HarnessError as error:
        return _report_error("\n".join(filter(None, (str(error), *getattr(error, "__notes__", ())))), WRONG_USAGE)
    except BrokenPipeError:
        sys.stderr.close()
        return 141  # as shells report a program that SIGPIPE (13) ended: 128 + 13
    except Exception as error:
        if problem := _file_problem(error):
            return _report_error(problem, WRONG_USAGE)
        traceback.print_exc()
        return _report_error(
            "this is a bug in pitboss, not in the program it checked; please report the lines above", FAULT
        )
    return int(code or 0)


@contextmanager
def _report_warnings() -> Iterator[None]:
    """Print each warning that is ours as a message of pitboss; other warnings are not affected."""
    with warnings.catch_warnings():
        for ours in (OldKeyWarning, WaitWarning):
            warnings.simplefilter("default", ours)
        original_show = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *location: Any, **options: Any) -> None:
            if issubclass(category, (OldKeyWarning, WaitWarning)):
                click.echo(f"pitboss: {message}", err=True)
            else:
                original_show(message, category, *location, **options)

        warnings.showwarning = show
        yield


def _file_problem(error: Exception) -> str:
    """Returns a sentence if a file cannot be used, or output cannot be written; empty for other errors."""
    if not isinstance(error, OSError):
        return ""
    if isinstance(error.filename, str):
        is_plain = error.filename.isprintable() and len(error.filename) <= _MAX_NAME_LENGTH
        name = error.filename if is_plain else as_found(error.filename)
        return f"{name}: it cannot be used: {error.strerror}"
    if error.errno in _DISK_ERRORS:
        _drop_output()
        return f"the standard output or a temporary file cannot be written: {error.strerror}"
    return ""


def _drop_output() -> None:
    """Discard buffered output that cannot be written; otherwise Python would try to write the output again at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def _command_in(arguments: list[str]) -> str:
    """Returns the command in these arguments, such as `pitboss check`, for the hint to use --help.

    Used for errors that click reports without a context, which would name the command.
    """
    return " ".join(["pitboss", *(argument for argument in arguments[:1] if argument in COMMANDS)])


def _report_error(sentence: str, code: int) -> int:
    """Print an error message and return `code`, the exit code."""
    from pitboss.model.quoting import printable

    click.echo(f"pitboss: {printable(sentence)}", err=True)
    return code
