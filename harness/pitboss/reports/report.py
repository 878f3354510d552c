"""The report for people in the terminal, as rich text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from pitboss.compare.results import FAILED, Report, Result, StageReport, Verdict
from pitboss.errors import fitted
from pitboss.reports.conversation import Conversation, VerbatimLine, WholeSession
from pitboss.reports.finding_sentences import (
    hidden_cases_sentence,
    how_started,
    mistake_groups,
    note_of,
    sentence_on_accepted,
    sentence_on_construct,
    stage_summary,
    summary_of,
    unjudged_sentence,
)
from pitboss.reports.screen import screen_difference
from pitboss.reports.shell_commands import command, option, rerun_command
from pitboss.submissions.explanations import first_error_index

_COLOURS = {
    Verdict.ACCEPTED: "bold green",
    Verdict.SKIPPED: "dim",
    Verdict.NOT_OFFERED: "yellow",
    Verdict.NOT_HANDED_IN: "yellow",
    Verdict.EMPTY: "yellow",
    Verdict.NEEDS_REVIEW: "bold",
    Verdict.JUDGE_ERROR: "bold magenta",
}
#: The maximum numbers of lines and of columns to show of a compiler's messages.
_MAX_COMPILER_LINES, _MAX_COMPILER_COLUMNS = 12, 300
#: Replaces a blank at which a line must not be broken: rich breaks lines even at non-breaking blanks.
_UNBREAKABLE_BLANK = "\ue000"
_QUOTATION = re.compile("“[^“”]*”")


class UnbrokenQuotations:
    """Text in which a quotation is not broken over lines, unless it is longer than two thirds of a line."""

    def __init__(self, text: Text) -> None:
        self._text = text

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, self._text)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text, columns = self._text.copy(), options.max_width

        def with_unbreakable_blanks(match: re.Match[str]) -> str:
            return match[0].replace(" ", _UNBREAKABLE_BLANK) if cell_len(match[0]) <= columns * 2 // 3 else match[0]

        text.plain = _QUOTATION.sub(with_unbreakable_blanks, text.plain)
        for line in text.wrap(console, columns):
            line.plain = line.plain.replace(_UNBREAKABLE_BLANK, " ")
            line.rstrip()
            yield line


class _CompilerLines:
    """A compiler's messages. Lines of code are not wrapped, so that carets stay under the code that they mark."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line, is_code in fitted_code(self._lines, options.max_width):
            yield Text(line, style="dim", no_wrap=is_code, overflow="ellipsis" if is_code else "fold")


def report_of(report: Report, *, has_details: bool = True) -> Group:
    """Returns the report: the table of stages, the simplest failure of each stage, and how sessions were run.

    Without details the report omits everything that the student need not act on: the rules that were reached, tolerated
    differences, texts accepted instead of the expected text, warnings on accepted programs, and the command that hunts
    for a smaller failure. A last line then names the option that adds these details.
    """
    headline = f" — {headline_text}" if (headline_text := headline_of(report)) else ""
    parts: list[object] = [Text.assemble((report.title, "bold"), f": {report.submission}", (headline, "bold"))]
    parts += [Text(report.stopped, style="bold yellow")] if report.stopped else []
    parts += [Text(), _stages_table(report)]
    shown_messages = set[str]()
    for stage in report.stages:
        if stage.build_messages in shown_messages and _is_built(stage):  # stages may be one program
            stage = msgspec.structs.replace(stage, build_messages="")
        stage_parts = _stage_parts(stage, report, has_details=has_details)
        if stage_parts and (has_details or stage.verdict is not Verdict.ACCEPTED):
            shown_messages.add(stage.build_messages)
        parts += stage_parts
    parts.append(Text())
    parts += [Text(sentence) for sentence in report.notes]
    parts += [Text(sentence, style="dim") for sentence in report.conditions]
    # The name of the tool is added too, but is no reason to read the details.
    if not has_details and any(_optional_parts(msgspec.structs.replace(stage, tool="")) for stage in report.stages):
        parts.append(
            Text("details: --details adds rules that were reached, tolerated differences, warnings", style="dim")
        )
    return Group(*parts)  # type: ignore[arg-type]


