"""Finds the first difference between two whole sessions: on the screen, then on standard error, then in files."""

from __future__ import annotations

import msgspec

from pitboss.compare.checkers import rejection_of
from pitboss.compare.comparison import Difference, Split, difference_between
from pitboss.compare.location import located_difference
from pitboss.compare.reading_texts import with_submission_texts
from pitboss.model.comparison_policy import Checker, Policy
from pitboss.model.relaxation import first_judged_line, judged_part, judging_from_first_line, judging_never_begins
from pitboss.model.transcript import Event, FileKind, Shown, Transcript, WrittenFile, canonical, lines_of

STANDARD_ERROR = "standard error"
#: Texts are truncated to this many bytes; messages quote less.
_MAX_QUOTED_BYTES = 16384


def first_difference(expected: Transcript, actual: Transcript, policy: Policy) -> Difference | None:
    """Returns the first difference between two sessions, or None.

    If the program ended as expected, standard error and files are compared too. A checker of the policy replaces the
    comparison; it is run only if the program ended as expected. Raises AssignmentError if the checker fails.
    """
    expected = expected.ending_like(actual)
    if policy.checker is not None:
        return (
            _difference_by_checker(expected, actual, policy.checker) if expected.ending.admits(actual.ending) else None
        )
    difference = difference_between(expected.events, actual.events, policy)
    if judging_never_begins(actual.events, policy) and not judging_never_begins(expected.events, policy):
        difference = difference or Difference((), judged_part(expected.events, policy), ())
        return msgspec.structs.replace(difference, judging_start_line=first_judged_line(expected.events, policy))
    if difference is not None or not expected.ending.admits(actual.ending):
        return difference
    return _difference_off_screen(expected, actual, policy)


def _difference_by_checker(expected: Transcript, actual: Transcript, checker: Checker) -> Difference | None:
    """Returns the checker's rejection as a difference at the start of the line that the checker names, or at the end.

    Returns None if the checker accepts the session.
    """
    rejection = rejection_of(expected, actual, checker)
    if rejection is None:
        return None
    lines = lines_of(actual.events)
    count = len(lines) if rejection.line is None else rejection.line - 1
    before, after = (canonical(event for line in part for event in line) for part in (lines[:count], lines[count:]))
    # The checker says what is wrong, so nothing of the expected session is quoted.
    split = Split(expected_before=before, before=before, expected=(), actual=after)
    return Difference((), expected.events, actual.events, split, rejected=rejection)


def _difference_off_screen(expected: Transcript, actual: Transcript, policy: Policy) -> Difference | None:
    """Returns the first difference on standard error or in files, or None."""
    policy = judging_from_first_line(policy)
    # Texts that a program may word freely (`compare: free`) are taken from the screen alone.
    if policy.free and policy.accepted_texts is None:
        _, policy = with_submission_texts(expected.events, actual.events, policy)
        policy = policy if policy.accepted_texts is not None else policy.with_accepted_texts({})
    difference = _difference_of_errors(expected, actual, policy)
    if difference is not None:
        return difference
    actual_files = {file.name: file for file in actual.written}
    for file in expected.written:
        difference = _difference_of_files(file, actual_files[file.name], policy) if file.name in actual_files else None
        if difference is not None:
            return difference
    return None


def _difference_of_errors(expected: Transcript, actual: Transcript, policy: Policy) -> Difference | None:
    """Returns the first difference between two outputs to standard error; None if they are equal or not compared."""
    if actual.errors is None:
        return None
    expected_errors = expected.errors or b""
    if expected.accepts_any_errors or (actual.accepts_any_errors and expected_errors.strip()):
        is_silent = not actual.errors.strip()
        return (
            Difference((), _events_of(expected_errors), (), place=STANDARD_ERROR, is_silent=True) if is_silent else None
        )
    return (
        None
        if expected.errors is None
        else _difference_of_texts(expected_errors, actual.errors, policy, STANDARD_ERROR)
    )


def _difference_of_files(expected: WrittenFile, actual: WrittenFile, policy: Policy) -> Difference | None:
    """Returns the first difference between two files of the same name; None if they are equal."""
    should_exist = expected.kind is FileKind.REGULAR
    if actual.kind is FileKind.REGULAR and should_exist:
        return _difference_of_texts(expected.content, actual.content, policy, expected.name)
    if expected.kind is actual.kind:
        return None
    return Difference(
        (),
        _events_of(expected.content),
        _events_of(actual.content),
        place=expected.name,
        found_kind=actual.kind if should_exist else FileKind.REGULAR,
    )


def _events_of(text: bytes) -> tuple[Event, ...]:
    return (Shown(text),) if text else ()


def _difference_of_texts(expected_text: bytes, actual_text: bytes, policy: Policy, place: str) -> Difference | None:
    expected, actual = _events_of(expected_text), _events_of(actual_text)
    difference = difference_between(expected, actual, policy)
    if difference is None:
        return None
    quoted = located_difference(difference, expected, actual, policy).quoted
    split = msgspec.structs.replace(quoted, expected=_quotable(quoted.expected), actual=_quotable(quoted.actual))
    return msgspec.structs.replace(difference, split=split, place=place)


def _quotable(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Returns the events; texts that are longer than any quotation are truncated."""
    return tuple(Shown(event.text[:_MAX_QUOTED_BYTES]) if isinstance(event, Shown) else event for event in events)
