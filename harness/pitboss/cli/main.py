"""The `pitboss` command: its commands, how it reports errors, how it is stopped, and how it starts itself again.

Exit codes: 0 accepted, 1 not accepted, 2 wrong usage or a wrong spec, 3 a fault in pitboss or in the assignment's code.
"""

from __future__ import annotations

import errno
import importlib
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pitboss.errors import HarnessError, SessionError, WaitWarning, as_found, did_you_mean
from pitboss.machine import signals

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

#: Longer file names, in characters, are abbreviated in messages.
_MAX_NAME_LENGTH = 200
#: The errors of writing to a full or broken disk.
_DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

#: The exit codes that this module returns.
WRONG_USAGE, FAULT = 2, 3


class CommandEntry(NamedTuple):
    """A command: the module that defines it, and the first line of the command's docstring."""

    module: str
    summary: str


#: The commands as `pitboss --help` lists them: under a heading for each task, the most used first.
SECTIONS: dict[str, dict[str, CommandEntry]] = {
    "Check a program": {
        "check": CommandEntry("check", "Check the programs in a folder against the reference"),
        "explain": CommandEntry("explain", "Show the expected session of a case, step by step"),
        "hunt": CommandEntry("hunt", "Play many games and show the smallest that fails"),
        "play": CommandEntry("authoring", "Play the reference of a stage in the terminal"),
    },
    "Grade a class": {
        "grade": CommandEntry("grade", "Check a class: a folder, or a course platform's download"),
        "regrade": CommandEntry("grade", "Grade a class again, running only what has changed"),
        "scores": CommandEntry("scores", "Show the scores of a class, or how one student's score adds up"),
        "mark": CommandEntry("mark", "Give a student a style score, a comment or another due date"),
        "review": CommandEntry("reviewing", "Review a class in the browser"),
        "merge": CommandEntry("mark", "Merge the marks in copies of a gradebook into it"),
        "similar": CommandEntry("similar", "Show which submissions share passages"),
        "policy": CommandEntry("scores", "Show how another grading policy would change the scores"),
        "export": CommandEntry("exporting", "Fill scores into a platform's table, or make a student bundle"),
    },
    "Write an assignment": {
        "new": CommandEntry("new", "Create an assignment from a correct program"),
        "record": CommandEntry("record", "Update recorded cases from the reference, or add a new case"),
        "verify": CommandEntry("verify", "Check the specs against the reference and known mistakes"),
        "starter": CommandEntry("kits", "Write a starter kit: skeletons, a makefile and a handout"),
        "schema": CommandEntry("authoring", "Write JSON Schemas of the files that pitboss reads and writes"),
    },
    "Check on another platform": {
        "gradescope": CommandEntry("platforms", "Build the autograder archive for Gradescope"),
        "workflow": CommandEntry("platforms", "Write a GitHub Actions workflow that runs the checks"),
    },
    "See what is available": {
        "assignments": CommandEntry("machine", "List the assignments and their stages"),
        "doctor": CommandEntry("machine", "Show what works on this machine, and how to get the rest"),
    },
}
COMMANDS = {name: entry for section in SECTIONS.values() for name, entry in section.items()}
_WIDTH = max(map(len, COMMANDS))


class Commands(click.Group):
    """The commands, each imported when it is called; the error for an unknown name suggests the most similar name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"pitboss.cli.{COMMANDS[cmd_name].module}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does, but show the help if there are no arguments."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve the command as click does; the UsageError for an unknown name suggests the most similar name."""
        is_name = bool(args) and not args[0].startswith("-")
        if is_name and args[0] not in COMMANDS and not ctx.resilient_parsing:
            commands = ", ".join(sorted(COMMANDS))
            raise click.UsageError(
                f"there is no command {as_found(args[0])} — there are {commands}{did_you_mean(args[0], COMMANDS)}"
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings, aligned across all headings; a summary is wrapped, never cut."""
        for heading, entries in SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:{_WIDTH}}", entry.summary) for name, entry in entries.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Returns the commands and options that begin with `incomplete`."""
        from click.shell_completion import CompletionItem

        summaries = {name: entry.summary for name, entry in COMMANDS.items() if name.startswith(incomplete)}
        names = [CompletionItem(name, help=summary) for name, summary in summaries.items()]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]


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
    """Print each WaitWarning as a message of pitboss; other warnings are not affected."""
    with warnings.catch_warnings():
        warnings.simplefilter("default", WaitWarning)
        original_show = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *location: Any, **options: Any) -> None:
            if issubclass(category, WaitWarning):
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


def report_stop(sentence: str = "") -> int:
    """Print that a signal has stopped the command; returns the exit code.

    `sentence`: says where the command stopped, or is empty; not printed if the CPU time limit stopped the command.
    """
    if stop_exit_code() == FAULT:
        sentence = "stopped: pitboss has used the CPU time that `ulimit -t` allows; raise the limit"
    click.echo(f"pitboss: {sentence[:1].lower()}{sentence[1:]}" if sentence else "pitboss: stopped", err=True)
    return stop_exit_code()


def stop_exit_code() -> int:
    """Returns 128 plus the signal's number, as shells do; 3 if the CPU time limit of the shell was too low."""
    # Ctrl-D at a prompt stops a command without a signal; this counts as Ctrl-C.
    number = signals.last_signal() or signal.SIGINT
    return FAULT if number == getattr(signal, "SIGXCPU", None) else 128 + number


def child_command(arguments: Sequence[str]) -> list[str]:
    """Returns a command that starts this `pitboss`, installed or not, with these arguments in another process."""
    root = str(Path(__file__).absolute().parents[2])
    # -P, since the current folder is a student's: a file in it with the name of a module must not be imported.
    code = f"import sys; sys.path.append({root!r}); from pitboss.cli.main import main; main()"
    return [sys.executable, "-P", "-c", code, *arguments]