def report_with_next_step(report: Report, *, is_part: bool = False, has_details: bool = True) -> Group:
    """Returns the report of `report_of` and, below the report, what the student should do next.

    `is_part`: only some sessions of the stages were requested.
    """
    step = next_step_of(report, is_part=is_part)
    body = report_of(report, has_details=has_details)
    if step is None:
        return body
    advice = Text.assemble(("next: ", "bold"), step.words, ":" if step.command else "")
    return Group(body, Text(), advice, *([_command_line("  ", step.command)] if step.command else []))


def _stages_table(report: Report) -> Table:
    """Returns a table with a row for each stage: verdict, number of accepted sessions, and note."""
    has_notes = any(map(note_of, report.stages))
    table = Table.grid(padding=(0, 2))
    for _ in range(3):
        table.add_column(no_wrap=True)
    for stage in report.stages:
        is_counted = bool(stage.results) and not stage.is_manual and not stage.is_partial
        count = f"{stage.passed} of {stage.total}" if is_counted else ""
        cells = [Text("  " + stage.stage), verdict_text(stage.verdict), Text(count, justify="right")]
        note = Text(note_of(stage), style="dim", no_wrap=not stage.is_begun, overflow="ellipsis")
        table.add_row(*cells, *([note] if has_notes else []))
    return table


def verdict_text(verdict: Verdict) -> Text:
    return Text(verdict.words, style=_COLOURS.get(verdict, "bold red"))


def _stage_parts(stage: StageReport, report: Report, *, has_details: bool) -> list[object]:
    """Returns the parts of the report on a stage: known causes, the first failure, commands, remarks.

    Empty if the table of stages already says everything about the stage.
    """
    failed = stage.failures
    remarks: tuple[object, ...] = (stage_summary(stage), stage.hidden, stage.unshown, stage.memory, stage.broken)
    has_optional_parts = has_details and bool(_optional_parts(stage))
    has_more_than_verdict = failed or any(remarks) or has_optional_parts or not _is_built(stage)
    if note_of(stage) or not has_more_than_verdict:
        return []
    parts: list[object] = [Text(), Text(stage.stage, style="bold"), *_cause_parts(stage)]
    if stage.is_manual:
        parts += _manual_stage_parts(stage, report.folder)
    if failed:
        parts += _failure_parts(failed, report.folder)
    if has_details and failed and not stage.judged_as and report.has_reference:
        arguments = [stage.stage, option("--assignment", report.called or report.assignment)]
        arguments += [option("--given", stage.given)] if stage.given else []
        parts.append(_command_line("  smallest failing session: ", command("hunt", report.folder, *arguments)))
    return parts + _remark_parts(stage, has_details=has_details)


def _optional_parts(stage: StageReport) -> list[object]:
    """Returns the parts on a stage that the student need not act on, in the order of the report."""
    if note_of(stage):
        return []
    judged_as = f"judged with what the instructor tolerates: {stage.judged_as}" if stage.judged_as else ""
    made_with, tool = (stage.made_with, stage.tool) if _is_built(stage) else ("", "")
    sentences = [judged_as, *map(sentence_on_accepted, stage.accepted_differences), made_with, unjudged_sentence(stage)]
    sentences += [_rules_sentence(stage), f"built with {tool}" if tool else ""]
    parts = _sentence_parts(*sentences, style="dim")
    return parts + (_warning_parts(stage) if stage.verdict is Verdict.ACCEPTED else [])


def _warning_parts(stage: StageReport) -> list[object]:
    """Returns the parts on the messages of a successful build: a heading and the messages; empty without messages."""
    if not stage.build_messages or not _is_built(stage):
        return []
    # A makefile prints its commands too, which are not warnings.
    heading = "the compiler warns:" if "warning" in stage.build_messages else "the build printed:"
    return _sentence_parts(heading) + _compiler_parts(stage, is_built=True)


def _is_built(stage: StageReport) -> bool:
    # A manually graded stage always has the verdict NEEDS_REVIEW, but results only if its program was built.
    return stage.verdict is not Verdict.COMPILE_ERROR and (bool(stage.results) or not stage.is_manual)


def _cause_parts(stage: StageReport) -> list[object]:
    """Returns the parts on known causes: the compiler's first error, the line of a crash, mistakes."""
    parts = _sentence_parts(stage_summary(stage))
    if not _is_built(stage):
        parts += _compiler_parts(stage, is_built=False) if stage.build_messages else []
        parts += _sentence_parts(f"tried with {stage.tool}" if stage.tool else "", stage.made_with)
    parts += _sentence_parts(stage.crash, style="bold")
    for group in mistake_groups(stage.diagnosis):
        titles = Text("; or ").join(Text(title, "bold") for title in group.titles)
        parts.append(_indented(Text.assemble(f"{group.label}: ", titles, f" {group.rest}")))
    return parts


