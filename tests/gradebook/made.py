"""Made-up people, submissions, reports and grades."""

import datetime
from fractions import Fraction
from pathlib import Path

from pitboss.checking.inputs import Causes
from pitboss.compare.findings import WrittenFinding
from pitboss.compare.results import Report, Result, StageReport, worst
from pitboss.compare.verdicts import Verdict
from pitboss.gradebook.grades import Grade, GradeLine
from pitboss.model.transcript import Shown, Transcript, Typed
from pitboss.submissions.importers.imported import ImportedSubmission, Person

ADA = Person("Ada Lovelace", "ada", "al1", "ada@example.org", "A", (("canvas", "101"), ("sis", "S1"), ("moodle", "7")))
BOB = Person("Bob Müller", "bob", "bm2", "bob@example.org", "A", (("canvas", "102"), ("moodle", "8")))
EVE = Person("Eve O'Neil", "eve", "eo3", "eve@example.org", "B", (("canvas", "103"),))
NOON = datetime.datetime(2026, 9, 4, 12, 0, tzinfo=datetime.UTC)
A, W, F = Verdict.ACCEPTED, Verdict.WRONG_ANSWER, Verdict.JUDGE_ERROR


def handed(person, *, at=NOON, **more):
    return ImportedSubmission(person, Path("/nowhere") / person.key, at, source=person.key, **more)


def causes(program, assignment="a1", asked="q1", pitboss="p1"):
    return Causes(program, assignment, asked, pitboss)


def result(number, verdict, *, stage="play", visibility="public"):
    seen = Transcript((Shown(b"Seed: "), Typed(b"7"), Shown("Hit? \u2663\x1b[2J\0<script>".encode())))
    other = Transcript((Shown(b"Seed: "), Typed(b"7"), Shown(b"\xff")))
    actual = seen if verdict is A else other
    return Result(
        stage,
        f"case {number}",
        verdict,
        seen,
        actual,
        finding=None if verdict is A else WrittenFinding("It parts."),
        visibility=visibility,
    )


def report(*verdicts, name="ada", stage="play", **fields):
    results = tuple(result(number, verdict, stage=stage) for number, verdict in enumerate(verdicts, 1))
    play = StageReport(stage, stage.title(), worst(verdicts), results, len(results))
    return Report("blackjack", "Blackjack", name, (play,), **fields)


def grade(score, *lines, out_of=100, open=()):
    output = tuple(GradeLine(text, Fraction(amount)) for text, amount in lines)
    return Grade(None if score is None else Fraction(score), Fraction(out_of), output, tuple(open))
