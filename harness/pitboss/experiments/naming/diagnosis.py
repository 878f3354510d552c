"""Names the mistake of a submission that behaves like a known wrong reference.

A mistake is named if the wrong reference with this mistake does exactly what the submission did in every session,
failed or accepted. If no mistake fits, none is named.

A program that has gone wrong may read a line that was meant for another question, or more lines than there are. What
the program does with a line that no player would type at that question, or after the last line, is not graded. So no
mistake has to explain this, and sessions are compared only up to that read (`reach_of`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Case, Stage
from pitboss.assignments.cases import Session
from pitboss.compare.comparison import difference_between
from pitboss.compare.location import located_difference
from pitboss.compare.outcome import JudgedSession
from pitboss.compare.results import Diagnosis, StageReport
from pitboss.compare.submission_texts import ObservedSession, remark_on
from pitboss.compare.verdicts import read_past_end
from pitboss.errors import HarnessError
from pitboss.experiments.catalogue import Catalogue, Mistake, as_other_stages, mistakes_beside, mistakes_of
from pitboss.experiments.naming.composed import Lens, found_through, with_own_texts
from pitboss.experiments.naming.confirming import right_sessions, sessions_to_confirm
from pitboss.experiments.naming.explaining import (
    beyond,
    explaining,
    is_mostly_hidden,
    near_explanations,
    pairs_that_may,
    right_run,
)
from pitboss.experiments.naming.habits import habit_of
from pitboss.experiments.naming.hidden_options import mistakes_with_hidden_options, with_texts_unread
from pitboss.experiments.naming.seeds import own_seed_of
from pitboss.experiments.programs.running import programs_ready
from pitboss.model.screen_lines import last_line
from pitboss.model.transcript import EndingKind, Event, InputEnded, Transcript, Typed
from pitboss.sessions.references import ExpectedRun

#: If many failed sessions hide more than this share of their draws, only quick searches are made. If many sessions hide
#: any draw, a few likely mistakes are tried with other options too, but slower searches are skipped.
_MAX_HIDDEN = 0.25
#: A habit is named only if at least this many sessions failed.
_LEAST = 3
#: Runs the program in further sessions of a stage; returns the sessions that show how the program behaves.
RunFurther = Callable[[Sequence[Session]], Sequence[JudgedSession]]


def diagnosed(
    stage: Stage,
    judged_sessions: Sequence[JudgedSession],
    tolerated: str = "",
    run_further: RunFurther | None = None,
    stages: Sequence[Stage] = (),
    cases: Sequence[Case] = (),
) -> tuple[Diagnosis, ...]:
    """The mistakes that explain the failed sessions of a stage, best first; empty if none failed or no mistake fits.

    `tolerated` names the tolerated reference by which the sessions were judged, if any; `stage` has its options. With
    `run_further`, an explanation of all sessions is tested in further sessions, also of `cases`, which are all cases
    of the stage. `stages` are all stages of the assignment: a program may do what another stage asks.
    """
    answers = answers_in(judged_sessions)
    failed, accepted = _failed_and_accepted(judged_sessions, answers)
    if not failed:
        return ()

    def catalogue_of(stage: Stage) -> list[Mistake]:
        mistakes = mistakes_beside(stage, tolerated) if tolerated else mistakes_of(stage)
        return [mistake for mistake in mistakes if not mistake.invisible]

    names, tested_count = _names(stage, catalogue_of, failed, accepted, stages), 0
    is_hidden = is_mostly_hidden(failed)
    if not (names.is_any or tolerated or is_hidden):
        names = _combined(stage, catalogue_of(stage), failed, accepted)
    if names.is_any and run_further is not None:
        right = names.right_run(stage)
        further = sessions_to_confirm(stage, right, names.mistakes, cases)
        # Players of other cases may type lines that the players so far never typed.
        answers = answers_in(judged_sessions, right_sessions(right, further))
        failed_too, accepted_too = _failed_and_accepted(run_further(further), answers)
        names, tested_count = names.confirmed(stage, failed, accepted, failed_too, accepted_too), len(failed_too)
    named = [*names.habit, *names.own_seed, *(_diagnosis(mistake, 0, 0) for mistake in names.mistakes)]
    if named:
        count = len(failed)
        return tuple(
            msgspec.structs.replace(diagnosis, explains=count, of=count, tested=tested_count) for diagnosis in named
        )
    near = [] if is_hidden else near_explanations(stage, catalogue_of(stage), failed, accepted)
    return tuple(
        _diagnosis(mistake, explains, len(failed), beyond(stage, mistake, failed)) for explains, mistake in near
    )


def _as_it_is(judged: JudgedSession) -> JudgedSession:
    return judged


class _Names(NamedTuple):
    """What explains all sessions: mistakes, a habit, a seed of the program, or nothing."""

    mistakes: Sequence[Mistake] = ()
    habit: Sequence[Diagnosis] = ()
    own_seed: Sequence[Diagnosis] = ()
    #: The habit of the text that was assumed to find the mistakes, if any.
    lens: Lens | None = None
    #: Converts a session before comparison with the programs that have these mistakes.
    seen_as: Callable[[JudgedSession], JudgedSession] = _as_it_is

    @property
    def is_any(self) -> bool:
        return bool(self.mistakes or self.habit or self.own_seed)

    def right_run(self, stage: Stage) -> ExpectedRun | None:
        """The correct program, with the habit of the lens if there is one."""
        right = right_run(stage)
        return self.lens.of_run(right) if self.lens and right else right

    def confirmed(
        self,
        stage: Stage,
        failed: Sequence[JudgedSession],
        accepted: Sequence[JudgedSession],
        failed_too: Sequence[JudgedSession],
        accepted_too: Sequence[JudgedSession],
    ) -> _Names:
        """The explanations among these that fit the further sessions too."""
        converted = list(map(self.seen_as, (*failed_too, *accepted_too)))
        return _Names(
            explaining(stage, self.mistakes, converted),
            self.habit and _habit([*failed, *failed_too], [*accepted, *accepted_too]),
            self.own_seed and own_seed_of(stage, [*failed, *failed_too], [*accepted, *accepted_too]),
            self.lens,
            self.seen_as,
        )


def _names(
    stage: Stage,
    catalogue: Catalogue,
    failed: Sequence[JudgedSession],
    accepted: Sequence[JudgedSession],
    stages: Sequence[Stage],
) -> _Names:
    """The simplest explanation of all of these sessions; mistakes with a habit of the text are tried last."""
    sessions = [*failed, *accepted]
    mistakes = catalogue(stage)
    if (
        explanations := explaining(stage, mistakes, sessions)
        or explaining(stage, as_other_stages(stage, stages), sessions)[:1]
    ):
        return _Names(explanations)
    if habit := _habit(failed, accepted):
        return _Names(habit=habit)
    if own_seed := own_seed_of(stage, failed, accepted):
        return _Names(own_seed=own_seed)
    if is_mostly_hidden(failed, _MAX_HIDDEN):
        return _Names()
    if hidden := mistakes_with_hidden_options(stage, catalogue, failed, accepted):
        return _Names(hidden, seen_as=with_texts_unread)
    if is_mostly_hidden(failed):
        return _Names()
    if through := found_through(stage, catalogue, failed, accepted):
        return _Names(through.mistakes, lens=through.lens, seen_as=through.lens.of_session)
    return _Names()


def _combined(
    stage: Stage, mistakes: Sequence[Mistake], failed: Sequence[JudgedSession], accepted: Sequence[JudgedSession]
) -> _Names:
    """Pairs of mistakes that together explain all of these sessions, for use when no single mistake does."""
    return _Names(explaining(stage, pairs_that_may(stage, mistakes, failed), [*failed, *accepted]))


def _failed_and_accepted(
    judged_sessions: Sequence[JudgedSession], answers: Answers
) -> tuple[list[JudgedSession], list[JudgedSession]]:
    """The failed sessions that mistakes have to explain, each with its reach, and the accepted sessions."""
    failed = [
        msgspec.structs.replace(session, reach=reach_of(session, answers))
        for session in judged_sessions
        if not session.is_accepted
    ]
    accepted = [session for session in judged_sessions if session.is_accepted]
    return [session for session in failed if _ended_by_itself(session) and _went_wrong(session)], accepted


def with_diagnosis(
    report: StageReport,
    stage: Stage,
    judged_sessions: Sequence[JudgedSession],
    tolerated: str = "",
    run_further: RunFurther | None = None,
    stages: Sequence[Stage] = (),
    cases: Sequence[Case] = (),
) -> StageReport:
    """Returns the report on a stage with the mistakes that explain the failed sessions.

    If the known mistakes cannot be tried, the verdict stands and the reason becomes a fault of the report.
    """
    try:
        with programs_ready():
            diagnosis = diagnosed(stage, judged_sessions, tolerated, run_further, stages, cases)
        return msgspec.structs.replace(report, diagnosis=diagnosis)
    except HarnessError as error:
        return msgspec.structs.replace(report, faults=(*report.faults, str(error)))


def _ended_by_itself(judged: JudgedSession) -> bool:
    """Whether the program ended by itself, or the session is compared only up to one of its reads."""
    return judged.actual.ending.kind is EndingKind.EXITED or judged.reach is not None


def _went_wrong(judged: JudgedSession) -> bool:
    """Whether a session failed for more than its draws: given these draws, the correct program does something else."""
    if judged.is_accepted or judged.expected is None or judged.draws is None:
        return not judged.is_accepted
    is_wrong = difference_between(judged.expected, judged.actual.events, judged.policy) is not None
    return is_wrong or judged.differs_off_screen


def _habit(failed: Sequence[JudgedSession], accepted: Sequence[JudgedSession]) -> list[Diagnosis]:
    """The habit that alone explains the failed sessions, unless an accepted session contradicts it.

    Empty if there is no such habit, or if too few sessions failed.
    """
    if len(failed) < _LEAST or any(session.expected in (None, session.actual.events) for session in failed):
        return []
    habit = habit_of(list(map(with_own_texts, failed)), list(map(with_own_texts, accepted)))
    if habit is None or any(map(_varies, failed)):
        return []
    return [Diagnosis(habit.id, habit.title, habit.hint, "Found by comparing text.", len(failed), len(failed))]


def _varies(judged: JudgedSession) -> bool:
    """Whether a session failed because a free text varies: such a program has no habit."""
    if not judged.policy.free or judged.expected is None:
        return False
    expected, actual = judged.expected, judged.actual.events
    difference = difference_between(expected, actual, judged.policy)
    if difference is None:
        return False
    return (
        remark_on(
            located_difference(difference, expected, actual, judged.policy),
            ObservedSession(judged.policy, expected, actual),
        )
        is not None
    )


def _diagnosis(mistake: Mistake, explains: int, failed_count: int, unexplained: tuple[str, ...] = ()) -> Diagnosis:
    return Diagnosis(mistake.id, mistake.title, mistake.hint, mistake.note, explains, failed_count, beyond=unexplained)


#: The kinds of lines typed at each question; a question is the text before the answer on its line.
Answers = Mapping[bytes, Set[bytes]]
_NUMBER = re.compile(rb"[+-]?[0-9]+(?:\.[0-9]+)?")


def answers_in(judged_sessions: Iterable[JudgedSession], right: Iterable[Transcript] = ()) -> Answers:
    """The answers typed at the correct program's questions in these judged sessions and in the transcripts `right`."""
    answers: dict[bytes, set[bytes]] = {}
    # In a session in step, the typed lines answer the program under test, not the correct program.
    expected = [session.expected or () for session in judged_sessions if not session.is_in_step]
    for events in (*expected, *(transcript.events for transcript in right)):
        for question, read in _reads(events):
            if isinstance(read, Typed):
                answers.setdefault(question, set()).add(_kind(read.line))
    return answers


