"""Runs `pitboss grade` and `regrade`: from a request to a gradebook, messages for the user, and the written files."""

from __future__ import annotations

import datetime
import json
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from pitboss.checking.check import check_names_exist
from pitboss.checking.class_grading import Backend, ClassGrading, GradingSummary, report_on
from pitboss.cli.check import exit_code_for
from pitboss.cli.common_options import RunOptions, check_writable, given_folder, make_folder, write_file
from pitboss.cli.consoles import error_console, print_sentence, report_console
from pitboss.cli.resolving import resolve_assignment, select_stages, with_local_commands
from pitboss.cli.scores import score_text
from pitboss.compare.published import student_report
from pitboss.compare.results import Report
from pitboss.errors import UsageError, as_found, listed
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.days import parse_due, zone_name
from pitboss.gradebook.scoring import ScoreChange, class_due
from pitboss.machine import scratch
from pitboss.machine.workers import core_count
from pitboss.reports.class_table import class_table, grade_csv, import_table, omission_line, score_table
from pitboss.reports.pages import INDEX, class_values, page_file_names, submission_values
from pitboss.reports.progress_bar import class_bar
from pitboss.reports.report import report_of
from pitboss.reports.report_json import grade_json
from pitboss.reports.templates import page, style
from pitboss.sessions.job import Job
from pitboss.submissions.course_files import with_course_folders
from pitboss.submissions.importers.imported import (
    HIDDEN_OR_OF_A_TOOL,
    ImportedClass,
    ImportedSubmission,
    distinct_names,
    unique_identifiers,
)
from pitboss.submissions.importers.importing import imported_class
from pitboss.submissions.importers.roster import Roster, read_roster

#: The maximum number of different reasons of faults to print.
_MAX_REASONS = 3


class Download(NamedTuple):
    """A download of a class, and the options for reading it."""

    folder: Path
    roster: Path | None
    #: In git repositories, the last commit before this instant is the submission.
    until: datetime.datetime | None


class GradeRequest(NamedTuple):
    """The stages to grade, and how to grade them."""

    stages: tuple[str, ...]
    #: The name or folder of the assignment; None if the assignment has to be guessed.
    name: str | None
    #: The values of --given.
    given: tuple[str, ...]
    runs_all: bool
    run_options: RunOptions

    @classmethod
    def from_gradebook(cls, class_facts: Mapping[str, str]) -> GradeRequest:
        stages, given, runs_all, run_options = json.loads(class_facts["asked"])
        return cls(tuple(stages), class_facts["called"], tuple(given), runs_all, RunOptions(*run_options))

    def for_gradebook(self) -> str:
        """Returns the request as JSON for a gradebook, which `from_gradebook` reads."""
        return json.dumps(
            [self.stages, [str(Path(folder).resolve()) for folder in self.given], self.runs_all, self.run_options]
        )

    def job(self, folder: Path) -> Job:
        """Returns the job of grading the class in a folder; UsageError if something named by the request is missing."""
        assignment = with_course_folders(resolve_assignment(self.name, (str(folder), *self.stages)), self.given)
        stages, conditions = select_stages(assignment, self.stages), self.run_options.conditions()
        called = self.name or assignment.name
        job = Job(assignment, stages, conditions, called, (), self.runs_all, remarks_on_memory=True)
        check_names_exist(job)
        return job


def backend_of(jobs: int | None, cluster: str) -> Backend:
    """Returns the backend for these options; UsageError for a cluster that cannot be used."""
    if cluster:
        from pitboss.checking.cluster.sharing import check_address

        check_address(cluster)
        if jobs is not None:
            raise UsageError("--jobs and --cluster exclude each other: --jobs counts cores of this machine")
    return Backend(jobs or core_count(), cluster)


