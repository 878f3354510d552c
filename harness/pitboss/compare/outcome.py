"""The interface of the two implementations that judge a stage, and the code that they share.

Stages that draw nothing, or draw from a seed, are judged by seeded.py; stages whose draws are read back are judged by
unseeded.py. Callers need not know which one they use.

One session is judged by comparing the expected and the actual transcript under the case's policy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from pitboss.assignments.answers import rerun_of
from pitboss.assignments.assignment import Stage
from pitboss.assignments.cases import Session
from pitboss.compare.cause import cause_of
from pitboss.compare.comparison import Difference, first_difference, located_difference
from pitboss.compare.findings import Compared, NotRun, OddDraws
from pitboss.compare.results import FAILED, Result, StageReport, Verdict, overall_verdict, verdict_of
from pitboss.compare.submission_texts import AcceptedDifference, ObservedSession, remark_on
from pitboss.errors import HarnessError
from pitboss.machine.pool import Pool
from pitboss.model.comparison_policy import Policy
from pitboss.model.equality import equality
from pitboss.model.invocation import PLAIN, Invocation
from pitboss.model.line_rules import LineRuleViolation, line_rule_violation
from pitboss.model.transcript import Ending, EndingKind, Event, Shown, Transcript, canonical, last_line
from pitboss.sandbox.limits import Limits
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program

#: A wrong file is truncated to this size in the result.
_MAX_FILE_BYTES = 65536
#: Replaces expected lines that are unknown. No program shows these lines, so they match no line, and the report does
#: not call a whole line missing, extra or moved.
_UNKNOWN_LINES = "…\n…\n".encode()


def judged_result(
    session: Session, expected: Transcript, actual: Transcript, assignment: str, policy: Policy | None = None
) -> Result:
    """Returns the result of one session under the policy of its case, or under `policy` if that is passed.

    Pass `policy` once the submission's free texts are known: it is the case's policy with these texts. `assignment` is
    how command lines name the assignment.
    """
    policy, expected = policy or session.case.policy, expected.ending_like(actual)
    try:
        difference = first_difference(expected, actual, policy)
    except HarnessError as error:  # raised by the assignment's checker
        difference, actual = None, Transcript((), Ending(EndingKind.FAULT, detail=str(error)))
    if difference is not None and not difference.place and difference.rejected is None:
        difference = located_difference(difference, expected.events, actual.events, policy)
    not_judged = equality(policy).count_unjudged_lines(actual.events)
    verdict = verdict_of(difference, expected, actual)
    if actual == expected:
        actual = expected  # one value instead of two equal ones, also when sent between processes
    needs_no_finding = verdict is Verdict.ACCEPTED and not actual.remarks
    result = result_of(
        session,
        verdict,
        expected,
        actual,
        difference=difference,
        finding=None if needs_no_finding else _finding(session, difference, expected, actual, policy),
        hint=session.case.hint if verdict in FAILED else "",
        started=session.case.invocation.started if verdict in FAILED else None,
        rerun=None if verdict is Verdict.ACCEPTED else rerun_of(session, expected.events, assignment),
        not_judged=not_judged,
    )
    # A session with free texts is judged again once all texts of the submission are known.
    return result if policy.free and policy.accepted_texts is None else trimmed(result)


def result_of(session: Session, verdict: Verdict, expected: Transcript, actual: Transcript, **fields: Any) -> Result:
    """Returns a result with these fields; the fields that describe the session are those of its case."""
    case = session.case
    return Result(
        session.stage.name,
        case.name,
        verdict,
        expected,
        actual,
        seed=session.seed,
        number=session.number,
        visibility=case.visibility,
        place=case.place,
        **{"points": case.points, **fields},
    )


def _finding(
    session: Session, difference: Difference | None, expected: Transcript, actual: Transcript, policy: Policy
) -> Compared:
    if difference is None or difference.rejected is not None:
        return Compared(session.stage.limits)
    cause = cause_of(difference, expected, actual, policy)
    remark = (
        None if difference.place else remark_on(difference, ObservedSession(policy, expected.events, actual.events))
    )
    return Compared(session.stage.limits, remark, _broken_rule(difference, policy), cause=cause)


def _broken_rule(difference: Difference, policy: Policy) -> LineRuleViolation | None:
    """Returns the rule that the first differing line breaks; None if the policy has no rule for that line."""
    quoted = difference.quoted
    if not policy.has_line_rules:
        return None
    expected = last_line(quoted.expected_before) + _first_line(quoted.expected[:1])
    actual = last_line(quoted.before) + _first_line(quoted.actual[:1])
    if not expected or not actual:
        return None
    return line_rule_violation(expected.decode("latin-1"), actual.decode("latin-1"), equality(policy))


def _first_line(events: tuple[Event, ...]) -> bytes:
    """Returns the text of the events up to its first newline."""
    return b"".join(event.text for event in events if isinstance(event, Shown)).partition(b"\n")[0]


def with_partly_unknown_line(result: Result, line: bytes, limits: Limits) -> Result:
    """Returns the result with `line` as the expected line; unchanged if the difference is not on the screen.

    In `line`, … replaces the parts that depend on draws that were never shown.
    """
    difference = result.difference
    if difference is None or difference.place or difference.judging_start_line is not None:
        return result
    quoted = difference.quoted
    before = _without_last_line(quoted.expected_before)
    split = msgspec.structs.replace(quoted, expected_before=before, expected=(Shown(line + b"\n"),))
    difference = msgspec.structs.replace(difference, expected=(Shown(_UNKNOWN_LINES),), split=split)
    return msgspec.structs.replace(result, difference=difference, finding=Compared(limits), has_unknown_text=True)


def _without_last_line(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Returns the events without the text of their last, unfinished line, or without its part after a pause."""
    if not events or not isinstance(events[-1], Shown):
        return events
    start = events[-1].text.rfind(b"\n") + 1
    return canonical((*events[:-1], Shown(events[-1].text[:start])))


