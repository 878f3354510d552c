"""What is said of known mistakes is as sure as what was seen: several that fit are told together."""

import pytest

from pitboss.compare.results import Diagnosis
from pitboss.reports.mistake_sentences import mistake_groups


def found(title, explains=5, of=5, tested=0):
    return Diagnosis(title, title, f"Look at {title}.", "", explains, of, tested)


@pytest.mark.parametrize(
    ("diagnosis", "sentences"),
    [
        ([], []),
        ([found("ties")], ["likely mistake: ties (explains all 5 that failed). Look at ties."]),
        ([found("ties", 3, 3)], ["possible mistake: ties (explains all 3 that failed). Look at ties."]),
        ([found("ties", 1, 1)], ["possible mistake: ties (explains 1 of 1 that failed). Look at ties."]),
        ([found("ties", 1, 1, tested=3)], ["likely mistake: ties (explains 1 of 1 that failed). Look at ties."]),
        (
            [found("ties"), found("aces")],
            [
                "likely one of these mistakes: ties; or aces (each explains all 5 that failed). Look at ties. Look at "
                "aces."
            ],
        ),
        (
            [found("ties", 2, 2), found("aces", 2, 2)],
            [
                "possibly one of these mistakes: ties; or aces (each explains all 2 that failed). Look at ties. Look at "
                "aces."
            ],
        ),
        (
            [found("ties", 9, 10), found("aces", 8, 10)],
            [
                "something like: ties (would explain 9 of 10 that failed). Look at ties.",
                "something like: aces (would explain 8 of 10 that failed). Look at aces.",
            ],
        ),
    ],
)
def test_mistakes_are_reported_as_sure_as_they_are(diagnosis, sentences):
    assert [f"{one.label}: {'; or '.join(one.titles)} {one.rest}" for one in mistake_groups(diagnosis)] == sentences
