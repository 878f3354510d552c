"""`pitboss hunt`: the smallest game that a program gets wrong."""

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
from pitboss.cli.consoles import error_console, is_looked_at, report_console
from pitboss.cli.prompts import called_from_here, folder_and_stages, folder_word, loaded, see_reference
from pitboss.cli.stopping import stopped_code
from pitboss.compare.check_events import Begun, Failed, StageWork
from pitboss.errors import SessionError, UsageError
from pitboss.reports.finding_sentences import summary_of
from pitboss.reports.progress_bar import READING
from pitboss.sandbox import progress

if TYPE_CHECKING:
    from pitboss.experiments.hunting.hunter import Hunt
    from pitboss.experiments.hunting.hunter import Progress as OnProgress

#: The probability with which the games would have shown a mistake of the frequency that is printed.
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

    Plays thousands of games of a program that starts fast, dozens of one that starts slowly, as in Java.
    The games go beyond the specs but build on what the stage's cases type: every answer that is offered, other seeds,
    other numbers between the lowest and the highest, and where the cases type a wrong answer, other wrong ones of its
    kind.

    Ctrl-C ends the hunt early and shows what it has found.
    """
    # Imported here, so that --help is fast.
    from pitboss.experiments.hunting.hunter import hunted
    from pitboss.reports.report import report_with_next_step
    from pitboss.sessions.job import Job
    from pitboss.submissions.course_folder import with_given

    with _progress(seconds) as tell:
        words = _folder_first(words, name)
        assignment = with_given(loaded(name, words), given)
        see_reference(assignment, "hunt")
        folder, stages = folder_and_stages(assignment, words)
        if stages[0].is_manual:
            raise UsageError(f"{stages[0].name} is graded manually: there is nothing to compare its games with")
        job = Job(assignment, stages, run_options.conditions(), name or assignment.name)
        done = hunted(job, stages[0], folder, seconds=seconds, count=jobs or 0, tell=tell)
    if done.unbuilt is not None:
        report_console().print(report_with_next_step(called_from_here(done.unbuilt, job, folder)), crop=False)
        return 1
    return _print_result(done, stages[0].name, folder_word(assignment, folder))


def _folder_first(words: tuple[str, ...], name: str | None) -> tuple[str, str]:
    """Returns the folder and the stage, which may be given in any order; UsageError unless it is one stage."""
    if len(words) == 1 and not (Path(words[0]).is_dir() and "/" in words[0]):
        return ".", words[0]
    if len(words) != 2:
        raise UsageError("hunt needs one stage: name it, as in pitboss hunt play")
    first, second = words
    if Path(first).is_dir() and Path(second).is_dir():  # a folder may have the name of a stage
        return (second, first) if _is_stage(first, name) else (first, second)
    return (second, first) if Path(second).is_dir() else (first, second)


def _is_stage(word: str, name: str | None) -> bool:
    try:
        return loaded(name, (".", word)).stage(word) is not None
    except UsageError:
        return False


@contextmanager
def _progress(seconds: float) -> Iterator[OnProgress]:
    """Show the progress and the first game that fails, if standard error is a terminal."""
    console = error_console()
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[games]:,} games"))
    # Not refreshed by a thread, since workers are forked meanwhile.
    with Progress(
        *columns, console=console, transient=True, auto_refresh=False, disable=not is_looked_at(console)
    ) as bar:
        task = bar.add_task(READING, total=seconds, games=0)
        begun, first = time.monotonic(), list[str]()
        bar.refresh()

        def tell(count: int) -> None:
            bar.update(task, completed=min(time.monotonic() - begun, seconds), games=count, refresh=True)

        def hear(event: object) -> None:
            match event:
                case Begun(work, stage):
                    doing = f"{stage}: {work.value}" if work is not StageWork.RUNNING else f"hunting in {stage}"
                    bar.update(task, description=doing, refresh=True)
                case Failed(result) if not first:
                    first.append(summary_of(result))
                    bar.console.print(Text(f"{result.stage}: a game fails. {summary_of(result)}"), highlight=False)

        with progress.subscribe(hear) if is_looked_at(console) else nullcontext():
            yield tell


def _print_result(done: Hunt, stage: str, folder: str) -> int:
    """Print the result, with the folder as a word of a command line; returns the exit code."""
    games = f"{done.count:,} different game{'' if done.count == 1 else 's'}"
    begin = f"{stage}: stopped after {games}" if done.was_stopped else f"{stage}: {games} played"
    code = stopped_code() if done.was_stopped else 1
    if done.found is not None:
        from pitboss.reports.report import failure_of

        click.echo(f"{begin}; this is the smallest that fails")
        report_console().print(failure_of(done.found, folder), crop=False)
        if not done.is_steady:
            click.echo("  Played again, it passed: the program does not behave the same each time.")
        return code
    if done.finding:
        click.echo(f"{begin}. {done.finding}")
        return code
    if done.faults:
        raise SessionError(f"{begin}, and then one could not be played: {done.faults[0]}")
    if done.count:
        every = "it is" if done.count == 1 else "every one is"
        alone = ", and the stage has no others" if done.is_exhausted else ""
        click.echo(f"{begin}{alone}: {every} as expected")
        if not done.is_exhausted:
            click.echo(_odds(done.count))
    elif done.was_stopped:
        click.echo(begin)
    else:
        why = "none ended in time; give more --seconds, or add a case that comes to its end"
        if done.failure:
            why = f"the reference failed in {done.failed_references}: {done.failure}"
        raise UsageError(f"{stage}: no game was played: {why}")
    if done.failure:
        click.echo(f"{stage}: the reference itself failed in {done.failed_references:,} more: {done.failure}")
    return code if done.was_stopped else 0


def _odds(count: int) -> str:
    """Returns how rare a mistake may be that so many passed games would have shown.

    >>> _odds(1), _odds(2164)[:49]
    ('  One game says little: give more --seconds.', '  A mistake that shows in 1 of 722 games would ha')
    """
    if count == 1:
        return "  One game says little: give more --seconds."
    games = int(1 / (1 - (1 - _LIKELY) ** (1 / count)))
    return f"  A mistake that shows in 1 of {games:,} games would have shown in these with a chance of 95 %."
