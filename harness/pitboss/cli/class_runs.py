"""From what `pitboss grade` and `regrade` are asked to a gradebook, and what is said of it."""

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

#: Of so many faults the reason is given.
_MOST_REASONS = 3


class GradeRequest(NamedTuple):
    """What is graded, and how, as the options say."""

    stages: tuple[str, ...]
    name: str | None
    given: tuple[str, ...]
    runs_all: bool
    run_options: RunOptions

    @classmethod
    def from_gradebook(cls, about: Mapping[str, str]) -> GradeRequest:
        """What a gradebook was graded by."""
        stages, given, runs_all, run_options = json.loads(about["asked"])
        return cls(tuple(stages), about["called"], tuple(given), runs_all, RunOptions(*run_options))

    def for_gradebook(self) -> str:
        """The same as a text."""
        return json.dumps(
            [self.stages, [str(Path(one).resolve()) for one in self.given], self.runs_all, self.run_options]
        )

    def job(self, folder: Path) -> Job:
        """The job of grading a class; UsageError where something in it is not there."""
        assignment = with_given(loaded(self.name, (str(folder), *self.stages)), self.given)
        stages, conditions = stages_named(assignment, self.stages), self.run_options.conditions()
        called = self.name or assignment.name
        job = Job(assignment, stages, conditions, called, (), self.runs_all, remarks_on_memory=True)
        names_are_there(job)
        return job


def backend_of(jobs: int | None, cluster: str) -> Backend:
    """Where a class is checked, as the options say; UsageError where there cannot be such a cluster."""
    if cluster:
        from pitboss.checking.cluster.sharing import see_address

        see_address(cluster)
        if jobs is not None:
            raise UsageError("--jobs is of this machine's cores, and --cluster uses others: give one of them")
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
    """Grade a class into a gradebook; says what has changed, prints and writes the class, returns the exit code.

    Without `book_path` it is a gradebook that is gone afterwards. What is asked for besides is written of all people
    of the gradebook.
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
                # What is wrong with it is told when it is run; a gradebook keeps the problem instead.
                handed = tuple(_with_path(one, folders[one.person.key]) for one in handed)
            later = [one for after in intakes[number:] for one in after.handed]
            graded = graded.and_then(
                grading.grade(handed, is_fresh=is_fresh, has_roster=roster is not None, later=later)
            )
            if graded.missing:
                break
        if grading.changed_meanwhile():
            say("the assignment changed while it was graded: `pitboss regrade` runs it anew")
        _say_what_was_graded(graded, grading.outdated(), is_kept=book_path is not None)
        _say_changes(grading.changes, distinct_names(book.people()), is_read=output.has_table)
        output.print_and_write(job, book, graded.missing, has_scores=book_path is not None)
        code = exit_code_of_class(book)
    if graded.missing:
        # A shell that gave too little CPU time is nobody's wish.
        return 3 if graded.signal == signal.SIGXCPU else 128 + graded.signal
    return max(3 if graded.faults else 0, code)


@contextmanager
def _gradebook(path: Path | None) -> Iterator[Gradebook]:
    """The gradebook at a path, or one for the context alone."""
    if path is not None:
        with Gradebook(path, may_be_new=True) as book:
            yield book
        return
    with scratch.folder("class", 0o700) as folder, Gradebook(Path(folder, "gradebook"), may_be_new=True) as book:
        yield book


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar of how many submissions are done, where somebody looks at it."""
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
    """The same, with what has a problem to be run all the same."""
    return msgspec.structs.replace(one, path=folder, problem="") if one.problem else one


