"""Finds the wrong programs that the sessions so far would have shown.

A session shows a wrong program if that program, run on the session's draws and typed lines, behaves differently from
the reference, and if the judge would have rejected the program for the difference. To decide whether the judge would
reject the program, its session is read back and replayed like a submission's session: the program is rejected if no
reference of the stage explains the session.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Draws, Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.cases import Session
from pitboss.compare.comparison import first_difference
from pitboss.errors import HarnessError
from pitboss.experiments.catalogue import visible_mistakes
from pitboss.experiments.relation import Experiment, Observation, run_in_session
from pitboss.model.transcript import Transcript
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.references import ExpectedRun
from pitboss.unseeded.choice import Choice, Selection
from pitboss.unseeded.randomness import NEVER, twice_in_a_bag
from pitboss.unseeded.reader import DrawnSession, Reading, invented_draws, reader_of, rule_counts
from pitboss.unseeded.replay import rank_of_agreement


class AcceptedSession(NamedTuple):
    """An accepted session: the submission's run with the draws that it shows, and the correct program's transcript."""

    drawn: DrawnSession
    expected: Transcript

    def experiment(self, stage: Stage) -> Experiment:
        """An experiment that runs other programs on the session's draws and input.

        Free texts (which programs may word freely, `compare: free`) are compared with the texts of the reference, not
        with the texts that the submission shows.
        """
        case = self.drawn.session.case
        policy = case.policy.with_accepted_texts({})
        return Experiment(self.expected, policy, stage, case.invocation, self.drawn.reading.draws)


#: In a session, a wrong program may differ from the reference without being certainly rejected. After this many such
#: sessions, no more single sessions are examined: all sessions together decide whether the program is rejected.
_MAX_UNDECIDED = 10
#: A wrong program is judged by one session, then by 6, by 24 and by all sessions, until it is rejected: usually a few
#: sessions are enough.
_TRIAL_SIZES = (1, 6, 24)


class Showing:
    """Finds which wrong programs the sessions so far have shown.

    Each program is run on one session after another until a session shows the program, so programs that are shown early
    take little time.
    """

    def __init__(
        self,
        selection: Selection,
        wrong: Sequence[WrongProgram],
        choice: Choice,
        conditions: Conditions,
        earlier: Showing | None = None,
    ) -> None:
        """Begin without sessions; `selection`, a selection of `choice`, explains the sessions that are added later.

        Sessions that showed a program in `earlier`, for another selection, will likely show it again: they come first.
        """
        self._promising = earlier.showing_sessions if earlier else frozenset[str]()
        self._stage, self._conditions = selection.stage, conditions
        self._read, self._breaker = reader_of(selection.stage), CircuitBreaker()
        # Alternatives: the other references, and the selected reference with other settings.
        self._right_run, self._alternatives = choice.run_of(selection), choice.alternative_runs(selection)
        self._unshown = list(wrong)
        self._sessions: list[AcceptedSession] = []
        #: By the id of a wrong program, the indexes of sessions in which the program differs from the reference but is
        #: not certainly rejected.
        self._undecided: dict[str, list[int]] = {}
        #: By the id of a wrong program, its trial by all sessions; missing while single sessions decide.
        self._trials: dict[str, _RejectionTrial] = {}
        #: What the alternatives do in the last session; None until it is needed.
        self._observed_alternatives: list[Observation] | None = None
        #: By the id of a wrong program, the index of the session that first showed the program.
        self.shown: dict[str, int] = {}

    @property
    def showing_sessions(self) -> frozenset[str]:
        """The names of the sessions that have shown wrong programs."""
        return frozenset(self._sessions[index].drawn.session.name for index in self.shown.values())

    @property
    def missing(self) -> tuple[WrongProgram, ...]:
        return tuple(self._unshown)

    def is_accepted_variant(self, program: WrongProgram) -> bool:
        """Whether a program that was not shown differs in some sessions, but an alternative explains all sessions."""
        # Only a program that differs in some sessions has a trial. A program that its trial rejects counts as shown.
        return program.id in self._trials

    def add(self, accepted: Sequence[AcceptedSession]) -> None:
        """Use further sessions, cheap ones first: a program that cheap sessions show need not be run on the others."""
        for session in sorted(accepted, key=lambda one: (one.drawn.session.name not in self._promising, _cost(one))):
            self._add(session)
        for program in list(self._unshown):
            if self._undecided.get(program.id) and self._is_rejected_by_all_sessions(program):
                self._mark_shown(program)

    def _add(self, accepted: AcceptedSession) -> None:
        self._sessions.append(accepted)
        self._observed_alternatives = None
        experiments = list(self._experiments(accepted)) if self._unshown else []
        for program in list(self._unshown) if experiments else ():
            if len(self._undecided.get(program.id, ())) < _MAX_UNDECIDED and self._certainly_shows(
                program, accepted, experiments
            ):
                self._mark_shown(program)

    def _mark_shown(self, program: WrongProgram) -> None:
        """Record that the last session has shown a wrong program."""
        self.shown[program.id] = len(self._sessions) - 1
        self._unshown.remove(program)

    def _certainly_shows(
        self, program: WrongProgram, accepted: AcceptedSession, experiments: Sequence[Experiment]
    ) -> bool:
        """Whether the last session certainly shows a wrong program.

        If the program differs without being certainly rejected, the session is recorded as undecided.
        """
        observation = experiments[0].observed(program.run)
        if observation is None:  # the program fails or does not end, unlike the reference
            return True
        if not observation.differs or not all(experiment.differs(program.run) for experiment in experiments[1:]):
            return False
        if self._is_certainly_rejected(accepted, observation):
            return True
        self._undecided.setdefault(program.id, []).append(len(self._sessions) - 1)
        return False

    def _is_certainly_rejected(self, accepted: AcceptedSession, observation: Observation) -> bool:
        """Whether a wrong program's session is certainly rejected; False if that needs a closer examination.

        It is if it cannot be read to its end. Otherwise the draws that are read back must be those that the wrong
        program used, as far as it showed them, and the right reference must not explain the session. An alternative
        that explains it, maybe with a further change, behaves like the wrong program where that first differs from the
        right reference. If none does, no reference explains the session.
        """
        drawn = self._read_session(accepted, observation.transcript)
        if drawn is None or drawn.reading.problem is not None:
            return drawn is not None
        pairs = zip_longest(drawn.reading.draws, observation.draws)
        if any(used is None or shown not in {None, used} for shown, used in pairs):
            return False
        case = accepted.drawn.session.case
        experiment = Experiment(
            observation.transcript, case.policy, self._stage, case.invocation, drawn.reading.draws, is_submission=True
        )
        right_observation = experiment.observed(self._right_run)
        if right_observation is None or not right_observation.differs:  # a reference that fails is no evidence
            return False
        if None in drawn.reading.draws and experiment.is_explained_by(self._right_run):
            return False
        rank = rank_of_agreement(observation.difference)
        return not any(
            rank_of_agreement(first_difference(alternative, observation.transcript, case.policy)) > rank
            for alternative in self._alternatives_that_differ_at(rank, accepted)
        )

    def _is_rejected_by_all_sessions(self, program: WrongProgram) -> bool:
        """Whether no reference explains all sessions of a wrong program.

        The sessions in which the program differs from the reference are tried first.
        """
        trial = self._trials.setdefault(
            program.id, _RejectionTrial(Choice(self._stage, self._conditions), self._stage.draws)
        )
        differing_indexes = sorted(self._undecided[program.id], key=lambda index: _cost(self._sessions[index]))
        ordered_indexes = [
            index
            for index in dict.fromkeys((*differing_indexes, *range(len(self._sessions))))
            if index not in trial.indexes
        ]
        for start, end in pairwise((0, *_TRIAL_SIZES, len(ordered_indexes))):
            indexes = ordered_indexes[start:end]
            if not indexes:
                break
            trial.indexes.update(indexes)
            sessions = (self._run_and_read(program, self._sessions[index]) for index in indexes)
            if trial.is_rejected_with([session for session in sessions if session is not None]):
                return True
        return False

    def _run_and_read(self, program: WrongProgram, accepted: AcceptedSession) -> DrawnSession | None:
        """Run a wrong program and read its session like a submission's; None if the run or the reading fails."""
        experiment = next(self._experiments(accepted), None)
        observation = experiment.observed(program.run) if experiment is not None else None
        return self._read_session(accepted, observation.transcript) if observation is not None else None

    def _alternatives_that_differ_at(self, rank: int, accepted: AcceptedSession) -> Iterator[Transcript]:
        """Yield what alternatives do that first differ from the right reference in the last session at a position.

        `rank`: see `rank_of_agreement`.
        """
        if self._observed_alternatives is None:
            observations = map(next(self._experiments(accepted)).observed, self._alternatives)
            self._observed_alternatives = [observation for observation in observations if observation is not None]
        for observation in self._observed_alternatives:
            if rank_of_agreement(observation.difference) == rank:
                yield observation.transcript

    def _read_session(self, accepted: AcceptedSession, transcript: Transcript) -> DrawnSession | None:
        """Read a wrong program's session like a submission's; None if the session cannot be read."""
        try:
            reading = self._breaker.call(self._read, transcript.events)
            session = msgspec.structs.replace(accepted.drawn.session, stage=self._stage)
            return DrawnSession(session, transcript, reading)
        except HarnessError:
            return None

    def _experiments(self, accepted: AcceptedSession) -> Iterator[Experiment]:
        """Yield an experiment on the draws of a session.

        If some draws were never shown, yield up to two experiments, with different guesses of these draws. Guesses with
        which the reference behaves differently are left out.
        """
        experiment, possible_draws = accepted.experiment(self._stage), self._stage.draws
        if None not in accepted.drawn.reading.draws:
            yield experiment
            return
        # A guess takes the possible values in their order, so the reversed order gives other guesses.
        for values in (possible_draws.values, possible_draws.values[::-1]):
            stage = msgspec.structs.replace(self._stage, draws=Draws(values, possible_draws.bag))
            guessed_experiment = msgspec.structs.replace(experiment, stage=stage)
            observation = guessed_experiment.observed(self._right_run)
            if observation is not None and not observation.differs:
                yield guessed_experiment


