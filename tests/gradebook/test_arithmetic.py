import itertools
from decimal import Decimal
from fractions import Fraction

import msgspec
import pytest

from pitboss.assignments.grading_policy import GradingPolicy, LateRow, Rounding, StagePolicy
from pitboss.assignments.specfile import load_assignment
from pitboss.compare.findings import OddDraws, Oddity
from pitboss.compare.published import student_report
from pitboss.compare.results import Verdict
from pitboss.gradebook.arithmetic import grade_of
from pitboss.gradebook.grades import Circumstances, Lateness, Override
from pitboss.model.construct_rules import UnmetRequirement
from tests.conftest import ROOT
from tests.gradebook.reports import line_amounts, report, session, stage

#: The stages of blackjack, in their order.
LADDER = ("shuffle", "deal", "play", "betting", "errors")
#: The grading policy of blackjack, as its brief has it.
BRIEF = load_assignment(ROOT / "specs" / "blackjack").grading
ON_TIME = Circumstances(0, Fraction(1))


def ladder_report(count, *, then="+-"):
    """A blackjack report with this many perfect stages; the next one fails, and the stages after it are not run."""
    stages = [stage(name, "++") for name in LADDER[:count]]
    stages += [stage(name, then) for name in LADDER[count : count + 1]]
    return report(*stages, *(stage(name, verdict=Verdict.SKIPPED) for name in LADDER[count + 1 :]))


def points_policy(*points, **fields):
    """A policy for the stages a, b, … with these points; there may be up to four."""
    stages = tuple(StagePolicy(name, Fraction(worth)) for name, worth in zip("abcd", points, strict=False))
    return GradingPolicy(stages, **fields)


def change_stage(policy, name, **fields):
    stages = [msgspec.structs.replace(stage, **fields) if stage.name == name else stage for stage in policy.stages]
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
def test_blackjack_grades_match_the_brief(reached, days, style, score):
    grade = grade_of(ladder_report(reached), BRIEF, Circumstances(days, Fraction(style)))
    assert (grade.score, grade.out_of, grade.open) == (Fraction(score), 100, ())