def _say_what_was_graded(graded: GradingSummary, outdated: Sequence[str], *, is_kept: bool) -> None:
    """Say how many were run and how many not, and who was not graded."""
    counts = [f"{graded.run} run"] if graded.run or not graded.unchanged else []
    if graded.unchanged:
        counts.append(f"{graded.unchanged} unchanged and not run again; --fresh runs all")
    if is_kept or graded.unchanged:
        say(", ".join(counts))
    if graded.missing:
        say(f"stopped: not graded are {listed(graded.missing)}; the same command goes on")
    if graded.older:
        say(f"older than what counts, and left alone: what is here of {listed(graded.older)}")
    if graded.faults and is_kept:
        names = dict.fromkeys(name for name, _ in graded.faults)
        say(f"not graded, by no fault of theirs; earlier scores stay: {listed(names)}")
        for reason in list(dict.fromkeys(reason for _, reason in graded.faults))[:_MOST_REASONS]:
            say(reason)
    if outdated:
        say(f"graded by earlier specs, since what they handed in is not here: {listed(outdated)}")


def _say_changes(changes: Sequence[ScoreChange], names: Mapping[str, str], *, is_read: bool) -> None:
    """Say whose score has changed, and why; `names` are by the keys of people.

    `is_read`: whether the standard output is for people.
    """
    for change in sorted(changes, key=lambda one: one.person.name):  # not as the workers were done
        was, now = of_points(change.before.grade if change.before else None), of_points(change.now)
        sentence = f"{was} → {now}" if was != now else f"{now}, by another sum"
        click.echo("\n    ".join([f"{names[change.person.key]}: {sentence}", *change.why]), err=not is_read)


def _note(book: Gradebook, request: GradeRequest, job: Job, download: Download, due: str | None) -> None:
    """Note in the gradebook what it is of, so that `pitboss regrade` does the same again."""
    folder, name = job.assignment.folder, job.assignment.name
    about = {
        "assignment": name,
        "title": job.assignment.title,
        # A name is found wherever the specs are by then; a folder is meant.
        "called": str(folder.resolve()) if request.name and "/" in request.name else name,
        "asked": request.for_gradebook(),
        "downloads": json.dumps(_with(json.loads(book.about().get("downloads", "[]")), download)),
    }
    if due is not None:
        about["due"] = due_of(due)
    book.tell(**about)


def _say_what_roster_says(roster: Roster) -> None:
    """Say by which clock a worksheet says when people handed in, and what of that is not understood."""
    name, said = roster.path.name, roster.submitted.values()
    dated, unread = sum(one.at is not None for one in said), [one.unread for one in said if one.unread]
    if dated:
        say(f"{name} says when {dated} handed in: taken on the clock of this machine, {zone_name()}")
    if unread:
        forms = "it is read in English, as 2026-09-04 23:59 or as 04.09.2026 23:59"
        say(f"{name}: when {len(unread)} handed in is not understood, such as {as_found(unread[0])}: {forms}")
        say("of these only what the column Status says counts: late, or not")


def _say_if_of_another_class(roster: Roster, handed: Sequence[ImportedSubmission]) -> None:
    """Say how many of those who handed in are on a roster, where that is fewer than half."""
    people = {(one.key, one.name) for one in roster.people}
    found = [one for one in handed if one.path is not None or one.problem]
    on_it = sum((one.person.key, one.person.name) in people for one in found)
    if on_it * 2 < len(found):
        counts = f"only {on_it} of the {len(found)} who handed in are on it, and it has {len(people)} people"
        say(f"{roster.path}: {counts}: is it the roster of this class?")


def _say_undated(handed: Sequence[ImportedSubmission]) -> None:
    """Say of how many nobody knows when they handed in, so that a due date can do nothing for them."""
    found = [one for one in handed if one.path is not None]
    undated = sum(one.at is None and one.is_late is None for one in found)
    if undated:
        counts = "for nobody" if undated == len(found) else f"not for {undated} of {len(found)}"
        say(f"--due counts {counts}: nothing here says when they handed in; `pitboss mark` gives somebody --late DAYS")


def downloads_in(about: Mapping[str, str]) -> list[Download]:
    """Each download that was graded into a gradebook, the last one last.

    Without its roster where that is gone, since the gradebook knows the people.
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