def _remark_parts(stage: StageReport, *, has_details: bool) -> list[object]:
    """Returns the parts with other remarks on a stage: hidden cases, sources, memory errors, warnings."""
    parts = _sentence_parts(hidden_cases_sentence(stage.hidden) if stage.hidden else "")
    parts += _optional_parts(stage) if has_details else []
    parts += _sentence_parts(*map(sentence_on_construct, stage.broken), stage.memory, *stage.unshown)
    return parts + (_warning_parts(stage) if stage.verdict is not Verdict.ACCEPTED else [])


def _manual_stage_parts(stage: StageReport, folder: str) -> list[object]:
    """Returns the parts on a manually graded stage: the comment at the top of the program, and its sessions."""
    parts: list[object] = []
    if stage.comment:
        parts += [_indented(Text("the program's comment:")), Padding(Text(stage.comment, style="italic"), (0, 0, 0, 4))]
    for result in stage.results:
        parts += [Text(), Text.assemble("  case ", (result.session, "italic")), *_sentence_parts(summary_of(result))]
        parts += [WholeSession(result.actual.events)]
        parts += [_command_line("  again: ", rerun_command(result.rerun, folder))] if result.rerun else []
    return parts


def _command_line(prefix: str, command: str) -> VerbatimLine:
    return VerbatimLine((prefix, ""), (command, "bold"))


def _sentence_parts(*sentences: str, style: str = "") -> list[object]:
    """Returns a part for each of these sentences that is not empty."""
    return [_indented(Text(sentence, style=style)) for sentence in sentences if sentence]


def _indented(text: Text) -> Padding:
    return Padding.indent(UnbrokenQuotations(text), 2)


def _rules_sentence(stage: StageReport) -> str:
    """Returns how often accepted sessions reached each rule, and which rules they never reached.

    Empty if the stage has no rules.
    """
    rule_counts = [f"{name} {count}" for name, count in stage.rules if count]
    missed_rules = [name for name, count in stage.rules if not count]
    reached_clause = f"rules reached in accepted sessions: {', '.join(rule_counts)}" if rule_counts else ""
    # Rejected sessions are not used: their text may be anything.
    sessions = f"{stage.total} sessions" if stage.passed == stage.total else "accepted sessions"
    missed_clause = f"never reached in {sessions}: {', '.join(missed_rules)}" if missed_rules and stage.passed else ""
    return "; ".join(part for part in (reached_clause, missed_clause) if part)


def _compiler_parts(stage: StageReport, *, is_built: bool) -> list[object]:
    """Returns the parts on a compiler's messages: their first lines, and the meaning of the first message.

    If the program was not built, warnings before the first error are omitted.
    """
    lines = stage.build_messages.splitlines()
    first_index = 0 if is_built else first_error_index(lines)
    first_lines = lines[first_index : first_index + _MAX_COMPILER_LINES]
    omitted = len(lines) - len(first_lines)
    first_lines = [fitted(line, _MAX_COMPILER_COLUMNS) for line in first_lines]
    if omitted:
        first_lines.append(f"… and {omitted} more line{'s' if omitted > 1 else ''}: {stage.build_command}")
    meaning = _sentence_parts(f"that is: {stage.build_explanation}" if stage.build_explanation else "")
    messages = Padding(_CompilerLines(first_lines), (0, 0, 0, 2))
    return [messages, *meaning] if is_built else [*meaning, messages]


def failure_of(result: Result, folder: str = "") -> Group:
    """Returns the display of one failed session.

    `folder` is the submission's folder as an argument of a command, as in `Report`.
    """
    return Group(*_failure_parts([result], folder))  # type: ignore[arg-type]


