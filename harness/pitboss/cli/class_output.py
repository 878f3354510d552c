"""The output of grading a class: the printed tables and reports, and the written files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from pitboss.checking.class_grading import report_on
from pitboss.cli.check import exit_code_for
from pitboss.cli.common_options import check_writable, make_folder, write_file
from pitboss.cli.consoles import error_console, print_sentence, report_console
from pitboss.cli.resolving import with_local_commands
from pitboss.compare.published import student_report
from pitboss.compare.results import Report
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.people import PersonRecord
from pitboss.gradebook.scoring import class_due
from pitboss.reports.class_table import class_table
from pitboss.reports.import_table import import_table, omission_line
from pitboss.reports.json_and_csv import grade_csv, grade_json
from pitboss.reports.naming import INDEX, page_file_names
from pitboss.reports.pages import class_values, submission_values
from pitboss.reports.report import report_of
from pitboss.reports.score_table import score_table
from pitboss.reports.templates import page, style
from pitboss.sessions.job import Job
from pitboss.submissions.importers.display_names import HIDDEN_OR_OF_A_TOOL
from pitboss.submissions.importers.imported import ImportedClass, distinct_names, unique_identifiers

#: The kind of a download that is a plain folder of submissions rather than a platform's download.
_FOLDERS_KIND = "folders"


def print_import(intake: ImportedClass, *, has_roster: bool, has_notes: bool) -> None:
    """Print which submissions were imported, and which files are no submissions; called before anything runs.

    For a plain folder without a roster, prints only files that are no submissions, and with `has_notes` the notes on
    submissions.
    """
    if intake.kind != _FOLDERS_KIND or has_roster:
        error_console(highlight=False).print(import_table(intake))
        return
    non_submissions = [entry.name for entry in intake.left_out_entries if not entry.reason]
    if non_submissions:
        print_sentence(f"not submissions, so not graded: {', '.join(non_submissions)}")
    remarks = [
        omission_line(entry) for entry in intake.left_out_entries if entry.reason not in ("", HIDDEN_OR_OF_A_TOOL)
    ]
    notes = (
        [f"{handed_in.person.name}: {note}" for handed_in in intake.submissions for note in handed_in.notes]
        if has_notes
        else []
    )
    for sentence in (*remarks, *notes):
        print_sentence(sentence)


def folders_of(intake: ImportedClass, folder: Path) -> dict[str, Path]:
    """Returns the folder of each submission, by people's keys; empty if submissions are read from temporary folders."""
    is_permanent = intake.kind == _FOLDERS_KIND and folder.is_dir()
    return {handed_in.person.key: folder / handed_in.source for handed_in in intake.submissions} if is_permanent else {}


class ClassOutput:
    """Where the reports on a class are written, and in how much detail."""

    def __init__(
        self,
        json_path: str | None = None,
        csv_path: str | None = None,
        html_folder: Path | None = None,
        shows_hidden: bool = False,
        details: bool = False,
    ) -> None:
        """Store the options; without any option, only the table is printed."""
        self._json_path, self._csv_path, self._html_folder = json_path, csv_path, html_folder
        self._shows_hidden, self._details = shows_hidden, details
        self._folders: dict[str, Path] = {}

    @property
    def has_table(self) -> bool:
        """Whether the table is printed: not if a file is written to standard output."""
        return "-" not in (self._json_path, self._csv_path)

    def check_paths(self) -> None:
        """Raise UsageError, before the long run, if a requested file cannot be written."""
        for path in (self._json_path, self._csv_path):
            if path and path != "-":
                check_writable(path)

    def add_folders(self, folders: Mapping[str, Path]) -> None:
        """Use these folders of submissions, by people's keys, in the commands that reports show."""
        self._folders |= folders

    def print_and_write(self, job: Job, book: Gradebook, missing: Sequence[str], *, has_scores: bool) -> None:
        """Print and write what the options request, for everybody in a gradebook.

        `missing` are the names of students who were not graded, since grading was stopped. `has_scores`: print scores
        in the table.
        """
        stages = [stage.name for stage in job.stages]
        needs_reports = self._json_path or self._csv_path or self._html_folder or self._details or not has_scores
        reports = dict(self._reports(job, book)) if needs_reports else {}
        if self.has_table:
            # Before files are written: an error while writing must not hide the table.
            if self._details:
                for report in reports.values():
                    report_console().print(report_of(report), "", crop=False)
            table = (
                score_table(stages, book.scored_records(), class_due(book))
                if has_scores
                else class_table(stages, list(reports.values()))
            )
            report_console().print(table)
        if self._json_path:
            write_file(self._json_path, grade_json(job.assignment.name, reports, missing))
        if self._html_folder:
            identities = unique_identifiers(book.people())
            _write_pages(self._html_folder, job.assignment.title, stages, reports, identities, self._shows_hidden)
        if self._csv_path:
            write_file(self._csv_path, grade_csv(stages, list(reports.values()), missing))

    def _reports(self, job: Job, book: Gradebook) -> Iterator[tuple[str, Report]]:
        """Yields the key and complete report of each student, except for submissions that have not run yet."""
        names = distinct_names(book.people())
        for record in book.person_records():
            report, key = report_on(book, record, job), record.person.key
            if report is not None:
                report = msgspec.structs.replace(report, submission=names[key])
                folder = self._folders.get(key)
                yield key, with_local_commands(report, job, folder) if folder else report


def exit_code_of_class(book: Gradebook) -> int:
    """Returns the highest exit code of all submissions: 0 if accepted or graded manually, 3 for a fault, otherwise 1.

    The exit code of a missing or unusable submission is 1. A submission that has not run yet is ignored.
    """
    return max((_exit_code(record) for record in book.person_records() if not record.is_waiting), default=0)


def _exit_code(record: PersonRecord) -> int:
    return exit_code_for(record.report) if record.report is not None else 1


def _write_pages(
    folder: Path,
    title: str,
    stages: list[str],
    reports: Mapping[str, Report],
    identities: Mapping[str, str],
    shows_hidden: bool,
) -> None:
    """Write a page for each submission, without hidden cases unless `shows_hidden`, and a page for the class.

    The keys of `reports` and `identities` are people's keys; the pages' file names are made from `identities`.
    """
    make_folder(folder)
    page_identities = [identities[key] for key in reports]
    file_names = page_file_names(page_identities)
    for report, file_name in zip(reports.values(), file_names, strict=True):
        shown_report = report if shows_hidden else student_report(report)
        write_file(str(folder / file_name), page("submission.html.j2", submission_values(shown_report, style(), INDEX)))
    values = class_values(title, stages, reports.values(), file_names, style(), who=page_identities)
    write_file(str(folder / INDEX), page("class.html.j2", values))
