"""`pitboss check` and `pitboss grade`."""

from __future__ import annotations

import os
from pathlib import Path

import click
import msgspec
from rich.console import Console

from harness.assignments.answers import answers_in
from harness.assignments.assignment import Answers, Assignment, Case, Generated, Player, Spec, Stage
from harness.assignments.nodes import near
from harness.cli.grading import Graded, Lines, graded
from harness.cli.options import (
    ANSWERS_RULE,
    Seed,
    assignment_option,
    called_from_here,
    condition_options,
    folder_and_stages,
    given_option,
    loaded,
    stages_named,
    write_file,
)
from harness.cli.progress import progress
from harness.cli.stopping import stopped
from harness.errors import UsageError, as_found, listed
from harness.grading.check import check as check_submission
from harness.grading.check import names_are_there
from harness.judging.published import for_students
from harness.judging.results import Report
from harness.judging.verdicts import Verdict
from harness.machine.workers import core_count
from harness.reports.class_table import class_table
from harness.reports.json_and_csv import check_json, grade_csv, grade_json
from harness.reports.naming import INDEX, page_names
from harness.reports.pages import class_values, submission_values
from harness.reports.report import report_of
from harness.reports.templates import page, style
from harness.running.drivers import find_conditions
from harness.running.job import Job
from harness.submissions.classes import see_class, submissions_in
from harness.submissions.course_folder import with_given


@click.command()
@click.argument("words", nargs=-1, metavar="[DIR] [STAGE]...")
@assignment_option
@click.option("--seed", type=Seed(), help="Check with this seed alone.")
@click.option(
    "--answers", metavar="LINES", help=f"What is typed after the seed, the last line repeated. {ANSWERS_RULE}"
)
@click.option("--player", metavar="NAME", help="A player of the assignment who types instead.")
@click.option("--case", "cases", multiple=True, metavar="NAME", help="Check this case alone. May be repeated.")
@click.option("--hidden", "has_hidden", is_flag=True, help="Run hidden cases too, and show them: not for students.")
@click.option("--all", "runs_all", is_flag=True, help="Run stages although one that they need failed.")
@click.option("--json", "json_path", metavar="FILE", help="Write the whole report as JSON; - for the standard output.")
@click.option("--html", "html_path", metavar="FILE", help="Write the report as a page.")
@given_option
@condition_options
def check(
    words: tuple[str, ...],
    name: str | None,
    seed: int | None,
    answers: str | None,
    player: str | None,
    cases: tuple[str, ...],
    has_hidden: bool,
    runs_all: bool,
    json_path: str | None,
    html_path: str | None,
    given: tuple[str, ...],
    real_time: bool,
    driver: str,
    sandbox: str,
    jobs: int | None,
) -> int:
    """Check the programs in a folder, this one where none is given, against every case of their stages."""
    with progress():
        assignment = with_given(loaded(name, words), given)
        folder, stages = folder_and_stages(assignment, words)
        if not has_hidden:
            stages = _public(stages)
        if seed is not None or answers is not None or player is not None:
            stages = tuple(_with_one_game(assignment, stage, seed, answers, player) for stage in stages)
        if cases and len(stages) != 1:
            raise UsageError("--case needs one stage: name it, as in pitboss check play --case NAME")
        conditions = find_conditions(driver, sandbox, is_real_time=real_time)
        job = Job(assignment, stages, conditions, name or assignment.name, cases, runs_all, remarks_on_memory=True)
        report = called_from_here(check_submission(job, folder, count=jobs or 0), job, folder)
    if json_path:
        write_file(json_path, check_json(report))
    if html_path:
        write_file(html_path, page("submission.html.j2", submission_values(report, style())))
    if json_path != "-":
        report_console().print(report_of(report), crop=False)
    return stopped(report.stopped) if report.stopped else exit_code_of(report)


def _public_cases(stage: Stage) -> tuple[Case, ...]:
    return tuple(case for case in stage.spec.cases if case.visibility == "public")


