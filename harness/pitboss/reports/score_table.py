"""Scores, lateness, marks and merges of marks as text; one person's score line by line, in the terminal."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from pitboss.errors import listed
from pitboss.gradebook.grades import Grade, Lateness, format_number
from pitboss.gradebook.marking import Conflict, Merged
from pitboss.gradebook.marks import Mark, Request, kind_words, value_words
from pitboss.gradebook.people import PersonRecord, Scored
from pitboss.gradebook.scoring import Distribution, PolicyEffect, circumstances_of, distribution_of
from pitboss.reports.columns import Column, table_of


def score_words(grade: Grade | None) -> str:
    """Returns a score as text; for an open grade the range of possible scores, such as `7 to 10`."""
    if grade is None:
        return "none"
    return (
        format_number(grade.score)
        if grade.score is not None
        else f"{format_number(grade.so_far)} to {format_number(grade.at_most)}"
    )


def lateness_text(record: PersonRecord, class_due: datetime.datetime | None) -> str:
    """Returns how late a person handed in, such as `2 days`.

    Returns `late` if only the number of days is unknown, and an empty text if the person was not late or if it is
    unknown whether the person was late.
    """
    circumstances = circumstances_of(record, class_due)
    days = circumstances.days_late
    if days is None:
        return "late" if circumstances.lateness is Lateness.LATE else ""
    return f"{days} day{'' if days == 1 else 's'}" if days > 0 else ""


class WordedMark(NamedTuple):
    """A mark as text."""

    label: str
    value: str
    reason: str
    by: str
    at: str


def count_text(number: int, one: str, many: str) -> str:
    """Returns a number with its noun: `one` is the singular, `many` the plural."""
    return f"{number} {one if number == 1 else many}"


def mark_as_text(mark: Mark) -> WordedMark:
    """Returns the fields of a mark as text; a value that was removed is “taken back”."""
    value = value_words(mark.kind, mark.value) or "taken back"
    return WordedMark(kind_words(mark.kind), value, mark.reason, mark.by, mark.at)


def merge_sentences(called: str, merged: Merged, names: dict[str, str]) -> Iterator[str]:
    """Yields sentences on what was merged from a copy and what was not, then a sentence on each conflict.

    `called` is the name of the copy in the sentences; `names` maps the keys of people to their names.
    """
    already_clause = (
        f"; {merged.already_present} {'was' if merged.already_present == 1 else 'were'} already in the gradebook"
        if merged.already_present
        else ""
    )
    people_clause = f" for {count_text(merged.people, 'person', 'people')}" if merged.added else ""
    yield f"{called}: {count_text(merged.added, 'mark', 'marks')}{people_clause} added{already_clause}"
    for person in merged.unknown:
        yield f"{called}: {person.name} ({person.key}) is not in the gradebook: the marks were not merged"
    if merged.other_items:
        yield f"{called}: its rubric differs in {listed(merged.other_items)}; the gradebook's items are used"
    for conflict in merged.conflicts:
        yield _conflict_sentence(conflict, names[conflict.person.key])


def _conflict_sentence(conflict: Conflict, name: str) -> str:
    label = mark_as_text(conflict.in_effect).label
    return (
        f"{name}: {label} {_value_and_author(conflict.in_effect)} is used, not {_value_and_author(conflict.overridden)}"
    )


def _value_and_author(mark: Mark) -> str:
    mark_text = mark_as_text(mark)
    return f"{mark_text.value} by {mark_text.by} ({mark_text.at})"


def person_score_view(name: str, record: PersonRecord, history: Sequence[Scored], marks: Sequence[Mark]) -> Group:
    """Returns a person's score line by line, the changes of the score with reasons, the requests and the marks.

    `name` is the heading; `history` has the person's scores, the current score last.
    """
    parts: list[Text | Table] = [Text(name, style="bold")]
    handed_in = record.handed_in
    if handed_in is not None and handed_in.at is not None:
        parts.append(Text(f"handed in {handed_in.at:%Y-%m-%d %H:%M:%S %Z}, {handed_in.source}", style="dim"))
    if handed_in is None:
        parts.append(Text("nothing was handed in"))
    parts += [Text(note, style="dim") for note in (handed_in.notes if handed_in else ())]
    if history:
        parts += [Text(), _sum_table(history[-1].grade)]
        parts += [Text(f"not final: {reason}", style="yellow") for reason in history[-1].grade.open]
    if len(history) > 1:
        parts += [Text(), Text("earlier", style="bold")]
    for before, after in pairwise(history):
        parts.append(Text(f"{after.at}  {score_words(before.grade)} → {score_words(after.grade)}"))
        parts += [Text(f"    {reason}", style="dim") for reason in after.why]
    if record.requests:
        parts += [
            Text(),
            Text("requests", style="bold"),
            *(line for request in record.requests for line in _request_lines(request)),
        ]
    if marks:
        parts += [Text(), Text("marks", style="bold")]
        parts += [
            Text(f"{mark.at}  {mark.label} {mark.value}, {mark.by}  {mark.reason}".rstrip())
            for mark in map(mark_as_text, marks)
        ]
    return Group(*parts)


def _request_lines(request: Request) -> list[Text]:
    lines = [Text(f"{request.at}  {request.text}")]
    if request.state == "open":
        return [*lines, Text("    open: `pitboss mark` takes --answer TEXT or --decline TEXT", style="yellow")]
    return [*lines, Text(f"    {request.state} by {request.answered_by}: {request.answer}")]


def _sum_table(grade: Grade) -> Table:
    """Returns the lines that add up to a grade, and the score below them."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, show_header=False, show_footer=True)
    table.add_column(footer="score")
    table.add_column(footer=f"{score_words(grade)} of {format_number(grade.out_of)}", justify="right")
    for line in grade.lines:
        table.add_row(Text(line.text), Text(format_number(line.amount)))
    return table


