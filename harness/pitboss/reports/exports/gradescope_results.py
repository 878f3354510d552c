"""A report as the results.json of a Gradescope autograder, as Gradescope specifies that file.

https://gradescope-autograders.readthedocs.io/en/latest/specs/: a score, and tests with scores and visibilities.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pitboss.compare.results import Report, Result, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.gradebook.grades import Grade
from pitboss.gradebook.plain_sum import format_sum
from pitboss.model.notation import notation_of
from pitboss.reports.exports.json_numbers import number
from pitboss.reports.finding_sentences import stage_summary, summary_and_hint
from pitboss.reports.shell_commands import rerun_command

_VISIBILITIES = {"public": "visible", "hidden": "hidden", "after due": "after_due_date"}
#: The maximum number of characters that a student sees about one case.
_MAX_CHARACTERS = 10_000


def results_json(report: Report, grade: Grade) -> str:
    """Returns one submission's results as JSON; the `score` so far is the minimum, and the output says why."""
    is_final = grade.score is not None
    value = {
        "score": number(grade.so_far),
        "output": "\n".join(format_sum(grade)),
        "output_format": "text",
        "stdout_visibility": "hidden",
        "tests": [test for stage in report.stages for test in _tests(stage)],
        "extra_data": {"score": str(grade.score) if is_final else None, "out_of": str(grade.out_of)},
    }
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def failed_json(sentence: str) -> str:
    """Returns the results of a check that failed: Gradescope needs a file even then."""
    value = {"score": 0, "output": sentence, "output_format": "text", "stdout_visibility": "hidden"}
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _tests(stage: StageReport) -> list[dict[str, object]]:
    if not stage.results:
        passed = stage.verdict is Verdict.ACCEPTED
        output = "\n".join(text for text in (stage_summary(stage), stage.build_messages) if text)
        return [
            {
                "name": stage.title or stage.stage,
                "status": "passed" if passed else "failed",
                "output": output[:_MAX_CHARACTERS],
                "output_format": "text",
                "visibility": "visible",
            }
        ]
    cases: dict[tuple[str, str], list[Result]] = {}
    for result in stage.results:
        cases.setdefault((result.case, result.visibility), []).append(result)
    simplest = {id(result): rank for rank, result in enumerate(stage.failures)}
    return [_test(stage, results, simplest) for results in cases.values()]


def _test(stage: StageReport, results: Sequence[Result], simplest: Mapping[int, int]) -> dict[str, object]:
    """Returns a test for a case, with the simplest failed session; `simplest` ranks failed sessions by their id()."""
    passed = sum(result.is_accepted for result in results)
    shown = min(results, key=lambda result: simplest.get(id(result), len(simplest)))
    output = summary_and_hint(shown)
    if len(results) > 1 and not stage.is_manual:
        count = f"{passed} of {len(results)} sessions accepted."
        output = f"{count} {shown.session}: {output}" if passed < len(results) else count
    if not shown.is_accepted and shown.verdict is not Verdict.SKIPPED:
        output += f"\n\nexpected:\n{notation_of(shown.expected.events)}\n\nshown:\n{notation_of(shown.actual.events)}"
    return {
        "name": f"{stage.stage}: {shown.case}",
        # A manually graded stage has neither passed nor failed yet.
        **({} if stage.is_manual else {"status": "passed" if passed == len(results) else "failed"}),
        "output": output[:_MAX_CHARACTERS],
        "output_format": "text",
        "visibility": _VISIBILITIES.get(shown.visibility, "hidden"),
        "extra_data": {
            "verdict": shown.verdict.value,
            "sessions": len(results),
            "accepted": passed,
            "replay": rerun_command(shown.rerun) if shown.rerun else "",
        },
    }
