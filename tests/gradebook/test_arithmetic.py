"""Grades computed by hand: what the brief says of the seeded ladder, and each rule that a policy can have."""

from decimal import Decimal
from fractions import Fraction

import msgspec
import pytest

from pitboss.assignments.grading_policy import GradingPolicy, LateRow, Rounding, StagePolicy
from pitboss.assignments.specfile import load_assignment
from pitboss.compare.published import student_report
from pitboss.compare.verdicts import Verdict
from pitboss.gradebook.arithmetic import grade_of
from pitboss.gradebook.grades import Circumstances, Lateness, Override
from pitboss.model.construct_rules import Broken
from tests.conftest import ROOT
from tests.gradebook.reports import report, said, session, stage

LADDER = ("shuffle", "deal", "play", "betting", "errors")
BRIEF = load_assignment(ROOT / "specs" / "blackjack").grading
ON_TIME = Circumstances(0, Fraction(1))


def up_to(count, *, then="+-"):
    """A report with this many perfect stages; the next fails, and those after it are not run."""
    stages = [stage(name, "++") for name in LADDER[:count]]
    stages += [stage(name, then) for name in LADDER[count : count + 1]]
    return report(*stages, *(stage(name, verdict=Verdict.SKIPPED) for name in LADDER[count + 1 :]))


def worth(*points, **fields):
    """A policy for the stages a, b, … with these points."""
    return GradingPolicy(
        tuple(StagePolicy(name, Fraction(one)) for name, one in zip("abcd", points, strict=False)), **fields
    )


def changed(policy, name, **fields):
    stages = [msgspec.structs.replace(one, **fields) if one.name == name else one for one in policy.stages]
    return msgspec.structs.replace(policy, stages=tuple(stages))


@pytest.mark.parametrize(
    ("reached", "days", "style", "score"),
    [
        (0, 0, 1, "0"),
        (1, 0, 1, "40"),
        (2, 0, 1, "70"),
        (3, 0, 1, "100"),
        (4, 0, 1, "105"),
        (5, 0, 1, "110"),
        (3, 0, 0, "70"),
        (3, 0, "0.8", "94"),
        (2, 0, "0.5", "59.5"),
        (3, -1, 1, "105"),
        (3, -4, 1, "105"),
        (5, -1, 1, "115.5"),
        (3, 1, 1, "90"),
        (3, 2, 1, "60"),
        (3, 3, 1, "0"),
        (5, 30, 1, "0"),
        (1, 1, "0.5", "30.6"),
    ],
)
def test_the_grades_of_the_brief(reached, days, style, score):
    grade = grade_of(up_to(reached), BRIEF, Circumstances(days, Fraction(style)))
    assert (grade.score, grade.out_of, grade.open) == (Fraction(score), 100, ())


def test_every_step_of_a_grade_is_a_line():
    grade = grade_of(up_to(2), BRIEF, Circumstances(1, Fraction("0.8")))
    assert said(grade) == [
        ("shuffle: 40 of 40 points × 70 %, 2 of 2 sessions accepted", 28),
        ("deal: 30 of 30 points × 70 %, 2 of 2 sessions accepted", 21),
        ("play: 0 of 30 points × 70 %, 1 of 2 sessions accepted, and it is graded all or nothing", 0),
        ("betting: 0 of 5 points × 70 %, it counts only when shuffle, deal and play are perfect, and play is not", 0),
        (
            "errors: 0 of 5 points × 70 %, it counts only when shuffle, deal, play and betting are perfect, and play and "
            "betting are not",
            0,
        ),
        ("extra: 0 of 10 points × 70 %, not handed in", 0),
        ("style: 80 % of 21 points", Fraction("16.8")),
        ("1 day late: −10 %", Fraction("-6.58")),
    ]
    assert grade.score == grade.so_far == grade.at_most == Fraction("59.22")


def test_an_extra_of_ones_own_adds_up_to_ten_points_and_all_to_110():
    own = stage("extra", verdict=Verdict.NEEDS_REVIEW, is_manual=True)

    def score(reached, given):
        circumstances = Circumstances(0, Fraction(1), by_person=(("extra", Fraction(given)),))
        whole = up_to(reached)
        return grade_of(report(*whole.stages, own), BRIEF, circumstances).score

    assert [score(2, 1), score(3, 0), score(3, "0.5"), score(3, 1), score(4, "0.4"), score(4, 1), score(5, 1)] == [
        *(70, 100, 105, 110, 109, 110, 110)
    ]


