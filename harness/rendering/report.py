"""The report a person reads in the terminal, as rich text."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from harness.rendering.screen import Kind, Line, Parting, parting_of
from harness.results import Report, Result, StageReport
from harness.verdicts import WORDS, Verdict

_COLOURS = {
    Verdict.ACCEPTED: "bold green",
    Verdict.SKIPPED: "dim",
    Verdict.NOT_HANDED_IN: "yellow",
    Verdict.EMPTY: "yellow",
    Verdict.JUDGE_ERROR: "bold magenta",
}
_STYLES = {Kind.SHOWN: "", Kind.TYPED: "bold cyan", Kind.MARK: "yellow"}
_COMPILER_LINES = 12


def report_of(report: Report) -> Group:
    """A whole report: the table of stages, the first failure of each, and how sessions were held."""
    parts: list[object] = [Text.assemble((report.title, "bold"), f": {report.submission}"), Text(), _stages(report)]
    for stage in report.stages:
        parts += _details(stage)
    parts.append(Text())
    parts += [Text(sentence) for sentence in report.notes]
    parts += [Text(sentence, style="dim") for sentence in report.conditions]
    return Group(*parts)  # type: ignore[arg-type]


def _stages(report: Report) -> Table:
    table = Table.grid(padding=(0, 2))
    for stage in report.stages:
        count = f"{stage.passed} of {stage.total}" if stage.results else ""
        table.add_row(Text("  " + stage.stage), verdict_text(stage.verdict), Text(count, justify="right"))
    return table


def verdict_text(verdict: Verdict) -> Text:
    """A verdict in its colour."""
    return Text(verdict.value, style=_COLOURS.get(verdict, "bold red"))


def _details(stage: StageReport) -> list[object]:
    failed = [result for result in stage.results if result.verdict is not Verdict.ACCEPTED]
    if not failed and not stage.summary and not stage.build_messages and not stage.rules and not stage.judged_as:
        return []
    parts: list[object] = [Text(), Text(stage.stage, style="bold")]
    if stage.summary:
        parts.append(Padding(Text(stage.summary), (0, 0, 0, 2)))
    if stage.build_messages:
        parts.append(_compiler(stage))
    if failed:
        parts += _first_failure(failed)
    if stage.crash:
        parts.append(Padding(Text(stage.crash, style="bold"), (0, 0, 0, 2)))
    parts += [Padding(one, (0, 0, 0, 2)) for one in _diagnosis(stage)]
    if stage.judged_as:
        parts.append(
            Padding(Text(f"judged with what the instructor lets pass: {stage.judged_as}", style="dim"), (0, 0, 0, 2))
        )
    if failed and not stage.judged_as:
        parts.append(Text(f"  smallest failing game: pitboss hunt {stage.stage}", style="dim"))
    if stage.rules:
        parts.append(Padding(Text(_rules(stage), style="dim"), (0, 0, 0, 2)))
    return parts


def _diagnosis(stage: StageReport) -> list[Text]:
    """What explains the failures, in the student's words."""
    texts = []
    for one in stage.diagnosis:
        is_whole = one.explains == one.of
        count = f"all {one.of}" if is_whole and one.of > 1 else f"{one.explains} of {one.of}"
        how = "explains" if is_whole else "would explain"
        texts.append(
            Text.assemble(
                ("likely mistake: " if is_whole else "something like: "),
                (one.title, "bold"),
                f" ({how} {count} that failed). {one.hint}",
            )
        )
    return texts


def _rules(stage: StageReport) -> str:
    met = [f"{name} {count}" for name, count in stage.rules if count]
    never = [name for name, count in stage.rules if not count]
    told = f"rules met in accepted sessions: {', '.join(met)}" if met else ""
    untold = f"never came up in {stage.total} sessions: {', '.join(never)}" if never else ""
    return "; ".join(part for part in (told, untold) if part)


