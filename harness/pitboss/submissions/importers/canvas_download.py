"""Reads a download of Canvas: the parts of its file names, and which of several versions counts.

    lovelaceada_12345_67890_play.c           who, the user's id, the upload's id, the student's file name
    lovelaceada_LATE_12345_67890_play-1.c    late; Canvas added -1 because a play.c existed already
    anon_aB3xZ_67890_play.c                  anonymous
    lovelaceada_12345_text.html              text typed into the page; _link.html: a link

The format is defined by content_zipper.rb in instructure/canvas-lms.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.model.languages import language_of
from pitboss.sandbox.files import beginning_of
from pitboss.submissions.archives import is_archive
from pitboss.submissions.importers.display_names import entries_of, one_line
from pitboss.submissions.importers.gathered_files import Scratch, gather_files, only_file
from pitboss.submissions.importers.imported import FoundSubmissions, ImportedSubmission, LeftOut, Person
from pitboss.submissions.stage_files import is_expected
from pitboss.submissions.submission import listed

_WITH_NAME = re.compile(r"(?P<name>.+?)(?P<late>_LATE)?_(?P<user>\d+)_(?P<upload>\d+)_(?P<file>.+)", re.DOTALL)
#: The user's id is absent or repeats that of the name; of two numbers, one with five or more digits is the upload's.
_ANONYMOUS = re.compile(
    r"anon_(?P<user>[A-Za-z0-9]+)(?P<late>_LATE)?(?:_(?P=user)|_\d+(?=_\d{5,}_))?_(?P<upload>\d+)_(?P<file>.+)",
    re.DOTALL,
)
_TYPED = re.compile(
    r"(?:anon_(?P<code>[A-Za-z0-9]+)|(?P<name>.+?))(?P<late>_LATE)?(?:_(?P<user>\d+))?_(?P<kind>text|link)\.html",
    re.DOTALL,
)
_NUMBERED = re.compile(r"(?P<stem>.+)-(?P<number>[1-9]\d{0,2})(?P<suffix>(?:\.tar)?\.[^.]+|)", re.DOTALL)
_MAX_SEARCHED = 1 << 20


class CanvasName(msgspec.Struct, frozen=True):
    """The parts of a file name of Canvas."""

    name: str
    user: str
    #: 0 for text typed into the page.
    upload: int
    #: The student's file name, possibly with a number that Canvas added; "text" or "link" if typed into the page.
    file: str
    is_late: bool = False
    is_anonymous: bool = False


def parsed(name: str) -> CanvasName | None:
    """Parses a file name; None if it is not one of Canvas.

    >>> parsed("lovelaceada_LATE_12_34_play-1.c")
    CanvasName(name='lovelaceada', user='12', upload=34, file='play-1.c', is_late=True, is_anonymous=False)
    """
    if found := _ANONYMOUS.fullmatch(name):
        return _named(f"anon_{found['user']}", found["user"], found, is_anonymous=True)
    if found := _WITH_NAME.fullmatch(name):
        return _named(found["name"], found["user"], found, is_anonymous=False)
    found = _TYPED.fullmatch(name)
    if found and (found["code"] or found["user"]):
        user, who = found["code"] or found["user"], found["name"] or f"anon_{found['code']}"
        return CanvasName(who, user, 0, found["kind"], bool(found["late"]), bool(found["code"]))
    return None


def _named(name: str, user: str, found: re.Match[str], *, is_anonymous: bool) -> CanvasName:
    return CanvasName(name, user, int(found["upload"][:18]), found["file"], bool(found["late"]), is_anonymous)


def without_number(name: str) -> tuple[str, int]:
    """A file name without the number that Canvas adds to repeated names, and that number (0 without one).

    >>> without_number("play-2.c"), without_number("play.c"), without_number("hw.tar-1.gz")
    (('play.c', 2), ('play.c', 0), ('hw.tar.gz', 1))
    """
    found = _NUMBERED.fullmatch(name)
    return (found["stem"] + found["suffix"], int(found["number"])) if found else (name, 0)


class _CanvasFile(msgspec.Struct, frozen=True):
    name: CanvasName
    path: Path


class _Versions(msgspec.Struct):
    pieces: list[tuple[str, Path]] = []
    is_late: bool = False
    attempt: int = 1
    left: set[int] = set()
    notes: list[str] = []


def read_canvas(folder: Path, stages: Sequence[Stage], scratch: Scratch) -> FoundSubmissions:
    """The submissions in a folder of files named by Canvas."""
    entries, left = entries_of(folder)
    result, people = FoundSubmissions(not_understood=left), defaultdict[str, list[_CanvasFile]](list)
    for path in entries:
        name = parsed(path.name)
        if name is None:
            result.not_understood.append(LeftOut(one_line(path.name), "its name is not that of a Canvas submission"))
        else:
            people[name.user].append(_CanvasFile(name, path))
    result.handed = [_handed(files, stages, scratch) for files in people.values()]
    return result


def _handed(files: list[_CanvasFile], stages: Sequence[Stage], scratch: Scratch) -> ImportedSubmission:
    first = files[0].name
    kind = "canvas-anonymous" if first.is_anonymous else "canvas"
    person = Person(one_line(first.name), first.user, ids=((kind, first.user),))
    uploads = [file for file in files if file.name.upload]
    versions = _newest_versions(uploads, stages)
    typed = sorted({file.name.file for file in files if not file.name.upload})
    versions.notes += [f"a {kind} was handed in on the page, which is not a program" for kind in typed]
    names = sorted({one_line(file.name.name) for file in files})
    if len(names) > 1:
        versions.notes.append(f"files are called after {listed(names)}")
    path = gather_files(versions.pieces, scratch) if versions.pieces else None
    if path is not None and len(versions.pieces) == 1 and is_archive(path / versions.pieces[0][0]):
        path = path / versions.pieces[0][0]
    elif path is not None:
        path = only_file(path, stages)
    return ImportedSubmission(
        person,
        path,
        is_late=versions.is_late or any(file.name.is_late for file in files if not uploads),
        attempt=versions.attempt,
        earlier=len(versions.left),
        source=listed([one_line(file.path.name) for file in files], most=1),
        notes=tuple(versions.notes),
    )


def _newest_versions(files: list[_CanvasFile], stages: Sequence[Stage]) -> _Versions:
    """The files that count, under the student's names for them."""
    versions, groups = _Versions(), defaultdict[str, list[_CanvasFile]](list)
    for file in files:
        groups[without_number(file.name.file)[0]].append(file)
    for called, group in sorted(groups.items()):
        numbers = {without_number(file.name.file)[1] for file in group}
        if any(_is_own(file, files, stages) for file in group) or (len(numbers) > 1 and not _counts(called, stages)):
            full_names = sorted({file.name.file for file in group})
            for name in full_names:
                _take(versions, name, [file for file in group if file.name.file == name])
            if _counts(called, stages) and called not in full_names and not _is_stage(full_names, stages):
                _take(versions, called, group)  # a makefile may need it, and a text may merely mention it
            continue
        _take(versions, called, group)
        versions.attempt = max(versions.attempt, max(numbers) + 1)
        versions.left |= numbers - {max(numbers)}
    return versions


