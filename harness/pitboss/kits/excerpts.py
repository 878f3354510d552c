"""The rules of a stage for its handout: each rule's text, and an excerpt from a session of the reference.

The excerpt is found by the rule's own pattern, so a rule and its excerpt always agree.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence

import msgspec

from pitboss.assignments.assignment import Generated, Stage
from pitboss.assignments.authored import call
from pitboss.assignments.rules import Rule
from pitboss.errors import as_found
from pitboss.experiments.hunting.examples import examples_of
from pitboss.model.transcript import Event, Transcript
from pitboss.reports.plain import marked_lines
from pitboss.reports.screen import PieceKind
from pitboss.unseeded.reader import screen_of

#: The numbers of lines shown before and after the match of a rule's pattern.
_LINES_BEFORE, _LINES_AFTER = 3, 3
#: The maximum number of matched lines shown.
_MAX_MATCHED_LINES = 30
#: The maximum number of lines added after a typed line at the end of an excerpt, for the program's answer.
_MAX_ANSWER_LINES = 6
#: The maximum numbers of sessions of a case and of a stage.
_MAX_OF_CASE, _MAX_OF_STAGE = 400, 3000
#: How long sessions may run, in seconds: some references are slow.
_MAX_S = 20.0
#: Once every rule has applied, this number of sessions, or this time in seconds, is enough.
_ENOUGH_SESSIONS, _ENOUGH_S = 60, 3.0
#: The mark for omitted lines.
_OMISSION = "…"


class HandoutRule(msgspec.Struct, frozen=True):
    """A rule in a handout."""

    name: str
    #: The text of the rule, as a paragraph of Markdown.
    says: str
    #: An excerpt from a session that shows the rule; empty if no session does.
    excerpt: str = ""


class _Match(msgspec.Struct, frozen=True, order=True):
    """A match of a pattern: ordered by the number of lines, then by session."""

    #: The number of lines that the match spans.
    line_count: int
    #: The index of the session.
    session_index: int
    #: The index of the first matched line on the session's screen.
    first_line: int


def sessions_for(stage: Stage, max_sessions: int = _MAX_OF_STAGE) -> list[Transcript]:
    """Transcripts of the reference's sessions of the public cases, at most `max_sessions`.

    Until every rule with a text has applied, only a long time limit ends the runs early. From then on, enough sessions
    or a short time limit end them too.
    """
    start, pending_rules = time.monotonic(), [rule for rule in stage.rules if rule.says]
    transcripts: list[Transcript] = []
    for _, transcript in examples_of(_with_more_sessions(stage), _MAX_OF_CASE, max_sessions):
        transcripts.append(transcript)
        if pending_rules:
            screen = screen_of(transcript.events)
            pending_rules = [rule for rule in pending_rules if _span(rule, screen, stage) is None]
        passed_s = time.monotonic() - start
        has_enough = len(transcripts) >= _ENOUGH_SESSIONS or passed_s > _ENOUGH_S
        if (has_enough and not pending_rules) or passed_s > _MAX_S:
            break
    return transcripts


def with_new_rules(stages: Iterable[Stage]) -> list[Stage]:
    """The stages, each with only the rules that no earlier stage has: a handout explains each rule once."""
    explained: set[Rule] = set()
    reduced_stages = []
    for stage in stages:
        reduced_stages.append(
            msgspec.structs.replace(stage, rules=tuple(rule for rule in stage.rules if rule not in explained))
        )
        explained |= set(stage.rules)
    return reduced_stages


def unshown_rules(stages: Iterable[Stage]) -> list[str]:
    """A sentence on each rule with a text that no session of its stage shows: the handout lacks its excerpt."""
    return [
        f"{stage.spec.path.parent / 'assignment.yaml'}: stage {as_found(stage.name)}: the rule {as_found(rule.name)} "
        "has a text for the handout, but no session of the public cases shows it"
        for stage in with_new_rules(stages)
        if not stage.is_manual and any(rule.says for rule in stage.rules)
        for rule in handout_rules(stage, sessions_for(stage))
        if not rule.excerpt
    ]


def _with_more_sessions(stage: Stage) -> Stage:
    """The stage with the maximum number of sessions of each generated case if draws are read back; else unchanged.

    If draws are read back, the sessions of a case differ although no seed is typed.
    """
    if not stage.reader:
        return stage
    cases = tuple(
        msgspec.structs.replace(case, session=msgspec.structs.replace(case.session, seeds=(None,) * _MAX_OF_CASE))
        if isinstance(case.session, Generated)
        else case
        for case in stage.spec.cases
    )
    return msgspec.structs.replace(stage, spec=msgspec.structs.replace(stage.spec, cases=cases))


def handout_rules(stage: Stage, sessions: Sequence[Transcript]) -> tuple[HandoutRule, ...]:
    """The rules of a stage that have a text, each with an excerpt around its shortest match in these sessions."""
    screens = [screen_of(session.events) for session in sessions]
    return tuple(_handout_rule(rule, stage, sessions, screens) for rule in stage.rules if rule.says)


def _handout_rule(rule: Rule, stage: Stage, sessions: Sequence[Transcript], screens: Sequence[str]) -> HandoutRule:
    """The rule with an excerpt around its shortest match; `screens` are the texts of the sessions."""
    matches = []
    for session_index, screen in enumerate(screens):
        span = _span(rule, screen, stage)
        if span is not None:
            start, end = span
            first_line, last_line = screen.count("\n", 0, start), screen.count("\n", 0, max(start, end - 1))
            matches.append(_Match(last_line - first_line + 1, session_index, first_line))
    if not matches:
        return HandoutRule(rule.name, rule.says)
    match = min(matches)
    return HandoutRule(
        rule.name, rule.says, _excerpt(sessions[match.session_index].events, match.first_line, match.line_count)
    )


def _span(rule: Rule, screen: str, stage: Stage) -> tuple[int, int] | None:
    """The start and end of the rule's first match on a screen, or None; SpecError if the search takes too long."""
    label = f"{stage.spec.path.parent / 'assignment.yaml'}: stage {stage.name!r}: the pattern of rule {rule.name!r}"
    match = call(label, re.compile(rule.pattern, re.MULTILINE).search, screen)
    return match.span() if match else None


