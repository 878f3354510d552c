"""Reads a class folder that has a folder, an archive, a file or a git repository for each student."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path

from pitboss.assignments.assignment import Stage
from pitboss.submissions.archives import is_archive
from pitboss.submissions.class_folder import submissions_in
from pitboss.submissions.importers.display_names import A_LINK, entries_of, one_line
from pitboss.submissions.importers.gathered_files import Scratch, gather_files
from pitboss.submissions.importers.git import export_commit, is_repository
from pitboss.submissions.importers.gitrun import GitError, NoCommit
from pitboss.submissions.importers.imported import FoundSubmissions, ImportedSubmission, LeftOut, Person
from pitboss.submissions.submission import name_of


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


def read_repositories(folder: Path, scratch: Scratch, until: datetime.datetime | None) -> FoundSubmissions:
    """Reads the last commit of each repository in a folder; with `until`, the last commit up to that instant.

    Raises UsageError if git is missing.
    """
    entries, left_out = entries_of(folder)
    result = FoundSubmissions(left_out_entries=left_out)
    for path in entries:
        if path.is_dir() or is_archive(path):
            result.submissions.append(_exported_submission(path, scratch, until))
        else:
            result.left_out_entries.append(LeftOut(one_line(path.name), "no repository"))
    return result


def _exported_submission(path: Path, scratch: Scratch, until: datetime.datetime | None) -> ImportedSubmission:
    """The submission in a git repository; a folder or archive that is not a repository is used unchanged."""
    name = one_line(path.name.removesuffix(".git") or path.name) if path.is_dir() else one_line(name_of(path))
    person, source = Person(name, name), one_line(path.name)
    if not path.is_dir() or not is_repository(path):
        note = "not a git repository: used as it is; the time of submission is unknown"
        return ImportedSubmission(person, path, source=source, notes=(note,))
    try:
        commit = export_commit(path, scratch, until)
    except NoCommit as error:
        return ImportedSubmission(person, None, source=source, notes=(str(error),))
    except GitError as error:
        return ImportedSubmission(person, None, source=source, problem=str(error))
    source_and_commit = f"{source}, commit {commit.commit_hash[:7]}"
    return ImportedSubmission(person, commit.folder, commit.at, source=source_and_commit, notes=commit.notes)