def _take(versions: _Versions, called: str, group: list[_CanvasFile]) -> None:
    def rank(file: _CanvasFile) -> tuple[int, int]:
        return without_number(file.name.file)[1], file.name.upload

    *others, last = sorted(group, key=rank)
    versions.pieces.append((called, last.path))
    versions.is_late = versions.is_late or last.name.is_late
    if any(file.name.upload > last.name.upload for file in others):
        versions.notes.append(
            f"{one_line(last.path.name)} is used because of its number, although another {called} was uploaded later"
        )
    same = [file for file in others if file.name.file == last.name.file]
    if same:
        versions.notes.append(f"{one_line(last.name.file)} was handed in {len(same) + 1} times; the last one is used")


def _counts(called: str, stages: Sequence[Stage]) -> bool:
    """Whether numbered files of this name are versions of one program; else the numbers may be the student's own."""
    is_one = len(stages) == 1 and not stages[0].sources and language_of(called) is not None
    return is_one or is_archive(Path(called)) or _is_stage([called], stages)


def _is_stage(names: Sequence[str], stages: Sequence[Stage]) -> bool:
    return any(is_expected(name, stage) for stage in stages for name in names)


def _is_own(file: _CanvasFile, files: list[_CanvasFile], stages: Sequence[Stage]) -> bool:
    """Whether the number in a name is the student's own: a stage has that name, or another file mentions it."""
    name, number = file.name.file, without_number(file.name.file)[1]
    if not number:
        return False
    if _is_stage([name], stages):
        return True
    return any(_mentions(other.path, name) for other in files if other is not file)


def _mentions(path: Path, name: str) -> bool:
    if is_archive(path) or not path.is_file():
        return False
    try:
        return name.encode("utf-8", "surrogateescape") in beginning_of(path, _MAX_SEARCHED)
    except OSError:
        return False
