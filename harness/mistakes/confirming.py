"""Further sessions that put a name to the test before it is said.

A mistake that explains all sessions so far may still not be what the program does. So a few sessions are chosen in
which programs with the mistakes that are named would part from the right one, or from each other, and the program is
run in these too. Without a seed, where nobody knows what will be drawn, further sessions of the same players are run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice

from harness.assignments.assignment import Case, Generated, Stage
from harness.assignments.cases import Session, sessions_of
from harness.assignments.players import input_script_of
from harness.errors import HarnessError
from harness.judging.apart import first_difference
from harness.mistakes.catalogue import Mistake
from harness.running.references import ExpectedRun
from harness.transcripts.transcript import Transcript

#: How many further sessions are run for a name: without a seed, and at most with one.
_UNSEEDED, _SEEDED = 10, 12
#: How many sessions are wanted in which a program parts from another, and how many seeds of each player are tried.
_WANTED, _TRIED = 3, 20
#: The first of these seeds: beyond those that specs use.
_FIRST_SEED = 50_001


def sessions_to_confirm(stage: Stage, right: ExpectedRun | None, mistakes: Sequence[Mistake]) -> list[Session]:
    """Sessions that tell whether a program makes one of these mistakes, and which; without mistakes, any sessions.

    `right` runs the right program, None if it cannot be run in this process.
    """
    cases = [one for one in stage.spec.cases if isinstance(one.session, Generated)]
    if stage.reader:
        return _next_numbers(stage, cases)
    cases = [one for one in cases if isinstance(one.session, Generated) and None not in one.session.seeds]
    if not cases:
        return []
    further = _seeded(stage, cases)
    if right is None or not mistakes:
        return list(islice(further, _SEEDED // 2))
    return _parting(stage, further, right, mistakes)


def _next_numbers(stage: Stage, cases: Sequence[Case]) -> list[Session]:
    """The next sessions of each case after those that a spec names, in turn."""
    held: dict[str, int] = {}
    for session in sessions_of(stage):
        held[session.case.name] = max(held.get(session.case.name, 0), session.number)
    # Numbers that no check of the whole stage comes to, so that no session is run twice.
    turns = range(1, _UNSEEDED // max(1, len(cases)) + 2)
    numbers = ((case, held.get(case.name, 0) + _FIRST_SEED + turn) for turn in turns for case in cases)
    return [Session(stage, case, None, number) for case, number in islice(numbers, _UNSEEDED)]


def _seeded(stage: Stage, cases: Sequence[Case]) -> Iterator[Session]:
    for seed in range(_FIRST_SEED, _FIRST_SEED + _TRIED):
        for case in cases:
            yield Session(stage, case, seed)


def _parting(
    stage: Stage, further: Iterator[Session], right: ExpectedRun, mistakes: Sequence[Mistake]
) -> list[Session]:
    """Of further sessions, the first that part each mistake from the right program, and each two from each other."""
    runs = {"": right, **{one.id: run for one in mistakes if (run := one.run_of(stage.name)) is not None}}
    wanted = dict.fromkeys(combinations(runs, 2), _WANTED)
    found: list[Session] = []
    for session in further:
        if len(found) == _SEEDED or not any(wanted.values()):
            break
        told = {name: _told(run, session) for name, run in runs.items()}
        parted = [pair for pair in wanted if _differ(told[pair[0]], told[pair[1]], session)]
        if any(wanted[pair] for pair in parted):
            found.append(session)
            for pair in parted:
                wanted[pair] = max(0, wanted[pair] - 1)
    return found


def _told(run: ExpectedRun, session: Session) -> Transcript | None:
    assert isinstance(session.case.session, Generated)
    try:
        script = input_script_of(session.case.session, session.seed, session.case.place)
        return run(script, invocation=session.case.invocation)
    except HarnessError:
        return None


def _differ(one: Transcript | None, other: Transcript | None, session: Session) -> bool:
    if one is None or other is None:
        return one is not other
    return first_difference(one, other, session.case.policy) is not None
