"""Grading a class: each submission by a worker, each report written down as soon as it is known.

A report is a line of JSON, as `pitboss check --json` gives it, in a file that is there until the results are:

    FILE.partial                          beside the file of --json, or of --csv
    /tmp/pitboss-grade-XXXXXX.jsonl       where neither is a file
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import click
from rich.console import Console
from rich.progress import Progress

from harness.cli.options import called_from_here
from harness.errors import SessionError, UsageError
from harness.grading.check import check_here, fault_report
from harness.judging.results import Report
from harness.machine import signals
from harness.machine.workers import workers
from harness.reports.json_and_csv import check_line
from harness.running.job import Job


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


def graded(job: Job, submissions: list[Path], count: int, lines: Lines) -> Graded:
    """The reports of all submissions, each checked by one worker; of those that are done where it is stopped."""
    reports: dict[Path, Report] = {}
    process, stopped_by = os.getpid(), 0
    try:
        _grade(job, submissions, count, lines, reports)
    except KeyboardInterrupt:
        if os.getpid() != process:  # a worker that had hardly begun
            os._exit(1)
        stopped_by = signals.last_signal() or signal.SIGINT
    missing = [path for path in submissions if path not in reports]
    known = [reports[path] for path in submissions if path in reports]
    return Graded(known, [_name(path) for path in missing], stopped_by if missing else 0)


def _grade(job: Job, submissions: list[Path], count: int, lines: Lines, reports: dict[Path, Report]) -> None:
    console = Console(stderr=True)
    bar = Progress(console=console, transient=True, disable=not console.is_terminal)
    with workers(min(count, len(submissions))) as pool, bar:
        progress = bar.add_task("grading", total=len(submissions))
        tasks = {pool.submit(check_here, job, path, _name(path)): path for path in submissions}
        for task in pool.as_done(tasks):
            path = tasks[task]
            try:
                report = task.result()
            except SessionError as error:  # it has cost us the worker, and costs the others nothing
                report = fault_report(job, _name(path), str(error))
            except Exception as error:  # a mistake of ours: neither does that
                print(error, file=sys.stderr)
                last = str(error).strip().rpartition("\n")[2]
                report = fault_report(job, _name(path), f"pitboss itself failed, please report it: {last}")
            report = reports[path] = called_from_here(report, job, path)
            lines.add(report)
            bar.advance(progress)


def _name(path: Path) -> str:
    """The name of a submission as text that can be written anywhere."""
    return os.fsencode(path.name).decode("utf-8", "replace")
