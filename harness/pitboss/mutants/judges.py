"""The judges of the mutants of one stage, which keep what the references do: most mutants type and draw the same."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.options import Setting
from pitboss.draws.choice import Choice, Chosen
from pitboss.draws.drawn import DrawnSession
from pitboss.draws.likely import Texts
from pitboss.draws.replay import GivenDraws, Replay
from pitboss.draws.unseeded import Judge
from pitboss.errors import HarnessError
from pitboss.judging.outcome import Outcome
from pitboss.judging.results import Result
from pitboss.running.job import Job
from pitboss.running.references import DrawSource, ExpectedRun
from pitboss.transcripts.invocation import Invocation
from pitboss.transcripts.scripts import InputScript, typing
from pitboss.transcripts.transcript import Transcript

#: How many runs of references are kept at a time, each in few bytes.
_MOST_KEPT = 100_000

_Candidate = tuple[str, Setting]
_Draws = tuple[str | None, ...]
_Texts = tuple[tuple[str, bytes | None], ...]


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
        #: By all that a run depends on.
        self._told: dict[tuple[_Candidate, str, bytes], bytes] = {}

    def told(self, candidate: _Candidate, one: DrawnSession, run: ExpectedRun, draws: _Draws) -> bytes:
        """What a reference does in a session on these draws: the same for the same, and empty if it fails."""
        assert one.transcript is not None
        asked = candidate, one.session.case.name, _digest((one.transcript.lines, draws))
        if asked not in self._told:
            if len(self._told) >= _MOST_KEPT:
                self._told.clear()
            given = GivenDraws(draws, self._stage.draws)
            try:
                told = run(typing(one.transcript.lines), given, invocation=one.session.case.invocation)
                self._told[asked] = digest_of(told, given)
            except HarnessError:
                self._told[asked] = b""
        return self._told[asked]


def digest_of(told: Transcript, draws: GivenDraws) -> bytes:
    """A run in few bytes: what was shown, and the draws that were made."""
    return _digest((told, draws.given))


def _digest(value: object) -> bytes:
    return hashlib.blake2b(msgspec.msgpack.encode(value), digest_size=16).digest()


class _KeepingJudge(Judge):
    """A judge whose choice keeps what it learns of the references for other judges."""

    def __init__(self, job: Job, stage: Stage, kept: _Kept) -> None:
        super().__init__(job, stage)
        self._choice = _KeepingChoice(stage, job, kept)

    def _not_offered(self, drawn: Sequence[DrawnSession]) -> Outcome | None:
        """Nothing: what is wrong is refused, and whether it is right without the features changes only the sentence."""
        return None


class _Guessed(NamedTuple):
    """How a session with unknown draws was replayed by a reference: all runs that this took, and the best of them."""

    likely: _Texts
    draws: _Draws
    #: The draws of each run, and what it was.
    tries: tuple[tuple[_Draws, bytes], ...]
    replay: Replay


class _KeepingChoice(Choice):
    """A choice that compares a session only once with references that do the same in it."""

    def __init__(self, stage: Stage, job: Job, kept: _Kept) -> None:
        super().__init__(stage, job.conditions)
        self._kept = kept
        self._stages, self._runs = kept.stages, kept.runs
        self._compared: dict[object, Replay] = {}
        self._guessed: dict[int, list[_Guessed]] = {}
        #: The runs of a replay that guesses; None while there is none.
        self._tries: list[tuple[_Draws, bytes]] | None = None

    def again(self, chosen: Chosen, texts: Texts, results: Sequence[Result]) -> Chosen:
        """See `Choice.again`; a mutant that other sessions have caught needs none."""
        wrong = (index for index, one in enumerate(results) if one.difference is not None)
        return super().again(chosen, texts, results) if all(map(self.has_unknown, wrong)) else chosen

    def _replay(self, candidate: _Candidate, number: int, *, guesses: bool, texts: Texts | None = None) -> Replay:
        if texts is not None:
            return super()._replay(candidate, number, guesses=guesses, texts=texts)
        try:
            one, run = self._read(candidate[1], number), super()._run(candidate)
        except HarnessError:
            return super()._replay(candidate, number, guesses=guesses)
        if not one.can_be_replayed:
            return super()._replay(candidate, number, guesses=guesses)
        if guesses and self.has_unknown(number):
            return self._guess(candidate, number, one, run)
        told = self._kept.told(candidate, one, run, one.reading.draws)
        key = number, told, one.reading.draws, self._likely_texts
        if not told or key not in self._compared:
            self._compared[key] = super()._replay(candidate, number, guesses=guesses)
        return self._compared[key]

    @property
    def _likely_texts(self) -> _Texts:
        return tuple(self.likely.texts.items())

    def _guess(self, candidate: _Candidate, number: int, one: DrawnSession, run: ExpectedRun) -> Replay:
        """A replay that guesses values; of references that do the same in all runs of it, it is the same."""
        known = self._guessed.setdefault(number, [])
        for other in known:
            if (other.likely, other.draws) == (self._likely_texts, one.reading.draws) and all(
                self._kept.told(candidate, one, run, given) == told for given, told in other.tries
            ):
                return other.replay
        self._tries = []
        try:
            replayed = super()._replay(candidate, number, guesses=True)
            if not replayed.failure:
                known.append(_Guessed(self._likely_texts, one.reading.draws, tuple(self._tries), replayed))
        finally:
            self._tries = None
        return replayed

    def _run(self, candidate: _Candidate) -> ExpectedRun:
        run, tries = super()._run(candidate), self._tries
        if tries is None:
            return run

        def noted(
            input_script: InputScript, draws: DrawSource | None = None, /, *, invocation: Invocation | None = None
        ) -> Transcript:
            told = run(input_script, draws, invocation=invocation)
            assert isinstance(draws, GivenDraws)
            tries.append((draws.given, digest_of(told, draws)))
            return told

        return noted
