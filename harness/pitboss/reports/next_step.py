"""The headline of a report, and what the student should do next."""

from __future__ import annotations

import msgspec

from pitboss.compare.results import Report, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.reports.shell_commands import command, option, rerun_command

#: Verdicts after which a student has nothing left to do in a stage.
_FINAL = {Verdict.ACCEPTED, Verdict.NEEDS_REVIEW, Verdict.NOT_OFFERED}
_MISSING = {Verdict.NOT_HANDED_IN, Verdict.EMPTY}


class NextStep(msgspec.Struct, frozen=True):
    """A step that a student should take next."""

    #: The step as a phrase or a sentence.
    words: str
    #: The shell command that does the step; empty if no command does.
    command: str = ""


def headline_of(report: Report) -> str:
    """Returns the headline: the verdict of the first failed stage, or that all stages are accepted.

    Empty if no stage was judged, or if the check was stopped. Also empty if no stage failed, but not all are accepted,
    such as after a stage was skipped.
    """
    judged = [stage for stage in report.stages if not stage.is_manual and stage.verdict is not Verdict.NOT_OFFERED]
    if report.stopped or not judged:
        return ""
    if first_failed := _first_failed(report):
        return f"{first_failed.stage}: {first_failed.verdict.words}" if len(judged) > 1 else first_failed.verdict.words
    if any(stage.verdict is not Verdict.ACCEPTED for stage in judged):
        return ""
    return f"all {len(judged)} stages accepted" if len(judged) > 1 else "accepted"


def next_step_of(report: Report, *, is_part: bool = False) -> NextStep | None:
    """Returns what the student should do next; None if that is unknown, as after a JUDGE_ERROR.

    `is_part` says that only some sessions of the stages were requested.
    """
    if report.stopped or report.verdict is Verdict.JUDGE_ERROR:
        return None
    assignment_option = option("--assignment", report.called or report.assignment)
    stage = _first_failed(report)
    if stage is not None:
        return _step_for_stage(stage, report, assignment_option)
    if not any(stage.verdict is Verdict.ACCEPTED for stage in report.stages):
        return None
    if is_part:
        names = " ".join(stage.stage for stage in report.stages)
        return NextStep("check the other sessions too", command("check", report.folder, names, assignment_option))
    if report.unrequested:
        other_stages = ", ".join(report.unrequested)
        if report.is_one_file:  # a single file is checked as the program of one stage
            next_command = command("check", report.folder, report.unrequested[0], assignment_option)
            return NextStep(f"check it for the other stages too, one at a time ({other_stages})", next_command)
        return NextStep(
            f"check the other stages too ({other_stages})", command("check", report.folder, assignment_option)
        )
    return NextStep("everything checked here is accepted: hand it in as your course describes.")


def _first_failed(report: Report) -> StageReport | None:
    """Returns the first automatically judged stage with a failure; None if there is no such stage.

    A skipped stage waits for another stage, so it is not a failed stage.
    """
    no_failure = _FINAL | {Verdict.SKIPPED}
    return next((stage for stage in report.stages if not stage.is_manual and stage.verdict not in no_failure), None)


def _step_for_stage(stage: StageReport, report: Report, assignment_option: str) -> NextStep | None:
    """Returns what to do about the first failed stage; None if that is unknown."""
    check_again = command("check", report.folder, stage.stage, assignment_option)
    if stage.verdict in _MISSING:
        reason = stage.reason.rstrip(".")
        return NextStep(f"write {stage.stage}; {reason}." if reason else f"write {stage.stage}.")
    if stage.verdict is Verdict.COMPILE_ERROR:
        return NextStep("correct the first error above, save, and check again", check_again)
    # The failed sessions that can be run again.
    failed = [failure for failure in stage.failures if failure.verdict is not Verdict.SKIPPED and failure.rerun]
    if failed and failed[0].verdict is not Verdict.WRONG_ANSWER:
        return NextStep("fix this first, save, and check again", check_again)
    rerun = failed[0].rerun if failed else None
    if rerun is None or rerun.named_course_folder:
        return None
    explain_command = rerun_command(rerun, verb="explain")
    target = (
        "an example of what is expected" if failed[0].rerun_draws_differ or stage.rules else "what is expected there"
    )
    return NextStep(f"see {target}, step by step", explain_command)
