"""Tries every mutant of a stage's reference against the stage's sessions."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from enum import Enum
from typing import NamedTuple, Protocol

from pitboss.assignments.assignment import Recorded, Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.cases import Session, all_sessions_of
from pitboss.assignments.functions import resolve_function
from pitboss.errors import HarnessError
from pitboss.experiments.mutants.copies import Original
from pitboss.experiments.mutation.module_mutants import Mutant, positions_in
from pitboss.experiments.mutation.mutant_limits import load_mutant, run_of, within_mutant_limits
from pitboss.experiments.mutation.places import Function, StatementPlace, blocks_of, headline
from pitboss.experiments.mutation.uses import Main, Statement, StatementCoverage, used_statements
from pitboss.experiments.relation import Experiment, SessionOrder, experiment_in, run_in_session
from pitboss.machine.workers import core_count, workers
from pitboss.sessions.references import ExpectedRun, checked_run, expected_run_in_process
from pitboss.unseeded.replay import GivenDraws

#: The sessions that last caught mutants of the same function are tried first: at most this many.
_MAX_RECENT_SESSIONS = 6


class ExclusionReason(Enum):
    """Why a mutant is left out."""

    NOT_BUILT = "it does not compile"
    EQUAL = "it compiles to the same program"
    #: Another mutant that no session catches is the same program.
    TWICE = "another mutant is the same program"


class MutantResult(NamedTuple):
    """The result for a mutant."""

    id: str
    #: The name of the session that caught the mutant; empty if no session did.
    caught_by: str
    #: Why the mutant is left out; None if it is not.
    exclusion: ExclusionReason | None = None
    #: A digest of the mutant's program; empty if unknown.
    program: str = ""


class PreparedSession(NamedTuple):
    """A session of a spec, and its experiment."""

    session: Session
    experiment: Experiment


#: How many mutants of a Python function are tried between two reports of progress.
_BATCH_SIZE = 250


class Trial:
    """The mutants of a stage whose reference is a Python function, and the sessions in which the mutants are tried."""

    batch_size = _BATCH_SIZE

    def __init__(self, stage: Stage) -> None:
        """Run the reference in all sessions of the stage; raises SpecError if the reference cannot be found."""
        self.stage = stage
        resolve_function(
            stage.reference.function, f"{stage.spec.path.parent / 'assignment.yaml'}: stage {stage.name!r}"
        )
        self.original = Original(stage.reference.function)
        self.coverage = StatementCoverage(self.original, stage.options)
        self.sessions: list[PreparedSession] = []
        #: The numbers of the sessions that run each statement.
        self._numbers_of_sessions: dict[Statement, list[int]] = defaultdict(list)
        #: The order of the sessions for the mutants of each scope, the part of a mutant's id before ": ".
        self._orders: dict[str, SessionOrder[PreparedSession]] = defaultdict(
            lambda: SessionOrder(self.sessions, _MAX_RECENT_SESSIONS)
        )
        self._run_all()
        used = used_statements(self.original.modules, self.coverage.total)
        self.mutants = list(self._mutants(used))

    def _run_all(self) -> None:
        run, breaker = expected_run_in_process(self.coverage.main, "the reference"), CircuitBreaker()
        for session in self.all_sessions():
            try:
                experiment = breaker.call(self.experiment, session, run)
            except HarnessError:  # `pitboss verify` reports this error
                self.coverage.take()  # discards the statements of this session
                continue
            for statement in self.coverage.take():
                self._numbers_of_sessions[statement].append(len(self.sessions))
            self.sessions.append(PreparedSession(session, experiment))

    def all_sessions(self) -> Sequence[Session]:
        """All sessions of the stage's cases, recorded sessions first."""
        sessions = all_sessions_of(self.stage)
        return sorted(sessions, key=lambda session: not isinstance(session.case.session, Recorded))

    def draws(self, session: Session) -> tuple[str, ...] | None:
        """The draws of a session; None if a seed determines them."""
        return None

    def experiment(self, session: Session, run: ExpectedRun) -> Experiment:
        """The experiment of a session; raises SpecError if the reference's run does not end as the case says."""
        draws = self.draws(session)
        transcript = run_in_session(run, session, None if draws is None else GivenDraws(draws, self.stage.draws))
        return experiment_in(session, checked_run(transcript, session.case.exit_code, session.case.place), draws)

    def _mutants(self, used: set[Statement]) -> Iterator[Mutant]:
        for name, module in self.original.modules.items():
            yield from module.mutants(number for module_name, number in used if module_name == name)

    def unreached(self) -> list[str]:
        """Statements and parts that no session runs although their function runs, as `module:function: line`."""
        descriptions = []
        for name, module in self.original.modules.items():
            ran = self.coverage.total[name]
            entered_functions = {
                place.function for place in module.places if place.function is not None and ran[place.number]
            }
            missed_numbers = {
                place.number for place in module.places if place.function in entered_functions and not ran[place.number]
            }
            missed_blocks = {
                id(block)
                for place in module.places
                if place.number in missed_numbers
                for block in blocks_of(place.node)
            }
            # A statement inside another missed statement is not reported separately.
            for place in module.places:
                if (
                    place.number in missed_numbers
                    and id(place.block) not in missed_blocks
                    and not _has_no_effect(place)
                ):
                    descriptions.append(f"{module.scope_of(place)}: {headline(place.node)}")
            # A part of a statement is reported only if the code around this part runs.
            for number, (part, place) in enumerate(module.parts, len(module.places)):
                enclosing_number = module.number_of(_enclosing_expressions(part, place))
                if (
                    not ran[number]
                    and ran[place.number if enclosing_number is None else enclosing_number]
                    and place.function in entered_functions
                ):
                    descriptions.append(f"{module.scope_of(place)}: {ast.unparse(part)}")
        return list(dict.fromkeys(descriptions))

    def load(self, mutant: Mutant) -> Main | None:
        """The program of a mutant; None if the mutant cannot even be loaded."""
        return load_mutant(mutant, self.original, self.stage.options)

    def catching_session(self, mutant: Mutant) -> str:
        """The name of a session that catches a mutant; `all sessions` if it cannot be loaded; empty if none does."""
        main = self.load(mutant)
        if main is None:
            return "all sessions"
        run, order = run_of(main), self._orders[mutant.id.partition(": ")[0]]
        prepared = order.first(lambda candidate: candidate.experiment.differs(run), self.candidate_sessions(mutant))
        return prepared.session.name if prepared is not None else ""

    def can_reveal(self, mutant: Mutant, ran: set[Statement]) -> bool:
        """Whether a mutant can differ from the reference in a session in which the reference ran these statements."""
        return self._runs_at_load(mutant) or (mutant.module, mutant.number) in ran

    def _runs_at_load(self, mutant: Mutant) -> bool:
        """Whether the changed statement runs when the module is loaded, and so before every session."""
        place = self.original.modules[mutant.module].place_of(mutant.number)
        # One byte: 1 if the statement ran. Empty if the reference did not load the module.
        ran_at_load = self.coverage.loaded.get(mutant.module, b"")[mutant.number : mutant.number + 1] == b"\1"
        return ran_at_load or place.function is None or isinstance(place.node, Function)

    def candidate_sessions(self, mutant: Mutant) -> Sequence[int]:
        """The numbers of the sessions that run the changed statement; all sessions if it runs at load."""
        if self._runs_at_load(mutant):
            return range(len(self.sessions))
        return self._numbers_of_sessions[mutant.module, mutant.number]

    @property
    def count(self) -> int:
        return len(self.mutants)

    def try_mutants(self, numbers: Iterable[int]) -> list[tuple[int, MutantResult]]:
        with within_mutant_limits():
            return [
                (number, MutantResult(self.mutants[number].id, self.catching_session(self.mutants[number])))
                for number in numbers
            ]


