"""Reads downloads of the course platforms: Canvas, Moodle and Gradescope.

Canvas puts all files into one folder (content_zipper.rb in instructure/canvas-lms defines their names):

    lovelaceada_12345_67890_play.c           name, user id, upload id, the student's file name
    lovelaceada_LATE_12345_67890_play-1.c    late; Canvas added -1 because a play.c existed already
    anon_aB3xZ_67890_play.c                  anonymous
    lovelaceada_12345_text.html              text typed into the page; _link.html: a link

Moodle names its files and folders in these forms (mod/assign/locallib.php). The number identifies the participant in
this assignment: the Identifier of a grading worksheet, which also has the time of submission.

    Ada Lovelace_123456_assignsubmission_file_/play.c                          a folder for each participant
    Ada Lovelace_123456_assignsubmission_file_play.c                           all files in one folder
    Ada Lovelace_123456_assignsubmission_onlinetext_/onlinetext.html           text typed into the page
    Participant 4711_123456_assignsubmission_file_/play.c                      anonymous

Gradescope has a folder for each submission, and a file that lists the submitters, whose keys begin with a colon because
Ruby writes it:

    submission_1234567/…         the files
    submission_metadata.yml      submission_1234567: {:submitters: [{:name:, :sid:, :email:}], :created_at:, …}
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.nodes import Items, Keyed, Node, Text, read_yaml
from pitboss.errors import SpecError, UsageError
from pitboss.machine.files import beginning_of
from pitboss.model.languages import language_of
from pitboss.model.words import shortlist
from pitboss.submissions.archives import is_archive
from pitboss.submissions.importers.gathered_files import Scratch, gathered_submission, program_or_folder
from pitboss.submissions.importers.imported import (
    FoundSubmissions,
    ImportedSubmission,
    LeftOut,
    Person,
    entries_of,
    one_line,
    person_name,
)
from pitboss.submissions.importers.instants import NO_TIME_ZONE_NOTE, parse_instant
from pitboss.submissions.stage_files import is_expected

_WITH_NAME = re.compile(r"(?P<name>.+?)(?P<late>_LATE)?_(?P<user>\d+)_(?P<upload>\d+)_(?P<file>.+)", re.DOTALL)
#: Between `anon_CODE` and the upload id, the code may be repeated, or the user's number may follow. Of two numbers, the
#: first is read as the user's only if the second has five or more digits. Otherwise the first is the upload id, and the
#: second belongs to the file name.
_ANONYMOUS = re.compile(
    r"anon_(?P<code>[A-Za-z0-9]+)(?P<late>_LATE)?(?:_(?P=code)|_\d+(?=_\d{5,}_))?_(?P<upload>\d+)_(?P<file>.+)",
    re.DOTALL,
)
#: A text or link that the student typed into the page.
_TYPED = re.compile(
    r"(?:anon_(?P<code>[A-Za-z0-9]+)|(?P<name>.+?))(?P<late>_LATE)?(?:_(?P<user>\d+))?_(?P<file>text|link)\.html",
    re.DOTALL,
)
#: A file name with a number before the suffix, as Canvas adds it to repeated names.
_FILE_WITH_NUMBER = re.compile(r"(?P<stem>.+)-(?P<number>[1-9]\d{0,2})(?P<suffix>(?:\.tar)?\.[^.]+|)", re.DOTALL)
#: At most this many bytes of a file are searched for the name of another file.
_MAX_SEARCHED_BYTES = 1 << 20


class CanvasName(msgspec.Struct, frozen=True):
    """The parts of a file name of Canvas."""

    #: The student's name as Canvas writes it, such as lovelaceada; if anonymous, `anon_` and the code.
    name: str
    #: The user id; the code of an anonymous student.
    user: str
    #: The upload id; 0 for a text or link typed into the page.
    upload: int
    #: The student's file name, possibly with a number that Canvas added; "text" or "link" if typed into the page.
    file: str
    is_late: bool = False
    is_anonymous: bool = False


def parse_canvas_name(name: str) -> CanvasName | None:
    """Parses a file name; returns None if the name is not in Canvas's format.

    >>> parse_canvas_name("lovelaceada_LATE_12_34_play-1.c")
    CanvasName(name='lovelaceada', user='12', upload=34, file='play-1.c', is_late=True, is_anonymous=False)
    """
    match = _ANONYMOUS.fullmatch(name) or _WITH_NAME.fullmatch(name) or _TYPED.fullmatch(name)
    parts = match.groupdict() if match else {}
    code = parts.get("code")
    user, person_name = code or parts.get("user"), f"anon_{code}" if code else parts.get("name")
    if not user or not person_name:
        return None
    upload = int(parts.get("upload", "0")[:18])  # an id with more digits is cut
    return CanvasName(person_name, user, upload, parts["file"], bool(parts["late"]), bool(code))


def without_number(name: str) -> tuple[str, int]:
    """Returns a file name without the number that Canvas adds to repeated names, and the number (0 if absent).

    >>> without_number("play-2.c"), without_number("play.c"), without_number("hw.tar-1.gz")
    (('play.c', 2), ('play.c', 0), ('hw.tar.gz', 1))
    """
    match = _FILE_WITH_NUMBER.fullmatch(name)
    return (match["stem"] + match["suffix"], int(match["number"])) if match else (name, 0)


_MOODLE_NAME = re.compile(
    r"(?P<name>.+?)_(?P<participant>\d+)_assign(?P<kind>submission|feedback)_(?P<plugin>[a-z]+)(?:_(?P<file>.*))?",
    re.DOTALL,
)


class MoodleName(msgspec.Struct, frozen=True):
    """The parts of a file or folder name of Moodle."""

    #: The participant's name.
    name: str
    #: The participant's number in this assignment.
    user: str
    #: The submission plugin: file, onlinetext or another; feedback if the entry is not a submission.
    plugin: str
    #: The student's file name; empty for a folder of files.
    file: str


def parse_moodle_name(name: str) -> MoodleName | None:
    """Parses the name of a file or folder; returns None if it is not in Moodle's format.

    >>> parse_moodle_name("Ada Lovelace_123_assignsubmission_file_play.c")
    MoodleName(name='Ada Lovelace', user='123', plugin='file', file='play.c')
    """
    match = _MOODLE_NAME.fullmatch(name)
    if match is None:
        return None
    plugin = match["plugin"] if match["kind"] == "submission" else "feedback"
    return MoodleName(match["name"], match["participant"], plugin, match["file"] or "")


_Name = TypeVar("_Name", CanvasName, MoodleName)


class _NamedFile(NamedTuple, Generic[_Name]):
    """A file or folder of a download, with its parsed name."""

    name: _Name
    path: Path


_CanvasFile = _NamedFile[CanvasName]


def _files_by_user(
    folder: Path, platform: str, parse: Callable[[str], _Name | None]
) -> tuple[FoundSubmissions, list[list[_NamedFile[_Name]]]]:
    """The files of each user in a folder, and no submissions yet; files that are not so named are left out."""
    entries, left_out = entries_of(folder)
    files = defaultdict[str, list[_NamedFile[_Name]]](list)
    for path in entries:
        name = parse(path.name)
        if name is None:
            left_out.append(LeftOut(one_line(path.name), f"not named like a {platform} submission"))
        elif isinstance(name, MoodleName) and name.plugin == "feedback":
            left_out.append(LeftOut(one_line(path.name), "feedback, not a submission"))
        else:
            files[name.user].append(_NamedFile(name, path))
    return FoundSubmissions(left_out_entries=left_out), list(files.values())


def _typed_note(kind: str) -> str:
    return f"{kind} was handed in on the page; it is not a program"


class _Versions(msgspec.Struct):
    """The newest versions of a student's files."""

    #: For each file to grade: the name under which the file is graded, and its path in the download.
    files: list[tuple[str, Path]] = []
    is_late: bool = False
    #: The number of the student's attempt, from 1.
    attempt: int = 1
    #: The numbers that Canvas added to older versions; 0 for a version without a number.
    older_numbers: set[int] = set()
    notes: list[str] = []