def test_what_a_person_has_yet_to_give_leaves_a_grade_open():
    own = stage("extra", verdict=Verdict.NEEDS_REVIEW, is_manual=True)
    grade = grade_of(report(*up_to(3).stages, own), BRIEF, Circumstances(0))
    assert (grade.score, grade.so_far, grade.at_most) == (None, 70, 110)
    assert grade.open == ("extra has not been graded yet", "style has not been graded yet")
    assert said(grade)[-2:] == [
        ("extra: 0 of 10 points × 70 %, not graded yet", 0),
        ("style: not graded yet, of 30 points", 0),
    ]
    shut = grade_of(report(*up_to(2).stages, own), BRIEF, ON_TIME)
    assert (shut.score, shut.open) == (70, ())
    none = grade_of(up_to(3), BRIEF, Circumstances(3))
    assert (none.score, none.open) == (0, ())


def test_a_person_may_grade_what_we_could_not_build_or_run():
    policy = GradingPolicy((StagePolicy("own", Fraction(10), is_manual=True),))
    for verdict, given, expected in (
        (Verdict.JUDGE_ERROR, "0.5", 5),
        (Verdict.NEEDS_REVIEW, "1", 10),
        (Verdict.NOT_HANDED_IN, "1", 0),
        (Verdict.EMPTY, "1", 0),
    ):
        made = report(stage("own", verdict=verdict, is_manual=True), stage("a", verdict=Verdict.SKIPPED))
        assert grade_of(made, policy, Circumstances(by_person=(("own", Fraction(given)),))).score == expected


@pytest.mark.parametrize("made", [None, report(*(stage(name, verdict=Verdict.EMPTY) for name in LADDER))])
def test_nothing_handed_in_is_0_whatever_else_is_not_known(made):
    grade = grade_of(made, BRIEF, Circumstances())
    assert (grade.score, said(grade), grade.open, grade.out_of) == (0, [("nothing was handed in", 0)], (), 100)


def test_partial_credit_is_the_share_of_accepted_sessions_by_the_points_of_their_cases():
    grade = grade_of(report(stage("a", "+" * 18 + "-" * 18)), worth(60), Circumstances())
    assert said(grade) == [("a: 30 of 60 points, 18 of 36 sessions accepted", 30)]
    grade = grade_of(report(stage("a", ("++", 5), ("+-", 1))), worth(60), Circumstances())
    assert said(grade) == [("a: 55 of 60 points, 3 of 4 sessions accepted, worth 11 of 12", 55)]
    grade = grade_of(report(stage("a", ("+", Decimal("0.5")), ("-", 3))), worth(70), Circumstances())
    assert said(grade) == [("a: 10 of 70 points, 1 of 2 sessions accepted, worth 0.5 of 3.5", 10)]
    grade = grade_of(report(stage("a", ("+-0", 1))), worth(100), Circumstances())
    assert said(grade) == [("a: about 33.33 of 100 points, 1 of 3 sessions accepted", Fraction(100, 3))]


def test_partial_credit_by_cases_wants_all_sessions_of_a_case():
    policy = changed(worth(60), "a", partial_credit="cases")
    grade = grade_of(report(stage("a", "+-+", ("+", 2))), policy, Circumstances())
    assert said(grade) == [("a: 40 of 60 points, 1 of 2 cases accepted, worth 2 of 3", 40)]
    grade = grade_of(report(stage("a", "+++", "-")), policy, Circumstances())
    assert said(grade) == [("a: 30 of 60 points, 1 of 2 cases accepted", 30)]


def test_cases_on_one_line_of_a_file_or_of_one_name_are_distinguished():
    policy = changed(worth(60), "a", partial_credit="cases")
    results = (
        session("x", "+", place="a.yaml:3"),
        session("y", "-", place="a.yaml:3"),
        session("x", "+", place="b.yaml:3"),
    )
    made = report(stage("a", verdict=Verdict.WRONG_ANSWER))
    made = report(msgspec.structs.replace(made.stages[0], results=results))
    assert grade_of(made, policy, Circumstances()).score == 40