def _failure_parts(results: list[Result], folder: str) -> list[object]:
    """Returns the parts on the first failed session, which is the simplest: its difference, and how to run it again."""
    result = next((candidate for candidate in results if candidate.verdict not in _SKIPPED_OR_FAULT), results[0])
    heading = Text.assemble("case ", (result.session, "italic"), (_result_counts(results), "dim"))
    fault = next((candidate for candidate in results if candidate.verdict is Verdict.JUDGE_ERROR), result)
    fault_sentence = "" if fault is result else f"case {fault.session}: {summary_of(fault)}"
    parts: list[object] = [_indented(heading)]
    parts += _sentence_parts(summary_of(result), *how_started(result.stage, result.started), fault_sentence)
    parts += [_indented(Text.assemble(("hint: ", "bold"), result.hint))] if result.hint else []
    if result.difference is not None:
        location = result.difference.place
        parts += [Text(), *([Text(f"  {location}:", style="dim")] if location else [])]
        parts.append(Conversation(screen_difference(result.difference)))
    elif result.verdict in FAILED and result.actual.events:
        parts += [Text(), WholeSession(result.actual.events)]
    if result.rerun:
        parts += [Text(), _command_line("  again: ", rerun_command(result.rerun, folder))]
        if result.rerun_draws_differ:
            parts.append(Text("  (the program draws again, so its output may differ)", style="dim"))
    return parts


_SKIPPED_OR_FAULT = (Verdict.SKIPPED, Verdict.JUDGE_ERROR)


def _result_counts(results: list[Result]) -> str:
    """Returns how many sessions failed, were not judged, and were skipped, in parentheses; empty for one failure."""
    failed = sum(result.verdict not in _SKIPPED_OR_FAULT for result in results)
    skipped = sum(result.verdict is Verdict.SKIPPED for result in results)
    not_judged = sum(result.verdict is Verdict.JUDGE_ERROR for result in results)
    parts = [f"the simplest of {failed} that failed"] if failed > 1 else []
    if failed and not_judged:
        parts.append(f"{not_judged} could not be judged")
    if failed and skipped:
        parts.append(f"{skipped} {'was' if skipped == 1 else 'were'} skipped")
    return f" ({'; '.join(parts)})" if parts else ""


def as_text(renderable: object, *, width: int = 80) -> str:
    """Returns a rich renderable as plain text without colours."""
    console = Console(width=width, color_system=None, force_terminal=False, legacy_windows=False)
    with console.capture() as capture:
        console.print(renderable, crop=False)
    return capture.get()


# Lines of code that a compiler quotes

#: A line of code as gcc quotes it, or the marks below it: `  153 |     int a;` and `      |     ^~~`.
_QUOTED = re.compile(r"( *(\d*) \| ?)(.*)")
#: The columns that must be visible after the beginning of the first mark; otherwise the beginning of the code is cut.
_MIN_AFTER_MARK = 3
#: The columns that code gets even in a terminal without room for them.
_MIN_CODE_COLUMNS = 8


def fitted_code(lines: Sequence[str], columns: int) -> Iterator[tuple[str, bool]]:
    """Yields each line, and whether it is part of a quotation: a line of code, or the marks below it.

    Such lines are cut to `columns`; the caller must not wrap them.
    """
    # A block is a line of code with the lines of marks below it, or any other line alone.
    blocks: list[list[str]] = []
    for line in lines:
        _, number, _ = _quote_parts(line)
        is_marks = _QUOTED.fullmatch(line) is not None and not number
        if not is_marks or not blocks:
            blocks.append([])
        blocks[-1].append(line)
    for block in blocks:
        is_quotation = _QUOTED.fullmatch(block[0]) is not None
        yield from ((line, is_quotation) for line in (_fitted_block(block, columns) if is_quotation else block))


def _quote_parts(line: str) -> tuple[str, str, str]:
    """Returns the gutter in front of quoted code, the line number in the gutter, and the code."""
    match = _QUOTED.fullmatch(line)
    return (match[1], match[2], match[3]) if match else ("", "", line)


