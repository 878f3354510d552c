"""Tests the specs: finds the cases that catch each known mistake, and further sessions that catch uncaught mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import cycle, islice

import msgspec

from pitboss.assignments.answers import answers_of_session
from pitboss.assignments.assignment import Answers, Assignment, Case, Generated, Player, Recorded, Stage
from pitboss.assignments.cases import Session, all_sessions_of, sessions_of
from pitboss.assignments.options import stage_features
from pitboss.compare.results import Verdict
from pitboss.errors import HarnessError, ShortageError
from pitboss.experiments.catalogue import Mistake, mistakes_of, mistakes_of_other_settings
from pitboss.experiments.programs.running import Runner, programs_ready
from pitboss.experiments.relation import Experiment, SessionOrder, experiment_in, run_in_session
from pitboss.model.transcript import Transcript
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.references import checked_run, expectation_of
from pitboss.unseeded.reader import DrawnSession, invented_draws
from pitboss.unseeded.unseeded import Judge

#: If the draws are random, at most this many times the stage's maximum number of sessions are run for a mistake.
_MAX_ROUNDS = 8
#: This many sessions with random draws, or fewer, are not judged.
_TOO_FEW = 8
#: The verdicts that reject nothing: a fault (JUDGE_ERROR) is not the program's.
_NOT_REJECTED = (Verdict.ACCEPTED, Verdict.JUDGE_ERROR)
#: Seeds to try when looking for a session that shows a mistake.
_TRIED_SEEDS = range(1, 401)


class Catch(msgspec.Struct, frozen=True):
    """A mistake, and the names of a stage's cases that catch the mistake."""

    mistake: Mistake
    cases: tuple[str, ...]

    @property
    def is_survivor(self) -> bool:
        """Whether no case catches the mistake although a session could show it."""
        return not self.cases and not self.mistake.invisible


class CatchingSession(msgspec.Struct, frozen=True):
    """A session that would catch a mistake: the seed, and the answers typed after the seed."""

    #: None if the stage has no seed.
    seed: int | None
    answers: Answers


@programs_ready()
def catches_of(assignment: Assignment, stage: Stage) -> list[Catch]:
    """Every known mistake of a stage, with the cases that catch the mistake.

    If an unseeded stage is about a feature, mistakes that need other values of its options are also tried, in programs
    with these values.
    """
    mistakes = mistakes_of(stage)
    if stage.reader:
        further_mistakes = mistakes_of_other_settings(stage) if stage_features(stage) else ()
        tried_pairs = [*((mistake, stage) for mistake in mistakes), *further_mistakes]
        return [
            Catch(mistake, _catching_cases_unseeded(assignment, tried_stage, mistake))
            for mistake, tried_stage in tried_pairs
        ]
    experiments: dict[str, list[Experiment]] = {}
    for name, experiment in _named_experiments(stage):
        experiments.setdefault(name, []).append(experiment)
    orders = {name: SessionOrder(case_experiments) for name, case_experiments in experiments.items()}
    return [Catch(mistake, tuple(_catching_cases(stage, mistake, orders))) for mistake in mistakes]


def _named_experiments(stage: Stage) -> Iterator[tuple[str, Experiment]]:
    """Each session as an experiment, with the name of the session's case.

    Sessions in which the reference fails are left out; they are reported elsewhere. Recorded cases are run too, since
    the reference may differ from the recording.
    """
    reference_run = expected_run_here(stage)
    for session in all_sessions_of(stage):
        with suppress(HarnessError):
            if isinstance(session.case.session, Recorded):
                transcript = checked_run(
                    run_in_session(reference_run, session), session.case.exit_code, session.case.place
                )
            else:
                transcript = expectation_of(session, reference_run)
            yield session.case.name, experiment_in(session, transcript)


def _catching_cases(stage: Stage, mistake: Mistake, orders: Mapping[str, SessionOrder[Experiment]]) -> Iterator[str]:
    """The names of the cases with a session in which the mistake shows; `orders` has the sessions by case."""
    wrong_run = mistake.runs[stage.name]
    for name, order in orders.items():
        if order.first(lambda experiment: experiment.differs(wrong_run)) is not None:
            yield name


