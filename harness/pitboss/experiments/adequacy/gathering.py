"""Judges a stage without a seed: runs sessions until the stage's rules have occurred and wrong programs are ruled out.

The sessions of the cases come first; as soon as a session is wrong, the stage is judged by the sessions so far.
Otherwise further sessions of the same players are run until every rule and every value of the draws has occurred, up to
the stage's maximum. Sessions beyond the maximum are run for two reasons: to rule out the remaining wrong programs, also
with players that no case has; and to decide whether it is chance that values never occurred, or that the draws do not
look random.

A wrong program is ruled out once a session has shown it: see `exposure`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.cases import Session, sessions_of
from pitboss.compare.outcome import Outcome
from pitboss.compare.verdicts import Verdict
from pitboss.errors import HarnessError, UsageError, as_found
from pitboss.experiments.adequacy.exposure import (
    SOURCES,
    AcceptedSession,
    Showing,
    Source,
    WrongProgram,
    never_shown_sentences,
    wrong_programs,
)
from pitboss.experiments.adequacy.named_sessions import has_player_without_case
from pitboss.experiments.adequacy.player_choice import Candidates, games_known_from_cases, usability_check
from pitboss.experiments.programs.running import programs_ready
from pitboss.sandbox.pool import Pool
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.unseeded.choice import Selection
from pitboss.unseeded.drawn import DrawnSession
from pitboss.unseeded.randomness import MAX_TIMES
from pitboss.unseeded.unseeded import Judge, run_and_read

#: The minimum number of further sessions that are run at a time.
_MIN_BATCH = 24
#: Once the number of sessions so far, divided by this number, is more than _MIN_BATCH, that many are run at a time.
_GROWTH_DIVISOR = 8
#: To rule out wrong programs, up to this many times the stage's maximum number of sessions are run.
_MAX_TIMES_FOR_WRONG = 10


@programs_ready()
def judge_unseeded(
    job: Job,
    stage: Stage,
    program: Program,
    sessions: Sequence[Session],
    pool: Pool,
    sources: Sequence[Source] = SOURCES,
) -> Outcome:
    """Run and judge sessions of a stage with a reader, then more sessions until there is enough evidence.

    The functions `sources` return the wrong programs that must be ruled out. Has the signature of `outcome.StageJudge`.
    """
    gathering = _Gathering(job, stage, program, pool, sources)
    if any(map(has_player_without_case, sessions)):
        return gathering.rerun(sessions)
    outcome = gathering.run(sessions)
    while not job.only and (next_sessions := gathering.next_sessions(outcome)):
        outcome = gathering.run(next_sessions)
    return gathering.finished(outcome)


class _Gathering:
    """The sessions of one submission of one stage, and what they show."""

    def __init__(self, job: Job, stage: Stage, program: Program, pool: Pool, sources: Sequence[Source]) -> None:
        self._job, self._stage, self._program, self._pool = job, stage, program, pool
        # False for a session requested by --answers or --player, whose case has the spec file as its place. It is
        # judged alone: no wrong programs need to be ruled out.
        self._is_whole = all(case.place != str(stage.spec.path) for case in stage.spec.cases)
        self._sources = sources if self._is_whole else ()
        self._judge, self._candidates = Judge(job, stage), Candidates(stage)
        self._drawn: list[DrawnSession] = []
        #: How many sessions were run, including sessions that cannot be used.
        self._count = 0
        #: A function that returns whether a session can be used; None while only the players of the cases are used.
        self._is_usable: Callable[[DrawnSession], bool] | None = None
        #: Finds which wrong programs the sessions rule out; None before any wrong program is tried.
        self._showing: Showing | None = None
        #: The description of the selection for which `_showing` was created.
        self._selection_description = ""
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
        # If sessions are ignored, all sessions of a player may be: only other players can show the same wrong programs.
        if self._count < maximum and (needs_more or (not outcome.ignored_results and self._unshown_programs(outcome))):
            return self._next_batch(maximum)
        if self._count < _MAX_TIMES_FOR_WRONG * maximum and self._unshown_programs(outcome):
            if self._is_usable is None:
                self._add_other_players()
            return self._next_batch(_MAX_TIMES_FOR_WRONG * maximum)
        maximum *= MAX_TIMES
        may_decide = self._count < maximum and self._is_whole
        if may_decide and self._judge.is_undecided(self._drawn, maximum / max(1, self._count)):
            return self._next_batch(maximum)
        return []

    def _next_batch(self, maximum: int) -> list[Session]:
        """The next sessions to run, so that at most `maximum` sessions are run in total."""
        batch_size = max(_MIN_BATCH, self._count // _GROWTH_DIVISOR)
        return self._candidates.next_sessions(min(batch_size, maximum - self._count))

    def _add_other_players(self) -> None:
        """From now on, also use players that no case has."""
        selection = self._judge.selection
        known = games_known_from_cases(selection)
        self._is_usable = usability_check(selection.stage, known, self._judge.choice.run_of(selection))
        self._candidates.add_players_without_case(self._job.assignment, known, self._judge.texts)

    def _unshown_programs(self, outcome: Outcome) -> tuple[WrongProgram, ...]:
        """The wrong programs that the sessions so far do not rule out."""
        showing = self._showing
        selection = self._judge.selection
        if showing is None or self._selection_description != selection.description:
            showing = self._showing = self._new_showing(selection)
        new_indexes = slice(showing.count, None)
        pairs = zip(selection.drawn[new_indexes], outcome.results[new_indexes], strict=True)
        showing.add([AcceptedSession(drawn, result.expected) for drawn, result in pairs])
        return showing.missing

    def _new_showing(self, selection: Selection) -> Showing:
        """A `Showing` without sessions, for the reference and the setting that now explain the submission."""
        self._selection_description, self._faults = selection.description, ()
        try:
            wrong = wrong_programs(selection.stage, selection.tolerated, self._sources)
        except HarnessError as error:
            wrong, self._faults = (), (str(error),)
        return Showing(selection, wrong, self._judge.choice, self._job.conditions)

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
        return msgspec.structs.replace(outcome, results=results, findings=(), rules=(), ignored_results=frozenset())

    def finished(self, outcome: Outcome) -> Outcome:
        """The outcome. For an accepted program, wrong programs that could not be ruled out are added."""
        if outcome.verdict is not Verdict.ACCEPTED or self._showing is None:
            return outcome
        missing = self._unshown_programs(outcome)
        if findings := self._never_shown_findings(outcome, missing):
            return msgspec.structs.replace(outcome, findings=findings)
        unshown = tuple(self._unshown_sentence(program) for program in missing)
        return msgspec.structs.replace(outcome, unshown=unshown, faults=self._faults)

    def _never_shown_findings(self, outcome: Outcome, missing: Sequence[WrongProgram]) -> tuple[str, ...]:
        """Sentences on rules that never occurred and wrong programs not shown, unless chance may be the reason."""
        showing, selection = self._showing, self._judge.selection
        if showing is None or not self._is_whole or self._job.only:
            return ()
        unmet_rules = [name for name, count in outcome.rules if not count]
        wrong = [program for program in missing if not showing.is_accepted_variant(program)]
        sessions = [session.session for session in self._drawn if session.session.case in self._stage.spec.cases]
        return never_shown_sentences(
            selection.stage, sessions, self._judge.choice.run_of(selection), unmet_rules, wrong
        )

    def _unshown_sentence(self, program: WrongProgram) -> str:
        assert self._showing is not None
        is_variant = self._showing.is_accepted_variant(program)
        reason = "an accepted variant behaves the same" if is_variant else "no session reached it"
        return f"“{program.title}” could not be shown in {self._count:,} sessions: {reason}."
