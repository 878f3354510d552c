from fractions import Fraction

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from pitboss.assignments.grading_policy import GradingPolicy, LateRow, Rounding, StagePolicy
from pitboss.compare.results import Verdict, overall_verdict
from pitboss.gradebook.arithmetic import grade_of
from pitboss.gradebook.grades import Circumstances, Lateness, Override, format_number
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
    # A table that was loaded from a file always has a row for 0 days late.
    first = -draw(st.integers(0, max(len(changes) - 1, 0)))
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
#: The cases of a stage: pairs of the marks of its sessions (see `VERDICTS`) and its points.
CASE_LISTS = st.lists(st.tuples(st.text("+-!0", min_size=1, max_size=4), st.integers(0, 3)), min_size=1, max_size=4)
#: For each stage: its cases, or a verdict if it has none; None if the report lacks the stage.
STAGE_RESULTS = (
    st.none()
    | CASE_LISTS
    | st.sampled_from([Verdict.SKIPPED, Verdict.JUDGE_ERROR, Verdict.COMPILE_ERROR, Verdict.NOT_HANDED_IN])
)
REPORTED_STAGES = st.tuples(*(STAGE_RESULTS for _ in NAMES))


def report_of(stage_results):
    """The report with these results for the stages in NAMES: see STAGE_RESULTS."""
    stages = [(name, result) for name, result in zip(NAMES, stage_results, strict=True) if result is not None]
    return report(
        *(
            stage(name, verdict=result) if isinstance(result, Verdict) else stage(name, *result)
            for name, result in stages
        )
    )


def numbers_in(grade):
    return [grade.out_of, grade.so_far, grade.at_most, *(line.amount for line in grade.lines)]


@given(REPORTED_STAGES, policies(), CIRCUMSTANCES)
def test_the_lines_add_up_to_the_score_exactly(stage_results, policy, circumstances):
    grade = grade_of(report_of(stage_results), policy, circumstances)
    assert {type(number) for number in numbers_in(grade)} == {Fraction}
    assert sum(line.amount for line in grade.lines) == grade.so_far
    assert 0 <= grade.so_far <= grade.at_most
    assert (grade.score is None) == bool(grade.open) == (grade.so_far != grade.at_most)
    assert grade.score in (None, grade.so_far)


@given(REPORTED_STAGES, policies(), CIRCUMSTANCES, st.fractions(0, 200))
def test_the_lines_of_an_overridden_grade_add_up_to_it(stage_results, policy, circumstances, score):
    overridden = msgspec.structs.replace(circumstances, override=Override(score, "so"))
    grade = grade_of(report_of(stage_results), policy, overridden)
    assert grade.score == grade.so_far == grade.at_most == score
    assert grade.open == ()


@given(REPORTED_STAGES, policies(), CIRCUMSTANCES, st.data())
def test_one_more_accepted_session_never_lowers_a_grade(stage_results, policy, circumstances, data):
    failed_sessions = [
        (stage_index, case_index, session_index)
        for stage_index, cases in enumerate(stage_results)
        if isinstance(cases, list)
        for case_index, (marks, _) in enumerate(cases)
        for session_index, mark in enumerate(marks)
        if mark != "+"
    ]
    if not failed_sessions:
        return
    stage_index, case_index, session_index = data.draw(st.sampled_from(failed_sessions))
    marks, points = stage_results[stage_index][case_index]
    better_cases = list(stage_results[stage_index])
    better_cases[case_index] = (marks[:session_index] + "+" + marks[session_index + 1 :], points)
    before = grade_of(report_of(stage_results), policy, circumstances)
    better_results = (*stage_results[:stage_index], better_cases, *stage_results[stage_index + 1 :])
    after = grade_of(report_of(better_results), policy, circumstances)
    assert before.so_far <= after.so_far
    if marks[session_index] == "!":  # a session not judged, which `at_most` already counts as accepted
        assert after.at_most <= before.at_most


@given(REPORTED_STAGES, policies(), CIRCUMSTANCES, st.data())
def test_judging_the_open_sessions_keeps_a_grade_within_its_bounds(stage_results, policy, circumstances, data):
    """Once the sessions that could not be judged pass or fail, the grade is between `so_far` and `at_most`."""

    def judged(cases):
        if not isinstance(cases, list):
            return cases
        return [
            ("".join(data.draw(st.sampled_from("+-")) if mark == "!" else mark for mark in marks), points)
            for marks, points in cases
        ]

    open_grade = grade_of(report_of(stage_results), policy, circumstances)
    final_grade = grade_of(report_of(tuple(map(judged, stage_results))), policy, circumstances)
    assert open_grade.so_far <= final_grade.so_far <= final_grade.at_most <= open_grade.at_most


@given(REPORTED_STAGES, policies(), SHARES, st.integers(-5, 5), st.integers(0, 3))
def test_a_later_day_never_raises_a_grade(stage_results, policy, style, days, more_days):
    grades = [grade_of(report_of(stage_results), policy, Circumstances(day, style)) for day in (days, days + more_days)]
    assert grades[0].so_far >= grades[1].so_far
    assert grades[0].at_most >= grades[1].at_most


@given(REPORTED_STAGES, policies(), CIRCUMSTANCES)
def test_better_style_never_lowers_a_grade(stage_results, policy, circumstances):
    scores = [
        grade_of(
            report_of(stage_results), policy, msgspec.structs.replace(circumstances, style=Fraction(style, 4))
        ).so_far
        for style in range(5)
    ]
    assert scores == sorted(scores)


@given(st.fractions(-1000, 1000, max_denominator=20_000))
def test_a_number_is_formatted_exactly_or_with_the_word_about(number):
    text = format_number(number).replace("−", "-")
    if text.startswith("about "):
        assert abs(Fraction(text.removeprefix("about ")) - number) <= Fraction(1, 200)
        assert (number * 10_000).denominator != 1
    else:
        assert Fraction(text) == number


def test_the_verdicts_of_these_reports_have_judge_error_as_overall_verdict():
    assert overall_verdict(VERDICTS.values()) is Verdict.JUDGE_ERROR