def test_cases_worth_nothing_earn_nothing_and_all_of_a_stage_whose_cases_all_are():
    assert grade_of(report(stage("a", ("-", 0), "+")), worth(10), Circumstances()).score == 10
    assert grade_of(report(stage("a", ("-", 0), ("+", 0))), worth(10), Circumstances()).score == 0
    gated = changed(worth(10, 10), "b", gates=("a",))
    assert grade_of(report(stage("a", ("-", 0), "+"), stage("b", "+")), gated, Circumstances()).score == 10


def test_a_dropped_case_counts_nowhere_and_its_stage_can_be_perfect_without_it():
    policy = changed(changed(worth(50, 50), "a", dropped=("case 2",)), "b", gates=("a",))
    grade = grade_of(report(stage("a", "++", "--"), stage("b", "+")), policy, Circumstances())
    assert said(grade) == [
        ("a: 50 of 50 points, 2 of 2 sessions accepted, 1 case dropped", 50),
        ("b: 50 of 50 points, 1 of 1 session accepted", 50),
    ]
    grade = grade_of(report(stage("a", "+-", "++"), stage("b", "+")), policy, Circumstances())
    assert said(grade) == [
        ("a: 25 of 50 points, 1 of 2 sessions accepted, 1 case dropped", 25),
        ("b: 0 of 50 points, it counts only when a is perfect", 0),
    ]


def test_a_recorded_case_is_dropped_by_its_whole_name():
    policy = changed(worth(50), "a", dropped=("first, seed 7",))
    results = (session("first, seed 7", "-", place="a.yaml:3"), session("second", "+", place="a.yaml:5"))
    base = stage("a", verdict=Verdict.WRONG_ANSWER)
    made = report(msgspec.structs.replace(base, results=results))
    assert grade_of(made, policy, Circumstances()).score == 50


@pytest.mark.parametrize(
    ("cases", "count", "score"),
    [
        (("--", "+", "+"), 1, 100),
        (("--", "-", "+"), 1, 50),
        (("--", "-", "+"), 2, 100),
        ((("-", 1), ("-" + "+" * 9, 1)), 1, 90),
        ((("-", 1), ("+-", 10), ("+", 1)), 1, Fraction(1100, 21)),
        ((("-", 1), ("++++++++--", 1)), 1, 80),
        ((("-", 0), ("-", 1), ("+", 1)), 1, 100),
    ],
)
def test_of_the_lowest_those_are_dropped_without_which_the_share_is_largest(cases, count, score):
    policy = changed(worth(100), "a", drop_lowest=count)
    assert grade_of(report(stage("a", *cases)), policy, Circumstances()).score == score


def test_of_a_report_with_few_cases_one_counts_at_least():
    """As when a single case was asked for."""
    policy = changed(worth(100), "a", drop_lowest=2)
    assert [grade_of(report(stage("a", case)), policy, Circumstances()).score for case in ("+-", "-", "+")] == [
        50,
        0,
        100,
    ]
    by_name = changed(worth(100), "a", dropped=("case 1",))
    assert [grade_of(report(stage("a", case)), by_name, Circumstances()).score for case in ("+-", "+")] == [0, 100]
    assert grade_of(report(stage("a", "+!")), by_name, Circumstances()).at_most == 100


def test_a_stage_whose_sessions_are_accepted_although_it_is_not_earns_nothing():
    finding = {
        "verdict": Verdict.WRONG_ANSWER,
        "summary": "Every session draws the same: each run must draw new values.",
    }
    for cases in ("++", "+-"):
        grade = grade_of(report(stage("a", cases, **finding), stage("b", "+")), worth(50, 50), Circumstances())
        assert grade.score == 50
    assert said(grade)[0] == ("a: 0 of 50 points, 1 of 2 sessions accepted, but not the stage", 0)


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (Verdict.NOT_HANDED_IN, "not handed in"),
        (Verdict.COMPILE_ERROR, "compile error"),
        (Verdict.EMPTY, "empty"),
        (Verdict.NOT_OFFERED, "not offered"),
    ],
)
def test_what_cannot_be_judged_earns_nothing_and_shuts_its_gates(verdict, words):
    policy = changed(worth(50, 50), "b", gates=("a",))
    grade = grade_of(report(stage("a", verdict=verdict), stage("b", "+")), policy, Circumstances())
    assert said(grade)[0] == (f"a: 0 of 50 points, {words}", 0)
    assert (grade.score, grade.open) == (0, ())
    made = report(stage("a", "++", verdict=Verdict.NOT_OFFERED), stage("b", "+"))
    assert grade_of(made, worth(50, 50), Circumstances()).score == 50


