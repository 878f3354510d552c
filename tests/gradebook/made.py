"""Made-up people, submissions, reports and grades."""

import datetime
from fractions import Fraction
from pathlib import Path

from pitboss.compare.findings import WrittenFinding
from pitboss.compare.results import Report, Result, StageReport, Verdict, overall_verdict
from pitboss.gradebook.grades import Grade, GradeLine
from pitboss.model.transcript import Shown, Transcript, Typed
from pitboss.sandbox.digests import Causes
from pitboss.submissions.importers.imported import ImportedSubmission, Person

ADA = Person("Ada Lovelace", "ada", "al1", "ada@example.org", "A", (("canvas", "101"), ("sis", "S1"), ("moodle", "7")))
BOB = Person("Bob Müller", "bob", "bm2", "bob@example.org", "A", (("canvas", "102"), ("moodle", "8")))
EVE = Person("Eve O'Neil", "eve", "eo3", "eve@example.org", "B", (("canvas", "103"),))
NOON = datetime.datetime(2026, 9, 4, 12, 0, tzinfo=datetime.UTC)
#: Accepted, wrong, and a fault of ours.
A, W, F = Verdict.ACCEPTED, Verdict.WRONG_ANSWER, Verdict.JUDGE_ERROR


def submission_by(person, *, at=NOON, **more):
    return ImportedSubmission(person, Path("/nowhere") / person.key, at, source=person.key, **more)


def causes(program, assignment="a1", options="q1", pitboss="p1"):
    """What a report depends on: made-up digests of program, assignment, options of the check, and pitboss."""
    return Causes(program, assignment, options, pitboss)


def result(number, verdict, *, stage="play", visibility="public"):
    """The result of a case named by this number; its output has characters that a report must escape."""
    expected = Transcript((Shown(b"Seed: "), Typed(b"7"), Shown("Hit? \u2663\x1b[2J\0<script>".encode())))
    wrong_output = Transcript((Shown(b"Seed: "), Typed(b"7"), Shown(b"\xff")))
    actual = expected if verdict is A else wrong_output
    return Result(
        stage,
        f"case {number}",
        verdict,
        expected,
        actual,
        finding=None if verdict is A else WrittenFinding("It parts."),
        visibility=visibility,
    )


def report(*verdicts, name="ada", stage="play", **fields):
    """A report of one stage, with a result for each verdict."""
    results = tuple(result(number, verdict, stage=stage) for number, verdict in enumerate(verdicts, 1))
    stage_report = StageReport(stage, stage.title(), overall_verdict(verdicts), results, len(results))
    return Report("blackjack", "Blackjack", name, (stage_report,), **fields)


def grade(score, *lines, out_of=100, open=()):
    """A grade with these lines, pairs of a text and an amount; a score of None is still open."""
    grade_lines = tuple(GradeLine(text, Fraction(amount)) for text, amount in lines)
    return Grade(None if score is None else Fraction(score), Fraction(out_of), grade_lines, tuple(open))