def _public(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Stages with the cases that everybody may see; grading has the others too.

    One that has only hidden cases is not run, and so none waits for it.
    """
    kept = {stage.name: _public_cases(stage) for stage in stages}
    return tuple(
        msgspec.structs.replace(
            stage,
            spec=msgspec.structs.replace(stage.spec, cases=kept[stage.name]),
            needs=tuple(need for need in stage.needs if kept.get(need, True)),
        )
        for stage in stages
    )


def _with_one_game(
    assignment: Assignment, stage: Stage, seed: int | None, answers: str | None, player: str | None
) -> Stage:
    """A stage with the one case that the command line describes."""
    if assignment.is_seeded and seed is None:
        raise UsageError("--answers and --player need --seed: in this assignment the first line typed is one")
    if not assignment.is_seeded and seed is not None:
        raise UsageError(f"--seed: {assignment.name} is not seeded; give --answers or --player alone")
    if answers is not None and player is not None:
        raise UsageError("--answers and --player exclude each other")
    who: Answers | Player = Answers(tuple(line.encode() for line in answers_in(answers or "")))
    if player is not None:
        known = {one.name: one for one in assignment.players}
        if player not in known:
            raise UsageError(
                f"there is no player {as_found(player)} — known are {listed(known) or 'none'}{near(player, known)}"
            )
        who = known[player]
    case = Case(
        "the game asked for",
        Generated((seed,), who),
        stage.policy,
        place=f"{stage.spec.path}",
        invocation=stage.invocation,
    )
    return msgspec.structs.replace(stage, spec=Spec(stage.spec.path, stage.name, (case,)), needs=())


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.argument("stages", nargs=-1, metavar="[STAGE]...")
@assignment_option
@click.option("--json", "json_path", metavar="FILE", help="Write all reports as JSON; - for the standard output.")
@click.option("--html", "html_folder", type=click.Path(path_type=Path), metavar="DIR", help="Write pages into DIR.")
@click.option("--hidden", "shows_hidden", is_flag=True, help="Show hidden cases on the pages: not for students.")
@click.option("--csv", "csv_path", metavar="FILE", help="Write the table as CSV; - for the standard output.")
@click.option("--all", "runs_all", is_flag=True, help="Run stages although one that they need failed.")
@click.option("--details/--no-details", default=False, help="Show the report of each submission too.")
@given_option
@condition_options
def grade(
    folder: Path,
    stages: tuple[str, ...],
    name: str | None,
    json_path: str | None,
    html_folder: Path | None,
    shows_hidden: bool,
    csv_path: str | None,
    runs_all: bool,
    details: bool,
    given: tuple[str, ...],
    real_time: bool,
    driver: str,
    sandbox: str,
    jobs: int | None,
) -> int:
    """Check a class: every folder in DIR is one submission."""
    see_class(folder)
    assignment = with_given(loaded(name, (str(folder), *stages)), given)
    chosen = stages_named(assignment, stages)
    submissions = _submissions(folder, chosen)
    conditions = find_conditions(driver, sandbox, is_real_time=real_time)
    job = Job(assignment, chosen, conditions, name or assignment.name, (), runs_all, remarks_on_memory=True)
    names_are_there(job)
    lines = Lines(json_path, csv_path)
    if not lines.is_named:
        click.echo(f"pitboss: each report is kept in {lines.path} until all are there", err=True)
    known = graded(job, submissions, jobs or core_count(), lines)
    reports = known.reports
    if json_path:
        write_file(json_path, grade_json(assignment.name, reports, known.missing))
    if html_folder:
        _write_pages(html_folder, assignment.title, [stage.name for stage in chosen], reports, shows_hidden)
    if csv_path:
        write_file(csv_path, grade_csv([stage.name for stage in chosen], reports))
    if "-" not in (json_path, csv_path):
        _print_class(chosen, reports, has_details=details)
    _close(lines, known, is_needed=bool(known.missing) and json_path in (None, "-"))
    return known.exit_code if known.missing else max(map(exit_code_of, reports), default=0)


def _close(lines: Lines, known: Graded, *, is_needed: bool) -> None:
    """Close the kept reports, and tell what was not graded."""
    lines.close(is_needed=is_needed)
    if known.missing:
        kept = f"; the reports are in {lines.path}" if is_needed else ""
        click.echo(f"pitboss: {known.sentence}{kept}", err=True)


def _print_class(stages: tuple[Stage, ...], reports: list[Report], *, has_details: bool) -> None:
    """Print the table of a class, after the report of each submission where details are wanted."""
    console = report_console()
    for report in reports if has_details else ():
        console.print(report_of(report), "", crop=False)
    console.print(class_table([stage.name for stage in stages], reports))


def _submissions(folder: Path, stages: tuple[Stage, ...]) -> list[Path]:
    """The submissions of a class; what lies there and is none is told, UsageError where it is no class."""
    found, where, others = submissions_in(folder, stages)
    if where:
        click.echo(f"pitboss: {where}", err=True)
    if others:
        click.echo(f"pitboss: not graded, since they are no submissions: {', '.join(others)}", err=True)
    return found


def exit_code_of(report: Report) -> int:
    """0 accepted or for a person, 1 not accepted, 3 a fault of ours."""
    if report.verdict is Verdict.JUDGE_ERROR:
        return 3
    return 0 if report.verdict in (Verdict.ACCEPTED, Verdict.FOR_A_PERSON) else 1


def _write_pages(folder: Path, title: str, stages: list[str], reports: list[Report], shows_hidden: bool) -> None:
    """A page for each submission, for students where hidden cases are not to be shown, and one for the class."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: the folder cannot be made: {error.strerror}") from error
    names = page_names([report.submission for report in reports])
    for report, name in zip(reports, names, strict=True):
        shown = report if shows_hidden else for_students(report)
        write_file(str(folder / name), page("submission.html.j2", submission_values(shown, style(), INDEX)))
    values = class_values(title, stages, reports, names, style())
    write_file(str(folder / INDEX), page("class.html.j2", values))


def report_console() -> Console:
    """Where reports are printed, as wide as the terminal."""
    width = os.environ.get("COLUMNS")
    return Console(width=int(width) if width and width.isdigit() else None, highlight=False, soft_wrap=False)