def test_every_step_of_a_grade_has_a_line():
    grade = grade_of(ladder_report(2), BRIEF, Circumstances(1, Fraction("0.8")))
    assert line_amounts(grade) == [
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


def test_the_extra_stage_adds_up_to_10_points_and_the_total_is_at_most_110():
    extra = stage("extra", verdict=Verdict.NEEDS_REVIEW, is_manual=True)

    def score(reached, share):
        """The score with this many perfect stages and this share of the extra stage."""
        circumstances = Circumstances(0, Fraction(1), manual_scores=(("extra", Fraction(share)),))
        ladder = ladder_report(reached)
        return grade_of(report(*ladder.stages, extra), BRIEF, circumstances).score

    assert (score(2, 1), score(3, 0), score(3, "0.5"), score(3, 1)) == (70, 100, 105, 110)
    assert (score(4, "0.4"), score(4, 1), score(5, 1)) == (109, 110, 110)


def test_a_missing_manual_mark_leaves_the_grade_open():
    extra = stage("extra", verdict=Verdict.NEEDS_REVIEW, is_manual=True)
    grade = grade_of(report(*ladder_report(3).stages, extra), BRIEF, Circumstances(0))
    assert (grade.score, grade.so_far, grade.at_most) == (None, 70, 110)
    assert grade.open == ("extra has not been graded yet", "style has not been graded yet")
    assert line_amounts(grade)[-2:] == [
        ("extra: 0 of 10 points × 70 %, not graded yet", 0),
        ("style: not graded yet, of 30 points", 0),
    ]
    gate_closed = grade_of(report(*ladder_report(2).stages, extra), BRIEF, ON_TIME)
    assert (gate_closed.score, gate_closed.open) == (70, ())
    too_late = grade_of(ladder_report(3), BRIEF, Circumstances(3))
    assert (too_late.score, too_late.open) == (0, ())


def test_a_manual_mark_counts_for_a_stage_that_could_not_be_judged():
    policy = GradingPolicy((StagePolicy("own", Fraction(10), is_manual=True),))
    for verdict, share, expected in (
        (Verdict.JUDGE_ERROR, "0.5", 5),
        (Verdict.NEEDS_REVIEW, "1", 10),
        (Verdict.NOT_HANDED_IN, "1", 0),
        (Verdict.EMPTY, "1", 0),
    ):
        manual_report = report(stage("own", verdict=verdict, is_manual=True), stage("a", verdict=Verdict.SKIPPED))
        assert (
            grade_of(manual_report, policy, Circumstances(manual_scores=(("own", Fraction(share)),))).score == expected
        )


@pytest.mark.parametrize("empty_report", [None, report(*(stage(name, verdict=Verdict.EMPTY) for name in LADDER))])
def test_handing_in_nothing_scores_0_even_if_style_and_days_are_unknown(empty_report):
    grade = grade_of(empty_report, BRIEF, Circumstances())
    assert (grade.score, line_amounts(grade), grade.open, grade.out_of) == (0, [("nothing was handed in", 0)], (), 100)


def test_partial_credit_is_the_share_of_sessions_weighted_by_case_points():
    grade = grade_of(report(stage("a", "+" * 18 + "-" * 18)), points_policy(60), Circumstances())
    assert line_amounts(grade) == [("a: 30 of 60 points, 18 of 36 sessions accepted", 30)]
    grade = grade_of(report(stage("a", ("++", 5), ("+-", 1))), points_policy(60), Circumstances())
    assert line_amounts(grade) == [("a: 55 of 60 points, 3 of 4 sessions accepted, worth 11 of 12", 55)]
    grade = grade_of(report(stage("a", ("+", Decimal("0.5")), ("-", 3))), points_policy(70), Circumstances())
    assert line_amounts(grade) == [("a: 10 of 70 points, 1 of 2 sessions accepted, worth 0.5 of 3.5", 10)]
    grade = grade_of(report(stage("a", ("+-0", 1))), points_policy(100), Circumstances())
    assert line_amounts(grade) == [("a: about 33.33 of 100 points, 1 of 3 sessions accepted", Fraction(100, 3))]


def test_partial_credit_by_cases_needs_all_sessions_of_a_case():
    policy = change_stage(points_policy(60), "a", partial_credit="cases")
    grade = grade_of(report(stage("a", "+-+", ("+", 2))), policy, Circumstances())
    assert line_amounts(grade) == [("a: 40 of 60 points, 1 of 2 cases accepted, worth 2 of 3", 40)]
    grade = grade_of(report(stage("a", "+++", "-")), policy, Circumstances())
    assert line_amounts(grade) == [("a: 30 of 60 points, 1 of 2 cases accepted", 30)]


def test_cases_with_the_same_line_or_the_same_name_are_distinguished():
    policy = change_stage(points_policy(60), "a", partial_credit="cases")
    results = (
        session("x", "+", place="a.yaml:3"),
        session("y", "-", place="a.yaml:3"),
        session("x", "+", place="b.yaml:3"),
    )
    named_report = report(stage("a", verdict=Verdict.WRONG_ANSWER))
    named_report = report(msgspec.structs.replace(named_report.stages[0], results=results))
    assert grade_of(named_report, policy, Circumstances()).score == 40


def test_a_case_worth_0_points_earns_nothing_but_can_close_a_gate():
    assert grade_of(report(stage("a", ("-", 0), "+")), points_policy(10), Circumstances()).score == 10
    assert grade_of(report(stage("a", ("-", 0), ("+", 0))), points_policy(10), Circumstances()).score == 0
    gated = change_stage(points_policy(10, 10), "b", gates=("a",))
    assert grade_of(report(stage("a", ("-", 0), "+"), stage("b", "+")), gated, Circumstances()).score == 10


def test_a_dropped_case_affects_neither_the_score_nor_the_gates():
    policy = change_stage(change_stage(points_policy(50, 50), "a", dropped=("case 2",)), "b", gates=("a",))
    grade = grade_of(report(stage("a", "++", "--"), stage("b", "+")), policy, Circumstances())
    assert line_amounts(grade) == [
        ("a: 50 of 50 points, 2 of 2 sessions accepted, 1 case dropped", 50),
        ("b: 50 of 50 points, 1 of 1 session accepted", 50),
    ]
    grade = grade_of(report(stage("a", "+-", "++"), stage("b", "+")), policy, Circumstances())
    assert line_amounts(grade) == [
        ("a: 25 of 50 points, 1 of 2 sessions accepted, 1 case dropped", 25),
        ("b: 0 of 50 points, it counts only when a is perfect", 0),
    ]


def test_a_recorded_case_is_dropped_by_its_full_name():
    policy = change_stage(points_policy(50), "a", dropped=("first, seed 7",))
    results = (session("first, seed 7", "-", place="a.yaml:3"), session("second", "+", place="a.yaml:5"))
    base = stage("a", verdict=Verdict.WRONG_ANSWER)
    named_report = report(msgspec.structs.replace(base, results=results))
    assert grade_of(named_report, policy, Circumstances()).score == 50


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
def test_drop_lowest_drops_the_cases_that_leave_the_largest_share(cases, count, score):
    policy = change_stage(points_policy(100), "a", drop_lowest=count)
    assert grade_of(report(stage("a", *cases)), policy, Circumstances()).score == score


def test_dropping_leaves_at_least_one_case():
    """A report may have few cases, for example because only one case was run."""
    policy = change_stage(points_policy(100), "a", drop_lowest=2)
    assert [grade_of(report(stage("a", case)), policy, Circumstances()).score for case in ("+-", "-", "+")] == [
        50,
        0,
        100,
    ]
    by_name = change_stage(points_policy(100), "a", dropped=("case 1",))
    assert [grade_of(report(stage("a", case)), by_name, Circumstances()).score for case in ("+-", "+")] == [0, 100]
    assert grade_of(report(stage("a", "+!")), by_name, Circumstances()).at_most == 100


def test_a_stage_with_a_finding_earns_nothing_even_if_its_sessions_pass():
    summary = {"verdict": Verdict.WRONG_ANSWER, "summary": "'push' was not reached in 60 sessions."}
    draws = {"verdict": Verdict.WRONG_ANSWER, "draws": OddDraws(Oddity.SAME, (), 60, 60, 60)}
    for cases, finding in itertools.product(("++", "+-"), (summary, draws)):
        grade = grade_of(report(stage("a", cases, **finding), stage("b", "+")), points_policy(50, 50), Circumstances())
        assert grade.score == 50
    assert line_amounts(grade)[0] == ("a: 0 of 50 points, 1 of 2 sessions accepted, but not the stage", 0)
    new_bag = {"verdict": Verdict.WRONG_ANSWER, "draws": OddDraws(Oddity.NEW_BAG, (), 0, 0, 2, bag=52)}
    assert grade_of(report(stage("a", "+-", **new_bag)), points_policy(50), Circumstances()).score == 25


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        (Verdict.NOT_HANDED_IN, "not handed in"),
        (Verdict.COMPILE_ERROR, "compile error"),
        (Verdict.EMPTY, "empty"),
        (Verdict.NOT_OFFERED, "not offered"),
    ],
)
def test_a_stage_without_sessions_to_judge_earns_nothing_and_closes_gates(verdict, reason):
    policy = change_stage(points_policy(50, 50), "b", gates=("a",))
    grade = grade_of(report(stage("a", verdict=verdict), stage("b", "+")), policy, Circumstances())
    assert line_amounts(grade)[0] == (f"a: 0 of 50 points, {reason}", 0)
    assert (grade.score, grade.open) == (0, ())
    not_offered = report(stage("a", "++", verdict=Verdict.NOT_OFFERED), stage("b", "+"))
    assert grade_of(not_offered, points_policy(50, 50), Circumstances()).score == 50


