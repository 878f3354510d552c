"""A report for GitHub Actions: annotations at lines of the code, and the summary of a step.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions: a line of output that begins with `::`
is a command to the runner. A student's program must not give such commands, so `without_commands` turns commands off
around the program's output.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from pitboss.compare.results import Report, Result, StageReport
from pitboss.compare.verdicts import Verdict
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
