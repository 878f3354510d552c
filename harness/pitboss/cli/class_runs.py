"""Runs `pitboss grade` and `regrade`: from a request to a gradebook, with messages for the user."""

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

from pitboss.checking.backend import Backend
from pitboss.checking.check import check_names_exist
from pitboss.checking.class_grading import ClassGrading, GradingSummary
from pitboss.cli.class_output import ClassOutput, announce, exit_code_of_class, folders_of
from pitboss.cli.common_options import RunOptions, given_folder
from pitboss.cli.consoles import error_console, say
from pitboss.cli.downloads import Download
from pitboss.cli.prompts import loaded, stages_named
from pitboss.cli.scores_and_marks import score_text
from pitboss.errors import UsageError, as_found, listed
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.people import parse_due, zone_name
from pitboss.gradebook.scoring import ScoreChange
from pitboss.reports.progress_bar import class_bar
from pitboss.sandbox import scratch
from pitboss.sandbox.workers import core_count
from pitboss.sessions.job import Job
from pitboss.submissions.course_folder import with_given
from pitboss.submissions.importers.imported import ImportedClass, ImportedSubmission, distinct_names
from pitboss.submissions.importers.importing import imported_class
from pitboss.submissions.importers.roster import Roster, read_roster

#: The maximum number of faults whose reasons are printed.
_MAX_REASONS = 3


class GradeRequest(NamedTuple):
    """The stages to grade, and how to grade them."""

    stages: tuple[str, ...]
    name: str | None
    given: tuple[str, ...]
    runs_all: bool
    run_options: RunOptions

    @classmethod
    def from_gradebook(cls, about: Mapping[str, str]) -> GradeRequest:
        """Returns the request with which a gradebook was graded."""
        stages, given, runs_all, run_options = json.loads(about["asked"])
        return cls(tuple(stages), about["called"], tuple(given), runs_all, RunOptions(*run_options))

    def for_gradebook(self) -> str:
        """Returns the request as text for a gradebook."""
        return json.dumps(
            [self.stages, [str(Path(folder).resolve()) for folder in self.given], self.runs_all, self.run_options]
        )

    def job(self, folder: Path) -> Job:
        """Returns the job of grading a class; UsageError if something that it names is missing."""
        assignment = with_given(loaded(self.name, (str(folder), *self.stages)), self.given)
        stages, conditions = stages_named(assignment, self.stages), self.run_options.conditions()
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
    """Grade a class into a gradebook, print what has changed, and write the output; returns the exit code.

    Without `book_path` the gradebook is temporary. The output covers everybody in the gradebook.
    """
    job = request.job(downloads[-1].folder)
    output.see()
    with _gradebook(book_path) as book, _progress() as progress, ExitStack() as stack:
        given = tuple(map(given_folder, request.given))
        grading = ClassGrading(book, job, given, backend=backend, say=say, progress=progress)
        graded = GradingSummary()
        rosters = [read_roster(download.roster) if download.roster else None for download in downloads]
        intakes = [
            stack.enter_context(imported_class(download.folder, job.stages, roster=roster, until=download.until))
            for download, roster in zip(downloads, rosters, strict=True)
        ]
        for number, (download, roster, intake) in enumerate(zip(downloads, rosters, intakes, strict=True), 1):
            _announce_download(download, roster, intake)
            _store_request(book, request, job, download, due)
            if due is not None:
                _say_undated(intake.handed)
            handed = intake.handed
            if book_path is None and (folders := folders_of(intake, download.folder)):
                output.call_by(folders)
                # Running a submission with a problem reports what is wrong; a gradebook stores the problem instead.
                handed = tuple(_with_path(handed_in, folders[handed_in.person.key]) for handed_in in handed)
            later = [handed_in for following in intakes[number:] for handed_in in following.handed]
            graded = graded.and_then(
                grading.grade(handed, is_fresh=is_fresh, has_roster=roster is not None, later=later)
            )
            if graded.missing:
                break
        if grading.changed_meanwhile():
            say("the assignment changed during grading: `pitboss regrade` grades it again")
        _say_outcome(graded, grading.outdated(), is_stored=book_path is not None)
        _say_changes(grading.changes, distinct_names(book.people()), to_stdout=output.has_table)
        output.print_and_write(job, book, graded.missing, has_scores=book_path is not None)
        code = exit_code_of_class(book)
    if graded.missing:
        # Exceeding a shell's limit of CPU time is not a request to stop.
        return 3 if graded.signal == signal.SIGXCPU else 128 + graded.signal
    return max(3 if graded.faults else 0, code)


