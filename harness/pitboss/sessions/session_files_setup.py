"""Files of a submission that replace the assignment's files in its sessions."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.model.invocation import File, Invocation
from pitboss.sandbox import files


def with_submitted_files(stage: Stage, folder: Path) -> Stage:
    """Returns the stage with the files that a submission in `folder` provides, where the assignment permits this.

    Links are ignored.
    """
    invocations = (stage.invocation, *(case.invocation for case in stage.spec.cases))
    if not any(file.may_be_submitted for invocation in invocations for file in invocation.files or ()):
        return stage
    cases = tuple(
        msgspec.structs.replace(case, invocation=_invocation_with_submitted_files(case.invocation, stage, folder))
        for case in stage.spec.cases
    )
    spec = msgspec.structs.replace(stage.spec, cases=cases)
    invocation = _invocation_with_submitted_files(stage.invocation, stage, folder)
    return msgspec.structs.replace(stage, spec=spec, invocation=invocation)


def _invocation_with_submitted_files(invocation: Invocation, stage: Stage, folder: Path) -> Invocation:
    """Returns the invocation with the submission's files in place of the assignment's, where permitted."""
    session_files = tuple(_submitted_or_assigned(file, stage, folder) for file in invocation.files or ())
    return msgspec.structs.replace(invocation, files=session_files) if invocation.files else invocation


def _submitted_or_assigned(file: File, stage: Stage, folder: Path) -> File:
    """Returns the submission's version of a file, if there is one and it is permitted; else the assignment's file."""
    if not file.may_be_submitted or not os.path.isdir(folder):
        return file
    ((_, kind, content),) = files.read_files(str(folder), (file.name,), stage.limits.file_mb << 20)
    return msgspec.structs.replace(file, content=content) if kind == files.REGULAR else file
