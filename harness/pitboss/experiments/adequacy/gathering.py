"""Judges a stage without a seed: runs sessions until the stage's rules have occurred and wrong programs are ruled out.

The sessions of the cases come first; as soon as a session is wrong, the stage is judged by the sessions so far.
Otherwise further sessions of the same players are run until every rule and every value of the draws has occurred, up to
the stage's maximum. Sessions beyond the maximum are run for two reasons: to rule out the remaining wrong programs, also
with players that no case has; and to decide whether it is chance that values never occurred, or that the draws do not
look random.

A wrong program is ruled out once a session has shown it: see `exposure`.

Which players type in further sessions depends only on earlier sessions and their draws, never on time or on workers.
Sessions with many draws carry the most evidence. So a player gets sessions in proportion to its draws per session and
to its weight, the number of sessions that its case declares; unusable sessions reduce its share. If the players of the
cases are not enough, the built-in player, which types random answers, gets every second session, and fewer sessions
once most of its sessions prove unusable. If only wrong programs are missing, every second session goes to the players
that show them in rehearsals: see `exposure.Rehearsals`.

A player that no case has may reach a situation for which the assignment defines no behaviour. So a session of such a
player can be used only if a reference explains the session, or if all steps before the first difference are steps of
some case. (A step is a question, a kind of answer, and what follows: see `hunting/questions`.) If the program ends
although the reference continues, that end must be a step of some case too: the program may have reached an undefined
situation and ended before its output showed that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import msgspec

from pitboss.assignments.assignment import Assignment, Case, Generated, Stage
from pitboss.assignments.cases import Session, sessions_of
from pitboss.compare.outcome import Outcome
from pitboss.compare.results import Verdict
from pitboss.errors import HarnessError, UsageError, as_found
from pitboss.experiments.adequacy.exposure import (
    AcceptedSession,
    Rehearsals,
    Showing,
    WrongProgram,
    never_shown_sentences,
    wrong_programs,
)
from pitboss.experiments.adequacy.named_sessions import (
    BUILT_IN,
    case_of,
    further_players,
    has_player_without_case,
    session_name_of_player,
)
from pitboss.experiments.hunting.games import random_player
from pitboss.experiments.hunting.questions import END, KnownGames, fixed_options, known_games, steps_of
from pitboss.experiments.programs.running import programs_ready
from pitboss.machine.pool import Pool
from pitboss.model.transcript import count_typed_lines
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.sessions.references import ExpectedRun
from pitboss.unseeded.choice import Selection
from pitboss.unseeded.randomness import MAX_TIMES
from pitboss.unseeded.reader import DrawnSession, reader_of
from pitboss.unseeded.replay import replay
from pitboss.unseeded.unseeded import Judge, run_and_read

#: The minimum number of further sessions that are run at a time.
_MIN_BATCH = 24
#: Once the number of sessions so far, divided by this number, is more than _MIN_BATCH, that many are run at a time.
_GROWTH_DIVISOR = 8
#: To rule out wrong programs, up to this many times the stage's maximum number of sessions are run.
_MAX_TIMES_FOR_WRONG = 10
#: How many rehearsals there may be for each session: together they take less time, a seventh of a session's each.
_REHEARSALS_PER_SESSION = 4
_NO_PROSPECTS: Mapping[str, float] = {}


@programs_ready()
def judge_unseeded(job: Job, stage: Stage, program: Program, sessions: Sequence[Session], pool: Pool) -> Outcome:
    """Run and judge sessions of a stage with a reader, then more sessions until there is enough evidence.

    Has the signature of `outcome.StageJudge`.
    """
    gathering = _Gathering(job, stage, program, pool)
    if any(map(has_player_without_case, sessions)):
        return gathering.rerun(sessions)
    outcome = gathering.run(sessions)
    while not job.only and (next_sessions := gathering.next_sessions(outcome)):
        outcome = gathering.run(next_sessions)
    return gathering.finished(outcome)


class _Gathering:
    """The sessions of one submission of one stage, and what they show."""

    def __init__(self, job: Job, stage: Stage, program: Program, pool: Pool) -> None:
        self._job, self._stage, self._program, self._pool = job, stage, program, pool
        # False for a session requested by --answers or --player, whose case has the spec file as its place. It is
        # judged alone: no wrong programs need to be ruled out.
        self._is_whole = all(case.place != str(stage.spec.path) for case in stage.spec.cases)
        self._judge, self._candidates = Judge(job, stage), Candidates(stage)
        self._drawn: list[DrawnSession] = []
        #: How many sessions were run, including sessions that cannot be used.
        self._count = 0
        #: A function that returns whether a session can be used; None while only the players of the cases are used.
        self._is_usable: Callable[[DrawnSession], bool] | None = None
        #: Finds which wrong programs the sessions rule out; None before any wrong program is tried.
        self._showing: Showing | None = None
        #: The indexes of the sessions that `_showing` has used.
        self._showing_indexes: frozenset[int] = frozenset()
        #: The description of the selection for which `_showing` was created.
        self._selection_description = ""
        #: The rehearsals for the selection with this description, without sessions in which these features come up.
        self._rehearsals: Rehearsals | None = None
        self._rehearsals_basis: tuple[str, tuple[str, ...]] = ("", ())
        #: The faults that occurred when `_showing` was created.
        self._faults: tuple[str, ...] = ()

    def run(self, sessions: Sequence[Session]) -> Outcome:
        """Run sessions; return the outcome of all sessions so far."""
        drawn = run_and_read(self._job, self._program, sessions, self._pool, self._judge.read)
        self._count += len(drawn)
        for session in drawn:
            is_used = self._is_used(session)
            self._candidates.record(session, is_used=is_used)
            if is_used:
                self._drawn.append(session)
        return self._judge.outcome(self._drawn)

    def _is_used(self, session: DrawnSession) -> bool:
        if self._is_usable is None:
            return True
        if session.session.case in self._stage.spec.cases:
            # A session is not run if too many sessions before it did not end. These may all be sessions that cannot be
            # used, so the session that was not run is no evidence against the program, and is left out.
            return session.transcript is not None
        return self._is_usable(session)

    def next_sessions(self, outcome: Outcome) -> list[Session]:
        """The sessions to run next; empty if there is enough evidence, or the maximum is reached."""
        maximum = self._stage.most_sessions
        if outcome.verdict is not Verdict.ACCEPTED:
            return self._next_batch(maximum) if outcome.needs_more and self._count < maximum else []
        is_rule_missing = any(not count for _, count in outcome.rules)
        needs_more = outcome.needs_more or is_rule_missing or self._judge.is_undecided(self._drawn)
        if self._count < maximum and needs_more:
            return self._next_batch(maximum)
        # If sessions are ignored, all sessions of a player may be: only other players can show the same wrong programs.
        if self._count < maximum and not outcome.ignored_results:
            prospects = self._prospects(outcome)
            if prospects is not None:
                return self._next_batch(maximum, prospects)
        # Draws that are not random may never show a mistake: they are decided before it is sought with other players.
        may_decide = self._count < MAX_TIMES * maximum and self._is_whole
        if may_decide and self._judge.is_undecided(self._drawn, MAX_TIMES * maximum / max(1, self._count)):
            return self._next_batch(MAX_TIMES * maximum)
        # A program some of whose sessions are ignored has a mistake already, and judging it takes long.
        most = maximum if outcome.ignored_results else _MAX_TIMES_FOR_WRONG * maximum
        if self._count < most and self._unshown_programs(outcome):
            if self._is_usable is None:
                self._add_other_players()
            prospects = self._prospects(outcome)
            if prospects is not None:
                return self._next_batch(most, prospects)
        return []

    def _next_batch(self, maximum: int, prospects: Mapping[str, float] = _NO_PROSPECTS) -> list[Session]:
        """The next sessions to run, so that at most `maximum` sessions are run in total.

        `prospects`: what the sessions of some players promise to show.
        """
        batch_size = max(_MIN_BATCH, self._count // _GROWTH_DIVISOR)
        return self._candidates.next_sessions(min(batch_size, maximum - self._count), prospects)

    def _prospects(self, outcome: Outcome) -> Mapping[str, float] | None:
        """How much the sessions of each player promise to show wrong programs that are missing: see `Rehearsals`.

        None if none is missing, or none can be shown: not in as many rehearsals as there may be sessions, or not in the
        sessions that are not ignored.
        """
        missing = self._unshown_programs(outcome)
        selection, choice = self._judge.selection, self._judge.choice
        if not missing:
            return None
        if selection.stage.reference.command:  # starting it takes as long as a session of the submission
            return _NO_PROSPECTS
        ignored = outcome.ignored_results
        features = [option for option, _ in selection.features(self._stage) if ignored and not option.is_tested]
        # Features because of which sessions are ignored: a rehearsal in which one of them came up would be ignored too.
        excluded = [
            feature
            for feature in features
            if all(
                index in ignored or choice.typed_before(selection, feature, index) is None
                for index in range(len(outcome.results))
            )
        ]
        basis = selection.description, tuple(feature.name for feature in excluded)
        if self._rehearsals is None or self._rehearsals_basis != basis:
            runs = [choice.run_with_change(selection, feature) for feature in excluded]
            self._rehearsals = Rehearsals(selection.stage, choice.run_of(selection), runs)
            self._rehearsals_basis = basis
        max_sessions = _MAX_TIMES_FOR_WRONG * self._stage.most_sessions
        max_rehearsals = min(_REHEARSALS_PER_SESSION * self._count, max_sessions)
        # Draws that never show a program although they should are wrong; but sessions that are ignored never show it.
        fruitless = self._candidates.session_counts if ignored else {}
        prospects = self._rehearsals.prospects(missing, self._candidates.rehearsals, max_rehearsals, fruitless)
        return prospects if prospects or max_rehearsals < max_sessions else None

    def _add_other_players(self) -> None:
        """From now on, also use players that no case has."""
        selection = self._judge.selection
        known = games_known_from_cases(selection)
        self._is_usable = usability_check(selection.stage, known, self._judge.choice.run_of(selection))
        self._candidates.add_players_without_case(self._job.assignment, known, self._judge.texts)

    def _unshown_programs(self, outcome: Outcome) -> tuple[WrongProgram, ...]:
        """The wrong programs that the sessions so far do not rule out.

        A session that is ignored rules out none: a program that is wrong only there is accepted.
        """
        showing, selection = self._showing, self._judge.selection
        indexes = frozenset(range(len(outcome.results))) - outcome.ignored_results
        has_other_basis = self._selection_description != selection.description or not self._showing_indexes <= indexes
        if showing is None or has_other_basis:
            showing, self._showing_indexes = self._new_showing(selection), frozenset()
            self._showing = showing
        new_indexes = sorted(indexes - self._showing_indexes)
        self._showing_indexes = indexes
        showing.add([AcceptedSession(selection.drawn[index], outcome.results[index].expected) for index in new_indexes])
        return showing.missing

    def _new_showing(self, selection: Selection) -> Showing:
        """A `Showing` without sessions, for the reference and the setting that now explain the submission."""
        self._selection_description, self._faults = selection.description, ()
        try:
            wrong = wrong_programs(selection.stage, selection.tolerated) if self._is_whole else ()
        except HarnessError as error:
            wrong, self._faults = (), (str(error),)
        return Showing(selection, wrong, self._judge.choice, self._job.conditions, self._showing)

    def rerun(self, requested: Sequence[Session]) -> Outcome:
        """Return the outcome of the requested sessions, some of which have players that no case has.

        Sessions of the cases' players are run first, since they determine what the other players type.
        """
        outcome = self.run(sessions_of(self._stage))
        while (next_sessions := self.next_sessions(outcome)) and self._is_usable is None:
            outcome = self.run(next_sessions)
        if self._is_usable is None:
            self._add_other_players()
        drawn_names = {session.session.name for session in self._drawn}
        missing_sessions = [session for session in requested if session.name not in drawn_names]
        outcome = self.run([self._candidates.session_like(session) for session in missing_sessions])
        names = {session.name for session in requested}
        results = tuple(result for result in outcome.results if result.session in names)
        if unused := names - {result.session for result in results}:
            raise UsageError(
                f"{self._stage.spec.path}: {as_found(min(unused))} types input whose effect no case defines, so it is "
                "not judged"
            )
        return msgspec.structs.replace(
            outcome, results=results, findings=(), draws=None, rules=(), ignored_results=frozenset()
        )

    def finished(self, outcome: Outcome) -> Outcome:
        """The outcome. For an accepted program, wrong programs that could not be ruled out are added."""
        if outcome.verdict is Verdict.WRONG_ANSWER:
            return self._outcome_of_known_mistake(outcome) or outcome
        if outcome.verdict is not Verdict.ACCEPTED or self._showing is None:
            return outcome
        missing = self._unshown_programs(outcome)
        if findings := self._never_shown_findings(outcome, missing):
            return msgspec.structs.replace(outcome, findings=findings)
        unshown = tuple(self._unshown_sentence(program) for program in missing)
        return msgspec.structs.replace(outcome, unshown=unshown, faults=self._faults)

    def _outcome_of_known_mistake(self, outcome: Outcome) -> Outcome | None:
        """The outcome under the setting with which a known mistake explains all sessions; None if none does.

        A mistake may look like the value of an option up to the next difference.
        """
        from pitboss.experiments.naming.diagnosis import is_explained_by_known_mistake

        try:
            for named in self._judge.outcomes_with_fewer_changes(self._drawn, outcome):
                stage = named.stage or self._stage
                if named.verdict is Verdict.WRONG_ANSWER and is_explained_by_known_mistake(
                    stage, named.judged_sessions, named.tolerated
                ):
                    return named
        except HarnessError:  # the mistakes cannot be tried: whoever names them next says so
            return None
        return None

    def _never_shown_findings(self, outcome: Outcome, missing: Sequence[WrongProgram]) -> tuple[str, ...]:
        """Sentences on rules that never occurred and wrong programs not shown, unless chance may be the reason."""
        showing, selection = self._showing, self._judge.selection
        if showing is None or not self._is_whole or self._job.only:
            return ()
        unmet_rules = [name for name, count in outcome.rules if not count]
        wrong = [program for program in missing if not showing.is_accepted_variant(program)]
        sessions = [
            drawn.session
            for index, drawn in enumerate(self._drawn)
            if drawn.session.case in self._stage.spec.cases and index not in outcome.ignored_results
        ]
        return never_shown_sentences(
            selection.stage, sessions, self._judge.choice.run_of(selection), unmet_rules, wrong
        )

    def _unshown_sentence(self, program: WrongProgram) -> str:
        assert self._showing is not None
        is_variant = self._showing.is_accepted_variant(program)
        reason = "an accepted variant behaves the same" if is_variant else "no session reached it"
        return f"“{program.title}” could not be shown in {self._count:,} sessions: {reason}."


#: One session in this many is the built-in player's.
_USUAL_INTERVAL = 2
#: One session in this many is the built-in player's if most of the built-in player's sessions proved unusable.
_LONG_INTERVAL = 8
#: What a random player answers depends on the session's number: in rehearsals it answers differently.
_FIRST_REHEARSAL = 1_000_000
#: How many sessions of a player are needed to decide whether most of the player's sessions are unusable.
_MIN_SESSIONS = 8


class Candidate:
    """A player that may type in further sessions: the player of a case, or a player that no case has."""

    def __init__(self, case_for_number: Callable[[int], Case], last_number: int = 0, weight: float = 1) -> None:
        """`case_for_number` returns the case for a session number; `last_number` is the last that the case declares.

        A candidate with `weight` 2 gets twice as many sessions as an equal candidate with `weight` 1.
        """
        self._case_for_number, self._last_number, self._weight = case_for_number, last_number, weight
        self.session_count = self._used_count = self._draw_count = 0

    def record(self, drawn: DrawnSession, *, is_used: bool) -> None:
        """Record a session of this candidate that was run; `is_used` tells whether the session can be used."""
        self.session_count += 1
        if is_used:
            self._used_count += 1
            self._draw_count += len(drawn.reading.draws)

    def next_session(self, stage: Stage) -> Session:
        self._last_number += 1
        return self.session(stage, self._last_number)

    def rehearsal(self, stage: Stage, number: int) -> Session:
        return self.session(stage, _FIRST_REHEARSAL + number)

    def session(self, stage: Stage, number: int) -> Session:
        return Session(stage, self._case_for_number(number), None, number)

    @property
    def is_mostly_useless(self) -> bool:
        """Whether more than half of the candidate's sessions were unusable; False before enough sessions were run."""
        return self.session_count >= _MIN_SESSIONS and 2 * self._used_count < self.session_count

    def scheduling_rank(self, pending: int) -> float:
        """The candidate's rank; the candidate with the lowest rank gets the next session.

        The rank is the number of the candidate's sessions, including `pending` sessions that have not run yet, divided
        by its weight and by the average yield of a session. A session yields 1 plus its number of draws if it was used,
        else 0; the average includes one extra session that yields 1.
        """
        return (
            (self.session_count + pending)
            * (self.session_count + 1)
            / (1 + self._used_count + self._draw_count)
            / self._weight
        )


