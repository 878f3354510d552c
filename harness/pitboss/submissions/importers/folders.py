"""Classes that are a folder, an archive or a file for each student, and classes of git repositories."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path

from pitboss.assignments.assignment import Stage
from pitboss.submissions.archives import is_archive
from pitboss.submissions.classes import submissions_in
from pitboss.submissions.importers.gathering import Scratch, gathered
from pitboss.submissions.importers.git import exported, is_repository
from pitboss.submissions.importers.gitrun import GitError, NoCommit
from pitboss.submissions.importers.handed import Handed, LeftOut, Person, Taken
from pitboss.submissions.importers.names import A_LINK, entries_of, shown
from pitboss.submissions.submission import name_of


def taken(folder: Path, stages: Sequence[Stage], scratch: Scratch) -> Taken:
    """What everybody handed in, of a folder of folders, archives or, if one stage is graded, files.

    Raises UsageError if the folder is no class.
    """
    found, others = submissions_in(folder, stages, called=scratch.as_given(folder))
    result = Taken(not_understood=[LeftOut(shown(name)) for name in others])
    places = dict.fromkeys([folder, *(path.parent for path in found)])
    result.not_understood += [one for place in places for one in entries_of(place)[1] if one.reason != A_LINK]
    for path in found:
        # A link that lies right in the class was put there by whoever made the class: archives bring none.
        where = path
        if path.is_file() and not is_archive(path):  # away from the files of others
            where = gathered([(path.name, path.resolve())], scratch) / path.name
        has_git = path.is_dir() and is_repository(path)
        notes = ("it has a git repository, which is not looked at",) if has_git else ()
        name = shown(path.name if path.is_dir() else name_of(path))
        person = Person(name, name)
        result.handed.append(Handed(person, where, source=shown(str(path.relative_to(folder))), notes=notes))
    return result


def cloned(folder: Path, scratch: Scratch, until: datetime.datetime | None) -> Taken:
    """What is in everybody's repository, until an instant if one is given; UsageError if this machine has no git."""
    entries, left = entries_of(folder)
    result = Taken(not_understood=left)
    for path in entries:
        if path.is_dir() or is_archive(path):
            result.handed.append(_cloned(path, scratch, until))
        else:
            result.not_understood.append(LeftOut(shown(path.name), "no repository"))
    return result


def _cloned(path: Path, scratch: Scratch, until: datetime.datetime | None) -> Handed:
    name = shown(path.name.removesuffix(".git") or path.name) if path.is_dir() else shown(name_of(path))
    person, source = Person(name, name), shown(path.name)
    if not path.is_dir() or not is_repository(path):
        note = "no git repository: taken as it is, and when it was handed in is not known"
        return Handed(person, path, source=source, notes=(note,))
    try:
        commit = exported(path, scratch, until)
    except NoCommit as error:
        return Handed(person, None, source=source, notes=(str(error),))
    except GitError as error:
        return Handed(person, None, source=source, problem=str(error))
    where = f"{source}, commit {commit.name[:7]}"
    return Handed(person, commit.folder, commit.at, source=where, notes=commit.notes)
