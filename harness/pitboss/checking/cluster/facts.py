"""What a worker must have in common with the machine that asks: versions, compilers, the sandbox, as texts."""

from __future__ import annotations

import importlib.metadata
import platform
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor

import msgspec

from pitboss.errors import as_found
from pitboss.model.languages import TOOLS
from pitboss.sandbox.surroundings import digest_of_pitboss
from pitboss.sessions.drivers import Conditions, find_conditions
from pitboss.sessions.programs import ENVIRONMENT

#: What a script may ask for by name, which finds it elsewhere.
_OF_SCRIPTS = ("python3", "bash")
#: What builds programs, runs them and confines them; each tells its version if asked for --version.
_TOOLS = (
    *(tool for tool in TOOLS if tool not in _OF_SCRIPTS),
    *("make", "ld", "dotnet", "bwrap", "valgrind"),
)
_MISSING, _SILENT = "missing", "there, of a version that it does not tell"
_TELLING_S = 30
_DIGITS = 10


def facts_here(conditions: Conditions, installed: Iterable[str]) -> dict[str, str]:
    """The facts of this machine, by name, under the conditions of a class whose code imports these packages.

    Raises HarnessError where these conditions cannot be had here.
    """
    found = find_conditions(conditions.driver, conditions.sandbox.level.value, is_real_time=conditions.is_real_time)
    inside = dict(ENVIRONMENT)["PATH"]
    paths = {
        **{tool: shutil.which(tool) for tool in _TOOLS},
        **{tool: shutil.which(tool, path=inside) for tool in _OF_SCRIPTS},
    }
    with ThreadPoolExecutor(len(paths)) as pool:
        tools = dict(zip(paths, pool.map(_version_of, paths.values()), strict=True))
    return {
        "pitboss": digest_of_pitboss()[:_DIGITS],
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "msgspec": msgspec.__version__,
        "system": " ".join((platform.system(), platform.machine(), *platform.libc_ver())).strip(),
        **tools,
        "driver": found.driver,
        "sandbox": "; ".join((found.sandbox.level.value, *found.sandbox.weaknesses)),
        **{f"package {name}": _package(name) for name in installed},
    }


def _version_of(path: str | None) -> str:
    """The line in which a program tells its version."""
    if path is None:
        return _MISSING
    try:
        done = subprocess.run(
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_TELLING_S, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return _SILENT
    lines = (done.stdout or done.stderr).decode("utf-8", "replace").strip().splitlines()
    return lines[0] if lines and not done.returncode else _SILENT


def _package(name: str) -> str:
    """The versions of the installed packages that a module is in."""
    packages = importlib.metadata.packages_distributions().get(name, [])
    return ", ".join(sorted(f"{one} {importlib.metadata.version(one)}" for one in set(packages))) or _MISSING


def differences(there: Mapping[str, str], here: Mapping[str, str]) -> str:
    """What a worker has otherwise than this machine, as a part of a sentence; empty where nothing is.

    >>> differences({"cc": "gcc 13", "ld": "ld 2"}, {"cc": "gcc 12", "ld": "ld 2"})
    "cc is 'gcc 13' there and 'gcc 12' here"
    """
    names = dict.fromkeys((*here, *there))
    told = ((name, there.get(name, _MISSING), here.get(name, _MISSING)) for name in names)
    return ", ".join(
        f"{name} is {_shown(one)} there and {_shown(other)} here" for name, one, other in told if one != other
    )


def _shown(fact: str) -> str:
    return fact if fact == _MISSING else as_found(fact)
