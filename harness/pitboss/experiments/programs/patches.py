"""Applies patches to the texts of files. A patch is a unified diff, as `diff -u` and `git diff` write it.

The context of a hunk and the lines that it removes must occur in the file exactly, but at any line: there is no fuzz.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from pitboss.errors import SpecError, as_found, did_you_mean, listed

_RANGE = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
#: A line ends with \n or \r\n; other line boundaries of `str.splitlines` are part of it.
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_NOTHING = "/dev/null"
_HOW = "make one with: diff -u FILE-OF-THE-REFERENCE CHANGED-FILE > change.patch"


class NoFileError(SpecError):
    """A patch changes a file that it may not change."""


class Hunk(NamedTuple):
    """Lines to replace, with their context."""

    #: The line of the patch where it begins, from 1.
    line: int
    #: The line of the file where it begins, from 1; for a hunk without old lines, the line before it.
    start: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    #: Whether its last new line ends the file, without a newline.
    is_open: bool


class FilePatch(NamedTuple):
    """The changes of one file."""

    line: int
    #: The names of the file before and after.
    names: tuple[str, str]
    hunks: tuple[Hunk, ...]


def parsed(text: str, path: Path) -> list[FilePatch]:
    """Returns the changes in a patch read from the file `path`; SpecError, with file and line, if it is not a patch."""
    lines = [line.rstrip("\r\n") for line in lines_of(text)]
    found: list[FilePatch] = []
    number = 0
    while number < len(lines):
        if _begins_file(lines, number):
            begin, names = number + 1, (_name(lines[number]), _name(lines[number + 1]))
            number, hunks = number + 2, []
            while number < len(lines) and (numbers := _RANGE.match(lines[number])):
                hunk, number = _hunk(lines, number, numbers, path)
                hunks.append(hunk)
            if not hunks:
                raise SpecError(f"{path}:{begin}: no change follows (a line that begins with @@) — {_HOW}")
            found.append(FilePatch(begin, names, tuple(hunks)))
        elif lines[number].startswith("@@ "):
            raise SpecError(f"{path}:{number + 1}: no lines with --- and +++ name the file to change — {_HOW}")
        else:
            number += 1
    if not found:
        raise SpecError(f"{path}:1: this is not a unified diff: no line with --- names a file — {_HOW}")
    return found


def lines_of(text: str) -> list[str]:
    r"""Returns the lines of a text, including their line ends.

    >>> lines_of("a\r\nb\x0cc\nd")
    ['a\r\n', 'b\x0cc\n', 'd']
    """
    return _LINE.findall(text)


def _begins_file(lines: Sequence[str], number: int) -> bool:
    return lines[number].startswith("--- ") and lines[number + 1 : number + 2] != [] and lines[number + 1][:4] == "+++ "


def _name(line: str) -> str:
    """The name in a line that begins with --- or +++, without the time that may follow it."""
    return line[4:].partition("\t")[0].strip().strip('"')


def _hunk(lines: Sequence[str], begin: int, numbers: re.Match[str], path: Path) -> tuple[Hunk, int]:
    """Returns the hunk that begins at the index `begin`, and the index of the line after the hunk."""
    left_old, left_new = (1 if count is None else int(count) for count in (numbers[2], numbers[4]))
    old: list[str] = []
    new: list[str] = []
    is_open, number = False, begin + 1
    while left_old > 0 or left_new > 0:
        line = lines[number] if number < len(lines) else None
        mark = line[:1] or " " if line is not None else ""  # an editor may strip the blank of an empty line
        if line is None or mark not in " -+\\":
            raise SpecError(f"{path}:{number + 1}: the hunk on line {begin + 1} has fewer lines than it says — {_HOW}")
        if mark in " -":
            old.append(line[1:])
            left_old -= 1
        if mark in " +":
            new.append(line[1:])
            left_new -= 1
        number += 1
    before = number
    while number < len(lines) and lines[number].startswith("\\"):
        number += 1
    if number > before:
        is_open = not lines[before - 1].startswith("-")
    return Hunk(begin + 1, int(numbers[1]), tuple(old), tuple(new), is_open), number


def applied(patch: FilePatch, text: str, called: str, path: Path) -> str:
    """Returns the text of a file after the changes of a patch; SpecError if they do not apply.

    Messages call the file `called`; `path` is the file of the patch.
    """
    lines = lines_of(text)
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    result: list[str] = []
    done = moved = 0
    for hunk in patch.hunks:
        plain = [line.rstrip("\r\n") for line in lines]
        wanted = hunk.start - (1 if hunk.old else 0) + moved
        place = next(
            (place for place in _places(wanted, len(lines)) if place >= done and _fits(hunk, plain, place)), None
        )
        if place is None:
            raise SpecError(_misfit(hunk, plain, wanted, called, path))
        moved += place - wanted
        unchanged = lines[done:place]
        if unchanged and not unchanged[-1].endswith("\n"):
            unchanged[-1] += end
        result += [*unchanged, *(f"{line}{end}" for line in hunk.new)]
        done = place + len(hunk.old)
        if done == len(lines) and result and hunk.is_open:
            result[-1] = result[-1].removesuffix(end)
    return "".join([*result, *lines[done:]])


def _places(wanted: int, count: int) -> Iterator[int]:
    """All line indexes in a file of `count` lines, the nearest to the wanted one first."""
    for distance in range(count + abs(wanted) + 1):
        for place in dict.fromkeys((wanted + distance, wanted - distance)):
            if 0 <= place <= count:
                yield place


def _fits(hunk: Hunk, lines: Sequence[str], place: int) -> bool:
    return tuple(lines[place : place + len(hunk.old)]) == hunk.old


def _misfit(hunk: Hunk, lines: Sequence[str], wanted: int, called: str, path: Path) -> str:
    """The sentence on a hunk that applies nowhere: what it expects, and what is there."""
    there = lines[max(0, wanted) : max(0, wanted) + len(hunk.old)]
    pairs = zip((*there, *[None] * (len(hunk.old) - len(there))), hunk.old, strict=True)
    number, found, expected = next(
        ((index, found, expected) for index, (found, expected) in enumerate(pairs) if found != expected),
        (0, None, hunk.old[0] if hunk.old else ""),
    )
    line = max(0, wanted) + number + 1
    actual = "the file has ended" if found is None else f"there is {as_found(found)}"
    return (
        f"{path}:{hunk.line}: the patch does not apply to {called}: on line {line} {actual}, and the patch expects "
        f"{as_found(expected)} — create it again from the current reference"
    )


def file_named(patch: FilePatch, names: Sequence[str], path: Path) -> str:
    """Returns the file that a patch changes: its path has the longest end in common with a path in the patch.

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


def _shared_end(one: str, other: str) -> int:
    """How many parts at the end of two paths are the same."""
    pairs = zip(reversed(PurePosixPath(one).parts), reversed(PurePosixPath(other).parts), strict=False)
    count = 0
    for first, second in pairs:
        if first != second:
            break
        count += 1
    return count


def with_changes(text: str, path: Path, files: Mapping[str, str]) -> dict[str, str]:
    """Returns the new texts of the files that a patch changes; SpecError if it does not apply or changes nothing.

    `text` is the patch, from the file `path`. `files` has the texts that it may change, by name.
    """
    found: dict[str, str] = {}
    for patch in parsed(text, path):
        name = file_named(patch, tuple(files), path)
        found[name] = applied(patch, found.get(name, files[name]), name, path)
    if all(found[name] == files[name] for name in found):
        raise SpecError(f"{path}:1: this patch leaves the reference unchanged — it must change something")
    return found
