"""`pitboss check` and `pitboss grade`."""

from __future__ import annotations

import os
from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.progress import Progress

from harness.assignment import Answers, Assignment, Case, Generated, Player, Spec, Stage
from harness.cases import answers_in
from harness.checking import check as check_submission
from harness.checking import check_here, fault_report
from harness.cli.options import (
    ANSWERS_RULE,
    Seed,
    assignment_option,
    condition_options,
    folder_and_stages,
    loaded,
    stages_named,
    write_file,
)
from harness.drivers import find_conditions
from harness.errors import SessionError, UsageError
from harness.holding import Job
from harness.reading import near
from harness.rendering.data import check_json, grade_csv, grade_json
from harness.rendering.pages import class_values, page_of, submission_values
from harness.rendering.report import class_table, report_of
from harness.results import Report
from harness.templates import page, style
from harness.verdicts import Verdict
from harness.workers import core_count, workers


@click.command()
@click.argument("words", nargs=-1, metavar="[DIR] [STAGE]...")
@assignment_option
@click.option("--seed", type=Seed(), help="Check with this seed alone.")
@click.option(
    "--answers", metavar="LINES", help=f"What is typed after the seed, the last line repeated. {ANSWERS_RULE}"
)
@click.option("--player", metavar="NAME", help="A player of the assignment who types instead.")
@click.option("--case", "cases", multiple=True, metavar="NAME", help="Check this case alone. May be repeated.")
@click.option("--all", "runs_all", is_flag=True, help="Run stages although one that they need failed.")
@click.option("--json", "json_path", metavar="FILE", help="Write the whole report as JSON; - for the standard output.")
@click.option("--html", "html_path", metavar="FILE", help="Write the report as a page.")
@condition_options
def check(
    words: tuple[str, ...],
    name: str | None,
    seed: int | None,
    answers: str | None,
    player: str | None,
    cases: tuple[str, ...],
    runs_all: bool,
    json_path: str | None,
    html_path: str | None,
    real_time: bool,
    driver: str,
    sandbox: str,
    jobs: int | None,
) -> int:
    """Check the programs in a folder, this one where none is given, against every case of their stages."""
    assignment = loaded(name, words)
    folder, stages = folder_and_stages(assignment, words)
    stages = tuple(map(_public, stages))
    if seed is not None or answers is not None or player is not None:
        stages = tuple(_with_one_game(assignment, stage, seed, answers, player) for stage in stages)
    if cases and len(stages) != 1:
        raise UsageError("--case needs one stage: name it, as in pitboss check play --case NAME")
    conditions = find_conditions(driver, sandbox, is_real_time=real_time)
    job = Job(assignment, stages, conditions, name or assignment.name, cases, runs_all)
    report = check_submission(job, folder, count=jobs or 0)
    if json_path:
        write_file(json_path, check_json(report))
    if html_path:
        write_file(html_path, page("submission.html.j2", submission_values(report, style())))
    if json_path != "-":
        report_console().print(report_of(report), crop=False)
    return exit_code_of(report)


