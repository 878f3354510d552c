"""A report for GitHub Classroom's reporter: the output `result` of a step, JSON in base64.

These are the fields that classroom-resources/autograding-grading-reporter reads: version 1, a status, the maximum
score, and tests with scores.
"""

from __future__ import annotations

import base64
import json

from pitboss.compare.results import Report
from pitboss.compare.verdicts import Verdict
from pitboss.gradebook.grades import Grade
from pitboss.gradebook.plain_sum import format_sum
from pitboss.reports.exports.json_numbers import number

_MAX_CHARACTERS = 20_000


def classroom_output(report: Report, grade: Grade) -> str:
    """Returns the line for GITHUB_OUTPUT: a single test, the assignment, with the score so far."""
    passed = report.verdict in (Verdict.ACCEPTED, Verdict.NEEDS_REVIEW)
    status = "error" if report.verdict is Verdict.JUDGE_ERROR else "pass" if passed else "fail"
    test = {
        "name": report.title,
        "status": status,
        "score": number(grade.so_far),
        "message": "\n".join(format_sum(grade))[:_MAX_CHARACTERS],
        "test_code": "",
        "filename": "",
        "line_no": 0,
        "execution_time": 0,
    }
    return _line({"version": 1, "status": status, "max_score": number(grade.out_of), "tests": [test]})


def failed_output(sentence: str) -> str:
    """Returns the line for GITHUB_OUTPUT if nothing could be checked."""
    test = {"name": "pitboss", "status": "error", "score": 0, "message": sentence}
    return _line({"version": 1, "status": "error", "max_score": 0, "tests": [test]})


def _line(value: object) -> str:
    return f"result={base64.b64encode(json.dumps(value).encode()).decode()}\n"
