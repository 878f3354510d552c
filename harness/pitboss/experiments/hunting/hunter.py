"""Plays games with a submission until the time is up, and finds the smallest game that the submission gets wrong.

`SeededGameRunner` is for a program whose behaviour is determined by its seed and input; `DrawnGameRunner` is for a
program that draws at random. Both return only failures in fair games, and faults of the harness. A game is fair if its
steps are known from the cases: see `questions`.

Scratch files while a hunt runs:

build-*/<stage>/    the program, built as for a check
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count as numbers_from
from itertools import cycle, islice
from pathlib import Path

import msgspec

from pitboss.assignments.answers import rerun_of
from pitboss.assignments.assignment import Answers, Case, Generated, Spec, Stage
from pitboss.assignments.cases import Session
from pitboss.compare.findings import OddDraws
from pitboss.compare.results import Begun, Report, Result, StageReport, StageWork, Verdict
from pitboss.compare.seeded import run_all
from pitboss.errors import UsageError
from pitboss.experiments.hunting.games import Game, Games, random_player, session_of, size_of, smaller_than
from pitboss.experiments.hunting.questions import KnownGames, known_games, steps_of
from pitboss.machine import progress, scratch
from pitboss.machine.pool import Pool
from pitboss.machine.workers import core_count, workers
from pitboss.model.transcript import OVER_A_LIMIT, Event, InputEnded, Transcript, Typed
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.sessions.session_files import with_submitted_files
from pitboss.submissions.build import build
from pitboss.submissions.explanations import fields_on_build
from pitboss.submissions.stage_files import likely_files
from pitboss.submissions.submission import name_of, open_submission
from pitboss.unseeded.reader import DrawnSession
from pitboss.unseeded.unseeded import Judge, run_and_read

#: How many smaller games a SeededGameRunner tries at once.
_SMALLER_GAMES_PER_BATCH = 60
#: How many games a DrawnGameRunner plays at once while it looks for a smaller failure; few, so that the games take only
#: a moment even if the reference is a command.
_SHRINKING_BATCH = 6
#: After this many sessions a DrawnGameRunner discards them and starts a new judge, so that memory does not grow.
_MAX_JUDGED_TOGETHER = 3000
#: For at most this many seconds a DrawnGameRunner looks for a smaller failure.
_MAX_SHRINKING_S = 1.0


def is_endless(result: Result) -> bool:
    """Whether a limit ended the session, so that running the session again would take long."""
    return result.actual.ending.kind in OVER_A_LIMIT


def has_failed(result: Result) -> bool:
    """Whether the program is wrong in the session; False if the session was not run, or a fault prevented a verdict."""
    return result.verdict not in (Verdict.ACCEPTED, Verdict.SKIPPED, Verdict.JUDGE_ERROR)


def smallest(results: Sequence[Result]) -> Result | None:
    """The failed result with the fewest typed lines; among equals, the result with the shortest output."""
    return min(filter(has_failed, results), key=_size_of_result, default=None)


def _size_of_result(result: Result) -> tuple[int, int]:
    return len(result.expected.lines), len(result.expected.text)


def _without_cases(stage: Stage) -> Stage:
    """The stage without its cases, which makes it cheap to send to a worker."""
    return msgspec.structs.replace(stage, spec=Spec(stage.spec.path, stage.spec.program, ()))


class SeededGameRunner:
    """Games whose expected transcript is known in advance."""

    #: A problem that no single game shows; always empty here.
    finding: OddDraws | None = None
    #: Whether all games so far are judged again after each batch.
    judges_all_again = False

    def __init__(self, job: Job, stage: Stage, program: Program, pool: Pool, known: KnownGames) -> None:
        self._job, self._stage, self._program, self._pool = job, _without_cases(stage), program, pool
        self.games = Games(stage, known, expected_run_here(stage))
        #: The number of different games played.
        self.count = 0
        #: The results of the games with failures and faults.
        self._failed_results: dict[Game, Result] = {}

    @property
    def is_exhausted(self) -> bool:
        return self.games.is_exhausted

    def play(self, count: int, *, until: float) -> list[Result]:
        """Play up to `count` games, or as many as time allows; return failures and faults."""
        return self._run_games(dict(self.games.take(count, until=until)))

    def _run_games(self, games: Mapping[Game, Transcript]) -> list[Result]:
        """Run the program in games with these expected transcripts; record and return failures and faults."""
        sessions = [self._session_of_game(game, transcript) for game, transcript in games.items()]
        results = run_all(self._pool, self._job, self._program, sessions) if sessions else []
        self.count += sum(result.verdict not in (Verdict.SKIPPED, Verdict.JUDGE_ERROR) for result in results)
        played = zip(games, results, strict=True)
        failed = {game: result for game, result in played if result.verdict not in (Verdict.ACCEPTED, Verdict.SKIPPED)}
        self._failed_results |= failed
        return list(failed.values())

    def _session_of_game(self, game: Game, transcript: Transcript) -> Session:
        return session_of(self._stage, game, exit_code=self.games.exit_code_in(transcript) or 0)

    def smaller(self, found: Result, *, until: float) -> Iterator[Result]:
        """Starting from the failed result `found`, yield results of failed games, each game smaller than the last."""
        game: Game | None = next(game for game, result in self._failed_results.items() if result is found)
        while game is not None and not is_endless(self._failed_results[game]):
            game = self._smaller_failing_game(game, until=until)
            if game is not None:
                yield self._failed_results[game]

    def _smaller_failing_game(self, game: Game, *, until: float) -> Game | None:
        """The smallest failed game of the first batch of smaller games in which a game fails; None if none fails."""
        candidates = (
            (smaller, transcript)
            for smaller in smaller_than(game)
            if size_of(smaller) < size_of(game) and time.monotonic() < until
            if (transcript := self.games.expected(smaller)) is not None
        )
        while batch := dict(islice(candidates, _SMALLER_GAMES_PER_BATCH)):
            self._run_games(batch)
            tried = {game: self._failed_results[game] for game in batch if game in self._failed_results}
            if failed := [game for game, result in tried.items() if has_failed(result)]:
                return min(failed, key=size_of)
        return None


class DrawnGameRunner:
    """Games of a program that draws at random; its draws, read back from its output, determine the expected run."""

    #: Always False, since each game has new draws.
    is_exhausted = False
    #: See `SeededGameRunner`: `play` judges all games so far together.
    judges_all_again = True
    #: None, since games are not generated in advance.
    games: Games | None = None

    def __init__(self, job: Job, stage: Stage, program: Program, pool: Pool, known: KnownGames) -> None:
        self._job, self._stage, self._pool, self._known_games = job, stage, pool, known
        self._program = program
        self._judge, self._drawn = Judge(job, stage), list[DrawnSession]()
        self._hunted_sessions = _hunted_sessions(stage, known, lambda: self._judge.texts)
        self._played_events: set[tuple[Event, ...]] = set()
        #: A problem that no single game shows.
        self.finding: OddDraws | None = None

    @property
    def count(self) -> int:
        """The number of different games played."""
        return len(self._played_events)

    def play(self, count: int, *, until: float) -> list[Result]:
        """Play `count` games; return failures and faults. `until` is not checked, since `count` is small."""
        if len(self._drawn) >= _MAX_JUDGED_TOGETHER:
            self._judge, self._drawn = Judge(self._job, self._stage), []
        sessions = list(islice(self._hunted_sessions, count))
        drawn = run_and_read(self._job, self._program, sessions, self._pool, self._judge.read)
        self._drawn += drawn
        self._played_events |= {
            session.transcript.events for session in drawn if session.transcript is not None and session.can_be_replayed
        }
        outcome = self._judge.outcome(self._drawn)
        self.finding = outcome.draws
        return [
            self._with_rerun(session.session, result)
            for session, result in zip(self._drawn, outcome.results, strict=True)
            if result.verdict is Verdict.JUDGE_ERROR or (has_failed(result) and self._is_fair(session.session, result))
        ]

    def _with_rerun(self, session: Session, result: Result) -> Result:
        """The result, with a rerun command that types the same lines, since the random player exists only in a hunt."""
        if session.case in self._stage.spec.cases:
            return result
        typed_session = session_of(self._stage, Game(None, result.actual.lines))
        rerun = rerun_of(typed_session, result.expected.events, self._job.called)
        return msgspec.structs.replace(result, rerun=rerun, rerun_draws_differ=True)

    def _is_fair(self, session: Session, result: Result) -> bool:
        """Whether every step before the first difference is known from the cases."""
        if session.case in self._stage.spec.cases:
            return True
        expected, difference = result.expected.events, result.difference
        agreed_events = expected if difference is None else difference.matched
        # A player ends the input at an unknown question, and no case defines what is right after that.
        if any(isinstance(event, InputEnded) for event in (*agreed_events, *result.actual.events)):
            return False
        steps = steps_of(expected, is_seeded=False)
        return self._known_games.is_fair(steps[: sum(isinstance(event, Typed) for event in agreed_events)])

    def smaller(self, found: Result, *, until: float) -> Iterator[Result]:
        """Starting from the failed result `found`, yield results of failed games, each game smaller than the last."""
        until = min(until, time.monotonic() + _MAX_SHRINKING_S)
        while not is_endless(found) and time.monotonic() < until:
            best = smallest([found, *self.play(_SHRINKING_BATCH, until=until)])
            if best is not None and _size_of_result(best) < _size_of_result(found):
                found = best
                yield found


def _hunted_sessions(
    stage: Stage, known: KnownGames, texts: Callable[[], Mapping[str, bytes | None]]
) -> Iterator[Session]:
    """Endless sessions: the public generated cases in turn, alternating with players that type random answers.

    `texts` returns, by name of a free text (one that programs may word freely, `compare: free`), the text that the
    program shows, None if it shows no such text; there is no entry while this is unknown.
    """
    cases = [case for case in stage.spec.cases if isinstance(case.session, Generated) and case.visibility == "public"]
    case_cycle = cycle(cases) if cases else None
    for number in numbers_from(1):
        if case_cycle is not None:
            yield Session(stage, next(case_cycle), None, number)
        # With neither cases nor known questions, nothing is typed.
        if known.questions or case_cycle is None:
            answers = random_player(stage, known, number, texts()) if known.questions else Answers(())
            place = str(stage.spec.path)
            case = Case(
                "hunted", Generated((None,), answers), stage.lenient_policy, place=place, invocation=stage.invocation
            )
            yield Session(stage, case, None, number)


#: How many seconds a batch of games should take; time is checked between batches.
_BATCH_S = 0.3
#: The maximum number of games in a batch.
_MAX_BATCH = 1000
#: How many times as large as the previous batch a batch may be to fill _BATCH_S.
_MAX_GROWTH = 8
#: If all earlier games are judged again after each batch, a batch has at least as many games as were played earlier,
#: divided by this number.
_EARLIER_GAMES_DIVISOR = 3
#: Games are played for at least this many seconds, even if the build used up the time.
_MIN_PLAYING_S = 1.0
#: The fraction of the hunt's time that may be used to learn from the cases.
_LEARNING_FRACTION = 0.2


class Hunt(msgspec.Struct, frozen=True):
    """The result of a hunt."""

    #: The smallest game that failed; None if no game failed.
    found: Result | None = None
    #: The number of different games played.
    count: int = 0
    #: A problem that no single game shows, such as equal draws in all games.
    finding: OddDraws | None = None
    #: Whether there are no more games.
    is_exhausted: bool = False
    #: Whether Ctrl-C stopped the hunt.
    was_stopped: bool = False
    #: The faults of pitboss or of the assignment's code that prevented games.
    faults: tuple[str, ...] = ()
    #: The number of games in which the reference itself failed.
    failed_references: int = 0
    #: The message of the reference's first failure.
    failure: str = ""
    #: The report on the failed build, like a check's; None if the program was built.
    unbuilt: Report | None = None


#: Either class plays the games of a hunt.
_GameRunner = SeededGameRunner | DrawnGameRunner
#: A function that is called after each batch with the number of games played so far.
Progress = Callable[[int], None]


def hunt_program(
    job: Job, stage: Stage, folder: Path, *, seconds: float, cores: int = 0, report_count: Progress | None = None
) -> Hunt:
    """Build a submission's program for one stage, and hunt for about `seconds` seconds on `cores` cores (0: all).

    Progress events announce the current work (building, running, shrinking).

    Raises UsageError if the submission has no program for the stage.
    """
    until = time.monotonic() + seconds
    with open_submission(folder) as submission, scratch.folder("build") as builds:
        source = submission.sources((stage,))[stage.name]
        if source is None:
            raise UsageError(f"{folder}: no program is here — a submission has files such as {likely_files(stage)[0]}")
        progress.notify(Begun(StageWork.COMPILING, stage.name))
        built = build(source, Path(builds) / stage.name, job.conditions)
        if built.program is None:
            fields = fields_on_build(built)
            of_stage = StageReport(stage.name, stage.title, Verdict.COMPILE_ERROR, summary=built.reason, **fields)
            title, sentences = job.assignment.title, job.conditions.sentences
            return Hunt(unbuilt=Report(job.assignment.name, title, name_of(folder), (of_stage,), conditions=sentences))
        with workers(cores or core_count(), takes_part=True) as pool:
            until = max(until, time.monotonic() + _MIN_PLAYING_S)
            progress.notify(Begun(StageWork.RUNNING, stage.name))
            return hunt_with(job, stage, built.program, pool, until=until, report_count=report_count)


def hunt_with(
    job: Job, stage: Stage, program: Program, pool: Pool, *, until: float, report_count: Progress | None = None
) -> Hunt:
    """Hunt with a built program until the time `until` (time.monotonic), or until Ctrl-C is pressed."""
    failed_result: Result | None = None
    faults: dict[str, None] = {}
    was_stopped = False
    runner: _GameRunner | None = None
    stage = _with_common_invocation(with_submitted_files(stage, program.folder))
    try:
        now = time.monotonic()
        known = known_games(stage, until=now + (until - now) * _LEARNING_FRACTION)
        runner = (DrawnGameRunner if stage.reader else SeededGameRunner)(job, stage, program, pool, known)
        for results in _batches(runner, until, report_count or (lambda _: None), pool.size):
            faults |= dict.fromkeys(result.fault for result in results if result.verdict is Verdict.JUDGE_ERROR)
            failed_result = smallest(results)
            if failed_result is not None or faults or runner.finding:
                break
        if failed_result is not None:
            progress.notify(Begun(StageWork.SHRINKING, stage.name))
            for smaller in runner.smaller(failed_result, until=until):
                failed_result = smaller
    except KeyboardInterrupt:
        was_stopped = True
    if runner is None:
        return Hunt(was_stopped=was_stopped)
    return Hunt(
        failed_result,
        runner.count,
        runner.finding,
        runner.is_exhausted,
        was_stopped,
        tuple(faults),
        len(runner.games.failed) if runner.games else 0,
        runner.games.failure if runner.games else "",
    )


def _with_common_invocation(stage: Stage) -> Stage:
    """The stage with only the cases that have the stage's own invocation; raises UsageError if no case has it."""
    cases = tuple(case for case in stage.spec.cases if case.invocation == stage.invocation)
    if not cases:
        raise UsageError(
            f"{stage.spec.path}: each case of {stage.name} has its own arguments or files — hunt uses the stage's "
            "arguments and files, so it needs a case that uses them too"
        )
    return msgspec.structs.replace(stage, spec=msgspec.structs.replace(stage.spec, cases=cases))


def _batches(runner: _GameRunner, until: float, report_count: Progress, cores: int) -> Iterator[list[Result]]:
    """Play one game, then growing batches, so that a program that never ends costs little time.

    A batch should take about _BATCH_S, have a game for each core, and end before the time is up. If the runner judges
    all earlier games again after each batch, batches also grow with the number of earlier games.
    """
    size = 1
    while not runner.is_exhausted and (runner.count == 0 or time.monotonic() < until):
        start = time.monotonic()
        yield runner.play(size, until=max(until, start + _MIN_PLAYING_S) if runner.count == 0 else until)
        report_count(runner.count)
        now = time.monotonic()
        if runner.count == 0 and now > until:
            return
        game_s = max(now - start, 0.001) / max(1, size)
        timed_size = min(int(_BATCH_S / game_s), int(size * _MAX_GROWTH), _MAX_BATCH)
        min_size = cores
        if runner.judges_all_again:
            min_size = max(cores, min(runner.count // _EARLIER_GAMES_DIVISOR, _MAX_BATCH))
        size = max(1, min(max(timed_size, min_size), int((until - now) / game_s)))
