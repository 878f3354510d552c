"""The values that judging returns: a verdict and a result for each session, a report for each stage and submission.

The progress events of checking a submission are values too: see machine/progress.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from enum import Enum

import msgspec

from pitboss.assignments.answers import Rerun
from pitboss.assignments.cases import session_name
from pitboss.compare.comparison import Difference
from pitboss.compare.findings import Finding, OddDraws
from pitboss.compare.submission_texts import AcceptedDifference
from pitboss.machine.progress import WorkProgress
from pitboss.model.construct_rules import UnmetRequirement
from pitboss.model.crashes import crash_in
from pitboss.model.invocation import Started
from pitboss.model.transcript import EndingKind, Event, InputEnded, Transcript


class Verdict(Enum):
    """The verdict on a session, a stage or a submission, in Kattis' words."""

    ACCEPTED = "ACCEPTED"
    WRONG_ANSWER = "WRONG_ANSWER"
    RUN_TIME_ERROR = "RUN_TIME_ERROR"
    TIME_LIMIT_EXCEEDED = "TIME_LIMIT_EXCEEDED"
    OUTPUT_LIMIT_EXCEEDED = "OUTPUT_LIMIT_EXCEEDED"
    COMPILE_ERROR = "COMPILE_ERROR"
    #: Not run: a stage that this stage depends on is not accepted, or earlier sessions did not end.
    SKIPPED = "SKIPPED"
    #: The stage tests a feature that the program lacks, and the program is right otherwise; or the submission declares
    #: its features, and the tested feature is not among them.
    NOT_OFFERED = "NOT_OFFERED"
    #: The submission has files, but no program for this stage.
    NOT_HANDED_IN = "NOT_HANDED_IN"
    #: The submission has no files.
    EMPTY = "EMPTY"
    #: The stage is graded by hand: what its program shows is not judged.
    NEEDS_REVIEW = "NEEDS_REVIEW"
    #: Our fault: costs no points and is always reported.
    JUDGE_ERROR = "JUDGE_ERROR"

    @property
    def words(self) -> str:
        """The verdict as words in a sentence.

        >>> Verdict.TIME_LIMIT_EXCEEDED.words
        'time limit exceeded'
        """
        return self.value.replace("_", " ").lower()


#: The verdicts on sessions that failed because of the program.
FAILED = frozenset(
    {
        Verdict.WRONG_ANSWER,
        Verdict.RUN_TIME_ERROR,
        Verdict.TIME_LIMIT_EXCEEDED,
        Verdict.OUTPUT_LIMIT_EXCEEDED,
    }
)

_VERDICT_OF_ENDING = {
    EndingKind.SIGNALLED: Verdict.RUN_TIME_ERROR,
    EndingKind.OVER_MEMORY: Verdict.RUN_TIME_ERROR,
    EndingKind.OVER_PROCESSES: Verdict.RUN_TIME_ERROR,
    EndingKind.OVER_STARTS: Verdict.RUN_TIME_ERROR,
    EndingKind.NOT_STARTED: Verdict.RUN_TIME_ERROR,
    EndingKind.LEFT_PROCESSES: Verdict.RUN_TIME_ERROR,
    EndingKind.OUT_OF_CPU_TIME: Verdict.TIME_LIMIT_EXCEEDED,
    EndingKind.OUT_OF_IDLE_TIME: Verdict.TIME_LIMIT_EXCEEDED,
    EndingKind.OUT_OF_REAL_TIME: Verdict.TIME_LIMIT_EXCEEDED,
    EndingKind.IGNORED_END_OF_INPUT: Verdict.TIME_LIMIT_EXCEEDED,
    EndingKind.OUT_OF_LINES: Verdict.WRONG_ANSWER,
    EndingKind.OVER_FOLDER: Verdict.OUTPUT_LIMIT_EXCEEDED,
    EndingKind.OVER_OUTPUT: Verdict.OUTPUT_LIMIT_EXCEEDED,
    EndingKind.FAULT: Verdict.JUDGE_ERROR,
}


