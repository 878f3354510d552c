"""Playing sessions with a mutant in this process, up to the first thing that it does otherwise than the reference."""

from __future__ import annotations

import resource
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from harness.assignments.assignment import Generated, Player, Recorded
from harness.assignments.authored import at_most
from harness.assignments.cases import Session
from harness.assignments.players import input_script_of
from harness.errors import HarnessError
from harness.judging.apart import first_difference
from harness.running.references import DrawSource, ExpectedRun, expected_run_in_process
from harness.transcripts.invocation import Invocation
from harness.transcripts.policy import EXACT
from harness.transcripts.scripts import InputScript, typing
from harness.transcripts.transcript import Event, Transcript, canonical

#: A mutant that computes for longer in one session does not end by itself; a session takes some milliseconds, and what
#: else this process has to do in between, as to collect garbage, some tenths of a second at most.
MOST_CPU_S = 1.0
#: How much more memory a process may have once it plays mutants: some fill a list without end.
_MOST_MORE_BYTES = 1 << 30

Main = Callable[..., object]


class _Parted(HarnessError):
    """A mutant has done something else than the reference."""


class Expected(msgspec.Struct, frozen=True):
    """A session of a spec, and the reference's run of it."""

    session: Session
    transcript: Transcript


@contextmanager
def carefully() -> Iterator[None]:
    """Whatever mutants do in this context, it does not fill the memory without end, and warns of nothing."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    most = pages * resource.getpagesize() + _MOST_MORE_BYTES
    if pages and (before[1] == resource.RLIM_INFINITY or most < before[1]):
        resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


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


def input_script(session: Session, expected: Transcript) -> InputScript:
    """What is typed in a session, chosen from what the program shows where the case has a player."""
    match session.case.session:
        case Recorded():
            return typing(expected.lines)
        case Generated() as generated:
            return input_script_of(generated, session.seed, session.case.place)


def following(expected: Expected) -> InputScript:
    """What is typed in a session: the reference's lines as long as a program shows the same, and then the player's.

    A player would type the same until then, since it sees the same; but it looks at the whole screen each time.
    """
    told, session = expected.transcript, expected.session
    player = input_script(session, told)
    generated = session.case.session
    if not (isinstance(generated, Generated) and isinstance(generated.answers, Player) and generated.answers.function):
        return player  # it keeps count of what it has typed
    lines, seen, is_alike = iter(told.lines), 0, True

    def type_next(events: Sequence[Event]) -> bytes | None:
        nonlocal seen, is_alike
        is_alike = is_alike and tuple(events[seen:]) == told.events[seen : len(events)]
        seen = len(events)
        return next(lines, None) if is_alike else player(events)

    return type_next


def does_otherwise(main: Main, expected: Expected, draws: DrawSource | None = None) -> bool:
    """Whether a program does something else than the reference in a session, as far as its policy lets it be seen."""
    told, case = expected.transcript, expected.session.case
    is_exact = case.policy == EXACT
    script = _checking(told) if is_exact else input_script(expected.session, told)
    run = run_of(main)
    try:
        actual = run(script, draws, invocation=case.invocation)
    except HarnessError:
        return True
    if actual.ending.exit_code != told.ending.exit_code:
        return True
    return first_difference(told, actual, case.policy) is not None


def _checking(told: Transcript) -> InputScript:
    """Types the lines of a session as long as the program does what was expected; raises _Parted once it does not.

    A player would type the same, since it sees the same.
    """
    lines, expected, seen = iter(told.lines), told.events, 0

    def type_next(events: Sequence[Event]) -> bytes | None:
        nonlocal seen
        if tuple(events[seen:]) == expected[seen : len(events)]:
            seen = len(events)
        else:
            whole = canonical(events)
            if whole != expected[: len(whole)]:
                raise _Parted("it does something else")
        return next(lines, None)

    return type_next