@contextmanager
def _gradebook(path: Path | None) -> Iterator[Gradebook]:
    """Open the gradebook at a path, or a temporary gradebook."""
    if path is not None:
        with Gradebook(path, may_be_new=True) as book:
            yield book
        return
    with scratch.folder("class", 0o700) as folder, Gradebook(Path(folder, "gradebook"), may_be_new=True) as book:
        yield book


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """Show a bar of how many submissions are done, if standard error is a terminal."""
    with class_bar(error_console()) as bar:
        task = bar.add_task("grading", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _announce_download(download: Download, roster: Roster | None, intake: ImportedClass) -> None:
    """Print the contents of a download, and remarks on its roster, before any submission is run."""
    if roster is not None:
        _say_roster_times(roster)
    announce(intake, has_roster=roster is not None, has_notes=download.until is not None)
    if roster is not None:
        _warn_of_other_class(roster, intake.handed)


def _with_path(handed_in: ImportedSubmission, folder: Path) -> ImportedSubmission:
    """Returns the submission without its problem, so that it is run all the same."""
    return msgspec.structs.replace(handed_in, path=folder, problem="") if handed_in.problem else handed_in


def _say_outcome(graded: GradingSummary, outdated: Sequence[str], *, is_stored: bool) -> None:
    """Print how many submissions were run, and which students were not graded."""
    counts = [f"{graded.run} run"] if graded.run or not graded.unchanged else []
    if graded.unchanged:
        counts.append(f"{graded.unchanged} unchanged and not run again; --fresh runs all")
    if is_stored or graded.unchanged:
        say(", ".join(counts))
    if graded.missing:
        say(f"stopped before grading {listed(graded.missing)}; run the same command to continue")
    if graded.older:
        say(f"ignored, since older than the graded submission: {listed(graded.older)}")
    if graded.faults and is_stored:
        names = dict.fromkeys(name for name, _ in graded.faults)
        say(f"could not be graded (our error); previous scores kept: {listed(names)}")
        for reason in list(dict.fromkeys(reason for _, reason in graded.faults))[:_MAX_REASONS]:
            say(reason)
    if outdated:
        say(f"graded by earlier specs, since the download lacks their submissions: {listed(outdated)}")


def _say_changes(changes: Sequence[ScoreChange], names: Mapping[str, str], *, to_stdout: bool) -> None:
    """Print whose score has changed, and why; `names` are by people's keys.

    `to_stdout`: whether standard output is free for it.
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
        # A name is looked up again by each regrade; a folder stays the same.
        "called": str(folder.resolve()) if request.name and "/" in request.name else name,
        "asked": request.for_gradebook(),
        "downloads": json.dumps(_with_download(json.loads(book.class_facts().get("downloads", "[]")), download)),
    }
    if due is not None:
        entries["due"] = parse_due(due)
    book.set_facts(**entries)


def _say_roster_times(roster: Roster) -> None:
    """Print the time zone of a worksheet's submission times, and warn of unreadable times."""
    name, times = roster.path.name, roster.submitted.values()
    dated, unread = sum(time.at is not None for time in times), [time.unread for time in times if time.unread]
    if dated:
        times_are = "time is" if dated == 1 else "times are"
        say(f"{name}: {dated} submission {times_are} read in this machine's time zone, {zone_name()}")
    if unread:
        forms = "write them in English, as 2026-09-04 23:59 or as 04.09.2026 23:59"
        times_cannot = "time cannot" if len(unread) == 1 else "times cannot"
        say(f"{name}: {len(unread)} submission {times_cannot} be read, such as {as_found(unread[0])}: {forms}")
        say("for these only the column Status is used: late, or not")


def _warn_of_other_class(roster: Roster, handed: Sequence[ImportedSubmission]) -> None:
    """Warn if fewer than half of the submissions belong to people on the roster."""
    people = {(person.key, person.name) for person in roster.people}
    handed_in = [submission for submission in handed if submission.path is not None or submission.problem]
    on_roster = sum((submission.person.key, submission.person.name) in people for submission in handed_in)
    if on_roster * 2 < len(handed_in):
        counts = f"only {on_roster} of the {len(handed_in)} who handed in are on it, and it has {len(people)} people"
        say(f"{roster.path}: {counts}: is it the roster of this class?")


def _say_undated(handed: Sequence[ImportedSubmission]) -> None:
    """Print for how many submissions a due date has no effect, since their times are unknown."""
    handed_in = [submission for submission in handed if submission.path is not None]
    undated = sum(submission.at is None and submission.is_late is None for submission in handed_in)
    if undated:
        scope = "" if undated == len(handed_in) else f" for {undated} of {len(handed_in)} submissions"
        say(f"--due has no effect{scope}: submission times unknown; set the days late with `pitboss mark --late DAYS`")


def downloads_in(about: Mapping[str, str]) -> list[Download]:
    """Returns the downloads that were graded into a gradebook, the latest last.

    A roster that no longer exists is left out, since the gradebook has its people.
    """
    return [
        Download(
            Path(folder),
            Path(roster) if roster and Path(roster).exists() else None,
            datetime.datetime.fromisoformat(until) if until else None,
        )
        for folder, roster, until in json.loads(about.get("downloads", "[]"))
    ]


def _with_download(stored: list[list[str]], download: Download) -> list[list[str]]:
    """Returns the stored downloads with this download as the last, in place of an earlier download of its folder."""
    own = [
        str(download.folder.resolve()),
        str(download.roster.resolve()) if download.roster else "",
        download.until.isoformat() if download.until else "",
    ]
    return [*(entry for entry in stored if entry[0] != own[0]), own]
