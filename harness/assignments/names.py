"""Names in assignment.yaml of functions and files, read as values."""

from __future__ import annotations

import re
from pathlib import Path

from harness.assignments.nodes import kind_of, text
from harness.assignments.yamlfile import Node, Text
from harness.errors import SpecError, as_found

_FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
#: Linux allows 255 bytes for one part of a path; this leaves room for a suffix.
_LONGEST_NAME = 200


def function_named(node: Node, what: str, folder: Path) -> str:
    """A function's name; its module becomes a path if the folder has a file of that name."""
    if not isinstance(node, Text):
        raise SpecError(f"{node.place}: {what} is {kind_of(node)} — it is written package.module:function")
    if not _FUNCTION.fullmatch(node.value):
        raise SpecError(f"{node.place}: {what} is {as_found(node.value)} — it is written package.module:function")
    module, _, function = short_name(node, node.value, what).partition(":")
    return f"{_module(module, folder)}:{function}"


def is_module(name: str) -> bool:
    """Whether a name can be that of a module."""
    return _MODULE.fullmatch(name) is not None


def function_called(name: str, module: str, folder: Path) -> str:
    """The function of a module that has a name in words: `hit below 17` is `hit_below_17`."""
    return f"{_module(module, folder)}:{re.sub(r'[^A-Za-z0-9]+', '_', name).strip('_')}"


def _module(module: str, folder: Path) -> str:
    beside = folder.resolve() / f"{module}.py"
    return str(beside) if beside.is_file() else module


def file_name(node: Node, what: str) -> str:
    """The name of a file."""
    return short_name(node, text(node, what), what)


def short_name(node: Node, name: str, what: str) -> str:
    """The name, if a file can have it; raises SpecError otherwise."""
    if len(name.encode("utf-8", "surrogatepass")) > _LONGEST_NAME or "\0" in name:
        raise SpecError(f"{node.place}: {what} is {as_found(name)} — it is a name of at most {_LONGEST_NAME} bytes")
    return name
