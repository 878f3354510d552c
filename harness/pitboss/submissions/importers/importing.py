"""Imports a class: detects the kind of download by its content, and reads the submissions in it.

A download comes from a platform, or is a folder with a folder, an archive, a file or a git repository for each student.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.errors import UsageError, missing_folder
from pitboss.machine import scratch
from pitboss.machine.retry import refusal_error
from pitboss.machine.shortages import is_short
from pitboss.submissions.archives import NEVER_UNPACKED, Problem, Rules, is_archive, stem_of, unpack
from pitboss.submissions.importers.gathered_files import Scratch, gather_files, with_file_names
from pitboss.submissions.importers.git import is_repository, read_repositories
from pitboss.submissions.importers.imported import (
    A_LINK,
    FoundSubmissions,
    ImportedClass,
    ImportedSubmission,
    LeftOut,
    Person,
    entries_of,
    one_line,
)
from pitboss.submissions.importers.platforms import (
    METADATA,
    parse_canvas_name,
    parse_moodle_name,
    read_canvas,
    read_gradescope,
    read_moodle,
)
from pitboss.submissions.importers.roster import Roster, match_with_roster, share_in_teams
from pitboss.submissions.submission import may_be_submission, name_of, submissions_in

#: The maximum number of nested folders around a download, each with a single subfolder and without archives.
_MAX_OUTER_FOLDERS = 3

#: The rules for unpacking a download. The limits are enough for hundreds of submissions; a larger download does not
#: consist of programs. Hidden folders are unpacked too, since a class may consist of git repositories.
CLASS_RULES = Rules(
    max_bytes=4 << 30,
    max_files=200_000,
    is_ignored=lambda _: False,
    per_file_problems=frozenset(
        (*NEVER_UNPACKED, Problem.FAILED, Problem.OUTSIDE, Problem.UNNAMEABLE, Problem.NAMESAKE)
    ),
    subject="{archive}: ",
    sentences={
        **NEVER_UNPACKED,
        Problem.UNKNOWN_KIND: "this kind of archive cannot be unpacked here; unpack it, and give the folder",
        Problem.DAMAGED: "it is damaged or cut off: download it again",
        Problem.LOCKED: "it is locked with a password: unpack it, and give the folder",
        Problem.TOO_MANY: "it has more than {files:,} files: this is not the download of one class",
        Problem.TOO_LARGE: "it unpacks to more than {gb} GB: give one class's download",
        Problem.FAILED: "it cannot be unpacked: {detail}",
        Problem.OUTSIDE: "its path is outside the download",
        Problem.UNNAMEABLE: "its name is invalid",
        Problem.NAMESAKE: "a second file of this name",
    },
)


#: The functions that read the downloads of platforms, by the kind of the download.
_READERS = {"canvas": read_canvas, "moodle": read_moodle, "gradescope": read_gradescope}


@contextmanager
def imported_class(
    path: Path, stages: Sequence[Stage], *, roster: Roster | None = None, until: datetime.datetime | None = None
) -> Iterator[ImportedClass]:
    """Imports a class from a folder or an archive; its unpacked and gathered files exist during the context.

    `stages`: the graded stages. `until`: use the last commit of a git repository up to and including that instant (in
    UTC, if it has no time zone).
    Raises UsageError for an instructor's mistakes, SessionError if this machine lacks disk space or the like.
    """
    if until is not None and until.tzinfo is None:
        until = until.replace(tzinfo=datetime.UTC)
    with scratch.folder("import", 0o700) as temporary:
        try:
            root, left_out = _open_download(path, Path(temporary))
            kind, import_result = _read_download(
                root, stages, Scratch(Path(temporary), unpacked=root, download=path), until
            )
            # In this folder archives are unpacked only to list their files, and to see whether they can be unpacked.
            trial_scratch = Scratch(Path(temporary, "tried"), unpacked=root, download=path)
            submissions = [with_file_names(submission, trial_scratch) for submission in import_result.submissions]
        except OSError as error:
            if is_short(error.errno):
                raise refusal_error(f"{path} could not be read", error) from error
            raise UsageError(f"{path}: the folder cannot be read: {error.strerror}") from error
        if roster is not None:
            submissions = share_in_teams(match_with_roster(submissions, roster), roster.people)
        yield ImportedClass(kind, _sorted_with_unique_keys(submissions), (*import_result.left_out_entries, *left_out))


def _open_download(path: Path, temporary: Path) -> tuple[Path, list[LeftOut]]:
    """Returns a download's folder, unpacked if the download is an archive; and the files that were left out."""
    if not path.exists():
        raise missing_folder(path)
    if path.is_dir():
        return path, []
    if not path.is_file() or not is_archive(path):
        raise UsageError(f"{path}: this is a file; give the folder or the archive that contains the submissions")
    root = temporary / "download" / stem_of(path.name)
    return root, [LeftOut(one_line(name), reason) for name, reason in unpack(path, root, CLASS_RULES)]


