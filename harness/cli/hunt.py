"""`pitboss hunt`: the smallest game that a program gets wrong."""

from __future__ import annotations

import click

from harness.checking import hunted
from harness.cli.checks import report_console
from harness.cli.options import assignment_option, condition_options, folder_and_stages, folder_word, loaded
from harness.drivers import find_conditions
from harness.errors import UsageError
from harness.holding import Job
from harness.rendering.report import failure_of


@click.command()
@click.argument("words", nargs=-1, metavar="[DIR] STAGE")
@assignment_option
@click.option("--seconds", type=click.FloatRange(1, 3600), default=8, help="How long to hunt; 8 where not given.")
@condition_options
def hunt(
    words: tuple[str, ...],
    name: str | None,
    seconds: float,
    real_time: bool,
    driver: str,
    sandbox: str,
    jobs: int | None,
) -> int:
    """Play thousands of games beyond the specs, and show the smallest that fails."""
    assignment = loaded(name, words)
    folder, stages = folder_and_stages(assignment, words)
    if len(stages) != 1:
        raise UsageError("hunt needs one stage: name it, as in pitboss hunt play")
    conditions = find_conditions(driver, sandbox, is_real_time=real_time)
    job = Job(assignment, stages, conditions, name or assignment.name)
    found, count = hunted(job, stages[0], folder, seconds=seconds)
    if found is None:
        click.echo(f"{stages[0].name}: {count} games, and every one as it should be")
        return 0
    click.echo(f"{stages[0].name}: of {count} games this is the smallest that fails")
    report_console().print(failure_of(found, folder_word(assignment, folder)), crop=False)
    return 1
