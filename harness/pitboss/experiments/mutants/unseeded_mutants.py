"""Tries the mutants of a stage without a seed: each mutant runs on fixed draws, and the stage's judge decides.

A mutant is caught if the judge rejects the mutant. The judge judges all sessions of a program by the same reference,
the stage's own or a tolerated one. So a program that is rejected for a few sessions is usually also rejected for more
sessions, and a few sessions are tried first.
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
from pitboss.compare.results import Result, Verdict
from pitboss.errors import HarnessError
from pitboss.experiments.mutants.trial import PreparedSession, Trial
from pitboss.experiments.mutation.module_mutants import Mutant
from pitboss.experiments.mutation.mutant_limits import run_of
from pitboss.experiments.relation import Experiment
from pitboss.model.invocation import InputScript, Invocation, script_of_lines
from pitboss.model.transcript import Transcript
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.references import DrawSource, ExpectedRun
from pitboss.unseeded.choice import Choice, ReferenceWithSetting, Selection
from pitboss.unseeded.likely import Texts
from pitboss.unseeded.reader import DrawnSession, invented_values, reader_of
from pitboss.unseeded.replay import GivenDraws
from pitboss.unseeded.unseeded import Judge

#: The maximum number of sessions with the same kind of difference that are judged. If the judge accepts the mutant's
#: wording of a free text (`compare: free`) in this many sessions, it should accept this wording in all sessions. If it
#: would not, the mutant is reported as not caught, and an author looks at the mutant.
_MAX_PER_KIND = 6
#: The verdicts that reject nothing: a fault (JUDGE_ERROR) is not the program's.
_NOT_REJECTED = (Verdict.ACCEPTED, Verdict.JUDGE_ERROR)


class UnseededTrial(Trial):
    """The mutants of a Python reference of a stage whose draws are read back."""

    def __init__(self, assignment: Assignment, stage: Stage) -> None:
        """Run the reference on fixed draws in as many sessions as a submission may have."""
        self.job = Job(assignment, (stage,), find_conditions("auto", "none"), assignment.name)
        self.judges = Judges(self.job, stage)
        self._read = reader_of(stage)
        #: The number from which the draws of a session are invented, by case name and session number.
        self._numbers: dict[tuple[str, int], int] = {}
        super().__init__(stage)

    def all_sessions(self) -> Sequence[Session]:
        """The sessions of the cases, and further sessions of these cases up to the stage's maximum."""
        return with_further_sessions(self.stage, sessions_of(self.stage))

    def draws(self, session: Session) -> tuple[str, ...]:
        number = self._numbers.setdefault((session.case.name, session.number), len(self._numbers))
        return invented_values(self.stage.draws, number)

    def experiment(self, session: Session, run: ExpectedRun) -> Experiment:
        """See Trial. For a free text (`compare: free`), the experiment accepts only the reference's wording.

        Only the judge, which sees all sessions, can accept another wording.
        """
        experiment = super().experiment(session, run)
        return msgspec.structs.replace(experiment, policy=experiment.policy.with_accepted_texts({}))

    def catching_session(self, mutant: Mutant) -> str:
        """See Trial: the sessions in which the mutant differs are judged together, short sessions first.

        Unlike in Trial, sessions that caught other mutants are not tried first. If they were, the result for a mutant
        would depend on which mutants were tried before: the judge, given only a few sessions, may reject a difference
        that it accepts as a feature of the program once it has more sessions.
        """
        main = self.load(mutant)
        if main is None:
            return "all sessions"
        order = sorted(
            self.candidate_sessions(mutant), key=lambda number: len(self.sessions[number].experiment.baseline.text)
        )
        return rejecting_session(self._differing_sessions(run_of(main), order), self.judges.new_judge)

    def _differing_sessions(self, run: ExpectedRun, order: Sequence[int]) -> Iterator[DrawnSession]:
        """The sessions in which a program differs from the reference; at most _MAX_PER_KIND with the same difference.

        `order` has the numbers of the sessions to try, in the order of the trial.
        """
        kinds: Counter[object] = Counter()
        for prepared in (self.sessions[number] for number in order):
            session = self.differing(run, prepared)
            if session is not None and session.transcript is not None:
                kind = _kind_of_difference(prepared.experiment.baseline, session.transcript)
                kinds[kind] += 1
                if kinds[kind] > _MAX_PER_KIND:
                    continue
            if session is not None:
                yield session

    def differing(self, run: ExpectedRun, prepared: PreparedSession) -> DrawnSession | None:
        """The session as run by the program of `run`; None if the program does the same as the reference.

        If the program fails, types too many lines, or its draws cannot be read, the session has no transcript.
        """
        observed = prepared.experiment.observed(run)
        if observed is not None and not observed.differs:
            return None
        if observed is None or len(observed.transcript.lines) >= MAX_LINES:
            return DrawnSession(prepared.session, None)
        try:
            return DrawnSession(prepared.session, observed.transcript, self._read(observed.transcript.events))
        except HarnessError:
            return DrawnSession(prepared.session, None)


