"""The languages of submissions: a record for each, which all packages read.

To add a language, add a module with its record and its name to the list below; skeletons for starter kits are in
student_templates/. A language that takes more than a command to build also has a module in submissions/.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

from pitboss.model.languages.c import C
from pitboss.model.languages.cpp import CPP
from pitboss.model.languages.csharp import CSHARP
from pitboss.model.languages.java import JAVA
from pitboss.model.languages.language import Language
from pitboss.model.languages.lua import LUA
from pitboss.model.languages.python import PYTHON
from pitboss.model.languages.rust import RUST
from pitboss.model.languages.shell import SHELL

#: In the order in which programs in several languages are preferred.
LANGUAGES: Mapping[str, Language] = {one.name: one for one in (C, CPP, PYTHON, CSHARP, JAVA, RUST, LUA, SHELL)}
#: The commands that build and run programs.
TOOLS = tuple(dict.fromkeys(tool.command for one in LANGUAGES.values() for tool in one.tools))
#: The language of a source by its suffix in lower case, the likeliest suffix first.
BY_SUFFIX: Mapping[str, Language] = {suffix: one for one in LANGUAGES.values() for suffix in one.suffixes}
#: The constructs that are searched for in any language, except calls of a function by its name.
CONSTRUCTS = tuple(sorted({name for one in LANGUAGES.values() for name in one.constructs} - {"call"}))
#: The suffixes of headers.
HEADERS = tuple(dict.fromkeys(suffix for one in LANGUAGES.values() for suffix in one.headers))


def suffix_of(name: str | PurePath) -> str:
    """Returns a file's suffix in lower case: names are compared without case, as on Windows and macOS.

    >>> suffix_of("Hand.CPP")
    '.cpp'
    """
    return PurePath(name).suffix.lower()


def language_of(name: str | PurePath) -> Language | None:
    """Returns the language of a source by the suffix of its name; None if it is not a source in a known language."""
    return BY_SUFFIX.get(suffix_of(name))


def is_c_source(name: str | PurePath) -> bool:
    """Whether a file is a source in C or C++, by its name."""
    one = language_of(name)
    return one is not None and bool(one.headers)


def is_header(name: str | PurePath) -> bool:
    """Whether a file is a header in C or C++, by its name."""
    return suffix_of(name) in HEADERS


def language_called(words: str) -> str:
    """Returns our name of a language: cpp for C++; an unknown language is returned in lower case."""
    called = words.strip().lower()
    return next((one.name for one in LANGUAGES.values() if called in one.also_called), called)


def packages_of(command: str) -> str:
    """Returns the Debian packages that provide a command, as arguments of `apt install`."""
    tools = (tool for one in LANGUAGES.values() for tool in one.tools if tool.command == command)
    return " ".join(next((tool.packages for tool in tools), (command,)))
