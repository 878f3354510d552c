"""A class and its submissions as messages, and the same made of them again by a worker."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.functions import path_from
from pitboss.assignments.specfile import load_assignment
from pitboss.checking.cache.code import code_of
from pitboss.checking.cache.keys import stems_taken
from pitboss.checking.cache.named import named_by
from pitboss.checking.cluster.messages import Check, Class, Given, Module
from pitboss.checking.cluster.packing import UnsendableError, packed, unpack
from pitboss.compare.results import Report
from pitboss.errors import SessionError, UsageError
from pitboss.sandbox.concealment import conceal
from pitboss.sandbox.digests import UnknownError
from pitboss.sessions.job import Job


def class_of(job: Job) -> Class:
    """What a worker needs of a job. Raises UsageError if the assignment may need what cannot be sent."""
    assignment = job.assignment
    resolved = assignment.folder.resolve()
    try:
        code = code_of(named_by(assignment))
        modules = [
            Module(name, str(place.resolve()), _below(place.resolve()), packed(place, place.name, follows=True))
            for name, place in code.places.items()
            if not place.is_relative_to(resolved)
        ]
        content = packed(resolved, resolved.name, follows=True)
        given = tuple(_given(stage) for stage in assignment.stages if stage.is_given_by_option)
    except (UnknownError, UnsendableError, OSError) as error:
        raise UsageError(f"{assignment.name} cannot be sent to a cluster: {error}") from error
    return Class(
        key=secrets.token_hex(8),
        folder=str(assignment.folder),
        resolved=str(resolved),
        below=_below(resolved),
        content=content,
        modules=tuple(modules),
        given=given,
        stages=tuple(stage.name for stage in job.stages),
        conditions=job.conditions,
        called=job.called,
        only=job.only,
        runs_all=job.runs_all,
        remarks_on_memory=job.remarks_on_memory,
        installed=code.installed,
    )


def _below(path: Path) -> str:
    """A path from where we are; empty if it does not lie below."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else ""


def _given(stage: Stage) -> Given:
    assert stage.given is not None
    return Given(stage.name, stage.given_as, str(stage.given), packed(stage.given, stage.given.name, follows=True))


def submission_of(path: Path, name: str) -> Check:
    """A submission as it is sent; UnsendableError if that is not possible."""
    taken = () if path.is_dir() else tuple(map(os.fsencode, stems_taken(path)))
    return Check(name, os.fsencode(path), packed(path, path.name or name, follows=False), taken)


class Placed:
    """A class as it was sent, in folders of a worker's that nobody can guess the names of.

    What lies below the folder that the command was given in lies below ours, since messages shorten such a path:

        FOLDER/here/SECRET/…      this process is in `here` from now on
        FOLDER/SECRET/…           what lies elsewhere, and submissions
    """

    def __init__(self, about: Class, folder: str) -> None:
        """Unpack it there, and load it; raises HarnessError if it cannot be loaded here."""
        secret = secrets.token_hex(8)
        here = Path(folder).resolve() / "here"
        self._about, self._secret, self._count = about, secret, 0
        self._apart, self._below = here.parent / secret, here / secret
        #: What paths of here are called where the class comes from; whole ones first, and long ones.
        self._origins: list[tuple[str, str]] = []
        self._shortened: list[tuple[str, str]] = []
        for root in (self._apart, self._below):
            root.mkdir(parents=True)
            conceal(root)
        os.chdir(here)
        try:
            self.job = self._job()
        except (OSError, ValueError) as error:
            raise SessionError(f"the assignment could not be unpacked: {error}") from error
        by_length = [sorted(some, key=lambda one: -len(one[0])) for some in (self._origins, self._shortened)]
        self._origins = [*by_length[0], *by_length[1]]

    def _put(self, content: bytes, kind: str, path: str, below: str) -> Path:
        """Unpack something that has this path where it comes from."""
        folder = (self._below if below else self._apart) / kind
        folder.mkdir(parents=True, exist_ok=True)
        unpack(content, folder)
        place = folder / Path(path).name
        self._origins.append((str(place), path))
        if below:
            self._shortened.append((os.path.relpath(place), below))
        return place

    def _job(self) -> Job:
        about = self._about
        place = self._put(about.content, "assignment", about.resolved, about.below)
        for module in about.modules:
            self._put(module.content, "modules", module.path, module.below)
        # What was found on the assignment's import path comes before what a worker has by the same name.
        path_from(str(place)).look_first_in([str(root / "modules") for root in (self._below, self._apart)])
        if not os.path.isabs(about.folder):
            place = Path(os.path.relpath(place))
            self._shortened.append((str(place), about.folder))
        assignment = load_assignment(place)
        given = {one.stage: one for one in about.given}
        stages = tuple(self._with_given(stage, given.get(stage.name)) for stage in assignment.stages)
        return Job(
            msgspec.structs.replace(assignment, stages=stages),
            tuple(stage for stage in stages if stage.name in about.stages),
            about.conditions,
            about.called,
            about.only,
            about.runs_all,
            about.remarks_on_memory,
        )

    def _with_given(self, stage: Stage, given: Given | None) -> Stage:
        if given is None:
            return stage
        place = self._put(given.content, f"given/{given.stage}", given.path, "")
        return msgspec.structs.replace(stage, given=place, given_as=given.called, is_given_by_option=True)

    def submission(self, sent: Check) -> Path:
        """Where a submission is now, alone in a folder that the caller removes."""
        self._count += 1
        folder = self._apart / "handed in" / str(self._count)
        folder.mkdir(parents=True)
        for name in sent.taken:
            (folder / os.fsdecode(name)).touch()
        unpack(sent.content, folder)
        return folder / (Path(os.fsdecode(sent.path)).name or sent.name)

    def written(self, report: Report, sent: Check, path: Path) -> bytes:
        """A report with the paths that things have where they come from; empty if it reads otherwise than written."""
        try:
            data = msgspec.msgpack.encode(report)
            if msgspec.msgpack.decode(data, type=Report) != report:
                return b""
            if self._secret.encode() in data:
                origins = [(str(path), os.fsdecode(sent.path)), *self._origins]
                data = msgspec.msgpack.encode(_relocated(msgspec.msgpack.decode(data), origins))
                msgspec.msgpack.decode(data, type=Report)
        except (msgspec.MsgspecError, ValueError, TypeError, RecursionError):
            return b""
        return data


def _relocated(value: Any, origins: Iterable[tuple[str, str]]) -> Any:
    """The same with other paths in its texts; what a program wrote is bytes, and stays."""
    match value:
        case str():
            for here, there in origins:
                value = value.replace(here, there)
            return value
        case list():
            return [_relocated(one, origins) for one in value]
        case dict():
            return {_relocated(name, origins): _relocated(one, origins) for name, one in value.items()}
        case _:
            return value
