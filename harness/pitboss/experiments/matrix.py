"""Tests the specs: which case catches which known mistake, and what would catch a mistake that no case catches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import cycle, islice

import msgspec

from pitboss.assignments.answers import answers_of
from pitboss.assignments.assignment import Answers, Assignment, Case, Generated, Player, Recorded, Stage
from pitboss.assignments.cases import Session, all_sessions_of, sessions_of
from pitboss.assignments.options import features_of
from pitboss.compare.verdicts import Verdict
from pitboss.errors import HarnessError, ShortageError
from pitboss.experiments.catalogue import Mistake, mistakes_of, mistakes_with_more
from pitboss.experiments.programs.running import Runner, programs_ready
from pitboss.experiments.relation import Experiment, SessionOrder, experiment_in, played
from pitboss.model.transcript import Transcript
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.expected_transcript import expectation_of
from pitboss.sessions.job import Job
from pitboss.sessions.references import checked_run
from pitboss.unseeded.drawn import DrawnSession, invented
from pitboss.unseeded.unseeded import Judge

#: With random draws, up to _MAX_TRIES times the stage's most sessions are run; they are first judged at 2 * _FIRST.
_MAX_TRIES, _FIRST = 8, 8
#: Seeds to try when looking for a session that shows a mistake.
_SEEDS = range(1, 401)


class Catch(msgspec.Struct, frozen=True):
    """A mistake, and the cases of a stage that catch it."""

    mistake: Mistake
    cases: tuple[str, ...]

    @property
    def is_survivor(self) -> bool:
        """Whether no case catches it although a session could show it."""
        return not self.cases and not self.mistake.invisible


class Catcher(msgspec.Struct, frozen=True):
    """A session that would catch a mistake: its seed, and what is typed after it."""

    #: None if the stage has none.
    seed: int | None
    answers: Answers


@programs_ready()
def catches_of(assignment: Assignment, stage: Stage) -> list[Catch]:
    """Every known mistake of a stage, with the cases that catch it.

    If the stage is about a feature, a mistake that needs another feature is tried too, in a program with both.
    """
    mistakes = mistakes_of(stage)
    if stage.reader:
        more = mistakes_with_more(stage) if features_of(stage) else ()
        pairs = [*((mistake, stage) for mistake in mistakes), *more]
        return [Catch(mistake, _caught_unseeded(assignment, under_it, mistake)) for mistake, under_it in pairs]
    experiments: dict[str, list[Experiment]] = {}
    for name, experiment in _experiments(stage):
        experiments.setdefault(name, []).append(experiment)
    orders = {name: SessionOrder(some) for name, some in experiments.items()}
    return [Catch(mistake, tuple(_caught(stage, mistake, orders))) for mistake in mistakes]


def _experiments(stage: Stage) -> Iterator[tuple[str, Experiment]]:
    """Each session with the name of its case, except those in which the reference fails: these are reported separately.

    A recorded case is run too, since the reference may differ from it.
    """
    right = expected_run_here(stage)
    for session in all_sessions_of(stage):
        with suppress(HarnessError):
            if isinstance(session.case.session, Recorded):
                done = checked_run(played(right, session), session.case.exit_code, session.case.place)
            else:
                done = expectation_of(session, right)
            yield session.case.name, experiment_in(session, done)


def _caught(stage: Stage, mistake: Mistake, orders: Mapping[str, SessionOrder[Experiment]]) -> Iterator[str]:
    wrong = mistake.run_of(stage.name)
    assert wrong is not None
    yield from (
        name for name, order in orders.items() if order.first(lambda experiment: experiment.differs(wrong)) is not None
    )


def _caught_unseeded(assignment: Assignment, stage: Stage, mistake: Mistake) -> tuple[str, ...]:
    """The first cases that catch a submission with the mistake, on random draws.

    The number of sessions doubles until a case does, since some mistakes show only rarely. A built program is given
    its draws: those it made itself would be the same in each run.
    """
    wrong = mistake.run_of(stage.name)
    assert wrong is not None
    judge = Judge(Job(assignment, (stage,), find_conditions("auto", "none"), assignment.name), stage)
    drawn: list[DrawnSession] = []
    for session in islice(cycle(_spread(sessions_of(stage))), _MAX_TRIES * stage.most_sessions):
        draws = invented(stage.draws, len(drawn)) if isinstance(wrong, Runner) else None
        try:
            transcript = played(wrong, session, draws)
        except ShortageError:
            raise
        except HarnessError:
            return (session.case.name,)
        drawn.append(DrawnSession(session, transcript, judge.read(transcript.events)))
        if len(drawn).bit_count() == 1 and len(drawn) > _FIRST:  # at 16, 32, 64 and so on
            outcome = judge.outcome(drawn)
            if outcome.findings and outcome.verdict not in (Verdict.ACCEPTED, Verdict.JUDGE_ERROR):
                return ("all sessions together",)
            failed = (result.verdict not in (Verdict.ACCEPTED, Verdict.JUDGE_ERROR) for result in outcome.results)
            names = dict.fromkeys(session.session.case.name for session, bad in zip(drawn, failed, strict=True) if bad)
            if names:
                return tuple(names)
    return ()


def _spread(sessions: Sequence[Session]) -> list[Session]:
    """The sessions in an order that alternates between the cases."""
    return sorted(sessions, key=lambda session: session.number)


def idle_cases(stage: Stage, catches: Sequence[Catch]) -> list[str]:
    """Cases that catch no known mistake; empty with a reader, when only the first cases that catch one are known."""
    if stage.reader:
        return []
    useful = {name for catch in catches for name in catch.cases}
    run = {session.case.name for session in sessions_of(stage)}
    return [case.name for case in stage.spec.cases if case.name in run and case.name not in useful]


@programs_ready()
def catcher_of(assignment: Assignment, stage: Stage, mistake: Mistake) -> Catcher | None:
    """The session with the fewest typed lines, of many tried, that catches a mistake; None if none does."""
    wrong, right = mistake.run_of(stage.name), expected_run_here(stage)
    assert wrong is not None
    best: Transcript | None = None
    seeds: Sequence[int | None] = _SEEDS if stage.is_seeded else (None,)
    for generated in _generated(assignment, stage):
        for seed in seeds:
            session = Session(stage, _case(stage, generated), seed)
            expected = played(right, session)
            is_shorter = best is None or len(expected.lines) < len(best.lines)
            if is_shorter and experiment_in(session, expected).differs(wrong):
                best = expected
                break
    if best is None:
        return None
    answers = answers_of(best.events, has_seed=stage.is_seeded)
    return Catcher(int(best.lines[0]) if stage.is_seeded else None, answers)


def _case(stage: Stage, generated: Generated) -> Case:
    return Case("catches", generated, stage.policy, place=str(stage.spec.path), invocation=stage.invocation)


def _generated(assignment: Assignment, stage: Stage) -> Iterator[Generated]:
    """What the stage's cases type after the seed, and every player of the assignment."""
    typed: dict[Answers | Player, None] = {}
    for case in stage.spec.cases:
        if isinstance(case.session, Generated):
            typed[case.session.answers] = None
        else:
            typed[answers_of(case.session.events, has_seed=stage.is_seeded)] = None
    return (Generated((None,), player) for player in typed | dict.fromkeys(assignment.players))
