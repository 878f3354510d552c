"""A class as a table: what a download contains, and a line for each submission, in the terminal and as CSV."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.table import Table
from rich.text import Text

from pitboss.compare.results import Report, StageReport, Verdict
from pitboss.errors import listed
from pitboss.gradebook.grades import Grade, numeral, percentage_numeral
from pitboss.gradebook.people import PersonRecord, Scored
from pitboss.reports.columns import Column, R, cells_of, csv_of, safe_cell, table_of
from pitboss.reports.finding_sentences import stage_summary
from pitboss.reports.report import verdict_text
from pitboss.reports.score_table import lateness_text, score_words
from pitboss.submissions.importers.imported import ImportedClass, ImportedSubmission, LeftOut, distinct_names


class _ShortVerdict(NamedTuple):
    """A verdict for tables without room for its full name."""

    word: str
    symbol: str


_SHORT_VERDICTS = {
    Verdict.ACCEPTED: _ShortVerdict("ok", "✓"),
    Verdict.WRONG_ANSWER: _ShortVerdict("wrong", "✗"),
    Verdict.RUN_TIME_ERROR: _ShortVerdict("crash", "✗"),
    Verdict.TIME_LIMIT_EXCEEDED: _ShortVerdict("timeout", "✗"),
    Verdict.OUTPUT_LIMIT_EXCEEDED: _ShortVerdict("output", "✗"),
    Verdict.COMPILE_ERROR: _ShortVerdict("compile", "✗"),
    Verdict.SKIPPED: _ShortVerdict("skipped", "·"),
    Verdict.NOT_OFFERED: _ShortVerdict("not offered", "–"),
    Verdict.NOT_HANDED_IN: _ShortVerdict("missing", "–"),
    Verdict.EMPTY: _ShortVerdict("empty", "–"),
    Verdict.NEEDS_REVIEW: _ShortVerdict("manual", "?"),
    Verdict.JUDGE_ERROR: _ShortVerdict("fault", "!"),
}
#: The number of columns between two cells.
_GAP = 2
#: The maximum number of columns that are reserved for names when the format of the stages is selected: longer names may
#: be cut.
_RESERVED_FOR_NAMES = 22
#: The minimum number of columns for names, even in a terminal without room for them.
_MIN_FOR_NAMES = 8
#: The maximum number of people named in front of a remark.
_MAX_NAMED = 3
#: The leading cells of a row, and its stage reports by stage name.
StageRow = tuple[Sequence[object], Mapping[str, StageReport]]


class StageTable:
    """A line for each submission: its name, other cells, and each stage in as many words as fit.

    In narrow tables verdicts are shortened to one word, then lose their counts, then become symbols; a legend below the
    table explains the words and symbols. Only long names are cut.
    """

    def __init__(self, heads: Sequence[str], stages: Sequence[str], rows: Sequence[StageRow]) -> None:
        """`heads` are the headings of the leading columns; the first is the heading of the names."""
        self._heads, self._stages, self._rows = heads, stages, rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        leading_texts = [[str(cells[column]) for cells, _ in self._rows] for column in range(len(self._heads))]
        widths = [_widest([head, *texts]) for head, texts in zip(self._heads, leading_texts, strict=True)]
        reserved_width = min(widths[0], _RESERVED_FOR_NAMES)
        other_width = sum(widths[1:]) + _GAP * (len(widths) - 1)
        width_for_stages = options.max_width - reserved_width - other_width
        formats = (_full_verdict, _word_with_count, _word)
        format_cell = next(
            (candidate for candidate in formats if self._stages_width(candidate) <= width_for_stages), _symbol
        )
        # The box adds a blank of its own to the gap between two cells.
        table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, _GAP - 1, 0, 0))
        name_width = max(_MIN_FOR_NAMES, width_for_stages + reserved_width - self._stages_width(format_cell))
        table.add_column(self._heads[0], no_wrap=True, overflow="ellipsis", max_width=name_width)
        for head in self._heads[1:]:
            table.add_column(head, justify="right", no_wrap=True)
        for number, stage in enumerate(self._stages, 1):
            table.add_column(str(number) if format_cell is _symbol else stage, no_wrap=True)
        for cells, stage_reports in self._rows:
            stage_cells = (
                format_cell(stage_reports[name]) if name in stage_reports else Text() for name in self._stages
            )
            table.add_row(*map(Text, map(str, cells)), *stage_cells)
        yield table
        if legend := self._legend(format_cell):
            yield Text(legend, style="dim")

    def _stages_width(self, format_cell: Callable[[StageReport], Text]) -> int:
        """Returns the total width of the stage columns in characters, with the gap before each column."""
        width = 0
        for name in self._stages:
            cell_texts = [format_cell(reports[name]).plain for _, reports in self._rows if name in reports]
            width += _GAP + _widest(cell_texts if format_cell is _symbol else [name, *cell_texts])
        return width

    def _legend(self, format_cell: Callable[[StageReport], Text]) -> str:
        """Returns what the words or symbols in the table mean; empty if verdicts have their full names."""
        if format_cell is _full_verdict:
            return ""
        verdicts = [
            verdict
            for verdict in Verdict
            if any(verdict is stage.verdict for _, stage_reports in self._rows for stage in stage_reports.values())
        ]
        if format_cell is not _symbol:
            return ", ".join(
                f"{_SHORT_VERDICTS[verdict].word}: {verdict.words}"
                for verdict in verdicts
                if _SHORT_VERDICTS[verdict].word not in verdict.words
            )
        symbols = dict.fromkeys(_SHORT_VERDICTS[verdict].symbol for verdict in verdicts)
        words_by_symbol = {
            symbol: [verdict.words for verdict in verdicts if _SHORT_VERDICTS[verdict].symbol == symbol]
            for symbol in symbols
        }
        meanings = [f"{symbol} {' or '.join(words)}" for symbol, words in words_by_symbol.items()]
        numbers = [f"{number} {name}" for number, name in enumerate(self._stages, 1)]
        return f"{', '.join(numbers)}\n{', '.join(meanings)}"


def _widest(texts: Iterable[str]) -> int:
    """Returns the width of the widest text, in columns of the terminal."""
    return max(map(cell_len, texts), default=0)


def _full_verdict(stage: StageReport) -> Text:
    return _with_count(verdict_text(stage.verdict), stage)


def _word_with_count(stage: StageReport) -> Text:
    return _with_count(_word(stage), stage)


def _word(stage: StageReport) -> Text:
    return Text(_SHORT_VERDICTS[stage.verdict].word, style=verdict_text(stage.verdict).style)


def _symbol(stage: StageReport) -> Text:
    return Text(_SHORT_VERDICTS[stage.verdict].symbol, style=verdict_text(stage.verdict).style)


def _with_count(text: Text, stage: StageReport) -> Text:
    """Returns a stage's verdict, followed by the counts of passed and of all sessions unless the stage is accepted."""
    if stage.results and stage.verdict is not Verdict.ACCEPTED and not stage.is_manual:
        text.append(f" {stage.passed}/{stage.total}", style="dim")
    return text


