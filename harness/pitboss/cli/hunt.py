"""`pitboss hunt`: finds the smallest game that a program gets wrong."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import click
from rich.progress import BarColumn, Progress, TextColumn

from pitboss.cli.common_options import RunOptions, WholeNumber, assignment_option, condition_options, given_option
from pitboss.cli.completing import complete_check_arguments
from pitboss.cli.consoles import can_show_progress, error_console, report_console
from pitboss.cli.main import stop_exit_code
from pitboss.cli.resolving import (
    folder_and_stages,
    folder_argument,
    require_reference,
    resolve_assignment,
    with_local_commands,
)
from pitboss.compare.results import Begun, StageWork
from pitboss.errors import SessionError, UsageError
from pitboss.machine import progress
from pitboss.model.words import counted
from pitboss.reports.progress_bar import READING

if TYPE_CHECKING:
    from pitboss.experiments.hunting.hunter import Hunt
    from pitboss.experiments.hunting.hunter import Progress as OnProgress

_NEEDS_ONE_STAGE = "hunt needs one stage: name it, as in pitboss hunt play"


@click.command()
@click.argument("words", nargs=-1, metavar="[DIR] STAGE", shell_complete=complete_check_arguments)
@assignment_option
@click.option("--seconds", type=WholeNumber(1, 3600), default=8, help="How long to hunt (default: 8).")
@given_option
@condition_options
def hunt(
    words: tuple[str, ...],
    name: str | None,
    seconds: int,
    given: tuple[str, ...],
    run_options: RunOptions,
    jobs: int | None,
) -> int:
    """Play many games and show the smallest that fails.

    DIR is the current folder by default.

    Plays thousands of games if the program starts fast, dozens if it starts slowly, as in Java.
    The games go beyond the specs but build on what the stage's cases type: every answer that is offered, other seeds,
    other numbers between the lowest and the highest, and further wrong answers of the kinds that the cases type.

    Ctrl-C ends the hunt early and shows what it has found.
    """
    # Imported here, so that --help is fast.
    from pitboss.experiments.hunting.hunter import hunt_program
    from pitboss.reports.report import report_with_next_step
    from pitboss.sessions.job import Job
    from pitboss.submissions.course_files import with_course_folders

    with _show_progress(seconds) as show_count:
        if not words:
            raise UsageError(_NEEDS_ONE_STAGE)
        assignment = with_course_folders(resolve_assignment(name, words), given)
        require_reference(assignment, "hunt")
        folder, stages = folder_and_stages(assignment, words)
        if len(stages) != 1:
            raise UsageError(_NEEDS_ONE_STAGE)
        if stages[0].is_manual:
            raise UsageError(f"{stages[0].name} is graded manually: there is nothing to compare its games with")
        job = Job(assignment, stages, run_options.conditions(), name or assignment.name)
        result = hunt_program(job, stages[0], folder, seconds=seconds, cores=jobs or 0, report_count=show_count)
    if result.unbuilt is not None:
        report_console().print(report_with_next_step(with_local_commands(result.unbuilt, job, folder)), crop=False)
        return 1
    return _print_result(result, stages[0].name, folder_argument(assignment, folder))


@contextmanager
def _show_progress(seconds: int) -> Iterator[OnProgress]:
    """Show the progress if standard error is a terminal.

    Yields the function that shows how many games have been played.
    """
    console = error_console()
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[games]:,} games"))
    # Not refreshed by a thread: workers are forked meanwhile, and a lock that the thread holds would stay locked there.
    with Progress(
        *columns, console=console, transient=True, auto_refresh=False, disable=not can_show_progress(console)
    ) as bar:
        task = bar.add_task(READING, total=seconds, games=0)
        start = time.monotonic()
        bar.refresh()

        def show_count(count: int) -> None:
            bar.update(task, completed=min(time.monotonic() - start, seconds), games=count, refresh=True)

        def show_event(event: object) -> None:
            if isinstance(event, Begun):
                is_running = event.work is StageWork.RUNNING
                description = f"hunting in {event.stage}" if is_running else f"{event.stage}: {event.work.value}"
                bar.update(task, description=description, refresh=True)

        with progress.subscribe(show_event) if can_show_progress(console) else nullcontext():
            yield show_count


def _print_result(result: Hunt, stage: str, folder: str) -> int:
    """Print the result; returns the exit code. `folder` is the submission as a command-line argument."""
    games, reference_failures = counted(result.count, "different game"), result.reference_failures
    summary = f"{stage}: stopped after {games}" if result.was_stopped else f"{stage}: {games} played"
    code = stop_exit_code() if result.was_stopped else 1
    if result.found is not None:
        from pitboss.reports.report import failure_of

        click.echo(f"{summary}; this is the smallest that fails")
        report_console().print(failure_of(result.found, folder), crop=False)
        return code
    if result.finding:
        from pitboss.reports.finding_sentences import sentence_on_draws

        click.echo(f"{summary}. {sentence_on_draws(result.finding)}")
        return code
    if result.fault:
        raise SessionError(f"{summary}, and then a game could not be played: {result.fault}")
    if result.count:
        verdict = "it is" if result.count == 1 else "all are"
        exhausted_note = ", and the stage has no other games" if result.is_exhausted else ""
        click.echo(f"{summary}{exhausted_note}: {verdict} as expected")
    elif result.was_stopped:
        click.echo(summary)
    else:
        reason = "none ended in time; give more --seconds, or add a case that ends"
        if reference_failures:
            games = counted(len(reference_failures), "game")
            reason = f"the reference failed in {games}: {reference_failures[0]}"
        raise UsageError(f"{stage}: no game was played: {reason}")
    if reference_failures:
        more_games = counted(len(reference_failures), "more game")
        click.echo(f"{stage}: the reference itself failed in {more_games}: {reference_failures[0]}")
    return code if result.was_stopped else 0
