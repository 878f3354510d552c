"""Options that several commands share. Imports little, so that a cached report is printed quickly."""

from __future__ import annotations

import contextlib
import functools
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pitboss.cli.completing import assignment_names
from pitboss.data import SHIPPED
from pitboss.errors import UsageError, as_found
from pitboss.machine.scratch import invoking_users_umask
from pitboss.machine.store import MAX_BYTES

if TYPE_CHECKING:
    from pitboss.sessions.drivers import Conditions

#: The range of seeds: that of an int in C.
LOWEST_SEED, HIGHEST_SEED = -(1 << 31), (1 << 31) - 1
#: The folder of the user's own assignments, relative to the working folder.
OWN_SPECS = Path("specs")


def spec_folders() -> tuple[Path, ...]:
    """Returns the folders to search for assignments: PITBOSS_SPECS, ./specs, and the folder installed with pitboss."""
    specs_variable = os.environ.get("PITBOSS_SPECS")
    folders = [Path(specs_variable)] if specs_variable else []
    return (*folders, OWN_SPECS, SHIPPED / "specs")


def template_folder() -> Path:
    return SHIPPED / "student_templates"


class WholeNumber(click.IntRange):
    """A value of an option: a whole number in a range, which may have no upper end."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Returns the number in a text; fails if the text is not a whole number in the range."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            allowed = f"from {self.min} on" if self.max is None else f"from {self.min} to {self.max}"
            self.fail(f"{as_found(str(value))} is not a whole number {allowed}", param, ctx)


class ExitCodeOption(WholeNumber):
    """A value of an option: an exit code, or `nonzero`."""

    name = "CODE"

    def __init__(self) -> None:
        """Allow 0 to 255."""
        super().__init__(0, 255)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns the number, or `nonzero`."""
        return value if value == "nonzero" else super().convert(value, param, ctx)


#: The option for the command-line arguments of a program, in commands that write a new case.
arguments_option = click.option(
    "--arguments",
    metavar="LINE",
    help="The program's arguments, such as '-v scores.txt'. The session gets the files in the current folder that the "
    "arguments name.",
)


class Seed(click.ParamType[int]):
    """A value of an option: a seed, a number in the range of a C int."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Returns the seed in a text; fails if the text is not a whole number in the range."""
        try:
            return click.IntRange(LOWEST_SEED, HIGHEST_SEED).convert(value, param, ctx)
        except click.BadParameter:
            rule = f"a seed is a whole number from {LOWEST_SEED} to {HIGHEST_SEED}"
            self.fail(f"{as_found(value)} is not a seed — {rule}", param, ctx)


#: The syntax of a value of `--answers`, which `parse_answers` parses.
ANSWERS_RULE = (
    "Without commas, each letter and each number is a line: hhs is h, h and s; 900 is one line; 10hs is 10, h and s. "
    "With commas, each part is a line: hit,9,0. A single word needs a comma at its end (hit,); a final comma only "
    "ends the last line, so hit,, is hit and an empty line. At the end, <eof> ends the input and three dots repeat "
    "the lines: hit,<eof> and hs... (to type these: \\<eof> and \\...)."
)

answers_option = click.option(
    "--answers", metavar="LINES", help=f"The lines typed after the seed; the last line is repeated. {ANSWERS_RULE}"
)
player_option = click.option("--player", metavar="NAME", help="Let this player of the assignment type.")

CommandFunction = Callable[..., Any]

assignment_option = click.option(
    "--assignment",
    "-a",
    "name",
    metavar="NAME",
    help="The assignment, by name or folder.",
    shell_complete=assignment_names,
)


given_option = click.option(
    "--given",
    multiple=True,
    metavar="[STAGE=]DIR",
    help="Use these files of the course, such as headers, instead of the assignment's. May be repeated.",
)


fresh_option = click.option(
    "--fresh",
    "is_fresh",
    is_flag=True,
    help="Run everything, even what has not changed since an earlier run. Reports are cached in ~/.cache/pitboss "
    f"(or in $XDG_CACHE_HOME/pitboss), at most {MAX_BYTES >> 20} MB of them.",
)


def given_folder(word: str) -> Path:
    return Path(word) if os.path.isdir(word) else Path(word.partition("=")[2] or word)


cluster_option = click.option(
    "--cluster",
    default="",
    metavar="ADDRESS",
    help="Check on the workers of a Dask cluster; ADDRESS is the address of its scheduler, tcp://HOST:PORT.",
)