def _public(stage: Stage) -> Stage:
    """A stage with the cases that everybody may see; grading has the others too."""
    cases = tuple(case for case in stage.spec.cases if case.visibility == "public")
    return msgspec.structs.replace(stage, spec=msgspec.structs.replace(stage.spec, cases=cases or stage.spec.cases))


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
                f"there is no player {player!r} — known are {', '.join(known) or 'none'}{near(player, known)}"
            )
        who = known[player]
    case = Case("the game asked for", Generated((seed,), who), stage.policy, place=f"{stage.spec.path}")
    return msgspec.structs.replace(stage, spec=Spec(stage.spec.path, stage.name, (case,)), needs=())


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.argument("stages", nargs=-1, metavar="[STAGE]...")
@assignment_option
@click.option("--json", "json_path", metavar="FILE", help="Write all reports as JSON; - for the standard output.")
@click.option("--html", "html_folder", type=click.Path(path_type=Path), metavar="DIR", help="Write pages into DIR.")
@click.option("--csv", "csv_path", metavar="FILE", help="Write the table as CSV; - for the standard output.")
@click.option("--all", "runs_all", is_flag=True, help="Run stages although one that they need failed.")
@click.option("--details/--no-details", default=False, help="Show the report of each submission too.")
@condition_options
def grade(
    folder: Path,
    stages: tuple[str, ...],
    name: str | None,
    json_path: str | None,
    html_folder: Path | None,
    csv_path: str | None,
    runs_all: bool,
    details: bool,
    real_time: bool,
    driver: str,
    sandbox: str,
    jobs: int | None,
) -> int:
    """Check a class: every folder in DIR is one submission."""
    submissions = _submissions(folder)
    assignment = loaded(name, (str(folder), *stages))
    chosen = stages_named(assignment, stages)
    conditions = find_conditions(driver, sandbox, is_real_time=real_time)
    job = Job(assignment, chosen, conditions, name or assignment.name, (), runs_all)
    reports = _graded(job, submissions, jobs or core_count())
    if json_path:
        write_file(json_path, grade_json(assignment.name, reports))
    if html_folder:
        _write_pages(html_folder, assignment.title, [stage.name for stage in chosen], reports)
    if csv_path:
        write_file(csv_path, grade_csv([stage.name for stage in chosen], reports))
    if "-" not in (json_path, csv_path):
        console = report_console()
        for report in reports if details else ():
            console.print(report_of(report), "", crop=False)
        console.print(class_table([stage.name for stage in chosen], reports))
    return max(map(exit_code_of, reports), default=0)


def _submissions(folder: Path) -> list[Path]:
    if not folder.exists():
        raise UsageError(f"{folder}: there is no such folder")
    if not folder.is_dir():
        raise UsageError(f"{folder}: this is a file; give the folder that holds the submissions")
    try:
        found = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    except OSError as error:
        raise UsageError(f"{folder}: the folder cannot be read: {error.strerror}") from error
    if not found:
        raise UsageError(f"{folder}: there is no submission in it — each is a folder of its own")
    return found


def _graded(job: Job, submissions: list[Path], count: int) -> list[Report]:
    """The reports of all submissions, in order; each is checked by one worker."""
    reports: dict[Path, Report] = {}
    with workers(min(count, len(submissions))) as team, Progress(console=Console(stderr=True), transient=True) as bar:
        progress = bar.add_task("grading", total=len(submissions))
        tasks = {team.submit(check_here, job, path, path.name): path for path in submissions}
        for task in team.as_done(tasks):
            path = tasks[task]
            try:
                reports[path] = task.result()
            except SessionError as error:  # it has cost us the worker, and costs the others nothing
                reports[path] = fault_report(job, path.name, str(error))
            bar.advance(progress)
    return [reports[path] for path in submissions]


def exit_code_of(report: Report) -> int:
    """0 accepted, 1 not accepted, 3 a fault of ours."""
    if report.verdict is Verdict.JUDGE_ERROR:
        return 3
    return 0 if report.verdict is Verdict.ACCEPTED else 1


def _write_pages(folder: Path, title: str, stages: list[str], reports: list[Report]) -> None:
    """A page for each submission, and one for the class."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: the folder cannot be made: {error.strerror}") from error
    for report in reports:
        text = page("submission.html.j2", submission_values(report, style(), "index.html"))
        write_file(str(folder / page_of(report.submission)), text)
    write_file(str(folder / "index.html"), page("class.html.j2", class_values(title, stages, reports, style())))


def report_console() -> Console:
    """Where reports are printed, as wide as the terminal."""
    width = os.environ.get("COLUMNS")
    return Console(width=int(width) if width and width.isdigit() else None, highlight=False, soft_wrap=False)
