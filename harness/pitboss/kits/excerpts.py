"""The rules of a stage for its handout: the text of each, and an excerpt from a session of the reference that shows it.

The excerpt is found by the rule's own pattern, so a rule and its sample always agree.
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

#: The number of lines shown around the match of a rule's pattern, and the maximum number of matched lines shown.
_BEFORE, _AFTER, _MAX_LINES = 3, 3, 30
#: The maximum number of lines added after a typed line at the end of an excerpt, for the program's answer.
_ANSWER = 6
#: How many sessions are enough once every rule has applied; the maximum per case, and per stage.
_ENOUGH, _OF_A_CASE, _OF_A_STAGE = 60, 400, 3000
#: For how many seconds they are run if every rule has applied, and otherwise: some references are slow commands.
_ENOUGH_S, _LOOKING_S = 3.0, 20.0
_CUT = "…"


class HandoutRule(msgspec.Struct, frozen=True):
    """A rule in a handout."""

    name: str
    says: str
    #: An excerpt from a session that shows the rule; empty if no session does.
    excerpt: str = ""


class _Match(msgspec.Struct, frozen=True, order=True):
    """A match of a pattern: ordered by the number of lines, then by session."""

    lines: int
    session: int
    first: int


def sessions_for(stage: Stage, most: int = _OF_A_STAGE) -> list[Transcript]:
    """Sessions of the public cases by the reference: enough, or up to `most` until all rules with a text applied."""
    began, left = time.monotonic(), [rule for rule in stage.rules if rule.says]
    transcripts: list[Transcript] = []
    for _, transcript in examples_of(_with_more_sessions(stage), _OF_A_CASE, most):
        transcripts.append(transcript)
        if left:
            screen = screen_of(transcript.events)
            left = [rule for rule in left if _span(rule, screen, stage) is None]
        passed_s = time.monotonic() - began
        if (not left and (len(transcripts) >= _ENOUGH or passed_s > _ENOUGH_S)) or passed_s > _LOOKING_S:
            break
    return transcripts


def with_new_rules(stages: Iterable[Stage]) -> list[Stage]:
    """The stages, each with only the rules that no earlier stage has: a handout explains each rule once."""
    explained: set[Rule] = set()
    found = []
    for stage in stages:
        found.append(msgspec.structs.replace(stage, rules=tuple(rule for rule in stage.rules if rule not in explained)))
        explained |= set(stage.rules)
    return found


def unshown_rules(stages: Iterable[Stage]) -> list[str]:
    """A sentence on each rule with a text that no session of its stage shows: the handout has no sample of it."""
    return [
        f"{stage.spec.path.parent / 'assignment.yaml'}: stage {as_found(stage.name)}: the rule {as_found(rule.name)} "
        "has words for the handout, but no session of the public cases shows it"
        for stage in with_new_rules(stages)
        if not stage.is_manual and any(rule.says for rule in stage.rules)
        for rule in handout_rules(stage, sessions_for(stage))
        if not rule.excerpt
    ]


def _with_more_sessions(stage: Stage) -> Stage:
    """The stage with the maximum number of sessions of each case, if its sessions differ by their draws."""
    if not stage.reader:
        return stage
    cases = tuple(
        msgspec.structs.replace(case, session=msgspec.structs.replace(case.session, seeds=(None,) * _OF_A_CASE))
        if isinstance(case.session, Generated)
        else case
        for case in stage.spec.cases
    )
    return msgspec.structs.replace(stage, spec=msgspec.structs.replace(stage.spec, cases=cases))


def handout_rules(stage: Stage, sessions: Sequence[Transcript]) -> tuple[HandoutRule, ...]:
    """The rules with a text, each with the shortest excerpt from these sessions that shows it."""
    screens = [screen_of(session.events) for session in sessions]
    return tuple(_handout_rule(rule, stage, sessions, screens) for rule in stage.rules if rule.says)


def _handout_rule(rule: Rule, stage: Stage, sessions: Sequence[Transcript], screens: Sequence[str]) -> HandoutRule:
    matches = []
    for number, screen in enumerate(screens):
        span = _span(rule, screen, stage)
        if span is not None:
            first, last = screen.count("\n", 0, span[0]), screen.count("\n", 0, max(span[0], span[1] - 1))
            matches.append(_Match(last - first + 1, number, first))
    if not matches:
        return HandoutRule(rule.name, rule.says)
    match = min(matches)
    return HandoutRule(rule.name, rule.says, _excerpt(sessions[match.session].events, match.first, match.lines))


def _span(rule: Rule, screen: str, stage: Stage) -> tuple[int, int] | None:
    """Where the pattern is first found on a screen; raises SpecError if it takes too long."""
    label = f"{stage.spec.path.parent / 'assignment.yaml'}: stage {stage.name!r}: the pattern of rule {rule.name!r}"
    found = call(label, re.compile(rule.pattern, re.MULTILINE).search, screen)
    return found.span() if found else None


def _excerpt(events: Sequence[Event], first: int, count: int) -> str:
    """These lines of a session with some context; `…` marks omitted lines before and after."""
    marked = list(marked_lines(events))
    lines = ["".join(piece.text for piece in line) for line in marked]
    typed = [any(piece.kind is PieceKind.TYPED for piece in line) for line in marked]
    while lines and not lines[-1].strip():
        lines.pop()
    start = max(0, first - _BEFORE)
    while start < first and not lines[start].strip():
        start += 1
    end = _end(lines, first, min(len(lines), first + min(count, _MAX_LINES) + _AFTER))
    if typed[end - 1 : end] == [True]:
        most = min(len(lines), end + _ANSWER)
        end = _end(lines, first, next((number for number in range(end, most) if typed[number]), most))
    before = [_CUT] if any(line.strip() for line in lines[:start]) else []
    return "\n".join([*before, *lines[start:end], *([_CUT] if end < len(lines) else [])])


def _end(lines: Sequence[str], first: int, end: int) -> int:
    """The end without trailing empty lines, but after the first line."""
    while end - 1 > first and not lines[end - 1].strip():
        end -= 1
    return end
