"""Limits for mutants, which may compute or fill the memory endlessly."""

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
from pitboss.experiments.mutation.copies import Copy, Original
from pitboss.experiments.mutation.module_mutants import Mutant
from pitboss.experiments.mutation.uses import Main, with_options
from pitboss.model.invocation import Invocation
from pitboss.model.scripts import InputScript
from pitboss.model.transcript import Transcript
from pitboss.sessions.references import DrawSource, ExpectedRun, expected_run_in_process

#: A mutant that computes for longer in a session counts as endless: a session takes milliseconds, and
#: other work of this process, such as garbage collection, takes a few tenths of a second at most.
MAX_CPU_S = 1.0
#: How much more memory a process may use once it runs mutants: some mutants fill a list endlessly.
_MAX_MORE_BYTES = 1 << 30


def loaded(mutant: Mutant, original: Original, options: Sequence[Option]) -> Main | None:
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
    previous = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    max_bytes = pages * resource.getpagesize() + _MAX_MORE_BYTES
    if pages and (previous[1] == resource.RLIM_INFINITY or max_bytes < previous[1]):
        resource.setrlimit(resource.RLIMIT_AS, (max_bytes, previous[1]))
    try:
        with warnings.catch_warnings(), _collecting_only_what_is_new():
            warnings.simplefilter("ignore")
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, previous)


@contextmanager
def _collecting_only_what_is_new() -> Iterator[None]:
    """Exclude existing objects from garbage collection: a full collection would make a session seem slow."""
    if gc.get_freeze_count():  # a worker excludes existing objects for its whole life
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def run_of(main: Main) -> ExpectedRun:
    """The function that runs a mutant with a short time limit; a reference in the same session has the usual limit.

    Otherwise a slow moment in a reference, whose result is cached, would catch mutants that do nothing wrong.
    """
    run = expected_run_in_process(main, "the mutant")

    def briefly(
        input_script: InputScript, draws: DrawSource | None = None, /, *, invocation: Invocation | None = None
    ) -> Transcript:
        with limited_cpu_time(MAX_CPU_S):
            return run(input_script, draws, invocation=invocation)

    return briefly
