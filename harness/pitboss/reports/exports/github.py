"""A report for GitHub Actions: annotations at lines of the code, and the summary of a step.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions: a line of output that begins with `::`
is a command to the runner. A program's output must not give commands: `without_commands`
turns commands off around that output.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from pitboss.compare.results import Report, Result, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.model.notation import notation_of
from pitboss.reports.finding_sentences import stage_summary, summary_and_hint

_SAID = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:(?P<column>\d+):)? (?:fatal )?(?P<kind>error|warning): (?P<text>.+)$",
    re.MULTILINE,
)
_CRASHED = re.compile(r"^In (?P<file>[^,]+), line (?P<line>\d+)\b")
#: GitHub shows ten annotations of each kind for a step.
_MOST = 10
#: Limits that keep a summary short: GitHub shows at most 1 MiB.
_MAX_CASES, _MAX_CHARACTERS = 5, 4000
_PASSED = (Verdict.ACCEPTED, Verdict.NEEDS_REVIEW)


def without_commands(text: str, token: str) -> str:
    """Returns a text between lines that turn commands off and on again; `token` is a secret."""
    return f"::stop-commands::{token}\n{text.rstrip()}\n::{token}::\n"


def commands_for(report: Report) -> str:
    """Returns a command for each compiler message, each crash, and each stage that is not accepted."""
    lines = [line for stage in report.stages for line in _of_stage(report, stage)]
    return "".join(f"{line}\n" for line in lines)


def _of_stage(report: Report, stage: StageReport) -> Iterator[str]:
    for message in list(_SAID.finditer(stage.build_messages))[:_MOST]:
        location = {"file": _path(report, message["file"]), "line": message["line"], "col": message["column"] or ""}
        yield _command(message["kind"], message["text"], {**location, "title": f"{stage.stage}: the compiler"})
    for remark, kind in ((stage.crash, "error"), (stage.memory, "warning")):
        if crash := _CRASHED.match(remark):
            location = {"file": _path(report, crash["file"]), "line": crash["line"]}
            yield _command(kind, remark, {**location, "title": f"{stage.stage}: memory"})
    if stage.verdict not in _PASSED:
        kind = "warning" if stage.verdict in (Verdict.SKIPPED, Verdict.NOT_OFFERED) else "error"
        failed = next((result for result in stage.results if not result.is_accepted and summary_and_hint(result)), None)
        summary_line = stage_summary(stage) or (f"{failed.session}: {summary_and_hint(failed)}" if failed else "")
        yield _command(kind, summary_line or stage.verdict.words, {"title": f"{stage.stage}: {stage.verdict.words}"})


def _path(report: Report, file: str) -> str:
    """Returns a file's path in the repository, from the folder in which the command was called."""
    return str(PurePosixPath(report.folder or ".") / file)


def _command(kind: str, message: str, properties: dict[str, str]) -> str:
    """Returns a workflow command; characters that would end a part are escaped as the runner unescapes them."""
    parameters = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value)
    return f"::{kind} {parameters}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def step_summary(report: Report) -> str:
    """Returns the report in Markdown: a table of the stages, and the first failed sessions of each."""
    lines = [f"## {_plain(report.title)}", "", "| stage | verdict | sessions |", "|---|---|---|"]
    for stage in report.stages:
        mark = "✅" if stage.verdict in _PASSED else "❌"
        counts = f"{stage.passed} of {stage.total}" if stage.results else ""
        lines.append(f"| {_plain(stage.stage)} | {mark} {stage.verdict.words} | {counts} |")
    for stage in report.stages:
        lines += _details(stage)
    return "\n".join(lines) + "\n"


def _details(stage: StageReport) -> Iterator[str]:
    failed = [result for result in stage.results if result.verdict not in (*_PASSED, Verdict.SKIPPED)]
    summary = stage_summary(stage)
    sentences = [summary, stage.crash, *(diagnosis.title for diagnosis in stage.diagnosis[:1])]
    if not failed and not (summary and stage.verdict not in _PASSED):
        return
    yield from ("", f"### {_plain(stage.stage)}", "")
    yield from (f"{_plain(text)}\n" for text in sentences if text)
    if stage.build_messages:
        yield _block(stage.build_messages)
    for failure in failed[:_MAX_CASES]:
        yield from _session(failure)
    if len(failed) > _MAX_CASES:
        yield f"\n{len(failed) - _MAX_CASES} more sessions failed."


def _session(result: Result) -> Iterator[str]:
    yield f"\n<details><summary>{_in_html(f'{result.session}: {summary_and_hint(result)}')}</summary>\n"
    for name, transcript in (("expected", result.expected), ("shown", result.actual)):
        yield f"{name}\n\n{_block(notation_of(transcript.events))}\n"
    yield "\n</details>"


def _block(text: str) -> str:
    """Returns a text as a code block; the fence is longer than any run of backticks in the text."""
    excerpt = text[:_MAX_CHARACTERS] + ("\n…" if len(text) > _MAX_CHARACTERS else "")
    longest = max((len(run) for run in re.findall("`+", excerpt)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{excerpt.rstrip()}\n{fence}"


def _plain(text: str) -> str:
    """Returns a text on one line, with all Markdown markup escaped."""
    return re.sub(r"([\\`*_{}\[\]<>()#+\-.!|~&@:$])", r"\\\1", " ".join(text.split()))


def _in_html(text: str) -> str:
    """Returns a text to put between HTML tags; on one line, since an empty line would end the block."""
    return html.escape(" ".join(text.split()))
