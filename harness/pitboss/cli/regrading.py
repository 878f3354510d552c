"""What `pitboss grade --gradebook` and `pitboss regrade` do: what is asked, and what is said of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from pitboss.cli.asked import loaded, stages_named
from pitboss.cli.book import of_points
from pitboss.cli.booked import Booked, Into, Scoring, grade_into
from pitboss.cli.checks import exit_code_of
from pitboss.cli.classes import Out, class_of
from pitboss.cli.consoles import report_console
from pitboss.cli.downloads import Download
from pitboss.cli.grading import Where
from pitboss.cli.options import Manner
from pitboss.cli.people import due_of
from pitboss.cli.unchanged import given_folder
from pitboss.errors import listed
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.scoring import Change
from pitboss.gradebook.values import Row, Scored
from pitboss.grading.check import names_are_there
from pitboss.kept.causes import Common, common
from pitboss.reports.score_table import score_table
from pitboss.running.job import Job
from pitboss.submissions.course_folder import with_given


class Asked(NamedTuple):
    """What is graded, and how, as the options say."""

    stages: tuple[str, ...]
    name: str | None
    given: tuple[str, ...]
    runs_all: bool
    manner: Manner

    def job(self, folder: Path) -> Job:
        """The job of grading a class; UsageError where something in it is not there."""
        assignment = with_given(loaded(self.name, (str(folder), *self.stages)), self.given)
        chosen, conditions = stages_named(assignment, self.stages), self.manner.conditions()
        job = Job(
            assignment, chosen, conditions, self.name or assignment.name, (), self.runs_all, remarks_on_memory=True
        )
        names_are_there(job)
        return job

    def common(self, job: Job) -> Common:
        """What the results of all submissions hang on, as it is now."""
        words = (*(stage.name for stage in job.stages), str(self.runs_all), repr(job.conditions))
        return common(job.assignment, words, map(given_folder, self.given))

    def kept(self) -> str:
        """As a text in a gradebook."""
        return json.dumps([self.stages, [str(Path(one).resolve()) for one in self.given], self.runs_all, self.manner])


def asked_as_before(about: Mapping[str, str]) -> Asked:
    """What a gradebook was graded by."""
    stages, given, runs_all, manner = json.loads(about["asked"])
    return Asked(tuple(stages), about["called"], tuple(given), runs_all, Manner(*manner))


def grade_class(
    asked: Asked, downloads: Sequence[Download], path: Path, due: str | None, where: Where, out: Out, *, is_fresh: bool
) -> int:
    """Grade a class into the gradebook at `path`; tells what has changed, prints the class, returns the exit code.

    What is asked for besides is written of all people of the gradebook.
    """
    job = asked.job(downloads[-1].folder)
    causes = asked.common(job)
    if not causes.assignment:
        click.echo("pitboss: what the assignment runs is not known, so all submissions are run each time", err=True)
    booked, codes = Booked(), [0]
    with Gradebook(path, may_be_new=True) as book:
        last, scoring = book.last_run(), Scoring(book, job)
        for download in downloads:
            with class_of(download, job.stages) as intake:
                _tell_book(book, asked, job, download, due)
                into = Into(book, job, causes, scoring, where)
                booked = booked.and_then(grade_into(into, intake.handed, is_fresh=is_fresh))
            if booked.missing:
                break
        if causes.assignment and asked.common(job) != causes:
            book.forget_causes(last)
            click.echo("pitboss: the assignment changed while it was graded: `pitboss regrade` runs it anew", err=True)
        scoring.look()
        _told(booked, _outdated(book, causes), scoring.changes, is_read=out.has_table)
        table = score_table([stage.name for stage in job.stages], _each(book, codes))
        if out.has_table:
            report_console().print(table)
        out.write_book(job, book, booked.missing)
    return 128 + booked.signal if booked.missing else max(3 if booked.faults else 0, *codes)


def _outdated(book: Gradebook, common: Common) -> list[str]:
    """Whose result is of other specs than those that are there now, since what they handed in was not."""
    names = []
    for person in book.people() if common.assignment else ():
        causes = book.causes(person.key)
        if causes is not None and causes.assignment and causes.assignment != common.assignment:
            names.append(person.name)
    return names


def _told(booked: Booked, outdated: list[str], changes: list[Change], *, is_read: bool) -> None:
    """Say how many were run and how many not, who was not graded, and whose score has changed.

    `is_read`: whether the standard output is for people.
    """
    said = [f"{booked.run} run"] if booked.run or not booked.unchanged else []
    if booked.unchanged:
        said.append(f"{booked.unchanged} unchanged and not run again; --fresh runs all")
    sentences = [", ".join(said)]
    if booked.missing:
        sentences.append(f"stopped: not graded are {listed(booked.missing)}; the same command goes on")
    if booked.older:
        sentences.append(f"older than what counts, and left alone: what is here of {listed(booked.older)}")
    if booked.faults:
        names = dict.fromkeys(name for name, _ in booked.faults)
        sentences.append(f"not graded, by no fault of theirs; earlier scores stay: {listed(names)}")
        sentences += list(dict.fromkeys(reason for _, reason in booked.faults))[:3]
    if outdated:
        sentences.append(f"graded by earlier specs, since what they handed in is not here: {listed(outdated)}")
    for sentence in sentences:
        click.echo(f"pitboss: {sentence}", err=True)
    for change in sorted(changes, key=lambda one: one.person.name):  # not as the workers were done
        if change.before is not None:
            was, now = of_points(change.before.grade), of_points(change.now)
            told = f"{was} → {now}" if was != now else f"{now}, by another sum"
            click.echo("\n    ".join([f"{change.person.name}: {told}", *change.why]), err=not is_read)


def _each(book: Gradebook, codes: list[int]) -> Iterator[tuple[Row, Scored | None]]:
    """A person at a time, since their reports need not be in memory at once; adds the exit code of each to `codes`."""
    for row, scored in book.scored_rows():
        if row.report is not None:
            codes.append(exit_code_of(row.report))
        yield row, scored


def _tell_book(book: Gradebook, asked: Asked, job: Job, download: Download, due: str | None) -> None:
    """Note in the gradebook what it is of, so that `pitboss regrade` does the same again."""
    folder = job.assignment.folder
    about = {
        "assignment": job.assignment.name,
        "title": job.assignment.title,
        # A name is found wherever the specs are by then; a folder is meant.
        "called": str(folder.resolve()) if asked.name and "/" in asked.name else job.assignment.name,
        "asked": asked.kept(),
        "downloads": json.dumps(_with(downloads_in(book.about()), download)),
    }
    if due is not None:
        about["due"] = due_of(due)
    book.tell(**about)


def downloads_in(about: Mapping[str, str]) -> list[list[str]]:
    """Folder, roster and instant of each download that was graded into a gradebook, the last one last."""
    found: list[list[str]] = json.loads(about.get("downloads", "[]"))
    return found


def _with(known: list[list[str]], download: Download) -> list[list[str]]:
    own = [
        str(download.folder.resolve()),
        str(download.roster.resolve()) if download.roster else "",
        download.until.isoformat() if download.until else "",
    ]
    return [*(one for one in known if one[0] != own[0]), own]
