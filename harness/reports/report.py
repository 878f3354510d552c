"""The report for people in the terminal, as rich text."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from harness.judging.published import hidden_sentence
from harness.judging.results import Report, Result, StageReport, in_folder
from harness.judging.verdicts import Verdict
from harness.reports.fitting import fitted, width_of
from harness.reports.mistakes import told as told_mistakes
from harness.reports.screen import Kind, Line, Parting, parting_of, screen_lines
from harness.submissions.explanations import first_error
from harness.transcripts.transcript import Event

_COLOURS = {
    Verdict.ACCEPTED: "bold green",
    Verdict.SKIPPED: "dim",
    Verdict.NOT_OFFERED: "yellow",
    Verdict.NOT_HANDED_IN: "yellow",
    Verdict.EMPTY: "yellow",
    Verdict.FOR_A_PERSON: "bold",
    Verdict.JUDGE_ERROR: "bold magenta",
}
_STYLES = {Kind.SHOWN: "", Kind.TYPED: "bold cyan", Kind.MARK: "yellow"}
_COMPILER_LINES, _COMPILER_COLUMNS = 12, 300
#: How much of a session is shown to a person who grades it.
_SESSION_LINES = 40
#: The columns in front of a line of a conversation: its number, and a vertical line.
_GUTTER = 11


class _Verbatim:
    """A line that is never wrapped, however narrow the terminal, such as a command to copy."""

    def __init__(self, before: str, text: str) -> None:
        self._before, self._text = before, text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Segment(self._before)
        yield Segment(self._text, console.get_style("bold"))
        yield Segment.line()


class _Conversation:
    """The conversation up to a difference, fitted to the terminal's width."""

    def __init__(self, parting: Parting) -> None:
        self._parting = parting

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in parting_lines(self._parting, options.max_width - _GUTTER - 2):
            yield Padding(line, (0, 0, 0, 2))


class _Session:
    """A whole session, fitted to the terminal's width; a long one loses its middle."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._lines: list[Line] = screen_lines(events)
        while self._lines and not self._lines[-1]:
            self._lines.pop()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines: list[Line | None] = [*self._lines]
        left, half = len(lines) - _SESSION_LINES, _SESSION_LINES // 2
        if left > 0:
            lines[half:-half] = [None]
        for line in lines:
            pieces = [(f"… {left:,} more lines …", "dim")] if line is None else _pieces(line)
            text = Text.assemble(("  │ ", "dim"), *pieces)
            text.truncate(options.max_width, overflow="ellipsis")
            yield text


def report_of(report: Report) -> Group:
    """A whole report: the table of stages, the first failure of each, and how sessions were run."""
    parts: list[object] = [Text.assemble((report.title, "bold"), f": {report.submission}")]
    parts += [Text(report.stopped, style="bold yellow")] if report.stopped else []
    parts += [Text(), _stages(report)]
    for stage in report.stages:
        parts += _details(stage, report)
    parts.append(Text())
    parts += [Text(sentence) for sentence in report.notes]
    parts += [Text(sentence, style="dim") for sentence in report.conditions]
    return Group(*parts)  # type: ignore[arg-type]


def _stages(report: Report) -> Table:
    table = Table.grid(padding=(0, 2))
    for stage in report.stages:
        is_counted = bool(stage.results) and not stage.is_for_person and not stage.is_partial
        count = f"{stage.passed} of {stage.total}" if is_counted else ""
        table.add_row(Text("  " + stage.stage), verdict_text(stage.verdict), Text(count, justify="right"))
    return table


def verdict_text(verdict: Verdict, word: str = "") -> Text:
    """A verdict in its colour, or another word for it."""
    return Text(word or verdict.value, style=_COLOURS.get(verdict, "bold red"))


def _details(stage: StageReport, report: Report) -> list[object]:
    """The details of a stage: facts first, then failures, likely causes, and the compiler's messages."""
    good = (Verdict.ACCEPTED, Verdict.FOR_A_PERSON)
    failed = [result for result in stage.results if result.verdict not in good]
    words: tuple[object, ...] = (stage.summary, stage.build_messages, stage.rules, stage.judged_as, stage.hidden)
    words += (stage.made_with, stage.unshown, stage.taken, stage.not_judged, stage.memory)
    if not failed and not any(words):
        return []
    parts: list[object] = [Text(), Text(stage.stage, style="bold")]
    is_built = stage.verdict is not Verdict.COMPILE_ERROR and (bool(stage.results) or not stage.is_for_person)
    if stage.summary:
        parts.append(_indented(Text(stage.summary)))
    if stage.build_messages and not is_built:
        parts.append(_compiler(stage, is_built=False))
    if stage.made_with:
        parts.append(_indented(Text(stage.made_with, style="" if not is_built else "dim")))
    if stage.crash:
        parts.append(_indented(Text(stage.crash, style="bold")))
    if stage.is_for_person:
        parts += _for_person(stage, report.folder)
    if failed:
        parts += _first_failure(failed, report.folder)
    if stage.hidden:
        parts.append(_indented(Text(hidden_sentence(stage.hidden))))
    parts += map(_indented, _diagnosis(stage))
    if stage.judged_as:
        parts.append(_indented(Text(f"judged with what the instructor lets pass: {stage.judged_as}", style="dim")))
    parts += [_indented(Text(one.sentence, style="dim")) for one in stage.taken]
    if failed and not stage.judged_as:
        hunt = f"pitboss hunt {stage.stage} --assignment {shlex.quote(report.called or report.assignment)}"
        hunt += f" --given {shlex.quote(stage.given)}" if stage.given else ""
        parts.append(_Verbatim("  smallest failing game: ", report.command(hunt)))
    if stage.not_judged:
        parts.append(_indented(Text(stage.not_judged, style="dim")))
    if stage.rules:
        parts.append(_indented(Text(_rules(stage), style="dim")))
    parts += [_indented(Text(sentence)) for sentence in (stage.memory, *stage.unshown) if sentence]
    if stage.build_messages and is_built:
        parts += [_indented(Text("the compiler warns:")), _compiler(stage, is_built=True)]
    return parts