def test_a_missing_optional_stage_neither_closes_a_gate_nor_sets_a_cap():
    policy = change_stage(
        change_stage(points_policy(50, 50, 10), "b", is_optional=True), "c", gates=("a", "b"), is_extra=True
    )
    policy = change_stage(
        change_stage(change_stage(policy, "a", cap=Fraction(50)), "b", cap=Fraction(60)), "c", cap=Fraction(100)
    )
    grade = grade_of(report(stage("a", "+"), stage("c", "+")), policy, Circumstances())
    assert (grade.score, grade.open) == (60, ())
    assert line_amounts(grade)[1] == ("b: 0 of 50 points, not handed in", 0)


def test_an_optional_stage_left_out_of_the_check_leaves_the_grade_open():
    policy = change_stage(
        change_stage(points_policy(50, 50, 10), "b", is_optional=True), "c", gates=("a", "b"), is_extra=True
    )
    grade = grade_of(report(stage("a", "+"), stage("c", "+"), unrequested=("b",)), policy, Circumstances())
    assert (grade.score, grade.so_far, grade.at_most, grade.open) == (None, 50, 110, ("b was not checked",))
    assert line_amounts(grade)[1] == ("b: 0 of 50 points, not checked", 0)


def test_a_manual_stage_left_out_of_the_check_leaves_the_grade_open():
    policy = change_stage(points_policy(100, 10), "b", is_optional=True, is_manual=True, is_extra=True)
    circumstances = Circumstances(manual_scores=(("b", Fraction(1)),))
    grade = grade_of(report(stage("a", "+"), unrequested=("b",)), policy, circumstances)
    assert (grade.score, grade.so_far, grade.at_most, grade.open) == (None, 100, 110, ("b was not checked",))


