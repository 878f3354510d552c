"""The files of a submission that take the place of the assignment's own in its sessions."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from harness.assignments.assignment import Stage
from harness.machine import files
from harness.transcripts.setting import File, Setting


def outfitted(stage: Stage, folder: Path) -> Stage:
    """The stage with the files that a submission in `folder` has itself, where the assignment lets it.

    Links and whatever else is no ordinary file do not count.
    """
    settings = (stage.setting, *(case.setting for case in stage.spec.cases))
    if not any(one.may_be_submitted for setting in settings for one in setting.files or ()):
        return stage
    cases = tuple(
        msgspec.structs.replace(case, setting=_with_own(case.setting, stage, folder)) for case in stage.spec.cases
    )
    spec = msgspec.structs.replace(stage.spec, cases=cases)
    return msgspec.structs.replace(stage, spec=spec, setting=_with_own(stage.setting, stage, folder))


def _with_own(setting: Setting, stage: Stage, folder: Path) -> Setting:
    found = tuple(_own(one, stage, folder) for one in setting.files or ())
    return msgspec.structs.replace(setting, files=found) if setting.files else setting


def _own(file: File, stage: Stage, folder: Path) -> File:
    if not file.may_be_submitted or not os.path.isdir(folder):
        return file
    ((_, kind, content),) = files.left_in(str(folder), (file.name,), stage.limits.file_mb << 20)
    return msgspec.structs.replace(file, content=content) if kind == files.REGULAR else file