def class_table(stages: Sequence[str], reports: Sequence[Report]) -> Group:
    """Returns the report on a class: a row for each submission, any faults, and how sessions were run."""
    rows = [((report.submission,), {stage.stage: stage for stage in report.stages}) for report in reports]
    accepted = sum(report.verdict is Verdict.ACCEPTED for report in reports)
    parts: list[object] = [StageTable(["submission"], stages, rows)]
    parts.append(Text(f"{accepted} of {len(reports)} accepted in every stage"))
    parts += map(Text, joined_remarks((report.submission, note) for report in reports for note in notes_on(report)))
    faults = [f"{report.submission}: {fault}" for report in reports for fault in report.faults]
    parts += [Text(fault, style="bold magenta") for fault in faults]
    parts += [Text(sentence, style="dim") for sentence in (reports[0].conditions if reports else ())]
    return Group(*parts)  # type: ignore[arg-type]


def joined_remarks(remarks: Iterable[tuple[str, str]]) -> list[str]:
    """Returns a line for each different remark, with all people who have it; `remarks` are pairs (name, sentence).

    >>> joined_remarks([("Ada", "late"), ("Ben", "empty"), ("Cy", "late")])
    ['Ada, Cy: late', 'Ben: empty']
    >>> joined_remarks((name, "late") for name in "ABCDE")
    ['A, B, C and 2 more: late']
    """
    names_by_remark: dict[str, list[str]] = {}
    for name, remark in remarks:
        names_by_remark.setdefault(remark, []).append(name)
    return [f"{listed(names, _MAX_NAMED)}: {remark}" for remark, names in names_by_remark.items()]


