"""Locates a difference in both original sessions if a policy removes or replaces text."""

from __future__ import annotations

import msgspec

from pitboss.compare.comparison import Difference, Split
from pitboss.compare.reading_texts import with_submission_texts
from pitboss.model.comparison_policy import EXACT, Policy
from pitboss.model.relaxation import Provenance, size_of
from pitboss.model.transcript import Event, without_unseen_pauses


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
    actual_origin = Provenance(actual, policy)
    expected_origin = Provenance(Provenance(expected, policy).with_moved_lines(actual_origin, policy), policy)
    expected_origin.adjust_for_permitted_lines(actual_origin, policy)
    count = size_of(difference.matched)
    # Move back to a position at which both sessions can be cut.
    while not (expected_origin.is_boundary(count) and actual_origin.is_boundary(count)):
        count -= 1
    (expected_before, expected_rest), (actual_before, actual_rest) = (
        expected_origin.cut(count),
        actual_origin.cut(count),
    )
    return msgspec.structs.replace(difference, split=Split(expected_before, actual_before, expected_rest, actual_rest))