class RunOptions(NamedTuple):
    """The options that determine how sessions run."""

    real_time: bool
    driver: str
    sandbox: str

    def conditions(self) -> Conditions:
        """Returns the conditions for these options; UsageError if this machine cannot provide them."""
        from pitboss.sessions.drivers import find_conditions

        return find_conditions(self.driver, self.sandbox, is_real_time=self.real_time)


def condition_options(function: CommandFunction) -> CommandFunction:
    """Add the options that determine how sessions run, as arguments `run_options` and `jobs`."""

    @functools.wraps(function)
    def wrapper(**options: Any) -> Any:
        run_options = RunOptions(*(options.pop(name) for name in RunOptions._fields))
        return function(run_options=run_options, **options)

    decorated: CommandFunction = wrapper
    for option in (
        click.option("--real-time", is_flag=True, help="Let pauses take their real time."),
        click.option(
            "--driver",
            type=click.Choice(["auto", "watched", "expecting"]),
            default="auto",
            help="How sessions run. `watched`: the kernel reports what the program does, so pauses are exact and take "
            "no time. `expecting`: pitboss waits for the expected text, in real time. `auto`: `watched` if it works "
            "here.",
        ),
        click.option(
            "--sandbox",
            type=click.Choice(["auto", "require", "bubblewrap", "landlock", "none"]),
            default="auto",
            help="What confines the programs. `auto`: bubblewrap, else landlock, else nothing. `require`: the same as "
            "`bubblewrap`, which fails where it does not work.",
        ),
        click.option("--jobs", "-j", type=WholeNumber(1, 256), help="How many cores to use (default: all)."),
    ):
        decorated = option(decorated)
    return decorated


def append_file(path: str, text: str) -> None:
    """Append to a file that the user named; UsageError if it cannot be written."""
    try:
        with open(path, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{path}: the file cannot be written: {error.strerror}") from error


def make_folder(folder: Path) -> None:
    """Create a folder and its parents unless it exists; UsageError if that fails."""
    try:
        with invoking_users_umask():
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: the folder cannot be created: {error.strerror}") from error


def check_writable(path: str) -> None:
    """Raise UsageError, before long work, if a file that the user named cannot be written. The file is not changed."""
    is_new = not os.path.lexists(path)
    # Opening and closing a pipe would signal the end of the input to the pipe's reader.
    if not is_new and not os.path.isfile(path) and not os.path.isdir(path):
        return
    try:
        with open(path, "ab"):
            pass
        if is_new:
            os.unlink(path)
    except OSError as error:
        raise UsageError(f"{path}: the file cannot be written: {error.strerror}") from error


def write_file(path: str, text: str) -> None:
    """Write a file that the user named, or standard output for `-`; UsageError if it cannot be written."""
    if path == "-":
        click.echo(text, nl=False)
    else:
        # The text may contain file names that are not UTF-8, but the written file must be UTF-8.
        write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_bytes(path: str, content: bytes) -> None:
    """Write a binary file, or standard output for `-`; UsageError if it cannot be written.

    The file is there only once it is complete: an existing one stays as it was if a disk is full, or if we are killed.
    """
    if path == "-":
        click.echo(content, nl=False)
        return
    try:
        with invoking_users_umask():
            if os.path.exists(path) and not os.path.isfile(path):  # such as a pipe
                Path(path).write_bytes(content)
            else:
                _replace(os.path.realpath(path), content)
    except OSError as error:
        raise UsageError(f"{path}: the file cannot be written: {error.strerror}") from error


def _replace(path: str, content: bytes) -> None:
    """Write a temporary file beside a file, and rename it once it is complete."""
    owner, umask = (os.geteuid(), os.getegid()), os.umask(0o077)
    os.umask(umask)
    mode = 0o666 & ~umask
    if os.path.lexists(path):
        with open(path, "ab"):  # a write-protected file must not be replaced, even if its folder allows that
            status = os.stat(path)
        owner, mode = (status.st_uid, status.st_gid), stat.S_IMODE(status.st_mode)
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=".pitboss-", dir=os.path.dirname(path))
    except PermissionError:  # the file is writable, but its folder is not
        Path(path).write_bytes(content)
        return
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            if owner != (os.geteuid(), os.getegid()):
                with contextlib.suppress(PermissionError):
                    os.fchown(descriptor, *owner)
            os.fchmod(descriptor, mode)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
