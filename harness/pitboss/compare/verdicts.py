"""The verdict on one session, from its difference and its ending."""

from __future__ import annotations

from enum import Enum

from pitboss.compare.comparison import Difference
from pitboss.model.crashes import crash_in
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
    return _ends_of_input(actual) > _ends_of_input(expected)


def _ends_of_input(events: tuple[Event, ...]) -> int:
    return sum(isinstance(event, InputEnded) for event in events)


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
