"""Limits for mutants: a mutant may compute endlessly, or use more and more memory."""

from __future__ import annotations

import gc
import resource
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pitboss.assignments.authored import call, limited_cpu_time
from pitboss.assignments.options import Option
from pitboss.errors import HarnessError
from pitboss.experiments.mutants.copies import Copy, Original
from pitboss.experiments.mutation.module_mutants import Mutant
from pitboss.experiments.mutation.uses import Main, with_options
from pitboss.model.invocation import InputScript, Invocation
from pitboss.model.transcript import Transcript
from pitboss.sessions.references import DrawSource, ExpectedRun, expected_run_in_process

#: The maximum CPU time of a mutant in a session, in seconds. A mutant that needs more is regarded as endless: a session
#: takes milliseconds, and other work of this process, such as garbage collection, a few tenths of a second at most.
MAX_CPU_S = 1.0
#: How many bytes of memory a process may use in addition when mutants run: some mutants fill a list endlessly.
_MAX_MORE_BYTES = 1 << 30


def load_mutant(mutant: Mutant, original: Original, options: Sequence[Option]) -> Main | None:
    """The program of a mutant, with the first value of each option; None if the mutant cannot even be loaded."""
    try:
        with limited_cpu_time(MAX_CPU_S):
            main: Main = call("the mutant", Copy(original, {mutant.module: mutant.code()}).main)
    except HarnessError:
        return None
    return with_options(main, options)


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
        with warnings.catch_warnings(), _existing_objects_uncollected():
            warnings.simplefilter("ignore")
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, previous_limits)


@contextmanager
def _existing_objects_uncollected() -> Iterator[None]:
    """Exclude existing objects from garbage collection, since a full collection would make a session seem slow."""
    if gc.get_freeze_count():  # a worker excludes existing objects for its whole life
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def run_of(main: Main) -> ExpectedRun:
    """Returns the function that runs a mutant, limited to MAX_CPU_S seconds.

    References in the same session have the usual, longer limit. With the short limit, a reference could fail because
    it was slow once. Its failure would be cached, and would catch mutants that do nothing wrong.
    """
    run = expected_run_in_process(main, "the mutant")

    def run_with_short_limit(
        input_script: InputScript, draws: DrawSource | None = None, /, *, invocation: Invocation | None = None
    ) -> Transcript:
        with limited_cpu_time(MAX_CPU_S):
            return run(input_script, draws, invocation=invocation)

    return run_with_short_limit
