"""A change of the reference that nobody catalogued is found, and told to the student as a place and never as a name."""

import json

import msgspec
import pytest

from pitboss.harness.assignments.functions import resolved
from pitboss.harness.assignments.specfile import load_assignment
from pitboss.harness.errors import HarnessError
from pitboss.harness.judging.results import Diagnosis, Report, StageReport
from pitboss.harness.judging.verdicts import Verdict
from pitboss.harness.mistakes.diagnosis import diagnosed
from pitboss.harness.mistakes.mechanical import ID, changes_that_explain, decided_at
from pitboss.harness.mutation.copies import Original
from pitboss.harness.mutation.limits import carefully, loaded, run_of
from pitboss.harness.mutation.ran import Ran
from pitboss.harness.reports.json_and_csv import check_json, grade_json
from pitboss.harness.reports.mistakes import Told, told
from tests.conftest import ROOT
from tests.mistakes.sessions import witnesses


@pytest.fixture(scope="module")
def hello():
    stage = load_assignment(ROOT / "tests" / "toy" / "hello").stages[1]
    return msgspec.structs.replace(stage, mistakes="")


def mutants_of(stage, prefix=""):
    """The reference, and all changes of what it loads but those of texts."""
    resolved(stage.reference.function, stage.name)
    original = Original(stage.reference.function)
    Ran(original)
    names = [name for name in original.modules if name.startswith(prefix)]
    every = [one for name in names for one in original.module(name).mutants(range(original.module(name).size))]
    return original, [one for one in every if not one.is_of_text]


def seen_of(stage, original, mutant):
    """The failed and the accepted sessions of a mutant; none if it fails or does not end in one of them."""
    with carefully():
        main = loaded(mutant, original, stage.options)
        try:
            seen = list(witnesses(stage, run_of(main), 12)) if main is not None else []
        except HarnessError:
            return [], []
    return [one for one in seen if not one.is_accepted], [one for one in seen if one.is_accepted]


def test_what_one_change_does_is_found_and_its_place_is_told(hello):
    original, every = mutants_of(hello)
    tried, told = [], 0
    for mutant in every:
        failed, accepted = seen_of(hello, original, mutant)
        if failed:
            tried.append(mutant.id)
            found = changes_that_explain(hello, failed, accepted)
            assert all(one.id == ID and one.hint == "" for one in found)
            note = f"It behaves as the reference with one thing changed: {mutant.id}."
            told += bool(found)
            assert len(found) in (0, 6) or note in [one.note for one in found]
    assert len(tried) > 5
    assert told >= len(tried) - 1  # of a change that all sessions show others may be tried first


def test_the_place_is_what_the_docstring_or_the_comment_says():
    deal = load_assignment(ROOT / "specs" / "blackjack").stage("deal")
    original, every = mutants_of(deal, "pitboss.reference.blackjack")
    places = {mutant.id.partition(": ")[0]: decided_at(original, mutant) for mutant in every}
    assert places["pitboss.reference.blackjack.deal:main"] == ""
    assert places["pitboss.reference.blackjack.rules:Rules.busts"] == "Whether a hand is over 21"
    assert places["pitboss.reference.blackjack.deal:dealt"] == (
        "Two hands with the first four cards, which are removed from the deck"
    )
    by_field = {mutant.id.split(" = ")[0]: decided_at(original, mutant) for mutant in every}
    assert (
        by_field["pitboss.reference.blackjack.rules:Rules: dealer_stands_at: int"]
        == "The total below which the dealer draws"
    )


def test_a_name_goes_before_a_place_and_a_place_is_no_name(hello):
    original, every = mutants_of(hello)
    mutant = next(one for one in every if seen_of(hello, original, one)[0])
    failed, accepted = seen_of(hello, original, mutant)
    found = diagnosed(hello, [*failed, *accepted])
    assert [one.is_place for one in found] == [True] * len(found)


def test_the_student_is_told_the_place_and_the_instructor_the_change():
    change = "It behaves as the reference with one thing changed: game:_gain: a > b → a >= b."
    place = Diagnosis(ID, "who has won, and what is paid", "", change, 7, 7, 9, is_place=True)
    assert told([place]) == [
        Told("where to look", ("who has won, and what is paid",), "(one change there explains all 7 that failed).")
    ]
    other = msgspec.structs.replace(place, title="whether the dealer draws", explains=1, of=1)
    assert told([other, place]) == [
        Told(
            "where to look, at one of these",
            ("whether the dealer draws", "who has won, and what is paid"),
            "(one change there explains 1 of 1 that failed).",
        )
    ]
    report = Report("a", "A", "b", (StageReport("play", "Play", Verdict.WRONG_ANSWER, diagnosis=(place,)),))
    (for_student,) = json.loads(check_json(report))["stages"][0]["diagnosis"]
    (for_instructor,) = json.loads(grade_json("a", [report]))["submissions"][0]["stages"][0]["diagnosis"]
    assert "note" not in for_student
    assert for_instructor == {**for_student, "note": change}


def test_what_assignments_share_has_no_words_for_a_student():
    """Its docstrings are for programmers: of reading a number they tell what Python converts."""
    shuffle = load_assignment(ROOT / "specs" / "blackjack").stage("shuffle")
    original, every = mutants_of(shuffle, "pitboss.reference.words")
    assert every
    assert {decided_at(original, mutant) for mutant in every} == {""}
