"""Compares two sessions exactly, and returns the first difference as data: on the screen, on standard error, in files.

If a policy removes or replaces text, a difference is located in both original sessions.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pitboss.compare.checkers import Rejection, rejection_of
from pitboss.compare.reading_texts import with_submission_texts
from pitboss.model.comparison_policy import EXACT, Checker, Policy
from pitboss.model.equality import equality
from pitboss.model.line_rules import with_moved_lines, with_permitted_lines
from pitboss.model.transcript import (
    Event,
    FileKind,
    InputEnded,
    Shown,
    Transcript,
    WrittenFile,
    canonical,
    count_ended_lines,
    event_start,
    events_of_flat,
    flat,
    last_line,
    lines_of,
    shared_length,
    without_unseen_pauses,
)


class Split(msgspec.Struct, frozen=True):
    """Two original sessions, each cut in two at their first difference, for messages to quote.

    Pauses that a policy ignores are left out.
    """

    #: The expected session up to the difference.
    expected_before: tuple[Event, ...]
    #: The program's session up to the difference.
    before: tuple[Event, ...]
    #: The expected session from the difference on.
    expected: tuple[Event, ...]
    #: The program's session from the difference on.
    actual: tuple[Event, ...]

    @property
    def line(self) -> int:
        """The line on the program's screen where the sessions differ, from 1; typing Enter also ends a line."""
        return 1 + count_ended_lines(self.before)

    @property
    def column(self) -> int:
        """The column on the program's screen where the sessions differ, counted in characters from 1."""
        return 1 + len(last_line(self.before).decode("utf-8", "replace"))


class Difference(msgspec.Struct, frozen=True):
    """The first place where two sessions differ.

    `matched` + `expected` is the whole expected session and `matched` + `actual` the whole actual one, both
    normalized by the policy; `matched` is in the letter case of the program. `expected` or `actual` may be empty (that
    session ended there), but never both.
    """

    matched: tuple[Event, ...]
    expected: tuple[Event, ...]
    actual: tuple[Event, ...]
    #: The original sessions; None if the policy leaves the sessions unchanged (see `located_difference`).
    split: Split | None = None
    #: The file in which the sessions differ, or “standard error”; empty for the screen.
    place: str = ""
    #: For a wrong file: the kind of what exists under its name; REGULAR if the file should not exist.
    found_kind: FileKind | None = msgspec.field(default=None, name="found")
    #: The first expected line that is judged, if the program never shows a line at which judging begins; else None.
    judging_start_line: bytes | None = msgspec.field(default=None, name="never_begins")
    #: The finding of the assignment's own checker, which replaces the comparison; else None.
    rejected: Rejection | None = None
    #: Whether the program writes nothing to standard error, although it should write a message there.
    is_silent: bool = False

    @property
    def quoted(self) -> Split:
        """Both sessions as messages quote them."""
        return self.split or Split(self.matched, self.matched, self.expected, self.actual)

    @property
    def line(self) -> int:
        """See `Split.line`."""
        return self.quoted.line

    @property
    def column(self) -> int:
        """See `Split.column`."""
        return self.quoted.column


def difference_between(
    expected: tuple[Event, ...], actual: tuple[Event, ...], policy: Policy = EXACT
) -> Difference | None:
    """Returns the first difference under a policy, or None if the sessions are the same.

    Both sessions must be in canonical form (`model.transcript.canonical`). The expected session gets the free texts
    that the policy has accepted, or else the free texts that the actual session shows: see
    `reading_texts.with_submission_texts`.
    """
    actual = without_unseen_pauses(expected, actual)
    expected, policy = with_submission_texts(expected, actual, policy)
    equal = equality(policy)
    # If an accepted session differs at all, then mostly in alternative texts. Checking these is faster than the rest.
    sessions = flat(expected), flat(actual)
    if expected == actual or equal.differ_in_alternatives_only(*sessions):
        return None
    normalized, located = map(equal.normalize, sessions)
    expected_text, actual_text = with_permitted_lines(normalized, located, equal).text, located.text
    if expected_text == actual_text or (folded := (equal.fold(expected_text), equal.fold(actual_text)))[0] == folded[1]:
        return None
    shared = shared_length(*folded)
    count = min(event_start(text, shared) for text in folded)
    parts = actual_text[:count], expected_text[count:], actual_text[count:]
    return Difference(*map(events_of_flat, parts))  # type: ignore[arg-type]


