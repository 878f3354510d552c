"""A gradebook: what counts of what was handed in and run, and that nothing in it is ever lost or changed."""

import datetime
import re
import sqlite3
import zlib
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.errors import UsageError
from pitboss.gradebook.book import COMMENT, DUE, OVERRIDE, STYLE, Gradebook
from pitboss.gradebook.days import days_late
from pitboss.gradebook.light import sessions_changed, without_transcripts
from pitboss.gradebook.person_records import SourceFile
from pitboss.gradebook.reasons import reasons
from pitboss.submissions.importers.imported import ImportedSubmission
from tests.gradebook.made import ADA, BOB, EVE, NOON, A, F, W, causes, grade, handed, report

LATER = NOON + datetime.timedelta(days=3)


@pytest.fixture
def book(tmp_path):
    with Gradebook(tmp_path / "class.gradebook", may_be_new=True) as book:
        book.set_facts(assignment="blackjack")
        book.add_submissions([(handed(ADA), "prog1"), (handed(BOB), "prog2")])
        yield book


@pytest.mark.parametrize(
    "content", [b"", b"\0", b"x\x9c\x03\0\0\0\0\x01", zlib.compress(b"\xc1"), zlib.compress(b"\x80")]
)
def test_a_value_that_is_damaged_is_one_sentence_and_costs_nobody_else(book, content):
    """SQLite sees to its pages, and not to what stands in them."""
    book.add_report("ada", causes("prog1"), report(A))
    book.add_report("bob", causes("prog2"), report(W))
    with sqlite3.connect(book.path) as database:
        database.execute("UPDATE report SET whole = ? WHERE id = 1", (content,))
    database.close()
    with pytest.raises(UsageError, match=rf"^{re.escape(str(book.path))}: the gradebook is damaged \(.+\); restore an"):
        book.report("ada")
    assert book.report("bob") == report(W)


def test_what_is_written_is_read(book, tmp_path):
    whole = report(A, W, A)
    book.add_report("ada", causes("prog1"), whole)
    with Gradebook(tmp_path / "class.gradebook") as again:
        assert again.people() == [ADA, BOB]
        assert again.report("ada") == whole
        assert again.row(ADA).report == without_transcripts(whole)
        assert again.causes("ada") == causes("prog1")
        assert again.report("bob") is None


def test_the_sources_of_what_counts_are_there_to_be_read(book):
    files = (SourceFile("play.c", "int main"), SourceFile("a/deal.c", ""))
    assert (book.sources("ada"), book.has_sources("prog1")) == ((), False)
    book.add_sources("prog1", iter(files))
    assert (book.sources("ada"), book.has_sources("prog1")) == (files, True)
    book.add_submissions([(handed(ADA), "prog3")])
    assert (book.sources("ada"), book.sources("bob")) == ((), ())
    book.add_sources("prog3", files[:1])
    book.add_sources("prog3", files[1:])
    assert book.sources("ada") == files[1:]


def test_it_is_of_one_assignment(book):
    with pytest.raises(UsageError) as caught:
        book.set_facts(assignment="csc101")
    assert str(caught.value) == f"{book.path}: this is a gradebook of blackjack, not of csc101; name another file"


def test_an_earlier_run_counts_again_if_all_is_as_it_was(book):
    book.add_report("ada", causes("prog1"), report(A))
    book.add_report("ada", causes("prog1", assignment="a2"), report(W))
    assert book.report("ada") == report(W)
    assert book.reuse_run("ada", causes("prog1"))
    assert book.report("ada") == report(A)


@pytest.mark.parametrize(
    "other", [causes("x"), causes("prog1", "x"), causes("prog1", "a1", "x"), causes("prog1", "a1", "q1", "x")]
)
def test_and_none_does_if_anything_has_changed(book, other):
    book.add_report("ada", causes("prog1"), report(A))
    assert not book.reuse_run("ada", other)
    assert not book.reuse_run("bob", causes("prog1"))


def test_a_fault_of_ours_displaces_nothing_and_is_run_again(book):
    book.add_report("ada", causes("prog1"), report(A))
    book.add_report("ada", causes("prog1", pitboss="p2"), report(F, faults=("out of memory",)))
    assert book.report("ada") == report(A)
    assert not book.reuse_run("ada", causes("prog1", pitboss="p2"))


def test_a_fault_counts_where_nothing_else_is_there_until_something_is(book):
    book.add_report("ada", causes("prog1"), report(F))
    assert book.report("ada") == report(F)
    book.add_report("ada", causes("prog1"), report(F, F))
    assert book.report("ada") == report(F, F)
    book.add_report("ada", causes("prog1"), report(W))
    assert book.report("ada") == report(W)


