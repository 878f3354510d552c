"""The values that judging returns: a result for each session, and a report for each stage and submission."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal

import msgspec

from pitboss.assignments.answers import Rerun
from pitboss.assignments.cases import session_name
from pitboss.compare.comparison import Difference
from pitboss.compare.findings import Finding, OddDraws
from pitboss.compare.submission_texts import AcceptedDifference
from pitboss.compare.verdicts import FAILED, Verdict
from pitboss.model.construct_rules import UnmetRequirement
from pitboss.model.invocation import Started
from pitboss.model.transcript import EndingKind, Transcript


class Result(msgspec.Struct, frozen=True):
    """One judged session."""

    stage: str
    #: The name of the case; if the case has several sessions, `seed` or else `number` (from 1) identifies this session.
    case: str
    verdict: Verdict
    expected: Transcript
    actual: Transcript
    difference: Difference | None = None
    #: What was found in this session, besides `difference`; None if nothing is to be reported, or if not stored.
    finding: Finding | None = None
    #: The instructor's hint for students who fail the case; empty if the session is accepted, or the case has no hint.
    hint: str = ""
    #: How the program was started; None if the session did not fail, or had neither arguments nor earlier runs.
    started: Started | None = None
    points: Decimal = Decimal(1)
    #: Who may see the case: “public”, “hidden” or “after due”.
    visibility: str = "public"
    seed: int | None = None
    number: int = 0
    #: How to run this session again; None if that is impossible.
    rerun: Rerun | None = None
    #: Whether the program makes other draws in `rerun`, which only types the same lines.
    rerun_draws_differ: bool = msgspec.field(default=False, name="draws_anew")
    #: Whether the expected text at the difference depends on draws that were never shown.
    has_unknown_text: bool = msgspec.field(default=False, name="is_open")
    #: Where the case is defined, as file:line.
    place: str = ""
    #: The number of lines on the program's screen that are not judged.
    not_judged: int = 0

    @property
    def session(self) -> str:
        """The session's name, which is unique within the stage."""
        return session_name(self.case, self.seed, self.number)

    @property
    def fault(self) -> str:
        """A sentence on the fault on our side that kept the session from running; empty without such a fault."""
        ending = self.actual.ending
        is_fault = ending.kind is EndingKind.FAULT
        return f"This session could not be run, which is not the program's fault: {ending.detail}" if is_fault else ""

    @property
    def is_accepted(self) -> bool:
        return self.verdict is Verdict.ACCEPTED


class Diagnosis(msgspec.Struct, frozen=True):
    """A known mistake that explains failed sessions."""

    id: str
    title: str
    #: A sentence for the student.
    hint: str
    #: A sentence for the instructor.
    note: str
    #: How many of the failed sessions the mistake explains.
    explains: int
    #: How many sessions failed.
    of: int
    #: How many further sessions confirmed the mistake: the program failed in each exactly as the mistake predicts.
    tested: int = 0
    #: The names of the failed sessions that the mistake does not explain.
    beyond: tuple[str, ...] = ()