def trimmed(result: Result) -> Result:
    """Returns the result with large written files truncated; a truncated result cannot be judged again."""
    actual = result.actual
    if actual == result.expected or not any(len(file.content) > _MAX_FILE_BYTES for file in actual.written):
        return result
    written = tuple(msgspec.structs.replace(file, content=file.content[:_MAX_FILE_BYTES]) for file in actual.written)
    return msgspec.structs.replace(result, actual=msgspec.structs.replace(actual, written=written))


class JudgedSession(msgspec.Struct, frozen=True):
    """A judged session, reduced to what a known mistake has to reproduce."""

    actual: Transcript
    policy: Policy
    is_accepted: bool
    #: The draws, if they are read back, with None for each draw that was never shown.
    draws: tuple[str | None, ...] | None = None
    #: The expected events, used to detect habits.
    expected: tuple[Event, ...] | None = None
    #: The session's input apart from its terminal: arguments, files and so on.
    invocation: Invocation = PLAIN
    #: Whether the session differs from the expected session in a file or on standard error, but not on the screen.
    differs_off_screen: bool = False
    #: The session is evidence of a mistake only up to the read with this number, from 1; None if to its end.
    last_relevant_read: int | None = None
    #: Whether the typed lines respond to what the program itself showed, not to what the correct program shows.
    is_live_input: bool = False
    #: The seed of the session's environment.
    environment_seed: int = 0
    #: The session's name within the stage; empty if the stage does not define this session.
    session: str = ""


