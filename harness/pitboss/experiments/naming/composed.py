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
from pitboss.compare.reading_texts import settled
from pitboss.experiments.catalogue import Catalogue, Mistake
from pitboss.experiments.naming.explaining import explaining, right_run
from pitboss.experiments.naming.habits import DETECTORS, Events, Habit, HabitDetector, Session, habit_of_changes
from pitboss.experiments.naming.hidden_options import with_options
from pitboss.experiments.naming.text_rewrites import LinePair, WordChange, changed, leading_pairs, slips_in
from pitboss.experiments.relation import cut_after_read, with_reading
from pitboss.model.relaxation import relaxed
from pitboss.model.transcript import Shown, Transcript, with_texts
from pitboss.sessions.references import ExpectedRun

#: The minimum number of failed sessions that show a habit of the text, and that the habit alone does not explain.
_LEAST, _LEAST_BESIDE = 3, 2
#: The author of a program with more slips in its text than this did not look at the texts of the assignment.
_MAX_SLIPS = 4

Reading = Callable[[Events], Events]


class Lens(NamedTuple):
    """A habit of the text, and how sessions are converted to be compared despite this habit."""

    habit: Habit
    #: Converts the events of a reference before comparison.
    of_reference: Reading
    #: Converts the events of the submission before comparison.
    of_program: Reading

    def of_run(self, run: ExpectedRun) -> ExpectedRun:
        """The program that `run` runs, with this habit."""
        return with_reading(run, partial(_changed, reading=self.of_reference))

    def of_session(self, judged: JudgedSession) -> JudgedSession:
        """A session of the submission, converted for comparison with a program with this habit."""
        actual = _changed(judged.actual, self.of_program)
        return judged if actual == judged.actual else msgspec.structs.replace(judged, actual=actual)

    def of_mistake(self, mistake: Mistake) -> Mistake:
        """A mistake in a program with this habit."""
        return msgspec.structs.replace(
            mistake,
            id=f"{mistake.id}+{self.habit.id}",
            title=f"{mistake.title}; besides, in its texts: {self.habit.title}",
            hint=f"{mistake.hint} Compare its texts with those of the assignment letter by letter.",
            runs={stage: self.of_run(run) for stage, run in mistake.runs.items()},
        )

    def alone(self, stage: Stage) -> Mistake:
        """The correct program of a stage with this habit."""
        habit, right = self.habit, right_run(stage)
        assert right is not None
        note = "Found by comparing text."
        return Mistake(habit.id, habit.title, habit.hint, note, "", "", {stage.name: self.of_run(right)})


class Through(NamedTuple):
    """The mistakes that explain all sessions of a program with a habit of the text."""

    lens: Lens
    #: Each mistake in a program with the habit, or the habit alone if this explains all sessions.
    mistakes: list[Mistake]


def found_through(
    stage: Stage, catalogue: Catalogue, failed: Sequence[JudgedSession], accepted: Sequence[JudgedSession]
) -> Through | None:
    """A habit of the text and mistakes that together explain all sessions; None if there are none.

    A habit also hides which options a program has, so the options are determined again.
    """
    if not right_run(stage):
        return None
    sessions = [list(map(with_own_texts, group)) for group in (failed, accepted)]
    for lens in _lenses(*sessions):
        converted = [lens.of_session(session) for session in (*failed, *accepted)]
        variant = _with_options(stage, lens, converted[: len(failed)])
        habit_alone = lens.alone(variant)
        if explaining(stage, [habit_alone], converted):
            return Through(lens, [habit_alone])
        unexplained = (
            session for session in converted[: len(failed)] if not explaining(stage, [habit_alone], [session])
        )
        if len(list(islice(unexplained, _LEAST_BESIDE))) == _LEAST_BESIDE:
            mistakes = explaining(stage, map(lens.of_mistake, catalogue(variant)), converted)
            if mistakes:
                return Through(lens, mistakes)
    return None


def _with_options(stage: Stage, lens: Lens, failed: Sequence[JudgedSession]) -> Stage:
    """The stage with the options that explain most of these sessions, compared through a lens."""

    def run_of(variant: Stage) -> ExpectedRun:
        right = right_run(variant)
        assert right is not None
        return lens.of_run(right)

    return with_options(stage, run_of, failed)


def with_own_texts(judged: JudgedSession) -> Session:
    """The expected events of a session, with free texts as the submission prints them, and the actual events.

    All events are relaxed by the policy, so that an ignored empty line does not hide a habit.
    """
    actual = judged.actual.events
    expected, policy = settled(judged.expected or actual, actual, judged.policy)
    if judged.reach is not None:
        expected = cut_after_read(Transcript(expected), judged.reach).events
        actual = cut_after_read(judged.actual, judged.reach).events
    return relaxed(expected, policy), relaxed(actual, policy)


def _lenses(failed: Sequence[Session], accepted: Sequence[Session]) -> Iterator[Lens]:
    """A lens for each habit of the text that shows at the beginning of enough failed sessions."""
    pairs = [leading_pairs(*session) for session in failed]
    first_differences = [next((pair for pair in lines if pair[0] != pair[1]), None) for lines in pairs]
    for detector in DETECTORS:
        undone_count = sum(pair is not None and _is_undone(detector, pair) for pair in first_differences)
        if undone_count >= _LEAST and detector.is_plausible(failed):
            yield Lens(detector.habit, detector.undo, detector.undo)
    slips = [
        slip for slip in slips_in(pairs, [leading_pairs(*session) for session in accepted]) if slip.sessions >= _LEAST
    ]
    if len(slips) > _MAX_SLIPS:
        return
    combined = [[slip.change for slip in slips]] if len(slips) > 1 else []
    for changes in (*combined, *([slip.change] for slip in slips)):
        yield Lens(habit_of_changes(changes), partial(_with_changes, changes=changes), tuple)


def _is_undone(detector: HabitDetector, pair: LinePair) -> bool:
    expected, actual = ((Shown(line + b"\n"),) for line in pair)
    return detector.undo(expected) == detector.undo(actual)


def _with_changes(events: Events, changes: Sequence[WordChange]) -> Events:
    return with_texts(events, lambda text: changed(text, changes))


def _changed(transcript: Transcript, reading: Reading) -> Transcript:
    return msgspec.structs.replace(transcript, events=reading(transcript.events))
