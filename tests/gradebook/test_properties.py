"""What holds of every grade: its lines add up to it, it is exact, and doing better never lowers it."""

from fractions import Fraction

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from pitboss.assignments.grading_policy import GradingPolicy, LateRow, Rounding, StagePolicy
from pitboss.compare.results import worst
from pitboss.compare.verdicts import Verdict
from pitboss.gradebook.arithmetic import grade_of
from pitboss.gradebook.grades import Circumstances, Lateness, Override
from pitboss.gradebook.number_format import format_number
from tests.gradebook.reports import VERDICTS, report, stage

NAMES = "abcd"
SHARES = st.fractions(0, 1, max_denominator=30)
POINTS = st.fractions(0, 60, max_denominator=12)


@st.composite
def stage_policies(draw):
    caps = sorted(draw(st.lists(POINTS, min_size=4, max_size=4))) if draw(st.booleans()) else [None] * 4
    return tuple(
        StagePolicy(
            name,
            draw(POINTS),
            draw(st.sampled_from(["sessions", "cases", "none"])),
            tuple(draw(st.sets(st.sampled_from(NAMES[:number])))) if number else (),
            draw(st.sampled_from([(), ("case 1",), ("case 2",)])),
            draw(st.integers(0, 2)),
            draw(st.booleans()),
            caps[number],
            draw(st.booleans()),
        )
        for number, name in enumerate(NAMES)
    )


@st.composite
def policies(draw):
    functionality = draw(SHARES)
    changes = sorted(draw(st.lists(st.fractions(-1, 1, max_denominator=20), max_size=4)), reverse=True)
    first = -draw(st.integers(0, max(len(changes) - 1, 0)))  # a table as it is loaded has a row for on time
    return GradingPolicy(
        draw(stage_policies()),
        functionality,
        1 - functionality,
        draw(st.sampled_from(["total", "earned"])),
        draw(st.none() | POINTS),
        tuple(LateRow(first + number, change) for number, change in enumerate(changes)),
        draw(
            st.none()
            | st.builds(
                Rounding,
                st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(3, 7)]),
                st.sampled_from(["nearest", "up", "down"]),
            )
        ),
    )


CIRCUMSTANCES = st.builds(
    Circumstances,
    st.none() | st.integers(-5, 5),
    st.none() | SHARES,
    days_late_by_class_due=st.none() | st.integers(-5, 5),
    lateness=st.sampled_from(Lateness),
)
CASES = st.lists(st.tuples(st.text("+-!0", min_size=1, max_size=4), st.integers(0, 3)), min_size=1, max_size=4)
#: Of each stage its cases, or how it was not judged; None if the report does not have it.
STAGES = (
    st.none()
    | CASES
    | st.sampled_from([Verdict.SKIPPED, Verdict.JUDGE_ERROR, Verdict.COMPILE_ERROR, Verdict.NOT_HANDED_IN])
)
MADE = st.tuples(*(STAGES for _ in NAMES))


def report_of(made):
    stages = [(name, one) for name, one in zip(NAMES, made, strict=True) if one is not None]
    return report(
        *(stage(name, verdict=one) if isinstance(one, Verdict) else stage(name, *one) for name, one in stages)
    )


def numbers_in(grade):
    return [grade.out_of, grade.so_far, grade.at_most, *(line.amount for line in grade.lines)]


@given(MADE, policies(), CIRCUMSTANCES)
def test_the_lines_add_up_to_the_score_exactly(made, policy, circumstances):
    grade = grade_of(report_of(made), policy, circumstances)
    assert {type(number) for number in numbers_in(grade)} == {Fraction}
    assert sum(line.amount for line in grade.lines) == grade.so_far
    assert 0 <= grade.so_far <= grade.at_most
    assert (grade.score is None) == bool(grade.open) == (grade.so_far != grade.at_most)
    assert grade.score in (None, grade.so_far)


@given(MADE, policies(), CIRCUMSTANCES, st.fractions(0, 200))
def test_the_lines_of_a_grade_that_a_person_set_add_up_to_it(made, policy, circumstances, score):
    set_by = msgspec.structs.replace(circumstances, override=Override(score, "so"))
    grade = grade_of(report_of(made), policy, set_by)
    assert grade.score == grade.so_far == grade.at_most == score
    assert grade.open == ()


@given(MADE, policies(), CIRCUMSTANCES, st.data())
def test_one_more_accepted_session_never_lowers_a_grade(made, policy, circumstances, data):
    places = [
        (number, case, at)
        for number, one in enumerate(made)
        if isinstance(one, list)
        for case, (marks, _) in enumerate(one)
        for at, mark in enumerate(marks)
        if mark != "+"
    ]
    if not places:
        return
    number, case, at = data.draw(st.sampled_from(places))
    marks, points = made[number][case]
    better = [*made[number]]
    better[case] = (marks[:at] + "+" + marks[at + 1 :], points)
    before = grade_of(report_of(made), policy, circumstances)
    after = grade_of(report_of((*made[:number], better, *made[number + 1 :])), policy, circumstances)
    assert before.so_far <= after.so_far
    if marks[at] == "!":
        assert after.at_most <= before.at_most


@given(MADE, policies(), CIRCUMSTANCES, st.data())
def test_what_our_fault_hid_was_between_what_is_reported(made, policy, circumstances, data):
    """Whatever the sessions turn out to be that could not be judged, the grade is as it was promised."""

    def found(one):
        if not isinstance(one, list):
            return one
        return [
            ("".join(data.draw(st.sampled_from("+-")) if mark == "!" else mark for mark in marks), points)
            for marks, points in one
        ]

    output = grade_of(report_of(made), policy, circumstances)
    then = grade_of(report_of(tuple(map(found, made))), policy, circumstances)
    assert output.so_far <= then.so_far <= then.at_most <= output.at_most


@given(MADE, policies(), SHARES, st.integers(-5, 5), st.integers(0, 3))
def test_a_later_day_never_raises_a_grade(made, policy, style, days, more):
    grades = [grade_of(report_of(made), policy, Circumstances(one, style)) for one in (days, days + more)]
    assert grades[0].so_far >= grades[1].so_far
    assert grades[0].at_most >= grades[1].at_most


@given(MADE, policies(), CIRCUMSTANCES)
def test_better_style_never_lowers_a_grade(made, policy, circumstances):
    scores = [
        grade_of(report_of(made), policy, msgspec.structs.replace(circumstances, style=Fraction(style, 4))).so_far
        for style in range(5)
    ]
    assert scores == sorted(scores)


@given(st.fractions(-1000, 1000, max_denominator=20_000))
def test_a_number_is_shown_exactly_or_with_the_word_about(number):
    text = format_number(number).replace("−", "-")
    if text.startswith("about "):
        assert abs(Fraction(text.removeprefix("about ")) - number) <= Fraction(1, 200)
        assert (number * 10_000).denominator != 1
    else:
        assert Fraction(text) == number


def test_every_mark_of_these_reports_is_a_verdict_on_a_session():
    assert worst(VERDICTS.values()) is Verdict.JUDGE_ERROR
