"""Grading a class: each submission by a worker, each report written down as soon as it is known.

A report is a line of JSON, as `pitboss check --json` gives it, in a file that is there until the results are:

    FILE.partial                          beside the file of --json, or of --csv
    /tmp/pitboss-grade-XXXXXX.jsonl       where neither is a file
"""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import click
import msgspec
from rich.progress import Progress

from pitboss.cli.asked import called_from_here
from pitboss.cli.consoles import error_console
from pitboss.cli.tried import say_what_cannot_be_built
from pitboss.cli.unchanged import Unchanged
from pitboss.errors import UsageError
from pitboss.grading.check import check_here
from pitboss.grading.reported import report_of
from pitboss.judging.results import Report
from pitboss.machine import signals
from pitboss.machine.workers import core_count, workers
from pitboss.reports.json_and_csv import check_line
from pitboss.running.job import Job

K = TypeVar("K")


class Graded(NamedTuple):
    """What is known of a class."""

    #: In the order of the submissions.
    reports: list[Report]
    #: The names of those that were not graded, since it was stopped.
    missing: list[str]
    #: The number of the signal that stopped it; 0 where nothing did.
    signal: int = 0

    @property
    def exit_code(self) -> int:
        """The exit code of a process that was stopped, as a shell has it; 3 where this shell gave too little time."""
        return 3 if self.signal == signal.SIGXCPU else 128 + self.signal

    @property
    def sentence(self) -> str:
        """How far it came."""
        count = len(self.reports) + len(self.missing)
        return f"stopped: {len(self.reports)} of {count} submissions are graded, not {_listed(self.missing)}"


def _listed(names: list[str], most: int = 10) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


class Lines:
    """A file to which each report is added as a line, and which outlives this process."""

    def __init__(self, *paths: str | None) -> None:
        """Open it beside the first of these that is a file; UsageError where it cannot be written.

        What an earlier run left there stays: the last line of a submission counts.
        """
        beside = next((path for path in paths if path and path != "-"), None)
        self.is_named = beside is not None
        try:
            if beside is None:
                self._descriptor, name = tempfile.mkstemp(prefix="pitboss-grade-", suffix=".jsonl")
            else:
                name = f"{beside}.partial"
                self._descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
                _end_line(self._descriptor)
        except OSError as error:
            raise UsageError(
                f"{beside or tempfile.gettempdir()}: the file cannot be written: {error.strerror}"
            ) from error
        self.path = Path(name)

    def add(self, report: Report) -> None:
        """Write a report down, as far as this machine lets us: what is in memory goes on."""
        line = memoryview(check_line(report).encode())
        try:
            while line:
                line = line[os.write(self._descriptor, line) :]
        except OSError as error:
            click.echo(f"pitboss: {self.path}: a report cannot be kept: {error.strerror}", err=True)

    def close(self, *, is_needed: bool) -> None:
        """Close it, and remove it where nobody needs it any more."""
        os.close(self._descriptor)
        if not is_needed:
            self.path.unlink(missing_ok=True)