def policy_table(effects: Sequence[PolicyEffect], *, has_details: bool) -> Group:
    """Returns a table with a row for each person whose score would change, then a summary of the class.

    With details, each row contains the changed lines of the grade.
    """
    columns: tuple[Column[PolicyEffect], ...] = (
        Column("name", lambda effect: effect.name),
        Column("now", lambda effect: score_words(effect.old), justify="right"),
        Column("then", lambda effect: score_words(effect.new), justify="right"),
        Column("", lambda effect: "" if effect.difference is None else _signed(effect.difference), justify="right"),
        *([Column("changed lines", _changed_lines)] if has_details else []),
    )
    changed = [effect for effect in effects if effect.is_changed]
    parts: list[Table | Text] = [table_of(columns, changed), Text()] if changed else []
    differences = [effect.difference for effect in effects if effect.difference is not None]
    rising, falling = (sum(sign * difference > 0 for difference in differences) for sign in (1, -1))
    counts = f"{rising} would rise, {falling} would fall, {len(differences) - rising - falling} would stay"
    unknown = len(effects) - len(differences)
    parts.append(Text(f"{counts}, {unknown} unknown" if unknown else counts))
    return Group(*parts, _distribution_table(effects))


def _changed_lines(effect: PolicyEffect) -> Text:
    """Returns the lines that the new policy would remove from a grade (−) and add to it (+)."""
    lines = [*(("−", line) for line in effect.old_lines), *(("+", line) for line in effect.new_lines)]
    return Text("\n".join(f"{sign} {line.text}: {format_number(line.amount)}" for sign, line in lines), style="dim")


def _signed(difference: Fraction) -> str:
    return f"{'+' if difference > 0 else ''}{format_number(difference)}"


def _distribution_table(effects: Sequence[PolicyEffect]) -> Table:
    """Returns the distribution of the scores that are final under both policies, so that they are the same people's."""
    final = [effect for effect in effects if effect.difference is not None]

    def column(head: str, policy: str) -> Column[str]:
        distribution = distribution_of([getattr(effect, policy).score for effect in final])
        return Column(
            head, lambda name: format_number(getattr(distribution, name)) if distribution else "", justify="right"
        )

    columns = (Column[str]("scores final under both policies", str), column("now", "old"), column("then", "new"))
    return table_of(columns, Distribution._fields)
