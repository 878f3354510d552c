"""Resolves the arguments of a command: the assignment, its stages, and the folder of a submission.

If no assignment is named, it is guessed from the named stages, or from the programs in the folder.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.assignments.selection import bundle_in
from pitboss.assignments.specfile import assignments_in, load_assignment, load_assignment_named
from pitboss.cli.common_options import OWN_SPECS, spec_folders
from pitboss.errors import HarnessError, UsageError, as_found, did_you_mean, listed, missing_folder, shortened
from pitboss.submissions.archives import is_archive
from pitboss.submissions.stage_files import is_expected
from pitboss.submissions.submission import may_be_submission, not_a_submission, program_count

if TYPE_CHECKING:
    from pitboss.compare.results import Report
    from pitboss.sessions.job import Job

#: The maximum number of submissions of a class that are examined.
_MAX_TRIED = 20


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
        name = _guess_assignment(assignments_in(spec_folders()), words)
    assignment = load_assignment_named(name, spec_folders(), may_lack_cases=may_lack_cases)
    if any(reference.is_source for stage in assignment.stages for reference in stage.references):
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


def _guess_assignment(folders_by_name: Mapping[str, Path], words: Sequence[str]) -> str:
    """Returns the name of the only assignment that fits the arguments of a command: an optional folder, and stages.

    `folders_by_name` are the folders of all assignments by name. If several assignments fit equally, but only one of
    them is in ./specs, returns the name of that one. Otherwise raises UsageError with advice. An assignment that cannot
    be loaded is reported on standard error, and never fits.
    """
    if len(folders_by_name) == 1:
        return next(iter(folders_by_name))
    loadable = loadable_of(folders_by_name)
    stage_names = {stage.name for assignment in loadable.values() for stage in assignment.stages}
    # A first argument that is the name of a stage means the stage, even if a file or folder here has the same name.
    folder = None if words and words[0] in stage_names else _folder_in(words)
    stages = tuple(words[1:]) if folder else tuple(words)
    fitting = {
        name: assignment for name, assignment in loadable.items() if all(assignment.stage(stage) for stage in stages)
    }
    if not fitting and stages:
        unknown_word = next((stage for stage in stages if stage not in stage_names), None)
        if unknown_word in folders_by_name and unknown_word not in loadable:
            raise UsageError(f"{unknown_word} cannot be used until its files are corrected")
        if unknown_word in folders_by_name:
            raise UsageError(f"{unknown_word} is an assignment, not a stage — give it as --assignment {unknown_word}")
        if unknown_word is not None:
            missing = "" if os.path.exists(unknown_word) else "there is no file or folder of this name, and "
            problem = f"{missing}no assignment has a stage {unknown_word!r}"
            raise UsageError(f"{unknown_word}: {problem}{did_you_mean(unknown_word, stage_names)}")
    program_counts = {name: _count_programs(folder or Path("."), assignment) for name, assignment in fitting.items()}
    best_names = [name for name, count in program_counts.items() if count == max(program_counts.values())]
    if len(best_names) == 1 and (len(fitting) == 1 or program_counts[best_names[0]]):
        return best_names[0]
    own_names = [name for name in best_names if folders_by_name[name].parent == OWN_SPECS]
    if len(own_names) == 1:
        return own_names[0]
    choices = best_names if any(program_counts.values()) else list(fitting or folders_by_name)
    raise UsageError(f"which assignment? Give --assignment with one of: {', '.join(choices) or '(none found)'}")


def _folder_in(words: Sequence[str]) -> Path | None:
    """Returns the first argument if it is a folder, an archive or a source, else None.

    The first argument must not name a stage. Raises UsageError for a path with a / that does not exist, and for any
    other file.
    """
    if not words:
        return None
    path = Path(words[0])
    if os.path.isdir(path) or (os.path.isfile(path) and may_be_submission(path)):
        return path
    if os.path.exists(path):
        raise UsageError(not_a_submission(path))
    if "/" in words[0]:
        raise missing_folder(path)
    return None


def loadable_of(folders_by_name: Mapping[str, Path]) -> dict[str, Assignment]:
    """Returns the assignments that can be loaded, with or without cases; reports the others on standard error."""
    assignments = {}
    for name, folder in folders_by_name.items():
        try:
            assignments[name] = load_assignment(folder, may_lack_cases=True)
        except HarnessError as error:
            click.echo(skip_message(name, error), err=True)
    return assignments


def skip_message(name: str, error: HarnessError) -> str:
    """Returns the message about an assignment that is skipped since it cannot be loaded."""
    return f"pitboss: {shortened(name)} is left out: {' '.join(str(error).split())}"


def _count_programs(folder: Path, assignment: Assignment) -> int:
    """Counts the stages for which the submission in a folder has a program.

    For the folder of a class, counts them in the first submission that has any program.
    """
    for path in (folder, *_first_submissions(folder)):
        try:
            count = program_count(path, assignment.stages)
        except UsageError:
            continue
        if count:
            return count
    return 0


def _first_submissions(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_dir() or is_archive(path))[:_MAX_TRIED]
