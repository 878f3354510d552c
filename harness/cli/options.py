"""Options that several commands share, and what they are turned into."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

import harness
from harness.assignments.assignment import Assignment, Stage
from harness.assignments.nodes import near
from harness.assignments.specfile import assignments_in, load_assignment_named
from harness.cli.guessing import guessed
from harness.errors import UsageError, as_found, listed
from harness.judging.results import Report
from harness.running.job import Job
from harness.submissions.archives import is_archive
from harness.submissions.sources import expected_files
from harness.submissions.submission import may_be_submission, not_a_submission

LOWEST_SEED, HIGHEST_SEED = -(1 << 31), (1 << 31) - 1


def spec_folders() -> tuple[Path, ...]:
    """Where assignments are looked for: PITBOSS_SPECS, ./specs, and those that come with pitboss."""
    package = Path(harness.__file__).parent
    ours = package / "_data" / "specs"
    given = os.environ.get("PITBOSS_SPECS")
    folders = [Path(given)] if given else []
    return (*folders, Path("specs"), ours if ours.is_dir() else package.parent / "specs")


def template_folder() -> Path:
    """Where the templates of starter kits are."""
    package = Path(harness.__file__).parent
    ours = package / "_data" / "student_templates"
    return ours if ours.is_dir() else package.parent / "student_templates"


def loaded(name: str | None, words: Sequence[str] = ()) -> Assignment:
    """The assignment called for, or the one that the words of a command line fit; UsageError where none does."""
    if name is None:
        name = guessed(assignments_in(spec_folders()), words)
    assignment = load_assignment_named(name, spec_folders())
    # An instructor's own reference in Python stands beside their specs, or where they work.
    for folder in (str(assignment.folder.resolve()), os.getcwd()):
        if folder not in sys.path:
            sys.path.append(folder)
    return assignment


def stages_named(assignment: Assignment, names: tuple[str, ...]) -> tuple[Stage, ...]:
    """These stages, or all; UsageError for a name that none has."""
    for name in names:
        if assignment.stage(name) is None:
            raise UsageError(_no_stage(assignment, name))
    return tuple(stage for stage in assignment.stages if not names or stage.name in names)


def _no_stage(assignment: Assignment, name: str) -> str:
    known = [stage.name for stage in assignment.stages]
    return f"{assignment.name} has no stage {as_found(name)} — its stages are {listed(known)}{near(name, known)}"


def folder_and_stages(assignment: Assignment, words: tuple[str, ...]) -> tuple[Path, tuple[Stage, ...]]:
    """The folder and the stages that the words of `check` name; UsageError for a word that is neither.

    A word that is the name of a stage is the stage, also where a file or a folder is called so.
    """
    known = [stage.name for stage in assignment.stages]
    if not words or words[0] in known:
        return Path("."), stages_named(assignment, words)
    folder = Path(words[0])
    if not folder.exists():
        if "/" not in words[0] and "." not in words[0]:
            raise UsageError(f"{words[0]}: there is no folder of this name, and {_no_stage(assignment, words[0])}")
        raise UsageError(f"{folder}: there is no such folder")
    if not folder.is_dir():
        if not may_be_submission(folder):
            raise UsageError(not_a_submission(folder))
        return folder, stages_of_file(assignment, folder, stages_named(assignment, words[1:]))
    return folder, stages_named(assignment, words[1:])


def folder_word(assignment: Assignment, folder: Path) -> str:
    """A folder as a word of a command line, which is taken for nothing else; empty for the one somebody is in."""
    if folder == Path("."):
        return ""
    word = str(folder)
    is_taken = word.startswith("-") or assignment.stage(word) is not None
    return f"./{word}" if is_taken else word


def stages_of_file(assignment: Assignment, file: Path, stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """The stage that a source is the program of, of these; all for an archive, UsageError where it is none's."""
    if is_archive(file) or len(stages) == 1:
        return stages
    called = tuple(stage for stage in stages if file.name in expected_files(stage))
    if not called:
        known = ", ".join(stage.name for stage in stages)
        unknown = f"{file}: no stage of {assignment.name} is handed in as {file.name}"
        example = f"pitboss check {file} {stages[0].name}"
        raise UsageError(f"{unknown}; name the one that it is of {known}, as in {example}")
    return called[:1]


class Seed(click.ParamType[int]):
    """A C int."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number a text is."""
        try:
            seed = int(value)
        except ValueError:
            seed = None
        if seed is None or not LOWEST_SEED <= seed <= HIGHEST_SEED:
            self.fail(
                f"{as_found(value)} is no seed — a seed is a whole number from {LOWEST_SEED} to {HIGHEST_SEED}",
                param,
                ctx,
            )
        return seed


#: How `--answers` is written: see `answers_in`.
ANSWERS_RULE = (
    "Without a comma each letter is a line and a number is one: hhs is h, h and s; 900 is one line; 10hs is 10, h "
    "and s. With commas each part is a line: hit,9,0. A single line that is a word ends in a comma: hit,"
)

Decorated = Callable[..., Any]

assignment_option = click.option(
    "--assignment", "-a", "name", metavar="NAME", help="The assignment, by name or folder."
)


given_option = click.option(
    "--given",
    multiple=True,
    metavar="[STAGE=]DIR",
    help="The files that the course gives, such as headers, in the place of the assignment's. May be repeated.",
)


def condition_options(function: Decorated) -> Decorated:
    """How sessions are run."""
    for option in (
        click.option("--real-time", is_flag=True, help="Let sleeps take their time."),
        click.option("--driver", type=click.Choice(["auto", "watched", "expecting"]), default="auto"),
        click.option(
            "--sandbox",
            type=click.Choice(["auto", "require", "bubblewrap", "landlock", "none"]),
            default="auto",
            help="What confines the programs; `require` refuses to run without the best.",
        ),
        click.option("--jobs", "-j", type=click.IntRange(1, 256), help="How many cores to use; all where not given."),
    ):
        function = option(function)
    return function


def write_file(path: str, text: str) -> None:
    """Write a file a person named, or to the standard output for `-`; UsageError when it cannot be written."""
    if path == "-":
        click.echo(text, nl=False)
        return
    try:
        # The name of a file need not be UTF-8; what is written of it is.
        Path(path).write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"{path}: the file cannot be written: {error.strerror}") from error


def called_from_here(report: Report, job: Job, folder: Path) -> Report:
    """The report with what its commands need to run a session again from here."""
    return msgspec.structs.replace(
        report,
        folder=folder_word(job.assignment, folder),
        called=job.called,
        has_hidden=any(case.visibility != "public" for stage in job.stages for case in stage.spec.cases),
    )
