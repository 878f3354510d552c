"""Chooses further sessions that test a diagnosis before it is reported.

A mistake that explains all sessions so far may still not be the actual mistake. So a few sessions are chosen in which
programs with the diagnosed mistakes would differ from the correct program, or from each other, and the submission is
run in these sessions too. Without a seed, draws cannot be predicted, so further sessions of the same cases are run; if
there are several mistakes, only of the cases in which the programs differ on invented draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import combinations, islice

from pitboss.assignments.assignment import Case, Generated, Stage
from pitboss.assignments.cases import Session, sessions_of
from pitboss.errors import HarnessError
from pitboss.experiments.catalogue import Mistake
from pitboss.experiments.relation import parting, played
from pitboss.model.transcript import Transcript
from pitboss.sessions.references import ExpectedRun
from pitboss.unseeded.drawn import invented

#: How many further sessions are run for a diagnosis at most: without seeds, and with seeds.
_UNSEEDED, _SEEDED = 8, 12
#: How many sessions are wanted in which a given pair of programs differs.
_WANTED = 3
#: How many seeds are tried for a case in which two programs differ with the first seed, and for any other case.
_TRIED, _TRIED_IN_VAIN = 20, 8
#: The first seed that is tried, beyond the seeds that specs use.
_FIRST_SEED = 50_001
#: How many times draws are invented for each case.
_DEALS = 6


def sessions_to_confirm(
    stage: Stage, right: ExpectedRun | None, mistakes: Sequence[Mistake], cases: Sequence[Case] = ()
) -> list[Session]:
    """Returns sessions that show which of these mistakes a program makes, if any; without mistakes, any sessions.

    `right` runs the correct program; it is None if the program cannot be run in this process. `cases` are all cases of
    the stage, if only some are checked.
    """
    unchecked = [case for case in cases if case not in stage.spec.cases]
    cases = [case for case in cases or stage.spec.cases if isinstance(case.session, Generated)]
    if stage.reader:
        differing_cases = _cases_that_part(stage, cases, mistakes) if right and len(mistakes) > 1 else []
        return _next_numbers(stage, differing_cases or cases)
    cases = [case for case in cases if isinstance(case.session, Generated) and None not in case.session.seeds]
    if not cases:
        return []
    if right is None or not mistakes:
        return list(islice(_seeded(stage, cases, _TRIED), _SEEDED // 2))
    return _parting(stage, cases, right, mistakes, unchecked)


def right_sessions(right: ExpectedRun | None, sessions: Iterable[Session]) -> Iterator[Transcript]:
    """Yields the correct program's transcripts of the sessions with a seed; nothing if it cannot run here."""
    for session in sessions:
        if right is not None and session.seed is not None:
            with suppress(HarnessError):
                yield played(right, session)


def _cases_that_part(stage: Stage, cases: Sequence[Case], mistakes: Sequence[Mistake]) -> list[Case]:
    """The cases in which two programs with these mistakes differ on invented draws."""
    runs = _runs_of(stage, mistakes)
    return [case for case in cases if parts_on_invented_draws(runs, stage, case, _DEALS)]


def parts_on_invented_draws(runs: Mapping[str, ExpectedRun], stage: Stage, case: Case, deals: int) -> bool:
    """Whether two programs differ in a case, given `deals` series of invented draws."""
    sessions = (Session(stage, case, None, deal) for deal in range(deals))
    return any(parting(runs, session, partial(invented, stage.draws, session.number)) for session in sessions)


def _runs_of(stage: Stage, mistakes: Sequence[Mistake]) -> dict[str, ExpectedRun]:
    return {mistake.id: run for mistake in mistakes if (run := mistake.run_of(stage.name)) is not None}


def _next_numbers(stage: Stage, cases: Sequence[Case]) -> list[Session]:
    """Further sessions of the cases in turn, numbered after all sessions in the spec."""
    last_numbers: dict[str, int] = {}
    for session in sessions_of(stage):
        last_numbers[session.case.name] = max(last_numbers.get(session.case.name, 0), session.number)
    # Numbers that a check of the whole stage does not use, so that no session is run twice.
    turns = range(1, _UNSEEDED // max(1, len(cases)) + 2)
    numbers = ((case, last_numbers.get(case.name, 0) + _FIRST_SEED + turn) for turn in turns for case in cases)
    return [Session(stage, case, None, number) for case, number in islice(numbers, _UNSEEDED)]


def _seeded(stage: Stage, cases: Sequence[Case], seed_count: int) -> Iterator[Session]:
    for seed in range(_FIRST_SEED, _FIRST_SEED + seed_count):
        for case in cases:
            yield Session(stage, case, seed)


def _parting(
    stage: Stage, cases: Sequence[Case], right: ExpectedRun, mistakes: Sequence[Mistake], unchecked: Sequence[Case]
) -> list[Session]:
    """Further sessions in which programs with these mistakes differ from the correct program, or from each other.

    Cases in which two programs differ with the first seed come first: other seeds are likely to show a difference too.
    Cases that were not checked come last, with the seeds of the spec, which were chosen to show rare events.
    """
    collector = _Parting(stage, right, mistakes)
    useful = [session.case for session in _seeded(stage, cases, seed_count=1) if collector.take(session)]
    other_cases = [case for case in cases if case not in useful]
    for group, seed_count in ((useful, _TRIED), (other_cases, _TRIED_IN_VAIN)):
        for session in islice(_seeded(stage, group, seed_count), len(group), None):
            if collector.is_enough:
                break
            collector.take(session)
    for case in unchecked:
        for seed in case.session.seeds if isinstance(case.session, Generated) and not collector.is_enough else ():
            collector.take(Session(stage, case, seed))
    return collector.found


class _Parting:
    """Collects, for each pair of some programs, enough sessions in which the two differ."""

    def __init__(self, stage: Stage, right: ExpectedRun, mistakes: Sequence[Mistake]) -> None:
        """Compare the correct program and the programs with these mistakes."""
        self._runs = {"": right, **_runs_of(stage, mistakes)}
        self._wanted = dict.fromkeys(combinations(self._runs, 2), _WANTED)
        self.found: list[Session] = []

    @property
    def is_enough(self) -> bool:
        """Whether no further session is needed."""
        return len(self.found) == _SEEDED or not any(self._wanted.values())

    def take(self, session: Session) -> bool:
        """Return whether any two programs differ in a session; add the session if such a pair needs more."""
        if self.is_enough:
            return False
        differing_pairs = parting(self._runs, session)
        if any(self._wanted[pair] for pair in differing_pairs):
            self.found.append(session)
            for pair in differing_pairs:
                self._wanted[pair] = max(0, self._wanted[pair] - 1)
        return bool(differing_pairs)
