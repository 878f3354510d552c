import contextlib
import shutil
import tempfile
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pitboss.assignments.gradingfile import RubricItem
from pitboss.assignments.specfile import load_assignment
from pitboss.errors import UsageError
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.marking import merge
from pitboss.gradebook.marks import COMMENT, DUE, LATE, OVERRIDE, PICKED, RUBRIC, STYLE, Mark
from pitboss.gradebook.people import keys_in_parts
from pitboss.reports.score_table import merge_sentences
from pitboss.submissions.importers.imported import Person
from tests.conftest import TOY
from tests.gradebook.made import ADA, BOB, EVE, A, W, causes, report, submission_by

POLICY = load_assignment(TOY).grading


def make_mark(kind, value, by="ann", hour=10, reason=""):
    return Mark(kind, value, reason, by, f"2026-09-04T{hour:02}:00:00+00:00")


@pytest.fixture
def copy_gradebook(tmp_path):
    """A function that returns so many copies of one gradebook, with marks added to some of them.

    Ada and Bob are in the gradebook. Each further argument adds marks to one copy: a tuple of the number of the copy, the
    key of a person, and marks. The tests merge the other copies into the first, number 0.
    """
    path = tmp_path / "book"
    with Gradebook(path, may_be_new=True) as book:
        book.set_facts(assignment="teller")
        book.add_submissions([(submission_by(ADA), "p1"), (submission_by(BOB), "p2")])
        book.add_report("ada", causes("p1"), report(A, W, stage="teller"))
        book.add_report("bob", causes("p2"), report(A, A, stage="teller"))
    with contextlib.ExitStack() as stack:

        def make_copies(count, *added):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=tmp_path)))
            paths = [folder / f"copy{number}" for number in range(count)]
            for copy in paths:
                shutil.copy(path, copy)
            gradebooks = [stack.enter_context(Gradebook(copy)) for copy in paths]
            for number, person, *marks in added:
                gradebooks[number].replace_marks(person, [*gradebooks[number].marks(person), *marks])
            return gradebooks

        yield make_copies


def all_marks(book):
    return {person.key: book.marks(person.key) for person in book.people()}


def merge_all(book, *copies):
    return [merge(book, copy, POLICY, "merged") for copy in copies]


def test_all_added_marks_are_merged_and_the_latest_counts(copy_gradebook):
    mine, ann, bob = copy_gradebook(
        3,
        (1, "ada", make_mark(STYLE, "4/5", "ann", 10), make_mark(COMMENT, "Good.", "ann", 11)),
        (2, "ada", make_mark(STYLE, "9/10", "bob", 9)),
        (2, "bob", make_mark(OVERRIDE, "60", "bob", 9, "agreed")),
    )
    first, second = merge_all(mine, ann, bob)
    assert (first.added, first.already_present, first.people, first.conflicts) == (2, 0, 1, ())
    assert (second.added, second.people) == (2, 2)
    assert second.conflicts == ((ADA, make_mark(STYLE, "4/5", "ann", 10), make_mark(STYLE, "9/10", "bob", 9)),)
    assert mine.person_record(ADA).style == "4/5"
    assert [mark.by for mark in mine.marks("ada")] == ["bob", "ann", "ann"]
    assert [(change.person.name, str(change.now.score)) for change in second.changes if change.person == BOB] == [
        ("Bob Müller", "60")
    ]
    assert mine.scores("bob")[-1].why == ("merged",)


def test_merging_again_changes_nothing(copy_gradebook):
    mine, ann = copy_gradebook(2, (1, "bob", make_mark(OVERRIDE, "60", reason="agreed")))
    merge_all(mine, ann)
    before, scores = all_marks(mine), mine.scores("bob")
    (repeated,) = merge_all(mine, ann)
    assert (repeated.added, repeated.already_present, repeated.changes, repeated.conflicts) == (0, 1, (), ())
    assert (all_marks(mine), mine.scores("bob")) == (before, scores)


def test_equal_marks_of_two_graders_are_no_conflict(copy_gradebook):
    mine, ann = copy_gradebook(
        2, (0, "ada", make_mark(STYLE, "4/5", "bob", 9)), (1, "ada", make_mark(STYLE, "4/5", "ann"))
    )
    assert merge_all(mine, ann)[0].conflicts == ()
    assert len(mine.marks("ada")) == 2


def test_deleting_comments_without_seeing_a_new_one_is_a_conflict(copy_gradebook):
    mine, ann = copy_gradebook(
        2, (0, "ada", make_mark(COMMENT, "Good.", "bob", 9)), (1, "ada", make_mark(COMMENT, "", "ann", 10))
    )
    assert merge_all(mine, ann)[0].conflicts == (
        (ADA, make_mark(COMMENT, "", "ann", 10), make_mark(COMMENT, "Good.", "bob", 9)),
    )
    assert mine.person_record(ADA).comments == ()