def reach_of(judged: JudgedSession, answers: Answers) -> int | None:
    """The number, from 1, of the read up to which a session is compared; None for the whole session.

    This is the first read of a line that is not among the answers to its question, or a read past the end of input.
    """
    expected, actual = judged.expected or (), judged.actual.events
    if judged.draws is None:
        for number, (question, read) in enumerate(_reads(actual), 1):
            if isinstance(read, Typed) and question in answers and _kind(read.line) not in answers[question]:
                return number
    if judged.actual.ending.kind is EndingKind.OUT_OF_LINES:
        return sum(1 for _ in _reads(actual))
    if not read_past_end(expected, actual):
        return None
    return _number_of_end(actual, 1 + sum(isinstance(event, InputEnded) for event in expected))


def _reads(events: tuple[Event, ...]) -> Iterator[tuple[bytes, Typed | InputEnded]]:
    """Each read, after the text that precedes the typed line on the screen line."""
    for index, event in enumerate(events):
        if isinstance(event, Typed | InputEnded):
            yield last_line(events[:index]), event


def _kind(line: bytes) -> bytes:
    """The kind of a line: all numbers are one kind, and any other line is a kind of its own."""
    return b"0" if _NUMBER.fullmatch(line.strip()) else line


def _number_of_end(events: tuple[Event, ...], ends: int) -> int:
    """The number, among all reads, of the read that got the end of input for the `ends`-th time."""
    reads = [event for event in events if isinstance(event, Typed | InputEnded)]
    end_numbers = [number for number, event in enumerate(reads, 1) if isinstance(event, InputEnded)]
    return end_numbers[ends - 1]
