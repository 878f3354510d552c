"""Reads a download of Moodle: the parts of its file and folder names.

    Ada Lovelace_123456_assignsubmission_file_/play.c                          a folder for each participant
    Ada Lovelace_123456_assignsubmission_file_play.c                           all files in one folder
    Ada Lovelace_123456_assignsubmission_onlinetext_/onlinetext.html           text typed into the page
    Participant 4711_123456_assignsubmission_file_/play.c                      anonymous

The number identifies the participant in this assignment: the Identifier of a grading worksheet.
The format is defined by mod/assign/locallib.php. The time of submission is not in a download but in a grading
worksheet, in columns worded as in mod/assign/gradingtable.php.
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
from pitboss.submissions.importers.instants import parse_local_instant
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


def parse_moodle_name(name: str) -> MoodleName | None:
    """Parses a name; None if it is not in Moodle's format.

    >>> parse_moodle_name("Ada Lovelace_123_assignsubmission_file_play.c")
    MoodleName(name='Ada Lovelace', participant='123', plugin='file', file='play.c')
    """
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    plugin = match["plugin"] if match["kind"] == "submission" else "feedback"
    return MoodleName(match["name"], match["participant"], plugin, match["file"] or "")


def read_moodle(folder: Path, stages: Sequence[Stage], scratch: Scratch) -> FoundSubmissions:
    """Reads the submissions in a folder of files and folders named by Moodle."""
    entries, left_out = entries_of(folder)
    result, people = FoundSubmissions(not_understood=left_out), defaultdict[str, list[tuple[MoodleName, Path]]](list)
    for path in entries:
        name = parse_moodle_name(path.name)
        if name is None:
            result.not_understood.append(LeftOut(one_line(path.name), "not named like a Moodle submission"))
        elif name.plugin == "feedback":
            result.not_understood.append(LeftOut(one_line(path.name), "feedback, not a submission"))
        else:
            people[name.participant].append((name, path))
    result.handed = [_submission_of(named_paths, stages, scratch) for named_paths in people.values()]
    return result


def _submission_of(
    named_paths: list[tuple[MoodleName, Path]], stages: Sequence[Stage], scratch: Scratch
) -> ImportedSubmission:
    first = named_paths[0][0]
    person = Person(person_name(first.name), first.participant, ids=(("moodle", first.participant),))
    files = [(name, path) for name, path in named_paths if name.plugin == "file"]
    typed = sorted({name.plugin for name, _ in named_paths} - {"file"})
    notes = [f"{_PLUGIN_LABELS.get(other, other)} was handed in on the page; it is not a program" for other in typed]
    return ImportedSubmission(
        person,
        _path_of(files, stages, scratch),
        source=listed([one_line(path.name) for _, path in named_paths], most=1),
        notes=tuple(notes),
    )


_PLUGIN_LABELS = {"onlinetext": "a text"}


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


#: How a submission's status begins, in English and German; the status of a late submission ends with how late it was.
_HANDED_IN = ("submitted for grading", "graded", "zur bewertung abgegeben", "bewertet")
_LATE = re.compile(r"(?P<by>.*\d.*) (?:late|verspätet|zu spät)", re.IGNORECASE)
_EXTENSION = re.compile(r"extension granted until:?\s*(?P<until>.+)", re.IGNORECASE)
#: Units of lateness, in seconds, by the beginning of the word; Moodle does not use months.
_UNITS = {"year": 365 * 86_400, "day": 86_400, "tag": 86_400, "hour": 3600, "stunde": 3600, "min": 60, "se": 1}
_DURATION = re.compile(r"(\d+)\s+([a-z]+)", re.IGNORECASE)


def parse_worksheet_status(status: str, modified: str) -> Submitted | None:
    """Parses the columns Status and Last modified (submission) of a grading worksheet's row.

    None if they state nothing. A status is parsed in English, and in German with the most common words.

    >>> parse_worksheet_status("Submitted for grading - 1 day 3 hours late", "-")
    Submitted(at=None, is_late=True, days_late=2, extension='', unread='')
    """
    parts = [part.strip() for part in re.split(r"\s+-\s+", status)]
    late = next((found for part in parts if (found := _LATE.fullmatch(part))), None)
    is_handed_in = parts[0].casefold().startswith(_HANDED_IN)
    extension = next((found["until"] for part in parts if (found := _EXTENSION.fullmatch(part))), "")
    written = "" if modified.strip() in ("", "-") else modified.strip()
    at = parse_local_instant(written) if written else None
    result = Submitted(
        at,
        True if late else False if is_handed_in else None,
        _started_days(late["by"]) if late else None,
        extension,
        written if at is None else "",
    )
    return result if result != Submitted() else None


def _started_days(duration: str) -> int | None:
    """Returns the days of a duration such as `1 day 3 hours`, rounded up; None for any other text."""
    seconds = 0
    for number, word in _DURATION.findall(duration):
        unit = next((length for start, length in _UNITS.items() if word.casefold().startswith(start)), None)
        if unit is None:
            return None
        seconds += int(number) * unit
    return -(-seconds // 86_400) or None
