"""The results of a stage: which mutants its sessions catch, and which lines of its reference they run."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.experiments.mutants.mutant_list import MutantList
from pitboss.experiments.mutants.program_mutants import DEFAULT_MAX_CHANGES, ProgramTrial, Unbuildable, trial_of_program
from pitboss.experiments.mutants.session_search import SessionSearch, TriedSession
from pitboss.experiments.mutants.trial import ExclusionReason, MutantResult, Progress, Trial, try_all
from pitboss.experiments.mutants.unseeded_mutants import UnseededTrial

#: A trial of any kind.
AnyTrial = Trial | ProgramTrial


class Summary(msgspec.Struct, frozen=True):
    """The results of a stage's mutants of one kind: which were tried, and which are neither caught nor listed.

    The mutants and lines in the mutant list, mutants.yaml, are called *listed*.
    """

    stage: Stage
    trial: AnyTrial
    #: The results of the tried mutants that are not in `left_out`.
    tried: tuple[MutantResult, ...]
    #: The results of the mutants that do not compile, or are the same program as the reference or another mutant.
    left_out: tuple[MutantResult, ...]
    #: The ids of mutants that were not tried because there were too many.
    not_tried: tuple[str, ...]
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
        """The ids of mutants that were left out or not tried."""
        return (*(mutant.id for mutant in self.left_out), *self.not_tried)

    def count_of(self, why: ExclusionReason) -> int:
        """How many mutants are left out for this reason."""
        return Counter(mutant.exclusion for mutant in self.left_out)[why]

    @property
    def is_clean(self) -> bool:
        """Whether every mutant is caught or listed, and every line is run or listed."""
        return not self.survivors and not self.unexplained_lines


class Untested(msgspec.Struct, frozen=True):
    """A stage whose reference is a command that could not be mutated."""

    stage: Stage
    why: Unbuildable


def trial_of(assignment: Assignment, stage: Stage) -> AnyTrial:
    """The trial of the mutants of a stage whose reference is a function."""
    return UnseededTrial(assignment, stage) if stage.reader else Trial(stage)


def summaries_of(
    assignment: Assignment,
    stage: Stage,
    listed: MutantList,
    jobs: int | None = None,
    progress: Progress | None = None,
    max_changes: int = DEFAULT_MAX_CHANGES,
) -> Iterator[Summary | Untested]:
    """Try the mutants of a stage in `jobs` processes, by default one per core, and yield a summary.

    Of a program, at most `max_changes` changes are tried. Raises ShortageError if this machine cannot build or run a
    mutant now.
    """
    if not stage.reference.command:
        yield summary_of(assignment, stage, listed, jobs, progress)
    else:
        start = time.monotonic()
        trial = trial_of_program(assignment, stage, max_changes)
        if isinstance(trial, Unbuildable):
            yield Untested(stage, trial)
        else:
            yield _summary(trial, listed, jobs, progress, start)


def summary_of(
    assignment: Assignment, stage: Stage, listed: MutantList, jobs: int | None = None, progress: Progress | None = None
) -> Summary:
    """Try all mutants of `trial_of` in `jobs` processes, by default one per core; return a summary of the results."""
    start = time.monotonic()
    return _summary(trial_of(assignment, stage), listed, jobs, progress, start)


def _summary(trial: AnyTrial, listed: MutantList, jobs: int | None, progress: Progress | None, start: float) -> Summary:
    stage = trial.stage
    results = list(_with_twins_excluded(try_all(trial, jobs, progress)))
    tried = tuple(mutant for mutant in results if mutant.exclusion is None)
    unreached = tuple(trial.unreached())
    return Summary(
        stage,
        trial,
        tried=tried,
        left_out=tuple(mutant for mutant in results if mutant.exclusion is not None),
        not_tried=trial.untried if isinstance(trial, ProgramTrial) else (),
        survivors=tuple(
            mutant.id for mutant in tried if not mutant.caught_by and not listed.has_mutant(stage.name, mutant.id)
        ),
        unreached=unreached,
        unexplained_lines=tuple(line for line in unreached if not listed.has_line(stage.name, line)),
        seconds=time.monotonic() - start,
    )


def _with_twins_excluded(tried: Sequence[MutantResult]) -> Iterator[MutantResult]:
    """Yields all results; survivors that are the same program as an earlier survivor get an `exclusion`."""
    programs_of_survivors = set[str]()
    for mutant in tried:
        is_survivor = mutant.exclusion is None and not mutant.caught_by
        if is_survivor and mutant.program in programs_of_survivors:
            yield mutant._replace(exclusion=ExclusionReason.TWICE)
            continue
        if is_survivor and mutant.program:  # empty if unknown
            programs_of_survivors.add(mutant.program)
        yield mutant


def sessions_for(summary: Summary) -> tuple[Sequence[TriedSession], int]:
    """Sessions that catch survivors or run `unexplained_lines`, and how many sessions were tried.

    Tries no sessions for a stage without a seed, whose sessions a spec cannot repeat, and none for a command, which
    runs too slowly.
    """
    if isinstance(summary.trial, ProgramTrial | UnseededTrial):
        return (), 0
    search = SessionSearch(summary.trial, summary.survivors)
    unexplained_lines = set(summary.unexplained_lines)
    found = [tried for tried in search.useful_sessions() if tried.mutants or tried.lines & unexplained_lines]
    return found, search.count
