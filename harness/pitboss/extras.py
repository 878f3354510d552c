"""The optional libraries, which only some commands need: each is installed by an extra of pyproject.toml.

An optional library is imported only when it is needed, after a call of `missing_for`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import NamedTuple


class ExtraLibrary(NamedTuple):
    """An optional library."""

    #: The name of the library in messages.
    title: str
    #: The extra of pyproject.toml that installs the library.
    extra: str


#: The optional libraries, by the name of the module to import.
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
    """Returns a message that `what` needs optional libraries that are missing, and how to install them.

    `names` are the modules that `what` imports, all from the same extra. The message is empty if all are installed.
    """
    missing = [LIBRARIES[name] for name in names if find_spec(name) is None]
    if not missing:
        return ""
    titles = " and ".join(library.title for library in missing)
    verb = "is" if len(missing) == 1 else "are"
    return f"{what} needs {titles}, which {verb} not installed here: pip install 'pitboss[{missing[0].extra}]'"
