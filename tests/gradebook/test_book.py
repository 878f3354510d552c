import datetime
import re
import sqlite3
import zlib
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.errors import UsageError
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.database import without_transcripts
from pitboss.gradebook.marks import COMMENT, DUE, OVERRIDE, STYLE
from pitboss.gradebook.people import SourceFile
from pitboss.gradebook.scoring import changed_verdicts, score_change_reasons
from pitboss.submissions.importers.imported import ImportedSubmission
from tests.gradebook.made import ADA, BOB, EVE, NOON, A, F, W, causes, grade, report, submission_by

LATER = NOON + datetime.timedelta(days=3)


@pytest.fixture
def book(tmp_path):
    """A gradebook with a submission by Ada, the program prog1, and one by Bob, prog2; neither has been run."""
    with Gradebook(tmp_path / "class.gradebook", may_be_new=True) as book:
        book.set_facts(assignment="blackjack")
        book.add_submissions([(submission_by(ADA), "prog1"), (submission_by(BOB), "prog2")])
        yield book


@pytest.mark.parametrize(
    "content", [b"", b"\0", b"x\x9c\x03\0\0\0\0\x01", zlib.compress(b"\xc1"), zlib.compress(b"\x80")]
)
def test_a_damaged_report_is_an_error_and_other_reports_stay_readable(book, content):
    """SQLite checks the structure of its pages, but not the values in them."""
    book.add_report("ada", causes("prog1"), report(A))
    book.add_report("bob", causes("prog2"), report(W))
    with sqlite3.connect(book.path) as database:
        database.execute("UPDATE report SET whole = ? WHERE id = 1", (content,))
    database.close()
    with pytest.raises(UsageError, match=rf"^{re.escape(str(book.path))}: the gradebook is damaged \(.+\); restore an"):
        book.report("ada")
    assert book.report("bob") == report(W)


def test_a_stored_report_is_read_back_unchanged(book, tmp_path):
    whole = report(A, W, A)
    book.add_report("ada", causes("prog1"), whole)
    with Gradebook(tmp_path / "class.gradebook") as reopened:
        assert reopened.people() == [ADA, BOB]
        assert reopened.report("ada") == whole
        assert reopened.person_record(ADA).report == without_transcripts(whole)
        assert reopened.causes("ada") == causes("prog1")
        assert reopened.report("bob") is None


def test_sources_are_those_of_the_submission_that_counts(book):
    files = (SourceFile("play.c", "int main"), SourceFile("a/deal.c", ""))
    assert (book.sources("ada"), book.has_sources("prog1")) == ((), False)
    book.add_sources("prog1", iter(files))
    assert (book.sources("ada"), book.has_sources("prog1")) == (files, True)
    book.add_submissions([(submission_by(ADA), "prog3")])
    assert (book.sources("ada"), book.sources("bob")) == ((), ())
    book.add_sources("prog3", files[:1])
    book.add_sources("prog3", files[1:])
    assert book.sources("ada") == files[1:]


def test_a_gradebook_belongs_to_one_assignment(book):
    with pytest.raises(UsageError) as caught:
        book.set_facts(assignment="csc101")
    assert str(caught.value) == f"{book.path}: this is a gradebook of blackjack, not of csc101; name another file"


def test_an_earlier_run_is_reused_if_all_its_causes_are_the_same(book):
    book.add_report("ada", causes("prog1"), report(A))
    book.add_report("ada", causes("prog1", assignment="a2"), report(W))
    assert book.report("ada") == report(W)
    assert book.reuse_run("ada", causes("prog1"))
    assert book.report("ada") == report(A)


@pytest.mark.parametrize(
    "other", [causes("x"), causes("prog1", "x"), causes("prog1", "a1", "x"), causes("prog1", "a1", "q1", "x")]
)
def test_no_earlier_run_is_reused_if_any_cause_has_changed(book, other):
    book.add_report("ada", causes("prog1"), report(A))
    assert not book.reuse_run("ada", other)
    assert not book.reuse_run("bob", causes("prog1"))


def test_a_judge_error_replaces_no_report_and_is_not_reused(book):
    book.add_report("ada", causes("prog1"), report(A))
    book.add_report("ada", causes("prog1", pitboss="p2"), report(F, faults=("out of memory",)))
    assert book.report("ada") == report(A)
    assert not book.reuse_run("ada", causes("prog1", pitboss="p2"))


def test_a_judge_error_counts_only_until_there_is_another_report(book):
    book.add_report("ada", causes("prog1"), report(F))
    assert book.report("ada") == report(F)
    book.add_report("ada", causes("prog1"), report(F, F))
    assert book.report("ada") == report(F, F)
    book.add_report("ada", causes("prog1"), report(W))
    assert book.report("ada") == report(W)


