"""Names the mistake of a submission that behaves like a known wrong reference.

A mistake is named if the wrong reference with this mistake does exactly what the submission did in every session,
failed or accepted. If no mistake fits, mistakes that explain nearly all failed sessions, and contradict no accepted
session, are reported with the number of sessions that they explain.

A program that has gone wrong may read a line that was typed for another question, or more lines than there are. What
the program does with a line that no player would type at that question, or after the last line, is not graded. So no
mistake has to explain that behaviour, and the session is compared only up to that read (`relevant_read_number`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Case, Stage
from pitboss.assignments.cases import Session
from pitboss.compare.comparison import difference_between, located_difference
from pitboss.compare.outcome import JudgedSession
from pitboss.compare.reading_texts import with_submission_texts
from pitboss.compare.results import Diagnosis, StageReport, read_past_end
from pitboss.compare.submission_texts import ObservedSession, remark_on
from pitboss.errors import HarnessError
from pitboss.experiments.catalogue import Mistake, MistakesOfStage, other_stages_as_mistakes, visible_mistakes
from pitboss.experiments.naming.confirming import right_sessions, sessions_to_confirm
from pitboss.experiments.naming.explaining import (
    JudgedSessions,
    have_many_hidden_draws,
    mistakes_that_explain,
    mistakes_with_hidden_options,
    names_of_unexplained,
    near_explanations,
    right_run,
    without_accepted_texts,
)
from pitboss.experiments.naming.habits import EventsPair, habit_of
from pitboss.experiments.naming.seeds import wrong_seed_diagnoses
from pitboss.experiments.programs.running import programs_ready
from pitboss.model.comparison_policy import Policy
from pitboss.model.equality import equality
from pitboss.model.free_texts import names_in
from pitboss.model.transcript import (
    EndingKind,
    Event,
    InputEnded,
    Shown,
    Transcript,
    Typed,
    cut_after_read,
    last_line,
    with_texts,
)

#: The share of hidden draws in a session that decides which searches are made; a draw is hidden if it was never shown.
#:
#: - If more than this share is hidden in many failed sessions, only quick searches are made.
#: - If instead some draws are hidden in many failed sessions, a few likely mistakes are also tried with other options.
#: - Otherwise mistakes that explain nearly all sessions are searched for too.
_MAX_HIDDEN_SHARE = 0.25
#: A habit is named only if at least this many sessions failed.
_MIN_FAILED = 3
#: Runs the submission in further sessions of a stage; returns the judged sessions that show how it behaves.
RunFurther = Callable[[Sequence[Session]], JudgedSessions]


def diagnoses_of_sessions(
    stage: Stage,
    judged_sessions: JudgedSessions,
    tolerated: str = "",
    run_further: RunFurther | None = None,
    stages: Sequence[Stage] = (),
    cases: Sequence[Case] = (),
) -> tuple[Diagnosis, ...]:
    """The mistakes that explain the failed sessions of a stage, best first.

    The result is empty if no session failed, or if no mistake fits, not even nearly. `stage` has the options by which
    the sessions were judged. `tolerated` names the tolerated reference by which the sessions were judged; it is empty
    for the stage's own reference. With `run_further`, an explanation of all sessions is tested in further
    sessions. These may belong to any of `cases`, which are all cases of the stage. `stages` are all stages of the
    assignment: a program may do what another stage asks.
    """
    answer_kinds = answer_kinds_in(judged_sessions)
    failed, accepted = _failed_and_accepted(judged_sessions, answer_kinds)
    if not failed:
        return ()

    mistakes_of_stage = partial(visible_mistakes, tolerated=tolerated)
    explanations = _simplest_explanations(stage, mistakes_of_stage, failed, accepted, stages)
    tested_count = 0
    are_many_draws_hidden = have_many_hidden_draws(failed)
    if explanations.is_any and run_further is not None:
        right = right_run(stage)
        further_sessions = sessions_to_confirm(stage, right, explanations.mistakes, cases)
        # Players of other cases may type lines that the players so far never typed.
        answer_kinds = answer_kinds_in(judged_sessions, right_sessions(right, further_sessions))
        further_failed, further_accepted = _failed_and_accepted(run_further(further_sessions), answer_kinds)
        explanations = explanations.confirmed(
            stage, [*failed, *further_failed], [*accepted, *further_accepted], [*further_failed, *further_accepted]
        )
        tested_count = len(further_failed)  # only failed sessions confirm a mistake
    diagnoses = [
        *explanations.habit,
        *explanations.wrong_seed,
        *(_diagnosis(mistake, 0, 0) for mistake in explanations.mistakes),  # the counts are set below
    ]
    if diagnoses:
        counts = {"explains": len(failed), "of": len(failed), "tested": tested_count}
        return tuple(msgspec.structs.replace(diagnosis, **counts) for diagnosis in diagnoses)
    partial_explanations = (
        [] if are_many_draws_hidden else near_explanations(stage, mistakes_of_stage(stage), failed, accepted)
    )
    return tuple(
        _diagnosis(mistake, explained_count, len(failed), names_of_unexplained(stage, mistake, failed))
        for explained_count, mistake in partial_explanations
    )


def is_explained_by_known_mistake(stage: Stage, judged_sessions: JudgedSessions, tolerated: str) -> bool:
    """Whether one known mistake explains all of these sessions, with free texts as each session shows them.

    For the parameters see `diagnoses_of_sessions`.
    """
    failed, accepted = _failed_and_accepted(judged_sessions, answer_kinds_in(judged_sessions))
    sessions = list(map(without_accepted_texts, [*failed, *accepted]))
    return bool(failed and mistakes_that_explain(stage, visible_mistakes(stage, tolerated), sessions))


class _Explanations(NamedTuple):
    """The explanations of all sessions: mistakes, a habit or a wrong seed; all fields are empty if there are none."""

    mistakes: Sequence[Mistake] = ()
    habit: Sequence[Diagnosis] = ()
    wrong_seed: Sequence[Diagnosis] = ()
    #: Whether the submission's free texts are read again for these mistakes: see `without_accepted_texts`.
    reads_texts_again: bool = False

    @property
    def is_any(self) -> bool:
        return bool(self.mistakes or self.habit or self.wrong_seed)

    def confirmed(
        self, stage: Stage, failed: JudgedSessions, accepted: JudgedSessions, further: JudgedSessions
    ) -> _Explanations:
        """The explanations that hold for the sessions after the `further` ones were added to them."""
        if self.reads_texts_again:
            further = list(map(without_accepted_texts, further))
        return self._replace(
            mistakes=mistakes_that_explain(stage, self.mistakes, further),
            habit=self.habit and _habit_diagnoses(failed, accepted),
            wrong_seed=self.wrong_seed and wrong_seed_diagnoses(stage, failed, accepted),
        )


def _simplest_explanations(
    stage: Stage,
    mistakes_of_stage: MistakesOfStage,
    failed: JudgedSessions,
    accepted: JudgedSessions,
    stages: Sequence[Stage],
) -> _Explanations:
    """The simplest explanations of all of these sessions."""
    sessions = [*failed, *accepted]
    mistakes = mistakes_of_stage(stage)
    if (
        fitting_mistakes := mistakes_that_explain(stage, mistakes, sessions)
        or mistakes_that_explain(stage, other_stages_as_mistakes(stage, stages), sessions)[:1]
    ):
        return _Explanations(fitting_mistakes)
    if habit := _habit_diagnoses(failed, accepted):
        return _Explanations(habit=habit)
    if wrong_seed := wrong_seed_diagnoses(stage, failed, accepted):
        return _Explanations(wrong_seed=wrong_seed)
    if have_many_hidden_draws(failed, _MAX_HIDDEN_SHARE):
        return _Explanations()
    option_hiding_mistakes = mistakes_with_hidden_options(stage, mistakes_of_stage, failed, accepted)
    return _Explanations(option_hiding_mistakes, reads_texts_again=True)


def _failed_and_accepted(
    judged_sessions: JudgedSessions, answer_kinds: AnswerKinds
) -> tuple[list[JudgedSession], list[JudgedSession]]:
    """The failed sessions that mistakes have to explain, and the accepted sessions.

    The `last_relevant_read` of each failed session is the result of `relevant_read_number`.
    """
    failed = [
        msgspec.structs.replace(session, last_relevant_read=relevant_read_number(session, answer_kinds))
        for session in judged_sessions
        if not session.is_accepted
    ]
    accepted = [session for session in judged_sessions if session.is_accepted]
    return [session for session in failed if _has_comparable_end(session) and _differs_given_draws(session)], accepted


def with_diagnosis(
    report: StageReport,
    stage: Stage,
    judged_sessions: JudgedSessions,
    tolerated: str = "",
    run_further: RunFurther | None = None,
    stages: Sequence[Stage] = (),
    cases: Sequence[Case] = (),
) -> StageReport:
    """Returns the report on a stage with the mistakes that explain the failed sessions.

    If the known mistakes cannot be tried, the verdict is unchanged, and the reason is added to the report's faults.
    """
    try:
        with programs_ready():
            diagnosis = diagnoses_of_sessions(stage, judged_sessions, tolerated, run_further, stages, cases)
        return msgspec.structs.replace(report, diagnosis=diagnosis)
    except HarnessError as error:
        return msgspec.structs.replace(report, faults=(*report.faults, str(error)))


def _has_comparable_end(judged: JudgedSession) -> bool:
    """Whether the program exited without being stopped, or the session is compared only up to one of its reads."""
    return judged.actual.ending.kind is EndingKind.EXITED or judged.last_relevant_read is not None


def _differs_given_draws(judged: JudgedSession) -> bool:
    """Whether a failed session would differ even from the correct program with the same draws.

    True for every failed session whose draws are not read back.
    """
    if judged.expected is None or judged.draws is None:
        return True
    is_wrong = difference_between(judged.expected, judged.actual.events, judged.policy) is not None
    return is_wrong or judged.differs_off_screen


def _habit_diagnoses(failed: JudgedSessions, accepted: JudgedSessions) -> list[Diagnosis]:
    """The habit that alone explains the failed sessions, unless an accepted session contradicts it.

    Empty if there is no such habit, or if too few sessions failed.
    """
    # A session that has no expected events, or shows exactly these, did not fail because of a habit.
    if len(failed) < _MIN_FAILED or any(session.expected in (None, session.actual.events) for session in failed):
        return []
    accepted_pairs = list(map(_with_own_texts, accepted))
    habit = habit_of(list(map(_with_own_texts, failed)), accepted_pairs)
    if habit is None and (right_lines := _right_lines(failed)):
        # A habit that shows before the first free text hides what that text is.
        habit = habit_of([_with_own_texts(judged, right_lines) for judged in failed], accepted_pairs)
    if habit is None or any(map(_has_varying_text, failed)):
        return []
    return [Diagnosis(habit.id, habit.title, habit.hint, "Found by comparing text.", len(failed), len(failed))]


def _right_lines(failed: JudgedSessions) -> dict[bytes, bytes]:
    """The lines that are expected instead of lines that the submission always shows for them; no free texts."""
    expected_lines: dict[bytes, set[bytes]] = {}
    for judged in failed:
        sessions = map(equality(judged.policy).normalized, (judged.expected or (), judged.actual.events))
        for expected_event, event in zip(*sessions, strict=False):
            if isinstance(expected_event, Shown) and isinstance(event, Shown):
                pair = expected_event.text.split(b"\n"), event.text.split(b"\n")
                if len(pair[0]) == len(pair[1]):
                    for expected, actual in zip(*pair, strict=True):
                        expected_lines.setdefault(actual, set()).add(expected)
            elif expected_event != event:
                break
    free = failed[0].policy.free
    return {
        actual: expected
        for actual, (expected, *others) in expected_lines.items()
        if expected != actual and not others and not names_in((Shown(expected),), free)
    }


def _with_own_texts(judged: JudgedSession, right_lines: Mapping[bytes, bytes] | None = None) -> EventsPair:
    """The expected events of a session, with free texts as the submission prints them, and the actual events.

    A free text is one that a program may word freely (`compare: free`). All events are normalized by the policy, so
    that an ignored empty line does not hide a habit. Events after `last_relevant_read`, if it is set, are left out.
    The free texts are read as if the submission showed `right_lines` in place of its own lines.
    """
    actual = corrected = judged.actual.events
    if right_lines:
        corrected = with_texts(
            equality(judged.policy).normalized(actual),
            lambda text: b"\n".join(right_lines.get(line, line) for line in text.split(b"\n")),
        )
    expected, policy = with_submission_texts(judged.expected or actual, corrected, judged.policy)
    expected = _with_equal_texts(expected, actual, policy)
    if judged.last_relevant_read is not None:
        expected = cut_after_read(Transcript(expected), judged.last_relevant_read).events
        actual = cut_after_read(judged.actual, judged.last_relevant_read).events
    return equality(policy).normalized(expected), equality(policy).normalized(actual)


def _with_equal_texts(expected: tuple[Event, ...], actual: Sequence[Event], policy: Policy) -> tuple[Event, ...]:
    """The expected events, with each free text that the program never shows as the text that it may equal.

    A habit may hide which text the program has: then `Push.` for a push of blackjacks too is right.
    """
    shown = b"".join(event.text for event in actual if isinstance(event, Shown))
    for free in policy.free:
        text = free.text.encode()
        if free.kind == "line" and free.may_equal and text not in shown:
            line = re.compile(rb"^%s$" % re.escape(text), re.MULTILINE)
            equal = free.may_equal[0].encode().replace(b"\\", rb"\\")
            expected = with_texts(expected, partial(line.sub, equal))
    return expected


def _has_varying_text(judged: JudgedSession) -> bool:
    """Whether a session failed because a free text (`compare: free`) varies: then the program has no habit.

    `remark_on` returns a remark for such a difference, and None for others.
    """
    expected, actual, policy = judged.expected, judged.actual.events, judged.policy
    if not policy.free or expected is None:
        return False
    difference = difference_between(expected, actual, policy)
    if difference is None:
        return False
    located = located_difference(difference, expected, actual, policy)
    return remark_on(located, ObservedSession(policy, expected, actual)) is not None


def _diagnosis(
    mistake: Mistake, explained_count: int, failed_count: int, unexplained: tuple[str, ...] = ()
) -> Diagnosis:
    return Diagnosis(
        mistake.id, mistake.title, mistake.hint, mistake.note, explained_count, failed_count, beyond=unexplained
    )


#: For each question, the kinds of lines typed as an answer (see `_answer_kind`). A question is the text before the
#: answer on the same screen line.
AnswerKinds = Mapping[bytes, Set[bytes]]
_NUMBER = re.compile(rb"[+-]?[0-9]+(?:\.[0-9]+)?")


def answer_kinds_in(judged_sessions: Iterable[JudgedSession], right: Iterable[Transcript] = ()) -> AnswerKinds:
    """The kinds of lines typed at each question of the correct program.

    They are collected from the expected events of the judged sessions and from `right`, transcripts of the correct
    program.
    """
    answer_kinds: dict[bytes, set[bytes]] = {}
    # In sessions with `is_live_input`, the typed lines answer the submission, not the correct program.
    expected = [session.expected or () for session in judged_sessions if not session.is_live_input]
    for events in (*expected, *(transcript.events for transcript in right)):
        for question, read in _reads(events):
            if isinstance(read, Typed):
                answer_kinds.setdefault(question, set()).add(_answer_kind(read.line))
    return answer_kinds


def relevant_read_number(judged: JudgedSession, answer_kinds: AnswerKinds) -> int | None:
    """The number, from 1, of the read up to which a session is compared; None for the whole session.

    The read is the first of these that exists:

    - if no draws were read back: the first read of a line that answers a question in `answer_kinds`, but is of none of
      the kinds listed there;
    - if pitboss ended the program because there was no further line to type: its last read;
    - the first read of an end of input that the expected session does not have.
    """
    expected, actual = judged.expected or (), judged.actual.events
    if judged.draws is None:
        for number, (question, read) in enumerate(_reads(actual), 1):
            kinds = answer_kinds.get(question)
            if isinstance(read, Typed) and kinds is not None and _answer_kind(read.line) not in kinds:
                return number
    reads = [event for event in actual if isinstance(event, Typed | InputEnded)]
    if judged.actual.ending.kind is EndingKind.OUT_OF_LINES:
        return len(reads)
    if not read_past_end(expected, actual):
        return None
    end_numbers = [number for number, read in enumerate(reads, 1) if isinstance(read, InputEnded)]
    return end_numbers[sum(isinstance(event, InputEnded) for event in expected)]


def _reads(events: tuple[Event, ...]) -> Iterator[tuple[bytes, Typed | InputEnded]]:
    """Yields each read of a line or of the end of input, preceded by its question: the text before it on the screen."""
    for index, event in enumerate(events):
        if isinstance(event, Typed | InputEnded):
            yield last_line(events[:index]), event


def _answer_kind(line: bytes) -> bytes:
    """The kind of a typed line: all numbers are one kind, and any other line is a kind of its own."""
    return b"0" if _NUMBER.fullmatch(line.strip()) else line
