"""Judges one session: compares the expected and the actual transcript under the case's policy."""

from __future__ import annotations

import msgspec

from pitboss.assignments.answers import rerun_of
from pitboss.assignments.cases import Session
from pitboss.compare.cause import cause_of
from pitboss.compare.comparison import Difference
from pitboss.compare.findings import Compared
from pitboss.compare.location import located_difference
from pitboss.compare.results import Result
from pitboss.compare.side_outputs import first_difference
from pitboss.compare.submission_texts import ObservedSession, remark_on
from pitboss.compare.verdicts import FAILED, Verdict, verdict_of
from pitboss.errors import HarnessError
from pitboss.model.comparison_policy import Policy
from pitboss.model.line_rules import LineRuleViolation, has_line_rules, line_rule_violation
from pitboss.model.relaxation import count_unjudged_lines
from pitboss.model.transcript import Ending, EndingKind, Event, Shown, Transcript, last_line
from pitboss.sandbox.limits import Limits

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
    not_judged = count_unjudged_lines(actual.events, policy)
    verdict = verdict_of(difference, expected, actual)
    if actual == expected:
        actual = expected  # one value instead of two equal ones, also when sent between processes
    needs_no_finding = verdict is Verdict.ACCEPTED and not actual.remarks
    result = Result(
        stage=session.stage.name,
        case=session.case.name,
        verdict=verdict,
        expected=expected,
        actual=actual,
        difference=difference,
        finding=None if needs_no_finding else _finding(session, difference, expected, actual, policy),
        hint=session.case.hint if verdict in FAILED else "",
        started=session.case.invocation.started if verdict in FAILED else None,
        points=session.case.points,
        visibility=session.case.visibility,
        seed=session.seed,
        number=session.number,
        rerun=None if verdict is Verdict.ACCEPTED else rerun_of(session, expected.events, assignment),
        place=session.case.place,
        not_judged=not_judged,
    )
    # A session with free texts is judged again once all texts of the submission are known.
    return result if policy.free and policy.accepted_texts is None else trimmed(result)


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
    if not has_line_rules(policy):
        return None
    expected = last_line(quoted.expected_before) + _first_line(quoted.expected[:1])
    actual = last_line(quoted.before) + _first_line(quoted.actual[:1])
    return line_rule_violation(expected, actual, policy) if expected and actual else None


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
    """Returns the events without the text of their last, unfinished line."""
    size = len(last_line(events))
    while size and events:
        last = events[-1]
        if not isinstance(last, Shown):
            return events  # a pause inside a line: left unchanged
        text_before = last.text[: max(0, len(last.text) - size)]
        size -= len(last.text) - len(text_before)
        events = (*events[:-1], Shown(text_before)) if text_before else events[:-1]
    return events


def trimmed(result: Result) -> Result:
    """Returns the result with large written files truncated; a truncated result cannot be judged again."""
    actual = result.actual
    if actual == result.expected or not any(len(file.content) > _MAX_FILE_BYTES for file in actual.written):
        return result
    written = tuple(msgspec.structs.replace(file, content=file.content[:_MAX_FILE_BYTES]) for file in actual.written)
    return msgspec.structs.replace(result, actual=msgspec.structs.replace(actual, written=written))