def has_left_expected_path(expected: tuple[Event, ...], actual: Sequence[Event], policy: Policy) -> bool:
    """Whether a session has certainly left the expected path at its last event, which is its first end of input.

    An unexpected end of input is a difference under every policy. If the end is expected, the session is compared as
    if it continued as expected. Returns False if a checker judges the session, or if the policy may normalize the text
    so far differently once more of the session is known.
    """
    if InputEnded() not in expected:
        return True
    if policy.looks_ahead or policy.checker is not None:
        return False
    expected_rest = expected[expected.index(InputEnded()) + 1 :]
    return difference_between(expected, canonical((*actual, *expected_rest)), policy) is not None


def located_difference(
    difference: Difference, expected: tuple[Event, ...], actual: tuple[Event, ...], policy: Policy
) -> Difference:
    """Returns the difference with both original sessions, each cut in two where they differ.

    Messages quote from the originals: a session normalized by the policy has texts and lines that no program printed.
    Sessions that differ inside an alternative text are cut before that text. The expected session gets the submission's
    free texts, and its lines that may come in any order get the submission's order.
    """
    if policy == EXACT:
        return difference
    actual = without_unseen_pauses(expected, actual)
    expected, policy = with_submission_texts(expected, actual, policy)
    equal = equality(policy)
    located_actual = equal.normalize(flat(actual))
    moved = with_moved_lines(equal.normalize(flat(expected)), located_actual, equal)
    located = with_permitted_lines(equal.normalize(moved), located_actual, equal)
    count = len(flat(difference.matched))
    # Move back to a position at which both sessions can be cut.
    while not (located.is_boundary(count) and located_actual.is_boundary(count)):
        count -= 1
    (expected_before, expected_rest), (actual_before, actual_rest) = located.cut(count), located_actual.cut(count)
    return msgspec.structs.replace(difference, split=Split(expected_before, actual_before, expected_rest, actual_rest))


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
    equal = equality(policy)
    first_line = equal.first_judged_line(expected.events)
    if first_line is not None and equal.first_judged_line(actual.events) is None:
        difference = difference or Difference((), equal.judged_part(expected.events), ())
        return msgspec.structs.replace(difference, judging_start_line=first_line)
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
    policy = msgspec.structs.replace(policy, begins="")  # these texts are judged from their first line
    # Texts that a program may word freely (`compare: free`) are taken from the screen alone.
    if policy.free and policy.accepted_texts is None:
        _, policy = with_submission_texts(expected.events, actual.events, policy)
        policy = policy if policy.accepted_texts is not None else policy.with_accepted_texts({})
    actual_files = {file.name: file for file in actual.written}
    pairs = ((file, actual_files[file.name]) for file in expected.written if file.name in actual_files)
    differences = (_difference_of_files(*pair, policy) for pair in pairs)
    return _difference_of_errors(expected, actual, policy) or next(filter(None, differences), None)


def _difference_of_errors(expected: Transcript, actual: Transcript, policy: Policy) -> Difference | None:
    """Returns the first difference between two outputs to standard error; None if they are equal or not compared."""
    if actual.errors is None:
        return None
    expected_errors = expected.errors or b""
    if expected.accepts_any_errors or (actual.accepts_any_errors and expected_errors.strip()):
        if actual.errors.strip():
            return None
        return Difference((), events_of_text(expected_errors), (), place=STANDARD_ERROR, is_silent=True)
    if expected.errors is None:
        return None
    return _difference_of_texts(expected_errors, actual.errors, policy, STANDARD_ERROR)


def _difference_of_files(expected: WrittenFile, actual: WrittenFile, policy: Policy) -> Difference | None:
    """Returns the first difference between two files of the same name; None if they are equal."""
    should_exist = expected.kind is FileKind.REGULAR
    if actual.kind is FileKind.REGULAR and should_exist:
        return _difference_of_texts(expected.content, actual.content, policy, expected.name)
    if expected.kind is actual.kind:
        return None
    return Difference(
        (),
        events_of_text(expected.content),
        events_of_text(actual.content),
        place=expected.name,
        found_kind=actual.kind if should_exist else FileKind.REGULAR,
    )


def events_of_text(text: bytes) -> tuple[Event, ...]:
    return (Shown(text),) if text else ()


def _difference_of_texts(expected_text: bytes, actual_text: bytes, policy: Policy, place: str) -> Difference | None:
    expected, actual = events_of_text(expected_text), events_of_text(actual_text)
    difference = difference_between(expected, actual, policy)
    if difference is None:
        return None
    quoted = located_difference(difference, expected, actual, policy).quoted
    split = msgspec.structs.replace(quoted, expected=_quotable(quoted.expected), actual=_quotable(quoted.actual))
    return msgspec.structs.replace(difference, split=split, place=place)


def _quotable(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Returns the events; texts that are longer than any quotation are truncated."""
    return tuple(Shown(event.text[:_MAX_QUOTED_BYTES]) if isinstance(event, Shown) else event for event in events)
