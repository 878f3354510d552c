"""Running what was changed mechanically: it may compute, or fill the memory, without end."""

from __future__ import annotations

import gc
import resource
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pitboss.assignments.authored import at_most, call
from pitboss.assignments.options import Option
from pitboss.errors import HarnessError
from pitboss.experiments.mutation.copies import Copy, Original
from pitboss.experiments.mutation.module_mutants import Mutant
from pitboss.experiments.mutation.uses import Main, with_options
from pitboss.model.invocation import Invocation
from pitboss.model.scripts import InputScript
from pitboss.model.transcript import Transcript
from pitboss.sessions.references import DrawSource, ExpectedRun, expected_run_in_process

#: A mutant that computes for longer in one session does not end by itself; a session takes some milliseconds, and what
#: else this process has to do in between, as to collect garbage, some tenths of a second at most.
MOST_CPU_S = 1.0
#: How much more memory a process may have once it plays mutants: some fill a list without end.
_MOST_MORE_BYTES = 1 << 30


def loaded(mutant: Mutant, original: Original, options: Sequence[Option]) -> Main | None:
    """The program of a mutant, with the first value of each option; None if it cannot even be loaded."""
    try:
        with at_most(MOST_CPU_S):
            main: Main = call("the mutant", Copy(original, {mutant.module: mutant.code()}).main)
    except HarnessError:
        return None
    return with_options(main, options)


@contextmanager
def carefully() -> Iterator[None]:
    """Whatever mutants do in this context, it does not fill the memory without end, and warns of nothing."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    most = pages * resource.getpagesize() + _MOST_MORE_BYTES
    if pages and (before[1] == resource.RLIM_INFINITY or most < before[1]):
        resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    try:
        with warnings.catch_warnings(), _collecting_only_what_is_new():
            warnings.simplefilter("ignore")
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@contextmanager
def _collecting_only_what_is_new() -> Iterator[None]:
    """To collect all garbage of this process in between would make a session seem slow."""
    if gc.get_freeze_count():  # a worker does so for as long as it lives
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def run_of(main: Main) -> ExpectedRun:
    """How to run a mutant, which may compute for a short time only; a reference beside it has the time of any other.

    Otherwise a slow moment in a reference, and what is kept of it, would catch mutants that do nothing wrong.
    """
    run = expected_run_in_process(main, "the mutant")

    def briefly(
        input_script: InputScript, draws: DrawSource | None = None, /, *, invocation: Invocation | None = None
    ) -> Transcript:
        with at_most(MOST_CPU_S):
            return run(input_script, draws, invocation=invocation)

    return briefly
