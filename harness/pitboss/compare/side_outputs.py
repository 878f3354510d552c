"""The first difference between two whole sessions: on the screen, then on standard error, then in their files."""

from __future__ import annotations

import msgspec

from pitboss.compare.checkers import rejection_of
from pitboss.compare.comparison import Difference, Split, difference_between
from pitboss.compare.location import located_difference
from pitboss.compare.reading_texts import settled
from pitboss.model.comparison_policy import Checker, Policy
from pitboss.model.relaxation import first_judged, from_the_start, judged_part, never_begins
from pitboss.model.screen_lines import lines_of
from pitboss.model.transcript import Event, FileKind, Shown, Transcript, WrittenFile, canonical

STANDARD_ERROR = "standard error"
#: No more than this of a line is ever quoted.
_LONGEST_BYTES = 16384


def first_difference(expected: Transcript, actual: Transcript, policy: Policy) -> Difference | None:
    """Returns the first difference between two sessions, or None; standard error and files count if both ended alike.

    If the policy has a checker, the checker decides on sessions that ended alike. Raises AssignmentError if it fails.
    """
    if policy.checker is not None:
        return _by_checker(expected, actual, policy.checker) if expected.ending.admits(actual.ending) else None
    difference = difference_between(expected.events, actual.events, policy)
    if never_begins(actual.events, policy) and not never_begins(expected.events, policy):
        found = difference or Difference((), judged_part(expected.events, policy), ())
        first = first_judged(expected.events, policy)
        return msgspec.structs.replace(found, never_begins=first)
    if difference is not None or not expected.ending.admits(actual.ending):
        return difference
    return _off_screen(expected, actual, policy)


def _by_checker(expected: Transcript, actual: Transcript, checker: Checker) -> Difference | None:
    """The finding of the assignment's own checker, at the beginning of the line that it names, or at the end."""
    found = rejection_of(expected, actual, checker)
    if found is None:
        return None
    lines = lines_of(actual.events)
    count = len(lines) if found.line is None else found.line - 1
    before, rest = (canonical(event for line in part for event in line) for part in (lines[:count], lines[count:]))
    return Difference((), expected.events, actual.events, Split(before, before, (), rest), rejected=found)


def _off_screen(expected: Transcript, actual: Transcript, policy: Policy) -> Difference | None:
    """The first difference that is not on the screen."""
    policy = from_the_start(policy)
    if policy.free and policy.accepted_texts is None:  # only the screen shows the free texts
        _, policy = settled(expected.events, actual.events, policy)
        policy = policy if policy.accepted_texts is not None else policy.with_accepted_texts({})
    difference = _of_errors(expected, actual, policy)
    if difference is not None:
        return difference
    found = {file.name: file for file in actual.written}
    for file in expected.written:
        difference = _of_files(file, found[file.name], policy) if file.name in found else None
        if difference is not None:
            return difference
    return None


def _of_errors(expected: Transcript, actual: Transcript, policy: Policy) -> Difference | None:
    """The first difference between two standard error outputs, if both are compared."""
    if actual.errors is None:
        return None
    wanted = expected.errors or b""
    if expected.has_any_errors or (actual.has_any_errors and wanted.strip()):
        is_silent = not actual.errors.strip()
        return Difference((), _as_events(wanted), (), place=STANDARD_ERROR, is_silent=True) if is_silent else None
    return None if expected.errors is None else _of_texts(wanted, actual.errors, policy, STANDARD_ERROR)


def _of_files(expected: WrittenFile, actual: WrittenFile, policy: Policy) -> Difference | None:
    is_wanted = expected.kind is FileKind.REGULAR
    if actual.kind is FileKind.REGULAR and is_wanted:
        return _of_texts(expected.content, actual.content, policy, expected.name)
    if expected.kind is actual.kind:
        return None
    return Difference(
        (),
        _as_events(expected.content),
        _as_events(actual.content),
        place=expected.name,
        found=actual.kind if is_wanted else FileKind.REGULAR,
    )


def _as_events(text: bytes) -> tuple[Event, ...]:
    return (Shown(text),) if text else ()


def _of_texts(wanted: bytes, found: bytes, policy: Policy, place: str) -> Difference | None:
    expected, actual = _as_events(wanted), _as_events(found)
    difference = difference_between(expected, actual, policy)
    if difference is None:
        return None
    quoted = located_difference(difference, expected, actual, policy).quoted
    split = msgspec.structs.replace(quoted, expected=_quotable(quoted.expected), actual=_quotable(quoted.actual))
    return msgspec.structs.replace(difference, split=split, place=place)


def _quotable(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """A text, truncated if it is longer than any quotation."""
    return tuple(Shown(event.text[:_LONGEST_BYTES]) if isinstance(event, Shown) else event for event in events)