def notes_on(report: Report) -> tuple[str, ...]:
    """Returns the report's notes; if every program is missing, also the longest explanation of a missing program."""
    missing = [stage_summary(stage) for stage in report.stages if stage.verdict is Verdict.NOT_HANDED_IN]
    all_missing = bool(missing) and len(missing) == len(report.stages)
    return (*report.notes, *((max(missing, key=len),) if all_missing else ()))


#: The people of a class, each with the current score; None for a person without a score.
_Rows = Iterable[tuple[PersonRecord, Scored | None]]


class _Row(NamedTuple):
    """A person of a class."""

    record: PersonRecord
    #: The current grade; None for a person without one.
    grade: Grade | None
    #: How late the person handed in; empty if not late, or if it is unknown.
    lateness: str
    #: The name, with more where several people share it.
    name: str

    @property
    def stages(self) -> tuple[StageReport, ...]:
        return self.record.report.stages if self.record.report else ()


def _rows(scored_records: _Rows, due: datetime.datetime | None) -> list[_Row]:
    """Returns the people; `due` is the due date of the class."""
    everybody = list(scored_records)
    names = distinct_names(record.person for record, _ in everybody)
    return [
        _Row(record, scored.grade if scored else None, lateness_text(record, due), names[record.person.key])
        for record, scored in everybody
    ]


#: The columns of people in the terminal, before those of the stages.
_SCORE_COLUMNS: tuple[Column[_Row], ...] = (
    Column("name", lambda row: row.name),
    Column("score", lambda row: score_words(row.grade)),
    Column("late", lambda row: row.lateness, unless_all=("",)),
)
#: The columns of people in CSV: those before the columns of the stages, and those after them.
_CSV_COLUMNS: tuple[Column[_Row], ...] = (
    Column("key", lambda row: safe_cell(row.record.person.key)),
    Column("name", lambda row: safe_cell(row.record.person.name)),
    Column("email", lambda row: safe_cell(row.record.person.email)),
    Column("section", lambda row: safe_cell(row.record.person.section)),
    Column("handed in", lambda row: at.isoformat() if (at := _time_of(row.record)) else ""),
    Column("late", lambda row: row.lateness),
    Column("score", lambda row: numeral(row.grade.score) if row.grade and row.grade.score is not None else ""),
    Column("out of", lambda row: numeral(row.grade.out_of) if row.grade else ""),
    Column("style", lambda row: percentage_numeral(row.record.style)),
)
_LAST_CSV_COLUMNS: tuple[Column[_Row], ...] = (
    Column("open", lambda row: safe_cell("; ".join(row.grade.open)) if row.grade else ""),
)


def _time_of(record: PersonRecord) -> datetime.datetime | None:
    return record.handed_in.at if record.handed_in else None


