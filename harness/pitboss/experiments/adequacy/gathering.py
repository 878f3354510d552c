"""Judges a stage without a seed: runs sessions until its rules have occurred and each wrong program is ruled out.

The sessions of the cases come first; as soon as one is wrong, the stage is judged by the sessions so far. Otherwise
further sessions of the same players are run until every rule and every value of the draws has occurred, up to the
stage's maximum. Sessions beyond the maximum are run to rule out the remaining wrong programs, also with players that no
case has. They are also run if values never occurred or the draws do not look random, and more sessions can settle that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.cases import Session, sessions_of
from pitboss.compare.outcome import Outcome
from pitboss.compare.verdicts import Verdict
from pitboss.errors import HarnessError, UsageError, as_found
from pitboss.experiments.adequacy.avoided import never_shown_sentences
from pitboss.experiments.adequacy.elsewhere import MistakesOfOtherStages
from pitboss.experiments.adequacy.exposure import (
    SOURCES,
    AcceptedSession,
    Showing,
    Source,
    WrongProgram,
    wrong_programs,
)
from pitboss.experiments.adequacy.named_sessions import is_further
from pitboss.experiments.adequacy.player_choice import Candidates, known_of, usable
from pitboss.experiments.programs.running import programs_ready
from pitboss.sandbox.pool import Pool
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.unseeded.choice import Selection
from pitboss.unseeded.drawn import DrawnSession
from pitboss.unseeded.randomness import MAX_TIMES
from pitboss.unseeded.unseeded import Judge, run_and_read

#: How many further sessions are run at a time: _BATCH, or the sessions so far divided by _PART, whichever is more.
_BATCH, _PART = 24, 8
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

    `sources` return the wrong programs that must be ruled out. See `outcome.StageJudge`.
    """
    gathering = _Gathering(job, stage, program, pool, sources)
    if any(map(is_further, sessions)):
        return gathering.rerun(sessions)
    outcome = gathering.run(sessions, is_part=bool(job.only))
    while outcome.verdict is Verdict.ACCEPTED and not job.only and (more := gathering.next_sessions(outcome)):
        outcome = gathering.run(more)
    return gathering.finished(outcome)