def grade_class(
    request: GradeRequest,
    downloads: Sequence[Download],
    book_path: Path | None,
    due: str | None,
    backend: Backend,
    output: ClassOutput,
    *,
    is_fresh: bool,
) -> int:
    """Grade a class, store the results in a gradebook, print changed scores, write the output; returns the exit code.

    Without `book_path` the gradebook is temporary. The output covers everybody in the gradebook.
    """
    job = request.job(downloads[-1].folder)
    output.check_paths()
    with _gradebook(book_path) as book, _show_progress() as progress, ExitStack() as stack:
        given_folders = tuple(map(given_folder, request.given))
        grading = ClassGrading(book, job, given_folders, backend=backend, say=print_sentence, progress=progress)
        summary, all_folders = GradingSummary(), dict[str, Path]()
        rosters = [read_roster(download.roster) if download.roster else None for download in downloads]
        intakes = [
            stack.enter_context(imported_class(download.folder, job.stages, roster=roster, until=download.until))
            for download, roster in zip(downloads, rosters, strict=True)
        ]
        for number, (download, roster, intake) in enumerate(zip(downloads, rosters, intakes, strict=True), 1):
            _announce_download(download, roster, intake)
            _store_request(book, request, job, download, due)
            if due is not None:
                _say_undated(intake.submissions)
            submissions = intake.submissions
            if book_path is None and (folders := folders_of(intake, download.folder)):
                all_folders |= folders
                # Running a submission with a problem reports what is wrong; a gradebook stores the problem instead.
                submissions = tuple(
                    _without_problem(submission, folders[submission.person.key]) for submission in submissions
                )
            later_submissions = [
                submission for later_intake in intakes[number:] for submission in later_intake.submissions
            ]
            summary = summary.merge_summary(
                grading.grade(submissions, is_fresh=is_fresh, has_roster=roster is not None, later=later_submissions)
            )
            if summary.missing:  # grading was stopped
                break
        if grading.forget_run_if_changed():
            print_sentence("the assignment changed during grading: `pitboss regrade` grades it again")
        _say_outcome(summary, grading.students_with_old_results(), is_stored=book_path is not None)
        _say_changes(grading.changes, distinct_names(book.people()), to_stdout=output.has_table)
        output.print_and_write(job, book, summary.missing, all_folders, has_scores=book_path is not None)
        code = exit_code_of_class(book)
    if summary.missing:
        # SIGXCPU means that the shell's limit of CPU time is exceeded; it is not the user's request to stop.
        return 3 if summary.signal == signal.SIGXCPU else 128 + summary.signal
    return max(3 if summary.faults else 0, code)


@contextmanager
def _gradebook(path: Path | None) -> Iterator[Gradebook]:
    if path is not None:
        with Gradebook(path, may_be_new=True) as book:
            yield book
        return
    with scratch.folder("class", 0o700) as folder, Gradebook(Path(folder, "gradebook"), may_be_new=True) as book:
        yield book


