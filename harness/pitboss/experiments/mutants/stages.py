"""What became of the mutants of a stage, and of the lines of its reference."""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.experiments.mutants.drawn import DrawnTrial
from pitboss.experiments.mutants.listed import Listed
from pitboss.experiments.mutants.outputs import OutputTrial
from pitboss.experiments.mutants.search import Found, Search
from pitboss.experiments.mutants.trial import Progress, Trial, Tried, try_all

Trials = Trial | OutputTrial


class Summary(msgspec.Struct, frozen=True):
    """The mutants of a stage: all that were tried, and those that nobody has accounted for."""

    stage: Stage
    trial: Trials
    tried: tuple[Tried, ...]
    #: The ids of those that no session catches and no entry lists.
    survivors: tuple[str, ...]
    #: All lines that no session runs, and those of them that no entry lists.
    unreached: tuple[str, ...]
    unlisted: tuple[str, ...]
    seconds: float

    @property
    def caught(self) -> int:
        """How many mutants some session catches."""
        return sum(bool(one.caught_by) for one in self.tried)

    @property
    def equivalent(self) -> int:
        """How many are listed as not to be shown by any session."""
        return len(self.tried) - self.caught - len(self.survivors)

    @property
    def is_clean(self) -> bool:
        """Whether everything is caught, run or listed."""
        return not self.survivors and not self.unlisted


def trial_of(assignment: Assignment, stage: Stage) -> Trials:
    """The mutants of a stage and the sessions that they play."""
    if stage.reference.command:
        return OutputTrial(assignment, stage)
    return DrawnTrial(assignment, stage) if stage.reader else Trial(stage)


def summary_of(
    assignment: Assignment, stage: Stage, listed: Listed, jobs: int | None = None, progress: Progress | None = None
) -> Summary:
    """Try all mutants of a stage, on all cores or on so many."""
    start = time.monotonic()
    trial = trial_of(assignment, stage)
    tried = tuple(try_all(trial, jobs, progress))
    unreached = tuple(trial.unreached())
    return Summary(
        stage,
        trial,
        tried,
        tuple(one.id for one in tried if not one.caught_by and not listed.has_mutant(stage.name, one.id)),
        unreached,
        tuple(line for line in unreached if not listed.has_line(stage.name, line)),
        time.monotonic() - start,
    )


def sessions_for(summary: Summary) -> tuple[Sequence[Found], int]:
    """Sessions that show what a summary leaves open, and how many were tried; none where they cannot be written down.

    A session of a stage without a seed cannot be repeated by a spec, and a command's code is not changed.
    """
    if isinstance(summary.trial, OutputTrial | DrawnTrial):
        return (), 0
    search = Search(summary.trial, summary.survivors)
    found = [one for one in search.found() if one.mutants or set(one.lines) & set(summary.unlisted)]
    return found, search.count
