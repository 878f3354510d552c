"""Running `pitboss grade` and `regrade`: from a request to a gradebook, and the messages on the way."""

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
from pitboss.checking.check import names_are_there
from pitboss.checking.class_grading import ClassGrading, GradingSummary
from pitboss.cli.class_output import ClassOutput, announce, exit_code_of_class, folders_of
from pitboss.cli.common_options import RunOptions, given_folder
from pitboss.cli.consoles import error_console, say
from pitboss.cli.downloads import Download
from pitboss.cli.prompts import loaded, stages_named
from pitboss.cli.scores_and_marks import of_points
from pitboss.errors import UsageError, as_found, listed
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.people import due_of, zone_name
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
    """What to grade, and how."""

    stages: tuple[str, ...]
    name: str | None
    given: tuple[str, ...]
    runs_all: bool
    run_options: RunOptions

    @classmethod
    def from_gradebook(cls, about: Mapping[str, str]) -> GradeRequest:
        """Returns the request by which a gradebook was graded."""
        stages, given, runs_all, run_options = json.loads(about["asked"])
        return cls(tuple(stages), about["called"], tuple(given), runs_all, RunOptions(*run_options))

    def for_gradebook(self) -> str:
        """Returns the request as text for a gradebook."""
        return json.dumps(
            [self.stages, [str(Path(one).resolve()) for one in self.given], self.runs_all, self.run_options]
        )

    def job(self, folder: Path) -> Job:
        """Returns the job of grading a class; UsageError if something it names is missing."""
        assignment = with_given(loaded(self.name, (str(folder), *self.stages)), self.given)
        stages, conditions = stages_named(assignment, self.stages), self.run_options.conditions()
        called = self.name or assignment.name
        job = Job(assignment, stages, conditions, called, (), self.runs_all, remarks_on_memory=True)
        names_are_there(job)
        return job


def backend_of(jobs: int | None, cluster: str) -> Backend:
    """Returns where a class is checked; UsageError for a cluster that cannot be used."""
    if cluster:
        from pitboss.checking.cluster.sharing import see_address

        see_address(cluster)
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
        rosters = [read_roster(one.roster) if one.roster else None for one in downloads]
        intakes = [
            stack.enter_context(imported_class(one.folder, job.stages, roster=roster, until=one.until))
            for one, roster in zip(downloads, rosters, strict=True)
        ]
        for number, (download, roster, intake) in enumerate(zip(downloads, rosters, intakes, strict=True), 1):
            _say_what_is_there(download, roster, intake)
            _note(book, request, job, download, due)
            if due is not None:
                _say_undated(intake.handed)
            handed = intake.handed
            if book_path is None and (folders := folders_of(intake, download.folder)):
                output.call_by(folders)
                # Running it reports what is wrong; a gradebook stores the problem instead.
                handed = tuple(_with_path(one, folders[one.person.key]) for one in handed)
            later = [one for after in intakes[number:] for one in after.handed]
            graded = graded.and_then(
                grading.grade(handed, is_fresh=is_fresh, has_roster=roster is not None, later=later)
            )
            if graded.missing:
                break
        if grading.changed_meanwhile():
            say("the assignment changed during grading: `pitboss regrade` grades it again")
        _say_what_was_graded(graded, grading.outdated(), is_kept=book_path is not None)
        _say_changes(grading.changes, distinct_names(book.people()), is_read=output.has_table)
        output.print_and_write(job, book, graded.missing, has_scores=book_path is not None)
        code = exit_code_of_class(book)
    if graded.missing:
        # A shell's limit of CPU time is no request to stop.
        return 3 if graded.signal == signal.SIGXCPU else 128 + graded.signal
    return max(3 if graded.faults else 0, code)


@contextmanager
def _gradebook(path: Path | None) -> Iterator[Gradebook]:
    """Open the gradebook at a path, or a temporary one."""
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
        yield lambda done, of: bar.update(task, completed=done, total=of)


def _say_what_is_there(download: Download, roster: Roster | None, intake: ImportedClass) -> None:
    """Say what a download has, and what its roster says, before anything of it is run."""
    if roster is not None:
        _say_what_roster_says(roster)
    announce(intake, has_roster=roster is not None, has_notes=download.until is not None)
    if roster is not None:
        _say_if_of_another_class(roster, intake.handed)


def _with_path(one: ImportedSubmission, folder: Path) -> ImportedSubmission:
    """Returns the submission such that it is run even if it has a problem."""
    return msgspec.structs.replace(one, path=folder, problem="") if one.problem else one


