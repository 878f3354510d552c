"""Compares two transcripts exactly, and returns the first difference as data."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from pitboss.compare.checkers import Rejection
from pitboss.compare.reading_texts import with_submission_texts
from pitboss.model.comparison_policy import EXACT, Policy
from pitboss.model.relaxation import (
    differ_by_alternatives,
    folding_of,
    is_same,
    looks_ahead,
    relaxed_pair,
    shared_length,
)
from pitboss.model.transcript import (
    Event,
    FileKind,
    InputEnded,
    Shown,
    canonical,
    count_ended_lines,
    last_line,
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
    normalized by the policy. `expected` or `actual` may be empty (that session ended there), but never both.
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
    # If an accepted session differs at all, then mostly in alternative texts. Checking these is faster than the rest.
    if expected == actual or differ_by_alternatives(expected, actual, policy):
        return None
    expected, actual = relaxed_pair(expected, actual, policy)
    return None if expected == actual else _split_at_difference(expected, actual, folding_of(policy))


def has_left_expected_path(expected: tuple[Event, ...], actual: Sequence[Event], policy: Policy) -> bool:
    """Whether a session has certainly left the expected path at its last event, which is its first end of input.

    An unexpected end of input is a difference under every policy. If the end is expected, the session is compared as
    if it continued as expected. Returns False if a checker judges the session, or if the policy may normalize the text
    so far differently once more of the session is known.
    """
    if InputEnded() not in expected:
        return True
    if looks_ahead(policy) or policy.checker is not None:
        return False
    expected_rest = expected[expected.index(InputEnded()) + 1 :]
    return difference_between(expected, canonical((*actual, *expected_rest)), policy) is not None


def _split_at_difference(
    expected: tuple[Event, ...], actual: tuple[Event, ...], fold: Callable[[bytes], bytes]
) -> Difference | None:
    """Returns the first difference between two normalized sessions; None if they are the same.

    Texts are compared after `fold` is applied to them.
    """
    shared_count = 0
    for expected_event, actual_event in zip(expected, actual, strict=False):
        if not is_same(expected_event, actual_event, fold):
            break
        shared_count += 1
    matched, expected_rest, actual_rest = expected[:shared_count], expected[shared_count:], actual[shared_count:]
    match expected_rest[:1], actual_rest[:1]:
        case (), ():
            return None
        case (Shown(expected_text),), (Shown(actual_text),):
            offset = shared_length(fold(expected_text), fold(actual_text))
            matched_text = (Shown(actual_text[:offset]),) if offset else ()
            return Difference(
                (*matched, *matched_text),
                canonical((Shown(expected_text[offset:]), *expected_rest[1:])),
                canonical((Shown(actual_text[offset:]), *actual_rest[1:])),
            )
    return Difference(matched, expected_rest, actual_rest)