def read_canvas(folder: Path, stages: Sequence[Stage], scratch: Scratch) -> FoundSubmissions:
    """Reads the submissions in a folder of files named by Canvas."""
    result, files_by_user = _files_by_user(folder, "Canvas", parse_canvas_name)
    result.submissions = [_canvas_submission(files, stages, scratch) for files in files_by_user]
    return result


def _canvas_submission(files: list[_CanvasFile], stages: Sequence[Stage], scratch: Scratch) -> ImportedSubmission:
    """The submission of the student who handed in these files."""
    first_name = files[0].name
    id_kind = "canvas-anonymous" if first_name.is_anonymous else "canvas"
    person = Person(one_line(first_name.name), first_name.user, ids=((id_kind, first_name.user),))
    uploads = [file for file in files if file.name.upload]
    versions = _newest_versions(uploads, stages)
    typed_kinds = sorted({file.name.file for file in files if not file.name.upload})
    versions.notes += [_typed_note(f"a {kind}") for kind in typed_kinds]
    names = sorted({one_line(file.name.name) for file in files})
    if len(names) > 1:
        versions.notes.append(f"the file names contain different student names: {shortlist(names)}")
    return ImportedSubmission(
        person,
        gathered_submission(versions.files, stages, scratch),
        is_late=versions.is_late or (not uploads and any(file.name.is_late for file in files)),
        attempt=versions.attempt,
        other_attempts=len(versions.older_numbers),
        source=shortlist([one_line(file.path.name) for file in files], most=1),
        notes=tuple(versions.notes),
    )


