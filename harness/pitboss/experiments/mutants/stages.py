"""The results of a stage: which mutants its sessions catch, and which lines of its reference they run."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import msgspec

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.errors import SpecError
from pitboss.experiments.mutants.function_mutants import FunctionMutants
from pitboss.experiments.mutants.mutant_list import ExclusionReason, MutantList, MutantResult
from pitboss.experiments.mutants.session_search import SessionSearch, TriedSession
from pitboss.experiments.mutants.source_mutants import DEFAULT_MAX_CHANGES, SourceMutants
from pitboss.experiments.mutants.trial import Progress, Trial, try_all


class Summary(msgspec.Struct, frozen=True):
    """The results of a stage's mutants: which were tried, and which are neither caught nor listed.

    The mutants and lines in the mutant list, mutants.yaml, are called *listed*.
    """

    stage: Stage
    trial: Trial
    #: The results of the tried mutants that are not in `left_out`.
    tried: tuple[MutantResult, ...]
    #: The results of the mutants that do not compile, or are the same program as the reference or another mutant.
    left_out: tuple[MutantResult, ...]
    #: The ids of mutants that no session catches and that are not in the mutant list.
    survivors: tuple[str, ...]
    #: All lines that no session runs.
    unreached: tuple[str, ...]
    #: The lines that no session runs and that are not in the mutant list.
    unexplained_lines: tuple[str, ...]
    #: How long the trial took.
    seconds: float

    @property
    def caught_count(self) -> int:
        """How many mutants are caught by some session."""
        return sum(bool(mutant.caught_by) for mutant in self.tried)

    @property
    def equivalent_count(self) -> int:
        """How many mutants are listed as equivalent: no session can distinguish them from the reference."""
        return len(self.tried) - self.caught_count - len(self.survivors)

    @property
    def ids_without_result(self) -> tuple[str, ...]:
        """The ids of mutants that were not tried, or are left out because of what the compiler makes of them."""
        left_out = (mutant.id for mutant in self.left_out if mutant.exclusion is not ExclusionReason.ACCEPTED)
        return (*left_out, *(change.id for change in self.trial.mutants.untried))

    @property
    def is_clean(self) -> bool:
        """Whether every mutant is caught or listed, and every line is run or listed."""
        return not self.survivors and not self.unexplained_lines


class Untested(msgspec.Struct, frozen=True):
    """A stage whose reference cannot be changed."""

    stage: Stage
    reason: str


def summary_of(
    assignment: Assignment,
    stage: Stage,
    listed: MutantList,
    jobs: int | None = None,
    progress: Progress | None = None,
    max_changes: int = DEFAULT_MAX_CHANGES,
) -> Summary | Untested:
    """Try the mutants of a stage in `jobs` processes, by default one per core; return a summary of the results.

    Of a source, at most `max_changes` changes are tried. Raises ShortageError if this machine cannot build or run a
    mutant now.
    """
    start = time.monotonic()
    trial = trial_of(assignment, stage, max_changes)
    if isinstance(trial, Untested):
        return trial
    results = list(_with_twins_excluded(try_all(trial, jobs, progress)))
    tried = tuple(mutant for mutant in results if mutant.exclusion is None)
    unreached = tuple(trial.mutants.unreached())
    return Summary(
        stage,
        trial,
        tried=tried,
        left_out=tuple(mutant for mutant in results if mutant.exclusion is not None),
        survivors=tuple(
            mutant.id for mutant in tried if not mutant.caught_by and not listed.has_mutant(stage.name, mutant.id)
        ),
        unreached=unreached,
        unexplained_lines=tuple(line for line in unreached if not listed.has_line(stage.name, line)),
        seconds=time.monotonic() - start,
    )


def trial_of(assignment: Assignment, stage: Stage, max_changes: int = DEFAULT_MAX_CHANGES) -> Trial | Untested:
    """The trial of a stage's mutants, or the reason why its reference cannot be changed."""
    if stage.reference.function:
        return Trial(assignment, FunctionMutants(stage))
    if not stage.reference.is_source:
        return Untested(stage, "the reference is a command — name its source, as in `reference: meter.c`")
    trial = Trial(assignment, SourceMutants(stage, max_changes))
    with trial.mutants.opened() as make:
        try:
            unchanged = make(None)
        except SpecError as error:
            return Untested(stage, f"its source cannot be built: {error}")
        session = trial.difference_of_reference(unchanged)
    if not session:
        return trial
    how_built = "its source, built and run like a submission,"
    question = "does it need files that no submission may read?"
    return Untested(stage, f"{how_built} behaves differently in {session} — {question}")


def _with_twins_excluded(tried: Sequence[MutantResult]) -> Iterator[MutantResult]:
    """Yields all results; survivors that are the same program as an earlier survivor get an `exclusion`."""
    programs_of_survivors = set[str]()
    for mutant in tried:
        is_survivor = mutant.exclusion is None and not mutant.caught_by
        is_twice = is_survivor and mutant.program in programs_of_survivors
        if is_survivor and mutant.program:  # empty if unknown
            programs_of_survivors.add(mutant.program)
        yield mutant._replace(exclusion=ExclusionReason.TWICE) if is_twice else mutant


def sessions_for(summary: Summary) -> tuple[Sequence[TriedSession], int]:
    """Sessions that catch survivors or run `unexplained_lines`, and how many sessions were tried.

    Tries no sessions for a stage without a seed, whose sessions a spec cannot repeat, and none for a source, which runs
    too slowly.
    """
    mutants = summary.trial.mutants
    if summary.stage.reader or not isinstance(mutants, FunctionMutants):
        return (), 0
    search = SessionSearch(summary.trial, mutants, summary.survivors)
    unexplained_lines = set(summary.unexplained_lines)
    found = [tried for tried in search.useful_sessions() if tried.mutants or tried.lines & unexplained_lines]
    return found, search.count
