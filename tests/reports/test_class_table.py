"""The table of a class: a line for each submission, in as many words as there is room for."""

from fractions import Fraction

import pytest
from rich.cells import cell_len

from pitboss.compare.results import Report, Result, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.gradebook.grades import Grade, GradeLine
from pitboss.gradebook.person_records import HandedIn, PersonRecord, Scored
from pitboss.model.transcript import Transcript
from pitboss.reports.class_table import class_table
from pitboss.reports.report import as_text
from pitboss.reports.score_table import score_table
from pitboss.submissions.importers.imported import Person

STAGES = ["shuffle", "deal", "play", "betting", "errors", "extra"]
FAILED = [one for one in Verdict if one.value.endswith(("ERROR", "EXCEEDED", "ANSWER"))]


def report(name, verdicts):
    return Report(
        "blackjack", "Blackjack", name, tuple(stage(*one) for one in zip(STAGES, verdicts, strict=False)), folder=name
    )


def stage(name, verdict):
    results = ()
    if verdict in FAILED:
        session = Result(name, "first", verdict, Transcript(()), Transcript(()))
        results = (session,)
    return StageReport(name, name, verdict, results, len(results))


def lines_of(table, width):
    return [line.rstrip() for line in as_text(table, width=width).splitlines()]


def person(number, verdicts, name="Wilhelmina Featherstonehaugh"):
    name = f"{name} {number}"
    row = PersonRecord(Person(key=f"p{number}", name=name), HandedIn("digest", None), report(name, verdicts))
    lines = (GradeLine("shuffle: accepted", Fraction(28)),)
    grade = Grade(None, Fraction(100), lines, ("style has not been graded yet",), at_most=Fraction(40))
    return row, Scored(f"p{number}", grade, (), "2026-11-26")


@pytest.mark.parametrize("width", [40, 60, 79, 80, 100, 120, 200])
def test_a_person_takes_a_line_and_no_word_is_cut(width):
    verdicts = list(Verdict)
    people = [person(number, verdicts[number % 6 :][:6]) for number in range(40)]
    lines = lines_of(score_table(STAGES, people, None), width)
    rows = lines[2:42]
    assert all(cell_len(line) <= width for line in lines)
    assert all(line.startswith("Wil") for line in rows)
    assert not any("…" in line[line.index(" 28 to 40") :] for line in rows)
    assert "Wil" not in lines[42]


def test_a_class_of_40_takes_46_lines_of_80_columns():
    begun = [Verdict.ACCEPTED, Verdict.WRONG_ANSWER, Verdict.SKIPPED, *[Verdict.NOT_HANDED_IN] * 3]
    whole = [Verdict.ACCEPTED] * 4 + [Verdict.RUN_TIME_ERROR, Verdict.NEEDS_REVIEW]
    people = [person(number, whole if number % 3 else begun, "Ada") for number in range(40)]
    lines = lines_of(score_table(STAGES, people, None), 80)
    assert (len(lines), lines[2], lines[3]) == (
        46,
        "Ada 0   28 to 40  ok       wrong 0/1  skipped  missing  missing    missing",
        "Ada 1   28 to 40  ok       ok         ok       ok       crash 0/1  manual",
    )


def test_verdicts_are_in_all_their_words_where_there_is_room():
    reports = [report("ada", [Verdict.ACCEPTED, Verdict.TIME_LIMIT_EXCEEDED]), report("ben", [Verdict.NOT_HANDED_IN])]
    assert lines_of(class_table(STAGES[:2], reports), 80)[:4] == [
        "submission  shuffle        deal",
        "──────────────────────────────────────────────────",
        "ada         accepted       time limit exceeded 0/1",
        "ben         not handed in",
    ]


def test_where_there_is_little_room_a_verdict_is_a_word_and_then_a_mark():
    reports = [report("ada", [Verdict.ACCEPTED, Verdict.TIME_LIMIT_EXCEEDED])]
    assert lines_of(class_table(STAGES[:2], reports), 36)[2:4] == [
        "ada         ok       timeout 0/1",
        "ok: accepted, timeout: time limit",
    ]
    assert lines_of(class_table(STAGES[:2], reports), 28)[2] == "ada         ok       timeout"
    assert lines_of(class_table(STAGES[:2], reports), 24)[:4] == [
        "submission  1  2",
        "────────────────",
        "ada         ✓  ✗",
        "1 shuffle, 2 deal",
    ]


def test_what_is_said_of_many_is_reported_once():
    people = [person(number, [Verdict.ACCEPTED]) for number in range(40)]
    names = ", ".join(f"Wilhelmina Featherstonehaugh {number}" for number in range(3))
    assert (
        lines_of(score_table(STAGES[:1], people, None), 200)[-1]
        == f"{names} and 37 more: style has not been graded yet"
    )
