"""Reads a download of Moodle, whose files and folders are named in these forms:

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
from pitboss.model.words import shortlist
from pitboss.submissions.archives import is_archive
from pitboss.submissions.importers.display_names import entries_of, one_line, person_name
from pitboss.submissions.importers.gathered_files import Scratch, gather_files, program_or_folder
from pitboss.submissions.importers.imported import (
    FoundSubmissions,
    ImportedSubmission,
    LeftOut,
    Person,
    SubmissionFacts,
)
from pitboss.submissions.importers.instants import parse_local_instant

_NAME = re.compile(
    r"(?P<name>.+?)_(?P<participant>\d+)_assign(?P<kind>submission|feedback)_(?P<plugin>[a-z]+)(?:_(?P<file>.*))?",
    re.DOTALL,
)


class MoodleName(msgspec.Struct, frozen=True):
    """The parts of a file or folder name of Moodle."""

    #: The participant's name.
    name: str
    #: The participant's number in this assignment.
    participant: str
    #: The submission plugin: file, onlinetext or another; feedback if the entry is not a submission.
    plugin: str
    #: The student's file name; empty for a folder of files.
    file: str


def parse_moodle_name(name: str) -> MoodleName | None:
    """Parses the name of a file or folder; returns None if it is not in Moodle's format.

    >>> parse_moodle_name("Ada Lovelace_123_assignsubmission_file_play.c")
    MoodleName(name='Ada Lovelace', participant='123', plugin='file', file='play.c')
    """
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    plugin = match["plugin"] if match["kind"] == "submission" else "feedback"
    return MoodleName(match["name"], match["participant"], plugin, match["file"] or "")


def read_moodle(folder: Path, stages: Sequence[Stage], scratch: Scratch) -> FoundSubmissions:
    """Reads the submissions in a folder whose files and subfolders are named by Moodle."""
    entries, left_out = entries_of(folder)
    result = FoundSubmissions(left_out_entries=left_out)
    paths_by_participant = defaultdict[str, list[tuple[MoodleName, Path]]](list)
    for path in entries:
        name = parse_moodle_name(path.name)
        if name is None:
            result.left_out_entries.append(LeftOut(one_line(path.name), "not named like a Moodle submission"))
        elif name.plugin == "feedback":
            result.left_out_entries.append(LeftOut(one_line(path.name), "feedback, not a submission"))
        else:
            paths_by_participant[name.participant].append((name, path))
    result.submissions = [_submission_of(named_paths, stages, scratch) for named_paths in paths_by_participant.values()]
    return result


def _submission_of(
    named_paths: list[tuple[MoodleName, Path]], stages: Sequence[Stage], scratch: Scratch
) -> ImportedSubmission:
    """Returns a participant's submission, from the participant's files and folders with their parsed names."""
    first = named_paths[0][0]
    person = Person(person_name(first.name), first.participant, ids=(("moodle", first.participant),))
    files = [(name, path) for name, path in named_paths if name.plugin == "file"]
    other_plugins = sorted({name.plugin for name, _ in named_paths} - {"file"})
    notes = [
        f"{_PLUGIN_LABELS.get(plugin, plugin)} was handed in on the page; it is not a program"
        for plugin in other_plugins
    ]
    return ImportedSubmission(
        person,
        _path_of(files, stages, scratch),
        source=shortlist([one_line(path.name) for _, path in named_paths], most=1),
        notes=tuple(notes),
    )


#: What a student submits by a plugin, in a sentence; for other plugins, the plugin's name is used.
_PLUGIN_LABELS = {"onlinetext": "a text"}


def _path_of(files: list[tuple[MoodleName, Path]], stages: Sequence[Stage], scratch: Scratch) -> Path | None:
    """Returns the path of the submitted folder, archive or file; None if no file was submitted."""
    if not files:
        return None
    first_name, first_path = files[0]
    if len(files) == 1 and first_path.is_dir() and not first_name.file:
        return program_or_folder(first_path, stages)
    # The content of a folder is gathered at the top of the new folder: with an empty name for the folder.
    named_files = [(name.file or ("" if path.is_dir() else path.name), path) for name, path in files]
    folder = gather_files(named_files, scratch)
    first_gathered_path = folder / named_files[0][0]
    if len(named_files) == 1 and is_archive(first_gathered_path):
        return first_gathered_path
    return program_or_folder(folder, stages)


#: How the status of a submission that was handed in begins, in English and German.
_HANDED_IN = ("submitted for grading", "graded", "zur bewertung abgegeben", "bewertet")
#: The part of a late submission's status that says how late it was.
_LATE = re.compile(r"(?P<delay>.*\d.*) (?:late|verspätet|zu spät)", re.IGNORECASE)
#: The part of a status that grants an extension.
_EXTENSION = re.compile(r"extension granted until:?\s*(?P<until>.+)", re.IGNORECASE)
#: The seconds of each unit of lateness, by the beginning of the unit's name (`se`: second, Sekunde); Moodle does not
#: use months.
_SECONDS_BY_UNIT = {
    "year": 365 * 86_400,
    "day": 86_400,
    "tag": 86_400,
    "hour": 3600,
    "stunde": 3600,
    "min": 60,
    "se": 1,
}
_DURATION = re.compile(r"(\d+)\s+([a-z]+)", re.IGNORECASE)


def parse_worksheet_status(status: str, modified: str) -> SubmissionFacts | None:
    """Parses the columns Status and Last modified (submission) of a grading worksheet's row.

    Returns None if the columns state nothing. A status is parsed in English and, for the most common words, in German.

    >>> parse_worksheet_status("Submitted for grading - 1 day 3 hours late", "-")
    SubmissionFacts(at=None, is_late=True, days_late=2, extension='', unread='')
    """
    parts = [part.strip() for part in re.split(r"\s+-\s+", status)]
    late_match = next((match for part in parts if (match := _LATE.fullmatch(part))), None)
    is_handed_in = parts[0].casefold().startswith(_HANDED_IN)
    extension = next((match["until"] for part in parts if (match := _EXTENSION.fullmatch(part))), "")
    timestamp = "" if modified.strip() in ("", "-") else modified.strip()
    instant = parse_local_instant(timestamp) if timestamp else None
    is_late_if_no_delay = False if is_handed_in else None
    result = SubmissionFacts(
        at=instant,
        is_late=True if late_match else is_late_if_no_delay,
        days_late=_days_rounded_up(late_match["delay"]) if late_match else None,
        extension=extension,
        unread=timestamp if instant is None else "",
    )
    return result if result != SubmissionFacts() else None


def _days_rounded_up(duration: str) -> int | None:
    """Returns the days of a duration such as `1 day 3 hours`, rounded up; None if it is 0 or cannot be parsed."""
    seconds = 0
    for number, word in _DURATION.findall(duration):
        unit_seconds = next(
            (length for prefix, length in _SECONDS_BY_UNIT.items() if word.casefold().startswith(prefix)), None
        )
        if unit_seconds is None:
            return None
        seconds += int(number) * unit_seconds
    return -(-seconds // 86_400) or None  # the minus signs round up
