"""Finding what an assignment file names as `module:function`: the one way to a reference, its players and readers.

The module is one that Python finds, or a file beside the assignment, as its path: `/…/specs/dice/reading.py:read`.
"""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from harness.errors import SpecError


def resolved(name: str, what: str) -> Any:
    """The function called `module:function`; SpecError, in the name of `what`, when there is none."""
    module_name, _, function_name = name.rpartition(":")
    try:
        module = _of_file(module_name) if module_name.endswith(".py") else importlib.import_module(module_name)
    except Exception as error:  # whatever it does when it is imported
        raise SpecError(f"{what}: {name!r} cannot be imported: {error}") from error
    function = getattr(module, function_name, None)
    if not callable(function):
        raise SpecError(f"{what}: module {module_name!r} has no function {function_name!r}")
    return function


@cache
def _of_file(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"_{Path(path).parent.name}_{Path(path).stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
