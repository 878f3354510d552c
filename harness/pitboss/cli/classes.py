"""What a class has handed in, taken from its download, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from pitboss.assignments.assignment import Stage
from pitboss.cli.consoles import error_console
from pitboss.cli.downloads import Download
from pitboss.cli.grading import Entrant
from pitboss.intake.handed import Handed, Intake
from pitboss.intake.names import LEFT_OUT
from pitboss.intake.roster import read_roster
from pitboss.intake.taking import taken_in
from pitboss.judging.results import Report, StageReport
from pitboss.judging.verdicts import Verdict
from pitboss.reports.intake_table import intake_table
from pitboss.running.job import Job

_FOLDERS = "folders"


@contextmanager
def class_of(download: Download, stages: Sequence[Stage]) -> Iterator[Intake]:
    """What was handed in, for the context; it is told before anything runs. UsageError where it is no class."""
    roster = read_roster(download.roster) if download.roster else None
    with taken_in(download.folder, stages, roster=roster, until=download.until) as intake:
        if intake.kind == _FOLDERS and roster is None:
            _tell(intake, has_notes=download.until is not None)
        else:
            error_console(highlight=False).print(intake_table(intake))
        yield intake


def _tell(intake: Intake, *, has_notes: bool) -> None:
    """Say what lies in a folder of submissions and is none."""
    others = [one for one in intake.not_understood if ": " not in one]
    if others:
        click.echo(f"pitboss: not graded, since they are no submissions: {', '.join(others)}", err=True)
    told = [one for one in intake.not_understood if ": " in one and not one.endswith(LEFT_OUT)]
    notes = [f"{one.person.name}: {note}" for one in intake.handed for note in one.notes] if has_notes else []
    for sentence in [*told, *notes]:
        click.echo(f"pitboss: {sentence}", err=True)


def entrants_in(intake: Intake, folder: Path, job: Job) -> list[Entrant]:
    """A row for each person; who has handed in nothing that could be run has a report already."""
    is_there = intake.kind == _FOLDERS and folder.is_dir()
    return [_entrant(one, folder / one.source if is_there else None, job) for one in intake.handed]


def _entrant(one: Handed, folder: Path | None, job: Job) -> Entrant:
    name = one.person.name
    path = one.path or (folder if one.problem else None)  # what is wrong with it is told when it is run
    if path is not None:
        return Entrant(path, name, folder)
    nothing = Verdict.NOT_HANDED_IN if one.problem else Verdict.EMPTY
    summary = one.problem or "Not handed in: there is nothing of this person."
    stages = tuple(
        StageReport(
            stage.name, stage.title, nothing, summary=summary, is_begun=False, is_for_person=stage.is_for_person
        )
        for stage in job.stages
        if not stage.is_optional
    )
    conditions = job.conditions.sentences
    report = Report(job.assignment.name, job.assignment.title, name, stages, conditions=conditions, unasked=job.unasked)
    return Entrant(folder or Path(one.source), name, folder, report)
