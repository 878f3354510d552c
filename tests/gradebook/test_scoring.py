"""Scores in a gradebook: computed from what counts, and never from what is not there yet."""

import datetime

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.gradebook.book import DUE as OWN_DUE
from pitboss.gradebook.book import LATE, OVERRIDE, Gradebook
from pitboss.gradebook.grades import Lateness
from pitboss.gradebook.scoring import circumstances_of, update_scores
from pitboss.submissions.importers.imported import ImportedSubmission
from tests.conftest import TOY
from tests.gradebook.made import ADA, BOB, EVE, NOON, A, F, W, causes, handed, report

POLICY = load_assignment(TOY).grading


@pytest.fixture
def book(tmp_path):
    with Gradebook(tmp_path / "book", may_be_new=True) as book:
        book.add_submissions([(handed(ADA), "p1"), (handed(BOB), "p2")])
        yield book


def changed(book):
    return {change.person.name: str(change.now.score) for change in update_scores(book, POLICY, lambda row: ())}


def ran(book, person, *verdicts, **more):
    book.add_report(
        person.key, causes({"ada": "p1", "bob": "p2"}[person.key], **more), report(*verdicts, stage="teller")
    )


def test_what_was_handed_in_and_not_run_yet_has_no_score(book):
    ran(book, ADA, A, W)
    assert changed(book) == {"Ada Lovelace": "50"}
    assert book.score("bob") is None


def test_what_is_handed_in_again_keeps_the_score_until_it_was_run(book):
    ran(book, ADA, A, W)
    changed(book)
    book.add_submissions([(handed(ADA), "p9")])
    assert changed(book) == {}
    assert str(book.score("ada").grade.score) == "50"


def test_a_fault_keeps_the_score_and_alone_has_none(book):
    ran(book, ADA, A)
    changed(book)
    ran(book, ADA, F, pitboss="p2")
    ran(book, BOB, F)
    assert changed(book) == {"Bob Müller": "None"}
    assert str(book.score("ada").grade.score) == "100"


def test_who_handed_in_nothing_has_none_of_the_points(book):
    book.add_submissions([(ImportedSubmission(EVE, None, None), "")])
    assert changed(book) == {"Eve O'Neil": "0"}
    assert [line.text for line in book.score("eve").grade.lines] == ["nothing was handed in"]


def test_what_cannot_be_taken_is_not_called_nothing(book):
    book.add_submissions([(ImportedSubmission(EVE, None, None, problem="all.zip is damaged."), "")])
    assert changed(book) == {"Eve O'Neil": "0"}
    assert [line.text for line in book.score("eve").grade.lines] == [
        "the submission cannot be used: all.zip is damaged."
    ]
    book.add_mark("eve", OVERRIDE, "60", reason="it was by mail")
    assert changed(book) == {"Eve O'Neil": "60"}


def test_a_score_is_noted_once(book):
    ran(book, ADA, A)
    assert changed(book) == {"Ada Lovelace": "100"}
    assert changed(book) == {}
    book.add_mark("ada", LATE, "3")  # this policy has no late table
    assert changed(book) == {}
    assert len(book.scores("ada")) == 1


DUE = NOON - datetime.timedelta(days=1)


@pytest.mark.parametrize(
    ("at", "is_late", "due", "own", "expected"),
    [
        (NOON, None, DUE, None, (1, None, Lateness.NO_SUBMISSION_TIME)),
        (NOON, None, None, None, (None, None, Lateness.NO_DUE_DATE)),  # Gradescope says when, and nobody by when
        (None, False, DUE, None, (None, None, Lateness.NOT_LATE)),  # Canvas marks what is late
        (None, True, DUE, None, (None, None, Lateness.LATE)),
        (None, None, DUE, None, (None, None, Lateness.NO_SUBMISSION_TIME)),
        (NOON, None, DUE, NOON + datetime.timedelta(days=2), (-2, 1, Lateness.NO_SUBMISSION_TIME)),
        (NOON, None, None, NOON + datetime.timedelta(days=2), (-2, None, Lateness.NO_SUBMISSION_TIME)),
    ],
)
def test_what_is_known_of_the_day(book, at, is_late, due, own, expected):
    book.add_submissions([(handed(EVE, at=at, is_late=is_late), "p3")])
    if own:
        book.add_mark("eve", OWN_DUE, own.isoformat())
    found = circumstances_of(book.row(EVE), due)
    assert (found.days_late, found.days_late_by_class_due, found.lateness) == expected


def test_days_that_a_person_says_are_those_that_count(book):
    book.add_submissions([(handed(EVE), "p3")])
    book.add_mark("eve", OWN_DUE, (NOON + datetime.timedelta(days=2)).isoformat())
    book.add_mark("eve", LATE, "-1")
    found = circumstances_of(book.row(EVE), DUE)
    assert (found.days_late, found.days_late_by_class_due) == (-1, None)