def read_past_end(expected: tuple[Event, ...], actual: tuple[Event, ...]) -> bool:
    """Whether the program read an end of input that the expected session does not have."""
    return actual.count(InputEnded()) > expected.count(InputEnded())


def has_uncaught_error(expected: Transcript, actual: Transcript) -> bool:
    """Whether an uncaught error ended the program, although none ends the expected session."""
    if actual.ending.kind is not EndingKind.EXITED or not actual.ending.exit_code:
        return False
    crash, expected_crash = crash_in(actual.error_output), crash_in(expected.error_output)
    return crash is not None and crash.is_uncaught and expected_crash is None


def verdict_of(difference: Difference | None, expected: Transcript, actual: Transcript) -> Verdict:
    """Returns the verdict on a session, from its first difference and its ending.

    A wrong ending outweighs a difference, as on Kattis; an uncaught error is one, whatever exit code is expected. The
    exception is a program that read past the end of input: the program is not blamed for anything it did afterwards, so
    a difference makes the verdict WRONG_ANSWER.
    """
    actual_ending = actual.ending
    if actual_ending.kind is EndingKind.FAULT:
        return Verdict.JUDGE_ERROR
    if difference is not None and read_past_end(expected.events, actual.events):
        return Verdict.WRONG_ANSWER
    if actual_ending.kind is not EndingKind.EXITED:
        return _VERDICT_OF_ENDING[actual_ending.kind]
    is_as_expected = expected.ending.admits(actual_ending)
    if (actual_ending.exit_code and not is_as_expected) or has_uncaught_error(expected, actual):
        return Verdict.RUN_TIME_ERROR
    if difference is not None or not is_as_expected or actual.bytes_dropped:
        return Verdict.WRONG_ANSWER
    return Verdict.ACCEPTED


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


class StageWork(Enum):
    """A kind of work on a stage."""

    COMPILING = "compiling"
    RUNNING = "sessions"
    NAMING = "naming the mistake"
    CHECKING_MEMORY = "looking for misuse of memory"
    SHRINKING = "looking for a smaller failure"


class Begun(msgspec.Struct, frozen=True):
    """Work on a stage has begun."""

    work: StageWork
    stage: str
    #: Whether the number of sessions is unknown: sessions are run in batches until they show enough.
    is_open: bool = False


class Replayed(msgspec.Struct, frozen=True):
    """How often a slow reference was started to replay sessions with their draws."""

    count: int


class Tally:
    """Sums the progress of several batches of sessions."""

    def __init__(self) -> None:
        self._previous_batches = self._last_count = self._last_total = 0

    def add(self, batch: WorkProgress) -> WorkProgress:
        if batch.count <= self._last_count:  # a new batch
            self._previous_batches += self._last_total
        self._last_count, self._last_total = batch.count, batch.of
        return WorkProgress(self._previous_batches + batch.count, self._previous_batches + batch.of)


class Failed(msgspec.Struct, frozen=True):
    """A session has definitely failed: nothing found later changes that."""

    result: Result
    #: Whether the transcripts are left out: a session that floods the terminal is too long for a progress event.
    is_cut: bool = False

    def shortened(self) -> Failed:
        """Return the event without its transcripts, except for an end of input in them: see machine/progress.py."""
        expected, actual = (
            msgspec.structs.replace(
                transcript, events=(InputEnded(),) if InputEnded() in transcript.events else (), written=(), errors=None
            )
            for transcript in (self.result.expected, self.result.actual)
        )
        return Failed(msgspec.structs.replace(self.result, expected=expected, actual=actual, difference=None), True)


class Judged(msgspec.Struct, frozen=True):
    """All sessions of a stage are judged; names of mistakes and remarks may follow."""

    report: StageReport
