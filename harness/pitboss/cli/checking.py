"""Runs a check: from a request to the report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pitboss.assignments.assignment import Assignment
from pitboss.assignments.selection import public_stages, with_single_session
from pitboss.checking.check import check as check_submission
from pitboss.cli.checks import CheckRequest
from pitboss.cli.consoles import can_show_progress, error_console
from pitboss.cli.prompts import called_from_here, folder_and_stages, loaded
from pitboss.cli.real_time import report_real_time
from pitboss.compare.results import Report
from pitboss.errors import NothingError, UsageError
from pitboss.kits.first_steps import first_step
from pitboss.sandbox import progress
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.job import Job
from pitboss.submissions.course_folder import with_given


def run_check(request: CheckRequest, jobs: int | None, begin: Callable[[Assignment, Conditions], None]) -> Report:
    """Returns the report; calls `begin` before anything is built. UsageError for a contradictory request."""
    with _progress():
        assignment = with_given(loaded(request.name, request.words), request.given)
        folder, stages = folder_and_stages(assignment, request.words)
        if not request.has_hidden:
            stages = public_stages(stages)
        if request.seed is not None or request.answers is not None or request.player is not None:
            stages = tuple(
                with_single_session(assignment, stage, request.seed, request.answers, request.player)
                for stage in stages
            )
        if request.cases and len(stages) != 1:
            raise UsageError("--case needs one stage: name it, as in pitboss check play --case NAME")
        conditions = request.run_options.conditions()
        called = request.name or assignment.name
        job = Job(assignment, stages, conditions, called, request.cases, request.runs_all, remarks_on_memory=True)
        report_real_time(job, jobs or 0)
        begin(assignment, conditions)
        try:
            report = check_submission(job, folder, count=jobs or 0)
        except NothingError as error:
            error.add_note(first_step(assignment, stages, folder, called))
            raise
        return called_from_here(report, job, folder)


@contextmanager
def _progress() -> Iterator[None]:
    """Show the progress of the check, if standard error is a terminal."""
    console = error_console()
    if not can_show_progress(console):
        yield
        return
    # Not imported without a terminal, as in CI and in tests.
    from pitboss.reports.progress_bar import READING, ProgressLine

    with ProgressLine(console, READING) as line, progress.subscribe(line.show_event):
        yield