def test_an_optional_stage_that_was_not_handed_in_hinders_nothing():
    policy = changed(changed(worth(50, 50, 10), "b", is_optional=True), "c", gates=("a", "b"), is_extra=True)
    policy = changed(changed(changed(policy, "a", cap=Fraction(50)), "b", cap=Fraction(60)), "c", cap=Fraction(100))
    grade = grade_of(report(stage("a", "+"), stage("c", "+")), policy, Circumstances())
    assert (grade.score, grade.open) == (60, ())
    assert said(grade)[1] == ("b: 0 of 50 points, not handed in", 0)


def test_of_an_optional_stage_that_was_not_asked_for_nothing_is_known():
    policy = changed(changed(worth(50, 50, 10), "b", is_optional=True), "c", gates=("a", "b"), is_extra=True)
    grade = grade_of(report(stage("a", "+"), stage("c", "+"), unasked=("b",)), policy, Circumstances())
    assert (grade.score, grade.so_far, grade.at_most, grade.open) == (None, 50, 110, ("b was not checked",))
    assert said(grade)[1] == ("b: 0 of 50 points, not checked", 0)


def test_nor_of_one_that_a_person_grades_whatever_that_person_gives():
    policy = changed(worth(100, 10), "b", is_optional=True, is_manual=True, is_extra=True)
    given = Circumstances(by_person=(("b", Fraction(1)),))
    grade = grade_of(report(stage("a", "+"), unasked=("b",)), policy, given)
    assert (grade.score, grade.so_far, grade.at_most, grade.open) == (None, 100, 110, ("b was not checked",))


def test_our_fault_leaves_a_grade_open():
    made = report(stage("a", "++!"), stage("b", verdict=Verdict.SKIPPED))
    policy = changed(worth(60, 40), "b", gates=("a",))
    grade = grade_of(made, policy, Circumstances())
    assert (grade.score, grade.so_far, grade.at_most) == (None, 40, 100)
    assert grade.open == ("1 session of a could not be judged", "b was not run")
    assert said(grade) == [
        ("a: 40 of 60 points, 2 of 3 sessions accepted, 1 session not judged (our fault)", 40),
        ("b: 0 of 40 points, it counts only when a is perfect", 0),
    ]


def test_our_fault_that_could_change_nothing_leaves_nothing_open():
    policy = changed(changed(worth(60, 40), "a", partial_credit="none"), "b", gates=("a",))
    grade = grade_of(report(stage("a", "+-!"), stage("b", verdict=Verdict.SKIPPED)), policy, Circumstances())
    assert (grade.score, grade.open) == (0, ())
    late = worth(60, late=(LateRow(0, Fraction(0)), LateRow(1, Fraction(-1))))
    grade = grade_of(report(stage("a", verdict=Verdict.JUDGE_ERROR)), late, Circumstances(1))
    assert (grade.score, grade.open) == (0, ())
    assert said(grade) == [
        ("a: 0 of 60 points, it could not be judged (our fault)", 0),
        ("1 day late: no credit", 0),
    ]


def test_only_what_could_change_the_sum_is_reported():
    policy = changed(changed(worth(50, 50, 50), "a", partial_credit="none"), "b", gates=("a",))
    made = report(stage("a", "-!"), stage("b", "!"), stage("c", verdict=Verdict.JUDGE_ERROR))
    grade = grade_of(made, policy, Circumstances())
    assert (grade.score, grade.open, grade.at_most) == (None, ("c could not be judged",), 50)


def test_a_finding_beside_a_fault_may_be_mended():
    made = report(stage("a", "+!", verdict=Verdict.JUDGE_ERROR, summary="It never rolls 6."))
    grade = grade_of(made, worth(50), Circumstances())
    assert (grade.score, grade.so_far, grade.at_most) == (None, 0, 50)


def test_a_stage_that_was_not_run_although_its_gates_are_perfect_is_open():
    """Its case is dropped, so `a` is perfect for the grade; it is not accepted, so `b` was skipped."""
    policy = changed(changed(worth(50, 50), "a", dropped=("case 2",)), "b", gates=("a",))
    grade = grade_of(report(stage("a", "+", "-"), stage("b", verdict=Verdict.SKIPPED)), policy, Circumstances())
    assert (grade.so_far, grade.score, grade.open) == (50, None, ("b was not run",))


