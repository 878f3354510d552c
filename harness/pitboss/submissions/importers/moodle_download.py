"""Reads a download of Moodle: the parts of its file and folder names.

    Ada Lovelace_123456_assignsubmission_file_/play.c                          a folder for each participant
    Ada Lovelace_123456_assignsubmission_file_play.c                           all files in one folder
    Ada Lovelace_123456_assignsubmission_onlinetext_/onlinetext.html           text typed into the page
    Participant 4711_123456_assignsubmission_file_/play.c                      anonymous

The number identifies the participant in this assignment: the Identifier of a grading worksheet.
The format is defined by mod/assign/locallib.php. The time of submission is not in a download but in a grading
worksheet, in columns whose wording is that of mod/assign/gradingtable.php.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.submissions.archives import is_archive
from pitboss.submissions.importers.display_names import entries_of, one_line, person_name
from pitboss.submissions.importers.gathered_files import Scratch, gather_files, only_file
from pitboss.submissions.importers.imported import FoundSubmissions, ImportedSubmission, LeftOut, Person, Submitted
from pitboss.submissions.importers.instants import local_instant
from pitboss.submissions.submission import listed

_NAME = re.compile(
    r"(?P<name>.+?)_(?P<participant>\d+)_assign(?P<kind>submission|feedback)_(?P<plugin>[a-z]+)(?:_(?P<file>.*))?",
    re.DOTALL,
)


class MoodleName(msgspec.Struct, frozen=True):
    """The parts of a file or folder name of Moodle."""

    name: str
    participant: str
    #: file, onlinetext or another submission plugin; feedback if it is not a submission.
    plugin: str
    #: The student's file name; empty for a folder of files.
    file: str


def parsed(name: str) -> MoodleName | None:
    """Parses a name; None if it is not one of Moodle.

    >>> parsed("Ada Lovelace_123_assignsubmission_file_play.c")
    MoodleName(name='Ada Lovelace', participant='123', plugin='file', file='play.c')
    """
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    plugin = found["plugin"] if found["kind"] == "submission" else "feedback"
    return MoodleName(found["name"], found["participant"], plugin, found["file"] or "")


def read_moodle(folder: Path, stages: Sequence[Stage], scratch: Scratch) -> FoundSubmissions:
    """The submissions in a folder of files and folders named by Moodle."""
    entries, left = entries_of(folder)
    result, people = FoundSubmissions(not_understood=left), defaultdict[str, list[tuple[MoodleName, Path]]](list)
    for path in entries:
        name = parsed(path.name)
        if name is None:
            result.not_understood.append(LeftOut(one_line(path.name), "its name is not that of a Moodle submission"))
        elif name.plugin == "feedback":
            result.not_understood.append(LeftOut(one_line(path.name), "feedback, not a submission"))
        else:
            people[name.participant].append((name, path))
    result.handed = [_handed(found, stages, scratch) for found in people.values()]
    return result


def _handed(found: list[tuple[MoodleName, Path]], stages: Sequence[Stage], scratch: Scratch) -> ImportedSubmission:
    first = found[0][0]
    person = Person(person_name(first.name), first.participant, ids=(("moodle", first.participant),))
    files = [(name, path) for name, path in found if name.plugin == "file"]
    others = sorted({name.plugin for name, _ in found} - {"file"})
    notes = [f"{_CALLED.get(other, other)} was handed in on the page, which is not a program" for other in others]
    return ImportedSubmission(
        person,
        _path_of(files, stages, scratch),
        source=listed([one_line(path.name) for _, path in found], most=1),
        notes=tuple(notes),
    )


_CALLED = {"onlinetext": "a text"}


def _path_of(files: list[tuple[MoodleName, Path]], stages: Sequence[Stage], scratch: Scratch) -> Path | None:
    if not files:
        return None
    if len(files) == 1 and files[0][1].is_dir() and not files[0][0].file:
        return only_file(files[0][1], stages)
    pieces = [(name.file or ("" if path.is_dir() else path.name), path) for name, path in files]
    folder = gather_files(pieces, scratch)
    if len(pieces) == 1 and is_archive(folder / pieces[0][0]):
        return folder / pieces[0][0]
    return only_file(folder, stages)


#: The beginnings of the status of a submission, in English and German; a late one ends with how late it was.
_HANDED_IN = ("submitted for grading", "graded", "zur bewertung abgegeben", "bewertet")
_LATE = re.compile(r"(?P<by>.*\d.*) (?:late|verspätet|zu spät)", re.IGNORECASE)
_EXTENSION = re.compile(r"extension granted until:?\s*(?P<until>.+)", re.IGNORECASE)
#: Units of lateness, in seconds, by the beginning of the word; Moodle does not use months.
_UNITS = {"year": 365 * 86_400, "day": 86_400, "tag": 86_400, "hour": 3600, "stunde": 3600, "min": 60, "se": 1}
_DURATION = re.compile(r"(\d+)\s+([a-z]+)", re.IGNORECASE)


def submitted(status: str, modified: str) -> Submitted | None:
    """Parses the columns Status and Last modified (submission) of a grading worksheet's row.

    None if they contain nothing. A status is understood in English, and in German for the commonest words.

    >>> submitted("Submitted for grading - 1 day 3 hours late", "-")
    Submitted(at=None, is_late=True, days_late=2, extension='', unread='')
    """
    parts = [part.strip() for part in re.split(r"\s+-\s+", status)]
    late = next((found for part in parts if (found := _LATE.fullmatch(part))), None)
    is_handed_in = parts[0].casefold().startswith(_HANDED_IN)
    extension = next((found["until"] for part in parts if (found := _EXTENSION.fullmatch(part))), "")
    written = "" if modified.strip() in ("", "-") else modified.strip()
    at = local_instant(written) if written else None
    result = Submitted(
        at,
        True if late else False if is_handed_in else None,
        _days_in(late["by"]) if late else None,
        extension,
        written if at is None else "",
    )
    return result if result != Submitted() else None


def _days_in(duration: str) -> int | None:
    """The days of a duration such as `1 day 3 hours`, a started one included; None for any other text."""
    seconds = 0
    for number, word in _DURATION.findall(duration):
        unit = next((length for start, length in _UNITS.items() if word.casefold().startswith(start)), None)
        if unit is None:
            return None
        seconds += int(number) * unit
    return -(-seconds // 86_400) or None