def _stage_columns(stages: Sequence[str], reports_of: Callable[[R], Iterable[StageReport]]) -> Iterator[Column[R]]:
    """Yields three columns in CSV for each stage: its verdict, and how many of how many sessions were accepted."""

    def column(stage: str, head: str, text_of: Callable[[StageReport], object]) -> Column[R]:
        return Column(head, lambda row: next((text_of(r) for r in reports_of(row) if r.stage == stage), ""))

    for stage in stages:
        yield column(stage, stage, lambda report: report.verdict.value)
        yield column(stage, f"{stage} passed", lambda report: "" if report.is_manual else report.passed)
        yield column(stage, f"{stage} total", lambda report: "" if report.is_manual else report.total)


def score_table(stages: Sequence[str], scored_records: _Rows, due: datetime.datetime | None) -> Group:
    """Returns a table with a row for each person, and remarks on people below the table.

    A row has the person's score and stages. If somebody was late, a column says how late; `due` is the due date of
    the class.
    """
    rows = _rows(scored_records, due)
    columns, cells = cells_of(_SCORE_COLUMNS, rows)
    final_count = sum(row.grade is not None and row.grade.score is not None for row in rows)
    footer = [Text(f"{final_count} of {len(rows)} have a final score")]
    if requesters := [row.name for row in rows if row.record.has_open_request]:
        footer.append(Text(f"{len(requesters)} open request{'s' if len(requesters) > 1 else ''}: {listed(requesters)}"))
    remarks = joined_remarks((row.name, remark) for row in rows for remark in _remarks(row))
    footer += [Text(remark, style="dim") for remark in remarks]
    reports = [{stage.stage: stage for stage in row.stages} for row in rows]
    return Group(
        StageTable([column.head for column in columns], stages, list(zip(cells, reports, strict=True))), *footer
    )


def _remarks(row: _Row) -> Iterator[str]:
    """Yields the remarks on a person: why there is no final score, and the notes of the report."""
    handed_in, reasons = row.record.handed_in, row.grade.open if row.grade else ()
    if handed_in is None:
        yield "nothing handed in"
    elif handed_in.problem or row.record.is_waiting:
        yield handed_in.problem or "not run yet"
    elif reasons:
        more = len(reasons) - 1
        yield f"{reasons[0]}, and {more} more reason{'s' if more > 1 else ''}" if more else reasons[0]
    yield from notes_on(row.record.report) if row.record.report else ()


def scores_csv(stages: Sequence[str], scored_records: _Rows, due: datetime.datetime | None) -> str:
    """Returns a CSV table with a row for each person: identity, lateness, score, maximum score, and stages.

    `due` is the due date of the class.
    """
    stage_columns: Iterator[Column[_Row]] = _stage_columns(stages, lambda row: row.stages)
    return csv_of((*_CSV_COLUMNS, *stage_columns, *_LAST_CSV_COLUMNS), _rows(scored_records, due))


def grade_csv(stages: Sequence[str], reports: Sequence[Report], missing: Sequence[str] = ()) -> str:
    """Returns the reports of a class as CSV, with a row for each submission.

    A row has the verdict and the counts of each stage, and all remarks on memory. `missing` are the names of students
    who were not graded, since grading was stopped.
    """
    stage_columns: Iterator[Column[_GradedSubmission]] = _stage_columns(stages, lambda row: row.stages)
    columns: tuple[Column[_GradedSubmission], ...] = (
        Column("submission", lambda row: safe_cell(row.name)),
        Column("verdict", lambda row: row.verdict),
        *stage_columns,
        Column("memory", lambda row: safe_cell(" ".join(f"{s.stage}: {s.memory}" for s in row.stages if s.memory))),
    )
    rows = [_GradedSubmission(report.submission, report.verdict.value, report.stages) for report in reports]
    return csv_of(columns, (*rows, *(_GradedSubmission(name, "not graded") for name in missing)))


class _GradedSubmission(NamedTuple):
    name: str
    verdict: str
    stages: tuple[StageReport, ...] = ()


#: The maximum number of files named in a row.
_MAX_FILES = 3
#: The maximum number of entries in each list below the table.
_MAX_LISTED = 30
#: The maximum number of rows for students without a remark.
_MAX_WITHOUT_REMARK = 20


