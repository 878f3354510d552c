"""The external commands that tests need: one table for the tests, for ./setup --all and for .ci/run.

Run as `python3 tests/parts.py`, it prints on one line the Debian packages of the parts that are missing here. It uses
only the standard library, because it runs before anything is installed.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple


class Part(NamedTuple):
    """A tool on the machine: the commands that must be on the path, and the Debian packages that install them."""

    commands: tuple[str, ...]
    #: Empty if Debian has no package for it.
    packages: str

    @property
    def is_missing(self) -> bool:
        """Whether one of its commands is not on the path."""
        return any(shutil.which(command) is None for command in self.commands)


#: No test runs without these; the PARTS are needed only by the tests that name them. A test may also need "root",
#: which no package provides: see conftest.refusal_of.
BASE = (Part(("cc",), "gcc"), Part(("make",), "make"), Part(("patch",), "patch"))
PARTS = {
    "C++": Part(("c++",), "g++"),
    "bubblewrap": Part(("bwrap",), "bubblewrap"),
    "musl": Part(("musl-gcc",), "musl-tools"),
    # Debian has no package for it: see NO_PACKAGE.
    ".NET": Part(("dotnet",), ""),
    "ICU": Part(("uconv",), "icu-devtools"),  # brings libicu
    "Java": Part(("javac", "java"), "default-jdk-headless"),
    "Rust": Part(("rustc",), "rustc"),
    "CMake": Part(("cmake",), "cmake"),
    "Cargo": Part(("cargo", "rustc"), "cargo"),
    "Lua": Part(("lua5.4", "luac5.4"), "lua5.4"),
    "git": Part(("git",), "git"),
    "Chromium": Part(("chromium",), "chromium"),
    "valgrind": Part(("valgrind.bin",), "valgrind"),  # Debian's `valgrind` is a script around the program itself
}
#: How to install the parts for which Debian has no package.
NO_PACKAGE = {".NET": "on Ubuntu: apt install dotnet-sdk-8.0; on Debian: Microsoft's dotnet-install.sh"}
_SUFFIXES = {".cpp": "C++", ".cc": "C++", ".cxx": "C++", ".cs": ".NET", ".java": "Java", ".rs": "Rust", ".lua": "Lua"}
_LANGUAGES = {
    "cpp": "C++",
    "csharp": ".NET",
    "java": "Java",
    "rust": "Rust",
    "lua": "Lua",
    "C++": "C++",
    "C#": ".NET",
    "Java": "Java",
    "Rust": "Rust",
    "Lua": "Lua",
}


def missing_packages() -> list[str]:
    """The packages of all parts that are missing here."""
    return [part.packages for part in (*BASE, *PARTS.values()) if part.is_missing and part.packages]


def required_compilers(folder: Path) -> tuple[str, ...]:
    """The parts that are needed to build the programs of a folder."""
    suffixes = {path.suffix for path in folder.iterdir()}
    return tuple(sorted({part for suffix, part in _SUFFIXES.items() if suffix in suffixes}))


def parts_in(value: object) -> tuple[str, ...]:
    """The parts that a test with this parameter needs: it may be a folder of programs, a language or a sandbox."""
    if isinstance(value, Path):
        return required_compilers(value) if value.is_dir() else ()
    if value == "root":  # the user that pitboss runs as
        return ("root",)
    if "bubblewrap" in str(value).lower():  # the name of a sandbox, or a sandbox itself
        return ("bubblewrap",)
    return (_LANGUAGES[value],) if isinstance(value, str) and value in _LANGUAGES else ()


if __name__ == "__main__":
    print(*missing_packages())
