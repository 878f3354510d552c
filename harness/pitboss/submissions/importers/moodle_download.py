"""What Moodle calls the files and folders of a download.

    Ada Lovelace_123456_assignsubmission_file_/play.c                          a folder for each participant
    Ada Lovelace_123456_assignsubmission_file_play.c                           all files in one folder
    Ada Lovelace_123456_assignsubmission_onlinetext_/onlinetext.html           what was typed into the page
    Participant 4711_123456_assignsubmission_file_/play.c                      without names

The number is that of the participant in this assignment, the Identifier of a grading worksheet.
The form is that of mod/assign/locallib.php. When something was handed in is not in a download: a grading worksheet
says it, in columns whose words are those of mod/assign/gradingtable.php.
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
from pitboss.submissions.importers.gathered_files import Scratch, gathered, only_file
from pitboss.submissions.importers.imported import FoundSubmissions, ImportedSubmission, LeftOut, Person, Submitted
from pitboss.submissions.importers.instants import local_instant
from pitboss.submissions.submission import listed

_NAME = re.compile(
    r"(?P<name>.+?)_(?P<participant>\d+)_assign(?P<kind>submission|feedback)_(?P<plugin>[a-z]+)(?:_(?P<file>.*))?",
    re.DOTALL,
)


class MoodleName(msgspec.Struct, frozen=True):
    """What the name of a file or a folder says."""

    name: str
    participant: str
    #: file, onlinetext, or another way to hand something in; feedback if it is none.
    plugin: str
    #: As the student called it; empty for a folder of files.
    file: str


def parsed(name: str) -> MoodleName | None:
    """What a name says; None if it is not one of Moodle.

    >>> parsed("Ada Lovelace_123_assignsubmission_file_play.c")
    MoodleName(name='Ada Lovelace', participant='123', plugin='file', file='play.c')
    """
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    plugin = found["plugin"] if found["kind"] == "submission" else "feedback"
    return MoodleName(found["name"], found["participant"], plugin, found["file"] or "")


def read_moodle(folder: Path, stages: Sequence[Stage], scratch: Scratch) -> FoundSubmissions:
    """What everybody handed in, of a folder as Moodle names what is in it."""
    entries, left = entries_of(folder)
    result, people = FoundSubmissions(not_understood=left), defaultdict[str, list[tuple[MoodleName, Path]]](list)
    for path in entries:
        said = parsed(path.name)
        if said is None:
            result.not_understood.append(LeftOut(one_line(path.name), "it is not called as Moodle calls a submission"))
        elif said.plugin == "feedback":
            result.not_understood.append(LeftOut(one_line(path.name), "feedback, which nobody handed in"))
        else:
            people[said.participant].append((said, path))
    result.handed = [_handed(found, stages, scratch) for found in people.values()]
    return result


def _handed(found: list[tuple[MoodleName, Path]], stages: Sequence[Stage], scratch: Scratch) -> ImportedSubmission:
    first = found[0][0]
    person = Person(person_name(first.name), first.participant, ids=(("moodle", first.participant),))
    files = [(said, path) for said, path in found if said.plugin == "file"]
    others = sorted({said.plugin for said, _ in found} - {"file"})
    notes = [f"{_CALLED.get(one, one)} was handed in on the page, which is no program" for one in others]
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
    pieces = [(said.file or ("" if path.is_dir() else path.name), path) for said, path in files]
    folder = gathered(pieces, scratch)
    if len(pieces) == 1 and is_archive(folder / pieces[0][0]):
        return folder / pieces[0][0]
    return only_file(folder, stages)


#: How a status begins of what was handed in, in English and German; it ends in how late that was, if it was late.
_HANDED_IN = ("submitted for grading", "graded", "zur bewertung abgegeben", "bewertet")
_LATE = re.compile(r"(?P<by>.*\d.*) (?:late|verspätet|zu spät)", re.IGNORECASE)
_EXTENSION = re.compile(r"extension granted until:?\s*(?P<until>.+)", re.IGNORECASE)
#: Units of how late something was, in seconds, by how they begin; a month is none of Moodle's.
_UNITS = {"year": 365 * 86_400, "day": 86_400, "tag": 86_400, "hour": 3600, "stunde": 3600, "min": 60, "se": 1}
_DURATION = re.compile(r"(\d+)\s+([a-z]+)", re.IGNORECASE)


def submitted(status: str, modified: str) -> Submitted | None:
    """What a row of a grading worksheet says, of its columns Status and Last modified (submission).

    None where it says nothing. What a status means is known in English, and of German the commonest words.

    >>> submitted("Submitted for grading - 1 day 3 hours late", "-")
    Submitted(at=None, is_late=True, days_late=2, extension='', unread='')
    """
    parts = [part.strip() for part in re.split(r"\s+-\s+", status)]
    late = next((found for part in parts if (found := _LATE.fullmatch(part))), None)
    is_handed_in = parts[0].casefold().startswith(_HANDED_IN)
    extension = next((found["until"] for part in parts if (found := _EXTENSION.fullmatch(part))), "")
    written = "" if modified.strip() in ("", "-") else modified.strip()
    at = local_instant(written) if written else None
    said = Submitted(
        at,
        True if late else False if is_handed_in else None,
        _days_in(late["by"]) if late else None,
        extension,
        written if at is None else "",
    )
    return said if said != Submitted() else None


def _days_in(duration: str) -> int | None:
    """How many days a duration such as `1 day 3 hours` is, one that has begun included; None if it is no such text."""
    seconds = 0
    for number, word in _DURATION.findall(duration):
        unit = next((length for start, length in _UNITS.items() if word.casefold().startswith(start)), None)
        if unit is None:
            return None
        seconds += int(number) * unit
    return -(-seconds // 86_400) or None
