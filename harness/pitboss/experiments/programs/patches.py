"""Applies patches to the texts of files. A patch is a unified diff, as written by `diff -u` and `git diff`.

The context of a hunk and the lines to remove must match the file exactly, but at any line: there is no fuzz.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from pitboss.errors import SpecError, as_found, did_you_mean, listed

_RANGE = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
#: A line ends with \n or \r\n; other line boundaries of `str.splitlines` are part of the line.
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_NOTHING = "/dev/null"
_HOW = "make one with: diff -u FILE-OF-THE-REFERENCE CHANGED-FILE > change.patch"


class NoFileError(SpecError):
    """A patch changes a file that it may not change."""


class Hunk(NamedTuple):
    """Lines to replace, with their context."""

    #: The line of the patch where the hunk begins, from 1.
    line: int
    #: The line of the file where the hunk begins, from 1; for a hunk without old lines, the line before the hunk.
    start: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    #: Whether the last line of `new` ends the file, without a newline.
    is_open: bool


class FilePatch(NamedTuple):
    """The changes to one file."""

    line: int
    #: The names of the file before and after the changes.
    names: tuple[str, str]
    hunks: tuple[Hunk, ...]


def parsed(text: str, path: Path) -> list[FilePatch]:
    """Returns the changes in a patch read from `path`; SpecError, with file and line, if the text is not a patch."""
    lines = [line.rstrip("\r\n") for line in lines_of(text)]
    patches: list[FilePatch] = []
    index = 0
    while index < len(lines):
        if _begins_file(lines, index):
            begin, names = index + 1, (_name(lines[index]), _name(lines[index + 1]))
            index, hunks = index + 2, []
            while index < len(lines) and (range_match := _RANGE.match(lines[index])):
                hunk, index = _hunk(lines, index, range_match, path)
                hunks.append(hunk)
            if not hunks:
                raise SpecError(f"{path}:{begin}: no change follows (a line that begins with @@) — {_HOW}")
            patches.append(FilePatch(begin, names, tuple(hunks)))
        elif lines[index].startswith("@@ "):
            raise SpecError(f"{path}:{index + 1}: no lines with --- and +++ name the file to change — {_HOW}")
        else:
            index += 1
    if not patches:
        raise SpecError(f"{path}:1: this is not a unified diff: no line with --- names a file — {_HOW}")
    return patches


def lines_of(text: str) -> list[str]:
    r"""Returns the lines of a text, including their line ends.

    >>> lines_of("a\r\nb\x0cc\nd")
    ['a\r\n', 'b\x0cc\n', 'd']
    """
    return _LINE.findall(text)


def _begins_file(lines: Sequence[str], index: int) -> bool:
    return lines[index].startswith("--- ") and lines[index + 1 : index + 2] != [] and lines[index + 1][:4] == "+++ "


def _name(line: str) -> str:
    """The file name in a line that begins with --- or +++, without the time that may follow the name."""
    return line[4:].partition("\t")[0].strip().strip('"')


def _hunk(lines: Sequence[str], begin: int, range_match: re.Match[str], path: Path) -> tuple[Hunk, int]:
    """Returns the hunk that begins at the index `begin`, and the index of the line after the hunk."""
    old_count, new_count = (1 if count is None else int(count) for count in (range_match[2], range_match[4]))
    old: list[str] = []
    new: list[str] = []
    is_open, index = False, begin + 1
    while old_count > 0 or new_count > 0:
        line = lines[index] if index < len(lines) else None
        mark = line[:1] or " " if line is not None else ""  # an editor may strip the blank of an empty line
        if line is None or mark not in " -+\\":
            raise SpecError(f"{path}:{index + 1}: the hunk on line {begin + 1} has fewer lines than it says — {_HOW}")
        if mark in " -":
            old.append(line[1:])
            old_count -= 1
        if mark in " +":
            new.append(line[1:])
            new_count -= 1
        index += 1
    hunk_end = index
    while index < len(lines) and lines[index].startswith("\\"):
        index += 1
    if index > hunk_end:
        is_open = not lines[hunk_end - 1].startswith("-")
    return Hunk(begin + 1, int(range_match[1]), tuple(old), tuple(new), is_open), index


def applied(patch: FilePatch, text: str, called: str, path: Path) -> str:
    """Returns the text of a file after the changes of a patch; SpecError if the changes do not apply.

    Messages call the file `called`; `path` is the file of the patch.
    """
    lines = lines_of(text)
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    result: list[str] = []
    next_index = offset = 0
    for hunk in patch.hunks:
        plain_lines = [line.rstrip("\r\n") for line in lines]
        expected_index = hunk.start - (1 if hunk.old else 0) + offset
        found_index = next(
            (
                index
                for index in _places(expected_index, len(lines))
                if index >= next_index and _fits(hunk, plain_lines, index)
            ),
            None,
        )
        if found_index is None:
            raise SpecError(_misfit(hunk, plain_lines, expected_index, called, path))
        offset += found_index - expected_index
        unchanged = lines[next_index:found_index]
        if unchanged and not unchanged[-1].endswith("\n"):
            unchanged[-1] += end
        result += [*unchanged, *(f"{line}{end}" for line in hunk.new)]
        next_index = found_index + len(hunk.old)
        if next_index == len(lines) and result and hunk.is_open:
            result[-1] = result[-1].removesuffix(end)
    return "".join([*result, *lines[next_index:]])


def _places(expected_index: int, count: int) -> Iterator[int]:
    """All line indexes in a file of `count` lines, the nearest to `expected_index` first."""
    for distance in range(count + abs(expected_index) + 1):
        for index in dict.fromkeys((expected_index + distance, expected_index - distance)):
            if 0 <= index <= count:
                yield index


def _fits(hunk: Hunk, lines: Sequence[str], index: int) -> bool:
    return tuple(lines[index : index + len(hunk.old)]) == hunk.old


def _misfit(hunk: Hunk, lines: Sequence[str], expected_index: int, file_name: str, path: Path) -> str:
    """The sentence about a hunk that applies nowhere: what the hunk expects, and what the file contains there."""
    actual_lines = lines[max(0, expected_index) : max(0, expected_index) + len(hunk.old)]
    pairs = zip((*actual_lines, *[None] * (len(hunk.old) - len(actual_lines))), hunk.old, strict=True)
    offset, actual_line, expected_line = next(
        (
            (index, actual_line, expected_line)
            for index, (actual_line, expected_line) in enumerate(pairs)
            if actual_line != expected_line
        ),
        (0, None, hunk.old[0] if hunk.old else ""),
    )
    line = max(0, expected_index) + offset + 1
    actual = "the file has ended" if actual_line is None else f"there is {as_found(actual_line)}"
    return (
        f"{path}:{hunk.line}: the patch does not apply to {file_name}: on line {line} {actual}, and the patch expects "
        f"{as_found(expected_line)} — create it again from the current reference"
    )


def file_named(patch: FilePatch, names: Sequence[str], path: Path) -> str:
    """Returns the file that a patch changes: the one whose path shares the longest end with a path in the patch.

    If there is only one file, the patch may give any name. Raises NoFileError if no file matches, and SpecError if two
    files match equally well.
    """
    if _NOTHING in patch.names:
        raise SpecError(f"{path}:{patch.line}: it adds or removes a file — a patch changes existing files")
    for name in patch.names:
        shared = {candidate: _shared_end(name, candidate) for candidate in names}
        longest = max(shared.values(), default=0)
        best = [candidate for candidate, count in shared.items() if count == longest]
        if longest and len(best) == 1:
            return best[0]
        if longest:
            raise SpecError(
                f"{path}:{patch.line}: {as_found(name)} may be {listed(best)} — write the one that is meant"
            )
    if len(names) == 1:
        return names[0]
    allowed = f"it has {listed(names)}{did_you_mean(patch.names[0], names)}"
    raise NoFileError(f"{path}:{patch.line}: the reference has no file {as_found(patch.names[0])} — {allowed}")


def _shared_end(first_path: str, second_path: str) -> int:
    """How many parts at the end of two paths are the same."""
    pairs = zip(reversed(PurePosixPath(first_path).parts), reversed(PurePosixPath(second_path).parts), strict=False)
    count = 0
    for first_part, second_part in pairs:
        if first_part != second_part:
            break
        count += 1
    return count


def with_changes(text: str, path: Path, files: Mapping[str, str]) -> dict[str, str]:
    """Returns the new texts of the changed files; SpecError if the patch does not apply or changes nothing.

    `text` is the patch, read from the file `path`. `files` contains the texts that the patch may change, by name.
    """
    texts: dict[str, str] = {}
    for patch in parsed(text, path):
        name = file_named(patch, tuple(files), path)
        texts[name] = applied(patch, texts.get(name, files[name]), name, path)
    if all(texts[name] == files[name] for name in texts):
        raise SpecError(f"{path}:1: this patch leaves the reference unchanged — it must change something")
    return texts