def test_the_time_of_a_submission_never_changes(book):
    book.add_submissions([(submission_by(ADA, at=LATER, attempt=2), "prog1")])
    row = book.person_record(ADA)
    assert (row.handed_in.at, row.handed_in.attempt) == (NOON, 2)


def test_an_unknown_time_of_submission_can_be_added_later(book):
    book.add_submissions([(submission_by(EVE, at=None), "prog3")])
    assert book.person_record(EVE).handed_in.at is None
    book.add_submissions([(submission_by(EVE, at=LATER), "prog3")])
    assert book.person_record(EVE).handed_in.at == LATER


def test_a_resubmission_has_its_own_time_and_needs_its_own_run(book):
    book.add_report("ada", causes("prog1"), report(A))
    book.add_submissions([(submission_by(ADA, at=LATER), "prog9")])
    assert book.person_record(ADA).report is None
    assert book.person_record(ADA).handed_in.at == LATER
    book.add_submissions([(submission_by(ADA, at=LATER), "prog1")])
    assert book.person_record(ADA).handed_in.at == NOON
    assert book.reuse_run("ada", causes("prog1"))
    assert book.report("ada") == report(A)


def test_a_person_without_a_submission_is_listed(book):
    book.add_submissions([(ImportedSubmission(EVE, None, None), "")])
    assert [row.person for row in book.person_records()] == [ADA, BOB, EVE]
    assert book.person_record(EVE).handed_in is None


def test_all_marks_are_stored_and_the_last_of_each_kind_counts(book):
    book.add_mark("ada", STYLE, "4/5", by="tutor")
    book.add_mark("ada", STYLE, "9/10", by="tutor")
    book.add_mark("ada", OVERRIDE, "85", reason="agreed", by="tutor")
    book.add_mark("ada", DUE, LATER.isoformat(), by="tutor")
    book.add_mark("ada", COMMENT, "Good names.", by="tutor")
    book.add_mark("ada", COMMENT, "One long function.", by="tutor")
    row = book.person_record(ADA)
    assert (row.style, row.override.value, row.override.reason, row.due) == ("9/10", "85", "agreed", LATER.isoformat())
    assert [comment.value for comment in row.comments] == ["Good names.", "One long function."]
    book.add_mark("ada", OVERRIDE, "", by="tutor")
    assert book.person_record(ADA).override is None
    assert [mark.value for mark in book.marks("ada") if mark.kind == OVERRIDE] == ["85", ""]


def test_a_mark_for_an_unknown_person_is_refused(book):
    with pytest.raises(UsageError) as caught:
        book.add_mark("adam", STYLE, "1")
    assert str(caught.value) == f"{book.path}: nobody in this gradebook has the key 'adam'"


@given(st.fractions(), st.lists(st.tuples(st.text(), st.fractions())))
def test_a_grade_is_read_back_exactly(tmp_path_factory, score, lines):
    with Gradebook(tmp_path_factory.mktemp("book") / "one", may_be_new=True) as book:
        book.add_submissions([(submission_by(ADA), "prog1")])
        written = grade(score, *lines, out_of=Fraction(1, 3), open=("a", "b"))
        book.add_score("ada", written, ("why",))
        assert book.score("ada").grade == written
        assert book.score("ada").why == ("why",)


def test_sessions_with_a_changed_verdict_are_reported():
    before, now = report(A, W, A, A), report(W, W, A)
    assert changed_verdicts(before, now) == [
        ("play", "case 1", "ACCEPTED", "WRONG_ANSWER"),
        ("play", "case 4", "ACCEPTED", ""),
    ]
    assert score_change_reasons((causes("p"), before), (causes("p", "a2"), now)) == (
        "the assignment's specs or its code have changed",
        "play, case 1: accepted before, wrong answer now",
        "play, case 4: accepted before, not run now",
    )


def test_changed_sessions_after_the_third_are_only_counted():
    before, now = report(*[A] * 6), report(*[W] * 6)
    assert score_change_reasons((causes("p"), before), (causes("x", pitboss="y"), now))[-2:] == (
        "play, case 3: accepted before, wrong answer now",
        "3 more sessions changed",
    )
    assert score_change_reasons((causes("p"), before), (causes("x", pitboss="y"), now))[:2] == (
        "another program was handed in",
        "it was graded by another version of pitboss",
    )


def test_a_first_run_and_a_repeated_run_are_reported():
    run = (causes("p"), report(A))
    assert score_change_reasons(run, None) == ()
    assert score_change_reasons(None, run) == ("graded for the first time",)
    assert score_change_reasons(run, run) == ("it was run again",)