def test_a_session_not_judged_leaves_the_grade_open():
    unjudged = report(stage("a", "++!"), stage("b", verdict=Verdict.SKIPPED))
    policy = change_stage(points_policy(60, 40), "b", gates=("a",))
    grade = grade_of(unjudged, policy, Circumstances())
    assert (grade.score, grade.so_far, grade.at_most) == (None, 40, 100)
    assert grade.open == ("1 session of a could not be judged", "b was not run")
    assert line_amounts(grade) == [
        ("a: 40 of 60 points, 2 of 3 sessions accepted, 1 session not judged (our fault)", 40),
        ("b: 0 of 40 points, it counts only when a is perfect", 0),
    ]


def test_a_session_not_judged_that_cannot_change_the_score_is_ignored():
    policy = change_stage(change_stage(points_policy(60, 40), "a", partial_credit="none"), "b", gates=("a",))
    grade = grade_of(report(stage("a", "+-!"), stage("b", verdict=Verdict.SKIPPED)), policy, Circumstances())
    assert (grade.score, grade.open) == (0, ())
    late = points_policy(60, late=(LateRow(0, Fraction(0)), LateRow(1, Fraction(-1))))
    grade = grade_of(report(stage("a", verdict=Verdict.JUDGE_ERROR)), late, Circumstances(1))
    assert (grade.score, grade.open) == (0, ())
    assert line_amounts(grade) == [
        ("a: 0 of 60 points, it could not be judged (our fault)", 0),
        ("1 day late: no credit", 0),
    ]


def test_only_stages_that_could_change_the_score_are_listed_as_open():
    policy = change_stage(change_stage(points_policy(50, 50, 50), "a", partial_credit="none"), "b", gates=("a",))
    unjudged = report(stage("a", "-!"), stage("b", "!"), stage("c", verdict=Verdict.JUDGE_ERROR))
    grade = grade_of(unjudged, policy, Circumstances())
    assert (grade.score, grade.open, grade.at_most) == (None, ("c could not be judged",), 50)


def test_a_finding_next_to_a_session_not_judged_leaves_the_grade_open():
    unjudged = report(stage("a", "+!", verdict=Verdict.JUDGE_ERROR, summary="It never rolls 6."))
    grade = grade_of(unjudged, points_policy(50), Circumstances())
    assert (grade.score, grade.so_far, grade.at_most) == (None, 0, 50)


def test_a_skipped_stage_with_perfect_gates_leaves_the_grade_open():
    """`a` is perfect for the grade, as its failed case is dropped; but it was not accepted, so `b` was skipped."""
    policy = change_stage(change_stage(points_policy(50, 50), "a", dropped=("case 2",)), "b", gates=("a",))
    grade = grade_of(report(stage("a", "+", "-"), stage("b", verdict=Verdict.SKIPPED)), policy, Circumstances())
    assert (grade.so_far, grade.score, grade.open) == (50, None, ("b was not run",))


