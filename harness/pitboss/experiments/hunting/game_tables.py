"""Plays games with a program that is determined by its seed and input, or with a program that draws at random.

Both tables return only failures in fair games, and faults of the harness.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count as numbers_from
from itertools import cycle, islice

import msgspec

from pitboss.assignments.answers import rerun_of
from pitboss.assignments.assignment import Answers, Case, Generated, Spec, Stage
from pitboss.assignments.cases import Session
from pitboss.compare.results import Result
from pitboss.compare.seeded import run_all
from pitboss.compare.verdicts import Verdict
from pitboss.experiments.hunting.games import Game, Games, session_of, size_of, smaller_than, wandering
from pitboss.experiments.hunting.questions import KnownGames, steps_of
from pitboss.model.transcript import ENDLESS, Event, InputEnded, Transcript, Typed
from pitboss.sandbox.pool import Pool
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.unseeded.drawn import DrawnSession
from pitboss.unseeded.unseeded import Judge, run_and_read

#: How many smaller games are tried at once.
_SMALLER_AT_ONCE = 60
#: A number of sessions that takes only a moment, even if the reference is a command.
_FEW = 6
#: How many sessions are judged together before a new judge starts, so that memory does not grow.
_JUDGED_TOGETHER = 3000
#: How many seconds to look for a smaller session once a program that draws has failed.
_LOOKING_S = 1.0


def is_endless(result: Result) -> bool:
    """Whether a session was ended by a limit, so that running it again would take long."""
    return result.actual.ending.kind in ENDLESS


def smallest(results: Sequence[Result]) -> Result | None:
    """The failed result with the fewest typed lines; among equals, the result with the shortest output."""
    failed = [
        result for result in results if result.verdict not in (Verdict.ACCEPTED, Verdict.SKIPPED, Verdict.JUDGE_ERROR)
    ]
    return min(failed, key=_size_of_result, default=None)


def _size_of_result(result: Result) -> tuple[int, int]:
    return len(result.expected.lines), len(result.expected.text)


def _without_cases(stage: Stage) -> Stage:
    """The stage without its cases, which makes it cheap to send to a worker."""
    return msgspec.structs.replace(stage, spec=Spec(stage.spec.path, stage.spec.program, ()))


class SeededTable:
    """Games whose expected transcript is known in advance."""

    finding = ""
    #: Whether all games so far are judged again after each batch.
    looks_back = False

    def __init__(self, job: Job, stage: Stage, program: Program, pool: Pool, known: KnownGames) -> None:
        """Play with this program."""
        self._job, self._stage, self._program, self._pool = job, _without_cases(stage), program, pool
        self.games = Games(stage, known, expected_run_here(stage))
        #: The number of different games played.
        self.count = 0
        self._failed: dict[Game, Result] = {}

    @property
    def is_exhausted(self) -> bool:
        """Whether there are no more games."""
        return self.games.is_exhausted

    def play(self, count: int, *, until: float) -> list[Result]:
        """Play up to `count` games, or as many as time allows; return failures and faults."""
        return self._run(dict(self.games.take(count, until=until)))

    def _run(self, games: Mapping[Game, Transcript]) -> list[Result]:
        sessions = [self._session(game, transcript) for game, transcript in games.items()]
        results = run_all(self._pool, self._job, self._program, sessions) if sessions else []
        self.count += sum(result.verdict not in (Verdict.SKIPPED, Verdict.JUDGE_ERROR) for result in results)
        self._failed |= {
            game: result
            for game, result in zip(games, results, strict=True)
            if result.verdict not in (Verdict.ACCEPTED, Verdict.SKIPPED)
        }
        return [result for result in results if result.verdict not in (Verdict.ACCEPTED, Verdict.SKIPPED)]

    def _session(self, game: Game, transcript: Transcript) -> Session:
        return session_of(self._stage, game, exit_code=self.games.exit_code_in(transcript) or 0)

    def smaller(self, found: Result, *, until: float) -> Iterator[Result]:
        """The results of smaller and smaller games that fail too."""
        game = next(game for game, result in self._failed.items() if result is found)
        is_better = True
        while is_better and not is_endless(self._failed[game]):
            is_better = False
            for smaller in self._failing(game, until=until):
                game, is_better = smaller, True
                yield self._failed[game]

    def _failing(self, game: Game, *, until: float) -> Iterator[Game]:
        """Yield the smallest failing game of the first batch with a failing game; nothing if no game fails."""
        candidates = (smaller for smaller in smaller_than(game) if size_of(smaller) < size_of(game))
        batch: dict[Game, Transcript] = {}
        for candidate in (*candidates, None):
            if time.monotonic() > until:
                return
            transcript = self.games.expected(candidate) if candidate is not None else None
            if candidate is not None and transcript is not None:
                batch[candidate] = transcript
            if len(batch) == _SMALLER_AT_ONCE or candidate is None:
                self._run(batch)
                wrong = [game for game in batch if game in self._failed and smallest([self._failed[game]])]
                if wrong:
                    yield min(wrong, key=size_of)
                    return
                batch = {}

    def is_steady(self, found: Result) -> bool:
        """Whether the game fails again when it is repeated; true if repeating would take too long."""
        game = next((game for game, result in self._failed.items() if result is found), None)
        if game is None or is_endless(found):
            return True
        (repeated,) = run_all(self._pool, self._job, self._program, [self._session(game, found.expected)])
        return repeated.verdict is not Verdict.ACCEPTED


class DrawnTable:
    """Games of a program that draws at random; the draws that are read back determine the expected run."""

    is_exhausted = False
    looks_back = True
    games: Games | None = None

    def __init__(self, job: Job, stage: Stage, program: Program, pool: Pool, known: KnownGames) -> None:
        """Play with this program."""
        self._job, self._stage, self._pool, self._known_games = job, stage, pool, known
        self._program = program
        self._judge, self._drawn = Judge(job, stage), list[DrawnSession]()
        self._sessions = _sessions(stage, known, lambda: self._judge.texts)
        self._seen: set[tuple[Event, ...]] = set()
        #: A problem that no single game shows.
        self.finding = ""

    @property
    def count(self) -> int:
        """The number of different games played."""
        return len(self._seen)

    def play(self, count: int, *, until: float) -> list[Result]:
        """Play `count` games; return failures and faults. The counts are too small to check the time."""
        if len(self._drawn) >= _JUDGED_TOGETHER:
            self._judge, self._drawn = Judge(self._job, self._stage), []
        sessions = list(islice(self._sessions, count))
        drawn = run_and_read(self._job, self._program, sessions, self._pool, self._judge.read)
        self._drawn += drawn
        self._seen |= {
            session.transcript.events for session in drawn if session.transcript is not None and session.can_be_replayed
        }
        results = self._judge.outcome(self._drawn).results
        self.finding = self._judge.finding(self._drawn)
        return [
            self._with_rerun(session.session, result)
            for session, result in zip(self._drawn, results, strict=True)
            if result.verdict is Verdict.JUDGE_ERROR or (smallest([result]) and self._is_fair(session.session, result))
        ]

    def _with_rerun(self, session: Session, result: Result) -> Result:
        """The result, with a command that types the same lines, since the wandering player exists only here."""
        if session.case in self._stage.spec.cases:
            return result
        typed = session_of(self._stage, Game(None, result.actual.lines))
        rerun = rerun_of(typed, result.expected.events, self._job.called)
        return msgspec.structs.replace(result, rerun=rerun, draws_anew=True)

    def _is_fair(self, session: Session, result: Result) -> bool:
        """Whether every step before the first difference is known from the cases."""
        if session.case in self._stage.spec.cases:
            return True
        expected, difference = result.expected.events, result.difference
        before = expected if difference is None else difference.matched
        # A player ends the input at an unknown question, and no case defines what is right after that.
        if any(isinstance(event, InputEnded) for event in (*before, *result.actual.events)):
            return False
        steps = steps_of(expected, is_seeded=False)
        return self._known_games.is_fair(steps[: sum(isinstance(event, Typed) for event in before)])

    def smaller(self, found: Result, *, until: float) -> Iterator[Result]:
        """The results of smaller games that fail too, in the order in which they are found."""
        until = min(until, time.monotonic() + _LOOKING_S)
        while not is_endless(found) and time.monotonic() < until:
            best = smallest([found, *self.play(_FEW, until=until)])
            if best is not None and _size_of_result(best) < _size_of_result(found):
                found = best
                yield found

    def is_steady(self, found: Result) -> bool:
        """True, since a repeat proves nothing: the program makes new draws each time."""
        return True


def _sessions(stage: Stage, known: KnownGames, texts: Callable[[], Mapping[str, bytes | None]]) -> Iterator[Session]:
    """Sessions of the cases in turn, alternating with players that wander through all answers.

    `texts` returns what the program shows for the free texts, as far as this is known.
    """
    cases = [case for case in stage.spec.cases if isinstance(case.session, Generated) and case.visibility == "public"]
    case_cycle = cycle(cases) if cases else None
    for number in numbers_from(1):
        if case_cycle is not None:
            yield Session(stage, next(case_cycle), None, number)
        if known.questions or case_cycle is None:
            typed = wandering(stage, known, number, texts()) if known.questions else Answers(())
            place = str(stage.spec.path)
            case = Case("hunted", Generated((None,), typed), stage.lenient, place=place, invocation=stage.invocation)
            yield Session(stage, case, None, number)