def _read_download(
    root: Path, stages: Sequence[Stage], import_scratch: Scratch, until: datetime.datetime | None
) -> tuple[str, FoundSubmissions]:
    """Returns the kind of a download and the submissions in it; looks for both in the only subfolder if necessary."""
    folder, outer_entries = root, list[LeftOut]()
    for depth in range(_MAX_OUTER_FOLDERS + 1):
        kind = _kind(folder, min_repositories=2 if depth else 1)
        entries, left_out = entries_of(folder)
        subfolders = [path for path in entries if path.is_dir()]
        if kind or len(subfolders) != 1 or any(is_archive(path) for path in entries):
            break
        outer_entries += [*(LeftOut(one_line(path.name)) for path in entries if path not in subfolders), *left_out]
        folder = subfolders[0]
    if not kind:
        return "folders", read_folders(root, stages, import_scratch)
    if kind == "git":
        found = read_repositories(folder, import_scratch, until)
    else:
        found = _READERS[kind](folder, stages, import_scratch)
    found.left_out_entries += outer_entries
    if not found.submissions:
        raise UsageError(f"{import_scratch.path_in_download(root)}: there is no submission in it")
    return kind, found


def read_folders(folder: Path, stages: Sequence[Stage], scratch: Scratch) -> FoundSubmissions:
    """Reads the submissions in a class folder: folders, archives or, if only one stage is graded, files.

    Raises UsageError if the folder is not a class folder.
    """
    paths, unclear_names = submissions_in(folder, stages, folder_in_messages=scratch.path_in_download(folder))
    result = FoundSubmissions(left_out_entries=[LeftOut(one_line(name)) for name in unclear_names])
    folders = dict.fromkeys([folder, *(path.parent for path in paths)])
    # Links to files are not added: `submissions_in` has returned them, in `paths` or in `unclear_names`.
    result.left_out_entries += [
        entry for parent in folders for entry in entries_of(parent)[1] if entry.reason != A_LINK
    ]
    for path in paths:
        submitted_path = path
        if path.is_file() and not is_archive(path):
            # The file gets a separate folder, without the files of other students. A link directly in the class folder
            # may be followed: the instructor created the link, since archives are unpacked without links.
            submitted_path = gather_files([(path.name, path.resolve())], scratch) / path.name
        has_git = path.is_dir() and is_repository(path)
        notes = ("it has a git repository, which is ignored",) if has_git else ()
        name = one_line(path.name if path.is_dir() else name_of(path))
        person = Person(name, name)
        result.submissions.append(
            ImportedSubmission(person, submitted_path, source=one_line(str(path.relative_to(folder))), notes=notes)
        )
    return result


def _kind(folder: Path, min_repositories: int) -> str:
    """Returns the kind of download that a folder contains; empty if unknown.

    A download of Gradescope has a metadata file. A folder is of another kind if it has at least as many entries of this
    kind as other folders and program files.
    `min_repositories`: the minimum number of repositories for the kind git. Below the top folder, a single repository
    may be the submission of the only student.
    """
    entries, _ = entries_of(folder)
    if any(path.name == METADATA and path.is_file() for path in entries):
        return "gradescope"
    counts = Counter(_kind_of_entry(path) for path in entries)
    for kind in ("moodle", "canvas", "git"):
        minimum = min_repositories if kind == "git" else 1
        if counts[kind] >= max(minimum, counts["folders"]):
            return kind
    return ""


def _kind_of_entry(path: Path) -> str:
    """Returns the kind of download that an entry seems to be part of; empty for a file that cannot be a submission."""
    if parse_moodle_name(path.name):
        return "moodle"
    if parse_canvas_name(path.name):
        return "canvas"
    if path.is_dir():
        return "git" if is_repository(path) else "folders"
    return "folders" if may_be_submission(path) else ""


def _sorted_with_unique_keys(submissions: list[ImportedSubmission]) -> tuple[ImportedSubmission, ...]:
    """Sorts submissions by name, and makes their keys unique.

    If several submissions have the same key, a number is added to the key of all but the first, and all get a note.
    """
    totals, counts_so_far = Counter(submission.person.key for submission in submissions), Counter[str]()
    result = []
    for submission in sorted(
        submissions,
        key=lambda submission: (submission.person.name.casefold(), submission.person.key, submission.source),
    ):
        key = submission.person.key
        if totals[key] > 1:
            counts_so_far[key] += 1
            note = f"{totals[key]} submissions are from {key}: check which one to grade"
            unique_key = f"{key} ({counts_so_far[key]})" if counts_so_far[key] > 1 else key
            person = msgspec.structs.replace(submission.person, key=unique_key)
            submission = msgspec.structs.replace(submission, person=person).with_notes(note)
        result.append(submission)
    return tuple(result)