class StageReport(msgspec.Struct, frozen=True):
    """The report on one stage of a submission."""

    stage: str
    title: str
    verdict: Verdict
    results: tuple[Result, ...] = ()
    #: How many sessions the stage has, run or not.
    total: int = 0
    #: Whether the submission has anything for this stage.
    is_begun: bool = True
    #: Why there are no results, as a clause that continues the verdict; empty if `summary` says why.
    reason: str = ""
    #: Why there are no results, or why the stage has a different verdict than its results.
    summary: str = ""
    #: What is not random about the draws of all sessions, for which the stage is rejected; None if nothing is.
    draws: OddDraws | None = None
    #: The command that built the program.
    build_command: str = ""
    #: The compiler's messages.
    build_messages: str = ""
    #: The meaning of the compiler's first message, in plain words; empty without a message, or without a known meaning.
    build_explanation: str = ""
    #: The compiler or interpreter of the program and its version, such as gcc 12.2.0; empty if unknown.
    tool: str = ""
    #: The files of the submission and of the course that the program was built with; empty if the course provides none.
    made_with: str = ""
    #: The folder of the course's files, if the command line named a folder; else empty.
    given: str = ""
    #: Where the program crashed, as a sentence with the student's line; empty without a crash or a known line.
    crash: str = ""
    #: The name of the session that crashed; empty without `crash`.
    crash_case: str = ""
    #: A remark on the student's own line that misuses memory, although the sessions passed. Based on public cases only;
    #: empty if no line misuses memory, or memory was not checked.
    memory: str = ""
    #: The tolerated variation by which the stage was judged, in words: see `outcome.Outcome.judged_as`.
    judged_as: str = ""
    #: How often each rule of the stage occurred in accepted sessions, if that is counted.
    rules: tuple[tuple[str, int], ...] = ()
    #: Sentences on known mistakes that the sessions of an accepted program could not have revealed.
    unshown: tuple[str, ...] = ()
    #: Texts that were accepted instead of the reference's texts.
    accepted_differences: tuple[AcceptedDifference, ...] = ()
    #: The rules on constructs that the program's sources break, or that could not be checked.
    broken: tuple[UnmetRequirement, ...] = ()
    #: Known mistakes that explain failed sessions, the best explanation first.
    diagnosis: tuple[Diagnosis, ...] = ()
    #: Faults on our side outside the stage's sessions, in sentences.
    faults: tuple[str, ...] = ()
    #: Whether the stage is graded manually: the verdict on the submission does not depend on this stage.
    is_manual: bool = False
    #: For manual grading: the comment at the top of the program; empty without a comment.
    comment: str = ""
    #: How many sessions of hidden cases were accepted, and how many such sessions there are; None if all are shown.
    hidden: tuple[int, int] | None = None
    #: Whether judging was stopped early: `results` has only some failed sessions, and all other results are unknown.
    is_partial: bool = False
    #: Whether the build was stopped at a limit, which a faster or less busy machine may not reach.
    build_was_stopped: bool = False

    @property
    def passed(self) -> int:
        """How many sessions were accepted."""
        return sum(result.verdict is Verdict.ACCEPTED for result in self.results)

    @property
    def failures(self) -> list[Result]:
        """The failed sessions in the order in which to show them; sessions not judged or not run come last.

        The session of the reported crash comes first, then sessions that the diagnosed mistakes explain, then the
        others. In each group, sessions with the fewest typed lines come first, then those with the earliest difference.
        """
        unexplained = {name for diagnosis in self.diagnosis for name in diagnosis.beyond}

        def sort_key(result: Result) -> tuple[bool, bool, bool, int, float]:
            line = result.difference.line if result.difference is not None else math.inf
            is_not_judged, shows_no_crash = result.verdict not in FAILED, result.session != self.crash_case
            return is_not_judged, shows_no_crash, result.session in unexplained, len(result.actual.lines), line

        not_failed = (Verdict.ACCEPTED, Verdict.NEEDS_REVIEW)
        return sorted((result for result in self.results if result.verdict not in not_failed), key=sort_key)


class Report(msgspec.Struct, frozen=True):
    """The report on a whole submission."""

    assignment: str
    title: str
    submission: str
    stages: tuple[StageReport, ...]
    #: Faults on our side, in sentences.
    faults: tuple[str, ...] = ()
    #: How sessions were run and confined, in sentences.
    conditions: tuple[str, ...] = ()
    #: Where in the submission its programs were found, in sentences; empty if they are at the top of its folder.
    notes: tuple[str, ...] = ()
    #: The folder of the submission as an argument on a command line; empty for the working folder.
    folder: str = ""
    #: Whether `folder` is the source file of one program instead of a folder.
    is_one_file: bool = False
    #: How the command line names the assignment; empty for its plain name.
    called: str = ""
    #: Whether some cases of the assignment are not public, so that students may not see the whole report.
    has_hidden: bool = False
    #: Where the check was stopped, and what is therefore missing, in sentences; empty if it was completed.
    stopped: str = ""
    #: The stages of the assignment that were not requested, and are therefore not judged.
    unrequested: tuple[str, ...] = msgspec.field(default=(), name="unasked")
    #: Whether this machine cannot fix every source of randomness, so that the next run may draw other values.
    draws_vary: bool = False
    #: Whether the references are available; in a bundle for students they are not, so `hunt` cannot run.
    has_reference: bool = True

    @property
    def verdict(self) -> Verdict:
        """The first verdict that is not ACCEPTED; JUDGE_ERROR takes precedence over all others.

        Manually graded stages do not count; NEEDS_REVIEW if all stages are graded manually.
        """
        judged = [stage.verdict for stage in self.stages if not stage.is_manual]
        return overall_verdict(judged) if judged or not self.stages else Verdict.NEEDS_REVIEW


def overall_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Returns JUDGE_ERROR if any verdict is JUDGE_ERROR, else the first verdict that is not ACCEPTED, else ACCEPTED.

    NOT_OFFERED is returned only if every other verdict is ACCEPTED.
    """
    failed = [verdict for verdict in verdicts if verdict is not Verdict.ACCEPTED]
    if Verdict.JUDGE_ERROR in failed:
        return Verdict.JUDGE_ERROR
    wrong = [verdict for verdict in failed if verdict is not Verdict.NOT_OFFERED]
    return next(iter((*wrong, *failed)), Verdict.ACCEPTED)
