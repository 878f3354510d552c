"""Plays games with a submission until the time is up, and finds the smallest game that the submission gets wrong.

`SeededGameRunner` is for a program whose behaviour is determined by its seed and input; `DrawnGameRunner` is for a
program that draws at random. Both return only failures in fair games, and faults of the harness. A game is fair if its
steps are known from the cases: see `questions`.

Scratch files while a hunt runs:

build-*/<stage>/    the program, built as for a check
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count as numbers_from
from itertools import islice
from pathlib import Path

import msgspec

from pitboss.assignments.answers import rerun_of
from pitboss.assignments.assignment import Answers, Generated, Stage
from pitboss.assignments.cases import Session
from pitboss.compare.findings import OddDraws
from pitboss.compare.results import FAILED, Begun, Report, Result, StageReport, StageWork, Verdict
from pitboss.compare.seeded import run_all
from pitboss.errors import UsageError
from pitboss.experiments.hunting.games import Games, Lines, random_player, session_of, smaller_than
from pitboss.experiments.hunting.questions import KnownGames, known_games, with_common_cases
from pitboss.machine import progress, scratch
from pitboss.machine.pool import Pool
from pitboss.machine.workers import core_count, workers
from pitboss.model.transcript import OVER_A_LIMIT, Event
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


def smallest(results: Iterable[Result]) -> Result | None:
    """The failed result with the fewest typed lines; among equals, the result with the shortest output."""
    failed = (result for result in results if result.verdict in FAILED)
    return min(failed, key=lambda result: (len(result.expected.lines), len(result.expected.text)), default=None)


class SeededGameRunner:
    """Games whose expected transcript is known in advance."""

    #: A problem that no single game shows; always empty here.
    finding: OddDraws | None = None
    #: Whether all games so far are judged again after each batch.
    judges_all_again = False

    def __init__(self, job: Job, stage: Stage, program: Program, pool: Pool, known: KnownGames) -> None:
        self._job, self._is_seeded, self._program, self._pool = job, stage.is_seeded, program, pool
        self._games = Games(stage, known, expected_run_here(stage))
        #: How the reference failed, by the lines that were typed.
        self.reference_failures: Mapping[Lines, str] = self._games.reference_failures
        #: The number of different games played.
        self.count = 0

    @property
    def is_exhausted(self) -> bool:
        return self._games.is_exhausted

    def play(self, count: int, *, until: float) -> list[Result]:
        """Play up to `count` games, or as many as time allows; return failures and faults."""
        return self._results([session for session, _ in self._games.take(count, until=until)])

    def _results(self, sessions: Sequence[Session]) -> list[Result]:
        """The failures and faults among the results of sessions."""
        results = run_all(self._pool, self._job, self._program, sessions) if sessions else []
        self.count += sum(result.verdict not in (Verdict.SKIPPED, Verdict.JUDGE_ERROR) for result in results)
        return [result for result in results if result.verdict not in (Verdict.ACCEPTED, Verdict.SKIPPED)]

    def smaller(self, found: Result, *, until: float) -> Iterator[Result]:
        """Starting from the failed result `found`, yield results of failed games, each game smaller than the last."""
        while not is_endless(found):
            sessions = (
                game[0]
                for lines in smaller_than(found.expected.lines, has_seed=self._is_seeded)
                if time.monotonic() < until and (game := self._games.with_lines(lines))
            )
            while batch := list(islice(sessions, _SMALLER_GAMES_PER_BATCH)):
                if smaller := smallest(self._results(batch)):
                    break
            else:
                return
            found = smaller
            yield found


class DrawnGameRunner:
    """Games of a program that draws at random; its draws, read back from its output, determine the expected run."""

    #: Always False, since each game has new draws.
    is_exhausted = False
    #: See `SeededGameRunner`: `play` judges all games so far together.
    judges_all_again = True
    #: Empty, since games are not generated in advance.
    reference_failures: Mapping[Lines, str] = {}

    def __init__(self, job: Job, stage: Stage, program: Program, pool: Pool, known: KnownGames) -> None:
        self._job, self._stage, self._program, self._pool = job, stage, program, pool
        self._known_games, self._sessions = known, self._endless_sessions()
        self._judge, self._drawn = Judge(job, stage), list[DrawnSession]()
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
        sessions = list(islice(self._sessions, count))
        drawn = run_and_read(self._job, self._program, sessions, self._pool, self._judge.read)
        self._drawn += drawn
        self._played_events |= {
            session.transcript.events for session in drawn if session.transcript is not None and session.can_be_replayed
        }
        outcome = self._judge.outcome(self._drawn)
        self.finding = outcome.draws
        results = []
        for session, result in zip(self._drawn, outcome.results, strict=True):
            if result.verdict not in FAILED:
                results += [result] if result.verdict is Verdict.JUDGE_ERROR else []
            elif session.session.case in self._stage.spec.cases:
                results.append(result)
            elif self._known_games.is_fair_before(result.difference, result.expected, result.actual):
                results.append(self._with_rerun(result))
        return results

    def _with_rerun(self, result: Result) -> Result:
        """The result, with a rerun command that types the same lines, since the random player exists only in a hunt."""
        typed_session = session_of(self._stage, Answers(result.actual.lines))
        rerun = rerun_of(typed_session, result.expected.events, self._job.called)
        return msgspec.structs.replace(result, rerun=rerun, rerun_draws_differ=True)

    def smaller(self, found: Result, *, until: float) -> Iterator[Result]:
        """Starting from the failed result `found`, yield results of failed games, each game smaller than the last."""
        until = min(until, time.monotonic() + _MAX_SHRINKING_S)
        while not is_endless(found) and time.monotonic() < until:
            smaller = smallest([found, *self.play(_SHRINKING_BATCH, until=until)])
            if smaller is not None and smaller is not found:
                found = smaller
                yield found

    def _endless_sessions(self) -> Iterator[Session]:
        """The public generated cases in turn, alternating with random players."""
        stage, known = self._stage, self._known_games
        cases = [case for case in stage.spec.public_cases if isinstance(case.session, Generated)]
        for number in numbers_from(1):
            if cases:
                yield Session(stage, cases[(number - 1) % len(cases)], None, number)
            if known.questions:
                yield session_of(stage, random_player(stage, known, number, self._judge.texts), number=number)
            elif not cases:
                yield session_of(stage, Answers(()), number=number)


#: How many seconds a batch of games should take; time is checked between batches.
_BATCH_S = 0.3
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
    #: The fault of pitboss or of the assignment's code that ended the hunt; empty if none did.
    fault: str = ""
    #: How the reference itself failed, for each game in which it did.
    reference_failures: tuple[str, ...] = ()
    #: The report on the failed build, like a check's; None if the program was built.
    unbuilt: Report | None = None


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
    found, fault, runner, was_stopped = None, "", None, False
    stage = with_common_cases(with_submitted_files(stage, program.folder))
    if not stage.spec.cases:
        raise UsageError(
            f"{stage.spec.path}: each case of {stage.name} has its own arguments or files — hunt uses the stage's "
            "arguments and files, so it needs a case that uses them too"
        )
    try:
        now = time.monotonic()
        known = known_games(stage, until=now + (until - now) * _LEARNING_FRACTION)
        runner = (DrawnGameRunner if stage.reader else SeededGameRunner)(job, stage, program, pool, known)
        for results in _batches(runner, until, report_count or (lambda _: None), pool.size):
            fault = next((result.fault for result in results if result.verdict is Verdict.JUDGE_ERROR), "")
            found = smallest(results)
            if found or fault or runner.finding:
                break
        if found:
            progress.notify(Begun(StageWork.SHRINKING, stage.name))
            for smaller in runner.smaller(found, until=until):
                found = smaller
    except KeyboardInterrupt:
        was_stopped = True
    if runner is None:
        return Hunt(was_stopped=was_stopped)
    failures = tuple(runner.reference_failures.values())
    return Hunt(found, runner.count, runner.finding, runner.is_exhausted, was_stopped, fault, failures)


def _batches(
    runner: SeededGameRunner | DrawnGameRunner, until: float, report_count: Progress, cores: int
) -> Iterator[list[Result]]:
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
        game_s = max(now - start, 0.001) / size
        timed_size = min(int(_BATCH_S / game_s), size * _MAX_GROWTH)
        earlier_share = runner.count // _EARLIER_GAMES_DIVISOR if runner.judges_all_again else 0
        size = max(1, min(max(timed_size, cores, earlier_share), int((until - now) / game_s)))
