"""The command `pitboss check`: from its options to the report. Imports little until something has to be run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pitboss.cli.common_options import (
    RunOptions,
    Seed,
    answers_option,
    append_file,
    assignment_option,
    condition_options,
    fresh_option,
    given_folder,
    given_option,
    player_option,
    write_file,
)
from pitboss.cli.completing import case_names, complete_check_arguments
from pitboss.cli.consoles import can_show_progress, error_console, print_sentence, report_console
from pitboss.cli.main import report_stop, stop_exit_code
from pitboss.compare.results import Verdict
from pitboss.errors import HarnessError, NoProgramError, UsageError
from pitboss.machine import progress, signals

if TYPE_CHECKING:
    from pitboss.assignments.assignment import Assignment, Stage
    from pitboss.compare.results import Report
    from pitboss.gradebook.grades import Grade


class CheckRequest(NamedTuple):
    """The arguments and options of `pitboss check` that a report depends on."""

    #: The folder of the submission, if it is named, and the names of stages.
    words: tuple[str, ...]
    #: The name or folder of the assignment; None if the assignment has to be guessed.
    name: str | None
    seed: int | None
    answers: str | None
    player: str | None
    cases: tuple[str, ...]
    has_hidden: bool
    runs_all: bool
    given: tuple[str, ...]
    run_options: RunOptions


@click.command()
@click.argument("words", nargs=-1, metavar="[DIR] [STAGE]...", shell_complete=complete_check_arguments)
@assignment_option
@click.option("--seed", type=Seed(), help="Check only this seed.")
@answers_option
@player_option
@click.option(
    "--case",
    "cases",
    multiple=True,
    metavar="NAME",
    shell_complete=case_names,
    help="Check only this case. May be repeated.",
)
@click.option("--hidden", "has_hidden", is_flag=True, help="Run and show hidden cases too; not for students.")
@click.option("--all", "runs_all", is_flag=True, help="Run stages even if a stage that they need failed.")
@click.option(
    "--details", is_flag=True, help="Also show the rules that were reached, tolerated differences, and warnings."
)
@click.option("--json", "json_path", metavar="FILE", help="Write the report as JSON; - for standard output.")
@click.option("--html", "html_path", metavar="FILE", help="Write the report as an HTML page.")
@click.option("--github", "is_github", is_flag=True, help="Add annotations and a summary to a run of GitHub Actions.")
@click.option("--classroom", "is_classroom", is_flag=True, help="Pass the score to GitHub Classroom's reporter.")
@click.option("--gradescope", metavar="FILE", help="Write Gradescope's results.json, including hidden cases.")
@click.option("--watch", "is_watch", is_flag=True, help="Check again whenever a source is saved, until Ctrl-C.")
@click.option("--one-of-watch", is_flag=True, hidden=True)
@given_option
@fresh_option
@condition_options
def check(
    is_watch: bool,
    one_of_watch: bool,
    details: bool,
    json_path: str | None,
    html_path: str | None,
    is_github: bool,
    is_classroom: bool,
    gradescope: str | None,
    is_fresh: bool,
    jobs: int | None,
    **options: Any,
) -> int:
    """Check the programs in a folder against the reference.

    DIR is the current folder by default. Without a STAGE all stages found there are checked, each with all its cases.
    """
    if is_watch and not one_of_watch:
        one_result_options = {"--json -": json_path == "-", "--github": is_github, "--classroom": is_classroom}
        _refuse_with_watch(one_result_options | {"--gradescope": gradescope is not None})
        return _watch(CheckRequest(**options))
    if one_of_watch:  # this process runs a single check for `pitboss check --watch`
        signals.end_with_parent()
    options["has_hidden"] |= gradescope is not None
    try:
        report = _report(CheckRequest(**options), is_fresh=is_fresh, jobs=jobs)
    except HarnessError as error:
        _write_failure(error, gradescope, is_classroom=is_classroom)
        raise
    if one_of_watch and report.stopped:  # a source has changed again, so a new check follows
        return stop_exit_code()
    if json_path != "-":
        # Before files are written: an error while writing must not hide the report.
        is_part = any(options[name] not in (None, ()) for name in _SESSION_OPTIONS)
        _print(report, is_github=is_github, is_part=is_part, has_details=details)
    _write_files(report, json_path, html_path, gradescope)
    if is_classroom:
        from pitboss.reports.exports.github import classroom_output

        append_file(_step_output_path(), classroom_output(report, _grade(report)))
    return report_stop(report.stopped) if report.stopped else exit_code_for(report)


def _refuse_with_watch(one_result_options: dict[str, bool]) -> None:
    """Raise UsageError if an option that needs a single result is used; the values say which options are used."""
    option = next((name for name, is_used in one_result_options.items() if is_used), None)
    if option is not None:
        raise UsageError(f"--watch and {option} exclude each other: one checks again and again, the other reports once")


def _watch(request: CheckRequest) -> int:
    from pitboss.cli.resolving import folder_and_stages, resolve_assignment
    from pitboss.cli.watch import child_arguments, run_watch
    from pitboss.submissions.watching import watched_files_of

    assignment = resolve_assignment(request.name, request.words)
    folder, stages = folder_and_stages(assignment, request.words)
    arguments: tuple[str, ...] = click.get_current_context().find_root().obj
    return run_watch(watched_files_of(assignment, stages, folder), child_arguments(arguments))


#: The options with which only some of the sessions are run.
_SESSION_OPTIONS = ("cases", "seed", "answers", "player")


def _write_failure(error: HarnessError, gradescope: str | None, *, is_classroom: bool) -> None:
    """Write the reason why there is no report, in the forms that Gradescope and GitHub Classroom read."""
    fault = "" if isinstance(error, NoProgramError) else ", which is not your fault"
    sentence = f"This could not be checked{fault}: {error}"
    if gradescope is not None:
        from pitboss.reports.exports.autograder import failed_json

        write_file(gradescope, failed_json(sentence))
    if is_classroom:
        from pitboss.reports.exports.github import failed_output

        append_file(_step_output_path(), failed_output(sentence))


def _step_output_path() -> str:
    path = os.environ.get("GITHUB_OUTPUT")
    if not path:
        raise UsageError("--classroom: GITHUB_OUTPUT is not set; use this option in a step of GitHub Actions")
    return path


def _report(request: CheckRequest, *, is_fresh: bool, jobs: int | None) -> Report:
    """Returns the cached report if nothing has changed, else the report of a new run."""
    from pitboss.checking.causes import ReportCache, class_causes
    from pitboss.cli.resolving import folder_and_stages, resolve_assignment
    from pitboss.submissions.archives import is_archive
    from pitboss.submissions.course_files import with_course_folders
    from pitboss.submissions.submission import name_of

    cache = ReportCache("check", repr(request))
    if cache.refusal:
        print_sentence(cache.refusal)
    assignment = with_course_folders(resolve_assignment(request.name, request.words), request.given)
    folder, stages = folder_and_stages(assignment, request.words)
    # A source may use the files beside it.
    program = folder if folder.is_dir() or is_archive(folder) else folder.parent

    def current_key() -> str:
        if not cache.is_usable:
            return ""
        causes = class_causes(assignment, (), map(given_folder, request.given)).causes_of(program)
        return cache.key(causes, name_of(folder), str(assignment.folder))

    key = current_key()
    if not is_fresh and (report := cache.report(key)) is not None:
        print_sentence("unchanged since an earlier run, and not run again; --fresh runs it")
        return report
    report, is_repeatable = _run_check(request, jobs, assignment, folder, stages)
    if key and is_repeatable and current_key() == key:
        cache.save(key, report)
    return report


def _run_check(
    request: CheckRequest, jobs: int | None, assignment: Assignment, folder: Path, stages: tuple[Stage, ...]
) -> tuple[Report, bool]:
    """Check the submission of the request in `folder`; return the report, and whether sessions are repeatable.

    `jobs` is the number of cores to use, None for all. Raises UsageError if options of the request exclude each other.
    """
    # Importing these takes longer than finding a cached report.
    from pitboss.assignments.selection import public_stages, with_single_session
    from pitboss.checking.check import check as check_submission
    from pitboss.cli.real_time import report_real_time
    from pitboss.cli.resolving import with_local_commands
    from pitboss.sessions.job import Job

    with _show_progress():
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
        try:
            report = check_submission(job, folder, cores=jobs or 0)
        except NoProgramError as error:
            from pitboss.kits.starters import first_step

            error.add_note(first_step(assignment, stages, folder, assignment_name))
            raise
        return with_local_commands(report, job, folder), conditions.are_repeatable


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


def _print(report: Report, *, is_github: bool, is_part: bool, has_details: bool) -> None:
    """Print the report; with `is_github` also print annotations, and write a summary for GitHub Actions."""
    from pitboss.reports.report import report_with_next_step

    console, renderable = report_console(), report_with_next_step(report, is_part=is_part, has_details=has_details)
    if not is_github:
        console.print(renderable, crop=False)
        return
    import secrets

    from pitboss.reports.exports.github import commands_for, step_summary, without_commands

    with console.capture() as capture:
        console.print(renderable, crop=False)
    # GitHub Actions must not obey commands in a program's output, so a program must not be able to guess the token.
    click.echo(without_commands(capture.get(), secrets.token_hex(16)), nl=False)
    click.echo(commands_for(report), nl=False)
    if path := os.environ.get("GITHUB_STEP_SUMMARY"):
        append_file(path, step_summary(report))


def _write_files(report: Report, json_path: str | None, html_path: str | None, gradescope: str | None) -> None:
    """Write the requested files. If a file cannot be written, raise UsageError after writing the other files."""
    files: list[tuple[str, str]] = []
    if json_path:
        from pitboss.reports.report_json import check_json

        files.append((json_path, check_json(report)))
    if html_path:
        from pitboss.reports.pages import submission_values
        from pitboss.reports.templates import page, style

        files.append((html_path, page("submission.html.j2", submission_values(report, style()))))
    if gradescope:
        from pitboss.reports.exports.autograder import results_json

        files.append((gradescope, results_json(report, _grade(report))))
    errors = []
    for path, text in files:
        try:
            write_file(path, text)
        except UsageError as error:
            errors.append(error)
    if errors:
        raise errors[0]


def _grade(report: Report) -> Grade:
    """Returns the grade by the assignment's grading policy, as if the submission were not late."""
    from pitboss.cli.resolving import resolve_assignment
    from pitboss.gradebook.arithmetic import grade_of
    from pitboss.gradebook.grades import Circumstances

    return grade_of(report, resolve_assignment(report.called or report.assignment).grading, Circumstances(days_late=0))


def exit_code_for(report: Report) -> int:
    """Returns 0 if the verdict is ACCEPTED or NEEDS_REVIEW, 3 if it is JUDGE_ERROR, and 1 for any other verdict."""
    if report.verdict is Verdict.JUDGE_ERROR:
        return 3
    return 0 if report.verdict in (Verdict.ACCEPTED, Verdict.NEEDS_REVIEW) else 1
