"""Locating a difference in both original sessions if a policy removes or replaces some text."""

from __future__ import annotations

import msgspec

from pitboss.compare.comparison import Difference, Split
from pitboss.compare.reading_texts import settled
from pitboss.model.comparison_policy import EXACT, Policy
from pitboss.model.relaxation import Provenance, size_of
from pitboss.model.transcript import Event


def located(
    difference: Difference, expected: tuple[Event, ...], actual: tuple[Event, ...], policy: Policy
) -> Difference:
    """The difference with both original sessions, each cut in two where they part.

    Messages quote from the originals: a session normalized by the policy has texts and lines that no program
    printed. If they part inside an alternative text, they are cut before it. Of the expected session, free texts are
    quoted as the submission shows them, and lines that may come in any order stand as they do there.
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
