"""`pitboss hunt`: finds the smallest game that a program gets wrong."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.progress import BarColumn, Progress, TextColumn
from rich.text import Text

from pitboss.cli.common_options import RunOptions, assignment_option, condition_options, given_option
from pitboss.cli.completing import words_of_check
from pitboss.cli.consoles import can_show_progress, error_console, report_console
from pitboss.cli.prompts import called_from_here, folder_and_stages, folder_word, loaded, require_reference
from pitboss.cli.stopping import stopped_code
from pitboss.compare.check_events import Begun, Failed, StageWork
from pitboss.errors import SessionError, UsageError
from pitboss.reports.finding_sentences import summary_of
from pitboss.reports.progress_bar import READING
from pitboss.sandbox import progress

if TYPE_CHECKING:
    from pitboss.experiments.hunting.hunter import Hunt
    from pitboss.experiments.hunting.hunter import Progress as OnProgress

#: The probability with which the games would have shown a mistake of the printed frequency.
_LIKELY = 0.95


@click.command()
@click.argument("words", nargs=-1, metavar="STAGE [DIR]", shell_complete=words_of_check)
@assignment_option
@click.option("--seconds", type=click.FloatRange(1, 3600), default=8, help="How long to hunt (default: 8).")
@given_option
@condition_options
def hunt(
    words: tuple[str, ...],
    name: str | None,
    seconds: float,
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
    from pitboss.submissions.course_folder import with_given

    with _progress(seconds) as show_count:
        words = _folder_first(words, name)
        assignment = with_given(loaded(name, words), given)
        require_reference(assignment, "hunt")
        folder, stages = folder_and_stages(assignment, words)
        if stages[0].is_manual:
            raise UsageError(f"{stages[0].name} is graded manually: there is nothing to compare its games with")
        job = Job(assignment, stages, run_options.conditions(), name or assignment.name)
        result = hunt_program(job, stages[0], folder, seconds=seconds, count=jobs or 0, tell=show_count)
    if result.unbuilt is not None:
        report_console().print(report_with_next_step(called_from_here(result.unbuilt, job, folder)), crop=False)
        return 1
    return _print_result(result, stages[0].name, folder_word(assignment, folder))


def _folder_first(words: tuple[str, ...], name: str | None) -> tuple[str, str]:
    """Returns the folder and the stage, which may be given in either order; UsageError unless one stage is named."""
    if len(words) == 1 and not (Path(words[0]).is_dir() and "/" in words[0]):
        return ".", words[0]
    if len(words) != 2:
        raise UsageError("hunt needs one stage: name it, as in pitboss hunt play")
    first, second = words
    if Path(first).is_dir() and Path(second).is_dir():  # a folder may have the name of a stage
        return (second, first) if _is_stage(first, name) else (first, second)
    return (second, first) if Path(second).is_dir() else (first, second)


def _is_stage(argument: str, name: str | None) -> bool:
    try:
        return loaded(name, (".", argument)).stage(argument) is not None
    except UsageError:
        return False


@contextmanager
def _progress(seconds: float) -> Iterator[OnProgress]:
    """Show the progress and the first game that fails, if standard error is a terminal."""
    console = error_console()
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[games]:,} games"))
    # Not refreshed by a thread, since workers are forked meanwhile.
    with Progress(
        *columns, console=console, transient=True, auto_refresh=False, disable=not can_show_progress(console)
    ) as bar:
        task = bar.add_task(READING, total=seconds, games=0)
        begun, first = time.monotonic(), list[str]()
        bar.refresh()

        def show_count(count: int) -> None:
            bar.update(task, completed=min(time.monotonic() - begun, seconds), games=count, refresh=True)

        def show_event(event: object) -> None:
            match event:
                case Begun(work, stage):
                    description = f"{stage}: {work.value}" if work is not StageWork.RUNNING else f"hunting in {stage}"
                    bar.update(task, description=description, refresh=True)
                case Failed(result) if not first:
                    first.append(summary_of(result))
                    bar.console.print(Text(f"{result.stage}: a game fails. {summary_of(result)}"), highlight=False)

        with progress.subscribe(show_event) if can_show_progress(console) else nullcontext():
            yield show_count


def _print_result(result: Hunt, stage: str, folder: str) -> int:
    """Print the result, with the folder as a command-line argument; returns the exit code."""
    games = f"{result.count:,} different game{'' if result.count == 1 else 's'}"
    begin = f"{stage}: stopped after {games}" if result.was_stopped else f"{stage}: {games} played"
    code = stopped_code() if result.was_stopped else 1
    if result.found is not None:
        from pitboss.reports.report import failure_of

        click.echo(f"{begin}; this is the smallest that fails")
        report_console().print(failure_of(result.found, folder), crop=False)
        if not result.is_steady:
            click.echo("  Played again, it passed: the program does not behave the same each time.")
        return code
    if result.finding:
        click.echo(f"{begin}. {result.finding}")
        return code
    if result.faults:
        raise SessionError(f"{begin}, and then a game could not be played: {result.faults[0]}")
    if result.count:
        are = "it is" if result.count == 1 else "all are"
        alone = ", and the stage has no other games" if result.is_exhausted else ""
        click.echo(f"{begin}{alone}: {are} as expected")
        if not result.is_exhausted:
            click.echo(_odds(result.count))
    elif result.was_stopped:
        click.echo(begin)
    else:
        reason = "none ended in time; give more --seconds, or add a case that ends"
        if result.failure:
            reason = f"the reference failed in {result.failed_references}: {result.failure}"
        raise UsageError(f"{stage}: no game was played: {reason}")
    if result.failure:
        click.echo(f"{stage}: the reference itself failed in {result.failed_references:,} more: {result.failure}")
    return code if result.was_stopped else 0


def _odds(count: int) -> str:
    """Returns a sentence on the rarest mistake that this many passed games would most likely have shown.

    >>> _odds(1), _odds(2164)[:49]
    ('  One game says little: give more --seconds.', '  A mistake that shows in 1 of 722 games would ha')
    """
    if count == 1:
        return "  One game says little: give more --seconds."
    games = int(1 / (1 - (1 - _LIKELY) ** (1 / count)))
    return f"  A mistake that shows in 1 of {games:,} games would have shown in these with a chance of 95 %."
