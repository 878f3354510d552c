"""Names in the files of an assignment: of functions, of files, and names that are displayed."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

from pitboss.assignments.functions import parts_of, places_of_package, qualified_name
from pitboss.assignments.keys import COMMAND, FUNCTION, LONGEST_NAME, MODULE
from pitboss.assignments.nodes import items, kind_of, mapping, named_entries, text, texts
from pitboss.assignments.yamlfile import Keyed, Node, Text
from pitboss.data import REFERENCE
from pitboss.errors import SpecError, as_found
from pitboss.sandbox.concealment import conceal

#: Characters that move a terminal's cursor, end a line or change the direction of writing. The joiners in emoji and
#: some scripts are allowed.
_CONTROL_CATEGORIES = {"Cc", "Cs", "Zl", "Zp"}
_DIRECTION_MARKS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def function_named(node: Node, what: str, folder: Path) -> str:
    """Returns a function's name with the folder to search for its module: see `functions`."""
    if not isinstance(node, Text):
        raise SpecError(f"{node.place}: {what} is {kind_of(node)} — write it as package.module:function")
    if not re.fullmatch(FUNCTION, node.value):
        raise SpecError(f"{node.place}: {what} is {as_found(node.value)} — write it as package.module:function")
    module, _, function = short_name(node, node.value, what).partition(":")
    return _concealed_name(module, function, folder)


def program_named(node: Node, what: str, folder: Path) -> tuple[str, tuple[str, ...]]:
    """Returns a function and a command, of which the node names one; the other is empty. Paths are made absolute."""
    if isinstance(node, Text):
        return function_named(node, what, folder), ()
    command = mapping(node, COMMAND, what)["command"]
    argv = texts(command, "command")
    if not argv:
        raise SpecError(f"{command.place}: command is an empty list — it names a program")
    short_name(command, argv[0], "command")
    if "/" in argv[0]:
        argv = (str((folder / argv[0]).resolve()), *argv[1:])
    return "", tuple(_absolute_argument(argument, folder) for argument in argv)


def _absolute_argument(argument: str, folder: Path) -> str:
    """Returns an argument of a command; as an absolute path if it begins with ./ or ../ and exists in the folder.

    Each part of a search path, such as ./classes:./data, is made absolute too.
    """
    path = folder / argument
    if argument.startswith(("./", "../")) and os.path.exists(path):
        return str(path.resolve())
    return ":".join(_absolute_argument(part, folder) for part in argument.split(":")) if ":" in argument else argument


def is_module(name: str) -> bool:
    """Whether this can be the name of a module."""
    return re.fullmatch(MODULE, name) is not None


def function_called(name: str, module: str, folder: Path) -> str:
    """Returns the name of a module's function, given with blanks: `hit below 17` is `hit_below_17`."""
    return _concealed_name(module, re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_"), folder)


def _concealed_name(module: str, function: str, folder: Path) -> str:
    """Returns the name of a function, and hides its package from submissions."""
    if module.startswith(f"pitboss.{REFERENCE}."):  # specs that were copied before version 0.1 still have this prefix
        module = module.removeprefix("pitboss.")
    name = qualified_name(module, function, folder)
    for path in places_of_package(parts_of(name)):
        conceal(path)
    return name


def file_name(node: Node, what: str) -> str:
    """Returns the name of a file; raises SpecError if it cannot be one."""
    return short_name(node, text(node, what), what)


def named_file(node: Node, what: str, folder: Path) -> Path:
    """Returns the file below a folder that a node names; raises SpecError if it cannot be used."""
    name = text(node, what)
    try:
        is_file = "\0" not in name and (folder / name).is_file()
    except OSError as error:
        raise SpecError(f"{node.place}: {what} is {as_found(name)} — it cannot be used: {error.strerror}") from error
    if not is_file:
        raise SpecError(f"{node.place}: {what} is {as_found(name)} — there is no such file in {folder}")
    return folder / name


def short_name(node: Node, name: str, what: str) -> str:
    """Returns the name if a file can have it; raises SpecError otherwise."""
    if len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME or "\0" in name:
        raise SpecError(f"{node.place}: {what} is {as_found(name)} — it must be a name of at most {LONGEST_NAME} bytes")
    return name


def printable_text(node: Node, what: str) -> str:
    """Returns the text of a node if it can be displayed on one line of a terminal; raises SpecError otherwise."""
    return printable_name(node.place, text(node, what), what)


def printable_texts(node: Node, what: str) -> tuple[str, ...]:
    """Returns a list of texts if all can be displayed; a text may be empty."""
    for location, name in zip((item.place for item in items(node, what)), texts(node, what), strict=True):
        printable_name(location, name, what)
    return texts(node, what)


def printable_names(node: Node, what: str) -> Keyed:
    """Returns a mapping whose keys may be any names that can be displayed."""
    keyed = named_entries(node, what)
    for name, location in keyed.key_places.items():
        printable_name(location, name, f"a name under {what}")
    return keyed


def printable_name(place: str, name: str, what: str) -> str:
    """Returns the name if it can be displayed on one line; raises SpecError otherwise."""
    reason = unprintable_reason(name)
    if reason:
        raise SpecError(f"{place}: {what} is {as_found(name)} — {reason}")
    return name


def unprintable_reason(name: str) -> str:
    r"""Returns why a name cannot be displayed, as the end of a sentence; empty if it can.

    >>> unprintable_reason("Zwölf \N{MAN}\u200d\N{WOMAN}"), unprintable_reason("a\x1b[2J")
    ('', "it must not have control characters such as '\\x1b'")
    """
    if len(name.splitlines()) > 1 or name != name.strip("\r\n"):
        return "it must be one line; folded text begins with >-"
    for character in "" if name.isprintable() else name:
        if (
            unicodedata.category(character) in _CONTROL_CATEGORIES
            or unicodedata.bidirectional(character) in _DIRECTION_MARKS
        ):
            return f"it must not have control characters such as {character!r}"
    return ""
