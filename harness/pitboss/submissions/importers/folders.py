"""Reads classes with a folder, an archive or a file for each student, and classes of git repositories."""

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
    """Reads the submissions in a folder of folders, archives or, if one stage is graded, files.

    Raises UsageError if the folder is not a class.
    """
    paths, unclear_names = submissions_in(folder, stages, called=scratch.as_given(folder))
    result = FoundSubmissions(not_understood=[LeftOut(one_line(name)) for name in unclear_names])
    folders = dict.fromkeys([folder, *(path.parent for path in paths)])
    result.not_understood += [entry for parent in folders for entry in entries_of(parent)[1] if entry.reason != A_LINK]
    for path in paths:
        # A link directly in the class was created by the instructor: archives are unpacked without links.
        program = path
        if path.is_file() and not is_archive(path):  # separate it from other students' files
            program = gather_files([(path.name, path.resolve())], scratch) / path.name
        has_git = path.is_dir() and is_repository(path)
        notes = ("it has a git repository, which is ignored",) if has_git else ()
        name = one_line(path.name if path.is_dir() else name_of(path))
        person = Person(name, name)
        result.handed.append(
            ImportedSubmission(person, program, source=one_line(str(path.relative_to(folder))), notes=notes)
        )
    return result


def read_repositories(folder: Path, scratch: Scratch, until: datetime.datetime | None) -> FoundSubmissions:
    """Reads the submissions in a folder of repositories, up to an instant if given.

    Raises UsageError if git is missing.
    """
    entries, left_out = entries_of(folder)
    result = FoundSubmissions(not_understood=left_out)
    for path in entries:
        if path.is_dir() or is_archive(path):
            result.handed.append(_exported_submission(path, scratch, until))
        else:
            result.not_understood.append(LeftOut(one_line(path.name), "no repository"))
    return result


def _exported_submission(path: Path, scratch: Scratch, until: datetime.datetime | None) -> ImportedSubmission:
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
    source_and_commit = f"{source}, commit {commit.name[:7]}"
    return ImportedSubmission(person, commit.folder, commit.at, source=source_and_commit, notes=commit.notes)
