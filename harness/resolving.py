"""Finding what an assignment file names as `module:function`: the one way to a reference and its players."""

from __future__ import annotations

import importlib
from typing import Any

from harness.errors import SpecError


def resolved(name: str, what: str) -> Any:
    """The function called `module:function`; SpecError, in the name of `what`, when there is none."""
    module_name, _, function_name = name.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise SpecError(f"{what}: {name!r} cannot be imported: {error}") from error
    function = getattr(module, function_name, None)
    if not callable(function):
        raise SpecError(f"{what}: module {module_name!r} has no function {function_name!r}")
    return function
