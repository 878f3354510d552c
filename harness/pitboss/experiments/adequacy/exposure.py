"""Finds the wrong programs that the sessions so far would have shown.

A session shows a wrong program if that program, run on the session's draws and typed lines, behaves differently from
the reference, and if the judge would have rejected the program for the difference. To find out, the wrong program's
session is read back and replayed like a submission's: the program is rejected if no reference of the stage explains
the session.

The catalogue of known mistakes is one source of wrong programs. To add another, add a function of the same form to
SOURCES.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Draws, Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.errors import HarnessError
from pitboss.experiments.catalogue import mistakes_beside, mistakes_of
from pitboss.experiments.relation import Experiment, Observation
from pitboss.model.transcript import Transcript
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.references import ExpectedRun
from pitboss.unseeded.choice import Choice, Selection
from pitboss.unseeded.drawn import DrawnSession
from pitboss.unseeded.randomness import twice_in_a_bag
from pitboss.unseeded.reader import reader_of
from pitboss.unseeded.replay import progress


class AcceptedSession(NamedTuple):
    """An accepted session: how it was read, and what the correct program did in it."""

    drawn: DrawnSession
    expected: Transcript

    def experiment(self, stage: Stage) -> Experiment:
        """An experiment that runs other programs on the session's draws and input, with the reference's free texts."""
        case = self.drawn.session.case
        policy = case.policy.with_accepted_texts({})
        return Experiment(self.expected, policy, stage, case.invocation, self.drawn.reading.draws)


#: At most this many sessions are collected in which a wrong program differs but is not certainly rejected; then all
#: sessions so far decide.
_UNJUDGED = 3
#: A wrong program is judged after this many of its sessions: usually a few sessions are enough to reject it.
_TRIED = (1, 6, 24)


class Showing:
    """Which wrong programs have been shown by the sessions so far.

    Each program is run on one session after another until a session shows it, so programs shown early cost little.
    """

    def __init__(
        self, selection: Selection, wrong: Sequence[WrongProgram], choice: Choice, conditions: Conditions
    ) -> None:
        """Begin without sessions; `selection`, made by `choice`, explains the sessions that are added later."""
        self._stage, self._conditions = selection.stage, conditions
        self._read, self._patience = reader_of(selection.stage), CircuitBreaker()
        self._right, self._others = choice.run_of(selection), choice.alternative_runs(selection)
        self._missing = list(wrong)
        self._accepted: list[AcceptedSession] = []
        #: By the id of a wrong program, the indexes of sessions in which it differs but is not certainly rejected.
        self._unjudged: dict[str, list[int]] = {}
        #: By id, the wrong programs that differ from the reference, but that another reference has explained so far.
        self._doubts: dict[str, _Doubt] = {}
        #: By index of a session, where other references first differ from the right reference; computed when needed.
        self._partings: dict[int, set[int]] = {}
        #: By the id of a wrong program, the index of the first session that showed it.
        self.shown: dict[str, int] = {}

    @property
    def missing(self) -> tuple[WrongProgram, ...]:
        """The wrong programs that no session has shown."""
        return tuple(self._missing)

    @property
    def count(self) -> int:
        """How many sessions have been used so far."""
        return len(self._accepted)

    def is_accepted_variant(self, program: WrongProgram) -> bool:
        """Whether a missing wrong program differs in some sessions, but another reference explains all its sessions."""
        return program.id in self._doubts

    def add(self, accepted: Sequence[AcceptedSession]) -> None:
        """Use further sessions, the cheapest first: programs that cheap sessions show need not be run on the others."""
        for session in sorted(accepted, key=_work):
            self._add(session)
        for wrong in list(self._missing):
            if self._unjudged.get(wrong.id) and self._is_rejected_in_the_end(wrong):
                self._note(wrong)

    def _add(self, accepted: AcceptedSession) -> None:
        self._accepted.append(accepted)
        experiments = list(self._experiments(accepted)) if self._missing else []
        for program in list(self._missing) if experiments else ():
            if len(self._unjudged.get(program.id, ())) < _UNJUDGED and self._is_exposed(program, accepted, experiments):
                self._note(program)

    def _note(self, program: WrongProgram) -> None:
        """Note that a wrong program has been shown."""
        self.shown[program.id] = len(self._accepted) - 1
        self._missing.remove(program)

    def _is_exposed(self, program: WrongProgram, accepted: AcceptedSession, experiments: Sequence[Experiment]) -> bool:
        """Whether the last session certainly shows a wrong program."""
        first = experiments[0].observed(program.run)
        if first is None:  # the program fails or does not end, unlike the reference
            return True
        if not first.differs or not all(experiment.differs(program.run) for experiment in experiments[1:]):
            return False
        if self._is_rejected(accepted, first):
            return True
        self._unjudged.setdefault(program.id, []).append(len(self._accepted) - 1)
        return False

    def _is_rejected(self, accepted: AcceptedSession, wrong: Observation) -> bool:
        """Whether a wrong program's session is certainly rejected; False if only a closer look can tell.

        If the draws that are read back are the draws that the wrong program used, a reference that explains the session
        must first differ from the right reference where the wrong program does. If no reference differs there, none
        explains the session.
        """
        drawn = self._drawn(accepted, wrong.transcript)
        if drawn is None or drawn.reading.draws != wrong.draws:
            return False
        case = accepted.drawn.session.case
        experiment = Experiment(
            wrong.transcript, case.policy, self._stage, case.invocation, wrong.draws, is_submission=True
        )
        right = experiment.observed(self._right)
        is_rejected = right is not None and right.difference is not None
        return is_rejected and progress(wrong.difference) not in self._reference_differences(accepted)

    def _is_rejected_in_the_end(self, program: WrongProgram) -> bool:
        """Whether no reference explains a wrong program's sessions; tries the sessions in which it differs first."""
        doubt = self._doubts.setdefault(program.id, _Doubt(Choice(self._stage, self._conditions), self._stage.draws))
        differing = sorted(self._unjudged[program.id], key=lambda index: _work(self._accepted[index]))
        order = [
            index for index in dict.fromkeys((*differing, *range(len(self._accepted)))) if index not in doubt.indexes
        ]
        for start, end in pairwise((0, *_TRIED, len(order))):
            indexes = order[start:end]
            if not indexes:
                break
            doubt.indexes.update(indexes)
            sessions = (self._session_of(program, self._accepted[index]) for index in indexes)
            if doubt.is_settled_by([session for session in sessions if session is not None]):
                return True
        return False

    def _session_of(self, program: WrongProgram, accepted: AcceptedSession) -> DrawnSession | None:
        """Run a wrong program and read its session like a submission's; None if the run or the reading fails."""
        experiment = next(self._experiments(accepted), None)
        wrong = experiment.observed(program.run) if experiment is not None else None
        return self._drawn(accepted, wrong.transcript) if wrong is not None else None

    def _reference_differences(self, accepted: AcceptedSession) -> set[int]:
        """Where the other references first differ from the right reference in the last session."""
        index = len(self._accepted) - 1
        if index not in self._partings:
            observed = map(next(self._experiments(accepted)).observed, self._others)
            self._partings[index] = {
                progress(observation.difference) for observation in observed if observation is not None
            }
        return self._partings[index]

    def _drawn(self, accepted: AcceptedSession, transcript: Transcript) -> DrawnSession | None:
        """Read a wrong program's session like a submission's; None if the session cannot be read."""
        try:
            reading = self._patience.call(self._read, transcript.events)
            session = msgspec.structs.replace(accepted.drawn.session, stage=self._stage)
            return DrawnSession(session, transcript, reading)
        except HarnessError:
            return None

    def _experiments(self, accepted: AcceptedSession) -> Iterator[Experiment]:
        """Yield an experiment on the draws of a session; two with different guesses if some draws were never shown.

        Guesses with which the reference behaves differently are left out.
        """
        experiment, source = accepted.experiment(self._stage), self._stage.draws
        if None not in accepted.drawn.reading.draws:
            yield experiment
            return
        for values in (source.values, source.values[::-1]):
            stage = msgspec.structs.replace(self._stage, draws=Draws(values, source.bag))
            guess = msgspec.structs.replace(experiment, stage=stage)
            observation = guess.observed(self._right)
            if observation is not None and not observation.differs:
                yield guess


