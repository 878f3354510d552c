"""Packs the values and files that are sent to a worker; the files in a tar file, with their absolute paths.

A submission may be hostile. Its links stay links, so no file from outside of the submission is sent.
"""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

import msgspec

from pitboss.checking.causes import code_of
from pitboss.errors import UsageError
from pitboss.sandbox.digests import TOOL_FOLDERS, NoDigestError
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.job import Job
from pitboss.submissions.sources import MAX_BYTES, MAX_FILES

#: The limits of a tar file: more than a submission may have, so that the worker refuses an excessive submission with
#: the usual message.
_MAX_BYTES, _MAX_FILES = 2 * MAX_BYTES, 2 * MAX_FILES


class UnsendableError(Exception):
    """Something cannot be sent as it is; the message says why."""


class WorkOrder(msgspec.Struct, frozen=True):
    """The parts of a job that a worker needs."""

    #: The current folder of the command.
    here: str
    #: The assignment's folder, as named in the command.
    folder: str
    #: The folders with the modules that the assignment's code imports from outside of the assignment's folder.
    modules: tuple[str, ...]
    #: The import names of the installed packages that the assignment's code uses.
    installed: tuple[str, ...]
    #: The course's folders from the option --given: pairs of a stage's name and a folder.
    given: tuple[tuple[str, str], ...]
    #: The names of the stages to check.
    stages: tuple[str, ...]
    #: The other fields of the job, in order, from `conditions` on.
    options: tuple[Conditions, str, tuple[str, ...], bool, bool]
    #: A tar file of the assignment's folder, the modules and the folders of --given.
    content: bytes


def order_of(job: Job) -> WorkOrder:
    """The work order for a job. Raises UsageError if the assignment may need something that cannot be sent."""
    assignment, stages = job.assignment, tuple(stage.name for stage in job.stages)
    given = tuple((stage.name, stage.given_as) for stage in assignment.stages if stage.is_given_by_option)
    options = (job.conditions, job.called, job.only, job.runs_all, job.remarks_on_memory)
    try:
        code = code_of(assignment)
        modules = [path for path in code.paths.values() if not path.is_relative_to(assignment.folder.resolve())]
        content = tar_of(assignment.folder, *modules, *(Path(folder) for _, folder in given), follows=True)
    except (NoDigestError, UnsendableError, OSError) as error:
        raise UsageError(f"{assignment.name} cannot be sent to a cluster: {error}") from error
    module_folders = tuple({str(path.parent): None for path in modules})
    return WorkOrder(
        os.getcwd(), str(assignment.folder), module_folders, code.installed, given, stages, options, content
    )


def tar_of(*paths: Path, follows: bool) -> bytes:
    """A tar file of files and folders. If `follows`, links are replaced by their targets.

    If `follows` (code and specs), folders of tools such as .git are left out; otherwise (a submission), hidden folders
    are left out. Raises UnsendableError if an entry cannot be read or is a device, or if there are too many files or
    bytes.
    """

    def filter_entry(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
        """Return the entry without its owner; None to leave it out."""
        path = Path("/", entry.name)
        is_left_out = (path.name in TOOL_FOLDERS or _leads_back(path)) if follows else path.name.startswith(".")
        if entry.isdir() and is_left_out and path not in targets:
            return None
        if entry.isdev() and not entry.isfifo():  # for tarfile, pipes are devices too
            raise UnsendableError(f"{path.name!r} in it is not a file")
        if len(tar.getmembers()) >= _MAX_FILES or tar.offset + entry.size > _MAX_BYTES:
            raise UnsendableError(f"it has more than {_MAX_FILES} files or {_MAX_BYTES >> 20} MB")
        entry.uid = entry.gid = 0  # an unpacked file belongs to the user of the worker
        entry.uname = entry.gname = ""
        return entry

    buffer, targets = io.BytesIO(), [path.resolve() for path in paths]
    try:
        with tarfile.open(fileobj=buffer, mode="w", dereference=follows, errors="surrogateescape") as tar:
            for path, target in zip(map(os.path.abspath, paths), targets, strict=True):
                tar.add(target, filter=filter_entry)
                if path != str(target):  # the path is a link or leads through a link: pack a link to the target
                    link = tarfile.TarInfo(path[1:])
                    link.type, link.linkname = tarfile.SYMTYPE, os.path.relpath(target, os.path.dirname(path))
                    tar.addfile(link)
    except OSError as error:
        raise UnsendableError(f"it cannot be read: {error.strerror or error}") from error
    return buffer.getvalue()


def _leads_back(path: Path) -> bool:
    """Whether a link leads to a folder above itself: following it would never end."""
    return path.resolve() in (folder.resolve() for folder in path.parents)


def unpack(content: bytes, into: str) -> None:
    """Unpack the result of `tar_of` below the folder `into`, except for links at paths that exist already."""
    with tarfile.open(fileobj=io.BytesIO(content), errors="surrogateescape") as tar:
        tar.extraction_filter = lambda entry, _: entry  # keeps the modes of files and the targets of links
        tar.extractall(
            into, [entry for entry in tar if not (entry.issym() and os.path.lexists(f"{into}/{entry.name}"))]
        )