def _newest_versions(files: list[_CanvasFile], stages: Sequence[Stage]) -> _Versions:
    """Selects the files to grade, and the names under which they are graded.

    Files whose names differ only in a number are a group: versions of one file, or files that the student numbered.
    """
    versions, groups = _Versions(), defaultdict[str, list[_CanvasFile]](list)
    for file in files:
        groups[without_number(file.name.file)[0]].append(file)
    for base_name, group in sorted(groups.items()):
        numbers = {without_number(file.name.file)[1] for file in group}
        if any(_is_numbered_by_student(file, files, stages) for file in group) or (
            len(numbers) > 1 and not _numbers_mean_versions(base_name, stages)
        ):
            # The student numbered the files: each file is used under its full name.
            full_names = sorted({file.name.file for file in group})
            for name in full_names:
                _use_newest(versions, name, [file for file in group if file.name.file == name])
            if (
                _numbers_mean_versions(base_name, stages)
                and base_name not in full_names
                and not _has_stage_file(full_names, stages)
            ):
                # The student is assumed to have numbered the files only because another file mentions a full name. A
                # makefile that mentions the name needs the file under this name, but a mere text may mention a version.
                # In case the numbers mean versions after all, the newest file is also used under the base name.
                _use_newest(versions, base_name, group)
            continue
        _use_newest(versions, base_name, group)
        versions.attempt = max(versions.attempt, max(numbers) + 1)
        versions.older_numbers |= numbers - {max(numbers)}
    return versions


def _use_newest(versions: _Versions, target_name: str, group: list[_CanvasFile]) -> None:
    """Uses the newest file of a group under the name `target_name`; notes if this choice may be wrong."""

    def rank(file: _CanvasFile) -> tuple[int, int]:
        return without_number(file.name.file)[1], file.name.upload

    *older_files, newest = sorted(group, key=rank)
    versions.files.append((target_name, newest.path))
    versions.is_late = versions.is_late or newest.name.is_late
    if any(file.name.upload > newest.name.upload for file in older_files):
        versions.notes.append(
            f"{one_line(newest.path.name)} is used because of its number, although another {target_name} "
            "was uploaded later"
        )
    same_name = [file for file in older_files if file.name.file == newest.name.file]
    if same_name:
        versions.notes.append(
            f"{one_line(newest.name.file)} was handed in {len(same_name) + 1} times; the last upload is used"
        )