def test_an_instant_never_changes(book):
    book.add_submissions([(handed(ADA, at=LATER, attempt=2), "prog1")])
    row = book.row(ADA)
    assert (row.handed_in.at, row.handed_in.attempt) == (NOON, 2)


def test_unless_none_was_known(book):
    book.add_submissions([(handed(EVE, at=None), "prog3")])
    assert book.row(EVE).handed_in.at is None
    book.add_submissions([(handed(EVE, at=LATER), "prog3")])
    assert book.row(EVE).handed_in.at == LATER


def test_what_is_handed_in_again_counts_with_its_own_instant_and_the_old_run_does_not(book):
    book.add_report("ada", causes("prog1"), report(A))
    book.add_submissions([(handed(ADA, at=LATER), "prog9")])
    assert book.row(ADA).report is None
    assert book.row(ADA).handed_in.at == LATER
    book.add_submissions([(handed(ADA, at=LATER), "prog1")])
    assert book.row(ADA).handed_in.at == NOON
    assert book.reuse_run("ada", causes("prog1"))
    assert book.report("ada") == report(A)


def test_who_handed_in_nothing_is_there_too(book):
    book.add_submissions([(ImportedSubmission(EVE, None, None), "")])
    assert [row.person for row in book.rows()] == [ADA, BOB, EVE]
    assert book.row(EVE).handed_in is None


def test_marks_are_kept_and_the_last_of_a_kind_counts(book):
    book.add_mark("ada", STYLE, "4/5", by="tutor")
    book.add_mark("ada", STYLE, "9/10", by="tutor")
    book.add_mark("ada", OVERRIDE, "85", reason="agreed", by="tutor")
    book.add_mark("ada", DUE, LATER.isoformat(), by="tutor")
    book.add_mark("ada", COMMENT, "Good names.", by="tutor")
    book.add_mark("ada", COMMENT, "One long function.", by="tutor")
    row = book.row(ADA)
    assert (row.style, row.override.value, row.override.reason, row.due) == ("9/10", "85", "agreed", LATER.isoformat())
    assert [one.value for one in row.comments] == ["Good names.", "One long function."]
    book.add_mark("ada", OVERRIDE, "", by="tutor")
    assert book.row(ADA).override is None
    assert [one.value for one in book.marks("ada") if one.kind == OVERRIDE] == ["85", ""]


def test_nobody_else_can_be_marked(book):
    with pytest.raises(UsageError) as caught:
        book.add_mark("adam", STYLE, "1")
    assert str(caught.value) == f"{book.path}: nobody in this gradebook has the key 'adam'"


@given(st.fractions(), st.lists(st.tuples(st.text(), st.fractions())))
def test_a_grade_is_read_as_exactly_as_it_was(tmp_path_factory, score, lines):
    with Gradebook(tmp_path_factory.mktemp("book") / "one", may_be_new=True) as book:
        book.add_submissions([(handed(ADA), "prog1")])
        written = grade(score, *lines, out_of=Fraction(1, 3), open=("a", "b"))
        book.add_score("ada", written, ("why",))
        assert book.score("ada").grade == written
        assert book.score("ada").why == ("why",)


def test_sessions_that_end_otherwise_are_reported():
    before, now = report(A, W, A, A), report(W, W, A)
    assert sessions_changed(before, now) == [
        ("play", "case 1", "ACCEPTED", "WRONG_ANSWER"),
        ("play", "case 4", "ACCEPTED", ""),
    ]
    assert reasons((causes("p"), before), (causes("p", "a2"), now)) == (
        "the assignment's specs or its code have changed",
        "play, case 1: accepted before, wrong answer now",
        "play, case 4: accepted before, not run now",
    )


def test_many_are_counted():
    before, now = report(*[A] * 6), report(*[W] * 6)
    assert reasons((causes("p"), before), (causes("x", pitboss="y"), now))[-2:] == (
        "play, case 3: accepted before, wrong answer now",
        "3 more sessions changed",
    )
    assert reasons((causes("p"), before), (causes("x", pitboss="y"), now))[:2] == (
        "another program was handed in",
        "it was graded by another version of pitboss",
    )


def test_what_was_run_for_the_first_time_or_again_is_told_so():
    known = (causes("p"), report(A))
    assert reasons(known, None) == ()
    assert reasons(None, known) == ("graded for the first time",)
    assert reasons(known, known) == ("it was run again",)


@given(st.integers(-10_000_000, 10_000_000))
def test_a_day_that_has_begun_is_late_and_only_a_whole_one_is_early(seconds):
    days = days_late(NOON + datetime.timedelta(seconds=seconds), NOON)
    assert (days - 1) * 86_400 < seconds <= days * 86_400
