"""Packs what is sent to a worker: values, and files in a tar file, with their paths on the requesting machine.

A submission may be hostile. Its links stay links, so nothing from outside of it is sent.
"""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

import msgspec

from pitboss.checking.cache.assignment_code import code_of
from pitboss.checking.cache.cacheable import named_code_of
from pitboss.errors import UsageError
from pitboss.sandbox.digests import OF_TOOLS, UnknownError
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.job import Job
from pitboss.submissions.sources import MAX_BYTES, MAX_FILES

#: More than a submission may have, so that the worker refuses an excessive submission with the usual message.
_MAX_BYTES, _MAX_FILES = 2 * MAX_BYTES, 2 * MAX_FILES


class UnsendableError(Exception):
    """Something cannot be sent as it is; the message says why."""


class WorkOrder(msgspec.Struct, frozen=True):
    """The parts of a job that a worker needs."""

    #: The current folder of the command, and the assignment's folder as the command named it.
    here: str
    folder: str
    #: Folders of modules that its code imports from outside its folder, and the installed packages that it imports.
    modules: tuple[str, ...]
    installed: tuple[str, ...]
    #: The folders of --given by stage, the names of the stages to check, and the other values of the job.
    given: tuple[tuple[str, str], ...]
    stages: tuple[str, ...]
    options: tuple[Conditions, str, tuple[str, ...], bool, bool]
    content: bytes


def order_of(job: Job) -> WorkOrder:
    """The work order for a job. Raises UsageError if the assignment may need something that cannot be sent."""
    assignment, stages = job.assignment, tuple(stage.name for stage in job.stages)
    given = tuple((stage.name, stage.given_as) for stage in assignment.stages if stage.is_given_by_option)
    options = (job.conditions, job.called, job.only, job.runs_all, job.remarks_on_memory)
    try:
        code = code_of(named_code_of(assignment))
        modules = [path for path in code.paths.values() if not path.is_relative_to(assignment.folder.resolve())]
        content = tar_of(assignment.folder, *modules, *(Path(folder) for _, folder in given), follows=True)
    except (UnknownError, UnsendableError, OSError) as error:
        raise UsageError(f"{assignment.name} cannot be sent to a cluster: {error}") from error
    folders = tuple({str(path.parent): None for path in modules})
    return WorkOrder(os.getcwd(), str(assignment.folder), folders, code.installed, given, stages, options, content)


def tar_of(*paths: Path, follows: bool) -> bytes:
    """A tar file of files and folders. If `follows`, links are replaced by their targets.

    Leaves out tools' own folders among code and specs, and hidden folders of a submission. Raises UnsendableError if
    something cannot be read or is not a file, or there is too much of it.
    """

    def sendable(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
        path = Path("/", entry.name)
        is_left_out = path.name in OF_TOOLS or _leads_back(path) if follows else path.name.startswith(".")
        if entry.isdir() and is_left_out and path not in targets:
            return None
        if entry.isdev() and not entry.isfifo():
            raise UnsendableError(f"{path.name!r} in it is not a file")
        if len(tar.getmembers()) >= _MAX_FILES or tar.offset + entry.size > _MAX_BYTES:
            raise UnsendableError(f"it has more than {_MAX_FILES} files or {_MAX_BYTES >> 20} MB")
        entry.uid = entry.gid = 0  # it belongs to the user who unpacks it there
        entry.uname = entry.gname = ""
        return entry

    buffer, targets = io.BytesIO(), [path.resolve() for path in paths]
    try:
        with tarfile.open(fileobj=buffer, mode="w", dereference=follows, errors="surrogateescape") as tar:
            for path, target in zip(map(os.path.abspath, paths), targets, strict=True):
                tar.add(target, filter=sendable)
                if path != str(target):
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
    """Unpack the result of `tar_of` below a folder, except for links at paths that exist already."""
    with tarfile.open(fileobj=io.BytesIO(content), errors="surrogateescape") as tar:
        tar.extraction_filter = lambda entry, _: entry  # modes stay as they are, and links lead where they did
        tar.extractall(
            into, [entry for entry in tar if not (entry.issym() and os.path.lexists(f"{into}/{entry.name}"))]
        )