def test_a_check_that_was_stopped_is_open_where_that_matters():
    failed = stage("b", "-", is_partial=True)
    made = report(stage("a", "+"), failed, stage("c", verdict=Verdict.SKIPPED), stopped="Stopped.")
    chain = changed(changed(worth(40, 30, 30), "b", gates=("a",)), "c", gates=("a", "b"))
    grade = grade_of(made, chain, Circumstances())
    assert (grade.score, grade.so_far, grade.at_most, grade.open) == (None, 40, 70, ("the check was stopped in b",))
    strict = changed(chain, "b", partial_credit="none")
    assert (grade_of(made, strict, Circumstances()).score, grade_of(made, strict, Circumstances()).open) == (40, ())
    dropping = changed(strict, "b", drop_lowest=1)
    assert grade_of(made, dropping, Circumstances()).at_most == 100


def test_a_report_without_a_stage_is_open():
    grade = grade_of(report(stage("a", "+")), worth(50, 50), Circumstances())
    assert (grade.score, grade.so_far, grade.open) == (None, 50, ("b was not checked",))
    person = changed(worth(50, 50), "b", is_manual=True)
    assert grade_of(report(stage("a", "+")), person, Circumstances()).open == ("b was not checked",)


def test_a_report_for_students_makes_no_grade():
    made = report(stage("a", "++"), has_hidden=True)
    hidden = tuple(msgspec.structs.replace(one, visibility="hidden") for one in made.stages[0].results[1:])
    results = (*made.stages[0].results[:1], *hidden)
    made = report(msgspec.structs.replace(made.stages[0], results=results), has_hidden=True)
    with pytest.raises(ValueError, match="a report for students lacks the results of hidden cases"):
        grade_of(student_report(made), worth(50), Circumstances())
    assert grade_of(made, worth(50), Circumstances()).score == 50


CAPPED = changed(
    changed(changed(worth(40, 30, 30), "a", cap=Fraction(50)), "b", cap=Fraction(70)), "c", cap=Fraction(100)
)


@pytest.mark.parametrize(
    ("a", "b", "c", "score", "line"),
    [
        ("+", "+", "+", 100, None),
        ("+", "+", "+" * 9 + "-", 70, ("capped at 70 since b is the last perfect stage", -27)),
        ("+", "+-", "+", 50, ("capped at 50 since a is the last perfect stage", -35)),
        ("+-", "+", "+", 50, ("capped at 50 since a is not perfect", -30)),
        ("+", "-", "-", 40, None),
    ],
)
def test_the_stage_reached_caps_what_the_stages_earn(a, b, c, score, line):
    grade = grade_of(report(stage("a", a), stage("b", b), stage("c", c)), CAPPED, Circumstances())
    assert grade.score == score
    assert [one for one in said(grade) if one[0].startswith("capped")] == ([line] if line else [])


def test_all_stages_together_earn_the_most_at_most():
    policy = msgspec.structs.replace(changed(worth(100, 20), "b", is_extra=True), most=Fraction("110.5"))
    grade = grade_of(report(stage("a", "+"), stage("b", "+")), policy, Circumstances())
    assert (grade.score, grade.out_of, said(grade)[-1]) == (
        Fraction("110.5"),
        100,
        ("all stages earn 110.5 at most", Fraction("-9.5")),
    )


def test_style_is_a_share_of_all_points_or_of_those_earned():
    made, given = report(stage("a", "+-")), Circumstances(style=Fraction(1, 2))
    of_all = worth(50, functionality=Fraction(4, 5), style=Fraction(1, 5))
    assert said(grade_of(made, of_all, given)) == [
        ("a: 25 of 50 points × 80 %, 1 of 2 sessions accepted", 20),
        ("style: 50 % of 10 points", 5),
    ]
    earned = worth(50, functionality=Fraction(4, 5), style=Fraction(1, 5), style_of="earned")
    assert said(grade_of(made, earned, given))[-1] == ("style: 50 % of 5 points", Fraction("2.5"))
    assert grade_of(made, of_all, Circumstances()).open == ("style has not been graded yet",)


LATE = (LateRow(-2, Fraction(1, 10)), LateRow(0, Fraction(0)), LateRow(1, Fraction(-1, 10)), LateRow(3, Fraction(-1)))


