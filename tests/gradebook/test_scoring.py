import datetime

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.gradebook.book import DUE as OWN_DUE
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.grades import Lateness
from pitboss.gradebook.marks import LATE, OVERRIDE
from pitboss.gradebook.scoring import circumstances_of, update_scores
from pitboss.submissions.importers.imported import ImportedSubmission
from tests.conftest import TOY
from tests.gradebook.made import ADA, BOB, EVE, NOON, A, F, W, causes, report, submission_by

POLICY = load_assignment(TOY).grading


@pytest.fixture
def book(tmp_path):
    """A gradebook with a submission by Ada, the program p1, and one by Bob, the program p2; neither has been run."""
    with Gradebook(tmp_path / "book", may_be_new=True) as book:
        book.add_submissions([(submission_by(ADA), "p1"), (submission_by(BOB), "p2")])
        yield book


def update_and_list_scores(book):
    """Update the scores; returns those that have changed, by the names of people."""
    return {change.person.name: str(change.now.score) for change in update_scores(book, POLICY, lambda row: ())}


def add_run(book, person, *verdicts, **more):
    """Add a report on Ada's or Bob's first program, with these verdicts of sessions."""
    book.add_report(
        person.key, causes({"ada": "p1", "bob": "p2"}[person.key], **more), report(*verdicts, stage="teller")
    )


def test_a_submission_that_was_not_run_yet_has_no_score(book):
    add_run(book, ADA, A, W)
    assert update_and_list_scores(book) == {"Ada Lovelace": "50"}
    assert book.score("bob") is None


def test_a_resubmission_keeps_the_old_score_until_it_is_run(book):
    add_run(book, ADA, A, W)
    update_and_list_scores(book)
    book.add_submissions([(submission_by(ADA), "p9")])
    assert update_and_list_scores(book) == {}
    assert str(book.score("ada").grade.score) == "50"


def test_a_judge_error_keeps_an_earlier_score_and_gives_none_itself(book):
    add_run(book, ADA, A)
    update_and_list_scores(book)
    add_run(book, ADA, F, pitboss="p2")
    add_run(book, BOB, F)
    assert update_and_list_scores(book) == {"Bob Müller": "None"}
    assert str(book.score("ada").grade.score) == "100"


def test_a_person_without_a_submission_scores_0(book):
    book.add_submissions([(ImportedSubmission(EVE, None, None), "")])
    assert update_and_list_scores(book) == {"Eve O'Neil": "0"}
    assert [line.text for line in book.score("eve").grade.lines] == ["nothing was handed in"]


def test_an_unusable_submission_scores_0_with_its_problem_as_reason(book):
    book.add_submissions([(ImportedSubmission(EVE, None, None, problem="all.zip is damaged."), "")])
    assert update_and_list_scores(book) == {"Eve O'Neil": "0"}
    assert [line.text for line in book.score("eve").grade.lines] == [
        "the submission cannot be used: all.zip is damaged."
    ]
    book.add_mark("eve", OVERRIDE, "60", reason="it was by mail")
    assert update_and_list_scores(book) == {"Eve O'Neil": "60"}


def test_a_score_is_stored_only_if_it_changes(book):
    add_run(book, ADA, A)
    assert update_and_list_scores(book) == {"Ada Lovelace": "100"}
    assert update_and_list_scores(book) == {}
    book.add_mark("ada", LATE, "3")  # this policy has no late table
    assert update_and_list_scores(book) == {}
    assert len(book.scores("ada")) == 1


DUE = NOON - datetime.timedelta(days=1)


@pytest.mark.parametrize(
    ("at", "is_late", "due", "own_due", "expected"),
    [
        (NOON, None, DUE, None, (1, None, Lateness.NO_SUBMISSION_TIME)),
        # Gradescope exports the time of submission, but no due date.
        (NOON, None, None, None, (None, None, Lateness.NO_DUE_DATE)),
        (None, False, DUE, None, (None, None, Lateness.NOT_LATE)),  # Canvas marks what is late
        (None, True, DUE, None, (None, None, Lateness.LATE)),
        (None, None, DUE, None, (None, None, Lateness.NO_SUBMISSION_TIME)),
        (NOON, None, DUE, NOON + datetime.timedelta(days=2), (-2, 1, Lateness.NO_SUBMISSION_TIME)),
        (NOON, None, None, NOON + datetime.timedelta(days=2), (-2, None, Lateness.NO_SUBMISSION_TIME)),
    ],
)
def test_days_late_follow_from_submission_time_due_date_and_late_flag(book, at, is_late, due, own_due, expected):
    book.add_submissions([(submission_by(EVE, at=at, is_late=is_late), "p3")])
    if own_due:
        book.add_mark("eve", OWN_DUE, own_due.isoformat())
    circumstances = circumstances_of(book.person_record(EVE), due)
    assert (circumstances.days_late, circumstances.days_late_by_class_due, circumstances.lateness) == expected


def test_days_late_set_by_a_grader_override_the_computed_days(book):
    book.add_submissions([(submission_by(EVE), "p3")])
    book.add_mark("eve", OWN_DUE, (NOON + datetime.timedelta(days=2)).isoformat())
    book.add_mark("eve", LATE, "-1")
    circumstances = circumstances_of(book.person_record(EVE), DUE)
    assert (circumstances.days_late, circumstances.days_late_by_class_due) == (-1, None)
