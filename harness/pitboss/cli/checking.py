"""Runs a check: from a request to the report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pitboss.assignments.assignment import Assignment
from pitboss.assignments.selection import public_stages, with_single_session
from pitboss.checking.check import check as check_submission
from pitboss.cli.checks import CheckRequest
from pitboss.cli.consoles import can_show_progress, error_console
from pitboss.cli.real_time import report_real_time
from pitboss.cli.resolving import folder_and_stages, resolve_assignment, with_local_commands
from pitboss.compare.results import Report
from pitboss.errors import NoProgramError, UsageError
from pitboss.kits.first_steps import first_step
from pitboss.sandbox import progress
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.job import Job
from pitboss.submissions.course_folder import with_course_folders


def run_check(request: CheckRequest, jobs: int | None, begin: Callable[[Assignment, Conditions], None]) -> Report:
    """Check the submission of the request, and return the report.

    Calls `begin` with the assignment and the conditions before anything is built. `jobs` is the number of cores to use,
    None for all. Raises UsageError if options of the request exclude each other.
    """
    with _show_progress():
        assignment = with_course_folders(resolve_assignment(request.name, request.words), request.given)
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
        assignment_name = request.name or assignment.name
        job = Job(
            assignment, stages, conditions, assignment_name, request.cases, request.runs_all, remarks_on_memory=True
        )
        report_real_time(job, jobs or 0)
        begin(assignment, conditions)
        try:
            report = check_submission(job, folder, cores=jobs or 0)
        except NoProgramError as error:
            error.add_note(first_step(assignment, stages, folder, assignment_name))
            raise
        return with_local_commands(report, job, folder)


@contextmanager
def _show_progress() -> Iterator[None]:
    """Show the progress of the check, if standard error is a terminal."""
    console = error_console()
    if not can_show_progress(console):
        yield
        return
    # Not imported without a terminal, as in CI and in tests.
    from pitboss.reports.progress_bar import READING, ProgressLine

    with ProgressLine(console, READING) as line, progress.subscribe(line.show_event):
        yield
