from fractions import Fraction

import msgspec

from pitboss.assignments.grading_policy import GradingPolicy, StagePolicy
from pitboss.gradebook.grades import Circumstances, GradeLine, Override
from pitboss.gradebook.scoring import Distribution, GradedPerson, distribution_of, policy_effects
from pitboss.reports.report import as_text
from pitboss.reports.score_table import policy_table
from tests.gradebook.reports import report, stage

OLD = GradingPolicy((StagePolicy("a", Fraction(60)), StagePolicy("b", Fraction(40))))
NEW = GradingPolicy((StagePolicy("a", Fraction(60), "none"), StagePolicy("b", Fraction(50))))
#: Cleo has handed in nothing, a session of Dan could not be judged, and the score of Eve was set by a grader.
CLASS = (
    GradedPerson("ada", report(stage("a", "+"), stage("b", "+"))),
    GradedPerson("bob", report(stage("a", "+-"), stage("b", "-"))),
    GradedPerson("cleo", None),
    GradedPerson("dan", report(stage("a", "!"), stage("b", "+")), Circumstances()),
    GradedPerson(
        "eve", report(stage("a", "-"), stage("b", "-")), Circumstances(override=Override(Fraction(50), "ill"))
    ),
)


def test_each_person_has_both_grades_and_the_lines_that_differ():
    ada, bob, cleo, dan, eve = policy_effects(CLASS, OLD, NEW)
    assert [person.name for person in (ada, bob, cleo, dan, eve)] == [person.name for person in CLASS]
    assert (ada.old.score, ada.new.score, ada.difference) == (100, 110, 10)
    assert ada.old_lines == (GradeLine("b: 40 of 40 points, 1 of 1 session accepted", Fraction(40)),)
    assert ada.new_lines == (GradeLine("b: 50 of 50 points, 1 of 1 session accepted", Fraction(50)),)
    assert (bob.old.score, bob.new.score, bob.difference) == (30, 0, -30)
    assert [line.text for line in bob.new_lines] == [
        "a: 0 of 60 points, 1 of 2 sessions accepted, and it is graded all or nothing",
        "b: 0 of 50 points, 0 of 1 session accepted",
    ]
    assert (cleo.difference, cleo.old_lines, cleo.new_lines) == (0, (), ())
    assert (dan.old.at_most, dan.new.at_most, dan.difference) == (100, 110, None)
    assert (eve.difference, len(eve.new_lines)) == (0, 2)


def test_scores_are_summarized_exactly():
    scores = [Fraction(score) for score in (50, 0, 100, 30)]
    assert distribution_of(scores) == Distribution(lowest=0, median=40, mean=45, highest=100)
    assert distribution_of(scores[1:]) == Distribution(lowest=0, median=30, mean=Fraction(130, 3), highest=100)
    assert distribution_of([]) is None


def test_the_table_counts_the_changes_and_compares_scores_that_are_final_under_both_policies():
    lines = as_text(policy_table(policy_effects(CLASS, OLD, NEW), has_details=False), width=80).splitlines()
    assert "1 would rise, 1 would fall, 2 would stay, 1 unknown" in lines
    assert [line.split() for line in lines[-4:]] == [
        ["lowest", "0", "0"],
        ["median", "40", "25"],
        ["mean", "45", "40"],
        ["highest", "100", "110"],
    ]


def test_a_changed_maximum_counts_as_a_change():
    longer_policy = msgspec.structs.replace(OLD, stages=(*OLD.stages, StagePolicy("c", Fraction(10), is_optional=True)))
    (cleo,) = policy_effects(CLASS[2:3], OLD, longer_policy)
    assert (cleo.difference, cleo.is_changed) == (0, True)
    assert [change.is_changed for change in policy_effects(CLASS, OLD, OLD)] == [False] * 5
    assert [change.is_changed for change in policy_effects(CLASS, OLD, NEW)] == [True] * 5


def test_removing_one_of_two_equal_lines_is_reported_once():
    twice = msgspec.structs.replace(OLD, stages=(OLD.stages[0], OLD.stages[0]))
    (ada,) = policy_effects(CLASS[:1], twice, OLD)
    assert [line.text for line in ada.old_lines] == ["a: 60 of 60 points, 1 of 1 session accepted"]
