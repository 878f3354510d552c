"""The languages that programs are handed in: one record for each, which the rooms read.

How a program is built stands in submissions/, under the language's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

import msgspec


class Tool(msgspec.Struct, frozen=True):
    """A command that builds or runs programs."""

    command: str
    #: The Debian packages that bring it.
    packages: tuple[str, ...]


class Language(msgspec.Struct, frozen=True):
    """A language."""

    #: Its name in options and in our files.
    name: str
    #: Its name in a sentence.
    title: str
    #: The suffixes of its sources and of its headers, in lower case, the usual one first.
    suffixes: tuple[str, ...]
    headers: tuple[str, ...] = ()
    #: What people also call it, in small letters.
    also_called: tuple[str, ...] = ()
    #: What builds and runs its programs.
    tools: tuple[Tool, ...] = ()
    #: How an error that nobody caught looks, of the parts that name it; of Python see judging/ending_wording.py.
    uncaught: str = ""

    @property
    def packages(self) -> tuple[str, ...]:
        """The Debian packages that bring all of its tools."""
        return tuple(dict.fromkeys(package for tool in self.tools for package in tool.packages))


_GCC, _GXX = Tool("cc", ("gcc",)), Tool("c++", ("g++",))
_PYTHON = Tool("python3", ("python3",))
_MCS, _MONO = Tool("mcs", ("mono-mcs",)), Tool("mono", ("mono-runtime",))
_JAVAC, _JAVA = Tool("javac", ("default-jdk-headless",)), Tool("java", ("default-jdk-headless",))

_THROWN = r"terminate called after throwing an instance of '([^'\n]+)'(?:\r?\n +what\(\): +([^\n]+))?"
_UNHANDLED = r"Unhandled [Ee]xception[.:]\s+([^\n]+)"  # of .NET and of Mono
#: Only an exception of the main thread ends the program.
_OF_MAIN = r'Exception in thread "main" ([^\n]+)'

#: In the order in which programs in several languages are preferred.
LANGUAGES: Mapping[str, Language] = {
    one.name: one
    for one in (
        Language("c", "C", (".c",), (".h",), (), (_GCC,)),
        Language("cpp", "C++", (".cpp", ".cc", ".cxx"), (".h", ".hpp", ".hh", ".hxx"), ("c++",), (_GXX,), _THROWN),
        Language("python", "Python", (".py",), (), ("py", "python 3", "python3"), (_PYTHON,)),
        Language("csharp", "C#", (".cs",), (), ("c#", "cs"), (_MCS, _MONO), _UNHANDLED),
        Language("java", "Java", (".java",), (), (), (_JAVAC, _JAVA), _OF_MAIN),
        Language("shell", "shell", (".sh",), (), ("sh", "bash")),
    )
}
#: The language of a source by its suffix in lower case, the likeliest suffix first.
BY_SUFFIX: Mapping[str, Language] = {suffix: one for one in LANGUAGES.values() for suffix in one.suffixes}
#: The suffixes of headers.
HEADERS = tuple(dict.fromkeys(suffix for one in LANGUAGES.values() for suffix in one.headers))


def suffix_of(name: str | PurePath) -> str:
    """A file's suffix in lower case: names are compared without case, as Windows and macOS do.

    >>> suffix_of("Hand.CPP")
    '.cpp'
    """
    return PurePath(name).suffix.lower()


def language_of(name: str | PurePath) -> Language | None:
    """The language of a source, by the suffix of its name; None if it is no source in a known language."""
    return BY_SUFFIX.get(suffix_of(name))


def is_c_source(name: str | PurePath) -> bool:
    """Whether a file is a source in C or C++, by its name."""
    one = language_of(name)
    return one is not None and bool(one.headers)


def is_header(name: str | PurePath) -> bool:
    """Whether a file is a header in C or C++, by its name."""
    return suffix_of(name) in HEADERS


def language_called(words: str) -> str:
    """The name here of a language that people call so: C++ is cpp; one that is not known is in small letters."""
    called = words.strip().lower()
    return next((one.name for one in LANGUAGES.values() if called in one.also_called), called)


def packages_of(command: str) -> str:
    """The Debian packages that bring a command, as `apt install` takes them."""
    tools = (tool for one in LANGUAGES.values() for tool in one.tools if tool.command == command)
    return " ".join(next((tool.packages for tool in tools), (command,)))