class Outcome(msgspec.Struct, frozen=True):
    """The results of all sessions of a stage, and the findings from all these sessions together."""

    #: A result for each session, in the same order.
    results: tuple[Result, ...]
    #: The accepted and the wrong sessions: only these show how the program behaves.
    judged_sessions: tuple[JudgedSession, ...] = ()
    #: Sentences for the student on problems that no single session shows; any sentence rejects the stage.
    findings: tuple[str, ...] = ()
    #: What is not random about the draws of all sessions, which rejects the stage; None if nothing is.
    draws: OddDraws | None = None
    #: The tolerated variation by which the sessions were judged, in words: another reference, other options, or a
    #: feature whose results are ignored. Empty if the sessions were judged by the stage's own reference and options.
    judged_as: str = ""
    #: How often each rule of the stage occurred in accepted sessions, if that is counted.
    rules: tuple[tuple[str, int], ...] = ()
    #: The stage with the options by which the sessions were judged; None if the stage has no options.
    stage: Stage | None = None
    #: The name of the tolerated reference by which the sessions were judged; empty for the stage's own reference.
    tolerated: str = ""
    #: A sentence if the program lacks the feature that the stage is about, and is otherwise correct; else empty.
    not_offered: str = ""
    #: Sentences on known mistakes that the sessions of an accepted program could not have revealed.
    unshown: tuple[str, ...] = ()
    #: Faults on our side other than faults of sessions, in sentences.
    faults: tuple[str, ...] = ()
    #: Texts that were accepted instead of the reference's texts.
    accepted_differences: tuple[AcceptedDifference, ...] = ()
    #: The indexes of results that are ignored, since they use a feature that the stage is not about.
    ignored_results: frozenset[int] = frozenset()
    #: Whether more sessions should show if it is a coincidence that such a feature came up in each wrong session.
    needs_more: bool = False

    @property
    def counted_results(self) -> tuple[Result, ...]:
        return tuple(result for index, result in enumerate(self.results) if index not in self.ignored_results)

    def judged_without(self, words: str, **fields: Any) -> Outcome:
        """Return the outcome with these fields; `words` say in `judged_as` what was left out."""
        judged_as = ", ".join(filter(None, (self.judged_as, words)))
        return msgspec.structs.replace(self, judged_as=judged_as, **fields)

    @property
    def verdict(self) -> Verdict:
        if self.not_offered:
            return Verdict.NOT_OFFERED
        verdict = overall_verdict(result.verdict for result in self.counted_results)
        return Verdict.WRONG_ANSWER if (self.findings or self.draws) and verdict is Verdict.ACCEPTED else verdict

    def report(self, stage: Stage) -> StageReport:
        return StageReport(
            stage.name,
            stage.title,
            self.verdict,
            self.counted_results,
            len(self.counted_results),
            summary=self.not_offered or " ".join(self.findings),
            draws=None if self.not_offered else self.draws,
            judged_as=self.judged_as,
            rules=self.rules,
            unshown=self.unshown,
            faults=self.faults,
            accepted_differences=self.accepted_differences,
        )


#: A function that runs sessions of a stage with a program on the workers of a pool, and judges them. An error on our
#: side or in the assignment's code is reported as a fault of the session in which it happened.
StageJudge = Callable[[Job, Stage, Program, Sequence[Session], Pool], Outcome]


def judged_session_of(
    session: Session,
    result: Result,
    *,
    actual: Transcript | None = None,
    draws: tuple[str | None, ...] | None = None,
    policy: Policy | None = None,
) -> JudgedSession | None:
    """Returns a session as a JudgedSession; None unless the session is accepted or wrong.

    Pass `policy` if the session was not judged by the policy of its case. If `actual` is passed, it replaces
    `result.actual`.
    """
    if result.verdict not in (Verdict.ACCEPTED, Verdict.WRONG_ANSWER):
        return None
    is_accepted = result.verdict is Verdict.ACCEPTED
    case, events = session.case, result.expected.events
    actual = actual or result.actual
    # An exit code or a message that may vary in a submission may also vary in a wrong program.
    if result.expected.ending.is_any_failure:
        actual = msgspec.structs.replace(actual, ending=actual.ending.with_code("nonzero") or actual.ending)
    if result.expected.accepts_any_errors:
        actual = msgspec.structs.replace(actual, accepts_any_errors=True)
    differs_off_screen = result.difference is not None and bool(result.difference.place)
    return JudgedSession(
        actual,
        policy or case.policy,
        is_accepted,
        draws,
        events,
        case.invocation,
        differs_off_screen,
        environment_seed=session.environment_seed,
        session=session.name,
    )


def observed_session(session: Session, result: Result) -> ObservedSession | None:
    """Returns the session as `submission_texts` needs it; None unless the session is accepted or wrong."""
    if result.verdict not in (Verdict.ACCEPTED, Verdict.WRONG_ANSWER):
        return None
    return ObservedSession(session.case.policy, result.expected.events, result.actual.events)


def fault_result(session: Session, detail: str, job: Job) -> Result:
    """Returns the result of a session that could not be run because of a fault on our side."""
    actual = Transcript((), Ending(EndingKind.FAULT, detail=detail))
    return judged_result(session, Transcript(()), actual, job.called)


def skipped_result(session: Session) -> Result:
    """Returns the result of a session that was not run because the program used up a limit in earlier sessions."""
    return result_of(session, Verdict.SKIPPED, Transcript(()), Transcript(()), finding=NotRun())
