"""Playing sessions with a mutant in this process, up to the first thing that it does otherwise than the reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from pitboss.assignments.assignment import Generated, Player, Recorded
from pitboss.assignments.cases import Session
from pitboss.assignments.players import input_script_of
from pitboss.errors import HarnessError
from pitboss.judging.apart import first_difference
from pitboss.mutation.limits import run_of
from pitboss.running.references import DrawSource
from pitboss.transcripts.policy import EXACT
from pitboss.transcripts.scripts import InputScript, typing
from pitboss.transcripts.transcript import Event, Transcript, canonical

Main = Callable[..., object]


class _Parted(HarnessError):
    """A mutant has done something else than the reference."""


class Expected(msgspec.Struct, frozen=True):
    """A session of a spec, and the reference's run of it."""

    session: Session
    transcript: Transcript


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
