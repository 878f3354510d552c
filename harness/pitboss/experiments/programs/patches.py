"""Applies patches to the texts of files. A patch is a unified diff, as written by `diff -u` and `git diff`.

The context lines and removed lines of a hunk must match the file exactly (no fuzz), but may be at any line of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from pitboss.errors import SpecError, as_found, did_you_mean, listed

_RANGE = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
#: A line ends with \n or \r\n; other line boundaries of `str.splitlines` are part of the line.
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_NO_FILE = "/dev/null"
_HOW_TO_MAKE = "make one with: diff -u FILE-OF-THE-REFERENCE CHANGED-FILE > change.patch"


class NoFileError(SpecError):
    """The reference has no file that the patch may change."""


class Hunk(NamedTuple):
    """Lines to replace, with their context."""

    #: The line of the patch where the hunk begins, from 1.
    line: int
    #: The line of the file where the hunk begins, from 1; for a hunk without old lines, the line before the hunk.
    start: int
    #: The lines of the hunk before the change, including the context.
    old: tuple[str, ...]
    #: The lines of the hunk after the change, including the context.
    new: tuple[str, ...]
    #: Whether the file ends after the last line of `new`, without a newline.
    ends_without_newline: bool


class FilePatch(NamedTuple):
    """The changes to one file."""

    #: The line of the patch that begins with `---`, from 1.
    line: int
    #: The names of the file before and after the changes.
    names: tuple[str, str]
    hunks: tuple[Hunk, ...]


def parse_patch(text: str, path: Path) -> list[FilePatch]:
    """Returns the changes of each file in a patch; `path` is the file of the patch, for messages.

    Raises SpecError, with file and line, if `text` is not a patch.
    """
    lines = [line.rstrip("\r\n") for line in lines_of(text)]
    patches: list[FilePatch] = []
    index = 0
    while index < len(lines):
        if _begins_file(lines, index):
            header_line, names = index + 1, (_name(lines[index]), _name(lines[index + 1]))
            index, hunks = index + 2, []
            while index < len(lines) and (range_match := _RANGE.match(lines[index])):
                hunk, index = _hunk(lines, index, range_match, path)
                hunks.append(hunk)
            if not hunks:
                raise SpecError(
                    f"{path}:{header_line}: no change follows (a line that begins with @@) — {_HOW_TO_MAKE}"
                )
            patches.append(FilePatch(header_line, names, tuple(hunks)))
        elif lines[index].startswith("@@ "):
            raise SpecError(f"{path}:{index + 1}: no lines with --- and +++ name the file to change — {_HOW_TO_MAKE}")
        else:
            index += 1
    if not patches:
        raise SpecError(f"{path}:1: this is not a unified diff: no line with --- names a file — {_HOW_TO_MAKE}")
    return patches


def lines_of(text: str) -> list[str]:
    r"""Returns the lines of a text, including their line ends.

    >>> lines_of("a\r\nb\x0cc\nd")
    ['a\r\n', 'b\x0cc\n', 'd']
    """
    return _LINE.findall(text)


def _begins_file(lines: Sequence[str], index: int) -> bool:
    next_lines = lines[index + 1 : index + 2]  # empty at the end of the patch
    return lines[index].startswith("--- ") and any(line.startswith("+++ ") for line in next_lines)


def _name(line: str) -> str:
    """The file name in a line that begins with --- or +++, without the time that may follow the name."""
    return line[4:].partition("\t")[0].strip().strip('"')


def _hunk(lines: Sequence[str], header_index: int, range_match: re.Match[str], path: Path) -> tuple[Hunk, int]:
    old_count, new_count = (1 if count is None else int(count) for count in (range_match[2], range_match[4]))
    old: list[str] = []
    new: list[str] = []
    ends_without_newline, index = False, header_index + 1
    while old_count > 0 or new_count > 0:
        line = lines[index] if index < len(lines) else None
        # An editor may have stripped the blank that marks an unchanged empty line.
        prefix = "" if line is None else line[:1] or " "
        if line is None or prefix not in " -+\\":
            raise SpecError(
                f"{path}:{index + 1}: the hunk on line {header_index + 1} has fewer lines than it says — {_HOW_TO_MAKE}"
            )
        if prefix in " -":
            old.append(line[1:])
            old_count -= 1
        if prefix in " +":
            new.append(line[1:])
            new_count -= 1
        index += 1
    # "\ No newline at end of file" says that the file ends after the line above, without a newline.
    hunk_end = index
    while index < len(lines) and lines[index].startswith("\\"):
        index += 1
    if index > hunk_end:
        ends_without_newline = not lines[hunk_end - 1].startswith("-")
    return Hunk(header_index + 1, int(range_match[1]), tuple(old), tuple(new), ends_without_newline), index


def apply_file_patch(patch: FilePatch, text: str, file_name: str, path: Path) -> str:
    """Returns the text of a file after the changes of a patch; raises SpecError if the changes do not apply.

    `file_name` is the name of the changed file for messages; `path` is the file of the patch.
    """
    lines = lines_of(text)
    line_end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    result: list[str] = []
    # The index of the first line that is not yet in `result`.
    next_index = 0
    # How many lines below the place given in its header the previous hunk matched.
    offset = 0
    for hunk in patch.hunks:
        plain_lines = [line.rstrip("\r\n") for line in lines]
        expected_index = hunk.start - (1 if hunk.old else 0) + offset
        hunk_index = next(
            (
                index
                for index in _indexes_by_distance(expected_index, len(lines))
                if index >= next_index and _matches_at(hunk, plain_lines, index)
            ),
            None,
        )
        if hunk_index is None:
            raise SpecError(_misfit_message(hunk, plain_lines, expected_index, file_name, path))
        offset += hunk_index - expected_index
        unchanged = lines[next_index:hunk_index]
        if unchanged and not unchanged[-1].endswith("\n"):
            unchanged[-1] += line_end
        result += [*unchanged, *(f"{line}{line_end}" for line in hunk.new)]
        next_index = hunk_index + len(hunk.old)
        if next_index == len(lines) and result and hunk.ends_without_newline:
            result[-1] = result[-1].removesuffix(line_end)
    return "".join([*result, *lines[next_index:]])


def _indexes_by_distance(expected_index: int, count: int) -> Iterator[int]:
    """All indexes from 0 to `count`, the end of a file of `count` lines; those nearest to `expected_index` first."""
    for distance in range(count + abs(expected_index) + 1):
        for index in dict.fromkeys((expected_index + distance, expected_index - distance)):
            if 0 <= index <= count:
                yield index


def _matches_at(hunk: Hunk, lines: Sequence[str], index: int) -> bool:
    return tuple(lines[index : index + len(hunk.old)]) == hunk.old


def _misfit_message(hunk: Hunk, lines: Sequence[str], expected_index: int, file_name: str, path: Path) -> str:
    """A sentence about a hunk that matches nowhere: the first line that differs where the hunk is expected to match."""
    actual_lines = lines[max(0, expected_index) : max(0, expected_index) + len(hunk.old)]
    pairs = zip_longest(actual_lines, hunk.old)  # there may be fewer actual lines
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
    count = 0
    for first_part, second_part in pairs:
        if first_part != second_part:
            break
        count += 1
    return count


def texts_after_patch(text: str, path: Path, files: Mapping[str, str]) -> dict[str, str]:
    """Returns the new texts of the changed files; raises SpecError if the patch does not apply or changes nothing.

    `text` is the patch, read from the file `path`. `files` contains the texts that the patch may change, by name.
    """
    texts: dict[str, str] = {}
    for patch in parse_patch(text, path):
        name = file_named(patch, tuple(files), path)
        texts[name] = apply_file_patch(patch, texts.get(name, files[name]), name, path)
    if all(texts[name] == files[name] for name in texts):
        raise SpecError(f"{path}:1: this patch leaves the reference unchanged — it must change something")
    return texts