class Candidates:
    """The players that may type in the further sessions of a stage."""

    def __init__(self, stage: Stage) -> None:
        """Begin with the generated cases of the stage."""
        self._stage = stage
        self._candidates: dict[str, Candidate] = {}
        for case in stage.spec.cases:
            if isinstance(case.session, Generated):
                count = len(case.session.seeds)
                self._candidates[case.name] = Candidate(_constant_case(case), count, count)

    def record(self, drawn: DrawnSession, *, is_used: bool = True) -> None:
        """Record a session that was run; `is_used` tells whether the session can be used."""
        self._candidates[drawn.session.case.name].record(drawn, is_used=is_used)

    def add_players_without_case(
        self, assignment: Assignment, known: KnownGames, texts: Mapping[str, bytes | None]
    ) -> None:
        """Add the players of the assignment that no case has, and the built-in player.

        `texts` maps the name of each free text (one that programs may word freely, `compare: free`) to the text that
        the program shows; None if the program shows no such text.
        """
        stage = self._stage
        session_counts = [len(case.session.seeds) for case in stage.spec.cases if isinstance(case.session, Generated)]
        average = sum(session_counts) / len(session_counts) if session_counts else 1
        for player in further_players(assignment, stage):
            name = session_name_of_player(player)
            self._candidates.setdefault(name, Candidate(_constant_case(case_of(name, player, stage)), weight=average))
        if known.questions:
            built_in = Candidate(lambda number: case_of(BUILT_IN, random_player(stage, known, number, texts), stage))
            self._candidates.setdefault(BUILT_IN, built_in)

    def session_like(self, requested: Session) -> Session:
        """The requested session, with the player that it names; raises UsageError if the player has nothing to type."""
        name = requested.case.name
        if name not in self._candidates:
            raise UsageError(f"{self._stage.spec.path}: no case shows what {as_found(name)} could type")
        return self._candidates[name].session(self._stage, requested.number)

    @property
    def session_counts(self) -> Mapping[str, int]:
        """How many sessions of each player were run, by the player's name."""
        return {name: candidate.session_count for name, candidate in self._candidates.items()}

    @property
    def rehearsals(self) -> Mapping[str, Callable[[int], Session]]:
        """By the player's name, a function that returns the player's rehearsal number 1, 2, …."""
        return {name: partial(candidate.rehearsal, self._stage) for name, candidate in self._candidates.items()}

    def next_sessions(self, count: int, prospects: Mapping[str, float] = _NO_PROSPECTS) -> list[Session]:
        """The next `count` sessions to run; empty if there are no players.

        If some players have prospects to show what is missing, they get every second session, in proportion.
        """
        pending, promised = dict.fromkeys(self._candidates, 0), dict.fromkeys(prospects, 0)
        others = [name for name in self._candidates if name != BUILT_IN]
        built_in = self._candidates.get(BUILT_IN)
        interval = _LONG_INTERVAL if built_in is not None and built_in.is_mostly_useless else _USUAL_INTERVAL
        sessions: list[Session] = []

        def next_name() -> str:
            turn, is_for_prospects = divmod(len(sessions), 2) if prospects else (len(sessions), False)
            if is_for_prospects:
                name = max(prospects, key=lambda name: prospects[name] / (1 + promised[name]))
                promised[name] += 1
                return name
            if built_in is not None and (turn % interval == 0 or not others):
                return BUILT_IN
            return min(others, key=lambda name: self._candidates[name].scheduling_rank(pending[name]))

        while self._candidates and len(sessions) < count:
            name = next_name()
            pending[name] += 1
            sessions.append(self._candidates[name].next_session(self._stage))
        return sessions


