"""The commands that reports suggest, quoted for a shell."""

from __future__ import annotations

import shlex

from pitboss.assignments.answers import Rerun


def command(verb: str, folder: str, *words: str) -> str:
    """Returns the pitboss command `verb` for the programs in `folder`; an empty `folder` is the working folder.

    `words` are further arguments, already quoted for a shell.

    >>> command("check", "class/ada", "sums", "--seed 3")
    'pitboss check class/ada sums --seed 3'
    """
    return " ".join(("pitboss", verb, *([shlex.quote(folder)] if folder else []), *words))


def rerun_command(rerun: Rerun, folder: str = "", verb: str = "check") -> str:
    """Returns the command that checks one session again, or that does `verb` with this session.

    >>> rerun_command(Rerun("sums", "sums", seed=-3, answers="hs"), "class/a b")
    "pitboss check 'class/a b' sums --assignment sums --seed=-3 --answers hs"
    >>> rerun_command(Rerun("sums", "sums", session="two doors"), verb="explain")
    "pitboss explain sums --assignment sums --case 'two doors'"
    """
    arguments = [rerun.stage, option("--assignment", rerun.assignment)]
    if rerun.named_course_folder:
        arguments.append(option("--given", rerun.named_course_folder))
    if rerun.session:
        arguments.append(option("--case", rerun.session))
    if rerun.is_hidden:
        arguments.append("--hidden")
    if rerun.seed is not None:
        arguments.append(option("--seed", str(rerun.seed)))
    if rerun.answers is not None:
        arguments.append(option("--answers", rerun.answers))
    if rerun.player:
        arguments.append(option("--player", rerun.player))
    return command(verb, folder, *arguments)


def option(name: str, value: str) -> str:
    """Returns an option and its value, quoted for a shell; joined by `=` if the value looks like an option itself."""
    return f"{name}={shlex.quote(value)}" if value.startswith("-") else f"{name} {shlex.quote(value)}"
