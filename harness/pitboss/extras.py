"""The libraries that only some commands need: an extra of pyproject.toml installs them, and one may be missing.

A module that uses such a library imports it when it is used, and asks `missing_for` before.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import NamedTuple


class ExtraLibrary(NamedTuple):
    """A library of an extra."""

    #: The name that people know it by.
    title: str
    #: The extra of pyproject.toml that installs it.
    extra: str


#: By the name that is imported.
LIBRARIES: Mapping[str, ExtraLibrary] = {
    "distributed": ExtraLibrary("Dask", "cluster"),
    **{
        f"tree_sitter{language}": ExtraLibrary(f"tree-sitter{language.replace('_', '-')}", "constructs")
        for language in ("", "_c", "_cpp", "_c_sharp", "_java", "_python", "_rust")
    },
    "lizard": ExtraLibrary("lizard", "review"),
    "markdown_it": ExtraLibrary("markdown-it-py", "review"),
    "starlette": ExtraLibrary("starlette", "review"),
    "uvicorn": ExtraLibrary("uvicorn", "review"),
}


def missing_for(what: str, *names: str) -> str:
    """A message that `what` needs the libraries that are missing, and how to install them; empty if none is."""
    missing = [LIBRARIES[name] for name in names if find_spec(name) is None]
    if not missing:
        return ""
    titles = " and ".join(library.title for library in missing)
    are = "is" if len(missing) == 1 else "are"
    return f"{what} needs {titles}, which {are} not installed here: pip install 'pitboss[{missing[0].extra}]'"