def rejecting_session(differing: Iterable[DrawnSession], make_judge: Callable[[], Judge]) -> str:
    """The name of the session at which a program is rejected; empty if the program is accepted.

    `differing` contains the sessions in which the program differs. A session without a transcript is rejected. The
    first 1, 2, 4, 8 … sessions are judged together, and at last all sessions: most programs are rejected early.
    `make_judge` makes a new judge.
    """
    first_judge, drawn = make_judge(), list[DrawnSession]()
    for session in differing:
        if session.transcript is None:
            return session.session.name
        drawn.append(session)
        is_power_of_two = len(drawn).bit_count() == 1
        if is_power_of_two and is_program_rejected(first_judge, drawn):
            return session.session.name
    # Judged by a new judge: the first judge remembers what it chose for fewer sessions.
    return drawn[-1].session.name if drawn and is_program_rejected(make_judge(), drawn) else ""


def _kind_of_difference(expected: Transcript, actual: Transcript) -> object:
    """A key that is the same for differences of the same kind.

    The key consists of the lines that only one transcript has, the exit code, and how many more lines are typed.
    """
    expected_lines, actual_lines = (frozenset(transcript.text.split(b"\n")) for transcript in (expected, actual))
    return (
        expected_lines - actual_lines,
        actual_lines - expected_lines,
        actual.ending.exit_code,
        len(actual.lines) - len(expected.lines),
    )


def is_program_rejected(judge: Judge, drawn: Sequence[DrawnSession]) -> bool:
    outcome = judge.outcome(drawn)
    if outcome.verdict not in _NOT_REJECTED:
        return True
    return any(result.verdict not in _NOT_REJECTED for result in outcome.results)


def with_further_sessions(stage: Stage, sessions: Sequence[Session]) -> list[Session]:
    """These sessions and, up to the stage's maximum, further sessions: one of each generated case in turn."""
    cases = [case for case in stage.spec.cases if isinstance(case.session, Generated)]
    next_numbers = {case.name: count(1 + sum(session.case.name == case.name for session in sessions)) for case in cases}
    further: Iterable[Session] = (Session(stage, case, None, next(next_numbers[case.name])) for case in cycle(cases))
    return [*sessions, *islice(further, max(0, stage.most_sessions - len(sessions)))]


#: How many runs of references are cached at a time, each with a transcript of a few kilobytes.
_MAX_RUNS = 20_000


class Judges:
    """Makes a judge for each mutant of a stage."""

    def __init__(self, job: Job, stage: Stage) -> None:
        """Judge by this stage's references, under the conditions of a job."""
        self._job, self._stage = job, stage
        self._runs = _ReferenceRuns()

    def new_judge(self) -> Judge:
        """Return a new judge for one program, which decides like `Judge` but faster."""
        return _SharingJudge(self._job, self._stage, self._runs)


class _ReferenceRuns:
    """Caches runs of references. The cache key is a digest of everything that a run depends on."""

    def __init__(self) -> None:
        #: The stage with each setting.
        self.stages: dict[Setting, Stage] = {}
        #: For each candidate, the function that runs it or returns its cached run.
        self.runs: dict[ReferenceWithSetting, ExpectedRun] = {}
        #: Each distinct transcript, stored only once, since most runs are the same.
        self._transcripts: dict[Transcript, Transcript] = {}
        #: The transcript and the draws used in each run, by cache key.
        self._cached: dict[bytes, tuple[Transcript, tuple[str, ...]]] = {}

    def run(
        self,
        candidate: ReferenceWithSetting,
        reference: ExpectedRun,
        input_script: InputScript,
        draws: DrawSource | None = None,
        /,
        *,
        invocation: Invocation | None = None,
    ) -> Transcript:
        """Run a reference and return the transcript, or return the transcript of the cached run.

        The input script must not depend on what the reference shows.
        """
        assert isinstance(draws, GivenDraws)
        lines = tuple(iter(lambda: input_script(()), None))
        inputs = msgspec.msgpack.encode((candidate, lines, draws.read, invocation))
        key = hashlib.blake2b(inputs, digest_size=16).digest()
        if key not in self._cached:
            if len(self._cached) >= _MAX_RUNS:
                self._cached.clear()
                self._transcripts.clear()
            transcript = reference(script_of_lines(lines), draws, invocation=invocation)
            self._cached[key] = self._transcripts.setdefault(transcript, transcript), draws.given
            return transcript
        transcript, used_draws = self._cached[key]
        draws.restore(used_draws)
        return transcript


class _SharingJudge(Judge):
    """A judge whose choice shares runs of references with other judges."""

    def __init__(self, job: Job, stage: Stage, runs: _ReferenceRuns) -> None:
        super().__init__(job, stage)
        self._choice = _SharingChoice(stage, job, runs)

    def _not_offered(self, drawn: Sequence[DrawnSession]) -> Outcome | None:
        """Returns None: if the program only lacks features, it is rejected too, and the reason does not matter here."""
        return None


class _SharingChoice(Choice):
    def __init__(self, stage: Stage, job: Job, runs: _ReferenceRuns) -> None:
        super().__init__(stage, job.conditions)
        self._shared, self._stages = runs, runs.stages

    def replay_wrong_sessions(self, selection: Selection, texts: Texts, results: Sequence[Result]) -> Selection:
        """See `Choice`. Replays nothing if a wrong session has no unknown draws: this session stays wrong anyway."""
        wrong_indexes = (index for index, result in enumerate(results) if result.difference is not None)
        return (
            super().replay_wrong_sessions(selection, texts, results)
            if all(map(self.has_unknown_draws, wrong_indexes))
            else selection
        )

    def _run(self, candidate: ReferenceWithSetting) -> ExpectedRun:
        shared = self._shared
        if candidate not in shared.runs:
            shared.runs[candidate] = partial(shared.run, candidate, super()._run(candidate))
        return shared.runs[candidate]