@pytest.mark.parametrize(
    ("days", "line"),
    [
        (-3, ("3 days early: +10 %", 5)),
        (-1, None),
        (0, None),
        (1, ("1 day late: −10 %", -5)),
        (2, ("2 days late: −10 %", -5)),
        (1000, ("1,000 days late: no credit", -50)),
        (None, ("the time of submission is unknown: treated as on time", 0)),
    ],
)
def test_the_day_changes_the_score(days, line):
    grade = grade_of(report(stage("a", "+")), worth(50, late=LATE), Circumstances(days))
    assert said(grade)[1:] == ([line] if line else [])
    assert grade_of(report(stage("a", "+")), worth(50), Circumstances(days)).score == 50


def test_a_weight_takes_nothing_away():
    """What is weighted is not what somebody lost: only caps, constructs and days take points."""
    capped = changed(changed(worth(50, 50), "a", cap=Fraction(40)), "b", cap=Fraction(100))
    policy = msgspec.structs.replace(capped, functionality=Fraction(3, 4), style=Fraction(1, 4))
    grade = grade_of(report(stage("a", "+"), stage("b", "+-")), policy, Circumstances(0, Fraction(1)))
    assert said(grade) == [
        ("a: 50 of 50 points × 75 %, 1 of 1 session accepted", Fraction("37.5")),
        ("b: 25 of 50 points × 75 %, 1 of 2 sessions accepted", Fraction("18.75")),
        ("capped at 40 since a is the last perfect stage", Fraction("-26.25")),
        ("style: 100 % of 25 points", 25),
    ]
    assert grade.score == 55


@pytest.mark.parametrize(
    ("lateness", "rows", "line"),
    [
        (Lateness.NO_SUBMISSION_TIME, LATE, "the time of submission is unknown: treated as on time"),
        (Lateness.NO_DUE_DATE, LATE, "there is no due date: treated as on time"),
        (Lateness.NOT_LATE, LATE, "not late, days early unknown: treated as on time"),
        (Lateness.NOT_LATE, LATE[1:], None),
        (Lateness.NO_SUBMISSION_TIME, (), None),
    ],
)
def test_a_sum_says_of_the_day_only_what_nobody_knows(lateness, rows, line):
    grade = grade_of(report(stage("a", "+")), worth(50, late=rows), Circumstances(lateness=lateness))
    assert (said(grade)[1:], grade.score) == ([(line, 0)] if line else [], 50)


def test_who_is_late_by_an_unknown_number_of_days_has_a_score_between_one_day_and_all():
    late = Circumstances(lateness=Lateness.LATE)
    grade = grade_of(report(stage("a", "+")), worth(50, late=LATE), late)
    assert (grade.score, grade.so_far, grade.at_most) == (None, 0, 45)
    assert said(grade)[1:] == [("marked late, days unknown", -50)]
    assert grade.open == ("marked late, days unknown: set them with `pitboss mark --late DAYS`",)
    assert grade_of(report(stage("a", "+")), worth(50, late=LATE[:-1]), late).score == 45  # each day costs the same
    assert grade_of(report(stage("a", "-")), worth(50, late=LATE), late).score == 0


@pytest.mark.parametrize(
    ("own", "of_class", "score"),
    [(-3, 0, 50), (-3, 2, 50), (-5, -2, 55), (-1, -3, 50), (-3, None, 55), (0, 2, 50), (1, 3, 45)],
)
def test_an_extension_earns_no_bonus_for_being_early(own, of_class, score):
    circumstances = Circumstances(own, days_late_by_class_due=of_class)
    assert grade_of(report(stage("a", "+")), worth(50, late=LATE), circumstances).score == score
    by_own = worth(50, late=LATE, early_from="own")
    assert grade_of(report(stage("a", "+")), by_own, circumstances).score == (55 if own < -1 else score)


def test_a_late_table_may_change_what_is_on_time():
    grade = grade_of(report(stage("a", "+")), worth(50, late=(LateRow(0, Fraction(-1, 50)),)), Circumstances(0))
    assert said(grade)[1:] == [("on time: −2 %", -1)]


@pytest.mark.parametrize(
    ("rounding", "score", "words"),
    [
        (Rounding(Fraction(1)), 33, "rounded to a whole number"),
        (Rounding(Fraction(1), "up"), 34, "rounded up to a whole number"),
        (Rounding(Fraction(1, 2), "down"), 33, "rounded down to a multiple of 0.5"),
        (Rounding(Fraction(1, 2)), "33.5", "rounded to a multiple of 0.5"),
        (Rounding(Fraction("0.01")), "33.33", "rounded to a multiple of 0.01"),
    ],
)
def test_the_score_is_rounded_at_the_end(rounding, score, words):
    grade = grade_of(report(stage("a", "+--")), worth(100, rounding=rounding), Circumstances())
    assert (grade.score, said(grade)[-1]) == (Fraction(score), (words, Fraction(score) - Fraction(100, 3)))


