from fractions import Fraction

import pytest
from rich.cells import cell_len

from pitboss.compare.results import Report, Result, StageReport, Verdict
from pitboss.gradebook.grades import Grade, GradeLine
from pitboss.gradebook.people import HandedIn, PersonRecord, Scored
from pitboss.model.transcript import Transcript
from pitboss.reports.class_table import class_table, score_table
from pitboss.reports.report import as_text
from pitboss.submissions.importers.imported import Person

STAGES = ["shuffle", "deal", "play", "betting", "errors", "extra"]
UNSUCCESSFUL = [verdict for verdict in Verdict if verdict.value.endswith(("ERROR", "EXCEEDED", "ANSWER"))]


def student_report(name, verdicts):
    """The report on a submission whose first stages have these verdicts."""
    return Report(
        "blackjack",
        "Blackjack",
        name,
        tuple(stage_report(*name_and_verdict) for name_and_verdict in zip(STAGES, verdicts, strict=False)),
        folder=name,
    )


def stage_report(name, verdict):
    """The report on a stage; if the verdict is unsuccessful, the stage has one session, with the same verdict."""
    results = ()
    if verdict in UNSUCCESSFUL:
        session = Result(name, "first", verdict, Transcript(()), Transcript(()))
        results = (session,)
    return StageReport(name, name, verdict, results, len(results))


def table_lines(table, width):
    return [line.rstrip() for line in as_text(table, width=width).splitlines()]


def scored_person(number, verdicts, name="Wilhelmina Featherstonehaugh"):
    """A person's record and score; the name ends in the number."""
    name = f"{name} {number}"
    row = PersonRecord(Person(key=f"p{number}", name=name), HandedIn("digest", None), student_report(name, verdicts))
    lines = (GradeLine("shuffle: accepted", Fraction(28)),)
    grade = Grade(None, Fraction(100), lines, ("style has not been graded yet",), at_most=Fraction(40))
    return row, Scored(f"p{number}", grade, (), "2026-11-26")


@pytest.mark.parametrize("width", [40, 60, 79, 80, 100, 120, 200])
def test_each_person_takes_one_line_and_no_verdict_is_cut(width):
    verdicts = list(Verdict)
    people = [scored_person(number, verdicts[number % 6 :][:6]) for number in range(40)]
    lines = table_lines(score_table(STAGES, people, None), width)
    rows, line_after_rows = lines[2:42], lines[42]  # two lines of column heads, and one for each of the 40 people
    assert all(cell_len(line) <= width for line in lines)
    assert all(line.startswith("Wil") for line in rows)
    # The verdicts follow the score; the name before the score may be cut.
    assert not any("…" in line[line.index(" 28 to 40") :] for line in rows)
    assert "Wil" not in line_after_rows


def test_a_class_of_40_takes_46_lines_at_80_columns():
    partial = [Verdict.ACCEPTED, Verdict.WRONG_ANSWER, Verdict.SKIPPED, *[Verdict.NOT_HANDED_IN] * 3]
    complete = [Verdict.ACCEPTED] * 4 + [Verdict.RUN_TIME_ERROR, Verdict.NEEDS_REVIEW]
    people = [scored_person(number, complete if number % 3 else partial, "Ada") for number in range(40)]
    lines = table_lines(score_table(STAGES, people, None), 80)
    assert (len(lines), lines[2], lines[3]) == (
        46,
        "Ada 0   28 to 40  ok       wrong 0/1  skipped  missing  missing    missing",
        "Ada 1   28 to 40  ok       ok         ok       ok       crash 0/1  manual",
    )


def test_verdicts_are_spelled_out_where_there_is_room():
    reports = [
        student_report("ada", [Verdict.ACCEPTED, Verdict.TIME_LIMIT_EXCEEDED]),
        student_report("ben", [Verdict.NOT_HANDED_IN]),
    ]
    assert table_lines(class_table(STAGES[:2], reports), 80)[:4] == [
        "submission  shuffle        deal",
        "──────────────────────────────────────────────────",
        "ada         accepted       time limit exceeded 0/1",
        "ben         not handed in",
    ]


def test_a_verdict_shrinks_to_a_word_and_then_to_a_mark():
    reports = [student_report("ada", [Verdict.ACCEPTED, Verdict.TIME_LIMIT_EXCEEDED])]
    assert table_lines(class_table(STAGES[:2], reports), 36)[2:4] == [
        "ada         ok       timeout 0/1",
        "ok: accepted, timeout: time limit",
    ]
    assert table_lines(class_table(STAGES[:2], reports), 28)[2] == "ada         ok       timeout"
    assert table_lines(class_table(STAGES[:2], reports), 24)[:4] == [
        "submission  1  2",
        "────────────────",
        "ada         ✓  ✗",
        "1 shuffle, 2 deal",
    ]


def test_a_remark_on_many_people_is_printed_once():
    people = [scored_person(number, [Verdict.ACCEPTED]) for number in range(40)]
    names = ", ".join(f"Wilhelmina Featherstonehaugh {number}" for number in range(3))
    assert (
        table_lines(score_table(STAGES[:1], people, None), 200)[-1]
        == f"{names} and 37 more: style has not been graded yet"
    )