def _compiler(stage: StageReport) -> Padding:
    lines = stage.build_messages.splitlines()
    shown = lines[:_COMPILER_LINES]
    if len(lines) > len(shown):
        shown.append(f"… and {len(lines) - len(shown)} more lines: {stage.build_command}")
    text = Text("\n".join(shown), style="dim")
    if stage.build_explanation:
        text.append(f"\nthat is: {stage.build_explanation}", style="not dim")
    return Padding(text, (0, 0, 0, 2))


def failure_of(result: Result) -> Group:
    """One session that failed."""
    return Group(*_first_failure([result]))  # type: ignore[arg-type]


def _first_failure(failed: list[Result]) -> list[object]:
    result = failed[0]
    heading = Text.assemble("  case ", (result.case, "italic"))
    if len(failed) > 1:
        heading.append(f" (the first of {len(failed)} that failed)", style="dim")
    parts: list[object] = [heading, Padding(Text(result.summary), (0, 0, 0, 2))]
    if result.difference is not None:
        parts += [Text(), *(Padding(text, (0, 0, 0, 2)) for text in parting_lines(parting_of(result.difference)))]
    if result.replay:
        parts += [Text(), Text.assemble("  again: ", (result.replay, "bold"), no_wrap=True, overflow="ignore")]
    return parts


def parting_lines(parting: Parting) -> list[Text]:
    """The conversation up to a difference, then both lines, and a caret under the first column that differs."""
    lines = [
        Text.assemble((f"{number:>8} │ ", "dim"), *_pieces(line))
        for number, line in enumerate(parting.context, parting.first_number)
    ]
    lines.append(Text.assemble(("expected", "green"), (" │ ", "dim"), *_pieces(parting.expected)))
    lines.append(Text.assemble(("   yours", "red"), (" │ ", "dim"), *_pieces(parting.actual)))
    lines.append(Text(" " * (11 + parting.shared_columns) + f"^ line {parting.number}", style="dim"))
    return lines


def _pieces(line: Line) -> list[tuple[str, str]]:
    return [(piece.text, _STYLES[piece.kind]) for piece in line]


def as_text(renderable: object, *, width: int = 80) -> str:
    """What a renderable looks like without colours."""
    console = Console(width=width, color_system=None, force_terminal=False, legacy_windows=False)
    with console.capture() as capture:
        console.print(renderable, crop=False)
    return capture.get()


def class_table(stages: Sequence[str], reports: Sequence[Report]) -> Group:
    """A class: a row for each submission, what was wrong on our side, and how sessions were held."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("submission")
    for stage in stages:
        table.add_column(stage)
    for report in reports:
        by_name = {stage.stage: stage for stage in report.stages}
        cells = (_cell(by_name[name]) if name in by_name else Text() for name in stages)
        table.add_row(Text(report.submission), *cells)
    accepted = sum(report.verdict is Verdict.ACCEPTED for report in reports)
    parts: list[object] = [table, Text(), Text(f"{accepted} of {len(reports)} accepted in every stage")]
    parts += [Text(f"{report.submission}: {note}") for report in reports for note in _notes(report)]
    faults = [f"{report.submission}: {fault}" for report in reports for fault in report.faults]
    parts += [Text(fault, style="bold magenta") for fault in faults]
    parts += [Text(sentence, style="dim") for sentence in (reports[0].conditions if reports else ())]
    return Group(*parts)  # type: ignore[arg-type]


def _notes(report: Report) -> tuple[str, ...]:
    """Where programs were found; and why there is none, where not one stage has a program."""
    missing = [stage for stage in report.stages if stage.verdict is Verdict.NOT_HANDED_IN]
    is_all = bool(missing) and len(missing) == len(report.stages)
    return (*report.notes, *((missing[0].summary,) if is_all else ()))


def _cell(stage: StageReport) -> Text:
    text = Text(WORDS[stage.verdict], style=_COLOURS.get(stage.verdict, "bold red"))
    if stage.results and stage.verdict is not Verdict.ACCEPTED:
        text.append(f"\n{stage.passed}/{stage.total}", style="dim")
    return text
