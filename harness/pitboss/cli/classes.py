"""What a class has handed in, taken from its download, and where the reports on it are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import click

from pitboss.assignments.assignment import Stage
from pitboss.cli.consoles import error_console, report_console
from pitboss.cli.downloads import Download
from pitboss.cli.grading import Entrant
from pitboss.cli.options import make_folder, write_file
from pitboss.gradebook.book import Gradebook
from pitboss.intake.handed import Handed, Intake
from pitboss.intake.names import LEFT_OUT
from pitboss.intake.roster import read_roster
from pitboss.intake.taking import taken_in
from pitboss.judging.published import for_students
from pitboss.judging.results import Report, StageReport
from pitboss.judging.verdicts import Verdict
from pitboss.reports.intake_table import intake_table
from pitboss.reports.json_and_csv import grade_csv, grade_json
from pitboss.reports.naming import INDEX, page_names
from pitboss.reports.pages import class_values, submission_values
from pitboss.reports.report import report_of
from pitboss.reports.templates import page, style
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
    return Entrant(folder or Path(one.source), name, folder, _on_nothing(job, name, nothing, one.problem))


def _on_nothing(job: Job, name: str, verdict: Verdict, problem: str = "") -> Report:
    """The report on somebody without a program."""
    summary = problem or "Not handed in: there is nothing of this person."
    stages = tuple(
        StageReport(
            stage.name, stage.title, verdict, summary=summary, is_begun=False, is_for_person=stage.is_for_person
        )
        for stage in job.stages
        if not stage.is_optional
    )
    conditions = job.conditions.sentences
    return Report(job.assignment.name, job.assignment.title, name, stages, conditions=conditions, unasked=job.unasked)


class Out(NamedTuple):
    """Where the reports on a class are written, and what of them is shown."""

    json_path: str | None = None
    csv_path: str | None = None
    html_folder: Path | None = None
    shows_hidden: bool = False
    details: bool = False

    @property
    def has_table(self) -> bool:
        """Whether the standard output is for people."""
        return "-" not in (self.json_path, self.csv_path)

    def print_details(self, reports: Iterable[Report]) -> None:
        """Print the report of each submission where details are wanted."""
        console = report_console()
        for report in reports if self.details else ():
            console.print(report_of(report), "", crop=False)

    def write(self, job: Job, reports: Sequence[Report], missing: Sequence[str]) -> None:
        """Write the files that were asked for; `missing` names submissions that were not graded."""
        names = [stage.name for stage in job.stages]
        if self.json_path:
            write_file(self.json_path, grade_json(job.assignment.name, reports, missing))
        if self.html_folder:
            _write_pages(self.html_folder, job.assignment.title, names, reports, self.shows_hidden)
        if self.csv_path:
            write_file(self.csv_path, grade_csv(names, reports))

    def write_book(self, job: Job, book: Gradebook, missing: Sequence[str]) -> None:
        """Print and write the same of all people of a gradebook, as they are graded now."""
        if not (self.json_path or self.csv_path or self.html_folder or self.details):
            return  # their reports need not be in memory at once
        reports = [book.report(person.key) or _on_nothing(job, person.name, Verdict.EMPTY) for person in book.people()]
        if self.has_table:
            self.print_details(reports)
        self.write(job, reports, missing)


def _write_pages(folder: Path, title: str, stages: list[str], reports: Sequence[Report], shows_hidden: bool) -> None:
    """A page for each submission, for students where hidden cases are not to be shown, and one for the class."""
    make_folder(folder)
    names = page_names([report.submission for report in reports])
    for report, name in zip(reports, names, strict=True):
        shown = report if shows_hidden else for_students(report)
        write_file(str(folder / name), page("submission.html.j2", submission_values(shown, style(), INDEX)))
    values = class_values(title, stages, reports, names, style())
    write_file(str(folder / INDEX), page("class.html.j2", values))
