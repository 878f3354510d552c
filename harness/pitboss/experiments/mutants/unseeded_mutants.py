"""Tries the mutants of a stage without a seed: each mutant runs on fixed draws, and the stage's judge decides.

A mutant is caught if the judge, which may choose a tolerated reference, does not accept the mutant. One reference
judges all sessions of a program, so a program that is rejected with some sessions is also rejected with more: a few
sessions are tried first.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import count, cycle, islice

import msgspec

from pitboss.assignments.assignment import Assignment, Generated, Stage
from pitboss.assignments.cases import Session, sessions_of
from pitboss.assignments.options import Setting
from pitboss.assignments.players import MAX_LINES
from pitboss.compare.outcome import Outcome
from pitboss.compare.results import Result
from pitboss.compare.verdicts import Verdict
from pitboss.errors import HarnessError
from pitboss.experiments.mutants.trial import PreparedSession, Trial
from pitboss.experiments.mutation.module_mutants import Mutant
from pitboss.experiments.mutation.mutant_limits import run_of
from pitboss.experiments.relation import Experiment
from pitboss.model.invocation import Invocation
from pitboss.model.scripts import InputScript, typing
from pitboss.model.transcript import Transcript
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.references import DrawSource, ExpectedRun
from pitboss.unseeded.choice import Choice, Selection
from pitboss.unseeded.drawn import DrawnSession, invented_values
from pitboss.unseeded.likely import Texts
from pitboss.unseeded.reader import reader_of
from pitboss.unseeded.replay import GivenDraws
from pitboss.unseeded.unseeded import Judge

#: How many sessions that differ in the same way are judged. If the judge accepts a free text in this many sessions, it
#: should accept the text in all; otherwise the mutant counts as not caught, and an author looks at the mutant.
_MAX_OF_A_KIND = 6
_NOT_REFUSED = (Verdict.ACCEPTED, Verdict.JUDGE_ERROR)


class DrawnTrial(Trial):
    """The mutants of a Python reference of a stage whose draws are read back."""

    def __init__(self, assignment: Assignment, stage: Stage) -> None:
        """Run the reference on fixed draws in as many sessions as a submission may have."""
        self.job = Job(assignment, (stage,), find_conditions("auto", "none"), assignment.name)
        self.judges = Judges(self.job, stage)
        self._read = reader_of(stage)
        self._numbers: dict[tuple[str, int], int] = {}
        super().__init__(stage)

    def all_sessions(self) -> Sequence[Session]:
        """The sessions of the cases, and further sessions of these cases up to the stage's maximum."""
        return with_further_sessions(self.stage, sessions_of(self.stage))

    def draws(self, session: Session) -> tuple[str, ...]:
        """The draws of a session; the same for each mutant."""
        number = self._numbers.setdefault((session.case.name, session.number), len(self._numbers))
        return invented_values(self.stage.draws, number)

    def experiment(self, session: Session, run: ExpectedRun) -> Experiment:
        """See Trial. Accepts no free text: only the judge, which sees all sessions, can do so."""
        experiment = super().experiment(session, run)
        return msgspec.structs.replace(experiment, policy=experiment.policy.with_accepted_texts({}))

    def catches(self, mutant: Mutant) -> str:
        """See Trial: the sessions in which the mutant differs are judged together, short sessions first.

        Sessions that caught other mutants are not preferred: in a few sessions, the judge may reject something that it
        would accept in more sessions as the program's own feature. The result would then depend on earlier mutants.
        """
        main = self.load(mutant)
        if main is None:
            return "all sessions"
        order = sorted(
            self.candidate_sessions(mutant), key=lambda number: len(self.sessions[number].experiment.done.text)
        )
        return refused_in(self._differing(run_of(main), order), self.judges.judge)

    def _differing(self, run: ExpectedRun, order: Sequence[int]) -> Iterator[DrawnSession]:
        """The sessions in which a program differs from the reference; at most _MAX_OF_A_KIND that differ alike."""
        kinds: Counter[object] = Counter()
        for expected in (self.sessions[number] for number in order):
            session = self.differing(run, expected)
            if session is not None and session.transcript is not None:
                kind = _kind_of_difference(expected.experiment.done, session.transcript)
                kinds[kind] += 1
                if kinds[kind] > _MAX_OF_A_KIND:
                    continue
            if session is not None:
                yield session

    def differing(self, run: ExpectedRun, expected: PreparedSession) -> DrawnSession | None:
        """A program's session, without a transcript if the program fails; None if the session matches the reference."""
        observed = expected.experiment.observed(run)
        if observed is not None and not observed.differs:
            return None
        if observed is None or len(observed.transcript.lines) >= MAX_LINES:
            return DrawnSession(expected.session, None)
        try:
            return DrawnSession(expected.session, observed.transcript, self._read(observed.transcript.events))
        except HarnessError:
            return DrawnSession(expected.session, None)