def test_halves_go_up_and_what_is_a_multiple_has_no_line():
    half = worth(1, rounding=Rounding(Fraction(1)))
    assert grade_of(report(stage("a", "+-")), half, Circumstances()).score == 1
    assert len(grade_of(report(stage("a", "+")), half, Circumstances()).lines) == 1
    assert grade_of(report(stage("a", "+-")), worth(1), Circumstances()).score == Fraction(1, 2)


def test_a_person_may_set_the_score_with_a_reason():
    given = Circumstances(override=Override(Fraction(85), "the disk of the laboratory was full"))
    grade = grade_of(report(stage("a", "!")), worth(100), given)
    assert (grade.score, grade.open, grade.at_most) == (85, (), 85)
    assert said(grade) == [
        ("a: 0 of 100 points, 0 of 1 session accepted, 1 session not judged (our fault)", 0),
        ("set to 85 manually: the disk of the laboratory was full", 85),
    ]
    assert grade_of(None, worth(100), given).score == 85
    higher = grade_of(report(stage("a", "+-")), worth(100), given)
    assert (higher.score, higher.lines[-1].amount) == (85, 35)


def test_what_is_not_more_than_a_limit_has_no_line():
    policy = msgspec.structs.replace(changed(worth(100), "a", cap=Fraction(100)), most=Fraction(100))
    assert len(grade_of(report(stage("a", "+")), policy, Circumstances()).lines) == 1


def with_broken(*broken):
    return report(msgspec.structs.replace(stage("a", "++"), broken=broken), stage("b", "+-"))


def test_points_for_constructs_are_taken_off_what_was_earned_and_no_more():
    policy = worth(10, 10, functionality=Fraction(1))
    off = (
        Broken("array", points=Decimal("2.5")),
        Broken("goto", is_forbidden=True, file="a.c", line=3, points=Decimal(9)),
    )
    grade = grade_of(with_broken(*off, Broken("loop")), policy, ON_TIME)
    assert said(grade)[2:4] == [("a: no array", Fraction("-2.5")), ("a: goto at a.c:3", -9)]
    assert grade.score == Fraction("3.5")
    grade = grade_of(with_broken(Broken("array", points=Decimal(99))), policy, ON_TIME)
    assert (grade.score, grade.open) == (0, ())


def test_a_construct_that_nobody_could_look_for_leaves_a_grade_open_where_it_counts():
    policy = worth(10, 10, functionality=Fraction(1))
    assert grade_of(with_broken(Broken("array", unseen="it is late")), policy, ON_TIME).score == 15
    grade = grade_of(with_broken(Broken("array", unseen="it is late", points=Decimal(2))), policy, ON_TIME)
    assert (grade.score, grade.at_most) == (None, 15)
    assert grade.open == ("a construct worth points could not be checked",)


def test_what_is_picked_of_a_rubric_counts_before_lateness_and_takes_off_no_more_than_there_is():
    policy = worth(100, late=(LateRow(0, Fraction(0)), LateRow(1, Fraction(-1, 10))))
    picked = (("No comments.", Fraction(-20)), ("A fine idea.", Fraction(5, 2)))
    right, wrong = report(stage("a", "++")), report(stage("a", "--"))
    assert said(grade_of(right, policy, Circumstances(1, None, picked=picked)))[1:] == [
        ("rubric: No comments.", -20),
        ("rubric: A fine idea.", Fraction(5, 2)),
        ("1 day late: −10 %", Fraction(-33, 4)),
    ]
    assert said(grade_of(wrong, policy, Circumstances(0, None, picked=picked)))[1:] == [
        ("rubric: No comments.", -20),
        ("rubric: A fine idea.", Fraction(5, 2)),
        ("a score is never below 0", Fraction(35, 2)),
    ]
    assert grade_of(None, policy, Circumstances(0, None, picked=picked[1:])).score == Fraction(5, 2)
    override = Override(Fraction(70), "agreed")
    assert grade_of(right, policy, Circumstances(0, None, override, picked=picked)).score == 70
