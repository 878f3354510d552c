"""Marks of copies of a gradebook, merged: nothing is lost, nothing is there twice, and what differs is listed."""

import contextlib
import shutil
import tempfile
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pitboss.assignments.rubricfile import RubricItem
from pitboss.assignments.specfile import load_assignment
from pitboss.errors import UsageError
from pitboss.gradebook.book import COMMENT, DUE, LATE, OVERRIDE, PICKED, RUBRIC, STYLE, Gradebook
from pitboss.gradebook.merging import merge
from pitboss.gradebook.people import keys_in_parts
from pitboss.gradebook.person_records import Mark
from pitboss.reports.merge_words import merge_sentences
from tests.conftest import TOY
from tests.gradebook.made import ADA, BOB, EVE, A, W, causes, handed, report

POLICY = load_assignment(TOY).grading


def said(kind, value, by="ann", at=10, reason=""):
    return Mark(kind, value, reason, by, f"2026-09-04T{at:02}:00:00+00:00")


@pytest.fixture
def books(tmp_path):
    """Makes copies of one gradebook of two people, the first of which is the gradebook itself."""
    path = tmp_path / "book"
    with Gradebook(path, may_be_new=True) as book:
        book.set_facts(assignment="teller")
        book.add_submissions([(handed(ADA), "p1"), (handed(BOB), "p2")])
        book.add_report("ada", causes("p1"), report(A, W, stage="teller"))
        book.add_report("bob", causes("p2"), report(A, A, stage="teller"))
    with contextlib.ExitStack() as stack:

        def opened(count, *added):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=tmp_path)))
            paths = [folder / f"copy{number}" for number in range(count)]
            for one in paths:
                shutil.copy(path, one)
            found = [stack.enter_context(Gradebook(one)) for one in paths]
            for number, person, *marks in added:
                found[number].replace_marks(person, [*found[number].marks(person), *marks])
            return found

        yield opened


def all_marks(book):
    return {person.key: book.marks(person.key) for person in book.people()}


def merged(book, *copies):
    return [merge(book, one, POLICY, "merged") for one in copies]


def test_what_each_has_added_is_there_and_the_later_one_counts(books):
    mine, ann, bob = books(
        3,
        (1, "ada", said(STYLE, "4/5", "ann", 10), said(COMMENT, "Good.", "ann", 11)),
        (2, "ada", said(STYLE, "9/10", "bob", 9)),
        (2, "bob", said(OVERRIDE, "60", "bob", 9, "agreed")),
    )
    first, second = merged(mine, ann, bob)
    assert (first.added, first.already_present, first.people, first.conflicts) == (2, 0, 1, ())
    assert (second.added, second.people) == (2, 2)
    assert second.conflicts == ((ADA, said(STYLE, "4/5", "ann", 10), said(STYLE, "9/10", "bob", 9)),)
    assert mine.row(ADA).style == "4/5"
    assert [mark.by for mark in mine.marks("ada")] == ["bob", "ann", "ann"]
    assert [(one.person.name, str(one.now.score)) for one in second.changes if one.person == BOB] == [
        ("Bob Müller", "60")
    ]
    assert mine.scores("bob")[-1].why == ("merged",)


def test_merging_again_changes_nothing(books):
    mine, ann = books(2, (1, "bob", said(OVERRIDE, "60", reason="agreed")))
    merged(mine, ann)
    before, scores = all_marks(mine), mine.scores("bob")
    (again,) = merged(mine, ann)
    assert (again.added, again.already_present, again.changes, again.conflicts) == (0, 1, (), ())
    assert (all_marks(mine), mine.scores("bob")) == (before, scores)


def test_two_who_say_the_same_do_not_contradict(books):
    mine, ann = books(2, (0, "ada", said(STYLE, "4/5", "bob", 9)), (1, "ada", said(STYLE, "4/5", "ann")))
    assert merged(mine, ann)[0].conflicts == ()
    assert len(mine.marks("ada")) == 2


def test_a_comment_that_somebody_took_back_without_having_seen_it_is_listed(books):
    mine, ann = books(2, (0, "ada", said(COMMENT, "Good.", "bob", 9)), (1, "ada", said(COMMENT, "", "ann", 10)))
    assert merged(mine, ann)[0].conflicts == ((ADA, said(COMMENT, "", "ann", 10), said(COMMENT, "Good.", "bob", 9)),)
    assert mine.row(ADA).comments == ()


