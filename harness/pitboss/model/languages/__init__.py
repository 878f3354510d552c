"""The languages of submissions: one record for each language, used by all packages.

To add a language, write a module with its record, and add the record to LANGUAGES. Skeletons for starter kits are in
student_templates/. A language that needs more than one command to build also has a module in submissions/.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

from pitboss.model.languages.c import C
from pitboss.model.languages.cpp import CPP
from pitboss.model.languages.csharp import CSHARP
from pitboss.model.languages.java import JAVA
from pitboss.model.languages.language import Language, Tool
from pitboss.model.languages.lua import LUA
from pitboss.model.languages.python import PYTHON
from pitboss.model.languages.rust import RUST
from pitboss.model.languages.shell import SHELL

#: The languages by name. If a submission has programs in several languages, the first of them here is preferred.
LANGUAGES: Mapping[str, Language] = {
    language.name: language for language in (C, CPP, PYTHON, CSHARP, JAVA, RUST, LUA, SHELL)
}
#: The commands that build and run programs in any language.
TOOLS = tuple(dict.fromkeys(tool.command for language in LANGUAGES.values() for tool in language.tools))
#: The language of a source by the source's suffix in lower case; preferred languages and usual suffixes come first.
BY_SUFFIX: Mapping[str, Language] = {
    suffix: language for language in LANGUAGES.values() for suffix in language.suffixes
}
#: All constructs that can be searched for in at least one language, except calls of a function by its name.
CONSTRUCTS = tuple(sorted({name for language in LANGUAGES.values() for name in language.constructs} - {"call"}))
#: The suffixes of header files in C and C++.
HEADERS = tuple(dict.fromkeys(suffix for language in LANGUAGES.values() for suffix in language.headers))


def suffix_of(name: str | PurePath) -> str:
    """Returns a file's suffix in lower case: names are compared without case, as on Windows and macOS.

    >>> suffix_of("Hand.CPP")
    '.cpp'
    """
    return PurePath(name).suffix.lower()


def language_of(name: str | PurePath) -> Language | None:
    """Returns the language of a source by the suffix of its name; None if the suffix belongs to no known language."""
    return BY_SUFFIX.get(suffix_of(name))


def is_c_source(name: str | PurePath) -> bool:
    """Whether a file is a source in C or C++, by its name."""
    language = language_of(name)
    return language is not None and bool(language.headers)  # no other language has header files


def is_header(name: str | PurePath) -> bool:
    """Whether a file is a header in C or C++, by its name."""
    return suffix_of(name) in HEADERS


def language_name_for(name: str) -> str:
    """Returns the name in LANGUAGES of a language, such as cpp for C++; an unknown name is returned in lower case."""
    lowered = name.strip().lower()
    return next((language.name for language in LANGUAGES.values() if lowered in language.also_called), lowered)


def install_hint(*commands: str) -> str:
    """Returns how to install commands, as a clause such as “on Debian: apt install gcc make”."""
    tools = {tool.command: tool for language in LANGUAGES.values() for tool in language.tools}
    chosen = [tools.get(command, Tool(command, (command,))) for command in commands]
    packages = dict.fromkeys(package for tool in chosen if not tool.install_hint for package in tool.packages)
    debian_hint = f"on Debian: apt install {' '.join(packages)}" if packages else ""
    return "; ".join(filter(None, (debian_hint, *dict.fromkeys(tool.install_hint for tool in chosen))))
