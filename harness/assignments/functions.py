"""Importing functions that an assignment file names as `module:function`: references, players, readers, mistakes.

The module is one that Python can import, or the path of a file in the assignment's folder:
`/…/specs/dice/reading.py:read`.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from pitboss.harness.assignments.authored import call
from pitboss.harness.errors import AssignmentError, SpecError

#: The functions found so far, by name; a player is needed again in every session.
_found: dict[str, Any] = {}


def resolved(name: str, what: str) -> Any:
    """The function `module:function`; raises SpecError, naming `what`, if it cannot be imported or called."""
    if name not in _found:
        _found[name] = _resolved(name, what)
    return _found[name]


def _resolved(name: str, what: str) -> Any:
    module_name, _, function_name = name.rpartition(":")
    load = _of_file if module_name.endswith(".py") else importlib.import_module
    importing = f"{what}: {name!r} cannot be imported: it"
    try:
        module = call(importing, load, module_name)
    except AssignmentError as error:
        cause = error.__cause__
        if isinstance(cause, ModuleNotFoundError) and f"{module_name}.".startswith(f"{cause.name}."):
            raise SpecError(f"{what}: {name!r} cannot be imported: {cause}") from None
        raise
    function = call(importing, getattr, module, function_name, None)
    if not callable(function):
        raise SpecError(f"{what}: module {module_name!r} has no function {function_name!r}")
    return function


def name_of_file(path: str) -> str:
    """The name that Python knows the module of a file by."""
    return f"_{Path(path).parent.name}_{Path(path).stem}"


@cache
def _of_file(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name_of_file(path), path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there for what their annotations mean
    spec.loader.exec_module(module)
    return module
