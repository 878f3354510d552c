"""Running a check: from what `pitboss check` was asked to the report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pitboss.assignments.assignment import Assignment
from pitboss.assignments.selection import public_stages, with_one_game
from pitboss.checking.check import check as check_submission
from pitboss.cli.checks import CheckRequest
from pitboss.cli.consoles import error_console, is_looked_at
from pitboss.cli.prompts import called_from_here, folder_and_stages, loaded
from pitboss.cli.real_time import tell_real_time
from pitboss.compare.results import Report
from pitboss.errors import NothingError, UsageError
from pitboss.kits.first_steps import first_step
from pitboss.sandbox import progress
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.job import Job
from pitboss.submissions.course_folder import with_given


def checked(asked: CheckRequest, jobs: int | None, begin: Callable[[Assignment, Conditions], None]) -> Report:
    """The report on what was asked; `begin` is called before anything is built. UsageError for what makes no sense."""
    with _progress():
        assignment = with_given(loaded(asked.name, asked.words), asked.given)
        folder, stages = folder_and_stages(assignment, asked.words)
        if not asked.has_hidden:
            stages = public_stages(stages)
        if asked.seed is not None or asked.answers is not None or asked.player is not None:
            stages = tuple(
                with_one_game(assignment, stage, asked.seed, asked.answers, asked.player) for stage in stages
            )
        if asked.cases and len(stages) != 1:
            raise UsageError("--case needs one stage: name it, as in pitboss check play --case NAME")
        conditions = asked.run_options.conditions()
        called = asked.name or assignment.name
        job = Job(assignment, stages, conditions, called, asked.cases, asked.runs_all, remarks_on_memory=True)
        tell_real_time(job, jobs or 0)
        begin(assignment, conditions)
        try:
            report = check_submission(job, folder, count=jobs or 0)
        except NothingError as error:
            error.add_note(first_step(assignment, stages, folder, called))
            raise
        return called_from_here(report, job, folder)


@contextmanager
def _progress() -> Iterator[None]:
    """Show how far the check is during the context, where somebody looks at it."""
    console = error_console()
    if not is_looked_at(console):
        yield
        return
    # Where nobody looks, as in CI and in tests, nothing has to be drawn.
    from pitboss.reports.progress_bar import READING, ProgressLine

    with ProgressLine(console, READING) as shown, progress.subscribe(shown.hear):
        yield
