"""Sessions of a stage's cases as its references run them: what is known of its games."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from harness.assignments.assignment import Case, Draws, Generated, Recorded, Stage
from harness.assignments.cases import Session, all_sessions_of
from harness.assignments.players import input_script_of
from harness.draws.replay import GivenDraws
from harness.errors import HarnessError
from harness.hunting.questions import Known, learned
from harness.running.drivers import expected_run_here
from harness.running.expected_transcript import expectation_of
from harness.running.references import ExpectedRun
from harness.transcripts.transcript import Event, Transcript

#: So many sessions of each case are looked at, and so many of a stage.
_OF_A_CASE, _OF_A_STAGE = 6, 200
#: So many draws are made ready for a session; what is drawn beyond them does not matter here.
_DRAWS = 400


def known_games(stage: Stage, *, until: float) -> Known:
    """What the cases of a stage tell of its games, as far as the time goes, but of one session at least."""
    sessions = (events for _, events in _told(stage))
    return learned(_in_time(sessions, until), is_seeded=stage.is_seeded)


def examples_of(stage: Stage) -> Iterator[tuple[str, Sequence[Event]]]:
    """Sessions of the public cases, as the stage's own reference runs them, each with the name of its case."""
    public = tuple(case for case in stage.spec.cases if case.visibility == "public")
    spec = msgspec.structs.replace(stage.spec, cases=public)
    return _told(msgspec.structs.replace(stage, spec=spec, tolerated=()))


def seeds_of(stage: Stage) -> tuple[int, int]:
    """Between which numbers a seed may be: any that is positive, and others as the cases have them."""
    seeds = [session.seed for session in all_sessions_of(stage) if session.seed is not None]
    for case in stage.spec.cases:
        first = Transcript(case.session.events).lines[:1] if isinstance(case.session, Recorded) else ()
        seeds += [int(line) for line in first if re.fullmatch(rb"-?[0-9]{1,9}", line)]
    return min((1, *seeds)), (1 << 31) - 1


def _in_time(sessions: Iterable[Sequence[Event]], until: float) -> Iterator[Sequence[Event]]:
    for events in sessions:
        yield events
        if time.monotonic() > until:
            return


def _told(stage: Stage) -> Iterator[tuple[str, Sequence[Event]]]:
    """Sessions of all cases in turn; where draws are read back, also as each tolerated reference runs them."""
    sessions = _in_turn(stage)
    references = [stage.reference, *(one.reference for one in stage.tolerated)] if stage.reader else [stage.reference]
    runs = [expected_run_here(msgspec.structs.replace(stage, reference=one)) for one in references]
    for session in sessions:
        for number, expected_run in enumerate(runs):
            if number and isinstance(session.case.session, Recorded):
                break
            try:
                yield session.case.name, _events(stage, session, expected_run)
            except HarnessError:  # `pitboss verify` tells it
                continue


def _in_turn(stage: Stage) -> list[Session]:
    """The first session of each case, then the second of each, and so on."""
    sessions: dict[str, list[Session]] = {}
    for session in all_sessions_of(stage):
        sessions.setdefault(session.case.name, []).append(session)
    turns = (one[turn] for turn in range(_OF_A_CASE) for one in sessions.values() if turn < len(one))
    return list(turns)[:_OF_A_STAGE]


def _events(stage: Stage, session: Session, expected_run: ExpectedRun) -> Sequence[Event]:
    match session.case:
        case Case(session=Recorded(events)):
            return events
        case Case(session=Generated() as generated, place=place) if stage.reader:
            draws = _some_draws(stage.draws, session.number)
            return expected_run(input_script_of(generated, None, place), GivenDraws(draws, stage.draws)).events
    return expectation_of(session, expected_run).events


def _some_draws(source: Draws, number: int) -> list[str]:
    """Draws at random, the same for the same number."""
    chance = random.Random(number)
    draws: list[str] = []
    while len(draws) < _DRAWS:
        size = source.bag or len(source.values)
        draws += chance.sample(source.values, size) if source.bag else chance.choices(source.values, k=size)
    return draws
