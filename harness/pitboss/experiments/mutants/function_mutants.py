"""The mutants of a reference that is a Python function: changes of its modules, run in this process.

Only lines that some session runs are changed, and the definitions that these lines use.
"""

from __future__ import annotations

import resource
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import count, cycle, islice
from pathlib import Path
from typing import Any

from pitboss.assignments.assignment import Generated, Recorded, Stage
from pitboss.assignments.authored import call, limited_cpu_time
from pitboss.assignments.cases import Session, all_sessions_of
from pitboss.assignments.functions import resolve_function
from pitboss.errors import HarnessError
from pitboss.experiments.mutants.copies import Copy, Original
from pitboss.experiments.mutants.coverage import Coverage, Line, Main, ModuleSource, with_options
from pitboss.experiments.mutants.edits import SourceChange, apply_edit, changes_in
from pitboss.experiments.mutants.mutant_list import ExclusionReason
from pitboss.experiments.mutants.tokens import digest_of
from pitboss.experiments.mutants.trial import Mutant, Mutants
from pitboss.model.transcript import Transcript
from pitboss.sessions.references import ExpectedRun, expected_run_in_process

#: The maximum CPU time of a mutant in a session, in seconds. A mutant that needs more is regarded as endless: a session
#: takes milliseconds, and other work of this process, such as garbage collection, a few tenths of a second at most.
MAX_CPU_S = 1.0
#: How many bytes of memory a process may use in addition when mutants run: some mutants fill a list endlessly.
_MAX_MORE_BYTES = 1 << 30
#: How many sessions are enough without a seed: a judge that sees only a few may accept what it would reject.
_ENOUGH_SESSIONS = 60


class FunctionMutants(Mutants):
    """The changes of a Python reference, and which sessions run the changed lines."""

    def __init__(self, stage: Stage) -> None:
        """Load the reference; raises SpecError if it cannot be found."""
        self.stage = stage
        resolve_function(
            stage.reference.function, f"{stage.spec.path.parent / 'assignment.yaml'}: stage {stage.name!r}"
        )
        self.original = Original(stage.reference.function)
        self.coverage = Coverage(self.original, stage.options)
        self.reference = expected_run_in_process(self.coverage.main, "the reference")
        #: The numbers of the sessions that run each line.
        self._numbers_of_sessions: dict[Line, list[int]] = defaultdict(list)

    def sessions(self) -> Sequence[Session]:
        """The sessions of the stage's cases, recorded sessions first; without a seed, also further ones."""
        if self.stage.reader:
            return with_further_sessions(self.stage, super().sessions())
        return sorted(all_sessions_of(self.stage), key=lambda session: not isinstance(session.case.session, Recorded))

    def note_session(self, number: int | None) -> None:
        """Note that session `number` ran last; None for a session that failed."""
        for line in self.coverage.take():
            if number is not None:
                self._numbers_of_sessions[line].append(number)

    @cached_property
    def changes(self) -> list[SourceChange]:  # type: ignore[override]
        """The changes of all statements that the sessions use."""
        used = self.coverage.used()
        return [
            change
            for file in self.coverage.files
            for change in changes_in(file.text, file.name, "python")
            if (file.path, file.first_line(change.line)) in used
        ]

    def unreached(self) -> list[str]:
        return self.coverage.unreached()

    @cached_property
    def _places(self) -> dict[str, tuple[ModuleSource, str]]:
        """The file of each module, and the digest of its code, by the file's name in ids."""
        return {file.name: (file, digest_of(file.text, "python")) for file in self.coverage.files}

    def candidates(self, change: SourceChange, count: int) -> Sequence[int]:
        """The numbers of those sessions, of `count`, that run the changed line; all if it runs when it is loaded."""
        file, _ = self._places[change.file]
        line = file.first_line(change.line)
        return range(count) if line in file.at_load else self._numbers_of_sessions[file.path, line]

    def can_reveal(self, change: SourceChange, ran: set[Line]) -> bool:
        """Whether a change can matter in a session in which the reference ran these lines."""
        file, _ = self._places[change.file]
        line = file.first_line(change.line)
        return line in file.at_load or (file.path, line) in ran

    @contextmanager
    def opened(self) -> Iterator[Callable[[SourceChange | None], Mutant]]:
        """Yields a function that makes the mutant of a change, or of none; mutants run only in this context."""
        with within_mutant_limits():
            yield self._mutant

    def _mutant(self, change: SourceChange | None) -> Mutant:
        codes, program = {}, ""
        if change is not None:
            file, unchanged = self._places[change.file]
            text = apply_edit(file.text, change.edit)
            try:
                codes = {self.original.modules[file.path]: compile(text, file.path, "exec", dont_inherit=True)}
            except (SyntaxError, ValueError):
                return Mutant(None, exclusion=ExclusionReason.NOT_BUILT)
            digest = digest_of(text, "python")
            if digest == unchanged:
                return Mutant(None, exclusion=ExclusionReason.EQUAL)
            program = f"{file.name} {digest}"
        try:
            with limited_cpu_time(MAX_CPU_S):
                main: Main = call("the mutant", Copy(self.original, codes).main)
        except HarnessError:
            return Mutant(None)
        return Mutant(run_of(with_options(main, self.stage.options)), program)


def with_further_sessions(stage: Stage, sessions: Sequence[Session]) -> list[Session]:
    """These sessions and, if they are few, further ones: one of each generated case in turn."""
    cases = [case for case in stage.spec.cases if isinstance(case.session, Generated)]
    next_numbers = {case.name: count(1 + sum(session.case.name == case.name for session in sessions)) for case in cases}
    further = (Session(stage, case, None, next(next_numbers[case.name])) for case in cycle(cases))
    return [*sessions, *islice(further, max(0, min(stage.most_sessions, _ENOUGH_SESSIONS) - len(sessions)))]


@contextmanager
def within_mutant_limits() -> Iterator[None]:
    """Limit memory and silence warnings while mutants run in this context."""
    previous_limits = resource.getrlimit(resource.RLIMIT_AS)
    _, hard_limit = previous_limits
    # The size of this process in memory pages; 0 if unknown.
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    max_bytes = pages * resource.getpagesize() + _MAX_MORE_BYTES
    if pages and (hard_limit == resource.RLIM_INFINITY or max_bytes < hard_limit):
        resource.setrlimit(resource.RLIMIT_AS, (max_bytes, hard_limit))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, previous_limits)


def run_of(main: Main) -> ExpectedRun:
    """Returns the function that runs a mutant, limited to MAX_CPU_S seconds.

    References in the same session have the usual, longer limit. With the short limit, a reference could fail because
    it was slow once. Its failure would be cached, and would catch mutants that do nothing wrong.
    """
    run = expected_run_in_process(main, "the mutant")

    def run_with_short_limit(*arguments: Any, **keywords: Any) -> Transcript:
        with limited_cpu_time(MAX_CPU_S):
            return run(*arguments, **keywords)

    return run_with_short_limit