def _fitted_block(block: list[str], columns: int) -> list[str]:
    """Returns a line of code and the marks below it, with the same columns cut from all of these lines."""
    if max(map(len, block)) <= columns:
        return block
    mark_offsets = [
        len(text) - len(text.lstrip()) for _, number, text in map(_quote_parts, block) if not number and text.strip()
    ]
    code_columns = max(_MIN_CODE_COLUMNS, columns - max(len(_quote_parts(line)[0]) for line in block))
    first_mark = min(mark_offsets, default=0)
    is_start_cut = first_mark + _MIN_AFTER_MARK >= code_columns
    # A third of the columns still shows the code in front of the first mark.
    start = max(0, first_mark - code_columns // 3) if is_start_cut else 0
    return [_cut(*_quote_parts(line), start, code_columns) for line in block]


def _cut(gutter: str, number: str, text: str, start: int, code_columns: int) -> str:
    visible = text[start : start + code_columns]
    if number and start:
        visible = f"…{visible[1:]}"
    if number and len(text) > start + code_columns:
        visible = f"{visible[:-1]}…"
    return f"{gutter}{visible}".rstrip()


# Headline and next step

#: Verdicts after which a student has nothing left to do in a stage.
_FINAL = {Verdict.ACCEPTED, Verdict.NEEDS_REVIEW, Verdict.NOT_OFFERED}
_MISSING = {Verdict.NOT_HANDED_IN, Verdict.EMPTY}


class NextStep(msgspec.Struct, frozen=True):
    """A step that a student should take next."""

    #: The step as a phrase or a sentence.
    words: str
    #: The shell command that does the step; empty if no command does.
    command: str = ""


def headline_of(report: Report) -> str:
    """Returns the headline: the verdict of the first failed stage, or that all stages are accepted.

    Empty if no stage was judged, or if the check was stopped. Also empty if no stage failed, but not all are accepted,
    such as after a stage was skipped.
    """
    judged = [stage for stage in report.stages if not stage.is_manual and stage.verdict is not Verdict.NOT_OFFERED]
    if report.stopped or not judged:
        return ""
    if first_failed := _first_failed(report):
        return f"{first_failed.stage}: {first_failed.verdict.words}" if len(judged) > 1 else first_failed.verdict.words
    if any(stage.verdict is not Verdict.ACCEPTED for stage in judged):
        return ""
    return f"all {len(judged)} stages accepted" if len(judged) > 1 else "accepted"


def next_step_of(report: Report, *, is_part: bool = False) -> NextStep | None:
    """Returns what the student should do next; None if that is unknown, as after a JUDGE_ERROR.

    `is_part` says that only some sessions of the stages were requested.
    """
    if report.stopped or report.verdict is Verdict.JUDGE_ERROR:
        return None
    assignment_option = option("--assignment", report.called or report.assignment)
    stage = _first_failed(report)
    if stage is not None:
        return _step_for_stage(stage, report, assignment_option)
    if not any(stage.verdict is Verdict.ACCEPTED for stage in report.stages):
        return None
    if is_part:
        names = " ".join(stage.stage for stage in report.stages)
        return NextStep("check the other sessions too", command("check", report.folder, names, assignment_option))
    if report.unrequested:
        other_stages = ", ".join(report.unrequested)
        if report.is_one_file:  # a single file is checked as the program of one stage
            next_command = command("check", report.folder, report.unrequested[0], assignment_option)
            return NextStep(f"check it for the other stages too, one at a time ({other_stages})", next_command)
        return NextStep(
            f"check the other stages too ({other_stages})", command("check", report.folder, assignment_option)
        )
    return NextStep("everything checked here is accepted: hand it in as your course describes.")


def _first_failed(report: Report) -> StageReport | None:
    """Returns the first automatically judged stage with a failure; None if there is no such stage.

    A skipped stage waits for another stage, so it is not a failed stage.
    """
    no_failure = _FINAL | {Verdict.SKIPPED}
    return next((stage for stage in report.stages if not stage.is_manual and stage.verdict not in no_failure), None)


def _step_for_stage(stage: StageReport, report: Report, assignment_option: str) -> NextStep | None:
    """Returns what to do about the first failed stage; None if that is unknown."""
    check_again = command("check", report.folder, stage.stage, assignment_option)
    if stage.verdict in _MISSING:
        reason = stage.reason.rstrip(".")
        return NextStep(f"write {stage.stage}; {reason}." if reason else f"write {stage.stage}.")
    if stage.verdict is Verdict.COMPILE_ERROR:
        return NextStep("correct the first error above, save, and check again", check_again)
    # The failed sessions that can be run again.
    failed = [failure for failure in stage.failures if failure.verdict is not Verdict.SKIPPED and failure.rerun]
    if failed and failed[0].verdict is not Verdict.WRONG_ANSWER:
        return NextStep("fix this first, save, and check again", check_again)
    rerun = failed[0].rerun if failed else None
    if rerun is None or rerun.named_course_folder:
        return None
    explain_command = rerun_command(rerun, verb="explain")
    target = (
        "an example of what is expected" if failed[0].rerun_draws_differ or stage.rules else "what is expected there"
    )
    return NextStep(f"see {target}, step by step", explain_command)
