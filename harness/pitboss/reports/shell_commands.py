"""The commands that a report tells its reader to type, quoted for a shell."""

from __future__ import annotations

import shlex

from pitboss.assignments.answers import Rerun


def command(verb: str, folder: str, *words: str) -> str:
    """A pitboss command for the programs of a folder, which is empty where that is the working folder.

    >>> command("check", "class/ada", "sums", "--seed 3")
    'pitboss check class/ada sums --seed 3'
    """
    return " ".join(("pitboss", verb, *([shlex.quote(folder)] if folder else []), *words))


def rerun_command(rerun: Rerun, folder: str = "", verb: str = "check") -> str:
    """The command that runs one session again, or does something else with it.

    >>> rerun_command(Rerun("sums", "sums", seed=-3, answers="hs"), "class/a b")
    "pitboss check 'class/a b' sums --assignment sums --seed=-3 --answers hs"
    >>> rerun_command(Rerun("sums", "sums", session="two doors"), verb="explain")
    "pitboss explain sums --assignment sums --case 'two doors'"
    """
    words = [rerun.stage, option("--assignment", rerun.assignment)]
    if rerun.given:
        words.append(option("--given", rerun.given))
    if rerun.session:
        words.append(option("--case", rerun.session))
    if rerun.is_hidden:
        words.append("--hidden")
    if rerun.seed is not None:
        words.append(option("--seed", str(rerun.seed)))
    if rerun.answers is not None:
        words.append(option("--answers", rerun.answers))
    if rerun.player:
        words.append(option("--player", rerun.player))
    return command(verb, folder, *words)


def option(name: str, value: str) -> str:
    """An option and its value, quoted for a shell; with `=` if the value would be read as another option."""
    return f"{name}={shlex.quote(value)}" if value.startswith("-") else f"{name} {shlex.quote(value)}"
