"""Applies patches to the texts of files by patch(1). A patch is a unified diff, as written by `diff -u` and `git diff`.

The context lines and removed lines of a hunk must match the file exactly (no fuzz), but may be at any line of the file;
a hunk with less context at one end than at the other belongs at that end of the file.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from pitboss.errors import SpecError, as_found, did_you_mean, listed
from pitboss.sandbox import scratch

_OPTIONS = ("--unified", "--force", "--fuzz=0", "--reject-file=-", "--output=-")
#: What patch(1) writes about a hunk that does not apply, or a line that is not part of a unified diff.
_COMPLAINT = re.compile(r"Hunk #(?P<hunk>\d+) FAILED|malformed patch at line (?P<line>\d+)")
_NO_FILE = "/dev/null"
_HOW_TO_MAKE = "make one with: diff -u FILE-OF-THE-REFERENCE CHANGED-FILE > change.patch"


class NoFileError(SpecError):
    """The reference has no file that the patch may change."""


class FilePatch(NamedTuple):
    """The changes to one file."""

    #: The line of the patch that begins with `---`, from 1.
    line: int
    #: The names of the file before and after the changes.
    names: tuple[str, str]
    #: The lines of the patch from that line on, without line ends.
    lines: tuple[str, ...]


def texts_after_patch(text: str, path: Path, files: Mapping[str, str]) -> dict[str, str]:
    """Returns the new texts of the changed files; raises SpecError if the patch does not apply or changes nothing.

    `text` is the patch, read from the file `path`. `files` contains the texts that the patch may change, by name.
    """
    texts: dict[str, str] = {}
    for patch in _file_patches(text, path):
        name = _file_named(patch, tuple(files), path)
        texts[name] = _patched_text(patch, texts.get(name, files[name]), name, path)
    if all(texts[name] == files[name] for name in texts):
        raise SpecError(f"{path}:1: this patch leaves the reference unchanged — it must change something")
    return texts


def _file_patches(text: str, path: Path) -> list[FilePatch]:
    """The changes of each file in a patch; raises SpecError, with file and line, if there are none."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    starts = [
        index
        for index in range(len(lines) - 2)
        if lines[index].startswith("--- ") and lines[index + 1].startswith("+++ ") and lines[index + 2][:3] == "@@ "
    ]
    if not starts:
        raise SpecError(f"{path}:1: this is not a unified diff: no lines --- and +++ name a file — {_HOW_TO_MAKE}")
    return [
        # A line that begins with none of these characters follows the changes, such as `diff --git`.
        FilePatch(
            start + 1, (_name(lines[start]), _name(lines[start + 1])), tuple(takewhile(_is_of_hunk, lines[start:end]))
        )
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)
    ]


def _name(line: str) -> str:
    """The file name in a line that begins with --- or +++, without the time that may follow the name."""
    return line[4:].partition("\t")[0].strip().strip('"')


def _is_of_hunk(line: str) -> bool:
    return line[:1] in "@ -+\\"  # also true for an empty line, of which an editor may have stripped the blank


def _patched_text(patch: FilePatch, text: str, file_name: str, path: Path) -> str:
    """The text of a file after the changes of a patch; raises SpecError if the changes do not apply.

    `file_name` is the name of the changed file for messages; `path` is the file of the patch.
    """
    if shutil.which("patch") is None:
        raise SpecError(f"{path}: this machine has no program patch, which applies it — on Debian: apt install patch")
    has_windows_lines = text.partition("\n")[0].endswith("\r")
    with scratch.folder("patch") as folder:
        file = Path(folder, "file")
        file.write_bytes(text.replace("\r\n", "\n").encode() if has_windows_lines else text.encode())
        run = subprocess.run(
            ["patch", *_OPTIONS, str(file)],
            input="\n".join(patch.lines).encode() + b"\n",
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
            capture_output=True,
            check=False,
        )
    if run.returncode:
        raise SpecError(_misfit_sentence(patch, run.stderr.decode("utf-8", "replace"), file_name, path))
    patched_text = run.stdout.decode("utf-8", "replace")
    return patched_text.replace("\n", "\r\n") if has_windows_lines else patched_text


def _misfit_sentence(patch: FilePatch, complaints: str, file_name: str, path: Path) -> str:
    """A sentence on changes that patch(1) refused with these complaints, with the line of the hunk if it is known."""
    complaint = _COMPLAINT.search(complaints)
    if complaint is None or complaint["line"]:
        line = patch.line + int(complaint["line"]) - 1 if complaint else patch.line
        return f"{path}:{line}: the changes of {file_name} cannot be read — {_HOW_TO_MAKE}"
    hunk_lines = [index for index, line in enumerate(patch.lines) if line.startswith("@@ ")]
    line = patch.line + hunk_lines[int(complaint["hunk"]) - 1]
    return f"{path}:{line}: the patch does not apply to {file_name} — create it again from the current reference"


def _file_named(patch: FilePatch, names: Sequence[str], path: Path) -> str:
    """Returns the file that a patch changes: the file whose path shares the most last parts with a path in the patch.

    If there is only one file, the patch may give any name. Raises NoFileError if no file matches, and SpecError if two
    files match equally well.
    """
    if _NO_FILE in patch.names:
        raise SpecError(f"{path}:{patch.line}: it adds or removes a file — a patch changes existing files")
    for name in patch.names:
        shared_counts = {candidate: _shared_end(name, candidate) for candidate in names}
        longest = max(shared_counts.values(), default=0)
        best = [candidate for candidate, count in shared_counts.items() if count == longest]
        if longest and len(best) == 1:
            return best[0]
        if longest:
            raise SpecError(f"{path}:{patch.line}: {as_found(name)} may be {listed(best)} — write one of these paths")
    if len(names) == 1:
        return names[0]
    allowed = f"it has {listed(names)}{did_you_mean(patch.names[0], names)}"
    raise NoFileError(f"{path}:{patch.line}: the reference has no file {as_found(patch.names[0])} — {allowed}")


def _shared_end(first_path: str, second_path: str) -> int:
    """How many parts at the end of two paths are the same."""
    pairs = zip(reversed(PurePosixPath(first_path).parts), reversed(PurePosixPath(second_path).parts), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