def test_replacing_a_mark_that_was_in_the_copy_is_no_conflict(copy_gradebook, tmp_path):
    with Gradebook(tmp_path / "book") as book:
        book.replace_marks("ada", [make_mark(STYLE, "1/2", "ann", 8)])
    mine, bob = copy_gradebook(2, (1, "ada", make_mark(STYLE, "4/5", "bob", 9)))
    assert merge_all(mine, bob)[0].conflicts == ()
    assert mine.person_record(ADA).style == "4/5"


def test_a_person_unknown_to_the_gradebook_is_listed_and_not_merged(copy_gradebook):
    mine, ann = copy_gradebook(2, (1, "ada", make_mark(STYLE, "4/5")))
    ann.add_submissions([(submission_by(EVE), "p3")])
    ann.replace_marks("eve", [make_mark(STYLE, "1")])
    (outcome,) = merge_all(mine, ann)
    assert (outcome.added, outcome.unknown) == (1, (EVE,))


def test_a_gradebook_of_another_assignment_is_not_merged(copy_gradebook, tmp_path):
    (book,) = copy_gradebook(1)
    with Gradebook(tmp_path / "other", may_be_new=True) as other:
        other.set_facts(assignment="dice")
        with pytest.raises(UsageError, match=r"this is a gradebook of dice, and .* of teller"):
            merge(book, other, POLICY, "")


MARKS = st.lists(
    st.builds(
        make_mark,
        st.sampled_from([STYLE, COMMENT, LATE, DUE]),
        st.sampled_from(["", "1"]),
        st.sampled_from(["ann", "bob"]),
        st.integers(8, 11),
    ).filter(lambda mark: mark.kind != DUE or not mark.value),
    max_size=4,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(MARKS, st.lists(MARKS, min_size=3, max_size=3))
def test_merging_in_any_order_and_repeatedly_gives_each_mark_once(copy_gradebook, base, added):
    def merged_marks(*order):
        """Ada's marks after the copies with these numbers were merged into the copy 0, in this order."""
        gradebooks = copy_gradebook(4)
        for book, marks in zip(gradebooks, [[], *added], strict=True):
            book.replace_marks("ada", [*base, *marks])
        for number in order:
            merge(gradebooks[0], gradebooks[number], POLICY, "merged")
        return gradebooks[0].marks("ada")

    merged_once = merged_marks(1, 2, 3)
    # `|=` keeps the larger of two counts: a mark occurs as often as in the copy that has it most often.
    expected = Counter(base)
    for marks in added:
        expected |= Counter([*base, *marks])
    assert Counter(merged_once) == expected
    assert Counter(merged_marks(3, 1, 2)) == expected
    assert merged_marks(1, 2, 3, 1, 2, 3) == merged_once


@pytest.mark.parametrize("share_count", range(1, 8))
def test_shares_divide_the_class_evenly_without_overlap(share_count):
    class_ = [Person(f"p{number}", f"p{number}") for number in range(6)]
    shares = [keys_in_parts(class_, [f"{number}/{share_count}"]) for number in range(1, share_count + 1)]
    assert sorted(key for share in shares for key in share) == [person.key for person in class_]
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("C", "--only 'C' — it must be a section, or a share such as 1/3; sections are A, B"),
        ("4/3", "--only '4/3' — the first of 3 shares is 1/3, the last is 3/3"),
        ("0/3", "--only '0/3' — the first of 3 shares is 1/3, the last is 3/3"),
    ],
)
def test_an_invalid_part_of_a_class_is_refused(word, sentence):
    with pytest.raises(UsageError) as caught:
        keys_in_parts([ADA, BOB, EVE], [word])
    assert str(caught.value) == sentence
    assert keys_in_parts([ADA, BOB, EVE], ["b", "1/3"]) == {"ada", "eve"}


def test_rubric_items_picked_in_a_copy_are_merged(copy_gradebook):
    book, copy = copy_gradebook(2)
    leaks, names = RubricItem("leaks", "memory is not freed", "-2"), RubricItem("names", "good names", "1")
    book.set_rubric([leaks])
    copy.set_rubric([msgspec.structs.replace(leaks, points="-5"), names])
    copy.add_mark("ada", f"{RUBRIC}names", PICKED, by="bob")
    book.add_mark("bob", f"{RUBRIC}leaks", PICKED, by="ann")
    copy.add_mark("bob", f"{RUBRIC}leaks", "", by="bob")
    (outcome,) = merge_all(book, copy)
    assert book.rubric() == (leaks, names)
    assert book.person_record(ADA).picked == (names,)
    assert outcome.other_items == ("leaks",)
    assert [(conflict.person, conflict.in_effect.value) for conflict in outcome.conflicts] == [(BOB, "")]
    assert list(merge_sentences("copy", outcome, {"bob": "Bob"}))[1] == (
        "copy: its rubric differs in leaks; the gradebook's items are used"
    )
    assert merge_all(book, copy)[0].added == 0
