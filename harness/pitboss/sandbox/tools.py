"""Finds the commands that build and run programs, wherever they are installed, and the folders that they need.

The first command on the user's PATH is used; after PATH, JAVA_HOME, CARGO_HOME, DOTNET_ROOT and RUSTUP_HOME count.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from glob import escape, glob
from pathlib import Path

import msgspec

from pitboss.model.languages import TOOLS
from pitboss.sandbox import sandbox
from pitboss.sandbox.sandbox import SYSTEM_FOLDERS, Level, concealed_path_in, interpreter_folders, is_within

#: The commands that builds call, also by a makefile. Python is not among them: see `interpreter` in toolchains.py.
BUILD_TOOLS = (
    *(name for name in TOOLS if name != "python3"),
    *("gcc", "g++", "clang", "clang++", "as", "ld", "ar", "make", "cmake", "ninja"),
    *("jar", "cargo", "go", "node", "sh", "bash"),
)
#: The system's folders on the PATH of confined programs.
_SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")
#: Stores whose packages use one another. A prefix of Homebrew is recognized by its Cellar.
_SHARED_STORES = ("/nix/store", "/gnu/store", "/snap", "/opt/local")
#: The variables that decide which command is found.
_VARIABLES = ("PATH", "JAVA_HOME", "CARGO_HOME", "DOTNET_ROOT", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "HOME")
#: For commands that rustup, asdf and others install as proxies: what the folder of a toolchain itself contains, a
#: command that a proxy passes on, and that folder in its output.
_RUST = ("lib/rustlib", "rustc --print sysroot", r"^(/.*)")
_JAVA = ("lib/jvm.cfg", "java -XshowSettings:properties -version", r"java\.home = (/.*)")
_DOTNET = ("host/fxr", "dotnet --list-sdks", r"\[(/.*)/sdk\]")
_PROXIED = {"rustc": _RUST, "cargo": _RUST, "java": _JAVA, "javac": _JAVA, "jar": _JAVA, "dotnet": _DOTNET}


class InstalledTool(msgspec.Struct, frozen=True):
    """A command of this machine."""

    name: str
    #: The path to call.
    path: str
    #: The folder that the command needs; empty if it is one of the system's, which every sandbox shows.
    folder: str
    #: The folder on the PATH, or named by a variable, in which the command was found.
    found_in: str

    def refusal(self, level: Level) -> str:
        """Why programs at this level cannot use the command, as a clause with the remedy; empty if they can."""
        if level is Level.NONE or not self.folder:
            return ""
        if private_path := _private_path_in(self.folder):
            reason = "" if private_path == self.folder else f", since {private_path} is in it"
            return f"{self.name} needs {self.folder}, which no submission may see{reason}: install it in its own folder"
        top, uses_other_user, remedy = "/", sandbox.may_become_others(), "use bubblewrap"
        if level is Level.BUBBLEWRAP:  # which has folders of its own above the one that it shows
            top, uses_other_user, remedy = self.folder, sandbox.can_switch_users_inside(), "install it for all users"
        folders = [str(parent) for parent in reversed(Path(self.path).parents) if is_within(str(parent), top)]
        closed = next((folder for folder in folders if uses_other_user and not os.stat(folder).st_mode & 1), "")
        reason = f"the user that programs run as cannot enter {closed}: chmod o+x {closed}, or {remedy}"
        return f"{self.name} is in {self.folder}, but {reason}" if closed else ""


def find_tool(name: str) -> InstalledTool | None:
    """The command of this name or path that is used here; None if it is not installed."""
    return _find_tool(name, tuple(os.environ.get(variable, "") for variable in _VARIABLES))


def search_path() -> str:
    """The PATH of confined programs: the folders of the usable BUILD_TOOLS and the system's, in the user's order."""
    tools = [tool for tool in map(find_tool, BUILD_TOOLS) if tool and not _private_path_in(tool.folder)]
    folders: list[str] = []
    for place in _places():
        folders += [place] if place in _SYSTEM_PATH else [os.path.dirname(t.path) for t in tools if t.found_in == place]
    return os.pathsep.join(dict.fromkeys((*folders, *_SYSTEM_PATH)))


def readable_folders(*more: str) -> tuple[str, ...]:
    """The folders outside the system that confined programs may read: the interpreter's, the tools' and `more`."""
    folders = {tool.folder for tool in map(find_tool, BUILD_TOOLS) if tool}
    return (*interpreter_folders(), *sorted(path for path in folders if path and not _private_path_in(path)), *more)


def _places() -> list[str]:
    """The folders in which commands are searched for, without those of our own virtual environment."""
    path, java, cargo, dotnet, rustup, toolchain = (os.environ.get(name, "") for name in _VARIABLES[:-1])
    toolchains = sorted(glob(f"{escape(rustup)}/toolchains/{escape(toolchain)}*/bin"), reverse=True) if rustup else []
    places = [*path.split(os.pathsep), *(f"{home}/bin" for home in (java, cargo) if home), dotnet, *toolchains]
    own = sys.prefix if sys.prefix != sys.base_prefix else os.devnull
    return [place.rstrip("/") for place in places if os.path.isabs(place) and not is_within(place, own)]


@cache
def _find_tool(name: str, values: tuple[str, ...]) -> InstalledTool | None:
    """As `find_tool`, for these values of _VARIABLES."""
    found = shutil.which(name, path=os.pathsep.join(_places()))
    if found is None:
        return None
    path, place, own = found, os.path.dirname(found), os.path.dirname(os.path.realpath(found))
    if name in _PROXIED and not any(os.path.exists(f"{home}/{_PROXIED[name][0]}") for home in (own, f"{own}/..")):
        home = _folder_behind_proxies(place, *_PROXIED[name][1:], values)
        path = shutil.which(f"{home}/bin/{name}") or shutil.which(f"{home}/{name}") or found
    # Links are followed only as far as necessary, since commands such as clang++ behave according to their name.
    while True:
        path = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        folder = _folder_of(path)
        shown = SYSTEM_FOLDERS if not folder or _private_path_in(folder) else (*SYSTEM_FOLDERS, folder)
        is_shown = all(any(is_within(end, root) for root in shown) for end in (path, os.path.realpath(path)))
        if is_shown or not os.path.islink(path):
            return InstalledTool(os.path.basename(name), path, folder, place)
        path = os.path.join(os.path.dirname(path), os.readlink(path))


@cache
def _folder_behind_proxies(place: str, command: str, answer: str, _: tuple[str, ...]) -> str:
    """The folder of the toolchain that the proxies in a folder start; the folder itself if they do not answer."""
    name, *arguments = command.split()
    argv, environment = [os.path.join(place, name), *arguments], {**os.environ, "RUSTUP_AUTO_INSTALL": "0"}
    try:  # in the root folder: rust-toolchain.toml in another one could name any program
        run = subprocess.run(argv, cwd="/", env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return place
    match = re.search(answer, os.fsdecode(run.stdout + run.stderr), re.MULTILINE)
    return match[1] if match else place


def _folder_of(path: str) -> str:
    """The folder that the command at a path needs; empty if it is one of the system's."""
    if any(is_within(path, folder) for folder in SYSTEM_FOLDERS):
        return ""
    own, *outer = (str(parent) for parent in Path(path).parents)
    shared = (parent for parent in outer if parent in _SHARED_STORES or os.path.isdir(f"{parent}/Cellar"))
    return next(shared, outer[0] if os.path.basename(own) == "bin" else own)


def _private_path_in(folder: str) -> str:
    """A path in this folder, or the folder itself, that no submission may see; empty if there is none."""
    if not folder or any(is_within(folder, shown) for shown in interpreter_folders()):
        return ""
    home = os.path.realpath(os.path.expanduser("~"))
    others = folder if os.path.dirname(folder) == "/home" else concealed_path_in(folder)
    # In .local/share are the data of the user's programs, in .cargo the user's password for crates.io.
    private_paths = (home, f"{home}/.local/share", f"{home}/.cargo", sys.prefix)
    return next((path for path in private_paths if is_within(path, folder)), others)
