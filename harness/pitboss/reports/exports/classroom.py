"""A report for GitHub Classroom's reporter: the output `result` of a step, JSON in base64.

These are the fields that classroom-resources/autograding-grading-reporter reads: version 1, a status, the maximum
score, and tests with scores.
"""

from __future__ import annotations

import base64
import json

from pitboss.compare.results import Report
from pitboss.compare.verdicts import Verdict
from pitboss.gradebook.grades import Grade, format_sum, json_number

#: The maximum number of characters of the test's message.
_MAX_MESSAGE = 20_000


def classroom_output(report: Report, grade: Grade) -> str:
    """Returns the line for GITHUB_OUTPUT. It reports a single test: the assignment, with the score so far."""
    match report.verdict:
        case Verdict.JUDGE_ERROR:
            status = "error"
        case Verdict.ACCEPTED | Verdict.NEEDS_REVIEW:
            status = "pass"
        case _:
            status = "fail"
    test = {
        "name": report.title,
        "status": status,
        "score": json_number(grade.so_far),
        "message": "\n".join(format_sum(grade))[:_MAX_MESSAGE],
        "test_code": "",
        "filename": "",
        "line_no": 0,
        "execution_time": 0,
    }
    return _output_line({"version": 1, "status": status, "max_score": json_number(grade.out_of), "tests": [test]})


def failed_output(sentence: str) -> str:
    """Returns the line for GITHUB_OUTPUT if nothing could be checked."""
    test = {"name": "pitboss", "status": "error", "score": 0, "message": sentence}
    return _output_line({"version": 1, "status": "error", "max_score": 0, "tests": [test]})


def _output_line(value: object) -> str:
    return f"result={base64.b64encode(json.dumps(value).encode()).decode()}\n"