def test_a_stopped_check_is_open_only_if_the_score_could_change():
    failed = stage("b", "-", is_partial=True)
    stopped = report(stage("a", "+"), failed, stage("c", verdict=Verdict.SKIPPED), stopped="Stopped.")
    chain = change_stage(change_stage(points_policy(40, 30, 30), "b", gates=("a",)), "c", gates=("a", "b"))
    grade = grade_of(stopped, chain, Circumstances())
    assert (grade.score, grade.so_far, grade.at_most, grade.open) == (None, 40, 70, ("the check was stopped in b",))
    strict = change_stage(chain, "b", partial_credit="none")
    grade = grade_of(stopped, strict, Circumstances())
    assert (grade.score, grade.open) == (40, ())
    dropping = change_stage(strict, "b", drop_lowest=1)
    assert grade_of(stopped, dropping, Circumstances()).at_most == 100


def test_a_stage_missing_from_the_report_leaves_the_grade_open():
    grade = grade_of(report(stage("a", "+")), points_policy(50, 50), Circumstances())
    assert (grade.score, grade.so_far, grade.open) == (None, 50, ("b was not checked",))
    manual = change_stage(points_policy(50, 50), "b", is_manual=True)
    assert grade_of(report(stage("a", "+")), manual, Circumstances()).open == ("b was not checked",)


def test_a_report_for_students_cannot_be_graded():
    full_report = report(stage("a", "++"), has_hidden=True)
    hidden = tuple(msgspec.structs.replace(result, visibility="hidden") for result in full_report.stages[0].results[1:])
    results = (*full_report.stages[0].results[:1], *hidden)
    full_report = report(msgspec.structs.replace(full_report.stages[0], results=results), has_hidden=True)
    with pytest.raises(ValueError, match="a report for students lacks the results of hidden cases"):
        grade_of(student_report(full_report), points_policy(50), Circumstances())
    assert grade_of(full_report, points_policy(50), Circumstances()).score == 50