def _for_person(stage: StageReport, folder: str) -> list[object]:
    """What a person looks at: the comment at the top of the program, and its sessions."""
    parts: list[object] = []
    if stage.comment:
        parts += [_indented(Text("its comment:")), Padding(Text(stage.comment, style="italic"), (0, 0, 0, 4))]
    for result in stage.results:
        parts += [Text(), Text.assemble("  case ", (result.case, "italic"))]
        parts += [_indented(Text(result.summary))] if result.summary else []
        parts += [_Session(result.actual.events)]
        parts += [_Verbatim("  again: ", in_folder(result.replay, folder))] if result.replay else []
    return parts


def _indented(text: Text) -> Padding:
    return Padding(text, (0, 0, 0, 2))


def _diagnosis(stage: StageReport) -> list[Text]:
    """The known mistakes that explain the failures, in words for the student."""
    return [
        Text.assemble(f"{one.label}: ", _joined(one.titles), f" {one.rest}") for one in told_mistakes(stage.diagnosis)
    ]


def _joined(titles: Sequence[str]) -> Text:
    return Text("; or ").join(Text(title, "bold") for title in titles)


def _rules(stage: StageReport) -> str:
    met = [f"{name} {count}" for name, count in stage.rules if count]
    never = [name for name, count in stage.rules if not count]
    told = f"rules met in accepted sessions: {', '.join(met)}" if met else ""
    untold = f"never came up in {stage.total} sessions: {', '.join(never)}" if never else ""
    return "; ".join(part for part in (told, untold) if part)


def _compiler(stage: StageReport, *, is_built: bool) -> Padding:
    """The first lines of the compiler's messages, without warnings before the first error."""
    lines = stage.build_messages.splitlines()
    first = 0 if is_built else first_error(lines)
    shown = lines[first : first + _COMPILER_LINES]
    left = len(lines) - len(shown)
    shown = [one if len(one) <= _COMPILER_COLUMNS else f"{one[: _COMPILER_COLUMNS - 1]}…" for one in shown]
    if left:
        shown.append(f"… and {left} more line{'s' if left > 1 else ''}: {stage.build_command}")
    text = Text("\n".join(shown), style="dim")
    if stage.build_explanation:
        text.append(f"\nthat is: {stage.build_explanation}", style="not dim")
    return Padding(text, (0, 0, 0, 2))


def failure_of(result: Result, folder: str = "") -> Group:
    """One failed session; `folder` is the submission's folder as a word of a command line, as in `Report`."""
    return Group(*_first_failure([result], folder))  # type: ignore[arg-type]


def _first_failure(results: list[Result], folder: str) -> list[object]:
    result = next((one for one in results if one.verdict not in _NOT_ITS_OWN), results[0])
    heading = Text.assemble("  case ", (result.case, "italic"), (_others(results), "dim"))
    parts: list[object] = [heading, _indented(Text(result.summary))]
    if result.difference is not None:
        place = result.difference.place
        parts += [Text(), *([Text(f"  {place}:", style="dim")] if place else [])]
        parts.append(_Conversation(parting_of(result.difference)))
    if result.replay:
        parts += [Text(), _Verbatim("  again: ", in_folder(result.replay, folder))]
        if result.draws_anew:
            parts.append(Text("  (it makes other draws, so what it shows may differ)", style="dim"))
    return parts


_NOT_ITS_OWN = (Verdict.SKIPPED, Verdict.JUDGE_ERROR)


def _others(results: list[Result]) -> str:
    """The number of further results, in parentheses; empty if there are none."""
    failed = sum(one.verdict not in _NOT_ITS_OWN for one in results)
    not_run = sum(one.verdict is Verdict.SKIPPED for one in results)
    not_judged = sum(one.verdict is Verdict.JUDGE_ERROR for one in results)
    parts = [f"the first of {failed} that failed"] if failed > 1 else []
    if failed and not_judged:
        parts.append(f"{not_judged} could not be judged")
    if failed and not_run:
        parts.append(f"{not_run} {'was' if not_run == 1 else 'were'} not run")
    return f" ({'; '.join(parts)})" if parts else ""


def parting_lines(parting: Parting, columns: int) -> list[Text]:
    """The conversation up to a difference, then both lines, and a caret under the first column that differs.

    Each line takes at most `columns`, not counting the gutter.
    """
    parting = fitted(parting, columns, cell_len)
    lines = [
        Text.assemble((f"{number:>8} │ ", "dim"), *_pieces(line))
        for number, line in enumerate(parting.context, parting.first_number)
    ]
    (start, _) = parting.actual
    lines.append(
        Text.assemble(("expected", "green"), (" │ ", "dim"), *_pieces((*parting.expected[0], *parting.expected[1])))
    )
    lines.append(Text.assemble(("   yours", "red"), (" │ ", "dim"), *_pieces((*start, *parting.actual[1]))))
    lines.append(Text(" " * (_GUTTER + width_of(start, cell_len)) + f"^ line {parting.number}", style="dim"))
    return lines


def _pieces(line: Line) -> list[tuple[str, str]]:
    return [(piece.text, _STYLES[piece.kind]) for piece in line]


def as_text(renderable: object, *, width: int = 80) -> str:
    """A renderable as plain text without colours."""
    console = Console(width=width, color_system=None, force_terminal=False, legacy_windows=False)
    with console.capture() as capture:
        console.print(renderable, crop=False)
    return capture.get()
