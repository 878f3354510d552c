"""Names the mistake of a program that also prints some text wrongly throughout.

A text that differs everywhere hides every other mistake. So the habits of the program's text are found first, at the
beginning of each session, where nothing else differs; then each known mistake is tried in a program with these habits.
A mistake is named only if it explains every session exactly, including accepted sessions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.compare.outcome import JudgedSession
from pitboss.compare.reading_texts import with_submission_texts
from pitboss.experiments.catalogue import Mistake, MistakesOfStage
from pitboss.experiments.naming.explaining import mistakes_that_explain, right_run
from pitboss.experiments.naming.habits import DETECTORS, Events, EventsPair, Habit, HabitDetector, habit_of_changes
from pitboss.experiments.naming.hidden_options import with_best_options
from pitboss.experiments.naming.text_rewrites import LinePair, WordChange, changed, leading_pairs, slips_in
from pitboss.experiments.relation import cut_after_read, with_transcript_change
from pitboss.model.relaxation import relaxed
from pitboss.model.transcript import Shown, Transcript, with_texts
from pitboss.sessions.references import ExpectedRun

#: A habit is tried if it shows in at least this many failed sessions.
_MIN_WITH_HABIT = 3
#: Mistakes are tried together with a habit if the habit alone leaves at least this many failed sessions unexplained.
_MIN_UNEXPLAINED = 2
#: If there are more slips (wrong words) than this, slips are not tried as a habit: whoever wrote such a program did not
#: look at the texts of the assignment.
_MAX_SLIPS = 4

#: Converts the events of a session before comparison.
EventsConversion = Callable[[Events], Events]


class HabitConversion(NamedTuple):
    """A habit of the text, and functions that convert sessions so that they can be compared despite this habit."""

    habit: Habit
    #: Converts the events of a reference before comparison.
    of_reference: EventsConversion
    #: Converts the events of the submission before comparison.
    of_submission: EventsConversion

    def of_run(self, run: ExpectedRun) -> ExpectedRun:
        """A function that runs the same program as `run`, but with this habit."""
        return with_transcript_change(run, partial(_converted_transcript, conversion=self.of_reference))

    def of_session(self, judged: JudgedSession) -> JudgedSession:
        """A session of the submission, converted for comparison with a program with this habit."""
        actual = _converted_transcript(judged.actual, self.of_submission)
        return judged if actual == judged.actual else msgspec.structs.replace(judged, actual=actual)

    def of_mistake(self, mistake: Mistake) -> Mistake:
        return msgspec.structs.replace(
            mistake,
            id=f"{mistake.id}+{self.habit.id}",
            title=f"{mistake.title}; besides, in its texts: {self.habit.title}",
            hint=f"{mistake.hint} Compare its texts with those of the assignment letter by letter.",
            runs={stage: self.of_run(run) for stage, run in mistake.runs.items()},
        )

    def alone(self, stage: Stage) -> Mistake:
        habit, right = self.habit, right_run(stage)
        assert right is not None
        note = "Found by comparing text."
        runs = {stage.name: self.of_run(right)}
        return Mistake(habit.id, habit.title, habit.hint, note, source="", invisible="", runs=runs)


class HabitExplanation(NamedTuple):
    """A habit of the text, and the mistakes that explain all sessions of a program with this habit."""

    conversion: HabitConversion
    #: The mistakes, each combined with the habit; or only the habit, as a mistake, if the habit explains all sessions.
    mistakes: list[Mistake]


def explanation_with_habit(
    stage: Stage,
    mistakes_of_stage: MistakesOfStage,
    failed: Sequence[JudgedSession],
    accepted: Sequence[JudgedSession],
) -> HabitExplanation | None:
    """Returns a habit of the text and the mistakes that together explain all sessions; None if no habit does.

    A habit must be undone before sessions show a program's options, so the options are determined for each habit.
    """
    if not right_run(stage):
        return None
    failed_events, accepted_events = (list(map(with_own_texts, group)) for group in (failed, accepted))
    for conversion in _habit_conversions(failed_events, accepted_events):
        converted = [conversion.of_session(session) for session in (*failed, *accepted)]
        variant = _stage_with_options(stage, conversion, converted[: len(failed)])
        habit_alone = conversion.alone(variant)
        if mistakes_that_explain(stage, [habit_alone], converted):
            return HabitExplanation(conversion, [habit_alone])
        unexplained = (
            session
            for session in converted[: len(failed)]
            if not mistakes_that_explain(stage, [habit_alone], [session])
        )
        if len(list(islice(unexplained, _MIN_UNEXPLAINED))) == _MIN_UNEXPLAINED:
            mistakes = mistakes_that_explain(stage, map(conversion.of_mistake, mistakes_of_stage(variant)), converted)
            if mistakes:
                return HabitExplanation(conversion, mistakes)
    return None


def _stage_with_options(stage: Stage, conversion: HabitConversion, failed: Sequence[JudgedSession]) -> Stage:
    """The stage with the options that, in a program with the habit of `conversion`, explain most of these sessions."""

    def run_of(variant: Stage) -> ExpectedRun:
        right = right_run(variant)
        assert right is not None
        return conversion.of_run(right)

    return with_best_options(stage, run_of, failed)


def with_own_texts(judged: JudgedSession) -> EventsPair:
    """The expected events of a session, with free texts as the submission prints them, and the actual events.

    A free text is one that a program may word freely (`compare: free`). All events are normalized by the policy, so
    that an ignored empty line does not hide a habit. Events after `last_relevant_read`, if it is set, are left out.
    """
    actual = judged.actual.events
    expected, policy = with_submission_texts(judged.expected or actual, actual, judged.policy)
    if judged.last_relevant_read is not None:
        expected = cut_after_read(Transcript(expected), judged.last_relevant_read).events
        actual = cut_after_read(judged.actual, judged.last_relevant_read).events
    return relaxed(expected, policy), relaxed(actual, policy)


def _habit_conversions(failed: Sequence[EventsPair], accepted: Sequence[EventsPair]) -> Iterator[HabitConversion]:
    """Yields a conversion for each habit of the text that shows at the beginning of enough failed sessions."""
    pairs_by_session = [leading_pairs(*session) for session in failed]
    first_differences = [next((pair for pair in pairs if pair[0] != pair[1]), None) for pairs in pairs_by_session]
    for detector in DETECTORS:
        session_count = sum(pair is not None and _is_undone(detector, pair) for pair in first_differences)
        if session_count >= _MIN_WITH_HABIT and detector.is_plausible(failed):
            yield HabitConversion(detector.habit, detector.undo, detector.undo)
    slips = [
        slip
        for slip in slips_in(pairs_by_session, [leading_pairs(*session) for session in accepted])
        if slip.session_count >= _MIN_WITH_HABIT
    ]
    if len(slips) > _MAX_SLIPS:
        return
    # First all slips together, then each alone.
    combined_changes = [[slip.change for slip in slips]] if len(slips) > 1 else []
    for changes in (*combined_changes, *([slip.change] for slip in slips)):
        # The reference gets the wrong words; `tuple` leaves the events of the submission as they are.
        yield HabitConversion(habit_of_changes(changes), partial(_events_with_changes, changes=changes), tuple)


def _is_undone(detector: HabitDetector, pair: LinePair) -> bool:
    """Whether the two lines of a pair are equal once the detector's habit is undone."""
    expected, actual = ((Shown(line + b"\n"),) for line in pair)
    return detector.undo(expected) == detector.undo(actual)


def _events_with_changes(events: Events, changes: Sequence[WordChange]) -> Events:
    return with_texts(events, lambda text: changed(text, changes))


def _converted_transcript(transcript: Transcript, conversion: EventsConversion) -> Transcript:
    return msgspec.structs.replace(transcript, events=conversion(transcript.events))