def test_what_was_there_when_it_was_copied_is_no_conflict(books, tmp_path):
    with Gradebook(tmp_path / "book") as book:
        book.replace_marks("ada", [said(STYLE, "1/2", "ann", 8)])
    mine, bob = books(2, (1, "ada", said(STYLE, "4/5", "bob", 9)))
    assert merged(mine, bob)[0].conflicts == ()
    assert mine.row(ADA).style == "4/5"


def test_whom_the_gradebook_does_not_have_is_named_and_all_others_are_merged(books):
    mine, ann = books(2, (1, "ada", said(STYLE, "4/5")))
    ann.add_submissions([(handed(EVE), "p3")])
    ann.replace_marks("eve", [said(STYLE, "1")])
    (done,) = merged(mine, ann)
    assert (done.added, done.unknown) == (1, (EVE,))


def test_a_gradebook_of_another_assignment_is_not_merged(books, tmp_path):
    (mine,) = books(1)
    with Gradebook(tmp_path / "other", may_be_new=True) as other:
        other.set_facts(assignment="dice")
        with pytest.raises(UsageError, match=r"this is a gradebook of dice, and .* of teller"):
            merge(mine, other, POLICY, "")


MARKS = st.lists(
    st.builds(
        said,
        st.sampled_from([STYLE, COMMENT, LATE, DUE]),
        st.sampled_from(["", "1"]),
        st.sampled_from(["ann", "bob"]),
        st.integers(8, 11),
    ).filter(lambda mark: mark.kind != DUE or not mark.value),
    max_size=4,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(MARKS, st.lists(MARKS, min_size=3, max_size=3))
def test_every_mark_of_every_copy_is_there_once_however_often_and_in_whatever_order(books, base, added):
    def together(*order):
        opened = books(4)
        for book, more in zip(opened, [[], *added], strict=True):
            book.replace_marks("ada", [*base, *more])
        for number in order:
            merge(opened[0], opened[number], POLICY, "merged")
        return opened[0].marks("ada")

    once = together(1, 2, 3)
    wanted = Counter(base)
    for more in added:
        wanted |= Counter([*base, *more])
    assert Counter(once) == wanted
    assert Counter(together(3, 1, 2)) == wanted
    assert together(1, 2, 3, 1, 2, 3) == once


@pytest.mark.parametrize("of", range(1, 8))
def test_shares_are_the_whole_class_and_nobody_twice(of):
    class_ = [type(ADA)(f"p{number}", f"p{number}") for number in range(6)]
    shares = [keys_in_parts(class_, [f"{number}/{of}"]) for number in range(1, of + 1)]
    assert sorted(key for share in shares for key in share) == [one.key for one in class_]
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("C", "--only 'C' — it must be a section, or a share such as 1/3; sections are A, B"),
        ("4/3", "--only '4/3' — of 3 shares the first is 1/3, and the last 3/3"),
        ("0/3", "--only '0/3' — of 3 shares the first is 1/3, and the last 3/3"),
    ],
)
def test_what_is_no_part_of_a_class_is_reported(word, sentence):
    with pytest.raises(UsageError) as caught:
        keys_in_parts([ADA, BOB, EVE], [word])
    assert str(caught.value) == sentence
    assert keys_in_parts([ADA, BOB, EVE], ["b", "1/3"]) == {"ada", "eve"}


def test_rubrics_are_merged_so_that_what_is_picked_in_a_copy_counts(books):
    book, copy = books(2)
    leaks, names = RubricItem("leaks", "memory is not freed", "-2"), RubricItem("names", "good names", "1")
    book.set_rubric([leaks])
    copy.set_rubric([msgspec.structs.replace(leaks, points="-5"), names])
    copy.add_mark("ada", f"{RUBRIC}names", PICKED, by="bob")
    book.add_mark("bob", f"{RUBRIC}leaks", PICKED, by="ann")
    copy.add_mark("bob", f"{RUBRIC}leaks", "", by="bob")
    (done,) = merged(book, copy)
    assert book.rubric() == (leaks, names)
    assert book.row(ADA).picked == (names,)
    assert done.other_items == ("leaks",)
    assert [(one.person, one.counts.value) for one in done.conflicts] == [(BOB, "")]
    assert list(merge_sentences("copy", done, {"bob": "Bob"}))[1] == (
        "copy: its rubric differs in leaks; the gradebook's items are used"
    )
    assert merged(book, copy)[0].added == 0