def _cost(accepted: AcceptedSession) -> tuple[bool, int]:
    """A sort key for the time that judging a session takes: longest if draws that were never shown must be guessed."""
    return None in accepted.drawn.reading.draws, len(accepted.expected.events)


class _RejectionTrial:
    """Judges the sessions of one wrong program like a submission's sessions."""

    def __init__(self, choice: Choice, possible_draws: Draws) -> None:
        self._choice, self._possible_draws = choice, possible_draws
        self._sessions: list[DrawnSession] = []
        #: The indexes, among all accepted sessions, of the sessions that were tried.
        self.indexes: set[int] = set()

    def is_rejected_with(self, sessions: Sequence[DrawnSession]) -> bool:
        """Add sessions; return whether the program is rejected because no reference explains all its sessions."""
        possible_draws, readings = self._possible_draws, [session.reading for session in sessions]
        if any(reading.problem is not None for reading in readings):
            return True
        if possible_draws.bag and any(twice_in_a_bag(possible_draws, reading.draws) for reading in readings):
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
    """A wrong program; any program with the same behaviour must be rejected."""

    id: str
    #: A clause that describes the program's error and can be quoted.
    title: str
    #: The function that runs the program on an input script and draws, like a reference.
    run: ExpectedRun


def wrong_programs(stage: Stage, judged_as: str) -> tuple[WrongProgram, ...]:
    """The wrong programs that sessions must show before the evidence is enough: the known mistakes of a stage.

    Mistakes that no session can show are left out. `judged_as` is the name of the tolerated reference by which the
    submission is judged; empty for the stage's own reference.

    Raises SpecError if the catalogue cannot be read.
    """
    mistakes = visible_mistakes(stage, judged_as)
    return tuple(WrongProgram(mistake.id, mistake.title, mistake.runs[stage.name]) for mistake in mistakes)


