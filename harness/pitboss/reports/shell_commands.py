"""The commands that reports suggest, quoted for a shell."""

from __future__ import annotations

import shlex

from pitboss.assignments.answers import Rerun


def command(verb: str, folder: str, *words: str) -> str:
    """A pitboss command for the programs of a folder, which is empty for the working folder.

    >>> command("check", "class/ada", "sums", "--seed 3")
    'pitboss check class/ada sums --seed 3'
    """
    return " ".join(("pitboss", verb, *([shlex.quote(folder)] if folder else []), *words))


def rerun_command(rerun: Rerun, folder: str = "", verb: str = "check") -> str:
    """The command that runs one session again, or does `verb` with it.

    >>> rerun_command(Rerun("sums", "sums", seed=-3, answers="hs"), "class/a b")
    "pitboss check 'class/a b' sums --assignment sums --seed=-3 --answers hs"
    >>> rerun_command(Rerun("sums", "sums", session="two doors"), verb="explain")
    "pitboss explain sums --assignment sums --case 'two doors'"
    """
    arguments = [rerun.stage, option("--assignment", rerun.assignment)]
    if rerun.given:
        arguments.append(option("--given", rerun.given))
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
    """An option and its value, quoted for a shell; with `=` if the value would be read as another option."""
    return f"{name}={shlex.quote(value)}" if value.startswith("-") else f"{name} {shlex.quote(value)}"
