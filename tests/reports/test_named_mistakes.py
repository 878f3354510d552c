import pytest

from pitboss.compare.results import Diagnosis
from pitboss.reports.finding_sentences import mistake_groups


def known_mistake(title, explains=5, failed=5, tested=0):
    return Diagnosis(title, title, f"Look at {title}.", "", explains, failed, tested)


@pytest.mark.parametrize(
    ("diagnoses", "sentences"),
    [
        ([], []),
        ([known_mistake("ties")], ["likely mistake: ties (explains all 5 that failed). Look at ties."]),
        ([known_mistake("ties", 3, 3)], ["possible mistake: ties (explains all 3 that failed). Look at ties."]),
        ([known_mistake("ties", 1, 1)], ["possible mistake: ties (explains 1 of 1 that failed). Look at ties."]),
        (
            [known_mistake("ties", 1, 1, tested=3)],
            ["likely mistake: ties (explains 1 of 1 that failed). Look at ties."],
        ),
        (
            [known_mistake("ties"), known_mistake("aces")],
            [
                "likely one of these mistakes: ties; or aces (each explains all 5 that failed). Look at ties. Look at "
                "aces."
            ],
        ),
        (
            [known_mistake("ties", 2, 2), known_mistake("aces", 2, 2)],
            [
                "possibly one of these mistakes: ties; or aces (each explains all 2 that failed). Look at ties. Look at "
                "aces."
            ],
        ),
        (
            [known_mistake("ties", 9, 10), known_mistake("aces", 8, 10)],
            [
                "something like: ties (would explain 9 of 10 that failed). Look at ties.",
                "something like: aces (would explain 8 of 10 that failed). Look at aces.",
            ],
        ),
    ],
)
def test_the_wording_shows_how_certain_a_mistake_is(diagnoses, sentences):
    assert [
        f"{group.label}: {'; or '.join(group.titles)} {group.rest}" for group in mistake_groups(diagnoses)
    ] == sentences
