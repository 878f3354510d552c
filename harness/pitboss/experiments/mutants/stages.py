"""The results of a stage: which mutants its sessions catch, and which lines of its reference they run."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.experiments.mutants.mutant_list import MutantList
from pitboss.experiments.mutants.outputs import OutputTrial
from pitboss.experiments.mutants.program_mutants import MOST, ProgramTrial, trial_of_program
from pitboss.experiments.mutants.session_search import Found, SessionSearch
from pitboss.experiments.mutants.trial import ExclusionReason, MutantResult, Progress, Trial, try_all
from pitboss.experiments.mutants.unseeded_mutants import DrawnTrial
from pitboss.experiments.programs.reference_sources import Unbuildable

Trials = Trial | OutputTrial | ProgramTrial


class Summary(msgspec.Struct, frozen=True):
    """The results of a stage's mutants of one kind: which were tried, and which are neither caught nor listed."""

    stage: Stage
    trial: Trials
    #: The results of the tried mutants that are not in `left_out`.
    tried: tuple[MutantResult, ...]
    left_out: tuple[MutantResult, ...]
    #: The ids of mutants that were not tried because there were too many.
    not_tried: tuple[str, ...]
    #: The ids of mutants that no session catches and the mutant list does not have.
    survivors: tuple[str, ...]
    #: All lines that no session runs.
    unreached: tuple[str, ...]
    #: The lines that no session runs and the mutant list does not have.
    unlisted: tuple[str, ...]
    seconds: float

    @property
    def caught(self) -> int:
        """How many mutants some session catches."""
        return sum(bool(mutant.caught_by) for mutant in self.tried)

    @property
    def equivalent(self) -> int:
        """How many mutants are listed as equivalent: no session can distinguish them from the reference."""
        return len(self.tried) - self.caught - len(self.survivors)

    @property
    def ids_without_result(self) -> tuple[str, ...]:
        """The ids of mutants that were left out or not tried."""
        return (*(mutant.id for mutant in self.left_out), *self.not_tried)

    def count_of(self, why: ExclusionReason) -> int:
        """How many mutants are left out for this reason."""
        return Counter(mutant.exclusion for mutant in self.left_out)[why]

    @property
    def is_clean(self) -> bool:
        """Whether every mutant is caught or listed, and every line is run or listed."""
        return not self.survivors and not self.unlisted


class Untested(msgspec.Struct, frozen=True):
    """A stage whose reference is a command that could not be mutated."""

    stage: Stage
    why: Unbuildable


def trial_of(assignment: Assignment, stage: Stage) -> Trials:
    """The trial of a stage's mutants; if its reference is a command, only the output is mutated."""
    if stage.reference.command:
        return OutputTrial(assignment, stage)
    return DrawnTrial(assignment, stage) if stage.reader else Trial(stage)


def summaries_of(
    assignment: Assignment,
    stage: Stage,
    listed: MutantList,
    jobs: int | None = None,
    progress: Progress | None = None,
    most: int = MOST,
) -> Iterator[Summary | Untested]:
    """Try the mutants of a stage in `jobs` processes, by default one per core, and yield a summary of each kind.

    A command has two kinds of mutants: first its output is mutated, then its program, with at most `most` changes.
    Raises ShortageError if this machine cannot build or run a mutant now.
    """
    yield summary_of(assignment, stage, listed, jobs, progress)
    if stage.reference.command:
        start = time.monotonic()
        trial = trial_of_program(assignment, stage, most)
        if isinstance(trial, Unbuildable):
            yield Untested(stage, trial)
        else:
            yield _summary(trial, listed, jobs, progress, start)


def summary_of(
    assignment: Assignment, stage: Stage, listed: MutantList, jobs: int | None = None, progress: Progress | None = None
) -> Summary:
    """Try all mutants of a stage in `jobs` processes, by default one per core; for a command, only of its output."""
    start = time.monotonic()
    return _summary(trial_of(assignment, stage), listed, jobs, progress, start)


def _summary(trial: Trials, listed: MutantList, jobs: int | None, progress: Progress | None, start: float) -> Summary:
    stage = trial.stage
    results = list(_without_twins(try_all(trial, jobs, progress)))
    mutants = tuple(mutant for mutant in results if mutant.exclusion is None)
    unreached = tuple(trial.unreached())
    return Summary(
        stage,
        trial,
        mutants,
        tuple(mutant for mutant in results if mutant.exclusion is not None),
        trial.untried if isinstance(trial, ProgramTrial) else (),
        tuple(mutant.id for mutant in mutants if not mutant.caught_by and not listed.has_mutant(stage.name, mutant.id)),
        unreached,
        tuple(line for line in unreached if not listed.has_line(stage.name, line)),
        time.monotonic() - start,
    )


def _without_twins(tried: Sequence[MutantResult]) -> Iterator[MutantResult]:
    """Yields all results; survivors that are the same program as an earlier survivor are marked as left out."""
    programs = set[str]()
    for mutant in tried:
        survives = mutant.exclusion is None and not mutant.caught_by and mutant.program
        yield mutant._replace(exclusion=ExclusionReason.TWICE) if survives and mutant.program in programs else mutant
        programs |= {mutant.program} if survives else set()


def sessions_for(summary: Summary) -> tuple[Sequence[Found], int]:
    """Sessions that catch survivors or run unlisted lines, and how many sessions were tried.

    No sessions are tried for a stage without a seed, since a spec cannot repeat its sessions, or for a command, since
    running a command is too slow.
    """
    if isinstance(summary.trial, OutputTrial | ProgramTrial | DrawnTrial):
        return (), 0
    search = SessionSearch(summary.trial, summary.survivors)
    hits = [hit for hit in search.useful_sessions() if hit.mutants or set(hit.lines) & set(summary.unlisted)]
    return hits, search.count