#: Players rehearse until each wrong program was shown this often.
_ENOUGH_REHEARSALS = 5
#: A wrong program is sought no longer if by its rehearsals it should have been shown this often.
_ENOUGH_FRUITLESS = 5


class Rehearsals:
    """Sessions of the reference with invented draws, which tell which players show a wrong program, and how often.

    A mistake may show once in a thousand sessions of most players, and once in ten of a player of many rounds.
    """

    def __init__(self, stage: Stage, right: ExpectedRun, excluded: Sequence[ExpectedRun]) -> None:
        """`stage` has the setting of the submission, and `right` is the reference that explains the submission.

        A session in which one of the programs `excluded` differs from the reference shows nothing.
        """
        self._stage, self._right, self._excluded = stage, right, excluded
        #: How many rehearsals of each player there were, and how many of them showed a wrong program, by its id.
        self._counts, self._shown_counts = Counter[str](), dict[str, Counter[str]]()

    def prospects(
        self,
        missing: Sequence[WrongProgram],
        players: Mapping[str, Callable[[int], Session]],
        max_count: int,
        fruitless: Mapping[str, int],
    ) -> dict[str, float] | None:
        """Return how much the sessions of players promise to show missing programs, by the players' names, in shares.

        Rehearses until each missing program was shown often enough, at most `max_count` times in total. `players` are
        functions that return rehearsal number 1, 2, …. `fruitless` are the numbers of sessions that have shown none of
        the missing programs, by the player. Players without prospects are left out. Returns None if the fruitless
        sessions should have shown each missing program that a rehearsal shows.
        """
        for number in range(1, max_count // max(1, len(players)) + 1):
            for name, rehearsal_of in players.items():
                if self._counts[name] < number:
                    self._counts[name] = number
                    self._shown_counts.setdefault(name, Counter()).update(self._shown(rehearsal_of(number), missing))
            shown_counts = sum((self._shown_counts[name] for name in players), Counter[str]())
            if all(shown_counts[program.id] >= _ENOUGH_REHEARSALS for program in missing):
                break
        prospects, is_rehearsed = dict[str, float](), True
        for program in missing:
            shares = {
                name: self._shown_counts[name][program.id] / self._counts[name]
                for name in players
                if self._counts[name]
            }
            total = sum(shares.values())
            is_rehearsed = is_rehearsed and total > 0
            if sum(share * fruitless.get(name, 0) for name, share in shares.items()) < _ENOUGH_FRUITLESS:
                prospects |= {name: prospects.get(name, 0) + share / total for name, share in shares.items() if share}
        return prospects if prospects or not is_rehearsed else None

    def _shown(self, session: Session, missing: Sequence[WrongProgram]) -> list[str]:
        """The ids of the wrong programs that one session shows."""
        draws = invented_draws(self._stage.draws, session.number)
        try:
            transcript = run_in_session(self._right, session, draws)
            drawn = DrawnSession(session, transcript, Reading(draws.given))
            experiment = AcceptedSession(drawn, transcript).experiment(self._stage)
            shown = [program.id for program in missing if experiment.differs(program.run)]
            return [] if shown and any(map(experiment.differs, self._excluded)) else shown
        except HarnessError:
            return []


#: The sessions are run in this many parts. A wrong program that the first part does not show is not tried in the
#: others; if no event occurs in the first part, the others are not run.
_PARTS = 8


def never_shown_sentences(
    stage: Stage,
    sessions: Sequence[Session],
    reference: ExpectedRun,
    rules: Sequence[str],
    wrong: Sequence[WrongProgram],
) -> tuple[str, ...]:
    """A sentence on each rule and wrong program that the sessions never showed, unless chance may be the reason.

    Even if each value is drawn as often as it should be, some event may never occur: a program that draws again instead
    of ending in a tie never ends in a tie. No single output shows that. So the reference plays the same sessions, with
    its own draws. If the program's draws are as random as the reference's, each session in which the event occurs is
    equally likely to be the program's or the reference's. So if it occurs in n sessions, the probability that all n are
    the reference's is at most 2 ** -n (Fisher's exact test, with equally many sessions of each player on both sides).

    `sessions` are all sessions of a program that has the setting of `stage`. `reference` is run in the same sessions
    with its own draws; the result is empty if one of these runs fails.
    """
    read, breaker = reader_of(stage), CircuitBreaker()
    rules_by_sentence = {f"{name!r} never occurred": name for name in rules}
    programs_by_sentence = {f"A session that shows “{program.title}” never occurred": program for program in wrong}
    searched, occurrences = {*rules_by_sentence, *programs_by_sentence}, Counter[str]()

    def occurring_events(session: Session) -> Iterator[str]:
        """Run the reference in a session; yield the sentences on the events that occur."""
        transcript = run_in_session(reference, session)
        rule_occurrences = breaker.call(rule_counts, stage, transcript.events)
        reading = breaker.call(read, transcript.events)
        experiment = AcceptedSession(DrawnSession(session, transcript, reading), transcript).experiment(stage)
        yield from (sentence for sentence, name in rules_by_sentence.items() if rule_occurrences[name])
        # If some draws are unknown, it is unknown too what the wrong program would have done.
        for sentence, program in programs_by_sentence.items() if None not in reading.draws else ():
            if sentence in searched and experiment.differs(program.run):
                yield sentence

    try:
        for part in range(_PARTS):
            for session in sessions[part::_PARTS] if searched else ():
                occurrences.update(occurring_events(session))
            searched = {sentence for sentence in searched if occurrences[sentence]}
    except HarnessError:
        return ()
    return tuple(
        f"{sentence} in {len(sessions):,} sessions, but in {occurrences[sentence]:,} of as many sessions of the "
        "reference. Each value may be drawn as often as it should, but their combinations are not."
        for sentence in (*rules_by_sentence, *programs_by_sentence)
        # Times the number of events, since chance has that many opportunities to leave out an event.
        if (len(rules_by_sentence) + len(programs_by_sentence)) * 0.5 ** occurrences[sentence] < NEVER
    )
