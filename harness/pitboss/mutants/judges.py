"""The judges of the mutants of one stage, which share what the references did: most mutants type and draw the same."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.options import Setting
from pitboss.draws.choice import Choice, Chosen
from pitboss.draws.drawn import DrawnSession
from pitboss.draws.likely import Texts
from pitboss.draws.replay import GivenDraws
from pitboss.draws.unseeded import Judge
from pitboss.judging.outcome import Outcome
from pitboss.judging.results import Result
from pitboss.running.job import Job
from pitboss.running.references import DrawSource, ExpectedRun
from pitboss.transcripts.invocation import Invocation
from pitboss.transcripts.scripts import InputScript, typing
from pitboss.transcripts.transcript import Transcript

#: How many runs of references are remembered at a time.
_MOST_RUNS = 100_000

_Candidate = tuple[str, Setting]


class Judges:
    """Makes a judge for each mutant of a stage."""

    def __init__(self, job: Job, stage: Stage) -> None:
        """Judge by this stage's references, under the conditions of a job."""
        self._job, self._stage = job, stage
        self._runs = _Runs()

    def judge(self) -> Judge:
        """A judge of one more program; it decides as any other does, only sooner."""
        return _SharingJudge(self._job, self._stage, self._runs)


class _Runs:
    """What references did, by all that it depends on."""

    def __init__(self) -> None:
        self.stages: dict[Setting, Stage] = {}
        self.runs: dict[_Candidate, ExpectedRun] = {}
        #: Each transcript once, since most runs are the same; and how many draws were made.
        self._transcripts: dict[Transcript, Transcript] = {}
        self._done: dict[bytes, tuple[Transcript, int]] = {}

    def run(
        self,
        candidate: _Candidate,
        run: ExpectedRun,
        input_script: InputScript,
        draws: DrawSource | None = None,
        /,
        *,
        invocation: Invocation | None = None,
    ) -> Transcript:
        """Run a reference, or remember what it did; its input script types the same lines, whatever is shown."""
        assert isinstance(draws, GivenDraws)
        lines = tuple(iter(lambda: input_script(()), None))
        depends_on = msgspec.msgpack.encode((candidate, lines, draws.read, invocation))
        key = hashlib.blake2b(depends_on, digest_size=16).digest()
        if key not in self._done:
            if len(self._done) >= _MOST_RUNS:
                self._done.clear()
                self._transcripts.clear()
            done = run(typing(lines), draws, invocation=invocation)
            self._done[key] = self._transcripts.setdefault(done, done), len(draws.given)
            return done
        done, count = self._done[key]
        for _ in range(count):
            draws()
        return done


class _SharingJudge(Judge):
    """A judge whose choice shares what references did with other judges."""

    def __init__(self, job: Job, stage: Stage, runs: _Runs) -> None:
        super().__init__(job, stage)
        self._choice = _SharingChoice(stage, job, runs)

    def _not_offered(self, drawn: Sequence[DrawnSession]) -> Outcome | None:
        """Nothing: what is wrong is refused, and whether it is right without the features changes only the sentence."""
        return None


class _SharingChoice(Choice):
    def __init__(self, stage: Stage, job: Job, runs: _Runs) -> None:
        super().__init__(stage, job.conditions)
        self._shared, self._stages = runs, runs.stages

    def again(self, chosen: Chosen, texts: Texts, results: Sequence[Result]) -> Chosen:
        """See `Choice.again`; a mutant that other sessions have caught needs none."""
        wrong = (index for index, one in enumerate(results) if one.difference is not None)
        return super().again(chosen, texts, results) if all(map(self.has_unknown, wrong)) else chosen

    def _run(self, candidate: _Candidate) -> ExpectedRun:
        shared = self._shared
        if candidate not in shared.runs:
            shared.runs[candidate] = partial(shared.run, candidate, super()._run(candidate))
        return shared.runs[candidate]
