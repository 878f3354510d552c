"""Tries every mutant of a stage's reference in the stage's sessions.

A session with a seed catches a mutant that behaves differently from the reference. Without a seed, a mutant runs on
invented draws, and is caught if the stage's judge rejects it. The judge judges all sessions of a program by the same
reference, the stage's own or a tolerated one. So a program that is rejected for a few sessions is usually also rejected
for more sessions, and a few sessions are tried first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from contextvars import ContextVar
from functools import cache
from typing import NamedTuple

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.cases import Session, sessions_of
from pitboss.assignments.players import MAX_LINES
from pitboss.compare.results import Verdict
from pitboss.errors import HarnessError
from pitboss.experiments.mutants.edits import SourceChange
from pitboss.experiments.mutants.mutant_list import ExclusionReason, MutantResult
from pitboss.experiments.relation import Experiment, Observation, SessionOrder, experiment_in, run_in_session
from pitboss.machine.workers import core_count, workers
from pitboss.model.comparison_policy import EXACT
from pitboss.model.transcript import Transcript
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.references import ExpectedRun, checked_run
from pitboss.unseeded.reader import DrawnSession, invented_values, reader_of
from pitboss.unseeded.replay import GivenDraws
from pitboss.unseeded.unseeded import Judge

#: The sessions that last caught mutants of the same file are tried first: at most this many.
_MAX_RECENT_SESSIONS = 6
#: The maximum number of sessions with the same kind of difference that are judged. If the judge accepts the mutant's
#: wording of a free text (`compare: free`) in this many sessions, it should accept this wording in all sessions. If it
#: would not, the mutant is left out as one whose differences are accepted.
_MAX_PER_KIND = 6
#: The verdicts that reject nothing: a fault (JUDGE_ERROR) is not the program's.
_NOT_REJECTED = (Verdict.ACCEPTED, Verdict.JUDGE_ERROR)
#: How many mutants are tried between two reports of progress.
_BATCH_SIZE = 40


#: Returns what a mutant does in the session of a number.
Observe = Callable[[int], Observation | None]


class Mutant(NamedTuple):
    """A changed program."""

    #: Runs the program; None if it cannot even be loaded, or is left out.
    run: ExpectedRun | None
    #: What the program is: the same for the same programs.
    program: str = ""
    exclusion: ExclusionReason | None = None


class Mutants(ABC):
    """The mutants of a reference: of a function, or of a source, of which it is unknown which lines run."""

    stage: Stage
    #: Runs the unchanged reference.
    reference: ExpectedRun
    #: The changes to try, known after the reference has run in all sessions.
    changes: list[SourceChange]
    #: The changes that are too many to be tried.
    untried: Sequence[SourceChange] = ()

    def sessions(self) -> Sequence[Session]:
        """The sessions to try."""
        return sessions_of(self.stage)

    def note_session(self, number: int | None) -> None:  # noqa: B027
        """Note that the reference has run in session `number`; None for a session that failed."""

    def unreached(self) -> list[str]:
        """The lines that no session runs, if that is known."""
        return []

    def candidates(self, change: SourceChange, count: int) -> Sequence[int]:
        """The numbers of the sessions, of `count`, in which a change can matter."""
        return range(count)

    @abstractmethod
    def opened(self) -> AbstractContextManager[Callable[[SourceChange | None], Mutant]]:
        """A context with a function that makes the mutant of a change; of None, the unchanged program."""


class PreparedSession(NamedTuple):
    """A session of a spec, and its experiment."""

    session: Session
    experiment: Experiment


class Trial:
    """The mutants of a stage, and the sessions in which the mutants are tried."""

    def __init__(self, assignment: Assignment, mutants: Mutants) -> None:
        """Run the reference in all sessions of the stage."""
        self.stage, self.mutants = mutants.stage, mutants
        self._job = Job(assignment, (self.stage,), find_conditions("auto", "none"), assignment.name)
        self.sessions: list[PreparedSession] = []
        #: The order of the sessions for the mutants of each file.
        self._orders: dict[str, SessionOrder[PreparedSession]] = defaultdict(
            lambda: SessionOrder(self.sessions, _MAX_RECENT_SESSIONS)
        )
        breaker = CircuitBreaker()
        for number, session in enumerate(mutants.sessions()):
            experiment = None
            with suppress(HarnessError):  # `pitboss verify` reports the error
                experiment = breaker.call(self.experiment, session, number)
            mutants.note_session(None if experiment is None else len(self.sessions))
            if experiment is not None:
                self.sessions.append(PreparedSession(session, experiment))

    def experiment(self, session: Session, number: int = 0) -> Experiment:
        """The experiment of a session; raises HarnessError if the reference's run does not end as the case says.

        Without a seed, draws are invented from `number`, and a free text (`compare: free`) must be the reference's:
        only the judge, which sees all sessions, can accept another wording.
        """
        case, draws = session.case, invented_values(self.stage.draws, number) if self.stage.reader else None
        given = None if draws is None else GivenDraws(draws, self.stage.draws)
        transcript = run_in_session(self.mutants.reference, session, given)
        policy = case.policy if draws is None else case.policy.with_accepted_texts({})
        return experiment_in(session, checked_run(transcript, case.exit_code, case.place), draws, policy)

    def difference_of_reference(self, unchanged: Mutant) -> str:
        """The name of the session in which the unchanged program differs from the reference; empty if in none."""
        assert unchanged.run is not None
        run = unchanged.run
        return next((prepared.session.name for prepared in self.sessions if prepared.experiment.differs(run)), "")

    def try_mutants(self, numbers: Iterable[int]) -> list[tuple[int, MutantResult]]:
        """The results for the changes with these numbers."""
        with self.mutants.opened() as make:
            changes = self.mutants.changes
            return [(number, self._result(changes[number], make(changes[number]))) for number in numbers]

    def _result(self, change: SourceChange, mutant: Mutant) -> MutantResult:
        if mutant.exclusion is not None:
            return MutantResult(change.id, "", mutant.exclusion)
        if mutant.run is None:
            return MutantResult(change.id, "all sessions")
        among, run = self.mutants.candidates(change, len(self.sessions)), mutant.run
        observe = cache(lambda number: self.sessions[number].experiment.observed(run))
        if self.stage.reader:
            caught_by = self._rejecting_session(observe, among)
        else:
            first = self._orders[change.file].first(lambda prepared: prepared.experiment.differs(run), among)
            caught_by = first.session.name if first is not None else ""
        is_accepted = not caught_by and any(self._shows(observe, number) for number in among)
        exclusion = ExclusionReason.ACCEPTED if is_accepted else None
        return MutantResult(change.id, caught_by, exclusion, mutant.program)

    def _shows(self, observe: Observe, number: int) -> bool:
        """Whether a program that no session catches does anything else in a session."""
        experiment = self.sessions[number].experiment
        if experiment.policy == EXACT and not self.stage.reader:
            return False
        observed = observe(number)
        return observed is None or observed.transcript != experiment.baseline

    def _rejecting_session(self, observe: Observe, among: Sequence[int]) -> str:
        """The name of the session at which the judge rejects a mutant; empty if it accepts the mutant.

        The sessions in which the mutant differs are judged together, short sessions first: the first 1, 2, 4, 8 …, and
        at last all of them, since most programs are rejected early. Sessions that caught other mutants are not tried
        first: the judge, given only a few sessions, may reject a difference that it accepts once it has more, so the
        result would depend on the mutants tried before.
        """
        order = sorted(among, key=lambda number: len(self.sessions[number].experiment.baseline.text))
        judge, drawn = Judge(self._job, self.stage), list[DrawnSession]()
        for session in self._differing_sessions(observe, order):
            if session.transcript is None:
                return session.session.name
            drawn.append(session)
            is_power_of_two = len(drawn).bit_count() == 1
            if is_power_of_two and _is_rejected(judge, drawn):
                return session.session.name
        # Judged by a new judge: the first judge remembers what it chose for fewer sessions.
        return drawn[-1].session.name if drawn and _is_rejected(Judge(self._job, self.stage), drawn) else ""

    def _differing_sessions(self, observe: Observe, order: Sequence[int]) -> Iterator[DrawnSession]:
        """The sessions in which a program differs from the reference; at most _MAX_PER_KIND with the same difference.

        If the program fails, types too many lines, or its draws cannot be read, the session has no transcript.
        """
        read, kinds = reader_of(self.stage), Counter[object]()
        for number in order:
            session, experiment = self.sessions[number]
            observed = observe(number)
            if observed is not None and not observed.differs:
                continue
            if observed is None or len(observed.transcript.lines) >= MAX_LINES:
                yield DrawnSession(session, None)
                continue
            kind = _kind_of_difference(experiment.baseline, observed.transcript)
            kinds[kind] += 1
            if kinds[kind] <= _MAX_PER_KIND:
                try:
                    drawn = DrawnSession(session, observed.transcript, read(observed.transcript.events))
                except HarnessError:
                    drawn = DrawnSession(session, None)
                yield drawn


def _kind_of_difference(expected: Transcript, actual: Transcript) -> object:
    """A key that is the same for differences of the same kind.

    The key consists of the lines that only one transcript has, the exit code, and how many more lines are typed.
    """
    expected_lines, actual_lines = (frozenset(transcript.text.split(b"\n")) for transcript in (expected, actual))
    return (
        expected_lines - actual_lines,
        actual_lines - expected_lines,
        actual.ending.exit_code,
        len(actual.lines) - len(expected.lines),
    )


def _is_rejected(judge: Judge, drawn: Sequence[DrawnSession]) -> bool:
    outcome = judge.outcome(drawn)
    verdicts = (outcome.verdict, *(result.verdict for result in outcome.results))
    return any(verdict not in _NOT_REJECTED for verdict in verdicts)


#: The current trial. Workers are forked while this variable is set, since a trial cannot be sent to a worker.
_current: ContextVar[Trial] = ContextVar("current")


#: Called with the number of mutants tried so far, and the total.
Progress = Callable[[int, int], object]


def _try_batch(numbers: Iterable[int], start: int) -> list[tuple[int, MutantResult]]:
    return _current.get().try_mutants(start + number for number in numbers)


def try_all(trial: Trial, jobs: int | None = None, progress: Progress | None = None) -> list[MutantResult]:
    """Try all mutants of a trial in `jobs` workers, by default one per core; returns the results in their order."""
    token = _current.set(trial)
    results: dict[int, MutantResult] = {}
    total = len(trial.mutants.changes)
    try:
        with workers(jobs or core_count()) as pool:
            for start in range(0, total, _BATCH_SIZE):
                count = min(_BATCH_SIZE, total - start)
                results |= dict(pair for batch in pool.share(_try_batch, start, count=count) for pair in batch)
                if progress is not None:
                    progress(len(results), total)
    finally:
        _current.reset(token)
    return [results[number] for number in range(total)]
