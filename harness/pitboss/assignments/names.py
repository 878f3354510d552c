"""Reads names from the files of an assignment: names of functions, of files, and names that are displayed.

The parameter `what` names the value in the message of a SpecError: "reference", "player 'x'".
"""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

from pitboss.assignments.functions import locations_of_package, parse_function_name, qualified_name
from pitboss.assignments.keys import COMMAND, FUNCTION, LONGEST_NAME, MODULE
from pitboss.assignments.nodes import Keyed, Node, Text, items, kind_of, mapping, named_entries, text, texts
from pitboss.data import REFERENCE
from pitboss.errors import SpecError, as_found
from pitboss.sandbox.sandbox import conceal

#: The Unicode categories of characters that move a terminal's cursor or end a line, and the bidirectional classes of
#: characters that change the direction of writing. The invisible joiners in emoji and some scripts are in neither, so
#: they are allowed.
_CONTROL_CATEGORIES = {"Cc", "Cs", "Zl", "Zp"}
_DIRECTION_MARKS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def function_named(node: Node, what: str, folder: Path) -> str:
    """Returns the function that a node names, as folder:module:function; `folder` is searched for the module."""
    if not isinstance(node, Text):
        raise SpecError(f"{node.place}: {what} is {kind_of(node)} — write it as package.module:function")
    if not re.fullmatch(FUNCTION, node.value):
        raise SpecError(f"{node.place}: {what} is {as_found(node.value)} — write it as package.module:function")
    module, _, function = name_within_limit(node, node.value, what).partition(":")
    return _qualify_and_conceal(module, function, folder)


def program_named(node: Node, what: str, folder: Path) -> tuple[str, tuple[str, ...]]:
    """Returns a program as a pair: the name of a function and the arguments of a command.

    The node has either a function or a command, so one member of the pair is empty. The paths in a command are made
    absolute.
    """
    if isinstance(node, Text):
        return function_named(node, what, folder), ()
    command = mapping(node, COMMAND, what)["command"]
    argv = texts(command, "command")
    if not argv:
        raise SpecError(f"{command.place}: command is an empty list — it must name a program")
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


def file_name(node: Node, what: str) -> str:
    """Returns the text of a node as the name of a file; raises SpecError if no file can have this name."""
    return name_within_limit(node, text(node, what), what)


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


def name_within_limit(node: Node, name: str, what: str) -> str:
    r"""Returns the name unchanged; raises SpecError, with the location of `node`, if it is too long or contains \0."""
    if len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME or "\0" in name:
        raise SpecError(f"{node.place}: {what} is {as_found(name)} — it must be a name of at most {LONGEST_NAME} bytes")
    return name


def printable_text(node: Node, what: str) -> str:
    """Returns the text of a node if it can be displayed on one line of a terminal; raises SpecError otherwise."""
    return printable_name(node.place, text(node, what), what)


def printable_texts(node: Node, what: str) -> tuple[str, ...]:
    """Returns the texts of a list, which may be empty; raises SpecError if one of them cannot be displayed."""
    for location, name in zip((item.place for item in items(node, what)), texts(node, what), strict=True):
        printable_name(location, name, what)
    return texts(node, what)


def printable_names(node: Node, what: str) -> Keyed:
    """Returns the mapping in a node; raises SpecError if one of its keys cannot be displayed on one line."""
    keyed = named_entries(node, what)
    for name, location in keyed.key_places.items():
        printable_name(location, name, f"a name under {what}")
    return keyed


def printable_name(place: str, name: str, what: str) -> str:
    """Returns the name unchanged; raises SpecError if it cannot be displayed on one line. `place` is its location."""
    reason = unprintable_reason(name)
    if reason:
        raise SpecError(f"{place}: {what} is {as_found(name)} — {reason}")
    return name


def unprintable_reason(name: str) -> str:
    r"""Returns why a name cannot be displayed, as the end of a sentence; an empty text if it can be displayed.

    >>> unprintable_reason("Zwölf \N{MAN}\u200d\N{WOMAN}"), unprintable_reason("a\x1b[2J")
    ('', "it must not have control characters such as '\\x1b'")
    """
    if len(name.splitlines()) > 1 or name != name.strip("\r\n"):
        return "it must be one line; to write it on several lines, begin with >-"
    for character in "" if name.isprintable() else name:
        if (
            unicodedata.category(character) in _CONTROL_CATEGORIES
            or unicodedata.bidirectional(character) in _DIRECTION_MARKS
        ):
            return f"it must not have control characters such as {character!r}"
    return ""
