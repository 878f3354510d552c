"""Programs of tests are compiled once: what a compiler made of the same files is there for all tests and all workers.

    $PITBOSS_TEST_BUILDS/<key>/output    what the compiler said, and its exit code
    $PITBOSS_TEST_BUILDS/<key>/files/    the folder of the build as it was afterwards

The key is the command, the sandbox and every file that was there before. A command counts only if it is one of the
system's compilers and nobody had to stop it. Tests of building itself (UNCACHED) run the compiler each time.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from pitboss.submissions import build as building
from pitboss.submissions.confined_commands import CommandOutcome, run_confined

#: Where the cache is, in the environment of the processes that run the tests.
FOLDER = "PITBOSS_TEST_BUILDS"
#: Folders of tests whose subject is what a build does.
UNCACHED = ("tests/submissions", "tests/sandbox", "tests/faults")
_COMPILERS = {"cc", "c++", "javac", "mcs", "python3"}
#: Stands for the folder of a build in its command and in its output.
_HERE = "{here}"


_root = ""


def use(root: str) -> None:
    """Have all builds of this process, and of those that it forks, go through this cache; through none if it is empty."""
    global _root
    _root = root
    building.run_confined = _run_confined if root else run_confined


def root() -> str:
    """The cache that builds of this process go through; empty if they run their compilers."""
    return _root


def compile_c(source: Path, program: Path, *flags: str) -> None:
    """Compile a C source of a test; raises CalledProcessError where it is wrong."""
    text = source.read_bytes()
    argv = ["cc", "-w", "-o", str(program), str(source), *flags]
    # Other files may be included or linked, and a program may say where its source stands.
    is_alone = not any(word in text for word in (b'#include "', b"__FILE__", b"assert(")) and all(
        flag.startswith("-") and not flag.startswith(("-L", "-I", "-Wl", "-g")) for flag in flags
    )
    kept = _kept("cc", text, flags) if is_alone else None
    if kept is None or not (kept / "program").exists():
        subprocess.run(argv, check=True, timeout=60)
        if kept is not None:
            _put(kept, lambda folder: shutil.copy2(program, folder / "program"))
    else:
        shutil.copy2(kept / "program", program)


def _run_confined(argv, folder, sandbox, *allowance):
    compiler = shutil.which(argv[0]) or ""
    if os.path.basename(argv[0]) not in _COMPILERS or not compiler.startswith("/usr/"):
        return run_confined(argv, folder, sandbox, *allowance)
    here = str(folder)
    # Debug information names the folder, and another one takes its place only if it is as long.
    kept = _kept(
        *(word.replace(here, _HERE) for word in argv), compiler, str(sandbox.level), len(here), *_files(folder)
    )
    if kept is None or not kept.exists():
        outcome = run_confined(argv, folder, sandbox, *allowance)
        if kept is not None and not outcome.stopped and not outcome.lack and outcome.exit_code >= 0:
            message = json.dumps([outcome.exit_code, outcome.output.replace(here, _HERE), here])
            _put(
                kept,
                lambda new: (
                    shutil.copytree(folder, new / "files", symlinks=True),
                    (new / "output").write_text(message),
                ),
            )
        return outcome
    code, output, there = json.loads((kept / "output").read_text())
    shutil.copytree(kept / "files", folder, symlinks=True, dirs_exist_ok=True)
    for path in Path(folder).rglob("*"):
        if path.is_file() and not path.is_symlink() and there.encode() in (data := path.read_bytes()):
            path.write_bytes(data.replace(there.encode(), here.encode()))
    return CommandOutcome(code, output.replace(_HERE, here))


def _files(folder):
    """Each file below a folder: its name, its kind and mode, and what it holds."""
    for path in sorted(Path(folder).rglob("*")):
        yield f"{path.relative_to(folder)} {path.lstat().st_mode:o}"
        if path.is_symlink():
            yield os.readlink(path)
        elif path.is_file():
            yield path.read_bytes()


def _kept(*parts: object) -> Path | None:
    """Where what is made of these parts is kept; None where nothing is."""
    if not _root:
        return None
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part if isinstance(part, bytes) else repr(part).encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return Path(_root) / digest.hexdigest()


def _put(kept: Path, write) -> None:
    """Write an entry beside its place, and move it there, unless another worker was first."""
    new = Path(tempfile.mkdtemp(dir=kept.parent))
    write(new)
    try:
        new.rename(kept)
    except OSError:
        shutil.rmtree(new)
