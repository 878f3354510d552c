"""A report as results.json, the file in which an autograder returns its results to Gradescope.

https://gradescope-autograders.readthedocs.io/en/latest/specs/ specifies the file: a score, and tests.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pitboss.compare.results import Report, Result, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.gradebook.grades import Grade, format_sum, json_number
from pitboss.model.notation import notation_of
from pitboss.reports.finding_sentences import stage_summary, summary_and_hint
from pitboss.reports.shell_commands import rerun_command

_VISIBILITIES = {"public": "visible", "hidden": "hidden", "after due": "after_due_date"}
#: The maximum number of characters that a student sees about one case.
_MAX_CHARACTERS = 10_000


def results_json(report: Report, grade: Grade) -> str:
    """Returns one submission's results as JSON.

    While the grade is open, `score` is its minimum, and `output` says why the score is not final.
    """
    is_final = grade.score is not None
    value = {
        "score": json_number(grade.so_far),
        "output": "\n".join(format_sum(grade)),
        "output_format": "text",
        "stdout_visibility": "hidden",
        "tests": [test for stage in report.stages for test in _tests(stage)],
        "extra_data": {"score": str(grade.score) if is_final else None, "out_of": str(grade.out_of)},
    }
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def failed_json(sentence: str) -> str:
    """Returns results.json for a submission that could not be checked; `sentence` says why, and the score is 0."""
    value = {"score": 0, "output": sentence, "output_format": "text", "stdout_visibility": "hidden"}
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _tests(stage: StageReport) -> list[dict[str, object]]:
    """Returns a test for each case of a stage, or one test for the stage if no session has a result."""
    if not stage.results:
        has_passed = stage.verdict is Verdict.ACCEPTED
        output = "\n".join(text for text in (stage_summary(stage), stage.build_messages) if text)
        return [
            {
                "name": stage.title or stage.stage,
                "status": "passed" if has_passed else "failed",
                "output": output[:_MAX_CHARACTERS],
                "output_format": "text",
                "visibility": "visible",
            }
        ]
    cases: dict[tuple[str, str], list[Result]] = {}
    for result in stage.results:
        cases.setdefault((result.case, result.visibility), []).append(result)
    ranks = {id(result): rank for rank, result in enumerate(stage.failures)}
    return [_test(stage, results, ranks) for results in cases.values()]


def _test(stage: StageReport, results: Sequence[Result], ranks: Mapping[int, int]) -> dict[str, object]:
    """Returns a test for a case. It shows one session: the failed one that comes first in `stage.failures`, if any.

    `ranks` has the position of each failed session in `stage.failures`, by the id() of the session's result.
    """
    accepted_count = sum(result.is_accepted for result in results)
    example = min(results, key=lambda result: ranks.get(id(result), len(ranks)))
    output = summary_and_hint(example)
    if len(results) > 1 and not stage.is_manual:
        count_sentence = f"{accepted_count} of {len(results)} sessions accepted."
        all_accepted = accepted_count == len(results)
        output = count_sentence if all_accepted else f"{count_sentence} {example.session}: {output}"
    if not example.is_accepted and example.verdict is not Verdict.SKIPPED:
        output += (
            f"\n\nexpected:\n{notation_of(example.expected.events)}\n\nshown:\n{notation_of(example.actual.events)}"
        )
    return {
        "name": f"{stage.stage}: {example.case}",
        # A manually graded stage has neither passed nor failed yet.
        **({} if stage.is_manual else {"status": "passed" if accepted_count == len(results) else "failed"}),
        "output": output[:_MAX_CHARACTERS],
        "output_format": "text",
        "visibility": _VISIBILITIES.get(example.visibility, "hidden"),
        "extra_data": {
            "verdict": example.verdict.value,
            "sessions": len(results),
            "accepted": accepted_count,
            "replay": rerun_command(example.rerun) if example.rerun else "",
        },
    }