def _catching_cases_unseeded(assignment: Assignment, stage: Stage, mistake: Mistake) -> tuple[str, ...]:
    """The names of the first cases that catch a submission with the mistake, on random draws.

    The number of sessions doubles until a case catches the mistake, since some mistakes rarely show. If only all
    sessions together reject the submission, the result says that instead of naming a case. A built program is given
    invented draws, since its own draws would be the same in each run.
    """
    wrong_run = mistake.runs[stage.name]
    judge = Judge(Job(assignment, (stage,), find_conditions("auto", "none"), assignment.name), stage)
    drawn: list[DrawnSession] = []
    # Sorted by their numbers, the sessions alternate between the cases.
    sessions = sorted(sessions_of(stage), key=lambda session: session.number)
    for session in islice(cycle(sessions), _MAX_ROUNDS * stage.most_sessions):
        draws = invented_draws(stage.draws, len(drawn)) if isinstance(wrong_run, Runner) else None
        try:
            transcript = run_in_session(wrong_run, session, draws)
        except ShortageError:
            raise
        except HarnessError:  # the wrong program itself fails, so the session catches it
            return (session.case.name,)
        drawn.append(DrawnSession(session, transcript, judge.read(transcript.events)))
        if len(drawn).bit_count() == 1 and len(drawn) > _TOO_FEW:  # at 16, 32, 64 and so on
            outcome = judge.outcome(drawn)
            is_found_in_all = outcome.findings or outcome.draws or outcome.not_offered
            if is_found_in_all and outcome.verdict not in _NOT_REJECTED:
                return ("all sessions together",)
            catching_cases = dict.fromkeys(
                drawn_session.session.case.name
                for drawn_session, result in zip(drawn, outcome.results, strict=True)
                if result.verdict not in _NOT_REJECTED
            )
            if catching_cases:
                return tuple(catching_cases)
    return ()


def idle_cases(stage: Stage, catches: Sequence[Catch]) -> list[str]:
    """The names of cases that catch no known mistake.

    Empty for a stage with a reader: there the search stops at the first catching cases, so others may catch too.
    """
    if stage.reader:
        return []
    catching_cases = {name for catch in catches for name in catch.cases}
    cases_run = {session.case.name for session in sessions_of(stage)}
    return [case.name for case in stage.spec.cases if case.name in cases_run and case.name not in catching_cases]


@programs_ready()
def catcher_of(assignment: Assignment, stage: Stage, mistake: Mistake) -> CatchingSession | None:
    """Try many sessions; return one with few typed lines that catches a mistake, or None.

    One player is tried after another, each until it has a session that catches the mistake with fewer typed lines than
    the best session so far.
    """
    wrong_run, reference_run = mistake.runs[stage.name], expected_run_here(stage)
    best: Transcript | None = None
    seeds: Sequence[int | None] = _TRIED_SEEDS if stage.is_seeded else (None,)
    for generated in _candidate_sessions(assignment, stage):
        case = Case("catches", generated, stage.policy, place=str(stage.spec.path), invocation=stage.invocation)
        for seed in seeds:
            session = Session(stage, case, seed)
            expected = run_in_session(reference_run, session)
            is_shorter = best is None or len(expected.lines) < len(best.lines)
            if is_shorter and experiment_in(session, expected).differs(wrong_run):
                best = expected
                break
    if best is None:
        return None
    answers = answers_of_session(best.events, has_seed=stage.is_seeded)
    return CatchingSession(int(best.lines[0]) if stage.is_seeded else None, answers)


def _candidate_sessions(assignment: Assignment, stage: Stage) -> Iterator[Generated]:
    """Sessions to try: with the answers of each case of the stage, and with each player of the assignment."""
    players: dict[Answers | Player, None] = {}
    for case in stage.spec.cases:
        if isinstance(case.session, Generated):
            players[case.session.answers] = None
        else:
            players[answers_of_session(case.session.events, has_seed=stage.is_seeded)] = None
    return (Generated((None,), player) for player in players | dict.fromkeys(assignment.players))