def import_table(intake: ImportedClass) -> Group:
    """Returns a table of the students who handed in; below the table, the other students, and files without a student.

    In a large class only students with a remark have a row. Times are in UTC.
    """
    missing = [submission for submission in intake.submissions if submission.is_missing]
    without_remark = [
        submission for submission in intake.submissions if submission not in missing and not _has_remark(submission)
    ]
    omitted = without_remark if len(without_remark) > _MAX_WITHOUT_REMARK else []
    rows = [submission for submission in intake.submissions if submission not in missing and submission not in omitted]
    handed_in_count = len(intake.submissions) - len(missing)
    sentence_on_omitted = f"{len(omitted):,} more handed in once, in time as far as that is known, with no remark"
    parts: list[object] = [
        *([table_of(_COLUMNS, rows), Text()] if rows else []),
        *([Text(sentence_on_omitted)] if omitted else []),
        Text(f"{intake.kind}: {handed_in_count} of {len(intake.submissions)} handed something in"),
    ]
    parts += _list_section("missing", [_missing_line(submission) for submission in missing])
    parts += _list_section("not understood", list(map(omission_line, intake.left_out_entries)))
    return Group(*parts)  # type: ignore[arg-type]


def omission_line(item: LeftOut) -> str:
    """Returns a line on a file or folder of a download that belongs to no submission.

    >>> omission_line(LeftOut("notes.txt", "no repository")), omission_line(LeftOut("roster.csv"))
    ('notes.txt: no repository', 'roster.csv')
    """
    return f"{item.name}: {item.reason}" if item.reason else item.name


def _has_remark(submission: ImportedSubmission) -> bool:
    """Whether there is more to say than that the student handed in once, in time as far as that is known."""
    return bool(
        submission.problem
        or submission.notes
        or submission.is_late
        or submission.attempt > 1
        or submission.other_attempts
    )


def _missing_line(submission: ImportedSubmission) -> str:
    notes = f": {'; '.join(submission.notes)}" if submission.notes else ""
    return f"{submission.person.name} ({submission.person.key}){notes}"


def _files_text(submission: ImportedSubmission) -> str:
    more = len(submission.files) - _MAX_FILES
    return ", ".join([*submission.files[:_MAX_FILES], *([f"and {more} more"] if more > 0 else [])])


def _attempt_text(submission: ImportedSubmission) -> str:
    others = f" (and {submission.other_attempts} ignored)" if submission.other_attempts else ""
    return f"{submission.attempt}{others}" if submission.path else ""


def _remark(submission: ImportedSubmission) -> Text:
    remark = Text(submission.problem, style="bold red")
    for note in submission.notes:
        remark.append(f"\n{note}" if remark.plain else note, style="not bold default")
    return remark


_LATE_TEXTS = {None: Text(), True: Text("late", style="yellow"), False: Text("no")}
#: The columns of the table; those that may say nothing are left out then.
_COLUMNS: tuple[Column[ImportedSubmission], ...] = (
    Column("name", lambda submission: submission.person.name),
    Column("key", lambda submission: submission.person.key),
    Column("files", _files_text),
    Column("handed in (UTC)", lambda s: "" if s.at is None else f"{s.at:%Y-%m-%d %H:%M}", unless_all=("",)),
    Column("late", lambda submission: _LATE_TEXTS[submission.is_late], unless_all=("",)),
    Column("attempt", _attempt_text, unless_all=("", "1")),
    Column("remark", _remark, unless_all=("",)),
)


def _list_section(title: str, lines: list[str]) -> list[Text]:
    """Returns a title and the lines below it, at most _MAX_LISTED; empty if there are no lines."""
    if not lines:
        return []
    more = [f"  and {len(lines) - _MAX_LISTED} more"] if len(lines) > _MAX_LISTED else []
    return [Text(f"{title}:"), *(Text(line) for line in [*(f"  {line}" for line in lines[:_MAX_LISTED]), *more])]