def _say_what_was_graded(graded: GradingSummary, outdated: Sequence[str], *, is_kept: bool) -> None:
    """Print how many were run and how many not, and who was not graded."""
    counts = [f"{graded.run} run"] if graded.run or not graded.unchanged else []
    if graded.unchanged:
        counts.append(f"{graded.unchanged} unchanged and not run again; --fresh runs all")
    if is_kept or graded.unchanged:
        say(", ".join(counts))
    if graded.missing:
        say(f"stopped before grading {listed(graded.missing)}; run the same command to continue")
    if graded.older:
        say(f"ignored, since older than the graded submission: {listed(graded.older)}")
    if graded.faults and is_kept:
        names = dict.fromkeys(name for name, _ in graded.faults)
        say(f"could not be graded (our error); previous scores kept: {listed(names)}")
        for reason in list(dict.fromkeys(reason for _, reason in graded.faults))[:_MAX_REASONS]:
            say(reason)
    if outdated:
        say(f"graded by earlier specs, since their submissions are not here: {listed(outdated)}")


def _say_changes(changes: Sequence[ScoreChange], names: Mapping[str, str], *, is_read: bool) -> None:
    """Print whose score has changed, and why; `names` are by people's keys.

    `is_read`: whether standard output is free for it.
    """
    for change in sorted(changes, key=lambda one: one.person.name):  # not in the order in which workers finish
        was, now = of_points(change.before.grade if change.before else None), of_points(change.now)
        sentence = f"{was} → {now}" if was != now else f"{now}, computed differently"
        click.echo("\n    ".join([f"{names[change.person.key]}: {sentence}", *change.why]), err=not is_read)


def _note(book: Gradebook, request: GradeRequest, job: Job, download: Download, due: str | None) -> None:
    """Note the request in the gradebook, so that `pitboss regrade` can repeat it."""
    folder, name = job.assignment.folder, job.assignment.name
    about = {
        "assignment": name,
        "title": job.assignment.title,
        # A name is looked up wherever the specs are by then; a folder stays that folder.
        "called": str(folder.resolve()) if request.name and "/" in request.name else name,
        "asked": request.for_gradebook(),
        "downloads": json.dumps(_with(json.loads(book.about().get("downloads", "[]")), download)),
    }
    if due is not None:
        about["due"] = due_of(due)
    book.tell(**about)


def _say_what_roster_says(roster: Roster) -> None:
    """Print the time zone of a worksheet's submission times, and those that cannot be read."""
    name, times = roster.path.name, roster.submitted.values()
    dated, unread = sum(one.at is not None for one in times), [one.unread for one in times if one.unread]
    if dated:
        say(f"{name}: submission times of {dated} are read in this machine's time zone, {zone_name()}")
    if unread:
        forms = "write them in English, as 2026-09-04 23:59 or as 04.09.2026 23:59"
        say(f"{name}: submission times of {len(unread)} cannot be read, such as {as_found(unread[0])}: {forms}")
        say("for these only the column Status counts: late, or not")


def _say_if_of_another_class(roster: Roster, handed: Sequence[ImportedSubmission]) -> None:
    """Warn if fewer than half of the submissions belong to people on the roster."""
    people = {(one.key, one.name) for one in roster.people}
    found = [one for one in handed if one.path is not None or one.problem]
    on_it = sum((one.person.key, one.person.name) in people for one in found)
    if on_it * 2 < len(found):
        counts = f"only {on_it} of the {len(found)} who handed in are on it, and it has {len(people)} people"
        say(f"{roster.path}: {counts}: is it the roster of this class?")


def _say_undated(handed: Sequence[ImportedSubmission]) -> None:
    """Print for how many a due date has no effect, since their submission times are unknown."""
    found = [one for one in handed if one.path is not None]
    undated = sum(one.at is None and one.is_late is None for one in found)
    if undated:
        counts = "for nobody" if undated == len(found) else f"not for {undated} of {len(found)}"
        say(f"--due counts {counts}: submission times unknown; set the days late with `pitboss mark --late DAYS`")


def downloads_in(about: Mapping[str, str]) -> list[Download]:
    """Returns the downloads that were graded into a gradebook, the latest one last.

    Without a roster that is gone, since the gradebook has the people.
    """
    return [
        Download(
            Path(folder),
            Path(roster) if roster and Path(roster).exists() else None,
            datetime.datetime.fromisoformat(until) if until else None,
        )
        for folder, roster, until in json.loads(about.get("downloads", "[]"))
    ]


def _with(known: list[list[str]], download: Download) -> list[list[str]]:
    own = [
        str(download.folder.resolve()),
        str(download.roster.resolve()) if download.roster else "",
        download.until.isoformat() if download.until else "",
    ]
    return [*(one for one in known if one[0] != own[0]), own]
