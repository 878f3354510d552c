"""Names in the files of an assignment: of functions, of files, and those that are displayed."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

from pitboss.assignments.functions import parts_of, places_of_package, qualified
from pitboss.assignments.keys import COMMAND, FUNCTION, LONGEST_NAME, MODULE
from pitboss.assignments.nodes import items, kind_of, mapping, named, text, texts
from pitboss.assignments.yamlfile import Keyed, Node, Text
from pitboss.data import REFERENCE
from pitboss.errors import SpecError, as_found
from pitboss.sandbox.concealment import conceal

#: Characters that move a terminal's cursor, end a line or change the direction of writing. The joiners in emoji and
#: some scripts are allowed.
_NEVER_SHOWN = {"Cc", "Cs", "Zl", "Zp"}
_TURNS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def function_named(node: Node, what: str, folder: Path) -> str:
    """Returns a function's name, with the folder where its module is searched: see `functions`."""
    if not isinstance(node, Text):
        raise SpecError(f"{node.place}: {what} is {kind_of(node)} — it is written package.module:function")
    if not re.fullmatch(FUNCTION, node.value):
        raise SpecError(f"{node.place}: {what} is {as_found(node.value)} — it is written package.module:function")
    module, _, function = short_name(node, node.value, what).partition(":")
    return _found(module, function, folder)


def program_named(node: Node, what: str, folder: Path) -> tuple[str, tuple[str, ...]]:
    """Returns the function or the command that a node names; the other one is empty. Paths are made absolute."""
    if isinstance(node, Text):
        return function_named(node, what, folder), ()
    command = mapping(node, COMMAND, what)["command"]
    argv = texts(command, "command")
    if not argv:
        raise SpecError(f"{command.place}: command is an empty list — it names a program")
    short_name(command, argv[0], "command")
    if "/" in argv[0]:
        argv = (str((folder / argv[0]).resolve()), *argv[1:])
    return "", tuple(_in_folder(word, folder) for word in argv)


def _in_folder(word: str, folder: Path) -> str:
    """A word of a command; if it begins with ./ or ../ and exists in the assignment's folder, as an absolute path.

    The same applies to each part of a search path, such as ./classes:./data.
    """
    path = folder / word
    if word.startswith(("./", "../")) and os.path.exists(path):
        return str(path.resolve())
    return ":".join(_in_folder(part, folder) for part in word.split(":")) if ":" in word else word


def is_module(name: str) -> bool:
    """Whether a name can be that of a module."""
    return re.fullmatch(MODULE, name) is not None


def function_called(name: str, module: str, folder: Path) -> str:
    """Returns the function of a module by its name in words: `hit below 17` is `hit_below_17`."""
    return _found(module, re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_"), folder)


def _found(module: str, function: str, folder: Path) -> str:
    """The name of a function; its package is hidden from submissions."""
    if module.startswith(f"pitboss.{REFERENCE}."):  # as copies of our specs from before 0.1 name it
        module = module.removeprefix("pitboss.")
    name = qualified(module, function, folder)
    for place in places_of_package(parts_of(name)):
        conceal(place)
    return name


def file_name(node: Node, what: str) -> str:
    """Returns the name of a file."""
    return short_name(node, text(node, what), what)


def named_file(node: Node, what: str, folder: Path) -> Path:
    """Returns the file below a folder that a node names; raises SpecError, with the place, if it cannot be used."""
    name = text(node, what)
    try:
        is_file = "\0" not in name and (folder / name).is_file()
    except OSError as error:
        raise SpecError(f"{node.place}: {what} is {as_found(name)} — it cannot be used: {error.strerror}") from error
    if not is_file:
        raise SpecError(f"{node.place}: {what} is {as_found(name)} — there is no such file in {folder}")
    return folder / name


def short_name(node: Node, name: str, what: str) -> str:
    """Returns the name, if a file can have it; raises SpecError otherwise."""
    if len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME or "\0" in name:
        raise SpecError(f"{node.place}: {what} is {as_found(name)} — it is a name of at most {LONGEST_NAME} bytes")
    return name


def printable_text(node: Node, what: str) -> str:
    """Returns a text that can be displayed on one line, also in a terminal; raises SpecError for any other."""
    return printable_name(node.place, text(node, what), what)


def printable_texts(node: Node, what: str) -> tuple[str, ...]:
    """Returns a list of texts that can be displayed; a text may be empty."""
    for place, name in zip((one.place for one in items(node, what)), texts(node, what), strict=True):
        printable_name(place, name, what)
    return texts(node, what)


def printable_names(node: Node, what: str) -> Keyed:
    """Returns a mapping whose keys can be any names that can be displayed."""
    found = named(node, what)
    for name, place in found.key_places.items():
        printable_name(place, name, f"a name under {what}")
    return found


def printable_name(place: str, name: str, what: str) -> str:
    """Returns the name, if it can be displayed on one line; raises SpecError otherwise."""
    wrong = what_is_unprintable(name)
    if wrong:
        raise SpecError(f"{place}: {what} is {as_found(name)} — {wrong}")
    return name


def what_is_unprintable(name: str) -> str:
    r"""Returns why a name cannot be displayed, as the end of a sentence; empty if it can.

    >>> what_is_unprintable("Zwölf \N{MAN}\u200d\N{WOMAN}"), what_is_unprintable("a\x1b[2J")
    ('', "it has no control characters, as '\\x1b' is")
    """
    if len(name.splitlines()) > 1 or name != name.strip("\r\n"):
        return "it is one line; a folded one begins with >-"
    for one in "" if name.isprintable() else name:
        if unicodedata.category(one) in _NEVER_SHOWN or unicodedata.bidirectional(one) in _TURNS:
            return f"it has no control characters, as {one!r} is"
    return ""