#: A policy that caps the score at 50, 70 or 100, depending on the last perfect stage.
CAPPED = change_stage(
    change_stage(change_stage(points_policy(40, 30, 30), "a", cap=Fraction(50)), "b", cap=Fraction(70)),
    "c",
    cap=Fraction(100),
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
def test_the_last_perfect_stage_caps_the_points_of_all_stages(a, b, c, score, line):
    grade = grade_of(report(stage("a", a), stage("b", b), stage("c", c)), CAPPED, Circumstances())
    assert grade.score == score
    cap_lines = [(text, amount) for text, amount in line_amounts(grade) if text.startswith("capped")]
    assert cap_lines == ([line] if line else [])


@pytest.mark.parametrize(
    ("b", "reason"), [("+-", "capped at 50 since b is not perfect"), ("", "capped at 50 since a was not handed in")]
)
def test_a_cap_names_the_stage_that_was_imperfect_or_missing(b, reason):
    """An optional stage that was not handed in is neither perfect nor imperfect."""
    policy = change_stage(
        change_stage(points_policy(40, 300, 300), "a", cap=Fraction(50), is_optional=True), "b", cap=Fraction(70)
    )
    policy = change_stage(policy, "b", is_optional=True)
    stages = [stage("b", b)] if b else []
    grade = grade_of(report(*stages, stage("c", "+")), policy, Circumstances())
    assert reason in [text for text, _ in line_amounts(grade)]


def test_all_stages_together_earn_at_most_the_maximum_of_the_policy():
    policy = msgspec.structs.replace(change_stage(points_policy(100, 20), "b", is_extra=True), most=Fraction("110.5"))
    grade = grade_of(report(stage("a", "+"), stage("b", "+")), policy, Circumstances())
    assert (grade.score, grade.out_of, line_amounts(grade)[-1]) == (
        Fraction("110.5"),
        100,
        ("all stages earn 110.5 at most", Fraction("-9.5")),
    )


def test_a_limit_that_is_not_exceeded_has_no_line():
    policy = msgspec.structs.replace(change_stage(points_policy(100), "a", cap=Fraction(100)), most=Fraction(100))
    assert len(grade_of(report(stage("a", "+")), policy, Circumstances()).lines) == 1


def test_style_is_a_share_of_all_points_or_of_the_points_earned():
    half_accepted, half_style = report(stage("a", "+-")), Circumstances(style=Fraction(1, 2))
    of_all = points_policy(50, functionality=Fraction(4, 5), style=Fraction(1, 5))
    assert line_amounts(grade_of(half_accepted, of_all, half_style)) == [
        ("a: 25 of 50 points × 80 %, 1 of 2 sessions accepted", 20),
        ("style: 50 % of 10 points", 5),
    ]
    earned = points_policy(50, functionality=Fraction(4, 5), style=Fraction(1, 5), style_of="earned")
    assert line_amounts(grade_of(half_accepted, earned, half_style))[-1] == ("style: 50 % of 5 points", Fraction("2.5"))
    assert grade_of(half_accepted, of_all, Circumstances()).open == ("style has not been graded yet",)


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
def test_days_early_or_late_change_the_score(days, line):
    grade = grade_of(report(stage("a", "+")), points_policy(50, late=LATE), Circumstances(days))
    assert line_amounts(grade)[1:] == ([line] if line else [])
    on_time = grade_of(
        report(stage("a", "+")), points_policy(50, late=(LateRow(0, Fraction(-1, 50)),)), Circumstances(0)
    )
    assert line_amounts(on_time)[1:] == [("on time: −2 %", -1)]
    assert grade_of(report(stage("a", "+")), points_policy(50), Circumstances(days)).score == 50


def test_the_weight_of_functionality_is_not_reported_as_lost_points():
    """Weighting has no line that takes points away: only caps, unmet constructs and days late have such lines."""
    capped = change_stage(change_stage(points_policy(50, 50), "a", cap=Fraction(40)), "b", cap=Fraction(100))
    policy = msgspec.structs.replace(capped, functionality=Fraction(3, 4), style=Fraction(1, 4))
    grade = grade_of(report(stage("a", "+"), stage("b", "+-")), policy, Circumstances(0, Fraction(1)))
    assert line_amounts(grade) == [
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
def test_an_unknown_day_has_a_line_only_if_it_could_change_the_score(lateness, rows, line):
    grade = grade_of(report(stage("a", "+")), points_policy(50, late=rows), Circumstances(lateness=lateness))
    assert (line_amounts(grade)[1:], grade.score) == ([(line, 0)] if line else [], 50)


def test_an_unknown_number_of_days_late_leaves_the_score_open():
    late = Circumstances(lateness=Lateness.LATE)
    grade = grade_of(report(stage("a", "+")), points_policy(50, late=LATE), late)
    assert (grade.score, grade.so_far, grade.at_most) == (None, 0, 45)
    assert line_amounts(grade)[1:] == [("marked late, days unknown", -50)]
    assert grade.open == ("marked late, days unknown: set them with `pitboss mark --late DAYS`",)
    # Without the last row, each day late costs the same.
    assert grade_of(report(stage("a", "+")), points_policy(50, late=LATE[:-1]), late).score == 45
    assert grade_of(report(stage("a", "-")), points_policy(50, late=LATE), late).score == 0


@pytest.mark.parametrize(
    ("by_own_due", "by_class_due", "score"),
    [(-3, 0, 50), (-3, 2, 50), (-5, -2, 55), (-1, -3, 50), (-3, None, 55), (0, 2, 50), (1, 3, 45)],
)
def test_an_extension_earns_no_bonus_for_being_early(by_own_due, by_class_due, score):
    """`by_own_due` and `by_class_due` are days late by either due date; a negative number is early."""
    circumstances = Circumstances(by_own_due, days_late_by_class_due=by_class_due)
    assert grade_of(report(stage("a", "+")), points_policy(50, late=LATE), circumstances).score == score
    own_due_policy = points_policy(50, late=LATE, early_from="own")
    assert grade_of(report(stage("a", "+")), own_due_policy, circumstances).score == (55 if by_own_due < -1 else score)


@pytest.mark.parametrize(
    ("rounding", "score", "line"),
    [
        (Rounding(Fraction(1)), 33, "rounded to a whole number"),
        (Rounding(Fraction(1), "up"), 34, "rounded up to a whole number"),
        (Rounding(Fraction(1, 2), "down"), 33, "rounded down to a multiple of 0.5"),
        (Rounding(Fraction(1, 2)), "33.5", "rounded to a multiple of 0.5"),
        (Rounding(Fraction("0.01")), "33.33", "rounded to a multiple of 0.01"),
    ],
)
def test_the_score_is_rounded_at_the_end(rounding, score, line):
    grade = grade_of(report(stage("a", "+--")), points_policy(100, rounding=rounding), Circumstances())
    assert (grade.score, line_amounts(grade)[-1]) == (Fraction(score), (line, Fraction(score) - Fraction(100, 3)))


def test_halves_are_rounded_up_and_exact_multiples_have_no_line():
    whole_points = points_policy(1, rounding=Rounding(Fraction(1)))
    assert grade_of(report(stage("a", "+-")), whole_points, Circumstances()).score == 1
    assert len(grade_of(report(stage("a", "+")), whole_points, Circumstances()).lines) == 1
    assert grade_of(report(stage("a", "+-")), points_policy(1), Circumstances()).score == Fraction(1, 2)


def test_a_score_may_be_set_manually_with_a_reason():
    circumstances = Circumstances(override=Override(Fraction(85), "the disk of the laboratory was full"))
    grade = grade_of(report(stage("a", "!")), points_policy(100), circumstances)
    assert (grade.score, grade.open, grade.at_most) == (85, (), 85)
    assert line_amounts(grade) == [
        ("a: 0 of 100 points, 0 of 1 session accepted, 1 session not judged (our fault)", 0),
        ("set to 85 manually: the disk of the laboratory was full", 85),
    ]
    assert grade_of(None, points_policy(100), circumstances).score == 85
    raised = grade_of(report(stage("a", "+-")), points_policy(100), circumstances)
    assert (raised.score, raised.lines[-1].amount) == (85, 35)


def report_with_unmet(*requirements):
    """A report that earns 15 of 20 points, with these unmet requirements in its first stage."""
    return report(msgspec.structs.replace(stage("a", "++"), broken=requirements), stage("b", "+-"))


def test_unmet_constructs_take_off_no_more_than_was_earned():
    policy = points_policy(10, 10, functionality=Fraction(1))
    requirements = (
        UnmetRequirement("array", points=Decimal("2.5")),
        UnmetRequirement("goto", is_forbidden=True, file="a.c", line=3, points=Decimal(9)),
    )
    grade = grade_of(report_with_unmet(*requirements, UnmetRequirement("loop")), policy, ON_TIME)
    assert line_amounts(grade)[2:4] == [("a: no array", Fraction("-2.5")), ("a: goto at a.c:3", -9)]
    assert grade.score == Fraction("3.5")
    grade = grade_of(report_with_unmet(UnmetRequirement("array", points=Decimal(99))), policy, ON_TIME)
    assert (grade.score, grade.open) == (0, ())


def test_an_unchecked_construct_worth_points_leaves_the_grade_open():
    policy = points_policy(10, 10, functionality=Fraction(1))
    assert (
        grade_of(report_with_unmet(UnmetRequirement("array", why_not_searched="it is late")), policy, ON_TIME).score
        == 15
    )
    grade = grade_of(
        report_with_unmet(UnmetRequirement("array", why_not_searched="it is late", points=Decimal(2))), policy, ON_TIME
    )
    assert (grade.score, grade.at_most) == (None, 15)
    assert grade.open == ("a construct worth points could not be checked",)


def test_rubric_items_count_before_lateness_and_never_go_below_0():
    policy = points_policy(100, late=(LateRow(0, Fraction(0)), LateRow(1, Fraction(-1, 10))))
    picked = (("No comments.", Fraction(-20)), ("A fine idea.", Fraction(5, 2)))
    accepted, rejected = report(stage("a", "++")), report(stage("a", "--"))
    assert line_amounts(grade_of(accepted, policy, Circumstances(1, None, picked=picked)))[1:] == [
        ("rubric: No comments.", -20),
        ("rubric: A fine idea.", Fraction(5, 2)),
        ("1 day late: −10 %", Fraction(-33, 4)),
    ]
    assert line_amounts(grade_of(rejected, policy, Circumstances(0, None, picked=picked)))[1:] == [
        ("rubric: No comments.", -20),
        ("rubric: A fine idea.", Fraction(5, 2)),
        ("a score is never below 0", Fraction(35, 2)),
    ]
    assert grade_of(None, policy, Circumstances(0, None, picked=picked[1:])).score == Fraction(5, 2)
    override = Override(Fraction(70), "agreed")
    assert grade_of(accepted, policy, Circumstances(0, None, override, picked=picked)).score == 70
