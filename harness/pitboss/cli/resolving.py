"""Resolves the arguments of a command: the assignment, its stages, and the folder of a submission."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pitboss.assignments.bundled import bundle_in
from pitboss.assignments.specfile import assignments_in, load_assignment_named
from pitboss.cli.common_options import OWN_SPECS, spec_folders
from pitboss.cli.guessing import guess_assignment
from pitboss.errors import UsageError, as_found, did_you_mean, listed, missing_folder
from pitboss.submissions.archives import is_archive
from pitboss.submissions.stage_files import is_expected
from pitboss.submissions.submission import may_be_submission, not_a_submission

if TYPE_CHECKING:
    from pitboss.assignments.assignment import Assignment, Stage
    from pitboss.compare.results import Report
    from pitboss.sessions.job import Job


def resolve_assignment(name: str | None, words: Sequence[str] = (), *, may_lack_cases: bool = False) -> Assignment:
    """Load the named assignment, or the assignment that fits the arguments; UsageError if no assignment fits.

    `words`: the arguments of the command, a folder and stages.
    `may_lack_cases`: the assignment's stages may have no cases yet.
    """
    # `name` may also be the path of a bundle, which contains a folder specs; without a name, the current folder may be
    # a bundle.
    specs = Path(name or ".") / OWN_SPECS
    bundle = bundle_in(specs) if (name is None or "/" in name) and os.path.isdir(specs) else None
    if bundle is not None:
        name = str(bundle)
    elif name is None:
        name = guess_assignment(assignments_in(spec_folders()), words)
    assignment = load_assignment_named(name, spec_folders(), may_lack_cases=may_lack_cases)
    tolerated = (tolerated.reference for stage in assignment.stages for tolerated in stage.tolerated)
    if any(reference.is_source for reference in (*(stage.reference for stage in assignment.stages), *tolerated)):
        from pitboss.submissions import reference_source  # noqa: F401 — it builds references that are sources
    return assignment


def require_reference(assignment: Assignment, command: str) -> None:
    """Raise UsageError for a bundle without the reference, which the command needs."""
    if not all(stage.has_reference for stage in assignment.stages):
        raise UsageError(
            f"{assignment.name} is a bundle for students, without the reference, which `pitboss {command}` needs; "
            "`pitboss check` compares with the sessions that it contains"
        )


def select_stages(assignment: Assignment, names: tuple[str, ...]) -> tuple[Stage, ...]:
    """Returns the stages with these names, or all stages if there are no names; UsageError for an unknown name."""
    for name in names:
        if assignment.stage(name) is None:
            raise UsageError(_unknown_stage_sentence(assignment, name))
    return tuple(stage for stage in assignment.stages if not names or stage.name in names)


def _unknown_stage_sentence(assignment: Assignment, name: str) -> str:
    names = [stage.name for stage in assignment.stages]
    return (
        f"{assignment.name} has no stage {as_found(name)} — its stages are {listed(names)}{did_you_mean(name, names)}"
    )


def folder_and_stages(assignment: Assignment, words: tuple[str, ...]) -> tuple[Path, tuple[Stage, ...]]:
    """Returns the submission and the stages that the arguments of `check` name; UsageError for an unknown argument.

    The name of a stage means the stage, even if a file or folder has the same name.
    """
    stage_names = [stage.name for stage in assignment.stages]
    if not words or words[0] in stage_names:
        return Path("."), select_stages(assignment, words)
    folder = Path(words[0])
    if not os.path.exists(folder):  # unlike Path.exists, returns False for names that no file can have
        if "/" not in words[0] and "." not in words[0]:
            problem = f"there is no file or folder of this name, and {_unknown_stage_sentence(assignment, words[0])}"
            raise UsageError(f"{words[0]}: {problem}")
        raise missing_folder(folder)
    if not folder.is_dir():
        if not may_be_submission(folder):
            raise UsageError(not_a_submission(folder))
        return folder, stages_of_file(assignment, folder, select_stages(assignment, words[1:]))
    return folder, select_stages(assignment, words[1:])


def folder_argument(assignment: Assignment, folder: Path) -> str:
    """Returns a folder as an unambiguous command-line argument; empty for the current folder."""
    if folder == Path("."):
        return ""
    argument = str(folder)
    is_ambiguous = argument.startswith("-") or assignment.stage(argument) is not None
    return f"./{argument}" if is_ambiguous else argument


def stages_of_file(assignment: Assignment, file: Path, stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Returns the stage that expects this source, or all `stages` for an archive; UsageError if no stage expects it.

    If there is only one stage, returns this stage without looking at the file's name.
    """
    if is_archive(file) or len(stages) == 1:
        return stages
    expecting_stages = tuple(stage for stage in stages if is_expected(file.name, stage))
    if not expecting_stages:
        names = ", ".join(stage.name for stage in stages)
        problem = f"{file}: no stage of {assignment.name} is handed in as {file.name}"
        example = f"pitboss check {file} {stages[0].name}"
        raise UsageError(f"{problem}; name one of {names}, as in {example}")
    return expecting_stages[:1]


def with_local_commands(report: Report, job: Job, folder: Path) -> Report:
    """Returns the report with commands for running a session again that work in the current folder."""
    return msgspec.structs.replace(
        report,
        folder=folder_argument(job.assignment, folder),
        is_one_file=folder.is_file() and not is_archive(folder),
        called=job.called,
        has_hidden=job.has_hidden,
    )