def _numbers_mean_versions(file_name: str, stages: Sequence[Stage]) -> bool:
    """Whether the numbers of files with this base name mean versions of the file that is graded.

    The graded file is an archive, a file that a stage expects or, if the only stage names no sources, any program.
    """
    is_program_of_any_name = len(stages) == 1 and not stages[0].sources and language_of(file_name) is not None
    return is_program_of_any_name or is_archive(Path(file_name)) or _has_stage_file([file_name], stages)


def _has_stage_file(names: Sequence[str], stages: Sequence[Stage]) -> bool:
    """Whether one of the names is expected for a stage."""
    return any(is_expected(name, stage) for stage in stages for name in names)


def _is_numbered_by_student(file: _CanvasFile, files: list[_CanvasFile], stages: Sequence[Stage]) -> bool:
    """Whether the student, not Canvas, put the number into a file name.

    That is assumed if a stage expects the name with the number, or if another file of the student mentions the name.
    """
    name, number = file.name.file, without_number(file.name.file)[1]
    if not number:
        return False
    if _has_stage_file([name], stages):
        return True
    return any(_mentions_name(other.path, name) for other in files if other is not file)


def _mentions_name(path: Path, name: str) -> bool:
    if is_archive(path) or not path.is_file():
        return False
    try:
        return name.encode("utf-8", "surrogateescape") in beginning_of(path, _MAX_SEARCHED_BYTES)
    except OSError:
        return False


def read_moodle(folder: Path, stages: Sequence[Stage], scratch: Scratch) -> FoundSubmissions:
    """Reads the submissions in a folder whose files and subfolders are named by Moodle."""
    result, files_by_user = _files_by_user(folder, "Moodle", parse_moodle_name)
    result.submissions = [_moodle_submission(files, stages, scratch) for files in files_by_user]
    return result


def _moodle_submission(
    files: list[_NamedFile[MoodleName]], stages: Sequence[Stage], scratch: Scratch
) -> ImportedSubmission:
    """The submission of the participant who handed in these files and folders."""
    first = files[0].name
    other_plugins = sorted({file.name.plugin for file in files} - {"file"})
    uploads = [(file.name.file, file.path) for file in files if file.name.plugin == "file"]
    if len(uploads) == 1 and uploads[0][1].is_dir() and not uploads[0][0]:
        path: Path | None = program_or_folder(uploads[0][1], stages)
    else:
        # The content of a folder is gathered at the top of the new folder: with an empty name for the folder.
        named_uploads = [(name or ("" if path.is_dir() else path.name), path) for name, path in uploads]
        path = gathered_submission(named_uploads, stages, scratch)
    return ImportedSubmission(
        Person(person_name(first.name), first.user, ids=(("moodle", first.user),)),
        path,
        source=shortlist([one_line(file.path.name) for file in files], most=1),
        notes=tuple(_typed_note("a text" if plugin == "onlinetext" else plugin) for plugin in other_plugins),
    )


METADATA = "submission_metadata.yml"


def read_gradescope(folder: Path, stages: Sequence[Stage], scratch: Scratch) -> FoundSubmissions:
    """Reads the submissions of an export, one for each submitter; raises UsageError if the metadata are unreadable."""
    entries, left_out = entries_of(folder)
    result = FoundSubmissions(left_out_entries=left_out)
    metadata = _metadata(folder / METADATA, scratch.path_in_download(folder / METADATA))
    submission_paths = {path.name: path for path in entries if path.is_dir() or path.name in metadata}
    for path in entries:
        if path.name not in submission_paths and path.name != METADATA:
            result.left_out_entries.append(LeftOut(one_line(path.name), f"not listed in {METADATA}"))
    for name, path in submission_paths.items():
        if name not in metadata:
            person = Person(one_line(name), one_line(name))
            note = f"{METADATA} lists no submitters"
            result.submissions.append(
                ImportedSubmission(person, program_or_folder(path, stages), source=one_line(name), notes=(note,))
            )
    for name, details in metadata.items():
        result.submissions += _submissions_of(name, details, submission_paths.get(name), stages)
    return result


