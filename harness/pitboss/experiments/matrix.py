"""Tests the specs: finds the cases that catch each known mistake, and sessions that would catch missed mistakes."""

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

#: With random draws, at most this many times the stage's maximum number of sessions is run.
_MAX_TRIES = 8
#: Sessions with random draws are first judged when there are twice this many.
_FIRST = 8
#: Seeds to try when looking for a session that shows a mistake.
_SEEDS = range(1, 401)


class Catch(msgspec.Struct, frozen=True):
    """A mistake, and the cases of a stage that catch it."""

    mistake: Mistake
    cases: tuple[str, ...]

    @property
    def is_survivor(self) -> bool:
        """Whether no case catches the mistake although a session could show it."""
        return not self.cases and not self.mistake.invisible


class Catcher(msgspec.Struct, frozen=True):
    """A session that would catch a mistake: the seed, and the answers typed after the seed."""

    #: None if the stage has no seed.
    seed: int | None
    answers: Answers


@programs_ready()
def catches_of(assignment: Assignment, stage: Stage) -> list[Catch]:
    """Every known mistake of a stage, with the cases that catch it.

    If the stage is about a feature, mistakes that need another feature are also tried, in a program with both features.
    """
    mistakes = mistakes_of(stage)
    if stage.reader:
        further_mistakes = mistakes_with_more(stage) if features_of(stage) else ()
        pairs = [*((mistake, stage) for mistake in mistakes), *further_mistakes]
        return [Catch(mistake, _caught_unseeded(assignment, tried_stage, mistake)) for mistake, tried_stage in pairs]
    experiments: dict[str, list[Experiment]] = {}
    for name, experiment in _experiments(stage):
        experiments.setdefault(name, []).append(experiment)
    orders = {name: SessionOrder(case_experiments) for name, case_experiments in experiments.items()}
    return [Catch(mistake, tuple(_caught(stage, mistake, orders))) for mistake in mistakes]


def _experiments(stage: Stage) -> Iterator[tuple[str, Experiment]]:
    """Each session with its case's name, except sessions in which the reference fails, which are reported separately.

    Recorded cases are run too, since the reference may differ from the recording.
    """
    reference_run = expected_run_here(stage)
    for session in all_sessions_of(stage):
        with suppress(HarnessError):
            if isinstance(session.case.session, Recorded):
                transcript = checked_run(played(reference_run, session), session.case.exit_code, session.case.place)
            else:
                transcript = expectation_of(session, reference_run)
            yield session.case.name, experiment_in(session, transcript)


def _caught(stage: Stage, mistake: Mistake, orders: Mapping[str, SessionOrder[Experiment]]) -> Iterator[str]:
    wrong = mistake.run_of(stage.name)
    assert wrong is not None
    yield from (
        name for name, order in orders.items() if order.first(lambda experiment: experiment.differs(wrong)) is not None
    )


def _caught_unseeded(assignment: Assignment, stage: Stage, mistake: Mistake) -> tuple[str, ...]:
    """The first cases that catch a submission with the mistake, on random draws.

    The number of sessions doubles until a case catches the mistake, since some mistakes rarely show. A built program
    is given invented draws, since its own draws would be the same in each run.
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
            names = dict.fromkeys(
                session.session.case.name for session, has_failed in zip(drawn, failed, strict=True) if has_failed
            )
            if names:
                return tuple(names)
    return ()


def _spread(sessions: Sequence[Session]) -> list[Session]:
    """The sessions in an order that alternates between the cases."""
    return sorted(sessions, key=lambda session: session.number)


def idle_cases(stage: Stage, catches: Sequence[Catch]) -> list[str]:
    """Cases that catch no known mistake; empty for a stage with a reader, where not every catching case is known."""
    if stage.reader:
        return []
    useful = {name for catch in catches for name in catch.cases}
    cases_run = {session.case.name for session in sessions_of(stage)}
    return [case.name for case in stage.spec.cases if case.name in cases_run and case.name not in useful]


@programs_ready()
def catcher_of(assignment: Assignment, stage: Stage, mistake: Mistake) -> Catcher | None:
    """The session with the fewest typed lines, of many tried, that catches a mistake; None if no session does."""
    wrong_run, reference_run = mistake.run_of(stage.name), expected_run_here(stage)
    assert wrong_run is not None
    best: Transcript | None = None
    seeds: Sequence[int | None] = _SEEDS if stage.is_seeded else (None,)
    for generated in _generated(assignment, stage):
        for seed in seeds:
            session = Session(stage, _case(stage, generated), seed)
            expected = played(reference_run, session)
            is_shorter = best is None or len(expected.lines) < len(best.lines)
            if is_shorter and experiment_in(session, expected).differs(wrong_run):
                best = expected
                break
    if best is None:
        return None
    answers = answers_of(best.events, has_seed=stage.is_seeded)
    return Catcher(int(best.lines[0]) if stage.is_seeded else None, answers)


def _case(stage: Stage, generated: Generated) -> Case:
    return Case("catches", generated, stage.policy, place=str(stage.spec.path), invocation=stage.invocation)


def _generated(assignment: Assignment, stage: Stage) -> Iterator[Generated]:
    """Sessions that type the same as the stage's cases after the seed, and a session of every player."""
    typed: dict[Answers | Player, None] = {}
    for case in stage.spec.cases:
        if isinstance(case.session, Generated):
            typed[case.session.answers] = None
        else:
            typed[answers_of(case.session.events, has_seed=stage.is_seeded)] = None
    return (Generated((None,), player) for player in typed | dict.fromkeys(assignment.players))
