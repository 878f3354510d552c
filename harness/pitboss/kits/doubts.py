"""Checks that submissions can be compared with a reference: its behaviour must depend only on the typed lines.

If a reference draws random values, or reads the clock, no student's program can behave equally.
"""

from __future__ import annotations

import locale
from collections.abc import Sequence
from difflib import unified_diff
from itertools import islice

from pitboss.assignments.assignment import Generated, Player, Recorded, Stage
from pitboss.assignments.cases import Session, all_sessions_of
from pitboss.assignments.players import input_of
from pitboss.errors import HarnessError
from pitboss.model.comparison_policy import Policy
from pitboss.model.equality import equality
from pitboss.model.notation import notation_of
from pitboss.model.transcript import Event, Transcript
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.references import ExpectedRun

_REPEATED_DIFFERENTLY = (
    "the reference behaves differently when the same lines are typed again, but submissions are compared with it — "
    "seed its draws from what is typed, or read them back (see docs/tutorial-unseeded.md):"
)
_DEPENDS_ON_MACHINE = (
    "the reference depends on the clock or on random numbers, which differ for a submission — seed its draws from "
    "what is typed, read them back, or do not judge such lines (see docs/tutorial-unseeded.md):"
)
#: How many cases of a stage are run again.
_MAX_CASES = 3
#: How many lines of a diff are shown.
_MAX_LINES = 30
#: How many equal lines are shown around a difference.
_CONTEXT_LINES = 2


def are_equal_sessions(recorded: tuple[Event, ...], replayed: tuple[Event, ...], policy: Policy) -> bool:
    """Whether two sessions are equal, except for lines that are not judged, such as a date."""
    judged_part = equality(policy).judged_part
    return recorded == replayed or judged_part(recorded) == judged_part(replayed)


def session_diff(before: Sequence[Event], after: Sequence[Event], called: tuple[str, str]) -> str:
    """A unified diff of two sessions in notation, indented, and cut if long; each line ends in a newline.

    `called` are the names of the two sessions in the header of the diff.
    """
    lines_before, lines_after = notation_of(before).splitlines(), notation_of(after).splitlines()
    lines = list(unified_diff(lines_before, lines_after, *called, n=_CONTEXT_LINES, lineterm=""))
    first_lines = [f"  {line}\n" for line in lines[:_MAX_LINES]]
    omitted_count = len(lines) - len(first_lines)
    return "".join([*first_lines, f"  … and {omitted_count} more lines\n" if omitted_count > 0 else ""])


def doubts_of(stage: Stage, case_name: str | None = None) -> list[str]:
    """Checks whether submissions can be compared with a stage's reference.

    Returns a list with one sentence, on a case that shows why they cannot; empty if no such case is found.

    The first session of some cases, or of the named case, is run three times: twice in the environment in which the
    reference always runs, with a fixed clock and fixed random bytes, and once in that of a submission. Failures of the
    reference are reported elsewhere. A stage whose draws are read back, or that is graded manually, is not checked: its
    reference need not behave equally in each run.
    """
    if stage.reader or stage.is_manual:
        return []
    if stage.reference.command and find_conditions("auto", "none").driver != "watched":
        return []  # without the tracer a command's clock and random bytes vary, and so do its measured pauses
    first_sessions: dict[str, Session] = {}
    for session in all_sessions_of(stage):
        if case_name in (None, session.case.name):
            first_sessions.setdefault(session.case.name, session)
    for session in islice(first_sessions.values(), _MAX_CASES):
        try:
            doubt = _doubt_of_session(session)
        except HarnessError:
            continue
        if doubt:
            return [f"{session.case.place}: {session.case.name!r}: {doubt}"]
    return []


def missing_locale_sentences(stages: Sequence[Stage]) -> list[str]:
    """A sentence on each locale of the cases that this machine lacks: programs get the C locale instead."""
    sentences: dict[str, str] = {}
    for case in (case for stage in stages for case in stage.spec.cases):
        for name, value in case.invocation.environment or ():
            if value and (name == "LANG" or name.startswith("LC_")) and not _is_installed(value):
                sentences.setdefault(value, f"{case.place}: {case.name!r}: this machine has no locale {value}")
    remedy = "so programs get the C locale instead — install it, for example with locale-gen"
    return [f"{sentence}, {remedy}" for sentence in sentences.values()]


def _is_installed(name: str) -> bool:
    before = locale.setlocale(locale.LC_COLLATE)
    try:
        locale.setlocale(locale.LC_COLLATE, name)
    except (locale.Error, ValueError):  # ValueError: the name has an invalid character
        return False
    finally:
        locale.setlocale(locale.LC_COLLATE, before)
    return True


def _doubt_of_session(session: Session) -> str:
    """A sentence on why submissions cannot be compared in this session; empty if they can."""
    run = expected_run_here(session.stage)
    run_as_submission = expected_run_here(session.stage, environment_seed=session.environment_seed)
    first = _transcript_of(session, run)
    for other_run, names, doubt in (
        (run, ("first run", "second run"), _REPEATED_DIFFERENTLY),
        (run_as_submission, ("as the reference", "as a submission"), _DEPENDS_ON_MACHINE),
    ):
        other = _transcript_of(session, other_run)
        if not are_equal_sessions(first.events, other.events, session.case.policy):
            return f"{doubt}\n{session_diff(first.events, other.events, names)}".rstrip()
    if _needs_typed_lines(session) and not first.lines:
        return "the reference reads none of the typed lines — it has to read them from its standard input"
    return ""


def _transcript_of(session: Session, run: ExpectedRun) -> Transcript:
    """Runs the reference in a session, without prescribed contents of files and standard error: it supplies these."""
    return run(input_of(session), invocation=session.case.invocation.without_contents)


def _needs_typed_lines(session: Session) -> bool:
    """Whether at least one line has to be typed in a session; a player is assumed to type one."""
    match session.case.session:
        case Recorded(events):
            return bool(Transcript(events).lines)
        case Generated(_, answers):
            return session.seed is not None or isinstance(answers, Player) or bool(answers.lines)