def _enclosing_expressions(part: ast.expr, place: StatementPlace) -> Sequence[ast.AST]:
    """The expressions around a part of a statement, outermost first."""
    return next(position.chain[:-1] for position in positions_in(place.node) if position.node is part)


def _has_no_effect(place: StatementPlace) -> bool:
    return place.is_docstring or isinstance(place.node, ast.Pass)


class TriableMutants(Protocol):
    """Mutants of some kind that can be tried one by one."""

    #: How many mutants are tried between two reports of progress.
    batch_size: int

    @property
    def count(self) -> int:
        """How many mutants there are."""

    def try_mutants(self, numbers: Iterable[int]) -> list[tuple[int, MutantResult]]:
        """The results for the mutants with these numbers."""


#: The current trial. Workers are forked while this variable is set, since a trial cannot be sent to a worker.
_current: ContextVar[TriableMutants] = ContextVar("current")


#: Called with the number of mutants tried so far, and the total.
Progress = Callable[[int, int], object]


def _try_batch(numbers: Iterable[int], start: int) -> list[tuple[int, MutantResult]]:
    return _current.get().try_mutants(start + number for number in numbers)


def try_all(trial: TriableMutants, jobs: int | None = None, progress: Progress | None = None) -> list[MutantResult]:
    """Try all mutants of a trial in `jobs` workers, by default one per core; returns the results in their order."""
    token = _current.set(trial)
    results: dict[int, MutantResult] = {}
    try:
        with workers(jobs or core_count()) as pool:
            for start in range(0, trial.count, trial.batch_size):
                count = min(trial.batch_size, trial.count - start)
                results |= dict(pair for batch in pool.share(_try_batch, start, count=count) for pair in batch)
                if progress is not None:
                    progress(len(results), trial.count)
    finally:
        _current.reset(token)
    return [results[number] for number in range(trial.count)]