@contextmanager
def _show_progress() -> Iterator[Callable[[int, int], None]]:
    """Show a bar of how many submissions are done, if standard error is a terminal."""
    with class_bar(error_console()) as bar:
        task = bar.add_task("grading", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _announce_download(download: Download, roster: Roster | None, intake: ImportedClass) -> None:
    """Print the contents of a download, and remarks on its roster, before any submission is run."""
    if roster is not None:
        _say_roster_times(roster)
    print_import(intake, has_roster=roster is not None, has_notes=download.until is not None)
    if roster is not None:
        _warn_of_other_class(roster, intake.submissions)


def _without_problem(submission: ImportedSubmission, folder: Path) -> ImportedSubmission:
    """Returns the submission with a path instead of its problem, if it has one, so that the submission is run."""
    return msgspec.structs.replace(submission, path=folder, problem="") if submission.problem else submission


def _say_outcome(summary: GradingSummary, outdated: Sequence[str], *, is_stored: bool) -> None:
    """Print how many submissions were run, and which students were not graded."""
    counts = [f"{summary.run} run"] if summary.run or not summary.unchanged else []
    if summary.unchanged:
        counts.append(f"{summary.unchanged} unchanged and not run again; --fresh runs all")
    if is_stored or summary.unchanged:
        print_sentence(", ".join(counts))
    if summary.missing:
        print_sentence(f"stopped before grading {listed(summary.missing)}; run the same command to continue")
    if summary.older:
        print_sentence(f"ignored, since older than the graded submission: {listed(summary.older)}")
    if summary.faults and is_stored:
        names = dict.fromkeys(name for name, _ in summary.faults)
        print_sentence(f"could not be graded (our error); previous scores kept: {listed(names)}")
        for reason in list(dict.fromkeys(reason for _, reason in summary.faults))[:_MAX_REASONS]:
            print_sentence(reason)
    if outdated:
        print_sentence(f"graded by earlier specs, since the download lacks their submissions: {listed(outdated)}")


def _say_changes(changes: Sequence[ScoreChange], names: Mapping[str, str], *, to_stdout: bool) -> None:
    """Print whose score has changed, and why; the keys of `names` are people's keys.

    `to_stdout`: print on standard output; otherwise on standard error, since a file is written to standard output.
    """
    for change in sorted(changes, key=lambda change: change.person.name):  # not in the order in which workers finish
        before, after = score_text(change.before.grade if change.before else None), score_text(change.now)
        sentence = f"{before} → {after}" if before != after else f"{after}, computed differently"
        click.echo("\n    ".join([f"{names[change.person.key]}: {sentence}", *change.why]), err=not to_stdout)


def _store_request(book: Gradebook, request: GradeRequest, job: Job, download: Download, due: str | None) -> None:
    """Store the request in the gradebook, so that `pitboss regrade` can repeat it."""
    folder, name = job.assignment.folder, job.assignment.name
    entries = {
        "assignment": name,
        "title": job.assignment.title,
        # Each regrade looks up a name again; a path is stored as an absolute path.
        "called": str(folder.resolve()) if request.name and "/" in request.name else name,
        "asked": request.for_gradebook(),
        "downloads": json.dumps(_with_download(json.loads(book.class_facts().get("downloads", "[]")), download)),
    }
    if due is not None:
        entries["due"] = parse_due(due)
    book.set_facts(**entries)


def _say_roster_times(roster: Roster) -> None:
    """Print the time zone of a worksheet's submission times, and warn of unreadable times."""
    name, times = roster.path.name, roster.facts_by_key.values()
    readable_count = sum(time.at is not None for time in times)
    unreadable = [time.unread for time in times if time.unread]
    if readable_count:
        times_are = "time is" if readable_count == 1 else "times are"
        print_sentence(
            f"{name}: {readable_count} submission {times_are} read in this machine's time zone, {zone_name()}"
        )
    if unreadable:
        remedy = "write them in English, as 2026-09-04 23:59 or as 04.09.2026 23:59"
        times_cannot = "time cannot" if len(unreadable) == 1 else "times cannot"
        print_sentence(
            f"{name}: {len(unreadable)} submission {times_cannot} be read, such as {as_found(unreadable[0])}: {remedy}"
        )
        print_sentence("where no time is read, only the column Status is used, which says whether a submission is late")


def _warn_of_other_class(roster: Roster, submissions: Sequence[ImportedSubmission]) -> None:
    """Warn if fewer than half of the submissions belong to people on the roster."""
    people = {(person.key, person.name) for person in roster.people}
    existing = [submission for submission in submissions if not submission.is_missing]
    on_roster = sum((submission.person.key, submission.person.name) in people for submission in existing)
    if on_roster * 2 < len(existing):
        counts = f"only {on_roster} of the {len(existing)} who handed in are on this roster of {len(people)} people"
        print_sentence(f"{roster.path}: {counts}: is it the roster of this class?")


def _say_undated(submissions: Sequence[ImportedSubmission]) -> None:
    """Print for how many submissions a due date has no effect, since their times are unknown."""
    existing = [submission for submission in submissions if submission.path is not None]
    undated = sum(submission.at is None and submission.is_late is None for submission in existing)
    if undated:
        scope = "" if undated == len(existing) else f" for {undated} of {len(existing)} submissions"
        print_sentence(
            f"--due has no effect{scope}: submission times unknown; set the days late with `pitboss mark --late DAYS`"
        )


def downloads_in(class_facts: Mapping[str, str]) -> list[Download]:
    """Returns the downloads whose submissions were graded into a gradebook, the latest last.

    `class_facts` are those of the gradebook. A roster that no longer exists is left out: the gradebook has the people
    on it.
    """
    return [
        Download(
            Path(folder),
            Path(roster) if roster and Path(roster).exists() else None,
            datetime.datetime.fromisoformat(until) if until else None,
        )
        for folder, roster, until in json.loads(class_facts.get("downloads", "[]"))
    ]


def _with_download(entries: list[list[str]], download: Download) -> list[list[str]]:
    """Returns the stored downloads with this download as the last; an earlier download of its folder is removed."""
    new_entry = [
        str(download.folder.resolve()),
        str(download.roster.resolve()) if download.roster else "",
        download.until.isoformat() if download.until else "",
    ]
    return [*(entry for entry in entries if entry[0] != new_entry[0]), new_entry]


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


class ClassOutput(NamedTuple):
    """Where the reports on a class are written, in how much detail; without any option, only the table is printed."""

    json_path: str | None = None
    csv_path: str | None = None
    html_folder: Path | None = None
    shows_hidden: bool = False
    details: bool = False

    @property
    def has_table(self) -> bool:
        """Whether the table is printed: not if a file is written to standard output."""
        return "-" not in (self.json_path, self.csv_path)

    def check_paths(self) -> None:
        """Raise UsageError, before the long run, if a requested file cannot be written."""
        for path in (self.json_path, self.csv_path):
            if path and path != "-":
                check_writable(path)

    def print_and_write(
        self, job: Job, book: Gradebook, missing: Sequence[str], folders: Mapping[str, Path], *, has_scores: bool
    ) -> None:
        """Print and write what the options request, for everybody in a gradebook.

        `missing` are the names of students who were not graded, since grading was stopped. `folders` are those of
        submissions, by people's keys, for the commands that reports show. `has_scores`: print scores in the table.
        """
        stages = [stage.name for stage in job.stages]
        needs_reports = self.json_path or self.csv_path or self.html_folder or self.details or not has_scores
        reports = dict(_reports(job, book, folders)) if needs_reports else {}
        if self.has_table:
            # Before files are written: an error while writing must not hide the table.
            if self.details:
                for report in reports.values():
                    report_console().print(report_of(report), "", crop=False)
            table = (
                score_table(stages, book.scored_records(), class_due(book))
                if has_scores
                else class_table(stages, list(reports.values()))
            )
            report_console().print(table)
        if self.json_path:
            write_file(self.json_path, grade_json(job.assignment.name, reports, missing))
        if self.html_folder:
            identities = unique_identifiers(book.people())
            _write_pages(self.html_folder, job.assignment.title, stages, reports, identities, self.shows_hidden)
        if self.csv_path:
            write_file(self.csv_path, grade_csv(stages, list(reports.values()), missing))


def _reports(job: Job, book: Gradebook, folders: Mapping[str, Path]) -> Iterator[tuple[str, Report]]:
    """Yields the key and complete report of each student, except for submissions that have not run yet."""
    names = distinct_names(book.people())
    for record in book.person_records():
        report, key = report_on(book, record, job), record.person.key
        if report is not None:
            report = msgspec.structs.replace(report, submission=names[key])
            yield key, with_local_commands(report, job, folders[key]) if key in folders else report


def exit_code_of_class(book: Gradebook) -> int:
    """Returns the highest exit code of all submissions: 0 if accepted or graded manually, 3 for a fault, otherwise 1.

    The exit code of a missing or unusable submission is 1. A submission that has not run yet is ignored.
    """
    reports = [record.report for record in book.person_records() if not record.is_waiting]
    return max((exit_code_for(report) if report is not None else 1 for report in reports), default=0)


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