def _metadata(path: Path, path_in_messages: Path) -> dict[str, Keyed]:
    """Returns the metadata of each submission, by the submission's name; messages name the file `path_in_messages`."""
    try:
        node = read_yaml(path, is_strict=False, name=path_in_messages)
    except SpecError as error:
        raise UsageError(f"{error}; download the export again") from error
    if not isinstance(node, Keyed) or not any(isinstance(entry, Keyed) for entry in node.entries.values()):
        raise UsageError(f"{path_in_messages}: it is not the {METADATA} of Gradescope; download the export again")
    return {name: node for name, node in node.entries.items() if isinstance(node, Keyed)}


def _submissions_of(name: str, details: Keyed, path: Path | None, stages: Sequence[Stage]) -> list[ImportedSubmission]:
    """Returns the submission `name` once for each submitter; `path` is its folder, or None if the folder is missing."""
    timestamp = _text(details, "created_at")
    submitted_at, has_zone = parse_instant(timestamp)
    instants = [parse_instant(_text(item, "created_at"))[0] for item in _items(details, "history")]
    other_instants = [other for other in instants if other is not None and other != submitted_at]
    notes = [NO_TIME_ZONE_NOTE] if submitted_at is not None and not has_zone else []
    if timestamp and submitted_at is None:
        notes.append(f"the time of submission cannot be read: {one_line(timestamp)[:60]}")
    if path is None:
        notes.append(f"listed in {METADATA}, but its folder {one_line(name)} is missing")
    if submitted_at is not None and any(instant > submitted_at for instant in other_instants):
        notes.append("there is a later submission, but this one was selected on Gradescope")
    submitters = _items(details, "submitters")
    people = [_person(submitter, name) for submitter in submitters] or [Person(one_line(name), one_line(name))]
    if not submitters:
        notes.append(f"{METADATA} lists no submitters")
    attempt = 1 + (sum(instant < submitted_at for instant in other_instants) if submitted_at is not None else 0)
    program = program_or_folder(path, stages) if path is not None else None
    submission = ImportedSubmission(
        people[0],
        program,
        at=submitted_at,
        attempt=attempt,
        other_attempts=len(other_instants),
        source=one_line(name),
        notes=tuple(notes),
    )
    return [_submission_for(person, people, submission) for person in people]


def _submission_for(person: Person, people: list[Person], submission: ImportedSubmission) -> ImportedSubmission:
    """Returns a submission as handed in by one of the people who share it."""
    others = [other.name for other in people if other is not person]
    note = f"handed in together with {', '.join(others)}" if others else ""
    return msgspec.structs.replace(submission, person=person).with_notes(note)


def _person(node: Node, submission_name: str) -> Person:
    """Returns a submitter; the key is the student id, else the e-mail, the name or the name of the submission."""
    name, sid, email = (one_line(_text(node, key)) for key in ("name", "sid", "email"))
    ids = (("sis", sid),) if sid else ()
    key = sid or email or name or one_line(submission_name)
    return Person(person_name(name) or key, key, email=email, ids=(*ids, ("gradescope", one_line(submission_name))))


def _entry(node: Node, key: str) -> Node | None:
    """Returns the value of a key, which may be written with a colon before it; None if the key is missing."""
    if not isinstance(node, Keyed):
        return None
    return node.entries.get(f":{key}") or node.entries.get(key)


def _text(node: Node, key: str) -> str:
    """Returns the text under a key; empty if the key is missing, or its value is null."""
    entry = _entry(node, key)
    return entry.value.strip() if isinstance(entry, Text) and entry.value not in ("null", "~") else ""


def _items(node: Node, key: str) -> tuple[Node, ...]:
    """Returns the items of the list under a key; empty if the key is missing."""
    entry = _entry(node, key)
    return entry.items if isinstance(entry, Items) else ()
