"""Whether a reference can be what submissions are held to: it does the same whenever the same is typed, and reads it.

A reference that draws, or looks at the clock, does in a student's session what no student's program does.
"""

from __future__ import annotations

import locale
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from itertools import islice

from pitboss.assignments.assignment import Generated, Recorded, Stage
from pitboss.assignments.cases import Session, all_sessions_of
from pitboss.assignments.players import input_script_of
from pitboss.errors import HarnessError
from pitboss.model.comparison_policy import Policy
from pitboss.model.notation import notation_of
from pitboss.model.relaxation import judged_part
from pitboss.model.scripts import InputScript, typing
from pitboss.model.transcript import Event, Transcript
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.references import ExpectedRun

#: So many cases of a stage are played again, and so many lines of a difference shown.
_MOST_CASES, _MOST_LINES = 3, 30
#: How many lines that are the same are shown around a difference.
_AROUND = 2


def is_the_same(recorded: tuple[Event, ...], replayed: tuple[Event, ...], policy: Policy) -> bool:
    """Whether a recorded session is exactly what the reference does, but for what is not judged, such as a date."""
    return recorded == replayed or judged_part(recorded, policy) == judged_part(replayed, policy)


def difference(before: Sequence[Event], after: Sequence[Event], called: tuple[str, str]) -> str:
    """Two sessions as a unified diff of their notation, indented and cut if it is long; each line has a newline."""
    one, other = notation_of(before).splitlines(), notation_of(after).splitlines()
    lines = list(unified_diff(one, other, *called, n=_AROUND, lineterm=""))
    shown = [f"  {line}\n" for line in lines[:_MOST_LINES]]
    more = len(lines) - len(shown)
    return "".join([*shown, f"  … and {more} more lines\n" if more > 0 else ""])


def doubts_of(stage: Stage, case: str | None = None) -> list[str]:
    """A sentence on why a stage's reference cannot be what submissions are held to, with a case that shows it, if any.

    Sessions of its first cases, or of the one named, are played again, in the same world and in that of a submission.
    A reference that fails is told elsewhere. Where draws are read back, or a person grades, it need not do the same.
    """
    if stage.reader or stage.is_for_person:
        return []
    if stage.reference.command and find_conditions("auto", "none").driver != "watched":
        return []  # no world can be shown to it, and its pauses are measured, now a little longer and now shorter
    found: list[str] = []
    for session in islice((one for one in _firsts(stage) if case in (None, one.case.name)), _MOST_CASES):
        try:
            doubt = _doubt(session)
        except HarnessError:
            continue
        if doubt:
            found.append(f"{session.case.place}: {session.case.name!r}: {doubt}")
    return found[:1]


def missing_locales(stages: Sequence[Stage]) -> list[str]:
    """A sentence on each locale of the cases that this machine lacks: programs use C's there instead."""
    found: dict[str, str] = {}
    for case in (case for stage in stages for case in stage.spec.cases):
        for name, value in case.invocation.environment or ():
            if value and (name == "LANG" or name.startswith("LC_")) and not _is_there(value):
                found.setdefault(value, f"{case.place}: {case.name!r}: this machine has no locale {value}")
    return [f"{said}, so programs have C's in its place — install it, as with locale-gen" for said in found.values()]


def _is_there(name: str) -> bool:
    """Whether a locale is installed."""
    before = locale.setlocale(locale.LC_COLLATE)
    try:
        locale.setlocale(locale.LC_COLLATE, name)
    except (locale.Error, ValueError):  # ValueError: it has a character that no name has
        return False
    finally:
        locale.setlocale(locale.LC_COLLATE, before)
    return True


def _firsts(stage: Stage) -> Iterator[Session]:
    """The first session of each case."""
    last = None
    for session in all_sessions_of(stage):
        if session.case is not last:
            yield session
        last = session.case


def _doubt(session: Session) -> str:
    here, elsewhere = (
        expected_run_here(session.stage),
        expected_run_here(session.stage, environment_seed=session.environment_seed),
    )
    first, second = _transcript_of(session, here), _transcript_of(session, here)
    if not is_the_same(first.events, second.events, session.case.policy):
        shown = difference(first.events, second.events, ("once", "and again"))
        return (
            "the reference does something else when the same is typed again, and a submission has to do the same — "
            f"seed what it draws by what is typed, or read its draws back (see docs/tutorial-unseeded.md):\n{shown}"
        ).rstrip()
    other = _transcript_of(session, elsewhere)
    if not is_the_same(first.events, other.events, session.case.policy):
        shown = difference(first.events, other.events, ("at one time", "at another"))
        return (
            "what the reference does depends on the clock or on random numbers, which are others for a submission — "
            "seed what it draws by what is typed, read its draws back, or do not judge such lines (see "
            f"docs/tutorial-unseeded.md):\n{shown}"
        ).rstrip()
    if _is_typed(session) and not first.lines:
        return "the reference reads nothing of what is typed — it reads lines from its standard input"
    return ""


def _transcript_of(session: Session, run: ExpectedRun) -> Transcript:
    return run(_script(session), invocation=session.case.invocation.without_contents)


def _script(session: Session) -> InputScript:
    match session.case.session:
        case Recorded(events):
            return typing(Transcript(events).lines)
        case Generated() as generated:
            return input_script_of(generated, session.seed, session.case.place)


def _is_typed(session: Session) -> bool:
    """Whether a session is meant to have typed lines."""
    match session.case.session:
        case Recorded(events):
            return bool(Transcript(events).lines)
        case Generated(_, answers):
            return session.seed is not None or bool(getattr(answers, "lines", True))
