"""Locates a difference in both original sessions if a policy removes or replaces text."""

from __future__ import annotations

import msgspec

from pitboss.compare.comparison import Difference, Split
from pitboss.compare.reading_texts import settled
from pitboss.model.comparison_policy import EXACT, Policy
from pitboss.model.relaxation import Provenance, size_of
from pitboss.model.transcript import Event


def located_difference(
    difference: Difference, expected: tuple[Event, ...], actual: tuple[Event, ...], policy: Policy
) -> Difference:
    """Returns the difference with both original sessions, each cut in two where they differ.

    Messages quote from the originals: a session normalized by the policy has texts and lines that no program printed.
    If they differ inside an alternative text, they are cut before it. In the expected session, free texts are those of
    the submission, and lines that may come in any order have the submission's order.
    """
    if policy == EXACT:
        return difference
    expected, policy = settled(expected, actual, policy)
    theirs = Provenance(actual, policy)
    ours = Provenance(Provenance(expected, policy).moved(theirs, policy), policy)
    ours.fill(theirs, policy)
    count = size_of(difference.matched)
    while not (ours.is_boundary(count) and theirs.is_boundary(count)):
        count -= 1
    (expected_before, wanted), (before, found) = ours.cut(count), theirs.cut(count)
    return msgspec.structs.replace(difference, split=Split(expected_before, before, wanted, found))