def _constant_case(case: Case) -> Callable[[int], Case]:
    """A function that returns the same case for every session number."""
    return lambda _: case


def games_known_from_cases(selection: Selection) -> KnownGames:
    """The questions and steps of a stage's cases, learned from its own reference and the reference of the selection."""
    stage = selection.stage
    tolerated = tuple(variant for variant in stage.tolerated if variant.name == selection.tolerated)
    return known_games(
        msgspec.structs.replace(stage, tolerated=tolerated, options=fixed_options(stage)), until=math.inf
    )


def usability_check(stage: Stage, known: KnownGames, right: ExpectedRun) -> Callable[[DrawnSession], bool]:
    """Return a function that decides, for sessions of players that no case has, whether a session can be used.

    `right` runs the reference that explains the sessions of the cases.
    """
    read = reader_of(stage)

    def is_usable(session: DrawnSession) -> bool:
        if session.transcript is None or session.failure:
            return False
        actual, case = session.transcript, session.session.case
        try:
            reading = read(actual.events)
            replayed = replay(actual, reading.draws, stage, case.policy, right, invocation=case.invocation)
        except HarnessError:
            return False
        if replayed.difference is None and reading.problem is None:
            return True
        if not known.is_fair_before(replayed.difference, replayed.expected, actual):
            return False
        # If the program ended at its last step, that end must be a step of some case too.
        agreed_events = replayed.difference.matched if replayed.difference else replayed.expected.events
        actual_steps = steps_of(actual.events, is_seeded=False)[: count_typed_lines(agreed_events)]
        return not actual_steps or actual_steps[-1].next_question != END or known.is_fair(actual_steps[-1:])

    return is_usable