def refused_in(differing: Iterable[DrawnSession], judge: Callable[[], Judge]) -> str:
    """The name of the session at which a program is rejected; empty if the program is accepted.

    `differing` contains the sessions in which the program differs. The first one, two, four and so on are judged
    together, since most programs are rejected early.
    """
    first_judge, drawn = judge(), list[DrawnSession]()
    for session in differing:
        if session.transcript is None:
            return session.session.name
        drawn.append(session)
        if len(drawn).bit_count() == 1 and is_refused(first_judge, drawn):
            return session.session.name
    return drawn[-1].session.name if drawn and is_refused(judge(), drawn) else ""


def _kind_of_difference(right: Transcript, mutated: Transcript) -> object:
    """A key for how two transcripts differ: lines in only one, exit code, and how many more lines are typed."""
    right_lines, mutated_lines = (frozenset(transcript.text.split(b"\n")) for transcript in (right, mutated))
    return (
        right_lines - mutated_lines,
        mutated_lines - right_lines,
        mutated.ending.exit_code,
        len(mutated.lines) - len(right.lines),
    )


def is_refused(judge: Judge, drawn: Sequence[DrawnSession]) -> bool:
    """Whether the judge does not accept a program with these sessions."""
    outcome = judge.outcome(drawn)
    if outcome.verdict not in _NOT_REFUSED:
        return True
    return any(result.verdict not in _NOT_REFUSED for result in outcome.results)


def with_further_sessions(stage: Stage, sessions: Sequence[Session]) -> list[Session]:
    """These sessions, and further sessions of the generated cases in turn, up to the stage's maximum."""
    cases = [case for case in stage.spec.cases if isinstance(case.session, Generated)]
    counts = {case.name: count(1 + sum(session.case.name == case.name for session in sessions)) for case in cases}
    further: Iterable[Session] = (Session(stage, case, None, next(counts[case.name])) for case in cycle(cases))
    return [*sessions, *islice(further, max(0, stage.most_sessions - len(sessions)))]


#: How many runs of references are cached at a time, each with a transcript of a few kilobytes.
_MAX_RUNS = 20_000

_Candidate = tuple[str, Setting]


class Judges:
    """Makes a judge for each mutant of a stage."""

    def __init__(self, job: Job, stage: Stage) -> None:
        """Judge by this stage's references, under the conditions of a job."""
        self._job, self._stage = job, stage
        self._runs = _ReferenceRuns()

    def judge(self) -> Judge:
        """Return a judge for one program, which decides like `Judge` but faster."""
        return _SharingJudge(self._job, self._stage, self._runs)


class _ReferenceRuns:
    """Caches runs of references, under a digest of everything that a run depends on."""

    def __init__(self) -> None:
        self.stages: dict[Setting, Stage] = {}
        self.runs: dict[_Candidate, ExpectedRun] = {}
        #: Each distinct transcript once, since most runs are the same.
        self._transcripts: dict[Transcript, Transcript] = {}
        #: The transcript and draws of each run, by digest.
        self._done: dict[bytes, tuple[Transcript, tuple[str, ...]]] = {}

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
        """Run a reference, or return its cached run. The input script must not depend on what the reference shows."""
        assert isinstance(draws, GivenDraws)
        lines = tuple(iter(lambda: input_script(()), None))
        depends_on = msgspec.msgpack.encode((candidate, lines, draws.read, invocation))
        key = hashlib.blake2b(depends_on, digest_size=16).digest()
        if key not in self._done:
            if len(self._done) >= _MAX_RUNS:
                self._done.clear()
                self._transcripts.clear()
            transcript = run(typing(lines), draws, invocation=invocation)
            self._done[key] = self._transcripts.setdefault(transcript, transcript), draws.given
            return transcript
        transcript, given = self._done[key]
        draws.give_again(given)
        return transcript


class _SharingJudge(Judge):
    """A judge whose choice shares runs of references with other judges."""

    def __init__(self, job: Job, stage: Stage, runs: _ReferenceRuns) -> None:
        super().__init__(job, stage)
        self._choice = _SharingChoice(stage, job, runs)

    def _not_offered(self, drawn: Sequence[DrawnSession]) -> Outcome | None:
        """Returns None: that a program is right without some features would change only the reason for a rejection."""
        return None


class _SharingChoice(Choice):
    def __init__(self, stage: Stage, job: Job, runs: _ReferenceRuns) -> None:
        super().__init__(stage, job.conditions)
        self._shared, self._stages = runs, runs.stages

    def again(self, chosen: Selection, texts: Texts, results: Sequence[Result]) -> Selection:
        """See `Choice.again`; replays nothing if a session without unknown draws has caught the mutant."""
        wrong = (index for index, result in enumerate(results) if result.difference is not None)
        return super().again(chosen, texts, results) if all(map(self.has_unknown, wrong)) else chosen

    def _run(self, candidate: _Candidate) -> ExpectedRun:
        shared = self._shared
        if candidate not in shared.runs:
            shared.runs[candidate] = partial(shared.run, candidate, super()._run(candidate))
        return shared.runs[candidate]
