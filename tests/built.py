"""A cache of compiled programs, shared by all tests and all workers: the same files are compiled only once.

    $PITBOSS_TEST_BUILDS/<key>/output    the compiler's exit code and output, and the path of the build's folder
    $PITBOSS_TEST_BUILDS/<key>/files/    a copy of the build's folder after the build

The key is a digest of the command, the sandbox and all files in the folder before the build. Only commands that run
one of the system's compilers and are not stopped are cached. Tests of building itself (UNCACHED) bypass the cache.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.programs import Program
from pitboss.submissions import build as building
from pitboss.submissions.confined_commands import CommandOutcome, run_confined
from pitboss.submissions.sources import Source

#: The environment variable with the path of the cache.
CACHE_VARIABLE = "PITBOSS_TEST_BUILDS"
#: Folders of the tests that test building itself.
UNCACHED = ("tests/submissions", "tests/sandbox", "tests/faults")
_COMPILERS = {"cc", "c++", "javac", "dotnet", "python3"}
_DOTNET = shutil.which("dotnet")
#: Replaces the path of the build's folder in its command and in its output.
_FOLDER_MARK = "{here}"


_root = ""


def use_cache(root: str) -> None:
    """Make all builds of this process and its forks use the cache in this folder; an empty path turns caching off."""
    global _root
    _root = root
    building.run_confined = _run_confined if root else run_confined


def cache_folder() -> str:
    """The folder of the cache that builds of this process use; empty if caching is off."""
    return _root


def compile_c(source: Path, program: Path, *flags: str) -> None:
    """Compile a C source of a test; raises CalledProcessError if it does not compile."""
    source_bytes = source.read_bytes()
    argv = ["cc", "-w", "-o", str(program), str(source), *flags]
    # Cached only if the program depends on the source's text alone: not on included or linked files or on its path.
    is_cacheable = not any(word in source_bytes for word in (b'#include "', b"__FILE__", b"assert(")) and all(
        flag.startswith("-") and not flag.startswith(("-L", "-I", "-Wl", "-g")) for flag in flags
    )
    entry = _entry_path("cc", source_bytes, flags) if is_cacheable else None
    if entry is None or not (entry / "program").exists():
        subprocess.run(argv, check=True, timeout=60)
        if entry is not None:
            _add_entry(entry, lambda folder: shutil.copy2(program, folder / "program"))
    else:
        shutil.copy2(entry / "program", program)


def build_csharp(folder: Path, text: str) -> Program:
    """Build a C# program of one file in this folder."""
    (folder / "source").mkdir()
    (folder / "source" / "Program.cs").write_text(text, encoding="utf-8")
    source = Source(folder / "source", "csharp", "Program.cs", "program")
    build = building.build(source, folder / "built", Conditions("watched", Sandbox(Level.NONE)))
    assert build.program is not None, f"{build.reason}\n{build.messages}"
    return build.program


def _run_confined(argv, folder, sandbox, *allowance):
    compiler = shutil.which(os.path.basename(argv[0])) or ""  # compilers are called by scripts in the folder
    if os.path.basename(argv[0]) not in _COMPILERS or (not compiler.startswith("/usr/") and compiler != _DOTNET):
        return run_confined(argv, folder, sandbox, *allowance)
    here = str(folder)
    # The length is a part of the key, since built files may contain the folder's path, which can be replaced only by a
    # path of the same length.
    entry = _entry_path(
        *(word.replace(here, _FOLDER_MARK) for word in argv),
        compiler,
        str(sandbox.level),
        len(here),
        *_folder_contents(folder),
    )
    if entry is None or not entry.exists():
        outcome = run_confined(argv, folder, sandbox, *allowance)
        if entry is not None and not outcome.why_stopped and not outcome.shortage_clause and outcome.exit_code >= 0:
            message = json.dumps([outcome.exit_code, outcome.output.replace(here, _FOLDER_MARK), here])
            _add_entry(
                entry,
                lambda new: (
                    shutil.copytree(folder, new / "files", symlinks=True),
                    (new / "output").write_text(message),
                ),
            )
        return outcome
    code, output, original_folder = json.loads((entry / "output").read_text())
    shutil.copytree(entry / "files", folder, symlinks=True, dirs_exist_ok=True)
    for path in Path(folder).rglob("*"):
        if path.is_file() and not path.is_symlink() and original_folder.encode() in (data := path.read_bytes()):
            path.write_bytes(data.replace(original_folder.encode(), here.encode()))
    return CommandOutcome(code, output.replace(_FOLDER_MARK, here))


def _folder_contents(folder):
    """For each file below a folder: its relative path with its mode, then its content or the target of its link."""
    for path in sorted(Path(folder).rglob("*")):
        yield f"{path.relative_to(folder)} {path.lstat().st_mode:o}"
        if path.is_symlink():
            yield os.readlink(path)
        elif path.is_file():
            yield path.read_bytes()


def _entry_path(*parts: object) -> Path | None:
    """The folder of the cache entry with this key, whether it exists yet or not; None if caching is off."""
    if not _root:
        return None
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part if isinstance(part, bytes) else repr(part).encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return Path(_root) / digest.hexdigest()


def _add_entry(entry: Path, write) -> None:
    """Fill a new folder by calling `write`, and rename it to `entry`, unless another worker was first."""
    new_entry = Path(tempfile.mkdtemp(dir=entry.parent))
    write(new_entry)
    try:
        new_entry.rename(entry)
    except OSError:
        shutil.rmtree(new_entry)