def _work(accepted: AcceptedSession) -> tuple[bool, int]:
    """A sort key: how much work it is to judge a session; guessing draws that were never shown takes the longest."""
    return None in accepted.drawn.reading.draws, len(accepted.expected.events)


class _Doubt:
    """The sessions of one wrong program, judged like a submission's."""

    def __init__(self, choice: Choice, source: Draws) -> None:
        self._choice, self._source = choice, source
        self._sessions: list[DrawnSession] = []
        #: The indexes of the sessions that were tried, among all accepted sessions.
        self.indexes: set[int] = set()

    def is_settled_by(self, sessions: Sequence[DrawnSession]) -> bool:
        """Add sessions, and return whether the program is rejected: no reference explains all its sessions."""
        if any(session.reading.problem is not None for session in sessions):
            return True
        if self._source.bag and any(twice_in_a_bag(self._source, session.reading.draws) for session in sessions):
            return True
        self._sessions += sessions
        selection = self._choice.select(self._sessions)
        for session, replayed in zip(selection.drawn, selection.replays, strict=True):
            if replayed is None or replayed.failure or session.transcript is None:
                continue
            if replayed.difference is not None or not replayed.expected.ending.admits(session.transcript.ending):
                return True
        return False


class WrongProgram(msgspec.Struct, frozen=True):
    """A wrong program; any program that behaves like it must be rejected."""

    id: str
    #: What the program does wrong, as a clause that can be quoted.
    title: str
    #: Runs the program on an input script and draws, as a reference is run.
    run: ExpectedRun


#: Returns wrong programs of a stage. The string names the tolerated reference that is right; it is empty if the
#: stage's own reference is right.
Source = Callable[[Stage, str], Iterable[WrongProgram]]


def detectable_mistakes(stage: Stage, judged_as: str) -> Iterable[WrongProgram]:
    """The wrong programs of a stage's known mistakes, except mistakes that no session can show.

    Raises SpecError if the catalogue cannot be read.
    """
    mistakes = mistakes_beside(stage, judged_as) if judged_as else mistakes_of(stage)
    for mistake in mistakes:
        run = mistake.run_of(stage.name)
        if run is not None and not mistake.invisible:
            yield WrongProgram(mistake.id, mistake.title, run)


SOURCES: tuple[Source, ...] = (detectable_mistakes,)


def wrong_programs(stage: Stage, judged_as: str, sources: Sequence[Source] = SOURCES) -> tuple[WrongProgram, ...]:
    """All wrong programs that the sessions of a stage must have shown; raises SpecError if a source cannot be read."""
    return tuple(program for source in sources for program in source(stage, judged_as))