def _excerpt(events: Sequence[Event], first: int, count: int) -> str:
    """`count` lines of a session from line `first` on, cut if long, with some context; `…` marks omitted lines."""
    pieces_by_line = list(marked_lines(events))
    lines = ["".join(piece.text for piece in line) for line in pieces_by_line]
    is_typed = [any(piece.kind is PieceKind.TYPED for piece in line) for line in pieces_by_line]
    while lines and not lines[-1].strip():
        lines.pop()
    # A match may begin in the empty lines at the end, which were removed: then the excerpt shows the last text.
    first = min(first, max(0, len(lines) - 1))
    start = max(0, first - _LINES_BEFORE)
    while start < first and not lines[start].strip():
        start += 1
    end = _end_without_empty_lines(lines, first, min(len(lines), first + min(count, _MAX_MATCHED_LINES) + _LINES_AFTER))
    # If the excerpt ends with a typed line, add the program's answer: the lines up to the next typed line.
    if end > 0 and is_typed[end - 1]:
        limit = min(len(lines), end + _MAX_ANSWER_LINES)
        end = _end_without_empty_lines(
            lines, first, next((number for number in range(end, limit) if is_typed[number]), limit)
        )
    omission = [_OMISSION] if any(line.strip() for line in lines[:start]) else []
    return "\n".join([*omission, *lines[start:end], *([_OMISSION] if end < len(lines) else [])])


def _end_without_empty_lines(lines: Sequence[str], first: int, end: int) -> int:
    """The end of the lines without trailing empty lines; the line `first` always remains."""
    while end - 1 > first and not lines[end - 1].strip():
        end -= 1
    return end
