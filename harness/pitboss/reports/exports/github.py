"""Reports for GitHub: annotations and the summary of a step, Classroom's score, and the workflow that runs checks.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions: a line of output that begins with `::`
is a command to the runner. A student's program must not give such commands, so `without_commands` turns commands off
around the program's output.

Classroom's reporter (classroom-resources/autograding-grading-reporter) reads the output `result` of a step, JSON in
base64: version 1, a status, the maximum score, and tests with scores.

The workflow unpacks the archive of `pitboss gradescope`, so a job installs the same packages. No data from an event is
put into a script, and the job cannot change the code of the repository:
https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from pitboss.compare.results import Report, Result, StageReport, Verdict
from pitboss.gradebook.grades import Grade, format_sum, json_number
from pitboss.model.notation import notation_of
from pitboss.model.quoting import printable
from pitboss.reports.finding_sentences import stage_summary, summary_and_hint

_COMPILER_MESSAGE = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:(?P<column>\d+):)? (?:fatal )?(?P<kind>error|warning): (?P<text>.+)$",
    re.MULTILINE,
)
#: The beginning of a sentence on a crash or on misused memory: the line of the student's code.
_CRASH_LOCATION = re.compile(r"^In (?P<file>[^,]+), line (?P<line>\d+)\b")
#: GitHub shows ten annotations of each kind for a step.
_MAX_ANNOTATIONS = 10
#: Limits that keep a summary short: failed sessions of a stage, and characters of a code block. GitHub shows at most
#: 1 MiB of a summary.
_MAX_SESSIONS, _MAX_CHARACTERS = 5, 4000
_PASSING_VERDICTS = (Verdict.ACCEPTED, Verdict.NEEDS_REVIEW)


def without_commands(text: str, token: str) -> str:
    """Returns a text between a line that turns commands off and a line that turns commands on again.

    `token` ends the text without commands, so it must be a secret that the text cannot contain.
    """
    return f"::stop-commands::{token}\n{text.rstrip()}\n::{token}::\n"


def commands_for(report: Report) -> str:
    """Returns annotation commands: for compiler messages, for crashes, and for each stage that did not pass."""
    lines = [line for stage in report.stages for line in _commands_of_stage(report, stage)]
    return "".join(f"{line}\n" for line in lines)


def _commands_of_stage(report: Report, stage: StageReport) -> Iterator[str]:
    for message in list(_COMPILER_MESSAGE.finditer(stage.build_messages))[:_MAX_ANNOTATIONS]:
        location = {"file": _path(report, message["file"]), "line": message["line"], "col": message["column"] or ""}
        yield _command(message["kind"], message["text"], {**location, "title": f"{stage.stage}: the compiler"})
    for remark, kind in ((stage.crash, "error"), (stage.memory, "warning")):
        if location_match := _CRASH_LOCATION.match(remark):
            location = {"file": _path(report, location_match["file"]), "line": location_match["line"]}
            yield _command(kind, remark, {**location, "title": f"{stage.stage}: memory"})
    if stage.verdict not in _PASSING_VERDICTS:
        kind = "warning" if stage.verdict in (Verdict.SKIPPED, Verdict.NOT_OFFERED) else "error"
        failed = next((result for result in stage.results if not result.is_accepted and summary_and_hint(result)), None)
        summary_line = stage_summary(stage) or (f"{failed.session}: {summary_and_hint(failed)}" if failed else "")
        yield _command(kind, summary_line or stage.verdict.words, {"title": f"{stage.stage}: {stage.verdict.words}"})


def _path(report: Report, file: str) -> str:
    """Returns the path of a submission's file, relative to the folder in which pitboss was started."""
    return str(PurePosixPath(report.folder or ".") / file)


def _command(kind: str, message: str, properties: dict[str, str]) -> str:
    """Returns a workflow command; the characters that would end its message or a property are escaped."""
    parameters = ",".join(f"{name}={_escape_property(value)}" for name, value in properties.items() if value)
    return printable(f"::{kind} {parameters}::{_escape_data(message)}")


def _escape_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")


def step_summary(report: Report) -> str:
    """Returns the report in Markdown: a table of the stages, and the first failed sessions of each."""
    lines = [f"## {_escape_markdown(report.title)}", "", "| stage | verdict | sessions |", "|---|---|---|"]
    for stage in report.stages:
        symbol = "✅" if stage.verdict in _PASSING_VERDICTS else "❌"
        counts = f"{stage.passed} of {stage.total}" if stage.results else ""
        lines.append(f"| {_escape_markdown(stage.stage)} | {symbol} {stage.verdict.words} | {counts} |")
    for stage in report.stages:
        lines += _stage_details(stage)
    return printable("\n".join(lines)) + "\n"


def _stage_details(stage: StageReport) -> Iterator[str]:
    """Yields a section in Markdown on a stage that has failed sessions, or that failed as a whole; else nothing."""
    failed = [result for result in stage.results if result.verdict not in (*_PASSING_VERDICTS, Verdict.SKIPPED)]
    summary = stage_summary(stage)
    sentences = [summary, stage.crash, *(diagnosis.title for diagnosis in stage.diagnosis[:1])]
    has_stage_failure = bool(summary) and stage.verdict not in _PASSING_VERDICTS
    if not (failed or has_stage_failure):
        return
    yield from ("", f"### {_escape_markdown(stage.stage)}", "")
    yield from (f"{_escape_markdown(text)}\n" for text in sentences if text)
    if stage.build_messages:
        yield _code_block(stage.build_messages)
    for failure in failed[:_MAX_SESSIONS]:
        yield from _session_details(failure)
    if len(failed) > _MAX_SESSIONS:
        yield f"\n{len(failed) - _MAX_SESSIONS} more sessions failed."


