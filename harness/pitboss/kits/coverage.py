"""Finds the seeds that a spec lacks: of a thousand seeds, those whose sessions show something that no case shows.

Similar sessions differ in their numbers, so lines are compared by their shape: a word that varies is `#`.
Three things are compared: consecutive lines, how often a line is repeated (the rows of a table, the players at it), and
consecutive texts without a number, whatever numbers are between them (the results of two rounds). Differences without
a new shape, such as one value that is scored differently, are left to the rules in assignment.yaml, the known mistakes
and the mutants.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import groupby, pairwise
from typing import Any

import msgspec

from pitboss.assignments.assignment import Answers, Case, Generated, Player, Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.cases import Session, all_sessions_of
from pitboss.errors import HarnessError
from pitboss.model.invocation import Invocation
from pitboss.model.transcript import Event, Shown, Transcript, Typed
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.expected_transcript import expectation_of
from pitboss.sessions.references import ExpectedRun

#: The seeds that are tried with each generated case.
SEEDS = range(1, 1001)
#: Seeds are tried until their sessions have this many lines: a long session shows as much as many short sessions.
_MAX_LINES = 60_000
#: How many seeds are tried in vain: answers in a fixed order were chosen for other seeds, so the session may fail.
_MAX_UNFIT = 40
#: A word is treated as varying, as colours do, if this many words occur in its position in otherwise equal lines.
_VARIANTS = 8
#: What ends a typed line.
_TYPED = ">>"
#: The placeholder for a word that varies, and a pattern for words that always vary.
_VARIES, _NUMBER = "#", re.compile(r"\d|[^\x00-\x7f]")


class ScreenPassage(msgspec.Struct, frozen=True):
    """Something that a session shows: a line with its number of repetitions, or a line and the next different line."""

    line: str
    next_line: str = ""
    times: int = 1


class Gap(msgspec.Struct, frozen=True):
    """A session that no case has, and the passages in it that no case shows."""

    case: str
    seed: int
    passages: tuple[ScreenPassage, ...]


def gaps_of(stage: Stage) -> list[Gap]:
    """Returns a few sessions that show what the cases of a stage lack; the session that shows most comes first.

    Empty for a stage without a seed, whose cases cannot choose their draws, and for a command, since a thousand runs
    take too long.
    """
    if stage.reader or not stage.is_seeded or stage.reference.command:
        return []
    run = expected_run_here(stage)
    recorded = [lines for session in all_sessions_of(stage) if (lines := _lines(session, run)) is not None]
    tried = {(case.name, seed): lines for case, seed, lines in _sessions_tried(stage, run)}
    kinds = _kinds([*tried.values(), *recorded])
    covered = set().union(*(passages_of(lines, kinds) for lines in recorded))
    lacking = {key: passages_of(lines, kinds) - covered for key, lines in tried.items()}
    return list(_fewest({key: passages for key, passages in lacking.items() if passages and _is_fair(passages)}))


def _is_fair(lacking: Iterable[ScreenPassage]) -> bool:
    """Whether cases type all answers in these passages: the assignment may leave open what other answers do."""
    return not any(passage.line.endswith(_TYPED) for passage in lacking if passage.times == 1 and not passage.next_line)


def _fewest(sessions: Mapping[tuple[str, int], set[ScreenPassage]]) -> Iterator[Gap]:
    """Sessions that together show all of these passages; each next session shows the most of the remaining passages."""
    left = set().union(*sessions.values())
    while left:
        case, seed = max(sessions, key=lambda key: len(sessions[key] & left))
        found = sessions[case, seed] & left
        yield Gap(
            case, seed, tuple(sorted(found, key=lambda passage: (passage.next_line, passage.line, passage.times)))
        )
        left -= found


def _sessions_tried(stage: Stage, run: ExpectedRun) -> Iterator[tuple[Case, int, tuple[str, ...]]]:
    """Yields each generated case with each seed and the session's lines; a player or list of answers only once."""
    found: set[tuple[Answers | Player, Invocation]] = set()
    for case in stage.spec.cases:
        if isinstance(case.session, Generated) and (case.session.answers, case.invocation) not in found:
            found.add((case.session.answers, case.invocation))
            left, limited_run = _MAX_LINES, _limited(run)
            for seed in SEEDS:
                lines = _lines(Session(stage, case, seed), limited_run)
                left -= _MAX_LINES // _MAX_UNFIT if lines is None else len(lines)
                if lines is not None:
                    yield case, seed, lines
                if left <= 0:
                    break


def _limited(run: ExpectedRun) -> ExpectedRun:
    """Returns a `run` that is abandoned after a few calls that did not end."""
    breaker = CircuitBreaker()

    def limited_run(*arguments: Any, **keywords: Any) -> Transcript:
        return breaker.call(partial(run, *arguments, **keywords))

    return limited_run


def _lines(session: Session, run: ExpectedRun) -> tuple[str, ...] | None:
    """The nonempty lines of a session, shown and typed, with single blanks; None if the reference fails in it."""
    try:
        events = expectation_of(session, run).events
    except HarnessError:
        return None  # verify reports this for the spec's own sessions
    return tuple(" ".join(line.split()) for line in "".join(map(_text, events)).split("\n") if line.strip())


def _text(event: Event) -> str:
    match event:
        case Shown(text):
            return text.decode("utf-8", "replace")
        case Typed(line):
            return f"<<{line.decode('utf-8', 'replace')}{_TYPED}\n"
    return ""


def passages_of(lines: Sequence[str], kinds: frozenset[str] = frozenset()) -> set[ScreenPassage]:
    """The passages in the lines of a session; words in `kinds` are treated as varying."""
    runs = [(shape, len(list(run))) for shape, run in groupby(_shape(line, kinds) for line in lines)]
    shapes = [shape for shape, _ in runs]
    texts = [shape for shape in shapes if _VARIES not in shape and not shape.endswith(_TYPED)]
    found = {ScreenPassage(shape, times=times) for shape, times in runs}
    return found | {ScreenPassage(first, other) for row in (shapes, texts) for first, other in pairwise(row)}


@lru_cache(1 << 16)
def _shape(line: str, kinds: frozenset[str]) -> str:
    return " ".join(_VARIES if word in kinds or _NUMBER.search(word) else word for word in line.split())


def _kinds(sessions: Iterable[Sequence[str]]) -> frozenset[str]:
    """Returns the words in positions where many different words occur: see `_VARIANTS`."""
    shapes = {_shape(line, frozenset()) for line in {line for lines in sessions for line in lines}}
    at: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for words in map(str.split, shapes):
        for index, word in enumerate(words):
            at[(*words[:index], "", *words[index + 1 :])].add(word)
    return frozenset().union(*(words - {_VARIES} for words in at.values() if len(words) >= _VARIANTS))
