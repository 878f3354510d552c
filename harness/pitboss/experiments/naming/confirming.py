"""Chooses further sessions that test a diagnosis before it is reported.

A mistake that explains all sessions so far may still not be the actual mistake. So a few sessions are chosen in which
programs with the diagnosed mistakes would differ from the correct program, or from each other, and the submission is
run in these sessions too. Without a seed, draws cannot be predicted, so further sessions of the same cases are run. If
there are several mistakes, only the cases in which their programs differ on invented draws are used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import combinations, islice

from pitboss.assignments.assignment import Case, Generated, Stage
from pitboss.assignments.cases import Session, sessions_of
from pitboss.errors import HarnessError
from pitboss.experiments.catalogue import Mistake
from pitboss.experiments.relation import pairs_that_differ, run_in_session
from pitboss.model.transcript import Transcript
from pitboss.sessions.references import ExpectedRun
from pitboss.unseeded.reader import invented_draws

#: The maximum number of further sessions without seeds that are run for a diagnosis.
_MAX_UNSEEDED = 8
#: The maximum number of further sessions with seeds that are run for a diagnosis.
_MAX_SEEDED = 12
#: How many sessions are searched for in which a given pair of programs differs.
_SESSIONS_PER_PAIR = 3
#: How many seeds are tried for a case in which two programs differ with the first seed.
_SEEDS_OF_USEFUL_CASE = 20
#: How many seeds are tried for any other case.
_SEEDS_OF_OTHER_CASE = 8
#: The first seed that is tried, larger than the seeds in specs. It is also added to the numbers of unseeded sessions.
_FIRST_SEED = 50_001
#: How many series of draws are invented for each case.
_DRAW_SERIES = 6


def sessions_to_confirm(
    stage: Stage, right: ExpectedRun | None, mistakes: Sequence[Mistake], cases: Sequence[Case] = ()
) -> list[Session]:
    """Returns sessions that show which of these mistakes a program makes, if any.

    Without mistakes, these are further sessions of any kind. `right` runs the correct program; it is None if the
    program cannot be run in this process. `cases` are all cases of the stage, and `stage.spec` may contain only those
    that were checked; if `cases` is empty, those of `stage.spec` are used. The result is empty if no case is suitable
    (it needs a player, and seeds unless the stage has a reader), or if no session with a difference is found.
    """
    unchecked_cases = [case for case in cases if case not in stage.spec.cases]
    generated_cases = [case for case in cases or stage.spec.cases if isinstance(case.session, Generated)]
    if stage.reader:
        differing_cases = _cases_that_differ(stage, generated_cases, mistakes) if right and len(mistakes) > 1 else []
        return _unseeded_sessions(stage, differing_cases or generated_cases)
    seeded_cases = [
        case for case in generated_cases if isinstance(case.session, Generated) and None not in case.session.seeds
    ]
    if not seeded_cases:
        return []
    if right is None or not mistakes:
        return list(islice(_seeded_sessions(stage, seeded_cases, _SEEDS_OF_USEFUL_CASE), _MAX_SEEDED // 2))
    return _differing_sessions(stage, seeded_cases, right, mistakes, unchecked_cases)


def right_sessions(right: ExpectedRun | None, sessions: Iterable[Session]) -> Iterator[Transcript]:
    """Yields the transcripts of the correct program in the sessions with a seed; nothing if `right` is None.

    Sessions in which the correct program fails are skipped.
    """
    for session in sessions:
        if right is not None and session.seed is not None:
            with suppress(HarnessError):
                yield run_in_session(right, session)


def _cases_that_differ(stage: Stage, cases: Sequence[Case], mistakes: Sequence[Mistake]) -> list[Case]:
    """The cases in which at least two programs with these mistakes differ on invented draws."""
    runs = _runs_of(stage, mistakes)

    def differ(case: Case) -> bool:
        sessions = (Session(stage, case, None, number) for number in range(_DRAW_SERIES))
        return any(pairs_that_differ(runs, one, partial(invented_draws, stage.draws, one.number)) for one in sessions)

    return list(filter(differ, cases))


def _runs_of(stage: Stage, mistakes: Sequence[Mistake]) -> dict[str, ExpectedRun]:
    return {mistake.id: run for mistake in mistakes if (run := mistake.run_of(stage.name)) is not None}


def _unseeded_sessions(stage: Stage, cases: Sequence[Case]) -> list[Session]:
    """Further unseeded sessions, each of the next case in turn, numbered after all sessions in the spec."""
    # The sessions of a case are in the order of their numbers.
    last_numbers = {session.case.name: session.number for session in sessions_of(stage)}
    rounds = range(1, _MAX_UNSEEDED // max(1, len(cases)) + 2)
    # A check of the whole stage does not use these numbers, so no session is run twice.
    cases_and_numbers = (
        (case, last_numbers.get(case.name, 0) + _FIRST_SEED + round_number) for round_number in rounds for case in cases
    )
    return [Session(stage, case, None, number) for case, number in islice(cases_and_numbers, _MAX_UNSEEDED)]


def _seeded_sessions(stage: Stage, cases: Sequence[Case], seed_count: int) -> Iterator[Session]:
    """Yields sessions of all cases with the first seed, then of all cases with the next seed, and so on."""
    for seed in range(_FIRST_SEED, _FIRST_SEED + seed_count):
        for case in cases:
            yield Session(stage, case, seed)


def _differing_sessions(
    stage: Stage,
    cases: Sequence[Case],
    right: ExpectedRun,
    mistakes: Sequence[Mistake],
    unchecked_cases: Sequence[Case],
) -> list[Session]:
    """Further sessions in which programs with these mistakes differ from the correct program, or from each other.

    Cases in which two programs differ with the first seed come first: other seeds are likely to show a difference too.
    Cases that were not checked come last, with the seeds of the spec, which were selected to show rare events.
    """
    #: The programs by mistake id; the id of the correct program is empty.
    runs = {"": right, **_runs_of(stage, mistakes)}
    #: How many sessions each pair of programs, by their ids, still needs.
    missing_counts = dict.fromkeys(combinations(runs, 2), _SESSIONS_PER_PAIR)
    chosen: list[Session] = []

    def is_enough() -> bool:
        return len(chosen) == _MAX_SEEDED or not any(missing_counts.values())

    def do_programs_differ(session: Session) -> bool:
        """Choose a session if a pair of programs that differs in it needs more; False without a trial if enough are."""
        differing_pairs = set() if is_enough() else pairs_that_differ(runs, session)
        if any(missing_counts[pair] for pair in differing_pairs):
            chosen.append(session)
            for pair in differing_pairs:
                missing_counts[pair] = max(0, missing_counts[pair] - 1)
        return bool(differing_pairs)

    useful_cases = [
        session.case for session in _seeded_sessions(stage, cases, seed_count=1) if do_programs_differ(session)
    ]
    other_cases = [case for case in cases if case not in useful_cases]
    further_sessions = [  # the first session of each case was tried above, so it is skipped
        *islice(_seeded_sessions(stage, useful_cases, _SEEDS_OF_USEFUL_CASE), len(useful_cases), None),
        *islice(_seeded_sessions(stage, other_cases, _SEEDS_OF_OTHER_CASE), len(other_cases), None),
        *(
            Session(stage, case, seed)
            for case in unchecked_cases
            if isinstance(case.session, Generated)
            for seed in case.session.seeds
        ),
    ]
    for session in further_sessions:
        do_programs_differ(session)
    return chosen
