"""The judges of the mutants of one stage, which keep what the references do: most mutants type and draw the same."""

from __future__ import annotations

from typing import NamedTuple

from harness.assignments.assignment import Stage
from harness.assignments.options import Setting
from harness.draws.choice import Choice
from harness.draws.drawn import DrawnSession
from harness.draws.replay import GivenDraws, Replay
from harness.draws.unseeded import Judge
from harness.errors import HarnessError
from harness.running.job import Job
from harness.running.references import ExpectedRun
from harness.transcripts.scripts import typing
from harness.transcripts.transcript import Transcript

#: How many runs of references are kept at a time, each as one number.
_MOST_KEPT = 100_000

_Candidate = tuple[str, Setting]


class _Asked(NamedTuple):
    """All that a run of a reference depends on."""

    candidate: _Candidate
    case: str
    lines: tuple[bytes, ...]
    draws: tuple[str | None, ...]


class Judges:
    """Makes a judge for each mutant of a stage."""

    def __init__(self, job: Job, stage: Stage) -> None:
        """Judge by this stage's references, under the conditions of a job."""
        self._job, self._stage = job, stage
        self._kept = _Kept(stage)

    def judge(self) -> Judge:
        """A judge of one more program; it decides as any other does, only sooner."""
        return _KeepingJudge(self._job, self._stage, self._kept)


class _Kept:
    """The runs of the references in the sessions of all mutants so far: which of them are the same."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.stages: dict[Setting, Stage] = {}
        self.runs: dict[_Candidate, ExpectedRun] = {}
        self._told: dict[_Asked, int | None] = {}
        self._numbers: dict[Transcript, int] = {}

    def number_of(self, candidate: _Candidate, one: DrawnSession, run: ExpectedRun) -> int | None:
        """A number for what a reference does in a session, the same for the same; None if it fails."""
        assert one.transcript is not None
        asked = _Asked(candidate, one.session.case.name, one.transcript.lines, one.reading.draws)
        if asked not in self._told:
            if len(self._told) >= _MOST_KEPT:
                self._told.clear()
                self._numbers.clear()
            self._told[asked] = self._run(one, asked, run)
        return self._told[asked]

    def _run(self, one: DrawnSession, asked: _Asked, run: ExpectedRun) -> int | None:
        draws = GivenDraws(asked.draws, self._stage.draws)
        try:
            told = run(typing(asked.lines), draws, invocation=one.session.case.invocation)
        except HarnessError:
            return None
        return self._numbers.setdefault(told, len(self._numbers))


class _KeepingJudge(Judge):
    """A judge whose choice keeps what it learns of the references for other judges."""

    def __init__(self, job: Job, stage: Stage, kept: _Kept) -> None:
        super().__init__(job, stage)
        self._choice = _KeepingChoice(stage, job, kept)


class _KeepingChoice(Choice):
    """A choice that compares a session only once with references that do the same in it."""

    def __init__(self, stage: Stage, job: Job, kept: _Kept) -> None:
        super().__init__(stage, job.conditions)
        self._kept = kept
        self._stages, self._runs = kept.stages, kept.runs
        self._compared: dict[object, Replay] = {}

    def _replay(self, candidate: _Candidate, number: int, *, guesses: bool) -> Replay:
        """See Choice. Where values are guessed, references may differ with other values, and each is tried."""
        key = None if guesses and self.has_unknown(number) else self._key(candidate, number)
        if key is None:
            return super()._replay(candidate, number, guesses=guesses)
        if key not in self._compared:
            self._compared[key] = super()._replay(candidate, number, guesses=guesses)
        return self._compared[key]

    def _key(self, candidate: _Candidate, number: int) -> object:
        """What a replay depends on; None if it cannot be told."""
        try:
            one = self._read(candidate[1], number)
            if not one.can_be_replayed:
                return None
            told = self._kept.number_of(candidate, one, self._run(candidate))
        except HarnessError:
            return None
        likely = tuple(self.likely.texts.items())
        return None if told is None else (number, told, one.reading.draws, likely)