def _session_details(result: Result) -> Iterator[str]:
    yield f"\n<details><summary>{_escape_html(f'{result.session}: {summary_and_hint(result)}')}</summary>\n"
    for name, transcript in (("expected", result.expected), ("shown", result.actual)):
        yield f"{name}\n\n{_code_block(notation_of(transcript.events))}\n"
    yield "\n</details>"


def _code_block(text: str) -> str:
    """Returns a text, cut if very long, as a code block; the fence is longer than any run of backticks in the text."""
    excerpt = text[:_MAX_CHARACTERS] + ("\n…" if len(text) > _MAX_CHARACTERS else "")
    longest_run = max((len(run) for run in re.findall("`+", excerpt)), default=0)
    fence = "`" * max(3, longest_run + 1)
    return f"{fence}text\n{excerpt.rstrip()}\n{fence}"


def _escape_markdown(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>()#+\-.!|~&@:$])", r"\\\1", " ".join(text.split()))


def _escape_html(text: str) -> str:
    """Returns a text, escaped for HTML, on one line, since an empty line would end the HTML block in Markdown."""
    return html.escape(" ".join(text.split()))


#: The maximum number of characters of the test's message.
_MAX_MESSAGE = 20_000


def classroom_output(report: Report, grade: Grade) -> str:
    """Returns the line for GITHUB_OUTPUT. It reports a single test: the assignment, with the score so far."""
    statuses = {Verdict.JUDGE_ERROR: "error", **dict.fromkeys(_PASSING_VERDICTS, "pass")}
    status = statuses.get(report.verdict, "fail")
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


_CHECKOUT = "actions/checkout@v4"
_AUTOGRADER_FOLDER = "${{ runner.temp }}/pitboss"

#: Characters that YAML allows only in escaped form (https://yaml.org/spec/1.2.2/#51-character-set), or that may end a
#: line.
_NEEDS_ESCAPE = re.compile("[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")

_WORKFLOW = """\
# Checks the programs of this repository with pitboss, at every push and pull request. Made by `pitboss workflow`.
name: {name}
on:
  push:
  pull_request:
  workflow_dispatch:
permissions:
  contents: read
{permissions}concurrency:
  group: ${{{{ github.workflow }}}}-${{{{ github.ref }}}}
  cancel-in-progress: true
jobs:
  check:
    name: {title}
    runs-on: ubuntu-24.04
    timeout-minutes: {minutes}
{condition}    steps:
      - name: The programs
        uses: {checkout}
        with:
          persist-credentials: false
{fetch}      - name: Set up pitboss
        env:
          PITBOSS_AUTOGRADER: {folder}
          BUNDLE: {bundle}
        run: |
          python3 -m zipfile -e "$BUNDLE" "$PITBOSS_AUTOGRADER/source"
{remove}          bash "$PITBOSS_AUTOGRADER/source/setup.sh"
      - name: Check
        id: check
        env:
          PITBOSS_AUTOGRADER: {folder}
        run: bash "$PITBOSS_AUTOGRADER/source/check" . --github{options}
"""
#: With the token in the secret, a job may read the course's repository.
_FETCH = """\
      - name: The archive of the course
        uses: {checkout}
        with:
          repository: {repository}
          path: .pitboss
          token: ${{{{ secrets.PITBOSS_TOKEN }}}}
          persist-credentials: false
"""
_REPORT = """\
      - name: Report to GitHub Classroom
        if: always()
        uses: classroom-resources/autograding-grading-reporter@v1
        env:
          CHECK_RESULTS: ${{ steps.check.outputs.result }}
        with:
          runners: check
"""


def workflow_yaml(
    title: str, bundle: str, *, repository: str = "", minutes: int = 20, is_classroom: bool = False
) -> str:
    """Returns the text of the workflow.

    `bundle` is the path of the course's archive: in `repository` (OWNER/NAME) or, if `repository` is empty, in the
    student's repository.
    With `is_classroom`, the workflow reports the score to GitHub Classroom.
    """
    fetch = _FETCH.format(checkout=_CHECKOUT, repository=_yaml_scalar(repository)) if repository else ""
    text = _WORKFLOW.format(
        name="Autograding Tests" if is_classroom else "pitboss",
        permissions="  checks: write\n  actions: read\n" if is_classroom else "",
        title=_yaml_scalar(title),
        minutes=minutes,
        # The bot of GitHub Classroom pushes the course's code, not a student's.
        condition="    if: github.actor != 'github-classroom[bot]'\n" if is_classroom else "",
        folder=_AUTOGRADER_FOLDER,
        checkout=_CHECKOUT,
        fetch=fetch,
        bundle=_yaml_scalar(f".pitboss/{bundle}" if repository else bundle),
        remove="          rm -rf .pitboss\n" if repository else "",
        options=" --classroom" if is_classroom else "",
    )
    return text + (_REPORT if is_classroom else "")


def _yaml_scalar(text: str) -> str:
    """Returns a text as a quoted YAML scalar; a space breaks up each `${{`, which would begin an Actions expression.

    >>> _yaml_scalar("what ${{ this }} is")
    '"what $ {{ this }} is"'
    """
    scalar = json.dumps(re.sub(r"\$(?=\{\{)", "$ ", text), ensure_ascii=False)
    return _NEEDS_ESCAPE.sub(lambda match: f"\\u{ord(match[0]):04x}", scalar)
