"""Reads names from the files of an assignment: names of functions, programs and files.

The parameter `what` names the value in the message of a SpecError: "reference", "player 'x'".
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from pitboss.assignments.functions import locations_of_package, parse_function_name, qualified_name
from pitboss.assignments.keys import COMMAND, FUNCTION, MODULE
from pitboss.assignments.kinds import mapping
from pitboss.assignments.nodes import Node, Text, kind_of, name_within_limit, text
from pitboss.data import REFERENCE
from pitboss.errors import SpecError, as_found
from pitboss.sandbox.sandbox import conceal


def function_named(node: Node, what: str, folder: Path) -> str:
    """Returns the function that a node names, as folder:module:function; `folder` is searched for the module."""
    if not isinstance(node, Text) or not re.fullmatch(FUNCTION, node.value):
        raise SpecError(f"{node.place}: {what} is {kind_of(node)} — write it as package.module:function")
    module, _, function = name_within_limit(node, node.value, what).partition(":")
    return _qualify_and_conceal(module, function, folder)


def program_named(node: Node, what: str, folder: Path) -> tuple[str, tuple[str, ...]]:
    """Returns a program as a pair: the name of a function and the arguments of a command.

    The node has either a function or a command, so one member of the pair is empty. The paths in a command are made
    absolute.
    """
    if isinstance(node, Text):
        return function_named(node, what, folder), ()
    entries = mapping(node, COMMAND, what)
    command, argv = entries["command"], entries.value("command")
    name_within_limit(command, argv[0], "command")
    if "/" in argv[0]:
        argv = (str((folder / argv[0]).resolve()), *argv[1:])
    return "", tuple(_absolute_argument(argument, folder) for argument in argv)


def _absolute_argument(argument: str, folder: Path) -> str:
    """Returns an argument of a command, made absolute if it is a path that begins with ./ or ../ and exists.

    The path is relative to `folder`. Each part of a search path, such as ./classes:./data, is made absolute too.
    """
    path = folder / argument
    if argument.startswith(("./", "../")) and os.path.exists(path):
        return str(path.resolve())
    return ":".join(_absolute_argument(part, folder) for part in argument.split(":")) if ":" in argument else argument


def is_module(name: str) -> bool:
    """Whether a text can be the name of a Python module."""
    return re.fullmatch(MODULE, name) is not None


def function_in_module(name: str, module: str, folder: Path) -> str:
    """Returns a function of a module, as folder:module:function.

    `name` is the function's name, in which _ may be written as a blank or any other character that is no ASCII letter
    or digit: `roll below 17` for roll_below_17.
    """
    return _qualify_and_conceal(module, re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_"), folder)


def _qualify_and_conceal(module: str, function: str, folder: Path) -> str:
    """Returns the name of a function as folder:module:function, and hides its package from submissions."""
    if module.startswith(f"pitboss.{REFERENCE}."):  # the name of the module in a spec from before version 0.1
        module = module.removeprefix("pitboss.")
    name = qualified_name(module, function, folder)
    for path in locations_of_package(parse_function_name(name)):
        conceal(path)
    return name


def named_file(node: Node, what: str, folder: Path) -> Path:
    """Returns the path of a file that a node names, relative to a folder; SpecError if there is no such file."""
    name = text(node, what)
    try:
        is_file = "\0" not in name and (folder / name).is_file()
    except OSError as error:
        raise SpecError(f"{node.place}: {what} is {as_found(name)} — it cannot be used: {error.strerror}") from error
    if not is_file:
        raise SpecError(f"{node.place}: {what} is {as_found(name)} — there is no such file in {folder}")
    return folder / name