def _end_line(descriptor: int) -> None:
    """End a line that was broken off."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    if size and os.pread(descriptor, 1, size - 1) != b"\n":
        os.write(descriptor, b"\n")


class Entrant(NamedTuple):
    """A submission of a class."""

    path: Path
    #: Whose it is, as text that can be written anywhere.
    name: str
    #: The folder in the commands that run a session again; None for one that is gone with this process.
    folder: Path | None
    #: The report on who has handed in nothing that could be run; None for all others.
    report: Report | None = None

    def called(self, report: Report, job: Job) -> Report:
        """Its report with what these commands need."""
        own = called_from_here(report, job, self.folder or Path("."))
        return msgspec.structs.replace(own, submission=self.name)


def graded(
    job: Job, entrants: Sequence[Entrant], where: Where, lines: Lines, unchanged: Unchanged, *, is_fresh: bool
) -> Graded:
    """The reports of all submissions: known ones, and of the others each checked by one worker.

    Those that are there where it is stopped. What has not changed is run again all the same if it is to be `is_fresh`.
    """
    reports = {one: one.report for one in entrants if one.report is not None}
    process, stopped_by = os.getpid(), 0
    try:
        keys = {one: unchanged.key_alone(one.path, one.name) for one in entrants if one not in reports}
        if not is_fresh:
            reports |= _known(job, keys, lines, unchanged)
        left = [one for one in entrants if one not in reports]
        if left and not where.cluster:
            say_what_cannot_be_built((one.path for one in left), job.assignment.language, job.conditions)
        _grade(job, left, where, lines, reports, keys, unchanged)
    except KeyboardInterrupt:
        if os.getpid() != process:  # a worker that had hardly begun
            os._exit(1)
        stopped_by = signals.last_signal() or signal.SIGINT
    missing = [one.name for one in entrants if one not in reports]
    known = [reports[one] for one in entrants if one in reports]
    return Graded(known, missing, stopped_by if missing else 0)


def _known(job: Job, keys: Mapping[Entrant, str], lines: Lines, unchanged: Unchanged) -> dict[Entrant, Report]:
    """The reports of submissions that have not changed since an earlier run; says how many these are."""
    found = {one: report for one, key in keys.items() if (report := unchanged.found(key)) is not None}
    reports = {one: one.called(report, job) for one, report in found.items()}
    for report in reports.values():
        lines.add(report)
    if reports:
        are = "is unchanged and was" if len(reports) == 1 else "are unchanged and were"
        them = "it" if len(reports) == 1 else "them"
        click.echo(f"pitboss: {len(reports)} of {len(keys)} {are} not run again; --fresh runs {them}", err=True)
    return reports


def _grade(
    job: Job,
    entrants: list[Entrant],
    where: Where,
    lines: Lines,
    reports: dict[Entrant, Report],
    keys: Mapping[Entrant, str],
    unchanged: Unchanged,
) -> None:
    """Check these submissions, add each report to `reports`, and keep it under its key."""
    for one, found in each_checked(job, {one: (one.path, one.name) for one in entrants}, where):
        report = reports[one] = one.called(found, job)
        lines.add(report)
        unchanged.keep_alone(keys[one], one.path, one.name, report)


class Where(NamedTuple):
    """Where submissions are checked."""

    #: On so many cores of this machine.
    cores: int
    #: The address of the scheduler of a cluster that does it instead; empty if none does.
    cluster: str = ""


def where_of(jobs: int | None, cluster: str) -> Where:
    """Where a class is checked, as the options say; UsageError where there cannot be such a cluster."""
    if cluster:
        from pitboss.cluster.connection import see_address

        see_address(cluster)
        if jobs is not None:
            raise UsageError("--jobs is of this machine's cores, and --cluster uses others: give one of them")
    return Where(jobs or core_count(), cluster)


def each_checked(job: Job, submissions: Mapping[K, tuple[Path, str]], where: Where) -> Iterator[tuple[K, Report]]:
    """Check submissions, each a path and a name; yields each report as soon as it is there.

    Raises SessionError where that is a cluster, and it cannot be reached or is lost.
    """
    if not submissions:
        return
    console = error_console()
    bar = Progress(console=console, transient=True, disable=not console.is_terminal)
    each = _each_by_cluster(job, submissions, where) if where.cluster else _each_here(job, submissions, where.cores)
    with bar, contextlib.closing(each):
        progress = bar.add_task("grading", total=len(submissions))
        for found in each:
            yield found
            bar.advance(progress)


def _each_here(
    job: Job, submissions: Mapping[K, tuple[Path, str]], cores: int
) -> Generator[tuple[K, Report], None, None]:
    with workers(min(cores, len(submissions))) as pool:
        tasks = {pool.submit(check_here, job, *one): key for key, one in submissions.items()}
        for task in pool.as_done(list(tasks)):
            key = tasks.pop(task)
            yield key, report_of(task, job, submissions[key][1])


def _each_by_cluster(
    job: Job, submissions: Mapping[K, tuple[Path, str]], where: Where
) -> Generator[tuple[K, Report], None, None]:
    from pitboss.cluster.sharing import Sharing

    sharing = Sharing(where.cluster, job, submissions, lambda sentence: click.echo(f"pitboss: {sentence}", err=True))
    with contextlib.closing(sharing):
        yield from sharing.each()
    left = {key: submissions[key] for key in sharing.left}
    if left:
        yield from _each_here(job, left, where.cores)