class _Gathering:
    """The sessions of one submission of one stage, and what they show."""

    def __init__(self, job: Job, stage: Stage, program: Program, pool: Pool, sources: Sequence[Source]) -> None:
        self._job, self._stage, self._program, self._pool = job, stage, program, pool
        # A game given on the command line is not the whole stage: it is judged by itself.
        self._is_whole = all(case.place != str(stage.spec.path) for case in stage.spec.cases)
        self._sources = sources if self._is_whole else ()
        self._judge, self._candidates = Judge(job, stage), Candidates(stage)
        self._elsewhere = MistakesOfOtherStages(stage, job.assignment.stages)
        self._drawn: list[DrawnSession] = []
        #: How many sessions were run, including sessions that cannot be used.
        self._count = 0
        #: Returns whether a session can be used; None while only the players of the cases are used.
        self._is_usable: Callable[[DrawnSession], bool] | None = None
        #: Which wrong programs the sessions rule out; None before any wrong program is tried.
        self._showing: Showing | None = None
        self._judged_as, self._faults = "", tuple[str, ...]()

    def run(self, sessions: Sequence[Session], *, is_part: bool = False) -> Outcome:
        """Run sessions; return the outcome of all sessions so far. If `is_part`, other stages' mistakes count too."""
        drawn = run_and_read(self._job, self._program, sessions, self._pool, self._judge.read)
        self._count += len(drawn)
        for session in drawn:
            is_used = self._is_used(session)
            self._candidates.see(session, is_used=is_used)
            if is_used:
                self._drawn.append(session)
        outcome = self._judge.outcome(self._drawn)
        return outcome if is_part else self._elsewhere.judged_without(outcome, self._judge)

    def _is_used(self, session: DrawnSession) -> bool:
        if self._is_usable is None:
            return True
        if session.session.case in self._stage.spec.cases:
            return session.transcript is not None  # None: skipped because of perhaps unusable sessions
        return self._is_usable(session)

    def next_sessions(self, outcome: Outcome) -> list[Session]:
        """The sessions to run next; empty if there is enough evidence, or the maximum is reached."""
        maximum = self._stage.most_sessions
        lacks_rules = any(not met for _, met in outcome.rules) or self._judge.is_undecided(self._drawn)
        if self._count < maximum and (lacks_rules or self._missing(outcome)):
            return self._next(maximum)
        if self._count < _MAX_TIMES_FOR_WRONG * maximum and self._missing(outcome):
            if self._is_usable is None:
                self._widen()
            return self._next(_MAX_TIMES_FOR_WRONG * maximum)
        maximum *= MAX_TIMES
        if (
            self._count < maximum
            and self._is_whole
            and self._judge.is_undecided(self._drawn, maximum / max(1, self._count))
        ):
            return self._next(maximum)
        return []

    def _next(self, maximum: int) -> list[Session]:
        return self._candidates.next_sessions(min(max(_BATCH, self._count // _PART), maximum - self._count))

    def _widen(self) -> None:
        """Also use players that no case has from now on."""
        selection = self._judge.selection
        known = known_of(selection)
        self._is_usable = usable(selection.stage, known, self._judge.choice.run_of(selection))
        self._candidates.widen(self._job.assignment, known, self._judge.texts)

    def _missing(self, outcome: Outcome) -> tuple[WrongProgram, ...]:
        """The wrong programs that the sessions so far do not rule out."""
        showing = self._showing
        selection = self._judge.selection
        if showing is None or self._judged_as != selection.said:
            showing = self._showing = self._shows_nothing_new(selection)
        new = slice(showing.count, None)
        pairs = zip(selection.drawn[new], outcome.results[new], strict=True)
        showing.add([AcceptedSession(drawn, result.expected) for drawn, result in pairs])
        return showing.missing

    def _shows_nothing_new(self, selection: Selection) -> Showing:
        self._judged_as, self._faults = selection.said, ()
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
        while outcome.verdict is Verdict.ACCEPTED and (more := self.next_sessions(outcome)) and self._is_usable is None:
            outcome = self.run(more)
        if self._is_usable is None:
            self._widen()
        drawn_names = {session.session.name for session in self._drawn}
        sessions = [session for session in requested if session.name not in drawn_names]
        outcome = self.run([self._candidates.session_like(session) for session in sessions] if sessions else [])
        names = {session.name for session in requested}
        results = tuple(result for result in outcome.results if result.session in names)
        if unused := names - {result.session for result in results}:
            raise UsageError(
                f"{self._stage.spec.path}: {as_found(min(unused))} types input whose effect no case defines, so it is "
                "not judged"
            )
        return msgspec.structs.replace(outcome, results=results, findings=(), rules=(), ignored_results=frozenset())

    def finished(self, outcome: Outcome) -> Outcome:
        """The outcome; for an accepted program, with the wrong programs that could not be ruled out."""
        if outcome.verdict is not Verdict.ACCEPTED or self._showing is None:
            return outcome
        missing = self._missing(outcome)
        if findings := self._never_shown(outcome, missing):
            return msgspec.structs.replace(outcome, findings=findings)
        unshown = tuple(self._sentence(program) for program in missing)
        return msgspec.structs.replace(outcome, unshown=unshown, faults=self._faults)

    def _never_shown(self, outcome: Outcome, missing: Sequence[WrongProgram]) -> tuple[str, ...]:
        """Sentences on rules that never occurred and wrong programs not ruled out, unless chance may explain that."""
        showing, selection = self._showing, self._judge.selection
        if showing is None or not self._is_whole or self._job.only:
            return ()
        unmet_rules = [name for name, count in outcome.rules if not count]
        wrong = [program for program in missing if not showing.is_accepted_variant(program)]
        sessions = [session.session for session in self._drawn if session.session.case in self._stage.spec.cases]
        return never_shown_sentences(
            selection.stage, sessions, self._judge.choice.run_of(selection), unmet_rules, wrong
        )

    def _sentence(self, program: WrongProgram) -> str:
        assert self._showing is not None
        is_variant = self._showing.is_accepted_variant(program)
        why = "an accepted variant behaves the same" if is_variant else "no session reached it"
        return f"“{program.title}” could not be shown in {self._count:,} sessions: {why}."
