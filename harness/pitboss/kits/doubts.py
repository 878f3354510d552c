"""Checks that submissions can be compared with a reference: it depends on nothing but the typed lines.

If a reference draws, or reads the clock, no student's program can behave the same.
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

#: How many cases of a stage are run again, and how many lines of a difference are shown.
_MAX_CASES, _MAX_LINES = 3, 30
#: How many equal lines are shown around a difference.
_AROUND = 2


def is_the_same(recorded: tuple[Event, ...], replayed: tuple[Event, ...], policy: Policy) -> bool:
    """Whether a recorded session equals the reference's, except for parts that are not judged, such as a date."""
    return recorded == replayed or judged_part(recorded, policy) == judged_part(replayed, policy)


def difference(before: Sequence[Event], after: Sequence[Event], called: tuple[str, str]) -> str:
    """A unified diff of two sessions in notation, indented and cut if long; each line has a newline."""
    lines_before, other = notation_of(before).splitlines(), notation_of(after).splitlines()
    lines = list(unified_diff(lines_before, other, *called, n=_AROUND, lineterm=""))
    first_lines = [f"  {line}\n" for line in lines[:_MAX_LINES]]
    more = len(lines) - len(first_lines)
    return "".join([*first_lines, f"  … and {more} more lines\n" if more > 0 else ""])


def doubts_of(stage: Stage, case: str | None = None) -> list[str]:
    """Sentences on why submissions cannot be compared with a stage's reference, each with a case that shows it.

    Sessions of its first cases, or of the named case, are run again, in the same seeded environment and in a
    submission's. Failures of the reference are reported elsewhere. A reference whose draws are read back, or of a stage
    that is graded manually, need not behave the same.
    """
    if stage.reader or stage.is_manual:
        return []
    if stage.reference.command and find_conditions("auto", "none").driver != "watched":
        return []  # it gets no seeded environment, and its measured pauses vary
    doubts: list[str] = []
    for session in islice((first for first in _first_sessions(stage) if case in (None, first.case.name)), _MAX_CASES):
        try:
            doubt = _doubt(session)
        except HarnessError:
            continue
        if doubt:
            doubts.append(f"{session.case.place}: {session.case.name!r}: {doubt}")
    return doubts[:1]


def missing_locales(stages: Sequence[Stage]) -> list[str]:
    """A sentence on each locale of the cases that this machine lacks: programs get the C locale instead."""
    sentences: dict[str, str] = {}
    for case in (case for stage in stages for case in stage.spec.cases):
        for name, value in case.invocation.environment or ():
            if value and (name == "LANG" or name.startswith("LC_")) and not _is_installed(value):
                sentences.setdefault(value, f"{case.place}: {case.name!r}: this machine has no locale {value}")
    remedy = "so programs get the C locale instead — install it, for example with locale-gen"
    return [f"{sentence}, {remedy}" for sentence in sentences.values()]


def _is_installed(name: str) -> bool:
    """Whether a locale is installed."""
    before = locale.setlocale(locale.LC_COLLATE)
    try:
        locale.setlocale(locale.LC_COLLATE, name)
    except (locale.Error, ValueError):  # ValueError: the name has an invalid character
        return False
    finally:
        locale.setlocale(locale.LC_COLLATE, before)
    return True


def _first_sessions(stage: Stage) -> Iterator[Session]:
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
        diff = difference(first.events, second.events, ("once", "and again"))
        return (
            "the reference behaves differently when the same is typed again, but a submission has to do the same — "
            f"seed its draws from what is typed, or read them back (see docs/tutorial-unseeded.md):\n{diff}"
        ).rstrip()
    other = _transcript_of(session, elsewhere)
    if not is_the_same(first.events, other.events, session.case.policy):
        diff = difference(first.events, other.events, ("at one time", "at another"))
        return (
            "what the reference does depends on the clock or on random numbers, which differ for a submission — seed "
            "its draws from what is typed, read them back, or do not judge such lines (see "
            f"docs/tutorial-unseeded.md):\n{diff}"
        ).rstrip()
    if _is_typed(session) and not first.lines:
        return "the reference reads none of the typed lines — it has to read them from its standard input"
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
    """Whether a session should have typed lines."""
    match session.case.session:
        case Recorded(events):
            return bool(Transcript(events).lines)
        case Generated(_, answers):
            return session.seed is not None or bool(getattr(answers, "lines", True))
